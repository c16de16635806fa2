"""The elevation says where things stand: U positions are read back out of the SVG and compared with the plan."""

import xml.etree.ElementTree as ET

import pytest

from railyard.model.floor import RackFloor
from railyard.plan import plan
from railyard.render.hall import over_limit
from railyard.render.hall_facts import weight_facts
from railyard.render.rack import HEAD_PX, U_PX, group_racks, rack_svg
from railyard.render.rack_groups import contents_key, feeds_key

SVG = "{http://www.w3.org/2000/svg}"


def devices(picture):
    return [group for group in ET.fromstring(picture).iter(f"{SVG}g") if group.get("data-device")]


@pytest.mark.requirement("U4", "C3")
def test_u_positions_read_back_out_of_the_picture(plan_of):
    for rack in plan_of().racks:
        drawn = {group.get("data-device"): group for group in devices(rack_svg(rack))}
        assert drawn.keys() == {device.name for device in rack.devices}
        for device in rack.devices:
            group = drawn[device.name]
            assert (int(group.get("data-u")), int(group.get("data-u-height"))) == (device.u, device.u_height)
            assert group.get("data-installed") == str(device.installed).lower()


def test_boxes_are_drawn_where_their_u_says(plan_of):
    """The attribute alone could lie: the box's own edges give the U, counted from the bottom."""
    rack = plan_of().racks[0]
    bottom = HEAD_PX + rack.u_height * U_PX
    for group in devices(rack_svg(rack)):
        box = next(shape for shape in group.iter(f"{SVG}rect") if shape.get("class") == "box")
        low = float(box.get("y")) + float(box.get("height"))
        assert (bottom - low) // U_PX + 1 == int(group.get("data-u"))
        assert round((float(box.get("height")) + 2) / U_PX) == int(group.get("data-u-height"))


def test_u_numbers_stand_on_both_sides(plan_of):
    rack = plan_of().racks[0]
    numbers = [text.text for text in ET.fromstring(rack_svg(rack)).iter(f"{SVG}text") if "unit" in text.get("class").split()]
    assert sorted(map(int, numbers)) == sorted(2 * list(range(1, rack.u_height + 1)))


def test_empty_slots_are_dashed_and_reserved_units_hatched(plan_of):
    rack = plan_of().racks[0]
    picture = rack_svg(rack)
    empty = {group.get("data-device") for group in devices(picture) if "empty" in group.get("class").split()}
    assert empty == {device.name for device in rack.devices if not device.installed}
    assert {int(shape.get("data-reserved-u")) for shape in ET.fromstring(picture).iter() if shape.get("data-reserved-u")} == {
        47,
        48,
    }


@pytest.mark.parametrize(
    ("change", "over"),
    [({"air_kw": 40.0}, False), ({"air_kw": 40.1}, True), ({"weight_kg": 1500.0}, False), ({"weight_kg": 1500.1}, True)],
)
def test_the_foot_marks_what_is_over_its_limit(plan_of, change, over):
    picture = rack_svg(plan_of().racks[0].model_copy(update=change))
    assert ('class="end bad"' in picture) is over


@pytest.mark.parametrize(("load", "survivor", "over"), [(34.6, 34.6, False), (34.7, 0.0, True), (0.0, 34.7, True)])
def test_the_foot_marks_an_overloaded_feed(plan_of, load, survivor, over):
    rack = plan_of().racks[0]
    feed = rack.feeds[0].model_copy(update={"load_kw": load, "survivor_kw": survivor})
    assert ('class="end bad"' in rack_svg(rack.model_copy(update={"feeds": (feed,)}))) is over


def test_hostile_names_stay_text(plan_of):
    rack = plan_of().racks[0]
    evil = '"><script>alert(1)</script>\x00\x1b&<'
    device = rack.devices[0].model_copy(update={"name": evil, "model": evil})
    picture = rack_svg(rack.model_copy(update={"devices": (device,), "name": evil, "model": evil}))
    assert "<script" not in picture
    assert devices(picture)[0].get("data-device") == evil.replace("\x00", "�").replace("\x1b", "�")


