"""The floor plan: rows, aisles, a spot for every planned rack, and the summary that rules read."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypedDict, TypeVar

import msgspec

from railyard.model.floor import Aisle, Box, Floor, FloorPlan, FloorRow, FloorSummary, LostRack, RackFloor, RackLoad, RackSpot
from railyard.model.plan import FileSystemPlan
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.floor.checks import NAMED, blocked, box, misdrawn, obstructed, outside
from railyard.plan.floor.ground import ASSUMED, Ground, ground_of
from railyard.plan.floor.loads import Loads
from railyard.plan.floor.moves import move_in
from railyard.plan.floor.spread import lost_together, mirrors_together, planes_together, top_share, unit_reach
from railyard.plan.hall import RACK_PITCH_M, Hall
from railyard.plan.networks.layout import planned_servers
from railyard.plan.networks.shapes import OtherNetworks
from railyard.plan.parts import Parts
from railyard.plan.placement import Place
from railyard.plan.racks import Filled
from railyard.plan.shape import FabricShape

if TYPE_CHECKING:
    from railyard.plan import Plan

Kind = Literal["compute", "network", "spine", "storage"]
Item = TypeVar("Item", str, LostRack)


class FloorScene(msgspec.Struct, frozen=True):
    """What the floor is made of. `installed` names the devices that stand, `managers` the subnet managers of each subnet."""

    file: StackFile
    parts: Parts
    shape: FabricShape
    hall: Hall
    nets: OtherNetworks
    places: Mapping[str, Place]
    filled: Filled
    installed: Collection[str]
    loads: Loads
    managers: Mapping[str, Sequence[str]]
    file_system: FileSystemPlan | None

    @property
    def ground(self) -> Ground:
        """The ground that racks stand on; rows 3 m apart where nobody has drawn it."""
        rack, facility = self.parts.rack, self.file.facility
        return self.hall.ground or ground_of(None, facility.racks_per_row, rack.width_m or RACK_PITCH_M, rack.depth_m)

    @property
    def planned_racks(self) -> int:
        """Racks of all planned units, above them, and of planned storage servers."""
        hall, storage = self.hall, self.nets.oob.storage_racks(planned_servers(self.file))
        return max(hall.units * hall.per_unit + hall.spine_racks + storage, max(self.filled, default=0))


def plan_floor(scene: FloorScene) -> FloorPlan:
    """Where every planned rack stands, what it weighs there, and what is wrong with that."""
    floor, ground = scene.file.floor or ASSUMED, scene.ground
    heavy = _floors(scene)
    spots = tuple(_spot(scene, ground, number, heavy[number]) for number in range(1, scene.planned_racks + 1))
    hall = box("hall", 0, 0, floor.length_m, floor.width_m) if floor.length_m and floor.width_m else None
    rows = _rows(spots, ground)
    obstacles = tuple(box(item.name, item.x_m, item.y_m, item.width_m, item.depth_m) for item in floor.obstacles)
    return FloorPlan(
        assumed=scene.file.floor is None,
        hall=hall,
        extent=_extent(rows, ground),
        rows=rows,
        aisles=_aisles(len(rows), ground, hall),
        spots=spots,
        kept=tuple(_kept(floor, ground)),
        obstacles=obstacles,
        doors=floor.doors,
        loads=_loads(spots, heavy),
        summary=_summary(scene, spots, hall, obstacles, heavy),
    )


def floor_summary(plan: "Plan") -> FloorSummary | None:
    """What of the floor the hall's slice holds."""
    return plan.floor.summary if plan.floor else None


def _kind(hall: Hall, number: int) -> tuple[Kind, int | None, int]:
    """(kind, unit, number from 0 in its group) of a rack."""
    above = number - hall.units * hall.per_unit
    if above <= 0:
        unit, index = divmod(number - 1, hall.per_unit)
        return ("compute" if index < hall.compute_per_unit else "network"), unit + 1, index
    return ("spine", None, above - 1) if above <= hall.spine_racks else ("storage", None, above - 1 - hall.spine_racks)


