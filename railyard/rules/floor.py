"""The hall's ground: whether racks stand on it, get onto it, and what one rack's loss takes along."""

from collections.abc import Iterator
from math import ceil

from railyard.model.floor import FloorSummary, RouteStep
from railyard.plan.names import listed
from railyard.rules.floor_texts import (
    RACK_009,
    RACK_010,
    RACK_011,
    RACK_012,
    RACK_013,
    RACK_014,
    RACK_015,
    RACK_016,
    RACK_017,
    RACK_020,
    RACK_021,
    RACK_022,
    RACK_023,
    RACK_024,
)
from railyard.rules.registry import Finding, Predicate, exceeds, run
from railyard.rules.thresholds import DEFAULTS, Thresholds

Load = tuple[str, str, float | None, str, float]
"""What bears on what: (place, verb, kilograms, what they are, limit)."""


def check_floor(floor: FloorSummary, where: str, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about the hall's ground; `where` is the hall."""
    return run(FLOOR_PREDICATES, floor, where, thresholds)


def _misdrawn(floor: FloorSummary, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """RACK-009, for each entry that contradicts another one."""
    for entry in floor.misdrawn:
        key, _, found = entry.partition(": ")
        yield RACK_009.finding(f"railyard:floor.{key}", found, "what is in the hall that the section draws")


def _ground(floor: FloorSummary, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """RACK-010, for racks beyond the walls and racks where something else stands."""
    if floor.outside:
        limit = "inside of railyard:floor.lengthM and widthM"
        fix = "fewer racks in a row (facility.racksPerRow), narrower aisles, xM, yM, fewer planned units, or a larger hall"
        yield RACK_010.finding(f"{where}/walls", f"{listed(floor.outside, 5)} beyond a wall", limit, fix)
    for entry in floor.obstructed:
        fix = "keep that place empty (railyard:floor.kept), or move the row (xM, yM)"
        yield RACK_010.finding(f"{where}/{entry.partition(' ')[0]}", entry, "free ground", fix)


def _rows(floor: FloorSummary, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """RACK-011, where the stack file says how many rows there are."""
    if floor.rows_limit is not None and floor.rows > floor.rows_limit:
        found = f"{floor.planned_racks} planned racks take {floor.rows} rows of {floor.racks_per_row}"
        yield RACK_011.finding(where, found, f"{floor.rows_limit} rows (railyard:floor.rows)")


def _aisles(floor: FloorSummary, where: str, limits: Thresholds) -> Iterator[Finding]:
    """RACK-012, where the hall is drawn. Out of a cold aisle the longest device is put in and drawn out."""
    if not floor.drawn:
        return
    drawn_out = 0.0 if floor.longest_device_m is None else floor.longest_device_m + limits.pull_out_m_min
    cold = max(limits.cold_aisle_m_min, drawn_out)
    if exceeds(cold, floor.cold_aisle_m):
        why = f" (a device of {floor.longest_device_m:g} m is drawn out)" if cold == drawn_out else ""
        yield RACK_012.finding(f"{where}/cold-aisle", f"{floor.cold_aisle_m:g} m", f"{cold:g} m{why}")
    if exceeds(limits.hot_aisle_m_min, floor.hot_aisle_m):
        yield RACK_012.finding(f"{where}/hot-aisle", f"{floor.hot_aisle_m:g} m", f"{limits.hot_aisle_m_min:g} m")


def _doors(floor: FloorSummary, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """RACK-013, for each door."""
    for entry in floor.blocked_doors:
        door, _, what = entry.rpartition(" by ")
        yield RACK_013.finding(f"{where}/{door}", f"{what} within a metre of it", "free ground before a door")


def _openings(floor: FloorSummary, where: str, limits: Thresholds) -> Iterator[Finding]:
    """RACK-014, for each step of the way: racks stand upright, their narrower side goes first; a cabin takes all of one."""
    gap = limits.opening_gap_m_min
    sides = sorted(side for side in (floor.rack_width_m, floor.rack_depth_m) if side is not None)
    narrow, long = (sides[0], sides[1]) if len(sides) == 2 else (None, None)
    for step in floor.route:
        needs = [("high", floor.rack_height_m, step.height_m)]
        if step.width_m is not None and step.depth_m is not None:
            cabin = sorted((step.width_m, step.depth_m))
            needs += [("on its narrower side", narrow, cabin[0]), ("on its longer side", long, cabin[1])]
        else:
            needs += [("wide", narrow, step.width_m), ("deep", long, step.depth_m)]
        for side, rack_m, room_m in needs:
            yield from _fits(f"{where}/{step.name}", side, rack_m, room_m, gap)


def _fits(where: str, side: str, rack_m: float | None, room_m: float | None, gap: float) -> Iterator[Finding]:
    if room_m is None:
        return
    if rack_m is None:
        fix = "enter widthM, depthM and heightM of the rack model in railyard/catalog/racks.yaml"
        yield RACK_014.undecided(f"{where}/{side}", "the rack's size is unknown", f"{room_m:g} m {side}", fix)
    elif exceeds(rack_m + gap, room_m):
        found = f"a rack of {rack_m:g} m, with {gap:g} m of room {rack_m + gap:g} m"
        yield RACK_014.finding(f"{where}/{side}", found, f"{room_m:g} m {side}")


def _moves(floor: FloorSummary, where: str, limits: Thresholds) -> Iterator[Finding]:
    """RACK-015, for lifts and ramps, for wheels on every floor, and for castors of racks that come filled.

    What is known of the heaviest rack may already be too much; else a weight that another one lacks leaves it undecided.
    """
    missing = listed(floor.moved_unknown)
    for place, unit, kg, what, rated in _loads(floor):
        place, limit = f"{where}/{place}", f"{rated * limits.move_percent_max / 100:.1f} kg {unit}"
        if kg is None:
            weight = missing or f"the weight of {what}"
            fix = f"enter {weight} in railyard/catalog, and castors and ownWeightKg of the rack model"
            yield RACK_015.undecided(place, f"nobody knows what {what} weighs", limit, fix)
        elif exceeds(kg, rated * limits.move_percent_max / 100):
            yield RACK_015.finding(place, f"{kg:.1f} kg {unit}: {what}", limit)
        elif missing:
            found = f"{kg:.1f} kg {unit} as far as is known: {what}; without {missing} another rack may weigh more"
            yield RACK_015.undecided(place, found, limit, f"enter {missing} in railyard/catalog")


def _loads(floor: FloorSummary) -> Iterator[Load]:
    steps: list[RouteStep] = list(floor.route)
    for step in steps:
        if step.kg is not None:
            yield step.name, "at once", floor.moved_kg, floor.moved_what, step.kg
        if step.wheel_kg is not None:
            yield f"{step.name}/wheel", "on one wheel", floor.wheel_kg, floor.wheel_what, step.wheel_kg
    if floor.hall_wheel_kg is not None:
        yield "floor/wheel", "on one wheel", floor.wheel_kg, floor.wheel_what, floor.hall_wheel_kg
    if floor.moved == "filled" and floor.rolling_limit_kg is not None:
        yield "castors", "in a rolling rack", floor.contents_kg, f"what stands in {floor.contents_at}", floor.rolling_limit_kg


def _ramps(floor: FloorSummary, where: str, limits: Thresholds) -> Iterator[Finding]:
    """RACK-016, for each step with a slope."""
    for step in floor.route:
        if step.slope_deg is not None and exceeds(step.slope_deg, limits.slope_deg_max):
            yield RACK_016.finding(f"{where}/{step.name}", f"{step.slope_deg:g} degrees", f"{limits.slope_deg_max:g} degrees")


def _height(floor: FloorSummary, where: str, limits: Thresholds) -> Iterator[Finding]:
    """RACK-017, where the clear height is stated."""
    if floor.clear_height_m is None:
        return
    limit = f"{limits.clear_above_m_min:g} m below {floor.clear_height_m:g} m (railyard:floor.clearHeightM)"
    if floor.rack_height_m is None:
        fix = "enter heightM of the rack model in railyard/catalog/racks.yaml"
        yield RACK_017.undecided(f"{where}/height", "the rack's height is unknown", limit, fix)
    elif exceeds(floor.rack_height_m + limits.clear_above_m_min, floor.clear_height_m):
        found = f"racks of {floor.rack_height_m:g} m leave {floor.clear_height_m - floor.rack_height_m:.2f} m"
        yield RACK_017.finding(f"{where}/height", found, limit)


def _unit(floor: FloorSummary, where: str, limits: Thresholds) -> Iterator[Finding]:
    """RACK-020: cables inside a unit, and the rows that it is torn over."""
    if exceeds(floor.unit_reach_m, limits.unit_reach_m_max):
        found = f"{floor.unit_reach_m:.1f} m from a node to a leaf of {floor.unit_reach_at}, over {floor.unit_rows} rows"
        yield RACK_020.finding(f"{where}/{floor.unit_reach_at}", found, f"{limits.unit_reach_m_max:g} m, slack included")
    most = ceil(floor.unit_racks / floor.racks_per_row) + 1
    if floor.unit_rows > most:
        found = f"a unit of {floor.unit_racks} racks stands in {floor.unit_rows} rows of {floor.racks_per_row}"
        yield RACK_020.finding(f"{where}/rows", found, f"{most} rows")


def _top(floor: FloorSummary, where: str, limits: Thresholds) -> Iterator[Finding]:
    """RACK-021, from two units on: in a site of one unit its own rack is the failure domain."""
    if floor.units >= 2 and exceeds(floor.top_share_percent, limits.top_share_percent_max):
        found = f"{floor.top_share_percent:.1f} % of the top tier's switches are lost with {floor.top_share_at}"
        yield RACK_021.finding(f"{where}/{floor.top_share_at}", found, f"{limits.top_share_percent_max:g} %")


def _together(floor: FloorSummary, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """RACK-022, from two units on."""
    for lost in floor.lost_together if floor.units >= 2 else ():
        yield RACK_022.finding(f"{where}/{lost.rack}", lost.what, "in two racks")


def _planes(floor: FloorSummary, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """RACK-024, for each rack of a unit that holds all planes of a rail."""
    for lost in floor.planes_together:
        yield RACK_024.finding(f"{where}/{lost.rack}", lost.what, "the planes of a rail in two racks")


def _mirrors(floor: FloorSummary, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """RACK-023, once for the hall, from two units or two racks of storage servers on: there is a second rack to use."""
    if floor.mirrors_together and (floor.units >= 2 or floor.storage_racks >= 2):
        found = listed(f"{lost.what} in {lost.rack}" for lost in floor.mirrors_together)
        yield RACK_023.finding(f"{where}/mirrors", f"mirror each other in one rack: {found}", "each mirror in another rack")


FLOOR_PREDICATES: tuple[Predicate[FloorSummary], ...] = (
    Predicate((RACK_009,), frozenset({"misdrawn"}), _misdrawn),
    Predicate((RACK_010,), frozenset({"outside", "obstructed"}), _ground),
    Predicate((RACK_011,), frozenset({"rows", "rows_limit", "planned_racks", "racks_per_row"}), _rows),
    Predicate((RACK_012,), frozenset({"drawn", "cold_aisle_m", "hot_aisle_m", "longest_device_m"}), _aisles),
    Predicate((RACK_013,), frozenset({"blocked_doors"}), _doors),
    Predicate((RACK_014,), frozenset({"route", "rack_height_m", "rack_width_m", "rack_depth_m"}), _openings),
    Predicate(
        (RACK_015,),
        frozenset(
            {
                "route",
                "moved",
                "moved_kg",
                "moved_what",
                "moved_unknown",
                "wheel_kg",
                "wheel_what",
                "hall_wheel_kg",
                "contents_kg",
                "contents_at",
                "rolling_limit_kg",
            }
        ),
        _moves,
    ),
    Predicate((RACK_016,), frozenset({"route"}), _ramps),
    Predicate((RACK_017,), frozenset({"clear_height_m", "rack_height_m"}), _height),
    Predicate((RACK_020,), frozenset({"unit_reach_m", "unit_reach_at", "unit_rows", "unit_racks", "racks_per_row"}), _unit),
    Predicate((RACK_021,), frozenset({"units", "top_share_percent", "top_share_at"}), _top),
    Predicate((RACK_022,), frozenset({"units", "lost_together"}), _together),
    Predicate((RACK_023,), frozenset({"units", "storage_racks", "mirrors_together"}), _mirrors),
    Predicate((RACK_024,), frozenset({"planes_together"}), _planes),
)
