"""A plan in NetBox's words against what NetBox says: every difference with both values and the line."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from railyard.model.netbox import Component, Cord, DeviceType, End, NetBoxData
from railyard.rules.netbox import site_texts as texts
from railyard.rules.netbox.ports import Numbering, data_ports, numbering
from railyard.rules.registry import Finding, ordered

Key = Callable[[Any], Hashable]
TABLES: tuple[tuple[str, str, Key, tuple[str, ...]], ...] = (
    ("site", "sites", lambda one: one.name, ()),
    ("location", "locations", lambda one: (one.site, one.name), ()),
    ("rack", "racks", lambda one: one.name,
     ("site", "location", "facility_id", "u_height", "outer_width_mm", "outer_depth_mm", "max_weight_kg")),
    ("device", "devices", lambda one: one.name,
     ("rack", "position", "face", "device_type", "role", "site", "location", "serial")),
    ("power panel", "panels", lambda one: one.name, ("site",)),
    ("power feed", "feeds", lambda one: (one.panel, one.name),
     ("rack", "phase", "supply", "voltage", "amperage", "max_utilization", "type", "location")),
)  # fmt: skip
"""(word, field of NetBoxData, key, what is compared) of each table."""
LOST = ("offline", "failed", "decommissioning", "inventory")
"""Statuses of what can't be counted on."""
_SHOWN = 5
_COUNTED = re.compile(r"(?:swp)?(?P<number>\d{1,4})", re.ASCII)
_MANY = 20
"""Missing rows of one kind that are named one by one; more are one finding."""


def twins(data: NetBoxData) -> tuple[NetBoxData, list[Finding]]:
    """The data with each object once (CSV and YAML of a folder say the same), and a finding where two rows of one differ."""
    found: list[Finding] = []
    changes: dict[str, Any] = {}
    keys: dict[str, Key] = {name: key for _, name, key, _ in TABLES}
    keys |= {
        "manufacturers": lambda one: one.name,
        "roles": lambda one: one.name,
        "device_types": lambda one: (one.manufacturer, one.model),
        "reservations": lambda one: (one.rack, one.units),
        "cables": lambda one: frozenset((one.a, one.z)),
        "components": lambda one: (one.device, one.kind, one.name),
    }
    for name, key in keys.items():
        kept: dict[Hashable, Any] = {}
        extra: list[Any] = []
        for noun in getattr(data, name):
            first = kept.setdefault(key(noun), noun)
            if first is noun:
                continue
            if _file(first) == _file(noun):
                extra.append(noun)  # twice in one file is no twin: NETBOX-022 or -023 tell of it
            else:
                found += _differ(first, noun)
        changes[name] = (*kept.values(), *extra)
    return msgspec.structs.replace(data, **changes), found


def _file(noun: Any) -> str:
    return noun.at.rpartition(":")[0]


def _differ(first: Any, second: Any) -> Iterator[Finding]:
    for field in first.__struct_fields__:
        one, two = getattr(first, field), getattr(second, field)
        if field not in ("at", "lines", "plain", "components", "weight_said") and not _same(one, two):
            what = getattr(first, "name", None) or getattr(first, "label", None) or getattr(first, "rack", "")
            found = f"{field} {_said(two)} ({second.at})"
            yield texts.NETBOX_033.finding(f"{what} ({first.at})", found, f"{field} {_said(one)} ({first.at})")


def differences(wanted: NetBoxData, there: NetBoxData) -> list[Finding]:
    """What NetBox (`there`, without twins) has otherwise than the plan (`wanted`)."""
    found: list[Finding] = []
    own = _of_site(wanted, there)
    if not (own.racks or own.devices) and (there.racks or there.devices):
        sites = sorted({one.site for one in (*there.racks, *there.devices)})
        said = f"racks and devices of {', '.join(f'`{site}`' for site in sites[:_SHOWN])} only"
        limit = f"those of `{wanted.sites[0].name}`" if wanted.sites else "those of the plan's site"
        return [texts.NETBOX_030.finding("site", said, limit, "check stack and folder: names of sites must be equal")]
    there = own
    for word, name, key, fields in TABLES:
        found += _table(word, getattr(wanted, name), getattr(there, name), key, fields)
    found += [*_lost(wanted, there), *_reserved(wanted, there), *_types(wanted, there), *_cables(wanted, there)]
    return ordered(found)


def _of_site(wanted: NetBoxData, there: NetBoxData) -> NetBoxData:
    """What of a NetBox with several sites is the plan's: rows of its site (or without one), and cables that touch them."""
    sites = {site.name for site in wanted.sites}
    tables = ("locations", "racks", "reservations", "devices", "panels", "feeds")
    kept = {name: tuple(one for one in getattr(there, name) if not one.site or one.site in sites) for name in tables}
    kept["sites"] = tuple(one for one in there.sites if one.name in sites)
    others = {one.name for one in (*there.devices, *there.panels) if one.site and one.site not in sites}
    others -= {one.name for one in (*kept["devices"], *kept["panels"], *wanted.devices, *wanted.panels)}
    cables = tuple(cord for cord in there.cables if not (cord.a.parent in others and cord.z.parent in others))
    return msgspec.structs.replace(there, **kept, cables=cables)


