"""Cooling: what a stack file states (`railyard:cooling`), what the catalogue knows, what the plan says.

Heat of a rack goes two ways. What its air takes (`air_kw`) leaves by a rear door (`door_kw`) as far as that has one, the rest
(`room_kw`) by the room's air units. What its coolant takes (`liquid_kw`) leaves by coolant distribution units (CDUs).
"""

from typing import Annotated, Literal, Self

import msgspec
from pydantic import Field, model_validator

from railyard.model.base import ContradictionError, Kg, Kw, Name, Noun, at_least
from railyard.model.entry import Entry

Direction = Literal["front-to-rear", "rear-to-front", "left-to-right", "right-to-left", "side-to-rear", "passive"]
"""Way of the air through a device, from its own front (its ports, on a switch), in the words of NetBox."""
Face = Literal["front", "rear"]
"""Side of the rack that a device's front stands at; the rack's front is the cold aisle."""
Fluid = Literal["water", "pg25"]
UnitKind = Literal["cdu", "rear-door", "air-unit"]
AirC = Annotated[float, Field(ge=5, le=45, allow_inf_nan=False)]
"""ASHRAE's widest class (A4) ends at 45 °C. More is Fahrenheit."""
WaterC = Annotated[float, Field(ge=2, le=50, allow_inf_nan=False)]
"""Warm water goes up to ASHRAE's class W45 and a little beyond. More is Fahrenheit: 59 °F are 15 °C."""
DewC = Annotated[float, Field(ge=-20, le=30, allow_inf_nan=False)]
DeltaK = Annotated[float, Field(gt=0, le=40, allow_inf_nan=False)]
AltitudeM = Annotated[float, Field(ge=-430, le=5000, allow_inf_nan=False)]
_LESS_FLOW = at_least(5, "l/min", {"l/s": 60, "m3/h": 1000 / 60})
FlowLMin = Annotated[float, Field(gt=0, le=20_000, allow_inf_nan=False), _LESS_FLOW]
DoorFlowLMin = Annotated[float, Field(gt=0, le=500, allow_inf_nan=False), _LESS_FLOW]
"""Through one rear door: 30 to 150 l/min. More is litres per hour."""
Kpa = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False), at_least(4, "kPa", {"bar": 100, "m of water": 9.80665})]
M3S = Annotated[float, Field(gt=0, le=200, allow_inf_nan=False)]
UnitKw = Annotated[float, Field(gt=0, le=5000, allow_inf_nan=False)]
AirUnitKw = Annotated[
    float, Field(gt=0, le=2000, allow_inf_nan=False), at_least(2, "kW", {"MW": 1000, "tons of refrigeration": 3.51685})
]
"""Of one unit: a row cooler takes 10 to 60 kW, the largest air handlers about 1,000."""
Count = Annotated[int, Field(ge=1, le=200)]
RowsEach = Annotated[int, Field(ge=1, le=1000)]


class AirUnits(Noun):
    """Alike air units that cool some rows together. `capacityKw` (sensible) and `airflowM3S` are of one unit, at this site's
    return air and water.

    `rowsEach: 2`: a set of `units` for each two rows; left out, the set cools the whole hall. Entries with the same rows share
    their heat in proportion to their capacity.
    """

    name: Annotated[Name, Field(description="what the units are called in plan and findings")]
    kind: Annotated[Literal["crah", "fan-wall", "in-row"], Field(description="what they are, for people")] = "crah"
    rows_each: Annotated[RowsEach | None, Field(description="rows that one set of units cools; default: the whole hall")] = None
    units: Annotated[Count, Field(description="units of one set")]
    capacity_kw: Annotated[AirUnitKw, Field(description="sensible heat that one unit takes here")]
    airflow_m3_s: Annotated[M3S, Field(description="air that one unit moves")]


class RearDoors(Noun):
    """A rear door on each rack of compute nodes, or on all racks, with the water that reaches each of them.

    `waterPressureKpa` is the pressure difference that the piping leaves for one door at that flow.
    """

    model: Annotated[str, Field(description="rear door of railyard/catalog/cooling.yaml")]
    racks: Annotated[Literal["compute", "all"], Field(description="racks that have one")] = "compute"
    water_c: Annotated[WaterC, Field(description="water that enters a door")]
    water_flow_l_min: Annotated[DoorFlowLMin, Field(description="water through one door")]
    water_pressure_kpa: Annotated[Kpa | None, Field(description="pressure difference that is left for one door")] = None
    fluid: Annotated[Fluid, Field(description="what flows through the doors; pg25 is 25 % propylene glycol")] = "water"


