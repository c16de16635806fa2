"""The matrix as small as rules need it: each failure that isn't harmless as one line, the worst first."""

from typing import TYPE_CHECKING

from railyard.model.failures import FailureEvent, FailureLine, FailureSummary, Overload
from railyard.plan.failures.matrix import failure_matrix, survived

if TYPE_CHECKING:
    from railyard.plan import Plan

LINES = 60
"""Lines of a summary. Failures that are alike are one line, so more means dozens of different breakers at fault."""


def failure_summary(plan: "Plan") -> FailureSummary:
    """The summary of a plan's failure matrix."""
    matrix = failure_matrix(plan)
    told = sorted((e for e in matrix.events if not survived(matrix.gpus, e)), key=lambda e: [-part for part in e.severity])
    return FailureSummary(
        gpus=matrix.gpus,
        count=matrix.count,
        site=plan.site.site,
        stated=plan.power.stated,
        lines=tuple(_line(event, _shared_by(plan, event)) for event in told[:LINES]),
        omitted=sum(event.stands_for for event in told[LINES:]),
        notes=matrix.notes,
    )


def stated_failures(plan: "Plan") -> FailureSummary | None:
    """The summary as the hall's slice has it: None where the power path isn't stated, and rules have nothing to judge."""
    return failure_summary(plan) if plan.power.stated else None


def _shared_by(plan: "Plan", event: FailureEvent) -> tuple[str, ...]:
    """Feeds of the racks below a piece that several of them share."""
    known = {segment.name: segment for segment in plan.power.segments}
    if len(event.lost) != 1 or event.name not in known:
        return ()
    letters: set[str] = set()
    for segment in known.values():
        at = segment
        while at.name != event.name and at.parent in known:
            at = known[at.parent]
        letters |= {segment.feed} if at.name == event.name and segment.feed else set()
    return tuple(sorted(letters)) if len(letters) > 1 else ()


def _line(event: FailureEvent, shared_by: tuple[str, ...]) -> FailureLine:
    return FailureLine(
        kind=event.kind,
        lost=event.name,
        stands_for=event.stands_for,
        gpus_down=event.gpus_down,
        gpus_throttled=event.gpus_throttled,
        gpus_unknown=event.gpus_unknown,
        gpus_cut_off=event.gpus_cut_off,
        throttled_kw=event.throttled_kw,
        throttled_of_kw=event.throttled_of_kw,
        trips=_trips(event),
        rails_lost=len(event.rails_lost),
        bisection_share=event.bisection_share,
        switches_down=event.switches_down[:3],
        networks_cut=event.networks_cut,
        storage_down=len(event.storage_down),
        mirrors_lost=event.mirrors_lost[:3],
        managers_lost=event.managers_lost,
        unknown=event.unknown,
        assumed=event.assumed,
        shared_by=shared_by,
    )


def _trips(event: FailureEvent) -> tuple[str, ...]:
    """First breakers that trip, with their current and rating."""
    rows = [row for step in event.steps for row in step.trips]
    return tuple(_trip(row) for row in rows[:3])


def _trip(row: Overload) -> str:
    carried, limit, unit = row.told
    whole = (
        f" ({row.carried:.1f} of {row.rated:.1f} {row.unit} in all)" if row.rated and row.carried and unit != row.unit else ""
    )
    return f"{row.name} at {carried:.1f} {unit} of {limit:.1f} {unit.partition(' ')[0]}{whole}"
