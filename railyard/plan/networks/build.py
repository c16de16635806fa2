"""The three networks as they stand: their cables, and their switches with the ports that are in use."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

import msgspec

from railyard.model.networks import NetworkKind, NetworkSwitch, TierRole
from railyard.model.plan import Cable
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.cabling import Cabler
from railyard.plan.hall import Hall
from railyard.plan.machines import Seats
from railyard.plan.networks.copper import CopperEnd, link_copper, planned_ends
from railyard.plan.networks.dual import DualShape, Medium
from railyard.plan.networks.links import DualLinks, standing_switches
from railyard.plan.networks.shapes import OtherNetworks
from railyard.plan.parts import Parts
from railyard.plan.placement import Place
from railyard.plan.shape import FabricShape


class OtherWiring(msgspec.Struct, frozen=True):
    """Cables (storage, in-band, out-of-band), standing switches with their ports, planned out-of-band ends of built units."""

    cables: tuple[Cable, ...]
    switches: tuple[NetworkSwitch, ...]
    ends: tuple[CopperEnd, ...]


def link_networks(
    file: StackFile,
    parts: Parts,
    shape: FabricShape,
    nets: OtherNetworks,
    cabler: Cabler,
    hall: Hall,
    seats: Seats,
    places: Mapping[str, Place],
    installed: Collection[str],
) -> OtherWiring:
    """Everything that stands beside the training fabric. `installed`: names of all devices that stand."""
    cables: list[Cable] = []
    standing = standing_switches(file, shape, nets)
    oob = [name for name in standing if places[name].body.role == "oob"]
    for dual in nets.duals:
        links = DualLinks(file, parts, shape, nets, dual, cabler, hall, places)
        cables += links.cables(seats)
        if dual is nets.carrier:
            cables += links.uplinks(oob)
    ends = tuple(planned_ends(file, shape, nets, hall, shape.leaf_units(file.fabric.scalable_units)))
    racks = {places[name].rack for name in installed}
    cables += link_copper(ends, nets.oob, cabler, installed, racks)
    return OtherWiring(tuple(cables), tuple(_switches(file, nets, standing, places, cables)), ends)


def _switches(
    file: StackFile, nets: OtherNetworks, standing: list[str], places: Mapping[str, Place], cables: list[Cable]
) -> Iterator[NetworkSwitch]:
    """Standing switches in the order of their names."""
    ports: defaultdict[str, dict[str, str]] = defaultdict(dict)
    wanted = set(standing)
    for cable in cables:
        z, _, z_port = cable.z.partition("/")
        ports[z][z_port] = cable.a
        a, _, a_port = cable.a.partition("/")
        if a in wanted and cable.kind != "oob":
            ports[a][a_port] = cable.z
    identity = {name: row for dual in nets.duals for name, row in _identities(file.site.name, dual)}
    for name in sorted(standing, key=names.sort_key):
        kind, role, transport, count, pair, side = identity.get(name) or (
            "oob",
            "access",
            "ethernet",
            nets.oob.model.copper_ports + nets.oob.model.uplink_ports,
            None,
            None,
        )
        place = places[name]
        yield NetworkSwitch(
            name=name,
            network=kind,
            role=role,
            model=place.body.model,
            transport=transport,
            rack=names.rack(file.site.name, place.rack),
            u=place.u,
            port_count=count,
            ports=ports.get(name, {}),
            pair=pair,
            side=side,
        )


Identity = tuple[NetworkKind, TierRole, Medium, int, int | None, int | None]


def _identities(site: str, dual: DualShape) -> Iterator[tuple[str, Identity]]:
    """(name, (network, role, transport, ports, pair from 1, side)) of every planned switch of a network."""
    pick = dual.pick
    for pair in range(dual.pairs):
        role: TierRole = "pair" if dual.clos is None else "leaf" if pair < dual.node_pairs else "service-leaf"
        for side in (0, 1):
            yield dual.pair_name(site, pair, side), (dual.kind, role, pick.transport, pick.radix, pair + 1, side)
    if dual.clos:
        for index in range(dual.clos.spines):
            yield dual.upper_name(site, "spine", index), (dual.kind, "spine", pick.transport, pick.radix, None, None)
        for index in range(dual.clos.cores):
            yield dual.upper_name(site, "core", index), (dual.kind, "core", pick.transport, pick.radix, None, None)
