"""Cables of the out-of-band network that stand: BMCs, DPU BMCs, switches, PDUs, storage management (positions: `oob`)."""

from collections.abc import Collection, Iterable, Iterator

import msgspec

from railyard.model.plan import Cable
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.cabling import Cabler, Leg
from railyard.plan.hall import Hall
from railyard.plan.managers import manager_hosts
from railyard.plan.networks.oob import OobShape
from railyard.plan.networks.runs import COLORS, as_cable, copper_leg, word_tag
from railyard.plan.networks.shapes import OtherNetworks
from railyard.plan.shape import FabricShape
from railyard.plan.wiring import leaf_name

SWITCH_PORT = "mgmt0"
"""Management port of a switch."""


class CopperEnd(msgspec.Struct, frozen=True, gc=False):
    """One planned end: device, its port, what a label calls that, where it is plugged in (None: no switch has room for it).

    `rack` is None where the device has a place of its own (a PDU has none: it stands in no U).
    """

    kind: str
    device: str
    port: str
    label: str
    rack: int | None
    plug: tuple[str, int] | None


def planned_ends(file: StackFile, shape: FabricShape, nets: OtherNetworks, hall: Hall, units: int) -> Iterator[CopperEnd]:
    """Every end of the first `units` units, of the core group and of the storage servers, whether it stands yet or not."""
    for unit in range(1, units + 1):
        yield from _unit_ends(file, shape, nets, hall, unit)
    yield from _core_ends(file, shape, nets, hall)
    yield from _storage_ends(file, nets.oob, hall)


def _unit_ends(file: StackFile, shape: FabricShape, nets: OtherNetworks, hall: Hall, unit: int) -> Iterator[CopperEnd]:
    oob, site, slots = nets.oob, file.site.name, shape.nodes_per_unit
    nodes = [names.gpu(site, unit, slot, slots) for slot in range(1, slots + 1)]
    for number, name in enumerate(nodes):
        yield CopperEnd("bmc", name, "bmc", "BMC", None, oob.unit_port(unit, number))
    number = slots
    for name in nodes:
        for dpu in range(oob.dpus):
            yield CopperEnd("dpu-bmc", name, f"dpu{dpu}-bmc", f"DPU{dpu + 1}BMC", None, oob.unit_port(unit, number))
            number += 1
    leaves = [leaf_name(site, shape, unit, index, plane) for index in range(shape.groups) for plane in range(shape.planes)]
    others = [dual.pair_name(site, pair, side) for dual, pair in nets.unit_pairs(unit) for side in (0, 1)]
    for offset, name in enumerate((*leaves, *others)):
        yield CopperEnd("switch", name, SWITCH_PORT, "MGMT", None, oob.unit_port(unit, number + offset))
    number += oob.leaves + oob.other_leaves
    racks = [hall.compute(unit, index) for index in range(hall.per_unit)]
    for rack in racks:
        for name, port, label in _pdus(file, rack):
            yield CopperEnd("pdu", name, port, label, rack, oob.unit_port(unit, number))
            number += 1


def _core_ends(file: StackFile, shape: FabricShape, nets: OtherNetworks, hall: Hall) -> Iterator[CopperEnd]:
    oob, site = nets.oob, file.site.name
    switches = [
        *(
            names.spine(site, index + 1, plane, shape.planes)
            for index in range(shape.spines_per_plane)
            for plane in range(shape.planes)
        ),
        *(
            names.core(site, index + 1, plane, shape.planes)
            for index in range(shape.cores_per_plane)
            for plane in range(shape.planes)
        ),
        *(name for _, name in nets.spines()),
        *(dual.pair_name(site, pair, side) for dual, pair in nets.upper_pairs() for side in (0, 1)),
    ]
    for number, name in enumerate(switches):
        yield CopperEnd("switch", name, SWITCH_PORT, "MGMT", None, oob.core_port(number))
    number = len(switches)
    for rack in (hall.spine(index) for index in range(hall.spine_racks)):
        for name, port, label in _pdus(file, rack):
            yield CopperEnd("pdu", name, port, label, rack, oob.core_port(number))
            number += 1
    for offset, name in enumerate(manager_hosts(file, shape)):
        yield CopperEnd("bmc", name, "bmc", "BMC", None, oob.core_port(number + offset))


def _storage_ends(file: StackFile, oob: OobShape, hall: Hall) -> Iterator[CopperEnd]:
    for server in range(1, file.storage.nodes + 1):
        name = names.storage(file.site.name, server)
        yield CopperEnd("bmc", name, "bmc", "BMC", None, oob.server_port(server, 0))
        for index in range(1, oob.per_server):
            yield CopperEnd("storage", name, f"mgmt{index - 1}", f"MGMT{index}", None, oob.server_port(server, index))
    for rack in range(oob.storage_racks(file.storage.nodes)):
        for number, (name, port, label) in enumerate(_pdus(file, hall.storage(rack))):
            yield CopperEnd("pdu", name, port, label, hall.storage(rack), oob.rack_port(rack, number))


def _pdus(file: StackFile, rack: int) -> Iterator[tuple[str, str, str]]:
    """(name, port, label) of each strip of a rack; the strips of one feed share a name and differ in their port's number."""
    for feed in file.facility.feeds:
        for strip in range(feed.pdus_per_rack):
            name = names.pdu(names.rack(file.site.name, rack), feed.name)
            yield name, f"net{strip}", f"R{rack:03d}-PDU-{feed.name.upper()}{strip + 1}"


def link_copper(
    ends: Iterable[CopperEnd],
    oob: OobShape,
    cabler: Cabler,
    installed: Collection[str],
    racks: Collection[int],
) -> Iterator[Cable]:
    """One copper cable for each end that stands: its device is `installed`, or its rack is one of `racks` (a PDU's)."""
    legs: dict[tuple[int, int], Leg] = {}
    gbps, color = oob.model.copper_gbps, COLORS["oob"]
    for end in ends:
        if end.plug is None or (end.rack not in racks if end.rack is not None else end.device not in installed):
            continue
        switch, port = end.plug
        above, above_tag, _ = cabler.spots[switch]
        # A PDU stands in no U: its label is all there is.
        rack, tag, _ = (end.rack, "", False) if end.rack is not None else cabler.spots[end.device]
        leg = legs.get((rack, above))
        if leg is None:
            leg = legs[rack, above] = copper_leg(cabler, rack, above)
        a, z = f"{end.device}/{end.port}", f"{switch}/swp{port}"
        name, label = f"{end.device}:{end.port}", f"{word_tag(tag)}{end.label}"
        yield as_cable(name, "oob", a, z, label, f"{above_tag}{port}", gbps, leg, color)
