"""Bars of power and cooling, and the failure matrix in the page: every number is the plan's, read back out of them."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import msgspec
import pytest

from railyard.plan import plan
from railyard.plan.failures import failure_matrix
from railyard.plan.rows import sum_rows
from railyard.render.bars import BAR_PX, LABEL_PX, LONGEST, VALUE_PX, WIDTH_PX
from railyard.render.cooling import cooling_svg, rows_words
from railyard.render.hall import over_limit
from railyard.render.power import PAGE_KINDS, apparent, lost_words, overloaded, power_pictures, power_svg
from railyard.render.power_path import SHOWN_MAX, alike_segments, path_svg
from railyard.render.rack_groups import feeds_key, group_racks
from railyard.render.report import report_html
from railyard.render.report_hall import EVENTS_MAX, SHEETS_MAX, circuit_lines, hall_context, shown_kinds

pytestmark = pytest.mark.requirement("C3", "U4")
SVG = "{http://www.w3.org/2000/svg}"
UNIT_PX = (WIDTH_PX - LABEL_PX - VALUE_PX) / LONGEST
EVIL = "</style></svg><script>alert(1)</script>{{ 7*7 }}"


class Page(HTMLParser):
    """Start tags with their attributes, and the text of each table row by its `data-*` attribute."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.cells, self.row = [], {}, None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag == "tr":
            data = [(name, value) for name, value in found.items() if name.startswith("data-")]
            self.row = data[0] if data else None
        if tag == "td" and self.row:
            self.cells.setdefault(self.row, []).append("")

    def handle_data(self, data):
        if self.row and self.cells.get(self.row):
            self.cells[self.row][-1] += data


def groups(picture, name):
    return [group for group in ET.fromstring(picture).iter(f"{SVG}g") if group.get(name) is not None]


@pytest.fixture(scope="module")
def hall(site):
    """Busways that carry both feeds' load only while both live: the loss of one trips the other."""
    paths = [{"name": f"ups-{feed}", "kind": "ups", "feed": feed, "ratedKva": 500} for feed in "ab"]
    paths += [{"name": f"bus-{feed}", "kind": "busway", "from": f"ups-{feed}", "breakerA": 250, "rowsEach": 1} for feed in "ab"]
    config = site(
        nodes=24, storage_nodes=2,
        facility={"nodesPerRack": 3, "spreadRacks": 1, "racksPerRow": 6, "switchRacks": "dedicated", "feeds": [
            {"name": name, "pduModel": "strip-415v-60a-12x20a"} for name in ("a", "b")]},
        power={"supply": {"volts": 415, "voltageReference": "line-line", "phases": 3}, "paths": paths},
        cooling={"inletC": 24, "deltaK": 14, "altitudeM": 0, "airUnits": [
            {"name": "crah", "units": 2, "capacityKw": 200, "airflowM3S": 12, "rowsEach": 1}]},
    )  # fmt: skip
    return plan(config)


@pytest.fixture(scope="module")
def matrix(hall):
    return failure_matrix(hall)


@pytest.fixture(scope="module")
def page(hall, matrix):
    return report_html(hall, [], matrix=matrix)


def test_both_bars_of_each_feed_are_the_plan_s_apparent_power(hall):
    bars = groups(power_svg(hall.racks), "data-kva")
    drawn = {(bar.get("data-rack"), bar.get("data-feed"), bar.get("data-case")): float(bar.get("data-kva")) for bar in bars}
    wanted = {}
    for alike in group_racks(hall.racks):
        for feed in alike[0].feeds:
            wanted[alike[0].name, feed.name, "load"], wanted[alike[0].name, feed.name, "survivor"] = (
                round(kva, 2) for kva in apparent(feed))  # fmt: skip
            assert apparent(feed) == (feed.load_kva, feed.survivor_kva)
    assert drawn == wanted
    lengths = {round(float(next(bar.iter(f"{SVG}rect")).get("width")) / float(bar.get("data-kva"))) for bar in bars}
    assert len(lengths) == 1, "one scale"


