"""From rules to policies: what the three packs share. No thresholds, no judgement.

A policy reports what its rules find on each resource of its types. Findings that stop nothing (notice, undecided, waived) go to
the pack's advisory policy of notes: an unknown value is said, never mistaken for a pass, and never switches another rule off.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, cast

from pulumi_policy import (
    EnforcementLevel,
    PolicyComplianceFramework,
    PolicyConfigSchema,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Severity,
)
from pulumi_policy.proxy import UnknownValueError

from railyard.model.site import Waiver
from railyard.rules import RULES, UNKNOWN, Finding, Thresholds, judge
from railyard.rules.registry import CIS, DOCUMENT
from railyard.rules.slices import SITE, waivers_of

REPOSITORY = "https://github.com/railyard/railyard/blob/main"
_STOPPING = ("invariant", "limit")
FRAMEWORKS = {
    CIS: PolicyComplianceFramework(
        "CIS Kubernetes Benchmark", "1.12", "https://www.cisecurity.org/benchmark/kubernetes", "sections 1.2 and 5"
    ),
    "house": PolicyComplianceFramework("railyard design rules", "1", f"{REPOSITORY}/{DOCUMENT}", "facility, fabric and metal"),
}

Judge = Callable[[ResourceValidationArgs, Sequence[Waiver], date], list[Finding]]


@dataclass
class Seen:
    """What this process has looked at: the waivers of the Site, and how many resources of each type each policy judged.

    The Site is every other resource's ancestor, so the engine shows it first. Resources that can't carry waivers (machines,
    Kubernetes objects) rely on that; where the Site was not seen, nothing is waived. `judged` hands what an enforcing policy
    found to the notes, which the server runs right after it on the same resource: judging twice would double the cost.
    """

    waivers: list[Waiver] = field(default_factory=lambda: list[Waiver]())
    looked: Counter[tuple[str, str]] = field(default_factory=lambda: Counter[tuple[str, str]]())
    judged: dict[tuple[str, str], list[Finding]] = field(default_factory=lambda: dict[tuple[str, str], list[Finding]]())

    def reset(self) -> None:
        """Forget everything: for tests, which have many stacks in one process."""
        self.waivers.clear()
        self.looked.clear()
        self.judged.clear()


SEEN = Seen()


@dataclass(frozen=True)
class Topic:
    """Some rules about resources of some types: one enforcing policy."""

    name: str
    title: str
    rules: tuple[str, ...]
    applies: Callable[[str], bool]
    severity: Severity
    judge: Judge
    thresholds: tuple[str, ...] = ()
    framework: str = "house"


def slice_topic(
    name: str, title: str, tokens: Iterable[str], rules: tuple[str, ...], severity: Severity, thresholds: tuple[str, ...] = ()
) -> Topic:
    """A topic whose rules read plan slices."""
    kinds = frozenset(tokens)

    def judged(args: ResourceValidationArgs, waivers: Sequence[Waiver], today: date) -> list[Finding]:
        limits = Thresholds.of_config(args.get_config())
        props = cast("Mapping[str, Any]", plain(args.props))
        return judge(args.resource_type, args.name, props, rules, today, limits, waivers)

    framework = next((CIS for rule in rules if RULES[rule].framework == CIS), "house")
    return Topic(name, title, rules, kinds.__contains__, severity, judged, thresholds, framework)


def policies(pack: str, topics: Sequence[Topic]) -> list[ResourceValidationPolicy]:
    """One mandatory policy for each topic, and one advisory policy for what stops nothing in any of them."""
    return [*(_enforcing(topic) for topic in topics), _notes(pack, topics)]


def plain(value: Any) -> Any:
    """Properties as plain JSON: the SDK's proxies are no dicts, and raise where they hold an unknown value."""
    if isinstance(value, Mapping):
        rows = cast("Mapping[str, Any]", value)
        return {key: _at(rows, key) for key in rows}
    if isinstance(value, Sequence) and not isinstance(value, str):
        items = cast("Sequence[Any]", value)
        return [_at(items, index) for index in range(len(items))]
    return value


def _at(rows: Any, key: Any) -> Any:
    try:
        return plain(rows[key])
    except UnknownValueError:
        return UNKNOWN


def _enforcing(topic: Topic) -> ResourceValidationPolicy:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        _report(topic, topic.name, args, report, stopping=True)

    return ResourceValidationPolicy(
        name=topic.name,
        description=topic.title,
        validate=validate,
        enforcement_level=EnforcementLevel.MANDATORY,
        config_schema=PolicyConfigSchema(Thresholds.schema_of(topic.thresholds)) if topic.thresholds else None,
        display_name=topic.title,
        severity=topic.severity,
        framework=FRAMEWORKS[topic.framework],
        tags=sorted(topic.rules),
        remediation_steps="\n".join(f"{rule}: {RULES[rule].fix}" for rule in topic.rules),
        url=f"{REPOSITORY}/{RULES[topic.rules[0]].url}",
    )


def _notes(pack: str, topics: Sequence[Topic]) -> ResourceValidationPolicy:
    name = f"{pack}-notes"

    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        for topic in topics:
            _report(topic, name, args, report, stopping=False)

    thresholds = sorted({threshold for topic in topics for threshold in topic.thresholds})
    return ResourceValidationPolicy(
        name=name,
        description=f"Notices, undecided and waived findings of the {pack} pack",
        validate=validate,
        enforcement_level=EnforcementLevel.ADVISORY,
        config_schema=PolicyConfigSchema(Thresholds.schema_of(thresholds)) if thresholds else None,
        severity=Severity.LOW,
        framework=FRAMEWORKS["house"],
        remediation_steps="Undecided: make the value known in preview. Waived: repair before the waiver lapses.",
        url=f"{REPOSITORY}/{DOCUMENT}",
    )


def _report(topic: Topic, policy: str, args: ResourceValidationArgs, report: ReportViolation, *, stopping: bool) -> None:
    if args.resource_type == SITE:
        SEEN.waivers = waivers_of(cast("Mapping[str, Any]", plain(args.props)))
    if not topic.applies(args.resource_type):
        return
    SEEN.looked[policy, args.resource_type] += 1
    key = (topic.name, args.urn)
    findings = None if stopping else SEEN.judged.pop(key, None)
    if findings is None:
        findings = topic.judge(args, SEEN.waivers, datetime.now(UTC).date())
    if stopping:
        SEEN.judged[key] = findings
    for finding in findings:
        if (finding.severity in _STOPPING) == stopping:
            report(str(finding), args.urn)