def _table(word: str, wanted: Iterable[Any], there: Iterable[Any], key: Key, fields: tuple[str, ...]) -> Iterator[Finding]:
    want, have = {key(one): one for one in wanted}, {key(one): one for one in there}
    if want and not have:
        yield texts.NETBOX_030.finding(f"{word}s", f"no table of {word}s", f"{len(want)} {word}s", "export it, too")
        return
    missing = [_name(one) for known, one in want.items() if known not in have]
    yield from _missing(word, missing)
    for known, one in have.items():
        if known not in want:
            yield texts.NETBOX_031.finding(
                f"{_name(one)} ({one.at})", f"a {word} that isn't planned", f"{len(want)} planned ones"
            )
            continue
        for field in fields:
            said, planned = getattr(one, field), getattr(want[known], field)
            if not _same(said, planned):
                where = f"{_name(one)} ({one.at})"
                yield texts.NETBOX_032.finding(where, f"{field} {_said(said)}", f"{field} {_said(planned)}")


def _missing(word: str, names: list[str]) -> Iterator[Finding]:
    if len(names) > _MANY:
        shown = ", ".join(names[:_SHOWN])
        yield texts.NETBOX_030.finding(f"{word}s", f"{len(names)} aren't there: {shown} …", "each planned one")
        return
    for name in names:
        yield texts.NETBOX_030.finding(name, f"no such {word}", "the planned one")


def _name(one: Any) -> str:
    panel = getattr(one, "panel", None)
    return f"{panel}/{one.name}" if panel else one.name or "a device without a name"


def _same(one: object, two: object) -> bool:
    """Equal; numbers within a thousandth; an empty cell is an unknown one."""
    if isinstance(one, float | int) and isinstance(two, float | int):
        return abs(one - two) < 0.001
    return (one or None) == (two or None)


def _said(value: object) -> str:
    if value is None or value == "":
        return "empty"
    return f"{value:g}" if isinstance(value, float) else f"`{value}`" if isinstance(value, str) else str(value)


def _lost(wanted: NetBoxData, there: NetBoxData) -> Iterator[Finding]:
    """Devices that the plan counts on and NetBox doesn't."""
    planned = {device.name for device in wanted.devices}
    for device in there.devices:
        if device.name in planned and device.status in LOST:
            yield texts.NETBOX_032.finding(f"{device.name} ({device.at})", f"status `{device.status}`", "a device that works")


def _reserved(wanted: NetBoxData, there: NetBoxData) -> Iterator[Finding]:
    """U that the plan keeps free, by rack."""
    have = {(held.rack, unit) for held in there.reservations for unit in held.units}
    if not have:
        if wanted.reservations:
            yield texts.NETBOX_030.finding("reservations", "no table of reservations", f"{len(wanted.reservations)} of them")
        return
    short = {
        held.rack: [unit for unit in held.units if (held.rack, unit) not in have]
        for held in wanted.reservations
        if any((held.rack, unit) not in have for unit in held.units)
    }
    for rack, units in short.items():
        yield texts.NETBOX_030.finding(rack, f"U {', '.join(map(str, units))} not reserved", "reserved by the plan")


def _types(wanted: NetBoxData, there: NetBoxData) -> Iterator[Finding]:
    """Device types that the plan needs: height, weight, supplies and ports. A type that isn't in the folder is NetBox's own."""
    have = {kind.model: kind for kind in there.device_types}
    used = {device.device_type for device in there.devices}
    if not have:
        return
    for kind in wanted.device_types:
        found = have.get(kind.model)
        if found is None:
            if kind.model in used:
                yield texts.NETBOX_030.finding(kind.model, "no such device type", "the planned one")
            continue
        for field in ("u_height", "weight_kg", "full_depth", "airflow"):
            one, two = getattr(found, field), getattr(kind, field)
            if two is not None and not _same(one, two):
                where = f"{kind.slug} ({found.place(field)})"
                yield texts.NETBOX_032.finding(where, f"{field} {_said(one)}", f"{field} {_said(two)}")
        yield from _components(kind, found)


