"""Weight and room of one rack: what stands in it, how deep that is, what its feet rest on."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from railyard.model.floor import RackFloor
from railyard.model.plan import RackDevice, RackPlan
from railyard.plan.names import listed
from railyard.rules.racks_texts import RACK_001, RACK_002, RACK_003, RACK_004, RACK_005, RACK_006, RACK_007, RACK_008
from railyard.rules.registry import Finding, Predicate, Rule, exceeds
from railyard.rules.thresholds import Thresholds

NAMED = 8
"""Devices in the same place that a finding names before it counts the rest."""
_INSIDE = "in the frame (itself not counted)"
"""What RACK-001 weighs: a frame's limit is for what stands in it. RACK-006 and 007 are about the floor and count the frame."""
MANY_CABLES = 8
"""Training cables of one node from which on they need the room of `cableSpaceMMin`: a node with eight rails."""


def _weight(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """RACK-001. What is known may already be too much; else an unknown weight leaves the rule undecided.

    What stands in no device row (strips, frame) has an upper bound: it matters only where the bound goes over the limit.
    """
    unknown = Counter(device.model for device in rack.devices if device.weight_kg is None)
    floor = rack.floor
    kg = rack.weight_kg + (floor.cables_kg + floor.fluid_kg + floor.door_kg if floor else 0.0)
    if rack.weight_limit_kg is None:
        fix = "state railyard:facility.weightLimitKg, or weightLimitKg of the rack model in railyard/catalog/racks.yaml"
        yield RACK_001.undecided(where, f"{kg:.1f} kg {_INSIDE}", "none is stated", fix)
        return
    limit = rack.weight_limit_kg * limits.weight_percent_max / 100
    if exceeds(kg, limit):
        without = f" without {_counted(unknown)}" if unknown else ""
        yield RACK_001.finding(where, f"{kg:.1f} kg {_INSIDE}{without}", f"{limit:.1f} kg")
    elif unknown:
        found = f"{kg:.1f} kg {_INSIDE} without {_counted(unknown)}, whose weight is unknown"
        fix = f"enter weightKg of {', '.join(sorted(unknown))} in railyard/catalog"
        yield RACK_001.undecided(where, found, f"{limit:.1f} kg", fix)
    elif exceeds(kg + rack.unweighed_max_kg, limit):
        names = ", ".join(rack.unweighed)
        found = f"{kg:.1f} kg {_INSIDE} without {names}, unknown but up to {rack.unweighed_max_kg:.1f} kg"
        yield RACK_001.undecided(where, found, f"{limit:.1f} kg", f"enter the weight of {names} in railyard/catalog")


def _counted(models: Counter[str]) -> str:
    """Racks that are alike say the same of their devices, so that they are one finding."""
    return ", ".join(f"{count} x {model}" for model, count in sorted(models.items()))


def _overlap(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """RACK-002, once for all devices that share the same U: a rack of a hall that is far too small has hundreds of them."""
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for index, device in enumerate(rack.devices):
        for u in _filled(device):
            holders[u].append(index)
    shared: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for u in sorted(holders):
        if len(holders[u]) > 1:
            shared[tuple(holders[u])].append(u)
    for indexes, us in shared.items():
        names = [f"{rack.devices[index].name} ({_span(rack.devices[index])})" for index in indexes]
        found = " and ".join(names) if len(names) == 2 else listed(names, NAMED)
        yield RACK_002.finding(f"{where}/U{us[0]}", f"{found} share {_units(us)}", "one device for each U")


def _position(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """RACK-003, once for each device that stands where nothing may."""
    allowed = set(range(1, rack.u_height + 1))
    for device in rack.devices:
        filled = set(_filled(device))
        outside = sorted(filled - allowed)
        reserved = sorted(filled & set(rack.reserved_u))
        if outside:
            found = f"{device.name} ({_span(device)}) is outside the rack at {_units(outside)}"
            yield RACK_003.finding(f"{where}/{device.name}", found, f"U1 to U{rack.u_height}")
        if reserved:
            found = f"{device.name} ({_span(device)}) stands on reserved {_units(reserved)}"
            yield RACK_003.finding(f"{where}/{device.name}", found, f"not on {_units(sorted(rack.reserved_u))}")


def _depth(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """RACK-004, for each model: what is left behind it, against the room that its cables and cords need."""
    floor = rack.floor
    for row in floor.depths if floor else ():
        usable = floor.usable_depth_m if floor else None
        need = limits.cable_space_m_min if row.cables >= MANY_CABLES else limits.rear_space_m_min
        limit = f"{_mm(need)} behind it for {f'{row.cables} training cables' if row.cables else 'cords and cables'}"
        if usable is None or row.depth_m is None:
            missing = f"depthM of {row.model}" if usable is not None else "depthM of the rack model"
            yield RACK_004.undecided(
                f"{where}/{row.model}", f"{missing} is unknown", limit, f"enter {missing} in railyard/catalog"
            )
        elif exceeds(need, usable - row.depth_m):
            found = (
                f"{row.model} is {_mm(row.depth_m)} deep and leaves {_mm(usable - row.depth_m)} of {_mm(usable)} usable depth"
            )
            fix = f"a rack with {_mm(row.depth_m + need)} from the front rails to the rear door (facility.rackModel)"
            yield RACK_004.finding(f"{where}/{row.model}", found, limit, fix)


def _reserved(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """RACK-005. A reserved U that the rack doesn't have protects nothing."""
    above = sorted(u for u in rack.reserved_u if u > rack.u_height)
    if above:
        yield RACK_005.finding(where, f"reserved {_units(above)} in a rack of {rack.u_height} U", f"U1 to U{rack.u_height}")


def _point(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """RACK-006, where the floor's rating is stated."""
    floor = rack.floor
    if floor is None or floor.point_limit_kg is None:
        return
    limit = floor.point_limit_kg * limits.point_percent_max / 100
    feet = floor.feet_per_tile
    if floor.foot_kg is None or floor.feet is None:
        fix = "enter feet of the rack model in railyard/catalog/racks.yaml"
        yield RACK_006.undecided(where, "nobody knows on how many feet the rack stands", f"{limit:.1f} kg", fix)
        return
    load = _Load(
        "on one tile", floor.foot_kg * feet, feet / floor.feet, f"{feet} feet of {floor.foot_kg:.1f} kg{_framed(floor)}"
    )
    yield from _borne(RACK_006, where, load, limit, "kg", floor)


def _uniform(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """RACK-007, where the floor's rating is stated."""
    floor = rack.floor
    if floor is None or floor.uniform_limit_kg_per_m2 is None:
        return
    limit = floor.uniform_limit_kg_per_m2 * limits.uniform_percent_max / 100
    share = floor.kg_per_m2 / floor.mass_kg if floor.mass_kg else 0.0
    load = _Load(
        "over footprint and half of both aisles", floor.kg_per_m2, share, f"a rack of {floor.mass_kg:.1f} kg{_framed(floor)}"
    )
    yield from _borne(RACK_007, where, load, limit, "kg/m2", floor)


def _strips(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """RACK-008."""
    floor = rack.floor
    if floor is None or floor.strips < 1:
        return
    found = f"{floor.strips} vertical strips"
    if floor.strip_places is None:
        fix = "state railyard:facility.stripPlaces, or stripPlaces of the rack model in railyard/catalog/racks.yaml"
        yield RACK_008.undecided(where, found, "nobody knows how many a rack has room for", fix)
    elif floor.strips > floor.strip_places:
        how = " (assumed: two on each side)" if floor.strip_places_assumed else ""
        yield RACK_008.finding(where, found, f"{floor.strip_places} places at the rear of a rack{how}")


def _framed(floor: RackFloor) -> str:
    """A frame of unknown weight is named with what else is unknown."""
    return "" if floor.frame_kg is None else ", frame included"


class _Load:
    """A load on the floor: what it is, how much, how much of it each kilogram more in the rack adds."""

    def __init__(self, where: str, load: float, per_kg: float, what: str) -> None:
        self.where, self.load, self.per_kg, self.what = where, load, per_kg, what


def _borne(rule: Rule, where: str, load: _Load, limit: float, unit: str, floor: RackFloor) -> Iterator[Finding]:
    """Over the limit with what is known; or undecided where what is unknown may take it there."""
    text = f"{load.load:.1f} {unit} {load.where} ({load.what})"
    names = ", ".join(floor.unknown)
    if exceeds(load.load, limit):
        yield rule.finding(where, f"{text}{', without ' + names if names else ''}", f"{limit:.1f} {unit}")
    elif floor.unknown_max_kg is None:
        found = f"{text} without {names}, whose weight is unknown"
        yield rule.undecided(where, found, f"{limit:.1f} {unit}", f"enter weightKg of {names} in railyard/catalog")
    elif exceeds(load.load + floor.unknown_max_kg * load.per_kg, limit):
        found = f"{text} without {names}, unknown but up to {floor.unknown_max_kg:.1f} kg"
        yield rule.undecided(where, found, f"{limit:.1f} {unit}", f"enter the weight of {names} in railyard/catalog")


def _filled(device: RackDevice) -> range:
    return range(device.u, device.u + device.u_height)


def _span(device: RackDevice) -> str:
    return f"U{device.u}-U{device.u + device.u_height - 1}"


def _units(numbers: list[int]) -> str:
    return ", ".join(f"U{number}" for number in numbers)


def _mm(metres: float) -> str:
    return f"{metres * 1000:.0f} mm"


RACK_ROOM_PREDICATES: tuple[Predicate[RackPlan], ...] = (
    Predicate(
        (RACK_001,), frozenset({"devices", "weight_kg", "weight_limit_kg", "unweighed", "unweighed_max_kg", "floor"}), _weight
    ),
    Predicate((RACK_002,), frozenset({"devices"}), _overlap),
    Predicate((RACK_003,), frozenset({"devices", "u_height", "reserved_u"}), _position),
    Predicate((RACK_004,), frozenset({"floor"}), _depth),
    Predicate((RACK_005,), frozenset({"u_height", "reserved_u"}), _reserved),
    Predicate((RACK_006,), frozenset({"floor"}), _point),
    Predicate((RACK_007,), frozenset({"floor"}), _uniform),
    Predicate((RACK_008,), frozenset({"floor"}), _strips),
)
