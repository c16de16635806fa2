"""Routed fabrics: AS numbers, paths, subnets, spread, releases, management. Sources: `rules.routing_texts`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from ipaddress import collapse_addresses, ip_address, ip_interface, ip_network

from railyard.model.plan import AddressRow, SwitchPlan
from railyard.model.switch_intent import RoutingPlan
from railyard.plan.asn import FIRST_PRIVATE, LAST_PRIVATE
from railyard.plan.names import listed
from railyard.rules.lossless import LOSSLESS_SITE, LOSSLESS_SWITCH
from railyard.rules.registry import Finding, Predicate, ordered, run
from railyard.rules.routing_texts import (
    FABRIC_050,
    FABRIC_051,
    FABRIC_052,
    FABRIC_061,
    FABRIC_062,
    FABRIC_063,
    FABRIC_064,
    FABRIC_067,
)
from railyard.rules.thresholds import DEFAULTS, Thresholds

_FABRIC = "railyard:fabric"
_SONIC_BFD = (300, 3)
"""What a session of SONiC's BGP gets (ms, multiplier): its tables switch BFD on and say no more."""
_HOLD_MS = 9_000
"""BGP's hold time in every rendering, 3 x 3 s: FRR's datacenter defaults."""
_WIDE_BITS = 8
"""A shorter prefix is named when management networks are too many addresses."""
ADAPTIVE_NOS = ("cumulus",)
"""Systems whose adaptive routing the renderers know how to switch on."""


