"""Addresses by identity: a device's address follows its unit, slot, rail and plane, never the order of a list.

    block of 2^b addresses: offset 0 network, 1 gateway, 2 to 31 services, 2^b - 1 broadcast
    in-band, storage   slot s of unit u: 32 + (u - 1) * slots + s - 1
                       storage server i from the top, so that both ends may grow: 2^b - 1 - i
    out-of-band        BMC of slot s of unit u: as in-band
                       from the top in turn: BMC of a storage server, spine, core, leaf: 2^b - 2 - (4 * i + 0 | 1 | 2 | 3)
    rails              InfiniBand: the block cut into the next power of two >= rails * planes subnets; host as in-band
                       RoCE: a subnet per leaf, railyard/plan/routed.py, and loopbacks
    IPv6               addresses.ipv6.<block>: the same offsets in a second block; each interface then has two rows

Services are what the planner doesn't place: API server, provisioning, NTP, replication. Their addresses are the stack file's;
the first 32 of each block are never given to a device.

BMC addresses are facts of the inventory and stand here as they are; only a BMC that is known by name gets the address that the
block has for its position. So an inventory may well hold an address that the planner has for a switch or a service: switches
stand at the top, where few inventories begin, and a rule reports what is given twice. A BMC outside the block is PLAN-009, a
block too small for all planned positions PLAN-006 (rows are made anyway).
"""

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address
from math import ceil, log2

from railyard.model.errors import Problem
from railyard.model.plan import AddressRow
from railyard.model.site import Addresses, StackFile, Transport
from railyard.plan import names, routed
from railyard.plan.blocks import Block, parse_block, rail_blocks, usable
from railyard.plan.machines import Seat, Seats
from railyard.plan.nics import RailNics
from railyard.plan.shape import FabricShape
from railyard.plan.switches import Spot

IN_BAND_INTERFACE = "bond0"
STORAGE_INTERFACE = "storage0"
BMC_INTERFACE = "bmc"
SWITCH_INTERFACE = "mgmt0"
_KEYS = ("oob", "in_band", "storage", "rails")
SERVICE_ADDRESSES = 32
"""Addresses at the bottom of a block that no device gets: network, gateway (1) and 30 for services. Ours: one /27."""
_TOP = {"storage": 0, "spine": 1, "core": 2, "leaf": 3}
"""Who counts down from the top of the out-of-band block, in turn: none of them moves when another one grows."""


def assign_addresses(
    file: StackFile, shape: FabricShape, nics: RailNics, seats: Seats, spots: Iterable[Spot]
) -> tuple[tuple[AddressRow, ...], tuple[Problem, ...]]:
    """All rows (by network, then device; IPv6 after IPv4) and what is wrong with the blocks."""
    machines, stands = (*seats.gpu, *seats.storage), tuple(spots)
    rows: list[AddressRow] = []
    problems: list[Problem] = [*_strays(parse_block(file.addresses.oob), machines)]
    for blocks in (_blocks(file.addresses), _six(file.addresses)):
        if "oob" in blocks:
            rows += _bmc_rows(blocks["oob"], shape, machines)
            rows += _switch_rows(blocks["oob"], stands)
        if "in_band" in blocks:
            rows += _host_rows(blocks["in_band"], "in-band", IN_BAND_INTERFACE, shape, machines)
        if "storage" in blocks:
            rows += _host_rows(blocks["storage"], "storage", STORAGE_INTERFACE, shape, machines)
        rows += _fabric_rows(blocks, file, shape, nics, seats, stands)
        problems += _too_small(file, shape, blocks)
    return tuple(rows), tuple(problems)


def _blocks(addresses: Addresses) -> dict[str, Block]:
    """The blocks that every site has, and loopbacks where they have one of their own."""
    texts = {key: getattr(addresses, key) for key in (*_KEYS, "loopbacks")}
    return {key: parse_block(text) for key, text in texts.items() if text}


def _six(addresses: Addresses) -> dict[str, Block]:
    """The IPv6 blocks that are given, by the same names."""
    texts = {key: getattr(addresses.ipv6, key) for key in (*_KEYS, "loopbacks")}
    return {key: parse_block(text) for key, text in texts.items() if text}


