"""Racks and the hall: no effect of their own yet; they preview, are judged by the power pack, and are reported."""

from collections.abc import Callable, Mapping, Sequence

import pulumi

from components.arguments import Slice, slice_props
from railyard.model.base import Noun
from railyard.model.plan import RackPlan
from railyard.model.site import Waiver
from railyard.plan import Plan
from railyard.plan.cooling import hall_cooling
from railyard.plan.electrical import hall_power
from railyard.plan.failures import stated_failures
from railyard.plan.floor.build import floor_summary

HALL_PARTS: Mapping[str, Callable[[Plan], Noun | None]] = {
    "power": hall_power,
    "cooling": hall_cooling,
    "floor": floor_summary,
    "failures": stated_failures,
}
"""What the hall's slice holds, by key: a small noun each (pieces that are alike counted), or None where there is nothing."""


class Rack(Slice):
    """One rack with its devices, feeds, heat and weight."""

    token = "railyard:facility:Rack"  # noqa: S105 - a Pulumi type token

    def __init__(self, rack: RackPlan, waivers: Sequence[Waiver] = (), opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(rack.name, slice_props(rack, waivers), opts)
        self.register_outputs(self.props)


def hall_name(plan: Plan) -> str:
    """Name of the hall's resource, and what its findings begin with."""
    return f"{plan.site.site}-hall"


def hall_props(plan: Plan, waivers: Sequence[Waiver] = ()) -> dict[str, object]:
    """Slice of the hall: what whole-hall rules judge, each part under its key."""
    parts = {key: noun.props() for key, part in HALL_PARTS.items() if (noun := part(plan)) is not None}
    own = {"waivers": [waiver.props() for waiver in waivers]} if waivers else {}
    return {"name": hall_name(plan), **parts, **own}


class Hall(Slice):
    """The hall: its power path, one row for each kind of rack, and what else is judged for all racks together."""

    token = "railyard:facility:Hall"  # noqa: S105 - a Pulumi type token

    def __init__(self, plan: Plan, waivers: Sequence[Waiver] = (), opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(hall_name(plan), hall_props(plan, waivers), opts)
        self.register_outputs(self.props)
