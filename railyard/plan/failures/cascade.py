"""All racks and breakers after a failure, step by step until nothing trips any more.

Only what is affected is looked at: the racks below what was lost, and the segments above them whose load has changed. Racks are
counted in cells: racks of one spot that have lost the same. A loss inside of one rack that leaves all segments above it below
their derated ratings is the same for every spot of that kind, and judged once.
"""

from collections.abc import Iterable, Mapping

import msgspec

from railyard.plan.failures.settle import EPSILON, Settled, Settler
from railyard.plan.failures.tree import LEGS, NONE, SHARE_OF_LINE, Hall, Load, line_amps, tapped


class Trip(msgspec.Struct, frozen=True, gc=False):
    """A breaker of a segment (`segment` >= 0, with its `load`), or of a rack: `bit` of the kind at `spot`, in `racks`."""

    segment: int
    spot: int
    seed: int
    bit: int
    racks: int
    amps: float
    rating_a: float
    derated_a: float
    load: Load = NONE


class Step(msgspec.Struct, frozen=True):
    """One round. `machines` counts affected machines by state."""

    trips: tuple[Trip, ...]
    held: tuple[Trip, ...]
    machines: tuple[int, int, int, int]
    draw_kw: float


class Cell(msgspec.Struct, frozen=True):
    """`racks` racks of a spot in one state. `seed` is what the failure itself took from them, 0 in all other racks."""

    spot: int
    racks: int
    seed: int
    mask: int
    settled: Settled


class Outcome(msgspec.Struct, frozen=True):
    """What is left of a failure: every round, the affected racks, the dead segments."""

    steps: tuple[Step, ...]
    cells: tuple[Cell, ...]
    dead: tuple[int, ...]

    @property
    def quiet(self) -> bool:
        """No breaker tripped or is over its derated rating."""
        return not any(step.trips or step.held for step in self.steps)


