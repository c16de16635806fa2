"""Nouns of the failure engine: kinds of racks, the places where they stand, and the path above them.

A rack is a kind (machines, supplies, cords, banks, strips) at a spot (what feeds each of its strips); racks of one kind under
the same segments are judged once and counted. What is lost inside of a rack is a bit mask: strips, then banks, then supplies.
Loads are complex kVA by what they hang between (`LEGS`), so that they add up as vectors wherever a breaker is judged.
"""

import cmath
import math

import msgspec

LEGS = ("L1", "L2", "L3", "L1-L2", "L2-L3", "L3-L1", "L1-L2-L3")
ALL_LINES = 6
"""Index of a load that hangs evenly on all three lines."""
Load = tuple[complex, complex, complex, complex, complex, complex, complex]
"""kVA by `LEGS`."""
NONE: Load = (0j, 0j, 0j, 0j, 0j, 0j, 0j)
_TURN = (1 + 0j, cmath.exp(-2j * math.pi / 3), cmath.exp(2j * math.pi / 3))
_DOWN_TURN = tuple(1 / turn for turn in _TURN)
_BETWEEN = tuple(1 / (_TURN[one] - _TURN[other]) for one, other in ((0, 1), (1, 2), (2, 0)))
SHARE_OF_LINE = (1.0, 1.0, 1.0, 1 / math.sqrt(3), 1 / math.sqrt(3), 1 / math.sqrt(3), 1 / 3)
"""Part of a load's kVA / volts to neutral that the line with most of it carries, by `LEGS`."""


class Machine(msgspec.Struct, frozen=True, gc=False):
    """One device of a rack kind at its lowest U. `supplies` index the kind's supplies; None stands for a fact nobody knows.

    `kw` is what it draws when nothing is lost (`nameplate_kw` the most), `kva_per_kw` complex (P + jQ). `gpus` is 0 for what
    computes nothing.
    """

    u: int
    model: str
    kw: float
    kva_per_kw: complex
    gpus: int
    psus: int | None
    psus_for_full: int | None
    psus_to_run: int | None
    psu_kw: float | None
    supplies: tuple[int, ...]
    nameplate_kw: float = 0.0

    @property
    def cords(self) -> int:
        """How many cords it hangs on."""
        return len(self.supplies)


class Wire(msgspec.Struct, frozen=True, gc=False):
    """One cord: its strip, its bank there (-1: none of its own, or nobody knows), and where in `LEGS` it hangs."""

    strip: int
    bank: int
    leg: int


class Outlets(msgspec.Struct, frozen=True):
    """The cords of one supply by preference: one, or two behind a transfer switch. `psu` counts from 1 in its machine.

    0: nobody knows how many supplies there are; the load is dealt over all strips.
    """

    machine: int
    psu: int
    wires: tuple[Wire, ...]


class Strip(msgspec.Struct, frozen=True, gc=False):
    """A strip behind its feed's breaker: ampere over which that trips, and that both carry for hours.

    `volts` are to neutral (of one phase: as they are). `one_phase` is how such a strip taps the lines above it, in turn by its
    `number` (from 0) among the feed's.
    """

    name: str
    feed: str
    volts: float
    rating_a: float
    derated_a: float
    one_phase: str | None = None
    number: int = 0


class Bank(msgspec.Struct, frozen=True, gc=False):
    """A breaker inside of a strip; `volts` are those of its outlets. None: nobody knows its rating."""

    name: str
    strip: int
    volts: float
    rating_a: float | None
    derated_a: float | None


class Kind(msgspec.Struct, frozen=True):
    """Racks that are alike."""

    key: str
    machines: tuple[Machine, ...]
    supplies: tuple[Outlets, ...]
    banks: tuple[Bank, ...]
    strips: tuple[Strip, ...]

    def strip_bit(self, index: int) -> int:
        """Mask of a lost strip."""
        return 1 << index

    def bank_bit(self, index: int) -> int:
        """Mask of a lost bank."""
        return 1 << (len(self.strips) + index)

    def supply_bit(self, index: int) -> int:
        """Mask of a lost supply."""
        return 1 << (len(self.strips) + len(self.banks) + index)

    def breaker_name(self, bit: int) -> str:
        """Name of the strip or bank of a bit, as it follows its rack's: `pdu-a`, `pdu-a/B1`."""
        index = bit.bit_length() - 1
        if index < len(self.strips):
            return self.strips[index].name
        bank = self.banks[index - len(self.strips)]
        return f"{self.strips[bank.strip].name}/{bank.name}"

    def limits(self, bit: int) -> tuple[float, float]:
        """Ampere over which the breaker of a strip's or bank's bit trips, and that it carries for hours."""
        index = bit.bit_length() - 1
        breaker = self.strips[index] if index < len(self.strips) else self.banks[index - len(self.strips)]
        rating = breaker.rating_a or 0.0
        return rating, rating if breaker.derated_a is None else breaker.derated_a


class Segment(msgspec.Struct, frozen=True, gc=False):
    """One piece of the path. `parent` indexes the segments, -1 is the street; `volts` are to neutral (one phase: as they are).

    It trips over `rating_a` (breaker or rated kVA, the lesser: `rated_kva` where that is it) or `rated_kw`. None: not stated;
    then nobody says that it holds.
    """

    name: str
    kind: str
    parent: int
    volts: float
    rating_a: float | None
    derated_a: float | None
    rated_kw: float | None = None
    efficiency: float = 1.0
    phases: int = 3
    rated_kva: float | None = None


class Spot(msgspec.Struct, frozen=True):
    """Racks of one kind under the same segments: `feeds` is the lowest segment of each strip, -1 where none is known.

    `turn` (0, 1, 2) is the line that their strips of one phase begin with.
    """

    kind: int
    feeds: tuple[int, ...]
    racks: tuple[str, ...]
    turn: int = 0


class Hall(msgspec.Struct, frozen=True):
    """Everything that can fail electrically."""

    kinds: tuple[Kind, ...]
    spots: tuple[Spot, ...]
    segments: tuple[Segment, ...]


def line_amps(load: Load, volts: float, phases: int = 3) -> float:
    """Ampere in the fullest line: conj(S / V) of each load, summed as vectors. One phase carries everything on its line."""
    return max(lines_amps(load, volts, phases))


def lines_amps(load: Load, volts: float, phases: int = 3) -> tuple[float, ...]:
    """The same for each line."""
    if phases == 1:
        return (abs(sum(load)) * 1000 / volts,)
    one, two, three, ab, bc, ca, even = load
    even, ab, bc, ca = even / 3, ab * _BETWEEN[0], bc * _BETWEEN[1], ca * _BETWEEN[2]
    return tuple(
        abs(line) * 1000 / volts
        for line in (
            (one + even) * _DOWN_TURN[0] + ab - ca,
            (two + even) * _DOWN_TURN[1] + bc - ab,
            (three + even) * _DOWN_TURN[2] + ca - bc,
        )
    )


def tapped(load: Load, strip: Strip, turn: int) -> Load:
    """A strip's load as the segments above see it: one phase hangs on the line, or pair of lines, of its turn."""
    if strip.one_phase is None:
        return load
    found = [0j] * len(LEGS)
    found[turn % 3 + (3 if strip.one_phase == "line-line" else 0)] = sum(load)
    return (found[0], found[1], found[2], found[3], found[4], found[5], found[6])
