"""Cables: passing, at the limit, one step over. Facts are made up: what the planner makes of sites is in the plan's tests."""

from dataclasses import replace
from itertools import product

import pytest

from railyard.plan import plan
from railyard.rules import Thresholds, check_cabling
from railyard.rules.cables import LIMITS_M, lacks_part
from tests.planned_site import make_site
from tests.unit.rules.network_factory import bom_line as line
from tests.unit.rules.network_factory import cable_class as row
from tests.unit.rules.network_factory import cable_end as end
from tests.unit.rules.network_factory import cabling, tray
from tests.unit.rules.rules_factory import ids

pytestmark = pytest.mark.requirement("C5", "N1")


def check(*classes, limits=None, **changes):
    return check_cabling(cabling(*classes, **changes), "t", limits or Thresholds())


def test_good_cables_have_no_findings():
    assert check() == []


@pytest.mark.parametrize(
    ("lane", "medium", "metres"), [(lane, medium, most) for lane, media in LIMITS_M.items() for medium, most in media.items()]
)
def test_each_medium_reaches_so_far_at_its_lanes_and_not_a_centimetre_farther(lane, medium, metres):
    legal = row(lane_gbps=lane, medium=medium, max_length_m=metres, reach_m=None)
    assert ids(check(legal)) == []
    finding, *rest = check(row(lane_gbps=lane, medium=medium, max_length_m=metres + 0.01, reach_m=None))
    assert rest == []
    assert (finding.id, finding.where) == ("FABRIC-020", "t/cables/leaf-spine")
    assert finding.limit == f"{metres:g} m at lanes of {lane} Gb/s"


def test_the_reference_s_table():
    """The vendor's table of media, read by hand."""
    assert LIMITS_M[100] == {
        "passive-copper": 3, "active-copper": 5, "multimode-om3": 30, "multimode-om4": 50, "single-mode": 500,
        "single-mode-fr4": 2000,
    }  # fmt: skip
    assert LIMITS_M[200] == {"active-copper": 5, "single-mode": 500}


@pytest.mark.parametrize(
    ("lane", "medium"),
    [(200, "passive-copper"), (200, "multimode-om4"), (200, "active-optical"), (100, "active-optical"), (None, "single-mode")],
)
def test_a_medium_that_is_not_made_for_the_lanes(lane, medium):
    """XDR has no DAC, no multimode and no AOC; 100G-PAM4 has no AOC."""
    finding, *rest = check(row(lane_gbps=lane, medium=medium, max_length_m=1.0))
    assert rest == []
    assert finding.id == "FABRIC-020"
    assert f"256 cables of {medium}" in finding.found


def test_an_optic_that_reaches_less_far_than_its_fibre():
    finding, *rest = check(row(medium="single-mode", max_length_m=101.0, reach_m=100.0))
    assert rest == []
    assert (finding.found, finding.limit) == ("leaf:33 takes 101 m of single-mode (mfp7e10)", "100 m at lanes of 100 Gb/s")
    assert check(row(medium="single-mode", max_length_m=100.0, reach_m=100.0)) == []


def test_what_no_part_fits_says_what_is_asked_for():
    finding, *rest = check(row(sku="", a=end(form=None, heat_sink=None, optic=None), z=end(optic=None)))
    assert rest == []
    assert finding.id == "FABRIC-020"
    assert "a unknown cage of 2 x 400 Gb/s to a finned osfp cage of 2 x 400 Gb/s with lanes of 100 Gb/s" in finding.limit


def test_out_of_band_copper_is_another_rule_s():
    assert check(row(kind="oob", sku="", medium="cat6a", lane_gbps=1, max_length_m=200.0)) == []


@pytest.mark.parametrize("medium", ["multimode-om3", "multimode-om4", "single-mode"])
def test_fibre_splitters_end_at_50_metres(medium):
    limits = {"multimode-om3": 30.0}
    at = limits.get(medium, 50.0)
    assert check(row(shape="splitter", medium=medium, max_length_m=at)) == []
    over = check(row(shape="splitter", medium=medium, max_length_m=60.0, reach_m=None))
    assert "FABRIC-021" in ids(over)
    assert (
        check(
            row(shape="splitter", medium="single-mode", max_length_m=60.0, reach_m=None), limits=Thresholds(splitter_m_max=60)
        )
        == []
    )


