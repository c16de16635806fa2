"""Cables: media and lengths, splitters, cages, ends that match, trays, loss, polarity, spares, slack.

Everything is judged from the facts that the plan says of each class of cables (`CablingPlan`), which the Site resource carries.
The table of media is the reference's own, so that a wrong catalogue shows.
"""

from collections.abc import Iterator
from math import ceil

from railyard.model.cabling import CableClass, CableEnd, CablingPlan
from railyard.plan.media import NS_PER_M
from railyard.rules.cable_texts import (
    FABRIC_020,
    FABRIC_021,
    FABRIC_022,
    FABRIC_023,
    FABRIC_024,
    FABRIC_025,
    FABRIC_026,
    FABRIC_027,
    FABRIC_028,
)
from railyard.rules.registry import Finding, Predicate, exceeds, run
from railyard.rules.thresholds import DEFAULTS, Thresholds

_OLD = {
    "passive-copper": 3.0, "active-copper": 5.0, "active-optical": 100.0, "multimode-om3": 70.0, "multimode-om4": 100.0,
    "single-mode": 500.0, "single-mode-fr4": 2000.0,
}  # fmt: skip
LIMITS_M: dict[int, dict[str, float]] = {
    25: _OLD,
    50: _OLD,
    100: {
        "passive-copper": 3.0, "active-copper": 5.0, "multimode-om3": 30.0, "multimode-om4": 50.0, "single-mode": 500.0,
        "single-mode-fr4": 2000.0,
    },
    200: {"active-copper": 5.0, "single-mode": 500.0},
}  # fmt: skip
"""Longest cable in metres by lane generation (Gb/s) and medium; what is not there is not made. Sources: FABRIC-020."""
_FIBRE_SPLITTER = ("multimode-om3", "multimode-om4", "single-mode", "single-mode-fr4")
_NO_PART = "no part of the catalogue fits"
_SLACK, _SPARES = "railyard:cabling.slackPercent", "railyard:cabling.sparesPercent"


