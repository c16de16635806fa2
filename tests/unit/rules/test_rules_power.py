"""Power, heat, weight and room of a rack: passing, at the limit, one step over."""

from railyard.rules import RULES, Thresholds, check_rack
from tests.unit.rules.rules_factory import feed, ids, rack, supplies


def only(findings, rule):
    return [finding for finding in findings if finding.id == rule]


def with_feeds(**changes):
    return check_rack(rack(feeds=(feed("a", **changes), feed("b"))))


def test_a_good_rack_has_no_findings():
    assert check_rack(rack()) == []


def test_survivor_at_its_capacity_passes_and_a_watt_more_fails_naming_both_feeds():
    assert with_feeds(survivor_kw=34.5) == []
    finding, *rest = with_feeds(survivor_kw=34.501)
    assert rest == []
    assert (finding.id, finding.severity, finding.where) == ("POWER-001", "limit", "lab-r001/feed-a")
    assert "feed a carries 34.50 kW after losing feed b (100.0 %)" in finding.found
    assert "60 A at 80 %" in finding.limit
    assert "0.00 kW off" in finding.fix


def test_survivor_is_judged_on_each_feed():
    findings = check_rack(rack(feeds=(feed("a", survivor_kw=40.0), feed("b", survivor_kw=41.0))))
    assert [(f.id, f.where) for f in findings] == [("POWER-001", "lab-r001/feed-a"), ("POWER-001", "lab-r001/feed-b")]
    assert "after losing feed a" in findings[1].found


def test_volt_amperes_are_judged_where_they_are_known():
    """30.6 kW at a power factor of 0.95 are 32.21 kVA."""
    known = {"survivor_kw": 30.6, "survivor_kva": 32.210526, "load_kw": 15.3, "load_kva": 16.105263}
    assert with_feeds(**known, capacity_kw=32.210526) == []
    (finding,) = with_feeds(**known, capacity_kw=31.0)
    assert finding.found == "feed a carries 32.21 kVA (30.60 kW) after losing feed b (103.9 %)"
    assert finding.fix.startswith("take 1.15 kW off the rack")
    (live,) = with_feeds(load_kw=33.0, load_kva=34.6, survivor_kw=1.0, survivor_kva=1.0)
    assert (live.id, live.found) == ("POWER-002", "feed a carries 34.60 kVA (33.00 kW) with all feeds live (100.3 %)")


def test_the_fullest_line_trips_although_the_kva_fit():
    assert with_feeds(survivor_a=48.0, limit_a=48.0, load_a=24.0) == []
    (finding,) = with_feeds(survivor_a=48.1, limit_a=48.0, load_a=24.0)
    assert (finding.id, finding.where) == ("POWER-001", "lab-r001/feed-a")
    line = "the fullest line of the fullest strip (feed a)"
    assert finding.found == f"{line} carries 48.10 A after losing feed b, the feed's kVA would fit"
    assert finding.limit == "48.00 A (1 x pdu-415v-60a-3ph, 60 A at 80 %)"
    assert ids(with_feeds(survivor_a=24.0, limit_a=48.0, load_a=48.1)) == ["POWER-002"]


def test_the_strip_and_the_line_that_are_over_are_named():
    (finding,) = with_feeds(survivor_a=48.1, limit_a=48.0, load_a=24.0, survivor_at="pdu-a2/L3")
    assert finding.found == "line L3 of lab-r001-pdu-a2 (feed a) carries 48.10 A after losing feed b, the feed's kVA would fit"
    (live,) = with_feeds(survivor_a=24.0, limit_a=48.0, load_a=48.1, load_at="pdu-a/L1")
    assert (live.id, live.found[:27]) == ("POWER-002", "line L1 of lab-r001-pdu-a (")
    over = {"survivor_kw": 33.0, "survivor_kva": 34.6, "survivor_a": 48.1, "limit_a": 48.0, "load_a": 24.0}
    (whole,) = with_feeds(**over, survivor_at="pdu-a2/L3")
    assert whole.found.endswith(" %), the most of it in line L3 of lab-r001-pdu-a2: 48.10 A")


def test_of_three_feeds_the_worst_loss_is_named():
    third = feed("c", survivor_kw=40.0, survivor_when="feed a lost")
    (finding,) = check_rack(rack(feeds=(feed("a"), feed("b"), third)))
    assert (finding.id, finding.where) == ("POWER-001", "lab-r001/feed-c")
    assert "after losing feed a (" in finding.found
    (plain,) = check_rack(rack(feeds=(feed("a"), feed("b"), feed("c", survivor_kw=40.0))))
    assert "after losing feed a, b (" in plain.found