def test_fr4_can_not_be_split_and_copper_splitters_are_no_fibre():
    finding, *rest = check(row(shape="splitter", medium="single-mode-fr4", max_length_m=10.0))
    assert rest == []
    assert (finding.id, finding.limit) == ("FABRIC-021", "straight fibre")
    assert check(row(shape="straight", medium="single-mode-fr4", max_length_m=100.0, reach_m=None)) == []
    copper = row(shape="splitter", medium="active-optical", lane_gbps=50, max_length_m=90.0, reach_m=None)
    assert check(copper) == []


def test_a_cage_that_needs_two_plugs():
    finding, *rest = check(mixed_cages=("R001-U40-P2", "R001-U41-P2", "R001-U42-P2", "R001-U43-P2"), mixed_cage_count=24)
    assert rest == []
    assert (finding.id, finding.where) == ("FABRIC-022", "t/cables")
    assert finding.found == "24 cages need two plugs: R001-U40-P2, R001-U41-P2, R001-U42-P2"


def test_a_cable_of_two_links_out_of_two_cages():
    finding, *rest = check(twins_apart=16)
    assert rest == []
    assert (finding.id, finding.found) == ("FABRIC-022", "16 cables of two links start in two cages")
    assert "linksPerCable to 1" in finding.fix


def test_a_cable_of_two_links_into_two_cages():
    finding, *rest = check(twins_split=512)
    assert rest == []
    assert (finding.id, finding.found) == ("FABRIC-022", "512 cables of two links end in two cages, or on two switches")


def test_skew_of_two_fibres_of_a_cage():
    finding, *rest = check(row(skew_ns=67.5))
    assert rest == []
    assert (finding.id, finding.limit) == ("FABRIC-022", "45 ns")
    assert finding.found == "67.5 ns between the cables of R001-U40-P3 (15 m)"
    assert check(row(skew_ns=67.5), limits=Thresholds(twin_skew_ns_max=67.5)) == []


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"port_gbps": 100.0, "lane_gbps": 100}, "speed"),
        ({"lane_gbps": 200}, "lane generation"),
        ({"fec": "rs-528"}, "error correction"),
        ({"connector": "mpo-16-apc"}, "connector"),
    ],
)
def test_ends_that_differ(change, name):
    findings = [finding for finding in check(row(a=end(**change), link_gbps=100.0)) if finding.id == "FABRIC-023"]
    assert [finding.limit for finding in findings] == [f"one {name} at both ends"]
    assert "at the lower end and" in findings[0].found


def test_case_25_a_400g_port_to_a_100g_port_is_not_a_400g_link():
    """Case 25: 400G optics billed for a link that never comes up."""
    findings = check(row(a=end(port_gbps=100.0)))
    assert {finding.found for finding in findings} == {
        "256 cables planned for 400 Gb/s",
        "speed 100 Gb/s at the lower end and 400 Gb/s at the upper one",
    }
    assert "100 Gb/s, the slower of both ends" in {finding.limit for finding in findings}


def test_a_splitter_joins_a_slower_port_to_half_of_a_faster_one():
    assert check(row(shape="splitter", link_gbps=200.0, a=end(port_gbps=200.0))) == []


@pytest.mark.parametrize(
    ("side", "change"),
    list(product(("a", "z"), ({"optic_heat_sink": "flat"}, {"optic_form": "qsfp112"}, {"heat_sink": None}))),
)
def test_an_optic_that_does_not_go_into_its_cage(side, change):
    """Case 28: finned optics in NICs, flat ones in switches."""
    finding, *rest = check(row(**{side: end(**change)}))
    assert rest == []
    assert finding.id == "FABRIC-023"
    assert ("lower" if side == "a" else "upper") in finding.found


def test_what_is_unknown_at_an_end_is_not_compared():
    unknown = end(form=None, heat_sink=None, port_gbps=0.0, lane_gbps=None, optic=None, optic_form=None, optic_heat_sink=None,
                  connector="", fec=None)  # fmt: skip
    assert check(row(a=unknown)) == []
    assert check(row(a=unknown, z=unknown)) == []
    copper = end(optic=None, optic_form=None, optic_heat_sink=None, fec=None)
    ends = {"a": copper.model_copy(update={"connector": "osfp-flat"}), "z": copper}
    assert check(row(medium="passive-copper", max_length_m=2.0, **ends)) == [], "an assembly's plugs may differ"
    assert check(row(medium="passive-copper", max_length_m=2.0, a=ends["a"], z=end())) == []
    assert check(row(medium="passive-copper", max_length_m=2.0, a=end(), z=ends["a"])) == []


