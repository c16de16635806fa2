"""What takes the heat away: pools of air units and CDUs with their load, and what is left when the largest unit fails."""

from __future__ import annotations

from collections.abc import Sequence

from railyard.model.cooling import CoolingPlan, CoolingPool, CoolingUnit
from railyard.render.bars import Bar, BarRow, BarSection, bars_svg
from railyard.render.runs import short

LEGEND = (("load", "all units live"), ("survivor", "largest unit failed"))


def cooling_svg(cooling: CoolingPlan, site: str, *, embedded: bool = False) -> str | None:
    """Bars in kW for each kind of pool; None where the stack file states no cooling units."""
    sections: list[BarSection] = []
    for medium, heading in (("air", "Air units"), ("liquid", "Coolant distribution units")):
        rows = [_pool(pool, site) for pool in cooling.hall.pools if pool.medium == medium]
        if rows:
            sections.append(BarSection(heading, rows))
    if cooling.hall.doors:
        sections.append(BarSection("Rear doors", [_doors(unit, site) for unit in cooling.hall.doors]))
    return bars_svg(sections, "Heat against what takes it away", "cooling", LEGEND, embedded=embedded) if sections else None


def rows_words(areas: Sequence[Sequence[int]]) -> str:
    """`rows 1–4`, or `rows 1–2, 3–4 … 23–24` where pools are alike."""
    shown = [f"{area[0]}–{area[-1]}" if len(area) > 1 else f"{area[0]}" for area in areas if area]
    few = ", ".join(shown[:2] if len(shown) > 3 else shown) + (f" … {shown[-1]}" if len(shown) > 3 else "")
    return f"row{'' if len(shown) == 1 and '–' not in few else 's'} {few}" if shown else "all rows"


def _pool(pool: CoolingPool, site: str) -> BarRow:
    units = ", ".join(f"{unit.count} × {unit.model}" for unit in pool.units)
    own, many = short(pool.name, site), len(pool.areas)
    left = pool.failed_capacity_kw
    bars = (
        Bar("load", pool.load_kw, pool.capacity_kw, _kw(pool.load_kw, pool.capacity_kw) + _air(pool, pool.airflow_m3_s)),
        Bar("survivor", pool.load_kw, left,
            _kw(pool.load_kw, left) + _air(pool, pool.failed_airflow_m3_s) + _failed(pool)),
    )  # fmt: skip
    hint = f"{pool.name}: {units}, {pool.racks} racks, {rows_words(pool.areas)}"
    data = {"data_pool": pool.name, "data_medium": pool.medium, "data_racks": pool.racks}
    return BarRow(own if many < 2 else f"{many} like {own}", f"{units} · {rows_words(pool.areas)}", hint, bars, data)


def _failed(pool: CoolingPool) -> str:
    """Which unit has failed, of how many: the pool's name stands at the row's beginning."""
    largest = next((unit for unit in pool.units if unit.name == pool.largest), pool.units[0])
    kind = f" {largest.model}" if len(pool.units) > 1 else ""
    return f" · 1{kind} of {sum(unit.count for unit in pool.units)} failed"


def _kw(load: float, capacity: float | None) -> str:
    return f"{load:,.1f} of {capacity:,.1f} kW" if capacity is not None else f"{load:,.1f} kW, capacity not known"


def _air(pool: CoolingPool, airflow: float | None) -> str:
    if pool.airflow_needed_m3_s is None:
        return ""
    return f" · {pool.airflow_needed_m3_s:,.1f}" + (f" of {airflow:,.1f} m³/s" if airflow is not None else " m³/s needed")


def _doors(unit: CoolingUnit, site: str) -> BarRow:
    bars = [Bar("load", unit.load_kw, unit.capacity_kw, _kw(unit.load_kw, unit.capacity_kw))]
    unknown = f" · not known: {', '.join(unit.unknown)}" if unit.unknown else ""
    many = f"{unit.count} alike{unknown}" if unit.count > 1 else unknown.removeprefix(" · ")
    return BarRow(short(unit.name, site), many, f"{unit.name}: {unit.model}{unknown}", bars, {"data_door": unit.name})
