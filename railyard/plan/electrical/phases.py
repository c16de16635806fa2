"""Alternating current as vectors: complex power in, ampere by line out. Pure arithmetic, no device and no limit.

Volts to neutral stand at 0, -120 and +120 degrees (L1, L2, L3); L1-L2 is the difference of two of them. A load of complex power
S = P + jQ (W and var) draws conj(S / V). The sum in a line is one of vectors: two outlets of 16 A that share L2 make 27.7 A in
it where they are alike, never 32.
"""

import cmath
import math
from collections.abc import Iterable, Mapping

from railyard.model.power import PhaseLoad, Reference

Powers = dict[str, complex]
"""Complex power in kVA by what a load stands between: `L1`, `L2-L3`, `L1-L2-L3`."""

_LINES = ("L1", "L2", "L3")
_TURN = {"L1": 1.0 + 0j, "L2": cmath.rect(1, -2 * math.pi / 3), "L3": cmath.rect(1, 2 * math.pi / 3)}
BALANCED = "L1-L2-L3"
SQRT3 = math.sqrt(3)
_DECIMALS = 6


def complex_kva(kw: float, power_factor: float) -> complex:
    """kW and a lagging power factor as kVA with its angle: P + jQ, |S| = P / power factor."""
    return complex(kw, kw * math.sqrt(max(1 / power_factor**2 - 1, 0.0)))


def volts_to_neutral(volts: float, reference: Reference, phases: int) -> float:
    """Volts of one line to neutral. One phase has only the voltage that it has, whatever it is measured between."""
    return volts / SQRT3 if phases == 3 and reference == "line-line" else volts


def volts_between(legs: str, volts: float, reference: Reference, phases: int) -> float:
    """Volts at an outlet: line to line for two lines, to neutral for one; three lines count as line to line."""
    if phases == 1:
        return volts
    to_neutral = volts_to_neutral(volts, reference, phases)
    return to_neutral if "-" not in legs else to_neutral * SQRT3


def capacity_kva(volts: float, reference: Reference, phases: int, amps: float) -> float:
    """kVA at so many ampere in every line: sqrt(3) x V line to line, 3 x V line to neutral, V for one phase."""
    factor = 1.0 if phases == 1 else SQRT3 if reference == "line-line" else 3.0
    return factor * volts * amps / 1000


def rated_amps(volts: float, reference: Reference, phases: int, kva: float) -> float:
    """Ampere that one line may carry of a rating in kVA: of three phases each has a third of it (rating / (3 x V to neutral)).

    A UPS limits the current of each line of its output stage, not their sum: one full line sends it to bypass although the
    others are empty. No load of more kVA than the rating has all its lines below this.
    """
    return kva / capacity_kva(volts, reference, phases, 1.0)


def vectors(powers: Mapping[str, complex], volts: float, reference: Reference, phases: int) -> dict[str, complex]:
    """Ampere in each line as vectors, and `N`, the neutral: what one-line loads send back through it.

    Raises KeyError for legs that are none.
    """
    found: dict[str, complex] = dict.fromkeys((*_LINES, "N"), 0j)
    to_neutral = volts_to_neutral(volts, reference, phases)
    for legs, power in powers.items():
        if legs == BALANCED:
            for line in _LINES:
                found[line] += (power * 1000 / 3 / (to_neutral * _TURN[line])).conjugate()
        elif "-" in legs and phases == 3:
            first, second = legs.split("-")
            current = (power * 1000 / (to_neutral * (_TURN[first] - _TURN[second]))).conjugate()
            found[first] += current
            found[second] -= current
        else:
            line = legs.split("-")[0]
            current = (power * 1000 / (to_neutral * _TURN[line])).conjugate()
            found[line] += current
            found["N"] += current
    return found


def phase_load(
    powers: Mapping[str, complex], volts: float, reference: Reference, phases: int, *, neutral: bool | None = True
) -> PhaseLoad:
    """Ampere by line of the vector sum. `neutral` None or False: there is none, or nobody knows where outlets hang."""
    found = vectors(powers, volts, reference, phases)
    back = round(abs(found["N"]), _DECIMALS) if neutral else None
    l1, l2, l3 = (round(abs(found[line]), _DECIMALS) for line in _LINES)
    return PhaseLoad(l1_a=l1, l2_a=l2, l3_a=l3, neutral_a=back)


def added(into: Powers, powers: Mapping[str, complex], times: float = 1.0) -> None:
    """Add powers to others in place: like connections add up at their angles."""
    for legs, power in powers.items():
        into[legs] = into.get(legs, 0j) + power * times


def total(powers: Mapping[str, complex]) -> complex:
    """Complex power of all connections together."""
    return sum(powers.values(), 0j)


def kva(powers: Mapping[str, complex]) -> float:
    """Volt-amperes of all connections together, in kVA."""
    return round(abs(total(powers)), _DECIMALS)


def kw(powers: Mapping[str, complex]) -> float:
    """Kilowatts of all connections together."""
    return round(total(powers).real, _DECIMALS)


def imbalance_percent(lines: Iterable[float]) -> float:
    """How far the fullest line is above the mean of all, in percent of it (as NEMA MG 1 does for volts); 0 without any."""
    rows = list(lines)
    mean = sum(rows) / len(rows) if rows else 0.0
    return round((max(rows) / mean - 1) * 100, _DECIMALS) if mean > 0 else 0.0
