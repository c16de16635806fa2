"""Arista EOS as text. No ASIC is here to run it on: it is marked unproved.

Names: Arista AVD's EOS schema, and a public DCQCN sample of a 7388.

Its lines were compared once with those that the templates of pyavd 6.4.0 (Apache-2.0) make of the same intent; pyavd brings 30
packages and 150 MB, so it isn't a dependency of the tests. What it has no key for is from EOSR: timers, IPv6 access groups.

Thresholds carry their unit: EOS would take a bare number as something else on another platform.
It is `ip routing ipv6 interfaces`, not `ip routing`: links between switches have no IPv4 address, and over such a port EOS
routes no IPv4 otherwise.
"""

from collections.abc import Iterator
from math import floor

from railyard.model.switch_intent import PortIntent, SwitchIntent
from railyard.plan.lossless import mark_percent
from railyard.render.switches.frr import (
    GROUP,
    PREFIX_LIST,
    ROUTE_MAP,
    announced,
    describe,
    name_of,
    of_version,
    versions,
)

PROFILE = "ROCE"
ACL = "MANAGEMENT"
PEERS = "FABRIC-ASNS"
KBYTE = 1000
MS_PER_S = 1000


def eos(intent: SwitchIntent) -> str:
    """The whole running configuration that we own. Same intent, same text."""
    blocks = [
        [
            f"hostname {intent.hostname}",
            "service routing protocols model multi-agent",
            "ip routing ipv6 interfaces",
            "ipv6 unicast-routing",
        ],
        *_services(intent),
        _maps(intent),
        *_profile(intent),
        *(_port(port) for port in intent.ports),
        *_loopback(intent),
        *_policy(intent),
        # Neighbours by interface: the far end's number is any of the plan's own range.
        [f"peer-filter {PEERS}", f"   10 match as-range {intent.site.asn_base}-{intent.site.asn_last} result accept"],
        _bgp(intent),
        ["end"],
    ]
    return "\n!\n".join("\n".join(block) for block in blocks if block) + "\n"


def _services(intent: SwitchIntent) -> Iterator[list[str]]:
    site = intent.site
    yield ["vrf instance MGMT"]
    yield [f"ntp server vrf MGMT {server}" for server in site.ntp_servers]
    yield [f"logging vrf MGMT host {server}" for server in site.syslog_servers]
    for version in (4, 6):
        networks = of_version(site.management, version)
        word = "ip" if version == 4 else "ipv6"
        permits = [f"   {10 * index} permit {network}" for index, network in enumerate(networks, 1)]
        head = f"{word} access-list standard {name_of(ACL, version)}"
        yield [head, *permits, f"   {10 * len(networks) + 10} deny any"]
    # Also in the default VRF, which holds the rails: without a list it lets every node log in.
    groups = ((word, name, where) for word, name in (("ip", ACL), ("ipv6", name_of(ACL, 6))) for where in ("", " vrf MGMT"))
    lists = [f"   {word} access-group {name}{where} in" for word, name, where in groups]
    yield ["management ssh", *lists, "   !", "   vrf MGMT", "      no shutdown"]
    if intent.management_addresses:
        lines = [f"   {'ipv6' if ':' in text else 'ip'} address {text}" for text in intent.management_addresses]
        yield ["interface Management1", "   vrf MGMT", *lines]
    for gateway in (site.management_gateway, site.management_gateway6):
        if gateway:
            yield [f"{'ipv6 route vrf MGMT ::/0' if ':' in gateway else 'ip route vrf MGMT 0.0.0.0/0'} {gateway}"]


def _maps(intent: SwitchIntent) -> list[str]:
    contract = intent.site.lossless
    return [
        f"qos map dscp {contract.dscp} to traffic-class {contract.priority}",
        f"qos map dscp {contract.cnp_dscp} to traffic-class {contract.cnp_class}",
        f"qos map traffic-class {contract.priority} to dscp {contract.dscp}",
    ]


