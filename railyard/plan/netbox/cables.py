"""Data cables of a plan as NetBox's: one for each link, between interfaces of the plan's names."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from railyard.model.netbox import Cord, End
from railyard.plan.fabric import links_of
from railyard.plan.netbox import words

if TYPE_CHECKING:
    from railyard.plan import Plan

TYPES = {
    "passive-copper": "dac-passive", "active-copper": "dac-active", "active-optical": "aoc",
    "multimode-om3": "mmf-om3", "multimode-om4": "mmf-om4", "single-mode": "smf-os2", "single-mode-fr4": "smf-os2",
    "cat6a": "cat6a",
}  # fmt: skip
"""Our media -> NetBox's cable types."""
RGB = {
    "blue": "2196f3", "orange": "ff9800", "green": "4caf50", "red": "f44336", "violet": "9c27b0", "brown": "795548",
    "pink": "e91e63", "yellow": "ffeb3b", "aqua": "00bcd4", "white": "ffffff", "grey": "9e9e9e", "magenta": "ff66ff",
    "turquoise": "009688",
}  # fmt: skip
"""Our colours -> NetBox's RGB hex codes."""


def data_cables(plan: "Plan") -> Iterator[Cord]:
    """One row per link, in the plan's order. A cable of two links is two: NetBox 4.4 and older know no twin-port cable."""
    strips = {
        (known, f"net{number}"): name
        for rack in plan.racks
        for name, _, number, _, known in words.strips(rack)
    }  # fmt: skip
    for cable in plan.cables:
        for a, z in links_of(cable):
            yield Cord(
                a=_end(a, strips),
                z=_end(z, strips),
                type=TYPES.get(cable.medium, ""),
                status="planned",
                label=cable.id,
                color=RGB.get(cable.color, ""),
                length_m=cable.length_m,
                description=f"{cable.a_label} to {cable.z_label}",
            )


def _end(end: str, strips: Mapping[tuple[str, str], str]) -> End:
    """An end. The strips of a feed share a name in the plan and are devices of their own here, each with its `net0`."""
    device, _, port = end.partition("/")
    strip = strips.get((device, port))
    return End("interface", strip, "net0") if strip else End("interface", device, port)
