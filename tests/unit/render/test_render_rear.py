"""The rear of a rack: the same U as the front, its supplies by feed, its strips, and the way of the air."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from railyard.plan import plan
from railyard.render.elevation import BODY_PX, HEAD_PX, U_PX
from railyard.render.rack import rack_svg, rear_svg, sheet_svg
from railyard.render.rack_backs import Air, Back, Backs, Cord, strips_of
from railyard.render.rack_rear import rear_foot

pytestmark = pytest.mark.requirement("C3", "U4")
SVG = "{http://www.w3.org/2000/svg}"
EVIL = '"><script>alert(1)</script>\x00&<'


def groups(picture, name):
    return [group for group in ET.fromstring(picture).iter(f"{SVG}g") if group.get(name) is not None]


def texts(picture, css):
    return [text.text for text in ET.fromstring(picture).iter(f"{SVG}text") if css in (text.get("class") or "").split()]


@pytest.fixture(scope="module")
def hall(site):
    """Three nodes to a rack on strips whose outlets are known, behind a stated power path and cooling."""
    config = site(
        nodes=8, storage_nodes=0,
        facility={"nodesPerRack": 3, "spreadRacks": 1, "switchRacks": "dedicated", "reservedU": [1], "feeds": [
            {"name": name, "pduModel": "strip-415v-60a-12x20a"} for name in ("a", "b")]},
        fabric={"nodesPerUnit": 9}, storage={"backend": "none", "nodes": 0, "classes": []},
        power={"supply": {"volts": 415, "voltageReference": "line-line", "phases": 3}},
        cooling={"inletC": 24, "deltaK": 14, "altitudeM": 100},
    )  # fmt: skip
    return plan(config)


def test_devices_stand_at_the_same_u_on_both_sides(hall):
    for rack in hall.racks:
        for picture in (rack_svg(rack), rear_svg(rack)):
            drawn = {group.get("data-device"): group for group in groups(picture, "data-device")}
            assert drawn.keys() == {device.name for device in rack.devices}
            for device in rack.devices:
                box = next(shape for shape in drawn[device.name].iter(f"{SVG}rect") if shape.get("class") == "box")
                bottom = HEAD_PX + rack.u_height * U_PX
                low = bottom - (float(box.get("y")) + float(box.get("height")))
                assert low // U_PX + 1 == device.u == int(drawn[device.name].get("data-u"))
                assert round((float(box.get("height")) + 2) / U_PX) == device.u_height


def test_u_numbers_and_reserved_u_of_the_rear(hall):
    rack = hall.racks[0]
    assert sorted(map(int, texts(rear_svg(rack), "unit"))) == sorted(2 * list(range(1, rack.u_height + 1)))
    shapes = ET.fromstring(rear_svg(rack)).iter()
    reserved = [int(shape.get("data-reserved-u")) for shape in shapes if shape.get("data-reserved-u")]
    assert reserved == list(rack.reserved_u) == [1]


def test_each_supply_stands_on_the_feed_that_the_plan_deals_it(hall):
    backs = Backs(hall.power, hall.cooling)
    for rack in hall.racks:
        planned = {(cord.u, cord.psu): (cord.feed, f"{cord.feed}{cord.pdu}")
                   for cord in backs.power_of(rack.name).cords if cord.installed}  # fmt: skip
        assert planned
        drawn = {}
        for device in groups(rear_svg(rack, backs.of(rack.name)), "data-device"):
            for cord in device.iter(f"{SVG}g"):
                if cord.get("data-psu"):
                    drawn[int(device.get("data-u")), int(cord.get("data-psu"))] = cord.get("data-feed"), cord.get("data-pdu")
        assert drawn == planned


def test_a_device_with_many_supplies_says_how_many_are_on_each_feed(hall):
    rack = hall.racks[0]
    device = next(device for device in rack.devices if device.installed)
    cords = tuple(Cord(psu, "ab"[psu % 2], f"{'ab'[psu % 2]}1", "") for psu in range(1, 13))
    assert "6 A + 6 B" in texts(rear_svg(rack, Back({device.u: cords})), "end")


def test_strips_hang_where_their_feeds_are(hall):
    rack = hall.racks[0]
    four = rack.model_copy(update={"feeds": tuple(
        rack.feeds[0].model_copy(update={"name": name, "pdus": 2}) for name in "abcd")})  # fmt: skip
    drawn = groups(rear_svg(four), "data-pdu")
    assert [strip.get("data-pdu") for strip in drawn if strip.get("data-side") == "left"] == ["a1", "a2", "c1", "c2"]
    assert {strip.name for strip in strips_of(four)} == {strip.get("data-pdu") for strip in drawn}
    body = [next(shape for shape in strip.iter(f"{SVG}rect")) for strip in drawn]
    edges = sorted((float(shape.get("x")), float(shape.get("x")) + float(shape.get("width"))) for shape in body)
    assert all(left[1] <= right[0] for left, right in pairwise(edges)), "strips lie on each other"
    assert edges[0][0] >= 0
    assert edges[-1][1] <= float(ET.fromstring(rear_svg(four)).get("width"))


@pytest.mark.parametrize(
    ("air", "front", "rear"),
    [
        (Air(into="front", out="rear"), "in", "out"),
        (Air(into="rear", out="front", wrong=True), "out", "in"),
        (Air(out="rear"), None, "out"),
        (Air(), None, None),
        (None, None, None),
    ],
)
def test_the_way_of_the_air(hall, air, front, rear):
    rack = hall.racks[0]
    device = next(device for device in rack.devices if device.installed)
    back = Back(air={(device.role, device.model): air})
    for picture, wanted in ((rack_svg(rack, back), front), (rear_svg(rack, back), rear)):
        marks = {mark.get("data-air") for mark in groups(picture, "data-air")}
        assert marks == ({wanted} if wanted else set())
        assert ("air-mark wrong" in picture) is bool(air and air.wrong)
    assert ("air direction unknown" in rear_svg(rack, back)) is (air is None)


def test_the_air_of_the_plan_s_nodes_comes_out_at_the_rear(hall):
    back = Backs(hall.power, hall.cooling).of(hall.racks[0].name)
    assert back.air["gpu", "dgx-h100"] == Air(into="front", out="rear")


def test_without_a_power_plan_the_rear_says_that_cords_are_not_known(hall):
    assert "strip of each not known" in rear_svg(hall.racks[0])
    assert groups(rear_svg(hall.racks[0]), "data-psu") == []


def test_a_sheet_has_both_sides_beside_each_other(hall):
    sheet = ET.fromstring(sheet_svg(hall.racks[0]))
    faces = {group.get("data-face"): group for group in sheet.iter(f"{SVG}g") if group.get("data-face")}
    assert set(faces) == {"front", "rear"}
    assert faces["rear"].get("transform").startswith("translate(")
    assert "<style>" in sheet_svg(hall.racks[0]), "a file of its own has its colours"


def test_hostile_names_stay_text(hall):
    rack = hall.racks[0]
    device = rack.devices[0].model_copy(update={"name": EVIL, "model": EVIL})
    feed = rack.feeds[0].model_copy(update={"pdu_model": EVIL})
    cords = {device.u: (Cord(1, "a", EVIL, EVIL),)}
    evil = rack.model_copy(update={"name": EVIL, "model": EVIL, "devices": (device,), "feeds": (feed,)})
    for picture in (rear_svg(evil, Back(cords)), sheet_svg(evil, Back(cords))):
        assert "<script" not in picture
        assert groups(picture, "data-device")[0].get("data-device") == EVIL.replace("\x00", "�")


def test_what_is_not_known_of_a_rack_is_said_in_full(hall):
    rack = hall.racks[0]
    models = ["first-long-model", "second-long-model", "third-long-model"]
    devices = [rack.devices[0].model_copy(update={"model": model, "u": 1 + 8 * n}) for n, model in enumerate(models)]
    rack = rack.model_copy(update={"devices": tuple(devices)})
    back = Back(cords={1: (Cord(1, "a", "a1", ""),)})
    said: dict[str, list[str]] = {}
    for label, value, _ in rear_foot(rack, back):
        # A line without a label goes on with the one above.
        said.setdefault(label or list(said)[-1], []).extend(value.split(" · "))
    assert said["cords not known"] == models[1:]
    assert said["air direction unknown"] == models
    picture = rear_svg(rack, back)
    assert "…" not in "".join(text or "" for text in texts(picture, "end"))
    height = float(ET.fromstring(picture).get("height"))
    assert max(float(text.get("y")) for text in ET.fromstring(picture).iter(f"{SVG}text")) < height


def test_label_and_value_of_a_foot_s_line_do_not_meet(hall):
    rack = hall.racks[0]
    for back in (Back(), Backs(hall.power, hall.cooling).of(rack.name)):
        for label, value, _ in rear_foot(rack, back):
            assert 6.2 * (len(label) + len(value)) <= BODY_PX, (label, value)
