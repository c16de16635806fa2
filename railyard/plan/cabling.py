"""From links to cables: labels, route, length, part, bundle, colour.

A cable's id is its lower end: a port has one cable, so the id stays when the upper end moves.

Where cages hold several ports, one plug serves them all, so all links of a tier are made of one kind of cable, chosen for the
longest route between *planned* racks of that tier: no cage needs two plugs, and growth inside the plan changes no cable. Where
every cage has one port, each link gets the cable for its own length. Each cable is ordered in the shortest length that reaches,
splitters all in that of the longest route: their two tails must reach whichever two nodes share the cage.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product, repeat
from typing import TypeVar

import msgspec

from railyard.model.cabling import CableEnd, CableModel, OpticModel
from railyard.model.plan import Cable
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.cages import cage_at, nic_end, node_cages, node_end, ports_per_cage, switch_end
from railyard.plan.hall import SAME_RACK_ROUTE_M, Hall, orderable
from railyard.plan.links import Link, paired
from railyard.plan.media import Choice, Need, choose, table_medium
from railyard.plan.parts import Parts
from railyard.plan.placement import Place
from railyard.plan.shape import FabricShape

RAIL_COLORS = ("blue", "orange", "green", "red", "violet", "brown", "pink", "yellow")
"""Jacket or tag colour of a rail's node cables, in turn (ours; no standard says more than "one colour per rail")."""
TIER_COLORS = {"leaf-spine": "aqua", "spine-core": "white"}
MANAGERS = "manager-leaf"
"""Fabric managers on their leaves: node-leaf cables whose lower end is no GPU node."""


OOB = "oob"
UPLINK = "-uplink"
"""Added to the kind of a cable of another network whose lower end is a switch."""
SERVICE = "-service"
"""Added where it is another machine than a GPU node: its adapter may take another plug."""
_MANAGER = re.compile(r"-ufm\d{2,}$")
_NODE = re.compile(r"-gpu\d{2,}$")
_SWITCH = re.compile(r"-sw\d{2,}$")


def tier_of(kind: str, a_device: str) -> str:
    """The tier of a cable of a kind with the lower end `a_device`: what has cages of its own has a tier of its own."""
    if kind == "node-leaf":
        return MANAGERS if _MANAGER.search(a_device) else kind
    if kind not in ("storage", "in-band") or _NODE.search(a_device):
        return kind
    return f"{kind}{UPLINK if _SWITCH.search(a_device) else SERVICE}"


def bundle_of(a: int, z: int) -> str:
    """Bundle of cables between racks number `a` and `z`, whichever is the lower end's: `R001-R002`, or `R001` in one rack."""
    return f"R{min(a, z):03d}-R{max(a, z):03d}" if a != z else f"R{a:03d}"


class Leg(msgspec.Struct, frozen=True, gc=False):
    """What all cables of a tier between two racks have in common."""

    route_m: float
    length_m: float
    medium: str
    sku: str
    bundle: str


class Tier:
    """The cables of one tier of the fabric. `longest_m` is the longest planned length, slack included.

    `name` is the tier's by `tier_of` on other networks, where one part may join unlike ends in two tiers.
    """

    def __init__(
        self,
        need: Need,
        longest_m: float,
        cables: Mapping[str, CableModel],
        optics: Mapping[str, OpticModel],
        name: str = "",
    ) -> None:
        self.need = need
        self.name = name
        self.longest_m = longest_m
        self.cables = cables
        self.optics = optics
        self.shared = need.a.ports > 1 or need.z.ports > 1
        self.legs: dict[tuple[int, int], Leg] = {}
        self.choices: dict[float, Choice | None] = {}
        self.stretched: dict[tuple[str, float], Leg] = {}
        self.uneven = False

    def choice(self, wanted_m: float) -> Choice | None:
        """The cable for a length in metres, slack included: the tier's where cages are shared."""
        key = max(self.longest_m, wanted_m) if self.shared else wanted_m
        if key not in self.choices:
            self.choices[key] = choose(self.cables, self.optics, self.need, key)
        return self.choices[key]

    def leg(self, a: int, z: int, route: float, slack: float) -> Leg:
        """Cables between racks number `a` and `z`. Where none fits: the medium of the reference's table, and no part."""
        wanted = round(route * slack, 6)
        bundle = bundle_of(a, z)
        choice = self.choice(wanted)
        if choice is None:
            lane = self.need.z.lane_gbps or self.need.a.lane_gbps or 100
            length = orderable(wanted)
            return Leg(route, length, table_medium(length, lane), "", bundle)
        reached = max(wanted, self.longest_m) if choice.cable.shape == "splitter" else wanted
        return Leg(route, choice.length_m(reached) or reached, choice.cable.medium, choice.cable.name, bundle)

    def longer(self, leg: Leg, least_m: float) -> Leg:
        """The same leg, ordered in at least so many metres; as it is where nothing longer can be ordered."""
        found = self.stretched.get((leg.bundle, least_m))
        if found is None:
            lengths = self.cables[leg.sku].lengths_m if leg.sku else ()
            length = next((length for length in lengths if length >= least_m), leg.length_m)
            found = self.stretched[leg.bundle, least_m] = msgspec.structs.replace(leg, length_m=length)
        return found


