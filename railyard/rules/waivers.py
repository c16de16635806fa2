"""Waivers: an accepted finding, with reason and last day. A waiver never hides anything: the finding stays, as waived."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from fnmatch import fnmatchcase

from railyard.model.site import Waiver
from railyard.rules.gate_texts import GATE_001, GATE_002
from railyard.rules.registry import RULES, Finding, Rule, ordered, register

# What a provider measured is no judgement of a plan: a gate that could be waived would be no gate.
_NEVER = frozenset({GATE_001.id, GATE_002.id})
_WAIVABLE = ("limit", "undecided")

WAIVER_001 = register(
    Rule(
        id="WAIVER-001",
        title="Waivers name a rule that can be waived",
        severity="limit",
        why="A waiver with a typing error, or of a rule that can't be waived, promises something that doesn't happen.",
        inputs="railyard:waivers",
        passes="each names a known rule that is a limit",
        fails="the rule is unknown, an invariant, or a gate",
        cause="a typing error; an attempt to waive physics",
        manual="look the id up in docs/reference/rules.md",
        fix="correct or remove the waiver; invariants are repaired and gates passed",
        source="house rule 3",
    )
)


def apply_waivers(findings: Iterable[Finding], waivers: Sequence[Waiver], today: date) -> list[Finding]:
    """Findings with severity `waived` where a waiver is in force; a lapsed one counts again and says so."""
    return ordered(_judge(finding, [waiver for waiver in waivers if matches(waiver, finding)], today) for finding in findings)


def matches(waiver: Waiver, finding: Finding) -> bool:
    """Whether a waiver means a finding: same rule, and its glob fits the place or the device that the place belongs to."""
    device = finding.where.partition("/")[0]
    return waiver.rule == finding.id and (fnmatchcase(finding.where, waiver.where) or fnmatchcase(device, waiver.where))


def check_waivers(waivers: Iterable[Waiver]) -> list[Finding]:
    """WAIVER-001 over all waivers of a stack file."""
    return ordered(WAIVER_001.finding("railyard:waivers", *what) for waiver in waivers for what in _refused(waiver))


def _refused(waiver: Waiver) -> Iterator[tuple[str, str]]:
    rule = RULES.get(waiver.rule)
    if rule is None:
        yield f"waiver of {waiver.rule}, which is no rule", "a rule of docs/reference/rules.md"
    elif rule.severity not in _WAIVABLE or rule.id in _NEVER:
        yield f"waiver of {waiver.rule}, which can't be waived", "a rule whose severity is limit"


def _judge(finding: Finding, waivers: Sequence[Waiver], today: date) -> Finding:
    if not waivers or finding.severity not in _WAIVABLE or finding.id in _NEVER:
        return finding
    # ISO dates sort as text. A waiver is in force until the day before `expires`.
    last = max(waivers, key=lambda waiver: waiver.expires)
    if last.expires > today.isoformat():
        return replace(finding, severity="waived", found=f"{finding.found} [waived until {last.expires}: {last.reason}]")
    return replace(finding, found=f"{finding.found} [waiver lapsed on {last.expires}: {last.reason}]")
