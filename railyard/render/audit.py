"""The audit for people: text for a terminal, one HTML page that prints, CSV of the work order for the crew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from markupsafe import Markup

from railyard.audit.findings import rounded
from railyard.audit.nouns import LinkRow, SwitchVerdict, WorkStep
from railyard.audit.result import Audit
from railyard.render.cables import safe_rows
from railyard.render.svg import clean
from railyard.render.theme import drawing_css, page_css

if TYPE_CHECKING:
    from jinja2 import Environment

    from railyard.rules import Finding

COLUMNS = (
    "step", "action", "effect", "what", "cable", "role", "a", "a_label", "a_rack", "a_u", "z", "z_label", "z_rack", "z_u",
)  # fmt: skip
SHEET_MAX = 200
"""Cables of a returned schedule that the text names one by one."""
ROWS_MAX = 2_000
"""A page with more rows is slow and read by nobody; the JSON and the CSV have all of them."""


def audit_text(audit: Audit) -> str:
    """Counts, verdicts that are not clean, work order. Findings with their limits and sources are in the JSON."""
    lines = [f"As built: {audit.title}", *_counts(audit), ""]
    bad = [one for one in audit.verdicts if one.missing or one.over]
    if bad:
        lines += ["Switches with missing uplinks or a ratio above the design's:", *_table(bad), ""]
    if audit.guids is not None:
        pairs = audit.guids.same_port + len(audit.guids.other_port)
        lines += [f"GUID neighbours: {pairs} adapters, {len(audit.guids.other_port)} of them in two different ports", ""]
    lines += _schedule(audit)
    if audit.work:
        lines += ["Work order:", *(f"{step.number:>5}  {step.text}" for step in audit.work), ""]
    lines.append(_summary(audit))
    return clean("\n".join(lines))


def _schedule(audit: Audit) -> list[str]:
    """The returned schedule: each cable that failed, or whose row can't be right, by name and place; the rest is counted."""
    if not audit.sheet:
        return []
    wrong: dict[tuple[str, str], list[str]] = {}
    missing: dict[str, int] = {}
    for one in audit.sheet:
        if one.urgent:
            wrong.setdefault((one.cable, one.place), []).append(one.problem)
        else:
            missing[one.problem] = missing.get(one.problem, 0) + 1
    # What failed stands first: it has to be done again.
    order = sorted(wrong.items(), key=lambda item: not any(said.startswith("failed") for said in item[1]))
    lines = [f"  {cable}{f' ({place})' if place else ''}: {'; '.join(said)}" for (cable, place), said in order[:SHEET_MAX]]
    if len(order) > SHEET_MAX:
        lines.append(f"  and {len(order) - SHEET_MAX:,} more cables; --format json has all of them")
    counted = ("1 cable: " if number == 1 else f"{number:,} cables: each " for number in missing.values())
    lines += [f"  {'' if 'no test result in any' in said else head}{said}" for head, said in zip(counted, missing, strict=True)]
    return ["Returned schedule:", *lines, ""]


def _counts(audit: Audit) -> Iterator[str]:
    for name, found, planned in counted(audit):
        if planned or found:
            yield f"  {name:<28}{found:>7,} of {planned:,}"
    if audit.absent_networks:
        yield f"  not audited, no file tells of them: {', '.join(audit.absent_networks)}"
    others = audit.totals.other_hosts, audit.totals.aggregation_nodes
    if any(others):
        yield f"  {'other hosts, SHARP nodes':<28}{others[0]:>7,} and {others[1]:,} (not judged)"


def counted(audit: Audit) -> list[tuple[str, int, int]]:
    """(what, found, planned)."""
    one = audit.totals
    return [
        ("leaf switches", one.leaves, one.leaves_planned),
        ("spine switches", one.spines, one.spines_planned),
        ("core switches", one.cores, one.cores_planned),
        ("host links", one.endpoints, one.endpoints_planned),
        ("uplinks of leaves present", one.uplinks, one.uplinks_planned),
        ("links right at both ends", one.links_correct, one.links_planned),
    ]