class CduUnits(Noun):
    """Alike CDUs that feed the coolant of some rows together, with the facility water that reaches each of them.

    `loopC` is the coolant's supply temperature, `loopDeltaK` its rise through the machines. `rowsEach` as in `airUnits`.
    """

    name: Annotated[Name, Field(description="what the units are called in plan and findings")]
    model: Annotated[str, Field(description="CDU of railyard/catalog/cooling.yaml")]
    rows_each: Annotated[RowsEach | None, Field(description="rows that one set of units feeds; default: the whole hall")] = None
    units: Annotated[Count, Field(description="units of one set")]
    water_c: Annotated[WaterC, Field(description="facility water that enters a unit")]
    water_flow_l_min: Annotated[FlowLMin, Field(description="facility water through one unit")]
    water_pressure_kpa: Annotated[Kpa | None, Field(description="pressure difference that is left for one unit")] = None
    fluid: Annotated[Fluid, Field(description="facility side; pg25 is 25 % propylene glycol")] = "water"
    loop_c: Annotated[WaterC, Field(description="coolant that machines get")]
    loop_delta_k: Annotated[DeltaK, Field(description="rise of the coolant through the machines")]
    loop_fluid: Annotated[Fluid, Field(description="coolant of the machines")] = "pg25"


class Cooling(Noun):
    """Air and water of the hall. `inletC` is the air at the devices' intakes, `deltaK` its rise through them at full load.

    `switchFace` is the side of the rack that switches' ports look at, `airflow` the direction that models were ordered with
    where that isn't the catalogue's. `dewPointC` is the hall's highest dew point: colder surfaces get wet.
    """

    inlet_c: Annotated[AirC, Field(description="air at the intakes of the devices")]
    delta_k: Annotated[DeltaK, Field(description="rise of the air through the devices at full load")]
    altitude_m: Annotated[AltitudeM, Field(description="height of the hall above the sea: thin air carries less")]
    dew_point_c: Annotated[DewC | None, Field(description="highest dew point of the hall")] = None
    switch_face: Annotated[Face, Field(description="side of the rack that switches' ports look at")] = "rear"
    airflow: dict[str, Direction] = Field(
        default_factory=dict, max_length=64, description="way of the air that models were ordered with"
    )
    air_units: Annotated[tuple[AirUnits, ...], Field(max_length=64)] = ()
    rear_doors: RearDoors | None = None
    cdus: Annotated[tuple[CduUnits, ...], Field(max_length=64)] = ()

    @model_validator(mode="after")
    def _one_pool_for_each_rack(self) -> Self:
        for key, rows in (("airUnits", self.air_units), ("cdus", self.cdus)):
            if len({row.rows_each for row in rows}) > 1:
                found = f"{key} with rowsEach " + ", ".join(f"{row.rows_each or 'nothing'} ({row.name})" for row in rows)
                raise ContradictionError(f"the same rowsEach in all {key}: a rack's heat would be counted twice", found=found)
        names = [row.name for row in (*self.air_units, *self.cdus)]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ContradictionError("each name once in airUnits and cdus", found=f"{', '.join(twice)} twice")
        return self


class CoolingModel(Entry):
    """A CDU or a rear door. `rated_kw` holds at the rated difference and flow; what a data sheet doesn't say is left out.

    `rated_difference_k`: of a rear door, air that enters it less water that enters it; of a CDU the approach, coolant supplied
    less facility water that enters it. `rated_pressure_kpa` is the water side's drop at `rated_flow_l_min` of `rated_fluid`;
    `rated_loop_flow_l_min` is the coolant that a CDU's pumps move. `fluids` are those that it takes.
    """

    kind: Literal["cdu", "rear-door"]
    rated_kw: UnitKw
    rated_difference_k: DeltaK | None = None
    rated_flow_l_min: FlowLMin | None = None
    rated_pressure_kpa: Kpa | None = None
    rated_fluid: Fluid | None = None
    rated_loop_flow_l_min: FlowLMin | None = None
    fluids: tuple[Fluid, ...] | None = None
    air_max_m3_s: M3S | None = None
    u_height: Annotated[int, Field(ge=0, le=60)] | None = None
    peak_kw: Kw | None = None
    weight_kg: Kg | None = None


class AirConditions(Noun):
    """The air that numbers were computed with. `assumed`: the stack file has no `railyard:cooling`, these are usual values."""

    inlet_c: float
    delta_k: float
    altitude_m: float
    density_kg_m3: float
    assumed: bool


class HotModel(Noun):
    """Machines of a rack whose accelerators are cooled by air. `liquid_skus` are liquid-cooled servers with the same part."""

    model: str
    gpu_model: str
    gpu_w: float
    devices: int
    liquid_skus: tuple[str, ...]


class Intake(Noun):
    """Which air devices of one model take in, and what they ask of it. `None` is unknown.

    `us` are the lowest U of each. `takes`: `cold` from the cold aisle, `hot` from the hot one, `side` from inside of the rack,
    `none` without fans. `both_ways`: it is sold in the other direction, too. Of one device: `air_kw` goes to air,
    `airflow_m3_s` is what its fans move as its maker prints it, `rise_k` how much that air then warms; `inlet_c_max` is the
    warmest air that it may get, derated for the altitude.
    """

    model: str
    role: str
    us: tuple[int, ...]
    direction: Direction | None = None
    face: Face
    takes: Literal["cold", "hot", "side", "none"] | None = None
    both_ways: bool
    air_kw: float
    airflow_m3_s: float | None = None
    rise_k: float | None = None
    inlet_c_max: float | None = None


