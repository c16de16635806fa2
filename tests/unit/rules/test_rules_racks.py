"""Weight and room of a rack: passing, at the limit, one step over."""

from time import process_time

import pytest

from railyard.model.floor import DeviceDepth, RackFloor
from railyard.rules import Thresholds, check_rack
from tests.unit.rules.rules_factory import device, ids, rack

pytestmark = pytest.mark.requirement("C3")


def only(findings, rule):
    return [finding for finding in findings if finding.id == rule]


def floor(**changes):
    """A rack of 600 kg on four feet with room behind its node, on a floor that bears it."""
    fields = {
        "frame_kg": 165.0,
        "devices_kg": 391.0,
        "strips_kg": 20.0,
        "door_kg": 0.0,
        "cables_kg": 24.0,
        "fluid_kg": 0.0,
        "mass_kg": 600.0,
        "feet": 4,
        "feet_per_tile": 2,
        "foot_kg": 150.0,
        "point_limit_kg": 300.0,
        "kg_per_m2": 250.0,
        "uniform_limit_kg_per_m2": 250.0,
        "depth_m": 1.2,
        "usable_depth_m": 1.1,
        "depth_assumed": True,
        "depths": (DeviceDepth(model="dgx-h100", depth_m=0.95, cables=8),),
    }
    return RackFloor(**fields | changes)


def on_floor(**changes):
    return check_rack(rack(floor=floor(**changes)))


def test_weight():
    assert check_rack(rack(weight_kg=1600.0)) == []
    finding, *rest = check_rack(rack(weight_kg=1600.1))
    assert rest == []
    assert (finding.id, finding.severity, finding.found) == ("RACK-001", "limit", "1600.1 kg in the frame (itself not counted)")


def test_unknown_weight_is_undecided_and_names_the_device():
    devices = (device(), device("lab-r001-odd", u=9, model="odd", weight_kg=None))
    finding, *rest = check_rack(rack(devices=devices))
    assert rest == []
    assert (finding.id, finding.severity) == ("RACK-001", "undecided")
    assert finding.found.endswith(" in the frame (itself not counted) without 1 x odd, whose weight is unknown")
    assert "lab-su001-gpu01" not in finding.found
    assert "weightKg of odd" in finding.fix


def test_racks_that_are_alike_say_the_same_of_unknown_weights():
    """Names of devices in `found` kept a hall's racks from being one finding."""
    said = {
        check_rack(
            rack(
                devices=(
                    device(f"lab-{name}", model="odd", weight_kg=None),
                    device(f"lab-{name}-b", u=9, model="odd", weight_kg=None),
                )
            )
        )[0].found
        for name in ("a", "b")
    }
    assert len(said) == 1
    assert "without 2 x odd, whose weight is unknown" in said.pop()


def test_a_frame_of_unknown_weight_is_not_said_to_be_included():
    finding, *_ = on_floor(frame_kg=None, foot_kg=151.0, unknown=("the frame of x",), unknown_max_kg=250.0)
    assert finding.found == "302.0 kg on one tile (2 feet of 151.0 kg), without the frame of x"


def test_known_weight_over_the_limit_fails_whatever_is_unknown():
    devices = (device(), device("lab-r001-odd", u=9, model="odd", weight_kg=None))
    finding, *rest = check_rack(rack(devices=devices, weight_kg=1700.0))
    assert rest == []
    assert (finding.severity, finding.found) == ("limit", "1700.0 kg in the frame (itself not counted) without 1 x odd")


def test_no_weight_limit_is_undecided():
    finding, *rest = check_rack(rack(weight_limit_kg=None, weight_kg=9999.0))
    assert rest == []
    assert finding.severity == "undecided"


def test_overlap_is_an_invariant_that_names_both():
    adjacent = (device(), device("lab-su001-gpu02", u=9))
    assert check_rack(rack(devices=adjacent)) == []
    overlapping = (device(), device("lab-su001-gpu02", u=8))
    finding, *rest = check_rack(rack(devices=overlapping))
    assert rest == []
    assert (finding.id, finding.severity, finding.where) == ("RACK-002", "invariant", "lab-r001/U8")
    assert finding.found == "lab-su001-gpu01 (U1-U8) and lab-su001-gpu02 (U8-U15) share U8"


def test_devices_that_share_the_same_u_are_one_finding():
    stacked = (device(), device("b", u=6), device("c", u=8))
    findings = [(finding.where, finding.found) for finding in only(check_rack(rack(devices=stacked)), "RACK-002")]
    assert findings == [
        ("lab-r001/U6", "lab-su001-gpu01 (U1-U8) and b (U6-U13) share U6, U7"),
        ("lab-r001/U8", "lab-su001-gpu01 (U1-U8), b (U6-U13), c (U8-U15) share U8"),
        ("lab-r001/U9", "b (U6-U13) and c (U8-U15) share U9, U10, U11, U12, U13"),
    ]


