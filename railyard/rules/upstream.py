"""Power above and inside the racks: supply, UPS, panels, busways, strips' breakers, outlets and cords. One judgement per kind.

Segments that are alike and racks that are alike are one row each: a finding names the first and says how many more.
"""

from collections.abc import Iterator

from railyard.model.power import Circuit, HallPower, PhaseLoad, PowerSegment, RackFeedPower, RackKind, WorstCord
from railyard.plan.electrical.phases import imbalance_percent, rated_amps
from railyard.plan.names import listed
from railyard.rules.registry import Finding, Predicate, exceeds, run
from railyard.rules.thresholds import DEFAULTS, Thresholds
from railyard.rules.upstream_texts import (
    POWER_008,
    POWER_009,
    POWER_010,
    POWER_011,
    POWER_012,
    POWER_013,
    POWER_014,
    POWER_016,
    POWER_019,
    POWER_020,
    POWER_021,
)

NAMED = 6
"""Figures that a finding names before it counts the rest."""
_EVENED = "even its lines (POWER-014), a larger one, or fewer racks behind it"
_WITH_BREAKER = frozenset({"panel", "busway"})


def check_hall_power(hall: HallPower, where: str, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about the power path of a hall; `where` is the hall's name."""
    return run(HALL_POWER_PREDICATES, hall, where, thresholds)


def _live(hall: HallPower, where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-008."""
    for segment in hall.segments:
        place = f"{where}/{segment.name}"
        if segment.limit_a is None:
            if segment.kind in _WITH_BREAKER:
                found = f"breakerA of {_named(segment)} is not stated; it carries {segment.load_a.worst_a:.1f} A by line"
                yield POWER_008.undecided(
                    place, found, "a breaker", f"state breakerA of {segment.name} in railyard:power.paths"
                )
            continue
        limit = segment.limit_a * limits.segment_percent_max / 100
        if exceeds(segment.load_a.worst_a, limit):
            yield POWER_008.finding(place, f"{_lines(segment, segment.load_a)} with all feeds live", _breaker(segment, limit))


def _failover(hall: HallPower, where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-009; what fails with all feeds live is POWER-008's already."""
    for segment in hall.segments:
        if segment.limit_a is None:
            continue
        limit = segment.limit_a * limits.segment_failover_percent_max / 100
        if exceeds(segment.worst_a.worst_a, limit):
            found = f"{_lines(segment, segment.worst_a)}, {segment.worst_when}"
            yield POWER_009.finding(f"{where}/{segment.name}", found, _breaker(segment, limit))


def _rated(hall: HallPower, where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-010, for each rating; one line of three that is over its third of the kVA, where all of them together aren't."""
    for segment in hall.segments:
        place = f"{where}/{segment.name}"
        if segment.kind == "ups" and segment.rated_kva is None and segment.rated_kw is None:
            found = f"no rating of {_named(segment)}; it carries {segment.worst_kva:.0f} kVA, {segment.worst_when}"
            yield POWER_010.undecided(
                place, found, "ratedKva and ratedKw", f"state them for {segment.name} in railyard:power.paths"
            )
        for value, rated, unit in ((segment.worst_kva, segment.rated_kva, "kVA"), (segment.worst_kw, segment.rated_kw, "kW")):
            if rated is not None and exceeds(value, rated * limits.segment_failover_percent_max / 100):
                found = f"{_named(segment)} carries {value:,.1f} {unit}, {segment.worst_when}"
                limit = rated * limits.segment_failover_percent_max / 100
                yield POWER_010.finding(place, found, f"{limit:,.1f} {unit} (rated {rated:,.0f})")
        yield from _third(segment, place, limits.segment_failover_percent_max / 100)


def _third(segment: PowerSegment, place: str, share: float) -> Iterator[Finding]:
    """POWER-010: as the failure matrix judges it, by the current of each line."""
    rated = segment.rated_kva
    if rated is None or segment.phases != 3 or exceeds(segment.worst_kva, rated * share):
        return
    limit = rated_amps(segment.volts, segment.voltage_reference, segment.phases, rated) * share
    if exceeds(segment.worst_a.worst_a, limit):
        found = f"{segment.worst_a.worst_a:,.1f} A in line {segment.worst_a.worst_line}, {segment.worst_when}"
        found = f"{_named(segment)} carries {found}; its {segment.worst_kva:,.1f} kVA would fit"
        yield POWER_010.finding(place, found, f"{limit:,.1f} A in one line (rated {rated:,.0f} kVA in three)", _EVENED)


def _circuits(hall: HallPower, _where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-011, for each bank of each kind of rack."""
    for kind in hall.racks:
        for circuit in kind.circuits:
            if circuit.limit_a is None:
                continue
            limit = circuit.limit_a * limits.circuit_percent_max / 100
            if exceeds(circuit.survivor_a, limit):
                found = (
                    f"breaker {circuit.name} of {_strip(kind, circuit)} carries {circuit.survivor_a:.2f} A after the worst "
                    f"loss ({circuit.load_a:.2f} A live) from {circuit.cords} cords on {circuit.legs}{_banks(kind, circuit)}"
                )
                rating = 100 * circuit.limit_a / (circuit.breaker_a or circuit.limit_a)
                yield POWER_011.finding(
                    _place(kind, circuit), found, f"{limit:.2f} A ({circuit.breaker_a:g} A at {rating:g} %)"
                )


def _outlets(hall: HallPower, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """POWER-012: plugs without an outlet, and once for the hall what nobody knows."""
    for kind in hall.racks:
        for place, count in kind.plugs_short.items():
            feed, outlet = place.split("/")
            found = f"{count} plugs of feed {feed} find no {outlet.upper()} outlet{_more(kind)}"
            yield POWER_012.finding(f"{kind.key}/feed-{feed}", found, "an outlet for each supply")
    unknown = sorted({text for kind in hall.racks for text in kind.unknown})
    if unknown:
        found = f"unknown: {listed(unknown, NAMED)}"
        fix = "enter them in railyard/catalog, or choose a strip whose banks are known (railyard/catalog/pdus.yaml)"
        yield POWER_012.undecided(where, found, "outlets, breakers and inlets that are known", fix)


def _cords(hall: HallPower, _where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-013, for the fullest cord of each type on each feed."""
    for kind in hall.racks:
        for cord in kind.worst_cords:
            limit = cord.limit_a * limits.cord_percent_max / 100
            if exceeds(cord.amps, limit):
                found = f"supply {cord.psu} of the {cord.model} at U{cord.u} draws {cord.amps:.2f} A after the worst loss"
                yield POWER_013.finding(_cord_place(kind, cord), f"{found}{_more(kind)}", f"{limit:.2f} A ({_outlet(cord)})")


def _balance(hall: HallPower, where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-014, for each three-phase segment, and for each kind of rack whose outlets are known."""
    for segment in hall.segments:
        if segment.phases == 3:
            place, found = f"{where}/{segment.name}", _lines(segment, segment.load_a)
            yield from _uneven(place, segment.load_a, _line_limit(segment), found, limits)
    for kind in hall.racks:
        for feed in kind.feeds:
            if feed.phases == 3:
                found = f"feed {feed.feed}: {_amps(feed.load_a)}{_more(kind)}"
                yield from _uneven(f"{kind.key}/feed-{feed.feed}", feed.load_a, feed.limit_a, found, limits)


def _line_limit(segment: PowerSegment) -> float | None:
    """Ampere that a line may carry: by the breaker, else by the kVA rating spread evenly; None where neither is stated."""
    if segment.limit_a is not None or segment.rated_kva is None:
        return segment.limit_a
    return rated_amps(segment.volts, segment.voltage_reference, segment.phases, segment.rated_kva)


def _uneven(place: str, load: PhaseLoad, limit_a: float | None, found: str, limits: Thresholds) -> Iterator[Finding]:
    percent = imbalance_percent((load.l1_a, load.l2_a, load.l3_a))
    matters = limit_a is None or exceeds(load.worst_a, limit_a * limits.phase_balance_from_percent / 100)
    if matters and exceeds(percent, limits.phase_imbalance_percent_max):
        limit = f"{limits.phase_imbalance_percent_max:g} % above the mean of three lines"
        yield POWER_014.finding(place, f"{found}: the fullest is {percent:.1f} % above their mean", limit)


def _single(hall: HallPower, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """POWER-016, for each model."""
    for kind in hall.racks:
        for model in kind.single_cord:
            found = f"{model} has one supply and no transfer switch{_more(kind)}"
            yield POWER_016.finding(f"{kind.key}/{model}", found, "two feeds for each device")


def _too_small(hall: HallPower, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """POWER-019: banks, then the breakers of whole feeds."""
    for kind in hall.racks:
        for circuit in kind.circuits:
            if circuit.breaker_a is not None and exceeds(circuit.psu_a, circuit.breaker_a):
                found = f"one supply on breaker {circuit.name} of {_strip(kind, circuit)} draws {circuit.psu_a:.2f} A"
                found += _banks(kind, circuit)
                yield POWER_019.finding(_place(kind, circuit), found, f"{circuit.breaker_a:g} A breaker")
        for feed in kind.feeds:
            supply = _largest(kind, feed)
            if supply is not None and exceeds(supply.amps, feed.breaker_a):
                found = f"one supply of a {supply.model} draws {supply.amps:.2f} A on feed {feed.feed}{_more(kind)}"
                yield POWER_019.finding(f"{kind.key}/feed-{feed.feed}", found, f"{feed.breaker_a:g} A breaker")


def _stated(hall: HallPower, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """POWER-020: never a finding, undecided where the section is missing or has no path."""
    if not any(segment.kind != "supply" for segment in hall.segments):
        found = "railyard:power has no paths" if hall.stated else "railyard:power is not stated"
        fix = "add railyard:power with supply and paths, as in docs/hall.md"
        yield POWER_020.undecided(where, found, "UPS, panels and busways that feed the racks", fix)


def _ratings(hall: HallPower, where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-021."""
    for segment in hall.segments:
        over = exceeds(segment.continuous_rating, limits.continuous_rating_max)
        if segment.breaker_a is not None and over and segment.evidence is None:
            found = f"{segment.breaker_a:g} A breaker of {_named(segment)} used at {segment.continuous_rating * 100:g} %"
            limit = f"{limits.continuous_rating_max * 100:g} % without evidence"
            yield POWER_021.finding(f"{where}/{segment.name}", found, limit)


def _named(segment: PowerSegment) -> str:
    return segment.name if segment.count == 1 else f"{segment.name} (and {segment.count - 1} alike, up to {segment.last})"


def _lines(segment: PowerSegment, load: PhaseLoad) -> str:
    return f"{_named(segment)} carries {_amps(load)}"


def _amps(load: PhaseLoad) -> str:
    back = "" if load.neutral_a is None else f", {load.neutral_a:.1f} A in the neutral"
    return f"{load.l1_a:.1f} / {load.l2_a:.1f} / {load.l3_a:.1f} A{back}"


def _breaker(segment: PowerSegment, limit: float) -> str:
    return f"{limit:.1f} A ({segment.breaker_a:g} A at {segment.continuous_rating * 100:g} %)"


def _more(kind: RackKind) -> str:
    return "" if kind.count == 1 else f" (and in {kind.count - 1} racks alike)"


def _banks(kind: RackKind, circuit: Circuit) -> str:
    return ("" if circuit.count == 1 else f" (and {circuit.count - 1} banks alike)") + _more(kind)


def _strip(kind: RackKind, circuit: Circuit) -> str:
    """`pdu-a`, or `pdu-a2` where the feed has several strips."""
    strips = next((feed.pdus for feed in kind.feeds if feed.feed == circuit.feed), 1)
    return f"pdu-{circuit.feed}{circuit.pdu if strips > 1 else ''}"


def _place(kind: RackKind, circuit: Circuit) -> str:
    return f"{kind.key}/{_strip(kind, circuit)}/{circuit.name}"


def _cord_place(kind: RackKind, cord: WorstCord) -> str:
    return f"{kind.key}/feed-{cord.feed}/U{cord.u}-PSU{cord.psu}"


def _outlet(cord: WorstCord) -> str:
    return f"{cord.outlet_type.upper()} outlet and cord"


def _largest(kind: RackKind, feed: RackFeedPower) -> WorstCord | None:
    return max((cord for cord in kind.worst_cords if cord.feed == feed.feed), key=lambda cord: cord.amps, default=None)


_SEGMENTS, _RACKS = frozenset({"segments"}), frozenset({"racks"})
HALL_POWER_PREDICATES: tuple[Predicate[HallPower], ...] = (
    Predicate((POWER_008,), _SEGMENTS, _live),
    Predicate((POWER_009,), _SEGMENTS, _failover),
    Predicate((POWER_010,), _SEGMENTS, _rated),
    Predicate((POWER_011,), _RACKS, _circuits),
    Predicate((POWER_012,), _RACKS, _outlets),
    Predicate((POWER_013,), _RACKS, _cords),
    Predicate((POWER_014,), _SEGMENTS | _RACKS, _balance),
    Predicate((POWER_016,), _RACKS, _single),
    Predicate((POWER_019,), _RACKS, _too_small),
    Predicate((POWER_020,), _SEGMENTS | {"stated"}, _stated),
    Predicate((POWER_021,), _SEGMENTS, _ratings),
)
