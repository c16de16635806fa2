"""Cooling failures: one unit of a pool (CDU, air unit), one rear door. No power path of pumps and fans is planned.

A pool that is left with less than its heat lets its racks run at what it still takes: heat follows power. Switches, storage and
managers can't slow down, so what they give to the air comes first; GPU nodes are throttled to the share of theirs that is left.
With nothing left they are down. Where a capacity is unknown, so is what they do.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from railyard.model.cooling import CoolingPool, CoolingUnit, HallCooling, RackAir
from railyard.model.failures import EventKind, FailureEvent
from railyard.plan.cooling.pools import door_m3_s, pool_name
from railyard.plan.failures.scene import Scene
from railyard.plan.failures.settle import DOWN, EPSILON, FULL, THROTTLED, UNKNOWN

_ROWS = re.compile(r"-rows?-([0-9]{3,})(?:-([0-9]{3,}))?$")
"""What `pool_name` puts behind the name of units that serve some rows."""
_EVEN = "GPU machines of a pool that is short are slowed down alike, switches and storage keep their load"


class Heat(msgspec.Struct, gc=False):
    """GPUs and planned kW of the GPU machines in some racks; `fixed_kw` is what all else there gives to the room's air."""

    gpus: int = 0
    kw: float = 0.0
    racks: int = 0
    fixed_kw: float = 0.0

    def add(self, other: "Heat") -> None:
        """Take other racks in."""
        self.gpus += other.gpus
        self.kw += other.kw
        self.racks += other.racks
        self.fixed_kw += other.fixed_kw


def cooling_events(scene: Scene) -> Iterator[FailureEvent]:
    """Every unit of every pool and every rear door."""
    hall = _hall(scene)
    if hall is None:
        return
    by_rack = _by_rack(scene)
    rows: defaultdict[tuple[int, bool], Heat] = defaultdict(Heat)
    for name, heat in by_rack.items():
        air = scene.air_of.get(name)
        row = rows[scene.row_of[name], air is not None and air.liquid_kw > EPSILON]
        row.add(heat)
        row.fixed_kw += _fixed_kw(air) * (air.room_kw / air.air_kw) if air and air.air_kw > EPSILON else 0.0
    for pool in hall.pools:
        if pool.load_kw > EPSILON:  # else no rack that stands asks it for anything: its loss proves nothing
            yield from _pool_events(scene, pool, rows)
    yield from _door_events(scene, hall, by_rack, rows)


def find_cooling(scene: Scene, name: str) -> FailureEvent | None:
    """The cooling failure of this name."""
    for event in cooling_events(scene):
        if name in event.alike:
            return msgspec.structs.replace(event, lost=(name,), alike=(name,), stands_for=1)
    return None


def cooling_notes(scene: Scene) -> Iterator[str]:
    """What is not known of cooling."""
    hall = _hall(scene)
    if hall is None or not hall.stated:
        yield "railyard:cooling isn't stated: the loss of air units, CDUs and rear doors is not in the matrix"
    elif hall.pools or hall.doors:
        yield "what feeds pumps and fans isn't planned: a lost UPS or panel may stop them, too, and that is not in the matrix"


def _hall(scene: Scene) -> HallCooling | None:
    return scene.plan.cooling.hall if scene.plan.cooling else None


def _by_rack(scene: Scene) -> dict[str, Heat]:
    """Heat of each rack of the power plan."""
    kinds = [
        Heat(sum(m.gpus for m in kind.machines), sum(m.kw for m in kind.machines if m.gpus), 1) for kind in scene.hall.kinds
    ]
    return {name: kinds[spot.kind] for spot in scene.hall.spots for name in spot.racks}


def _fixed_kw(air: RackAir) -> float:
    """Heat to air of what can't slow down: switches, storage, managers."""
    return sum(row.air_kw * len(row.us) for row in air.intakes if row.role != "gpu")


def _slowed(share: float, fixed: float) -> float:
    """Share of the GPU machines' heat that is left of a share of all heat when a part of it, `fixed` (0 to 1), can't shrink.

    Both go the same way where air runs short instead of kilowatts: all devices' air warms by the same rise.
    """
    return 1.0 if share >= 1.0 else max(0.0, share - fixed) / max(1.0 - fixed, EPSILON)


def _in(rows: dict[tuple[int, bool], Heat], area: Iterable[int], *, liquid: bool) -> Heat:
    """What stands in some rows: machines on coolant, or all."""
    total = Heat()
    for row in area:
        for wet in (True,) if liquid else (True, False):
            total.add(rows.get((row, wet), Heat()))
    return total


