"""Addresses: blocks that overlap, addresses that are given twice or can't be given, services that stand on somebody else's.

Block sizes are counted by the planner (PLAN-006) and reported as ADDR-002. The planner keeps offset 1 of each block for its
gateway (railyard/plan/addresses.py).
"""

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from itertools import combinations
from urllib.parse import urlsplit

from railyard.model.plan import AddressRow
from railyard.model.site import Addresses, StackFile
from railyard.rules.address_texts import ADDR_001, ADDR_003, ADDR_005, ADDR_006, ADDR_007
from railyard.rules.registry import Finding, ordered

_BLOCKS = {
    "oob": "oob",
    "in_band": "inBand",
    "storage": "storage",
    "rails": "rails",
    "pods": "pods",
    "services": "services",
}
_VIRTUAL = ("pods", "services")
_GATEWAY = 1
_OWN = {0: "the network itself", _GATEWAY: "kept for the gateway"}
_SMALLEST = 3
"""Last offset of a /30, the smallest network that has addresses of its own."""


def check_addresses(addresses: Addresses) -> list[Finding]:
    """ADDR-001 and ADDR-003 over the blocks of the stack file. Blocks that are no network at all were refused by the loader."""
    return ordered([*_host_bits(addresses), *_overlaps(addresses)])


def check_given(rows: Iterable[AddressRow]) -> list[Finding]:
    """ADDR-005 and ADDR-006 over every planned address: each is given once, and none is its network's own."""
    owners: dict[str, AddressRow] = {}
    findings: list[Finding] = []
    for row in rows:
        first = owners.setdefault(row.address, row)
        if first is not row:
            found = f"{row.address} is that of {_interface(first)} and of {_interface(row)}"
            findings.append(ADDR_005.finding(_interface(row), found, "one interface for each address"))
        kept = _kept(row)
        if kept:
            findings.append(ADDR_006.finding(_interface(row), f"{row.address}/{row.prefix} is {kept}", "an address for hosts"))
    return ordered(findings)


def check_services(file: StackFile, rows: Iterable[AddressRow]) -> list[Finding]:
    """ADDR-007: where the stack file says that a service answers, no device of the plan does, and no pod or virtual service.

    Host names are left alone: what they resolve to is no matter of the plan.
    """
    owners = {row.address: row for row in rows}
    blocks = {name: network for name, network in _networks(file.addresses).items() if name in _VIRTUAL}
    findings: list[Finding] = []
    for key, address in _services(file):
        owner = owners.get(str(address))
        if owner:
            found = f"{address} is given to {_interface(owner)}"
            findings.append(ADDR_007.finding(key, found, "an address that no device has"))
        for name, network in blocks.items():
            if address in network:
                found = f"{address} lies in {name} {network}"
                findings.append(ADDR_007.finding(key, found, "an address outside of pods and services"))
    return ordered(findings)


def _services(file: StackFile) -> Iterator[tuple[str, IPv4Address | IPv6Address]]:
    """(key, address) of everything that the stack file says to be reachable under an address."""
    hosts: dict[str, str] = {f"railyard:addresses.ntpServers[{n}]": host for n, host in enumerate(file.addresses.ntp_servers)}
    urls: Mapping[str, str | None] = {
        "railyard:platform.controlPlane.endpoint": file.platform.control_plane.endpoint,
        "railyard:install.serviceUrl": file.install.service_url,
        "railyard:replication.endpoint": file.replication and file.replication.endpoint,
        "railyard:peer.endpoint": file.peer and file.peer.endpoint,
    }
    hosts |= {key: urlsplit(url).hostname or "" for key, url in urls.items() if url}
    for key, host in hosts.items():
        try:
            yield key, ip_address(host)
        except ValueError:
            continue


def _kept(row: AddressRow) -> str | None:
    """What an address is to its own network, if anything. Loopback blocks of emulated sites have neither gateway nor broadcast.

    Packed bytes, not ipaddress: a large site has 25,000 rows.
    """
    if row.address.startswith("127."):
        return None
    four = ":" not in row.address
    last = (1 << ((32 if four else 128) - row.prefix)) - 1
    offset = int(ip_address(row.address)) & last
    # A network of one or two addresses (/31, /32, /127, /128) has hosts only; IPv6 has no broadcast.
    if last < _SMALLEST or _GATEWAY < offset < last or (offset == last and not four):
        return None
    return _OWN.get(offset, "the broadcast address")


def _interface(row: AddressRow) -> str:
    return f"{row.device}/{row.interface}"


def _overlaps(addresses: Addresses) -> Iterator[Finding]:
    """Every pair that shares an address, as real networks (users.md cases 35 and 36)."""
    for (one, first), (two, second) in combinations(_networks(addresses).items(), 2):
        # IPv4 and IPv6 never overlap, and ipaddress refuses to compare them.
        if first.version == second.version and first.overlaps(second):
            found = f"{one} {first} and {two} {second} overlap"
            yield ADDR_001.finding(f"railyard:addresses.{two}", found, "no shared address")


def _host_bits(addresses: Addresses) -> Iterator[Finding]:
    """A block with host bits set is another network than it looks."""
    for name, network in _networks(addresses).items():
        written = _written(addresses, name)
        if written.partition("/")[0] != str(network.network_address):
            yield ADDR_003.finding(
                f"railyard:addresses.{name}", f"{written} is really {network}", "a network address", f"write {network}"
            )


def _networks(addresses: Addresses) -> dict[str, IPv4Network | IPv6Network]:
    return {name: ip_network(_written(addresses, name), strict=False) for name in _BLOCKS.values()}


def _written(addresses: Addresses, name: str) -> str:
    fields = {outside: inside for inside, outside in _BLOCKS.items()}
    return str(getattr(addresses, fields[name]))
