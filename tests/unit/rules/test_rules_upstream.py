"""The power path of a hall: passing, at the limit, one step over; cases of NetBox issues with their right values."""

import pytest

from railyard.model.power import HallPower
from railyard.rules import Thresholds
from railyard.rules.upstream import check_hall_power
from tests.unit.rules.power_factory import (
    amps,
    bad_hall_power,
    circuit,
    cord,
    hall_power,
    kind,
    rack_feed,
    segment,
    ups,
)
from tests.unit.rules.rules_factory import ids

pytestmark = pytest.mark.requirement("C3")


def judged(*segments, racks=(), limits=None):
    hall = hall_power(segments=(ups(), *segments), racks=racks)
    return check_hall_power(hall, "lab-hall", limits or Thresholds())


def judged_kind(limits=None, **changes):
    return judged(segment(), racks=(kind(**changes),), limits=limits)


def test_a_good_hall_has_no_findings():
    assert check_hall_power(hall_power(), "lab-hall") == []


def test_each_rule_of_the_path_finds_its_fault():
    found = {finding.id for finding in check_hall_power(bad_hall_power(), "lab-hall")}
    assert found == {
        *("POWER-008", "POWER-009", "POWER-010", "POWER-011", "POWER-012", "POWER-013", "POWER-014", "POWER-016", "POWER-019"),
        "POWER-021",
    }


def test_case_10_a_panel_fails_although_each_of_its_feeds_passes():
    """63 + 63 + 32 A, each 70 % used, behind a panel of 100 A: 110.6 A in each line of 80."""
    used = 0.7 * (63 + 63 + 32)
    (finding,) = judged(segment(load_a=amps(used, used, used), worst_a=amps(used, used, used)), limits=Thresholds())[:1]
    assert used == pytest.approx(110.6)
    assert (finding.id, finding.severity, finding.where) == ("POWER-008", "limit", "lab-hall/panel-a")
    assert finding.found == "panel-a carries 110.6 / 110.6 / 110.6 A with all feeds live"
    assert finding.limit == "80.0 A (100 A at 80 %)"


def test_a_panel_at_its_limit_passes_and_a_milliampere_more_fails():
    assert judged(segment(load_a=amps(80.0, 80.0, 80.0), worst_a=amps(80.0, 80.0, 80.0))) == []
    assert ids(judged(segment(load_a=amps(80.001, 80.0, 80.0)))) == ["POWER-008"]


def test_the_failover_is_judged_by_the_fullest_line_and_says_what_was_lost():
    (finding,) = judged(segment(worst_a=amps(79.0, 80.1, 79.0, 1.2)))
    assert (finding.id, finding.where) == ("POWER-009", "lab-hall/panel-a")
    assert finding.found == "panel-a carries 79.0 / 80.1 / 79.0 A, 1.2 A in the neutral, feed b lost"


def test_a_panel_without_a_breaker_is_undecided_and_a_ups_without_one_is_not_asked():
    (finding,) = judged(segment(breaker_a=None, limit_a=None))
    assert (finding.id, finding.severity) == ("POWER-008", "undecided")
    assert "breakerA of panel-a is not stated" in finding.found
    assert judged(segment("bus-a", kind="busway", breaker_a=None, limit_a=None))[0].severity == "undecided"


def test_a_ups_is_judged_in_kva_and_in_kw_apart():
    assert judged(ups("ups-b", worst_kva=100.0, worst_kw=90.0)) == []
    (apparent,) = judged(ups("ups-b", worst_kva=100.1))
    assert (apparent.id, apparent.limit) == ("POWER-010", "100.0 kVA (rated 100)")
    (active,) = judged(ups("ups-b", worst_kw=90.1))
    assert (active.id, active.found) == ("POWER-010", "ups-b carries 90.1 kW, feed b lost")
    assert judged(ups("ups-b", rated_kw=None)) == judged(ups("ups-b", rated_kva=None)) == []
    (nothing,) = judged(ups("ups-b", rated_kva=None, rated_kw=None))
    assert (nothing.id, nothing.severity) == ("POWER-010", "undecided")


