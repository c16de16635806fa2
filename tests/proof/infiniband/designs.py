"""Fabrics to prove: subnets of a whole design without a stack file, their slot rings, tenants, and faults put into them."""

import csv
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from railyard.model.infiniband import PartitionPlan, Subnet, SubnetLink
from railyard.plan import names
from railyard.plan.infiniband import make_subnet
from railyard.plan.shape import FabricShape, size_fabric
from railyard.plan.wiring import design_links

SITE = "t"
ROWS = Path(__file__).parents[2] / "data" / "reference_topologies.csv"
SLOTS = {64: 32, 128: 64, 144: 72}
"""Node slots of a unit by radix, in the published designs."""
Ring = list[int | None]


@dataclass(frozen=True)
class Design:
    """One subnet of a fabric. `lopsided`: only its root file lets ftree take it (a part-filled pod, a dead cable)."""

    subnet: Subnet
    rings: list[Ring]
    lopsided: bool = False

    @property
    def refused(self) -> bool:
        """Whether ftree without roots can't take it: lopsided, or leaves without an endpoint, which look like cores to it."""
        filled = {link.z for link in self.subnet.links if "/" in link.a}
        return self.lopsided or any(switch.tier == "leaf" and switch.name not in filled for switch in self.subnet.switches)


def design(
    shape: FabricShape, *, nodes: int | None = None, built: int | None = None, empty: Sequence[tuple[int, int]] = ()
) -> list[Design]:
    """All subnets of a design, one for each plane (and rail, in a rail-only fabric).

    `nodes` fill slots in order, less those named in `empty` (unit, slot); `built` units of those planned.
    """
    units = shape.units if built is None else built
    hollow = {names.gpu(SITE, unit, slot, shape.nodes_per_unit) for unit, slot in empty}
    ends: defaultdict[tuple[int, int], list[tuple[str, str, str]]] = defaultdict(list)
    for link in design_links(SITE, shape, nodes=shape.nodes if nodes is None else nodes, units=units):
        if link.a not in hollow:
            fabric = (link.rail or 0) if shape.layout == "rail-only" else 0
            ends[link.plane, fabric].append((link.kind, f"{link.a}/{link.a_port}", f"{link.z}/{link.z_port}"))
    slots = {name: place for place, (name, _, _) in enumerate(_all_slots(shape, units))}
    made = []
    for index, key in enumerate(sorted(ends)):
        subnet = make_subnet(f"c{key[0]}r{key[1]}", ends[key], shape.radix, index=index)
        made.append(Design(subnet, rings(subnet, slots), shape.part_filled(units)))
    return made


def published() -> Iterator[tuple[str, FabricShape]]:
    """Each published topology with its shape. Rows that lack one node have fabric managers on four leaves."""
    with ROWS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            units, radix, nodes = int(row["su"]), int(row["radix"]), int(row["nodes"])
            reserved = 4 if nodes < units * SLOTS[radix] else 0
            planes = int(row["planes"])
            # The twin-plane rows count twin-port cables, and those are wired pair by pair: another wiring than link by link.
            shape = size_fabric(
                SLOTS[radix], units, int(row["rails"]), radix, planes, reserved_ports=reserved, links_per_cable=planes
            )
            yield f"{row['name']}-{units}su", shape


def _all_slots(shape: FabricShape, units: int) -> list[tuple[str, int, int]]:
    """Every slot, those of fabric managers included: a ring goes over positions, not over nodes."""
    return [
        (names.gpu(SITE, unit, slot, shape.nodes_per_unit), unit, slot)
        for unit in range(1, units + 1)
        for slot in range(1, shape.nodes_per_unit + 1)
    ]


def rings(subnet: Subnet, slots: dict[str, int]) -> list[Ring]:
    """For each NIC number: the endpoint (row of `subnet.adapters`) at every slot position of the fabric."""
    length = max(slots.values()) + 1
    found: defaultdict[str, Ring] = defaultdict(lambda: [None] * length)
    for row, adapter in enumerate(subnet.adapters):
        if adapter.device in slots:
            found[adapter.hca][slots[adapter.device]] = row
    return [found[hca] for hca in sorted(found)]


def tenants(subnet: Subnet, count: int = 3) -> list[PartitionPlan]:
    """The machines dealt to `count` tenants in blocks, with keys far apart."""
    devices = sorted({adapter.device for adapter in subnet.adapters if adapter.role == "compute"}, key=names.sort_key)
    size = -(-len(devices) // count)
    blocks = [tuple(devices[at : at + size]) for at in range(0, len(devices), size)]
    return [PartitionPlan(name=f"tenant-{at}", key=0x11 + 0x1000 * at, nodes=block) for at, block in enumerate(blocks)]


def rewired(subnet: Subnet, change: Callable[[list[SubnetLink]], None]) -> Subnet:
    """The subnet as somebody built it: the same nodes, some cables elsewhere."""
    links = list(subnet.links)
    change(links)
    return msgspec.structs.replace(subnet, links=tuple(links))


def link_of(links: Sequence[SubnetLink], a: str, a_port: int) -> SubnetLink:
    """The link at an end."""
    return next(link for link in links if (link.a, link.a_port) == (a, a_port))


def swapped(a: str, b: str) -> Callable[[list[SubnetLink]], None]:
    """The lower ends of two cables, changed over at their upper ends."""

    def change(links: list[SubnetLink]) -> None:
        one, two = link_of(links, a, 1), link_of(links, b, 1)
        links.remove(one)
        links.remove(two)
        links += [SubnetLink(one.a, 1, two.z, two.z_port), SubnetLink(two.a, 1, one.z, one.z_port)]

    return change
