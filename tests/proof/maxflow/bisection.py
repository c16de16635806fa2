"""What a fabric can carry between two halves: maximum flow over its links, links between one pair of switches merged.

Halves are sets of whole leaves (or whole pods): their traffic must cross spines (or cores). Halves of single hosts prove
nothing: max-flow picks its own partners and finds them below the same leaf.
Capacity isn't routing: what one path per destination does with it is the OpenSM proof's and ECMP's business.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable

import networkx as nx
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import maximum_flow

from railyard.model.infiniband import Subnet

SOURCE, SINK = "<left>", "<right>"
Edges = dict[tuple[str, str], int]
"""Capacity of each directed pair, Gb/s."""


def half_flow(subnet: Subnet, left: Collection[str], removed: Collection[str] = ()) -> int:
    """Gb/s from the leaves `left` to all other leaves, every endpoint sending at full rate, without the `removed` switches."""
    chosen = set(left)
    return solve(edges(subnet, lambda _, leaf: leaf in chosen, removed))


def host_flow(subnet: Subnet, left: Collection[str]) -> int:
    """The same between two sets of machines: shown to be worthless as a proof."""
    chosen = set(left)
    return solve(edges(subnet, lambda end, _: end.partition("/")[0] in chosen))


def edges(subnet: Subnet, is_left: Callable[[str, str], bool], removed: Collection[str] = ()) -> Edges:
    """The fabric as a flow problem: endpoints that are on the left feed in, all others drain, each at its link's rate."""
    gone, speed, load = set(removed), round(subnet.link_gbps), Counter[tuple[str, str]]()
    for link in subnet.links:
        if link.a in gone or link.z in gone:
            continue
        if "/" in link.a:
            load[(SOURCE, link.z) if is_left(link.a, link.z) else (link.z, SINK)] += speed
        else:
            load[link.a, link.z] += speed
            load[link.z, link.a] += speed
    return dict(load)


def solve(capacities: Edges) -> int:
    """Maximum flow from SOURCE to SINK by scipy; 0 where one of them has no edge."""
    names = {name: row for row, name in enumerate(sorted({name for pair in capacities for name in pair}))}
    if SOURCE not in names or SINK not in names:
        return 0
    rows, columns = zip(*((names[a], names[z]) for a, z in capacities), strict=True)
    values = np.fromiter(capacities.values(), dtype=np.int32)
    matrix = coo_array((values, (rows, columns)), shape=(len(names), len(names))).tocsr()
    return int(maximum_flow(matrix, names[SOURCE], names[SINK]).flow_value)


def solve_by_networkx(capacities: Edges) -> int:
    """The same by another library and another algorithm (preflow-push): slower by orders, equal in value."""
    graph = nx.DiGraph()
    graph.add_edges_from((a, z, {"capacity": value}) for (a, z), value in capacities.items())
    return int(nx.maximum_flow_value(graph, SOURCE, SINK, flow_func=nx.algorithms.flow.preflow_push))


def expected(subnet: Subnet, left: Collection[str], down_to_up: float = 1.0) -> float:
    """What the smaller half sends at full rate, divided by the ratio of a blocking fabric."""
    chosen = set(left)
    sides = Counter(link.z in chosen for link in subnet.links if "/" in link.a)
    return min(sides[True], sides[False]) * subnet.link_gbps / max(1.0, down_to_up)


def leaves(subnet: Subnet, keep: Callable[[str], bool] = lambda _: True) -> list[str]:
    """Names of leaves, in order, of which `keep` is true."""
    return [switch.name for switch in subnet.switches if switch.tier == "leaf" and keep(switch.name)]


def of_tier(subnet: Subnet, tier: str) -> list[str]:
    """Names of the switches of a tier, in order."""
    return [switch.name for switch in subnet.switches if switch.tier == tier]


def machines(subnet: Subnet) -> list[str]:
    """Names of machines, in order."""
    return list(dict.fromkeys(adapter.device for adapter in subnet.adapters))


def alternate(names: Iterable[str]) -> list[str]:
    """Every other one."""
    return list(names)[::2]