def check_routing(routing: RoutingPlan | None, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about the routing of a whole fabric; nothing where it isn't routed."""
    return run(ROUTING_PREDICATES, routing, _FABRIC, thresholds) if routing else []


def check_routed_switch(switch: SwitchPlan, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about routing and flow control of one switch."""
    return run(ROUTED_SWITCH_PREDICATES, switch, switch.name, thresholds) if switch.routing else []


def check_rail_networks(rows: Iterable[AddressRow]) -> list[Finding]:
    """FABRIC-052 over all addresses: no two rails of a device in one network, whatever the fabric."""
    nets: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        if row.network.startswith("rail-") and not row.address.startswith("127."):
            nets[row.device, _network(row.address, row.prefix)].add(row.interface)
    return ordered(
        FABRIC_052.finding(device, f"{listed(sorted(names))} are in {network}", "a network of its own for each rail")
        for (device, network), names in nets.items()
        if len(names) > 1
    )


def _network(address: str, prefix: int) -> str:
    """Network of an address. By hand for IPv4: a large site has 260,000 rows."""
    if ":" in address:
        return str(ip_interface(f"{address}/{prefix}").network)
    one, two, three, four = map(int, address.split("."))
    number = (one << 24 | two << 16 | three << 8 | four) >> (32 - prefix) << (32 - prefix) if prefix else 0
    return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}/{prefix}"


def _numbers(site: RoutingPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-050."""
    if site.leaf_asns != site.leaves:
        yield FABRIC_050.finding(where, f"{site.leaf_asns} AS numbers for {site.leaves} leaves", "one for each leaf")
    if site.spine_asns != site.spine_groups:
        found = f"{site.spine_asns} AS numbers for {site.spine_groups} planes and pods of spines"
        yield FABRIC_050.finding(where, found, "one for each plane and pod")
    if site.asn_base < FIRST_PRIVATE or site.asn_last > LAST_PRIVATE:
        found = f"{site.asn_base} to {site.asn_last}"
        yield FABRIC_050.finding(f"{_FABRIC}.asnBase", found, f"{FIRST_PRIVATE} to {LAST_PRIVATE}")


def _paths(switch: SwitchPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-051 on one switch."""
    own = switch.routing
    if own and own.maximum_paths < own.uplinks:
        yield FABRIC_051.finding(where, f"maximum-paths {own.maximum_paths}", f"{own.uplinks} uplinks")


def _path_limit(site: RoutingPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-051 for the system: it holds as many next hops as a leaf has uplinks."""
    if site.max_paths_limit is None:
        found = f"how many paths {site.nos} holds on {site.asic or 'an ASIC that nobody knows'} is unknown"
        yield FABRIC_051.undecided(
            f"{_FABRIC}.nos", found, f"{site.uplinks} paths", "enter maxPaths in railyard/catalog/asics.yaml"
        )
    elif site.uplinks > site.max_paths_limit:
        found = f"{site.uplinks} uplinks of a leaf in each plane"
        yield FABRIC_051.finding(f"{_FABRIC}.nos", found, f"{site.max_paths_limit} paths with {site.nos}")


def _subnet(switch: SwitchPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-052 on one leaf."""
    if switch.role == "leaf" and switch.routing and not switch.routing.subnets:
        yield FABRIC_052.finding(where, "no subnet for its node ports", "one for each IP version of the rails")


def _router_id(switch: SwitchPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-064."""
    if switch.routing and switch.routing.router_id == "0.0.0.0":  # noqa: S104 - a router id, no socket
        yield FABRIC_064.finding(where, "no IPv4 loopback", "one for each switch")


def _spread(site: RoutingPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-061."""
    if site.tiers < 2:
        return
    contract, key = site.lossless, f"{_FABRIC}.lossless.spread"
    if contract.spread == "none":
        yield FABRIC_061.finding(key, f"none over {site.tiers} tiers", "adaptive-routing or qp-spread")
    elif contract.spread == "qp-spread" and contract.qps_per_connection < 2:
        found = "one queue pair for each connection"
        yield FABRIC_061.finding(f"{_FABRIC}.lossless.qpsPerConnection", found, "at least 2")
    elif contract.spread == "adaptive-routing" and (site.nos not in ADAPTIVE_NOS or site.adaptive_routing is False):
        found = f"adaptive routing with {site.nos} on {site.asic or 'an unknown ASIC'}"
        yield FABRIC_061.finding(key, found, f"a system that railyard switches it on with: {', '.join(ADAPTIVE_NOS)}")
    elif contract.spread == "adaptive-routing" and site.adaptive_routing is None:
        found = "whether the ASIC routes adaptively is unknown"
        yield FABRIC_061.undecided(key, found, "an ASIC that does", "enter adaptiveRouting in railyard/catalog/asics.yaml")


def _release(site: RoutingPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-062."""
    if not site.nos_named:
        yield FABRIC_062.finding(f"{_FABRIC}.nos", f"not set, files are for {site.nos}", "sonic, cumulus, eos or frr")
    if site.nos_version is None:
        yield FABRIC_062.finding(f"{_FABRIC}.nosVersion", "not set", f"the release of {site.nos} that was tested")
    if site.asic is None:
        fix = "enter the ASIC with its boxes in railyard/catalog/asics.yaml"
        yield FABRIC_062.undecided(f"{_FABRIC}.switchModel", "the switch's ASIC is unknown", "a known ASIC", fix)
    for row in site.bad_releases:
        several = not row.several_classes or len(site.lossless.lossless_priorities) > 1
        if row.nos == site.nos and several and _matches(site.nos_version, row.versions):
            found = f"{site.nos} {site.nos_version or '(any release)'} on {site.asic}: {row.fault}"
            yield FABRIC_062.finding(f"{_FABRIC}.nosVersion", found, f"a release without {row.issue}")


def _matches(version: str | None, known: Iterable[str]) -> bool:
    """Whether a release begins with one of the known ones, part by part: `5.1` is not `5.14`."""
    for one in known:
        if one == "*":
            return True
        if version is not None and (version == one or version.startswith((f"{one}.", f"{one}-", f"{one}_"))):
            return True
    return False


def _managed(site: RoutingPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-063."""
    if not site.ntp_servers:
        yield FABRIC_063.finding("railyard:addresses.ntpServers", "none", "at least one time server")
    if not site.syslog_servers:
        yield FABRIC_063.finding("railyard:addresses.syslogServers", "none", "at least one log server")
    yield from _open(site.management)
    version = ip_address(site.management_gateway).version if site.management_gateway else 4
    if all(ip_network(network, strict=False).version != version for network in site.management):
        found = f"no IPv{version} network, and the switches' management addresses are IPv{version}"
        yield FABRIC_063.finding("railyard:addresses.management", found, "a network that reaches them: nobody could log in")
    if site.nos == "sonic" and site.bfd.enabled and (site.bfd.interval_ms, site.bfd.multiplier) != _SONIC_BFD:
        found = f"{site.bfd.multiplier} x {site.bfd.interval_ms} ms, which config_db.json has no field for"
        yield FABRIC_063.finding(f"{_FABRIC}.bfd", found, f"{_SONIC_BFD[1]} x {_SONIC_BFD[0]} ms, FRR's own")
    if site.bfd.enabled and site.bfd.interval_ms * site.bfd.multiplier >= _HOLD_MS:
        found = f"{site.bfd.multiplier} x {site.bfd.interval_ms} ms"
        yield FABRIC_063.finding(f"{_FABRIC}.bfd", found, f"less than BGP's hold time, {_HOLD_MS} ms")
    if not site.bfd.enabled:
        yield FABRIC_063.finding(f"{_FABRIC}.bfd.enabled", "off", "on: a one-way fault is found in less than the hold time")


def _open(management: Iterable[str]) -> Iterator[Finding]:
    """FABRIC-063: networks that are, alone or together, half of an IP version or more: 0.0.0.0/1 and 128.0.0.0/1 let all in."""
    networks = [ip_network(network, strict=False) for network in management]
    for version, bits in ((4, 32), (6, 128)):
        mine = [network for network in networks if network.version == version]
        if sum(one.num_addresses for one in collapse_addresses(mine)) >= 2 ** (bits - 1):  # pyright: ignore
            wide = [str(network) for network in mine if network.prefixlen < _WIDE_BITS] or [str(network) for network in mine]
            found = f"{listed(wide)} may log in: half of IPv{version} or more"
            yield FABRIC_063.finding("railyard:addresses.management", found, "management networks only")


def _installable(site: RoutingPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-067. An ASIC that nobody knows is FABRIC-062's to say."""
    if site.systems is not None and site.nos not in site.systems:
        fix = f"set it to {' or '.join(site.systems)}, or take a switch that {site.nos} runs on"
        yield FABRIC_067.finding(f"{_FABRIC}.nos", f"{site.nos} on {site.asic}", f"one of {', '.join(site.systems)}", fix)


ROUTING_PREDICATES: tuple[Predicate[RoutingPlan], ...] = (
    Predicate(
        (FABRIC_050,), frozenset({"leaf_asns", "leaves", "spine_asns", "spine_groups", "asn_base", "asn_last"}), _numbers
    ),
    Predicate((FABRIC_051,), frozenset({"uplinks", "max_paths_limit", "nos", "asic"}), _path_limit),
    Predicate((FABRIC_061,), frozenset({"tiers", "lossless", "nos", "asic", "adaptive_routing"}), _spread),
    Predicate((FABRIC_062,), frozenset({"nos", "nos_named", "nos_version", "asic", "bad_releases", "lossless"}), _release),
    Predicate(
        (FABRIC_063,), frozenset({"ntp_servers", "syslog_servers", "management", "management_gateway", "bfd", "nos"}), _managed
    ),
    Predicate((FABRIC_067,), frozenset({"nos", "asic", "systems"}), _installable),
    *LOSSLESS_SITE,
)
ROUTED_SWITCH_PREDICATES: tuple[Predicate[SwitchPlan], ...] = (
    Predicate((FABRIC_051,), frozenset({"routing"}), _paths),
    Predicate((FABRIC_052,), frozenset({"routing", "role"}), _subnet),
    Predicate((FABRIC_064,), frozenset({"routing"}), _router_id),
    *LOSSLESS_SWITCH,
)
