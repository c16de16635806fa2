"""Which supply hangs on which feed, and which outlet its cord goes to. Order is by size and place, never by what stands today.

Supplies go to feeds in turn (1 to a, 2 to b, 3 to a ...) unless the stack file says otherwise. With three or four feeds, gear
whose supplies don't divide by them goes on where the one below it in the rack has ended, and each rack of a row begins one feed
later: else all pairs hung on a and b. On a feed the plugs that only a
C19 takes are dealt first, of them the largest, then from the bottom of the rack: each to an outlet whose bank isn't over its
breaker, that keeps the lines even, whose bank is emptiest. Planned devices are dealt like standing ones, so that filling a slot
moves no cord.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from railyard.plan.electrical.facts import DeviceFacts
from railyard.plan.electrical.phases import BALANCED, complex_kva, vectors
from railyard.plan.electrical.strips import TAKES, FeedSpec
from railyard.plan.electrical.survivors import judge

SingleCord = Literal["ats", "feed-a"]
_EVEN = 1e-6


class Supplies(msgspec.Struct, frozen=True):
    """A device's supplies: feed of each in order (`feeds`), how many on each. `ats`: the second input of its transfer switch.

    `known` is false where nobody knows how many there are: the load is then dealt evenly over all feeds.
    """

    feeds: tuple[str, ...]
    on: dict[str, int]
    known: bool
    ats: str | None = None

    def share(self, feed: str, lost: str | None) -> float:
        """Part of the device's load that all its supplies on `feed` carry while feed `lost` is dead: live ones share evenly."""
        if self.ats is not None:
            live = self.feeds[0] if lost != self.feeds[0] else self.ats
            return 1.0 if feed == live else 0.0
        alive = sum(count for name, count in self.on.items() if name != lost)
        return 0.0 if feed == lost or not alive else self.on.get(feed, 0) / alive

    def live(self, lost: str | None) -> int:
        """Supplies that live while feed `lost` is dead. A transfer switch loses none."""
        return sum(count for name, count in self.on.items() if self.ats is not None or name != lost)

    def left(self, feeds: Iterable[str]) -> int:
        """Supplies that live after the loss of the feed that is worst for it. A transfer switch loses none."""
        total = sum(self.on.values())
        return total if self.ats is not None else total - max(self.on.get(feed, 0) for feed in feeds)


def cords_over(facts: DeviceFacts, feeds: int, single_cord: SingleCord) -> int:
    """Cords of a device that move on to the next feed: those that don't divide by three or four feeds, 0 where none does.

    Two feeds are dealt a, b from the first supply of each device; what the stack file deals, or hangs on feed a, stays there.
    """
    cords = 2 if facts.psus == 1 and single_cord == "ats" else facts.psus or 0
    return cords % feeds if feeds > 2 and cords > 1 and facts.feeds is None else 0


def begins(devices: Iterable[DeviceFacts], feeds: int, single_cord: SingleCord, start: int) -> Iterator[int]:
    """Index of the feed that each device of a rack begins with, from the bottom up, planned ones counted: growth moves none."""
    for facts in devices:
        over = cords_over(facts, feeds, single_cord)
        yield start % feeds if over else 0
        start += over


def deal_supplies(facts: DeviceFacts, feeds: Sequence[str], single_cord: SingleCord, start: int = 0) -> Supplies:
    """Feeds of a device's supplies, from the feed of index `start` on. A feed that the stack file names and the racks lack is
    another rule's: it is left out.
    """
    if facts.psus is None:
        return Supplies(tuple(feeds), dict.fromkeys(feeds, 1), known=False)
    wanted = tuple(feed for feed in facts.feeds or () if feed in feeds)
    dealt = wanted if len(wanted) == facts.psus else tuple(feeds[(start + index) % len(feeds)] for index in range(facts.psus))
    ats = single_cord == "ats" and facts.psus == 1 and len(feeds) > 1
    other = feeds[(feeds.index(dealt[0]) + 1) % len(feeds)]
    return Supplies(dealt, {feed: dealt.count(feed) for feed in feeds if feed in dealt}, known=True, ats=other if ats else None)


