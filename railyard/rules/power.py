"""Power, cooling, weight and room of one rack. The planner computes watts and kilograms; here they meet their limits."""

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from railyard.model.plan import RackFeed, RackPlan, RackSupplies
from railyard.rules.cooling import RACK_COOLING_PREDICATES
from railyard.rules.power_texts import (
    POWER_001,
    POWER_002,
    POWER_003,
    POWER_004,
    POWER_005,
    POWER_018,
)
from railyard.rules.racks import RACK_ROOM_PREDICATES
from railyard.rules.registry import Finding, Predicate, exceeds, run
from railyard.rules.thresholds import DEFAULTS, Thresholds

UNEVEN = (
    "more strips (facility.feeds.pdusPerRack), or another number of devices in the rack (facility.nodesPerRack): "
    "plugs are dealt as evenly as outlets let them, and this number doesn't divide by the lines"
)


def check_rack(rack: RackPlan, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about one rack."""
    return run(RACK_PREDICATES, rack, rack.name, thresholds)


def _survivor(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-001, for each feed that would be left alone: in kVA, and in ampere of its fullest line."""
    if len(rack.feeds) < 2:
        return
    for feed in rack.feeds:
        share = limits.survivor_percent_max / 100
        when = f"after losing {_lost(rack, feed)}"
        load = _Load(feed.survivor_kw, feed.survivor_kva, feed.survivor_a, _line(where, feed.survivor_at))
        found = _over(feed, load, share, when)
        if found is not None:
            yield POWER_001.finding(f"{where}/feed-{feed.name}", *found)


def _breaker(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-002, for each feed with all feeds live."""
    for feed in rack.feeds:
        share = limits.feed_percent_max / 100
        load = _Load(feed.load_kw, feed.load_kva, feed.load_a, _line(where, feed.load_at))
        found = _over(feed, load, share, "with all feeds live")
        if found is not None:
            yield POWER_002.finding(f"{where}/feed-{feed.name}", *found)


class _Load(NamedTuple):
    kw: float
    kva: float | None
    amps: float | None
    line: str


def _line(rack: str, at: str | None) -> str:
    """The fullest line by name: `line L3 of lab-r001-pdu-a2`; of an older plan nothing but that it is the fullest."""
    strip, _, line = (at or "").partition("/")
    return f"line {line} of {rack}-{strip}" if at else "the fullest line of the fullest strip"


def _over(feed: RackFeed, load: _Load, share: float, when: str) -> tuple[str, str, str] | None:
    """(found, limit, fix) where a feed carries more than it may: volt-amperes first, then the fullest line of a strip."""
    kva, limit = load.kw if load.kva is None else load.kva, feed.capacity_kw * share
    if exceeds(kva, limit):
        shown = f"{load.kw:.2f} kW" if load.kva is None else f"{kva:.2f} kVA ({load.kw:.2f} kW)"
        fewer_kw = (kva - limit) * (load.kw / kva if kva else 1.0)
        most = "" if load.amps is None else f", the most of it in {load.line}: {load.amps:.2f} A"
        found = f"feed {feed.name} carries {shown} {when}{_percent(kva, feed)}{most}"
        return found, _capacity(feed, limit), _fewer_kw(fewer_kw)
    if load.amps is not None and feed.limit_a is not None and exceeds(load.amps, feed.limit_a * share):
        found = f"{load.line} (feed {feed.name}) carries {load.amps:.2f} A {when}, the feed's kVA would fit"
        return found, f"{feed.limit_a * share:.2f} A ({_how(feed)})", UNEVEN
    return None


def _lost(rack: RackPlan, feed: RackFeed) -> str:
    """The feed whose loss it is. With two feeds there is one other; of more the plan knows the worst."""
    known = (feed.survivor_when or "").removeprefix("feed ").removesuffix(" lost")
    others = [other.name for other in rack.feeds if other is not feed]
    return f"feed {known if known in others else ', '.join(others)}"


def _redundancy(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """POWER-003: something draws power and there is one way for it to come."""
    if rack.peak_kw > 0 and len(rack.feeds) < 2:
        yield POWER_003.finding(where, f"{len(rack.feeds)} feed for {rack.peak_kw:.2f} kW", "2 feeds, a and b")


def _derating(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-004, for each feed."""
    for feed in rack.feeds:
        if exceeds(feed.continuous_rating, limits.continuous_rating_max):
            found = f"{feed.breaker_a:g} A breaker of feed {feed.name} used at {feed.continuous_rating * 100:g} % of its rating"
            yield POWER_004.finding(
                f"{where}/feed-{feed.name}", found, f"{limits.continuous_rating_max * 100:g} % for continuous load"
            )


def _supplies(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """POWER-005, for each model: what its supplies still give after the worst loss of a feed. One feed is POWER-003's, all of
    them too weak POWER-018's.
    """
    if len(rack.feeds) < 2:
        return
    for row in rack.supplies:
        left = _live(row, len(rack.feeds))
        if _short(row):
            continue
        if left is None or (row.psu_kw is None and row.psus_for_full is None):
            missing = ["psus"] if left is None else ["psuKw or psusForFull"]
            found, limit = f"{' and '.join(missing)} of {row.model} is unknown", f"{row.peak_kw:g} kW {_after(rack)}"
            yield POWER_005.undecided(f"{where}/{row.model}", found, limit, f"enter it for {row.model} in railyard/catalog")
        elif exceeds(_planned_kw(row), _given_kw(row, left)) or left < _wanted_supplies(row):
            found = _left(row, left, _after(rack))
            yield POWER_005.finding(f"{where}/{row.model}", found, _wanted(row), _more(row, left, rack))


def _live(row: RackSupplies, feeds: int) -> int | None:
    """Supplies that live after the worst loss: what the plan dealt, else as many as even dealing leaves."""
    if row.psus is None or row.psus_left is not None or row.ats:
        return row.psus if row.ats else row.psus_left
    return row.psus - ceil(row.psus / feeds)


def _more(row: RackSupplies, left: int, rack: RackPlan) -> str:
    """The way out: supplies that the stack file deals unevenly are dealt evenly; where that is too few, the rule's own."""
    even = (row.psus or 0) - ceil((row.psus or 0) / len(rack.feeds))
    if left >= even:
        return POWER_005.fix
    turn = ", ".join(feed.name for feed in rack.feeds)
    cause = f"deal supplies of {row.model} in turn ({turn}, ...): railyard:power.psuFeeds leaves {left}, that leaves {even}"
    enough = even >= _wanted_supplies(row) and not exceeds(_planned_kw(row), _given_kw(row, even))
    return cause if enough else f"{cause}, which is too few, too: then {POWER_005.fix}"


def _after(rack: RackPlan) -> str:
    return "on one feed" if len(rack.feeds) == 2 else f"on {len(rack.feeds) - 1} feeds"


def _together(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """POWER-018, for each model: all its supplies together."""
    for row in rack.supplies:
        if _short(row):
            gives = (row.psus or 0) * (row.psu_kw or 0.0)
            found = f"{row.psus} x {row.psu_kw:g} kW = {gives:.2f} kW of supplies in a {row.model}"
            yield POWER_018.finding(f"{where}/{row.model}", found, f"{row.peak_kw:.2f} kW, its own peak")


def _short(row: RackSupplies) -> bool:
    """Whether not even all supplies together carry the machine: then no feed is to blame."""
    return row.psus is not None and row.psu_kw is not None and exceeds(row.peak_kw, row.psus * row.psu_kw)


def _planned_kw(row: RackSupplies) -> float:
    """What one device is planned with: its peak, or the lesser figure that the stack file shows."""
    return row.peak_kw if row.load_kw is None else row.load_kw


def _wanted_supplies(row: RackSupplies) -> int:
    """`psusForFull` is a figure for the nameplate: a lesser load is held against what supplies give, if that is known."""
    lesser = _planned_kw(row) < row.peak_kw and row.psu_kw is not None
    return 1 if lesser else row.psus_for_full or 1


def _given_kw(row: RackSupplies, left: int) -> float:
    """What the supplies on one feed give; where their rating is unknown, psusForFull alone decides."""
    return row.peak_kw if row.psu_kw is None else left * row.psu_kw


def _left(row: RackSupplies, left: int, after: str) -> str:
    gives = "" if row.psu_kw is None else f": {_given_kw(row, left):.2f} kW for {_what(row)} of {_planned_kw(row):.2f} kW"
    return f"{left} of {row.psus} supplies of each {row.model} are left {after}{gives}"


def _wanted(row: RackSupplies) -> str:
    needs = [f"{row.psus_for_full} supplies"] if row.psus_for_full and _wanted_supplies(row) > 1 else []
    return " and ".join([*needs, f"{_planned_kw(row):.2f} kW"])


def _what(row: RackSupplies) -> str:
    return "a peak" if row.load_kw is None else "a planned load"


def _percent(kw: float, feed: RackFeed) -> str:
    """The load as share of the derated capacity; nothing where there is no capacity to divide by."""
    return f" ({100 * kw / feed.capacity_kw:.1f} %)" if feed.capacity_kw else ""


def _capacity(feed: RackFeed, limit: float) -> str:
    return f"{limit:.2f} kVA ({_how(feed)})"


def _how(feed: RackFeed) -> str:
    return f"{feed.pdus} x {feed.pdu_model}, {feed.breaker_a:g} A at {feed.continuous_rating * 100:g} %"


def _fewer_kw(kw: float) -> str:
    return f"take {kw:.2f} kW off the rack (railyard:facility.nodesPerRack) or give it larger or more PDUs (facility.feeds)"


RACK_PREDICATES: tuple[Predicate[RackPlan], ...] = (
    Predicate((POWER_001,), frozenset({"feeds"}), _survivor),
    Predicate((POWER_002,), frozenset({"feeds"}), _breaker),
    Predicate((POWER_003,), frozenset({"feeds", "peak_kw"}), _redundancy),
    Predicate((POWER_004,), frozenset({"feeds"}), _derating),
    Predicate((POWER_005,), frozenset({"feeds", "supplies"}), _supplies),
    Predicate((POWER_018,), frozenset({"supplies"}), _together),
    *RACK_COOLING_PREDICATES,
    *RACK_ROOM_PREDICATES,
)
