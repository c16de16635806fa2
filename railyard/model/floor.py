"""The floor: what a stack file says of the hall that racks stand in, and where each rack stands, what it weighs and rests on.

Coordinates are metres (stack file) or whole millimetres (plan) from the south-west corner of the hall: x runs east along the
rows, y runs north across them. Row 1 is the southernmost; its first rack is the westernmost. A width is along x, a depth along
y. Unknown is None and is said, never 0.
"""

from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field

from railyard.model.base import Noun, at_least

Metres = Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)]
Length = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False)]
Opening = Annotated[float, Field(gt=0, le=20, allow_inf_nan=False)]
Start = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
"""From a wall to the first rack. More is millimetres."""
PlaceWidth = Annotated[float, Field(gt=0, le=3, allow_inf_nan=False), at_least(0.3, "m", {"ft": 0.3048})]
"""Of a rack place: racks are 0.48 to 1.2 m wide. More is millimetres or inches."""
G_KN = 1000 / 9.80665
"""Kilograms that weigh a kilonewton."""
LoadKg = Annotated[float, Field(gt=0, le=50_000, allow_inf_nan=False), at_least(50, "kg", {"t": 1000, "kN": G_KN})]
"""Of a lift or a ramp at once."""
CartKg = Annotated[float, Field(gt=0, le=3000, allow_inf_nan=False), at_least(5, "kg", {"t": 1000})]
PointKg = Annotated[float, Field(gt=0, le=3000, allow_inf_nan=False), at_least(25, "kg", {"kN": G_KN, "t": 1000})]
"""Under one foot or wheel: the strongest tiles bear 1.4 t, weak ones 200 kg. More is newton."""
UniformKg = Annotated[float, Field(gt=0, le=6000, allow_inf_nan=False), at_least(100, "kg/m2", {"kPa": G_KN, "t/m2": 1000})]
"""On a square metre: halls are built for 0.7 to 2.5 t. More is pascal."""
Side = Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)]
"""Of what stands in the hall. More is millimetres."""
Label = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._/-]*$")]
Wall = Literal["south", "north", "west", "east"]
Step = Literal["door", "corridor", "lift", "ramp", "floor"]


def _text(meaning: str) -> Any:
    return Field(description=meaning)


class Obstacle(Noun):
    """A column, an air handler, a CDU: ground that no rack may stand on. `x_m`, `y_m` is its south-west corner."""

    name: Annotated[Label, _text("what it is called")]
    x_m: Annotated[Metres, _text("west edge")]
    y_m: Annotated[Metres, _text("south edge")]
    width_m: Annotated[Side, _text("along x")]
    depth_m: Annotated[Side, _text("along y")]


class KeptPlace(Noun):
    """A rack place that stays empty: under a column, in a cross aisle, before a panel. Racks are numbered past it."""

    row: Annotated[int, Field(ge=1, le=10_000, description="row, from 1 in the south")]
    position: Annotated[int, Field(ge=1, le=1000, description="place in the row, from 1 in the west")]
    reason: Annotated[Label, _text("what keeps it empty")]


class Door(Noun):
    """A door in a wall. `at_m` is from the wall's west (or south) end to the nearer edge of the door."""

    name: Annotated[Label, _text("what it is called")]
    wall: Annotated[Wall, _text("wall that it is in")]
    at_m: Annotated[Metres, _text("from the wall's west (south) end to its nearer edge")]
    width_m: Annotated[Opening, _text("clear width")]
    height_m: Annotated[Opening | None, _text("clear height")] = None


class RouteStep(Noun):
    """One step of the way from the lorry to the hall. Only what is given is judged.

    `kg` is what a lift or a ramp carries (the load with its cart), `wheel_kg` what the floor bears under one wheel, `slope_deg`
    the slope of a ramp. A lift's cabin has a depth.
    """

    name: Annotated[Label, _text("what it is called")]
    kind: Annotated[Step, _text("what it is")]
    width_m: Annotated[Opening | None, _text("clear width")] = None
    height_m: Annotated[Opening | None, _text("clear height")] = None
    depth_m: Annotated[Opening | None, _text("depth of a lift's cabin")] = None
    kg: Annotated[LoadKg | None, _text("what it carries at once, cart included")] = None
    wheel_kg: Annotated[PointKg | None, _text("what its floor bears under one wheel")] = None
    slope_deg: Annotated[float | None, Field(ge=0, le=45, allow_inf_nan=False, description="slope of a ramp in degrees")] = None