def test_one_full_line_of_a_ups_is_over_although_its_kva_fit():
    """The reviewer's UPS: 152.39 of 153.9 kVA, and 222.7 A in one line that may carry 214.1 (153.9 / 3 at 239.6 V)."""
    seen = {"rated_kva": 153.9, "rated_kw": None, "worst_kva": 152.39, "worst_a": amps(206.0, 222.7, 207.0)}
    (finding,) = judged(ups("ups-b", **seen))
    assert (finding.id, finding.severity, finding.limit) == (
        "POWER-010",
        "limit",
        "214.1 A in one line (rated 154 kVA in three)",
    )
    assert finding.found == "ups-b carries 222.7 A in line L2, feed b lost; its 152.4 kVA would fit"
    assert finding.fix == "even its lines (POWER-014), a larger one, or fewer racks behind it"
    limit = 153.9 / 0.415 / 3**0.5
    assert judged(ups("ups-b", **seen | {"worst_a": amps(limit, 200.0, 200.0)})) == []
    assert ids(judged(ups("ups-b", **seen | {"worst_a": amps(limit + 0.001, 200.0, 200.0)}))) == ["POWER-010"]
    assert len(judged(ups("ups-b", **seen | {"worst_kva": 154.0}))) == 1, "over in kVA: said once"
    assert judged(ups("ups-b", **seen | {"worst_kva": 153.9, "worst_a": amps(200.0, 200.0, 200.0)})) == []
    one = {"phases": 1, "volts": 230.0, "voltage_reference": "line-neutral", "worst_a": amps(670.0, 0.0, 0.0)}
    assert judged(ups("ups-b", **seen | one)) == [], "of one phase the kVA are all there is"


def test_pieces_that_are_alike_are_one_finding_with_their_number():
    (finding,) = judged(segment("panel-a-01", count=3, last="panel-a-03", worst_a=amps(81.0)))
    assert finding.where == "lab-hall/panel-a-01"
    assert "panel-a-01 (and 2 alike, up to panel-a-03)" in finding.found


def test_case_7_a_bank_trips_although_the_feed_passes():
    """A 32 A strip of two 16 A breakers: four devices of 4 A on the first are 16 A of 12.8."""
    banks = (
        circuit("first", load_a=16.0, survivor_a=16.0, psu_a=4.0, cords=4, breaker_a=16.0, limit_a=12.8),
        circuit("second", load_a=4.0, survivor_a=4.0, psu_a=4.0, cords=1, breaker_a=16.0, limit_a=12.8),
    )
    (finding,) = judged_kind(circuits=banks)
    assert (finding.id, finding.where) == ("POWER-011", "lab-r001/pdu-a/first")
    assert finding.found.startswith("breaker first of pdu-a carries 16.00 A after the worst loss (16.00 A live) from 4 cords")
    assert finding.limit == "12.80 A (16 A at 80 %)"
    assert judged_kind(circuits=(circuit(survivor_a=16.0),)) == []
    (three,) = judged_kind(circuits=(circuit(survivor_a=17.0, count=3),))
    assert "on L1 (and 2 banks alike)" in three.found
    assert judged_kind(circuits=(circuit(breaker_a=None, limit_a=None, survivor_a=99.0),)) == []


def test_a_bank_of_one_of_several_strips_is_named_with_its_strip():
    (finding,) = judged_kind(feeds=(rack_feed(pdus=2),), circuits=(circuit(survivor_a=17.0, pdu=2),), count=3)
    assert finding.where == "lab-r001/pdu-a2/B1"
    assert finding.found.endswith("(and in 2 racks alike)")


def test_plugs_without_an_outlet_and_figures_that_nobody_knows():
    (finding,) = judged_kind(plugs_short={"b/c19": 3})
    assert (finding.id, finding.severity, finding.where) == ("POWER-012", "limit", "lab-r001/feed-b")
    assert finding.found == "3 plugs of feed b find no C19 outlet"
    (unknown,) = judged_kind(unknown=("outlets and breakers of strip", "inlet of x"))
    assert (unknown.id, unknown.severity, unknown.where) == ("POWER-012", "undecided", "lab-hall")
    assert unknown.found == "unknown: inlet of x, outlets and breakers of strip"


def test_a_cord_at_its_rating_passes():
    assert judged_kind(worst_cords=(cord(amps=16.0),)) == []
    (finding,) = judged_kind(worst_cords=(cord(amps=16.01),))
    assert (finding.id, finding.where) == ("POWER-013", "lab-r001/feed-a/U2-PSU1")
    assert finding.limit == "16.00 A (C19 outlet and cord)"


