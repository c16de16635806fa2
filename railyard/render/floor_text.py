"""Racks and floor in a few lines: what the command line says after the networks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from railyard.model.floor import FloorPlan, FloorSummary, RackLoad
from railyard.plan.names import listed

NOT_STATED = "not stated"


def floor_text(floor: FloorPlan | None) -> str:
    """Rows, the heaviest rack and what it rests on, the way in, panels; and what nobody said."""
    if floor is None:
        return "Floor: not planned"
    return "\n".join([_hall(floor), *(f"  {line}" for line in _lines(floor))])


def _hall(floor: FloorPlan) -> str:
    summary = floor.summary
    hall = f" of {floor.hall.width_mm / 1000:g} x {floor.hall.depth_mm / 1000:g} m" if floor.hall else ""
    walls = "nobody has drawn the hall (railyard:floor); rows are 3 m apart" if floor.assumed else f"the hall{hall} is drawn"
    rows = f"{summary.rows} rows" if summary.rows != 1 else "1 row"
    return f"Floor: {summary.planned_racks} planned racks in {rows}, {summary.racks} of them stand; {walls}"


def _lines(floor: FloorPlan) -> Iterator[str]:
    summary = floor.summary
    yield from (_heaviest(load) for load in _heavy(floor.loads))
    yield from _strips(floor)
    yield _way_in(summary)
    yield f"cables inside of a scalable unit up to {summary.unit_reach_m:.1f} m; {summary.blanking_u} U of blanking panels"
    if summary.top_share_percent:
        share = f"{summary.top_share_percent:.0f} % of the top tier's switches are in {summary.top_share_at}"
        yield share if summary.top_share_percent < 100 else f"all of the top tier's switches are in {summary.top_share_at}"


def _heavy(loads: Sequence[RackLoad]) -> Iterator[RackLoad]:
    """The heaviest rack. One with devices of unknown weight may be it: it comes first, then a known one that outweighs it."""
    known = max((load for load in loads if load.floor.unknown_max_kg is not None), key=_mass, default=None)
    unknown = max((load for load in loads if load.floor.unknown_max_kg is None), key=_mass, default=None)
    if unknown:
        yield unknown
    if known and (unknown is None or _mass(known) > _mass(unknown)):
        yield known


def _mass(load: RackLoad) -> tuple[float, tuple[str, ...]]:
    return load.floor.mass_kg, load.racks


def _heaviest(load: RackLoad) -> str:
    rack, more = load.floor, len(load.racks) - 1
    alike = f" (and {more} alike)" if more else ""
    names = ", ".join(rack.unknown)
    weight = f"{rack.mass_kg:,.0f} kg{f' without {names}' if names else ''}"
    if rack.unknown_max_kg is None:
        weight = f"at least {rack.mass_kg:,.0f} kg, weight of {names} unknown"
    tile = NOT_STATED if rack.foot_kg is None else f"{rack.foot_kg * rack.feet_per_tile:,.0f}"
    return (
        f"{load.racks[0]}{alike} weighs {weight}: {tile} of {_limit(rack.point_limit_kg)} kg on a tile, "
        f"{rack.kg_per_m2:,.0f} of {_limit(rack.uniform_limit_kg_per_m2)} kg/m2"
    )


def _strips(floor: FloorPlan) -> Iterator[str]:
    """What was assumed of the strips' places, which the rack model's own page would say."""
    rack = next((load.floor for load in floor.loads), None)
    if rack and rack.strip_places_assumed and rack.strip_places is not None:
        yield (
            f"assumed: {rack.strip_places} places for power strips at the rear of a rack (railyard:facility.stripPlaces); "
            f"{rack.strips} are planned"
        )


def _way_in(summary: FloorSummary) -> str:
    if not summary.route:
        return "the way in is not stated (railyard:floor.route)"
    missing = listed(summary.moved_unknown)
    kg = "nobody knows the weight" if summary.moved_kg is None else f"{summary.moved_kg:,.0f} kg at once"
    kg = f"at least {kg} without {missing}" if missing and summary.moved_kg is not None else kg
    return f"{len(summary.route)} steps of the way in; racks come {summary.moved}: {kg} ({summary.moved_what})"


def _limit(value: float | None) -> str:
    return NOT_STATED if value is None else f"{value:,.0f}"
