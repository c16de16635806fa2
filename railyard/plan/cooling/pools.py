"""Air units and CDUs: those of the same rows share a load; each pool is checked with its largest unit failed."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from railyard.model.cooling import AirUnits, CduUnits, Cooling, CoolingModel, CoolingPool, CoolingUnit, LoopWater, RackAir
from railyard.model.plan import RackPlan
from railyard.plan.cooling.exchangers import exchange
from railyard.plan.cooling.fluids import flow_l_min, kw_per_k

Rows = tuple[int, ...]


@dataclass(frozen=True)
class Load:
    """What the racks of some rows ask of a pool: `kw` of heat, `m3_s` of air; the most that one lost door adds."""

    racks: int
    kw: float
    m3_s: float = 0.0
    door_kw: float = 0.0
    door_m3_s: float = 0.0


LoadOf = Callable[[Sequence[RackPlan]], Load]


def areas(rows: Iterable[int], rows_each: int | None) -> list[Rows]:
    """Rows of each pool: all of them, or each `rows_each` in turn from row 1. Only rows that have racks are named."""
    there = sorted(set(rows))
    if rows_each is None:
        return [tuple(there)] if there else []
    found: defaultdict[int, list[int]] = defaultdict(list)
    for row in there:
        found[(row - 1) // rows_each].append(row)
    return [tuple(found[index]) for index in sorted(found)]


def air_pools(site: str, stated: Cooling, racks: Sequence[RackPlan], airs: Mapping[str, RackAir]) -> list[CoolingPool]:
    """Pools of air units. A rack asks for its airflow in proportion to what its rear door leaves to the room."""
    loads = _loads(stated.air_units, racks, lambda rows: _air_load(rows, airs))
    return [_air_pool(site, stated.air_units, load, same) for load, same in loads.items()]


def liquid_pools(
    site: str, stated: Cooling, racks: Sequence[RackPlan], airs: Mapping[str, RackAir], models: Mapping[str, CoolingModel]
) -> list[CoolingPool]:
    """Pools of CDUs; rows without liquid-cooled machines need none. CDUs that the catalogue doesn't have are left out.

    Where no machine at all is liquid-cooled, the stated CDUs stay, without load: what is stated is judged, and said to be idle.
    """
    units = tuple(unit for unit in stated.cdus if unit.model in models and models[unit.model].kind == "cdu")
    loads = _loads(units, racks, lambda rows: Load(len(rows), round(sum(airs[rack.name].liquid_kw for rack in rows), 6)))
    idle = all(load.kw <= 0 for load in loads)
    return [_liquid_pool(site, units, models, load, same) for load, same in loads.items() if idle or load.kw > 0]


def _loads(units: Sequence[AirUnits] | Sequence[CduUnits], racks: Sequence[RackPlan], load: LoadOf) -> dict[Load, list[Rows]]:
    """Pools with the same load are one, with all their areas."""
    if not units:
        return {}
    by_row: defaultdict[int, list[RackPlan]] = defaultdict(list)
    for rack in racks:
        by_row[rack.row].append(rack)
    found: defaultdict[Load, list[Rows]] = defaultdict(list)
    for rows in areas(by_row, units[0].rows_each):
        found[load([rack for row in rows for rack in by_row[row]])].append(rows)
    return dict(found)


def _air_load(racks: Sequence[RackPlan], airs: Mapping[str, RackAir]) -> Load:
    found = [airs[rack.name] for rack in racks]
    flow = sum(air.airflow_m3_s * (air.room_kw / air.air_kw if air.air_kw else 0.0) for air in found)
    door, back = max((air.door_kw for air in found), default=0.0), max(map(door_m3_s, found), default=0.0)
    return Load(len(found), round(sum(air.room_kw for air in found), 6), round(flow, 4), door, round(back, 4))


def door_m3_s(air: RackAir) -> float:
    """Air of a rack that its rear door hands on cooled, in m3/s: without the door the room's units have to move it, too."""
    return air.airflow_m3_s * air.door_kw / air.air_kw if air.air_kw else 0.0


def pool_name(site: str, names: Iterable[str], rows: Rows, rows_each: int | None) -> str:
    """`a-crah` for a hall, `a-crah-row-003` for a row, `a-crah-rows-003-004` for two, of site `a`: a row more renames none."""
    base = f"{site}-{'+'.join(names)}"
    if rows_each is None:
        return base
    first = (rows[0] - 1) // rows_each * rows_each + 1
    return f"{base}-row-{first:03d}" if rows_each == 1 else f"{base}-rows-{first:03d}-{first + rows_each - 1:03d}"


def unit_names(unit: CoolingUnit) -> list[str]:
    """Each of the alike units of a row: `a-crah-row-003/1` ..."""
    return [f"{unit.name}/{number}" for number in range(1, unit.count + 1)]


