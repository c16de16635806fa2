"""Cables of the other networks: one row per cable, its length and part chosen as for the training fabric (`cabling.Tier`)."""

from collections.abc import Collection
from typing import Literal

from railyard.model.cabling import CableEnd
from railyard.model.plan import Cable
from railyard.plan import names
from railyard.plan.cabling import SERVICE, UPLINK, ByPort, Cabler, Leg, Tier, bundle_of
from railyard.plan.cages import cage_at, nic_end, ports_per_cage, slower_end, storage_end, switch_end
from railyard.plan.hall import orderable
from railyard.plan.media import Need
from railyard.plan.networks.dual import DualShape

Kind = Literal["storage", "in-band", "oob"]
End = Literal["node", "nic", "switch"]
"""Lower end of a cable: an adapter of a GPU node or of another machine, or a switch."""
SUFFIX: dict[End, str] = {"node": "", "nic": SERVICE, "switch": UPLINK}
"""What `tier_of` adds to the network's kind."""
COLORS: dict[str, str] = {"storage": "magenta", "in-band": "turquoise", "oob": "grey"}
COPPER = "cat6a"
"""Key of the catalogue's copper cable for out-of-band ports."""


class Runs:
    """Makes cables of one network. `prefix` stands before a switch port's number; a label prints it as `ports` has it: `12`, or
    `6/2` where `per_cage` ports share a cage.

    A tier per kind of lower end and speed: adapters of GPU nodes (`node`), of other machines (`nic`), switches
    (`switch`); cables in shared cages are made for the longest route (`longest`) between racks that the plan may join.
    """

    def __init__(self, kind: Kind, dual: DualShape, cabler: Cabler) -> None:
        self.kind: Kind = kind
        self.cabler = cabler
        self.pick = dual.pick
        self.transport = "infiniband" if dual.pick.transport == "infiniband" else "roce"
        self.prefix = names.port_prefix(self.transport)
        self.per_cage = ports_per_cage(dual.pick.model, dual.pick.link_gbps)
        self.tiers: dict[tuple[str, float], Tier] = {}
        self.ports = ByPort(lambda port: cage_at(port, self.per_cage).label[1:])
        self.cages = ByPort(lambda port: cage_at(port, self.per_cage).number)
        self.color = COLORS[kind]
        self.uneven: set[End] = set()

    def longest(self, end: End, gbps: float, racks: Collection[tuple[int, int]]) -> None:
        """Say which pairs of racks the plan may join with cables of a tier. `uneven`: lower ends of tiers whose cages are
        shared and whose lengths differ by more than `cabling.twinSkewM`.
        """
        slack, route = self.cabler.slack, self.cabler.route_m
        longest = round(max((route(a, z) for a, z in racks), default=0.0) * slack, 6)
        tier = self.tiers[end, gbps] = self._tier(end, gbps, longest)
        if tier.shared and racks:
            lengths = {self.cabler.leg(tier, a, z).length_m for a, z in racks}
            if max(lengths) - min(lengths) > self.cabler.twin_skew_m:
                self.uneven.add(end)

    def _tier(self, end: End, gbps: float, longest: float) -> Tier:
        upper = slower_end(switch_end(self.pick.model, self.pick.link_gbps), gbps)
        lower: CableEnd = upper if end == "switch" else nic_end(1, gbps, upper.lane_gbps)
        if end == "node":
            lower = storage_end(self.cabler.node, gbps, upper.lane_gbps)
        need = Need(self.transport, gbps, lower, upper, self.cabler.file.cabling.multimode)
        return Tier(need, longest, self.cabler.catalog.cables, self.cabler.catalog.optics, f"{self.kind}{SUFFIX[end]}")

    def leg(self, end: End, gbps: float, a: int, z: int) -> Leg:
        """Route, length and part between racks number `a` and `z`."""
        tier = self.tiers.get((end, gbps))
        if tier is None:
            tier = self.tiers[end, gbps] = self._tier(end, gbps, 0.0)
        return tier.legs.get((a, z)) or self.cabler.leg(tier, a, z)

    def longer(self, end: End, gbps: float, leg: Leg, least_m: float) -> Leg:
        """The same leg in at least so many metres."""
        return self.tiers[end, gbps].longer(leg, least_m)

    def tag(self, switch: str) -> str:
        """First part of a switch's labels."""
        return self.cabler.spots[switch][1]

    def cable(self, a: str, a_port: str, a_label: str, z: str, z_port: int, gbps: float, leg: Leg) -> Cable:
        """One cable from port `a_port` of `a` up to port number `z_port` of switch `z`."""
        lower, upper = f"{a}/{a_port}", f"{z}/{self.prefix}{z_port}"
        z_label = f"{self.tag(z)}{self.ports[z_port]}"
        return as_cable(f"{a}:{a_port}", self.kind, lower, upper, a_label, z_label, gbps, leg, self.color)


def as_cable(name: str, kind: Kind, a: str, z: str, a_label: str, z_label: str, gbps: float, leg: Leg, color: str) -> Cable:
    """A cable of one link, on no rail and no plane. By position: naming each field takes three times as long (`cabling`)."""
    return Cable(
        name, kind, a, z, a_label, z_label, gbps, leg.length_m, leg.medium, None, None, color, None, None,
        leg.route_m, leg.sku, leg.bundle,
    )  # fmt: skip


def word_tag(tag: str) -> str:
    """The first part of a label whose port has a word and no number: `R004-U12-` of `R004-U12-P`. `PS1` would be a supply."""
    return tag.removesuffix("P")


def copper_leg(cabler: Cabler, a: int, z: int) -> Leg:
    """A copper cable between racks number `a` and `z`; one that is too long is planned all the same (FABRIC-045 finds it)."""
    route = cabler.route_m(a, z)
    wanted = round(route * cabler.slack, 6)
    lengths = cabler.catalog.cables[COPPER].lengths_m if COPPER in cabler.catalog.cables else ()
    length = next((length for length in lengths if length >= wanted), None)
    return Leg(route, length or orderable(wanted), COPPER, COPPER if length else "", bundle_of(a, z))