def test_racks_that_differ_in_names_only_are_one_group(plan_of):
    racks = plan_of(units=4, nodes=8).racks
    assert [len(same) for same in group_racks(racks)] == [8]
    other = racks[3].model_copy(update={"peak_kw": racks[3].peak_kw + 1})
    assert [len(same) for same in group_racks([*racks[:3], other, *racks[4:]])] == [7, 1]


def test_racks_with_the_same_devices_at_other_u_have_the_same_contents(plan_of):
    rack = plan_of().racks[0]
    *rest, last = rack.devices
    swapped = rack.model_copy(update={"devices": (*rest, last.model_copy(update={"u": 45}))})
    other = rack.model_copy(update={"devices": tuple(rest)})
    assert [len(same) for same in group_racks([rack, swapped, other])] == [1, 1, 1]
    assert [len(same) for same in group_racks([rack, swapped, other], contents_key)] == [2, 1]
    assert [len(same) for same in group_racks([rack, swapped, other], feeds_key)] == [3]


def test_the_heading_says_where_a_rack_stands_and_its_whole_model(plan_of):
    rack = plan_of().racks[0].model_copy(update={"row": 12, "position": 12, "model": "rack-48u-1200"})
    assert "front · row 12, position 12 · rack-48u-1200" in rack_svg(rack)


@pytest.mark.requirement("C3")
def test_heat_that_a_rear_door_takes_is_not_in_what_the_room_s_limit_is_of(site):
    """Four nodes give 40.8 kW and more; the door leaves the room next to nothing of it, and nothing is over its limit."""
    door = {"model": "rear-door-50kw", "waterC": 18, "waterFlowLMin": 75, "waterPressureKpa": 100}
    air = {"inletC": 24, "deltaK": 14, "altitudeM": 0, "dewPointC": 10}
    facility = {"airLimitKw": 20, "spreadRacks": 1, "switchRacks": "dedicated"}
    rack = next(
        rack for rack in plan(site(nodes=4, facility=facility, cooling=air | {"rearDoors": door})).racks if rack.cooling.door
    )
    assert rack.air_kw > 20 > rack.cooling.room_kw
    assert f"{rack.cooling.room_kw:.1f} of 20.0 kW" in rack_svg(rack)
    assert "bad" not in rack_svg(rack, embedded=True)
    assert not over_limit(rack)
    assert over_limit(rack.model_copy(update={"cooling": None}))


@pytest.mark.requirement("C3")
@pytest.mark.parametrize(
    ("weights", "limit", "said"),
    [
        ((100.0, 50.0), 1500.0, "150 of 1,500 kg"),
        ((100.0, None), 1500.0, "known: 100 of 1,500 kg"),
        ((None, None), 1500.0, "not known of 1,500 kg"),
        ((None, None), None, "not known"),
        ((100.0, 50.0), None, "150 kg"),
    ],
)
def test_a_weight_that_nobody_knows_is_not_nothing(plan_of, weights, limit, said):
    rack = plan_of().racks[0]
    devices = tuple(device.model_copy(update={"weight_kg": kg}) for device, kg in zip(rack.devices, weights, strict=False))
    sum_kg = sum(kg or 0.0 for kg in weights)
    rack = rack.model_copy(update={"devices": devices, "weight_kg": sum_kg, "weight_limit_kg": limit})
    assert f">{said}<" in rack_svg(rack)


@pytest.mark.requirement("C3")
def test_what_bears_on_the_floor_is_at_least_what_is_known():
    floor = RackFloor(frame_kg=165, devices_kg=0, strips_kg=0, door_kg=0, cables_kg=10, fluid_kg=0, mass_kg=175, foot_kg=44,
                      feet=4, kg_per_m2=78, free_u=28, unknown=("dgx-b300",), unknown_max_kg=None)  # fmt: skip
    said = {label: value for label, value, _ in weight_facts(floor)}
    assert (said["under one foot"], said["over footprint and half of both aisles"]) == ("at least 44 kg", "at least 78 kg/m²")
    whole = {label: value for label, value, _ in weight_facts(floor.model_copy(update={"unknown": ()}))}
    assert whole["under one foot"] == "44 kg"