def _pool_events(scene: Scene, pool: CoolingPool, rows: dict[tuple[int, bool], Heat]) -> Iterator[FailureEvent]:
    """One event for each size of unit and each area; it counts the units that are alike."""
    for unit in pool.units:
        share, why = _share_left(pool, unit)
        base, each = _stem(unit.name)
        for area in pool.areas:
            place = base if each is None else pool_name("", [base], area, each)[1:]
            names = tuple(f"{place}/{number}" for number in range(1, unit.count + 1))
            heat = _in(rows, area, liquid=pool.medium == "liquid")
            fixed = heat.fixed_kw / pool.load_kw if pool.medium == "air" and pool.load_kw > EPSILON else 0.0
            yield _event(scene, unit.kind, names, heat, None if share is None else _slowed(share, fixed), why)


def _stem(name: str) -> tuple[str, int | None]:
    """Name of a pool's units without its rows, and how many rows each pool serves (None: all)."""
    rows = _ROWS.search(name)
    if rows is None:
        return name, None
    return name[: rows.start()], 1 if rows[2] is None else int(rows[2]) - int(rows[1]) + 1


def _share_left(pool: CoolingPool, lost: CoolingUnit) -> tuple[float | None, str]:
    """Share (0 to 1) of the pool's heat that is still taken without one unit; None with the reason where nobody knows."""
    rest = [(unit, unit.count - (unit is lost)) for unit in pool.units]
    rest = [(unit, count) for unit, count in rest if count]
    if not rest:
        return 0.0, ""
    missing = sorted({unit.model or unit.name for unit, _ in rest if unit.capacity_kw is None})
    if missing:
        return None, f"capacity of {', '.join(missing)} is unknown at the stated conditions"
    share = sum((unit.capacity_kw or 0.0) * count for unit, count in rest) / pool.load_kw
    needed = pool.airflow_needed_m3_s
    if needed and all(unit.airflow_m3_s is not None for unit, _ in rest):
        share = min(share, sum((unit.airflow_m3_s or 0.0) * count for unit, count in rest) / needed)
    return min(1.0, share), ""


def _door_events(
    scene: Scene, hall: HallCooling, by_rack: dict[str, Heat], rows: dict[tuple[int, bool], Heat]
) -> Iterator[FailureEvent]:
    """One event for each rack with a door: all its heat goes to the room, to one rack's limit and to the row's air units."""
    pools = {row: (pool, area) for pool in hall.pools if pool.medium == "air" for area in pool.areas for row in area}
    for kind in scene.plan.cooling.racks if scene.plan.cooling else ():
        air = kind.air
        if air.door is None or air.air_kw <= EPSILON:
            continue
        for name in kind.racks:
            heat = by_rack.get(name, Heat())
            share = _slowed(air.limit_kw / air.air_kw, _fixed_kw(air) / air.air_kw)
            pool, area = pools.get(scene.row_of[name], (None, ()))
            taken = _taken(pool, air) if pool else 1.0
            if pool and taken < 1.0 - EPSILON:
                heat = _in(rows, area, liquid=False)
                share = min(share, _slowed(taken, heat.fixed_kw / (pool.load_kw + air.door_kw)))
            yield _event(scene, "rear-door", (f"{name}-door",), heat, share, "")


def _taken(pool: CoolingPool, air: RackAir) -> float:
    """Share (0 to 1) of the room's heat that a pool takes with a rack's rear door lost: in kW, and in the air that it moves."""
    share = 1.0 if pool.capacity_kw is None else pool.capacity_kw / (pool.load_kw + air.door_kw)
    needed = (pool.airflow_needed_m3_s or 0.0) + door_m3_s(air)
    return min(1.0, share, 1.0 if pool.airflow_m3_s is None or not needed else pool.airflow_m3_s / needed)


def _event(scene: Scene, kind: EventKind, names: tuple[str, ...], heat: Heat, share: float | None, why: str) -> FailureEvent:
    """An event (one for each name) that leaves some machines at a share of their power."""
    whole = scene.of_nothing(kind, names[:1])
    event = msgspec.structs.replace(whole, stands_for=len(names), alike=names)
    state = UNKNOWN if share is None else FULL if share >= 1.0 - EPSILON else DOWN if share <= EPSILON else THROTTLED
    if state == FULL or not heat.gpus:
        return event
    slow = state == THROTTLED
    return msgspec.structs.replace(
        event,
        gpus_full=event.gpus_full - heat.gpus,
        gpus_throttled=event.gpus_throttled + heat.gpus * slow,
        gpus_down=event.gpus_down + heat.gpus * (state == DOWN),
        gpus_unknown=event.gpus_unknown + heat.gpus * (state == UNKNOWN),
        throttled_kw=round(heat.kw * (share or 0.0), 6) if slow else 0.0,
        throttled_of_kw=round(heat.kw, 6) if slow else 0.0,
        racks=heat.racks,
        assumed=(_EVEN,) if slow else (),
        unknown=(why,) if why else (),
    )
