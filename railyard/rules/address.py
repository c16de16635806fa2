"""Address blocks: no overlap, whole networks. Block sizes are counted by the planner (PLAN-006) and reported as ADDR-002."""

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network
from itertools import combinations

from railyard.model.site import Addresses
from railyard.rules.address_texts import ADDR_001, ADDR_003
from railyard.rules.registry import Finding, ordered

_BLOCKS = {
    "oob": "oob",
    "in_band": "inBand",
    "storage": "storage",
    "rails": "rails",
    "pods": "pods",
    "services": "services",
}


def check_addresses(addresses: Addresses) -> list[Finding]:
    """ADDR-001 and ADDR-003 over the blocks of the stack file. Blocks that are no network at all were refused by the loader."""
    return ordered([*_host_bits(addresses), *_overlaps(addresses)])


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
