"""The fabric's switches with their ports, out of the wiring."""

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from railyard.model.plan import SwitchPlan
from railyard.model.site import StackFile, Transport
from railyard.plan import names
from railyard.plan.fabric import Wiring
from railyard.plan.nics import RailNics
from railyard.plan.placement import Place
from railyard.plan.shape import FabricShape
from railyard.plan.wiring import leaf_name

Tier = Literal["leaf", "spine", "core"]


class Spot(msgspec.Struct, frozen=True, gc=False):
    """Identity of one switch. `rail` is None on leaves that take all rails; `blocked` ports are kept free for other things.

    `index` counts all planned switches of its role from 0, whether they stand yet or not: it never changes. `leaf` counts the
    leaves of a unit in a plane.
    """

    name: str
    role: Tier
    unit: int | None
    rail: int | None
    plane: int
    blocked: int
    index: int = 0
    leaf: int | None = None


def assign_switches(
    file: StackFile, shape: FabricShape, nics: RailNics, wiring: Wiring, places: Mapping[str, Place], model: str
) -> tuple[SwitchPlan, ...]:
    """One plan per standing switch: leaves by unit, rail, plane; then spines; then cores.

    Built without validation, which would copy every port map (a third of the time at 2,048 nodes); a test validates them.
    """
    ports, peers = wiring.ports, wiring.peers
    down = {
        "leaf": shape.node_ports,
        "spine": shape.spine_down,
        "core": shape.pods * shape.uplinks // max(shape.cores_per_group, 1),
    }
    up = {"leaf": shape.uplinks, "spine": shape.uplinks if shape.tiers == 3 else 0, "core": 0}
    speed = file.fabric.link_gbps
    wanted = (file.fabric.oversubscription or 1.0) if shape.tiers > 1 else None
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
            wanted_down_to_up=wanted if spot.role == "leaf" else 1.0,
        )
        for spot in standing(file, shape)
    )


def standing(file: StackFile, shape: FabricShape) -> Iterator[Spot]:
    """Switches that stand: leaves of built units (`fullPods`: of their pods), spines of their pods, all cores."""
    site, planes, built = file.site.name, shape.planes, file.fabric.scalable_units
    # On InfiniBand the reserved ports hold cables to fabric managers; on Ethernet they are kept free.
    kept = () if file.fabric.transport is Transport.INFINIBAND else shape.reserved_leaves()
    for unit in range(1, shape.leaf_units(built) + 1):
        for index in range(shape.groups):
            for plane in range(planes):
                name, rail = leaf_name(site, shape, unit, index, plane), None if shape.grouped else index
                number, keeps = ((unit - 1) * shape.groups + index) * planes + plane, int((unit, index, plane) in kept)
                yield Spot(name, "leaf", unit, rail, plane, keeps, number, index)
    for number in shape.standing_spines(built):
        for plane in range(planes):
            yield Spot(names.spine(site, number + 1, plane, planes), "spine", None, None, plane, 0, number * planes + plane)
    for number in range(shape.cores_per_plane):
        for plane in range(planes):
            yield Spot(names.core(site, number + 1, plane, planes), "core", None, None, plane, 0, number * planes + plane)
