"""Rows, aisles and rack places of a hall in whole millimetres. Pure geometry out of the stack file's `railyard:floor`.

A place is a (row, position), both from 1. Places that are kept empty are skipped by the numbers of racks: rack number n stands
on the n-th place that is free, row by row. So a place that is kept from the first day moves no rack later.
"""

from bisect import bisect_right

import msgspec

from railyard.model.floor import Floor

ASSUMED = Floor()
"""Aisles of a hall that nobody has drawn: with racks of 1.2 m, rows are 3 m apart on average."""
DEPTH_M = 1.2
"""Depth of a rack whose model doesn't say: the usual 1200 mm."""


class Ground(msgspec.Struct, frozen=True):
    """The rectangle pattern that racks stand in. `kept` counts, for each place kept empty, the free places before it.

    `south_mm` and `north_mm` are the depths of the aisle south of row 1 and of the other kind.
    """

    racks_per_row: int
    place_mm: int
    depth_mm: int
    x_mm: int
    y_mm: int
    south_mm: int
    north_mm: int
    cold_first: bool
    kept: tuple[int, ...] = ()

    def place(self, number: int) -> tuple[int, int]:
        """(row, position) of rack `number` (from 1)."""
        index = number - 1
        if self.kept:
            index += bisect_right(self.kept, index)
        row, position = divmod(index, self.racks_per_row)
        return row + 1, position + 1

    def row_y_mm(self, row: int) -> int:
        """South edge of a row: rows and the aisles between them, in turn, south of it."""
        between = row - 1
        return self.y_mm + between * self.depth_mm + -(-between // 2) * self.north_mm + between // 2 * self.south_mm

    def place_x_mm(self, position: int) -> int:
        """West edge of a rack place."""
        return self.x_mm + (position - 1) * self.place_mm

    def across_m(self, row: int, other: int) -> float:
        """Metres between the middles of two rows."""
        return abs(self.row_y_mm(row) - self.row_y_mm(other)) / 1000

    def faces_south(self, row: int) -> bool:
        """Whether the row's front is its south side: odd rows look at the first aisle where that is cold."""
        return (row % 2 == 1) == self.cold_first

    def aisle(self, after_row: int) -> tuple[bool, int]:
        """(cold, depth in mm) of the aisle north of a row; 0 is the one south of row 1."""
        first = after_row % 2 == 0
        return first == self.cold_first, self.south_mm if first else self.north_mm


def ground_of(floor: Floor | None, racks_per_row: int, width_m: float, depth_m: float | None) -> Ground:
    """The ground of a stack file; `width_m` and `depth_m` are those of its rack model."""
    drawn = floor or ASSUMED
    cold, hot = _mm(drawn.cold_aisle_m), _mm(drawn.hot_aisle_m)
    cold_first = drawn.first_aisle == "cold"
    return Ground(
        racks_per_row=racks_per_row,
        place_mm=_mm(drawn.place_m or width_m),
        depth_mm=_mm(depth_m or DEPTH_M),
        x_mm=_mm(drawn.x_m),
        y_mm=_mm(drawn.y_m),
        south_mm=cold if cold_first else hot,
        north_mm=hot if cold_first else cold,
        cold_first=cold_first,
        kept=_kept(drawn, racks_per_row),
    )


def _kept(floor: Floor, racks_per_row: int) -> tuple[int, ...]:
    """For each kept place, in order, how many free places come before it. A place beyond the row's end is none (RACK-009)."""
    places = {(place.row - 1) * racks_per_row + place.position - 1 for place in floor.kept if place.position <= racks_per_row}
    return tuple(place - before for before, place in enumerate(sorted(places)))


def _mm(metres: float) -> int:
    return round(metres * 1000)
