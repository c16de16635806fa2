"""frr.conf of a switch, line by line as `show running-config` prints it (FRR 8.4), so that both can be compared.

What FRR's profile `datacenter` implies (timers 3/9, no policy needed on external sessions) is not written: FRR wouldn't print
it.
"""

from collections.abc import Iterator
from ipaddress import ip_interface, ip_network

from railyard.model.switch_intent import PortIntent, SwitchIntent

GROUP = "FABRIC"
ROUTE_MAP = "CONNECTED"
PREFIX_LIST = "LOCAL"
RA_INTERVAL_S = 10
FRR_BFD = (300, 3)
"""FRR's own BFD interval (ms) and multiplier: not printed when they are meant."""


def frr(intent: SwitchIntent) -> str:
    """The whole file. Same intent, same text."""
    blocks = [
        [
            "frr defaults datacenter",
            f"hostname {intent.hostname}",
            "log syslog informational",
            "service integrated-vtysh-config",
        ],
        *_interfaces(intent),
        _bgp(intent),
        *_policy(intent),
        *_bfd(intent),
        ["end"],
    ]
    return "\n!\n".join("\n".join(block) for block in blocks if block) + "\n"


def _interfaces(intent: SwitchIntent) -> Iterator[list[str]]:
    yield ["interface lo", *_addresses(intent.loopbacks), "exit"]
    for port in intent.wired():
        unnumbered = [f" ipv6 nd ra-interval {RA_INTERVAL_S}", " no ipv6 nd suppress-ra"]
        lines = unnumbered if port.peer_is_switch else list(_addresses(port.addresses))
        yield [f"interface {port.native}", f" description {describe(port)}", *lines, "exit"]


def describe(port: PortIntent) -> str:
    """What hangs on a port, for people who stand in front of it."""
    return f"to {port.peer_device} {port.peer_port}"


def _addresses(addresses: tuple[str, ...]) -> Iterator[str]:
    for text in addresses:
        yield f" {'ipv6' if ':' in text else 'ip'} address {text}"


def _bgp(intent: SwitchIntent) -> list[str]:
    neighbors = [f" neighbor {port.native} interface peer-group {GROUP}" for port in intent.fabric_ports()]
    bfd = [f" neighbor {GROUP} bfd", f" neighbor {GROUP} bfd profile {GROUP}"] if intent.site.bfd.enabled else []
    lines = [
        f"router bgp {intent.asn}",
        f" bgp router-id {intent.router_id}",
        " bgp bestpath as-path multipath-relax",
        f" neighbor {GROUP} peer-group",
        f" neighbor {GROUP} remote-as external",
        *bfd,
        *neighbors,
    ]
    for version in versions(intent):
        lines += [" !", *_family(intent, version)]
    return [*lines, "exit"]


def versions(intent: SwitchIntent) -> tuple[int, ...]:
    """Address families that the fabric routes."""
    return (4, 6) if intent.site.rails_v6 else (4,)


def _family(intent: SwitchIntent, version: int) -> list[str]:
    aggregates = [f"  aggregate-address {text} summary-only" for text in of_version(intent.subnets, version)]
    # IPv4 unicast is on for every neighbour by itself; FRR doesn't print it.
    activate = [f"  neighbor {GROUP} activate"] if version == 6 else []
    return [
        f" address-family ipv{version} unicast",
        *aggregates,
        f"  redistribute connected route-map {name_of(ROUTE_MAP, version)}",
        *activate,
        f"  maximum-paths {intent.maximum_paths}",
        " exit-address-family",
    ]


def _policy(intent: SwitchIntent) -> Iterator[list[str]]:
    """Only loopback and node subnets leave the switch: whatever else is connected to it stays its own business."""
    for version in versions(intent):
        word, prefix_list = "ip" if version == 4 else "ipv6", name_of(PREFIX_LIST, version)
        lines = [
            f"{word} prefix-list {prefix_list} seq {10 * index} permit {prefix}{f' le {longest}' if longest else ''}"
            for index, (prefix, longest) in enumerate(announced(intent, version), 1)
        ]
        yield lines
    for version in versions(intent):
        word = "ip" if version == 4 else "ipv6"
        yield [
            f"route-map {name_of(ROUTE_MAP, version)} permit 10",
            f" match {word} address prefix-list {name_of(PREFIX_LIST, version)}",
            "exit",
        ]


def announced(intent: SwitchIntent, version: int) -> list[tuple[str, int | None]]:
    """(prefix, longest prefix length inside of it) of everything that a switch tells its neighbours."""
    loopbacks = [(str(ip_interface(text).network), None) for text in of_version(intent.loopbacks, version)]
    pair = 31 if version == 4 else 127
    return [*loopbacks, *((text, pair) for text in of_version(intent.subnets, version))]


def of_version(texts: tuple[str, ...], version: int) -> list[str]:
    """The networks of one IP version."""
    return [text for text in texts if ip_network(text, strict=False).version == version]


def name_of(name: str, version: int) -> str:
    """Name of a policy object: IPv4 without a number, IPv6 with it."""
    return name if version == 4 else f"{name}6"


def _bfd(intent: SwitchIntent) -> Iterator[list[str]]:
    bfd = intent.site.bfd
    if not bfd.enabled:
        return
    times = [f"  transmit-interval {bfd.interval_ms}", f"  receive-interval {bfd.interval_ms}"]
    multiplier = [f"  detect-multiplier {bfd.multiplier}"] if bfd.multiplier != FRR_BFD[1] else []
    yield ["bfd", f" profile {GROUP}", *multiplier, *(times if bfd.interval_ms != FRR_BFD[0] else []), " exit", " !", "exit"]
