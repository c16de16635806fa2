"""What must hold for every floor: growth within the plan moves nothing, and racks are filled to their limits and no further."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railyard.model.floor import Box, Floor, KeptPlace, RackSpot
from railyard.plan import Plan, plan
from railyard.plan.bodies import Body
from railyard.plan.floor.checks import footprint, obstructed, overlap
from railyard.plan.floor.ground import ground_of
from railyard.plan.floor.room import Fill, Limits, Room, filled, share
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("C3")

PER_ROW = 7
KEPT = st.lists(st.tuples(st.integers(1, 6), st.integers(1, PER_ROW)), max_size=8, unique=True)


@st.composite
def floors(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "coldAisleM": draw(st.sampled_from([1.2, 1.8, 2.4])),
        "hotAisleM": draw(st.sampled_from([0.9, 1.2])),
        "firstAisle": draw(st.sampled_from(["cold", "hot"])),
        "kept": [{"row": row, "position": position, "reason": "column"} for row, position in draw(KEPT)],
    }


@st.composite
def growing(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """(arguments of make_site today, and grown within the same plan)."""
    slots, planned = draw(st.integers(2, 16)), draw(st.integers(1, 5))
    built = draw(st.integers(1, planned))
    kind = st.sampled_from(["shared", "dedicated"])
    facility = {
        "nodesPerRack": draw(st.integers(1, 4)),
        "spreadRacks": draw(st.integers(1, 3)),
        "racksPerRow": PER_ROW,
        "switchRacks": draw(kind),
        "storageRacks": draw(kind),
        "mirrorsApart": draw(st.booleans()),
        "spineRacks": draw(st.integers(1, 3)),
        "unitNetworkRacks": draw(st.integers(1, 3)),
        "reservedU": draw(st.sampled_from([(), (1,), (20, 21), (48,)])),
    }
    fabric = {"nodesPerUnit": slots, "plannedScalableUnits": planned, "planes": draw(st.sampled_from([1, 1, 2]))}
    nodes, servers = draw(st.integers(1, built * slots)), draw(st.integers(1, 8))
    same = {"facility": facility, "floor": draw(st.one_of(st.none(), floors())), "networks": {"storage": {"plannedServers": 8}}}
    now = {"fabric": fabric | {"scalableUnits": built}, "nodes": nodes, "storage_nodes": servers}
    grown = draw(st.integers(built, planned))
    later = {
        "fabric": fabric | {"scalableUnits": grown},
        "nodes": draw(st.integers(nodes, grown * slots)),
        "storage_nodes": draw(st.integers(servers, 8)),
    }
    return same | now, same | later


def stands(found: Plan) -> dict[str, tuple[str, int]]:
    return {device.name: (rack.name, device.u) for rack in found.racks for device in rack.devices}


def spots(found: Plan) -> dict[str, tuple[object, ...]]:
    assert found.floor is not None
    return {
        spot.rack: (spot.row, spot.position, spot.x_mm, spot.y_mm, spot.faces, spot.kind, spot.unit)
        for spot in found.floor.spots
    }


@given(growing())
def test_growth_within_the_plan_moves_no_u_no_rack_and_no_position(case: tuple[Mapping[str, Any], Mapping[str, Any]]):
    now, later = (plan(make_site(**arguments)) for arguments in case)
    assert stands(now).items() <= stands(later).items()
    assert spots(now) == spots(later), "all planned racks have their place from the first day"
    assert {rack.name: (rack.row, rack.position) for rack in now.racks}.items() <= {
        rack.name: (rack.row, rack.position) for rack in later.racks
    }.items()


@given(st.integers(1, 12), KEPT)
def test_each_rack_has_a_free_place_of_its_own_and_none_stays_empty(per_row: int, kept: list[tuple[int, int]]):
    floor = Floor(kept=tuple(KeptPlace(row=row, position=position, reason="column") for row, position in kept))
    ground = ground_of(floor, per_row, 0.6, 1.2)
    places = [ground.place(number) for number in range(1, 61)]
    free = [
        (row, position)
        for row in range(1, max(row for row, _ in places) + 1)
        for position in range(1, per_row + 1)
        if (row, position) not in set(kept)
    ]
    assert places == free[: len(places)]


BODIES = st.lists(
    st.builds(
        lambda height, kw, air: Body("x", "x", height, kw, 1.0, air),
        st.integers(1, 6),
        st.sampled_from([0.0, 0.15, 1.7, 4.0]),
        st.sampled_from([1.0, 0.3]),
    ),
    max_size=40,
)


@given(BODIES, st.integers(8, 20), st.sets(st.integers(1, 20), max_size=4), st.integers(1, 4))
def test_racks_are_as_few_as_hold_the_devices_in_their_order(
    bodies: list[Body], height: int, reserved: set[int], at_least: int
):
    body = {str(index): item for index, item in enumerate(bodies)}
    devices = [(f"d{index}", str(index)) for index in range(len(bodies))]
    room = Room(Limits(height, frozenset(reserved), 12.0, 10.0), body)
    racks = share(devices, room, at_least)
    assert [device for rack in racks for device in rack] == devices
    for rack in racks:
        fill = Fill(room.limits)
        assert len(rack) == 1 or all(fill.takes(room.size(role)) for _, role in rack)
    fewest = len(filled([room.size(role) for _, role in devices], room.limits))
    assert fewest <= len(racks) <= max(fewest, at_least)
    if len(devices) >= at_least:
        assert len(racks) >= min(at_least, len(devices)) or fewest >= at_least


@given(
    floors(),
    st.lists(
        st.tuples(st.integers(0, 90), st.integers(0, 150), st.integers(1, 40), st.integers(1, 60)),
        min_size=1,
        max_size=5,
    ),
)
def test_what_stands_on_an_obstacle_is_what_overlaps_it(floor: dict[str, Any], boxes: list[tuple[int, int, int, int]]):
    """Rows and places are found by arithmetic; looking at every rack finds the same ones."""
    drawn = Floor.model_validate(floor)
    ground = ground_of(drawn, PER_ROW, 0.6, 1.2)
    spots: dict[tuple[int, int], RackSpot] = {}
    for number in range(1, 30):
        row, position = ground.place(number)
        x, y = ground.place_x_mm(position), ground.row_y_mm(row)
        spots[row, position] = RackSpot(
            f"r{number}", number, row, position, x, y, 600, 1200, "south", 1, "compute", 0.0, None, True
        )
    obstacles = [Box(f"o{index}", *(value * 100 for value in values)) for index, values in enumerate(boxes)]
    slow = {f"{spot.rack} on {one.name}" for one in obstacles for spot in spots.values() if overlap(footprint(spot), one)}
    assert set(obstructed(spots, obstacles, ground)) == slow
