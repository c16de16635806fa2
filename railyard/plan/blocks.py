"""A network as numbers: cheap to count in, for IPv4 and IPv6 alike."""

from functools import cache
from ipaddress import IPv6Address, ip_network
from math import ceil, log2

import msgspec


class Block(msgspec.Struct, frozen=True, gc=False):
    """`first` is the network's first address as a number, `size` its number of addresses."""

    first: int
    size: int
    prefix: int
    version: int

    def address(self, offset: int) -> str:
        """Address at an offset from the network's first; in a block that is too small it lies outside (PLAN-006)."""
        number = self.first + offset
        if self.version == 6:
            return str(IPv6Address(number % 2**128))
        return f"{number >> 24 & 255}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"

    def holds(self, number: int, version: int) -> bool:
        """True where an address (as a number) lies in the block."""
        return version == self.version and self.first <= number < self.first + self.size

    def __str__(self) -> str:
        return f"{self.address(0)}/{self.prefix}"


@cache
def parse_block(cidr: str) -> Block:
    """The block of a network's text, host bits cut off (a rule names them). The model guarantees that the text is a network."""
    network = ip_network(cidr, strict=False)
    return Block(int(network.network_address), network.num_addresses, network.prefixlen, network.version)


def rail_blocks(block: Block, rails: int) -> list[Block]:
    """One equal subnet per rail (and plane): the block cut into the next power of two; empty where it can't be cut."""
    bits = ceil(log2(rails))
    size = block.size >> bits
    return (
        [Block(block.first + rail * size, size, block.prefix + bits, block.version) for rail in range(1 << bits)]
        if size
        else []
    )


def usable(prefix: int, version: int) -> int:
    """Addresses that hosts may have: all but network and broadcast in IPv4, all of a /31 and /32, all but the first in IPv6."""
    size = 1 << ((32 if version == 4 else 128) - prefix)
    if size <= 2:
        return size
    return size - 2 if version == 4 else size - 1
