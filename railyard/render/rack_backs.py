"""What the rear of a rack shows beyond its devices: which supply hangs on which strip, and which way air goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from railyard.model.cooling import CoolingPlan, Intake, RackAir
from railyard.model.plan import RackDevice, RackFeed, RackPlan
from railyard.model.power import Cord as PlannedCord
from railyard.model.power import PowerPlan, RackPower
from railyard.render.svg import el, group, line, title

Face = Literal["front", "rear"]


@dataclass(frozen=True)
class Air:
    """The sides of the rack at which a device takes air in and lets it out; None: at neither. `wrong`: it takes hot air."""

    into: Face | None = None
    out: Face | None = None
    wrong: bool = False


@dataclass(frozen=True)
class Cord:
    """One supply of a device and where its cord goes, as the plan says. `hint` is the whole of it for people."""

    psu: int
    feed: str
    pdu: str
    hint: str


@dataclass(frozen=True)
class Strip:
    """One 0U strip. `side` is left or right as seen from the rear."""

    name: str
    feed: str
    model: str
    side: Literal["left", "right"]


@dataclass(frozen=True)
class Back:
    """What the plan knows: cords of devices by their lowest U, air direction by role and model; None is unknown."""

    cords: Mapping[int, tuple[Cord, ...]] = field(default_factory=dict[int, tuple[Cord, ...]])
    air: Mapping[tuple[str, str], Air | None] = field(default_factory=dict[tuple[str, str], Air | None])

    def air_of(self, device: RackDevice) -> Air | None:
        return self.air.get((device.role, device.model))


NOTHING_KNOWN = Back()


def strips_of(rack: RackPlan) -> list[Strip]:
    """Strips of feeds a and c stand left, those of b and d right, seen from the rear: a drawing's convention, not a plan's."""
    return [strip for feed in rack.feeds for strip in _strips(feed)]


def _strips(feed: RackFeed) -> list[Strip]:
    side: Literal["left", "right"] = "left" if feed.name in ("a", "c") else "right"
    return [Strip(f"{feed.name}{n + 1}", feed.name, feed.pdu_model, side) for n in range(feed.pdus)]


def air_mark(x: float, y: float, air: Air | None, face: Face) -> str:
    """An arrow's tip (air comes towards you) or its tail (air goes away from you), as on an engineer's drawing."""
    if air is None or face not in (air.into, air.out):
        return ""
    out = air.out == face
    if out:
        inner = el("circle", {"cx": x, "cy": y, "r": 1.6, "class": "air-tip"})
    else:
        inner = line(x - 3.1, y - 3.1, x + 3.1, y + 3.1, "air") + line(x - 3.1, y + 3.1, x + 3.1, y - 3.1, "air")
    words = ("air comes out here" if out else "air goes in here") + (
        ": out of the hot aisle into the cold" if air.wrong else ""
    )
    ring = el("circle", {"cx": x, "cy": y, "r": 4.5, "class": "air"})
    return group("air-mark wrong" if air.wrong else "air-mark", [title(words), ring, inner], data_air="out" if out else "in")


class Backs:
    """The plan's power and cooling by rack: made once, asked for each picture."""

    def __init__(self, power: PowerPlan | None, cooling: CoolingPlan | None) -> None:
        self._power = {name: kind for kind in (power.racks if power else ()) for name in kind.racks}
        self._air = {name: kind.air for kind in (cooling.racks if cooling else ()) for name in kind.racks}

    def power_of(self, rack: str) -> RackPower | None:
        """Power of the racks that this one is alike; None where the plan has none."""
        return self._power.get(rack)

    def air_of(self, rack: str) -> RackAir | None:
        """Heat and air of the racks that this one is alike; None where the plan has none."""
        return self._air.get(rack)

    def of(self, rack: str) -> Back:
        """What the rear shows."""
        power, air = self.power_of(rack), self.air_of(rack)
        return Back(
            _cords(power) if power else {}, {(item.role, item.model): _air(item) for item in (air.intakes if air else ())}
        )


def _cords(power: RackPower) -> dict[int, tuple[Cord, ...]]:
    found: dict[int, list[Cord]] = {}
    for cord in power.cords:
        found.setdefault(cord.u, []).append(Cord(cord.psu, cord.feed, f"{cord.feed}{cord.pdu}", _words(cord)))
    return {u: tuple(sorted(cords, key=lambda cord: cord.psu)) for u, cords in found.items()}


def _words(cord: PlannedCord) -> str:
    where = cord.outlet or cord.missing or "outlet not known"
    kind = f" ({cord.outlet_type})" if cord.outlet_type else ""
    amps = f", {cord.amps:.1f} A after the worst loss" + (f" of {cord.limit_a:g} A" if cord.limit_a is not None else "")
    switch = "transfer switch input" if cord.ats else "PSU"
    return f"{switch} {cord.psu}: PDU {cord.feed.upper()}{cord.pdu}, {where}{kind}{amps}"


def _air(intake: Intake) -> Air | None:
    """Where air goes in and comes out of the rack. Through its sides, or without fans: nowhere on these pictures."""
    if intake.direction is None or intake.takes is None:
        return None
    if intake.direction == "side-to-rear":
        return Air(out="rear" if intake.face == "front" else "front")
    if intake.takes == "cold":
        return Air(into="front", out="rear")
    return Air(into="rear", out="front", wrong=True) if intake.takes == "hot" else Air()
