"""NetBox's tables against themselves: references, places, names, ends. Rows keep their lines in every finding."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from railyard.model.netbox import Device, DeviceType, End, NetBoxData
from railyard.rules.netbox import site_texts as texts
from railyard.rules.netbox.power import check_feeds, check_loads
from railyard.rules.registry import Finding

LONGEST = {"device": 64}
OTHERS_LONGEST = 100
_SHOWN = 4


def check_site_tables(data: NetBoxData, limit_percent: float = 100.0) -> list[Finding]:
    """Everything that a folder's tables contradict in each other. The data are without twins (see `twins`)."""
    return [
        *_references(data), *_places(data), *_names(data), *_ends(data), *check_feeds(data), *check_loads(data, limit_percent),
    ]  # fmt: skip


def _references(data: NetBoxData) -> Iterator[Finding]:
    """NETBOX-020. A table that isn't there at all refers nobody to anything."""
    racks, sites = {rack.name for rack in data.racks}, {one.name for one in data.sites}
    types, panels = {kind.model for kind in data.device_types}, {panel.name for panel in data.panels}
    roles = {one.name for one in data.roles} | {one.slug for one in data.roles}
    for device in data.devices:
        where = f"{device.name or 'a device without a name'} ({device.at})"
        yield from _known(where, "rack", device.rack, racks)
        yield from _known(where, "device_type", device.device_type, types)
        yield from _known(where, "role", device.role, roles)
        yield from _known(where, "site", device.site, sites)
    for feed in data.feeds:
        where = f"{feed.panel}/{feed.name} ({feed.at})"
        yield from _known(where, "power_panel", feed.panel, panels)
        yield from _known(where, "rack", feed.rack, racks)
    for rack in data.racks:
        yield from _known(f"{rack.name} ({rack.at})", "site", rack.site, sites)
    for held in data.reservations:
        yield from _known(f"reservation ({held.at})", "rack", held.rack, racks)
    yield from _dangling(data)


def _known(where: str, key: str, name: str, known: set[str]) -> Iterator[Finding]:
    if name and known and name not in known:
        yield texts.NETBOX_020.finding(where, f"{key} `{name}`", f"one of {len(known)} in the {key}s' table")


def _dangling(data: NetBoxData) -> Iterator[Finding]:
    """Cables whose device isn't in the table of devices, or has a type without that port."""
    devices = {device.name: device for device in data.devices}
    feeds = {(feed.panel, feed.name) for feed in data.feeds}
    names = _port_names(data)
    for cord in data.cables:
        for end in (cord.a, cord.z):
            where = f"cable {cord.label or str(cord.a)} ({cord.at})"
            if end.kind == "power-feed":
                if feeds and (end.parent, end.name) not in feeds:
                    yield texts.NETBOX_020.finding(where, f"power feed `{end}`", f"one of {len(feeds)} feeds of the table")
            elif devices and end.parent not in devices:
                yield texts.NETBOX_020.finding(where, f"device `{end.parent}`", f"one of {len(devices)} devices of the table")
            elif end.kind != "other" and end.parent in names and (end.kind, end.name) not in names[end.parent]:
                kind = devices[end.parent].device_type
                yield texts.NETBOX_020.finding(where, f"{end.kind} `{end}`", f"a component of `{kind}`")


def _port_names(data: NetBoxData) -> dict[str, set[tuple[str, str]]]:
    """(kind, name) of the components of each device whose type, or whose own rows, the files have."""
    types = {kind.model: {(part.kind, part.name) for part in kind.components} for kind in data.device_types}
    found = {device.name: set(types[device.device_type]) for device in data.devices if device.device_type in types}
    for part in data.components:
        found.setdefault(part.device, set()).add((part.kind, part.name))
    return found


def _places(data: NetBoxData) -> Iterator[Finding]:
    """NETBOX-021."""
    types = {kind.model: kind for kind in data.device_types}
    heights = {rack.name: rack.u_height for rack in data.racks}
    reserved = {(held.rack, unit): held for held in data.reservations for unit in held.units}
    taken: dict[tuple[str, int, str], Device] = {}
    for device in sorted(data.devices, key=lambda one: (one.rack, one.position or 0, one.name)):
        if device.position is None or not device.rack:
            continue
        where, u = f"{device.name} ({device.at})", device.position
        if u < 1 or not float(u).is_integer():
            yield texts.NETBOX_021.finding(where, f"U {u:g} of {device.rack}", "a whole U from 1")
            continue
        height = _height(types.get(device.device_type))
        top = heights.get(device.rack)
        if top is not None and u + height - 1 > top:
            yield texts.NETBOX_021.finding(where, f"U {u:g} to {u + height - 1:g} of {device.rack}", f"at most U {top:g}")
        yield from _free(device, range(int(u), int(u) + height), types, taken, reserved)


