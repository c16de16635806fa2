"""Cords and kinds of single racks: made when somebody asks, never in `plan()`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from railyard.model.plan import RackPlan
from railyard.model.power import CordRow, RackPower
from railyard.plan import names

if TYPE_CHECKING:
    from railyard.plan import Plan


def power_of(plan: Plan, rack_name: str) -> RackPower:
    """Power of a rack: the row of its kind. Raises KeyError for a name that is no rack's."""
    for row in plan.power.racks:
        if rack_name in row.racks:
            return row
    raise KeyError(rack_name)


def strip_name(rack_name: str, feed: str, strip: int, strips: int) -> str:
    """Name of a strip (from 1): `r001-pdu-a`, or `r001-pdu-a2` where a feed has several."""
    name = names.pdu(rack_name, feed)
    return name if strips == 1 else f"{name}{strip}"


def cords_of(plan: Plan, rack: RackPlan | str) -> Iterator[CordRow]:
    """Every cord of a rack with the names of both ends, from the bottom up. Raises KeyError for a name that is no rack's."""
    if isinstance(rack, str):
        rack = next((found for found in plan.racks if found.name == rack), None) or _unknown(rack)
    row = power_of(plan, rack.name)
    devices = {device.u: device.name for device in rack.devices}
    strips = {feed.feed: feed.pdus for feed in row.kind.feeds}
    for cord in row.cords:
        yield CordRow(
            rack=rack.name,
            device=devices[cord.u],
            u=cord.u,
            psu=cord.psu,
            feed=cord.feed,
            pdu=strip_name(rack.name, cord.feed, cord.pdu, strips[cord.feed]),
            circuit=cord.circuit,
            outlet=cord.outlet,
            outlet_type=cord.outlet_type,
            cord=cord.cord,
            legs=cord.legs,
            amps=cord.amps,
            limit_a=cord.limit_a,
            ats=cord.ats,
            installed=cord.installed,
        )


def _unknown(name: str) -> RackPlan:
    raise KeyError(name)
