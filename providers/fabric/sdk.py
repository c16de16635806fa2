"""What the program uses: custom resources by type token. Inputs are plain mappings with the names of `models.py`."""

from collections.abc import Mapping
from typing import Any

import pulumi


class SwitchConfig(pulumi.CustomResource):
    """The configuration of one switch. `token` orders what comes after it; `applied` is another one after each change."""

    token: pulumi.Output[str]
    applied: pulumi.Output[str]

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("fabric:index:SwitchConfig", name, {**inputs, "token": None, "applied": None}, opts)


class FabricGate(pulumi.CustomResource):
    """The fabric of one unit carries traffic. `token` orders; `digest` is for people and the contract."""

    token: pulumi.Output[str]
    digest: pulumi.Output[str]
    sessions: pulumi.Output[int]
    missing: pulumi.Output[list[str]]
    unread: pulumi.Output[list[str]]

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> None:
        outputs = dict.fromkeys(("token", "digest", "sessions", "missing", "unread"))
        super().__init__("fabric:index:FabricGate", name, {**inputs, **outputs}, opts)
