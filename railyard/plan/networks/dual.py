"""Sizes of a network that machines are attached to with two ports, one to each switch of a pair: storage and in-band.

Sources: NVIDIA HGX AI Factory RA (2 x nodes + 2 x servers x ports + uplinks, over both switches), DGX BasePOD RA (two peer
links of an MLAG pair). Ratios of oversubscription are this project's choice; each is printed.

    pair         while nodes + services + peer links + spare ports <= ports of a switch: port = planned slot number, services
                 (site routers, out-of-band switches, storage servers) behind the nodes in an order that only grows at its end,
                 peer links on the last ports
    leaf-spine   otherwise: pairs of leaves are the "units" of a fabric with two rails (`shape.size`, `wiring`), D node ports,
                 U >= D / oversubscription uplinks, so many that spines are few. D is whole scalable units, or an even share of
                 one, rounded up to whole cages. Two spines at least. Node pairs come first, one after the other by unit;
                 service pairs last
"""

from collections.abc import Iterable, Sequence
from math import ceil, floor
from typing import Literal, NamedTuple

import msgspec

from railyard.model.catalog import SwitchModel
from railyard.model.networks import Attach, InBandNetwork, StorageNetwork
from railyard.plan import names
from railyard.plan.cages import ports_per_cage
from railyard.plan.shape import FabricShape, size_fabric, smallest_divisor

Section = StorageNetwork | InBandNetwork
Kind = Literal["storage", "in-band"]
Medium = Literal["infiniband", "ethernet"]
PEER_LINKS = 2
"""Links between the two switches of a pair: BasePOD's MLAG peer link has two. In leaf-spine only an MLAG needs them."""
SITE = "site routers"
"""Name of the service that keeps ports for the site's own routers: nothing of ours is cabled there."""


class Wish(NamedTuple):
    """What a service asks for: `width` ports on each switch of a pair. Kinds differ in speed, so they share no cage."""

    name: str
    width: int
    kind: Literal["site", "oob", "manager", "server"]


class Service(msgspec.Struct, frozen=True, gc=False):
    """Ports of one device on each switch of a pair, from `port` on."""

    pair: int
    port: int
    width: int


class Pick(msgspec.Struct, frozen=True):
    """A switch at a link speed."""

    model: SwitchModel
    link_gbps: float
    radix: int
    transport: Medium


class DualShape(msgspec.Struct, frozen=True):
    """Sizes. Pairs count from 0, node pairs first. `clos` is None for a single pair.

    `pair_needs`: ports that each switch of a single pair would need where that is more than it has, else 0;
    `pair_slots`: the node slots that one would hold then.
    `nodes_per_leaf` (D): node ports of a leaf. A pair serves `units_per_pair` scalable units, or a unit has `pairs_per_unit`.
    """

    kind: Kind
    carries: tuple[str, ...]
    pick: Pick
    attach: Attach
    units: int
    nodes_per_unit: int
    nodes_per_leaf: int
    units_per_pair: int
    pairs_per_unit: int
    node_pairs: int
    service_pairs: int
    uplinks: int
    peer_links: int
    oversubscription: float
    services: dict[str, Service]
    clos: FabricShape | None
    pair_needs: int = 0
    pair_slots: int = 0

    @property
    def tag(self) -> str:
        """The network in a switch's name: `sto` or `mgmt`."""
        return "sto" if self.kind == "storage" else "mgmt"

    @property
    def pairs(self) -> int:
        """All pairs; a single pair serves nodes and services."""
        return self.node_pairs + self.service_pairs

    @property
    def switches(self) -> int:
        """All switches of the network as planned."""
        return 2 * self.pairs + (self.clos.spines + self.clos.cores if self.clos else 0)

    def used(self) -> int:
        """The last port that nodes or services of a single pair have, on each of its switches."""
        return _last(self.services, self.nodes_per_leaf)

    def used_by_services(self) -> int:
        """The same on the fullest service pair, which has no nodes; 0 where there are none."""
        return max((item.port + item.width - 1 for item in self.services.values()), default=0)

    def node_port(self, unit: int, slot: int) -> tuple[int, int]:
        """(pair, port of both its switches) of `slot` (from 1) in scalable unit `unit` (from 1)."""
        if self.clos is None:
            return 0, (unit - 1) * self.nodes_per_unit + slot
        if self.pairs_per_unit == 1:
            pair, inside = divmod(unit - 1, self.units_per_pair)
            return pair, inside * self.nodes_per_unit + slot
        part, port = divmod(slot - 1, self.nodes_per_leaf)
        return (unit - 1) * self.pairs_per_unit + part, port + 1

    def home(self, pair: int) -> int | None:
        """Scalable unit (from 1) in whose racks a node pair stands; None for those that stand with the spines."""
        if self.clos is None or pair >= self.node_pairs:
            return None
        return pair * self.units_per_pair + 1 if self.pairs_per_unit == 1 else pair // self.pairs_per_unit + 1

    def pair_name(self, site: str, pair: int, side: int) -> str:
        """Switch `side` (0, 1) of a pair. Node pairs have the first numbers, then spines and cores, then service pairs."""
        number = 2 * pair + side + 1
        if self.clos and pair >= self.node_pairs:
            number += self.clos.spines + self.clos.cores
        return names.network_switch(site, self.tag, number)

    def upper_name(self, site: str, role: Literal["spine", "core"], index: int) -> str:
        """Spine or core `index` (from 0)."""
        above = self.clos.spines if role == "core" and self.clos else 0
        return names.network_switch(site, self.tag, 2 * self.node_pairs + above + index + 1)


