"""Device types and rack types as the device type library writes them (one YAML document each) -> nouns.

Nothing is mended here: a name that stands twice stays twice, what isn't stated stays unknown. Keys as in the library's schema
(netbox-community/devicetype-library, schema/devicetype.json and components.json).
"""

from collections.abc import Iterator

from railyard.model.netbox import Component, ComponentKind, DeviceType, RackType
from railyard.read.netbox.nodes import Map, Node, Scalar, Seq
from railyard.read.netbox.values import KG, MM, converted, flag, number
from railyard.read.text import Notebook, shown

LISTS: dict[str, ComponentKind] = {
    "console-ports": "console-port",
    "console-server-ports": "console-server-port",
    "power-ports": "power-port",
    "power-outlets": "power-outlet",
    "interfaces": "interface",
    "front-ports": "front-port",
    "rear-ports": "rear-port",
    "module-bays": "module-bay",
    "device-bays": "device-bay",
    "inventory-items": "inventory-item",
    "cooling-intakes": "cooling-intake",
    "cooling-outflows": "cooling-outflow",
}
KEYS = frozenset({
    "manufacturer", "model", "slug", "part_number", "u_height", "is_full_depth", "airflow", "weight", "weight_unit",
    "front_image", "rear_image", "subdevice_role", "comments", "description", "is_powered", "exclude_from_utilization",
    "default_platform", "cooling_method", "end_of_life", "tags", *LISTS,
})  # fmt: skip
RACK_KEYS = frozenset(
    {"outer_width", "outer_depth", "max_weight", "form_factor", "starting_unit", "desc_units", "mounting_depth"}
)


class Reader:
    """One file's types. `unread` are keys that nobody reads, as (place, key)."""

    def __init__(self, book: Notebook) -> None:
        self.book = book
        self.device_types: list[DeviceType] = []
        self.rack_types: list[RackType] = []
        self.unread: list[tuple[str, str]] = []

    def read(self, node: Node) -> None:
        """One document: a device type, or a rack type."""
        if not isinstance(node, Map):
            self._refuse(node, "a document that is no mapping", "keys like `manufacturer`, `model`, `slug`")
            return
        missing = [key for key in ("manufacturer", "model", "slug") if key not in node.entries]
        if missing and self.book.problems:
            return  # what could not be read may well be what is missing
        if missing:
            known = "manufacturer, model and slug of a device type"
            self._refuse(node, f"no {', '.join(f'`{key}`' for key in missing)}", known)
            return
        if RACK_KEYS & node.entries.keys():
            self.rack_types.append(self._rack_type(node))
        else:
            self.device_types.append(self._device_type(node))

    def _refuse(self, node: Node, found: str, limit: str) -> None:
        self.book.add(
            "READ-002", found, limit, "give files of the device type library, or NetBox's own export", node.line, node.column
        )

    def at(self, node: Node) -> str:
        """`file:line` of a node."""
        return f"{self.book.source}:{node.line}"

    def _device_type(self, node: Map) -> DeviceType:
        self._note_unread(node, KEYS)
        weight, unit = self._number(node, "weight"), self._text(node, "weight_unit")
        place = self._place(node, "weight")
        return DeviceType(
            manufacturer=self._text(node, "manufacturer"),
            model=self._text(node, "model"),
            slug=self._text(node, "slug"),
            part_number=self._text(node, "part_number") or None,
            u_height=self._number(node, "u_height"),
            full_depth=self._flag(node, "is_full_depth"),
            airflow=self._text(node, "airflow") or None,
            weight_kg=converted(weight, unit, KG, "weight", self.book, place),
            description=self._text(node, "description"),
            comments=self._text(node, "comments"),
            components=tuple(part for key, kind in LISTS.items() for part in self._components(node, key, kind)),
            weight_said="" if weight is None else f"{weight:g} {unit}",
            lines={key: self.at(entry[0]) for key, entry in node.entries.items()},
            at=self.at(node),
        )

    def _rack_type(self, node: Map) -> RackType:
        unit, kg = self._text(node, "outer_unit"), self._text(node, "weight_unit")

        def sized(key: str, units: dict[str, float], said: str) -> float | None:
            return converted(self._number(node, key), said, units, key, self.book, self._place(node, key))

        return RackType(
            manufacturer=self._text(node, "manufacturer"),
            model=self._text(node, "model"),
            slug=self._text(node, "slug"),
            u_height=self._number(node, "u_height"),
            outer_width_mm=sized("outer_width", MM, unit),
            outer_depth_mm=sized("outer_depth", MM, unit),
            weight_kg=sized("weight", KG, kg),
            max_weight_kg=sized("max_weight", KG, kg),
            lines={key: self.at(entry[0]) for key, entry in node.entries.items()},
            at=self.at(node),
        )

    def _components(self, node: Map, key: str, kind: ComponentKind) -> Iterator[Component]:
        value = node.get(key)
        if value is None or (isinstance(value, Scalar) and not value.text):
            return
        if not isinstance(value, Seq):
            self._refuse(value, f"`{key}` that is no list", "a list of mappings, each with a name")
            return
        for item in value.items:
            name = item.get("name") if isinstance(item, Map) else None
            if not isinstance(item, Map) or not isinstance(name, Scalar) or not name.text:
                self._refuse(item, f"a `{key}` without a name", "a mapping with `name`")
                continue
            yield self._component(item, name, kind)

    def _component(self, item: Map, name: Scalar, kind: ComponentKind) -> Component:
        return Component(
            kind=kind,
            name=name.text,
            type=self._text(item, "type") or None,
            label=self._text(item, "label"),
            description=self._text(item, "description"),
            position=self._text(item, "position"),
            maximum_draw_w=self._number(item, "maximum_draw"),
            allocated_draw_w=self._number(item, "allocated_draw"),
            power_port=self._text(item, "power_port") or None,
            feed_leg=self._text(item, "feed_leg") or None,
            mgmt_only=bool(self._flag(item, "mgmt_only")),
            plain=name.plain,
            at=self.at(name),
        )

    def _note_unread(self, node: Map, known: frozenset[str]) -> None:
        self.unread += [(self.at(entry[0]), key) for key, entry in node.entries.items() if key not in known]

    def _place(self, node: Map, key: str) -> tuple[int | None, int | None]:
        value = node.get(key) or node
        return value.line, value.column

    def _text(self, node: Map, key: str) -> str:
        value = node.get(key)
        if value is None:
            return ""
        if not isinstance(value, Scalar):
            self._refuse(value, f"`{key}` that is no text", "one value")
            return ""
        return "" if value.plain and value.text in ("null", "~") else value.text.strip()

    def _number(self, node: Map, key: str) -> float | None:
        return number(self._text(node, key), key, self.book, self._place(node, key))

    def _flag(self, node: Map, key: str) -> bool | None:
        return flag(self._text(node, key), key, self.book, self._place(node, key))


def types_of(nodes: list[Node], book: Notebook) -> Reader:
    """All types of a file's documents; what none of them is, is a problem."""
    reader = Reader(book)
    for node in nodes:
        for part in node.items if isinstance(node, Seq) else (node,):
            reader.read(part)
    if not nodes and not book.problems:
        book.add("READ-003", "no document", "a device type", f"check {shown(book.source)}: it may be cut off")
    return reader
