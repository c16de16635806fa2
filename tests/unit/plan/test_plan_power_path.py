"""The power path above the racks: what adds up, what fails over, what can't be; cases with their right values."""

import math
from typing import Any

import pytest
from pydantic import ValidationError

from railyard.model.config import SiteConfig
from railyard.model.power import PowerSection
from railyard.plan import plan
from railyard.plan.electrical import cords_of, power_of, worst_feeds
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("C3")

SUPPLY = {"volts": 415, "voltageReference": "line-line", "phases": 3}


def path(name: str, kind: str = "panel", **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": kind, **more}


def power(*paths: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"supply": SUPPLY, "paths": list(paths), **more}


TWO_SIDES = (
    path("ups-a", "ups", feed="a", ratedKva=500, ratedKw=450),
    path("panel-a", **{"from": "ups-a"}, breakerA=400),
    path("ups-b", "ups", feed="b", ratedKva=500, ratedKw=450),
    path("panel-b", **{"from": "ups-b"}, breakerA=400),
)
DENSE = {"nodesPerRack": 2, "spreadRacks": 1, "racksPerRow": 2, "switchRacks": "dedicated", "storageRacks": "dedicated"}


def segments(config: SiteConfig) -> dict[str, Any]:
    return {segment.name: segment for segment in plan(config).power.segments}


def test_without_the_section_the_path_is_unknown_and_nothing_else_changes(site: SiteMaker):
    bare = plan(site())
    assert (bare.power.stated, bare.power.segments, bare.power.feed_of) == (False, (), {})
    assert bare.power.unknown[0] == "what is above the racks (railyard:power)"
    stated = plan(site(power=power(*TWO_SIDES)))
    assert stated.racks == bare.racks
    assert stated.cables == bare.cables
    assert "what is above the racks (railyard:power)" not in stated.power.unknown


def test_the_racks_add_up_to_the_supply_live_and_after_a_loss(site: SiteMaker):
    config = site(power=power(*TWO_SIDES))
    planned, found = plan(config), segments(config)
    peak = sum(rack.peak_kw for rack in planned.racks)
    nodes = sum(1 for machine in planned.machines if machine.role == "gpu")
    left = peak - nodes * (10.2 - 3 * 3.3)
    assert found["supply"].load_kw == pytest.approx(peak)
    for side in ("panel-a", "ups-a"):
        assert found[side].load_kw == pytest.approx(peak / 2)
        assert found[side].worst_kw == pytest.approx(left)
        assert found[side].worst_when == "feed b lost"
        assert found[side].worst_kva == pytest.approx(left / 0.95)
    assert found["panel-a"].worst_a.worst_a == pytest.approx(left / 0.95 * 1000 / math.sqrt(3) / 415)
    assert found["panel-a"].limit_a == 320
    assert (found["panel-a"].parent, found["ups-a"].parent) == ("ups-a", "supply")
    assert found["panel-a"].racks == found["supply"].racks == len(planned.racks)
    assert found["supply"].worst_kw == pytest.approx(peak), "all live is the most: three supplies of a node give less than six"


def test_the_worst_feed_is_named_in_the_racks_and_above_them(site: SiteMaker):
    planned = plan(site(power=power(*TWO_SIDES)))
    feed_row, segment = worst_feeds(planned.racks, planned.power)
    assert feed_row is not None
    assert segment is not None
    assert (feed_row.name, feed_row.when) == ("t-r001-pdu-a", "feed b lost")
    assert planned.site.worst_segment == segment.name == "panel-a"
    panel = next(row for row in planned.power.segments if row.name == "panel-a")
    assert planned.site.worst_segment_percent == pytest.approx(panel.worst_a.worst_a / 320 * 100)


def test_one_piece_for_each_so_many_rows_and_growth_renames_none(site: SiteMaker):
    each = power(path("ups", "ups", feed="a"), path("panel", **{"from": "ups"}, rowsEach=2), path("b", "ups", feed="b"))
    small = segments(site(nodes=4, facility=DENSE, power=each))
    large = segments(site(nodes=16, facility=DENSE, power=each))
    assert [name for name in small if name.startswith("panel-")] == [name for name in large if name.startswith("panel-")]
    assert large["panel-01"].rows == (1, 2)
    assert large["panel-01"].load_kw > small["panel-01"].load_kw
    assert sum(large[name].load_kw for name in large if name.startswith("panel-")) == pytest.approx(large["ups"].load_kw)


def test_losses_of_a_ups_are_carried_by_what_is_above_it(site: SiteMaker):
    lossy = power(path("ups-a", "ups", feed="a", efficiency=0.96), path("ups-b", "ups", feed="b", efficiency=0.96))
    found = segments(site(power=lossy))
    assert found["supply"].load_kw == pytest.approx((found["ups-a"].load_kw + found["ups-b"].load_kw) / 0.96)


def test_case_10_each_feed_passes_and_the_panel_does_not(site: SiteMaker):
    """A panel of 100 A behind racks that each stay below their own breakers."""
    tight = power(path("panel-a", feed="a", breakerA=100), path("panel-b", feed="b", breakerA=100))
    planned = plan(site(nodes=8, facility=DENSE, power=tight))
    assert all((row.survivor_kva or 0) < row.capacity_kw for rack in planned.racks for row in rack.feeds)
    panel = next(row for row in planned.power.segments if row.name == "panel-a")
    assert panel.load_a.worst_a > panel.limit_a == 80


def test_strips_of_one_phase_take_the_lines_in_turn(site: SiteMaker):
    one = [{"name": letter, "pduModel": "vertiv-gi10022l", "pdusPerRack": 4} for letter in "ab"]
    facility = {**DENSE, "racksPerRow": 10, "feeds": one}
    planned = plan(site(nodes=24, facility=facility, power=power(path("a", feed="a"), path("b", feed="b"))))
    panel = next(row for row in planned.power.segments if row.name == "a")
    lines = (panel.load_a.l1_a, panel.load_a.l2_a, panel.load_a.l3_a)
    assert max(lines) < 1.3 * min(lines)
    assert "strips of one phase take the lines in turn along a row" in planned.power.assumptions


@pytest.mark.parametrize(
    ("paths", "where", "found"),
    [
        ([path("p", feed="a", **{"from": "q"})], "p.from", "`q`, which is no path"),
        ([path("p", **{"from": "q"}), path("q", **{"from": "p"})], "p.from", "p is fed from q is fed from p"),
        ([path("p", feed="a", **{"from": "p"})], "p.from", "p is fed from p"),
        ([path("p", feed="d")], "p.feed", "feed d, which no rack has"),
        ([path("p")], "p.feed", "no feed"),
        ([path("p", feed="a"), path("q", feed="b", **{"from": "p"})], "q.feed", "feed b on p, which is of feed a"),
        ([path("p", feed="a"), path("q", feed="a"), path("r", feed="b")], "paths", "p and q both give feed a to row 1"),
        ([path("p", feed="a")], "paths", "no path of feed b for row 1"),
        ([path("p", feed="a", rows=[2, 3]), path("r", feed="b")], "paths", "no path of feed a for row 1"),
        ([path("p", feed="a", rowsEach=2), path("q", rowsEach=4, **{"from": "p"})], "q.rowsEach", "one for each 4 rows, below"),
        ([path("p", feed="a", rowsEach=2), path("q", **{"from": "p"})], "q.rowsEach", "one for all rows, below"),
        ([path("p", feed="a", rows=[1, 2]), path("q", rows=[2, 3], **{"from": "p"})], "q.rows", "rows 2 to 3, below p for"),
        (
            [path("p", feed="a", rowsEach=4), path("q", rowsEach=2, **{"from": "o"}), path("o", rows=[2, 9], **{"from": "p"})],
            "o.rowsEach",
            "one for all rows, below",
        ),
    ],
)  # fmt: skip
def test_a_path_that_is_no_tree_is_named_and_the_plan_goes_on(site: SiteMaker, paths: list[Any], where: str, found: str):
    planned = plan(site(power=power(*paths)))
    problems = [problem for problem in planned.problems if problem.id == "POWER-006"]
    (problem,) = [row for row in problems if row.where.endswith(where) and row.found.startswith(found)]
    assert problem.where.startswith("railyard:power.paths")
    assert problem.limit
    assert problem.fix
    assert planned.racks


@pytest.mark.parametrize(
    ("supply", "feeds", "found"),
    [
        ({"volts": 415, "voltageReference": "line-neutral"}, "pdu-415v-60a-3ph", "415 V line-neutral on pdu-415v-60a-3ph"),
        ({"volts": 208, "voltageReference": "line-line"}, "pdu-415v-60a-3ph", "208 V line-line on pdu-415v-60a-3ph"),
        (
            {"volts": 230, "voltageReference": "line-neutral", "phases": 1},
            "pdu-415v-60a-3ph",
            "pdu-415v-60a-3ph takes three phases, its feed has one",
        ),
        (
            {"volts": 120, "voltageReference": "line-neutral", "phases": 1},
            "vertiv-gi10022l",
            "120 V line-neutral on vertiv-gi10022l",
        ),
    ],
)
def test_strips_stand_at_their_own_voltage(site: SiteMaker, supply: Any, feeds: str, found: str):
    facility = {"feeds": [{"name": letter, "pduModel": feeds} for letter in "ab"]}
    planned = plan(site(facility=facility, power={"supply": supply}))
    problems = [problem for problem in planned.problems if problem.id == "POWER-007"]
    assert [(row.where, row.found) for row in problems] == [
        ("railyard:facility.feeds.a", found), ("railyard:facility.feeds.b", found),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "supply", [SUPPLY, {"volts": 400, "voltageReference": "line-line"}, {"volts": 240, "voltageReference": "line-neutral"}]
)
def test_voltages_within_ten_percent_and_of_either_reference_agree(site: SiteMaker, supply: Any):
    assert not [row for row in plan(site(power={"supply": supply})).problems if row.id == "POWER-007"]


def test_three_phases_do_not_come_out_of_one(site: SiteMaker):
    one = {"volts": 240, "voltageReference": "line-neutral", "phases": 1}
    paths = [path("p", feed="a", phases=3), path("q", feed="b", phases=3)]
    found = [row.where for row in plan(site(power={"supply": one, "paths": paths})).problems if row.id == "POWER-007"]
    assert {"railyard:power.paths.p.phases", "railyard:power.paths.q.phases"} <= set(found)


def test_a_transformer_gives_other_volts_to_the_racks(site: SiteMaker):
    high = {"supply": {"volts": 480, "voltageReference": "line-line"}}
    down = {"volts": 415, "voltageReference": "line-line"}
    planned = plan(site(power={**high, "paths": [path("pdu-a", feed="a", **down), path("pdu-b", feed="b", **down)]}))
    assert not [row for row in planned.problems if row.id == "POWER-007"]
    volts = {row.name: row.volts for row in planned.power.segments}
    assert volts == {"supply": 480, "pdu-a": 415, "pdu-b": 415}


def test_loads_below_the_nameplate_carry_their_margin_and_are_said(site: SiteMaker):
    shown = {"evidence": "a year of meters, report 12", "marginPercent": 20}
    typical = plan(site(power=power(*TWO_SIDES, loads={"basis": "typical", **shown})))
    device = next(row for row in typical.power.racks[0].devices if row.model == "dgx-h100")
    assert (device.load_kw, device.nameplate_kw) == (pytest.approx(8.4), 10.2)
    assert any("loads are typical plus 20 %: a year of meters" in text for text in typical.power.assumptions)
    measured = plan(site(power=power(*TWO_SIDES, loads={"basis": "measured", "kw": {"dgx-h100": 8.0}, **shown})))
    device = next(row for row in measured.power.racks[0].devices if row.model == "dgx-h100")
    assert device.load_kw == pytest.approx(9.6)
    other = next(row for row in measured.power.racks[0].devices if row.model == "qm9700")
    assert other.load_kw == other.nameplate_kw == 1.7, "no figure: the nameplate"


def test_watts_where_kilowatts_are_meant_are_found(site: SiteMaker):
    loads = {"basis": "measured", "kw": {"dgx-h100": 150, "dgx": 1}, "evidence": "meters of 2026", "marginPercent": 0}
    found = {
        row.where.rpartition(".")[2]: row for row in plan(site(power=power(loads=loads))).problems if row.id == "POWER-017"
    }
    assert (found["dgx-h100"].found, found["dgx-h100"].fix) == ("150 kW", "write kilowatts: 0.15")
    assert found["dgx"].found == "no model dgx"


def test_cords_have_the_names_of_both_ends(site: SiteMaker):
    strips = [
        {"name": letter, "pduModel": "strip-415v-60a-12x20a", "pdusPerRack": count} for letter, count in (("a", 2), ("b", 1))
    ]
    planned = plan(site(facility={"feeds": strips}))
    rows = [row for row in cords_of(planned, "t-r001") if row.device == "t-su001-gpu01"]
    assert [row.psu for row in rows] == [1, 2, 3, 4, 5, 6]
    assert {row.pdu for row in rows} == {"t-r001-pdu-a1", "t-r001-pdu-a2", "t-r001-pdu-b"}
    assert {row.outlet_type for row in rows} == {"c19"}
    assert power_of(planned, "t-r002").racks == ("t-r002",)
    with pytest.raises(KeyError):
        power_of(planned, "t-r009")
    with pytest.raises(KeyError):
        list(cords_of(planned, "t-r009"))


@pytest.mark.parametrize(
    ("supply", "loads", "said"),
    [
        ({"volts": 0.415}, {}, "0.415 kV are 415 V"),
        ({"volts": 12}, {}, "at least 48"),
        ({"volts": 415}, {"dgx-h100": 8900}, "8900 W are 8.9 kW"),
    ],
)
def test_another_unit_is_refused_with_the_right_figure(supply: Any, loads: Any, said: str):
    shown = {"basis": "measured", "kw": loads, "evidence": "meters of 2026", "marginPercent": 0} if loads else {}
    with pytest.raises(ValidationError, match=said):
        PowerSection.model_validate({"supply": {**supply, "voltageReference": "line-line"}, "loads": shown})


def test_a_feed_that_no_rack_has_is_one_finding_not_two(site: SiteMaker):
    made = plan(site(power=power(path("ups-d", "ups", feed="d"), {"name": "bus", "kind": "busway", "from": "ups-d"})))
    wheres = [problem.where for problem in made.problems if problem.id == "POWER-006"]
    assert wheres == ["railyard:power.paths.ups-d.feed"]


def test_supplies_that_the_stack_file_deals_wrongly_are_dealt_evenly_and_named_by_a_rule(site: SiteMaker):
    section = power(psuFeeds={"dgx-h100": ["a", "b"], "dgx-h900": ["a"], "qm9700": ["a", "c"]})
    planned = plan(site(power=section))
    found = {problem.where.rpartition(".")[2]: problem for problem in planned.problems if problem.id == "POWER-022"}
    assert found["dgx-h100"].found == "2 letters"
    assert found["dgx-h100"].limit == "6 supplies of a dgx-h100"
    assert found["dgx-h900"].found == "no model dgx-h900"
    assert found["qm9700"].found == "feed c"
