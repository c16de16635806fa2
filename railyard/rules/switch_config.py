"""What a configuration must say, judged on its text or tables: FABRIC-065 (FRR) and FABRIC-066 (SONiC).

`vtysh -C` and SONiC's YANG models accept what these find (verified: FRR 8.4; sonic-yang-models). Inputs are a file that
somebody brings (or `show running-config`) and the switch's intent; railyard's own files pass, a test sees to it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from railyard.model.switch_intent import SwitchIntent
from railyard.plan.names import listed
from railyard.read.frr import FrrConfig, read_frr
from railyard.rules.registry import Finding, ordered
from railyard.rules.routing_texts import FABRIC_065

_MEMBER = re.compile(r"^neighbor (\S+) (?:interface (?:v6only )?)?peer-group (\S+)$")
_GROUP = re.compile(r"^neighbor (\S+) peer-group$")
_MAP_USE = re.compile(r"\broute-map (\S+)(?: (?:in|out))?$")
_LIST_USE = re.compile(r"\bprefix-list (\S+)$")
_LIST = re.compile(r"^(?:ip|ipv6) prefix-list (\S+) ")
_ADDRESS = re.compile(r"^(?:ip|ipv6) address (\S+)$")


def check_frr(text: str, intent: SwitchIntent) -> list[Finding]:
    """FABRIC-065: a routing file (or a running configuration) against the plan; port names must be the intent's own."""
    config = read_frr(text)
    where = intent.hostname
    if not config.blocks:
        return [FABRIC_065.finding(where, "no router and no interface in it", "the configuration of this switch")]
    return ordered(
        finding for check in (_process, _neighbors, _defined, _addresses, _paths) for finding in check(config, intent, where)
    )


def _process(config: FrrConfig, intent: SwitchIntent, where: str) -> Iterator[Finding]:
    heads = [head for head, _ in config.named("router bgp")]
    numbers = [head.removeprefix("router bgp").strip() for head in heads]
    if numbers != [str(intent.asn)]:
        found = ", ".join(f"router bgp {number}" for number in numbers) or "no router bgp"
        yield FABRIC_065.finding(where, found, f"router bgp {intent.asn}, once")
    ids = [line for _, lines in config.named("router bgp") for line in lines if line.startswith("bgp router-id ")]
    if ids != [f"bgp router-id {intent.router_id}"]:
        yield FABRIC_065.finding(where, ", ".join(ids) or "no bgp router-id", f"bgp router-id {intent.router_id}, once")


def _bgp_lines(config: FrrConfig) -> list[str]:
    return [line for _, lines in config.named("router bgp") for line in lines]


def _neighbors(config: FrrConfig, intent: SwitchIntent, where: str) -> Iterator[Finding]:
    """Every planned neighbour, no other one, each in a group that exists and says whose number it expects."""
    lines = _bgp_lines(config)
    groups = {found[1] for line in lines if (found := _GROUP.match(line))}
    members = [(found[1], found[2]) for line in lines if (found := _MEMBER.match(line))]
    for group in sorted({group for _, group in members} - groups):
        yield FABRIC_065.finding(where, f"peer-group {group} isn't defined", f"neighbor {group} peer-group")
    for group in sorted(groups):
        if f"neighbor {group} remote-as external" not in lines:
            yield FABRIC_065.finding(where, f"peer-group {group} doesn't say remote-as external", "external neighbours only")
    yield from _difference(where, "neighbour", {port.native for port in intent.fabric_ports()}, [name for name, _ in members])


def _difference(where: str, what: str, wanted: set[str], found: Iterable[str]) -> Iterator[Finding]:
    counts = Counter(found)
    missing, more = sorted(wanted - set(counts)), sorted(set(counts) - wanted)
    twice = sorted(name for name, count in counts.items() if count > 1)
    if missing:
        yield FABRIC_065.finding(where, f"no {what} {listed(missing)}", f"{len(wanted)} planned")
    if more:
        yield FABRIC_065.finding(where, f"unplanned {what} {listed(more)}", f"{len(wanted)} planned")
    if twice:
        yield FABRIC_065.finding(where, f"{what} {listed(twice)} more than once", "once each")


def _defined(config: FrrConfig, _intent: SwitchIntent, where: str) -> Iterator[Finding]:
    """Route-maps and prefix-lists that are used exist: an undefined one lets everything, or nothing, pass."""
    maps = {head.split()[1] for head, _ in config.named("route-map ")}
    lists = {found[1] for line in config.top if (found := _LIST.match(line))}
    lines = [line for head, inner in config.blocks for line in inner if not head.startswith("interface ")]
    used_maps = {found[1] for line in lines if (found := _MAP_USE.search(line))}
    used_lists = {found[1] for line in lines if (found := _LIST_USE.search(line))}
    for kind, missing in (("route-map", used_maps - maps), ("prefix-list", used_lists - lists)):
        for name in sorted(missing):
            yield FABRIC_065.finding(where, f"{kind} {name} isn't defined", f"every {kind} that is used")


def _addresses(config: FrrConfig, intent: SwitchIntent, where: str) -> Iterator[Finding]:
    """Each planned address on its interface; none twice in the whole file."""
    wanted = {f"lo {text}" for text in intent.loopbacks}
    wanted |= {f"{port.native} {text}" for port in intent.wired() for text in port.addresses}
    found = [
        f"{head.split()[1]} {address[1]}"
        for head, lines in config.named("interface ")
        for line in lines
        if (address := _ADDRESS.match(line))
    ]
    yield from _difference(where, "address", wanted, found)
    counts = Counter(text.split()[1].partition("/")[0] for text in found)
    for address in sorted(address for address, count in counts.items() if count > 1):
        yield FABRIC_065.finding(where, f"{address} stands on {counts[address]} interfaces", "one interface for each address")


def _paths(config: FrrConfig, intent: SwitchIntent, where: str) -> Iterator[Finding]:
    """Paths and announced subnets of each address family."""
    lines = _bgp_lines(config)
    for version in (4, 6) if intent.site.rails_v6 else (4,):
        family = f"ipv{version} unicast: "
        own = [line.removeprefix(family) for line in lines if line.startswith(family)]
        paths = [line for line in own if line.startswith("maximum-paths ")]
        if paths != [f"maximum-paths {intent.maximum_paths}"]:
            found = f"ipv{version} {', '.join(paths) or 'without maximum-paths'}"
            yield FABRIC_065.finding(where, found, f"maximum-paths {intent.maximum_paths}")
        subnets = {text for text in intent.subnets if (":" in text) == (version == 6)}
        told = [line.split()[1] for line in own if line.startswith("aggregate-address ")]
        yield from _difference(where, f"ipv{version} aggregate", subnets, told)