def _floors(scene: FloorScene) -> dict[int, RackFloor]:
    """Weights by rack. A unit that isn't built will weigh what the last built one does, rack by rack."""
    hall, built = scene.hall, scene.file.fabric.scalable_units
    found: dict[int, RackFloor] = {}
    for number in range(1, scene.planned_racks + 1):
        _, unit, index = _kind(hall, number)
        like = number if unit is None or unit <= built else hall.compute(built, index)
        if like not in found:
            found[like] = scene.loads.floor_of(like, [place.body for _, place in scene.filled.get(like, ())])
        found[number] = found[like]
    return found


def _spot(scene: FloorScene, ground: Ground, number: int, floor: RackFloor) -> RackSpot:
    kind, unit, _ = _kind(scene.hall, number)
    row, position = ground.place(number)
    return RackSpot(
        rack=names.rack(scene.file.site.name, number),
        number=number,
        row=row,
        position=position,
        x_mm=ground.place_x_mm(position),
        y_mm=ground.row_y_mm(row),
        width_mm=round((scene.parts.rack.width_m or RACK_PITCH_M) * 1000),
        depth_mm=ground.depth_mm,
        faces="south" if ground.faces_south(row) else "north",
        unit=unit,
        kind=kind,
        mass_kg=floor.mass_kg,
        foot_kg=floor.foot_kg,
        installed=any(name in scene.installed for name, _ in scene.filled.get(number, ())),
    )


def _rows(spots: Sequence[RackSpot], ground: Ground) -> tuple[FloorRow, ...]:
    counts = Counter(spot.row for spot in spots)
    return tuple(
        FloorRow(
            row=row,
            y_mm=ground.row_y_mm(row),
            depth_mm=ground.depth_mm,
            x_mm=ground.x_mm,
            length_mm=ground.racks_per_row * ground.place_mm,
            places=ground.racks_per_row,
            racks=counts[row],
            faces="south" if ground.faces_south(row) else "north",
        )
        for row in range(1, max(counts, default=0) + 1)
    )


def _aisles(rows: int, ground: Ground, hall: Box | None) -> tuple[Aisle, ...]:
    """Those between rows, and beside the outer ones as far as the walls leave them room."""
    found: list[Aisle] = []
    for after in range(rows + 1):
        cold, depth = ground.aisle(after)
        low = ground.row_y_mm(after) + ground.depth_mm if after else max(ground.y_mm - depth, 0)
        high = low + depth if after else ground.y_mm
        if hall and after == rows:
            high = min(high, hall.depth_mm)
        if high > low:
            found.append(Aisle("cold" if cold else "hot", after, low, high - low))
    return tuple(found)


def _narrowest(cold: bool, rows: int, ground: Ground, hall: Box | None) -> float:
    """Metres of the narrowest aisle of a kind: those between rows, and what a drawn hall leaves before its outer rows."""
    found = [depth for of, depth in map(ground.aisle, range(1, rows)) if of == cold]
    if hall and rows:
        if ground.aisle(0)[0] == cold:
            found.append(ground.y_mm)
        if ground.aisle(rows)[0] == cold:
            found.append(hall.depth_mm - ground.row_y_mm(rows) - ground.depth_mm)
    kinds = (ground.south_mm, ground.north_mm) if ground.cold_first == cold else (ground.north_mm, ground.south_mm)
    return max(min(found, default=kinds[0]), 0) / 1000


def _extent(rows: Sequence[FloorRow], ground: Ground) -> Box:
    """Around all rows, with the aisle south of row 1 and as much on every other side."""
    edge = ground.south_mm
    last = rows[-1].y_mm + ground.depth_mm if rows else ground.y_mm
    x, y = max(ground.x_mm - edge, 0), max(ground.y_mm - edge, 0)
    east = ground.x_mm + ground.racks_per_row * ground.place_mm + edge
    return Box("rows", x, y, east - x, last + edge - y)


