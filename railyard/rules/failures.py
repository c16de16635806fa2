"""What single failures may do: the summary of the failure matrix against limits. The matrix is made in railyard.plan.failures.

Judged where the stack file states the power path (`railyard:power`): without it the loss of a UPS, panel or busway isn't known,
and POWER-001 to POWER-005 judge the racks' own feeds.
"""

from collections.abc import Callable, Iterable, Iterator

from railyard.model.failures import FailureLine, FailureSummary
from railyard.plan.names import listed
from railyard.rules.failure_texts import POWER_030, POWER_031, POWER_032, POWER_033, POWER_034, POWER_035, POWER_036
from railyard.rules.registry import Finding, Predicate, exceeds, run
from railyard.rules.thresholds import DEFAULTS, Thresholds

POWER_KINDS = ("ups", "panel", "busway", "feed", "rack-feed", "pdu", "circuit", "psu")
"""Failures of the power path; those of cooling and of devices by themselves have rules of their own."""


def check_failures(summary: FailureSummary, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about a site's single failures."""
    return run(FAILURE_PREDICATES, summary, f"{summary.site}-hall", thresholds)


def _electrical(summary: FailureSummary) -> list[FailureLine]:
    return [line for line in summary.lines if line.kind in POWER_KINDS] if summary.stated else []


def _of_each_kind(lines: Iterable[FailureLine], wrong: Callable[[FailureLine], bool]) -> Iterator[tuple[FailureLine, str]]:
    """The worst failure of each kind that is wrong, and how it is called: with the number of those that are wrong, too."""
    groups: dict[str, list[FailureLine]] = {}
    for line in lines:
        if wrong(line):
            groups.setdefault(line.kind, []).append(line)
    for rows in groups.values():
        more = sum(row.stands_for for row in rows) - 1
        yield rows[0], f"{rows[0].lost} fails{f' (or one of {more} more like it)' if more else ''}"


def _stopped(summary: FailureSummary, where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-030."""
    most = limits.failure_gpus_down_max
    for line, name in _of_each_kind(_electrical(summary), lambda row: row.gpus_down > most):
        found = f"{name}: {line.gpus_down} of {summary.gpus} GPUs lose their power"
        yield POWER_030.finding(f"{where}/{line.kind}", found, f"at most {most} GPUs", _apart(line) or _way_out(line))
    rows = [row for row in _electrical(summary) if row.gpus_down <= most and _whether_it_runs(row)]
    for line, name in _of_each_kind(rows, lambda _: True):
        found = f"{name}: whether {line.gpus_throttled} GPUs run on at all is assumed: {'; '.join(_whether_it_runs(line))}"
        fix = "enter psusToRun in railyard/catalog, from the vendor's user manual"
        yield POWER_030.undecided(f"{where}/{line.kind}", found, f"at most {most} GPUs", fix)


def _apart(line: FailureLine) -> str:
    """The way out where one piece is behind several feeds: no breaker and no cord is to blame. Empty: it isn't so."""
    if not line.shared_by:
        return ""
    another = {"ups": "UPS", "feed": "piece of the path"}.get(line.kind, line.kind)
    return f"feed {line.shared_by[-1]} from another {another}: {line.lost} is behind feeds {' and '.join(line.shared_by)}"


_SUPPLIES = "supplies that carry the machine with so many lost, or dealt over more feeds (facility.feeds, power.psuFeeds)"
_WAYS_OUT = {
    "psu": "a machine that runs with one supply less: psusToRun in railyard/catalog, from the vendor's user manual",
    "circuit": f"cords of the machine on more of the strip's breakers (a strip with more banks), or {_SUPPLIES}",
    "pdu": f"a second strip on another feed, or {_SUPPLIES}",
}


def _way_out(line: FailureLine) -> str:
    """What helps against what failed: against a cascade the breaker that trips, else supplies that are left."""
    if line.trips:
        return f"raise what trips next ({line.trips[0].partition(' at ')[0]}), or take racks or nodes off it"
    return _WAYS_OUT.get(line.kind, f"a second feed for what hangs on {line.lost}, or {_SUPPLIES}")


def _whether_it_runs(line: FailureLine) -> list[str]:
    """Assumptions without which its throttled GPUs may be down."""
    return [note for note in line.assumed if note.startswith("psusToRun of ")] if line.gpus_throttled else []


def _cascades(summary: FailureSummary, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """POWER-031."""
    for line, name in _of_each_kind(_electrical(summary), lambda row: bool(row.trips)):
        found = f"{name}: then trip {', '.join(line.trips)}"
        yield POWER_031.finding(f"{where}/{line.kind}", found, "no breaker over its rating")


def _throttled(summary: FailureSummary, where: str, limits: Thresholds) -> Iterator[Finding]:
    """POWER-032."""

    def deep(line: FailureLine) -> bool:
        return exceeds(line.throttled_of_kw * limits.failure_throttled_percent_min / 100, line.throttled_kw)

    for line, name in _of_each_kind(_electrical(summary), deep):
        left, wanted = line.throttled_kw, line.throttled_of_kw
        found = f"{name}: {line.gpus_throttled} GPUs run on {left:.1f} of {wanted:.1f} kW ({100 * left / wanted:.1f} %)"
        yield POWER_032.finding(f"{where}/{line.kind}", found, f"{limits.failure_throttled_percent_min:g} % of their load")


def _mirrors(summary: FailureSummary, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """POWER-033: both halves of a mirror group."""

    def both(line: FailureLine) -> bool:
        return any(" + " in name for name in line.mirrors_lost)

    for line, name in _of_each_kind(_electrical(summary), both):
        halves = [pair for pair in line.mirrors_lost if " + " in pair]
        yield POWER_033.finding(f"{where}/{line.kind}", f"{name}: both halves of {listed(halves)} are gone", "one half at most")


def _pairs(summary: FailureSummary, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """POWER-034: both switches of a pair, all subnet managers of a subnet."""

    def cut(line: FailureLine) -> dict[str, int]:
        return {kind: count for kind, count in line.networks_cut.items() if kind != "oob"}

    for line, name in _of_each_kind(_electrical(summary), lambda row: bool(row.managers_lost or cut(row))):
        gone = [f"all subnet managers of {subnet}" for subnet in line.managers_lost]
        gone += [f"both {kind} switches of {count} machines" for kind, count in cut(line).items()]
        yield POWER_034.finding(f"{where}/{line.kind}", f"{name}: {' and '.join(gone)} are down", "one of two at most")


def _devices(summary: FailureSummary, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """POWER-035: a switch or storage server goes down with a part of the power path; in a cascade that is POWER-031's."""
    alone = [row for row in _electrical(summary) if not row.trips]
    for line, name in _of_each_kind(alone, lambda row: bool(row.switches_down or row.storage_down)):
        gone = [f"{listed(list(line.switches_down))} and what hangs on them"] if line.switches_down else []
        gone += [f"{_many(line.rails_lost, 'rail')} ({line.gpus_cut_off} GPUs cut off)"] if line.rails_lost else []
        gone += [_many(line.storage_down, "storage server")] if line.storage_down else []
        yield POWER_035.finding(
            f"{where}/{line.kind}",
            f"{name}: down are {', '.join(gone)}",
            "no device on one feed only",
            _apart(line) or POWER_035.fix,
        )


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _untold(summary: FailureSummary, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """POWER-036: what the matrix can't tell."""
    rows = [line for line in _electrical(summary) if line.unknown or line.gpus_unknown]
    for line, name in _of_each_kind(rows, lambda _: True):
        found = f"{name}: state of {line.gpus_unknown} GPUs and of other gear is unknown: {', '.join(line.unknown)}"
        missing = ", ".join(note.partition(" is unknown")[0] for note in line.unknown)
        fix = f"enter {missing or 'the missing figure'} in railyard/catalog"
        yield POWER_036.undecided(f"{where}/{line.kind}", found, "full, throttled or down", fix)
    if summary.stated and summary.omitted:
        found, fix = f"{summary.omitted} failures beyond the first {len(summary.lines)} kinds", "mend the worst ones first"
        yield POWER_036.undecided(where, found, f"{len(summary.lines)} kinds of failures that aren't harmless", fix)


_READS = frozenset({"gpus", "stated", "lines"})
FAILURE_PREDICATES: tuple[Predicate[FailureSummary], ...] = (
    Predicate((POWER_030,), _READS, _stopped),
    Predicate((POWER_031,), _READS, _cascades),
    Predicate((POWER_032,), _READS, _throttled),
    Predicate((POWER_033,), _READS, _mirrors),
    Predicate((POWER_034,), _READS, _pairs),
    Predicate((POWER_035,), _READS, _devices),
    Predicate((POWER_036,), _READS | {"omitted"}, _untold),
)
FAILURE_IDS = frozenset(rule.id for predicate in FAILURE_PREDICATES for rule in predicate.rules)
