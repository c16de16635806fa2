"""Wiring of the training fabric: which port is joined to which.

Every port follows identity and planned counts (rule 9), so growth inside the plan moves nothing:

    node-leaf   rails:  NIC of rail r, plane p of slot s in unit u  ->  leaf (u, r, p), port s
                groups: slot s of unit u, n nodes to a leaf  ->  leaf (u, (s - 1) // n, p), port ((s - 1) % n) * NICs + NIC + 1
    leaf-spine  leaf number l of a plane (`FabricShape.leaf_number`), uplink j (from 0), leaf port D + j + 1
      2 tiers   global link g = l * U + j  ->  spine g % n, port g // n + 1, for n spines per plane:
                even for every n, and the same number of links for every pair where n divides U
      3 tiers   ->  spine j of pod l // U, port l % U + 1
    spine-core  spine i of pod q, uplink j, spine port U + j + 1, for c cores per group
                ->  core j % c of group i, port q * (U / c) + j // c + 1
    managers    fabric manager h, port b  ->  reserved port of leaf 2 * (h - 1) + b: the first leaves, one port each

Twin cables (`linksPerCable: 2`) carry the links of two neighbouring ports of their lower end: a NIC's two planes or a node's
two rails; two uplinks. Where pairs have an even number of links, both uplinks go to one switch and neighbouring ports of it
(above, with cables for links and two ports for one); else to two switches.

Source: ours: pods of U leaves + U spines close all port counts of the SuperPOD B200 RA, and strict ftree of OpenSM takes them.

What stands: the leaves of built units with all their uplinks (`fullPods`: of all units of their pods), every spine of a pod
that has such a leaf (two tiers: every planned spine, since its ports are fixed), every planned core. Node ports hold cables of
installed machines only.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from railyard.plan import names
from railyard.plan.links import Link
from railyard.plan.shape import FabricShape

NicName = Callable[[int, int], str]
"""Name of a NIC's port: (number of the NIC from 0, plane)."""
Position = tuple[str, int, int]
"""A node's name, unit and slot (both from 1)."""


def leaf_name(site: str, shape: FabricShape, unit: int, index: int, plane: int) -> str:
    """Leaf `index` (from 0) of a unit: of a rail, or of a group of nodes."""
    name = names.leaf_group if shape.grouped else names.leaf
    return name(site, unit, index, plane, shape.planes)


def wire_nodes(site: str, shape: FabricShape, nic: NicName, nodes: Iterable[Position]) -> Iterator[Link]:
    """The links of each node. A label counts NIC ports from 1, plane by plane."""
    nics, planes, per_leaf = shape.rails * shape.nics_per_rail, shape.planes, shape.nodes_per_leaf
    ports = [
        (number, plane, nic(number, plane), number * planes + plane + 1) for number in range(nics) for plane in range(planes)
    ]
    leaves: dict[int, list[list[str]]] = {}
    for name, unit, slot in nodes:
        if unit not in leaves:
            leaves[unit] = _unit_leaves(site, shape, unit)
        for number, plane, port, label in ports:
            rail, second = number // shape.nics_per_rail, shape.links_per_cable == 2 and not label % 2
            if shape.grouped:
                index, position = divmod(slot - 1, per_leaf)
                z_port = position * nics + number + 1
            else:
                index, z_port = rail, (slot - 1) * shape.nics_per_rail + number % shape.nics_per_rail + 1
            yield Link("node-leaf", name, port, label, leaves[unit][index][plane], z_port, rail, plane, second)


def _unit_leaves(site: str, shape: FabricShape, unit: int) -> list[list[str]]:
    return [[leaf_name(site, shape, unit, index, plane) for plane in range(shape.planes)] for index in range(shape.groups)]


def wire_managers(site: str, shape: FabricShape) -> Iterator[Link]:
    """Fabric managers on their reserved ports: two ports to a host, on two leaves."""
    for number, (unit, index, plane) in enumerate(shape.reserved_leaves()):
        host, port = divmod(number, 2)
        leaf, rail = leaf_name(site, shape, unit, index, plane), None if shape.grouped else index
        yield Link("node-leaf", names.manager(site, host + 1), f"ib{port}", port + 1, leaf, shape.reserved_port, rail, plane)


