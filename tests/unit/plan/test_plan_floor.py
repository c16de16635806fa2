"""The floor: places, positions in millimetres, loads by hand, what stands in the way, what one rack's loss takes along."""

from time import process_time
from typing import Any

import pytest

from railyard.model.floor import Floor, KeptPlace
from railyard.plan import PlanError, plan
from railyard.plan.bodies import Body
from railyard.plan.floor.ground import ground_of
from railyard.plan.floor.room import Limits, Room, share
from railyard.plan.hall import Hall
from railyard.render.floor_text import floor_text
from railyard.rules import check_floor, check_rack
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("C3")

DEDICATED = {"switchRacks": "dedicated", "storageRacks": "dedicated"}


def kept(*places: tuple[int, int]) -> tuple[KeptPlace, ...]:
    return tuple(KeptPlace(row=row, position=position, reason="column") for row, position in places)


def test_racks_are_numbered_past_kept_places():
    ground = ground_of(Floor(kept=kept((1, 2), (1, 3), (2, 1), (9, 9))), 4, 0.6, 1.2)
    assert [ground.place(number) for number in range(1, 7)] == [(1, 1), (1, 4), (2, 2), (2, 3), (2, 4), (3, 1)]


def test_rows_stand_front_to_front_over_cold_aisles_and_back_to_back_over_hot_ones():
    """South of row 1 is a cold aisle: rows 1 and 2 share a hot one of 1.2 m, rows 2 and 3 a cold one of 1.8 m."""
    ground = ground_of(Floor(cold_aisle_m=1.8, hot_aisle_m=1.2, y_m=2.0), 10, 0.75, 1.2)
    assert [ground.row_y_mm(row) for row in range(1, 5)] == [2000, 4400, 7400, 9800]
    assert [ground.faces_south(row) for row in range(1, 5)] == [True, False, True, False]
    assert [ground.aisle(after) for after in range(3)] == [(True, 1800), (False, 1200), (True, 1800)]
    assert (ground.across_m(1, 2), ground.across_m(2, 3), ground.across_m(1, 4)) == (2.4, 3.0, 7.8)
    hot_first = ground_of(Floor(cold_aisle_m=1.8, hot_aisle_m=1.2, first_aisle="hot"), 10, 0.75, 1.2)
    assert [hot_first.faces_south(row) for row in (1, 2)] == [False, True]
    assert hot_first.aisle(0) == (False, 1200)


def test_a_drawn_hall_gives_cables_their_way():
    ground = ground_of(Floor(place_m=0.8, kept=kept((1, 2))), 10, 0.75, 1.2)
    drawn = Hall(units=1, compute_per_unit=20, network_per_unit=0, spine_racks=0, racks_per_row=10, ground=ground)
    assert drawn.route_m(1, 2) == 2 * 0.8 + 4, "place 2 is a column: rack 2 is at place 3"
    assert drawn.route_m(1, 10) == 2.4 + 4, "rack 10 is the first of row 2, over a hot aisle of 1.2 m"
    assert drawn.route_m(3, 3) == 1.8
    assert (drawn.row(10), drawn.position(10)) == (2, 1)
    plain = Hall(units=1, compute_per_unit=20, network_per_unit=0, spine_racks=0, racks_per_row=10, pitch_m=0.75)
    assert plain.route_m(1, 2) == 0.75 + 4
    assert plain.route_m(1, 11) == 3.0 + 4


def test_without_a_drawing_everything_is_assumed_and_said(site: SiteMaker):
    floor = plan(site()).floor
    assert floor is not None
    assert (floor.assumed, floor.hall, floor.summary.drawn) == (True, None, False)
    assert [(spot.rack, spot.x_mm, spot.y_mm, spot.unit, spot.kind) for spot in floor.spots[:2]] == [
        ("t-r001", 1200, 1200, 1, "compute"),
        ("t-r002", 1950, 1200, 1, "compute"),
    ]
    assert floor.summary.rows_limit is None


