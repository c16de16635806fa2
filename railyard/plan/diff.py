"""What a change means: totals now and before, cables that come, go, move or change length, devices that change their place."""

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from railyard.model.plan import SiteTotals

ROWS = (
    ("GPUs", "gpus"),
    ("GPUs in active machines", "activeGpus"),
    ("Peak kW", "peakKw"),
    ("Worst feed %", "worstFeedPercent"),
    ("Worst segment %", "worstSegmentPercent"),
    ("Bisection GB/s", "bisectionGbPerS"),
    ("Cables", "cables"),
    ("Usable storage TiB", "usableStorageTib"),
    ("Spare leaf ports", "spareLeafPorts"),
)


_MAYBE = frozenset({"worstSegmentPercent"})


class Change(msgspec.Struct, frozen=True, rename="camel"):
    """One row of the consequence table. `was` and `delta` are None where nothing was deployed before."""

    title: str
    key: str
    now: float
    was: float | None
    delta: float | None


class Move(msgspec.Struct, frozen=True, rename="camel"):
    """One difference between two plans.

    A cable that comes (`was` None), goes (`now` None) or moves, by its ends; one that keeps its ends and gets another `length`;
    or a device that changes its `place`: rack and U. Lengths of a cable in metres are told wherever it had one before and has
    one now.
    """

    id: str
    kind: Literal["add", "remove", "move", "length", "place"]
    was: tuple[str, str] | None
    now: tuple[str, str] | None
    was_m: float | None = None
    now_m: float | None = None

    @property
    def relength(self) -> bool:
        """Whether the cable that lies there is too short or too long now."""
        return self.was_m != self.now_m


def changes(old_totals: Mapping[str, object] | None, new: SiteTotals) -> list[Change]:
    """The consequence table. `old_totals` is the deployed `SiteTotals` with its outside names, or None.

    What nobody knows now (the path above the racks, where it isn't stated) has no row.
    """
    fresh, old = new.props(), old_totals or {}
    known = [(title, key) for title, key in ROWS if key not in _MAYBE or fresh.get(key) is not None]
    return [_change(title, key, _number(fresh.get(key)) or 0.0, _number(old.get(key))) for title, key in known]


def _change(title: str, key: str, now: float, was: float | None) -> Change:
    return Change(title, key, now, was, None if was is None else round(now - was, 6))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def moves(old_plan_json: bytes, new_plan_json: bytes) -> list[Move]:
    """What differs between two `plan.json`: cables by id, then devices that stand in both plans, by name."""
    old, new = (msgspec.json.decode(text, type=_Site) for text in (old_plan_json, new_plan_json))
    return [*_cable_moves(old, new), *_place_moves(old, new)]


class _Ends(msgspec.Struct):
    id: str
    a: str
    z: str
    length_m: float = msgspec.field(name="lengthM")


class _Device(msgspec.Struct):
    name: str
    u: int


class _Rack(msgspec.Struct):
    name: str
    devices: list[_Device]


class _Site(msgspec.Struct):
    cables: list[_Ends]
    racks: list[_Rack]


def _cable_moves(old: _Site, new: _Site) -> Iterator[Move]:
    before, after = ({cable.id: cable for cable in site.cables} for site in (old, new))
    for cable in sorted(before.keys() | after.keys()):
        was, now = before.get(cable), after.get(cable)
        if was is None or now is None:
            yield Move(cable, "remove" if now is None else "add", was and (was.a, was.z), now and (now.a, now.z))
        elif (was.a, was.z) != (now.a, now.z) or was.length_m != now.length_m:
            kind = "length" if (was.a, was.z) == (now.a, now.z) else "move"
            yield Move(cable, kind, (was.a, was.z), (now.a, now.z), was.length_m, now.length_m)


def _place_moves(old: _Site, new: _Site) -> Iterator[Move]:
    before, after = _places(old), _places(new)
    for name in sorted(before.keys() & after.keys()):
        if before[name] != after[name]:
            yield Move(name, "place", before[name], after[name])


def _places(site: _Site) -> dict[str, tuple[str, str]]:
    return {device.name: (rack.name, f"U{device.u}") for rack in site.racks for device in rack.devices}