def wire_leaves(site: str, shape: FabricShape, built: int, prefix: str) -> Iterator[Link]:
    """Every uplink of every leaf that stands when `built` units are built."""
    if not shape.uplinks:
        return
    down, planes = shape.node_ports, shape.planes
    spines = _names(names.spine, site, shape.spines_per_plane, planes)
    ends, uplinks = _ends_of(shape), _uplinks(shape, down, prefix)
    for unit in range(1, shape.leaf_units(built) + 1):
        for index in range(shape.groups):
            number, rail = shape.leaf_number(unit, index), None if shape.grouped else index
            for plane in range(planes):
                leaf, above = leaf_name(site, shape, unit, index, plane), spines[plane]
                for (label, name, second), (spine, port) in zip(uplinks, ends(number), strict=True):
                    yield Link("leaf-spine", leaf, name, label, above[spine], port, rail, plane, second)


def _ends_of(shape: FabricShape) -> Callable[[int], Iterator[tuple[int, int]]]:
    """For a leaf's number: (spine of the plane from 0, its port from 1) of each uplink in turn."""
    up, spines = shape.uplinks, shape.spines_per_plane
    if shape.tiers == 3:
        per_pod = shape.spines_per_pod

        def pod_ends(leaf: int) -> Iterator[tuple[int, int]]:
            pod, inside = divmod(leaf, up)
            return ((pod * per_pod + j, inside + 1) for j in range(up))

        return pod_ends

    width = _twin(shape, up, spines)

    def ends(leaf: int) -> Iterator[tuple[int, int]]:
        first = leaf * (up // width)
        for j in range(up):
            port, spine = divmod(first + j // width, spines)
            yield spine, port * width + j % width + 1

    return ends


def _uplinks(shape: FabricShape, down: int, prefix: str) -> list[tuple[int, str, bool]]:
    """(number, name, whether it is a cable's second link) of each uplink's port, behind `down` ports: alike on all switches."""
    twins = shape.links_per_cable == 2
    return [(down + j + 1, f"{prefix}{down + j + 1}", twins and j % 2 == 1) for j in range(shape.uplinks)]


def _twin(shape: FabricShape, uplinks: int, switches: int) -> int:
    """Links that go side by side to one switch: 2 where cables are twins and every pair has an even number of links."""
    return 2 if shape.links_per_cable == 2 and uplinks % (2 * switches) == 0 else 1


def wire_spines(site: str, shape: FabricShape, built: int, prefix: str) -> Iterator[Link]:
    """Every uplink of every standing spine to its core group; nothing below three tiers."""
    up, group, planes = shape.uplinks, shape.cores_per_group, shape.planes
    if not group:
        return
    spines = _names(names.spine, site, shape.spines_per_plane, planes)
    cores = _names(names.core, site, shape.cores_per_plane, planes)
    width = _twin(shape, up, group)
    ends = [((j // width) % group, (j // width) // group * width + j % width + 1) for j in range(up)]
    uplinks = _uplinks(shape, up, prefix)
    for number in shape.standing_spines(built):
        pod, local = divmod(number, shape.spines_per_pod)
        first = pod * (up // group)
        for plane in range(planes):
            spine, above = spines[plane][number], cores[plane]
            for (label, name, second), (core, port) in zip(uplinks, ends, strict=True):
                yield Link("spine-core", spine, name, label, above[local * group + core], first + port, None, plane, second)


def _names(name: names.Upper, site: str, count: int, planes: int) -> list[list[str]]:
    return [[name(site, number, plane, planes) for number in range(1, count + 1)] for plane in range(planes)]


def design_links(
    site: str,
    shape: FabricShape,
    *,
    nodes: int | None = None,
    units: int | None = None,
    prefix: str = "",
    nic: NicName | None = None,
    managers: bool = True,
) -> Iterator[Link]:
    """All links of a fabric without a stack file: `units` built of those planned (default all), their slots filled by `nodes`
    (default: every slot that no manager has) in order. NICs are called `mlx5_0` ... (`mlx5_0p1` in plane 1) unless `nic` says
    otherwise; `prefix` stands before a switch port's number (`swp` on Ethernet).
    """
    built = shape.units if units is None else units

    def assumed(number: int, plane: int) -> str:
        return names.nic(names.assumed_hca(number), plane, shape.planes)

    return chain(
        wire_nodes(site, shape, nic or assumed, islice(positions(site, shape, built), nodes)),
        wire_managers(site, shape) if managers else (),
        wire_leaves(site, shape, built, prefix),
        wire_spines(site, shape, built, prefix),
    )


def positions(site: str, shape: FabricShape, built: int) -> Iterator[Position]:
    """Every slot of the first `built` units that a node may have, by its name, in order."""
    lost = shape.lost_slots()
    for unit in range(1, built + 1):
        for slot in range(1, shape.nodes_per_unit + 1):
            if (unit, slot) not in lost:
                yield names.gpu(site, unit, slot, shape.nodes_per_unit), unit, slot