def drawn(site: SiteMaker, floor: dict[str, Any], **facility: Any):
    made = plan(site(facility=DEDICATED | facility, fabric={"plannedScalableUnits": 2}, floor=floor)).floor
    assert made is not None
    return made


def test_every_planned_rack_has_its_place_and_kind(site: SiteMaker):
    """Two units of eight compute racks and a network rack (one of them built), one rack above them, one of storage."""
    floor = drawn(site, {})
    assert [spot.kind for spot in floor.spots] == [*["compute"] * 8, "network", *["compute"] * 8, "network", "spine", "storage"]
    assert [spot.unit for spot in floor.spots] == [*[1] * 9, *[2] * 9, None, None]
    assert floor.spots[0].installed
    assert not floor.spots[9].installed
    assert floor.spots[9].mass_kg == floor.spots[0].mass_kg, "unit 2 will weigh what unit 1 does"
    assert sum(len(load.racks) for load in floor.loads) == len(floor.spots) == floor.summary.planned_racks
    assert [(row.row, row.racks, row.places) for row in floor.rows] == [(1, 10, 10), (2, 10, 10)]


def test_walls_columns_and_doors(site: SiteMaker):
    """Ten racks of 750 mm from x = 1.2 m end at 8.7 m; row 2 ends at y = 1.2 + 1.2 + 1.2 + 1.2 = 4.8 m."""
    hall = {"lengthM": 8.7, "widthM": 7.2}
    assert drawn(site, hall).summary.outside == ()
    assert drawn(site, hall | {"lengthM": 8.69}).summary.outside == ("t-r010", "t-r020")
    assert drawn(site, hall | {"widthM": 4.79}).summary.outside[0] == "t-r011"
    column = {"name": "C1", "xM": 1.95, "yM": 2.3, "widthM": 0.3, "depthM": 0.3}
    assert drawn(site, hall | {"obstacles": [column]}).summary.obstructed == ("t-r002 on C1",)
    beside = column | {"yM": 2.4}
    assert drawn(site, hall | {"obstacles": [beside]}).summary.obstructed == ()
    wide = column | {"xM": 1.8, "yM": 1.0, "depthM": 3.0}
    assert drawn(site, hall | {"obstacles": [wide]}).summary.obstructed == (
        "t-r001 on C1",
        "t-r002 on C1",
        "t-r011 on C1",
        "t-r012 on C1",
    )
    kept_free = hall | {"obstacles": [column], "kept": [{"row": 1, "position": 2, "reason": "C1"}], "widthM": 10}
    free = drawn(site, kept_free)
    assert free.summary.obstructed == ()
    assert [box.name for box in free.kept] == ["C1"]
    assert free.spots[1].position == 3
    south = {"name": "D1", "wall": "south", "atM": 1.2, "widthM": 0.75}
    assert drawn(site, hall | {"doors": [south]}).summary.blocked_doors == ()
    assert drawn(site, hall | {"doors": [south], "yM": 0.99}).summary.blocked_doors == ("D1 by t-r001",)
    west = {"name": "D2", "wall": "west", "atM": 2.4, "widthM": 1.2}
    assert drawn(site, hall | {"doors": [west]}).summary.blocked_doors == ()
    assert drawn(site, hall | {"doors": [west | {"widthM": 1.3}], "xM": 0.5}).summary.blocked_doors == ("D2 by t-r011",)
    east = {"name": "D3", "wall": "east", "atM": 1.2, "widthM": 1.2}
    assert drawn(site, hall | {"doors": [east]}).summary.blocked_doors == ("D3 by t-r009", "D3 by t-r010")
    north = {"name": "D4", "wall": "north", "atM": 1.2, "widthM": 0.75}
    assert drawn(site, hall | {"doors": [north], "widthM": 5.7}).summary.blocked_doors == ("D4 by t-r011",)
    by_column = hall | {"doors": [south], "obstacles": [column | {"xM": 1.3, "yM": 0.1}]}
    assert "D1 by C1" in drawn(site, by_column).summary.blocked_doors


