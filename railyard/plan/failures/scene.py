"""One failure as an event: the engine's outcome with names, GPUs, networks and storage."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from railyard.model.failures import CascadeStep, EventKind, FailureEvent, Overload
from railyard.plan.failures.cascade import Cascade, Cell, Outcome, Step, Trip
from railyard.plan.failures.network import Networks, Reach
from railyard.plan.failures.settle import DOWN, EPSILON, FULL, THROTTLED, UNKNOWN
from railyard.plan.failures.tree import Hall, Kind, Load, Machine, Segment, line_amps, lines_amps

if TYPE_CHECKING:
    from railyard.plan import Plan

_NAMED = 3
"""Failures that are alike and are named."""


class Scene:
    """A hall, its plan and its networks: what events are made from."""

    def __init__(self, plan: "Plan", hall: Hall) -> None:
        self.plan, self.hall = plan, hall
        self.cascade = Cascade(hall)
        self.devices = {rack.name: {d.u: d.name for d in rack.devices if d.installed} for rack in plan.racks}
        per_node = {m.name: m.gpus for m in plan.machines if m.role == "gpu"}
        self.networks = Networks(plan, per_node)
        self.row_of = {rack.name: rack.row for rack in plan.racks}
        self.air_of = {name: kind.air for kind in (plan.cooling.racks if plan.cooling else ()) for name in kind.racks}
        self.gpus = sum(per_node.values())
        counted = self._base_gpus()
        # Nodes that no rack of the power plan holds: nobody knows what feeds them.
        self.base = (*counted[:UNKNOWN], counted[UNKNOWN] + self.gpus - sum(counted))

    def _base_gpus(self) -> tuple[int, int, int, int]:
        counts = [0, 0, 0, 0]
        for spot in self.hall.spots:
            for state, gpus in enumerate(self.cascade.whole[spot.kind].gpus):
                counts[state] += gpus * len(spot.racks)
        return (counts[0], counts[1], counts[2], counts[3])

    def of_outcome(self, kind: EventKind, lost: tuple[str, ...], outcome: Outcome, rack: str = "") -> FailureEvent:
        """An event whose loss is electrical. `rack` is the one that lost something inside, if any."""
        cells = [(cell, self._racks(cell, rack)) for cell in outcome.cells]
        dead = sorted({name for cell, racks in cells for name in self._dead(cell, racks, gpus=False)})
        reach = self.networks.untouched
        if dead:
            powerless = {name for cell, racks in cells for name in self._dead(cell, racks, gpus=True)}
            reach = self.networks.reach(dead, powerless)
        return self._event(kind, lost, outcome, rack, reach)

    def of_devices(self, kind: EventKind, name: str) -> FailureEvent:
        """An event in which one device dies by itself, with all its power."""
        return self._event(kind, (name,), Outcome((), (), ()), "", self.networks.reach((name,)))

    def of_nothing(self, kind: EventKind, lost: tuple[str, ...]) -> FailureEvent:
        """An event that touches no power and no device."""
        return self._event(kind, lost, Outcome((), (), ()), "", self.networks.untouched)

    def matters(self, outcome: Outcome) -> bool:
        """Whether anything but GPU nodes is down after an outcome: then racks that are alike differ in what they held."""
        return any(
            live.state == DOWN and not machine.gpus
            for cell in outcome.cells
            for machine, live in zip(self.machines(cell), cell.settled.lives, strict=True)
        )

    def _event(self, kind: EventKind, lost: tuple[str, ...], outcome: Outcome, rack: str, reach: Reach) -> FailureEvent:
        gpus = list(self.base)
        throttled, wanted = 0.0, 0.0
        for cell in outcome.cells:
            whole = self.cascade.whole[self.hall.spots[cell.spot].kind]
            for state in (FULL, THROTTLED, DOWN, UNKNOWN):
                gpus[state] += (cell.settled.gpus[state] - whole.gpus[state]) * cell.racks
            throttled += cell.settled.throttled_kw * cell.racks
            wanted += cell.settled.throttled_of_kw * cell.racks
        return FailureEvent(
            kind=kind,
            lost=lost,
            stands_for=1,
            alike=(" + ".join(lost),),
            gpus_full=gpus[FULL],
            gpus_throttled=gpus[THROTTLED],
            gpus_down=gpus[DOWN],
            gpus_unknown=gpus[UNKNOWN],
            throttled_kw=round(throttled, 6),
            throttled_of_kw=round(wanted, 6),
            steps=tuple(self.step(number, step, rack) for number, step in enumerate(outcome.steps)),
            gpus_cut_off=reach.gpus_cut_off,
            rails_lost=reach.rails_lost,
            bisection_share=reach.bisection_share,
            storage_down=reach.storage_down,
            mirrors_lost=reach.mirrors_lost,
            managers_lost=reach.managers_lost,
            switches_down=reach.switches_down,
            networks_cut=reach.networks_cut,
            racks=sum(cell.racks for cell in outcome.cells),
            assumed=_notes(outcome.cells, (FULL, THROTTLED)),
            unknown=_notes(outcome.cells, (UNKNOWN,)),
        )

    def fullest(self, outcome: Outcome, rack: str = "", most: int = 5) -> tuple[Overload, ...]:
        """The affected breakers that carry most of what they may for hours, the fullest first; alike strips are one row."""
        found: list[Overload] = []
        strips: dict[tuple[int, int, float], Overload] = {}
        for index, load in self.cascade.changed(outcome.cells).items():
            segment = self.hall.segments[index]
            amps, rating, derated = self.cascade.limits(index, load)
            if rating is not None and derated is not None and index not in outcome.dead:
                found.append(_of_segment(segment, (amps, rating, derated), load))
        for cell in outcome.cells:
            first = next(iter(self._racks(cell, rack)), "")
            for at, (strip, load) in enumerate(zip(self._kind(cell).strips, cell.settled.loads, strict=True)):
                amps = line_amps(load, strip.volts, 1 if strip.one_phase else 3)
                key = (self.hall.spots[cell.spot].kind, at, round(amps, 3))
                count = cell.racks + (strips[key].count if key in strips else 0)
                name = strips[key].name if key in strips else f"{first}-{strip.name}"
                strips[key] = _overload(name, "pdu", amps, strip.rating_a, strip.derated_a, count)
        live = [row for row in (*found, *strips.values()) if row.amps > 0]
        return tuple(sorted(live, key=lambda row: (-row.amps / row.derated_a, row.name))[:most])

    def _kind(self, cell: Cell) -> Kind:
        return self.hall.kinds[self.hall.spots[cell.spot].kind]

    def step(self, number: int, step: Step, rack: str) -> CascadeStep:
        """A round with names."""
        full, throttled, down, unknown = step.machines
        return CascadeStep(
            number=number,
            trips=self._named(step.trips, rack),
            held=self._named(step.held, rack),
            full=full,
            throttled=throttled,
            down=down,
            unknown=unknown,
            draw_kw=round(step.draw_kw, 6),
        )

    def _named(self, trips: Iterable[Trip], rack: str) -> tuple[Overload, ...]:
        """Breakers by name; those of alike racks at the same current are one row."""
        rows: dict[tuple[object, ...], list[Trip]] = {}
        for trip in trips:
            rows.setdefault(self._alike(trip), []).append(trip)
        return tuple(self._overload(group, rack) for group in rows.values())

    def _alike(self, trip: Trip) -> tuple[object, ...]:
        if trip.segment >= 0:
            return (trip.segment,)
        return (self.hall.spots[trip.spot].kind, trip.bit, round(trip.amps, 3), trip.seed != 0)

    def _overload(self, group: list[Trip], rack: str) -> Overload:
        first, count = group[0], sum(trip.racks for trip in group)
        if first.segment >= 0:
            segment = self.hall.segments[first.segment]
            return _of_segment(segment, (first.amps, first.rating_a, first.derated_a), first.load)
        spot = self.hall.spots[first.spot]
        place = rack if first.seed else next(one for one in spot.racks if one != rack)
        name, kind = self.breaker_name(spot.kind, first.bit, place)
        return _overload(name, kind, first.amps, first.rating_a, first.derated_a, count)

    def breaker_name(self, kind: int, bit: int, rack: str) -> tuple[str, str]:
        """Name and kind of a strip or bank of a rack."""
        of = self.hall.kinds[kind]
        what = "pdu" if bit.bit_length() <= len(of.strips) else "circuit"
        return f"{rack}-{of.breaker_name(bit)}", what

    def machines(self, cell: Cell) -> tuple[Machine, ...]:
        """The machines of a cell's racks."""
        return self._kind(cell).machines

    def _racks(self, cell: Cell, rack: str) -> list[str]:
        """Racks of a cell by name: the one that the failure began in, or all others of the spot."""
        if cell.seed:
            return [rack]
        return [name for name in self.hall.spots[cell.spot].racks if name != rack]

    def _dead(self, cell: Cell, racks: Iterable[str], *, gpus: bool) -> Iterator[str]:
        """Names of machines that are down in a cell: GPU nodes, or everything else."""
        lows = [
            machine.u
            for machine, live in zip(self.machines(cell), cell.settled.lives, strict=True)
            if live.state == DOWN and bool(machine.gpus) is gpus
        ]
        if lows:
            for rack in racks:
                here = self.devices[rack]
                yield from (here[u] for u in lows)


