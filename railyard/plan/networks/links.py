"""Cables of the storage and in-band networks that stand, and the uplinks of out-of-band switches.

    node       port i of a node (`storage0`, `storage1`; `inband0`, `inband1`) -> switch i of its pair, port by slot (`dual`)
    server     port i of a storage server -> switch i % 2 of its pair, the ports of its service in turn
    manager    `inband0`, `inband1` of a fabric manager host likewise
    oob        uplink i of an out-of-band switch -> switch i % 2 of its service's pair (kind in-band)
    peers      the last ports of both switches of a pair, port to port
    leaf-spine, spine-core   as in the training fabric (`wiring`): pairs are its units, the two switches of a pair its rails

Without a LAG (InfiniBand, routed) the two ports are two addresses; with MLAG or EVPN-ESI they are one bond.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product

import msgspec

from railyard.model.plan import Cable
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.cabling import Cabler, Leg
from railyard.plan.even import level
from railyard.plan.hall import Hall, rack_of_slot
from railyard.plan.machines import Seats
from railyard.plan.managers import manager_hosts
from railyard.plan.networks.dual import DualShape
from railyard.plan.networks.layout import planned_servers
from railyard.plan.networks.runs import End, Runs, word_tag
from railyard.plan.networks.shapes import OtherNetworks
from railyard.plan.parts import Parts
from railyard.plan.placement import Place
from railyard.plan.shape import FabricShape
from railyard.plan.wiring import leaf_name, wire_leaves, wire_spines

NODE_PORTS = 2
"""Ports of a node on each of these networks (ERA: one to each of two switches)."""
PREFIX = {"storage": "storage", "in-band": "inband"}
"""Port names of machines, before their number from 0."""
MARK = {"storage": "STO", "in-band": "INB"}
"""What a label calls them, before their number from 1: what a port is for. What its chassis prints beside it, nobody knows."""


class Row(msgspec.Struct, frozen=True, gc=False):
    """A cable before its length is settled. `a_cage`: number of the lower end's cage, 0 for an adapter's own."""

    end: End
    a: str
    a_port: str
    a_label: str
    z: str
    z_port: int
    gbps: float
    leg: Leg
    a_cage: int

    def cage(self) -> str:
        """The lower end's cage, the same text as for an upper end there."""
        return f"{self.a}/{self.a_cage}" if self.a_cage else f"{self.a}/{self.a_port}"


