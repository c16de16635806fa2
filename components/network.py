"""Fabric switches that railyard doesn't configure, and the networks beside them: planned and judged (`status: planned`)."""

from collections.abc import Sequence

import pulumi

from components.arguments import Slice, slice_props
from railyard.model.networks import NetworkPlan
from railyard.model.plan import SwitchPlan
from railyard.model.site import Waiver


class Switch(Slice):
    """One switch with its port map: a new node changes one port of each leaf of its unit, and nothing else."""

    token = "railyard:network:Switch"  # noqa: S105 - a Pulumi type token

    def __init__(self, switch: SwitchPlan, waivers: Sequence[Waiver] = (), opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(switch.name, slice_props(switch, waivers), opts)
        self.register_outputs(self.props)


class Network(Slice):
    """Storage, in-band or out-of-band network: its counts, ratios and ports for all planned slots; its switches are rows."""

    token = "railyard:network:Network"  # noqa: S105 - a Pulumi type token

    def __init__(
        self, network: NetworkPlan, waivers: Sequence[Waiver] = (), opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(network.name, slice_props(network, waivers), opts)
        self.register_outputs(self.props)