def test_a_rack_full_of_devices_in_one_place_is_judged_at_once():
    crowd = tuple(device(f"d{number:03d}") for number in range(600))
    start = process_time()
    finding, *rest = only(check_rack(rack(devices=crowd)), "RACK-002")
    assert process_time() - start < 1  # it was one finding for each of 180,000 pairs
    assert rest == []
    assert "d007 (U1-U8) and 592 more share U1, U2" in finding.found


def test_position_inside_the_rack():
    top = (device(u=40),)
    assert check_rack(rack(devices=top, reserved_u=())) == []
    assert check_rack(rack(devices=(device(u=41),), reserved_u=())) == []
    finding, *rest = check_rack(rack(devices=(device(u=42),), reserved_u=()))
    assert rest == []
    assert (finding.id, finding.severity) == ("RACK-003", "invariant")
    assert "outside the rack at U49" in finding.found
    assert "at U0" in check_rack(rack(devices=(device(u=0),)))[0].found


def test_reserved_u():
    assert check_rack(rack(devices=(device(u=40),))) == []
    finding, *rest = check_rack(rack(devices=(device(u=41),)))
    assert rest == []
    assert "stands on reserved U48" in finding.found


def test_unweighed_strips_matter_only_where_their_bound_goes_over_the_limit():
    strips = {"unweighed": ("4 x pdu",), "unweighed_max_kg": 120.0}
    assert check_rack(rack(weight_kg=1480.0, **strips)) == []
    finding, *rest = check_rack(rack(weight_kg=1480.1, **strips))
    assert rest == []
    assert (finding.id, finding.severity, finding.limit) == ("RACK-001", "undecided", "1600.0 kg")
    assert finding.found == "1480.1 kg in the frame (itself not counted) without 4 x pdu, unknown but up to 120.0 kg"


def test_cables_coolant_and_rear_door_weigh_too():
    """1,560 kg and 24 of cables are in; 17 kg of coolant or door more are not."""
    assert check_rack(rack(weight_kg=1576.0, floor=floor())) == []
    for extra in ({"fluid_kg": 0.1}, {"door_kg": 0.1}, {"cables_kg": 24.1}):
        finding, *rest = check_rack(rack(weight_kg=1576.0, floor=floor(**extra)))
        assert rest == []
        assert (finding.id, finding.found) == ("RACK-001", "1600.1 kg in the frame (itself not counted)")


def test_a_node_needs_room_for_its_eight_cables_behind_it():
    """950 mm in 1,100 leave 150 mm: just what eight training cables need."""
    assert on_floor() == []
    finding, *rest = on_floor(depths=(DeviceDepth(model="dgx-h100", depth_m=0.951, cables=8),))
    assert rest == []
    assert (finding.id, finding.severity, finding.where) == ("RACK-004", "limit", "lab-r001/dgx-h100")
    assert finding.found == "dgx-h100 is 951 mm deep and leaves 149 mm of 1100 mm usable depth"
    assert finding.limit == "150 mm behind it for 8 training cables"
    assert "a rack with 1101 mm" in finding.fix


def test_fewer_cables_need_less_room():
    assert on_floor(depths=(DeviceDepth(model="odd", depth_m=1.05, cables=7),)) == []
    assert on_floor(depths=(DeviceDepth(model="odd", depth_m=1.05),)) == []
    (finding,) = on_floor(depths=(DeviceDepth(model="odd", depth_m=1.051),))
    assert finding.limit == "50 mm behind it for cords and cables"
    (finding,) = on_floor(depths=(DeviceDepth(model="odd", depth_m=1.05, cables=8),))
    assert finding.limit == "150 mm behind it for 8 training cables"


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"usable_depth_m": None, "depth_m": None}, "depthM of the rack model"),
        ({"depths": (DeviceDepth(model="odd", depth_m=None, cables=8),)}, "depthM of odd"),
    ],
)
def test_an_unknown_depth_is_undecided_and_named(changes, missing):
    finding, *rest = on_floor(**changes)
    assert rest == []
    assert (finding.id, finding.severity, finding.found) == ("RACK-004", "undecided", f"{missing} is unknown")
    assert missing in finding.fix


def test_reserved_u_above_the_rack_protects_nothing():
    assert check_rack(rack(reserved_u=(1 + 47,))) == []
    finding, *rest = check_rack(rack(reserved_u=(48, 49, 50)))
    assert rest == []
    assert (finding.id, finding.found, finding.limit) == ("RACK-005", "reserved U49, U50 in a rack of 48 U", "U1 to U48")