def _overload(name: str, kind: str, amps: float, rating: float, derated: float, count: int = 1) -> Overload:
    return Overload(name, kind, round(amps, 3), round(rating, 3), round(derated, 3), count)


def _of_segment(segment: Segment, amps: tuple[float, float, float], load: Load) -> Overload:
    """A piece above the racks against what binds it: its breaker, or its rating in kVA or kW. `amps`: load, rating, derated.

    Of a rating in kVA each line has its share: the fullest one is named, and what all of them carry is said as it is.
    """
    _, rating, _ = amps
    found = _overload(segment.name, segment.kind, *amps)
    by_kw = segment.rated_kw is not None and (segment.rating_a is None or rating < segment.rating_a - EPSILON)
    rated, unit = (segment.rated_kw, "kW") if by_kw else (segment.rated_kva, "kVA")
    if rated is None:
        return found
    lines = lines_amps(load, segment.volts, segment.phases)
    carried = sum(load).real if by_kw else abs(sum(load))
    line = f"L{lines.index(max(lines)) + 1}"
    return msgspec.structs.replace(found, unit=unit, rated=rated, carried=round(carried, 3), line=line)


def _notes(cells: Iterable[Cell], states: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(sorted({live.note for cell in cells for live in cell.settled.lives if live.note and live.state in states}))


def merged(events: Iterable[FailureEvent]) -> list[FailureEvent]:
    """Events that differ in names only become one that counts them."""
    groups: dict[tuple[object, ...], list[FailureEvent]] = {}
    for event in events:
        groups.setdefault(_signature(event), []).append(event)
    return [_counted(group) for group in groups.values()]


def _counted(group: list[FailureEvent]) -> FailureEvent:
    if len(group) == 1:
        return group[0]
    names = [name for event in group[:_NAMED] for name in event.alike][:_NAMED]
    first = group[0]
    return FailureEvent(
        **{name: getattr(first, name) for name in first.__struct_fields__ if name not in ("stands_for", "alike")},
        stands_for=sum(event.stands_for for event in group),
        alike=tuple(names),
    )


def _signature(event: FailureEvent) -> tuple[object, ...]:
    share = None if event.bisection_share is None else round(event.bisection_share, 6)
    return (
        event.kind,
        (event.gpus_full, event.gpus_throttled, event.gpus_down, event.gpus_unknown, event.gpus_cut_off),
        (round(event.throttled_kw, 3), len(event.rails_lost), share, len(event.storage_down), len(event.mirrors_lost)),
        (event.managers_lost, len(event.switches_down), tuple(event.networks_cut.items())),
        tuple((_shape(step.trips), _shape(step.held)) for step in event.steps),
        (event.assumed, event.unknown),
    )


def _shape(rows: Iterable[Overload]) -> tuple[tuple[str, int], ...]:
    return tuple((row.kind, row.count) for row in rows)