def size_dual(
    kind: Kind,
    carries: tuple[str, ...],
    section: Section,
    pick: Pick,
    units: int,
    nodes_per_unit: int,
    services: Iterable[Wish],
) -> DualShape:
    """The shape by this module's docstring. `services` come in an order that only grows at its end."""
    wanted = [Wish(SITE, section.site_uplinks, "site"), *services] if section.site_uplinks else list(services)
    nodes = units * nodes_per_unit
    pair = DualShape(
        kind=kind,
        carries=carries,
        pick=pick,
        attach=section.attach or (Attach.INDEPENDENT if pick.transport == "infiniband" else Attach.MLAG),
        units=units,
        nodes_per_unit=nodes_per_unit,
        nodes_per_leaf=nodes,
        units_per_pair=units,
        pairs_per_unit=1,
        node_pairs=1,
        service_pairs=0,
        uplinks=0,
        peer_links=PEER_LINKS if section.peer_links is None else section.peer_links,
        oversubscription=section.oversubscription,
        services=_pack(wanted, pick, 0, nodes, None),
        clos=None,
    )
    room = pick.radix - pair.peer_links - section.spare_ports
    if pair.used() <= room:
        return pair
    # Behind fewer nodes services begin at a cage of their own: a few counts are tried.
    cage, over = ports_per_cage(pick.model, pick.link_gbps), pair.used() - room
    tried = range(nodes - over, max(0, nodes - over - cage), -1)
    slots = next((count for count in tried if _last(_pack(wanted, pick, 0, count, None), count) <= room), 0)
    return msgspec.structs.replace(_leaf_spine(pair, section, wanted), pair_needs=over + pick.radix, pair_slots=slots)


def _last(services: dict[str, Service], nodes: int) -> int:
    return max([nodes, *(item.port + item.width - 1 for item in services.values())])


def _leaf_spine(pair: DualShape, section: Section, wanted: Sequence[Wish]) -> DualShape:
    """The same network with several pairs and spines above them."""
    radix, slots, ratio, peers = pair.pick.radix, pair.nodes_per_unit, section.oversubscription, section.peer_links
    if peers is None:
        peers = PEER_LINKS if pair.attach is Attach.MLAG else 0
    # D + D / ratio ports go down and up, D in whole cages: one that holds a node's cable and an uplink would need two plugs.
    cage = ports_per_cage(pair.pick.model, pair.pick.link_gbps)
    room = floor(max(2, radix - peers - section.spare_ports) * ratio / (1 + ratio) + 1e-9)
    room = max(1, room - room % cage)
    whole = min(room // slots, pair.units)
    per_unit = 1 if whole else ceil(slots / room)
    down = whole * slots if whole else ceil(slots / per_unit)
    down += -down % cage
    node_pairs = ceil(pair.units / whole) if whole else pair.units * per_unit
    services = _pack(wanted, pair.pick, node_pairs, 0, down)
    service_pairs = 1 + max((service.pair for service in services.values()), default=node_pairs - 1) - node_pairs
    clos = _fewest(
        down,
        node_pairs + service_pairs,
        radix,
        range(ceil(down / ratio - 1e-9), radix - peers - section.spare_ports - down + 1),
    )
    return msgspec.structs.replace(
        pair,
        nodes_per_leaf=down,
        units_per_pair=max(whole, 1),
        pairs_per_unit=per_unit,
        node_pairs=node_pairs,
        service_pairs=service_pairs,
        uplinks=clos.uplinks,
        peer_links=peers,
        services=services,
        clos=clos,
    )


def _fewest(down: int, pairs: int, radix: int, uplinks: range) -> FabricShape:
    """The fabric with the fewest switches above the leaves, but two, then with the fewest links.

    Some numbers of uplinks have few divisors: 22 would take 11 spines where 24 take 8.
    """
    shapes = [_with_two_spines(down, pairs, radix, number) for number in uplinks or (max(1, uplinks.start),)]
    return min(
        shapes, key=lambda shape: (not shape.fits, shape.tiers, shape.spines < 2, shape.spines + shape.cores, shape.uplinks)
    )


def _with_two_spines(down: int, pairs: int, radix: int, uplinks: int) -> FabricShape:
    """By the closed form, which has one spine where one has the ports: a machine's two ports would meet in it."""
    shape = size_fabric(down, pairs, 2, radix, uplinks=uplinks)
    if shape.tiers != 2 or shape.spines > 1:
        return shape
    return size_fabric(down, pairs, 2, radix, uplinks=uplinks, spines=smallest_divisor(uplinks, 2))


def _pack(wishes: Iterable[Wish], pick: Pick, pair: int, used: int, room: int | None) -> dict[str, Service]:
    """Services one after the other from port `used` + 1 of `pair` on, another kind from a cage of its own on.

    The next pair begins where one doesn't fit into `room` ports any more.
    """
    packed: dict[str, Service] = {}
    cage, kind = ports_per_cage(pick.model, pick.link_gbps), ""
    for wish in wishes:
        if wish.kind != kind:
            used += -used % cage
        kind = wish.kind
        if room is not None and used + wish.width > room and used:
            pair, used = pair + 1, 0
        packed[wish.name] = Service(pair, used + 1, wish.width)
        used += wish.width
    return packed
