"""The hall from above: racks, aisles, doors and walls are read back out of the picture, in millimetres."""

import xml.etree.ElementTree as ET

import msgspec
import pytest

from railyard.model.floor import Box, Door
from railyard.plan.rows import sum_rows
from railyard.render.hall import HEIGHT_PX, LABEL_PX, MARGIN_PX, WIDTH_PX, hall_svg
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
    body = next(group for group in root.iter(f"{SVG}g") if group.get("class") == "hall-body")
    per_px, left, top = (float(body.get(name)) for name in ("data-mm-per-px", "data-left-mm", "data-top-mm"))

    def millimetres(shape):
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


@pytest.mark.parametrize(("count", "words"), [(1, 2), (32, 2), (512, 0)])
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
