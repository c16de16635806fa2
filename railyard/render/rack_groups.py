"""Racks whose elevation differs in names only: they are drawn once, and stand in one line of a table."""

from __future__ import annotations

from collections.abc import Iterable

from railyard.model.plan import RackPlan


def elevation_key(rack: RackPlan) -> tuple[object, ...]:
    """Equal for racks whose elevation differs in names only: the report draws one of them."""
    devices = tuple((d.role, d.model, d.u, d.u_height, d.peak_kw, d.weight_kg, d.installed) for d in rack.devices)
    facts = (rack.model, rack.u_height, rack.reserved_u, rack.peak_kw, rack.air_kw, rack.air_limit_kw)
    return (*facts, rack.weight_kg, rack.weight_limit_kg, devices, rack.feeds)


def group_racks(racks: Iterable[RackPlan]) -> list[list[RackPlan]]:
    """Racks with the same elevation, each group in the plan's order, groups by their first rack."""
    groups: dict[tuple[object, ...], list[RackPlan]] = {}
    for rack in racks:
        groups.setdefault(elevation_key(rack), []).append(rack)
    return list(groups.values())
