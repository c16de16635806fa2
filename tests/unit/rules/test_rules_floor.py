"""The hall's ground: passing, at the limit, one step over."""

import pytest

from railyard.model.floor import FloorSummary, LostRack, RouteStep
from railyard.rules import Thresholds, check_floor
from tests.unit.rules.rules_factory import ids

pytestmark = pytest.mark.requirement("C3")


def summary(**changes):
    """A hall of four units that has everything just as it has to be."""
    fields = {
        "drawn": True,
        "racks": 52,
        "planned_racks": 101,
        "rows": 9,
        "rows_limit": 9,
        "rack_height_m": 2.27,
        "rack_width_m": 0.75,
        "rack_depth_m": 1.2,
        "clear_height_m": 2.73,
        "cold_aisle_m": 1.2,
        "hot_aisle_m": 0.9,
        "longest_device_m": 1.0,
        "route": (
            RouteStep(name="dock", kind="door", width_m=0.78, height_m=2.3),
            RouteStep(name="lift", kind="lift", width_m=1.23, depth_m=0.78, height_m=2.3, kg=280.0),
            RouteStep(name="ramp", kind="ramp", slope_deg=4.8, kg=280.0),
            RouteStep(name="hall", kind="floor", wheel_kg=70.0),
        ),
        "moved_kg": 280.0,
        "moved_what": "a node on its cart",
        "wheel_kg": 70.0,
        "wheel_what": "a node on its cart",
        "hall_wheel_kg": 70.0,
        "rolling_limit_kg": 1020.0,
        "units": 4,
        "storage_racks": 2,
        "unit_racks": 12,
        "racks_per_row": 12,
        "unit_rows": 2,
        "unit_reach_m": 50.0,
        "unit_reach_at": "lab-su001",
        "top_share_percent": 75.0,
        "top_share_at": "lab-r097",
    }
    return FloorSummary(**fields | changes)


def found(**changes):
    return check_floor(summary(**changes), "lab-hall")


def one(**changes):
    finding, *rest = found(**changes)
    assert rest == []
    return finding.id, finding.severity, finding.where, finding.found, finding.limit


def test_a_hall_that_is_just_large_enough_has_no_findings():
    assert found() == []


def test_entries_that_contradict_each_other():
    entries = ("kept: row 1 has no place 13 (12 in a row)", "doors: D1 ends 14 m along a wall of 12 m")
    findings = found(misdrawn=entries)
    assert [(f.id, f.severity, f.where) for f in findings] == [
        ("RACK-009", "limit", "railyard:floor.doors"),
        ("RACK-009", "limit", "railyard:floor.kept"),
    ]
    assert findings[1].found == "row 1 has no place 13 (12 in a row)"


def test_racks_in_walls_and_columns():
    racks = tuple(f"lab-r{number:03d}" for number in range(1, 8))
    assert one(outside=racks)[:4] == (
        "RACK-010",
        "invariant",
        "lab-hall/walls",
        "lab-r001, lab-r002, lab-r003, lab-r004, lab-r005 and 2 more beyond a wall",
    )
    assert one(outside=racks[:5])[3] == "lab-r001, lab-r002, lab-r003, lab-r004, lab-r005 beyond a wall"
    assert one(obstructed=("lab-r003 on column-1",))[2:4] == ("lab-hall/lab-r003", "lab-r003 on column-1")


def test_rows():
    assert one(rows=10)[3:] == ("101 planned racks take 10 rows of 12", "9 rows (railyard:floor.rows)")
    assert found(rows=10, rows_limit=None) == []
    assert found(rows=8) == []


def test_aisles():
    assert one(cold_aisle_m=1.19)[2:] == ("lab-hall/cold-aisle", "1.19 m", "1.2 m (a device of 1 m is drawn out)")
    assert one(cold_aisle_m=1.19, longest_device_m=0.9)[4] == "1.2 m"
    assert one(longest_device_m=1.01)[4] == "1.21 m (a device of 1.01 m is drawn out)"
    assert one(cold_aisle_m=1.19, longest_device_m=None)[4] == "1.2 m"
    assert one(hot_aisle_m=0.89)[2:] == ("lab-hall/hot-aisle", "0.89 m", "0.9 m")
    assert found(drawn=False, cold_aisle_m=0.1, hot_aisle_m=0.1) == []


