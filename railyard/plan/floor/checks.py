"""What of a drawn hall doesn't go together: racks outside of it, on a column, before a door; entries that are nowhere.

Facts with names, no judgement: the rules say what of it matters.
"""

from collections.abc import Iterator, Mapping, Sequence

from railyard.model.floor import Box, Door, Floor, RackSpot
from railyard.plan.floor.ground import Ground

DOOR_CLEAR_MM = 1000
"""Ground before a door that stays free, across its width: a rack of 1.2 m that is turned there needs no less. Ours."""
NAMED = 20
"""Entries that a list of the plan names."""
Spots = Mapping[tuple[int, int], RackSpot]
"""Racks by (row, position)."""


def box(name: str, x_m: float, y_m: float, width_m: float, depth_m: float) -> Box:
    """A rectangle of the stack file in millimetres."""
    return Box(name, *(round(value * 1000) for value in (x_m, y_m, width_m, depth_m)))


def overlap(a: Box, b: Box) -> bool:
    """Whether two rectangles share ground; edges may touch."""
    return (
        a.x_mm < b.x_mm + b.width_mm
        and b.x_mm < a.x_mm + a.width_mm
        and a.y_mm < b.y_mm + b.depth_mm
        and b.y_mm < a.y_mm + a.depth_mm
    )


def inside(a: Box, hall: Box) -> bool:
    """Whether a rectangle lies in the hall; edges may touch."""
    return (
        a.x_mm >= hall.x_mm
        and a.y_mm >= hall.y_mm
        and a.x_mm + a.width_mm <= hall.x_mm + hall.width_mm
        and a.y_mm + a.depth_mm <= hall.y_mm + hall.depth_mm
    )


def footprint(spot: RackSpot) -> Box:
    """The ground that a rack stands on."""
    return Box(spot.rack, spot.x_mm, spot.y_mm, spot.width_mm, spot.depth_mm)


def outside(spots: Sequence[RackSpot], hall: Box | None) -> Iterator[str]:
    """Racks that aren't wholly in the hall."""
    return (spot.rack for spot in spots if hall and not inside(footprint(spot), hall))


def obstructed(spots: Spots, obstacles: Sequence[Box], ground: Ground) -> Iterator[str]:
    """`RACK on OBSTACLE` for each rack that stands where something else is."""
    for obstacle in obstacles:
        yield from (f"{spot.rack} on {obstacle.name}" for spot in _under(obstacle, spots, ground))


def _under(area: Box, spots: Spots, ground: Ground) -> Iterator[RackSpot]:
    """Racks on an area. Rows are looked at one by one, places by arithmetic: a hall has 500 obstacles and 5,000 racks."""
    first = max(1, (area.x_mm - ground.x_mm) // ground.place_mm - 1)
    last = min(ground.racks_per_row, (area.x_mm + area.width_mm - ground.x_mm) // ground.place_mm + 1)
    rows = max((row for row, _ in spots), default=0)
    pitch = ground.depth_mm + min(ground.south_mm, ground.north_mm)
    low = max(1, (area.y_mm - ground.y_mm) // (ground.depth_mm + max(ground.south_mm, ground.north_mm)) - 1)
    high = min(rows, (area.y_mm + area.depth_mm - ground.y_mm) // pitch + 2)
    for row in range(low, high + 1):
        for position in range(first, last + 1):
            spot = spots.get((row, position))
            if spot and overlap(footprint(spot), area):
                yield spot


def blocked(doors: Sequence[Door], hall: Box | None, spots: Spots, obstacles: Sequence[Box], ground: Ground) -> Iterator[str]:
    """`DOOR by RACK` for each door with a rack or an obstacle within a metre of it."""
    for door in doors if hall else ():
        area = _before(door, hall) if hall else None
        if area is None:
            continue
        yield from (f"{door.name} by {spot.rack}" for spot in _under(area, spots, ground))
        yield from (f"{door.name} by {obstacle.name}" for obstacle in obstacles if overlap(obstacle, area))


def _before(door: Door, hall: Box) -> Box:
    """The ground inside of the hall before a door."""
    at, width, clear = round(door.at_m * 1000), round(door.width_m * 1000), DOOR_CLEAR_MM
    if door.wall in ("south", "north"):
        return Box(door.name, at, 0 if door.wall == "south" else hall.depth_mm - clear, width, clear)
    return Box(door.name, 0 if door.wall == "west" else hall.width_mm - clear, at, clear, width)


def misdrawn(floor: Floor, ground: Ground, rack_width_mm: int, hall: Box | None, obstacles: Sequence[Box]) -> Iterator[str]:
    """Entries of `railyard:floor` that contradict each other or name what isn't there."""
    if ground.place_mm < rack_width_mm:
        yield f"placeM: {ground.place_mm} mm for racks of {rack_width_mm} mm"
    yield from _misdrawn_doors(floor)
    if (floor.length_m is None) != (floor.width_m is None):
        yield "lengthM and widthM: one of them alone makes no hall"
    for place in floor.kept:
        if place.position > ground.racks_per_row:
            yield f"kept: row {place.row} has no place {place.position} ({ground.racks_per_row} in a row)"
        if floor.rows is not None and place.row > floor.rows:
            yield f"kept: there is no row {place.row} ({floor.rows} rows)"
    for obstacle in obstacles if hall else ():
        if hall and not inside(obstacle, hall):
            yield f"obstacles: {obstacle.name} is not in the hall"


def _misdrawn_doors(floor: Floor) -> Iterator[str]:
    for door in floor.doors:
        wall = floor.length_m if door.wall in ("south", "north") else floor.width_m
        if wall is None:
            yield f"doors: {door.name} is in a wall whose length nobody gave (lengthM, widthM)"
        elif door.at_m + door.width_m > wall:
            yield f"doors: {door.name} ends {door.at_m + door.width_m:g} m along a wall of {wall:g} m"
