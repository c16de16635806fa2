"""Addresses by identity: a device's address follows its unit, slot, rail and plane, never the order of a list.

    block of 2^b addresses: offset 0 network, 1 gateway, 2 to 31 services, 2^b - 1 broadcast
    in-band, storage   slot s of unit u: 32 + (u - 1) * slots + s - 1
                       storage server i from the top, so that both ends may grow: 2^b - 1 - i
    out-of-band        BMC of slot s of unit u: as in-band
                       from the top in turn: BMC of a storage server, spine, core, leaf: 2^b - 2 - (4 * i + 0 | 1 | 2 | 3)
    rails              the block cut into the next power of two >= rails * planes subnets; host as in-band

Services are what the planner doesn't place: API server, provisioning, NTP, replication. Their addresses are the stack file's;
the first 32 of each block are never given to a device.

BMC addresses are facts of the inventory and stand here as they are; only a BMC that is known by name gets the address that the
block has for its position. So an inventory may well hold an address that the planner has for a switch or a service: switches
stand at the top, where few inventories begin, and a rule reports what is given twice. A BMC outside the block is PLAN-009, a
block too small for all planned positions PLAN-006 (rows are made anyway).
"""

from collections.abc import Iterable, Iterator
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from math import ceil, log2

import msgspec

from railyard.model.errors import Problem
from railyard.model.plan import AddressRow
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.machines import Seat, Seats
from railyard.plan.nics import RailNics
from railyard.plan.shape import FabricShape
from railyard.plan.switches import Spot

IN_BAND_INTERFACE = "bond0"
STORAGE_INTERFACE = "storage0"
BMC_INTERFACE = "bmc"
SWITCH_INTERFACE = "mgmt0"
SERVICE_ADDRESSES = 32
"""Addresses at the bottom of a block that no device gets: network, gateway (1) and 30 for services. Ours: one /27."""
_TOP = {"storage": 0, "spine": 1, "core": 2, "leaf": 3}
"""Who counts down from the top of the out-of-band block, in turn: none of them moves when another one grows."""


class Block(msgspec.Struct, frozen=True, gc=False):
    """A network as numbers: cheap to count in."""

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


@cache
def parse_block(cidr: str) -> Block:
    """The block of a network's text, host bits cut off (a rule names them). The model guarantees that the text is a network."""
    network = ip_network(cidr, strict=False)
    return Block(int(network.network_address), network.num_addresses, network.prefixlen, network.version)


def rail_blocks(block: Block, rails: int) -> list[Block]:
    """One equal subnet per rail (and plane): the block cut into the next power of two; empty where it can't be cut."""
    bits = ceil(log2(rails))
    size = block.size >> bits
    return [Block(block.first + rail * size, size, block.prefix + bits, block.version) for rail in range(rails)] if size else []


def assign_addresses(
    file: StackFile, shape: FabricShape, nics: RailNics, seats: Seats, spots: Iterable[Spot]
) -> tuple[tuple[AddressRow, ...], tuple[Problem, ...]]:
    """All rows (by network, then device) and what is wrong with the blocks."""
    block = {key: parse_block(getattr(file.addresses, key)) for key in ("oob", "in_band", "storage", "rails")}
    machines = (*seats.gpu, *seats.storage)
    rows = (
        *_bmc_rows(block["oob"], shape, machines),
        *_switch_rows(block["oob"], shape, spots),
        *_host_rows(block["in_band"], "in-band", IN_BAND_INTERFACE, shape, machines),
        *_host_rows(block["storage"], "storage", STORAGE_INTERFACE, shape, machines),
        *_rail_rows(block["rails"], shape, nics, seats.gpu),
    )
    return rows, (*_strays(block["oob"], machines), *_too_small(file, shape, block))


def host_offset(seat: Seat, shape: FabricShape, block: Block) -> int:
    """Offset of a machine in the in-band, storage and rail blocks."""
    return slot_offset(seat.unit, seat.slot, shape.nodes_per_unit) if seat.unit else block.size - 1 - seat.slot


def bmc_offset(seat: Seat, shape: FabricShape, block: Block) -> int:
    """Offset of a machine's BMC in the out-of-band block."""
    return slot_offset(seat.unit, seat.slot, shape.nodes_per_unit) if seat.unit else storage_bmc_offset(seat.slot, block.size)


def slot_offset(unit: int, slot: int, nodes_per_unit: int) -> int:
    """Offset of GPU node `slot` (from 1) of `unit` (from 1) in any block."""
    return SERVICE_ADDRESSES + (unit - 1) * nodes_per_unit + slot - 1


