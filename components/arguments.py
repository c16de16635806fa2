"""What every component does alike: register its slice twice, so that resource and stack policies both see it."""

from collections.abc import Mapping, Sequence

import pulumi

from railyard.model.base import Noun
from railyard.model.site import Waiver


def slice_props(noun: Noun, waivers: Sequence[Waiver] = (), **more: object) -> dict[str, object]:
    """The plan slice as resource properties, with the waivers that a policy pack has to know for it."""
    props = noun.props() | more
    return props | {"waivers": [waiver.props() for waiver in waivers]} if waivers else props


class Slice(pulumi.ComponentResource):
    """A component that carries one slice of the plan.

    Resource policies see what `super().__init__` got, stack policies see outputs only: hence the same mapping twice.
    Subclasses that have children call `register_outputs(props)` themselves, after the last child.
    """

    token: str

    def __init__(self, name: str, props: Mapping[str, object], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(self.token, name, dict(props), opts)
        self.props = dict(props)
