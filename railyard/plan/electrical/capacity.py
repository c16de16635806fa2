"""What a rack's feed carries, and the heat that its air takes: two figures that placing asks for before any rack is there."""

from collections.abc import Iterable

from railyard.model.power import ASSUMED_POWER_FACTOR
from railyard.model.site import Facility, Feed
from railyard.plan.electrical.strips import spec_of
from railyard.plan.parts import Parts


def feed_capacity_kw(facility: Facility, feed: Feed, parts: Parts) -> float:
    """kW that one feed of a rack carries for hours, all its strips together, whatever stands in it.

    kVA of its strips at their own voltage (sqrt(3) x V line-to-line x A x rating, 3 x V line-to-neutral, V x A of one phase)
    times the assumed power factor: placing must not fill a rack that the power rules then refuse.
    """
    return round(spec_of(facility, feed, parts.pdus[feed.name], None).capacity_kva * ASSUMED_POWER_FACTOR, 6)


def heat_to_air_kw(loads: Iterable[tuple[float, float]]) -> float:
    """Heat that the rack's air carries: sum of peak kW * air fraction over (peak, fraction)."""
    return round(sum(peak * fraction for peak, fraction in loads), 6)