def test_the_second_bar_says_what_was_lost(hall):
    rack = hall.racks[0]
    assert [lost_words(rack, feed) for feed in rack.feeds] == ["feed b lost", "feed a lost"]
    only = rack.model_copy(update={"feeds": (rack.feeds[0].model_copy(update={"survivor_when": None}),)})
    assert lost_words(only, only.feeds[0]) == "the only feed"
    three = rack.model_copy(update={"feeds": (*rack.feeds, rack.feeds[0].model_copy(update={"name": "c"}))})
    assert lost_words(three, three.feeds[0]) == rack.feeds[0].survivor_when
    texts = [text.text or "" for text in ET.fromstring(power_svg(hall.racks)).iter(f"{SVG}text")]
    assert any(text.endswith("· feed a lost") for text in texts)
    assert not [text for text in texts if text.endswith("…")], "a number is cut off"


@pytest.mark.parametrize(
    ("change", "over"),
    [
        ({}, False),
        ({"survivor_kva": 34.6}, True),  # over the capacity though its kilowatts are not
        ({"survivor_a": 48.1}, True),
        ({"load_a": 48.1}, True),
        ({"survivor_kw": 34.4}, False),
    ],
)
def test_an_overload_is_judged_in_kva_and_ampere(hall, change, over):
    rack = hall.racks[1]
    feed = rack.feeds[0]
    assert (feed.capacity_kw, feed.limit_a) == (pytest.approx(34.5, abs=0.05), pytest.approx(48))
    changed = feed.model_copy(update=change)
    assert overloaded(changed) is over
    assert ('class="over"' in power_svg([rack.model_copy(update={"feeds": (changed,)})], embedded=True)) is over


def test_bars_above_the_racks_are_the_plan_s_segments(hall):
    drawn = groups(path_svg(hall.power, hall.site.site), "data-segment")
    assert sum(int(row.get("data-alike")) for row in drawn) == len(hall.power.segments)
    known = {segment.name: segment for segment in hall.power.segments}
    over = 0
    for row in drawn:
        segment = known[row.get("data-segment")]
        values = {bar.get("data-case"): bar for bar in row.iter(f"{SVG}g") if bar.get("data-case")}
        assert {case: float(bar.get("data-value")) for case, bar in values.items()} == {
            "load": round(segment.load_kva, 2), "survivor": round(segment.worst_kva, 2)}  # fmt: skip
        for bar in values.values():
            if segment.limit_kva is None:
                assert bar.get("data-limit") is None
                continue
            assert float(bar.get("data-limit")) == round(segment.limit_kva, 2)
            length = float(next(shape for shape in bar.iter(f"{SVG}rect") if shape.get("class") != "track").get("width"))
            ratio = float(bar.get("data-value")) / segment.limit_kva
            assert length == pytest.approx(UNIT_PX * min(ratio, LONGEST), abs=0.1)
            css = [shape.get("class") for shape in bar.iter(f"{SVG}rect")][1]
            assert (css == "over") is (ratio > 1)
            over += css == "over"
    assert over, "this hall is made to be overloaded"
    assert any("feed b lost" in (text.text or "") for text in ET.fromstring(path_svg(hall.power, "t")).iter(f"{SVG}text"))


def test_no_stated_path_is_no_picture_and_is_said(hall):
    bare = msgspec.structs.replace(hall.power, segments=(), stated=False)
    assert path_svg(bare, "t") is None


def test_alike_segments_are_drawn_once_and_a_long_list_is_cut_to_the_fullest(hall):
    bus = next(segment for segment in hall.power.segments if segment.kind == "busway")
    alike = [
        bus.model_copy(update={"name": f"bus-a-{n:02d}", "rows": (n, n), "worst_when": f"panel-b-{n:02d} lost"})
        for n in range(1, 9)
    ]
    assert [len(group) for group in alike_segments(alike)] == [8]
    many = [bus.model_copy(update={"name": f"bus-{n:03d}", "worst_kva": float(n)}) for n in range(1, 101)]
    picture = path_svg(msgspec.structs.replace(hall.power, segments=tuple(many)), "t")
    assert [row.get("data-segment") for row in groups(picture, "data-segment")] == [
        f"bus-{n:03d}" for n in range(101 - SHOWN_MAX, 101)
    ]
    assert f"the {SHOWN_MAX} fullest of 100 kinds" in picture


