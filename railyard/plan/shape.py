"""Size of a Clos by the closed form of the published reference architectures: the one computation of planner and calculator.

Source: the published rows (SuperPOD H100, B200, B300 RA; tests/data/reference_topologies.csv), all 15 of which it gives. The
wiring of three tiers is ours.

    D = node ports of a leaf, U = uplinks per leaf (default D), k = ports per switch at the link speed, P = planes,
    S = planned units, G = leaves of a unit in a plane, leaves per plane L = S * G

    one tier     no spines: one switch per plane (tiers: 1), or one per rail and plane (rail-only); one unit
    two tiers    if L <= k
                 spines per plane = smallest divisor of U that is >= ceil(L * U / k); links per pair = U / spines
    three tiers  otherwise
                 pods = ceil(L / U) of U leaves and U spines; one link per leaf-spine pair of a pod
                 core group i joins spine i of every pod; cores per group = smallest divisor of U that is >= ceil(pods * U / k)
    cables       node-leaf = nodes * NICs * P / links per cable + reserved ports
                 leaf-spine = leaves * U / links per cable; spine-core = spines * U / links per cable

Layouts: `rail-optimized`, NIC r of each node of a unit on leaf r (G = rails); `fat-tree`, all NICs of a node on one leaf (G =
the fewest leaves that share the unit's nodes evenly and have ports for their uplinks); `rail-only`, rails without spines.
"""

from math import gcd
from typing import Literal

import msgspec

