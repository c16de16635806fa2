"""The hall from above: racks, aisles, doors and walls are read back out of the picture, in millimetres."""

import xml.etree.ElementTree as ET

import msgspec
import pytest

from railyard.model.floor import Box, Door
from railyard.plan.rows import sum_rows
from railyard.render.hall import hall_svg
from railyard.render.hall_facts import floor_facts
from railyard.render.hall_ground import HEIGHT_PX, LABEL_PX, MARGIN_PX, WIDTH_PX
from tests.unit.render.hall_models import make_floor

pytestmark = pytest.mark.requirement("C3", "U4")
SVG = "{http://www.w3.org/2000/svg}"


def racks_of(plan_of, count, per_row=16):
    """`count` racks in rows of `per_row`, all like the plan's first."""
    first = plan_of().racks[0]
    return [
        first.model_copy(update={"name": f"lab-r{n + 1:03d}", "row": n // per_row + 1, "position": n % per_row + 1})
        for n in range(count)
    ]


def read(picture):
    """(groups by attribute, function from a rectangle to (west, south, width, depth) in millimetres)."""
    root = ET.fromstring(picture)
    strips = [group for group in root.iter(f"{SVG}g") if group.get("class") == "hall-body"]
    strip_of = {shape: strip for strip in strips for shape in strip.iter()}
    per_px = float(strips[0].get("data-mm-per-px"))

    def millimetres(shape):
        left, top = (float(strip_of[shape].get(name)) for name in ("data-left-mm", "data-top-mm"))
        x, y, width, height = (float(shape.get(name)) for name in ("x", "y", "width", "height"))
        return (
            left + (x - LABEL_PX) * per_px,
            top - (y - MARGIN_PX + height) * per_px,
            width * per_px,
            height * per_px,
        )

    def having(name):
        return [group for group in root.iter(f"{SVG}g") if group.get(name) is not None]

    return having, millimetres, per_px


@pytest.mark.parametrize("count", [1, 32, 512])
def test_racks_stand_where_the_plan_says(plan_of, count):
    racks = racks_of(plan_of, count)
    floor = make_floor(racks, planned=3)
    having, millimetres, per_px = read(hall_svg(floor, racks, "lab"))
    drawn = {group.get("data-rack"): group for group in having("data-rack")}
    assert drawn.keys() == {spot.rack for spot in floor.spots}
    for spot in floor.spots:
        group = drawn[spot.rack]
        box = millimetres(next(shape for shape in group.iter(f"{SVG}rect") if (shape.get("class") or "").startswith("box")))
        assert box == pytest.approx((spot.x_mm, spot.y_mm, spot.width_mm, spot.depth_mm), abs=1.1 * per_px)
        assert (int(group.get("data-x-mm")), int(group.get("data-y-mm"))) == (spot.x_mm, spot.y_mm)
        front = float(next(line for line in group.iter(f"{SVG}line") if line.get("class") == "front").get("y1"))
        shape = next(group.iter(f"{SVG}rect"))
        edges = {"north": float(shape.get("y")), "south": float(shape.get("y")) + float(shape.get("height"))}
        assert front == pytest.approx(edges[spot.faces], abs=0.02)
    kw = {rack.name: rack.peak_kw for rack in racks}
    assert {name: float(group.get("data-kw")) for name, group in drawn.items() if group.get("data-kw")} == kw
    assert sum("empty" in group.get("class").split() for group in drawn.values()) == 3


@pytest.mark.parametrize(("count", "words"), [(1, 2), (32, 2), (512, 1), (2000, 0)])
def test_a_rack_says_what_there_is_room_for(plan_of, count, words):
    racks = racks_of(plan_of, count)
    having, _, _ = read(hall_svg(make_floor(racks), racks, "lab"))
    assert {len(list(group.iter(f"{SVG}text"))) for group in having("data-rack")} == {words}
    assert all("27.2 kW" in group.find(f"{SVG}title").text for group in having("data-rack")), "the tooltip always says it"


@pytest.mark.parametrize("rows", [1, 4, 8, 10, 14, 20, 30])
def test_a_number_in_a_rack_is_never_cut(plan_of, rows):
    racks = racks_of(plan_of, 12 * rows, 12)
    having, _, _ = read(hall_svg(make_floor(racks), racks, "lab"))
    for group in having("data-rack"):
        texts = [text.text for text in group.iter(f"{SVG}text")]
        assert texts[1:] in ([], ["27.2"], ["27.2 kW"])


def test_the_picture_fits_its_page_at_any_size(plan_of):
    for count, per_row in ((1, 1), (32, 16), (512, 16), (512, 100), (2000, 20)):
        racks = racks_of(plan_of, count, per_row)
        root = ET.fromstring(hall_svg(make_floor(racks), racks, "lab"))
        assert float(root.get("width")) <= WIDTH_PX + 1
        assert float(root.get("height")) <= HEIGHT_PX + 1


def test_aisles_lie_between_the_rows(plan_of):
    racks = racks_of(plan_of, 48)
    floor = make_floor(racks)
    having, millimetres, per_px = read(hall_svg(floor, racks, "lab"))
    drawn = having("data-aisle")
    assert (
        [group.get("data-aisle") for group in drawn] == [aisle.kind for aisle in floor.aisles] == ["cold", "hot", "cold", "hot"]
    )
    for group, aisle in zip(drawn, floor.aisles, strict=True):
        _, south, _, depth = millimetres(next(group.iter(f"{SVG}rect")))
        assert (south, depth) == pytest.approx((aisle.y_mm, aisle.depth_mm), abs=1.1 * per_px)
        assert f"{aisle.depth_mm / 1000:g} m" in group.find(f"{SVG}title").text


def test_walls_that_nobody_knows_are_dashed_and_outer_aisles_say_no_depth(plan_of):
    racks = racks_of(plan_of, 4)
    having, _, _ = read(hall_svg(make_floor(racks, walls=False), racks, "lab"))
    assert [group.find(f"{SVG}title").text for group in having("data-aisle")] == ["cold aisle", "hot aisle"]
    picture = hall_svg(make_floor(racks, walls=False), racks, "lab")
    assert "walls not known" in picture
    assert 'class="wall unknown"' in picture
    assert "walls not known" not in hall_svg(make_floor(racks), racks, "lab")


@pytest.mark.parametrize("wall", ["south", "north", "west", "east"])
def test_a_door_is_a_gap_in_its_wall(plan_of, wall):
    racks = racks_of(plan_of, 8)
    floor = make_floor(racks, doors=(Door(name="goods", wall=wall, at_m=1.5, width_m=1.8),))
    having, _, per_px = read(hall_svg(floor, racks, "lab"))
    (door,) = having("data-door")
    gap = next(line for line in door.iter(f"{SVG}line"))
    x1, x2 = sorted((float(gap.get(name)) - LABEL_PX) * per_px for name in ("x1", "x2"))
    y1, y2 = sorted(floor.hall.depth_mm - (float(gap.get(name)) - MARGIN_PX) * per_px for name in ("y1", "y2"))
    along, across = ((x1, x2), (y1, y2)) if wall in ("south", "north") else ((y1, y2), (x1, x2))
    assert along == pytest.approx((1500, 3300), abs=1.1 * per_px)
    edge = {"south": 0, "west": 0, "north": floor.hall.depth_mm, "east": floor.hall.width_mm}[wall]
    assert across == pytest.approx((edge, edge), abs=1.1 * per_px)


def test_what_stands_in_the_way_is_drawn_where_it_stands(plan_of):
    racks = racks_of(plan_of, 8)
    boxes = {"obstacle": Box("column", 300, 400, 500, 600), "kept": Box("panel", 3000, 1200, 600, 1200)}
    floor = make_floor(racks, obstacles=(boxes["obstacle"],), kept=(boxes["kept"],))
    having, millimetres, per_px = read(hall_svg(floor, racks, "lab"))
    drawn = {group.get("class"): group for group in having("data-name")}
    for css, box in boxes.items():
        wanted = (box.x_mm, box.y_mm, box.width_mm, box.depth_mm)
        assert millimetres(next(drawn[css].iter(f"{SVG}rect"))) == pytest.approx(wanted, abs=1.1 * per_px)
    assert "hatch" not in hall_svg(make_floor(racks), racks, "lab", embedded=True)


@pytest.mark.parametrize(
    ("change", "over"),
    [({}, False), ({"air_kw": 40.1}, True), ({"weight_kg": 1500.1}, True), ({"weight_kg": 1500.0}, False)],
)
def test_a_rack_over_a_limit_has_a_red_frame(plan_of, change, over):
    racks = [rack.model_copy(update=change) for rack in racks_of(plan_of, 2)]
    assert ("over-limit" in hall_svg(make_floor(racks), racks, "lab", embedded=True)) is over


def test_a_feed_over_its_amperes_has_a_red_frame_though_its_kilowatts_fit(plan_of):
    (rack,) = racks_of(plan_of, 1)
    feed = rack.feeds[0].model_copy(update={"load_a": 20.0, "survivor_a": 48.1, "limit_a": 48.0})
    rack = rack.model_copy(update={"feeds": (feed,)})
    assert "over-limit" in hall_svg(make_floor([rack]), [rack], "lab", embedded=True)


def test_a_row_says_its_racks_its_kilowatts_and_what_feeds_it(plan_of):
    racks = racks_of(plan_of, 20)
    rows = [msgspec.structs.replace(row, feeds=("bus-a-01", "bus-b-01")) for row in sum_rows(racks, None, None)]
    having, _, _ = read(hall_svg(make_floor(racks), racks, "lab", rows))
    first, second = having("data-row")
    assert [text.text for text in first.iter(f"{SVG}text")] == ["row 1 · 435 kW", "r001–r016", "bus-a-01", "bus-b-01"]
    assert float(second.get("data-kw")) == pytest.approx(4 * 27.2)


def test_a_rack_outside_the_walls_is_drawn_all_the_same(plan_of):
    racks = racks_of(plan_of, 2)
    floor = make_floor(racks)
    far = msgspec.structs.replace(floor.spots[1], x_mm=floor.hall.width_mm + 2000)
    having, millimetres, per_px = read(hall_svg(msgspec.structs.replace(floor, spots=(floor.spots[0], far)), racks, "lab"))
    box = millimetres(next(having("data-rack")[1].iter(f"{SVG}rect")))
    assert box[0] == pytest.approx(far.x_mm, abs=1.1 * per_px)


def test_hostile_names_stay_text(plan_of):
    evil = '"><script>alert(1)</script>\x00&<'
    racks = [rack.model_copy(update={"name": evil}) for rack in racks_of(plan_of, 1)]
    floor = make_floor(racks, obstacles=(Box(evil, 0, 0, 900, 900),))
    picture = hall_svg(floor, racks, evil)
    assert "<script" not in picture
    having, _, _ = read(picture)
    assert having("data-rack")[0].get("data-rack") == evil.replace("\x00", "�")


@pytest.mark.parametrize("count", [4, 32, 100, 512, 2000])
def test_no_word_in_a_rack_or_an_aisle_is_cut(plan_of, count):
    racks = racks_of(plan_of, count)
    root = ET.fromstring(hall_svg(make_floor(racks, walls=False), racks, "lab"))
    groups = [group for group in root.iter(f"{SVG}g") if group.get("data-rack") or group.get("class") == "aisle-name"]
    words = [text.text for group in groups for text in group.iter(f"{SVG}text")]
    assert not [word for word in words if "…" in word]
    assert words or count == 2000


def test_a_long_hall_is_drawn_in_strips_beside_each_other(plan_of):
    racks = racks_of(plan_of, 512)
    floor = make_floor(racks, obstacles=(Box("column", 300, 400, 500, 600),))
    root = ET.fromstring(hall_svg(floor, racks, "lab"))
    strips = [group for group in root.iter(f"{SVG}g") if group.get("class") == "hall-body"]
    captions = [text.text for strip in strips for text in strip.iter(f"{SVG}text") if text.text.startswith("rows ")]
    assert captions == ["rows 1–16", "rows 17–32"]
    ends = []
    for strip, wanted in zip(strips, (range(1, 17), range(17, 33)), strict=True):
        rows = [int(group.get("data-row")) for group in strip.iter(f"{SVG}g") if group.get("data-row")]
        assert rows == list(wanted)
        shift = float(strip.get("transform").removeprefix("translate(").split()[0])
        boxes = [(float(shape.get("x")), float(shape.get("width"))) for shape in strip.iter(f"{SVG}rect")]
        ends.append((shift, shift + max(x + width for x, width in boxes)))
    assert ends[0][1] < ends[1][0]
    assert ends[1][1] <= float(root.get("width"))
    assert "in 2 strips, the southern one left" in hall_svg(floor, racks, "lab")
    assert [group.get("data-name") for group in strips[0].iter(f"{SVG}g") if group.get("data-name")] == ["column"]
    alone = racks_of(plan_of, 32)
    assert hall_svg(make_floor(alone), alone, "lab").count("hall-body") == 1


def test_a_hall_that_is_mostly_empty_is_drawn_as_far_as_it_is_used(plan_of):
    racks = racks_of(plan_of, 32)
    doors = (Door(name="D1", wall="south", at_m=1, width_m=1.2), Door(name="D2", wall="north", at_m=1, width_m=1.2))
    snug = make_floor(racks, doors=doors)
    vast = make_floor(racks, doors=doors, hall=Box("hall", 0, 0, snug.hall.width_mm, 900_000))
    near, far = (read(hall_svg(floor, racks, "lab")) for floor in (snug, vast))
    assert far[2] < 1.5 * near[2], "racks are about as large as in a hall that fits"
    assert [door.get("data-door") for door in near[0]("data-door")] == ["D1", "D2"]
    assert [door.get("data-door") for door in far[0]("data-door")] == ["D1"]
    top = snug.rows[-1].y_mm + snug.rows[-1].depth_mm
    assert f"empty and not drawn: {(900_000 - top - 3000) / 1000:g} m in the north, D2" in hall_svg(vast, racks, "lab")
    assert 'class="open"' in hall_svg(vast, racks, "lab", embedded=True)
    assert 'class="open"' not in hall_svg(snug, racks, "lab", embedded=True)


def test_an_aisle_s_name_keeps_clear_of_what_stands_in_it(plan_of):
    racks = racks_of(plan_of, 48)
    free = make_floor(racks)
    hot = next(aisle for aisle in free.aisles if aisle.kind == "hot")
    column = Box("column", free.hall.width_mm - 900, hot.y_mm + 300, 600, 600)

    def end(floor):
        root = ET.fromstring(hall_svg(floor, racks, "lab"))
        names = [group for group in root.iter(f"{SVG}g") if group.get("class") == "aisle-name"]
        name = next(text for group in names for text in group.iter(f"{SVG}text") if text.text == "hot aisle, 1.2 m")
        boxes = [group for group in root.iter(f"{SVG}g") if group.get("data-name")]
        return float(name.get("x")), [float(next(group.iter(f"{SVG}rect")).get("x")) for group in boxes]

    (moved, (west,)), (kept, _) = end(make_floor(racks, obstacles=(column,))), end(free)
    assert moved < west < kept


def facts(floor):
    return {label: value for label, value, _ in floor_facts(floor, str)}


def test_the_table_of_aisles_says_what_the_drawing_shows(plan_of):
    three, one = (make_floor(racks_of(plan_of, count)) for count in (48, 1))
    assert facts(three)["aisles between rows"] == "cold 2.4 m · hot 1.2 m"
    assert facts(one)["aisles between rows"] == "none", "a single row has aisles to its walls only"
    assert (facts(one)["from row 1 to the south wall"], facts(one)["from row 1 to the north wall"]) == ("1.2 m", "1.2 m")
    assert not [label for label in facts(make_floor(racks_of(plan_of, 1), walls=False)) if "wall" in label]


@pytest.mark.parametrize("count", [16, 512, 2000])
def test_a_row_says_all_that_feed_it_or_none(plan_of, count):
    racks = racks_of(plan_of, count)
    for feeds in (("bus-a-01", "bus-b-01"), ("a-busway-with-a-long-name-01", "b-busway-with-a-long-name-01")):
        rows = [msgspec.structs.replace(row, feeds=feeds) for row in sum_rows(racks, None, None)]
        having, _, _ = read(hall_svg(make_floor(racks), racks, "lab", rows))
        for group in having("data-row"):
            said = [text.text for text in group.iter(f"{SVG}text")][2:]
            assert said in ([], [", ".join(feeds)]) or len(said) == len(feeds)