class Plug(msgspec.Struct):
    """One cord's end at a strip, with its complex kVA: all live (`None`) and by the feed that is lost. Then where it went."""

    u: int
    psu: int
    model: str
    installed: bool
    ats: bool
    inlet: str | None
    powers: dict[str | None, complex]
    strip: int = 0
    bank: int | None = None
    outlet: str | None = None
    outlet_type: str | None = None
    missing: str | None = None

    @property
    def worst(self) -> complex:
        """Its load in the worst case."""
        return max(self.powers.values(), key=abs)


class Slot(msgspec.Struct):
    """A bank of one strip while plugs are dealt: free outlets by type, the load so far (worst case), the limit in ampere.

    `unit` is the current in each line for one kVA in phase; a load of complex power S draws conj(S) times that. `devices` are
    the lowest U of what hangs on it.
    """

    strip: int
    index: int
    legs: str
    volts: float
    limit_a: float | None
    free: dict[str, list[str]]
    unit: dict[str, complex]
    devices: list[int]
    load: complex = 0j


def plugs_of(
    devices: Iterable[tuple[int, DeviceFacts, Supplies, bool]], feed: str, feeds: Sequence[str]
) -> tuple[list[Plug], dict[str | None, complex]]:
    """Plugs of a feed (all planned), and the load of what stands that has no plug: nobody knows how many supplies it has."""
    cases: list[str | None] = [None, *(other for other in feeds if other != feed)]
    plugs: list[Plug] = []
    loose: dict[str | None, complex] = dict.fromkeys(cases, 0j)
    for u, facts, supplies, installed in devices:
        whole = complex_kva(facts.load_kw, facts.power_factor)
        parts = {lost: _drawn(facts, supplies, lost) for lost in cases}
        inputs = [number + 1 for number, name in enumerate(supplies.feeds) if name == feed]
        if supplies.ats == feed:
            inputs = [2]
        if not supplies.known:
            for lost in cases:
                loose[lost] += whole * supplies.share(feed, lost) * installed
            continue
        for number in inputs:
            powers = {lost: whole * part * supplies.share(feed, lost) / len(inputs) for lost, part in parts.items()}
            plugs.append(Plug(u, number, facts.model, installed, supplies.ats is not None, facts.inlet, powers))
    return plugs, loose


def _drawn(facts: DeviceFacts, supplies: Supplies, lost: str | None) -> float:
    """Part of its planned load that a device draws: less after a loss where its live supplies give less, or don't run it.

    With all feeds live it is planned with its load as it is: supplies that are too weak for it are another rule's (POWER-018).
    """
    if lost is None or not facts.load_kw or not supplies.known:
        return 1.0
    return judge(facts, supplies.live(lost)).kw / facts.load_kw


Dealt = dict[tuple[object, ...], tuple[list[Slot], list[tuple[int, int | None, str | None, str | None, str | None]]]]
"""Where plugs went, by what decides it: feeds b and a of a rack are dealt alike, and so are racks whose plugs are alike."""


def deal_outlets(spec: FeedSpec, plugs: Sequence[Plug], known: Dealt, turn: int = 0) -> list[Slot]:
    """Give each plug an outlet, in place; returns the banks of all strips. A plug without one says what is missing.

    `turn` (0, 1, 2) is the line that a rack begins with: what doesn't divide by three loads each line of a row as often.
    """
    ordered = sorted(plugs, key=_order)
    loads = tuple((plug.u, plug.inlet, plug.model, round(plug.worst.real, 9), round(plug.worst.imag, 9)) for plug in ordered)
    key = (spec.model.name, spec.strips, spec.volts, spec.reference, spec.rating, turn, loads)
    if key not in known:
        slots = _deal(spec, ordered, turn)
        known[key] = slots, [(plug.strip, plug.bank, plug.outlet_type, plug.outlet, plug.missing) for plug in ordered]
    slots, rows = known[key]
    for plug, row in zip(ordered, rows, strict=True):
        plug.strip, plug.bank, plug.outlet_type, plug.outlet, plug.missing = row
    return slots


def _deal(spec: FeedSpec, plugs: Sequence[Plug], turn: int) -> list[Slot]:
    slots = _slots(spec)
    first = _from_line(slots, turn)
    lines: list[dict[str, complex]] = [dict.fromkeys(("L1", "L2", "L3"), 0j) for _ in range(spec.strips)]
    loads = [0.0] * spec.strips
    for plug in plugs:
        # Where no outlet is known or left: the strip that carries least.
        plug.strip = min(range(spec.strips), key=lambda strip: round(loads[strip], 9))
        if not slots:
            plug.missing = f"outlets of {spec.model.name}"
        elif plug.inlet is None:
            plug.missing = f"inlet of {plug.model}"
        else:
            _place(plug, slots, lines, first)
        loads[plug.strip] += abs(plug.worst)
    return slots


