"""How full each network's blocks are: what is given out, what may be, what is left. By value, from a plan's addresses."""

from bisect import bisect_left
from collections.abc import Iterable
from ipaddress import ip_address, ip_network

import msgspec

from railyard.model.plan import AddressRow, SwitchPlan
from railyard.plan.blocks import usable

PAIR = {4: 31, 6: 127}
"""Prefix length of a link of its own: such rows are pairs cut out of a leaf's subnet."""


class SubnetUse(msgspec.Struct, frozen=True):
    """One block of one network. `free` includes what is kept for services and the gateway; None where pairs are cut of it."""

    network: str
    block: str
    used: int
    usable: int | None
    free: int | None
    first: str
    last: str


class LeafSubnets(msgspec.Struct, frozen=True):
    """The routed subnets of one rail (None: leaves of all rails) and plane, one per leaf.

    `links` is how many node links they hold (a pair of addresses each), `used` how many have their addresses.
    """

    rail: int | None
    plane: int
    count: int
    first: str
    last: str
    used: int
    links: int

    @property
    def free(self) -> int:
        """Node links that there are addresses for."""
        return self.links - self.used


def subnet_use(rows: Iterable[AddressRow]) -> list[SubnetUse]:
    """One row per network and version, in the plan's order of addresses."""
    found: dict[tuple[str, int, int], list[str]] = {}
    for row in rows:
        version = 6 if ":" in row.address else 4
        found.setdefault((row.network, version, row.prefix), []).append(row.address)
    return [_use(*key, addresses) for key, addresses in found.items()]


def _use(network: str, version: int, prefix: int, addresses: list[str]) -> SubnetUse:
    used = len(set(addresses))
    single = prefix >= PAIR[version]
    there = None if single else usable(prefix, version)
    block = f"/{prefix} each" if single else str(ip_network(f"{addresses[0]}/{prefix}", strict=False))
    return SubnetUse(network, block, used, there, None if there is None else there - used, addresses[0], addresses[-1])


def leaf_subnets(switches: Iterable[SwitchPlan], rows: Iterable[AddressRow]) -> list[LeafSubnets]:
    """Routed subnets by rail, plane and version, in the order of the switches."""
    found: dict[tuple[int | None, int, int], list[str]] = {}
    for switch in switches:
        for subnet in switch.routing.subnets if switch.routing else ():
            version = 6 if ":" in subnet else 4
            found.setdefault((switch.rail, switch.plane, version), []).append(subnet)
    taken = _pairs(rows)
    return [_leaf_subnets(rail, plane, subnets, taken) for (rail, plane, _), subnets in found.items()]


def _leaf_subnets(rail: int | None, plane: int, subnets: list[str], taken: dict[int, list[int]]) -> LeafSubnets:
    used = links = 0
    for network in map(ip_network, subnets):
        first, pairs = int(network.network_address), taken.get(network.version, [])
        used += bisect_left(pairs, first + network.num_addresses) - bisect_left(pairs, first)
        links += network.num_addresses // 2
    return LeafSubnets(rail, plane, len(subnets), subnets[0], subnets[-1], used, links)


def _pairs(rows: Iterable[AddressRow]) -> dict[int, list[int]]:
    """First address of each pair that is given out, as a number, by version, sorted."""
    found: dict[int, set[int]] = {4: set(), 6: set()}
    for row in rows:
        version = 6 if ":" in row.address else 4
        if row.prefix == PAIR[version]:
            found[version].add(int(ip_address(row.address)) & ~1)
    return {version: sorted(pairs) for version, pairs in found.items()}