def test_what_the_section_contradicts_itself_in(site: SiteMaker):
    floor = {
        "lengthM": 12,
        "placeM": 0.6,
        "rows": 2,
        "kept": [{"row": 3, "position": 11, "reason": "column"}],
        "obstacles": [{"name": "C1", "xM": 11.9, "yM": 1, "widthM": 0.2, "depthM": 0.2}],
        "doors": [{"name": "D1", "wall": "west", "atM": 1, "widthM": 1}],
    }
    assert drawn(site, floor).summary.misdrawn == (
        "placeM: 600 mm for racks of 750 mm",
        "doors: D1 is in a wall whose length nobody gave (lengthM, widthM)",
        "lengthM and widthM: one of them alone makes no hall",
        "kept: row 3 has no place 11 (10 in a row)",
        "kept: there is no row 3 (2 rows)",
    )
    whole = drawn(site, floor | {"widthM": 1.5}).summary.misdrawn
    assert "obstacles: C1 is not in the hall" in whole
    assert "doors: D1 ends 2 m along a wall of 1.5 m" in whole


def test_the_narrowest_aisles_count_walls_too(site: SiteMaker):
    floor = {"lengthM": 20, "widthM": 20, "coldAisleM": 2.4, "hotAisleM": 1.2, "yM": 1.1}
    found = drawn(site, floor).summary
    assert (found.cold_aisle_m, found.hot_aisle_m) == (1.1, 1.2), "south of row 1 there are only 1.1 m"
    north = drawn(site, floor | {"widthM": 1.1 + 1.2 + 1.2 + 1.2 + 0.5, "yM": 1.1}).summary
    assert north.cold_aisle_m == 0.5, "row 2 looks north, at the wall"


def test_a_racks_mass_by_hand(site: SiteMaker):
    """Two DGX H100 (130.45 kg, six cords of 0.4 kg each), a frame of 165 kg, strips of 7.26 kg, and the cables of 2 nodes.

    Each node has eight training cables (multimode pairs: 2 x 1.8 m x 10.6 g + 2 x 120 g) and others; so the cables are a few
    kilograms, and more than the cords.
    """
    feeds = [{"name": name, "pduModel": "vertiv-gi10022l"} for name in ("a", "b")]
    bearing = {"pointKg": 400, "feetPerTile": 2, "uniformKgPerM2": 1000}
    floor = {"bearing": bearing, "coldAisleM": 1.8, "hotAisleM": 1.2}
    made = plan(site(nodes=2, facility=DEDICATED | {"feeds": feeds, "nodesPerRack": 2, "spreadRacks": 1}, floor=floor))
    found = made.racks[0].floor
    assert found is not None
    assert (found.frame_kg, found.devices_kg, found.strips_kg, found.door_kg, found.fluid_kg) == (165.0, 260.9, 14.52, 0.0, 0.0)
    assert 2 * 6 * 0.4 + 3 < found.cables_kg < 25
    assert found.mass_kg == pytest.approx(165 + 260.9 + 14.52 + found.cables_kg)
    assert found.foot_kg == pytest.approx(found.mass_kg / 4, abs=0.001)
    assert found.kg_per_m2 == pytest.approx(found.mass_kg / (0.75 * (1.2 + 1.5)), abs=0.001)
    assert (found.unknown, found.unknown_max_kg, found.point_limit_kg, found.uniform_limit_kg_per_m2) == (
        (),
        0.0,
        400.0,
        1000.0,
    )
    assert (found.usable_depth_m, found.depth_assumed, found.free_u) == (1.1, True, 48 - 16)
    assert [(row.model, row.depth_m, row.cables) for row in found.depths] == [("dgx-h100", 0.8971, 8)]