def test_cooling_bars_are_the_plan_s_pools_with_the_largest_unit_failed(hall):
    drawn = {row.get("data-pool"): row for row in groups(cooling_svg(hall.cooling, hall.site.site), "data-pool")}
    assert drawn.keys() == {pool.name for pool in hall.cooling.hall.pools}
    for pool in hall.cooling.hall.pools:
        bars = {bar.get("data-case"): bar for bar in drawn[pool.name].iter(f"{SVG}g") if bar.get("data-case")}
        assert float(bars["load"].get("data-value")) == float(bars["survivor"].get("data-value")) == pool.load_kw
        assert float(bars["load"].get("data-limit")) == pool.capacity_kw
        assert float(bars["survivor"].get("data-limit")) == pool.failed_capacity_kw < pool.capacity_kw


def test_a_pool_of_unknown_capacity_has_no_limit(hall):
    pool = hall.cooling.hall.pools[0].model_copy(update={"capacity_kw": None, "failed_capacity_kw": None})
    unknown = msgspec.structs.replace(hall.cooling, hall=hall.cooling.hall.model_copy(update={"pools": (pool,)}))
    picture = cooling_svg(unknown, "t")
    assert "capacity not known" in picture
    assert "data-limit" not in picture
    none = msgspec.structs.replace(hall.cooling, hall=hall.cooling.hall.model_copy(update={"pools": (), "doors": ()}))
    assert cooling_svg(none, "t") is None


@pytest.mark.parametrize(
    ("areas", "words"),
    [
        (((1, 2, 3),), "rows 1–3"),
        (((4,),), "row 4"),
        (((1, 2), (3, 4)), "rows 1–2, 3–4"),
        (((1,), (2,), (3,), (4,), (9,)), "rows 1, 2 … 9"),
        ((), "all rows"),
    ],
)
def test_rows_of_a_pool_in_words(areas, words):
    assert rows_words(areas) == words


def test_the_matrix_in_the_page_is_the_plan_s(page, matrix):
    read = Page(page)
    assert {value for name, value in read.cells if name == "data-failures"} == {row.kind for row in matrix.by_kind}
    worst = {event.name: event for event in matrix.events}
    for row in matrix.by_kind:
        cells = read.cells["data-failures", row.kind]
        event = worst[row.worst]
        numbers = [cell.replace(",", "") for cell in cells]
        assert numbers[1:4] == [str(row.events), str(row.survived), str(row.cascading)]
        gpus = (event.gpus_full, event.gpus_throttled, event.gpus_down, event.gpus_cut_off, event.gpus_unknown)
        assert numbers[5:10] == [str(count) for count in gpus]
        assert numbers[10] == str(row.rails_lost)
    assert sum(row.events for row in matrix.by_kind) == matrix.count


def test_a_cascade_is_shown_step_by_step_without_a_script(page, matrix):
    cascades = [event for event in matrix.events if event.cascades]
    assert cascades, "this hall is made to cascade"
    assert page.count('<details class="cascade" open>') == len(cascades)
    steps = [step for event in cascades for step in event.steps]
    assert len(re.findall(r'<li data-step="\d+">', page)) == len(steps)
    for step in steps:
        for trip in step.trips:
            assert f"trips: {trip.amps:.1f} A over {trip.rating_a:.1f} A" in page


