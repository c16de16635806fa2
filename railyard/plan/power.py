"""Power and heat of a rack. No judgement: a rule compares."""

from collections.abc import Iterable

from railyard.model.plan import RackFeed
from railyard.model.site import Facility, Feed
from railyard.plan.parts import Parts


def feed_capacity_kw(facility: Facility, feed: Feed, parts: Parts) -> float:
    """What one feed of a rack carries for hours, all its PDUs together: `PduModel.capacity_kw(rating)` * PDUs.

    Three phases: sqrt(3) * V line-to-line * A * rating (or 3 * V line-to-neutral); one phase: V * A * rating; at a power factor
    of 1. Source: users.md case 1 (400 V LL, 32 A, 80 %: 17.736 kVA; 230 V LN: 17.664 kVA).
    """
    return round(parts.pdus[feed.name].capacity_kw(facility.continuous_rating) * feed.pdus_per_rack, 6)


def load_feeds(facility: Facility, parts: Parts, peak_kw: float) -> tuple[RackFeed, ...]:
    """Every feed of a rack with its load.

    load = peak / number of feeds while all live; survivor = the whole peak, what the feed carries when the other one is lost
    (and what an only feed carries always).
    """
    share = round(peak_kw / len(facility.feeds), 6)
    return tuple(
        RackFeed(
            name=feed.name,
            pdu_model=feed.pdu_model,
            pdus=feed.pdus_per_rack,
            capacity_kw=feed_capacity_kw(facility, feed, parts),
            breaker_a=parts.pdus[feed.name].breaker_a,
            continuous_rating=facility.continuous_rating,
            load_kw=share,
            survivor_kw=peak_kw,
        )
        for feed in facility.feeds
    )


def heat_to_air_kw(loads: Iterable[tuple[float, float]]) -> float:
    """Heat that the rack's air carries: sum of peak kW * air fraction over (peak, fraction)."""
    return round(sum(peak * fraction for peak, fraction in loads), 6)
