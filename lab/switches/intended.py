"""What a switch must do, read from the configuration that it was sent: the one form that both kinds of switch agree on."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_ASN = 2**32 - 1


class RefusedError(Exception):
    """The configuration can't be taken: `where` is the path in it, `reason` what the switch says."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.where, self.reason = where, reason


@dataclass(frozen=True)
class Port:
    """One port: MTU in bytes, switched on or off, addresses with prefix length."""

    mtu: int = 9216
    up: bool = True
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Peer:
    """A BGP neighbour: a port (unnumbered) or an address. `remote_as`: external, internal or a number.

    `bfd`: (multiplier, receive and transmit interval in ms), None without. `maps`: (family, route map, `in` or `out`).
    """

    name: str
    remote_as: str
    bfd: tuple[int, int, int] | None = None
    maps: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Bgp:
    """The default VRF's BGP. Timers in seconds.

    What is announced: `connected` (family, route map or ''), `networks` and `aggregates` (family, prefix); of an aggregate only
    the summary. `policy`: prefix lists and route maps, as FRR writes them. `profile`: FRR's defaults that the system starts it
    with; the traditional ones discard the routes of an external neighbour without route maps (RFC 8212).
    """

    asn: int
    router_id: str
    peers: tuple[Peer, ...] = ()
    paths: int = 64
    relax: bool = True
    connected: tuple[tuple[str, str], ...] = ()
    networks: tuple[tuple[str, str], ...] = ()
    aggregates: tuple[tuple[str, str], ...] = ()
    policy: tuple[str, ...] = ()
    timers: tuple[int, int] | None = None
    profile: str = "datacenter"


@dataclass(frozen=True)
class Rule:
    """One rule of an access list in front of the management service: who, and let in or not."""

    source: str
    permit: bool


@dataclass(frozen=True)
class Management:
    """How the switch can be managed. `addresses`: those of the management port (none: by DHCP, any)."""

    up: bool = True
    enabled: bool = True
    addresses: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    listen: tuple[str, ...] = ()

    def answers(self, address: str) -> bool:
        """True if the service listens on `address` at all."""
        own = {one.partition("/")[0] for one in self.addresses}
        reached = not own or address in own
        return self.up and self.enabled and reached and (not self.listen or address in self.listen)

    def admits(self, peer: str) -> bool:
        """True if the access list lets `peer` in: the first rule that names it decides; none does: it is let in."""
        for rule in self.rules:
            if rule.source == "any" or ipaddress.ip_address(peer) in ipaddress.ip_network(rule.source, strict=False):
                return rule.permit
        return True


@dataclass(frozen=True)
class Intended:
    """All of it. A port that isn't named is off. `front`: the system's own name of a port -> its place on the front, from 1."""

    hostname: str
    ports: Mapping[str, Port] = field(default_factory=dict)
    front: Mapping[str, int] = field(default_factory=dict)
    loopback: tuple[str, ...] = ()
    bgp: Bgp | None = None
    management: Management = field(default_factory=Management)


def mtu_of(text: object, where: str) -> int:
    """An MTU in bytes. Raises RefusedError outside 552 to 9216."""
    try:
        value = int(str(text))
    except ValueError:
        raise RefusedError(where, f"{text!r} is not a number") from None
    if not 552 <= value <= 9216:
        raise RefusedError(where, f"{value} is not in 552 to 9216")
    return value


def address_of(text: str, where: str) -> str:
    """An address with prefix length. Raises RefusedError."""
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        raise RefusedError(where, f"{text!r} is not an address") from None
    return text


def number_of(text: object, where: str, low: int, high: int) -> int:
    """A whole number between `low` and `high`. Raises RefusedError."""
    try:
        value = int(str(text))
    except ValueError:
        raise RefusedError(where, f"{text!r} is not a number") from None
    if not low <= value <= high:
        raise RefusedError(where, f"{value} is not in {low} to {high}")
    return value


def frr_text(wanted: Intended) -> str:
    """frr.conf of the switch: what its own daemons are started with."""
    lines = [f"frr defaults {wanted.bgp.profile if wanted.bgp else 'datacenter'}", f"hostname {wanted.hostname}", "!"]
    if wanted.bgp is None:
        return "\n".join(lines) + "\n"
    bgp = wanted.bgp
    lines += [*bgp.policy, f"router bgp {bgp.asn}", f" bgp router-id {bgp.router_id}"]
    lines += [f" {'' if bgp.relax else 'no '}bgp bestpath as-path multipath-relax"]
    for peer in bgp.peers:
        kind = "interface " if _is_port(peer.name) else ""
        lines.append(f" neighbor {peer.name} {kind}remote-as {peer.remote_as}")
        if bgp.timers:
            lines.append(f" neighbor {peer.name} timers {bgp.timers[0]} {bgp.timers[1]}")
        # A lost link is seen at once; a peer that isn't there yet is tried again soon.
        lines.append(f" neighbor {peer.name} timers connect 3")
        if peer.bfd:
            lines.append(f" neighbor {peer.name} bfd {' '.join(map(str, peer.bfd))}")
    for family in ("ipv4", "ipv6"):
        lines += [" !", f" address-family {family} unicast"]
        if family == "ipv6":
            lines += [f"  neighbor {peer.name} activate" for peer in bgp.peers]
        lines += [
            f"  neighbor {peer.name} route-map {name} {way}"
            for peer in bgp.peers
            for one, name, way in peer.maps
            if one == family
        ]
        lines += [f"  network {prefix}" for one, prefix in bgp.networks if one == family]
        lines += [f"  aggregate-address {prefix} summary-only" for one, prefix in bgp.aggregates if one == family]
        lines += [
            f"  redistribute connected{f' route-map {name}' if name else ''}" for one, name in bgp.connected if one == family
        ]
        lines += [f"  maximum-paths {bgp.paths}", " exit-address-family"]
    return "\n".join([*lines, "exit", "!"]) + "\n"


def prefix_list(name: str, number: int, action: str, prefix: str, longest: object, where: str) -> str:
    """One rule of a prefix list. Raises RefusedError for a prefix that is none."""
    word = "ipv6" if ":" in prefix else "ip"
    return f"{word} prefix-list {name} seq {number} {action} {address_of(prefix, where)}{f' le {longest}' if longest else ''}"


def route_map(name: str, number: int, action: str, family: str, matched: str) -> list[str]:
    """One entry of a route map; `matched` is a prefix list, '' matches everything."""
    word = "ipv6" if family == "ipv6" else "ip"
    match = [f" match {word} address prefix-list {matched}"] if matched else []
    return [f"route-map {name} {action} {number}", *match, "exit"]


def _is_port(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return True
    return False
