"""The training fabric that stands: links (`wiring`) as cables (`cabling`), and what they mean for the switches and the site.

The links of a fabric without a stack file are `design_links`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec
from pydantic.alias_generators import to_camel

from railyard.model.infiniband import InfiniBand
from railyard.model.lossless import Bfd, Lossless
from railyard.model.plan import Cable, FabricSummary, SwitchPlan
from railyard.model.site import PodBy, StackFile, Transport
from railyard.plan import names
from railyard.plan.cabling import Cabler, cable_up
from railyard.plan.even import even_out
from railyard.plan.links import Link
from railyard.plan.machines import Seat
from railyard.plan.managers import subnet_managers
from railyard.plan.nics import RailNics
from railyard.plan.parts import Parts
from railyard.plan.paths import paths_of
from railyard.plan.shape import FabricShape
from railyard.plan.wiring import design_links, wire_leaves, wire_managers, wire_nodes, wire_spines

__all__ = ["Link", "Wiring", "design_links", "link_fabric", "links_of", "summarise"]


class Wiring(msgspec.Struct, frozen=True):
    """Cables in one order (nodes, leaves, spines, each by unit, slot, rail and plane) and what they mean for the switches.

    `ports`: far end of each switch port; `peers`: links of each switch to each switch above it.
    """

    cables: tuple[Cable, ...]
    ports: dict[str, dict[str, str]]
    peers: dict[str, dict[str, int]]


def link_fabric(file: StackFile, shape: FabricShape, nics: RailNics, seats: Iterable[Seat], cabler: Cabler) -> Wiring:
    """All links of the fabric that exist now, as cables with labels, lengths and media, and as the ports of both ends."""
    site, prefix = file.site.name, names.port_prefix(file.fabric.transport.value)
    built = file.fabric.scalable_units
    links = chain(
        wire_nodes(site, shape, nics.port, ((seat.name, seat.unit, seat.slot) for seat in seats)),
        # Only InfiniBand has a subnet to manage; on Ethernet the reserved ports stay free.
        wire_managers(site, shape) if file.fabric.transport is Transport.INFINIBAND else (),
        wire_leaves(site, shape, built, prefix),
        wire_spines(site, shape, built, prefix),
    )
    even_out(file, shape, nics, cabler)
    cables: list[Cable] = []
    port_names = cabler.port_names
    ports: defaultdict[str, dict[str, str]] = defaultdict(dict)
    peers: defaultdict[str, dict[str, int]] = defaultdict(dict)
    # One pass: at 2,048 nodes a second walk over 49,152 links costs more than the work that it does.
    for link, cable in cable_up(links, cabler):
        a, z = (cable.a_second or "", cable.z_second or "") if link.second else (cable.a, cable.z)
        if not link.second:
            cables.append(cable)
        ports[link.z][port_names[link.z_port]] = a
        if link.kind != "node-leaf":
            ports[link.a][link.a_port] = z
            above = peers[link.a]
            above[link.z] = above.get(link.z, 0) + 1
    return Wiring(tuple(cables), dict(ports), dict(peers))


def links_of(cable: Cable) -> Iterator[tuple[str, str]]:
    """The port pairs (`device/port`) that a cable joins: one link, or two where it carries two."""
    yield cable.a, cable.z
    if cable.a_second is not None and cable.z_second is not None:
        yield cable.a_second, cable.z_second


def summarise(
    file: StackFile, parts: Parts, shape: FabricShape, nics: RailNics, switches: Iterable[SwitchPlan], wiring: Wiring
) -> FabricSummary:
    """Counts of what stands (`wiring` says what that is) and ratios of what it is built for.

    bisection (GB/s, one direction) = endpoints * link Gb/s / 8 / 2, divided by down_to_up where that exceeds 1.
    """
    fabric, standing = file.fabric, list(switches)
    roles = Counter(switch.role for switch in standing)
    cables, links = _counts(wiring.cables)
    managers = shape.reserved_ports if fabric.transport is Transport.INFINIBAND else 0
    endpoints, ratio = links["node-leaf"] - managers, round(shape.down_to_up, 6)
    counted = FabricSummary(
        transport=fabric.transport.value,
        layout=shape.layout,
        tiers=shape.tiers,
        rails=shape.rails,
        planes=shape.planes,
        radix=shape.radix,
        leaves=roles["leaf"],
        spines=roles["spine"],
        cores=roles["core"],
        node_leaf_cables=cables["node-leaf"],
        leaf_spine_cables=cables["leaf-spine"],
        spine_core_cables=cables["spine-core"],
        node_leaf_links=links["node-leaf"],
        leaf_spine_links=links["leaf-spine"],
        spine_core_links=links["spine-core"],
        manager_links=managers,
        endpoints=endpoints,
        links_per_pair=round(shape.links_per_pair, 6),
        link_gbps=fabric.link_gbps,
        down_to_up=ratio,
        bisection_gb_per_s=round(endpoints * fabric.link_gbps / 8 / 2 / max(1.0, ratio), 3),
        free_leaf_ports=sum(switch.free_ports for switch in standing if switch.role == "leaf"),
        leaves_per_unit=shape.groups,
        node_ports_per_leaf=shape.node_ports,
        uplinks_per_leaf=shape.wanted_uplinks,
    )
    return counted.model_copy(update=_promises(file, parts, shape, nics))


def _promises(file: StackFile, parts: Parts, shape: FabricShape, nics: RailNics) -> dict[str, object]:
    """What a summary says beside counts: how far traffic goes, what shifts put on a link, who manages it, names of NICs."""
    built = file.fabric.scalable_units
    paths, managers = paths_of(shape, built), subnet_managers(file, parts, shape)
    own = parts.switch.subnet_manager_nodes if not shape.reserved_ports else None
    return {
        "oversubscription": file.fabric.oversubscription or 1.0,
        "pods": len(shape.standing_pods(built)),
        "pod_by": shape.pod_by if shape.tiers == 3 else None,
        "separate_fabrics": shape.separate_fabrics,
        "same_rail_hops": paths.same_rail_hops,
        "any_hops": paths.any_hops,
        "same_rail_core_load": paths.same_rail_core_load,
        "any_core_load": paths.any_core_load,
        "shift_claim": shape.claim(built),
        "subnet_managers": managers,
        "subnet_manager_nodes": own if managers else None,
        "idle_keys": _idle_keys(file, shape),
        "node_nics": nics.listed(),
        "node_nics_assumed": nics.assumed,
    }


def _idle_keys(file: StackFile, shape: FabricShape) -> tuple[str, ...]:
    """Keys that somebody set and that change nothing here: pods are of three tiers, and each transport has keys of its own."""
    fabric = file.fabric
    pods = {"podBy": fabric.pod_by is not PodBy.UNIT, "fullPods": fabric.full_pods}
    asked = (pods if shape.tiers < 3 else {}) | _other_transport(file)
    return tuple(key for key, is_set in asked.items() if is_set)


def _other_transport(file: StackFile) -> dict[str, bool]:
    """Keys that only the other transport reads, by whether they say something else than nothing."""
    fabric, own = file.fabric, file.infiniband
    if fabric.transport is Transport.ROCE:
        none = InfiniBand()
        return {f"infiniband.{to_camel(key)}": getattr(own, key) != getattr(none, key) for key in InfiniBand.model_fields}
    return {
        "fabric.nos": fabric.nos is not None,
        "fabric.nosVersion": fabric.nos_version is not None,
        "fabric.asnBase": fabric.asn_base != type(fabric).model_fields["asn_base"].default,
        "fabric.bfd": fabric.bfd != Bfd(),
        "fabric.lossless": fabric.lossless != Lossless(),
        "addresses.loopbacks": file.addresses.loopbacks is not None,
        "addresses.ipv6.loopbacks": file.addresses.ipv6.loopbacks is not None,
    }


def _counts(cables: Iterable[Cable]) -> tuple[Counter[str], Counter[str]]:
    """Cables and links by kind."""
    count, twins = Counter[str](), Counter[str]()
    for cable in cables:
        count[cable.kind] += 1
        if cable.a_second is not None:
            twins[cable.kind] += 1
    return count, count + twins
