"""The hall's cooling in a few lines: what the command line says after the networks."""

from __future__ import annotations

from collections.abc import Iterator

from railyard.model.cooling import CoolingPlan, CoolingPool, HallCooling


def cooling_text(cooling: CoolingPlan | None) -> str:
    """Where the heat goes, each pool with its largest unit failed, and what the plan can't say."""
    if cooling is None:
        return "Cooling: not planned"
    return "\n".join([_heat(cooling.hall), *(f"  {line}" for line in _lines(cooling))])


def _heat(hall: HallCooling) -> str:
    ways = [(hall.room_kw, "to the room's air"), (hall.door_kw, "to rear doors"), (hall.liquid_kw, "to coolant")]
    shown = [f"{kw:,.1f} kW {way}" for kw, way in ways if kw > 0]
    air = hall.conditions
    how = f"air of {air.inlet_c:g} °C that warms by {air.delta_k:g} K at {air.altitude_m:g} m"
    return f"Cooling: {', '.join(shown) or 'no heat'}; {how}{' (assumed)' if air.assumed else ''}"


def _lines(cooling: CoolingPlan) -> Iterator[str]:
    for pool in cooling.hall.pools:
        yield _pool(pool)
    for unit in cooling.hall.doors:
        yield f"{unit.name}: {unit.count} x {unit.model}, {unit.load_kw:.1f} of {_known(unit.capacity_kw)} kW each"
    yield from (f"unknown: {text}" for text in cooling.unknown)


def _pool(pool: CoolingPool) -> str:
    alike = f" (and {len(pool.areas) - 1} more like it)" if len(pool.areas) > 1 else ""
    units = " and ".join(f"{unit.count} x {unit.model}" for unit in pool.units)
    parts = [
        f"{pool.load_kw:,.1f} of {_known(pool.capacity_kw)} kW on {units}, {_known(pool.failed_capacity_kw)} kW with one failed"
    ]
    if pool.airflow_needed_m3_s is not None:
        parts.append(f"air {pool.airflow_needed_m3_s:,.1f} of {_known(pool.failed_airflow_m3_s)} m3/s then")
    return f"{pool.name}{alike}: {'; '.join(parts)}"


def _known(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.1f}"
