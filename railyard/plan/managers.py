"""Where the subnet managers of an InfiniBand fabric sit: on fabric manager hosts (UFM), or on the switches themselves.

`fabric.reservedPorts` leaf ports go to UFM hosts, two ports to a host, each on another leaf. Without them the switches' own
subnet managers run, where the catalogue says that they have one (`subnetManagerNodes`): on the first two of the upper tier,
or on the first and the last where `facility.spineRacks` spreads it.
Each plane, and each rail of a rail-only fabric, is a subnet of its own and needs its own.

Source: QM97x0 user manual, "Software Management": one subnet manager for each subnet, on a switch or a host; at most two are
recommended; the one on the switch manages 2,048 nodes.
"""

from collections.abc import Iterator
from math import ceil

import msgspec

from railyard.model.site import StackFile, Transport
from railyard.plan import names
from railyard.plan.parts import Parts
from railyard.plan.shape import FabricShape
from railyard.plan.wiring import leaf_name, wire_managers

PORTS_PER_HOST = 2
RECOMMENDED = 2
"""Subnet managers of a subnet: one works, one stands by."""


class ManagerHost(msgspec.Struct, frozen=True):
    """Facts of a fabric manager host. Not in the catalogue: its nouns are GPU nodes and storage servers."""

    model: str
    u_height: int
    peak_kw: float
    weight_kg: float | None
    depth_m: float | None = None


HOST = ManagerHost("ufm-host", 1, 0.8, None, 0.8)
"""A two-socket server of 1U with two InfiniBand ports. Its figures are unverified (class of such servers, upper end)."""


def manager_hosts(file: StackFile, shape: FabricShape) -> list[str]:
    """Names of the fabric manager hosts; none on Ethernet, where reserved ports stay free."""
    if file.fabric.transport is not Transport.INFINIBAND:
        return []
    return [names.manager(file.site.name, number + 1) for number in range(ceil(shape.reserved_ports / PORTS_PER_HOST))]


def subnet_managers(file: StackFile, parts: Parts, shape: FabricShape) -> dict[str, tuple[str, ...]]:
    """By subnet (`fabric`, `p0`, `r3`, `r3-p0`): hosts or switches whose subnet manager works there. Empty on Ethernet.

    A subnet without one has an empty entry: nothing in it will ever come up.
    """
    if file.fabric.transport is not Transport.INFINIBAND:
        return {}
    found: dict[str, list[str]] = {name: [] for name, _, _ in _subnets(shape)}
    for link in wire_managers(file.site.name, shape):
        for name, rail, plane in _subnets(shape):
            if link.plane == plane and rail in (None, link.rail):
                found[name].append(link.a)
    if not shape.reserved_ports and parts.switch.subnet_manager_nodes is not None:
        for name, rail, plane in _subnets(shape):
            found[name] += _own(file.site.name, shape, rail, plane, file.facility.spine_racks > 1)
    return {name: tuple(dict.fromkeys(hosts)) for name, hosts in found.items()}


def _subnets(shape: FabricShape) -> Iterator[tuple[str, int | None, int]]:
    """(name, rail where rails are apart, plane) of each separate fabric."""
    rails: tuple[int | None, ...] = tuple(range(shape.rails)) if shape.layout == "rail-only" else (None,)
    for rail in rails:
        for plane in range(shape.planes):
            parts = [*([] if rail is None else [f"r{rail}"]), *([f"p{plane}"] if shape.planes > 1 else [])]
            yield "-".join(parts) or "fabric", rail, plane


def _own(site: str, shape: FabricShape, rail: int | None, plane: int, apart: bool) -> list[str]:
    """The first two switches of the subnet, from the top: there is always a first leaf. `apart`: the first and the last of the
    upper tier, which stand in different racks (`facility.spineRacks`).
    """
    name, count = (names.core, shape.cores_per_plane) if shape.tiers == 3 else (names.spine, shape.spines_per_plane)
    numbers = (1, count) if apart and count > 1 else range(1, min(count, RECOMMENDED) + 1)
    upper = [name(site, number, plane, shape.planes) for number in numbers]
    leaves = [rail] if rail is not None else range(min(shape.groups, RECOMMENDED))
    lower = [leaf_name(site, shape, 1, index, plane) for index in leaves]
    return [*upper, *lower][:RECOMMENDED]
