"""Waivers: in force, lapsed, elsewhere, refused."""

from datetime import date

import pytest
from pydantic import ValidationError

from railyard.model.site import Waiver
from railyard.rules import RULES, apply_waivers, check_rack, grouped
from railyard.rules.registry import listed, register
from railyard.rules.waivers import check_waivers
from tests.unit.rules.rules_factory import feed, ids, rack

TODAY = date(2026, 6, 1)
OVERLOADED = check_rack(rack(feeds=(feed("a", survivor_kw=40.0), feed("b"))))


def waiver(rule="POWER-001", where="*", expires="2026-12-31"):
    return Waiver(rule=rule, where=where, reason="new PDUs are ordered", expires=expires)


def severities(*waivers, findings=OVERLOADED):
    return [finding.severity for finding in apply_waivers(findings, waivers, TODAY)]


def test_without_a_waiver_nothing_changes():
    assert apply_waivers(OVERLOADED, [], TODAY) == OVERLOADED


def test_a_waiver_in_force_says_until_when_and_why():
    (finding,) = apply_waivers(OVERLOADED, [waiver()], TODAY)
    assert finding.severity == "waived"
    assert finding.found.endswith("[waived until 2026-12-31: new PDUs are ordered]")


def test_it_lapses_on_the_day_it_expires():
    assert severities(waiver(expires="2026-06-02")) == ["waived"]
    (finding,) = apply_waivers(OVERLOADED, [waiver(expires="2026-06-01")], TODAY)
    assert finding.severity == "limit"
    assert finding.found.endswith("[waiver lapsed on 2026-06-01: new PDUs are ordered]")


def test_the_latest_of_several_counts():
    assert severities(waiver(expires="2020-01-01"), waiver(), waiver(expires="2021-01-01")) == ["waived"]


def test_place_is_a_glob_on_the_finding_or_its_device():
    for where in ("lab-r001", "lab-r00?", "lab-r001/feed-a", "*/feed-a"):
        assert severities(waiver(where=where)) == ["waived"]
    for where in ("lab-r002", "lab-r001/feed-b", "LAB-R001"):
        assert severities(waiver(where=where)) == ["limit"]


def test_another_rule_is_not_waived():
    assert severities(waiver(rule="POWER-002")) == ["limit"]


def test_undecided_can_be_waived_an_invariant_and_a_gate_can_not():
    undecided = [RULES["RACK-001"].undecided("lab-r001", "?", "?", "?")]
    assert severities(waiver(rule="RACK-001"), findings=undecided) == ["waived"]
    for rule in ("RACK-002", "GATE-001", "GATE-002"):
        finding = RULES[rule].finding("lab-r001", "?", "?")
        assert apply_waivers([finding], [waiver(rule=rule)], TODAY) == [finding]


def test_what_can_not_be_waived_is_said_and_stays():
    assert check_waivers([waiver()], OVERLOADED, TODAY) == []
    never = ("RACK-002", "GATE-001", "GATE-002", "SLICE-001", "WAIVER-001", "WAIVER-002", "WAIVER-003")
    findings = check_waivers([waiver(rule=rule) for rule in ("POWER-999", *never)], OVERLOADED, TODAY)
    assert ids(findings) == ["WAIVER-001"] * 8
    assert "which is no rule" in " ".join(f.found for f in findings)
    assert sum("can't be waived" in f.found for f in findings) == 7
    for rule in never:
        finding = RULES[rule].finding("lab-r001", "?", "?")
        assert apply_waivers([finding], [waiver(rule=rule)], TODAY) == [finding]


def test_a_waiver_of_more_than_a_year_is_not_in_force():
    """366 days from 2026-06-01 are 2027-06-02."""
    assert severities(waiver(expires="2027-06-02")) == ["waived"]
    assert check_waivers([waiver(expires="2027-06-02")], OVERLOADED, TODAY) == []
    for day in ("2027-06-03", "9999-12-31"):
        (finding,) = apply_waivers(OVERLOADED, [waiver(expires=day)], TODAY)
        assert finding.severity == "limit"
        assert finding.found.endswith(f"[waiver until {day} is over a year, so not in force]")
        (said,) = check_waivers([waiver(expires=day)], OVERLOADED, TODAY)
        assert (said.id, said.found, said.limit) == (
            "WAIVER-002",
            f"waiver of POWER-001 at * until {day}",
            "2027-06-02, a year from today",
        )
    assert severities(waiver(expires="9999-12-31"), waiver()) == ["waived"], "the other one counts"


def test_waivers_that_lapsed_or_meet_nothing_are_said():
    for changes, what in (
        ({"expires": "2026-06-01"}, "waiver of POWER-001 at * lapsed on 2026-06-01"),
        ({"where": "lab-r9"}, "waiver of POWER-001 at lab-r9 meets no finding"),
        ({"rule": "POWER-002"}, "waiver of POWER-002 at * meets no finding"),
    ):
        (finding,) = check_waivers([waiver(**changes)], OVERLOADED, TODAY)
        assert (finding.id, finding.found) == ("WAIVER-003", what)
    assert check_waivers([waiver(expires="2026-06-02")], OVERLOADED, TODAY) == []
    elsewhere = [waiver(rule="K8S-001"), waiver(rule="SEC-001")]
    assert check_waivers(elsewhere, [], TODAY) == [], "a pack or the program judges these"
    assert ids(check_waivers([waiver(rule="PLAN-008")], [], TODAY)) == ["WAIVER-003"]


@pytest.mark.parametrize("day", ["2026-02-31", "2026-13-01", "2027-02-29", "0000-01-01"])
def test_a_day_that_never_comes_is_no_date(day):
    with pytest.raises(ValidationError, match="a date that exists"):
        waiver(expires=day)


def test_grouping_for_people_keeps_what_differs():
    racks = [rack(name=f"lab-r{n:03d}", air_kw=30.0) for n in (10, 2, 1, 4)] + [rack(name="lab-r005", air_kw=31.0)]
    findings = [finding for each in racks for finding in check_rack(each)]
    first, second = grouped(findings)
    assert first.where == "lab-r001, lab-r002, lab-r004 and 1 more"
    assert second.where == "lab-r005"
    assert grouped(findings, 4)[0].where == "lab-r001, lab-r002, lab-r004, lab-r010"


def test_lists_are_cut_after_the_first_few():
    assert listed(["a", "b", "c"]) == "a, b, c"
    assert listed(["a", "b", "c", "d"]) == "a, b, c and 1 more"


def test_findings_read_well_and_an_id_is_given_once():
    text = str(OVERLOADED[0])
    assert text.startswith("POWER-001 lab-r001/feed-a (limit)\n  found: ")
    assert "docs/reference/rules.md#power-001" in text
    rule = RULES["POWER-001"]
    with pytest.raises(ValueError, match="registered twice"):
        register(rule)
