"""What a change means: totals now and before, and the cables that come, go or move."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from railyard.model.plan import SiteTotals

ROWS = (
    ("GPUs", "gpus"),
    ("Peak kW", "peakKw"),
    ("Worst feed %", "worstFeedPercent"),
    ("Bisection GB/s", "bisectionGbPerS"),
    ("Cables", "cables"),
    ("Usable storage TiB", "usableStorageTib"),
    ("Spare leaf ports", "spareLeafPorts"),
)


class Change(msgspec.Struct, frozen=True, rename="camel"):
    """One row of the consequence table. `was` and `delta` are None where nothing was deployed before."""

    title: str
    key: str
    now: float
    was: float | None
    delta: float | None


class Move(msgspec.Struct, frozen=True, rename="camel"):
    """One cable that comes (`was` None), goes (`now` None) or moves, by its ends."""

    id: str
    kind: Literal["add", "remove", "move"]
    was: tuple[str, str] | None
    now: tuple[str, str] | None


def changes(old_totals: Mapping[str, object] | None, new: SiteTotals) -> list[Change]:
    """The consequence table. `old_totals` is the deployed `SiteTotals` with its outside names, or None."""
    fresh = new.props()
    return [_change(title, key, _number(fresh.get(key)) or 0.0, _number((old_totals or {}).get(key))) for title, key in ROWS]


def _change(title: str, key: str, now: float, was: float | None) -> Change:
    return Change(title, key, now, was, None if was is None else round(now - was, 6))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def moves(old_plan_json: bytes, new_plan_json: bytes) -> list[Move]:
    """Cables that differ between two `plan.json`, by id. Ends are compared, not labels or lengths."""
    old, new = _ends(old_plan_json), _ends(new_plan_json)
    found: list[Move] = []
    for cable in sorted(old.keys() | new.keys()):
        was, now = old.get(cable), new.get(cable)
        if was != now:
            found.append(Move(cable, "add" if was is None else "remove" if now is None else "move", was, now))
    return found


class _Ends(msgspec.Struct):
    id: str
    a: str
    z: str


class _Cables(msgspec.Struct):
    cables: list[_Ends]


def _ends(plan_json: bytes) -> dict[str, tuple[str, str]]:
    return {row.id: (row.a, row.z) for row in msgspec.json.decode(plan_json, type=_Cables).cables}
