"""Racks: no effect of their own yet; they preview, are judged by the power pack, and are reported."""

from collections.abc import Sequence

import pulumi

from components.arguments import Slice, slice_props
from railyard.model.plan import RackPlan
from railyard.model.site import Waiver


class Rack(Slice):
    """One rack with its devices, feeds, heat and weight."""

    token = "railyard:facility:Rack"  # noqa: S105 - a Pulumi type token

    def __init__(self, rack: RackPlan, waivers: Sequence[Waiver] = (), opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(rack.name, slice_props(rack, waivers), opts)
        self.register_outputs(self.props)
