"""How full the cable trays are.

Trays run above every row and, at every position, across the rows, as the routed length assumes (hall.py): a cable goes along
its lower end's row to the other end's position, and there across. Each segment carries the sum of its cables' circles
(pi d^2 / 4); fill is that area over the tray's cross-section times its layers. Cables inside of a rack lie in no tray.

Counted by differences: a rack pair costs the same however far apart the racks are.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import accumulate
from math import pi

import msgspec

from railyard.model.cabling import CableModel, Cabling, TrayFill
from railyard.plan.hall import Hall

SHOWN = 20
"""Fullest segments that a plan names."""

Counts = Mapping[tuple[int, int, str], int]
"""Pieces of cable by lower rack, upper rack and part (empty: unknown)."""


class _Load(msgspec.Struct):
    """What begins (or, negative, ends) at a place of a tray."""

    cables: int = 0
    area_mm2: float = 0.0
    unknown: int = 0


def fill_trays(counts: Counts, hall: Hall, choices: Cabling, models: Mapping[str, CableModel]) -> tuple[TrayFill, ...]:
    """The fullest segments, fullest first."""
    rows: defaultdict[tuple[str, int], defaultdict[int, _Load]] = defaultdict(lambda: defaultdict(_Load))
    for (a, z, sku), count in counts.items():
        if a != z:
            model = models.get(sku)
            diameter = model.diameter_mm if model else None
            area = pi * diameter**2 / 4 * count if diameter else 0.0
            load = _Load(count, area, 0 if diameter else count)
            _span(rows["row", hall.row(a)], hall.position(a), hall.position(z), load)
            _span(rows["position", hall.position(z)], hall.row(a), hall.row(z), load)
    tray = _tray_mm2(choices)
    found = [fill for (kind, number), marks in rows.items() for fill in _segments(kind, number, marks, tray)]
    return tuple(sorted(found, key=lambda fill: (-fill.area_mm2, -fill.cables, fill.segment))[:SHOWN])


def _tray_mm2(choices: Cabling) -> float | None:
    """Usable cross-section in mm2; None where the stack file gives no tray."""
    if choices.tray_width_mm is None or choices.tray_depth_mm is None:
        return None
    return choices.tray_width_mm * choices.tray_depth_mm * choices.tray_layers


def _span(marks: defaultdict[int, _Load], start: int, end: int, load: _Load) -> None:
    """Adds a load from `start` to `end`; nothing where they are the same."""
    first, last = sorted((start, end))
    for place, sign in ((first, 1), (last, -1)) if first != last else ():
        mark = marks[place]
        mark.cables += sign * load.cables
        mark.area_mm2 += sign * load.area_mm2
        mark.unknown += sign * load.unknown


def _segments(kind: str, number: int, marks: Mapping[int, _Load], tray: float | None) -> Iterable[TrayFill]:
    """What lies between each mark and the next."""
    places = sorted(marks)
    cables = accumulate(marks[place].cables for place in places)
    areas = accumulate(marks[place].area_mm2 for place in places)
    unknown = accumulate(marks[place].unknown for place in places)
    across = "position" if kind == "row" else "row"
    for start, end, count, area, missing in zip(places, places[1:], cables, areas, unknown, strict=False):
        if count:
            yield TrayFill(
                segment=f"{kind} {number}, {across} {start} to {end}",
                cables=count,
                area_mm2=round(max(area, 0.0), 1),
                percent=round(area / tray * 100, 3) if tray else None,
                unknown=missing,
            )