def test_many_failures_of_a_kind_are_cut_but_no_kind_hides_its_cascades(hall, matrix):
    calm = next(event for event in matrix.events if not event.cascades)
    loud = next(event for event in matrix.events if event.cascades)
    events = [msgspec.structs.replace(calm, kind="psu", lost=(f"psu{n}",)) for n in range(100)]
    events += [msgspec.structs.replace(loud, kind="psu", lost=("loud",))]
    row = msgspec.structs.replace(matrix.by_kind[0], kind="psu", events=101, survived=0, worst="psu0")
    (view,) = hall_context(hall, msgspec.structs.replace(matrix, events=tuple(events), by_kind=(row,)))["failures"]
    assert [event.name for event in view["events"]] == [*(f"psu{n}" for n in range(EVENTS_MAX)), "loud"]
    assert view["left"] == 101 - EVENTS_MAX - 1


def test_rows_and_racks_in_the_page(page, hall):
    read = Page(page)
    rows = {value: cells for (name, value), cells in read.cells.items() if name == "data-row"}
    assert set(rows) == {str(rack.row) for rack in hall.racks}
    for number, cells in rows.items():
        here = [rack for rack in hall.racks if str(rack.row) == number]
        assert cells[1:3] == [str(len(here)), f"{sum(rack.peak_kw for rack in here):,.1f}"]
    cords = [cells for (name, _), cells in read.cells.items() if name == "data-cord"]
    assert cords
    kinds = [tag for tag, attributes in read.tags if tag == "figure" and attributes.get("class") == "sheet"]
    assert len(kinds) == len(group_racks(hall.racks)) < len(hall.racks)


def test_a_hostile_plan_stays_text(hall, matrix):
    segment = hall.power.segments[0].model_copy(update={"name": EVIL, "worst_when": EVIL})
    power = msgspec.structs.replace(hall.power, segments=(segment,), assumptions=(EVIL,), unknown=(EVIL,))
    pool = hall.cooling.hall.pools[0].model_copy(update={"name": EVIL, "largest": EVIL})
    cooling = msgspec.structs.replace(
        hall.cooling, hall=hall.cooling.hall.model_copy(update={"pools": (pool,)}), unknown=(EVIL,)
    )
    event = next(event for event in matrix.events if event.cascades)
    step = event.steps[0]
    trips = tuple(msgspec.structs.replace(trip, name=EVIL, kind=EVIL) for trip in step.trips)
    evil = msgspec.structs.replace(
        event, lost=(EVIL,), rails_lost=(EVIL,), mirrors_lost=(EVIL,), switches_down=(EVIL,), assumed=(EVIL,), unknown=(EVIL,),
        steps=(msgspec.structs.replace(step, trips=trips), *event.steps[1:]),
    )  # fmt: skip
    notes = msgspec.structs.replace(matrix, events=(evil,), notes=(EVIL,))
    made = plan_with(hall, power=power, cooling=cooling)
    source = report_html(made, [], matrix=notes)
    assert len([tag for tag, _ in Page(source).tags if tag == "script"]) == 2, "the page's own"
    assert "{{ 7*7 }}" in source


def plan_with(hall, **changed):
    """The plan with other parts."""
    copy = type(hall)(**{**vars(hall), **changed})
    assert copy.power is changed["power"]
    return copy


def test_bars_do_not_lie_on_each_other():
    assert BAR_PX >= 10
    assert pytest.approx(WIDTH_PX) == LABEL_PX + UNIT_PX * LONGEST + VALUE_PX


