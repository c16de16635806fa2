"""What a rack's strips are on each feed: model, volts at which they stand, limits, and their banks with outlets to deal out."""

from __future__ import annotations

import msgspec

from railyard.model.catalog import PduModel
from railyard.model.power import Reference
from railyard.model.site import Facility, Feed
from railyard.plan.electrical.phases import BALANCED, SQRT3, capacity_kva, rated_amps, volts_between

CORD_A = {"iec": {"c13": 10.0, "c19": 16.0, "c39": 16.0}, "ul": {"c13": 12.0, "c19": 16.0, "c39": 16.0}}
"""Ampere of an outlet and its cord for hours. IEC 60320-1: C13 10 A, C19 16 A. UL 498 and CSA C22.2: 15 and 20 A, of which 80 %
(NEC 210.21(B)(2)) for a continuous load. C39 takes either plug; the cord limits it."""
SUPPLY_V_MIN = 180.0
"""Below it a supply of 200 to 240 V doesn't run (10 % off 200 V)."""
TAKES = {"c14": ("c13", "c39"), "c20": ("c19", "c39")}
"""Outlets that take the cord of a supply with this inlet, the exact one first."""
CORDS = {"c14": "C13-C14", "c20": "C19-C20"}


class FeedSpec(msgspec.Struct, frozen=True):
    """One feed of a rack: `strips` of `model`, each behind a breaker of its own. `limit_a` is of one strip, in each line.

    `volts` are those between lines where `reference` says so; of one phase they are those of the strip.
    """

    letter: str
    model: PduModel
    strips: int
    volts: float
    reference: Reference
    phases: int
    breaker_a: float
    rating: float
    limit_a: float

    @property
    def capacity_kva(self) -> float:
        """What all its strips carry for hours, in kVA."""
        return round(capacity_kva(self.volts, self.reference, self.phases, self.limit_a) * self.strips, 6)

    @property
    def has_neutral(self) -> bool | None:
        """Whether current comes back through a neutral that somebody can compute: the banks say where outlets hang."""
        if self.phases == 1 or self.model.banks is None:
            return None
        return any("-" not in bank.legs for bank in self.model.banks)

    def volts_at(self, legs: str | None) -> float:
        """Volts at an outlet. Where nobody knows what outlets hang between: those that a supply of 200 to 240 V takes."""
        to_neutral = volts_between("L1", self.volts, self.reference, self.phases)
        if legs is None or legs == BALANCED:
            return to_neutral if to_neutral >= SUPPLY_V_MIN else volts_between("L1-L2", self.volts, self.reference, self.phases)
        return volts_between(legs, self.volts, self.reference, self.phases)


class Given(msgspec.Struct, frozen=True):
    """What a feed's lowest segment gives to the racks."""

    volts: float
    reference: Reference
    phases: int


def spec_of(facility: Facility, feed: Feed, model: PduModel, given: Given | None) -> FeedSpec:
    """The feed as the stack file and the strip's model make it, at the volts that its segment gives (None: the strip's own)."""
    volts, reference = strip_volts(model, given)
    rating = facility.continuous_rating if feed.continuous_rating is None else feed.continuous_rating
    breaker = model.breaker_a if feed.breaker_a is None else feed.breaker_a
    limits = [breaker * rating, *([model.rated_a] if model.rated_a is not None else [])]
    if model.rated_kva is not None:
        limits.append(rated_amps(volts, reference, model.phases, model.rated_kva))
    return FeedSpec(feed.name, model, feed.pdus_per_rack, volts, reference, model.phases, breaker, rating, min(limits))


def strip_volts(model: PduModel, given: Given | None) -> tuple[float, Reference]:
    """Volts at which a strip stands: what its segment gives, told as the strip's own are; else what it is made for.

    A strip of one phase taps three lines between two of them or from one to neutral, as its own reference says. A strip of
    three phases on a segment of one is another rule's finding: it keeps its own volts.
    """
    own = (model.volts, model.voltage_reference)
    if given is None or (given.phases == 1 and model.phases == 3):
        return own
    if given.phases == 1:
        return given.volts, given.reference
    between = given.volts if given.reference == "line-line" else given.volts * SQRT3
    return (between, "line-line") if model.voltage_reference == "line-line" else (between / SQRT3, "line-neutral")