def _profile(intent: SwitchIntent) -> Iterator[list[str]]:
    contract = intent.site.lossless
    watchdog = contract.watchdog
    if watchdog.enabled:
        yield [
            f"priority-flow-control pause watchdog default timeout {watchdog.detection_ms / MS_PER_S:g}",
            f"priority-flow-control pause watchdog default recovery-time {watchdog.restores_ms / MS_PER_S:g}",
            f"priority-flow-control pause watchdog default polling-interval {watchdog.poll_ms / MS_PER_S:g}",
            f"priority-flow-control pause watchdog action {'drop' if watchdog.action == 'drop' else 'notify-only'}",
        ]
    lines = [f"qos profile {PROFILE}", "   qos trust dscp", "   priority-flow-control on"]
    lines += [f"   priority-flow-control priority {priority} no-drop" for priority in contract.lossless_priorities]
    lines += ["   !", f"   uc-tx-queue {contract.cnp_class}", "      priority strict"]
    lines += ["   !", f"   uc-tx-queue {contract.priority}", "      no priority", "      bandwidth percent 50"]
    if contract.congestion == "ecn":
        low, high = floor(contract.kmin_bytes / KBYTE), floor(contract.kmax_bytes / KBYTE)
        mark = f"minimum-threshold {low} kbytes maximum-threshold {high} kbytes"
        lines.append(f"      random-detect ecn {mark} max-mark-probability {mark_percent(contract)} weight 0")
        lines.append("      random-detect ecn count")
    yield lines


def _port(port: PortIntent) -> list[str]:
    if port.role == "unused":
        return [f"interface {port.native}", "   shutdown"]
    lines = [
        f"interface {port.native}",
        f"   description {describe(port)}",
        f"   mtu {port.mtu}",
        f"   speed {port.speed_gbps:g}g-{len(port.lanes)}",
        "   error-correction encoding reed-solomon",
        "   no switchport",
    ]
    lines += [f"   {'ipv6' if ':' in text else 'ip'} address {text}" for text in port.addresses]
    return [*lines, *(["   ipv6 enable"] if port.peer_is_switch else []), f"   service-profile {PROFILE}"]


def _loopback(intent: SwitchIntent) -> Iterator[list[str]]:
    addresses = [f"   {'ipv6' if ':' in text else 'ip'} address {text}" for text in intent.loopbacks]
    yield ["interface Loopback0", *addresses]


def _policy(intent: SwitchIntent) -> Iterator[list[str]]:
    for version in versions(intent):
        word = "ip" if version == 4 else "ipv6"
        lines = [
            f"   seq {10 * index} permit {prefix}{f' le {longest}' if longest else ''}"
            for index, (prefix, longest) in enumerate(announced(intent, version), 1)
        ]
        yield [f"{word} prefix-list {name_of(PREFIX_LIST, version)}", *lines]
        match = f"   match {word} address prefix-list {name_of(PREFIX_LIST, version)}"
        yield [f"route-map {name_of(ROUTE_MAP, version)} permit 10", match]


def _bgp(intent: SwitchIntent) -> list[str]:
    bfd = intent.site.bfd
    times = f"interval {bfd.interval_ms} min-rx {bfd.interval_ms} multiplier {bfd.multiplier}"
    lines = [
        f"router bgp {intent.asn}",
        f"   router-id {intent.router_id}",
        "   timers bgp 3 9",
        f"   maximum-paths {intent.maximum_paths} ecmp {intent.maximum_paths}",
        f"   neighbor {GROUP} peer group",
        *([f"   neighbor {GROUP} bfd", f"   neighbor {GROUP} bfd {times}"] if bfd.enabled else []),
        *(f"   aggregate-address {text} summary-only" for text in intent.subnets),
        *(f"   neighbor interface {port.native} peer-group {GROUP} peer-filter {PEERS}" for port in intent.fabric_ports()),
    ]
    for version in versions(intent):
        lines += [
            "   !",
            f"   address-family ipv{version}",
            f"      neighbor {GROUP} activate",
            *([f"      neighbor {GROUP} next-hop address-family ipv6 originate"] if version == 4 else []),
            f"      redistribute connected route-map {name_of(ROUTE_MAP, version)}",
        ]
    return lines
