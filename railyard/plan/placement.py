"""Where each device stands: rack and U. A device's place depends on its identity and on planned counts, on nothing else.

Nodes fill a rack from the bottom (rack and position: `hall.rack_of_slot`). Switches and storage servers fill from the top down.
`shared`: a unit's leaves and out-of-band switches go into the first `spreadRacks` compute racks of the unit in turn; spines,
cores and storage servers into those of unit 1, in this order, so that storage may grow at the end. `dedicated`: a unit has
network racks of its own; spines and cores, and storage servers, have racks of their own, each filled as far as U, air and one
feed allow. What does not fit is placed all the same, above the top or on top of each other: a rule finds it (house rule 2).
"""

from collections.abc import Iterable, Iterator
from math import ceil, floor

import msgspec

from railyard.model.site import Facility, RackKind, StackFile
from railyard.plan import names
from railyard.plan.hall import RACK_PITCH_M, Hall, rack_of_slot, racks_per_unit
from railyard.plan.oob import OOB, oob_per_unit, storage_oob
from railyard.plan.parts import Parts
from railyard.plan.power import feed_capacity_kw
from railyard.plan.shape import FabricShape


class Body(msgspec.Struct, frozen=True, gc=False):
    """What a device is to a rack. `peak_kw` counts an unknown peak as 0 (PLAN-008)."""

    role: str
    model: str
    u_height: int
    peak_kw: float
    weight_kg: float | None
    air_fraction: float


class Place(msgspec.Struct, frozen=True, gc=False):
    """Lowest U (from 1) of a device in rack number `rack`."""

    rack: int
    u: int
    body: Body

    def tag(self) -> str:
        """First part of a physical label: `R004-U12-P`."""
        return names.label(self.rack, self.u, "")


def bodies(parts: Parts) -> dict[str, Body]:
    """What stands in racks, by role."""
    node, switch, disk = parts.node, parts.switch, parts.storage
    found = {
        "gpu": Body("gpu", node.name, node.rack_units, node.peak_kw, node.weight_kg, node.air_fraction),
        "oob": Body("oob", OOB.model, OOB.u_height, OOB.peak_kw, OOB.weight_kg, 1.0),
    }
    if disk:
        found["storage"] = Body("storage", disk.name, disk.rack_units, disk.peak_kw, disk.weight_kg, 1.0)
    for role in ("leaf", "spine", "core"):
        found[role] = Body(role, switch.name, switch.u_height, switch.peak_kw or 0.0, switch.weight_kg, 1.0)
    return found


def plan_hall(file: StackFile, parts: Parts, shape: FabricShape) -> Hall:
    """Numbers of racks for all planned units."""
    facility, body = file.facility, bodies(parts)
    dedicated = facility.switch_racks is RackKind.DEDICATED
    return Hall(
        units=shape.units,
        compute_per_unit=racks_per_unit(shape.nodes_per_unit, facility.nodes_per_rack, facility.spread_racks),
        network_per_unit=ceil(_unit_count(shape) / rack_capacity(facility, parts, body["leaf"])) if dedicated else 0,
        spine_racks=ceil(_upper_count(shape) / rack_capacity(facility, parts, body["spine"])) if dedicated else 0,
        racks_per_row=facility.racks_per_row,
        pitch_m=parts.rack.width_m or RACK_PITCH_M,
    )


def _unit_count(shape: FabricShape) -> int:
    """Switches of a unit: leaves and out-of-band."""
    return shape.rails * shape.planes + oob_per_unit(shape.nodes_per_unit)


def _upper_count(shape: FabricShape) -> int:
    return shape.spines + shape.cores


