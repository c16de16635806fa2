"""Waivers: an accepted finding, with a reason and the day on which it lapses. Until then the finding stays, as waived.

A waiver is in force for a year at most. One that reaches further is not: an acceptance that nobody looks at again is none.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from fnmatch import fnmatchcase

from railyard.model.site import Waiver
from railyard.rules.registry import RULES, Finding, ordered
from railyard.rules.waiver_texts import WAIVER_001, WAIVER_002, WAIVER_003

LONGEST = timedelta(days=366)
# What a provider measured is no judgement of a plan: a gate that could be waived would be no gate. And rules about slices and
# waivers guard the others.
_NEVER = frozenset({"GATE-001", "GATE-002", "SLICE-001", WAIVER_001.id, WAIVER_002.id, WAIVER_003.id})
# Judged where no plan is at hand: by a pack on the engine's resources, or by the program on the encrypted file.
_ELSEWHERE = frozenset({"K8S-001", "SEC-001"})
_WAIVABLE = ("limit", "undecided")
_KEY = "railyard:waivers"


def apply_waivers(findings: Iterable[Finding], waivers: Sequence[Waiver], today: date) -> list[Finding]:
    """Findings with severity `waived` where a waiver is in force; a lapsed one counts again and says so."""
    return ordered(_judge(finding, [waiver for waiver in waivers if matches(waiver, finding)], today) for finding in findings)


def matches(waiver: Waiver, finding: Finding) -> bool:
    """Whether a waiver means a finding: same rule, and its glob fits the place or the device that the place belongs to."""
    device = finding.where.partition("/")[0]
    return waiver.rule == finding.id and (fnmatchcase(finding.where, waiver.where) or fnmatchcase(device, waiver.where))


def check_waivers(waivers: Iterable[Waiver], findings: Sequence[Finding], today: date) -> list[Finding]:
    """WAIVER-001 to 003 over all waivers of a stack file; `findings` is what all rules found before waivers were applied."""
    return ordered(finding for waiver in waivers for finding in _checked(waiver, findings, today))


def _checked(waiver: Waiver, findings: Sequence[Finding], today: date) -> Iterator[Finding]:
    """The first thing that is wrong with a waiver: what can't work at all needs no second complaint."""
    rule, name, last = RULES.get(waiver.rule), f"waiver of {waiver.rule} at {waiver.where}", _latest(today)
    if rule is None:
        yield WAIVER_001.finding(_KEY, f"waiver of {waiver.rule}, which is no rule", "a rule of docs/reference/rules.md")
    elif rule.severity not in _WAIVABLE or rule.id in _NEVER:
        yield WAIVER_001.finding(_KEY, f"waiver of {waiver.rule}, which can't be waived", "a rule whose severity is limit")
    elif waiver.expires > last:
        fix = f"set expires to {last} or earlier, and look at the reason again then"
        yield WAIVER_002.finding(_KEY, f"{name} until {waiver.expires}", f"{last}, a year from today", fix)
    elif waiver.expires <= today.isoformat():
        yield WAIVER_003.finding(_KEY, f"{name} lapsed on {waiver.expires}", "a day to come")
    elif rule.id not in _ELSEWHERE and not any(matches(waiver, finding) for finding in findings):
        yield WAIVER_003.finding(_KEY, f"{name} meets no finding", "a finding that it accepts")


def _judge(finding: Finding, waivers: Sequence[Waiver], today: date) -> Finding:
    if not waivers or finding.severity not in _WAIVABLE or finding.id in _NEVER:
        return finding
    # ISO dates sort as text. A waiver is in force until the day before `expires`.
    inside = [waiver for waiver in waivers if waiver.expires <= _latest(today)]
    if not inside:
        far = min(waivers, key=lambda waiver: waiver.expires)
        return replace(finding, found=f"{finding.found} [waiver until {far.expires} is over a year, so not in force]")
    last = max(inside, key=lambda waiver: waiver.expires)
    if last.expires > today.isoformat():
        return replace(finding, severity="waived", found=f"{finding.found} [waived until {last.expires}: {last.reason}]")
    return replace(finding, found=f"{finding.found} [waiver lapsed on {last.expires}: {last.reason}]")


def _latest(today: date) -> str:
    """The last day that a waiver may name."""
    return (today + LONGEST).isoformat()