def _height(kind: DeviceType | None) -> int:
    """U that a device of a type takes: at least one, where nobody says more."""
    return max(1, int(-(-(kind.u_height or 1) // 1))) if kind else 1


def _free(
    device: Device,
    units: range,
    types: dict[str, DeviceType],
    taken: dict[tuple[str, int, str], Device],
    reserved: dict[Any, Any],
) -> Iterator[Finding]:
    """U that somebody else has. A device that isn't full depth leaves the other face free."""
    kind, where = types.get(device.device_type), f"{device.name} ({device.at})"
    faces = ("front", "rear") if kind is None or kind.full_depth is not False else (device.face or "front",)
    others = {taken[spot].name: taken[spot] for unit in units for face in faces if (spot := (device.rack, unit, face)) in taken}
    for other in others.values():
        yield texts.NETBOX_021.finding(
            where, f"U {units[0]} to {units[-1]} of {device.rack}", f"free of {other.name} ({other.at})"
        )
    held = next((reserved[device.rack, unit] for unit in units if (device.rack, unit) in reserved), None)
    if held is not None:
        said = f"U {units[0]} to {units[-1]} of {device.rack}"
        yield texts.NETBOX_021.finding(where, said, f"not reserved ({held.description or 'no reason given'}, {held.at})")
    for unit in units:
        for face in faces:
            taken.setdefault((device.rack, unit, face), device)


def _names(data: NetBoxData) -> Iterator[Finding]:
    """NETBOX-022: twice in the scope that NetBox keeps them unique in, or too long."""
    yield from _unique("site", data.sites, lambda one: one.name.lower())
    yield from _unique("rack", data.racks, lambda one: (one.site, one.location, one.name))
    yield from _unique("device", data.devices, lambda one: (one.site, one.name.lower()) if one.name else None)
    yield from _unique("power panel", data.panels, lambda one: (one.site, one.name))
    yield from _unique("power feed", data.feeds, lambda one: (one.panel, one.name))
    yield from _unique("device type", data.device_types, lambda one: (one.manufacturer, one.model))
    yield from _unique("slug of a device type", data.device_types, lambda one: one.slug or None)


def _unique(what: str, nouns: Iterable[Any], key: Callable[[Any], Hashable | None]) -> Iterator[Finding]:
    groups: defaultdict[Hashable, list[Any]] = defaultdict(list)
    most = LONGEST.get(what, OTHERS_LONGEST)
    for noun in nouns:
        known = key(noun)
        if known is not None:
            groups[known].append(noun)
        name = getattr(noun, "name", None) or getattr(noun, "slug", "")
        if len(name) > most:
            yield texts.NETBOX_022.finding(
                f"{name[:30]}… ({noun.at})", f"a {what} of {len(name)} characters", f"{most} characters"
            )
    for same in groups.values():
        if len(same) > 1:
            first = getattr(same[0], "name", None) or same[0].slug
            lines = ", ".join(noun.at for noun in same[:_SHOWN])
            yield texts.NETBOX_022.finding(f"{first} ({same[0].at})", f"{what} `{first}` {len(same)} times: {lines}", "once")


def _ends(data: NetBoxData) -> Iterator[Finding]:
    """NETBOX-023."""
    seen: dict[End, str] = {}
    for cord in data.cables:
        if cord.status == "decommissioning":
            continue
        for end in (cord.a, cord.z):
            if end in seen and seen[end] != cord.at:
                where = f"{end} ({cord.at})"
                yield texts.NETBOX_023.finding(where, f"a second cable, `{cord.label}`", f"one cable ({seen[end]})")
            seen.setdefault(end, cord.at)
        if cord.a == cord.z:
            yield texts.NETBOX_023.finding(f"{cord.a} ({cord.at})", "a cable from a port to itself", "two ports")
