"""Rows of NetBox's tables -> nouns: one function for each kind of object, columns as in bulk import."""

import re
from collections.abc import Callable
from typing import Any, Literal, cast

from railyard.model.netbox import (
    Component,
    ComponentKind,
    Cord,
    Device,
    End,
    EndKind,
    Feed,
    Group,
    Panel,
    Rack,
    Reservation,
)
from railyard.read.netbox.tables import Row
from railyard.read.netbox.values import KG, METRES, MM, converted, flag, number, whole_numbers
from railyard.read.text import Notebook, shown

Kind = Literal[
    "manufacturers", "roles", "sites", "locations", "racks", "reservations", "devices", "panels", "feeds", "cables",
    "interfaces", "power_ports", "power_outlets",
]  # fmt: skip
NEEDS: dict[Kind, tuple[str, ...]] = {
    "cables": ("side_a_name", "side_b_name"),
    "feeds": ("power_panel", "name"),
    "reservations": ("rack", "units"),
    "devices": ("name", "device_type", "role"),
    "racks": ("name", "u_height"),
    "panels": ("name", "site"),
    "locations": ("name", "site"),
    "sites": ("name",),
    "roles": ("name",),
    "manufacturers": ("name",),
    "interfaces": ("device", "name", "type"),
    "power_ports": ("device", "name"),
    "power_outlets": ("device", "name"),
}
"""Columns without which a row means nothing."""
FILE_WORDS: dict[str, Kind] = {
    "powerpanel": "panels", "powerfeed": "feeds", "poweroutlet": "power_outlets", "powerport": "power_ports",
    "powercable": "cables", "cable": "cables", "interface": "interfaces", "rackreservation": "reservations",
    "reservation": "reservations", "devicerole": "roles", "manufacturer": "manufacturers", "location": "locations",
    "site": "sites", "rack": "racks", "device": "devices",
}  # fmt: skip
"""What NetBox calls its export files (`netbox_power_panels.csv`), and what we call ours."""
OTHER_WORDS = frozenset({
    "rackrole", "racktype", "rackgroup", "devicetype", "devicebay", "modulebay", "module", "sitegroup", "consoleport",
    "consoleserverport", "frontport", "rearport", "inventoryitem", "virtualchassis", "role",
})  # fmt: skip
"""Tables of NetBox that nobody reads here, and that others' columns look like."""
ENDS: dict[str, EndKind] = {
    "interface": "interface", "powerport": "power-port", "poweroutlet": "power-outlet", "powerfeed": "power-feed",
}  # fmt: skip
_LETTERS = re.compile(r"[^a-z]+")


def kind_of(source: str, names: frozenset[str]) -> Kind | None:
    """What a table holds: by its columns where they tell, else by its file's name. None: nobody knows."""
    if {"side_a_name", "side_b_name"} <= names:
        return "cables"
    if {"power_panel", "name"} <= names and names & {"voltage", "amperage", "supply", "phase"}:
        return "feeds"
    if {"rack", "units"} <= names:
        return "reservations"
    if "device_type" in names or {"rack", "role", "type", "name"} <= names:
        return "devices"
    if {"device", "name"} <= names and names & {"feed_leg", "maximum_draw", "mgmt_only"}:
        return "power_outlets" if "feed_leg" in names else "power_ports" if "maximum_draw" in names else "interfaces"
    if {"name", "u_height", "site"} <= names and "slug" not in names:
        return "racks"
    return _by_name(source) if "name" in names else None


def _by_name(source: str) -> Kind | None:
    """What a file's name says: `07-rack-reservations.csv`, `netbox_racks.csv`, `dc1 racks.csv`."""
    stem = source.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".gz").rpartition(".")[0]
    words = [word.removesuffix("s") for word in _LETTERS.split(stem) if word and word != "netbox"]
    for said in ("".join(words), "".join(words[-2:]), *words[-1:]):
        if said in OTHER_WORDS:
            return None
        if said in FILE_WORDS:
            return FILE_WORDS[said]
    return None