class Cascade:
    """A hall with nothing lost, ready to lose things."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.settler = Settler(hall.kinds)
        self.whole = [self.settler.settle(index, 0) for index in range(len(hall.kinds))]
        self.chains = [tuple(map(self._chain, spot.feeds)) for spot in hall.spots]
        self.below = self._below()
        self.load = self._load_all()
        self.room = [self._room(spot) for spot in range(len(hall.spots))]
        self._alone: dict[tuple[int, int], Outcome] = {}
        self._rises: dict[tuple[int, int], tuple[float, float] | None] = {}

    def lose_segments(self, segments: Iterable[int]) -> Outcome:
        """Some segments fail at once."""
        return self.run(frozenset(segments), {})

    def lose_inside(self, spot: int, mask: int) -> Outcome:
        """Something fails in one rack of a spot."""
        if not self.stays_inside(spot, mask):
            return self.run(frozenset(), {(spot, mask): 1})
        key = (self.hall.spots[spot].kind, mask)
        if key not in self._alone:
            self._alone[key] = self.run(frozenset(), {(spot, mask): 1})
        return _moved(self._alone[key], spot)

    def stays_inside(self, spot: int, mask: int) -> bool:
        """Whether a loss in one rack of a spot trips nothing in it, and leaves all above it below its derated rating.

        Such a loss is the same in all racks of this kind, wherever they stand.
        """
        rise, room = self._rise(self.hall.spots[spot].kind, mask), self.room[spot]
        return rise is not None and rise[0] <= room[0] and rise[1] <= room[1]

    def bare(self, segment: int) -> bool:
        """Whether nothing that stands hangs on a segment: its loss takes nothing, and proves no redundancy."""
        return not any(self.load[segment])

    def overloaded(self) -> list[str]:
        """Names of segments, and of strips and banks by kind of rack, that are over their rating with nothing lost."""
        found = [self.hall.segments[index].name for index, load in enumerate(self.load) if self._judge(index, load)[1]]
        for kind, whole in zip(self.hall.kinds, self.whole, strict=True):
            found += [f"{kind.breaker_name(over.bit)} of {kind.key}" for over in whole.over if over.trips]
        return found

    def run(self, dead: frozenset[int], seeds: Mapping[tuple[int, int], int]) -> Outcome:
        """Rounds until nothing trips. `seeds`: (spot, mask) of racks that lost something inside, and how many."""
        fallen = _Fallen(self, set(dead), seeds)
        steps: list[Step] = []
        while True:
            cells = fallen.cells()
            trips, held = self._trips(cells, fallen.dead)
            steps.append(_step(cells, trips, held))
            if not trips:
                return Outcome(tuple(steps), tuple(cells), tuple(sorted(fallen.dead)))
            for trip in trips:
                fallen.add(trip)

    def _trips(self, cells: list[Cell], dead: set[int]) -> tuple[list[Trip], list[Trip]]:
        """Breakers over their rating, and those that are only over their derated one."""
        trips: list[Trip] = []
        held: list[Trip] = []
        for cell in cells:
            kind = self.hall.kinds[self.hall.spots[cell.spot].kind]
            for over in cell.settled.over:
                limits = kind.limits(over.bit)
                (trips if over.trips else held).append(Trip(-1, cell.spot, cell.seed, over.bit, cell.racks, over.amps, *limits))
        for segment, load in sorted(self.changed(cells).items()):
            if segment not in dead:
                trip, over = self._judge(segment, load)
                if trip:
                    (trips if over else held).append(trip)
        return trips, held

    def _judge(self, index: int, load: Load) -> tuple[Trip | None, bool]:
        """A segment over its derated rating, and whether it is over its rating, too."""
        amps, rating, derated = self.limits(index, load)
        if rating is None or derated is None or amps <= derated + EPSILON:
            return None, False
        return Trip(index, -1, 0, 0, 1, amps, rating, derated, load), amps > rating + EPSILON

    def limits(self, index: int, load: Load) -> tuple[float, float | None, float | None]:
        """Ampere of a segment at a load, over which it trips, and that it carries for hours; None where neither is stated."""
        segment, kw = self.hall.segments[index], sum(load).real
        rating, derated = segment.rating_a, segment.derated_a
        amps = line_amps(load, segment.volts, segment.phases)
        if segment.rated_kw is not None and kw > EPSILON:
            # A limit in kW as amperes at this load's own power factor.
            by_kw = amps * segment.rated_kw / kw
            rating, derated = (by_kw if limit is None else min(limit, by_kw) for limit in (rating, derated))
        return amps, rating, derated

    def changed(self, cells: Iterable[Cell]) -> dict[int, Load]:
        """Loads of the segments above some cells, as they are now."""
        rows: dict[int, list[complex]] = {}
        for cell in cells:
            self._add(rows, cell.spot, cell.settled, self.whole[self.hall.spots[cell.spot].kind], cell.racks)
        return {segment: _sum(self.load[segment], row) for segment, row in rows.items()}

    def _add(self, rows: dict[int, list[complex]], at: int, new: Settled, old: Settled | None, racks: int) -> None:
        """Add what `racks` racks of a spot draw more than before to all segments above them."""
        spot = self.hall.spots[at]
        strips = self.hall.kinds[spot.kind].strips
        for index, chain in enumerate(self.chains[at]):
            turn = spot.turn + strips[index].number
            more = tapped(new.loads[index], strips[index], turn)
            less = tapped(old.loads[index], strips[index], turn) if old else NONE
            if more == less:
                continue
            legs = [(leg, (a - b) * racks) for leg, (a, b) in enumerate(zip(more, less, strict=True)) if a != b]
            for segment, losses in chain:
                row = rows.setdefault(segment, [0j] * len(LEGS))
                for leg, power in legs:
                    row[leg] += complex(power.real * losses, power.imag)

    def _load_all(self) -> list[Load]:
        rows: dict[int, list[complex]] = {}
        for index, spot in enumerate(self.hall.spots):
            self._add(rows, index, self.whole[spot.kind], None, len(spot.racks))
        return [_sum(NONE, rows[index]) if index in rows else NONE for index in range(len(self.hall.segments))]

    def _chain(self, segment: int) -> tuple[tuple[int, float], ...]:
        """(segment, kW there for one kW in the strip) from the strip to the street: more by each efficiency passed."""
        losses, chain = 1.0, list[tuple[int, float]]()
        while segment >= 0:
            here = self.hall.segments[segment]
            chain.append((segment, losses))
            losses /= here.efficiency
            segment = here.parent
        return tuple(chain)

    def _below(self) -> dict[int, list[tuple[int, int]]]:
        """(spot, mask of strips) below each segment."""
        masks: dict[int, dict[int, int]] = {}
        for spot, chains in enumerate(self.chains):
            for strip, chain in enumerate(chains):
                for segment, _ in chain:
                    spots = masks.setdefault(segment, {})
                    spots[spot] = spots.get(spot, 0) | 1 << strip
        return {segment: sorted(spots.items()) for segment, spots in masks.items()}

    def _room(self, spot: int) -> tuple[float, float]:
        """kVA in one line, and kW, by which one rack's load may rise before any segment above has to be judged anew."""
        line, total = float("inf"), float("inf")
        for chain in self.chains[spot]:
            for index, losses in chain:
                segment, load = self.hall.segments[index], self.load[index]
                if segment.rated_kw is not None:
                    total = min(total, (segment.rated_kw - sum(load).real) / losses)
                if segment.derated_a is not None:
                    amps = segment.derated_a - line_amps(load, segment.volts, segment.phases)
                    line = min(line, amps * segment.volts / 1000 / losses)
        return line, total

    def _rise(self, kind: int, mask: int) -> tuple[float, float] | None:
        """The most that any segment can carry more: kVA in one line (changes of all strips added up), and kW.

        None: a breaker inside of the rack trips.
        """
        if (kind, mask) not in self._rises:
            settled = self.settler.settle(kind, mask)
            trips = any(over.trips for over in settled.over)
            self._rises[kind, mask] = None if trips else self._change(kind, settled)
        return self._rises[kind, mask]

    def _change(self, kind: int, settled: Settled) -> tuple[float, float]:
        line, total = 0.0, 0.0
        for strip, new, old in zip(self.hall.kinds[kind].strips, settled.loads, self.whole[kind].loads, strict=True):
            shares = SHARE_OF_LINE if strip.one_phase is None else (1.0,) * len(LEGS)
            line += sum(abs(a - b) * share for a, b, share in zip(new, old, shares, strict=True))
            total += max(0.0, sum(new).real - sum(old).real)
        return line, total


