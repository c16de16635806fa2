"""The hall's power in a few lines: what the command line says after the networks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from railyard.model.power import PowerPlan, PowerSegment
from railyard.plan.electrical import WorstFeed, worst_feeds

if TYPE_CHECKING:
    from railyard.plan import Plan

_ORDER = ("supply", "ups", "panel", "busway", "feed")


def power_text(plan: Plan) -> str:
    """The fullest rack feed and each kind of segment after the worst loss, the start after an outage, and what was assumed."""
    power = plan.power
    feed, segment = worst_feeds(plan.racks, power)
    head = f"Power: {_planned_kw(power):,.1f} kW by {power.basis}; fullest after the loss of a feed: {_worst(feed)}"
    if segment is not None:
        head += f"; above the racks {_worst(segment)}"
    return "\n".join([head, *(f"  {line}" for line in _lines(power))])


def _planned_kw(power: PowerPlan) -> float:
    """What stands in the racks, by the loads that it is planned with."""
    rows = ((device.load_kw, len(rack.racks)) for rack in power.racks for device in rack.devices if device.installed)
    return round(sum(load * racks for load, racks in rows), 6)


def _worst(worst: WorstFeed | None) -> str:
    return "no feed" if worst is None else f"{worst.name} {worst.percent:.1f} % of {worst.of} ({worst.when})"


def _lines(power: PowerPlan) -> Iterator[str]:
    for kind in _ORDER:
        rows = [segment for segment in power.segments if segment.kind == kind]
        if rows:
            yield _kind(rows)
    started = [f"feed {letter} after {seconds:g} s" for letter, seconds in power.up_s.items() if seconds > 0]
    if started:
        together = max((segment.starts_together for segment in power.segments), default=0)
        most = f", up to {together} supplies at once" if together else ""
        yield f"after an outage the last outlet is on: {', '.join(started)}{most}"
    yield from (f"assumed: {text}" for text in power.assumptions)
    yield from (f"unknown: {text}" for text in power.unknown)


def _kind(rows: list[PowerSegment]) -> str:
    """The fullest piece of a kind: live, after the worst loss, and what it may carry."""
    row = max(rows, key=lambda segment: segment.worst_kva)
    alike = "" if len(rows) == 1 else f" (fullest of {len(rows)})"
    live = f"{row.load_kva:,.0f} kVA, {row.load_a.worst_a:,.0f} A by line"
    then = f"{row.worst_kva:,.0f} kVA, {row.worst_kw:,.0f} kW, {row.worst_a.worst_a:,.0f} A ({row.worst_when})"
    limits = [
        *([f"{row.limit_a:,.0f} A"] if row.limit_a is not None else []),
        *([f"{row.rated_kva:,.0f} kVA"] if row.rated_kva is not None else []),
        *([f"{row.rated_kw:,.0f} kW"] if row.rated_kw is not None else []),
    ]
    name = row.name if row.kind == row.name else f"{row.kind} {row.name}"
    return f"{name}{alike}: {live}; then {then}; {'may carry ' + ', '.join(limits) if limits else 'no limit is stated'}"