class RowReader:
    """Rows of one file."""

    def __init__(self, book: Notebook) -> None:
        self.book = book

    def read(self, kind: Kind, row: Row) -> Any:
        """The noun of a row; None, with a problem, where a column that it needs is empty."""
        if kind == "devices" and "device_type" not in row.cells:
            row.cells["device_type"] = row.get("type")
        empty = [key for key in NEEDS[kind] if not row.get(key)]
        if kind == "devices" and empty == ["name"]:
            empty = []  # NetBox allows devices without a name: they are told of by their place
        if empty:
            found = f"no {', '.join(f'`{key}`' for key in empty)}"
            fix = "fill the cell, or export with all columns"
            self.book.add("READ-002", found, f"{', '.join(NEEDS[kind])} in each row", fix, row.line, row.columns.get(empty[0]))
            return None
        return _MAKERS[kind](self, row)

    def at(self, row: Row) -> str:
        """`file:line` of a row."""
        return f"{self.book.source}:{row.line}"

    def _number(self, row: Row, key: str) -> float | None:
        return number(row.get(key), key, self.book, row.place(key))

    def _sized(self, row: Row, key: str, unit: str, units: dict[str, float]) -> float | None:
        return converted(self._number(row, key), row.get(unit), units, key, self.book, row.place(key))

    def group(self, row: Row) -> Group:
        """A site, location, manufacturer or role."""
        return Group(
            row.get("name"), row.get("slug"), row.get("site"), row.get("parent"), row.get("status").lower(), row.get("color"),
            row.get("description"), self.at(row),
        )  # fmt: skip

    def rack(self, row: Row) -> Rack:
        """A rack. NetBox's table export writes its height as `48U`."""
        if row.get("u_height").upper().endswith("U"):
            row.cells["u_height"] = row.get("u_height")[:-1]
        return Rack(
            name=row.get("name"),
            site=row.get("site"),
            location=row.get("location"),
            facility_id=row.get("facility_id"),
            status=row.get("status").lower(),
            u_height=self._number(row, "u_height"),
            outer_width_mm=self._sized(row, "outer_width", "outer_unit", MM),
            outer_depth_mm=self._sized(row, "outer_depth", "outer_unit", MM),
            max_weight_kg=self._sized(row, "max_weight", "weight_unit", KG),
            description=row.get("description"),
            at=self.at(row),
        )

    def reservation(self, row: Row) -> Reservation:
        """U that are kept free."""
        units = whole_numbers(row.get("units"), "units", self.book, row.place("units"))
        return Reservation(row.get("rack"), units, row.get("site"), row.get("location"), row.get("description"), self.at(row))

    def device(self, row: Row) -> Device:
        """A device. Its type may have the maker before it, as in NetBox's table export."""
        maker, model = row.get("manufacturer"), row.get("device_type")
        if maker and model.startswith(f"{maker} "):
            model = model.removeprefix(f"{maker} ").strip()
        return Device(
            name=row.get("name"),
            device_type=model,
            role=row.get("role"),
            manufacturer=maker,
            site=row.get("site"),
            location=row.get("location"),
            rack=row.get("rack"),
            position=self._number(row, "position"),
            face=row.get("face").lower(),
            status=row.get("status").lower(),
            serial=row.get("serial"),
            airflow=row.get("airflow"),
            description=row.get("description"),
            at=self.at(row),
        )

    def panel(self, row: Row) -> Panel:
        """A power panel."""
        return Panel(row.get("name"), row.get("site"), row.get("location"), row.get("description"), self.at(row))

    def feed(self, row: Row) -> Feed:
        """A power feed. `Three-phase` and `three-phase` are one word."""
        return Feed(
            name=row.get("name"),
            panel=row.get("power_panel"),
            site=row.get("site"),
            location=row.get("location"),
            rack=row.get("rack"),
            status=row.get("status").lower(),
            type=row.get("type").lower(),
            supply=row.get("supply").lower(),
            phase=row.get("phase").lower(),
            voltage=self._number(row, "voltage"),
            amperage=self._number(row, "amperage"),
            max_utilization=self._number(row, "max_utilization"),
            description=row.get("description"),
            at=self.at(row),
        )

    def cable(self, row: Row) -> Cord:
        """A cable between two terminations."""
        return Cord(
            a=self._end(row, "a"),
            z=self._end(row, "b"),
            type=row.get("type"),
            status=row.get("status").lower(),
            label=row.get("label"),
            color=row.get("color"),
            length_m=self._sized(row, "length", "length_unit", METRES),
            description=row.get("description"),
            at=self.at(row),
        )

    def _end(self, row: Row, side: str) -> End:
        said = row.get(f"side_{side}_type").lower().replace("_", "").replace(" ", "")
        kind = ENDS.get(said.removeprefix("dcim.").removeprefix("dcim|"), "other") if said else "interface"
        parent = row.get(f"side_{side}_power_panel") if kind == "power-feed" else row.get(f"side_{side}_device")
        if not parent:
            key = f"side_{side}_{'power_panel' if kind == 'power-feed' else 'device'}"
            fix = "fill the cell: a name alone is in every device"
            self.book.add("READ-002", f"no `{key}`", "the device, or a feed's panel", fix, row.line, row.columns.get(key))
        return End(kind, parent, row.get(f"side_{side}_name"))

    def part(self, row: Row, kind: ComponentKind) -> Component:
        """A component of a device."""
        return Component(
            kind=kind,
            name=row.get("name"),
            type=row.get("type") or None,
            device=row.get("device"),
            label=row.get("label"),
            description=row.get("description"),
            maximum_draw_w=self._number(row, "maximum_draw"),
            allocated_draw_w=self._number(row, "allocated_draw"),
            power_port=row.get("power_port") or None,
            feed_leg=row.get("feed_leg") or None,
            mgmt_only=bool(flag(row.get("mgmt_only"), "mgmt_only", self.book, row.place("mgmt_only"))),
            plain="name" in row.plain,
            at=self.at(row),
        )


_MAKERS: dict[Kind, Callable[[RowReader, Row], Any]] = {
    **cast(dict[Kind, Any], dict.fromkeys(("manufacturers", "roles", "sites", "locations"), RowReader.group)),
    "racks": RowReader.rack,
    "reservations": RowReader.reservation,
    "devices": RowReader.device,
    "panels": RowReader.panel,
    "feeds": RowReader.feed,
    "cables": RowReader.cable,
    "interfaces": lambda reader, row: reader.part(row, "interface"),
    "power_ports": lambda reader, row: reader.part(row, "power-port"),
    "power_outlets": lambda reader, row: reader.part(row, "power-outlet"),
}


def unknown_table(source: str, names: frozenset[str], book: Notebook) -> None:
    """Note a table that nobody can tell the kind of."""
    limit = "columns of NetBox's bulk import: name, device_type, role; side_a_name, side_b_name; power_panel, voltage; …"
    fix = f"name the file after what it holds, like racks.csv: {shown(source)} says nothing"
    book.add("READ-004", f"columns {', '.join(sorted(names))[:120]}", limit, fix, 1)
