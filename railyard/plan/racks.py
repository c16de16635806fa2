"""Racks with their devices, power, heat and weight, out of the places."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Literal, cast

from railyard.model.plan import RackDevice, RackPlan
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.hall import Hall
from railyard.plan.parts import Parts
from railyard.plan.placement import Place
from railyard.plan.power import heat_to_air_kw, load_feeds

Role = Literal["gpu", "storage", "leaf", "spine", "core", "management", "oob"]


def assign_racks(
    file: StackFile, parts: Parts, hall: Hall, places: Mapping[str, Place], installed: Collection[str]
) -> tuple[RackPlan, ...]:
    """Every rack that holds something installed, by number. Planned devices that don't stand yet keep their U (`installed`
    false).
    """
    filled: defaultdict[int, list[tuple[str, Place]]] = defaultdict(list)
    for name, place in places.items():
        filled[place.rack].append((name, place))
    return tuple(
        _rack(file, parts, hall, number, sorted(filled[number], key=lambda item: (item[1].u, item[0])), installed)
        for number in sorted(filled)
        if any(name in installed for name, _ in filled[number])
    )


def _rack(
    file: StackFile, parts: Parts, hall: Hall, number: int, placed: list[tuple[str, Place]], installed: Collection[str]
) -> RackPlan:
    live = [place.body for name, place in placed if name in installed]
    facility, peak = file.facility, round(sum(body.peak_kw for body in live), 6)
    return RackPlan(
        name=names.rack(file.site.name, number),
        model=parts.rack.name,
        row=hall.row(number),
        position=hall.position(number),
        u_height=parts.rack.u_height,
        reserved_u=tuple(sorted(set(facility.reserved_u))),
        devices=tuple(_device(name, place, name in installed) for name, place in placed),
        feeds=load_feeds(facility, parts, peak),
        peak_kw=peak,
        air_kw=heat_to_air_kw((body.peak_kw, body.air_fraction) for body in live),
        air_limit_kw=facility.air_limit_kw,
        weight_kg=round(sum(body.weight_kg or 0.0 for body in live) + _pdu_weight(file, parts), 3),
        weight_limit_kg=weight_limit_kg(file, parts),
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


def _pdu_weight(file: StackFile, parts: Parts) -> float:
    """Weight of a rack's PDUs; an unknown weight counts 0."""
    return sum((parts.pdus[feed.name].weight_kg or 0.0) * feed.pdus_per_rack for feed in file.facility.feeds)


def weight_limit_kg(file: StackFile, parts: Parts) -> float | None:
    """What a rack may hold: the lesser of the frame's static load and the floor's limit less the rack's own weight; None if
    unknown.
    """
    floor = file.facility.weight_limit_kg
    limits = [parts.rack.weight_limit_kg, None if floor is None else floor - (parts.rack.own_weight_kg or 0.0)]
    return min((limit for limit in limits if limit is not None), default=None)
