"""Where each device stands: rack and U. A device's place depends on its identity and on planned counts, on nothing else.

Nodes fill a rack from the bottom (rack and position: `hall.rack_of_slot`). Switches, fabric managers and storage servers fill
from the top down, in the order of `tops`. What does not fit is placed all the same, above the top or on top of each other: a
rule finds it (house rule 2).
"""

import msgspec

from railyard.model.site import Facility, StackFile
from railyard.plan import names
from railyard.plan.bodies import Body, bodies
from railyard.plan.hall import Hall, rack_of_slot
from railyard.plan.networks.shapes import OtherNetworks
from railyard.plan.parts import Parts
from railyard.plan.shape import FabricShape
from railyard.plan.tops import top_devices

__all__ = ["Body", "Place", "node_us", "place_nodes", "place_tops"]


class Place(msgspec.Struct, frozen=True, gc=False):
    """Lowest U (from 1) of a device in rack number `rack`."""

    rack: int
    u: int
    body: Body

    def tag(self) -> str:
        """First part of a physical label: `R004-U12-P`."""
        return names.label(self.rack, self.u, "")


def node_us(facility: Facility, height: int) -> list[int]:
    """Lowest U of each position of a compute rack, from the bottom, over reserved U."""
    reserved, us, u = set(facility.reserved_u), list[int](), 1
    for _ in range(facility.nodes_per_rack):
        while any(taken in reserved for taken in range(u, u + height)):
            u += 1
        us.append(u)
        u += height
    return us


def place_nodes(file: StackFile, parts: Parts, hall: Hall, nets: OtherNetworks) -> dict[str, Place]:
    """Every slot of every built unit, filled or not."""
    facility, fabric, body = file.facility, file.fabric, bodies(parts, nets)["gpu"]
    us = node_us(facility, body.u_height)
    spots = [rack_of_slot(slot, facility.nodes_per_rack, facility.spread_racks) for slot in range(fabric.nodes_per_unit)]
    return {
        names.gpu(file.site.name, unit, slot + 1, fabric.nodes_per_unit): Place(hall.compute(unit, rack), us[position], body)
        for unit in range(1, fabric.scalable_units + 1)
        for slot, (rack, position) in enumerate(spots)
    }


def place_tops(file: StackFile, parts: Parts, hall: Hall, shape: FabricShape, nets: OtherNetworks) -> dict[str, Place]:
    """Every planned switch, fabric manager and storage server: what fills a rack from the top down."""
    body, top, reserved = bodies(parts, nets), dict[int, int](), set(file.facility.reserved_u)
    placed: dict[str, Place] = {}
    for name, role, rack in top_devices(file, parts, hall, shape, nets):
        u = top.get(rack, parts.rack.u_height) - body[role].u_height + 1
        while u > 1 and any(taken in reserved for taken in range(u, u + body[role].u_height)):
            u -= 1
        placed[name] = Place(rack, max(u, 1), body[role])
        top[rack] = u - 1
    return placed
