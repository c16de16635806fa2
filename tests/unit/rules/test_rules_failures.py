"""What single failures may do: at the limit, one step over, grouped by kind, and what nobody can tell."""

import pytest

from railyard.plan import plan
from railyard.plan.failures import failure_summary
from railyard.rules import RULES, Thresholds, check, check_failures
from railyard.rules.failures import FAILURE_IDS
from tests.planned_site import SiteMaker
from tests.unit.plan.failing_sites import changed, path
from tests.unit.rules.failures_factory import line, summary

pytestmark = pytest.mark.requirement("C3")


def found(*lines, limits=None, **changes):
    return [(f.id, f.severity, f.where) for f in check_failures(summary(*lines, **changes), limits or Thresholds())]


def only(*lines, limits=None):
    (finding,) = check_failures(summary(*lines), limits or Thresholds())
    return finding


def test_a_throttled_hall_passes():
    assert found() == []


def test_gpus_down_at_the_limit_and_one_more():
    limits = Thresholds(failure_gpus_down_max=8)
    assert found(line(gpus_down=8), limits=limits) == []
    finding = only(line(gpus_down=9), limits=limits)
    assert (finding.id, finding.severity, finding.where) == ("POWER-030", "limit", "lab-hall/ups")
    assert finding.found == "ups-a fails (or one of 1 more like it): 9 of 1024 GPUs lose their power"
    assert finding.limit == "at most 8 GPUs"


def test_the_worst_of_each_kind_speaks_for_all():
    rows = [line("pdu", f"r{n}-pdu-a", gpus_down=24, stands_for=80) for n in range(3)] + [line(gpus_down=24, stands_for=1)]
    assert found(*rows) == [("POWER-030", "limit", "lab-hall/pdu"), ("POWER-030", "limit", "lab-hall/ups")]
    texts = [finding.found for finding in check_failures(summary(*rows))]
    assert texts[0].startswith("r0-pdu-a fails (or one of 239 more like it)")
    assert texts[1].startswith("ups-a fails: 24")


def test_a_cascade_names_what_trips():
    finding = only(line(trips=("panel-b at 412.0 A of 400.0 A", "bus-b at 90.0 A of 80.0 A")))
    assert finding.id == "POWER-031"
    assert "then trip panel-b at 412.0 A of 400.0 A, bus-b at 90.0 A of 80.0 A" in finding.found


def test_throttling_at_the_limit_and_a_watt_deeper():
    at = {"throttled_of_kw": 1000.0}
    assert found(line(throttled_kw=800.0, **at)) == []
    assert found(line(throttled_kw=799.999, **at)) == [("POWER-032", "limit", "lab-hall/ups")]
    assert found(line(throttled_kw=799.999, **at), limits=Thresholds(failure_throttled_percent_min=79)) == []
    assert "1024 GPUs run on 500.0 of 1000.0 kW (50.0 %)" in only(line(throttled_kw=500.0, **at)).found


def test_a_mirror_group_is_two_halves_and_an_unmirrored_target_is_none():
    assert found(line(mirrors_lost=("lab-sto01-meta00",))) == []
    finding = only(line(mirrors_lost=("lab-sto01-meta00", "a-data00 + b-data00")))
    assert finding.id == "POWER-033"
    assert "both halves of a-data00 + b-data00 are gone" in finding.found


def test_pairs_and_managers():
    assert found(line(networks_cut={"oob": 32})) == [], "single-homed by design"
    finding = only(line(networks_cut={"storage": 128}, managers_lost=("fabric",)))
    assert finding.id == "POWER-034"
    assert "all subnet managers of fabric and both storage switches of 128 machines are down" in finding.found


def test_devices_on_one_feed():
    finding = only(line("rack-feed", "r1/feed-a", switches_down=("leaf-r0",), rails_lost=1, gpus_cut_off=32, storage_down=2))
    assert (finding.id, finding.where) == ("POWER-035", "lab-hall/rack-feed")
    assert "leaf-r0 and what hangs on them, 1 rail (32 GPUs cut off), 2 storage servers" in finding.found
    assert found(line(switches_down=("leaf-r0",), trips=("x at 9.0 A of 8.0 A",))) == [("POWER-031", "limit", "lab-hall/ups")]
    assert found(line("leaf", "leaf-r0", switches_down=("leaf-r0",), gpus_cut_off=32)) == [], (
        "a leaf by itself is no power failure"
    )


def test_the_unknown_is_undecided_and_never_a_pass():
    row = line(gpus_throttled=0, gpus_unknown=8, unknown=("psus of x is unknown", "psusToRun of y is unknown"))
    assert found(row) == [("POWER-036", "undecided", "lab-hall/ups")]
    assert only(row).fix == "enter psus of x, psusToRun of y in railyard/catalog"
    assert only(line(gpus_throttled=0, gpus_unknown=8)).fix == "enter the missing figure in railyard/catalog"
    assert found(line(), omitted=7) == [("POWER-036", "undecided", "lab-hall")]


