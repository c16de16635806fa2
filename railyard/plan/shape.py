"""Size of a rail-optimised Clos by the closed form of the published reference architectures.

Source: reference `fabric.md` 1.3 (reproduces all 15 published rows, tests/data/reference_topologies.csv) and section 0 for
three tiers.

    D = node slots per unit, U = uplinks per leaf (default D), k = ports per switch at the link speed,
    R = rails, P = planes, S = units, leaves per plane L = S * R

    two tiers    if L <= k
                 spines per plane = smallest divisor of U that is >= ceil(L * U / k); links per pair = U / spines
    three tiers  otherwise
                 pods = ceil(L / U) of U leaves and U spines; one link per leaf-spine pair of a pod
                 core group i joins spine i of every pod; cores per group = smallest divisor of U that is >= ceil(pods * U / k)
    cables       node-leaf = nodes * R * P / links per cable + reserved ports
                 leaf-spine = leaves * U / links per cable; spine-core = spines * U / links per cable
"""

from math import ceil

import msgspec


class FabricShape(msgspec.Struct, frozen=True):
    """Sizes of a fabric. `leaves`, `spines`, `cores` are totals over all planes; other counts are per plane, pod or switch.

    `pods` is 1 and `cores_per_group` 0 in two tiers. `fits` is False where not even three tiers hold the leaves (more pods than
    a core switch has ports); the counts are then those of the fabric that would be needed.
    """

    tiers: int
    radix: int
    rails: int
    planes: int
    units: int
    nodes_per_unit: int
    uplinks: int
    pods: int
    spines_per_pod: int
    cores_per_group: int
    links_per_cable: int
    node_leaf: int
    fits: bool

    @property
    def leaves_per_plane(self) -> int:
        """One leaf per unit and rail."""
        return self.units * self.rails

    @property
    def spines_per_plane(self) -> int:
        """Spines of all pods."""
        return self.spines_per_pod * self.pods

    @property
    def cores_per_plane(self) -> int:
        """A core group for each uplink of a spine; 0 in two tiers."""
        return self.cores_per_group * self.uplinks

    @property
    def leaves(self) -> int:
        """Leaves of all planes."""
        return self.leaves_per_plane * self.planes

    @property
    def spines(self) -> int:
        """Spines of all planes."""
        return self.spines_per_plane * self.planes

    @property
    def cores(self) -> int:
        """Cores of all planes."""
        return self.cores_per_plane * self.planes

    @property
    def leaf_spine(self) -> int:
        """Cables between leaves and spines."""
        return self.leaves * self.uplinks // self.links_per_cable

    @property
    def spine_core(self) -> int:
        """Cables between spines and cores; 0 in two tiers."""
        return self.spines * self.uplinks // self.links_per_cable if self.tiers == 3 else 0

    @property
    def links_per_pair(self) -> float:
        """Links between one leaf and one spine of its pod; a fraction means that pairs differ."""
        return self.uplinks / self.spines_per_pod

    @property
    def core_links(self) -> float:
        """Links between one spine and one core switch of its group; 0 in two tiers."""
        return self.uplinks / self.cores_per_group if self.cores_per_group else 0.0

    @property
    def spine_down(self) -> int:
        """Most links of a spine to leaves when all planned leaves stand: ceil(leaves of a pod * U / spines of a pod)."""
        leaves = min(self.leaves_per_plane, self.uplinks) if self.tiers == 3 else self.leaves_per_plane
        return ceil(leaves * self.uplinks / self.spines_per_pod)


def smallest_divisor(number: int, at_least: int) -> int:
    """Smallest divisor of `number` that is >= `at_least`; `number` itself where none is."""
    return next((value for value in range(max(at_least, 1), number) if number % value == 0), number)


def size_fabric(
    nodes_per_unit: int,
    units: int,
    rails: int,
    radix: int,
    planes: int = 1,
    *,
    nodes: int | None = None,
    uplinks: int | None = None,
    spines: int | None = None,
    reserved_ports: int = 0,
    links_per_cable: int = 1,
) -> FabricShape:
    """Counts of leaves, spines, cores and cables by the closed form in this module's docstring.

    `nodes` (default: every slot less those that reserved ports take) counts node cables; `uplinks` defaults to `nodes_per_unit`
    (non-blocking); `spines` overrides the count per plane in two tiers and is not judged here; `links_per_cable` is 2 where one
    twin-port cable carries the links of two planes.
    """
    up = uplinks or nodes_per_unit
    leaves = units * rails
    count = units * nodes_per_unit - ceil(reserved_ports / rails) if nodes is None else nodes
    tiers = 2 if leaves <= radix else 3
    pods = 1 if tiers == 2 else ceil(leaves / up)
    return FabricShape(
        tiers=tiers,
        radix=radix,
        rails=rails,
        planes=planes,
        units=units,
        nodes_per_unit=nodes_per_unit,
        uplinks=up,
        pods=pods,
        spines_per_pod=(spines or smallest_divisor(up, ceil(leaves * up / radix))) if tiers == 2 else up,
        cores_per_group=smallest_divisor(up, ceil(pods * up / radix)) if tiers == 3 else 0,
        links_per_cable=links_per_cable,
        node_leaf=count * rails * planes // links_per_cable + reserved_ports,
        fits=pods <= radix,
    )
