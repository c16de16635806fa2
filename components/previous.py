"""Outputs of a deployed stack, asked of the engine without registering a resource.

A `StackReference` would show up in every preview, and ends the run where the stack doesn't exist; this invoke can be caught.
"""

import time
from collections.abc import Mapping
from typing import cast

import pulumi

# The file backend rewrites a state file in place: a reader that comes in the middle finds half of it.
ATTEMPTS, PAUSE_S = 10, 0.3


def deployed_outputs(stack: str) -> Mapping[str, object]:
    """Outputs of `organization/project/stack`; empty if it doesn't exist or was never deployed. Raises `pulumi.RunError`."""
    for _ in range(ATTEMPTS):
        try:
            result = pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", {"name": stack})
        except Exception as error:  # noqa: BLE001 - the SDK raises nothing narrower
            found = str(error)
        else:
            value = cast("Mapping[str, object] | None", result.value)
            return cast("Mapping[str, object]", (value or {}).get("outputs") or {})
        if "unknown stack" in found:
            return {}
        if "failed to load checkpoint" not in found:
            break
        time.sleep(PAUSE_S)
    fix = "run again when no other run writes it"
    raise pulumi.RunError(f"PEER-004 {stack}: its outputs can't be read\n  found: {found}\n  fix:   {fix}")