def _fabric_rows(
    blocks: dict[str, Block], file: StackFile, shape: FabricShape, nics: RailNics, seats: Seats, spots: tuple[Spot, ...]
) -> Iterator[AddressRow]:
    """Rails, and loopbacks where the fabric is routed."""
    if file.fabric.transport is not Transport.ROCE:
        if "rails" in blocks:
            yield from _rail_rows(blocks["rails"], shape, nics, seats.gpu)
        return
    loopbacks = blocks.get("loopbacks")
    if "rails" in blocks:
        prefix = names.port_prefix(file.fabric.transport.value)
        yield from routed.routed_rows(blocks["rails"], loopbacks, shape, nics, seats.gpu, file.site.name, prefix)
        _, loopbacks = routed.cut_rails(blocks["rails"], loopbacks, shape)
    if loopbacks:
        yield from routed.loopback_rows(loopbacks, spots)


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
    for index, subnet in enumerate(rail_blocks(block, shape.rails * shape.planes)[: shape.rails * shape.planes]):
        rail, plane = divmod(index, shape.planes)
        network = names.rail_network(rail, plane, shape.planes)
        yield from _host_rows(subnet, network, nics.port(rail, plane), shape, seats)


def _switch_rows(block: Block, spots: Iterable[Spot]) -> Iterator[AddressRow]:
    for spot in spots:
        address = block.address(_top_offset(spot.role, spot.index, block.size))
        yield AddressRow(spot.name, "oob", SWITCH_INTERFACE, address, block.prefix)


def _bmc_rows(block: Block, shape: FabricShape, seats: Iterable[Seat]) -> Iterator[AddressRow]:
    """The inventory's address, in the first block or in that of its own version; else the one of the position."""
    for seat in seats:
        known = _known(seat)
        mine = known is not None and (block.version == 4 or known.version == block.version)
        address = str(known) if mine else block.address(bmc_offset(seat, shape, block))
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
        if key in blocks and blocks[key].size < want:
            yield _small(key, blocks[key], want, "addresses")
    yield from _small_rails(file, shape, blocks)


def _small_rails(file: StackFile, shape: FabricShape, blocks: dict[str, Block]) -> Iterator[Problem]:
    """PLAN-006 for the fabric's own blocks."""
    slots, count = shape.units * shape.nodes_per_unit, shape.rails * shape.planes
    routes = file.fabric.transport is Transport.ROCE
    loopbacks = blocks.get("loopbacks")
    if "rails" in blocks:
        block = blocks["rails"]
        each = SERVICE_ADDRESSES + slots + 1
        what = f"{count} subnets of {slots} hosts"
        if routes:
            each = routed.leaf_subnets(shape) * routed.leaf_size(block.version, shape.nodes_per_leaf)
            share = "" if loopbacks else " and a share for loopbacks"
            what = f"{count} rails of {routed.leaf_subnets(shape)} leaf subnets{share}"
        want = each << ceil(log2(count + (routes and not loopbacks)))
        if block.size < want:
            yield _small("rails", block, want, f"addresses ({what})")
        _, loopbacks = routed.cut_rails(block, loopbacks, shape)
    if routes and loopbacks and loopbacks.size < routed.loopbacks_needed(shape):
        key = "loopbacks" if "loopbacks" in blocks else "rails"
        yield _small(key, loopbacks, routed.loopbacks_needed(shape), "addresses for loopbacks")


def _small(key: str, block: Block, want: int, what: str) -> Problem:
    """Counts as people count them: without network and broadcast address."""
    bits = (32 if block.version == 4 else 128) - ceil(log2(want))
    name = "inBand" if key == "in_band" else key
    where = f"railyard:addresses.{'ipv6.' if block.version == 6 else ''}{name}"
    found = f"{block} has {usable(block.prefix, block.version):,} usable addresses"
    return Problem("PLAN-006", where, found, f"{want - 2:,} usable {what} for all planned units", f"use a /{bits} or larger")