def _order(plug: Plug) -> tuple[bool, float, int, int]:
    return plug.inlet != "c20", -round(abs(plug.worst), 9), plug.u, plug.psu


def _slots(spec: FeedSpec) -> list[Slot]:
    return [
        Slot(
            strip,
            index,
            bank.legs,
            spec.volts_at(bank.legs),
            None if bank.breaker_a is None else bank.breaker_a * spec.rating,
            {kind: list(names) for kind, names in bank.outlets.items()},
            _unit(spec, bank.legs),
            [],
        )
        for strip in range(spec.strips)
        for index, bank in enumerate(spec.model.banks or ())
    ]


def _from_line(slots: Iterable[Slot], turn: int) -> dict[str, int]:
    """Place of each line, or pair of lines, in the order in which a rack of this turn takes them."""
    order = list(dict.fromkeys(slot.legs for slot in slots))
    return {legs: (index - turn) % len(order) for index, legs in enumerate(order)}


def _place(plug: Plug, slots: Sequence[Slot], lines: list[dict[str, complex]], first: Mapping[str, int]) -> None:
    kinds = TAKES.get(plug.inlet or "", ())
    free = [(slot, kind) for kind in kinds for slot in slots if slot.free.get(kind)]
    if not free:
        wanted = " or ".join(kind.upper() for kind in kinds)
        plug.missing = f"a free {wanted} outlet" if wanted else "an outlet: the device is wired by hand"
        return
    mates = Counter(slot.strip for slot in slots if plug.u in slot.devices for _ in range(slot.devices.count(plug.u)))
    load = plug.worst
    uneven = {(slot.strip, slot.legs): _uneven(load, slot, lines[slot.strip]) for slot in _apart(free)}

    def cost(item: tuple[Slot, str]) -> tuple[bool, float, bool, int, float, int, int, int]:
        """What is bad about an outlet, worst first: its breaker is over, lines get uneven, it would take the larger plug too,
        the strip has the same device already, its bank is fuller, it isn't of the line that is next, it stands later.
        """
        slot, kind = item
        over = slot.limit_a is not None and abs(slot.load + load) * 1000 / slot.volts > slot.limit_a + _EVEN
        full = round(abs(slot.load) / slot.volts, 6)
        later = (slot.strip, first[slot.legs], slot.index)
        return over, uneven[slot.strip, slot.legs], kind == "c39", mates[slot.strip], full, *later

    slot, kind = min(free, key=cost)
    plug.strip, plug.bank, plug.outlet_type, plug.outlet = slot.strip, slot.index, kind, slot.free[kind].pop(0)
    slot.load += load
    slot.devices.append(plug.u)
    for line, unit in slot.unit.items():
        lines[slot.strip][line] += load.conjugate() * unit


def _apart(free: Iterable[tuple[Slot, str]]) -> Iterable[Slot]:
    """One bank for each strip and each pair of lines."""
    return {(slot.strip, slot.legs): slot for slot, _ in free}.values()


def _uneven(load: complex, slot: Slot, lines: dict[str, complex]) -> float:
    """By how much the sum of the lines' squares grows: least where the load goes to the lines that carry least."""
    squares = 0.0
    for line, unit in slot.unit.items():
        current = load.conjugate() * unit
        squares += abs(current) ** 2 + 2 * (lines[line].conjugate() * current).real
    return round(squares, 3)


def _unit(spec: FeedSpec, legs: str) -> dict[str, complex]:
    found = vectors({legs: 1 + 0j}, spec.volts, spec.reference, spec.phases)
    return {line: found[line] for line in ("L1", "L2", "L3") if found[line]}


def legs_of(spec: FeedSpec, plug: Plug) -> str:
    """What a plug hangs between; where nobody knows, the load counts as even over all lines (one phase: on its line)."""
    if plug.bank is not None and spec.model.banks is not None:
        return spec.model.banks[plug.bank].legs
    return "L1" if spec.phases == 1 else BALANCED
