"""Power, heat, weight and room of a rack: passing, at the limit, one step over."""

from time import process_time

from railyard.rules import Thresholds, check_rack
from tests.unit.rules.rules_factory import device, feed, ids, rack, supplies


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


def test_weight():
    assert check_rack(rack(weight_kg=1600.0)) == []
    finding, *rest = check_rack(rack(weight_kg=1600.1))
    assert rest == []
    assert (finding.id, finding.severity, finding.found) == ("RACK-001", "limit", "1600.1 kg")


def test_unknown_weight_is_undecided_and_names_the_device():
    devices = (device(), device("lab-r001-odd", u=9, model="odd", weight_kg=None))
    finding, *rest = check_rack(rack(devices=devices))
    assert rest == []
    assert (finding.id, finding.severity) == ("RACK-001", "undecided")
    assert "without lab-r001-odd" in finding.found
    assert "lab-su001-gpu01" not in finding.found
    assert "weightKg of odd" in finding.fix


def test_known_weight_over_the_limit_fails_whatever_is_unknown():
    devices = (device(), device("lab-r001-odd", u=9, model="odd", weight_kg=None))
    finding, *rest = check_rack(rack(devices=devices, weight_kg=1700.0))
    assert rest == []
    assert (finding.severity, finding.found) == ("limit", "1700.0 kg without odd")


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
    assert ids(check_rack(rack(feeds=(feed("a"),), supplies=(supplies(psu_kw=1.0),)))) == ["POWER-003"]


def test_unweighed_strips_matter_only_where_their_bound_goes_over_the_limit():
    strips = {"unweighed": ("4 x pdu",), "unweighed_max_kg": 120.0}
    assert check_rack(rack(weight_kg=1480.0, **strips)) == []
    finding, *rest = check_rack(rack(weight_kg=1480.1, **strips))
    assert rest == []
    assert (finding.id, finding.severity, finding.limit) == ("RACK-001", "undecided", "1600.0 kg")
    assert finding.found == "1480.1 kg without 4 x pdu, unknown but up to 120.0 kg"
