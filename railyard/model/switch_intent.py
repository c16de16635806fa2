"""What a switch of a routed fabric must do, as plain values: renderers turn it into the files of one network operating system.

`SwitchRouting` and `RoutingPlan` are the small nouns that resources carry; `SwitchIntent` and its ports are rows, made from a
plan when somebody wants files.
"""

from typing import Literal

import msgspec

from railyard.model.asics import BadRelease, Box
from railyard.model.base import Noun
from railyard.model.lossless import Bfd, Headroom, Lossless, Nos

PortRole = Literal["down", "up", "unused"]


class SwitchRouting(Noun):
    """What routing and flow control make of one switch.

    `uplinks` is the ECMP width of its plane (0 at the top), `maximum_paths` what its software is told. `subnets` are the blocks
    that its node ports stand in, IPv4 first. `lossless_ports` are the planned ones, cabled or not, so that growth inside the
    plan changes no buffer; `headroom_bytes` is the sum of their reserves; `headroom_unknown` names what no table answers
    (`800 Gb/s over 500 m`), `longest_m` is the longest of their cables as it is, or will be, ordered.
    `kmax_bytes` is None where nothing is marked (receiver-driven).
    """

    asn: int
    router_id: str
    uplinks: int
    maximum_paths: int
    subnets: tuple[str, ...] = ()
    lossless_ports: int = 0
    headroom_bytes: int = 0
    headroom_unknown: tuple[str, ...] = ()
    longest_m: float = 0.0
    link_gbps: float = 0.0
    shared_buffer_bytes: int | None = None
    kmax_bytes: int | None = None


class RoutingPlan(Noun):
    """Routing, lossless contract and management of a whole routed (RoCE) fabric: one for all of its switches.

    `leaf_asns` and `spine_asns` count different numbers, `leaves` and `spine_groups` what they must be: a number per leaf, and
    one per plane and pod of spines. `ports` counts switch ports with a cable. `asic` is None where the catalogue doesn't know
    the switch's ASIC; so are `box`, `systems` (what runs on it), `headroom` and `shared_buffer_bytes`.
    """

    nos: Nos
    nos_named: bool
    nos_version: str | None
    asic: str | None
    box: Box | None
    link_gbps: float
    tiers: int
    asn_base: int
    asn_last: int
    leaves: int
    leaf_asns: int
    spine_groups: int
    spine_asns: int
    uplinks: int
    lossless: Lossless
    bfd: Bfd
    headroom: tuple[Headroom, ...] = ()
    headroom_source: str | None = None
    shared_buffer_bytes: int | None = None
    shared_buffer_source: str | None = None
    max_paths_limit: int | None = None
    adaptive_routing: bool | None = None
    bad_releases: tuple[BadRelease, ...] = ()
    ntp_servers: tuple[str, ...] = ()
    syslog_servers: tuple[str, ...] = ()
    management: tuple[str, ...] = ()
    management_gateway: str | None = None
    management_gateway6: str | None = None
    rails_v6: bool = False
    systems: tuple[Nos, ...] | None = None


class PortIntent(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """One port. `native` is the system's name (`Ethernet16`, `swp2s0`), and so is `peer_port`; lanes count from 0.

    `addresses` are with prefix length. `cable_m` is the ordered length, 0 where no cable is; `sub` is None in a cage that isn't
    split, else from 0.
    """

    native: str
    number: int
    cage: int
    sub: int | None
    lanes: tuple[int, ...]
    breakout: int
    speed_gbps: float
    mtu: int
    role: PortRole
    peer_device: str = ""
    peer_port: str = ""
    cable_m: float = 0.0
    addresses: tuple[str, ...] = ()
    headroom: Headroom | None = None
    fec: str = "rs"
    peer_is_switch: bool = False


class SwitchIntent(msgspec.Struct, frozen=True, rename="camel"):
    """One switch. `site` holds what is the same on all of them (lossless contract, BFD, servers, management networks).

    `loopbacks` are with prefix length, IPv4 first; so are `management_addresses`, those of `eth0` (EOS: `Management1`) in its
    own VRF.
    `headroom_bytes` and `longest_m` are those of all planned ports (`SwitchRouting`).
    """

    hostname: str
    role: Literal["leaf", "spine", "core"]
    model: str
    unit: int | None
    rail: int | None
    plane: int
    asn: int
    router_id: str
    loopbacks: tuple[str, ...]
    subnets: tuple[str, ...]
    uplinks: int
    maximum_paths: int
    management_addresses: tuple[str, ...]
    ports: tuple[PortIntent, ...]
    site: RoutingPlan
    headroom_bytes: int
    longest_m: float

    def wired(self) -> tuple[PortIntent, ...]:
        """Ports with a cable, in port order."""
        return tuple(port for port in self.ports if port.role != "unused")

    def fabric_ports(self) -> tuple[PortIntent, ...]:
        """Ports towards other switches, where BGP speaks."""
        return tuple(port for port in self.wired() if port.peer_is_switch)