Fact = TypeVar("Fact")


class ByPort(dict[int, Fact]):
    """A fact about each port of a switch. Any number has one: a wiring with too many ports is a rule's to find."""

    def __init__(self, make: Callable[[int], Fact]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, port: int) -> Fact:
        fact = self[port] = self.make(port)
        return fact


class Cabler:
    """What cables are made with: where devices stand, what their ports are called, what each tier is made of.

    `laid` counts the pieces between two racks once they have been summed up (`cable_facts`).
    `apart` counts cables of two links whose ports at the lower end are in two cages, `split` those whose upper ports are: a
    NIC's two planes apart, which are meant to end on two switches. Both count as cables are made. `least_m` is the least
    length of a cable, by its id, that must be longer than its route asks for (`even.even_out`).
    """

    def __init__(self, file: StackFile, parts: Parts, shape: FabricShape, hall: Hall, places: Mapping[str, Place]) -> None:
        fabric, catalog = file.fabric, parts.catalog
        self.file, self.hall, self.catalog, self.node = file, hall, catalog, parts.node
        self.link_gbps = fabric.link_gbps
        self.prefix = names.port_prefix(fabric.transport.value)
        self.in_rack_m = SAME_RACK_ROUTE_M
        self.slack = 1 + file.cabling.slack_percent / 100
        self.ports_per_cage = ports_per_cage(parts.switch, fabric.link_gbps)
        cages = node_cages(parts.node, shape.rails * shape.nics_per_rail, fabric.planes)
        self.node_ports = ("", *(cage.label[1:] for cage in cages))
        self.node_cages = (0, *(cage.number for cage in cages))
        self.switch_ports = ByPort(lambda port: cage_at(port, self.ports_per_cage).label[1:])
        self.switch_cages = ByPort(lambda port: cage_at(port, self.ports_per_cage).number)
        self.port_names = ByPort(lambda port: f"{self.prefix}{port}")
        self.spots = {name: (place.rack, place.tag(), place.body.role == "gpu") for name, place in places.items()}
        switch = switch_end(parts.switch, fabric.link_gbps)
        node = node_end(parts.node, cages[0].ports, fabric.link_gbps, switch.lane_gbps)
        manager = nic_end(1, fabric.link_gbps, switch.lane_gbps)
        racks = _racks(places.values(), hall)
        self.others: list[Tier] = []
        self.apart = 0
        self.laid: Mapping[tuple[int, int, str], int] = {}
        self.split = 0
        self.least_m: dict[str, float] = {}
        self.twins = shape.links_per_cable == 2
        self.twin_skew_m = file.cabling.twin_skew_m
        self.pairs: dict[str, tuple[tuple[int, int], ...]] = {
            "node-leaf": racks.nodes_to_leaves,
            MANAGERS: (*racks.nodes_to_leaves, *racks.managers_to_leaves),
            "leaf-spine": racks.leaves_to_spines,
            "spine-core": racks.spines_to_cores,
        }
        lower = {"node-leaf": node, MANAGERS: manager}
        self.tiers = {
            name: self._tier(lower.get(name, switch), switch, self._longest(pairs)) for name, pairs in self.pairs.items()
        }

    def route_m(self, a: int, z: int) -> float:
        """Routed length in metres between racks number `a` and `z`, without slack."""
        return self.hall.route_m(a, z, self.file.cabling.drop_m)

    def find_uneven(self) -> list[str]:
        """Tiers with shared cages whose planned lengths differ by more than `twinSkewM`; they are marked."""
        for name, pairs in self.pairs.items():
            tier = self.tiers[name]
            lengths = {self.leg(tier, a, z).length_m for a, z in pairs} if tier.shared else set[float]()
            tier.uneven = bool(lengths) and max(lengths) - min(lengths) > self.twin_skew_m
        return [name for name, tier in self.tiers.items() if tier.uneven]

    def label(self, end: str) -> str:
        """Label of a switch's end (`device/port`), as cables carry it; empty for other ends."""
        device, _, port = end.partition("/")
        digits = port.removeprefix(self.prefix)
        spot = self.spots.get(device)
        return f"{spot[1]}{self.switch_ports[int(digits)]}" if spot and digits.isdigit() else ""

    def leg(self, tier: Tier, a: int, z: int) -> Leg:
        """What all cables of a tier between racks number `a` and `z` have in common."""
        found = tier.legs.get((a, z))
        if found is None:
            if not tier.legs and tier not in self.tiers.values():
                self.others.append(tier)
            found = tier.legs[a, z] = tier.leg(a, z, self.route_m(a, z), self.slack)
        return found

    def choice_of(self, tier: str, sku: str, link_gbps: float) -> Choice | None:
        """How a part was chosen for a tier, None where none chose it. Tiers of other networks are known by what they join."""
        for one in self._candidates(tier, link_gbps):
            for choice in one.choices.values():
                if choice is not None and choice.cable.name == sku:
                    return choice
        return None

    def need_of(self, tier: str, link_gbps: float) -> Need | None:
        """What a tier asks for, None where nothing is known of it."""
        return next((one.need for one in self._candidates(tier, link_gbps)), None)

    def _candidates(self, tier: str, link_gbps: float) -> list[Tier]:
        """The tier of a name; of other networks those at this speed, first the one of that name, then what joins like ends
        (switches) on uplinks.
        """
        if tier in self.tiers:
            return [self.tiers[tier]]
        uplink = tier.endswith(UPLINK)
        found = [one for one in self.others if one.need.link_gbps == link_gbps and tier != OOB]
        return sorted(found, key=lambda one: (one.name != tier, (one.need.a == one.need.z) != uplink))

    def _tier(self, a: CableEnd, z: CableEnd, longest_m: float) -> Tier:
        fabric = self.file.fabric
        need = Need(fabric.transport.value, fabric.link_gbps, a, z, self.file.cabling.multimode)
        return Tier(need, longest_m, self.catalog.cables, self.catalog.optics)

    def _longest(self, pairs: Iterable[tuple[int, int]]) -> float:
        """The longest length between pairs of racks in metres, slack included."""
        return round(max((self.route_m(a, z) for a, z in pairs), default=0.0) * self.slack, 6)


