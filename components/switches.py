"""Configuration of the switches that the inventory hands over, and the gates that look at what they do."""

from collections.abc import Callable, Sequence

import pulumi

from providers.fabric.sdk import FabricGate, SwitchConfig
from railyard.model.inventory import Switch
from railyard.model.site import Waiver
from railyard.plan import Plan
from railyard.plan.managed import GateRow, ManagedSwitch, gate_groups, managed_switches
from railyard.render.switches import nvue, sonic

PHASE = "fabric"


class Switches:
    """The managed switches of a site: `configs` by name, `gates` by name; both empty where none is managed."""

    def __init__(self, switches: Sequence[Switch], plan: Plan, percent: float, opts: pulumi.ResourceOptions) -> None:
        self._managed = managed_switches(switches, plan)
        self._plan, self._percent, self._opts = plan, percent, opts
        self.names = {one.planned.name for one in self._managed}
        self.configs: dict[str, SwitchConfig] = {}
        self.gates: dict[str, FabricGate] = {}

    def configure(self, waivers: Callable[[str], Sequence[Waiver]]) -> None:
        """Registers one resource per switch; it carries the slice of the plan that policies judge, instead of a `Switch`."""
        for one in self._managed:
            name = one.planned.name
            self.configs[name] = SwitchConfig(name, config_inputs(one, waivers(name)), self._opts)

    def build_gates(self) -> None:
        """One gate per unit and one for the tiers above, behind all switches."""
        tokens = [config.token for config in self.configs.values()]
        for name, rows in gate_groups(self._plan.site.site, self._managed).items():
            inputs = {
                "phase": PHASE,
                "unit": name,
                "switches": [gate_switch(row) for row in rows],
                "minimumPercent": self._percent,
                "tokens": tokens,
            }
            self.gates[name] = FabricGate(name, inputs, self._opts)


def config_inputs(one: ManagedSwitch, waivers: Sequence[Waiver]) -> dict[str, object]:
    """Inputs of `fabric:index:SwitchConfig`."""
    render = nvue if one.intent.site.nos == "cumulus" else sonic
    planned = one.planned.model_copy(update={"status": "configured"})
    for_policies = {"plan": planned.props(), "waivers": [waiver.props() for waiver in waivers]}
    return {**connection(one), "config": render(one.intent), **for_policies}


def connection(one: ManagedSwitch) -> dict[str, object]:
    """How a switch is reached and trusted."""
    delivered = one.delivered
    trust = {"caFile": delivered.ca_file, "hostKeySha256": delivered.host_key_sha256}
    return {
        "name": one.planned.name,
        "nos": one.intent.site.nos,
        "address": one.address,
        "serial": delivered.serial,
        "credentialRef": delivered.credential_ref,
        **{key: value for key, value in trust.items() if value},
    }


def gate_switch(row: GateRow) -> dict[str, object]:
    """One switch of a `fabric:index:FabricGate`."""
    return {
        **connection(row.switch),
        "sessions": list(row.sessions),
        "neighbours": dict(row.neighbours),
        "reach": list(row.reach),
        "width": row.width,
        "mtu": row.mtu,
    }
