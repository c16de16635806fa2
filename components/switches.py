"""Configuration of the switches that the inventory hands over, and the gates that look at what they do."""

from collections.abc import Callable, Mapping, Sequence

import pulumi

from providers.fabric.sdk import FabricGate, SwitchConfig
from railyard.model.inventory import Switch
from railyard.model.site import Waiver
from railyard.plan import Plan
from railyard.plan.managed import GateRow, ManagedSwitch, canaries, gate_groups, managed_switches
from railyard.render.switches import configuration

PHASE = "fabric"


class Switches:
    """The managed switches of a site: `configs` by name, `gates` by name; both empty where none is managed."""

    def __init__(self, switches: Sequence[Switch], plan: Plan, percent: float, opts: pulumi.ResourceOptions) -> None:
        self._managed = managed_switches(switches, plan)
        self._plan, self._percent, self._opts = plan, percent, opts
        self.names = {one.planned.name for one in self._managed}
        self.trees = {one.planned.name: configuration(one.intent) for one in self._managed}
        self.configs: dict[str, SwitchConfig] = {}
        self.gates: dict[str, FabricGate] = {}

    def configure(self, waivers: Callable[[str], Sequence[Waiver]]) -> None:
        """Registers one resource per switch; it carries the slice of the plan that policies judge, instead of a `Switch`.

        A leaf, a spine and a core come first, one after the other; all others wait for the last of these (the fewest
        dependencies: one for each switch). What goes wrong there is tried nowhere else.
        """
        first = canaries(self._managed)
        names = {one.planned.name for one in first}
        before: list[pulumi.Resource] = []
        for one in (*first, *(one for one in self._managed if one.planned.name not in names)):
            name = one.planned.name
            opts = pulumi.ResourceOptions.merge(self._opts, pulumi.ResourceOptions(depends_on=before))
            self.configs[name] = SwitchConfig(name, config_inputs(one, self.trees[name], waivers(name)), opts)
            if name in names:
                before = [self.configs[name]]

    def build_gates(self) -> None:
        """One gate per unit and one for the tiers above, behind all switches.

        Measured again where one of its switches, or of the tiers that carry its traffic, was changed: also if only drift was
        put back.
        """
        tokens = [self.configs[one.planned.name].token for one in self._managed]
        above = [one.planned.name for one in self._managed if one.planned.role != "leaf"]
        for name, rows in gate_groups(self._plan.site.site, self._managed).items():
            judged = sorted({*above, *(row.switch.planned.name for row in rows)})
            inputs = {
                "phase": PHASE,
                "unit": name,
                "switches": [gate_switch(row) for row in rows],
                "minimumPercent": self._percent,
                "tokens": tokens,
                "applied": {one: self.configs[one].applied for one in judged},
            }
            self.gates[name] = FabricGate(name, inputs, self._opts)


def config_inputs(one: ManagedSwitch, tree: Mapping[str, object], waivers: Sequence[Waiver]) -> dict[str, object]:
    """Inputs of `fabric:index:SwitchConfig`."""
    planned = one.planned.model_copy(update={"status": "configured"})
    for_policies = {"plan": planned.props(), "waivers": [waiver.props() for waiver in waivers]}
    return {**connection(one), "config": tree, **for_policies}


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
        **({"loopback": row.loopback} if row.loopback else {}),
    }
