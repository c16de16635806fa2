"""How far traffic goes: switch hops, and what of it crosses the core. Arithmetic on the shape; nothing is routed here.

    one leaf 1; leaves of one pod (in two tiers: of the fabric) 3; leaves of two pods 5

Core load is the share of pairs of leaves in different pods, among all pairs that exchange traffic: leaves of one rail in
different units (what collectives do that stay on their rail), or any two leaves.
"""

from collections import Counter

import msgspec

from railyard.plan.shape import FabricShape


class Paths(msgspec.Struct, frozen=True):
    """Most switch hops and core load, 0 to 1, of what stands. None: there is no such pair, or no path (rails apart)."""

    same_rail_hops: int | None
    any_hops: int | None
    same_rail_core_load: float
    any_core_load: float


def paths_of(shape: FabricShape, built: int) -> Paths:
    """Hops and core load when `built` units are built. Where all NICs of a node hang on one leaf, a rail is any leaf."""
    units = shape.leaf_units(built)
    leaves = units * shape.groups
    if shape.tiers == 1:
        return Paths(1, None if shape.layout == "rail-only" and shape.rails > 1 else 1, 0.0, 0.0)
    pods = _pods(shape, units)
    every = Counter[int]()
    for rail in pods:
        every.update(rail)
    any_load = _apart(every)
    rail_load = any_load if shape.grouped else _mean([_apart(rail) for rail in pods])
    same = (leaves if shape.grouped else units) > 1
    return Paths(
        same_rail_hops=_hops(rail_load) if same else 1,
        any_hops=_hops(any_load) if leaves > 1 else 1,
        same_rail_core_load=round(rail_load, 6),
        any_core_load=round(any_load, 6),
    )


def _pods(shape: FabricShape, units: int) -> list[Counter[int]]:
    """For each leaf index of a unit: leaves by pod."""
    width = shape.uplinks if shape.tiers == 3 else shape.leaves_per_plane
    return [Counter(shape.leaf_number(unit, index) // width for unit in range(1, units + 1)) for index in range(shape.groups)]


def _apart(pods: Counter[int]) -> float:
    """Share of ordered pairs of different leaves that are in different pods."""
    leaves = pods.total()
    pairs = leaves * (leaves - 1)
    return 1 - sum(count * (count - 1) for count in pods.values()) / pairs if pairs else 0.0


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _hops(load: float) -> int:
    return 5 if load > 0 else 3