def rack_capacity(facility: Facility, parts: Parts, body: Body, kept_u: int = 0) -> int:
    """Devices of one kind in a rack of their own: the least of free U / height, air limit / heat, weakest feed / peak; at least
    1.
    """
    free = parts.rack.u_height - kept_u - len({u for u in facility.reserved_u if u <= parts.rack.u_height})
    limits = [free // body.u_height]
    if body.peak_kw > 0:
        feeds = [feed_capacity_kw(facility, feed, parts) for feed in facility.feeds]
        limits.append(floor(min([facility.air_limit_kw / (body.air_fraction or 1.0), *feeds]) / body.peak_kw))
    return max(1, min(limits))


def node_us(facility: Facility, height: int) -> list[int]:
    """Lowest U of each position of a compute rack, from the bottom, over reserved U."""
    reserved, us, u = set(facility.reserved_u), list[int](), 1
    for _ in range(facility.nodes_per_rack):
        while any(taken in reserved for taken in range(u, u + height)):
            u += 1
        us.append(u)
        u += height
    return us


def place_nodes(file: StackFile, parts: Parts, hall: Hall) -> dict[str, Place]:
    """Every slot of every built unit, filled or not."""
    facility, fabric, body = file.facility, file.fabric, bodies(parts)["gpu"]
    us = node_us(facility, body.u_height)
    spots = [rack_of_slot(slot, facility.nodes_per_rack, facility.spread_racks) for slot in range(fabric.nodes_per_unit)]
    return {
        names.gpu(file.site.name, unit, slot + 1, fabric.nodes_per_unit): Place(hall.compute(unit, rack), us[position], body)
        for unit in range(1, fabric.scalable_units + 1)
        for slot, (rack, position) in enumerate(spots)
    }


def place_tops(file: StackFile, parts: Parts, hall: Hall, shape: FabricShape) -> dict[str, Place]:
    """Every switch of the planned fabric, out-of-band switch and storage server: what fills a rack from the top down."""
    body, top, reserved = bodies(parts), dict[int, int](), set(file.facility.reserved_u)
    placed: dict[str, Place] = {}
    for name, role, rack in _top_devices(file, parts, hall, shape):
        u = top.get(rack, parts.rack.u_height) - body[role].u_height + 1
        while u > 1 and any(taken in reserved for taken in range(u, u + body[role].u_height)):
            u -= 1
        placed[name] = Place(rack, max(u, 1), body[role])
        top[rack] = u - 1
    return placed


def _top_devices(file: StackFile, parts: Parts, hall: Hall, shape: FabricShape) -> Iterator[tuple[str, str, int]]:
    """(name, role, rack) of everything that is placed top down, in the order of filling."""
    site, facility = file.site.name, file.facility
    shared = facility.switch_racks is RackKind.SHARED
    spread = min(facility.spread_racks, hall.compute_per_unit)
    # Racks of their own are filled evenly: counts are fixed by the planned units, so nothing moves later.
    per_leaf_rack = ceil(_unit_count(shape) / max(hall.network_per_unit, 1))
    per_spine_rack = ceil(_upper_count(shape) / max(hall.spine_racks, 1))
    for unit in range(1, shape.units + 1):
        for index, (name, role) in enumerate(_unit_switches(site, unit, shape)):
            yield name, role, hall.compute(unit, index % spread) if shared else hall.network(unit, index // per_leaf_rack)
    for index, (name, role) in enumerate(_upper_switches(site, shape)):
        yield name, role, hall.compute(1, index % spread) if shared else hall.spine(index // per_spine_rack)
    yield from _storage_devices(file, parts, hall, shape)


def _storage_devices(file: StackFile, parts: Parts, hall: Hall, shape: FabricShape) -> Iterator[tuple[str, str, int]]:
    """Out-of-band switches of the storage servers, then the servers: racks of their own are filled one after the other."""
    body, facility, count = bodies(parts), file.facility, file.storage.nodes
    if "storage" not in body:
        return
    shared = facility.storage_racks is RackKind.SHARED
    spread = min(facility.spread_racks, hall.compute_per_unit)
    oob = storage_oob(file.site.name, count, shape)
    per_rack = rack_capacity(facility, parts, body["storage"], kept_u=OOB.u_height * len(oob))
    for name in oob:
        yield name, "oob", hall.compute(1, 0) if shared else hall.storage(0)
    for index in range(count):
        yield (
            names.storage(file.site.name, index + 1),
            "storage",
            hall.compute(1, (index + 1) % spread) if shared else hall.storage(index // per_rack),
        )


def _unit_switches(site: str, unit: int, shape: FabricShape) -> Iterable[tuple[str, str]]:
    for rail in range(shape.rails):
        for plane in range(shape.planes):
            yield names.leaf(site, unit, rail, plane, shape.planes), "leaf"
    per_unit = oob_per_unit(shape.nodes_per_unit)
    for index in range(per_unit):
        yield names.oob(site, (unit - 1) * per_unit + index + 1), "oob"


def _upper_switches(site: str, shape: FabricShape) -> Iterable[tuple[str, str]]:
    for number in range(1, shape.spines_per_plane + 1):
        for plane in range(shape.planes):
            yield names.spine(site, number, plane, shape.planes), "spine"
    for number in range(1, shape.cores_per_plane + 1):
        for plane in range(shape.planes):
            yield names.core(site, number, plane, shape.planes), "core"
