"""The elevation says where things stand: U positions are read back out of the SVG and compared with the plan."""

import xml.etree.ElementTree as ET

import pytest

from railyard.render.rack import HEAD_PX, U_PX, group_racks, rack_svg

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