def test_doors():
    assert one(blocked_doors=("D1 by lab-r001",))[2:4] == ("lab-hall/D1", "lab-r001 within a metre of it")


def opening(**sizes):
    return (RouteStep(name="D1", kind="door", **sizes),)


def test_openings():
    assert one(route=opening(height_m=2.29))[2:] == (
        "lab-hall/D1/high",
        "a rack of 2.27 m, with 0.03 m of room 2.3 m",
        "2.29 m high",
    )
    assert one(route=opening(width_m=0.77))[2] == "lab-hall/D1/wide"
    assert one(route=opening(depth_m=1.22))[2] == "lab-hall/D1/deep"
    assert one(route=opening(width_m=0.77, depth_m=1.3))[2] == "lab-hall/D1/on its narrower side"
    assert one(route=opening(width_m=1.22, depth_m=0.78))[2] == "lab-hall/D1/on its longer side"
    assert found(route=opening(width_m=0.78, height_m=2.3)) == []
    assert found(route=opening(width_m=1.23, depth_m=0.78)) == []
    assert found(route=opening(depth_m=1.23)) == []


def test_a_rack_of_unknown_size_is_undecided_where_it_has_to_get_through():
    finding = one(rack_height_m=None, route=opening(height_m=9.0), clear_height_m=None)
    assert finding[:3] == ("RACK-014", "undecided", "lab-hall/D1/high")
    assert one(rack_width_m=None, route=opening(width_m=9.0))[:2] == ("RACK-014", "undecided")
    assert one(rack_depth_m=None, route=opening(width_m=9.0))[:2] == ("RACK-014", "undecided")
    assert found(rack_height_m=None, clear_height_m=None, route=()) == []


@pytest.mark.parametrize(
    ("changes", "where", "text"),
    [
        ({"moved_kg": 280.1}, ["lift", "ramp"], "280.1 kg at once: a node on its cart"),
        ({"wheel_kg": 70.1}, ["floor/wheel", "hall/wheel"], "70.1 kg on one wheel: a node on its cart"),
        (
            {"moved": "filled", "contents_kg": 1020.1, "contents_at": "lab-r001"},
            ["castors"],
            "1020.1 kg in a rolling rack: what stands in lab-r001",
        ),
    ],
)
def test_loads_on_the_way_in(changes, where, text):
    findings = found(**changes)
    assert [(f.id, f.severity, f.where.removeprefix("lab-hall/")) for f in findings] == [
        ("RACK-015", "limit", place) for place in where
    ]
    assert findings[0].found == text


def test_loads_that_nobody_rated_or_knows():
    assert found(moved_kg=9999.0, route=(RouteStep(name="lift", kind="lift"),)) == []
    assert found(wheel_kg=9999.0, hall_wheel_kg=None, route=()) == []
    assert [(f.severity, f.where) for f in found(moved_kg=None, wheel_kg=None)] == [
        ("undecided", "lab-hall/floor/wheel"),
        ("undecided", "lab-hall/hall/wheel"),
        ("undecided", "lab-hall/lift"),
        ("undecided", "lab-hall/ramp"),
    ]
    assert found(moved="filled", contents_kg=1020.0) == []
    assert found(moved="filled", contents_kg=9999.0, rolling_limit_kg=None) == []
    assert found(moved="empty", contents_kg=9999.0) == []


def test_racks_that_come_filled_and_one_that_nobody_weighed():
    filled = {"moved": "filled", "moved_what": "lab-r001, filled", "wheel_what": "lab-r001, filled", "contents_kg": 1020.0}
    filled |= {"moved_unknown": ("weightKg of odd",), "contents_at": "lab-r001"}
    findings = found(**filled)
    assert [(f.id, f.severity, f.where.removeprefix("lab-hall/")) for f in findings] == [
        ("RACK-015", "undecided", place) for place in ("castors", "floor/wheel", "hall/wheel", "lift", "ramp")
    ]
    assert findings[3].found == (
        "280.0 kg at once as far as is known: lab-r001, filled; without weightKg of odd another rack may weigh more"
    )
    assert findings[3].fix == "enter weightKg of odd in railyard/catalog"
    heavy = {f.where: f.severity for f in found(**filled | {"moved_kg": 281.0})}
    assert (heavy["lab-hall/lift"], heavy["lab-hall/floor/wheel"]) == ("limit", "undecided")
    unknown = found(**filled | {"moved_kg": None, "route": (RouteStep(name="lift", kind="lift", kg=280.0),)})
    assert unknown[-1].fix == "enter weightKg of odd in railyard/catalog, and castors and ownWeightKg of the rack model"
    assert unknown[-1].found == "nobody knows what lab-r001, filled weighs"


