"""Racks with their devices, power, heat and weight, out of the places."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Literal, cast

from railyard.model.plan import RackDevice, RackPlan
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.hall import Hall
from railyard.plan.parts import Parts, supplies_of
from railyard.plan.placement import Place
from railyard.plan.power import heat_to_air_kw, load_feeds

PDU_KG_MAX = 30.0
"""No 0U rack strip weighs more (catalogue: vertiv-gi10022l 7.26 kg): an upper bound for those of unknown weight. Ours."""
FRAME_KG_MAX = 250.0
"""No empty frame of 600 to 800 mm weighs more (catalogue: 125 and 165 kg). Ours."""
Role = Literal["gpu", "storage", "leaf", "spine", "core", "management", "storage-switch", "in-band-switch", "oob"]


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
    unweighed = list(_unweighed(file, parts))
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
        unweighed=tuple(name for name, _ in unweighed),
        unweighed_max_kg=round(sum(kg for _, kg in unweighed), 3),
        supplies=supplies_of(parts, live),
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
    """Weight of a rack's PDUs as far as it is known; the others are in `_unweighed`."""
    return sum((parts.pdus[feed.name].weight_kg or 0.0) * feed.pdus_per_rack for feed in file.facility.feeds)


def _unweighed(file: StackFile, parts: Parts) -> Iterator[tuple[str, float]]:
    """(name, most kilograms) of what has no weight in the catalogue: PDUs, and the frame where the floor's limit counts it."""
    counts: dict[str, int] = {}
    for feed in file.facility.feeds:
        if parts.pdus[feed.name].weight_kg is None:
            counts[feed.pdu_model] = counts.get(feed.pdu_model, 0) + feed.pdus_per_rack
    yield from ((f"{count} x {model}", count * PDU_KG_MAX) for model, count in sorted(counts.items()))
    if file.facility.weight_limit_kg is not None and parts.rack.own_weight_kg is None:
        yield f"the frame of {parts.rack.name}", FRAME_KG_MAX


def weight_limit_kg(file: StackFile, parts: Parts) -> float | None:
    """Kilograms that a rack may hold: the lesser of the frame's static load and the floor's limit less the rack's own weight.

    None if unknown. Never below 0: a floor that doesn't even carry the frame carries nothing in it.
    """
    floor = file.facility.weight_limit_kg
    limits = [parts.rack.weight_limit_kg, None if floor is None else max(floor - (parts.rack.own_weight_kg or 0.0), 0.0)]
    return min((limit for limit in limits if limit is not None), default=None)