def test_what_has_no_weight_is_named_with_the_most_that_it_may_weigh(site: SiteMaker):
    made = plan(site()).racks[0].floor
    assert made is not None
    assert (made.unknown, made.unknown_max_kg) == (("4 x pdu-415v-60a-3ph",), 120.0)
    heavy = plan(site(compute={"nodeModel": "mi300x-platform"}, fabric={"transport": "roce", "switchModel": "sn5600"})).racks[0]
    assert heavy.floor is not None
    assert heavy.floor.unknown[0] == "mi300x-platform"
    assert heavy.floor.unknown_max_kg is None


@pytest.mark.parametrize(
    ("model", "kg", "unknown"), [("ibm-rear-door-19in", 35.6, []), ("motivair-chilleddoor", 0.0, ["the rear door"])]
)
def test_rear_doors_weigh_on_the_racks_that_have_one(site: SiteMaker, model: str, kg: float, unknown: list[str]):
    doors = {"model": model, "waterC": 18, "waterFlowLMin": 40}
    cooling = {"inletC": 24, "deltaK": 12, "altitudeM": 0, "rearDoors": doors}
    racks = plan(site(facility=DEDICATED, cooling=cooling)).racks
    compute, above = racks[0].floor, racks[-1].floor
    assert compute is not None
    assert above is not None
    assert (compute.door_kg, above.door_kg) == (kg, 0.0)
    assert [name for name in compute.unknown if "door" in name] == unknown
    everywhere = plan(site(facility=DEDICATED, cooling=cooling | {"rearDoors": doors | {"racks": "all"}})).racks[-1].floor
    assert everywhere is not None
    assert everywhere.door_kg == kg


def test_coolant_of_unknown_mass_has_an_upper_bound(site: SiteMaker):
    """A kilogram for each kilowatt that goes to coolant: three quarters of the machine's."""
    liquid = next(node for node in site().catalog.nodes.values() if node.liquid_fraction > 0 and node.fluid_kg is None)
    made = plan(site(nodes=1, compute={"nodeModel": liquid.name}, facility=DEDICATED, fabric={"rails": liquid.backend_nics}))
    floor = made.racks[0].floor
    assert floor is not None
    assert floor.fluid_kg == 0
    assert f"coolant of {liquid.name}" in floor.unknown
    assert liquid.weight_kg is not None
    slots = sum(device.role == "gpu" for device in made.racks[0].devices)
    assert floor.unknown_max_kg == pytest.approx(120 + slots * liquid.peak_kw * liquid.liquid_fraction)


def test_what_is_rolled_in(site: SiteMaker):
    empty = drawn(site, {"cartKg": 100}).summary
    assert (empty.moved_kg, empty.moved_what, empty.wheel_kg) == (230.45, "a dgx-h100 on its cart", 57.612)
    frame = drawn(site, {"cartKg": 10}).summary
    assert (frame.moved_kg, frame.moved_what, frame.wheel_kg) == (165.0, "an empty rack-48u-1200", 41.25)
    full = drawn(site, {"moved": "filled"}).summary
    assert full.moved_what.endswith(", filled")
    assert full.moved_kg is not None
    assert full.moved_kg > 4 * 130.45 + 165
    assert full.wheel_kg == pytest.approx(full.moved_kg / 4, abs=0.001)
    assert full.contents_kg == pytest.approx(full.moved_kg - 165 - 120, abs=0.1), "120 kg of strips may be on top"


def test_a_filled_rack_of_unknown_weight_may_be_the_heaviest(site: SiteMaker):
    """What is known of the heaviest rack is said, and what is missing of the others; nothing is unknown of empty ones."""
    filled = {"floor": {"moved": "filled", "route": [{"name": "lift", "kind": "lift", "kg": 5000}]}}
    known = plan(site(**filled)).floor
    others = {"compute": {"nodeModel": "mi300x-platform"}, "fabric": {"transport": "roce", "switchModel": "sn5600"}}
    half = plan(site(**others, **filled)).floor
    assert known is not None
    assert half is not None
    assert known.summary.moved_unknown == ()
    assert half.summary.moved_unknown == ("weightKg of mi300x-platform",)
    assert half.summary.moved_kg is not None
    assert half.summary.moved_kg > 165
    assert "kg at once without weightKg of mi300x-platform (t-r" in floor_text(half)
    assert {f.severity for f in check_floor(half.summary, "t-hall") if f.id == "RACK-015"} == {"undecided"}


