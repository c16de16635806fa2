"""Device types and rack types as rows of railyard's catalogue: what the file says, each fact with its line, nothing else.

A fact that the file leaves out is left out, too; a comment lists what the row still needs. A quarantined type gives no row. A
fact that the file contradicts itself in (ports with gaps in their numbering) is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from railyard.model.catalog import NodeModel, PduModel, RackModel, StorageNodeModel, SwitchModel
from railyard.model.netbox import DeviceType, RackType
from railyard.model.networks import ManagementSwitchModel
from railyard.render.netbox.yaml_text import quoted, scalar
from railyard.rules.netbox import Imported
from railyard.rules.netbox.components import supplies
from railyard.rules.netbox.match import KINDS
from railyard.rules.netbox.ports import data_ports, numbering, speed_gbps

NOUNS: Mapping[str, Any] = {
    "nodes": NodeModel, "switches": SwitchModel, "pdus": PduModel, "storage": StorageNodeModel,
    "management_switches": ManagementSwitchModel, "racks": RackModel,
}  # fmt: skip
UNPLACED = "unplaced"
"""Types that NetBox can't tell apart: a server, a switch and a storage box look alike there."""
_FORMS = {"osfp": "osfp", "qsfp112": "qsfp112", "qsfp56": "qsfp56", "qsfp28": "qsfp28", "sfp28": "sfp28"}
_INLETS = {"iec-60320-c14": "c14", "iec-60320-c20": "c20", "hardwired": "hardwired"}
_NOT_FACTS = {"name", "title", "sources"}
Facts = dict[str, tuple[Any, str]]
"""Outside name of a fact -> its value, and the place in the file."""


def catalogue_rows(types: Iterable[Imported], racks: Iterable[RackType]) -> str:
    """YAML: one section for each kind of the catalogue, each with the rows that the files give."""
    sections: dict[str, list[str]] = {kind: [] for kind in (*KINDS, "racks", UNPLACED)}
    notes: list[str] = []
    for one in types:
        if one.quarantined:
            notes.append(
                f"# {one.kind.slug}: quarantined, no row ({', '.join(sorted({f.id for f in one.findings}))}), {one.kind.at}"
            )
            continue
        kind = _kind(one)
        name = one.match.item.name if one.match else one.kind.slug
        sections[kind].append(_row(name, f"{one.kind.manufacturer} {one.kind.model}", _facts(one.kind, kind), kind))
    for rack in racks:
        sections["racks"].append(_row(rack.slug, f"{rack.manufacturer} {rack.model}", _rack_facts(rack), "racks"))
    lines = [
        "# Rows for railyard/catalog, as far as the files go. Complete them; a source that nobody checked keeps its word.",
        *notes,
    ]
    for kind, rows in sections.items():
        if rows:
            lines += ["", f"{kind}:", *rows]
    return "\n".join(lines) + "\n"


def _kind(one: Imported) -> str:
    if one.match:
        return one.match.kind
    return "pdus" if one.kind.of("power-outlet") else UNPLACED


def _facts(kind: DeviceType, section: str) -> Facts:
    """Facts of a type, under the names that its section has for them."""
    found: Facts = {}
    height = {"nodes": "rackUnits", "storage": "rackUnits", "pdus": ""}.get(section, "uHeight")
    if height and kind.u_height is not None and kind.u_height.is_integer() and kind.u_height >= 1:
        found[height] = (int(kind.u_height), kind.place("u_height"))
    if kind.weight_kg is not None and kind.weight_kg > 0:
        found["weightKg"] = (kind.weight_kg, kind.place("weight"))
    if section == "pdus":
        outlets = kind.of("power-outlet")
        found["outlets"] = (len(outlets), kind.place("power-outlets"))
        return found
    if kind.airflow and section in ("nodes", "switches", "storage", "management_switches"):
        found["airflow"] = (kind.airflow, kind.place("airflow"))
    listed = supplies(kind)
    if listed:
        found["psus"] = (len(listed), kind.place(listed[0][0]))
    draws, inlets = {part.maximum_draw_w for _, part in listed}, {_INLETS.get(part.type or "") for _, part in listed}
    if len(draws) == 1 and (draw := draws.pop()):
        found["psuKw"] = (round(draw / 1000, 6), listed[0][1].at)
    if len(inlets) == 1 and (inlet := inlets.pop()):
        found["inlet"] = (inlet, listed[0][1].at)
    if section == "switches":
        found |= _port_facts(kind)
    return found


def _port_facts(kind: DeviceType) -> Facts:
    """Ports and cages of a switch whose numbering has no gaps."""
    listed = data_ports(kind.of("interface"))
    shape = numbering(port.name for port in listed)
    if not listed or shape is None or shape.missing:
        return {}
    place = kind.place("interfaces")
    ports = Counter(int(speed) for port in listed if (speed := speed_gbps(port.type)) and float(speed).is_integer())
    found: Facts = {"ports": (dict(sorted(ports.items(), reverse=True)), place)}
    if shape.mark:
        found["cages"] = (shape.last_cage - shape.first_cage + 1, place)
    forms = {_FORMS.get((port.type or "").rpartition("-")[2]) for port in listed}
    if len(forms) == 1 and (form := forms.pop()):
        found["cageForm"] = (form, place)
    return found


def _rack_facts(rack: RackType) -> Facts:
    values = {
        "uHeight": (None if rack.u_height is None else int(rack.u_height), "u_height"),
        "weightLimitKg": (rack.max_weight_kg, "max_weight"),
        "ownWeightKg": (rack.weight_kg, "weight"),
        "widthM": (None if rack.outer_width_mm is None else rack.outer_width_mm / 1000, "outer_width"),
        "depthM": (None if rack.outer_depth_mm is None else rack.outer_depth_mm / 1000, "outer_depth"),
    }
    return {fact: (value, rack.lines.get(key, rack.at)) for fact, (value, key) in values.items() if value is not None}


def _row(name: str, title: str, facts: Facts, section: str) -> str:
    lines = [f"  {name}:", f"    title: {quoted(title)}"]
    lines += [f"    {fact}: {_value(value)}" for fact, (value, _) in facts.items()]
    if facts:
        lines.append("    sources:")
        by_place: dict[str, list[str]] = {}
        for fact, (_, place) in facts.items():
            by_place.setdefault(place, []).append(fact)
        lines += [
            f"      {quoted('NetBox device type library: ' + place)}: [{', '.join(names)}]" for place, names in by_place.items()
        ]
    missing = sorted(_needed(section) - facts.keys())
    if missing:
        lines.append(f"    # still needed: {', '.join(missing)}")
    return "\n".join(lines)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        pairs: Iterator[str] = (f"{key}: {inner}" for key, inner in value.items())  # pyright: ignore[reportUnknownVariableType]
        return "{" + ", ".join(pairs) + "}"
    return scalar(value)


def _needed(section: str) -> set[str]:
    """Outside names of the facts that the catalogue can't do without."""
    noun = NOUNS.get(section)
    if noun is None:
        return set()
    return {str(field.alias) for name, field in noun.model_fields.items() if field.is_required() and name not in _NOT_FACTS}