def test_uneven_lines_matter_only_where_they_carry_much():
    even = segment(load_a=amps(48.0, 36.0, 36.0))
    assert judged(even) == [], "the fullest is 20 % above the mean of 40"
    (finding,) = judged(segment(load_a=amps(48.1, 36.0, 35.9)))
    assert (finding.id, finding.where) == ("POWER-014", "lab-hall/panel-a")
    assert "48.1 / 36.0 / 35.9 A: the fullest is 20.2 % above their mean" in finding.found
    assert judged(segment(load_a=amps(40.0, 3.0, 3.0))) == [], "half of what a line may carry"
    assert ids(judged(segment(load_a=amps(40.1, 3.0, 3.0)))) == ["POWER-014"]
    unrated = ups("ups-b", load_a=amps(9.0, 1.0, 1.0), rated_kva=None)
    assert ids(judged(unrated)) == ["POWER-014"], "no limit is stated: every load matters"
    assert judged(ups("ups-b", load_a=amps(69.5, 9.0, 9.0))) == [], "100 kVA at 415 V are 139.1 A in each line"
    assert ids(judged(ups("ups-b", load_a=amps(69.6, 9.0, 9.0)))) == ["POWER-014"]
    assert judged(segment(phases=1, load_a=amps(60.0, 0.0, 0.0))) == []


def test_uneven_lines_of_a_strip():
    uneven = rack_feed(load_a=amps(30.0, 20.0, 20.0))
    (finding,) = judged_kind(feeds=(uneven,))
    assert (finding.id, finding.where) == ("POWER-014", "lab-r001/feed-a")
    assert judged_kind(feeds=(rack_feed(phases=1, load_a=amps(30.0, 0.0, 0.0)),)) == []
    assert judged_kind(feeds=(rack_feed(load_a=amps(24.0, 2.0, 2.0)),)) == []


def test_single_cords():
    (finding,) = judged_kind(single_cord=("sn1000",))
    assert (finding.id, finding.where, finding.limit) == ("POWER-016", "lab-r001/sn1000", "two feeds for each device")


def test_a_breaker_smaller_than_one_supply():
    assert judged_kind(circuits=(circuit(psu_a=20.0),)) == []
    (bank,) = judged_kind(circuits=(circuit(psu_a=20.1),))
    assert (bank.id, bank.where, bank.limit) == ("POWER-019", "lab-r001/pdu-a/B1", "20 A breaker")
    assert judged_kind(circuits=(circuit(psu_a=99.0, breaker_a=None, limit_a=None),)) == []
    assert judged_kind(feeds=(rack_feed("a", breaker_a=14.9), rack_feed("b"))) == []
    (feed,) = judged_kind(feeds=(rack_feed("a", breaker_a=14.8), rack_feed("b")))
    assert (feed.id, feed.where) == ("POWER-019", "lab-r001/feed-a")
    assert feed.found == "one supply of a dgx-h100 draws 14.90 A on feed a"
    assert judged_kind(feeds=(rack_feed("c", breaker_a=1.0),)) == [], "no cord of it"


def test_the_largest_supply_of_the_feed_counts():
    cords = (cord(outlet_type="c13", amps=9.0, limit_a=10.0), cord(amps=14.9))
    assert ids(judged_kind(worst_cords=cords, feeds=(rack_feed("a", breaker_a=10.0),))) == ["POWER-019"]


def test_what_is_above_the_racks_is_asked_for():
    (nothing,) = check_hall_power(HallPower(), "lab-hall")
    assert (nothing.id, nothing.severity, nothing.where) == ("POWER-020", "undecided", "lab-hall")
    assert nothing.found == "railyard:power is not stated"
    supply = segment("supply", kind="supply", breaker_a=None, limit_a=None)
    (bare,) = check_hall_power(HallPower(stated=True, segments=(supply,)), "lab-hall")
    assert bare.found == "railyard:power has no paths"


def test_a_rating_above_80_percent_has_its_evidence():
    full = {"continuous_rating": 1.0, "limit_a": 100.0}
    assert judged(segment(**full, evidence="100 % rated, UL 489 listing on the label")) == []
    (finding,) = judged(segment(**full))
    assert (finding.id, finding.limit) == ("POWER-021", "80 % without evidence")
    assert judged(segment(continuous_rating=0.8)) == []
    assert ids(judged(segment(continuous_rating=0.81))) == ["POWER-021"]
    assert judged(ups("ups-b", continuous_rating=1.0)) == [], "no breaker is stated"


def test_thresholds_move_each_limit():
    strict = Thresholds(
        segment_percent_max=70,
        segment_failover_percent_max=50,
        circuit_percent_max=50,
        cord_percent_max=50,
        phase_imbalance_percent_max=1,
        phase_balance_from_percent=10,
        continuous_rating_max=0.5,
    )
    hall = hall_power(segments=(ups(), segment(load_a=amps(60.0, 58.0, 58.0))))
    found = {finding.id for finding in check_hall_power(hall, "lab-hall", strict)}
    assert found == {"POWER-008", "POWER-009", "POWER-010", "POWER-011", "POWER-013", "POWER-014", "POWER-021"}