def test_strips_and_their_places(site: SiteMaker):
    """The stack file's figure, else the catalogue's, else four behind a rack of 600 mm; twelve strips are noticed."""
    feeds = [{"name": name, "pduModel": "vertiv-gi10022l", "pdusPerRack": 4} for name in ("a", "b", "c")]
    made = plan(site(facility={"feeds": feeds}))
    found = made.racks[0].floor
    assert found is not None
    assert (found.strips, found.strip_places, found.strip_places_assumed) == (12, 4, True)
    assert "RACK-008" in {finding.id for finding in check_rack(made.racks[0])}
    assert made.floor is not None
    assert (
        "assumed: 4 places for power strips at the rear of a rack (railyard:facility.stripPlaces); 12 are planned"
        in floor_text(made.floor)
    )
    stated = plan(site(facility={"feeds": feeds, "stripPlaces": 12})).racks[0]
    assert stated.floor is not None
    assert (stated.floor.strip_places, stated.floor.strip_places_assumed) == (12, False)
    assert "RACK-008" not in {finding.id for finding in check_rack(stated)}


def test_mirror_halves_go_into_two_racks_where_the_stack_file_says_so(site: SiteMaker):
    together = plan(site(storage_nodes=4, facility=DEDICATED)).floor
    apart = plan(site(storage_nodes=4, facility=DEDICATED | {"mirrorsApart": True}))
    assert together is not None
    assert apart.floor is not None
    assert [lost.what for lost in together.summary.mirrors_together] == [
        "t-sto01 + t-sto02, t-sto03 + t-sto04",
    ]
    assert apart.floor.summary.mirrors_together == ()
    where = {device.name: rack.name for rack in apart.racks for device in rack.devices}
    assert where["t-sto01"] == where["t-sto03"] != where["t-sto02"] == where["t-sto04"]
    assert apart.problems == ()
    shared = plan(site(storage_nodes=4, facility={"mirrorsApart": True}))
    where = {device.name: rack.name for rack in shared.racks for device in rack.devices}
    assert where["t-sto01"] != where["t-sto02"]


def test_the_top_tier_is_spread_and_subnet_managers_with_it(site: SiteMaker):
    facility = DEDICATED | {"racksPerRow": 12}
    together = plan(site(facility=facility, fabric={"plannedScalableUnits": 2, "scalableUnits": 2}))
    spread = plan(site(facility=facility | {"spineRacks": 2}, fabric={"plannedScalableUnits": 2, "scalableUnits": 2}))
    assert together.floor is not None
    assert spread.floor is not None
    assert together.floor.summary.top_share_percent == 100.0
    assert [lost.what for lost in together.floor.summary.lost_together] == [
        "both switches of the storage service pair 3",
        "both switches of the in-band service pair 3",
        "all subnet managers of fabric (t-spine001, t-spine002)",
    ]
    assert spread.floor.summary.top_share_percent < 75
    assert spread.floor.summary.lost_together == ()
    assert spread.fabric.subnet_managers == {"fabric": ("t-spine001", "t-spine008")}