def test_a_tray_is_full_at_half_of_it():
    assert check(trays=(tray(percent=50.0), tray(percent=None))) == []
    finding, *rest = check(trays=(tray(percent=50.01),))
    assert rest == []
    assert (finding.id, finding.where) == ("FABRIC-024", "t/trays/row 1, position 3 to 4")
    assert (finding.found, finding.limit) == ("50.0 % full: 2000 cables", "50 %")
    (finding,) = check(trays=(tray(percent=80.0, unknown=7),))
    assert finding.found.endswith("2000 cables and 7 cables of unknown diameter")
    assert check(trays=(tray(percent=80.0),), limits=Thresholds(tray_fill_percent_max=80)) == []


def test_loss_beyond_the_budget():
    """Four panels: 6 x 0.35 + 0.15 = 2.25 dB of 1.55."""
    assert check(row(loss_db=1.55)) == []
    finding, *rest = check(row(loss_db=2.25, segments=5))
    assert rest == []
    assert (finding.id, finding.limit) == ("FABRIC-025", "1.55 dB")
    assert finding.found == "2.25 dB on leaf:33 (50 m, 5 segments)"
    assert check(row(loss_db=None)) == check(row(loss_db=2.25, loss_budget_db=None)) == []


def test_an_even_number_of_type_b_segments():
    assert check(row(segments=3)) == []
    finding, *rest = check(row(segments=2))
    assert rest == []
    assert (finding.id, finding.found) == ("FABRIC-026", "2 type-B segments in a row (mfp7e10)")
    assert check(row(segments=2, polarity="a-b")) == []


def test_spares_of_each_line():
    assert check(bom=(line(count=100, spares=2), line(count=1, spares=1))) == []
    finding, *rest = check(bom=(line(count=101, spares=2), line(item="optic", length_m=None, count=0, spares=1)))
    assert rest == []
    assert (finding.id, finding.found, finding.limit) == ("FABRIC-027", "2 spares for 101 mfp7e10 of 10 m", "3")
    (finding,) = check(bom=(line(item="optic", sku="", length_m=None, count=1, spares=0),))
    assert (finding.where, finding.found, finding.limit) == ("t/bom/optic", "0 spares for 1 fibre", "1")
    assert check(bom=(line(count=101, spares=1),), limits=Thresholds(cable_spares_percent_min=0.5)) == []


@pytest.mark.parametrize(("slack", "expected"), [(9.9, True), (10.0, False), (25.0, False), (25.1, True)])
def test_slack_of_10_to_25_percent(slack, expected):
    found = check(slack_percent=slack)
    assert ids(found) == (["FABRIC-028"] if expected else [])
    if expected:
        assert (found[0].where, found[0].limit) == ("railyard:cabling.slackPercent", "10 to 25 %")


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ({}, set()),
        ({"panels": 1}, {"FABRIC-026"}),
        ({"panels": 2}, set()),
        ({"panels": 3}, {"FABRIC-025", "FABRIC-026"}),
        ({"panels": 4}, {"FABRIC-025"}),
        ({"slackPercent": 30}, {"FABRIC-028"}),
        ({"sparesPercent": 0}, {"FABRIC-027"}),
        ({"trayWidthMm": 100, "trayDepthMm": 20}, {"FABRIC-024"}),
        ({"trayWidthMm": 600, "trayDepthMm": 100}, set()),
    ],
)
def test_what_a_stack_file_asks_for_is_judged(choices, expected):
    planned = plan(make_site(nodes=32, facility={"switchRacks": "dedicated"}, cabling=choices))
    assert {finding.id for finding in check_cabling(planned.cabling, "t")} == expected


def test_what_can_t_be_ordered_is_told_apart_from_other_findings():
    (lacking,) = [finding for finding in check(row(sku="")) if finding.id == "FABRIC-020"]
    assert lacks_part(lacking)
    assert not lacks_part(replace(lacking, severity="waived"))
    assert not lacks_part(replace(lacking, id="FABRIC-021"))
    assert not lacks_part(replace(lacking, found="two connectors that don't mate"))
