"""Which spines stand above which units: groups of switches that are wired together, read from the plan's links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from railyard.model.plan import SwitchPlan


@dataclass(frozen=True)
class SpineGroup:
    """Spines that the same leaves are wired to. `number` counts from 1; links are what stands now."""

    number: int
    spines: tuple[SwitchPlan, ...]
    units: tuple[int, ...]
    rails: tuple[int, ...]
    planes: tuple[int, ...]
    leaves: int
    down_links: int
    up_links: int


def spine_groups(switches: Sequence[SwitchPlan]) -> list[SpineGroup]:
    """Groups in the order of their first spine.

    Where each unit hangs on one group in every plane (pods of units), the planes' groups of a pod are told as one. Else each
    plane, or each pod of rails, is a group, and a unit hangs on several.
    """
    leaves = [switch for switch in switches if switch.role == "leaf"]
    spines = [switch for switch in switches if switch.role == "spine"]
    parts = _parts(leaves, spines)
    merged = _by_place(parts)
    if 1 < len(merged) < len(parts) and nested(found := [_group(part) for part in merged]):
        groups = found
    else:
        groups = [_group(part) for part in parts]
    return [replace(group, number=n) for n, group in enumerate(sorted(groups, key=lambda g: g.spines[0].name), 1)]


def _by_place(parts: Iterable[list[SwitchPlan]]) -> list[list[SwitchPlan]]:
    """Parts that hold the same rails of the same units (each in another plane), joined."""
    places: defaultdict[tuple[frozenset[int | None], frozenset[int | None]], list[SwitchPlan]] = defaultdict(list)
    for part in parts:
        leaves = [switch for switch in part if switch.role == "leaf"]
        places[frozenset(leaf.unit for leaf in leaves), frozenset(leaf.rail for leaf in leaves)] += part
    return list(places.values())


def nested(groups: Sequence[SpineGroup]) -> bool:
    """True where every unit hangs on one group only and there are several: pods that hold their units."""
    units = [unit for group in groups for unit in group.units]
    return len(groups) > 1 and bool(units) and len(units) == len(set(units))


def core_groups(switches: Sequence[SwitchPlan]) -> list[tuple[SwitchPlan, ...]]:
    """Cores that the same spines are wired to, in order."""
    spines = [switch for switch in switches if switch.role == "spine"]
    cores = [switch for switch in switches if switch.role == "core"]
    parts = _parts(spines, cores)
    return sorted((tuple(s for s in part if s.role == "core") for part in parts), key=lambda group: group[0].name)


def _parts(lower: Iterable[SwitchPlan], upper: Sequence[SwitchPlan]) -> list[list[SwitchPlan]]:
    """Connected parts of two tiers (by union-find over the upper one); lower switches without a link are in none."""
    parent = {switch.name: switch.name for switch in upper}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    first: list[tuple[SwitchPlan, str]] = []
    for switch in lower:
        peers = [peer for peer in switch.links_per_peer if peer in parent]
        if not peers:
            continue
        first.append((switch, peers[0]))
        for peer in peers[1:]:
            parent[root(peer)] = root(peers[0])
    parts: defaultdict[str, list[SwitchPlan]] = defaultdict(list)
    for switch in upper:
        parts[root(switch.name)].append(switch)
    for switch, peer in first:
        parts[root(peer)].append(switch)
    return list(parts.values())


def _group(part: Sequence[SwitchPlan]) -> SpineGroup:
    spines = tuple(switch for switch in part if switch.role == "spine")
    leaves = [switch for switch in part if switch.role == "leaf"]
    return SpineGroup(
        number=0,
        spines=spines,
        units=tuple(sorted({leaf.unit for leaf in leaves if leaf.unit is not None})),
        rails=tuple(sorted({leaf.rail for leaf in leaves if leaf.rail is not None})),
        planes=tuple(sorted({spine.plane for spine in spines})),
        leaves=len(leaves),
        down_links=sum(sum(leaf.links_per_peer.values()) for leaf in leaves),
        up_links=sum(sum(spine.links_per_peer.values()) for spine in spines),
    )
