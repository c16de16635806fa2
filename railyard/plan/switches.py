"""The fabric's switches with their ports, out of the wiring."""

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from railyard.model.plan import SwitchPlan
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.fabric import Wiring, standing_spines
from railyard.plan.nics import RailNics
from railyard.plan.placement import Place
from railyard.plan.shape import FabricShape

Tier = Literal["leaf", "spine", "core"]


class Spot(msgspec.Struct, frozen=True, gc=False):
    """Identity of one switch. `blocked` is the number of ports that are kept for fabric managers."""

    name: str
    role: Tier
    unit: int | None
    rail: int | None
    plane: int
    blocked: int


def assign_switches(
    file: StackFile, shape: FabricShape, nics: RailNics, wiring: Wiring, places: Mapping[str, Place], model: str
) -> tuple[SwitchPlan, ...]:
    """One plan per standing switch: leaves by unit, rail, plane; then spines; then cores.

    Built without validation, which would copy every port map (a third of the time at 2,048 nodes); a test validates them.
    """
    ports, peers = wiring.ports, wiring.peers
    down = {
        "leaf": shape.nodes_per_unit,
        "spine": shape.spine_down,
        "core": shape.pods * shape.uplinks // max(shape.cores_per_group, 1),
    }
    up = {"leaf": shape.uplinks, "spine": shape.uplinks if shape.tiers == 3 else 0, "core": 0}
    speed = file.fabric.link_gbps
    return tuple(
        SwitchPlan.model_construct(
            name=spot.name,
            role=spot.role,
            model=model,
            unit=spot.unit,
            rail=spot.rail,
            plane=spot.plane,
            rack=names.rack(file.site.name, places[spot.name].rack),
            u=places[spot.name].u,
            port_count=shape.radix,
            ports=ports.get(spot.name, {}),
            links_per_peer=peers.get(spot.name, {}),
            down_gbps=down[spot.role] * speed,
            up_gbps=up[spot.role] * speed,
            down_to_up=round(down[spot.role] / up[spot.role], 6) if up[spot.role] else None,
            free_ports=shape.radix - len(ports.get(spot.name, ())) - spot.blocked,
            node_nic=None if spot.rail is None else nics.port(spot.rail, spot.plane),
        )
        for spot in standing(file, shape)
    )


def standing(file: StackFile, shape: FabricShape) -> Iterator[Spot]:
    """Switches that stand: leaves of built units, spines of their pods, all cores."""
    site, planes = file.site.name, shape.planes
    for unit in range(1, file.fabric.scalable_units + 1):
        for rail in range(shape.rails):
            for plane in range(planes):
                blocked = _blocked(file.fabric.reserved_ports, shape, rail * planes + plane) if unit == 1 else 0
                yield Spot(names.leaf(site, unit, rail, plane, planes), "leaf", unit, rail, plane, blocked)
    for number in range(1, standing_spines(shape, file.fabric.scalable_units) + 1):
        for plane in range(planes):
            yield Spot(names.spine(site, number, plane, planes), "spine", None, None, plane, 0)
    for number in range(1, shape.cores_per_plane + 1):
        for plane in range(planes):
            yield Spot(names.core(site, number, plane, planes), "core", None, None, plane, 0)


def _blocked(reserved: int, shape: FabricShape, index: int) -> int:
    """Reserved ports on leaf `index` of unit 1: they go round the unit's leaves, slot by slot from the last."""
    leaves = shape.rails * shape.planes
    return len(range(index, reserved, leaves))