def test_case_9_compares_before_rounding():
    """1152.6 of 1440 W is 80.04 %: over an 80 % rule, although it rounds to 80.0."""
    limits = Thresholds(survivor_percent_max=80)
    a = feed("a", capacity_kw=1.440, survivor_kw=1.1526, load_kw=0.4)
    assert ids(check_rack(rack(feeds=(a, feed("b"))), limits)) == ["POWER-001"]
    assert check_rack(rack(feeds=(feed("a", capacity_kw=1.440, survivor_kw=1.152, load_kw=0.4), feed("b"))), limits) == []


def test_binary_fractions_are_no_overload():
    assert with_feeds(capacity_kw=30.6, survivor_kw=10.2 + 10.2 + 10.2 + 1e-9) == []


def test_breaker_with_all_feeds_live():
    assert with_feeds(load_kw=34.5) == []
    finding, *rest = with_feeds(load_kw=34.51)
    assert rest == []
    assert (finding.id, finding.where) == ("POWER-002", "lab-r001/feed-a")
    assert "with all feeds live" in finding.found


def test_one_feed_is_judged_as_breaker_and_as_redundancy_never_as_survivor():
    single = rack(feeds=(feed("a", load_kw=40.0, survivor_kw=40.0),))
    assert ids(check_rack(single)) == ["POWER-002", "POWER-003"]
    assert "1 feed for 20.40 kW" in only(check_rack(single), "POWER-003")[0].found


def test_an_empty_rack_needs_no_second_feed():
    assert check_rack(rack(feeds=(feed("a"),), peak_kw=0.0)) == []
    assert ids(check_rack(rack(feeds=(feed("a"),), peak_kw=0.001))) == ["POWER-003"]


def test_no_capacity_is_no_division_by_zero():
    finding = only(with_feeds(capacity_kw=0.0, survivor_kw=1.0, load_kw=0.0), "POWER-001")[0]
    assert "%" not in finding.found


def test_derating():
    assert with_feeds(continuous_rating=0.8) == []
    finding, *rest = with_feeds(continuous_rating=0.81)
    assert rest == []
    assert (finding.id, finding.limit) == ("POWER-004", "80 % for continuous load")


def test_air_heat():
    assert check_rack(rack(air_kw=25.0)) == []
    finding, *rest = check_rack(rack(air_kw=25.2))
    assert rest == []
    assert (finding.id, finding.where, finding.found, finding.limit) == (
        "COOL-001",
        "lab-r001",
        "25.20 kW of heat to air",
        "25.00 kW",
    )
    assert "move 0.20 kW" in finding.fix


def test_thresholds_move_each_limit():
    strict = Thresholds(
        survivor_percent_max=50, feed_percent_max=10, continuous_rating_max=0.5, air_percent_max=10, weight_percent_max=1
    )
    assert set(ids(check_rack(rack(), strict))) == {"POWER-001", "POWER-002", "POWER-004", "COOL-001", "RACK-001"}


def supplied(**changes):
    return check_rack(rack(supplies=(supplies(**changes),)))


def test_case_4_three_of_six_supplies_do_not_carry_a_dgx_h100():
    finding, *rest = supplied(psu_kw=3.3, psus_for_full=4)
    assert rest == []
    assert (finding.id, finding.severity, finding.where) == ("POWER-005", "limit", "lab-r001/dgx-h100")
    assert finding.found == "3 of 6 supplies of each dgx-h100 are left on one feed: 9.90 kW for a peak of 10.20 kW"
    assert finding.limit == "4 supplies and 10.20 kW"


def test_supplies_by_power_and_by_count():
    assert supplied(psu_kw=3.4, psus_for_full=None) == []
    assert ids(supplied(psu_kw=3.39, psus_for_full=None)) == ["POWER-005"]
    assert supplied(psu_kw=3.39, psus_for_full=None)[0].limit == "10.20 kW"
    assert supplied(psu_kw=None, psus_for_full=3) == []
    (finding,) = supplied(psu_kw=None, psus_for_full=4)
    assert finding.found == "3 of 6 supplies of each dgx-h100 are left on one feed"
    assert ids(supplied(psu_kw=3.4, psus_for_full=4)) == ["POWER-005"]
    assert ids(supplied(psu_kw=3.3, psus_for_full=3)) == ["POWER-005"]


