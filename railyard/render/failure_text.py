"""The failure matrix as text: a table by kind, what isn't harmless, and one failure step by step."""

import re
from collections.abc import Iterable, Iterator, Sequence

from railyard.model.failures import CascadeStep, FailureEvent, FailureMatrix, KindRow, Overload
from railyard.plan.failures.matrix import survived
from railyard.plan.names import listed

SHOWN = 20
"""Failures that are told one by one; the table counts all of them."""
WORDS = {
    "ups": "UPS",
    "panel": "panel",
    "busway": "busway",
    "feed": "row feed",
    "rack-feed": "rack feed",
    "pdu": "rack strip (PDU)",
    "circuit": "strip's breaker",
    "psu": "power supply",
    "cdu": "CDU",
    "rear-door": "rear door",
    "air-unit": "air unit",
    "leaf": "leaf",
    "spine": "spine",
    "core": "core",
    "switch": "other switch",
    "storage": "storage server",
}
"""What people call the kinds."""
_HEAD = ("what fails", "failures", "harmless", "cascade", "GPUs down", "cut off", "throttled", "unknown", "bisection", "worst")


def matrix_text(matrix: FailureMatrix, title: str, *, pairs: bool = False) -> str:
    """The whole matrix for a terminal. `pairs`: a row is by what is lost first, of two things."""
    harmless, guessed = (sum(getattr(row, name) for row in matrix.by_kind) for name in ("survived", "assumed"))
    head = f"{title}: {matrix.count:,} failures, {matrix.gpus:,} GPUs; {harmless:,} of the failures are harmless"
    lines = [f"{head}; the outcome of {guessed:,} is assumed" if guessed else head, ""]
    lines += _table(_shown(matrix.by_kind, pairs=pairs))
    told = [event for event in matrix.events if not survived(matrix.gpus, event)]
    worst_first = sorted(told, key=lambda event: [-part for part in event.severity])
    if worst_first:
        lines += ["", "What they do, the worst first (--event NAME shows one step by step):"]
        lines += [f"  {_headline(event)}: {outcome_text(event)}" for event in worst_first[:SHOWN]]
        rest = len(worst_first) - SHOWN
        lines += [f"  and {rest} kinds of failures more (--json has all)"] if rest > 0 else []
    lines += ["", "Not in the matrix:", *(f"  {note}" for note in matrix.notes)] if matrix.notes else []
    return "\n".join(lines)


def worst_text(matrix: FailureMatrix) -> str:
    """The matrix in a line or two, for who asked for the whole plan."""
    power = [event for event in matrix.events if event.steps]
    harmless = sum(row.survived for row in matrix.by_kind)
    lines = [f"single failures: {matrix.count:,}, of which {harmless:,} are harmless; `railyard failures` tells them all"]
    worst = max(power, key=lambda event: event.severity, default=None)
    if worst is not None and not survived(matrix.gpus, worst):
        lines.append(f"worst electrical one: {_headline(worst)}: {outcome_text(worst)}")
    return "\n".join(lines)


def event_text(event: FailureEvent, gpus: int) -> str:
    """One failure step by step."""
    what = " and ".join(event.lost)
    lines = [f"{what} ({WORDS[event.kind]}{' and another' if len(event.lost) > 1 else ''}) {_fails(event)}"]
    for step in event.steps:
        lines += _step(step, last=step is event.steps[-1])
    lines += [f"in the end: {outcome_text(event)}"]
    lines += [f"  GPUs: {_gpus(event, gpus)}", *(f"  {row}" for row in _lost(event))]
    lines += ["  fullest breakers then:", *(f"    {_breaker(row)}" for row in event.fullest)] if event.fullest else []
    lines += [f"  assumed: {note}" for note in event.assumed]
    lines += [f"  unknown: {note}" for note in event.unknown]
    return "\n".join(lines)


def outcome_text(event: FailureEvent) -> str:
    """What is left, in one line."""
    found = [f"{row.count} x {row.name} trips" if row.count > 1 else f"{row.name} trips" for row in _tripped(event)[:3]]
    more = len(_tripped(event)) - 3
    found += [f"{more} breakers more trip"] if more > 0 else []
    found += [f"{event.gpus_down:,} GPUs down"] if event.gpus_down else []
    found += [f"{event.gpus_cut_off:,} GPUs cut off from their rail"] if event.gpus_cut_off else []
    found += [f"{event.gpus_unknown:,} GPUs in an unknown state"] if event.gpus_unknown else []
    if event.gpus_throttled:
        found += [f"{event.gpus_throttled:,} GPUs throttled to {event.throttled_kw:,.1f} of {event.throttled_of_kw:,.1f} kW"]
    if event.bisection_share is not None and event.bisection_share < 1:
        found += [f"{100 * event.bisection_share:.1f} % of the bisection left"]
    found += [f"all subnet managers of {', '.join(event.managers_lost)} down"] if event.managers_lost else []
    found += [f"{count:,} machines off the {kind} network" for kind, count in event.networks_cut.items()]
    found += [_counted(len(event.storage_down), "storage server") + " down"] if event.storage_down else []
    found += [_counted(len(event.mirrors_lost), "storage target") + " without a live copy"] if event.mirrors_lost else []
    found += ["some states unknown"] if event.unknown and not event.gpus_unknown else []
    found = found or ["every GPU runs at full power, nothing trips"]
    found += [f"assumed: {event.assumed[0]}"] if event.assumed else []
    return "; ".join(found)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _tripped(event: FailureEvent) -> list[Overload]:
    return [row for step in event.steps for row in step.trips]


