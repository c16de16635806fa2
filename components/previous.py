"""Outputs of a deployed stack, asked of the engine without registering a resource.

A `StackReference` would show up in every preview, and ends the run where the stack doesn't exist; this invoke can be caught.
"""

from collections.abc import Mapping
from typing import cast

import pulumi


def deployed_outputs(stack: str) -> Mapping[str, object]:
    """Outputs of `organization/project/stack`; empty if it doesn't exist or was never deployed."""
    try:
        result = pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", {"name": stack})
    except Exception as error:
        if "unknown stack" in str(error):
            return {}
        raise
    value = cast("Mapping[str, object] | None", result.value)
    return cast("Mapping[str, object]", (value or {}).get("outputs") or {})
