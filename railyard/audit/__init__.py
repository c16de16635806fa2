"""As built against as designed. Pure functions: a design and what files tell in, verdicts, work order and findings out.

`audit()` is the order of all verbs: join the sightings, choose the scope, settle who is where, compare, judge.
"""

from collections.abc import Collection, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from railyard.audit.absent import absent
from railyard.audit.compare import Compared, Group, compare
from railyard.audit.design_file import design_from
from railyard.audit.design_plan import design_of
from railyard.audit.exchanged import exchanged_switches
from railyard.audit.findings import findings_of
from railyard.audit.join import Joined, Joiner
from railyard.audit.named import named_by_position
from railyard.audit.nouns import Design, Difference, GuidCheck
from railyard.audit.patterns import PatternError
from railyard.audit.position import Positions
from railyard.audit.result import Audit, File, to_json
from railyard.audit.rows import Rows
from railyard.audit.scope import Scope, scope_of
from railyard.audit.sheet import sheet_results
from railyard.audit.verdict import all_found, count, slow_links, verdicts
from railyard.audit.work import work_order
from railyard.model.errors import Problem
from railyard.model.observed import Observation
from railyard.plan.names import sort_key
from railyard.read import ReadError

__all__ = ["Audit", "Design", "PatternError", "audit", "design_from", "design_of", "to_json"]


class _Case(msgspec.Struct, frozen=True):
    """Everything that is known before it is judged."""

    joined: Joined
    scope: Scope
    positions: Positions
    guids: GuidCheck | None
    compared: Compared


def audit(design: Design, observations: Sequence[Observation], *, units: Collection[int] = (), speeds: bool = True) -> Audit:
    """The whole audit. `units` (from 1) restricts it to their leaves; without `speeds`, rates are ignored (simulators).

    Raises ReadError where the files have nothing to do with the design.
    """
    if strangers := [problem for file in observations for problem in _strangers(design, file)]:
        raise ReadError(strangers)
    joined = Joiner(design).join(observations)
    scope = scope_of(design, joined, units)
    if not scope.links:
        raise ReadError([_nothing(design, observations, units)])
    positions = Positions(design, joined, [link for link in scope.links if link.a.device in design.hosts])
    positions.settle()
    guids = positions.check()
    case = _Case(joined, scope, positions, guids, compare(design, joined, scope.links))
    rows = Rows(design)
    made = _judged(design, observations, case, rows, speeds)
    made = replace(made, work=work_order(rows, made))
    return replace(made, findings=findings_of(made))


def _judged(design: Design, observations: Sequence[Observation], case: _Case, rows: Rows, speeds: bool) -> Audit:
    """All that is to be said, without what to do about it."""
    joined, scope, compared = case.joined, case.scope, case.compared
    found = all_found(compared)
    gone = absent(design, scope, joined, compared)
    strange = {plug.far.device for plug in joined.plugs.values() if plug.far} - design.switches.keys()
    return Audit(
        title=design.title,
        files=tuple(File(one.source, one.format, len(one.devices), len(one.links)) for one in observations),
        totals=count(design, scope, joined, compared, found),
        verdicts=verdicts(design, scope, joined, found),
        missing_switches=gone.switches,
        missing_hosts=gone.hosts,
        differences=_differences(rows, case.positions, gone.groups),
        slow=slow_links(scope, found) if speeds else (),
        named_by_position=named_by_position(design, case.positions),
        renamed_switches=dict(sorted(joined.renamed.items())),
        strange_switches=tuple(sorted(strange, key=sort_key)),
        exchanged_switches=exchanged_switches(scope.links, compared.groups),
        guids=case.guids,
        contradictions=tuple(sorted(set(joined.contradictions), key=lambda one: (sort_key(one.where), one.one, one.other))),
        one_sided=tuple(sorted(joined.one_sided, key=sort_key)),
        cut=dict(sorted(joined.cut.items())),
        unknown_nics=dict(sorted(joined.unknown_nics.items())),
        untold=scope.untold,
        absent_planes=scope.absent_planes,
        absent_networks=scope.absent_networks,
        sheet=sheet_results(design, observations),
    )


def _strangers(design: Design, file: Observation) -> Iterator[Problem]:
    """Files of one device whose name is nobody's: what they tell would be taken for somebody else's ports."""
    if file.whole:
        return
    for device in file.devices:
        if not design.naming.switch(device.name) and not design.naming.host(device.name):
            fix = f"name the file after its device, e.g. {next(iter(design.switches))}.json"
            yield Problem("READ-008", file.source, f"neighbours of `{device.name}`", f"a device of {design.title}", fix)


def _nothing(design: Design, observations: Sequence[Observation], units: Collection[int]) -> Problem:
    names = sorted({device.name for file in observations for device in file.devices})[:3]
    names = names or sorted({link.name for file in observations for link in file.links})[:3]
    found = f"devices like {', '.join(f'`{name}`' for name in names)}: none is of {design.title}"
    if units:
        found = f"nothing of units {', '.join(map(str, sorted(units)))} of {design.title}"
    fix = "check that files and stack (or design file, its name patterns) are of one site"
    return Problem("READ-007", ", ".join(file.source for file in observations), found, "files of the design's fabric", fix)


_KINDS = ("swapped", "tangled", "moved", "unexpected", "missing", "crossed")


def _differences(rows: Rows, positions: Positions, groups: list[Group]) -> tuple[Difference, ...]:
    made = [
        Difference(
            group.kind,
            tuple(rows.planned(link) for link in group.planned),
            tuple(rows.found(one) for one in group.found),
            _how(positions, group),
        )
        for group in groups
    ]
    return tuple(sorted(made, key=lambda one: (_KINDS.index(one.kind), sort_key((one.planned or one.found)[0].a))))


def _how(positions: Positions, group: Group) -> str:
    """Which of the ends have no name of their own and were settled otherwise."""
    by = [
        f"{one.a} by {plug.how}"
        for one in group.found
        if (plug := positions.plugs.get(one.z)) and plug.how in ("elimination", "guid", "position")
    ]
    return f"without a name: {', '.join(by)}" if by else ""
