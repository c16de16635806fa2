"""What the program uses: custom resources by type token. Inputs are plain mappings with the names of `models.py`."""

from collections.abc import Mapping
from typing import Any

import pulumi


class Machine(pulumi.CustomResource):
    """One machine's BMC: identity, accounts, services, bootOrder, power. `token` orders what comes after it."""

    token: pulumi.Output[str]
    uuid: pulumi.Output[str]
    model: pulumi.Output[str]
    bios_version: pulumi.Output[str]
    bmc_version: pulumi.Output[str]
    power_state: pulumi.Output[str]

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> None:
        outputs = dict.fromkeys(("token", "uuid", "model", "biosVersion", "bmcVersion", "powerState"))
        super().__init__("metal:index:Machine", name, {**inputs, **outputs}, opts)

    def translate_output_property(self, prop: str) -> str:
        return _SNAKE.get(prop, prop)


class Installation(pulumi.CustomResource):
    """One machine's operating system; never installed twice for one serial and generation."""

    token: pulumi.Output[str]
    installation_id: pulumi.Output[str]
    host_key_fingerprint: pulumi.Output[str]

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> None:
        facts = ("token", "installationId", "hostKeyFingerprint", "journalId", "installedImageSha256", "installedSeedSha256")
        outputs = dict.fromkeys(facts)
        super().__init__("metal:index:Installation", name, {**inputs, **outputs}, opts)

    def translate_output_property(self, prop: str) -> str:
        return _SNAKE.get(prop, prop)


class FacilityGate(pulumi.CustomResource):
    """The machines of one scalable unit are on and installed. `token` orders; `digest` is for people and the contract."""

    token: pulumi.Output[str]
    digest: pulumi.Output[str]
    ready: pulumi.Output[int]
    missing: pulumi.Output[list[str]]
    set_aside: pulumi.Output[list[str]]

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> None:
        outputs = dict.fromkeys(("token", "digest", "ready", "missing", "setAside"))
        super().__init__("metal:index:FacilityGate", name, {**inputs, **outputs}, opts)

    def translate_output_property(self, prop: str) -> str:
        return _SNAKE.get(prop, prop)


_SNAKE = {
    "biosVersion": "bios_version",
    "bmcVersion": "bmc_version",
    "powerState": "power_state",
    "setAside": "set_aside",
    "installationId": "installation_id",
    "hostKeyFingerprint": "host_key_fingerprint",
}