@dataclass(frozen=True)
class Shares:
    """How a load falls on units of several sizes: `sizes` are their capacities (None: unknown), `counts` how many of each."""

    sizes: tuple[float | None, ...]
    counts: tuple[int, ...]

    def total(self) -> float | None:
        """Capacity of all units; None where one is unknown."""
        if any(size is None for size in self.sizes):
            return None
        return round(sum((size or 0.0) * count for size, count in zip(self.sizes, self.counts, strict=True)), 3)

    def largest(self) -> int:
        """Index of the largest kind of unit; the first where they are equal or unknown."""
        return max(range(len(self.sizes)), key=lambda index: (self.sizes[index] or 0.0, -index))

    def left(self) -> float | None:
        """Capacity that is left when one of the largest fails."""
        total = self.total()
        return None if total is None else round(total - (self.sizes[self.largest()] or 0.0), 3)

    def share(self, index: int, lost: int | None = None) -> float | None:
        """Share of the load that one unit of a kind takes, with one of kind `lost` gone: by capacity, else by number.

        None where no other unit is left.
        """
        live = [count - (at == lost) for at, count in enumerate(self.counts)]
        if live[index] < 1:
            return None
        known = all(size for size in self.sizes)
        weights = [(size or 0.0) if known else 1.0 for size in self.sizes]
        return weights[index] / sum(weight * count for weight, count in zip(weights, live, strict=True))

    def worst(self, index: int) -> float | None:
        """The same with the largest other unit gone."""
        others = [at for at, count in enumerate(self.counts) if count - (at == index) > 0]
        if not others:
            return None
        return self.share(index, max(others, key=lambda at: (self.sizes[at] or 0.0, -at)))


def _air_pool(site: str, units: Sequence[AirUnits], load: Load, same: list[Rows]) -> CoolingPool:
    shares = Shares(tuple(unit.capacity_kw for unit in units), tuple(unit.units for unit in units))
    each = units[0].rows_each
    rows = tuple(
        CoolingUnit(
            name=pool_name(site, [unit.name], same[0], each),
            kind="air-unit",
            model=unit.kind,
            count=unit.units,
            capacity_kw=unit.capacity_kw,
            airflow_m3_s=unit.airflow_m3_s,
            load_kw=_part(load.kw, shares.share(index)) or 0.0,
            worst_kw=_part(load.kw, shares.worst(index)),
        )
        for index, unit in enumerate(units)
    )
    flow = sum(unit.airflow_m3_s * unit.units for unit in units)
    return CoolingPool(
        name=pool_name(site, [unit.name for unit in units], same[0], each),
        medium="air",
        areas=tuple(same),
        racks=load.racks,
        load_kw=load.kw,
        units=rows,
        largest=rows[shares.largest()].name,
        capacity_kw=shares.total(),
        failed_capacity_kw=shares.left(),
        airflow_needed_m3_s=load.m3_s,
        airflow_m3_s=round(flow, 4),
        failed_airflow_m3_s=round(flow - max(unit.airflow_m3_s for unit in units), 4),
        door_kw=load.door_kw,
        door_m3_s=load.door_m3_s,
    )


def _part(kw: float, share: float | None) -> float | None:
    return None if share is None else round(kw * share, 3)


def _liquid_pool(
    site: str, units: Sequence[CduUnits], models: Mapping[str, CoolingModel], load: Load, same: list[Rows]
) -> CoolingPool:
    found = [
        exchange(
            models[unit.model],
            unit.loop_c - unit.water_c,
            unit.loop_c + unit.loop_delta_k - unit.water_c,
            unit.water_c,
            unit.water_flow_l_min,
            unit.fluid,
        )
        for unit in units
    ]
    shares, each = Shares(tuple(item.capacity_kw for item in found), tuple(unit.units for unit in units)), units[0].rows_each
    rows: list[CoolingUnit] = []
    for index, (unit, item) in enumerate(zip(units, found, strict=True)):
        part, worst = _part(load.kw, shares.share(index)) or 0.0, _part(load.kw, shares.worst(index))
        rows.append(
            CoolingUnit(
                name=pool_name(site, [unit.name], same[0], each),
                kind="cdu",
                model=unit.model,
                count=unit.units,
                capacity_kw=item.capacity_kw,
                airflow_m3_s=None,
                load_kw=part,
                worst_kw=worst,
                water=_water(unit, models[unit.model], item.pressure_kpa, part, worst),
                unknown=item.unknown,
            )
        )
    return CoolingPool(
        name=pool_name(site, [unit.name for unit in units], same[0], each),
        medium="liquid",
        areas=tuple(same),
        racks=load.racks,
        load_kw=load.kw,
        units=tuple(rows),
        largest=rows[shares.largest()].name,
        capacity_kw=shares.total(),
        failed_capacity_kw=shares.left(),
    )


def _water(unit: CduUnits, model: CoolingModel, pressure: float | None, kw: float, worst_kw: float | None) -> LoopWater:
    carried = kw_per_k(unit.fluid, unit.water_c, unit.water_flow_l_min)
    return LoopWater(
        water_c=unit.water_c,
        water_flow_l_min=unit.water_flow_l_min,
        water_out_c=round(unit.water_c + kw / carried, 3),
        worst_water_out_c=None if worst_kw is None else round(unit.water_c + worst_kw / carried, 3),
        fluid=unit.fluid,
        fluids=model.fluids,
        pressure_kpa=pressure,
        pressure_limit_kpa=unit.water_pressure_kpa,
        loop_c=unit.loop_c,
        loop_return_c=round(unit.loop_c + unit.loop_delta_k, 3),
        loop_fluid=unit.loop_fluid,
        loop_flow_l_min=round(flow_l_min(unit.loop_fluid, unit.loop_c, kw, unit.loop_delta_k), 2),
        worst_loop_flow_l_min=None
        if worst_kw is None
        else round(flow_l_min(unit.loop_fluid, unit.loop_c, worst_kw, unit.loop_delta_k), 2),
        loop_flow_max_l_min=model.rated_loop_flow_l_min,
    )
