"""Addresses: blocks that overlap, addresses that are given twice or can't be given, services that stand on somebody else's.

Sizes of our own blocks are counted by the planner (PLAN-006) and reported as ADDR-002, those of reserved ones as ADDR-008. The
planner keeps offset 1 of each block for its gateway (railyard/plan/addresses.py).
"""

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from itertools import combinations
from urllib.parse import urlsplit

from railyard.model.plan import AddressRow
from railyard.model.site import Addresses, StackFile
from railyard.plan.addresses import BMC_INTERFACE
from railyard.plan.blocks import usable
from railyard.rules.address_blocks import BlockText, blocks_of, key_of, proposal
from railyard.rules.address_texts import ADDR_001, ADDR_003, ADDR_005, ADDR_006, ADDR_007, ADDR_008
from railyard.rules.registry import Finding, ordered

_GATEWAY = 1
_OWN = {0: "the network itself", _GATEWAY: "kept for the gateway"}
_NO_HOSTS = {
    "this network": "0.0.0.0/8",
    "link-local": "169.254.0.0/16",
    "multicast": "224.0.0.0/4",
    "reserved": "240.0.0.0/4",
    "unspecified or loopback": "::/127",
    "IPv4 in IPv6": "::ffff:0:0/96",
    "link-local in IPv6": "fe80::/10",
    "multicast in IPv6": "ff00::/8",
}
"""What RFC 6890, 4291 and 5771 keep from hosts, by what it is."""
_MOVE = "a block of RFC 1918, RFC 4193 or of your own"
_SMALLEST = 3
"""Last offset of a /30, the smallest network that has addresses of its own."""


def check_addresses(addresses: Addresses) -> list[Finding]:
    """ADDR-001, -003, -006 and -008 over the blocks of the stack file. What is no network was refused by the loader."""
    blocks = blocks_of(addresses)
    return ordered([*_host_bits(blocks), *_no_hosts(blocks), *_overlaps(blocks), *_needs(addresses)])


def check_given(rows: Iterable[AddressRow], addresses: Addresses | None = None) -> list[Finding]:
    """ADDR-005 and ADDR-006 over every planned address: each is given once, and none is its network's own.

    With `addresses`, doubles between two blocks that overlap are left to ADDR-001, which names the cause.
    """
    owners: dict[str, AddressRow] = {}
    findings: list[Finding] = []
    shared: frozenset[frozenset[str]] = _shared(addresses) if addresses else frozenset()
    for row in rows:
        first = owners.setdefault(row.address, row)
        if first is not row and frozenset((key_of(first.network), key_of(row.network))) not in shared:
            found = f"{row.address} is that of {_interface(first)} and of {_interface(row)}"
            findings.append(ADDR_005.finding(_interface(row), found, "one interface for each address", _double_fix(first, row)))
        kept = _kept(row)
        if kept:
            findings.append(ADDR_006.finding(_interface(row), f"{row.address}/{row.prefix} is {kept}", "an address for hosts"))
    return ordered(findings)


def check_services(file: StackFile, rows: Iterable[AddressRow]) -> list[Finding]:
    """ADDR-007: where the stack file says that a service answers, no device of the plan does, and no pod or virtual service.

    Host names are left alone: what they resolve to is no matter of the plan.
    """
    owners = {row.address: row for row in rows}
    blocks = {block.name: block.network for block in blocks_of(file.addresses) if block.virtual}
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
    servers = {"ntpServers": file.addresses.ntp_servers, "syslogServers": file.addresses.syslog_servers}
    hosts = {f"railyard:addresses.{key}[{n}]": host for key, names in servers.items() for n, host in enumerate(names)}
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


def _shared(addresses: Addresses) -> frozenset[frozenset[str]]:
    """Pairs of blocks that share an address."""
    pairs = combinations(blocks_of(addresses), 2)
    return frozenset(frozenset((one.key, two.key)) for one, two in pairs if one.overlaps(two))


def _double_fix(first: AddressRow, second: AddressRow) -> str | None:
    """The rule's own words are about BMCs of the inventory; two addresses of the plan meet in a block that is too small."""
    if BMC_INTERFACE in (first.interface, second.interface):
        return None
    key = key_of(second.network)
    return f"a larger railyard:addresses.{key}: both are the planner's, which counts from both ends of the block"


def _overlaps(blocks: list[BlockText]) -> Iterator[Finding]:
    """Every pair that shares an address, as real networks. What others reserve may overlap itself."""
    for one, two in combinations(blocks, 2):
        if one.overlaps(two) and not (one.reserved and two.reserved):
            found = f"{one.name} {one.network} and {two.name} {two.network} overlap"
            yield ADDR_001.finding(two.where, found, "no shared address", proposal(one, two, blocks))


def _host_bits(blocks: list[BlockText]) -> Iterator[Finding]:
    """A block with host bits set is another network than it looks."""
    for block in blocks:
        # By value: `FD00:0052::/48` is another spelling, not another network.
        if ip_address(block.text.partition("/")[0]) != block.network.network_address:
            found = f"{block.text} is really {block.network}"
            yield ADDR_003.finding(block.where, found, "a network address", f"write {block.network}")


def _no_hosts(blocks: list[BlockText]) -> Iterator[Finding]:
    """ADDR-006 for a whole block of which no host can have an address, or only on its own wire. Emulated sites use 127/8."""
    for block in blocks:
        for kind, network in _NO_HOSTS.items():
            if not block.reserved and block.overlaps(BlockText(kind, kind, network)):
                yield ADDR_006.finding(block.where, f"{block.network} is {kind} ({network})", "addresses for hosts", _MOVE)


def _needs(addresses: Addresses) -> Iterator[Finding]:
    """ADDR-008: what the owner of a reserved block wants out of it."""
    for index, block in enumerate(addresses.reserved):
        network = ip_network(block.cidr, strict=False)
        there = usable(network.prefixlen, network.version)
        if block.needs is not None and block.needs > there:
            found = f"{network} has {there:,} usable addresses"
            yield ADDR_008.finding(f"railyard:addresses.reserved[{index}].cidr", found, f"{block.needs:,} for {block.name}")