def test_a_page_draws_as_many_kinds_of_racks_as_it_holds_and_names_the_others(hall):
    first = next(rack for rack in hall.racks if not over_limit(rack))
    racks = [first.model_copy(update={"name": f"t-r{n:03d}", "weight_kg": 100.0 + n}) for n in range(1, 61)]
    racks += [racks[9].model_copy(update={"name": f"t-r{n:03d}"}) for n in range(61, 64)]
    racks[49] = racks[49].model_copy(update={"air_kw": 99.0, "cooling": None})
    racks[39] = racks[39].model_copy(update={"name": "t-r040"})
    groups = group_racks(racks)
    assert shown_kinds(groups[:SHEETS_MAX], "") == groups[:SHEETS_MAX]
    shown = [same[0].name for same in shown_kinds(groups, "t-r040-pdu-a")]
    assert len(shown) == SHEETS_MAX
    assert {"t-r010", "t-r040", "t-r050"} <= set(shown), "frequent, worst feed, over its limit"
    assert shown == sorted(shown)
    site = hall.site.model_copy(update={"worst_feed": "t-r040-pdu-a"})
    page = report_html(plan_with(hall, power=hall.power, racks=tuple(racks), site=site), [])
    assert page.count('<figure class="sheet">') == SHEETS_MAX
    assert "24 of 60 kinds of racks are drawn here" in page
    assert "r059, r060" in page or "–r060" in page