class DualLinks:
    """The cables of one network."""

    def __init__(
        self,
        file: StackFile,
        parts: Parts,
        shape: FabricShape,
        nets: OtherNetworks,
        dual: DualShape,
        cabler: Cabler,
        hall: Hall,
        places: Mapping[str, Place],
    ) -> None:
        self.file, self.parts, self.shape, self.nets, self.dual, self.hall, self.places = (
            file,
            parts,
            shape,
            nets,
            dual,
            hall,
            places,
        )
        self.site, self.gbps = file.site.name, dual.pick.link_gbps
        self.runs = Runs(dual.kind, dual, cabler)
        self.pairs = [tuple(dual.pair_name(self.site, pair, side) for side in (0, 1)) for pair in range(dual.pairs)]
        self.standing = set(standing_pairs(file, shape, dual))

    def cables(self, seats: Seats) -> Iterator[Cable]:
        """All cables that stand. Those of one cage in about one length, as in the training fabric (`even`)."""
        self._reach()
        nodes = [(seat.name, seat.unit, seat.slot) for seat in seats.gpu]
        runs, least_m = self.runs, self._least_m() if self.runs.uneven else {}
        for row in self._rows(nodes, [seat.name for seat in seats.storage], self.standing):
            leg = row.leg
            if least_m and leg.length_m < (least := least_m.get((row.a, row.a_port), 0.0)):
                leg = runs.longer(row.end, row.gbps, leg, least)
            yield runs.cable(row.a, row.a_port, row.a_label, row.z, row.z_port, row.gbps, leg)

    def _rows(self, nodes: Iterable[tuple[str, int, int]], servers: Iterable[str], pairs: Collection[int]) -> Iterator[Row]:
        """Cables of `nodes` (name, unit, slot), of `servers`, and of the switches of `pairs`."""
        yield from self._nodes(nodes)
        for name in servers:
            yield from self._server(name)
        if "in-band" in self.dual.carries:
            for name in manager_hosts(self.file, self.shape):
                yield from self._service(name, PREFIX["in-band"], MARK["in-band"], NODE_PORTS, self.gbps)
        yield from self._peers(pairs)
        yield from self._upper(pairs)

    def _least_m(self) -> dict[tuple[str, str], float]:
        """By lower end: the least length in metres of a cable that shares a cage with much longer ones, also planned ones."""
        file, dual, skew = self.file, self.dual, self.runs.cabler.twin_skew_m
        slots = range(1, dual.nodes_per_unit + 1)
        nodes = ((names.gpu(self.site, u, s, dual.nodes_per_unit), u, s) for u in range(1, dual.units + 1) for s in slots)
        servers = [names.storage(self.site, number) for number in range(1, planned_servers(file) + 1)]
        placed = [name for name in servers if name in dual.services and name in self.places]
        # Adapters and switches share no cage (`dual`): where only uplinks are uneven, thousands of nodes needn't be walked.
        rows = list(self._rows(*((nodes, placed) if self.runs.uneven & {"node", "nic"} else ((), ())), range(dual.pairs)))
        cages: dict[str, int] = {}
        lower = [cages.setdefault(row.cage(), len(cages)) for row in rows]
        upper = [cages.setdefault(f"{row.z}/{self.runs.cages[row.z_port]}", len(cages)) for row in rows]
        longest = level(lower, upper, [row.leg.length_m for row in rows])
        least_m: dict[tuple[str, str], float] = {}
        for row, a, z in zip(rows, lower, upper, strict=True):
            least = max(longest[a], longest[z]) - skew
            if row.leg.length_m < least:
                least_m[row.a, row.a_port] = least
        return least_m

    def _reach(self) -> None:
        """Racks that planned cables may join: cages that are shared take one kind of cable for all of them."""
        dual, hall = self.dual, self.hall
        racks: set[tuple[int, int]] = set()
        for unit in range(1, dual.units + 1):
            pairs = {dual.node_port(unit, slot)[0] for slot in (1, dual.nodes_per_unit)}
            ends = {self.places[name].rack for pair in pairs for name in self.pairs[pair]}
            racks.update((hall.compute(unit, index), end) for index in range(hall.compute_per_unit) for end in ends)
        by_speed = {self.gbps: racks}
        for name, service in dual.services.items():
            if name in self.places:
                ends = {self.places[switch].rack for switch in self.pairs[service.pair]}
                reached = by_speed.setdefault(self._speed(name), set())
                reached.update((self.places[name].rack, end) for end in ends)
        for gbps, reached in by_speed.items():
            self.runs.longest("nic", gbps, sorted(reached))
        self.runs.longest("node", self.gbps, sorted(by_speed[self.gbps]))
        homes = sorted({self.places[name].rack for pair in self.pairs for name in pair})
        above = sorted({self.places[name].rack for owner, name in self.nets.spines() if owner is dual})
        self.runs.longest("switch", self.gbps, [*product(homes, above), *product(above, above), *self._peer_racks()])

    def _speed(self, name: str) -> float:
        """Speed in Gb/s of a service's ports: its own, or the network's where that is less."""
        role, disk = self.places[name].body.role, self.parts.storage
        if role == "oob":
            return self.nets.oob.model.uplink_gbps
        own = None
        if role == "storage" and disk:
            own = disk.nic_gbps if self.dual.kind == "storage" else disk.in_band_gbps
        return min(self.gbps, own or self.gbps)

    def _peer_racks(self) -> list[tuple[int, int]]:
        return [(self.places[a].rack, self.places[z].rack) for a, z in self.pairs]

    def _nodes(self, nodes: Iterable[tuple[str, int, int]]) -> Iterator[Row]:
        dual, runs, spots, gbps = self.dual, self.runs, self.runs.cabler.spots, self.gbps
        prefix, mark, facility = PREFIX[dual.kind], MARK[dual.kind], self.file.facility
        for name, unit, slot in nodes:
            pair, port = dual.node_port(unit, slot)
            spot = spots.get(name)
            index, _ = (0, 0) if spot else rack_of_slot(slot - 1, facility.nodes_per_rack, facility.spread_racks)
            rack, tag, _ = spot or (self.hall.compute(unit, index), "", True)
            for side, switch in enumerate(self.pairs[pair]):
                leg = runs.leg("node", gbps, rack, spots[switch][0])
                yield Row("node", name, f"{prefix}{side}", f"{word_tag(tag)}{mark}{side + 1}", switch, port, gbps, leg, 0)

    def _server(self, name: str) -> Iterator[Row]:
        disk = self.parts.storage
        if disk is None:
            return
        gbps = self._speed(name)
        if self.dual.kind == "storage":
            yield from self._service(name, PREFIX["storage"], MARK["storage"], disk.nics, gbps)
        elif disk.in_band_ports:
            yield from self._service(name, PREFIX["in-band"], MARK["in-band"], disk.in_band_ports, gbps)

    def _service(self, name: str, prefix: str, mark: str, ports: int, gbps: float) -> Iterator[Row]:
        """Port i to switch i % 2 of the pair, the ports of the service in turn."""
        place, service = self.places[name], self.dual.services[name]
        for index in range(ports):
            switch = self.pairs[service.pair][index % 2]
            leg = self.runs.leg("nic", gbps, place.rack, self.places[switch].rack)
            label = f"{word_tag(place.tag())}{mark}{index + 1}"
            yield Row("nic", name, f"{prefix}{index}", label, switch, service.port + index // 2, gbps, leg, 0)

    def uplinks(self, switches: list[str]) -> Iterator[Cable]:
        """Uplinks of out-of-band switches: their own ports follow the copper ones."""
        model = self.nets.oob.model
        for name in switches:
            service, place = self.dual.services.get(name), self.places[name]
            if service is None:
                continue
            for index in range(self.nets.oob.uplinks):
                switch, number = self.pairs[service.pair][index % 2], model.copper_ports + index + 1
                leg = self.runs.leg("nic", model.uplink_gbps, place.rack, self.places[switch].rack)
                cable = self.runs.cable(
                    name, f"swp{number}", f"{place.tag()}{number}", switch, service.port + index // 2, model.uplink_gbps, leg
                )
                yield cable

    def _peers(self, pairs: Iterable[int]) -> Iterator[Row]:
        dual, runs = self.dual, self.runs
        for pair in sorted(pairs):
            a, z = self.pairs[pair]
            leg = runs.leg("switch", self.gbps, self.places[a].rack, self.places[z].rack)
            for index in range(dual.peer_links):
                port = dual.pick.radix - dual.peer_links + index + 1
                label = f"{runs.tag(a)}{runs.ports[port]}"
                yield Row("switch", a, f"{runs.prefix}{port}", label, z, port, self.gbps, leg, runs.cages[port])

    def _upper(self, pairs: Iterable[int]) -> Iterator[Row]:
        """Uplinks of standing leaves, then of the spines that they reach. The fabric's wiring, with this network's names."""
        dual, runs, clos, spots = self.dual, self.runs, self.dual.clos, self.runs.cabler.spots
        if clos is None:
            return
        own = {leaf_name("n", clos, pair + 1, side, 0): self.pairs[pair][side] for pair in range(dual.pairs) for side in (0, 1)}
        own |= {names.spine("n", index + 1, 0, 1): dual.upper_name(self.site, "spine", index) for index in range(clos.spines)}
        own |= {names.core("n", index + 1, 0, 1): dual.upper_name(self.site, "core", index) for index in range(clos.cores)}
        lower = {name for pair in pairs for name in self.pairs[pair]}
        for wire in (wire_leaves, wire_spines):
            reached: set[str] = set()
            for link in wire("n", clos, clos.units, runs.prefix):
                a, z = own[link.a], own[link.z]
                if a in lower:
                    reached.add(z)
                    rack, tag, _ = spots[a]
                    leg = runs.leg("switch", self.gbps, rack, spots[z][0])
                    label = f"{tag}{runs.ports[link.a_number]}"
                    yield Row("switch", a, link.a_port, label, z, link.z_port, self.gbps, leg, runs.cages[link.a_number])
            lower = reached


def standing_pairs(file: StackFile, shape: FabricShape, dual: DualShape) -> Iterator[int]:
    """Pairs that stand: those of units whose training leaves stand, and all service pairs."""
    built = shape.leaf_units(file.fabric.scalable_units)
    for pair in range(dual.pairs):
        home = dual.home(pair)
        if home is None or home <= built:
            yield pair


def standing_switches(file: StackFile, shape: FabricShape, nets: OtherNetworks) -> list[str]:
    """Every switch of the other networks that stands. Spines and cores stand where a standing leaf or spine reaches them."""
    site, built = file.site.name, shape.leaf_units(file.fabric.scalable_units)
    found = [
        dual.pair_name(site, pair, side) for dual in nets.duals for pair in standing_pairs(file, shape, dual) for side in (0, 1)
    ]
    for dual in nets.duals:
        if dual.clos:
            found += [dual.upper_name(site, "spine", index) for index in _standing_spines(file, shape, dual, dual.clos)]
            found += [dual.upper_name(site, "core", index) for index in range(dual.clos.cores)]
    oob = nets.oob
    found += [oob.unit_name(unit, index) for unit in range(1, built + 1) for index in range(oob.unit_switches)]
    found += [oob.core_name(index) for index in range(oob.core_switches)]
    return found + [name for role, name, _ in oob.storage_sequence(file.storage.nodes) if role == "oob"]


def _standing_spines(file: StackFile, shape: FabricShape, dual: DualShape, clos: FabricShape) -> list[int]:
    """Spines (from 0) of the pods that have a standing leaf; in two tiers all, since their ports are fixed."""
    if clos.tiers < 3:
        return list(range(clos.spines))
    pods = sorted({(2 * pair + side) // clos.uplinks for pair in standing_pairs(file, shape, dual) for side in (0, 1)})
    return [pod * clos.spines_per_pod + index for pod in pods for index in range(clos.spines_per_pod)]
