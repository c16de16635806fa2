"""Load of every piece above the racks: racks of a row add up by what they hang between, rows to pieces, pieces to parents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

import msgspec

from railyard.model.plan import RackPlan
from railyard.model.power import FeedLetter, PathSegment, PhaseLoad, PowerSegment
from railyard.plan.electrical.kinds import KindPower
from railyard.plan.electrical.phases import BALANCED, Powers, added, capacity_kva, kva, kw, phase_load
from railyard.plan.electrical.strips import Given
from railyard.plan.electrical.tree import Path, Tree

SUPPLY = "supply"
ByLoss = dict[str | None, Powers]
"""Complex kVA by the feed that is lost; None: all live."""
_TURNS = {"line-neutral": ("L1", "L2", "L3"), "line-line": ("L1-L2", "L2-L3", "L3-L1")}
Counts = Mapping[int, Mapping[tuple[int, int], int]]
"""Row to how many racks of (number of a kind, turn of their place: 0, 1, 2) stand there."""


class Load(msgspec.Struct):
    """What a piece carries, by loss, and what hangs below it: racks by row (two feeds reach the same ones), strips."""

    powers: ByLoss
    racks: dict[int, int]
    strips: int = 0


def count_racks(racks: Iterable[tuple[RackPlan, int]]) -> Counts:
    """Racks by row, kind and the turn of their place in the row: strips of one phase take the three lines in turn."""
    found: defaultdict[int, Counter[tuple[int, int]]] = defaultdict(Counter)
    for rack, kind in racks:
        found[rack.row][kind, (rack.position - 1) % 3] += 1
    return found


def segments(tree: Tree, kinds: Sequence[KindPower], counts: Counts, feeds: Sequence[str], rating: float) -> list[PowerSegment]:
    """Every piece of the path in the order of the stack file, the supply first; nothing where it is not stated."""
    if not tree.stated or tree.supply is None:
        return []
    last = max(counts, default=1)
    loads: dict[str, Load] = {}
    placed: dict[str, tuple[Path, tuple[int, int]]] = {}
    for row in range(1, last + 1):
        for feed in feeds:
            load = _row_load(kinds, counts, row, feed)
            for path in tree.chain(feed, row):
                name = path.piece(row)
                placed.setdefault(name, (path, path.piece_rows(row, last)))
                _sum(loads.setdefault(name, Load({}, {})), load)
                load = _with_losses(load, path.segment)
            _sum(loads.setdefault(SUPPLY, Load({}, {})), load)
    order = list(tree.paths)
    ranked = sorted(placed.items(), key=lambda item: (order.index(item[1][0].segment.name), item[1][1]))
    supply = _segment(SUPPLY, None, tree.supply, loads.get(SUPPLY, Load({}, {})), None, rating, None)
    pieces = (
        _segment(name, path, path.given, loads[name], rows, rating, _parent(tree, path, rows)) for name, (path, rows) in ranked
    )
    return [supply, *pieces]


def _parent(tree: Tree, path: Path, rows: tuple[int, int]) -> str:
    above = tree.paths.get(path.segment.parent) if path.segment.parent else None
    return above.piece(rows[0]) if above else SUPPLY


def _row_load(kinds: Sequence[KindPower], counts: Counts, row: int, feed: str) -> Load:
    """What the racks of a row take from a feed."""
    load = Load({}, {})
    for (number, turn), times in counts.get(row, {}).items():
        kind = kinds[number]
        for lost, strips in kind.powers.get(feed, {}).items():
            into = load.powers.setdefault(lost, {})
            for index, strip in enumerate(strips):
                added(into, _turned(strip, kind.one_phase.get(feed), turn + index), times)
        load.racks[row] = load.racks.get(row, 0) + times
        load.strips += times * len(kind.powers.get(feed, {}).get(None, ()))
    return load


def _turned(strip: Powers, reference: str | None, turn: int) -> Powers:
    """A strip of one phase hangs on the line (or pair of lines) of its turn; of three phases as its banks say."""
    return strip if reference is None else {_TURNS[reference][turn % 3]: sum(strip.values(), 0j)}


def _sum(into: Load, load: Load) -> None:
    into.racks |= load.racks
    into.strips += load.strips
    for lost, powers in load.powers.items():
        added(into.powers.setdefault(lost, {}), powers)


def _with_losses(load: Load, segment: PathSegment) -> Load:
    """The load as what is above sees it: kW / efficiency, the same kvar."""
    if segment.efficiency is None:
        return load
    return Load({lost: _lossy(powers, segment.efficiency) for lost, powers in load.powers.items()}, load.racks, load.strips)


def _lossy(powers: Powers, efficiency: float) -> Powers:
    return {legs: complex(power.real / efficiency, power.imag) for legs, power in powers.items()}


def _segment(
    name: str, path: Path | None, given: Given, load: Load, rows: tuple[int, int] | None, rating: float, parent: str | None
) -> PowerSegment:
    segment = path.segment if path else None
    volts, reference, phases = given.volts, given.reference, given.phases
    share = rating if segment is None or segment.continuous_rating is None else segment.continuous_rating
    breaker = segment.breaker_a if segment else None
    limit = None if breaker is None else round(breaker * share, 6)
    rated = segment.rated_kva if segment else None
    limits = [*([] if limit is None else [capacity_kva(volts, reference, phases, limit)]), *([] if rated is None else [rated])]
    normal = load.powers.get(None, {})
    worst = _worst(load.powers, path.feed if path else None)
    cases = {lost: _amps(powers, given) for lost, powers in load.powers.items()} or {None: _amps({}, given)}
    return PowerSegment(
        name=name,
        kind=segment.kind if segment else "supply",
        parent=parent,
        feed=cast("FeedLetter | None", path.feed if path else None),
        rows=rows,
        racks=sum(load.racks.values()),
        volts=volts,
        voltage_reference=reference,
        phases=3 if phases == 3 else 1,
        breaker_a=breaker,
        continuous_rating=share,
        evidence=segment.evidence if segment else None,
        rated_kva=rated,
        rated_kw=segment.rated_kw if segment else None,
        load_kw=kw(normal),
        load_kva=kva(normal),
        load_a=cases.get(None, _amps({}, given)),
        worst_kw=kw(load.powers.get(worst, {})),
        worst_kva=kva(load.powers.get(worst, {})),
        worst_a=max(cases.values(), key=lambda case: case.worst_a),
        worst_when="all feeds live" if worst is None else f"feed {worst} lost",
        limit_a=limit,
        limit_kva=round(min(limits), 6) if limits else None,
        efficiency=segment.efficiency if segment else None,
        starts_together=load.strips,
    )


def _worst(powers: Mapping[str | None, Powers], own: str | None) -> str | None:
    """The loss that makes a piece carry most; None: none does."""
    cases = [lost for lost in powers if lost is None or lost != own]
    return max(cases, key=lambda lost: (kva(powers[lost]), lost is None), default=None)


def _amps(powers: Powers, given: Given) -> PhaseLoad:
    """Ampere by line. One phase above the racks carries everything on its one line."""
    if given.phases == 1:
        powers = {"L1": sum(powers.values(), 0j)}
    neutral = given.phases == 3 and not any(legs == BALANCED for legs in powers)
    return phase_load(powers, given.volts, given.reference, given.phases, neutral=neutral)


def alike(rows: Iterable[PowerSegment]) -> Iterator[PowerSegment]:
    """Pieces that differ in name and place only as one row with their count, the first one's name and the last one's."""
    groups: dict[PowerSegment, list[PowerSegment]] = {}
    for row in rows:
        groups.setdefault(row.model_copy(update={"name": "", "parent": None, "rows": None}), []).append(row)
    for group in groups.values():
        first = group[0]
        yield first if len(group) == 1 else first.model_copy(update={"count": len(group), "last": group[-1].name})
