"""Cooling of a site: distinct racks first, then the units that take their heat. No judgement: rules compare."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from railyard.model.cooling import Cooling, CoolingPlan, CoolingUnit, HallCooling, RackAir, RackAirKind
from railyard.model.plan import RackPlan
from railyard.model.site import StackFile
from railyard.plan.cooling.air import conditions
from railyard.plan.cooling.pools import air_pools, liquid_pools
from railyard.plan.cooling.racks import Airs, rack_kinds
from railyard.plan.parts import Parts

if TYPE_CHECKING:
    from railyard.plan import Plan


def plan_cooling(file: StackFile, parts: Parts, racks: Sequence[RackPlan]) -> tuple[tuple[RackPlan, ...], CoolingPlan]:
    """The racks, each with its air, and the cooling of the whole hall."""
    stated = file.cooling
    kinds = rack_kinds(racks, Airs(stated, conditions(stated), parts))
    airs = {name: kind.air for kind in kinds for name in kind.racks}
    hall = _hall(file, parts, racks, kinds, airs)
    cooled = tuple(rack.model_copy(update={"cooling": airs[rack.name]}) for rack in racks)
    return cooled, CoolingPlan(hall=hall, racks=kinds, unknown=tuple(_unknown(stated, kinds, hall)))


def hall_cooling(plan: "Plan") -> HallCooling | None:
    """The part of the hall's slice that is cooling's."""
    return plan.cooling.hall if plan.cooling else None


def _hall(
    file: StackFile,
    parts: Parts,
    racks: Sequence[RackPlan],
    kinds: Sequence[RackAirKind],
    airs: Mapping[str, RackAir],
) -> HallCooling:
    stated, site = file.cooling, file.site.name
    pools = [] if stated is None else air_pools(site, stated, racks, airs)
    pools += [] if stated is None else liquid_pools(site, stated, racks, airs, parts.catalog.cooling)
    return HallCooling(
        stated=stated is not None,
        conditions=conditions(stated),
        dew_point_c=stated.dew_point_c if stated else None,
        peak_kw=_sum(kinds, "peak_kw"),
        room_kw=_sum(kinds, "room_kw"),
        door_kw=_sum(kinds, "door_kw"),
        liquid_kw=_sum(kinds, "liquid_kw"),
        doors=tuple(_door(kind) for kind in kinds if kind.air.door),
        pools=tuple(pools),
    )


def _sum(kinds: Iterable[RackAirKind], field: str) -> float:
    return round(sum(float(getattr(kind.air, field)) * len(kind.racks) for kind in kinds), 6)


def _door(kind: RackAirKind) -> CoolingUnit:
    """The rear doors of racks that are alike. Nobody stands in for a door: its heat goes to the room."""
    door = kind.air.door
    return CoolingUnit(
        name=f"{kind.racks[0]}-door",
        kind="rear-door",
        model=door.model if door else "",
        count=len(kind.racks),
        capacity_kw=door.capacity_kw if door else None,
        airflow_m3_s=kind.air.airflow_m3_s,
        load_kw=kind.air.door_kw,
        worst_kw=None,
        unknown=door.unknown if door else (),
    )


def _unknown(stated: Cooling | None, kinds: Sequence[RackAirKind], hall: HallCooling) -> Iterable[str]:
    """What the plan can't say, and what would have to be stated for it."""
    if stated is None:
        air = hall.conditions
        yield (
            f"no railyard:cooling: air units are unknown, airflow is for air of {air.inlet_c:g} °C that warms by "
            f"{air.delta_k:g} K at sea level, and where switches' ports look isn't known"
        )
    elif not stated.air_units:
        yield f"no railyard:cooling.airUnits: what takes the room's {hall.room_kw:.1f} kW is unknown"
    intakes = [row for kind in kinds for row in kind.air.intakes]
    missing = {(row.model, "airflow") for row in intakes if row.direction is None}
    missing |= {(row.model, "airflowM3S") for row in intakes if row.role == "gpu" and row.airflow_m3_s is None}
    missing |= {(row.model, "inletCMax") for row in intakes if row.role == "gpu" and row.inlet_c_max is None}
    yield from (f"{fact} of {model} is unknown" for model, fact in sorted(missing))
    units = [*hall.doors, *(unit for pool in hall.pools for unit in pool.units)]
    for model, fact in sorted({(unit.model, fact) for unit in units for fact in unit.unknown}):
        yield f"{fact} of {model} is unknown"
