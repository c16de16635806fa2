"""Wiring of the training fabric: which port is joined to which.

Every port follows identity and planned counts (rule 9), so growth inside the plan moves nothing:

    node-leaf   NIC of rail r, plane p of slot s in unit u  ->  leaf (u, r, p), port s
    leaf-spine  leaf number l of a plane (from 0: l = (u - 1) * R + r), uplink j (from 0), leaf port D + j + 1
      2 tiers   global link g = l * U + j  ->  spine g % n, port g // n + 1, for n spines per plane:
                even for every n, and the same number of links for every pair where n divides U
      3 tiers   ->  spine j of pod l // U, port l % U + 1
    spine-core  spine i of pod q, uplink j, spine port U + j + 1, for c cores per group
                ->  core j % c of group i, port q * (U / c) + j // c + 1

Source: fabric.md 1.2 and section 0 (pods of U leaves + U spines; strict ftree of OpenSM accepts this wiring).

What stands: the leaves of built units with all their uplinks, every spine of a pod that has a built leaf (two tiers: every
planned spine, since its ports are fixed), every planned core. Node ports hold cables of installed machines only.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Literal

import msgspec

from railyard.model.plan import Cable, FabricSummary, SwitchPlan
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.hall import Hall, medium
from railyard.plan.machines import Seat
from railyard.plan.nics import RailNics
from railyard.plan.placement import Place
from railyard.plan.shape import FabricShape

Kind = Literal["node-leaf", "leaf-spine", "spine-core"]
RAIL_COLORS = ("blue", "orange", "green", "red", "violet", "brown", "pink", "yellow")
"""Jacket or tag colour of a rail's node cables, in turn (ours; no standard says more than "one colour per rail")."""
TIER_COLORS = {"leaf-spine": "aqua", "spine-core": "white"}


class Link(msgspec.Struct, frozen=True, gc=False):
    """One link before it is a cable. `a_number` is the port as a label counts it; `z_port` counts from 1."""

    kind: Kind
    a: str
    a_port: str
    a_number: int
    z: str
    z_port: int
    rail: int | None
    plane: int


class Wiring(msgspec.Struct, frozen=True):
    """Cables in one order (nodes, leaves, spines, each by unit, slot, rail and plane) and what they mean for the switches.

    `ports`: far end of each switch port; `peers`: links of each switch to each switch above it.
    """

    cables: tuple[Cable, ...]
    ports: dict[str, dict[str, str]]
    peers: dict[str, dict[str, int]]


def link_fabric(
    file: StackFile, shape: FabricShape, nics: RailNics, seats: Iterable[Seat], places: Mapping[str, Place], hall: Hall
) -> Wiring:
    """All links of the fabric that exist now, as cables with labels, lengths and media, and as the ports of both ends."""
    site, transport = file.site.name, file.fabric.transport.value
    prefix = names.port_prefix(transport)
    links = chain(
        link_nodes(site, shape, nics, seats),
        link_leaves(site, shape, file.fabric.scalable_units, prefix),
        link_spines(site, shape, file.fabric.scalable_units, prefix),
    )
    cables: list[Cable] = []
    ports: defaultdict[str, dict[str, str]] = defaultdict(dict)
    peers: defaultdict[str, dict[str, int]] = defaultdict(dict)
    # One pass: at 2,048 nodes a second walk over 49,152 links costs more than the work that it does.
    for link, cable in _cables(links, places, prefix, file.fabric.link_gbps, transport, hall):
        cables.append(cable)
        ports[link.z][f"{prefix}{link.z_port}"] = cable.a
        if link.kind != "node-leaf":
            ports[link.a][link.a_port] = cable.z
            above = peers[link.a]
            above[link.z] = above.get(link.z, 0) + 1
    return Wiring(tuple(cables), dict(ports), dict(peers))


def link_nodes(site: str, shape: FabricShape, nics: RailNics, seats: Iterable[Seat]) -> Iterator[Link]:
    """The NIC of rail r (and plane p) of a node to leaf r of its unit, port = slot. A label counts rails and planes from 1."""
    ports = [
        (rail, plane, nics.port(rail, plane), rail * shape.planes + plane + 1)
        for rail in range(shape.rails)
        for plane in range(shape.planes)
    ]
    leaves: dict[int, list[str]] = {}
    for seat in seats:
        if seat.unit not in leaves:
            leaves[seat.unit] = [names.leaf(site, seat.unit, rail, plane, shape.planes) for rail, plane, _, _ in ports]
        for (rail, plane, nic, number), leaf in zip(ports, leaves[seat.unit], strict=True):
            yield Link("node-leaf", seat.name, nic, number, leaf, seat.slot, rail, plane)


def link_leaves(site: str, shape: FabricShape, units: int, prefix: str) -> Iterator[Link]:
    """Every uplink of every leaf of the first `units` units."""
    up, down, planes = shape.uplinks, shape.nodes_per_unit, shape.planes
    spines = _names(names.spine, site, shape.spines_per_plane, planes)
    for unit in range(1, units + 1):
        for rail in range(shape.rails):
            number = (unit - 1) * shape.rails + rail
            for plane in range(planes):
                leaf = names.leaf(site, unit, rail, plane, planes)
                for j in range(up):
                    spine, port = _spine_end(shape, number, j)
                    yield Link(
                        "leaf-spine", leaf, f"{prefix}{down + j + 1}", down + j + 1, spines[plane][spine], port, rail, plane
                    )