class _Racks(msgspec.Struct, frozen=True):
    """Pairs of racks that planned cables of a tier may join."""

    nodes_to_leaves: tuple[tuple[int, int], ...]
    managers_to_leaves: tuple[tuple[int, int], ...]
    leaves_to_spines: tuple[tuple[int, int], ...]
    spines_to_cores: tuple[tuple[int, int], ...]


def _racks(places: Iterable[Place], hall: Hall) -> _Racks:
    """By where planned switches stand: a leaf takes the nodes of its unit, and leaves and spines may be joined in any pair."""
    by_role: dict[str, set[int]] = {}
    for place in places:
        by_role.setdefault(place.body.role, set()).add(place.rack)
    leaves, spines, cores = (sorted(by_role.get(role, ())) for role in ("leaf", "spine", "core"))
    managers = sorted(by_role.get("management", ()))
    nodes = [
        (hall.compute(unit, index), leaf)
        for leaf in leaves
        if (unit := (leaf - 1) // hall.per_unit + 1) <= hall.units
        for index in range(hall.compute_per_unit)
    ]
    return _Racks(tuple(nodes), tuple(product(managers, leaves)), tuple(product(leaves, spines)), tuple(product(spines, cores)))


def cable_up(links: Iterable[Link], cabler: Cabler) -> Iterator[tuple[Link, Cable]]:
    """Each link with its cable, in the order of the links; two links of one cable come with the same one."""
    spots, tiers, gbps, least_m = cabler.spots, cabler.tiers, cabler.link_gbps, cabler.least_m
    switch_ports, node_ports, port_names = cabler.switch_ports, cabler.node_ports, cabler.port_names
    for link, second in paired(links) if cabler.twins else zip(links, repeat(None)):
        a, z, kind, rail, number, z_port = link.a, link.z, link.kind, link.rail, link.a_number, link.z_port
        a_rack, a_tag, node = spots[a]
        z_rack, z_tag, _ = spots[z]
        if kind != "node-leaf":
            tier, a_port = tiers[kind], switch_ports[number]
        else:
            tier, a_port = (tiers[kind], node_ports[number]) if node else (tiers[MANAGERS], number)
        leg = tier.legs.get((a_rack, z_rack)) or cabler.leg(tier, a_rack, z_rack)
        if second is not None:
            if second.z != z:
                leg = max(leg, cabler.leg(tier, a_rack, spots[second.z][0]), key=lambda item: item.length_m)
            both = (node_ports if node else switch_ports)[second.a_number]
            cabler.apart += both.partition("/")[0] != str(a_port).partition("/")[0]
            if second.plane == link.plane:
                cages = cabler.switch_cages
                cabler.split += second.z != z or cages[second.z_port] != cages[z_port]
        name = f"{a}:{link.a_port}"
        if tier.uneven and leg.length_m < (least := least_m.get(name, 0.0)):
            leg = tier.longer(leg, least)
        # By position: naming each field takes three times as long, and a site may have 393,216 of these.
        cable = Cable(
            name,
            kind,
            f"{a}/{link.a_port}",
            f"{z}/{port_names[z_port]}",
            f"{a_tag}{a_port}",
            f"{z_tag}{switch_ports[z_port]}",
            gbps,
            leg.length_m,
            leg.medium,
            rail,
            link.plane,
            TIER_COLORS.get(kind) or RAIL_COLORS[(rail or 0) % len(RAIL_COLORS)],
            f"{second.a}/{second.a_port}" if second else None,
            f"{second.z}/{port_names[second.z_port]}" if second else None,
            leg.route_m,
            leg.sku,
            leg.bundle,
        )
        yield link, cable
        if second is not None:
            yield second, cable
