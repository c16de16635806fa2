"""The BMC part of the out-of-band network: one cable from each BMC to an out-of-band switch of its unit (or of storage).

What is counted: BMCs of GPU nodes and storage servers, one port each, and the switches that they need. What is not, although
fabric.md section 2 puts it on the same network: DPU BMCs, PDUs, management ports of switches and storage, and the uplinks of
the out-of-band switches. They come with the other networks; until then their ports and cables are in no total.

Port follows identity: slot s of a unit is on switch s // 46 of that unit, port s % 46 + 1.
"""

from collections.abc import Iterable, Iterator
from math import ceil

import msgspec

from railyard.model.plan import Cable
from railyard.plan import names
from railyard.plan.hall import Hall
from railyard.plan.shape import FabricShape


class OobSwitch(msgspec.Struct, frozen=True):
    """Facts of the out-of-band switch. Not in the catalogue yet: its noun knows training fabrics only."""

    model: str
    usable_ports: int
    u_height: int
    peak_kw: float
    weight_kg: float | None
    link_gbps: float


OOB = OobSwitch("sn2201", 46, 1, 0.15, 8.5, 1.0)
"""SN2201: 48 copper ports of which 2 stay spare (fabric.md section 2). 1U. Power and weight unverified: class of 48-port 1G."""


class OobEnd(msgspec.Struct, frozen=True, gc=False):
    """One BMC: device, label prefix and rack of both ends, port of the switch."""

    device: str
    device_tag: str
    device_rack: int
    switch: str
    switch_tag: str
    switch_rack: int
    port: int


def oob_per_unit(nodes_per_unit: int) -> int:
    """ceil(nodes per unit / 46) switches: fabric.md section 2's rule, applied to BMC ports only."""
    return ceil(nodes_per_unit / OOB.usable_ports)


def storage_oob(site: str, servers: int, shape: FabricShape) -> list[str]:
    """Names of the storage servers' out-of-band switches: they follow those of all planned units."""
    first = shape.units * oob_per_unit(shape.nodes_per_unit)
    return [names.oob(site, first + index + 1) for index in range(ceil(servers / OOB.usable_ports))]


def oob_port(site: str, unit: int, slot: int, shape: FabricShape) -> tuple[str, int]:
    """(switch, port) of the BMC in `slot` (from 1) of `unit` (from 1; 0: storage server number `slot`)."""
    per_unit = oob_per_unit(shape.nodes_per_unit)
    index, port = divmod(slot - 1, OOB.usable_ports)
    first = (unit - 1) * per_unit if unit else shape.units * per_unit
    return names.oob(site, first + index + 1), port + 1


def link_oob(ends: Iterable[OobEnd], hall: Hall) -> Iterator[Cable]:
    """One copper cable per BMC (1000BASE-T: 100 m)."""
    for end in ends:
        yield Cable(
            id=f"{end.device}:bmc",
            kind="oob",
            a=f"{end.device}/bmc",
            z=f"{end.switch}/swp{end.port}",
            a_label=f"{end.device_tag}BMC",
            z_label=f"{end.switch_tag}{end.port}",
            link_gbps=OOB.link_gbps,
            length_m=hall.length_m(end.device_rack, end.switch_rack),
            medium="cat6a",
            color="grey",
        )
