"""`Gate`: a resource whose Create and Update fail until what was measured is good enough (rule 15 of the house)."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from providers.kit.errors import FindingLike, ProviderError
from providers.kit.resource import Call, Created, Properties, ReadBack, ResourceType
from providers.kit.values import UNKNOWN


def digest(evidence: Mapping[str, Any]) -> str:
    """SHA-256 (64 hex digits) of the evidence as JSON with sorted keys: same evidence, same digest."""
    text = json.dumps(evidence, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


class Gate(ResourceType):
    """Measures, then judges. A failed gate isn't stored, so the next `up` tries again.

    Outputs: `token` (constant, input `phase`; known in preview; the only thing that later resources take), `digest` (for people
    and the contract, unknown in preview), and what `facts` adds. Diff compares inputs; Read returns what is stored.
    """

    fact_names: tuple[str, ...] = ()

    def measure(self, inputs: Properties, call: Call) -> Properties:
        """Evidence as plain JSON, without times or other things that differ from run to run. Waits use `call.cancel`."""
        raise NotImplementedError

    def judge(self, inputs: Properties, evidence: Properties) -> Sequence[FindingLike]:
        """What stands against passing; empty means passed. Calls a predicate of railyard.rules."""
        raise NotImplementedError

    def facts(self, inputs: Properties, evidence: Properties) -> Properties:  # noqa: ARG002
        """More outputs, e.g. who is missing."""
        return {}

    def preview(self, inputs: Properties, old_outputs: Properties | None) -> Properties:  # noqa: ARG002
        return {"token": inputs.get("phase", UNKNOWN), "digest": UNKNOWN, **dict.fromkeys(self.fact_names, UNKNOWN)}

    def create(self, inputs: Properties, call: Call) -> Created:
        return Created(call.name, self._pass(inputs, call))

    def update(self, id: str, old: Properties, new: Properties, old_outputs: Properties, call: Call) -> Properties:  # noqa: A002, ARG002
        return self._pass(new, call)

    def read(self, id: str, inputs: Properties, outputs: Properties, call: Call) -> ReadBack:  # noqa: A002, ARG002
        return ReadBack(inputs, outputs)

    def _pass(self, inputs: Properties, call: Call) -> Properties:
        evidence = self.measure(inputs, call)
        findings = list(self.judge(inputs, evidence))
        if findings:
            raise ProviderError(*findings)
        return {"token": inputs["phase"], "digest": digest(evidence), **self.facts(inputs, evidence)}
