"""Where racks stand and what lies between them. Pure geometry, the same for every planner.

Racks are numbered from 1 in this order, fixed by `plannedScalableUnits`: for each planned unit its compute racks, then
(dedicated) its network racks; then (dedicated) the racks of spines and cores; then (dedicated) the racks of storage servers,
which may grow at the end.
"""

from functools import lru_cache
from math import ceil

import msgspec

from railyard.plan.floor.ground import Ground

RACK_PITCH_M = 0.6
"""Width of a rack place in its row where the catalogue doesn't know the rack model's (`widthM`): the usual 600 mm."""
ROW_PITCH_M = 3.0
"""Rack depth 1.2 m plus half a cold and half a hot aisle (1.2 + 0.6 m): assumed without a `railyard:floor`."""
SAME_RACK_M = 2.0
DROP_M = 4.0
"""Up to the tray and down again, 2 m each. Assumption of the project's contract; `cabling.dropM` overrides the 2 m."""
SAME_RACK_ROUTE_M = 1.8
"""Route inside a rack: half of its height and both side channels. Assumption; 2 m with 10 % of slack."""
SLACK = 1.1
"""Slack of 10 %, the lower end of what FABRIC-028 asks for (10-25 %)."""
LENGTHS_M = (
    1.0,
    1.5,
    2.0,
    2.5,
    3.0,
    4.0,
    5.0,
    7.0,
    10.0,
    15.0,
    20.0,
    25.0,
    30.0,
    40.0,
    50.0,
    60.0,
    75.0,
    100.0,
    150.0,
    200.0,
    300.0,
    500.0,
)
"""Orderable lengths: the usual steps of DAC, active copper and fibre. Longer ones are rounded up to 100 m."""


class Hall(msgspec.Struct, frozen=True):
    """Numbers of racks. All counts are for planned units, so a rack's number never depends on what is built.

    `pitch_m` is the width of one rack place along the row, in metres. `ground` is None where nobody has drawn the hall: rows
    are then `ROW_PITCH_M` apart, and no place is kept empty.
    """

    units: int
    compute_per_unit: int
    network_per_unit: int
    spine_racks: int
    racks_per_row: int
    pitch_m: float = RACK_PITCH_M
    ground: Ground | None = None

    @property
    def per_unit(self) -> int:
        """Racks that one unit takes."""
        return self.compute_per_unit + self.network_per_unit

    def compute(self, unit: int, index: int) -> int:
        """Number of compute rack `index` (from 0) of a unit (from 1)."""
        return (unit - 1) * self.per_unit + index + 1

    def network(self, unit: int, index: int) -> int:
        """Number of network rack `index` (from 0) of a unit."""
        return self.compute(unit, self.compute_per_unit + index)

    def spine(self, index: int) -> int:
        """Number of the rack `index` (from 0) of spines and cores."""
        return self.units * self.per_unit + index + 1

    def storage(self, index: int) -> int:
        """Number of the storage rack `index` (from 0)."""
        return self.spine(self.spine_racks + index)

    def row(self, number: int) -> int:
        """Row (from 1) of a rack."""
        if self.ground:
            return self.ground.place(number)[0]
        return (number - 1) // self.racks_per_row + 1

    def position(self, number: int) -> int:
        """Place (from 1) of a rack in its row."""
        if self.ground:
            return self.ground.place(number)[1]
        return (number - 1) % self.racks_per_row + 1

    def route_m(self, a: int, z: int, drop_m: float = DROP_M / 2) -> float:
        """Routed length in metres between racks number `a` and `z`, without slack."""
        if self.ground is None or a == z:
            return route_m(a, z, self.racks_per_row, self.pitch_m, drop_m)
        (a_row, a_position), (z_row, z_position) = self.ground.place(a), self.ground.place(z)
        along = abs(a_position - z_position) * self.ground.place_mm / 1000
        return round(along + self.ground.across_m(a_row, z_row) + 2 * drop_m, 6)


def route_m(a: int, z: int, racks_per_row: int, pitch_m: float = RACK_PITCH_M, drop_m: float = DROP_M / 2) -> float:
    """Routed length in metres between racks number `a` and `z`, without slack: along the row, across rows, up and down."""
    if a == z:
        return SAME_RACK_ROUTE_M
    along = abs((a - 1) % racks_per_row - (z - 1) % racks_per_row)
    across = abs((a - 1) // racks_per_row - (z - 1) // racks_per_row)
    return round(along * pitch_m + across * ROW_PITCH_M + 2 * drop_m, 6)


def rack_of_slot(slot: int, nodes_per_rack: int, spread: int) -> tuple[int, int]:
    """(rack of the unit, position from the bottom), both from 0, of `slot` (from 0).

    group = slot // (N * S); rack = group * S + slot % S; position = (slot % (N * S)) // S. Source: contract of the project.
    """
    group, inside = divmod(slot, nodes_per_rack * spread)
    return group * spread + slot % spread, inside // spread


def racks_per_unit(nodes_per_unit: int, nodes_per_rack: int, spread: int) -> int:
    """ceil(nodes per unit / (N * S)) * S compute racks."""
    return ceil(nodes_per_unit / (nodes_per_rack * spread)) * spread


@lru_cache(maxsize=65_536)
def length_m(a: int, z: int, racks_per_row: int, pitch_m: float = RACK_PITCH_M) -> float:
    """Orderable length in metres between racks number `a` and `z` in rows of racks that are `pitch_m` metres wide.

    In one rack 2 m. Otherwise (pitch * racks along the row + 3.0 m * rows + 4 m of drops) * 1.1 of slack, rounded up.
    """
    return SAME_RACK_M if a == z else orderable(round(route_m(a, z, racks_per_row, pitch_m) * SLACK, 6))


def orderable(wanted_m: float) -> float:
    """The usual length in metres that is long enough, for cables that aren't in the catalogue."""
    return next((length for length in LENGTHS_M if length >= wanted_m), ceil(wanted_m / 100) * 100.0)
