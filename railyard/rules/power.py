"""Power, cooling, weight and room of one rack. The planner computes watts and kilograms; here they meet their limits."""

from collections import defaultdict
from collections.abc import Iterator

from railyard.model.plan import RackDevice, RackFeed, RackPlan, RackSupplies
from railyard.rules.power_texts import (
    COOL_001,
    POWER_001,
    POWER_002,
    POWER_003,
    POWER_004,
    POWER_005,
    RACK_001,
    RACK_002,
    RACK_003,
)
from railyard.rules.registry import Finding, Predicate, exceeds, listed, run
from railyard.rules.thresholds import DEFAULTS, Thresholds

NAMED = 8
"""Devices in the same place that a finding names before it counts the rest."""


def check_rack(rack: RackPlan, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about one rack."""
    return run(RACK_PREDICATES, rack, rack.name, thresholds)


def _survivor(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-001, for each feed that would be left alone."""
    if len(rack.feeds) < 2:
        return
    for feed in rack.feeds:
        limit = feed.capacity_kw * limits.survivor_percent_max / 100
        if exceeds(feed.survivor_kw, limit):
            lost = ", ".join(other.name for other in rack.feeds if other is not feed)
            found = (
                f"feed {feed.name} carries {feed.survivor_kw:.2f} kW after losing feed {lost}{_percent(feed.survivor_kw, feed)}"
            )
            yield POWER_001.finding(
                f"{where}/feed-{feed.name}", found, _capacity(feed, limit), _fewer_kw(feed.survivor_kw - limit)
            )


def _breaker(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-002, for each feed with all feeds live."""
    for feed in rack.feeds:
        limit = feed.capacity_kw * limits.feed_percent_max / 100
        if exceeds(feed.load_kw, limit):
            found = f"feed {feed.name} carries {feed.load_kw:.2f} kW with all feeds live{_percent(feed.load_kw, feed)}"
            yield POWER_002.finding(f"{where}/feed-{feed.name}", found, _capacity(feed, limit), _fewer_kw(feed.load_kw - limit))


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
    """POWER-005, for each model: what its supplies still give when one of two feeds is lost. One feed is POWER-003's."""
    if len(rack.feeds) < 2:
        return
    for row in rack.supplies:
        left = None if row.psus is None else row.psus // len(rack.feeds)
        if left is None or (row.psu_kw is None and row.psus_for_full is None):
            missing = ["psus"] if left is None else ["psuKw or psusForFull"]
            found, limit = f"{' and '.join(missing)} of {row.model} is unknown", f"{row.peak_kw:g} kW on one feed"
            yield POWER_005.undecided(f"{where}/{row.model}", found, limit, f"enter it for {row.model} in railyard/catalog")
        elif exceeds(row.peak_kw, _given_kw(row, left)) or left < (row.psus_for_full or 1):
            yield POWER_005.finding(f"{where}/{row.model}", _left(row, left), _wanted(row))


def _given_kw(row: RackSupplies, left: int) -> float:
    """What the supplies on one feed give; where their rating is unknown, psusForFull alone decides."""
    return row.peak_kw if row.psu_kw is None else left * row.psu_kw


def _left(row: RackSupplies, left: int) -> str:
    gives = "" if row.psu_kw is None else f": {_given_kw(row, left):.2f} kW for a peak of {row.peak_kw:.2f} kW"
    return f"{left} of {row.psus} supplies of each {row.model} are left on one feed{gives}"


def _wanted(row: RackSupplies) -> str:
    needs = [] if row.psus_for_full is None else [f"{row.psus_for_full} supplies"]
    return " and ".join([*needs, f"{row.peak_kw:.2f} kW"])


def _air(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """COOL-001."""
    limit = rack.air_limit_kw * limits.air_percent_max / 100
    if exceeds(rack.air_kw, limit):
        fix = f"move {rack.air_kw - limit:.2f} kW out of this rack (railyard:facility.nodesPerRack) or cool it by liquid"
        yield COOL_001.finding(where, f"{rack.air_kw:.2f} kW of heat to air", f"{limit:.2f} kW", fix)


def _weight(rack: RackPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """RACK-001. What is known may already be too much; else an unknown weight leaves the rule undecided.

    What stands in no device row (strips, frame) has an upper bound: it matters only where the bound goes over the limit.
    """
    unknown = sorted({device.model for device in rack.devices if device.weight_kg is None})
    if rack.weight_limit_kg is None:
        fix = "state railyard:facility.weightLimitKg, or weightLimitKg of the rack model in railyard/catalog/racks.yaml"
        yield RACK_001.undecided(where, f"{rack.weight_kg:.1f} kg", "none is stated", fix)
        return
    limit = rack.weight_limit_kg * limits.weight_percent_max / 100
    if exceeds(rack.weight_kg, limit):
        yield RACK_001.finding(
            where, f"{rack.weight_kg:.1f} kg{' without ' + ', '.join(unknown) if unknown else ''}", f"{limit:.1f} kg"
        )
    elif unknown:
        heavy = sorted(device.name for device in rack.devices if device.weight_kg is None)
        found = f"{rack.weight_kg:.1f} kg without {listed(heavy)}, whose weight is unknown"
        yield RACK_001.undecided(where, found, f"{limit:.1f} kg", f"enter weightKg of {', '.join(unknown)} in railyard/catalog")
    elif exceeds(rack.weight_kg + rack.unweighed_max_kg, limit):
        names = ", ".join(rack.unweighed)
        found = f"{rack.weight_kg:.1f} kg without {names}, unknown but up to {rack.unweighed_max_kg:.1f} kg"
        yield RACK_001.undecided(where, found, f"{limit:.1f} kg", f"enter the weight of {names} in railyard/catalog")


def _overlap(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """RACK-002, once for all devices that share the same U: a rack of a hall that is far too small has hundreds of them."""
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for index, device in enumerate(rack.devices):
        for u in _filled(device):
            holders[u].append(index)
    shared: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for u in sorted(holders):
        if len(holders[u]) > 1:
            shared[tuple(holders[u])].append(u)
    for indexes, us in shared.items():
        names = [f"{rack.devices[index].name} ({_span(rack.devices[index])})" for index in indexes]
        found = " and ".join(names) if len(names) == 2 else listed(names, NAMED)
        yield RACK_002.finding(f"{where}/U{us[0]}", f"{found} share {_units(us)}", "one device for each U")


def _position(rack: RackPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """RACK-003, once for each device that stands where nothing may."""
    allowed = set(range(1, rack.u_height + 1))
    for device in rack.devices:
        filled = set(_filled(device))
        outside = sorted(filled - allowed)
        reserved = sorted(filled & set(rack.reserved_u))
        if outside:
            found = f"{device.name} ({_span(device)}) is outside the rack at {_units(outside)}"
            yield RACK_003.finding(f"{where}/{device.name}", found, f"U1 to U{rack.u_height}")
        if reserved:
            found = f"{device.name} ({_span(device)}) stands on reserved {_units(reserved)}"
            yield RACK_003.finding(f"{where}/{device.name}", found, f"not on {_units(sorted(rack.reserved_u))}")


def _filled(device: RackDevice) -> range:
    return range(device.u, device.u + device.u_height)


def _span(device: RackDevice) -> str:
    return f"U{device.u}-U{device.u + device.u_height - 1}"


def _units(numbers: list[int]) -> str:
    return ", ".join(f"U{number}" for number in numbers)


def _percent(kw: float, feed: RackFeed) -> str:
    """The load as share of the derated capacity; nothing where there is no capacity to divide by."""
    return f" ({100 * kw / feed.capacity_kw:.1f} %)" if feed.capacity_kw else ""


def _capacity(feed: RackFeed, limit: float) -> str:
    how = f"{feed.pdus} x {feed.pdu_model}, {feed.breaker_a:g} A at {feed.continuous_rating * 100:g} %"
    return f"{limit:.2f} kW ({how})"


def _fewer_kw(kw: float) -> str:
    return f"take {kw:.2f} kW off the rack (railyard:facility.nodesPerRack) or give it larger or more PDUs (facility.feeds)"


RACK_PREDICATES: tuple[Predicate[RackPlan], ...] = (
    Predicate((POWER_001,), frozenset({"feeds"}), _survivor),
    Predicate((POWER_002,), frozenset({"feeds"}), _breaker),
    Predicate((POWER_003,), frozenset({"feeds", "peak_kw"}), _redundancy),
    Predicate((POWER_004,), frozenset({"feeds"}), _derating),
    Predicate((POWER_005,), frozenset({"feeds", "supplies"}), _supplies),
    Predicate((COOL_001,), frozenset({"air_kw", "air_limit_kw"}), _air),
    Predicate((RACK_001,), frozenset({"devices", "weight_kg", "weight_limit_kg", "unweighed", "unweighed_max_kg"}), _weight),
    Predicate((RACK_002,), frozenset({"devices"}), _overlap),
    Predicate((RACK_003,), frozenset({"devices", "u_height", "reserved_u"}), _position),
)
