"""A floor made by hand for racks of any plan: renderers are tested without planners."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from railyard.model.floor import (
    Aisle,
    Box,
    Door,
    FloorPlan,
    FloorRow,
    FloorSummary,
    RackFloor,
    RackLoad,
    RackSpot,
    RouteStep,
)  # fmt: skip
from railyard.model.plan import RackPlan

LIFT = RouteStep(name="goods lift", kind="lift", kg=2000)
WIDTH, DEPTH, COLD, HOT, EDGE = 600, 1200, 2400, 1200, 1200


def _south(row: int) -> int:
    """South edge of a row: the first aisle is cold, the second hot, and so on."""
    return EDGE + (row - 1) * DEPTH + row // 2 * HOT + (row - 1) // 2 * COLD


def make_floor(racks: Sequence[RackPlan], *, walls: bool = True, planned: int = 0, **changed: Any) -> FloorPlan:
    """Racks at their rows and positions; `planned` more places in the last row are planned and not built."""
    spots = [_spot(rack.name, number, rack.row, rack.position, built=True) for number, rack in enumerate(racks, 1)]
    last = spots[-1]
    spots += [_spot(f"{last.rack}-planned{n}", last.number + n, last.row, last.position + n, built=False)
              for n in range(1, planned + 1)]  # fmt: skip
    rows: defaultdict[int, list[RackSpot]] = defaultdict(list)
    for spot in spots:
        rows[spot.row].append(spot)
    most = max(spot.position for spot in spots)
    top = _south(max(rows)) + DEPTH
    hall = Box("hall", 0, 0, 2 * EDGE + most * WIDTH, top + EDGE)
    aisles = [Aisle("cold" if after % 2 == 0 else "hot", after, 0 if after == 0 else _south(after) + DEPTH,
                    EDGE if after in (0, max(rows)) else COLD if after % 2 == 0 else HOT)
              for after in range(max(rows) + 1)]  # fmt: skip
    made: dict[str, Any] = {
        "assumed": not walls, "hall": hall if walls else None, "extent": hall, "aisles": tuple(aisles), "spots": tuple(spots),
        "rows": tuple(FloorRow(row=row, y_mm=_south(row), depth_mm=DEPTH, x_mm=EDGE, length_mm=most * WIDTH, places=most,
                               racks=len(here), faces="south" if row % 2 else "north") for row, here in sorted(rows.items())),
        "kept": (), "obstacles": (), "doors": (Door(name="main door", wall="south", at_m=0.3, width_m=1.2, height_m=2.4),)
        if walls else (),
        "loads": (RackLoad(tuple(rack.name for rack in racks), RackFloor(
            frame_kg=165, devices_kg=545.2, strips_kg=14.5, door_kg=0, cables_kg=21.3, fluid_kg=0, mass_kg=746.0, foot_kg=186.5,
            feet=4, kg_per_m2=415, free_u=10)),),
        "summary": FloorSummary(drawn=walls, racks=len(racks), planned_racks=len(spots), rows=len(rows), cold_aisle_m=2.4,
                                hot_aisle_m=1.2, clear_height_m=3.2, route=(LIFT,)),
    }  # fmt: skip
    return FloorPlan(**{**made, **changed})


def _spot(name: str, number: int, row: int, position: int, *, built: bool) -> RackSpot:
    return RackSpot(
        rack=name, number=number, row=row, position=position, x_mm=EDGE + (position - 1) * WIDTH, y_mm=_south(row),
        width_mm=WIDTH, depth_mm=DEPTH, faces="south" if row % 2 else "north", unit=(number + 1) // 2, kind="compute",
        mass_kg=746.0 if built else 165.0, foot_kg=186.5, installed=built,
    )  # fmt: skip
