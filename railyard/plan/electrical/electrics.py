"""Power of a hall, rack kind by rack kind: made before the racks are (they carry their feeds), finished after them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from railyard.model.errors import Problem
from railyard.model.plan import RackFeed, RackPlan, RackSupplies
from railyard.model.power import ASSUMED_POWER_FACTOR, PhaseLoad, PowerPlan, RackFeedPower, RackPower
from railyard.model.site import StackFile
from railyard.plan.electrical.contradictions import contradictions
from railyard.plan.electrical.cords import strip_name
from railyard.plan.electrical.dealing import Dealt, cords_over
from railyard.plan.electrical.facts import DeviceFacts, assumed_factors, facts_of
from railyard.plan.electrical.kinds import KindPower, Options, rack_kind
from railyard.plan.electrical.segments import count_racks, segments
from railyard.plan.electrical.strips import FeedSpec, Given, spec_of
from railyard.plan.electrical.tree import grow_tree, row_problems
from railyard.plan.parts import Parts

Standing = tuple[int, str, float, bool]
"""Lowest U, model, peak kW, whether it stands."""
UNSTATED = "what is above the racks (railyard:power)"


class Electrics:
    """The racks' kinds, each computed when it is first asked for. One of it serves one plan."""

    def __init__(self, file: StackFile, parts: Parts) -> None:
        self.file, self.parts, self.section = file, parts, file.power
        self.letters = [feed.name for feed in file.facility.feeds]
        self.tree = grow_tree(file.power, self.letters)
        self.kinds: list[KindPower] = []
        section = file.power
        self._options = Options(section.single_cord, section.cords, section.stagger_s) if section else Options()
        self._numbers: dict[tuple[object, ...], int] = {}
        self._facts: dict[tuple[str, float], DeviceFacts] = {}
        self._specs: dict[tuple[Given | None, ...], tuple[FeedSpec, ...]] = {}
        self._feeds: dict[int, tuple[RackFeed, ...]] = {}
        self._supplies: dict[tuple[int, frozenset[str]], tuple[RackSupplies, ...]] = {}
        self._kind_of: dict[str, int] = {}
        self._dealt: Dealt = {}
        self._turns = any(len({bank.legs for bank in model.banks or ()}) > 1 for model in parts.pdus.values())

    def kind(self, rack: str, row: int, devices: Sequence[Standing], position: int = 1) -> int:
        """Number of a rack's kind; the rack is remembered as one of it.

        Racks begin with line L1, L2, L3 in turn along a row (their `position` from 1), where anything hangs on single lines,
        and with feed a, b, c in turn, where there are three or four and anything has cords that don't divide by them.
        """
        given = tuple(self.tree.given(letter, row) for letter in self.letters)
        turn, start = (position - 1) % 3 if self._turns else 0, self._start(devices, position)
        key = (given, turn, start, *devices)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.kinds)
            rows = [(u, self._facts_of(model, peak), here) for u, model, peak, here in devices]
            self.kinds.append(rack_kind(rows, self._specs_at(given), self._options, self._dealt, turn, start))
        self._kind_of[rack] = number
        return number

    def _start(self, devices: Sequence[Standing], position: int) -> int:
        """Index of the feed that a rack's pairs of supplies begin with; 0 where nothing in it would move by another one."""
        count, cords = len(self.letters), self._options.single_cord
        uneven = count > 2 and any(cords_over(self._facts_of(model, peak), count, cords) for _, model, peak, _ in devices)
        return (position - 1) % count if uneven else 0

    def feeds(self, number: int) -> tuple[RackFeed, ...]:
        """Feeds of a rack of this kind, as the rack's own slice carries them."""
        if number not in self._feeds:
            self._feeds[number] = tuple(_rack_feeds(self.kinds[number]))
        return self._feeds[number]

    def supplies(self, number: int, without: Iterable[str] = ()) -> tuple[RackSupplies, ...]:
        """Power supplies of what stands in a rack of this kind, by model; those of models in `without` are left out."""
        key = (number, frozenset(without))
        if key not in self._supplies:
            self._supplies[key] = self._supplies_of(*key)
        return self._supplies[key]

    def _supplies_of(self, number: int, left_out: frozenset[str]) -> tuple[RackSupplies, ...]:
        counts = Counter[str]()
        rows: dict[str, RackSupplies] = {}
        for _, facts, supplies, here in self.kinds[number].supplies:
            if here and facts.model not in left_out:
                counts[facts.model] += 1
                rows[facts.model] = RackSupplies(
                    model=facts.model,
                    devices=0,
                    peak_kw=facts.nameplate_kw,
                    psus=facts.psus,
                    psus_for_full=facts.psus_for_full,
                    psu_kw=facts.psu_kw,
                    psus_left=supplies.left(self.letters) if supplies.known and len(self.letters) > 1 else None,
                    ats=supplies.ats is not None,
                    load_kw=None if facts.load_kw == facts.nameplate_kw else facts.load_kw,
                )
        return tuple(row.model_copy(update={"devices": counts[model]}) for model, row in sorted(rows.items()))

    def finish(self, racks: Sequence[RackPlan]) -> PowerPlan:
        """The plan of the hall's power, once all racks are there."""
        numbered = [(rack, self._kind_of[rack.name]) for rack in racks]
        names: dict[int, list[str]] = {}
        for rack, number in numbered:
            names.setdefault(number, []).append(rack.name)
        rating, last = self.file.facility.continuous_rating, max((rack.row for rack in racks), default=0)
        rows = segments(self.tree, self.kinds, count_racks(numbered), self.letters, rating)
        kinds = tuple(self._rack_power(number, tuple(found)) for number, found in names.items())
        return PowerPlan(
            stated=self.tree.stated,
            basis=self.section.loads.basis if self.section else "nameplate",
            segments=tuple(rows),
            racks=kinds,
            feed_of=self._feed_of(last),
            up_s={
                letter: max((feed.up_s for row in kinds for feed in row.kind.feeds if feed.feed == letter), default=0.0)
                for letter in self.letters
            },
            assumptions=tuple(self._assumptions()),
            unknown=tuple(self._unknown(kinds)),
        )

    def problems(self, racks: Iterable[RackPlan]) -> Iterator[Problem]:
        """What the stack file says of power that can't be."""
        yield from self.tree.problems
        if not self.tree.problems:  # else a row without a path follows from what is named already
            yield from row_problems(self.tree, self.letters, max((rack.row for rack in racks), default=0))
        yield from contradictions(self.file, self.parts, self.tree)

    def _facts_of(self, model: str, peak_kw: float) -> DeviceFacts:
        key = (model, peak_kw)
        if key not in self._facts:
            self._facts[key] = facts_of(self.parts.catalog, self.section, model, peak_kw)
        return self._facts[key]

    def _specs_at(self, given: tuple[Given | None, ...]) -> tuple[FeedSpec, ...]:
        if given not in self._specs:
            facility, pdus = self.file.facility, self.parts.pdus
            self._specs[given] = tuple(
                spec_of(facility, feed, pdus[feed.name], at) for feed, at in zip(facility.feeds, given, strict=True)
            )
        return self._specs[given]

    def _rack_power(self, number: int, racks: tuple[str, ...]) -> RackPower:
        kind = self.kinds[number]
        return RackPower(racks[0], racks, kind.devices, kind.cords, kind.row(racks[0], len(racks)))

    def _feed_of(self, last: int) -> dict[str, tuple[str | None, ...]]:
        if not self.tree.paths:
            return {}
        return {
            letter: tuple(path.piece(row) if (path := self.tree.serving(letter, row)) else None for row in range(1, last + 1))
            for letter in self.letters
        }

    def _assumptions(self) -> Iterator[str]:
        models = assumed_factors(self._facts.values())
        if models:
            yield f"power factor {ASSUMED_POWER_FACTOR:g} for {', '.join(models)}: the catalogue has none"
        if any(kind.one_phase for kind in self.kinds):
            yield "strips of one phase take the lines in turn along a row"
        loads = self.section.loads if self.section else None
        if loads and loads.basis != "nameplate":
            yield f"loads are {loads.basis} plus {loads.margin_percent:g} %: {loads.evidence}"
        ups = [path.segment for path in self.tree.paths.values() if path.segment.kind == "ups"]
        if any(segment.efficiency is None for segment in ups):
            yield "a UPS without `efficiency` loses nothing in what its supply carries"

    def _unknown(self, kinds: Iterable[RackPower]) -> list[str]:
        found = {text for row in kinds for text in row.kind.unknown}
        return [*([] if self.tree.paths else [UNSTATED]), *sorted(found)]


def _rack_feeds(kind: KindPower) -> Iterator[RackFeed]:
    for feed in kind.feeds:
        yield RackFeed(
            name=feed.feed,
            pdu_model=feed.pdu_model,
            pdus=feed.pdus,
            capacity_kw=feed.capacity_kva,
            breaker_a=feed.breaker_a,
            continuous_rating=feed.continuous_rating,
            load_kw=feed.load_kw,
            survivor_kw=feed.survivor_kw,
            load_kva=feed.load_kva,
            survivor_kva=feed.survivor_kva,
            load_a=feed.load_a.worst_a,
            survivor_a=feed.survivor_a.worst_a,
            limit_a=feed.limit_a,
            survivor_when=feed.survivor_when,
            load_at=_at(feed, feed.load_pdu, feed.load_a),
            survivor_at=_at(feed, feed.survivor_pdu, feed.survivor_a),
        )


def _at(feed: RackFeedPower, pdu: int, load: PhaseLoad) -> str:
    """Strip and fullest line, as they follow the rack's name."""
    return f"{strip_name('', feed.feed, pdu, feed.pdus).removeprefix('-')}/{load.worst_line}"
