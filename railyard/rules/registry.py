"""Nouns of the rules: a finding, a rule's description, and the registry of all of them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar

from railyard.model.base import Noun
from railyard.plan.names import listed, sort_key
from railyard.rules.thresholds import Thresholds

Severity = Literal["invariant", "limit", "notice", "undecided", "waived"]
DOCUMENT = "docs/reference/rules.md"
CIS = "CIS Kubernetes Benchmark 1.12"
HOUSE = "railyard design rules 1"
# Differences below a microwatt or a milligram come from adding binary fractions, not from a design.
_DECIMALS = 6

N = TypeVar("N", bound=Noun)


@dataclass(frozen=True)
class Finding:
    """One thing that a rule has to say. `where` is a device (`lab-r001/feed-a`) or a key (`railyard:fabric.spines`)."""

    id: str
    severity: Severity
    where: str
    found: str
    limit: str
    fix: str
    url: str

    @property
    def key(self) -> tuple[object, ...]:
        """Stable order: rule, place (numbers as numbers), text."""
        return (self.id, sort_key(self.where), self.severity, self.found)

    def __str__(self) -> str:
        return (
            f"{self.id} {self.where} ({self.severity})\n"
            f"  found: {self.found}\n  limit: {self.limit}\n  fix:   {self.fix}\n  see:   {self.url}"
        )


@dataclass(frozen=True)
class Rule:
    """What a rule is about, in the words of docs/reference/rules.md. `pack` is the policy pack that enforces it, if any."""

    id: str
    title: str
    severity: Severity
    why: str
    inputs: str
    passes: str
    fails: str
    cause: str
    manual: str
    fix: str
    source: str
    framework: str = HOUSE
    pack: Literal["power", "fabric", "hardening"] | None = None

    @property
    def url(self) -> str:
        """Place of this rule in the reference, relative to the repository's root."""
        return f"{DOCUMENT}#{self.id.lower()}"

    def finding(self, where: str, found: str, limit: str, fix: str | None = None, severity: Severity | None = None) -> Finding:
        """A finding of this rule; `fix` where the rule's own words can be made more exact."""
        return Finding(self.id, severity or self.severity, where, found, limit, fix or self.fix, self.url)

    def undecided(self, where: str, found: str, limit: str, fix: str) -> Finding:
        """The rule can't be judged, and says why: never a pass."""
        return self.finding(where, found, limit, fix, "undecided")


RULES: dict[str, Rule] = {}


def register(rule: Rule) -> Rule:
    """Enter a rule; an id stands for one rule for ever (ValueError where it is taken)."""
    if rule.id in RULES:
        raise ValueError(f"rule {rule.id} is registered twice")
    RULES[rule.id] = rule
    return rule


@dataclass(frozen=True)
class Predicate(Generic[N]):
    """A pure judgement of one slice. `reads` names the fields it touches: an unknown elsewhere doesn't hold it up."""

    rules: tuple[Rule, ...]
    reads: frozenset[str]
    judge: Callable[[N, str, Thresholds], Iterable[Finding]]


def run(predicates: Iterable[Predicate[N]], noun: N, where: str, thresholds: Thresholds) -> list[Finding]:
    """All findings of some predicates about one slice, in stable order."""
    return ordered(finding for predicate in predicates for finding in predicate.judge(noun, where, thresholds))


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """Sorted, without repetitions."""
    return sorted(set(findings), key=lambda finding: finding.key)


def exceeds(value: float, limit: float) -> bool:
    """Whether `value` is over `limit`, compared before any rounding for people; equal passes."""
    return round(value, _DECIMALS) > round(limit, _DECIMALS)


def grouped(findings: Iterable[Finding], names: int = 3) -> list[Finding]:
    """For people: findings that differ only in their place become one that names the first few and counts the rest."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in ordered(findings):
        groups.setdefault((finding.id, finding.severity, finding.found, finding.limit, finding.fix), []).append(finding)
    return ordered(replace(group[0], where=listed([finding.where for finding in group], names)) for group in groups.values())
