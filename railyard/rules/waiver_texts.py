"""What the rules about waivers are about, for people."""

from railyard.rules.registry import Rule, register

WAIVER_001 = register(
    Rule(
        id="WAIVER-001",
        title="Waivers name a rule that can be waived",
        severity="limit",
        why="A waiver with a typing error, or of a rule that can't be waived, promises something that doesn't happen.",
        inputs="railyard:waivers",
        passes="each names a known rule that is a limit",
        fails="the rule is unknown, an invariant, a gate, or one that guards the others (SLICE-001, WAIVER-*)",
        cause="a typing error; an attempt to waive physics",
        manual="look the id up in docs/reference/rules.md",
        fix="correct or remove the waiver; invariants are repaired and gates passed",
        source="house rule 3",
    )
)
WAIVER_002 = register(
    Rule(
        id="WAIVER-002",
        title="Waivers last a year at most",
        severity="limit",
        why="An acceptance that never lapses is a rule switched off: nobody asks again whether the reason still holds.",
        inputs="expires of each waiver; today",
        passes="expires is at most 366 days ahead",
        fails="it is later; the waiver is not in force, so its finding counts",
        cause="a date chosen to be left alone: 2099-12-31",
        manual="read railyard:waivers[].expires",
        fix="choose a day within a year and renew the waiver then, with a reason that still holds",
        source="house rule 3",
    )
)
WAIVER_003 = register(
    Rule(
        id="WAIVER-003",
        title="Waivers are needed",
        severity="limit",
        why="A waiver without a finding, or one that has lapsed, hides the next finding at its place, or suggests cover.",
        inputs="railyard:waivers; findings of the plan; today. K8S-001 and SEC-001 are judged elsewhere and not compared",
        passes="expires is a day to come, and a finding of the rule is at the place",
        fails="the waiver has lapsed, or nothing is found that it could accept",
        cause="the repair was made and the waiver forgotten; a place that is spelt wrong",
        manual="`railyard plan STACK` without the waiver: is the finding there?",
        fix="remove the waiver, correct its place, or renew it with a reason that still holds",
        source="house rule 3",
    )
)
