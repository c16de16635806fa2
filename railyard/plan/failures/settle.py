"""One rack after a loss, before any breaker trips: which supplies live, what each machine does, what flows where.

A machine shares its load evenly over its live supplies; what it does with fewer is `electrical.survivors.judge`.
"""

from collections.abc import Iterator

import msgspec

from railyard.plan.electrical.survivors import DOWN, EPSILON, FULL, THROTTLED, UNKNOWN, Live, judge
from railyard.plan.failures.tree import LEGS, Kind, Load, Machine, Wire, line_amps

__all__ = ["DOWN", "EPSILON", "FULL", "THROTTLED", "UNKNOWN", "Drawn", "Live", "Over", "Settled", "Settler", "judge", "settle"]


class Drawn(msgspec.Struct, frozen=True, gc=False):
    """A machine with its live cords; each carries `share` (complex kVA)."""

    live: Live
    wires: list[Wire]
    share: complex


class Over(msgspec.Struct, frozen=True, gc=False):
    """A strip's or bank's breaker of a rack over its derated rating; `bit` is what is lost when it trips."""

    bit: int
    amps: float
    trips: bool


class Settled(msgspec.Struct, frozen=True):
    """A rack kind with a mask of losses. `loads` are the strips' (complex kVA by legs)."""

    lives: tuple[Live, ...]
    loads: tuple[Load, ...]
    over: tuple[Over, ...]
    gpus: tuple[int, int, int, int]
    throttled_kw: float
    throttled_of_kw: float
    draw_kw: float


class Settler:
    """Settles racks, each (kind, mask) once."""

    def __init__(self, kinds: tuple[Kind, ...]) -> None:
        self.kinds = kinds
        self._known: dict[tuple[int, int], Settled] = {}
        self._whole = [[(_touched(kind, machine), draw(kind, machine, 0)) for machine in kind.machines] for kind in kinds]

    def settle(self, kind: int, mask: int) -> Settled:
        """The rack after what `mask` says is lost."""
        key = (kind, mask)
        found = self._known.get(key)
        if found is None:
            of, whole = self.kinds[kind], self._whole[kind]
            drawn = [
                draw(of, machine, mask) if mask & touched else before
                for machine, (touched, before) in zip(of.machines, whole, strict=True)
            ]
            found = self._known[key] = _settled(of, drawn)
        return found


def settle(kind: Kind, mask: int) -> Settled:
    """One rack kind after a loss."""
    return _settled(kind, [draw(kind, machine, mask) for machine in kind.machines])


def draw(kind: Kind, machine: Machine, mask: int) -> Drawn:
    """What one machine does after a loss, and what its live supplies draw from where."""
    wires = [wire for index in machine.supplies if (wire := _wire(kind, index, mask)) is not None]
    live = judge(machine, len(wires))
    return Drawn(live, wires, live.kw / len(wires) * machine.kva_per_kw if wires else 0j)


def _touched(kind: Kind, machine: Machine) -> int:
    """Mask of everything that a machine hangs on."""
    mask = 0
    for index in machine.supplies:
        mask |= kind.supply_bit(index)
        for wire in kind.supplies[index].wires:
            mask |= kind.strip_bit(wire.strip) | (kind.bank_bit(wire.bank) if wire.bank >= 0 else 0)
    return mask


def _settled(kind: Kind, drawn: list[Drawn]) -> Settled:
    strips = [[0j] * len(LEGS) for _ in kind.strips]
    banks = [0j] * len(kind.banks)
    for one in drawn:
        for wire in one.wires:
            strips[wire.strip][wire.leg] += one.share
            if wire.bank >= 0:
                banks[wire.bank] += one.share
    lives = [one.live for one in drawn]
    loads = tuple((a, b, c, d, e, f, g) for a, b, c, d, e, f, g in strips)
    gpus, throttled, wanted = _gpus(kind, lives)
    total = sum(live.kw for live in lives)
    return Settled(tuple(lives), loads, tuple(_over(kind, loads, banks)), gpus, throttled, wanted, total)


def _wire(kind: Kind, index: int, mask: int) -> Wire | None:
    """The cord that a supply draws from now: the first live one. None: the supply is dead."""
    if mask & kind.supply_bit(index):
        return None
    for wire in kind.supplies[index].wires:
        dead = mask & kind.strip_bit(wire.strip) or (wire.bank >= 0 and mask & kind.bank_bit(wire.bank))
        if not dead:
            return wire
    return None


def _gpus(kind: Kind, lives: list[Live]) -> tuple[tuple[int, int, int, int], float, float]:
    """GPUs by state; kilowatts that throttled GPU machines get and want."""
    counts, got, wanted = [0, 0, 0, 0], 0.0, 0.0
    for machine, live in zip(kind.machines, lives, strict=True):
        counts[live.state] += machine.gpus
        if machine.gpus and live.state == THROTTLED:
            got += live.kw
            wanted += machine.kw
    return (counts[0], counts[1], counts[2], counts[3]), got, wanted


def _over(kind: Kind, loads: tuple[Load, ...], banks: list[complex]) -> Iterator[Over]:
    """Strips and banks over their derated rating."""
    for index, (strip, load) in enumerate(zip(kind.strips, loads, strict=True)):
        amps = line_amps(load, strip.volts, 1 if strip.one_phase else 3)
        if amps > strip.derated_a + EPSILON:
            yield Over(kind.strip_bit(index), amps, amps > strip.rating_a + EPSILON)
    for index, (bank, power) in enumerate(zip(kind.banks, banks, strict=True)):
        if bank.rating_a is None:
            continue
        amps = abs(power) * 1000 / bank.volts
        if amps > (bank.rating_a if bank.derated_a is None else bank.derated_a) + EPSILON:
            yield Over(kind.bank_bit(index), amps, amps > bank.rating_a + EPSILON)