def test_two_feet_on_a_tile():
    assert on_floor() == []
    finding, *rest = on_floor(foot_kg=150.1)
    assert rest == []
    assert (finding.id, finding.severity, finding.limit) == ("RACK-006", "limit", "300.0 kg")
    assert finding.found == "300.2 kg on one tile (2 feet of 150.1 kg, frame included)"
    assert on_floor(foot_kg=150.1, feet_per_tile=1) == []


def test_without_a_rating_nothing_is_judged_and_without_feet_it_is_undecided():
    assert on_floor(point_limit_kg=None, foot_kg=9999.0) == []
    for unknown in ({"foot_kg": None}, {"feet": None}):
        finding, *rest = on_floor(**unknown)
        assert rest == []
        assert (finding.id, finding.severity) == ("RACK-006", "undecided")
        assert "enter feet" in finding.fix


def test_what_is_unknown_matters_only_where_it_may_break_the_tile():
    """A foot takes a quarter of what is unknown, a tile of two feet half: 20 kg more is 10 kg more on the tile."""
    strips = {"unknown": ("2 x pdu",), "unknown_max_kg": 20.0, "uniform_limit_kg_per_m2": None}
    assert on_floor(foot_kg=145.0, **strips) == []
    finding, *rest = on_floor(foot_kg=145.1, **strips)
    assert rest == []
    assert (finding.id, finding.severity) == ("RACK-006", "undecided")
    assert (
        finding.found == "290.2 kg on one tile (2 feet of 145.1 kg, frame included) without 2 x pdu, unknown but up to 20.0 kg"
    )
    (finding,) = on_floor(foot_kg=151.0, **strips)
    assert (finding.severity, finding.found) == (
        "limit",
        "302.0 kg on one tile (2 feet of 151.0 kg, frame included), without 2 x pdu",
    )


def test_a_device_of_unknown_weight_leaves_the_floor_undecided():
    heavy = {"unknown": ("odd",), "unknown_max_kg": None}
    findings = on_floor(foot_kg=1.0, kg_per_m2=1.0, **heavy)
    assert [(finding.id, finding.severity) for finding in findings] == [("RACK-006", "undecided"), ("RACK-007", "undecided")]
    assert "without odd, whose weight is unknown" in findings[0].found
    assert ids(on_floor(foot_kg=151.0, kg_per_m2=1.0, uniform_limit_kg_per_m2=None, **heavy)) == ["RACK-006"]


def test_the_floors_load_for_each_square_metre():
    finding, *rest = on_floor(kg_per_m2=250.1)
    assert rest == []
    assert (finding.id, finding.severity, finding.limit) == ("RACK-007", "limit", "250.0 kg/m2")
    assert finding.found == "250.1 kg/m2 over footprint and half of both aisles (a rack of 600.0 kg, frame included)"
    assert on_floor(kg_per_m2=9999.0, uniform_limit_kg_per_m2=None) == []
    strips = {"unknown": ("2 x pdu",), "unknown_max_kg": 24.0, "point_limit_kg": None}
    assert on_floor(kg_per_m2=240.0, mass_kg=600.0, **strips) == [], "24 kg of 600 are 9.6 kg/m2 of 240"
    (finding,) = on_floor(kg_per_m2=240.5, mass_kg=600.0, **strips)
    assert finding.severity == "undecided"
    assert on_floor(kg_per_m2=0.0, mass_kg=0.0, **strips) == []


def test_strips_have_a_place():
    assert on_floor(strips=4, strip_places=4) == []
    finding, *rest = on_floor(strips=5, strip_places=4)
    assert rest == []
    assert (finding.id, finding.severity, finding.found) == ("RACK-008", "limit", "5 vertical strips")
    assert finding.limit == "4 places at the rear of a rack"
    (assumed,) = on_floor(strips=12, strip_places=4, strip_places_assumed=True)
    assert assumed.limit.endswith(" (assumed: two on each side)")
    (unknown,) = on_floor(strips=1, strip_places=None)
    assert (unknown.id, unknown.severity) == ("RACK-008", "undecided")
    assert "facility.stripPlaces" in unknown.fix
    assert on_floor(strips=0, strip_places=None) == []


def test_thresholds_move_each_limit_of_a_rack():
    strict = Thresholds(cable_space_m_min=0.151, point_percent_max=99, uniform_percent_max=99)
    assert set(ids(check_rack(rack(floor=floor()), strict))) == {"RACK-004", "RACK-006", "RACK-007"}
    wide = Thresholds(rear_space_m_min=0.16)
    assert ids(check_rack(rack(floor=floor(depths=(DeviceDepth(model="odd", depth_m=0.95),))), wide)) == ["RACK-004"]
