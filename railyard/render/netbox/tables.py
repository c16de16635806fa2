"""NetBox's nouns -> rows of bulk import: values by column, texts as NetBox spells them."""

from collections.abc import Callable, Iterator
from typing import Any

from railyard.model.netbox import (
    Component,
    Cord,
    Device,
    DeviceType,
    EndKind,
    Feed,
    Group,
    NetBoxData,
    Panel,
    Rack,
    Reservation,
)
from railyard.render.netbox.yaml_text import Value

CONTENT_TYPES: dict[EndKind, str] = {
    "interface": "dcim.interface",
    "power-port": "dcim.powerport",
    "power-outlet": "dcim.poweroutlet",
    "power-feed": "dcim.powerfeed",
    "other": "",
}
WIDTH_IN = 19
"""Rail to rail, in inches: all racks of the catalogue are 19-inch racks."""
Row = dict[str, Value]


def whole(value: float | None) -> Value:
    """A number as NetBox's whole-number columns take it; what isn't whole stays as it is, and a rule names it."""
    return int(value) if value is not None and float(value).is_integer() else value


def group(noun: Group) -> Row:
    """A site, location, manufacturer or role."""
    return {"site": noun.site, "name": noun.name, "slug": noun.slug, "status": noun.status, "color": noun.color}


def rack(noun: Rack) -> Row:
    """A rack."""
    sized = noun.outer_width_mm is not None or noun.outer_depth_mm is not None
    return {
        "site": noun.site, "location": noun.location, "name": noun.name, "facility_id": noun.facility_id,
        "status": noun.status, "width": WIDTH_IN, "u_height": whole(noun.u_height),
        "outer_width": whole(noun.outer_width_mm), "outer_depth": whole(noun.outer_depth_mm),
        "outer_unit": "mm" if sized else None, "max_weight": whole(noun.max_weight_kg),
        "weight_unit": None if noun.max_weight_kg is None else "kg", "description": noun.description,
    }  # fmt: skip


def reservation(noun: Reservation) -> Row:
    """U that are kept free."""
    units = ",".join(str(unit) for unit in noun.units)
    return {
        "site": noun.site, "location": noun.location, "rack": noun.rack, "units": units, "status": "active",
        "description": noun.description,
    }  # fmt: skip


def device(noun: Device) -> Row:
    """A device."""
    return {
        "name": noun.name, "role": noun.role, "manufacturer": noun.manufacturer, "device_type": noun.device_type,
        "serial": noun.serial, "status": noun.status, "site": noun.site, "location": noun.location, "rack": noun.rack,
        "position": whole(noun.position), "face": noun.face, "description": noun.description,
    }  # fmt: skip


def panel(noun: Panel) -> Row:
    """A power panel."""
    return {"site": noun.site, "name": noun.name, "description": noun.description}


def feed(noun: Feed) -> Row:
    """A power feed."""
    return {
        "site": noun.site, "power_panel": noun.panel, "location": noun.location, "rack": noun.rack, "name": noun.name,
        "status": noun.status, "type": noun.type, "supply": noun.supply, "phase": noun.phase, "voltage": whole(noun.voltage),
        "amperage": whole(noun.amperage), "max_utilization": whole(noun.max_utilization), "description": noun.description,
    }  # fmt: skip


def cable(noun: Cord) -> Row:
    """A cable."""
    fed = noun.a.kind == "power-feed"
    return {
        "side_a_device": "" if fed else noun.a.parent, "side_a_power_panel": noun.a.parent if fed else "",
        "side_a_type": CONTENT_TYPES[noun.a.kind], "side_a_name": noun.a.name,
        "side_b_device": noun.z.parent, "side_b_type": CONTENT_TYPES[noun.z.kind], "side_b_name": noun.z.name,
        "type": noun.type, "status": noun.status, "label": noun.label, "color": noun.color, "length": noun.length_m,
        "length_unit": None if noun.length_m is None else "m", "description": noun.description,
    }  # fmt: skip


def component(noun: Component) -> Row:
    """A component of a device, or of a type (then without `device`)."""
    return {
        "device": noun.device, "name": noun.name, "label": noun.label, "type": noun.type,
        "maximum_draw": whole(noun.maximum_draw_w), "allocated_draw": whole(noun.allocated_draw_w),
        "power_port": noun.power_port, "feed_leg": noun.feed_leg, "mgmt_only": noun.mgmt_only or None,
        "description": noun.description,
    }  # fmt: skip


def device_type(noun: DeviceType) -> Row:
    """A device type without its components."""
    return {
        "manufacturer": noun.manufacturer, "model": noun.model, "slug": noun.slug, "part_number": noun.part_number,
        "u_height": whole(noun.u_height), "is_full_depth": noun.full_depth, "airflow": noun.airflow,
        "weight": noun.weight_kg, "weight_unit": None if noun.weight_kg is None else "kg",
        "description": noun.description or None, "comments": noun.comments or None,
    }  # fmt: skip


def in_order(data: NetBoxData) -> Iterator[tuple[str, list[Row]]]:
    """(name, rows) of each table in the order in which NetBox must get them; device types come after the manufacturers."""
    power = [cord for cord in data.cables if cord.a.kind != "interface"]
    wires = [cord for cord in data.cables if cord.a.kind == "interface"]
    makers: list[tuple[str, tuple[Any, ...] | list[Any], Callable[[Any], Row]]] = [
        ("device-roles", data.roles, group),
        ("sites", data.sites, group),
        ("locations", data.locations, group),
        ("racks", data.racks, rack),
        ("rack-reservations", data.reservations, reservation),
        ("devices", data.devices, device),
        ("power-panels", data.panels, panel),
        ("power-feeds", data.feeds, feed),
        ("power-cables", power, cable),
        ("cables", wires, cable),
    ]
    for name, nouns, make in makers:
        yield name, [make(noun) for noun in nouns]