def test_without_a_stated_path_these_rules_say_nothing():
    assert found(line(gpus_down=1024, unknown=("x",)), stated=False, omitted=9) == []


def test_cooling_and_devices_are_judged_elsewhere():
    rows = [line(kind, kind, gpus_down=32, trips=("x",)) for kind in ("cdu", "air-unit", "rear-door", "leaf", "storage")]
    assert found(*rows) == []


def test_every_rule_is_in_the_pack_and_has_all_its_words():
    assert sorted(FAILURE_IDS) == [f"POWER-{number:03d}" for number in range(30, 37)]
    for rule in (RULES[name] for name in FAILURE_IDS):
        assert rule.pack == "power"
        assert all((rule.why, rule.inputs, rule.passes, rule.fails, rule.cause, rule.manual, rule.fix, rule.source))


BROKEN = {
    "POWER-030": ({"power": path(panel=60.0)}, {}),
    "POWER-031": ({"power": path(panel=60.0)}, {}),
    "POWER-032": ({"power": path()}, {"nodes": {"dgx-h100": {"psu_kw": 2.0, "psus_to_run": 3}}}),
    "POWER-033": ({"power": path(), "storage": {"mirrored": True}}, {"storage": {"beegfs-12nvme": {"psus": 1}}}),
    "POWER-034": ({"power": path()}, {"switches": {"qm9700": {"psus": 1, "psus_for_full": 1}}}),
    "POWER-035": ({"power": path()}, {"switches": {"qm9700": {"psus": 1, "psus_for_full": 1}}}),
    "POWER-036": ({"power": path()}, {"nodes": {"dgx-h100": {"psus": None}}}),
}


@pytest.mark.parametrize("rule", sorted(BROKEN))
def test_a_broken_hall_is_found_by_the_program(site: SiteMaker, rule):
    from datetime import date

    sections, models = BROKEN[rule]
    config = changed(site(**sections), **models)
    assert rule in {finding.id for finding in check(config, plan(config), date(2026, 11, 30))}


def test_a_good_hall_is_not(site: SiteMaker):
    from datetime import date

    config = site(power=path())
    assert not FAILURE_IDS & {finding.id for finding in check(config, plan(config), date(2026, 11, 30))}


def test_gpus_that_are_only_assumed_to_run_on_are_undecided():
    note = "psusToRun of dgx-b200 is unknown: it runs on what is left"
    finding = only(line(assumed=(note,)))
    assert (finding.id, finding.severity, finding.where) == ("POWER-030", "undecided", "lab-hall/ups")
    assert finding.found.endswith(f"whether 1024 GPUs run on at all is assumed: {note}")
    assert found(line(assumed=("psuKw of dgx is unknown: its share of psusForFull",))) == []
    assert [severity for _, severity, _ in found(line(assumed=(note,), gpus_down=8))] == ["limit"]


def test_the_way_out_fits_what_failed():
    """A larger breaker helps where one trips; against a lost supply only supplies help."""
    fixes = {kind: only(line(kind, "it", gpus_down=8)).fix for kind in ("ups", "panel", "rack-feed", "pdu", "circuit", "psu")}
    assert fixes["ups"].startswith("a second feed for what hangs on it, or supplies that carry")
    assert fixes["pdu"].startswith("a second strip on another feed")
    assert fixes["circuit"].startswith("cords of the machine on more of the strip's breakers")
    assert fixes["psu"].startswith("a machine that runs with one supply less")
    assert not any(word in fix for fix in fixes.values() for word in ("another ups", "raise"))
    trips = line("pdu", "r1-pdu-a", gpus_down=8, trips=("bus-b at 130.0 A of 125.0 A",))
    (cascade, *_) = check_failures(summary(trips), Thresholds())
    assert (cascade.id, cascade.fix) == ("POWER-030", "raise what trips next (bus-b), or take racks or nodes off it")


def test_one_piece_behind_both_feeds_is_named_as_the_way_out(site: SiteMaker):
    """One UPS feeds a and b: no larger breaker helps."""
    finding = only(line(gpus_down=8, shared_by=("a", "b")))
    assert finding.fix == "feed b from another UPS: ups-a is behind feeds a and b"
    panel = only(line("panel", "panel-1", gpus_down=8, shared_by=("a", "b")))
    assert panel.fix == "feed b from another panel: panel-1 is behind feeds a and b"
    both = [{"name": "one", "kind": "ups", "ratedKva": 400}]
    both += [{"name": f"bus-{feed}", "kind": "busway", "from": "one", "feed": feed, "breakerA": 250} for feed in "ab"]
    lines = {row.lost: row.shared_by for row in failure_summary(plan(site(power={**path(), "paths": both}))).lines}
    assert lines["one"] == ("a", "b")
    assert lines.get("bus-a", ()) == ()
