"""What of a hall is drawn, and how: the part that isn't empty, in as many strips side by side as make its racks largest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from railyard.model.floor import Aisle, Box, Door, FloorPlan

WIDTH_PX = 1120
HEIGHT_PX = 1400
MARGIN_PX = 34
LABEL_PX = 124
FOOT_PX = 58
# A rack of 600 mm never gets wider than 48 px, however small the hall.
PX_PER_MM_MAX = 0.08
EMPTY_SHARE = 1.5
"""A hall deeper or longer than so many times what stands in it is drawn as far as that reaches: racks would be dots."""
EDGE_MM = 3_000
"""So much of what is beyond is drawn all the same."""
STRIPS_MAX = 6
WORTH = 1.25
"""A hall is cut into strips only where its racks get so many times larger by it."""


@dataclass(frozen=True)
class View:
    """From millimetres of the hall to pixels of the picture."""

    left_mm: int
    top_mm: int
    scale: float

    def x(self, mm: float) -> float:
        return round(LABEL_PX + (mm - self.left_mm) * self.scale, 2)

    def y(self, mm: float) -> float:
        """y runs north in the hall and down in the picture."""
        return round(MARGIN_PX + (self.top_mm - mm) * self.scale, 2)

    def box(self, x_mm: int, y_mm: int, width_mm: int, depth_mm: int) -> tuple[float, float, float, float]:
        """(x, y, width, height) of a rectangle given by its south-west corner."""
        return self.x(x_mm), self.y(y_mm + depth_mm), round(width_mm * self.scale, 2), round(depth_mm * self.scale, 2)


@dataclass(frozen=True)
class Strip:
    """Rows `first` to `last` with their ground. `south` and `north`: the hall goes on there, in the strip beside it."""

    view: View
    ground: Box
    first: int
    last: int
    shift_px: float
    south: bool
    north: bool

    def holds(self, y_mm: float) -> bool:
        """Whether what stands at this place is drawn in this strip."""
        above = not self.south or y_mm >= self.ground.y_mm
        return above and (not self.north or y_mm < self.ground.y_mm + self.ground.depth_mm)

    def aisles(self, floor: FloorPlan) -> Iterator[tuple[Aisle, bool]]:
        """The strip's aisles, each with whether all of it is drawn: strips are cut along the middle of an aisle."""
        top = self.ground.y_mm + self.ground.depth_mm
        for aisle in floor.aisles:
            if not self.first - 1 <= aisle.after_row <= self.last:
                continue
            low = max(aisle.y_mm, self.ground.y_mm) if self.south else aisle.y_mm
            high = min(aisle.y_mm + aisle.depth_mm, top) if self.north else aisle.y_mm + aisle.depth_mm
            if high > low:
                cut = msgspec.structs.replace(aisle, y_mm=low, depth_mm=high - low)
                yield cut, cut.depth_mm == aisle.depth_mm


def strips_of(floor: FloorPlan, ground: Box) -> list[Strip]:
    """From the south, drawn from the left: one, or as many as make the racks of a long hall largest."""
    scales = {number: _scale(ground, _cuts(floor, ground, number), number) for number in range(1, STRIPS_MAX + 1)}
    best = max(scales, key=lambda number: (scales[number], -number))
    number = best if scales[best] >= WORTH * scales[1] else 1
    scale, cuts = scales[number], _cuts(floor, ground, number)
    wide = LABEL_PX + ground.width_mm * scale + MARGIN_PX
    return [
        Strip(
            view=View(ground.x_mm, north, scale),
            ground=Box("", ground.x_mm, south, ground.width_mm, north - south),
            first=first,
            last=last,
            shift_px=round(index * wide, 2),
            south=index > 0,
            north=index < len(cuts) - 1,
        )
        for index, (first, last, south, north) in enumerate(cuts)
    ]


def _scale(ground: Box, cuts: Sequence[tuple[int, int, int, int]], number: int) -> float:
    """Pixels per millimetre at which the strips fit the picture; 0 where there are fewer rows than that."""
    if len(cuts) < number:
        return 0.0
    deepest = max(north - south for _, _, south, north in cuts)
    across = (WIDTH_PX - number * (LABEL_PX + MARGIN_PX)) / number / ground.width_mm
    return min(across, (HEIGHT_PX - MARGIN_PX - FOOT_PX) / deepest, PX_PER_MM_MAX)