def _components(wanted: DeviceType, there: DeviceType) -> Iterator[Finding]:
    have = {(part.kind, part.name): part for part in there.components}
    lost = [part for part in wanted.components if (part.kind, part.name) not in have]
    if lost:
        names = ", ".join(f"`{part.name}`" for part in lost[:_SHOWN])
        found = f"without {len(lost)} of {len(wanted.components)} components: {names}"
        yield texts.NETBOX_030.finding(f"{wanted.slug} ({there.at})", found, "all that the plan's cables end in")
    for part in wanted.components:
        known = have.get((part.kind, part.name))
        for field in ("type", "maximum_draw_w", "allocated_draw_w", "power_port", "feed_leg"):
            planned = getattr(part, field)
            if known is not None and planned is not None and not _same(getattr(known, field), planned):
                where = f"{wanted.slug} {part.name} ({known.at})"
                yield texts.NETBOX_032.finding(where, f"{field} {_said(getattr(known, field))}", f"{field} {_said(planned)}")


def _cables(wanted: NetBoxData, there: NetBoxData) -> Iterator[Finding]:
    """Cables by their two ends. Ports that a type numbers otherwise (`P0.0`), or counts (`swp33`), are ours first."""
    if wanted.cables and not there.cables:
        yield texts.NETBOX_030.finding("cables", "no table of cables", f"{len(wanted.cables)} cables")
        return
    shapes, planned = _shapes(there), {end for cord in wanted.cables for end in (cord.a, cord.z)}
    ports = _ports_of(wanted)
    want = {frozenset((cord.a, cord.z)): cord for cord in wanted.cables}
    have: dict[frozenset[End], Cord] = {}
    for cord in there.cables:
        have.setdefault(frozenset(_ours(end, shapes, planned, ports) for end in (cord.a, cord.z)), cord)
    moved = {end: cord for ends, cord in have.items() if ends not in want for end in ends}
    missing: list[str] = []
    for ends, cord in want.items():
        if ends in have:
            label = _today(have[ends].label, shapes, planned, ports)
            yield from _same_cable(cord, msgspec.structs.replace(have[ends], label=label))
        elif other := next((moved[end] for end in (cord.a, cord.z) if end in moved), None):
            found, limit = f"{other.a} to {other.z}", f"{cord.a} to {cord.z}"
            yield texts.NETBOX_032.finding(f"cable {cord.label} ({other.at})", found, limit)
        else:
            missing.append(f"{cord.label}: {cord.a} to {cord.z}")
    yield from _missing("cable", missing)
    touched = {end for ends in want if ends not in have for end in ends}
    for ends, cord in have.items():
        if ends not in want and not ends & touched:
            where = f"cable {cord.label or cord.a} ({cord.at})"
            yield texts.NETBOX_031.finding(where, f"{cord.a} to {cord.z}", "no cable is planned there")


def _same_cable(wanted: Cord, there: Cord) -> Iterator[Finding]:
    for field in ("type", "label", "length_m"):
        one, two = getattr(there, field), getattr(wanted, field)
        if two not in (None, "") and not _same(one, two):
            where = f"cable {wanted.label} ({there.at})"
            yield texts.NETBOX_032.finding(where, f"{field} {_said(one)}", f"{field} {_said(two)}")


def _shapes(data: NetBoxData) -> dict[str, Numbering]:
    """Numbering of each device's ports, where its type numbers cages and parts of them (`P0.0` on a QM9700 counts from 0)."""
    by_type: dict[str, Numbering | None] = {}
    for kind in data.device_types:
        listed: list[Component] = data_ports(kind.of("interface"))
        found = numbering(part.name for part in listed)
        by_type[kind.model] = found if found and found.mark else None
    shapes = {device.name: by_type.get(device.device_type) for device in data.devices}
    return {name: shape for name, shape in shapes.items() if shape is not None}


def _ports_of(wanted: NetBoxData) -> dict[str, tuple[str, ...]]:
    """Names of the numbered ports of each planned switch, in the order of their numbers: those that have a label."""
    by_type = {kind.model: tuple(part.name for part in kind.of("interface") if part.label) for kind in wanted.device_types}
    return {device.name: by_type.get(device.device_type, ()) for device in wanted.devices}


def _today(label: str, shapes: Mapping[str, Numbering], planned: set[End], ports: Mapping[str, tuple[str, ...]]) -> str:
    """A cable's label, which is its lower end, with the plan's name of the port."""
    device, mark, port = label.partition(":")
    return f"{device}:{_ours(End('interface', device, port), shapes, planned, ports).name}" if mark else label


def _ours(end: End, shapes: Mapping[str, Numbering], planned: set[End], ports: Mapping[str, tuple[str, ...]]) -> End:
    """An end under the plan's name of its port."""
    if end in planned or end.kind != "interface":
        return end
    shape, counted = shapes.get(end.parent), _COUNTED.fullmatch(end.name)
    number = (shape.number(end.name) if shape else None) or (int(counted["number"]) if counted else 0)
    listed = ports.get(end.parent, ())
    mapped = End(end.kind, end.parent, listed[number - 1]) if 1 <= number <= len(listed) else end
    return mapped if mapped in planned else end
