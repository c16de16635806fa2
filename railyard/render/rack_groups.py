"""Racks that are alike, so that a page draws one of them: in everything but names, in what they hold, or in their feeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from railyard.model.plan import RackPlan
from railyard.render.elevation import room_kw


def elevation_key(rack: RackPlan) -> tuple[object, ...]:
    """Equal for racks whose elevation differs in names only: the report draws one of them."""
    devices = tuple((d.role, d.model, d.u, d.u_height, d.peak_kw, d.weight_kg, d.installed) for d in rack.devices)
    facts = (rack.model, rack.u_height, rack.reserved_u, rack.peak_kw, rack.air_kw, room_kw(rack), rack.air_limit_kw)
    return (*facts, rack.weight_kg, rack.weight_limit_kg, devices, rack.feeds)


def contents_key(rack: RackPlan) -> tuple[object, ...]:
    """Equal for racks that hold the same devices, whatever U each stands at."""
    devices = sorted((d.role, d.model, d.u_height, d.peak_kw, d.installed) for d in rack.devices)
    sums = (round(rack.peak_kw, 3), round(room_kw(rack), 3), round(rack.weight_kg, 3))
    return (rack.model, rack.reserved_u, rack.air_limit_kw, rack.weight_limit_kg, *sums, tuple(devices), rack.feeds)


def feeds_key(rack: RackPlan) -> tuple[object, ...]:
    """Equal for racks whose feeds carry the same."""
    return rack.feeds


def group_racks(
    racks: Iterable[RackPlan], key: Callable[[RackPlan], tuple[object, ...]] = elevation_key
) -> list[list[RackPlan]]:
    """Racks that are alike, each group in the plan's order, groups by their first rack."""
    groups: dict[tuple[object, ...], list[RackPlan]] = {}
    for rack in racks:
        groups.setdefault(key(rack), []).append(rack)
    return list(groups.values())
