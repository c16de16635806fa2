"""What the hall's power comes down to: the slice that its rules judge, the fullest feed and segment after the worst loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from railyard.model.plan import RackFeed, RackPlan
from railyard.model.power import Circuit, HallPower, PowerPlan, PowerSegment, RackKind
from railyard.plan import names
from railyard.plan.electrical.phases import rated_amps
from railyard.plan.electrical.segments import alike

if TYPE_CHECKING:
    from railyard.plan import Plan


_NAMELESS = {"name": "", "legs": "L1", "pdu": 1}


class WorstFeed(msgspec.Struct, frozen=True):
    """The fullest of something after the loss that is worst for it: percent of what it may carry for hours, and of what."""

    name: str
    percent: float
    when: str
    of: str


def hall_power(plan: Plan) -> HallPower:
    """Slice of the hall's power: pieces that are alike counted, one row for each kind of rack."""
    power = plan.power
    return HallPower(
        stated=bool(power.segments),
        segments=tuple(alike(power.segments)),
        racks=tuple(row.kind.model_copy(update={"circuits": tuple(_circuits(row.kind))}) for row in power.racks),
        unknown=power.unknown,
    )


def _circuits(kind: RackKind) -> Iterator[Circuit]:
    """Banks of a rack that carry the same as one row with their count and the first one's name."""
    groups = Counter(circuit.model_copy(update=_NAMELESS) for circuit in kind.circuits)
    first: dict[Circuit, Circuit] = {}
    for circuit in kind.circuits:
        first.setdefault(circuit.model_copy(update=_NAMELESS), circuit)
    for alike_row, count in groups.items():
        yield first[alike_row].model_copy(update={"count": count})


def worst_feeds(racks: Iterable[RackPlan], power: PowerPlan) -> tuple[WorstFeed | None, WorstFeed | None]:
    """The fullest rack feed and the fullest piece above the racks; None where there is none, or no limit is stated.

    Among equals the first by name, so that the answer doesn't depend on any order.
    """
    feeds = (_feed(names.pdu(rack.name, feed.name), feed) for rack in racks for feed in rack.feeds if feed.capacity_kw > 0)
    pieces = (worst for segment in power.segments for worst in _piece(segment))
    return _first(feeds), _first(pieces)


def _first(found: Iterable[WorstFeed]) -> WorstFeed | None:
    return min(found, key=lambda worst: (-worst.percent, names.sort_key(worst.name)), default=None)


def _feed(name: str, feed: RackFeed) -> WorstFeed:
    kva = feed.survivor_kw if feed.survivor_kva is None else feed.survivor_kva
    percent, of = kva / feed.capacity_kw * 100, f"{feed.capacity_kw:.1f} kVA"
    if feed.survivor_a is not None and feed.limit_a and round(feed.survivor_a / feed.limit_a * 100 - percent, 2) > 0:
        percent, of = feed.survivor_a / feed.limit_a * 100, f"{feed.limit_a:.1f} A in one line"
    return WorstFeed(name, round(percent, 6), feed.survivor_when or "the other feed lost", of)


def _piece(segment: PowerSegment) -> Iterator[WorstFeed]:
    """By line, by kVA, by its third in one line, and by kW: the one that is fullest is the answer, the first among equals."""
    rated = segment.rated_kva
    third = None if rated is None else rated_amps(segment.volts, segment.voltage_reference, segment.phases, rated)
    rows = (
        (segment.worst_a.worst_a, segment.limit_a, "A by line"),
        (segment.worst_kva, rated, "kVA"),
        (segment.worst_a.worst_a, third, f"A in one line ({rated or 0.0:,.0f} kVA)"),
        (segment.worst_kw, segment.rated_kw, "kW"),
    )
    for value, limit, unit in rows:
        if limit:
            yield WorstFeed(segment.name, round(value / limit * 100, 6), segment.worst_when, f"{limit:,.1f} {unit}")