def _sum(load: Load, row: list[complex]) -> Load:
    a, b, c, d, e, f, g = (one + other for one, other in zip(load, row, strict=True))
    return (a, b, c, d, e, f, g)


class _Fallen:
    """What is lost so far: segments, and by cell what is lost inside of racks."""

    def __init__(self, cascade: Cascade, dead: set[int], seeds: Mapping[tuple[int, int], int]) -> None:
        self.cascade, self.dead = cascade, dead
        self.masks = {(spot, seed): seed for spot, seed in seeds}
        self.counts = dict(seeds)
        self.seeded: dict[int, int] = {}
        for (spot, _), count in seeds.items():
            self.seeded[spot] = self.seeded.get(spot, 0) + count
        for segment in sorted(dead):
            self._fall(segment)

    def add(self, trip: Trip) -> None:
        """One breaker is open."""
        if trip.segment >= 0:
            self.dead.add(trip.segment)
            self._fall(trip.segment)
            return
        self.masks[trip.spot, trip.seed] |= trip.bit

    def cells(self) -> list[Cell]:
        """The affected racks as they are now."""
        spots, settler = self.cascade.hall.spots, self.cascade.settler
        return [
            Cell(spot, self.counts[spot, seed], seed, mask, settler.settle(spots[spot].kind, mask))
            for (spot, seed), mask in self.masks.items()
        ]

    def _fall(self, segment: int) -> None:
        """All strips below a segment are dead, in the racks that lost something before, and in the others."""
        for spot, strips in self.cascade.below.get(segment, ()):
            others = len(self.cascade.hall.spots[spot].racks) - self.seeded.get(spot, 0)
            if others and (spot, 0) not in self.masks:
                self.masks[spot, 0], self.counts[spot, 0] = 0, others
            for key in self.masks:
                if key[0] == spot:
                    self.masks[key] |= strips


def _moved(outcome: Outcome, spot: int) -> Outcome:
    """The same outcome in a rack of another spot."""
    if all(cell.spot == spot for cell in outcome.cells):
        return outcome
    steps = tuple(
        Step(_at(step.trips, spot), _at(step.held, spot), step.machines, step.draw_kw) if step.trips or step.held else step
        for step in outcome.steps
    )
    cells = tuple(Cell(spot, cell.racks, cell.seed, cell.mask, cell.settled) for cell in outcome.cells)
    return Outcome(steps, cells, outcome.dead)


def _at(trips: Iterable[Trip], spot: int) -> tuple[Trip, ...]:
    return tuple(msgspec.structs.replace(trip, spot=spot) for trip in trips)


def _step(cells: list[Cell], trips: list[Trip], held: list[Trip]) -> Step:
    counts, draw = [0, 0, 0, 0], 0.0
    for cell in cells:
        draw += cell.settled.draw_kw * cell.racks
        for live in cell.settled.lives:
            counts[live.state] += cell.racks
    return Step(tuple(trips), tuple(held), (counts[0], counts[1], counts[2], counts[3]), draw)