Layout = Literal["rail-optimized", "fat-tree", "rail-only"]
PodBy = Literal["unit", "rail"]
Claim = Literal["one flow per link", "waived", "uneven", "oversubscribed"]


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for, by stack file or command line. None is "as the closed form has it".

    `oversubscription` is down:up of a leaf, at least 1; `uplinks` sets them outright; `spines` is per plane and counts in two
    tiers. `nodes` is what stands (None: every slot less those that reserved ports take), `units` what is planned.
    """

    nodes_per_unit: int
    units: int
    rails: int
    radix: int
    planes: int = 1
    nics_per_rail: int = 1
    layout: Layout = "rail-optimized"
    pod_by: PodBy = "unit"
    full_pods: bool = False
    tiers: int | None = None
    oversubscription: float | None = None
    uplinks: int | None = None
    spines: int | None = None
    reserved_ports: int = 0
    links_per_cable: int = 1
    nodes: int | None = None

    @property
    def node_links(self) -> int:
        """Links of a node in one plane: its NICs."""
        return self.rails * self.nics_per_rail

    @property
    def grouped(self) -> bool:
        """Whether all NICs of a node hang on one leaf: fat-tree, or a single switch."""
        return self.layout == "fat-tree" or (self.layout == "rail-optimized" and self.tiers == 1)


class FabricShape(msgspec.Struct, frozen=True):
    """Sizes of a fabric. `leaves`, `spines`, `cores` are totals over all planes; other counts are per plane, pod or switch.

    `pods` is 1 and `cores_per_group` 0 below three tiers; `spines_per_pod` is 0 in one tier. `uplinks` of a leaf are wired,
    `wanted_uplinks` it should have: fewer are wired where `fabric.spines` is set too low. `fits` is False where not even
    three tiers hold the leaves (more pods than a core switch has ports); the counts are then those of the fabric that it takes.
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
    nodes: int
    fits: bool
    groups: int
    wanted_uplinks: int
    layout: Layout = "rail-optimized"
    pod_by: PodBy = "unit"
    full_pods: bool = False
    nics_per_rail: int = 1
    reserved_ports: int = 0

    @property
    def grouped(self) -> bool:
        """Whether all NICs of a node hang on one leaf."""
        return self.layout == "fat-tree" or (self.layout == "rail-optimized" and self.tiers == 1)

    @property
    def nodes_per_leaf(self) -> int:
        """Nodes whose NICs a leaf takes: all of the unit, or its group."""
        return self.nodes_per_unit // self.groups if self.grouped else self.nodes_per_unit

    @property
    def node_ports(self) -> int:
        """Ports of a leaf for nodes (D)."""
        return self.nodes_per_leaf * self.nics_per_rail * (self.rails if self.grouped else 1)

    @property
    def leaves_per_plane(self) -> int:
        """Leaves of all planned units."""
        return self.units * self.groups

    @property
    def spines_per_plane(self) -> int:
        """Spines of all pods."""
        return self.spines_per_pod * self.pods

    @property
    def cores_per_plane(self) -> int:
        """A core group for each uplink of a spine; 0 below three tiers."""
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
    def node_leaf_links(self) -> int:
        """Links of nodes and of fabric managers."""
        return self.nodes * self.rails * self.nics_per_rail * self.planes + self.reserved_ports

    @property
    def node_leaf(self) -> int:
        """Cables of nodes and of fabric managers: each manager's link is a cable of its own."""
        return (self.node_leaf_links - self.reserved_ports) // self.links_per_cable + self.reserved_ports

    @property
    def leaf_spine(self) -> int:
        """Cables between leaves and spines."""
        return self.leaves * self.cables_up

    @property
    def spine_core(self) -> int:
        """Cables between spines and cores; 0 below three tiers."""
        return self.spines * self.cables_up if self.tiers == 3 else 0

    @property
    def cables_up(self) -> int:
        """Cables that carry the uplinks of one leaf, or of one spine below cores."""
        return _up(self.uplinks, self.links_per_cable)

    @property
    def links_per_pair(self) -> float:
        """Links between one leaf and one spine of its pod; a fraction means that pairs differ. 0 in one tier."""
        return self.uplinks / self.spines_per_pod if self.spines_per_pod else 0.0

    @property
    def core_links(self) -> float:
        """Links between one spine and one core switch of its group; 0 below three tiers."""
        return self.uplinks / self.cores_per_group if self.cores_per_group else 0.0

    @property
    def spine_down(self) -> int:
        """Most links of a spine to leaves when all planned leaves stand: ceil(leaves of a pod * U / spines of a pod)."""
        leaves = min(self.leaves_per_plane, self.uplinks) if self.tiers == 3 else self.leaves_per_plane
        return _up(leaves * self.uplinks, self.spines_per_pod) if self.spines_per_pod else 0

    @property
    def down_to_up(self) -> float:
        """Node ports of a leaf per uplink; 0 where a leaf has no uplink by design (one tier)."""
        return self.node_ports / self.uplinks if self.uplinks else 0.0

    @property
    def reserved_port(self) -> int:
        """Number of the leaf port that a fabric manager gets: a spare one behind the uplinks, else the last node port."""
        spare = self.node_ports + self.wanted_uplinks
        return spare + 1 if spare < self.radix else self.node_ports

    def leaf_number(self, unit: int, index: int) -> int:
        """Number (from 0) of leaf `index` (from 0) of `unit` (from 1) in its plane: leaves of a pod have numbers in a row."""
        return index * self.units + unit - 1 if self.pod_by == "rail" else (unit - 1) * self.groups + index

    def reserved_leaves(self) -> tuple[tuple[int, int, int], ...]:
        """(unit, index, plane) of the leaves that keep a port for a fabric manager: the first ones, each one port."""
        per_unit = self.groups * self.planes
        spots = (divmod(number, per_unit) for number in range(self.reserved_ports))
        return tuple((unit + 1, *divmod(rest, self.planes)) for unit, rest in spots)

    def lost_slots(self) -> frozenset[tuple[int, int]]:
        """(unit, slot) of the slots whose port a fabric manager has; none where leaves have spare ports."""
        if self.reserved_port > self.node_ports:
            return frozenset()
        return frozenset(
            (unit, (index + 1) * self.nodes_per_leaf if self.grouped else self.nodes_per_unit)
            for unit, index, _ in self.reserved_leaves()
        )

    def leaf_units(self, built: int) -> int:
        """Units whose leaves stand when `built` are built: with `full_pods` all units of each pod that has been begun."""
        if not self.full_pods or self.tiers < 3:
            return built
        if self.pod_by == "rail":
            return min(self.units, _up(built, self.uplinks) * self.uplinks)
        whole = _whole_pods(self.uplinks, self.groups)
        return min(self.units, _up(built, whole) * whole)

    def standing_pods(self, built: int) -> tuple[int, ...]:
        """Pods (from 0) that have a leaf of the first `built` units; all in fewer than three tiers."""
        if self.tiers < 3:
            return tuple(range(self.pods))
        if self.pod_by == "unit":
            return tuple(range(_up(built * self.groups, self.uplinks)))
        ends = (
            (index * self.units // self.uplinks, (index * self.units + built - 1) // self.uplinks)
            for index in range(self.groups)
        )
        return tuple(sorted({pod for first, last in ends for pod in range(first, last + 1)}))

    def standing_spines(self, built: int) -> tuple[int, ...]:
        """Numbers (from 0, in a plane) of the spines of standing pods. Two tiers: all, since their ports are fixed."""
        per_pod = self.spines_per_pod
        return tuple(pod * per_pod + spine for pod in self.standing_pods(built) for spine in range(per_pod))

    def claim(self, built: int) -> Claim:
        """What same-rail shifts over slot positions put on a link.

        No claim where a standing pod lacks leaves (waived), or pairs of switches have different numbers of links (uneven).
        """
        if self.down_to_up > 1:
            return "oversubscribed"
        if not float(self.links_per_pair).is_integer():
            return "uneven"
        return "waived" if self.part_filled(built) else "one flow per link"

    @property
    def separate_fabrics(self) -> int:
        """Fabrics that no cable joins: planes, and rails where nothing joins them."""
        return self.planes * (self.rails if self.layout == "rail-only" else 1)

    def part_filled(self, built: int) -> bool:
        """Whether a standing pod lacks leaves: it is routed with a root file, and its shift claim is waived."""
        return self.tiers == 3 and self.leaf_units(built) * self.groups < len(self.standing_pods(built)) * self.uplinks


def _up(number: int, by: int) -> int:
    """ceil(number / by) for whole numbers of any size."""
    return -(-number // by)


def smallest_divisor(number: int, at_least: int) -> int:
    """Smallest divisor of `number` that is >= `at_least`; `number` itself where none is."""
    return next((value for value in range(max(at_least, 1), number) if number % value == 0), number)


def least_spines(leaves: int, uplinks: int, radix: int) -> int:
    """Spines whose ports are enough for all uplinks: ceil(L * U / k). Not every such number divides U."""
    return _up(leaves * uplinks, radix)


def groups_of(choice: Choice) -> int:
    """Leaves of a unit in a plane (G). One switch: 1. fat-tree: the fewest that divide D and leave ports for uplinks."""
    if not choice.grouped:
        return choice.rails
    if choice.tiers == 1:
        return 1
    slots, ratio = choice.nodes_per_unit, choice.oversubscription or 1.0
    for groups in range(1, slots):
        down = slots // groups * choice.node_links
        if slots % groups == 0 and down + (choice.uplinks or round(down / ratio)) <= choice.radix:
            return groups
    return slots


def uplinks_of(choice: Choice, down: int) -> int:
    """Uplinks that a leaf with `down` node ports should have: as asked, else as many as node ports, as far as it has ports."""
    if choice.layout == "rail-only" or choice.tiers == 1:
        return 0
    if choice.uplinks is not None:
        return choice.uplinks
    if choice.oversubscription is not None:
        return max(1, round(down / choice.oversubscription))
    return min(down, choice.radix - down)


def planned_units(choice: Choice, groups: int, uplinks: int, tiers: int) -> int:
    """Planned units; with full pods of units rounded up to whole pods."""
    if not choice.full_pods or tiers < 3 or choice.pod_by == "rail":
        return choice.units
    whole = _whole_pods(uplinks, groups)
    return _up(choice.units, whole) * whole


def _whole_pods(uplinks: int, groups: int) -> int:
    """The fewest units whose leaves fill whole pods."""
    return uplinks // gcd(uplinks, groups)


def _upper(choice: Choice, tiers: int, leaves: int, wanted: int) -> tuple[int, int, int, int]:
    """(pods, spines of a pod, cores of a group, uplinks of a leaf that are wired) for so many leaves of a plane."""
    radix = choice.radix
    if tiers == 2:
        spines = choice.spines or smallest_divisor(wanted, least_spines(leaves, wanted, radix))
        # Spines that are too few have no ports for some uplinks: those aren't wired, and the leaf blocks.
        return 1, spines, 0, min(wanted, spines * radix // leaves)
    if tiers == 3:
        pods = _up(leaves, wanted)
        return pods, wanted, smallest_divisor(wanted, _up(pods * wanted, radix)), wanted
    return 1, 0, 0, wanted


def size(choice: Choice) -> FabricShape:
    """The shape by the closed form of this module's docstring. Judges nothing: `refusals` says what can't be."""
    groups = groups_of(choice)
    per_leaf = choice.nodes_per_unit // groups if choice.grouped else choice.nodes_per_unit
    down = per_leaf * choice.nics_per_rail * (choice.rails if choice.grouped else 1)
    wanted = uplinks_of(choice, down)
    tiers = choice.tiers or (2 if choice.units * groups <= choice.radix else 3)
    tiers = tiers if wanted > 0 else 1
    units = planned_units(choice, groups, wanted, tiers)
    pods, spines, cores, uplinks = _upper(choice, tiers, units * groups, wanted)
    shape = FabricShape(
        tiers=tiers,
        radix=choice.radix,
        rails=choice.rails,
        planes=choice.planes,
        units=units,
        nodes_per_unit=choice.nodes_per_unit,
        uplinks=uplinks,
        pods=pods,
        spines_per_pod=spines,
        cores_per_group=cores,
        links_per_cable=choice.links_per_cable,
        nodes=0,
        fits=pods <= choice.radix,
        groups=groups,
        wanted_uplinks=wanted,
        layout=choice.layout,
        pod_by=choice.pod_by if tiers == 3 else "unit",
        full_pods=choice.full_pods,
        nics_per_rail=choice.nics_per_rail,
        reserved_ports=choice.reserved_ports,
    )
    nodes = units * choice.nodes_per_unit - len(shape.lost_slots()) if choice.nodes is None else choice.nodes
    return msgspec.structs.replace(shape, nodes=nodes)


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
    layout: Layout = "rail-optimized",
    pod_by: PodBy = "unit",
    tiers: int | None = None,
    full_pods: bool = False,
) -> FabricShape:
    """`size` with a `Choice` spelt out: `uplinks` default to node ports (non-blocking), `links_per_cable` is 2 where one
    twin-port cable carries two links.
    """
    return size(
        Choice(
            nodes_per_unit=nodes_per_unit,
            units=units,
            rails=rails,
            radix=radix,
            planes=planes,
            nodes=nodes,
            uplinks=uplinks,
            spines=spines,
            reserved_ports=reserved_ports,
            links_per_cable=links_per_cable,
            layout=layout,
            pod_by=pod_by,
            tiers=tiers,
            full_pods=full_pods,
        )
    )