def _table(rows: Iterable[SwitchVerdict]) -> Iterator[str]:
    for one in rows:
        gaps = ", ".join(f"{gap.peer}: {gap.present} of {gap.planned}" for gap in one.missing)
        ratio = "-" if one.down_to_up is None else rounded(one.down_to_up)
        yield f"  {one.switch:<24}{one.down:>4} down {one.up:>4} up {ratio:>7}{' over' if one.over else '     '}  {gaps}"


def _summary(audit: Audit) -> str:
    if not audit.findings:
        return "No finding: what these files tell is as designed."
    counts: dict[str, int] = {}
    for finding in audit.findings:
        counts[finding.id] = counts.get(finding.id, 0) + 1
    listed = ", ".join(f"{name} x {number}" for name, number in sorted(counts.items()))
    return f"{len(audit.findings)} findings: {listed}. `railyard rules ID` explains each; --format json has all of them."


def audit_csv(audit: Audit) -> str:
    """The work order, a row per cable end to touch: `role` says whether a row is as found or as planned."""
    rows = (
        (step.number, step.action, "yes" if step.effect else "no", step.text, *_cells(role, row))
        for step in audit.work
        for role, row in _roles(step)
    )
    return safe_rows(COLUMNS, rows)


def _roles(step: WorkStep) -> Iterator[tuple[str, LinkRow | None]]:
    if not step.found and not step.planned:
        yield "", None
    for role, rows in (("found", step.found), ("planned", step.planned)):
        for row in rows:
            yield role, row


def _cells(role: str, row: LinkRow | None) -> tuple[str, ...]:
    if row is None:
        return ("",) * 10
    a_u, z_u = ("" if u is None else str(u) for u in (row.a_u, row.z_u))
    return row.cable, role, row.a, row.a_label, row.a_rack, a_u, row.z, row.z_label, row.z_rack, z_u


def audit_html(audit: Audit) -> str:
    """One page that carries its style and needs nothing else; everything in it is escaped."""
    bad = [one for one in audit.verdicts if one.missing or one.over]
    page = _environment().get_template("audit.html.j2")
    return page.render(
        audit=audit,
        version=version("railyard"),
        counts=[row for row in counted(audit) if row[1] or row[2]],
        bad=bad,
        good=len(audit.verdicts) - len(bad),
        units=_units(audit),
        rails=sorted({one.rail for one in audit.verdicts if one.rail is not None and one.role == "leaf"}),
        grid={(one.unit, one.rail, one.plane): one for one in audit.verdicts if one.role == "leaf"},
        planes=sorted({one.plane for one in audit.verdicts if one.role == "leaf"}, key=lambda plane: plane or 0),
        missing={(one.unit, one.rail): one for one in audit.missing_switches},
        work=audit.work[:ROWS_MAX],
        findings=grouped_findings(audit.findings),
        rounded=rounded,
        summary=_summary(audit),
        more=max(0, len(audit.work) - ROWS_MAX),
        # Our own style sheets are the only text that isn't escaped.
        style=Markup(drawing_css() + page_css()),  # noqa: S704
    )


def _units(audit: Audit) -> list[int]:
    units = {one.unit for one in audit.verdicts} | {one.unit for one in audit.missing_switches}
    return sorted(unit for unit in units if unit is not None)


def grouped_findings(findings: Iterable[Finding]) -> list[tuple[str, list[Finding]]]:
    """By rule, in the order of ids."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.id, []).append(finding)
    return sorted(groups.items())


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("railyard.render", "templates")
    # What HTML can't carry is replaced before escaping, in whatever a file's names bring.
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True, finalize=_writable
    )


def _writable(value: object) -> object:
    return value if isinstance(value, Markup) or not isinstance(value, str) else clean(value)