def _headline(event: FailureEvent) -> str:
    rest = event.stands_for - 1
    alike = f" (and {rest:,} alike)" if rest else ""
    return f"{WORDS[event.kind]} {event.name}{alike}"


def _fails(event: FailureEvent) -> str:
    return "fail together" if len(event.lost) > 1 else "fails"


def _step(step: CascadeStep, *, last: bool) -> Iterator[str]:
    """A round: what the devices do, what trips by that, what is only over its derated rating."""
    states = [f"{step.full} devices at full power"]
    states += [f"{step.throttled} throttled"] if step.throttled else []
    states += [f"{step.down} down"] if step.down else []
    states += [f"{step.unknown} unknown"] if step.unknown else []
    yield f"step {step.number}: in the affected racks {', '.join(states)}; they draw {step.draw_kw:,.2f} kW"
    yield from (f"  trips {_breaker(row)}" for row in step.trips)
    yield from (f"  holds {_breaker(row)}" for row in step.held)
    if last and not step.trips:
        yield "  nothing trips" + (": stable" if step.number else "")


def _breaker(row: Overload) -> str:
    count = f"{row.count} x " if row.count > 1 else ""
    if row.rated is not None and row.carried is not None:
        amps, whole = f"{row.amps:,.1f} A in line {row.line}", f"{row.carried:,.1f} {row.unit}"
        if row.told[-1] == row.unit:
            return f"{count}{row.name}: {whole}, rated {row.rated:,.1f} {row.unit} ({amps})"
        return f"{count}{row.name}: {amps}, a line of {row.rated:,.1f} {row.unit} takes {row.rating_a:,.1f} A ({whole} in all)"
    return f"{count}{row.name}: {row.amps:,.1f} A, rating {row.rating_a:,.1f} A, for hours {row.derated_a:,.1f} A"


def _gpus(event: FailureEvent, gpus: int) -> str:
    return (
        f"{event.gpus_full:,} of {gpus:,} at full power, {event.gpus_throttled:,} throttled, {event.gpus_down:,} down, "
        f"{event.gpus_unknown:,} unknown, {event.gpus_cut_off:,} cut off from their rail"
    )


def _lost(event: FailureEvent) -> Iterator[str]:
    """Lists of what is gone."""
    rows = {
        "rails lost": event.rails_lost,
        "switches down": event.switches_down,
        "storage down": event.storage_down,
        "no live copy of": event.mirrors_lost,
        "no subnet manager": event.managers_lost,
    }
    yield from (f"{title}: {listed(names, 6)}" for title, names in rows.items() if names)
    if event.bisection_share is not None:
        yield f"bisection left: {100 * event.bisection_share:.1f} %"


def _shown(rows: Sequence[KindRow], *, pairs: bool) -> Iterator[tuple[str, ...]]:
    """Head and rows; a column for assumed outcomes where there are some, before the worst one's name."""
    guessed = any(row.assumed for row in rows)
    head = ("first lost" if pairs else _HEAD[0], *_HEAD[1:])
    yield (*head[:-1], "assumed", head[-1]) if guessed else head
    for row in rows:
        cells = _cells(row)
        yield (*cells[:-1], f"{row.assumed:,}", cells[-1]) if guessed else cells


def _cells(row: KindRow) -> tuple[str, ...]:
    numbers = (row.events, row.survived, row.cascading, row.gpus_down, row.gpus_cut_off, row.gpus_throttled, row.gpus_unknown)
    share = "-" if row.bisection_share is None else f"{100 * row.bisection_share:.1f} %"
    return (WORDS[row.kind], *(f"{number:,}" for number in numbers), share, row.worst)


def _table(rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns as wide as their widest cell; numbers to the right."""
    listed = list(rows)
    widths = [max(len(row[at]) for row in listed) for at in range(len(listed[0]))]
    return [re.sub(r" +$", "", "  ".join(_padded(row, widths))) for row in listed]


def _padded(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
        yield cell.ljust(width) if at in (0, len(row) - 1) else cell.rjust(width)