def storage_bmc_offset(index: int, size: int) -> int:
    """Offset of the BMC of storage server `index` (from 1) in an out-of-band block of `size` addresses."""
    return _top_offset("storage", index - 1, size)


def _top_offset(role: str, index: int, size: int) -> int:
    return size - 2 - (len(_TOP) * index + _TOP[role])


def _host_rows(block: Block, network: str, interface: str, shape: FabricShape, seats: Iterable[Seat]) -> Iterator[AddressRow]:
    for seat in seats:
        yield AddressRow(seat.name, network, interface, block.address(host_offset(seat, shape, block)), block.prefix)


def _rail_rows(block: Block, shape: FabricShape, nics: RailNics, seats: tuple[Seat, ...]) -> Iterator[AddressRow]:
    for index, subnet in enumerate(rail_blocks(block, shape.rails * shape.planes)):
        rail, plane = divmod(index, shape.planes)
        network = names.rail_network(rail, plane, shape.planes)
        yield from _host_rows(subnet, network, nics.port(rail, plane), shape, seats)


def _switch_rows(block: Block, shape: FabricShape, spots: Iterable[Spot]) -> Iterator[AddressRow]:
    count = {"spine": 0, "core": 0}
    for spot in spots:
        if spot.unit is not None:
            index = ((spot.unit - 1) * shape.rails + (spot.rail or 0)) * shape.planes + spot.plane
        else:
            # Spines and cores stand in one fixed order, from the first, so a running number is their identity.
            index = count[spot.role]
            count[spot.role] += 1
        address = block.address(_top_offset(spot.role, index, block.size))
        yield AddressRow(spot.name, "oob", SWITCH_INTERFACE, address, block.prefix)


def _bmc_rows(block: Block, shape: FabricShape, seats: Iterable[Seat]) -> Iterator[AddressRow]:
    for seat in seats:
        known = _known(seat)
        address = str(known) if known else block.address(bmc_offset(seat, shape, block))
        yield AddressRow(seat.name, "oob", BMC_INTERFACE, address, block.prefix)


def _strays(block: Block, seats: Iterable[Seat]) -> Iterator[Problem]:
    """PLAN-009 for each BMC address outside the block."""
    for seat in seats:
        known = _known(seat)
        if known and not block.holds(int(known), known.version):
            limit = f"inside {block.address(0)}/{block.prefix}"
            yield Problem("PLAN-009", seat.name, f"BMC {known}", limit, "correct addresses.oob or the inventory")


def _known(seat: Seat) -> IPv4Address | IPv6Address | None:
    """The BMC's address; None where the inventory has a name."""
    try:
        return ip_address(bmc_host(seat.facts.bmc))
    except ValueError:
        return None


def bmc_host(bmc: str) -> str:
    """Host of `host`, `host:port`, `[v6]:port` or a bare IPv6 address."""
    if bmc.startswith("["):
        return bmc[1:].partition("]")[0]
    return bmc if bmc.count(":") > 1 else bmc.partition(":")[0]


def _too_small(file: StackFile, shape: FabricShape, blocks: dict[str, Block]) -> Iterator[Problem]:
    """PLAN-006 for each block that all planned positions don't fit into."""
    slots, servers = shape.units * shape.nodes_per_unit, file.storage.nodes
    counts = {"storage": servers, "spine": shape.spines, "core": shape.cores, "leaf": shape.leaves}
    tops = max((len(_TOP) * (count - 1) + _TOP[role] + 1 for role, count in counts.items() if count), default=0)
    for key, top in (("oob", tops), ("in_band", servers), ("storage", servers)):
        want = SERVICE_ADDRESSES + slots + top + 1
        if blocks[key].size < want:
            yield _small(key, blocks[key], want, "addresses")
    count = shape.rails * shape.planes
    want = (SERVICE_ADDRESSES + slots + 1) << ceil(log2(count))
    if blocks["rails"].size < want:
        yield _small("rails", blocks["rails"], want, f"addresses ({count} subnets of {slots} hosts)")


def _small(key: str, block: Block, want: int, what: str) -> Problem:
    bits = (32 if block.version == 4 else 128) - ceil(log2(want))
    where = f"railyard:addresses.{'inBand' if key == 'in_band' else key}"
    found = f"{block.address(0)}/{block.prefix} has {block.size}"
    return Problem("PLAN-006", where, found, f"{want} {what} for all planned units", f"use a /{bits} or larger")
