"""Racks with their devices, power, heat and weight, out of the places."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, cast

from railyard.model.plan import RackDevice, RackPlan
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.electrical import Electrics, heat_to_air_kw
from railyard.plan.floor.loads import FRAME_KG_MAX, Loads, strips_kg, unweighed_strips
from railyard.plan.hall import Hall
from railyard.plan.parts import Parts
from railyard.plan.placement import Place

UNFED = frozenset({"oob"})
"""Roles whose supplies nobody judges: no job stops with them."""
Role = Literal["gpu", "storage", "leaf", "spine", "core", "management", "storage-switch", "in-band-switch", "oob"]


Filled = Mapping[int, Sequence[tuple[str, Place]]]
"""What is planned in each rack, by its number: (name, place), the lowest U first."""


def fill_racks(places: Mapping[str, Place]) -> Filled:
    """Places by rack."""
    filled: defaultdict[int, list[tuple[str, Place]]] = defaultdict(list)
    for name, place in places.items():
        filled[place.rack].append((name, place))
    return {number: sorted(filled[number], key=lambda item: (item[1].u, item[0])) for number in sorted(filled)}


def assign_racks(
    file: StackFile, parts: Parts, hall: Hall, filled: Filled, installed: Collection[str], loads: Loads, electrics: Electrics
) -> tuple[RackPlan, ...]:
    """Every rack that holds something installed, by number. Planned devices that don't stand yet keep their U (`installed`
    false).
    """
    return tuple(
        _rack(file, parts, hall, number, placed, installed, loads, electrics)
        for number, placed in filled.items()
        if any(name in installed for name, _ in placed)
    )


def _rack(
    file: StackFile,
    parts: Parts,
    hall: Hall,
    number: int,
    placed: Sequence[tuple[str, Place]],
    installed: Collection[str],
    loads: Loads,
    electrics: Electrics,
) -> RackPlan:
    live = [place.body for name, place in placed if name in installed]
    facility, peak = file.facility, round(sum(body.peak_kw for body in live), 6)
    unweighed = _unweighed(file, parts)
    stands = [(place.u, place.body.model, place.body.peak_kw, name in installed) for name, place in placed]
    kind = electrics.kind(names.rack(file.site.name, number), hall.row(number), stands, hall.position(number))
    return RackPlan(
        name=names.rack(file.site.name, number),
        model=parts.rack.name,
        row=hall.row(number),
        position=hall.position(number),
        u_height=parts.rack.u_height,
        reserved_u=tuple(sorted(set(facility.reserved_u))),
        devices=tuple(_device(name, place, name in installed) for name, place in placed),
        feeds=electrics.feeds(kind),
        peak_kw=peak,
        air_kw=heat_to_air_kw((body.peak_kw, body.air_fraction) for body in live),
        air_limit_kw=facility.air_limit_kw,
        weight_kg=round(sum(body.weight_kg or 0.0 for body in live) + strips_kg(file, parts), 3),
        weight_limit_kg=weight_limit_kg(file, parts),
        unweighed=tuple(name for name, _ in unweighed),
        unweighed_max_kg=round(sum(kg for _, kg in unweighed), 3),
        supplies=electrics.supplies(kind, {body.model for body in live if body.role in UNFED}),
        floor=loads.floor_of(number, [place.body for _, place in placed]),
    )


def _device(name: str, place: Place, installed: bool) -> RackDevice:
    body = place.body
    return RackDevice(
        name=name,
        role=cast(Role, body.role),
        model=body.model,
        u=place.u,
        u_height=body.u_height,
        peak_kw=body.peak_kw,
        weight_kg=body.weight_kg,
        installed=installed,
    )


def _unweighed(file: StackFile, parts: Parts) -> list[tuple[str, float]]:
    """(name, most kilograms) of what has no weight in the catalogue: PDUs, and the frame where the floor's limit counts it."""
    found = list(unweighed_strips(file, parts))
    if file.facility.weight_limit_kg is not None and parts.rack.own_weight_kg is None:
        found.append((f"the frame of {parts.rack.name}", FRAME_KG_MAX))
    return found


def weight_limit_kg(file: StackFile, parts: Parts) -> float | None:
    """Kilograms that a rack may hold: the lesser of the frame's static load and the floor's limit less the rack's own weight.

    None if unknown. Never below 0: a floor that doesn't even carry the frame carries nothing in it.
    """
    floor = file.facility.weight_limit_kg
    limits = [parts.rack.weight_limit_kg, None if floor is None else max(floor - (parts.rack.own_weight_kg or 0.0), 0.0)]
    return min((limit for limit in limits if limit is not None), default=None)
