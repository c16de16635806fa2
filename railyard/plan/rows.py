"""Sums of each row of racks, for the hall's pictures and tables: what a facility engineer asks first. No judgement."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import fsum

import msgspec

from railyard.model.cooling import CoolingPlan, CoolingPool, RackAir
from railyard.model.plan import RackPlan
from railyard.model.power import PowerPlan

_ROWS = re.compile(r"(.+-rows?-)(\d+)(?:-(\d+))?")


class RowSums(msgspec.Struct, frozen=True, rename="camel"):
    """One row. Heat in kW: `air_kw` is what air takes, `door_kw` of it by rear doors, `room_kw` by the room.

    `fullest` is the rack whose room heat is the greatest share of its limit. What the cooling plan doesn't know is None.
    `feeds` are the lowest stated segments of each feed, `pools` the pools of air units and CDUs that serve the row.
    """

    row: int
    racks: tuple[str, ...]
    peak_kw: float
    air_kw: float
    door_kw: float | None
    room_kw: float | None
    liquid_kw: float | None
    airflow_m3_s: float | None
    fullest: str
    fullest_kw: float
    fullest_limit_kw: float
    feeds: tuple[str, ...] = ()
    pools: tuple[str, ...] = ()


def sum_rows(racks: Iterable[RackPlan], cooling: CoolingPlan | None, power: PowerPlan | None) -> tuple[RowSums, ...]:
    """All rows in which a rack stands, by number."""
    air = {name: kind.air for kind in (cooling.racks if cooling else ()) for name in kind.racks}
    pools: defaultdict[int, list[str]] = defaultdict(list)
    for pool in cooling.hall.pools if cooling else ():
        for row in {row for area in pool.areas for row in area}:
            pools[row].append(_own_name(pool, row))
    rows: defaultdict[int, list[RackPlan]] = defaultdict(list)
    for rack in racks:
        rows[rack.row].append(rack)
    return tuple(_row(row, rows[row], air, _feeds(power, row), tuple(pools[row])) for row in sorted(rows))


def _own_name(pool: CoolingPool, row: int) -> str:
    """What the pool that serves a row is called: alike pools are one in the plan, named by the rows of the first of them."""
    named = _ROWS.fullmatch(pool.name)
    if named is None or len(pool.areas) < 2:
        return pool.name
    each = int(named[3] or named[2]) - int(named[2]) + 1
    first = (row - 1) // each * each + 1
    return f"{named[1]}{first:03d}" + (f"-{first + each - 1:03d}" if named[3] else "")


def _feeds(power: PowerPlan | None, row: int) -> tuple[str, ...]:
    found = (power.serving(letter, row) for letter in sorted(power.feed_of)) if power else ()
    return tuple(name for name in found if name)


def _row(
    row: int, racks: list[RackPlan], air: Mapping[str, RackAir], feeds: tuple[str, ...], pools: tuple[str, ...]
) -> RowSums:
    known = [air[rack.name] for rack in racks if rack.name in air]
    whole = len(known) == len(racks)
    heat = {rack.name: (air[rack.name].room_kw if rack.name in air else rack.air_kw) for rack in racks}
    fullest = max(racks, key=lambda rack: heat[rack.name] / rack.air_limit_kw if rack.air_limit_kw else heat[rack.name])
    return RowSums(
        row=row,
        racks=tuple(rack.name for rack in racks),
        peak_kw=_sum(rack.peak_kw for rack in racks),
        air_kw=_sum(rack.air_kw for rack in racks),
        door_kw=_sum(item.door_kw for item in known) if whole else None,
        room_kw=_sum(item.room_kw for item in known) if whole else None,
        liquid_kw=_sum(item.liquid_kw for item in known) if whole else None,
        airflow_m3_s=_sum(item.airflow_m3_s for item in known) if whole else None,
        fullest=fullest.name,
        fullest_kw=heat[fullest.name],
        fullest_limit_kw=fullest.air_limit_kw,
        feeds=feeds,
        pools=pools,
    )


def _sum(values: Iterable[float]) -> float:
    return round(fsum(values), 6)