def test_supplies_that_the_stack_file_deals_unevenly_are_to_be_dealt_evenly():
    """psuFeeds a, a, a, a, b, b: more feeds are no way out, and 3 + 3 is enough for four of six only where three do."""
    (finding,) = supplied(psu_kw=3.3, psus_for_full=4, psus_left=2)
    assert finding.found.startswith("2 of 6 supplies of each dgx-h100 are left")
    start = "deal supplies of dgx-h100 in turn (a, b, ...): railyard:power.psuFeeds leaves 2, that leaves 3"
    assert finding.fix == f"{start}, which is too few, too: then {RULES['POWER-005'].fix}"
    assert supplied(psu_kw=3.4, psus_for_full=3, psus_left=2)[0].fix == start
    assert "too few, too" in supplied(psu_kw=3.3, psus_for_full=3, psus_left=2)[0].fix
    assert supplied(psu_kw=3.4, psus_for_full=3, psus_left=0)[0].fix.endswith("psuFeeds leaves 0, that leaves 3")
    assert supplied(psu_kw=3.3, psus_for_full=4, psus_left=3)[0].fix == RULES["POWER-005"].fix


def test_the_way_out_of_uneven_lines_is_one_that_evens_them():
    (finding,) = with_feeds(survivor_a=48.1, limit_a=48.0, load_a=24.0)
    assert "more strips" in finding.fix
    assert "psuFeeds" not in finding.fix


def test_supplies_are_held_against_the_planned_load():
    """Meters show 7.7 kW: three supplies give 9.9, whatever they would do at the nameplate's 10.2."""
    assert supplied(psu_kw=3.3, psus_for_full=4, load_kw=7.7) == []
    (finding,) = supplied(psu_kw=3.3, psus_for_full=4, load_kw=10.0)
    assert finding.found.endswith("9.90 kW for a planned load of 10.00 kW")
    assert finding.limit == "10.00 kW"
    assert ids(supplied(psu_kw=None, psus_for_full=4, load_kw=7.7)) == ["POWER-005"], "nobody knows what three give"


def test_an_odd_supply_counts_for_the_feed_that_is_lost_and_a_single_one_is_lost():
    assert ids(supplied(psus=5)) == ["POWER-005"]
    assert supplied(psus=7) == []
    (finding,) = supplied(psus=1, peak_kw=0.0, psus_for_full=None)
    assert finding.found.startswith("0 of 1 supplies")


def test_unknown_supplies_are_undecided():
    for changes, missing in (({"psus": None}, "psus"), ({"psu_kw": None, "psus_for_full": None}, "psuKw or psusForFull")):
        finding, *rest = supplied(**changes)
        assert rest == []
        assert (finding.id, finding.severity) == ("POWER-005", "undecided")
        assert finding.found == f"{missing} of dgx-h100 is unknown"


def test_supplies_on_one_feed_are_a_matter_of_redundancy():
    assert ids(check_rack(rack(feeds=(feed("a"),), supplies=(supplies(psu_kw=1.7),)))) == ["POWER-003"]


def test_on_three_feeds_four_of_six_supplies_are_left():
    """Case 4: 2 + 2 + 2 survives one feed."""
    dgx = supplies(psu_kw=3.3, psus_for_full=4)
    three = (feed("a"), feed("b"), feed("c"))
    assert check_rack(rack(feeds=three, supplies=(dgx,))) == []
    (finding,) = check_rack(rack(feeds=three, supplies=(supplies(psu_kw=3.3, psus_for_full=4, psus_left=3),)))
    assert finding.found == "3 of 6 supplies of each dgx-h100 are left on 2 feeds: 9.90 kW for a peak of 10.20 kW"


def test_a_transfer_switch_loses_no_supply():
    single = {"psus": 1, "psu_kw": 1.0, "peak_kw": 0.5, "psus_for_full": 1}
    assert ids(supplied(**single)) == ["POWER-005"]
    assert supplied(**single, ats=True) == []


def test_case_6_a_row_that_was_copied_from_another_device():
    """Two supplies of 1071 W for 6.5 kW."""
    copied = {"model": "dgx-a100", "psus": 2, "psu_kw": 1.071, "psus_for_full": None, "peak_kw": 6.5}
    (finding,) = [found for found in supplied(**copied) if found.id == "POWER-018"]
    assert finding.found == "2 x 1.071 kW = 2.14 kW of supplies in a dgx-a100"
    assert finding.limit == "6.50 kW, its own peak"
    assert [found.id for found in supplied(psus=3, psu_kw=3.4, psus_for_full=1)] == ["POWER-005"], "10.2 of 10.2 kW"
    assert "POWER-018" not in ids(supplied(psus=2, psu_kw=None, psus_for_full=1))
    assert "POWER-018" not in ids(supplied(psus=None))