def test_ramps():
    assert one(route=(RouteStep(name="ramp", kind="ramp", slope_deg=4.9),))[2:] == (
        "lab-hall/ramp",
        "4.9 degrees",
        "4.8 degrees",
    )
    assert found(route=(RouteStep(name="ramp", kind="ramp"),)) == []


def test_height():
    assert one(clear_height_m=2.72)[2:4] == ("lab-hall/height", "racks of 2.27 m leave 0.45 m")
    assert found(clear_height_m=None) == []
    assert one(rack_height_m=None, route=())[:2] == ("RACK-017", "undecided")


def test_a_unit_stands_together():
    assert one(unit_reach_m=50.1)[2:4] == ("lab-hall/lab-su001", "50.1 m from a node to a leaf of lab-su001, over 2 rows")
    assert one(unit_rows=3)[2:] == ("lab-hall/rows", "a unit of 12 racks stands in 3 rows of 12", "2 rows")
    assert found(unit_racks=13, unit_rows=3) == []


def test_the_top_tier_is_not_in_one_rack_from_two_units_on():
    assert one(top_share_percent=75.1)[2:4] == ("lab-hall/lab-r097", "75.1 % of the top tier's switches are lost with lab-r097")
    assert one(units=2, top_share_percent=100.0)[0] == "RACK-021"
    assert found(units=1, top_share_percent=100.0) == []


def test_stand_ins_in_one_rack_from_two_units_on():
    lost = (LostRack(rack="lab-r097", what="both switches of the in-band service pair 5"),)
    assert one(lost_together=lost)[:4] == ("RACK-022", "limit", "lab-hall/lab-r097", lost[0].what)
    assert one(units=2, lost_together=lost)[0] == "RACK-022"
    assert found(units=1, lost_together=lost) == []


def test_mirrors_in_one_rack_where_there_is_a_second_one():
    lost = (
        LostRack(rack="lab-r100", what="lab-sto01 + lab-sto02, lab-sto03 + lab-sto04"),
        LostRack(rack="lab-r101", what="lab-sto05 + lab-sto06"),
    )
    pairs = "lab-sto01 + lab-sto02, lab-sto03 + lab-sto04 in lab-r100, lab-sto05 + lab-sto06 in lab-r101"
    assert one(mirrors_together=lost) == (
        "RACK-023",
        "limit",
        "lab-hall/mirrors",
        f"mirror each other in one rack: {pairs}",
        "each mirror in another rack",
    )
    assert one(units=1, mirrors_together=lost)[0] == "RACK-023"
    assert one(units=2, storage_racks=1, mirrors_together=lost)[0] == "RACK-023"
    assert found(units=1, storage_racks=1, mirrors_together=lost) == []


def test_planes_in_one_rack_however_small_the_site():
    lost = (LostRack(rack="lab-r009", what="leaves of all 2 planes for 8 of 8 rails of lab-su001"),)
    assert one(units=1, planes_together=lost)[:4] == ("RACK-024", "limit", "lab-hall/lab-r009", lost[0].what)


def test_thresholds_move_each_limit_of_the_hall():
    strict = Thresholds(
        cold_aisle_m_min=1.3,
        hot_aisle_m_min=1.0,
        opening_gap_m_min=0.04,
        move_percent_max=99,
        slope_deg_max=4.7,
        clear_above_m_min=0.5,
        unit_reach_m_max=49,
        top_share_percent_max=70,
    )
    wanted = {"RACK-012", "RACK-014", "RACK-015", "RACK-016", "RACK-017", "RACK-020", "RACK-021"}
    assert set(ids(check_floor(summary(), "lab-hall", strict))) == wanted
    longer = Thresholds(pull_out_m_min=0.21)
    assert ids(check_floor(summary(), "lab-hall", longer)) == ["RACK-012"]