def test_planes_go_into_two_racks_where_the_stack_file_says_so(site: SiteMaker):
    fabric = {"planes": 2, "nodesPerUnit": 16, "linkGbps": 200, "plannedScalableUnits": 2}
    together = plan(site(facility=DEDICATED, fabric=fabric)).floor
    apart = plan(site(facility=DEDICATED | {"unitNetworkRacks": 2}, fabric=fabric))
    assert together is not None
    assert apart.floor is not None
    assert [(lost.rack, lost.what) for lost in together.summary.planes_together] == [
        ("t-r005", "leaves of all 2 planes for 8 of 8 rails of t-su001"),
        ("t-r010", "leaves of all 2 planes for 8 of 8 rails of t-su002"),
    ]
    assert apart.floor.summary.planes_together == ()
    where = {device.name: rack.name for rack in apart.racks for device in rack.devices}
    assert {where[f"t-su001-leaf-r{rail}-p0"] for rail in range(8)} == {"t-r005"}
    assert {where[f"t-su001-leaf-r{rail}-p1"] for rail in range(8)} == {"t-r006"}
    shared = plan(site(fabric=fabric)).floor
    assert shared is not None
    assert shared.summary.planes_together == (), "two racks are filled in turn: a plane in each"


def test_the_longest_cable_inside_of_a_unit(site: SiteMaker):
    """Eight compute racks and their network rack in one row: 8 x 0.75 m + 4 m, 10 % of slack."""
    found = drawn(site, {}).summary
    assert (found.unit_reach_m, found.unit_reach_at, found.unit_rows) == (11.0, "t-su001", 2)


def named(racks: list[list[tuple[str, str]]]) -> list[list[str]]:
    return [[name for name, _ in rack] for rack in racks]


ROOM = Room(
    Limits(10, frozenset({5, 6}), 40.0, 30.0),
    {"one": Body("one", "m", 1, 1.0, 1.0, 1.0), "four": Body("four", "m", 4, 9.0, 1.0, 1.0)},
)


def test_racks_fill_by_units_between_reserved_ones():
    """Above U5 and U6 are four U, below them four: two devices of 4 U, or eight of 1 U; never a third of 4 U."""
    assert (ROOM.limits.count(4), ROOM.limits.count(1), ROOM.limits.count(5), ROOM.limits.count(4, kept_u=1)) == (2, 8, 0, 1)
    even = [(f"d{index}", role) for index, role in enumerate(["four", "one", "one", "one", "one", "four"])]
    assert named(share(even, ROOM)) == [["d0", "d1", "d2"], ["d3", "d4", "d5"]], "as many in each where that goes"
    uneven = [(f"d{index}", role) for index, role in enumerate(["four", "four", "one", "one", "one", "one"])]
    assert named(share(uneven, ROOM)) == [["d0", "d1"], ["d2", "d3", "d4", "d5"]], "three racks by number, two by U"
    assert len(share(uneven, ROOM, at_least=3)) == 3
    assert share([], ROOM, at_least=3) == []


def test_a_device_that_fits_nowhere_has_a_rack_to_itself_and_the_others_share():
    body = {"odd": Body("odd", "m", 11, 1.0, 1.0, 1.0), "one": Body("one", "m", 1, 1.0, 1.0, 1.0)}
    room = Room(Limits(10, frozenset(), 40.0, 30.0), body)
    devices = [("a", "one"), ("b", "odd"), ("c", "one"), ("d", "one")]
    assert named(share(devices, room)) == [["a"], ["b"], ["c", "d"]]


def test_a_million_racks_are_refused_at_once(site: SiteMaker):
    fabric = {"switchModel": "q3400", "linkGbps": 800, "nodesPerUnit": 72, "plannedScalableUnits": 1296}
    config = site(nodes=1, fabric=fabric, facility={"spreadRacks": 64, "nodesPerRack": 1}, compute={"nodeModel": "dgx-b300"})
    start = process_time()
    with pytest.raises(PlanError) as error:
        plan(config)
    assert process_time() - start < 1
    (problem,) = error.value.problems
    assert (problem.id, problem.where, problem.limit) == ("PLAN-015", "railyard:facility", "20000 racks")
    assert problem.found == "1296 planned units of 128 compute racks: 165888 racks"
    assert "nodesPerRack" in problem.fix
