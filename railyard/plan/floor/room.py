"""How much goes into a rack of its own: U, heat to the air, and what one feed carries alone."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import ceil

import msgspec

from railyard.model.site import Facility
from railyard.plan.bodies import Body
from railyard.plan.electrical.capacity import feed_capacity_kw
from railyard.plan.parts import Parts

Device = tuple[str, str]
"""(name, role) of a device."""
Size = tuple[int, float, float]
"""What a device takes of a rack: U, kW, kW of heat to the air."""
STEPS = 12
"""Halvings of the fill that racks of a group share: to a 4,096th of a rack."""
_NOTHING = 1e-9
"""Kilowatts below this come from adding binary fractions."""


class Limits(msgspec.Struct, frozen=True):
    """What one rack takes. `feed_kw` is what its weakest feed carries alone."""

    u_height: int
    reserved: frozenset[int]
    air_kw: float
    feed_kw: float

    def next_u(self, top: int, height: int) -> int:
        """Lowest U of a device of a height that is put below or at U `top`, over reserved U. 0 or less: it doesn't fit."""
        u = top - height + 1
        while u > 0 and not self.reserved.isdisjoint(range(u, u + height)):
            u -= 1
        return u

    def count(self, height: int, kept_u: int = 0) -> int:
        """Devices of one height that fit between reserved U; `kept_u` at the top are for others."""
        top, found = self.u_height - kept_u, 0
        while (u := self.next_u(top, height)) > 0:
            top, found = u - 1, found + 1
        return found

    @property
    def free_u(self) -> int:
        """U that aren't reserved."""
        return self.u_height - sum(u <= self.u_height for u in self.reserved)


class Room(msgspec.Struct, frozen=True):
    """Racks of a site: their limits, and what stands in them, by role."""

    limits: Limits
    body: Mapping[str, Body]

    def size(self, role: str) -> Size:
        """What a device of a role takes of a rack."""
        body = self.body[role]
        return body.u_height, body.peak_kw, body.peak_kw * body.air_fraction


class Fill:
    """A rack that is being filled from the top, to a share (`scale`) of its limits."""

    def __init__(self, limits: Limits, scale: float = 1.0) -> None:
        self.limits = limits
        self.units_max = limits.free_u * scale
        self.kw_max, self.air_max = limits.feed_kw * scale + _NOTHING, limits.air_kw * scale + _NOTHING
        self.top, self.units, self.air, self.kw = limits.u_height, 0, 0.0, 0.0

    def takes(self, size: Size, *, anyway: bool = False) -> bool:
        """Puts a device into the rack if it fits, or `anyway`."""
        height, peak_kw, heat_kw = size
        units, air, kw = self.units + height, self.air + heat_kw, self.kw + peak_kw
        u = self.limits.next_u(self.top, height)
        fits = u > 0 and units <= self.units_max and air <= self.air_max and kw <= self.kw_max
        if fits or anyway:
            self.top, self.units, self.air, self.kw = u - 1, units, air, kw
        return fits


def room_of(facility: Facility, parts: Parts, body: Mapping[str, Body]) -> Room:
    """The room of a site's racks."""
    limits = Limits(
        u_height=parts.rack.u_height,
        reserved=frozenset(facility.reserved_u),
        air_kw=facility.air_limit_kw,
        feed_kw=min(feed_capacity_kw(facility, feed, parts) for feed in facility.feeds),
    )
    return Room(limits, body)


def share(devices: Sequence[Device], room: Room, at_least: int = 1) -> list[list[Device]]:
    """The fewest racks (but `at_least`, where there are devices for them) that hold some devices in their order.

    Even in number where such racks hold them, else filled evenly: no rack nearer to its limits than it has to be. A device that
    fits into no rack has one to itself (a rule finds it).
    """
    if not devices:
        return []
    cuts = _cuts(tuple(room.size(role) for _, role in devices), room.limits, at_least)
    return [list(devices[start:end]) for start, end in zip(cuts, (*cuts[1:], len(devices)), strict=True)]


@lru_cache(maxsize=256)
def _cuts(sizes: tuple[Size, ...], limits: Limits, at_least: int) -> tuple[int, ...]:
    """Where each rack of `share` begins. Remembered: units are alike, and sizes of networks and hall are found in rounds."""
    best = filled(sizes, limits)
    racks = max(1, min(len(sizes), max(len(best), at_least)))
    size = max(1, ceil(len(sizes) / racks))
    even = tuple(range(0, len(sizes), size))
    if all(_holds(sizes[start : start + size], limits) for start in even):
        return _split(even, len(sizes), min(at_least, racks))
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        found = filled(sizes, limits, middle)
        if len(found) <= racks:
            high, best = middle, found
        else:
            low = middle
    return _split(best, len(sizes), min(at_least, racks))


def _split(starts: tuple[int, ...], count: int, racks: int) -> tuple[int, ...]:
    """So many racks at least, the fullest ones halved: what a rack holds, two of them hold."""
    cuts = list(starts)
    while len(cuts) < racks:
        ends = [*cuts[1:], count]
        fullest = max(range(len(cuts)), key=lambda index: (ends[index] - cuts[index], -index))
        cuts.insert(fullest + 1, (cuts[fullest] + ends[fullest] + 1) // 2)
    return tuple(cuts)


def filled(sizes: Sequence[Size], limits: Limits, scale: float = 1.0) -> tuple[int, ...]:
    """Where each rack begins when racks are filled one after the other, each to a share of its limits."""
    starts: list[int] = []
    fill = Fill(limits, scale)
    for index, size in enumerate(sizes):
        if not starts or not fill.takes(size):
            fill = Fill(limits, scale)
            fill.takes(size, anyway=True)
            starts.append(index)
    return tuple(starts)


def _holds(sizes: Sequence[Size], limits: Limits) -> bool:
    fill = Fill(limits)
    return all(fill.takes(size) for size in sizes)
