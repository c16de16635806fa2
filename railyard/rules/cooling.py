"""Cooling of a rack and of the hall. The planner computes kilowatts, airflow and temperatures; here they meet their limits."""

from collections.abc import Iterable, Iterator

from railyard.model.cooling import (
    AirConditions,
    CoolingPool,
    CoolingUnit,
    Fluid,
    HallCooling,
    Intake,
    LoopWater,
    RackAir,
    RackDoor,
)
from railyard.model.plan import RackPlan
from railyard.rules.cooling_texts import (
    COOL_001,
    COOL_002,
    COOL_003,
    COOL_004,
    COOL_005,
    COOL_006,
    COOL_007,
    COOL_008,
    COOL_009,
    COOL_010,
    COOL_011,
    COOL_012,
    COOL_013,
    COOL_014,
    COOL_015,
    COOL_016,
    COOL_017,
    COOL_018,
    COOL_019,
    COOL_020,
)
from railyard.rules.registry import Finding, Predicate, exceeds, run
from railyard.rules.thresholds import DEFAULTS, Thresholds

_CATALOGUE = "railyard/catalog/cooling.yaml"
_CFM = 60 / 0.3048**3
"""Cubic feet per minute in one m3/s."""


def check_hall_cooling(hall: HallCooling, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about the hall's units."""
    return run(HALL_COOLING_PREDICATES, hall, "railyard:cooling", thresholds)


def _air(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """COOL-001."""
    limit = rack.air_limit_kw * limits.air_percent_max / 100
    door, taken = (rack.cooling.door, rack.cooling.door_kw) if rack.cooling else (None, 0.0)
    room = rack.air_kw - taken
    if not exceeds(room, limit):
        return
    if door and door.capacity_kw is None:
        fix = f"enter {', '.join(_for_capacity(door))} of {door.model} in {_CATALOGUE}"
        yield COOL_001.undecided(where, f"{room:.2f} kW of heat to air, less what {door.model} takes", f"{limit:.2f} kW", fix)
    else:
        whose = f"{room:.2f} kW of heat to air" + (f" beside the {taken:.2f} kW that {door.model} takes" if door else "")
        fix = f"move {room - limit:.2f} kW out of this rack (railyard:facility.nodesPerRack) or cool it by liquid"
        yield COOL_001.finding(where, whose, f"{limit:.2f} kW", fix)


def _door_lost(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """COOL-009, where the door makes the difference: without that COOL-001 says all."""
    air = rack.cooling
    limit = air.limit_kw * limits.air_percent_max / 100 if air else 0.0
    if air and air.door and exceeds(air.air_kw, limit) and not exceeds(air.air_kw - air.door_kw, limit):
        yield COOL_009.finding(where, f"{air.air_kw:.2f} kW of heat to air without {air.door.model}", f"{limit:.2f} kW")


def _hot(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """COOL-002."""
    air = rack.cooling
    for row in air.hot if air else ():
        if air and not exceeds(limits.hot_part_w, row.gpu_w):
            count = f"{row.devices} x {row.model} with parts of {row.gpu_w:g} W ({row.gpu_model}) on air"
            found = f"{count}: {air.air_kw:.2f} kW of heat to air, {_flow(air.airflow_m3_s)} {_conditions(air)}"
            found += _own_rise(air, row.model)
            skus = f"liquid-cooled: {', '.join(row.liquid_skus)}" if row.liquid_skus else "no liquid-cooled server is known"
            yield COOL_002.finding(f"{where}/{row.model}", found, f"{air.limit_kw:.2f} kW of air per rack", skus)


def _flow(m3_s: float) -> str:
    return f"{m3_s:.2f} m3/s ({m3_s * _CFM:.0f} CFM)"


def _own_rise(air: RackAir, model: str) -> str:
    """Where a model's fans move less than the stated rise needs: what its air then really warms by, and comes back as."""
    known = air.conditions
    for row in air.intakes:
        if row.model != model or row.role != "gpu" or known.assumed or row.airflow_m3_s is None or row.rise_k is None:
            continue
        if exceeds(row.rise_k, known.delta_k):
            warm = f"air warms by {row.rise_k:.1f} K to {known.inlet_c + row.rise_k:.1f} °C"
            return f"; fans of one {model} move {_flow(row.airflow_m3_s)} by its maker: {warm} at full load"
    return ""


def _conditions(air: RackAir) -> str:
    """The air that an airflow was computed with; assumed air is said to be."""
    known = air.conditions
    how = f"at {known.inlet_c:g} °C, a rise of {known.delta_k:g} K and {known.altitude_m:g} m"
    return f"{how} (assumed: no railyard:cooling)" if known.assumed else how


def _intake(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """COOL-003, for each model. Where the stack file says nothing of the hall's air, the plan says so and nothing is judged."""
    air = rack.cooling
    for row in air.intakes if air else ():
        place, limit = f"{where}/{row.model}", "air of the cold aisle"
        if row.takes in ("hot", "side"):
            source = "hot aisle" if row.takes == "hot" else "inside of the rack"
            yield COOL_003.finding(place, f"{_device(row)} takes in air from the {source}", limit, _turned(row))
        elif row.takes is None and air and not air.conditions.assumed:
            fix = f"state it in railyard:cooling.airflow, or enter airflow of {row.model} in railyard/catalog"
            yield COOL_003.undecided(place, f"direction of the air through {row.model} is unknown", limit, fix)


def _device(row: Intake) -> str:
    us = ", ".join(f"U{u}" for u in row.us)
    return f"{row.model} ({row.role}, {us}; {row.direction}, front at the rack's {row.face})"


def _turned(row: Intake) -> str:
    if row.both_ways:
        return COOL_003.fix
    return f"turn {row.model} round (railyard:cooling.switchFace), or another model: this one is sold in one direction"


def _loop(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """COOL-004 and COOL-014: coolant, and none there."""
    air = rack.cooling
    for row in air.liquid if air else ():
        if air and air.loop is None:
            rule = COOL_004 if row.only else COOL_014
            found = f"{row.devices} x {row.model} give {row.liquid_kw:.2f} kW to coolant, and there are no CDUs"
            yield rule.finding(f"{where}/{row.model}", found, "CDUs that feed this rack")


def _coolant(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """COOL-013."""
    air = rack.cooling
    for row in air.liquid if air else ():
        if air is None or air.loop_c is None:
            continue
        place, found = f"{where}/{row.model}", f"coolant of {air.loop_c:g} °C"
        if row.loop_c_max is None:
            limit, fix = f"unknown for {row.model}", f"enter loopCMax of {row.model} in railyard/catalog/nodes.yaml"
            yield COOL_013.undecided(place, found, limit, fix)
        elif exceeds(air.loop_c, row.loop_c_max):
            yield COOL_013.finding(place, found, f"{row.loop_c_max:g} °C for {row.model}")


def _fans(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """COOL-005 and COOL-006: stated air against each model's own figures."""
    air = rack.cooling
    if air is None or air.conditions.assumed:
        return
    known = air.conditions
    for row in air.intakes:
        place = f"{where}/{row.model}"
        if row.rise_k is not None and row.airflow_m3_s is not None and exceeds(known.delta_k, row.rise_k):
            limit = f"{row.rise_k:.1f} K: {row.air_kw:g} kW in the {_flow(row.airflow_m3_s)} that its fans move"
            fix = f"set railyard:cooling.deltaK to {row.rise_k:.1f} or less"
            yield COOL_005.finding(place, f"air that warms by {known.delta_k:g} K", limit, fix)
        if row.inlet_c_max is not None and exceeds(known.inlet_c, row.inlet_c_max):
            limit = f"{row.inlet_c_max:g} °C for {row.model} at {known.altitude_m:g} m"
            yield COOL_006.finding(place, f"air of {known.inlet_c:g} °C", limit)


def _door_air(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """COOL-007."""
    air = rack.cooling
    door = air.door if air else None
    if air and door and door.air_max_m3_s is not None and exceeds(air.airflow_m3_s, door.air_max_m3_s):
        found = f"{_flow(air.airflow_m3_s)} through {door.model}"
        yield COOL_007.finding(where, found, _flow(door.air_max_m3_s))


def _door_water(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """COOL-008, COOL-010, COOL-011 and COOL-012 of a rear door."""
    air = rack.cooling
    door = air.door if air else None
    if air is None or door is None:
        return
    yield from _colder(where, door.water_c, door.hot_c, f"air that enters {door.model}")
    yield from _pressure(where, door.model, door)
    yield from _fluid(where, door.model, (door.fluid,), door.fluids)
    yield from _dry(where, f"water of {door.model}", door.water_c, _Dew(air.dew_point_c, air.conditions), limits)


def _colder(where: str, water_c: float, warm_c: float, what: str) -> Iterator[Finding]:
    """COOL-008: the other way round there is nothing to gain."""
    if not exceeds(warm_c, water_c):
        yield COOL_008.finding(where, f"water of {water_c:g} °C", f"below the {warm_c:g} °C of the {what}")


def _pressure(where: str, model: str, unit: RackDoor | LoopWater) -> Iterator[Finding]:
    """COOL-010."""
    drop, left = unit.pressure_kpa, unit.pressure_limit_kpa
    limit = "no waterPressureKpa is stated" if left is None else f"{left:g} kPa"
    if drop is None:
        fix = f"enter ratedPressureKpa, ratedFlowLMin and ratedFluid of {model} in {_CATALOGUE}"
        yield COOL_010.undecided(where, f"pressure drop of {model} is unknown at this flow of {unit.fluid}", limit, fix)
    elif left is None:
        fix = "state waterPressureKpa: what the piping leaves for one unit at its flow"
        yield COOL_010.undecided(where, f"{model} drops {drop:.1f} kPa", limit, fix)
    elif exceeds(drop, left):
        yield COOL_010.finding(where, f"{model} drops {drop:.1f} kPa", limit)


def _fluid(where: str, model: str, fluids: tuple[Fluid, ...], taken: tuple[Fluid, ...] | None) -> Iterator[Finding]:
    """COOL-011, once for each fluid."""
    for fluid in dict.fromkeys(fluids):
        if taken is None:
            fix = f"enter fluids of {model} in {_CATALOGUE}"
            yield COOL_011.undecided(where, f"{fluid} in {model}", "its fluids are unknown", fix)
        elif fluid not in taken:
            yield COOL_011.finding(where, f"{fluid} in {model}", " or ".join(taken))


class _Dew:
    """The hall's highest dew point; where it isn't stated, the air at the intakes: no air is colder than its own dew point."""

    def __init__(self, dew_c: float | None, air: AirConditions) -> None:
        self.dew_c, self.most_c = dew_c, air.inlet_c if dew_c is None else dew_c


def _dry(where: str, what: str, cold_c: float, dew: _Dew, limits: Thresholds) -> Iterator[Finding]:
    """COOL-012. Water that is warmer than the hall's air stays dry whatever the dew point is."""
    found = f"{what} at {cold_c:g} °C"
    if not exceeds(dew.most_c + limits.dew_margin_k, cold_c):
        return
    dew_c = dew.dew_c
    if dew_c is None:
        fix = "state railyard:cooling.dewPointC, the highest that the hall's humidity control allows"
        yield COOL_012.undecided(where, found, "the hall's dew point is unknown", fix)
    else:
        limit = f"{dew_c + limits.dew_margin_k:g} °C (dew point {dew_c:g} °C and {limits.dew_margin_k:g} K)"
        yield COOL_012.finding(where, found, limit)


def _carries(hall: HallCooling, _where: str, limits: Thresholds) -> Iterator[Finding]:
    """COOL-015, for each pool."""
    for pool in _asked(hall):
        found = f"{pool.load_kw:.1f} kW {_of(pool)}"
        if pool.capacity_kw is None:
            yield COOL_015.undecided(pool.name, found, *_missing(pool.units))
            continue
        limit = pool.capacity_kw * limits.cooling_percent_max / 100
        if exceeds(pool.load_kw, limit):
            yield COOL_015.finding(pool.name, found, f"{limit:.1f} kW: {_units(pool)}")


def _missing(units: Iterable[CoolingUnit]) -> tuple[str, str]:
    """Limit and fix where a capacity is unknown."""
    facts = {unit.model: ", ".join(_for_capacity(unit)) for unit in units if unit.capacity_kw is None}
    whole = "; ".join(f"{unknown} of {model}" for model, unknown in facts.items())
    return f"unknown without {whole}", f"enter {whole} in {_CATALOGUE}"


def _for_capacity(unit: CoolingUnit | RackDoor) -> list[str]:
    return [fact for fact in unit.unknown if fact in ("ratedDifferenceK", "ratedFlowLMin")]


def _of(pool: CoolingPool) -> str:
    """Racks of a pool and how many others are like it."""
    more = len(pool.areas) - 1
    alike = f" ({more} other pool{'s are' if more > 1 else ' is'} alike)" if more else ""
    return f"from {pool.racks} racks{alike}"


def _units(pool: CoolingPool) -> str:
    return " and ".join(f"{unit.count} x {unit.model} of {unit.capacity_kw or 0:.1f} kW" for unit in pool.units)


def _failed(hall: HallCooling, _where: str, limits: Thresholds) -> Iterator[Finding]:
    """COOL-016: the largest unit gone, then the rear door that takes most."""
    for pool in _asked(hall):
        share = limits.cooling_failed_percent_max / 100
        if pool.capacity_kw is None or pool.failed_capacity_kw is None:
            yield COOL_016.undecided(pool.name, f"{pool.load_kw:.1f} kW {_of(pool)}", *_missing(pool.units))
            continue
        if exceeds(pool.load_kw, pool.failed_capacity_kw * share):
            short = pool.load_kw - pool.failed_capacity_kw * share
            found = f"{pool.load_kw:.1f} kW {_of(pool)} with one {pool.largest} failed"
            fix = f"{short:.1f} kW more: one more unit, or larger ones"
            yield COOL_016.finding(pool.name, found, f"{pool.failed_capacity_kw * share:.1f} kW is left of {_units(pool)}", fix)
        if exceeds(pool.load_kw + pool.door_kw, pool.capacity_kw * share) and exceeds(pool.door_kw, 0.0):
            found = f"{pool.load_kw + pool.door_kw:.1f} kW {_of(pool)} with a rear door lost"
            yield COOL_016.finding(pool.name, found, f"{pool.capacity_kw * share:.1f} kW: {_units(pool)}")


def _moves(hall: HallCooling, _where: str, limits: Thresholds) -> Iterator[Finding]:
    """COOL-017: with all live, else with the largest unit failed; then with the rear door lost that takes most air."""
    for pool in hall.pools:
        need, share = pool.airflow_needed_m3_s, limits.airflow_percent_max / 100
        if need is None or pool.airflow_m3_s is None or pool.failed_airflow_m3_s is None:
            continue
        found = f"racks draw {_flow(need)}"
        if exceeds(need, pool.airflow_m3_s * share):
            yield COOL_017.finding(pool.name, found, f"{_flow(pool.airflow_m3_s * share)} with all units live")
        elif exceeds(need, pool.failed_airflow_m3_s * share):
            yield COOL_017.finding(pool.name, found, f"{_flow(pool.failed_airflow_m3_s * share)} with the largest unit failed")
        if exceeds(need + pool.door_m3_s, pool.airflow_m3_s * share) and exceeds(pool.door_m3_s, 0.0):
            found = f"racks draw {_flow(need + pool.door_m3_s)} with a rear door lost, which hands {_flow(pool.door_m3_s)} back"
            yield COOL_017.finding(pool.name, found, f"{_flow(pool.airflow_m3_s * share)} with all units live")


def _asked(hall: HallCooling) -> Iterator[CoolingPool]:
    """Pools that something is asked of: idle CDUs carry nothing, whatever they could."""
    return (pool for pool in hall.pools if pool.medium == "air" or exceeds(pool.load_kw, 0.0))


def _idle(hall: HallCooling, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """COOL-020."""
    for pool in hall.pools:
        if pool.medium == "liquid" and not exceeds(pool.load_kw, 0.0):
            units = " and ".join(f"{unit.count} x {unit.model}" for unit in pool.units)
            yield COOL_020.finding(
                pool.name,
                f"{units} for {pool.racks} racks, none of whose machines is cooled by coolant",
                "machines that are (compute.nodeModel)",
            )


def _waters(pools: Iterable[CoolingPool]) -> Iterator[tuple[CoolingUnit, LoopWater]]:
    for pool in pools:
        yield from ((unit, unit.water) for unit in pool.units if unit.water)


def _loop_flow(hall: HallCooling, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """COOL-018, with the largest other unit failed; one that is alone has to carry all of it anyway."""
    for unit, water in _waters(_asked(hall)):
        flow = water.loop_flow_l_min if water.worst_loop_flow_l_min is None else water.worst_loop_flow_l_min
        rise = water.loop_return_c - water.loop_c
        found = f"{flow:.0f} l/min of {water.loop_fluid} at a rise of {rise:g} K through one {unit.model}{_left(unit)}"
        if water.loop_flow_max_l_min is None:
            fix = f"enter ratedLoopFlowLMin of {unit.model} in {_CATALOGUE}"
            yield COOL_018.undecided(unit.name, found, "its coolant flow is unknown", fix)
        elif exceeds(flow, water.loop_flow_max_l_min):
            yield COOL_018.finding(unit.name, found, f"{water.loop_flow_max_l_min:g} l/min")


def _left(unit: CoolingUnit) -> str:
    """Whose share it is where a unit has failed, and whether it can give that at all: if not, COOL-016 is the cause."""
    if unit.worst_kw is None:
        return ""
    text = f" with one unit failed, at {unit.worst_kw:.1f} kW"
    short = unit.capacity_kw is not None and exceeds(unit.worst_kw, unit.capacity_kw)
    return f"{text} (it can give {unit.capacity_kw or 0.0:.1f} kW: COOL-016)" if short else text


def _hall_water(hall: HallCooling, _where: str, limits: Thresholds) -> Iterator[Finding]:
    """COOL-008, COOL-010, COOL-011, COOL-012 and COOL-019 of CDUs."""
    dew = _Dew(hall.dew_point_c, hall.conditions)
    for unit, water in _waters(hall.pools):
        yield from _colder(unit.name, water.water_c, water.loop_c, f"coolant that {unit.model} supplies")
        yield from _pressure(unit.name, unit.model, water)
        yield from _fluid(unit.name, unit.model, (water.fluid, water.loop_fluid), water.fluids)
        yield from _dry(unit.name, f"coolant of {unit.model}", water.loop_c, dew, limits)
        out = water.water_out_c if water.worst_water_out_c is None else water.worst_water_out_c
        if exceeds(out, water.loop_return_c):
            found = f"{water.water_flow_l_min:g} l/min of {water.fluid} would leave {unit.model} at {out:.1f} °C{_left(unit)}"
            yield COOL_019.finding(unit.name, found, f"{water.loop_return_c:g} °C, the coolant's return")


RACK_COOLING_PREDICATES: tuple[Predicate[RackPlan], ...] = (
    Predicate((COOL_001,), frozenset({"air_kw", "air_limit_kw", "cooling"}), _air),
    Predicate((COOL_002,), frozenset({"cooling"}), _hot),
    Predicate((COOL_003,), frozenset({"cooling"}), _intake),
    Predicate((COOL_004, COOL_014), frozenset({"cooling"}), _loop),
    Predicate((COOL_005, COOL_006), frozenset({"cooling"}), _fans),
    Predicate((COOL_007,), frozenset({"cooling"}), _door_air),
    Predicate((COOL_008, COOL_010, COOL_011, COOL_012), frozenset({"cooling"}), _door_water),
    Predicate((COOL_009,), frozenset({"cooling"}), _door_lost),
    Predicate((COOL_013,), frozenset({"cooling"}), _coolant),
)
HALL_COOLING_PREDICATES: tuple[Predicate[HallCooling], ...] = (
    Predicate((COOL_015,), frozenset({"pools"}), _carries),
    Predicate((COOL_016,), frozenset({"pools"}), _failed),
    Predicate((COOL_017,), frozenset({"pools"}), _moves),
    Predicate((COOL_018,), frozenset({"pools"}), _loop_flow),
    Predicate((COOL_020,), frozenset({"pools"}), _idle),
    Predicate(
        (COOL_008, COOL_010, COOL_011, COOL_012, COOL_019), frozenset({"pools", "dew_point_c", "conditions"}), _hall_water
    ),
)