def check_cabling(cabling: CablingPlan, site: str, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about the cables of a site."""
    return run(CABLING_PREDICATES, cabling, site, thresholds)


def lacks_part(finding: Finding) -> bool:
    """Whether it says that nothing can be ordered for some cables. A limit, since a part that the catalogue doesn't know may
    exist (then it's added there, or the finding is waived with a reason); but until then the plan can't be built.
    """
    return finding.id == FABRIC_020.id and finding.severity != "waived" and _NO_PART in finding.found


def _where(site: str, row: CableClass) -> str:
    return f"{site}/cables/{row.kind}"


def _media(cabling: CablingPlan, site: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-020."""
    for row in cabling.classes:
        where, lane = _where(site, row), row.lane_gbps or 0
        if row.medium == "cat6a":
            continue  # FABRIC-045 says how far copper of the out-of-band network reaches
        if not row.sku:
            found = f"{row.cables} cables of {row.link_gbps:g} Gb/s, up to {row.max_length_m:g} m: {_NO_PART}"
            limit = f"a cable from {_cage(row.a)} to {_cage(row.z)} with lanes of {row.lane_gbps or 'unknown'} Gb/s"
            yield FABRIC_020.finding(where, found, limit)
            continue
        allowed = LIMITS_M.get(lane, {}).get(row.medium)
        if allowed is None:
            found = f"{row.cables} cables of {row.medium} ({row.sku})"
            media = ", ".join(LIMITS_M.get(lane, {})) or "no medium is known"
            yield FABRIC_020.finding(where, found, f"for lanes of {lane} Gb/s: {media}")
            continue
        reach = min(allowed, allowed if row.reach_m is None else row.reach_m)
        if exceeds(row.max_length_m, reach):
            found = f"{row.longest} takes {row.max_length_m:g} m of {row.medium} ({row.sku})"
            yield FABRIC_020.finding(where, found, f"{reach:g} m at lanes of {lane} Gb/s")


def _cage(end: CableEnd) -> str:
    """A cage in words: `finned osfp cage of 2 x 400 Gb/s`."""
    plug = " ".join(part for part in (end.heat_sink, end.form or "unknown") if part)
    return f"a {plug} cage of {end.ports} x {end.port_gbps:g} Gb/s"


def _splitters(cabling: CablingPlan, site: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-021."""
    for row in cabling.classes:
        if row.shape != "splitter" or row.medium not in _FIBRE_SPLITTER:
            continue
        if row.medium == "single-mode-fr4":
            yield FABRIC_021.finding(_where(site, row), f"{row.cables} splitters of FR4 ({row.sku})", "straight fibre")
        elif exceeds(row.max_length_m, limits.splitter_m_max):
            found = f"{row.longest} is a splitter of {row.max_length_m:g} m"
            yield FABRIC_021.finding(_where(site, row), found, f"{limits.splitter_m_max:g} m")


def _cages(cabling: CablingPlan, site: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-022."""
    if cabling.mixed_cage_count:
        first = ", ".join(cabling.mixed_cages[:3])
        found = f"{cabling.mixed_cage_count} cages need two plugs: {first}"
        yield FABRIC_022.finding(f"{site}/cables", found, "one plug for each cage")
    if cabling.twins_apart:
        found = f"{cabling.twins_apart} cables of two links start in two cages"
        fix = "set railyard:fabric.linksPerCable to 1: the catalogue says which ports share a cage (railCages)"
        yield FABRIC_022.finding(f"{site}/cables", found, "both ports in one cage", fix)
    if cabling.twins_split:
        found = f"{cabling.twins_split} cables of two links end in two cages, or on two switches"
        fix = "spines of which each pair has an even number of links (uplinks / railyard:fabric.spines), or linksPerCable 1"
        yield FABRIC_022.finding(f"{site}/cables", found, "both ports in one cage", fix)
    for row in cabling.classes:
        if exceeds(row.skew_ns, limits.twin_skew_ns_max):
            found = f"{row.skew_ns:g} ns between the cables of {row.skew_at} ({row.skew_ns / NS_PER_M:g} m)"
            yield FABRIC_022.finding(_where(site, row), found, f"{limits.twin_skew_ns_max:g} ns")


def _ends(cabling: CablingPlan, site: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-023. What is unknown at an end is not compared."""
    for row in cabling.classes:
        where = _where(site, row)
        for name, unit, a, z in _compared(row):
            if a is not None and z is not None and a != z:
                found = f"{name} {a}{unit} at the lower end and {z}{unit} at the upper one"
                yield FABRIC_023.finding(where, found, f"one {name} at both ends")
        slower = min((end.port_gbps for end in (row.a, row.z) if end.port_gbps), default=row.link_gbps)
        if exceeds(row.link_gbps, slower):
            found = f"{row.cables} cables planned for {row.link_gbps:g} Gb/s"
            yield FABRIC_023.finding(where, found, f"{slower:g} Gb/s, the slower of both ends")
        for side, end in (("lower", row.a), ("upper", row.z)):
            if end.optic and (end.optic_form, end.optic_heat_sink) != (end.form, end.heat_sink):
                found = f"{end.optic} ({_form(end.optic_heat_sink, end.optic_form)}) at the {side} end"
                yield FABRIC_023.finding(where, found, f"a plug for a {_form(end.heat_sink, end.form)} cage")


def _compared(row: CableClass) -> Iterator[tuple[str, str, object, object]]:
    """(name, unit, lower end, upper end) of what must be the same."""
    # A splitter joins a slower port to a half of a faster one: that is its purpose.
    known = row.shape != "splitter" and row.a.port_gbps and row.z.port_gbps
    yield "speed", " Gb/s", f"{row.a.port_gbps:g}" if known else None, f"{row.z.port_gbps:g}" if known else None
    yield "lane generation", " Gb/s", row.a.lane_gbps, row.z.lane_gbps
    yield "error correction", "", row.a.fec, row.z.fec
    if row.a.optic and row.z.optic:
        yield "connector", "", row.a.connector, row.z.connector


def _form(heat_sink: str | None, form: str | None) -> str:
    return " ".join(part for part in (heat_sink, form) if part) or "unknown"


def _trays(cabling: CablingPlan, site: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-024."""
    for tray in cabling.trays:
        if tray.percent is not None and exceeds(tray.percent, limits.tray_fill_percent_max):
            unknown = f" and {tray.unknown} cables of unknown diameter" if tray.unknown else ""
            found = f"{tray.percent:.1f} % full: {tray.cables} cables{unknown}"
            yield FABRIC_024.finding(f"{site}/trays/{tray.segment}", found, f"{limits.tray_fill_percent_max:g} %")


def _loss(cabling: CablingPlan, site: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-025."""
    for row in cabling.classes:
        if row.loss_db is not None and row.loss_budget_db is not None and exceeds(row.loss_db, row.loss_budget_db):
            found = f"{row.loss_db:.2f} dB on {row.longest} ({row.max_length_m:g} m, {row.segments} segments)"
            yield FABRIC_025.finding(_where(site, row), found, f"{row.loss_budget_db:.2f} dB")


def _polarity(cabling: CablingPlan, site: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-026."""
    for row in cabling.classes:
        if row.polarity == "type-b" and not row.segments % 2:
            found = f"{row.segments} type-B segments in a row ({row.sku})"
            yield FABRIC_026.finding(_where(site, row), found, "an odd number")


def _spares(cabling: CablingPlan, site: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-027."""
    for line in cabling.bom:
        needed = max(1, ceil(round(line.count * limits.cable_spares_percent_min / 100, 6)))
        if line.spares < needed:
            length = "" if line.length_m is None else f" of {line.length_m:g} m"
            found = f"{line.spares} spares for {line.count} {line.sku or line.title}{length}"
            fix = f"set {_SPARES} to at least {limits.cable_spares_percent_min:g}"
            yield FABRIC_027.finding(f"{site}/bom/{line.item}", found, f"{needed}", fix)


def _slack(cabling: CablingPlan, _site: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-028."""
    least, most = limits.cable_slack_percent_min, limits.cable_slack_percent_max
    if exceeds(least, cabling.slack_percent) or exceeds(cabling.slack_percent, most):
        yield FABRIC_028.finding(_SLACK, f"{cabling.slack_percent:g} %", f"{least:g} to {most:g} %")


_CLASSES = frozenset({"classes"})
CABLING_PREDICATES: tuple[Predicate[CablingPlan], ...] = (
    Predicate((FABRIC_020,), _CLASSES, _media),
    Predicate((FABRIC_021,), _CLASSES, _splitters),
    Predicate((FABRIC_022,), _CLASSES | {"mixed_cages", "mixed_cage_count", "twins_apart", "twins_split"}, _cages),
    Predicate((FABRIC_023,), _CLASSES, _ends),
    Predicate((FABRIC_024,), frozenset({"trays"}), _trays),
    Predicate((FABRIC_025,), _CLASSES, _loss),
    Predicate((FABRIC_026,), _CLASSES, _polarity),
    Predicate((FABRIC_027,), frozenset({"bom"}), _spares),
    Predicate((FABRIC_028,), frozenset({"slack_percent"}), _slack),
)