def _cuts(floor: FloorPlan, ground: Box, number: int) -> list[tuple[int, int, int, int]]:
    """(first row, last row, south, north) of so many strips. They hold an even number of rows: all are cut in aisles alike."""
    rows = floor.rows
    each = max(-(-len(rows) // number), 1)
    each += each % 2 if number > 1 else 0
    edges = [ground.y_mm]
    edges += [(rows[at - 1].y_mm + rows[at - 1].depth_mm + rows[at].y_mm) // 2 for at in range(each, len(rows), each)]
    edges.append(ground.y_mm + ground.depth_mm)
    last = len(rows)
    return [
        (index * each + 1, min((index + 1) * each, last), south, north) for index, (south, north) in enumerate(pairwise(edges))
    ]


def ground_of(floor: FloorPlan) -> Box:
    """What is drawn: the hall with everything that the plan puts into it, even where that is outside the walls.

    Of a hall that is mostly empty only the part that isn't, from its south-west corner on.
    """
    boxes = [*floor.kept, *floor.obstacles]
    boxes += [Box(spot.rack, spot.x_mm, spot.y_mm, spot.width_mm, spot.depth_mm) for spot in floor.spots]
    if floor.hall is None:
        return _around([floor.extent, *boxes])
    used, whole = _around([*boxes, Box("", floor.hall.x_mm, floor.hall.y_mm, 1, 1)]), _around([floor.hall, *boxes])
    width, depth = used.width_mm + EDGE_MM, used.depth_mm + EDGE_MM
    width = width if whole.width_mm > EMPTY_SHARE * width else whole.width_mm
    depth = depth if whole.depth_mm > EMPTY_SHARE * depth else whole.depth_mm
    return Box("", whole.x_mm, whole.y_mm, width, depth)


def _around(boxes: Sequence[Box]) -> Box:
    left, south = min(box.x_mm for box in boxes), min(box.y_mm for box in boxes)
    right, north = max(box.x_mm + box.width_mm for box in boxes), max(box.y_mm + box.depth_mm for box in boxes)
    return Box("", left, south, max(right - left, 1), max(north - south, 1))


def size_words(floor: FloorPlan, ground: Box, strips: int) -> str:
    """How large the hall is, what of it isn't drawn, and how it is cut."""
    cut = f"; in {strips} strips, the southern one left" if strips > 1 else ""
    if floor.hall is None:
        return f"{ground.width_mm / 1000:g} × {ground.depth_mm / 1000:g} m drawn, walls not known{cut}"
    words = f"hall {floor.hall.width_mm / 1000:g} × {floor.hall.depth_mm / 1000:g} m{cut}"
    beyond = (("east", floor.hall.x_mm + floor.hall.width_mm - ground.x_mm - ground.width_mm),
              ("north", floor.hall.y_mm + floor.hall.depth_mm - ground.y_mm - ground.depth_mm))  # fmt: skip
    empty = [f"{left / 1000:g} m in the {side}" for side, left in beyond if left > 0]
    empty += [door.name for door in floor.doors if not is_within(ground, door, floor.hall)]
    return words + (f"; empty and not drawn: {', '.join(empty)}" if empty else "")


def door_at(door: Door, hall: Box) -> tuple[float, float]:
    """(x, y) in mm at which a door begins in its wall."""
    if door.wall in ("south", "north"):
        return hall.x_mm + door.at_m * 1000, hall.y_mm + hall.depth_mm * (door.wall == "north")
    return hall.x_mm + hall.width_mm * (door.wall == "east"), hall.y_mm + door.at_m * 1000


def is_within(ground: Box, door: Door, hall: Box) -> bool:
    """Whether the door's wall is drawn at its place."""
    x, y = door_at(door, hall)
    return x <= ground.x_mm + ground.width_mm and y <= ground.y_mm + ground.depth_mm