class Bearing(Noun):
    """What the floor bears: `point_kg` under one foot (rated concentrated load of a tile), `uniform_kg_per_m2` spread evenly,
    `wheel_kg` under one wheel that rolls. `feet_per_tile`: feet that can stand on one tile at once; where racks stand side by
    side, two (one of each). A slab has no tiles: 1.
    """

    point_kg: Annotated[PointKg | None, _text("rated concentrated load under one foot")] = None
    uniform_kg_per_m2: Annotated[UniformKg | None, _text("rated distributed load")] = None
    wheel_kg: Annotated[PointKg | None, _text("rated rolling load under one wheel")] = None
    feet_per_tile: Annotated[int, Field(ge=1, le=4, description="feet that can stand on one tile at once")] = 2
    tile_m: Annotated[float | None, Field(gt=0, le=2, allow_inf_nan=False, description="side of a tile, for drawings")] = None


class Floor(Noun):
    """The hall as a surveyor drew it (`railyard:floor`). Left out, rows are 3 m apart and nothing is known of walls and floor.

    Rows stand front to front across cold aisles and back to back across hot ones, in turn; `first_aisle` is south of row 1.
    `x_m` and `y_m` are the south-west corner of the first rack of row 1 (its front or back edge, whichever is south).
    `moved` says how racks come in: `empty` (devices are put in where they stand), or `filled` (racks are integrated elsewhere).
    """

    length_m: Annotated[Length | None, Field(description="hall along the rows (x), inside its walls")] = None
    width_m: Annotated[Length | None, Field(description="hall across the rows (y), inside its walls")] = None
    clear_height_m: Annotated[Opening | None, Field(description="from floor to the lowest thing above the racks")] = None
    x_m: Annotated[Start, Field(description="west edge of the first rack of every row")] = 1.2
    y_m: Annotated[Start, Field(description="south edge of row 1")] = 1.2
    cold_aisle_m: Annotated[Opening, Field(description="between two rows' fronts")] = 2.4
    hot_aisle_m: Annotated[Opening, Field(description="between two rows' backs")] = 1.2
    first_aisle: Annotated[Literal["cold", "hot"], Field(description="what lies south of row 1")] = "cold"
    rows: Annotated[int | None, Field(ge=1, le=10_000, description="rows that the hall has room for")] = None
    place_m: Annotated[PlaceWidth | None, Field(description="width of a rack place; the rack's own width without it")] = None
    kept: Annotated[tuple[KeptPlace, ...], Field(max_length=2000, description="rack places that stay empty")] = ()
    obstacles: Annotated[tuple[Obstacle, ...], Field(max_length=500, description="columns, air handlers, CDUs")] = ()
    doors: Annotated[tuple[Door, ...], Field(max_length=50, description="doors of the hall")] = ()
    bearing: Annotated[Bearing, _text("what the floor bears")] = Bearing()
    route: Annotated[tuple[RouteStep, ...], Field(max_length=50, description="way from the lorry to the hall")] = ()
    moved: Annotated[Literal["empty", "filled"], Field(description="racks come in empty, or filled")] = "empty"
    cart_kg: Annotated[CartKg, Field(description="lift cart that carries the heaviest device")] = 150.0