def _spine_end(shape: FabricShape, leaf: int, uplink: int) -> tuple[int, int]:
    """(spine of the plane from 0, its port from 1) of an uplink of leaf number `leaf`: formula in the module's docstring."""
    if shape.tiers == 3:
        pod, inside = divmod(leaf, shape.uplinks)
        return pod * shape.spines_per_pod + uplink, inside + 1
    port, spine = divmod(leaf * shape.uplinks + uplink, shape.spines_per_plane)
    return spine, port + 1


def link_spines(site: str, shape: FabricShape, units: int, prefix: str) -> Iterator[Link]:
    """Every uplink of every standing spine to its core group; nothing in two tiers."""
    up, group, planes = shape.uplinks, shape.cores_per_group, shape.planes
    if not group:
        return
    spines = _names(names.spine, site, shape.spines_per_plane, planes)
    cores = _names(names.core, site, shape.cores_per_plane, planes)
    for number in range(standing_spines(shape, units)):
        pod, local = divmod(number, shape.spines_per_pod)
        for plane in range(planes):
            for j in range(up):
                core, port = cores[plane][local * group + j % group], pod * (up // group) + j // group + 1
                yield Link("spine-core", spines[plane][number], f"{prefix}{up + j + 1}", up + j + 1, core, port, None, plane)


def links_of(cable: Cable) -> Iterator[tuple[str, str]]:
    """The port pairs (`device/port`) that a cable joins: one link, or two where it carries two."""
    yield cable.a, cable.z
    if cable.a_second is not None and cable.z_second is not None:
        yield cable.a_second, cable.z_second


def standing_spines(shape: FabricShape, units: int) -> int:
    """Spines per plane in the pods that have a leaf of the first `units` units."""
    pods = 1 if shape.tiers == 2 else -(-units * shape.rails // shape.uplinks)
    return pods * shape.spines_per_pod


def _names(name: names.Upper, site: str, count: int, planes: int) -> list[list[str]]:
    return [[name(site, number, plane, planes) for number in range(1, count + 1)] for plane in range(planes)]


def _cables(
    links: Iterable[Link], places: Mapping[str, Place], prefix: str, link_gbps: float, transport: str, hall: Hall
) -> Iterator[tuple[Link, Cable]]:
    """One cable per link. Its id is its lower end: a port has one cable, so the id stays when the upper end moves."""
    tags = {name: place.tag() for name, place in places.items()}
    for link in links:
        a, z, kind, rail = link.a, link.z, link.kind, link.rail
        length = hall.length_m(places[a].rack, places[z].rack)
        cable = Cable(
            id=f"{a}:{link.a_port}",
            kind=kind,
            a=f"{a}/{link.a_port}",
            z=f"{z}/{prefix}{link.z_port}",
            a_label=f"{tags[a]}{link.a_number}",
            z_label=f"{tags[z]}{link.z_port}",
            link_gbps=link_gbps,
            length_m=length,
            medium=medium(length, link_gbps, transport),
            rail=rail,
            plane=link.plane,
            color=TIER_COLORS.get(kind) or RAIL_COLORS[(rail or 0) % len(RAIL_COLORS)],
        )
        yield link, cable


def summarise(
    file: StackFile, shape: FabricShape, nics: RailNics, switches: Iterable[SwitchPlan], wiring: Wiring
) -> FabricSummary:
    """Counts of what stands (see the module's docstring) and ratios of what it is built for.

    bisection (GB/s, one direction) = endpoints * link Gb/s / 8 / 2, divided by down_to_up where that exceeds 1 (fabric.md
    section 2).
    """
    fabric, standing = file.fabric, list(switches)
    roles = [switch.role for switch in standing]
    kinds = [cable.kind for cable in wiring.cables]
    endpoints, ratio = kinds.count("node-leaf"), round(shape.nodes_per_unit / shape.uplinks, 6)
    return FabricSummary(
        transport=fabric.transport.value,
        tiers=shape.tiers,
        rails=shape.rails,
        planes=shape.planes,
        radix=shape.radix,
        leaves=roles.count("leaf"),
        spines=roles.count("spine"),
        cores=roles.count("core"),
        node_leaf_cables=endpoints,
        leaf_spine_cables=kinds.count("leaf-spine"),
        spine_core_cables=kinds.count("spine-core"),
        endpoints=endpoints,
        links_per_pair=round(shape.links_per_pair, 6),
        link_gbps=fabric.link_gbps,
        down_to_up=ratio,
        bisection_gb_per_s=round(endpoints * fabric.link_gbps / 8 / 2 / max(1.0, ratio), 3),
        free_leaf_ports=sum(switch.free_ports for switch in standing if switch.role == "leaf"),
        node_nics=nics.listed(),
        node_nics_assumed=nics.assumed,
    )
