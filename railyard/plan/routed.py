"""Addresses of a routed (RoCE) fabric: one subnet per rail and leaf; in it a pair per node port of that rail.

    rails        cut into the next power of two >= rails * planes (+ 1 where loopbacks have no block of their own) equal blocks,
                 one per rail and plane; the last one is the loopbacks'
    rail block   leaf of unit u: subnet number u - 1; where a leaf takes all rails of a group of nodes, the group's number among
                 all groups. Size: IPv4 the next power of two >= 2 * nodes of a leaf, IPv6 a /64
    leaf subnet  node n of the leaf (slot n): pair of offsets 2n - 2 (the leaf's end, the node's gateway) and 2n - 1 (the
                 node's end), as /31 (RFC 3021) and /127 (RFC 6164)
    loopbacks    leaf, spine and core count up in turn: 1 + 3 * i + (0 | 1 | 2), so that none of them moves when another grows

Why pairs and no bridge on the leaf: adaptive routing wants physical layer-3 ports (NVUE reference), a node can't
answer for its neighbour, and nodes of one leaf are routed like all others. The leaf announces its subnet as one route.
"""

from collections.abc import Iterable, Iterator
from math import ceil, log2

from railyard.model.plan import AddressRow
from railyard.plan import names
from railyard.plan.blocks import Block, rail_blocks
from railyard.plan.machines import Seat
from railyard.plan.nics import RailNics
from railyard.plan.shape import FabricShape
from railyard.plan.switches import Spot
from railyard.plan.wiring import leaf_name

LOOPBACK = "loopback"
LOOPBACK_INTERFACE = "lo"
IPV6_SUBNET = 64
_TURN = {"leaf": 0, "spine": 1, "core": 2}


def leaf_size(version: int, nodes: int) -> int:
    """Addresses of one leaf's subnet in a rail."""
    return 1 << (128 - IPV6_SUBNET) if version == 6 else 1 << ceil(log2(2 * nodes))


def leaf_subnets(shape: FabricShape) -> int:
    """Subnets of a rail in a plane: one for each leaf that has this rail."""
    return shape.units * (shape.groups if shape.grouped else 1)


def leaf_of(shape: FabricShape, unit: int, slot: int, rail: int) -> tuple[int, int, int, int]:
    """(subnet number of the leaf in a rail from 1, leaf of the unit from 0, node of that leaf from 1, port of the leaf)."""
    if not shape.grouped:
        return unit, rail, slot, slot
    group, position = divmod(slot - 1, shape.nodes_per_leaf)
    return (unit - 1) * shape.groups + group + 1, group, position + 1, position * shape.rails + rail + 1


def cut_rails(block: Block, loopbacks: Block | None, shape: FabricShape) -> tuple[list[Block], Block | None]:
    """(blocks by rail and plane, loopback block); no blocks where `rails` can't be cut so often."""
    count = shape.rails * shape.planes
    cut = rail_blocks(block, count if loopbacks else count + 1)
    if loopbacks or not cut:
        # Cut into a power of two: three rails leave a fourth block, which is nobody's.
        return cut[:count], loopbacks
    return cut[:count], cut[-1] if len(cut) > count else None


def leaf_subnet(rail_block: Block, number: int, nodes: int) -> Block:
    """Subnet `number` (from 1) in a rail's block, of a leaf with so many nodes."""
    size = leaf_size(rail_block.version, nodes)
    bits = 32 if rail_block.version == 4 else 128
    return Block(rail_block.first + (number - 1) * size, size, bits - size.bit_length() + 1, rail_block.version)


def point_to_point(version: int) -> int:
    """Prefix length of a pair."""
    return 31 if version == 4 else 127


def leaf_end(subnet: Block, slot: int) -> str:
    """The leaf's address on node port `slot` (from 1)."""
    return subnet.address(2 * slot - 2)


def node_end(subnet: Block, slot: int) -> str:
    """The node's address on node port `slot` (from 1); `leaf_end` of the same slot is its gateway."""
    return subnet.address(2 * slot - 1)


def routed_rows(block: Block, loopbacks: Block | None, shape: FabricShape, nics: RailNics, seats: tuple[Seat, ...], site: str,
                prefix: str) -> Iterator[AddressRow]:  # fmt: skip
    """Both ends of every node link, rail by rail, plane by plane; `prefix` stands before a switch port's number."""
    blocks, _ = cut_rails(block, loopbacks, shape)
    length = point_to_point(block.version)
    for index, rail_block in enumerate(blocks):
        rail, plane = divmod(index, shape.planes)
        network = names.rail_network(rail, plane, shape.planes)
        nic = nics.port(rail, plane)
        last, subnet, leaf = (0, 0), rail_block, ""
        for seat in seats:
            number, group, node, port = leaf_of(shape, seat.unit, seat.slot, rail)
            # Seats come leaf by leaf: a subnet for each of 131,072 rows would cost more than the rows.
            if (seat.unit, group) != last:
                last = (seat.unit, group)
                subnet = leaf_subnet(rail_block, number, shape.nodes_per_leaf)
                leaf = leaf_name(site, shape, seat.unit, group, plane)
            yield AddressRow(seat.name, network, nic, node_end(subnet, node), length)
            yield AddressRow(leaf, network, f"{prefix}{port}", leaf_end(subnet, node), length)


def loopback_rows(block: Block, spots: Iterable[Spot]) -> Iterator[AddressRow]:
    """One host route per switch, its router id in IPv4."""
    length = 32 if block.version == 4 else 128
    for spot in spots:
        address = block.address(loopback_offset(spot.role, spot.index))
        yield AddressRow(spot.name, LOOPBACK, LOOPBACK_INTERFACE, address, length)


def loopback_offset(role: str, index: int) -> int:
    """Offset of a switch's loopback: `index` counts switches of its role from 0."""
    return 1 + len(_TURN) * index + _TURN[role]


def loopbacks_needed(shape: FabricShape) -> int:
    """Addresses that loopbacks take at full planned size, the block's first one included."""
    counts = {"leaf": shape.leaves, "spine": shape.spines, "core": shape.cores}
    return max(loopback_offset(role, count - 1) for role, count in counts.items() if count) + 1