def _kept(floor: Floor, ground: Ground) -> Iterable[Box]:
    for place in sorted(floor.kept, key=lambda item: (item.row, item.position)):
        if place.position <= ground.racks_per_row:
            x, y = ground.place_x_mm(place.position), ground.row_y_mm(place.row)
            yield Box(place.reason, x, y, ground.place_mm, ground.depth_mm)


def _loads(spots: Sequence[RackSpot], heavy: Mapping[int, RackFloor]) -> tuple[RackLoad, ...]:
    """Racks that are alike together, in the order of the first of each."""
    alike: defaultdict[int, list[int]] = defaultdict(list)
    for spot in spots:
        alike[id(heavy[spot.number])].append(spot.number)
    by_number = {spot.number: spot.rack for spot in spots}
    return tuple(RackLoad(tuple(by_number[number] for number in group), heavy[group[0]]) for group in alike.values())


def _summary(
    scene: FloorScene, spots: Sequence[RackSpot], hall: Box | None, obstacles: Sequence[Box], heavy: Mapping[int, RackFloor]
) -> FloorSummary:
    file, rack, ground = scene.file, scene.parts.rack, scene.ground
    rows = max((spot.row for spot in spots), default=0)
    floor = file.floor or ASSUMED
    by_place = {(spot.row, spot.position): spot for spot in spots}
    width_mm = round((rack.width_m or RACK_PITCH_M) * 1000)
    depths = [row.depth_m for item in {id(item): item for item in heavy.values()}.values() for row in item.depths]
    return FloorSummary(
        drawn=file.floor is not None,
        racks=sum(spot.installed for spot in spots),
        planned_racks=len(spots),
        rows=rows,
        rows_limit=floor.rows,
        blanking_u=sum(heavy[spot.number].free_u for spot in spots if spot.installed),
        rack_height_m=rack.height_m,
        rack_width_m=rack.width_m,
        rack_depth_m=rack.depth_m,
        clear_height_m=floor.clear_height_m,
        misdrawn=_some(misdrawn(floor, ground, width_mm, hall, obstacles)) if file.floor else (),
        outside=_some(outside(spots, hall)),
        obstructed=_some(obstructed(by_place, obstacles, ground)),
        blocked_doors=_some(blocked(floor.doors, hall, by_place, obstacles, ground)),
        cold_aisle_m=_narrowest(True, rows, ground, hall),
        hot_aisle_m=_narrowest(False, rows, ground, hall),
        longest_device_m=max((depth for depth in depths if depth is not None), default=None),
        route=floor.route,
        **move_in(floor, rack, spots, heavy, scene.filled),
        rolling_limit_kg=rack.rolling_limit_kg,
        hall_wheel_kg=floor.bearing.wheel_kg,
        units=file.fabric.scalable_units,
        storage_racks=sum(spot.kind == "storage" for spot in spots),
        unit_racks=scene.hall.per_unit,
        racks_per_row=ground.racks_per_row,
        **_spread(scene),
    )


class _Spread(TypedDict):
    """Fields of FloorSummary about units and what one rack takes along."""

    unit_reach_m: float
    unit_reach_at: str
    unit_rows: int
    top_share_percent: float
    top_share_at: str
    lost_together: tuple[LostRack, ...]
    planes_together: tuple[LostRack, ...]
    mirrors_together: tuple[LostRack, ...]


def _spread(scene: FloorScene) -> _Spread:
    site, places = scene.file.site.name, scene.places
    reach, (share, share_at) = unit_reach(scene.file, scene.hall, scene.filled), top_share(site, scene.filled)
    return _Spread(
        unit_reach_m=reach.metres,
        unit_reach_at=reach.at,
        unit_rows=reach.rows,
        top_share_percent=share,
        top_share_at=share_at,
        lost_together=_some(lost_together(site, scene.nets, scene.managers, places)),
        planes_together=_some(planes_together(site, scene.shape, places)),
        mirrors_together=_some(mirrors_together(site, scene.file_system, places)),
    )


def _some(items: Iterable[Item]) -> tuple[Item, ...]:
    """The first few: a hall that is far too small has hundreds."""
    return tuple(islice(items, NAMED))
