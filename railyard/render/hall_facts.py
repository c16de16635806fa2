"""Facts of the hall as lines of a table: label, value, and whether the value is over the limit that stands beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from railyard.model.cooling import CoolingPlan, LoopWater, RackAir
from railyard.model.floor import FloorPlan, RackFloor
from railyard.plan.names import listed
from railyard.render.runs import short
from railyard.rules.registry import exceeds

Fact = tuple[str, str, bool]
UNKNOWN = "not known"


def known(value: float | None, form: str, unit: str = "") -> str:
    """A number with its unit, or that nobody knows it: never 0."""
    return UNKNOWN if value is None else format(value, form) + unit


def against(value: float | None, limit: float | None, form: str, unit: str) -> tuple[str, bool]:
    """`3 of 4 kg`, `3 kg` where there is no limit; and whether the limit is passed."""
    if value is None:
        return UNKNOWN, False
    if limit is None:
        return f"{value:{form}} {unit}".rstrip(), False
    return f"{value:{form}} of {limit:{form}} {unit}".rstrip(), exceeds(value, limit)


def air_facts(air: RackAir) -> list[Fact]:
    """Heat of one rack, the ways that it goes, and the air that this takes."""
    room, over = against(air.room_kw, air.limit_kw, ".1f", "kW")
    facts: list[Fact] = [("heat into the room's air", room, over)]
    if air.door is not None:
        shown, bad = against(air.door_kw, air.door.capacity_kw, ".1f", "kW")
        shown = shown if air.door.capacity_kw is not None else f"{UNKNOWN}: {', '.join(air.door.unknown) or 'its capacity'}"
        facts.append((f"by the rear door {air.door.model}", shown, bad))
        drop, high = against(air.door.pressure_kpa, air.door.pressure_limit_kpa, ".0f", "kPa")
        out = known(air.door.water_out_c, ".1f", " °C")
        facts.append((f"its {air.door.fluid}", f"{air.door.water_c:g} °C in, {out} out, drop {drop}", high))
    if air.liquid_kw:
        facts.append(
            (f"into coolant{f' of {air.loop}' if air.loop else ', of no stated CDU'}", f"{air.liquid_kw:.1f} kW", False)
        )
    at = air.conditions
    assumed = " (assumed)" if at.assumed else ""
    facts.append(
        (f"air that this takes at {at.delta_k:g} K, {at.altitude_m:g} m{assumed}", f"{air.airflow_m3_s:.2f} m³/s", False)
    )
    for hot in air.hot:
        skus = ", ".join(hot.liquid_skus) or "none in the catalogue"
        facts.append((f"{hot.gpu_model}, {hot.gpu_w:g} W, on air", f"with liquid: {skus}", False))
    return facts


def weight_facts(floor: RackFloor) -> list[Fact]:
    """What one rack weighs with every device that it is planned with, and how that rests on the floor."""
    parts = (
        *(("devices", floor.devices_kg), ("frame", floor.frame_kg), ("strips", floor.strips_kg)),
        *(("rear door", floor.door_kg), ("cables", floor.cables_kg), ("fluid", floor.fluid_kg)),
    )
    shown = [(name, known(kg, ",.0f")) for name, kg in parts if kg != 0]
    facts: list[Fact] = [(" + ".join(name for name, _ in shown), " + ".join(value for _, value in shown) + " kg", False)]
    facts.append(("all that is known", f"{floor.mass_kg:,.0f} kg", False))
    if floor.unknown:
        most = "nobody can say how much" if floor.unknown_max_kg is None else f"at most {floor.unknown_max_kg:,.0f} kg more"
        facts.append((f"weight not known: {', '.join(floor.unknown)}", most, False))
    bearing = (
        ("under one foot", against(floor.foot_kg, floor.point_limit_kg, ",.0f", "kg")),
        ("over footprint and half of both aisles", against(floor.kg_per_m2, floor.uniform_limit_kg_per_m2, ",.0f", "kg/m²")),
    )
    # What nobody knows the weight of bears on the floor, too.
    least = "at least " if floor.unknown else ""
    facts += [(label, shown if shown == UNKNOWN else least + shown, bad) for label, (shown, bad) in bearing]
    facts.append(("free U, for blanking panels", f"{floor.free_u}", False))
    return facts


def floor_facts(floor: FloorPlan, shown: Callable[[str], str]) -> list[Fact]:
    """The hall in numbers."""
    said = floor.summary
    facts: list[Fact] = [
        ("racks standing · planned", f"{said.racks:,} · {said.planned_racks:,}", False),
        ("rows", *against(said.rows, said.rows_limit, ",d", "")),
        *_aisles(floor),
        ("height of a rack", *against(said.rack_height_m, said.clear_height_m, ".2f", "m")),
        ("free U in all racks (blanking panels)", f"{said.blanking_u:,}", False),
        (f"heaviest load on the way in, racks come {said.moved}", known(said.moved_kg, ",.0f", " kg"), False),
        ("under one wheel" + (f" of {shown(said.wheel_what)}" if said.wheel_what else ""),
         *against(said.wheel_kg, said.hall_wheel_kg, ",.0f", "kg")),
        ("rows of a unit · longest cable from a node to its leaf", f"{said.unit_rows} · {said.unit_reach_m:.1f} m", False),
    ]  # fmt: skip
    for label, names in (
        ("outside the walls", said.outside),
        ("on an obstacle", said.obstructed),
        ("not as drawn", said.misdrawn),
    ):
        if names:
            facts.append((label, listed(map(shown, names), 6), True))
    return facts


def _aisles(floor: FloorPlan) -> list[Fact]:
    """What the drawing shows: the aisles between rows, and how far it is from the outer rows to their walls."""
    last = len(floor.rows)
    between = [aisle for aisle in floor.aisles if 0 < aisle.after_row < last]
    narrowest = {kind: min(found) for kind in ("cold", "hot")
                 if (found := [aisle.depth_mm for aisle in between if aisle.kind == kind])}  # fmt: skip
    shown = " · ".join(f"{kind} {depth / 1000:g} m" for kind, depth in narrowest.items())
    facts: list[Fact] = [("aisles between rows", shown or "none", False)]
    if floor.hall and floor.rows:
        first, end = floor.rows[0], floor.rows[-1]
        north = floor.hall.y_mm + floor.hall.depth_mm - end.y_mm - end.depth_mm
        south = first.y_mm - floor.hall.y_mm
        facts.append(("from row 1 to the south wall", f"{south / 1000:g} m", south < 0))
        facts.append((f"from row {end.row} to the north wall", f"{north / 1000:g} m", north < 0))
    return facts


class WaterRow(TypedDict):
    """Water and coolant of one kind of CDU: cells in the order of the table's heading, each with whether it is over."""

    name: str
    cells: list[tuple[str, bool]]


def water_rows(cooling: CoolingPlan, site: str) -> list[WaterRow]:
    """A row for each kind of unit that has a loop of its own."""
    return [
        {"name": f"{short(pool.name, site)} · {unit.model}", "cells": _water(unit.water)}
        for pool in cooling.hall.pools
        for unit in pool.units
        if unit.water is not None
    ]


def _water(water: LoopWater) -> list[tuple[str, bool]]:
    flow, flow_bad = against(water.loop_flow_l_min, water.loop_flow_max_l_min, ",.0f", "")
    worst, worst_bad = against(water.worst_loop_flow_l_min, water.loop_flow_max_l_min, ",.0f", "")
    wrong = water.fluids is not None and water.fluid not in water.fluids
    return [
        (f"{water.water_c:g} {water.fluid}", wrong),
        (f"{water.water_out_c:.1f} · {known(water.worst_water_out_c, '.1f')}", False),
        (f"{water.water_flow_l_min:,.0f}", False),
        against(water.pressure_kpa, water.pressure_limit_kpa, ".0f", ""),
        (f"{water.loop_c:g}–{water.loop_return_c:g} {water.loop_fluid}", False),
        (f"{flow} · {worst}", flow_bad or worst_bad),
    ]