class RackSpot(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """Where a rack stands and what rests on the floor there. `x_mm`, `y_mm`: south-west corner of its footprint.

    `faces` is where its front looks. `mass_kg` is everything (frame, devices, strips, cables, fluid), as far as it is known;
    `foot_kg` what one foot bears, None where the frame's feet aren't known.
    """

    rack: str
    number: int
    row: int
    position: int
    x_mm: int
    y_mm: int
    width_mm: int
    depth_mm: int
    faces: Literal["south", "north"]
    unit: int | None
    kind: Literal["compute", "network", "spine", "storage"]
    mass_kg: float
    foot_kg: float | None
    installed: bool


class FloorRow(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """One row of racks: its two edges along y, its first and last place along x, where fronts look."""

    row: int
    y_mm: int
    depth_mm: int
    x_mm: int
    length_mm: int
    places: int
    racks: int
    faces: Literal["south", "north"]


class Aisle(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """The ground between two rows (or beside an outer one); `after_row` 0 is south of row 1."""

    kind: Literal["cold", "hot"]
    after_row: int
    y_mm: int
    depth_mm: int


class Box(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A rectangle on the floor: the hall, a column, a kept place. `x_mm`, `y_mm` is its south-west corner."""

    name: str
    x_mm: int
    y_mm: int
    width_mm: int
    depth_mm: int


class DeviceDepth(Noun):
    """How deep a model is, from the front of the rails, and how many cables of the training fabric leave it at the rear."""

    model: str
    depth_m: float | None
    cables: int = 0


class RackFloor(Noun):
    """What a rack weighs, rests on and leaves free, with every device that it is planned with.

    `strips_kg`, `door_kg` and `cables_kg` (those that are laid today, and power cords) are counted as far as they are
    known. `unknown` names what has no weight, `unknown_max_kg` the most that it may weigh (None: nobody can say, as of
    models in `unweighed`). `foot_kg` is a foot's share of `mass_kg`, `kg_per_m2` the mass over the rack's footprint and
    half of both aisles. `usable_depth_m` is what a device may take of `depth_m`; `depth_assumed` where the rack's data
    doesn't say. `free_u` are neither filled nor reserved: blanking panels. `strips` are zero-U power strips, `strip_places`
    has the rear for them (None: nobody knows), `strip_places_assumed` where neither stack file nor catalogue says.
    """

    frame_kg: float | None
    devices_kg: float
    strips_kg: float
    door_kg: float
    cables_kg: float
    fluid_kg: float
    mass_kg: float
    unknown: tuple[str, ...] = ()
    unknown_max_kg: float | None = 0.0
    unweighed: tuple[str, ...] = ()
    feet: int | None = None
    feet_per_tile: int = 1
    foot_kg: float | None = None
    point_limit_kg: float | None = None
    kg_per_m2: float = 0.0
    uniform_limit_kg_per_m2: float | None = None
    depth_m: float | None = None
    usable_depth_m: float | None = None
    depth_assumed: bool = False
    depths: tuple[DeviceDepth, ...] = ()
    free_u: int = 0
    strips: int = 0
    strip_places: int | None = None
    strip_places_assumed: bool = False


class RackLoad(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """Racks that weigh and rest alike: their names, and the weights of one."""

    racks: tuple[str, ...]
    floor: RackFloor


class LostRack(Noun):
    """Devices that one rack's loss takes together although they stand in for each other, or share that they must not."""

    rack: str
    what: str


class FloorSummary(Noun):
    """The small slice of the floor that rules and policies read; findings are made of it, pictures of FloorPlan.

    Lists name what is wrong and nothing else: they are empty in a hall that fits, and hold 20 entries at most. A figure
    that nobody knows is None. `moved_kg` is the heaviest load on the way in as far as that is known, `moved_what` what it
    is; `moved_unknown` are the figures that are missing for filled racks, so that another one may be heavier. `wheel_kg`
    bears on one wheel. `unit_reach_m` is the longest cable between a node and its leaf, slack included, `unit_rows` the
    most rows of one unit.
    """

    drawn: bool
    racks: int
    planned_racks: int
    rows: int
    rows_limit: int | None = None
    blanking_u: int = 0
    rack_height_m: float | None = None
    rack_width_m: float | None = None
    rack_depth_m: float | None = None
    clear_height_m: float | None = None
    misdrawn: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    obstructed: tuple[str, ...] = ()
    blocked_doors: tuple[str, ...] = ()
    cold_aisle_m: float
    hot_aisle_m: float
    longest_device_m: float | None = None
    route: tuple[RouteStep, ...] = ()
    moved: Literal["empty", "filled"] = "empty"
    moved_kg: float | None = None
    moved_what: str = ""
    moved_unknown: tuple[str, ...] = ()
    wheel_kg: float | None = None
    wheel_what: str = ""
    hall_wheel_kg: float | None = None
    contents_kg: float = 0.0
    contents_at: str = ""
    rolling_limit_kg: float | None = None
    units: int = 1
    storage_racks: int = 0
    unit_racks: int = 1
    racks_per_row: int = 1
    unit_reach_m: float = 0.0
    unit_reach_at: str = ""
    unit_rows: int = 1
    top_share_percent: float = 0.0
    top_share_at: str = ""
    lost_together: tuple[LostRack, ...] = ()
    planes_together: tuple[LostRack, ...] = ()
    mirrors_together: tuple[LostRack, ...] = ()


class FloorPlan(msgspec.Struct, frozen=True, rename="camel"):
    """The hall in plan view. `assumed`: there is no `railyard:floor`, so rows are 3 m apart and walls unknown (`hall` None).

    `extent` is the rectangle around all rows with half an aisle on each side: what to draw where there are no walls.
    """

    assumed: bool
    hall: Box | None
    extent: Box
    rows: tuple[FloorRow, ...]
    aisles: tuple[Aisle, ...]
    spots: tuple[RackSpot, ...]
    kept: tuple[Box, ...]
    obstacles: tuple[Box, ...]
    doors: tuple[Door, ...]
    loads: tuple[RackLoad, ...]
    summary: FloorSummary
