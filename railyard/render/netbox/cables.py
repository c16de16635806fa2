"""Cables for NetBox's bulk import. Source: netbox-community/netbox dcim/forms/bulk_import.py and choices.py.

Devices and interfaces must be in NetBox under the plan's names. A cable with two links is two rows there: NetBox 4.4 and older
know no twin-port cable, and `profile` values are new.
"""

from __future__ import annotations

from collections.abc import Iterable

from railyard.model.plan import Cable
from railyard.plan.fabric import links_of
from railyard.plan.netbox.cables import RGB, TYPES
from railyard.render.cables import safe_rows

COLUMNS = (
    "side_a_site", "side_a_device", "side_a_power_panel", "side_a_type", "side_a_name",
    "side_b_site", "side_b_device", "side_b_power_panel", "side_b_type", "side_b_name",
    "type", "status", "profile", "tenant", "bundle", "label", "color", "length", "length_unit", "description", "owner",
    "comments", "tags",
)  # fmt: skip
INTERFACE = "dcim.interface"


def netbox_csv(site: str, cables: Iterable[Cable]) -> str:
    """`netbox/cables.csv`: one row per link, in the plan's order."""
    return safe_rows(COLUMNS, (_row(site, cable, a, z) for cable in cables for a, z in links_of(cable)))


def _row(site: str, cable: Cable, a: str, z: str) -> tuple[object, ...]:
    a_device, _, a_port = a.partition("/")
    z_device, _, z_port = z.partition("/")
    return (
        site, a_device, "", INTERFACE, a_port,
        site, z_device, "", INTERFACE, z_port,
        TYPES.get(cable.medium, ""), "planned", "", "", "", cable.id, RGB.get(cable.color, ""),
        f"{cable.length_m:g}", "m", f"{cable.a_label} to {cable.z_label}", "", "", "",
    )  # fmt: skip