class RackDoor(Noun):
    """A rack's rear door at the stated air and water. `capacity_kw` is None where the data sheet lacks a figure (`unknown`).

    `hot_c` is the air that enters it, `water_out_c` leaves it; `pressure_kpa` is its drop at the stated flow.
    """

    model: str
    capacity_kw: float | None = None
    hot_c: float
    water_c: float
    water_out_c: float | None = None
    pressure_kpa: float | None = None
    pressure_limit_kpa: float | None = None
    air_max_m3_s: float | None = None
    fluid: Fluid
    fluids: tuple[Fluid, ...] | None = None
    unknown: tuple[str, ...] = ()


class LiquidNeed(Noun):
    """Machines of a rack that coolant cools in part. `only`: the catalogue has no air-cooled build of them."""

    model: str
    devices: int
    liquid_kw: float
    only: bool
    loop_c_max: float | None = None


class RackAir(Noun):
    """Heat of one rack and the ways that it goes; racks that are alike share one.

    `airflow_m3_s` = heat / (density x heat capacity x rise). `limit_kw` is what the room takes from a rack. `door_kw` is 0
    where the door's capacity is unknown. `loop` names the CDUs whose coolant the rack gets, None where there are none.
    """

    peak_kw: float
    air_kw: float
    liquid_kw: float
    door_kw: float
    room_kw: float
    limit_kw: float
    airflow_m3_s: float
    conditions: AirConditions
    intakes: tuple[Intake, ...]
    hot: tuple[HotModel, ...] = ()
    liquid: tuple[LiquidNeed, ...] = ()
    loop: str | None = None
    loop_c: float | None = None
    dew_point_c: float | None = None
    door: RackDoor | None = None


class RackAirKind(msgspec.Struct, frozen=True, rename="camel"):
    """Racks that are alike, by name, in the order of the plan."""

    air: RackAir
    racks: tuple[str, ...]


class LoopWater(Noun):
    """Facility water and coolant of a pool of CDUs, for one unit at its share of the load with all live. `None` is unknown.

    Heat = mass flow x heat capacity x rise: `water_out_c` from the stated flow, `loop_flow_l_min` from the stated rise;
    `worst_` figures are when the largest unit has failed. `loop_flow_max_l_min` is the unit's rated coolant flow.
    """

    water_c: float
    water_flow_l_min: float
    water_out_c: float
    worst_water_out_c: float | None = None
    fluid: Fluid
    fluids: tuple[Fluid, ...] | None = None
    pressure_kpa: float | None = None
    pressure_limit_kpa: float | None = None
    loop_c: float
    loop_return_c: float
    loop_fluid: Fluid
    loop_flow_l_min: float
    worst_loop_flow_l_min: float | None = None
    loop_flow_max_l_min: float | None = None


class CoolingUnit(Noun):
    """`count` alike units of a pool; figures are of one of them. `capacity_kw` holds at the stated air and water.

    `load_kw` is its share with all live; `worst_kw` its share when the pool's largest other unit fails (None: there is no
    other). `unknown` says which figures the data sheet lacks.
    """

    name: str
    kind: UnitKind
    model: str
    count: int
    capacity_kw: float | None = None
    airflow_m3_s: float | None = None
    load_kw: float
    worst_kw: float | None = None
    water: LoopWater | None = None
    unknown: tuple[str, ...] = ()


class CoolingPool(Noun):
    """Units that share the heat of some rows. Pools with the same figures are one of these.

    `areas` are the rows of each such pool, `name` is the first one's, `racks` counts those of one pool. Capacities are None
    where a unit's is unknown. `failed_` is what is left when `largest` fails. `airflow_` figures are of air pools, so are
    `door_kw` and `door_m3_s`: the most heat, and air, that a lost rear door gives back to the room.
    """

    name: str
    medium: Literal["air", "liquid"]
    areas: tuple[tuple[int, ...], ...]
    racks: int
    load_kw: float
    units: tuple[CoolingUnit, ...]
    largest: str
    capacity_kw: float | None = None
    failed_capacity_kw: float | None = None
    airflow_needed_m3_s: float | None = None
    airflow_m3_s: float | None = None
    failed_airflow_m3_s: float | None = None
    door_kw: float = 0.0
    door_m3_s: float = 0.0


class HallCooling(Noun):
    """The hall's cooling as whole: what the Hall's resource carries and its rules read.

    `room_kw` goes to the room's air, `door_kw` to rear doors, `liquid_kw` to coolant; together they are `peak_kw`. `stated` is
    false where the stack file has no `railyard:cooling`. `doors` are rear doors by kind of rack.
    """

    stated: bool
    conditions: AirConditions
    dew_point_c: float | None = None
    peak_kw: float
    room_kw: float
    door_kw: float
    liquid_kw: float
    doors: tuple[CoolingUnit, ...]
    pools: tuple[CoolingPool, ...]


class CoolingPlan(msgspec.Struct, frozen=True, rename="camel"):
    """Cooling of a site. `racks` are the distinct kinds of racks; `unknown` says in words what the plan can't say."""

    hall: HallCooling
    racks: tuple[RackAirKind, ...]
    unknown: tuple[str, ...] = ()