def test_racks_whose_feeds_carry_the_same_are_drawn_once_in_pictures_of_a_page_on_one_scale(hall):
    first = hall.racks[0]
    low = [feed.model_copy(update={"load_kva": 1.0 + n, "survivor_kva": 2.0 + n}) for n, feed in enumerate(first.feeds)]
    racks = [
        first.model_copy(update={"name": f"t-r{n:03d}", "feeds": tuple(
            feed.model_copy(update={"load_kva": feed.load_kva + n // 2 / 100}) for feed in low)})
        for n in range(60)
    ]  # fmt: skip
    # Other contents, the same feeds.
    racks[1] = racks[1].model_copy(update={"weight_kg": 1.0})
    kinds = group_racks(racks, feeds_key)
    assert [len(same) for same in kinds] == [2] * 30
    pictures = power_pictures(kinds)
    bars = [groups(picture, "data-kva") for picture in pictures]
    assert [len(found) for found in bars] == [4 * PAGE_KINDS, 4 * PAGE_KINDS, 4 * (30 - 2 * PAGE_KINDS)]
    ratios = [float(next(bar.iter(f"{SVG}rect")).get("width")) / float(bar.get("data-kva")) for found in bars for bar in found]
    assert max(ratios) == pytest.approx(min(ratios), rel=0.02)
    assert "2 racks like r000" in pictures[0]


def test_breakers_that_are_alike_are_named_strip_by_strip(hall):
    (some, *_) = next(kind for kind in hall.power.racks if kind.kind.circuits).kind.circuits
    alike = [some.model_copy(update={"name": f"B{n}", "pdu": pdu}) for pdu in (1, 2) for n in range(9, 12)]
    (line,) = circuit_lines(alike)
    assert (line["names"], line["count"]) == ("A1/B9–B11, A2/B9–B11", 6)


def test_kinds_that_hold_the_same_devices_at_other_u_are_drawn_once_where_there_are_many(hall):
    first = next(rack for rack in hall.racks if len(rack.devices) > 1 and not over_limit(rack))
    racks = [
        first.model_copy(update={"name": f"t-r{n:03d}", "devices": tuple(
            device.model_copy(update={"u": device.u + n}) for device in first.devices)})
        for n in range(1, SHEETS_MAX + 5)
    ]  # fmt: skip
    context = hall_context(plan_with(hall, power=hall.power, racks=tuple(racks)), None)
    assert [(figure["name"], figure["others"]) for figure in context["racks"]] == [("r001", f"r002–r{SHEETS_MAX + 4:03d}")]
    assert (context["kinds"], context["undrawn"]) == (SHEETS_MAX + 4, [])
    few = hall_context(plan_with(hall, power=hall.power, racks=tuple(racks[:SHEETS_MAX])), None)
    assert [figure["others"] for figure in few["racks"]] == [""] * SHEETS_MAX


def test_a_row_names_its_own_pool_though_alike_ones_are_one(hall):
    pool = hall.cooling.hall.pools[0].model_copy(update={"name": "t-crah-rows-001-002", "areas": ((1, 2), (3, 4), (5,))})
    cooling = msgspec.structs.replace(hall.cooling, hall=hall.cooling.hall.model_copy(update={"pools": (pool,)}))
    racks = [hall.racks[0].model_copy(update={"row": row}) for row in range(1, 6)]
    named = [row.pools for row in sum_rows(racks, cooling, None)]
    assert named == [("t-crah-rows-001-002",)] * 2 + [("t-crah-rows-003-004",)] * 2 + [("t-crah-rows-005-006",)]
    each = pool.model_copy(update={"name": "t-crah-row-001", "areas": ((1,), (2,))})
    cooling = msgspec.structs.replace(hall.cooling, hall=hall.cooling.hall.model_copy(update={"pools": (each,)}))
    assert [row.pools for row in sum_rows(racks[:2], cooling, None)] == [("t-crah-row-001",), ("t-crah-row-002",)]


def test_a_failed_unit_is_one_of_how_many_and_nothing_of_a_pool_is_cut(hall):
    pool = hall.cooling.hall.pools[0].model_copy(
        update={"areas": tuple((row, row + 1) for row in range(1, 80, 2)), "load_kw": 12345.6}
    )
    cooling = msgspec.structs.replace(hall.cooling, hall=hall.cooling.hall.model_copy(update={"pools": (pool,)}))
    texts = [text.text for text in ET.fromstring(cooling_svg(cooling, "t")).iter(f"{SVG}text")]
    assert not [text for text in texts if "…" in text.removesuffix("79–80")[:-2]]
    assert "40 like crah-row-001" in texts
    assert any(text.endswith("1 of 2 failed") for text in texts)


def test_a_pool_s_only_unit_has_failed_and_its_bar_is_red(hall):
    pool = hall.cooling.hall.pools[0].model_copy(update={"failed_capacity_kw": 0.0})
    cooling = msgspec.structs.replace(hall.cooling, hall=hall.cooling.hall.model_copy(update={"pools": (pool,)}))
    bars = {bar.get("data-case"): bar for bar in groups(cooling_svg(cooling, "t"), "data-case")}
    assert [shape.get("class") for shape in bars["survivor"].iter(f"{SVG}rect")] == ["track", "over"]


def test_water_of_cdus_and_doors_stands_in_the_page_with_its_limits(site):
    """No example site has a CDU: this one has two, and the other hall rear doors."""
    air = {"inletC": 24, "deltaK": 14, "altitudeM": 0, "dewPointC": 10}
    cdu = {"name": "cdu", "model": "vertiv-xdu1350", "units": 2, "waterC": 28, "waterFlowLMin": 1243, "waterPressureKpa": 50,
           "loopC": 32, "loopDeltaK": 12}  # fmt: skip
    made = plan(site(nodes=4, compute={"nodeModel": "sr780a-v3-b200"}, cooling=air | {"cdus": [cdu]}))
    (pool,) = (pool for pool in made.cooling.hall.pools if pool.medium == "liquid")
    water = pool.units[0].water
    page = report_html(made, [])
    (cells,) = (cells for (name, _), cells in Page(page).cells.items() if name == "data-water")
    assert cells[0] == "cdu · vertiv-xdu1350"
    assert cells[1] == "28 water"
    assert cells[2] == f"{water.water_out_c:.1f} · {water.worst_water_out_c:.1f}"
    assert cells[4] == f"{water.pressure_kpa:.0f} of 50"
    assert cells[6].startswith(f"{water.loop_flow_l_min:,.0f} of {water.loop_flow_max_l_min:,.0f}")
    assert f'<td class="n bad">{cells[4]}</td>' in page, "the piping leaves less than it drops"
    door = {"model": "rear-door-50kw", "waterC": 18, "waterFlowLMin": 75, "waterPressureKpa": 100}
    made = plan(site(nodes=4, cooling=air | {"rearDoors": door}))
    air = made.cooling.racks[0].air
    assert f"18 °C in, {air.door.water_out_c:.1f} °C out, drop {air.door.pressure_kpa:.0f} of 100 kPa" in report_html(made, [])
