"""The failure matrix of planned sites: what each loss does to GPUs, rails, storage and managers, and what nobody knows."""

from collections import Counter

import msgspec
import pytest

from railyard.model.failures import FailureMatrix
from railyard.plan import plan
from railyard.plan.electrical import cords_of, hall_power
from railyard.plan.failures import FailureError, failure_event, failure_matrix, failure_pairs, failure_summary
from railyard.plan.failures.matrix import scene_of
from railyard.plan.failures.tree import line_amps
from railyard.render.failure_text import event_text, matrix_text, worst_text
from railyard.rules.upstream import check_hall_power
from tests.planned_site import SiteMaker
from tests.unit.plan.failing_sites import COOLING, changed, feeds, gpus_of, path, worst

pytestmark = pytest.mark.requirement("C3")

# What is counted


def test_everything_that_can_fail_is_counted_once(site: SiteMaker):
    planned = plan(site(power=path()))
    matrix = failure_matrix(planned)
    counts = {row.kind: row.events for row in matrix.by_kind}
    cords = [cord for rack in planned.racks for cord in cords_of(planned, rack) if cord.installed]
    assert counts["psu"] == len({(cord.device, cord.psu) for cord in cords})
    assert counts["pdu"] == len({cord.pdu for cord in cords})
    assert counts["rack-feed"] == len({(cord.rack, cord.feed) for cord in cords})
    segments = Counter(segment.kind for segment in planned.power.segments)
    assert {kind: counts[kind] for kind in ("ups", "panel", "busway")} == {
        kind: segments[kind] for kind in ("ups", "panel", "busway")
    }
    assert counts["leaf"] + counts.get("spine", 0) == len(planned.switches)
    assert counts["switch"] == len(planned.network_switches)
    assert counts["storage"] == 2
    assert matrix.count == sum(counts.values()) == sum(event.stands_for for event in matrix.events)


def test_breakers_inside_of_strips_are_counted_where_they_are_known(site: SiteMaker):
    config = site(power=path())
    banked = next(name for name, model in config.catalog.pdus.items() if model.banks and model.phases == 3)
    planned = plan(site(facility=feeds("ab") | {"feeds": [{"name": f, "pduModel": banked, "pdusPerRack": 2} for f in "ab"]}))
    cords = [cord for rack in planned.racks for cord in cords_of(planned, rack) if cord.installed and cord.circuit]
    assert cords
    matrix = failure_matrix(planned)
    (row,) = [row for row in matrix.by_kind if row.kind == "circuit"]
    assert row.events == len({(cord.pdu, cord.circuit) for cord in cords})
    name = f"{cords[0].pdu}/{cords[0].circuit}"
    assert failure_event(planned, name).lost == (name,)


def test_gpus_add_up_in_every_event(site: SiteMaker):
    matrix = failure_matrix(plan(site(power=path(panel=120.0))))
    assert matrix.gpus == 32
    assert {sum(gpus_of(event)) for event in matrix.events} == {32}


def test_loads_with_nothing_lost_are_those_of_the_power_plan(site: SiteMaker):
    planned = plan(site(nodes=9, power=path(), fabric={"scalableUnits": 1}))
    scene = scene_of(planned)
    for row, segment, load in zip(planned.power.segments, scene.hall.segments, scene.cascade.load, strict=True):
        assert line_amps(load, segment.volts, segment.phases) == pytest.approx(row.load_a.worst_a, abs=1e-5)
        assert sum(load).real == pytest.approx(row.load_kw, abs=1e-5)


def one_phase(letters: str = "ab") -> dict[str, object]:
    rows = [{"name": letter, "pduModel": "vertiv-gi10022l", "pdusPerRack": 4} for letter in letters]
    return {"feeds": rows, "spreadRacks": 4, "nodesPerRack": 1}


@pytest.mark.parametrize(
    "supply",
    [
        {"volts": 400, "voltageReference": "line-line"},
        {"volts": 230, "voltageReference": "line-neutral"},
        {"volts": 230, "voltageReference": "line-neutral", "phases": 1},
    ],
)
def test_strips_of_one_phase_and_losses_add_up_as_in_the_power_plan(site: SiteMaker, supply: dict[str, object]):
    """Strips tap lines in turn, a UPS loses 4 %, and a path of one phase carries everything on its line."""
    section = path()
    section["supply"] = supply
    section["paths"] = [row | ({"efficiency": 0.96} if row["kind"] == "ups" else {}) for row in section["paths"]]
    planned = plan(site(nodes=7, facility=one_phase(), power=section))
    scene = scene_of(planned)
    assert any(spot.turn for spot in scene.hall.spots)
    for row, segment, load in zip(planned.power.segments, scene.hall.segments, scene.cascade.load, strict=True):
        assert line_amps(load, segment.volts, segment.phases) == pytest.approx(row.load_a.worst_a, abs=1e-5), row.name
        assert sum(load).real == pytest.approx(row.load_kw, abs=1e-5)


def test_a_breaker_that_trips_with_nothing_lost_is_said(site: SiteMaker):
    matrix = failure_matrix(plan(site(power=path(bus=20.0))))
    assert any("bus-a-01, bus-b-01 trips with nothing lost" in note for note in matrix.notes)


def test_losing_a_feed_above_all_racks_is_the_power_plans_worst_case(site: SiteMaker):
    """Two calculations of the same failover: the cascade's and that of the power plan's survivors."""
    planned = plan(changed(site(power=path(panel=4000.0, bus=4000.0)), nodes={"dgx-h100": {"psus_for_full": 3, "psu_kw": 4.0}}))
    scene = scene_of(planned)
    outcome = scene.cascade.lose_segments([next(i for i, s in enumerate(scene.hall.segments) if s.name == "ups-a")])
    loads = scene.cascade.changed(outcome.cells)
    rows = {row.name: row for row in planned.power.segments}
    for index, load in loads.items():
        segment = scene.hall.segments[index]
        if segment.name.startswith(("ups-b", "panel-b", "bus-b")):
            assert line_amps(load, segment.volts) == pytest.approx(rows[segment.name].worst_a.worst_a, abs=1e-5)


def test_each_failure_is_found_by_its_name(site: SiteMaker):
    planned = plan(site(power=path(), cooling=COOLING))
    for event in failure_matrix(planned).events:
        for name in event.alike:
            found = failure_event(planned, name)
            assert (found.kind, found.lost) == (event.kind, (name,))
            assert gpus_of(found) == gpus_of(event)


def test_an_unknown_name_gets_the_nearest_one(site: SiteMaker):
    planned = plan(site(power=path()))
    with pytest.raises(FailureError) as error:
        failure_event(planned, "upsa")
    (problem,) = error.value.problems
    assert (problem.id, problem.where, problem.found) == ("FAIL-001", "--event", "'upsa'")
    assert "ups-a" in problem.fix
    with pytest.raises(FailureError) as error:
        failure_pairs(planned, "t-r1")
    assert "t-r001" in error.value.problems[0].fix


def test_hostile_names_are_only_unknown(site: SiteMaker):
    planned = plan(site())
    for name in ("", "\x1b[2J", "a" * 100_000, "мост", "{rack}"):
        with pytest.raises(FailureError):
            failure_event(planned, name)


def test_the_matrix_of_the_same_plan_is_kept_and_of_another_one_made(site: SiteMaker):
    one, other = plan(site()), plan(site(nodes=3))
    assert failure_matrix(one) is failure_matrix(one)
    assert failure_matrix(other).gpus == 24
    assert failure_matrix(one).gpus == 32


# Power: supplies, feeds, cascades


def test_case_4_a_lost_feed_throttles_three_and_three(site: SiteMaker):
    matrix = failure_matrix(plan(site(power=path())))
    event = worst(matrix, "ups")
    assert gpus_of(event) == (0, 32, 0, 0)
    assert (event.throttled_kw, event.throttled_of_kw) == (pytest.approx(4 * 9.9), pytest.approx(4 * 10.2))
    assert not event.cascades


def test_case_4_three_feeds_survive_any_one(site: SiteMaker):
    planned = plan(site(facility=feeds("abc"), power=path(letters="abc")))
    matrix = failure_matrix(planned)
    for kind in ("ups", "panel", "busway", "rack-feed", "pdu", "psu"):
        (row,) = [row for row in matrix.by_kind if row.kind == kind]
        assert row.survived == row.events, kind


def test_four_and_two_is_a_result_not_a_label(site: SiteMaker):
    """The feed of two supplies may go; the feed of four leaves two of them, fewer than the node runs with."""
    wired = path(psuFeeds={"dgx-h100": ["a", "a", "a", "a", "b", "b"]})
    config = changed(site(power=wired), nodes={"dgx-h100": {"psus_for_full": 4, "psus_to_run": 3, "psu_kw": 3.3}})
    planned = plan(config)
    assert gpus_of(failure_event(planned, "ups-b")) == (32, 0, 0, 0)
    assert gpus_of(failure_event(planned, "ups-a")) == (0, 0, 32, 0)


def test_one_feed_is_the_end_of_everything_on_it(site: SiteMaker):
    matrix = failure_matrix(plan(site(facility=feeds("a", 4), power=path(letters="a"))))
    event = worst(matrix, "ups")
    assert gpus_of(event) == (0, 0, 32, 0)
    assert event.gpus_cut_off == 0, "GPUs without power are down, not cut off"
    assert len(event.rails_lost) == 8
    assert event.storage_down == ("t-sto01", "t-sto02")
    assert len(event.mirrors_lost) > 0
    assert event.managers_lost == ("fabric",)


def test_an_overloaded_failover_cascades_step_by_step(site: SiteMaker):
    """Panel b carries the whole hall after UPS a is lost, more than its breaker: then nothing is left."""
    planned = plan(site(power=path(panel=60.0)))
    event = failure_event(planned, "ups-a")
    row = next(row for row in planned.power.segments if row.name == "panel-b")
    (trip,) = event.steps[0].trips
    assert (trip.name, trip.kind, trip.rating_a, trip.derated_a) == ("panel-b", "panel", 60.0, 48.0)
    assert 60.0 < trip.amps <= row.worst_a.worst_a + 1e-6
    assert [bool(step.trips) for step in event.steps] == [True, False]
    assert gpus_of(event) == (0, 0, 32, 0)
    assert event.steps[-1].draw_kw == 0


def test_a_strip_alone_trips_by_its_own_breaker(site: SiteMaker):
    """One strip of 60 A for each feed and four nodes in a rack: the survivor would carry 40 kW, 58 A at power factor 0.95."""
    config = site(nodes=4, facility=feeds("ab", 1) | {"spreadRacks": 1, "nodesPerRack": 4}, power=path())
    event = failure_event(plan(config), "t-r001-pdu-a")
    (trip,) = event.steps[0].trips
    assert (trip.name, trip.kind, trip.rating_a) == ("t-r001-pdu-b", "pdu", 60.0)
    assert event.gpus_down == 32
    assert event.steps[-1].down > 0


def test_single_cord_switches_take_their_rails_with_feed_a(site: SiteMaker):
    facts = {"switches": {"qm9700": {"psus": 1, "psus_for_full": 1}}}
    planned = plan(changed(site(power=path()), **facts))
    event = failure_event(planned, "ups-a")
    assert event.rails_lost == tuple(f"su001/r{rail}" for rail in range(8))
    assert event.gpus_cut_off == 32
    assert event.managers_lost == ("fabric",)
    assert failure_event(planned, "ups-b").rails_lost == ()
    saved = failure_event(plan(changed(site(power=path(singleCord="ats")), **facts)), "ups-a")
    assert (saved.rails_lost, saved.gpus_cut_off, saved.managers_lost) == ((), 0, ())


def test_both_halves_of_a_mirror_on_one_feed(site: SiteMaker):
    facts = {"storage": {"beegfs-12nvme": {"psus": 1, "psus_for_full": 1}}}
    section = {"storage": {"mirrored": True}}
    planned = plan(changed(site(power=path(), **section), **facts))
    event = failure_event(planned, "ups-a")
    assert event.storage_down == ("t-sto01", "t-sto02")
    assert "t-sto01-data00 + t-sto02-data00" in event.mirrors_lost
    assert failure_event(plan(site(power=path(), **section)), "ups-a").mirrors_lost == ()
    alone = failure_event(planned, "t-sto01")
    assert (alone.storage_down, alone.mirrors_lost) == (("t-sto01",), ())


def test_a_pair_of_storage_switches_on_one_feed_cuts_machines_off(site: SiteMaker):
    planned = plan(site(power=path()))
    pair = sorted(switch.name for switch in planned.network_switches if switch.network == "storage")
    reach = scene_of(planned).networks.reach
    assert len(pair) == 2
    assert reach(pair[:1]).networks_cut.get("storage") is None
    assert reach(pair).networks_cut["storage"] == 4 + 2
    assert reach(pair).storage_down == ("t-sto01", "t-sto02")


def test_unknown_supplies_are_never_a_pass(site: SiteMaker):
    config = changed(site(power=path()), nodes={"dgx-h100": {"psus": None, "psus_for_full": None, "psu_kw": None}})
    planned = plan(config)
    matrix = failure_matrix(planned)
    event = failure_event(planned, "ups-a")
    assert gpus_of(event) == (0, 0, 0, 32)
    assert event.unknown == ("psus of dgx-h100 is unknown",)
    assert not any("gpu" in name for one in matrix.events if one.kind == "psu" for name in one.alike)
    assert any("psus of dgx-h100 is unknown" in note for note in matrix.notes)
    assert [row.survived for row in matrix.by_kind if row.kind == "ups"] == [0]


def test_assumed_states_say_what_they_assume(site: SiteMaker):
    config = changed(site(power=path()), nodes={"dgx-h100": {"psus_for_full": None, "psus_to_run": None}})
    event = failure_event(plan(config), "ups-a")
    assert gpus_of(event) == (0, 32, 0, 0)
    assert any("psusToRun of dgx-h100 is unknown" in note for note in event.assumed)


def test_without_a_path_nothing_above_the_racks_is_claimed(site: SiteMaker):
    matrix = failure_matrix(plan(site()))
    assert not {"ups", "panel", "busway"} & {row.kind for row in matrix.by_kind}
    assert any("railyard:power isn't stated" in note for note in matrix.notes)
    assert any("breakers inside of pdu-415v-60a-3ph are unknown" in note for note in matrix.notes)


def test_an_unrated_panel_is_named(site: SiteMaker):
    section = path()
    section["paths"] = [{k: v for k, v in row.items() if k != "breakerA"} for row in section["paths"]]
    matrix = failure_matrix(plan(site(power=section)))
    assert any("neither breaker nor rating of" in note and "panel-a" in note for note in matrix.notes)


# Pairs and summary


def test_pairs_of_a_rack_are_all_pairs(site: SiteMaker):
    planned = plan(site(power=path()))
    cords = [cord for cord in cords_of(planned, "t-r001") if cord.installed]
    single = len(cords) + len({c.pdu for c in cords}) + len({c.feed for c in cords}) + len(planned.power.segments) - 1
    pairs = failure_pairs(planned, "t-r001")
    assert pairs.count == single * (single - 1) // 2
    assert {len(event.lost) for event in pairs.events} == {2}
    assert {name.count(" + ") for event in pairs.events for name in event.alike} == {1}


def test_two_feeds_at_once_are_everything(site: SiteMaker):
    pairs = failure_pairs(plan(site(power=path())), "t-r001")
    both = next(event for event in pairs.events if set(event.lost) == {"ups-a", "ups-b"})
    assert gpus_of(both) == (0, 0, 32, 0)


def test_a_summary_holds_what_is_not_harmless_and_stays_small(site: SiteMaker):
    summary = failure_summary(plan(site(power=path(panel=60.0))))
    assert summary.stated
    assert summary.lines[0].gpus_down == 32
    assert summary.lines[0].trips
    assert all(line.kind != "psu" for line in summary.lines)
    assert len(summary.model_dump_json(by_alias=True)) < 16_384


def test_json_is_camel_case_and_complete(site: SiteMaker):
    matrix = failure_matrix(plan(site(power=path())))
    text = msgspec.json.decode(msgspec.json.encode(matrix))
    assert text["byKind"][0]["kind"] == "ups"
    assert text["events"][0]["gpusThrottled"] == 32
    assert msgspec.convert(text, FailureMatrix) == matrix


def test_an_assumed_outcome_is_marked_in_table_line_and_summary(site: SiteMaker):
    known = plan(changed(site(power=path()), nodes={"dgx-h100": {"psus_to_run": 3}}))
    guessed = plan(changed(site(power=path()), nodes={"dgx-h100": {"psus_to_run": None}}))
    text = "psusToRun of dgx-h100 is unknown: it runs on what is left"
    assert text not in worst_text(failure_matrix(known))
    assert f"; assumed: {text}" in worst_text(failure_matrix(guessed))
    table = matrix_text(failure_matrix(guessed), "t")
    assert "is assumed" in table.splitlines()[0]
    assert table.splitlines()[2].split()[-2:] == ["assumed", "worst"]
    assert "assumed" not in "".join(matrix_text(failure_matrix(known), "t").splitlines()[:3])
    assert any(text in row.assumed for row in failure_summary(guessed).lines)


def test_pairs_are_told_by_what_is_lost_first(site: SiteMaker):
    pairs = failure_pairs(plan(site(power=path())), "t-r001")
    assert matrix_text(pairs, "t", pairs=True).splitlines()[2].startswith("first lost ")


def test_a_rating_in_kw_or_kva_is_told_in_its_own_unit(site: SiteMaker):
    """A UPS has no breaker in ampere here: what binds it is its plate."""

    def told(rated: dict[str, float]):
        section = path(panel=4000.0, bus=4000.0)
        rows = [row | rated if row["kind"] == "ups" else row for row in section["paths"]]  # type: ignore[union-attr]
        planned = plan(site(power={**section, "paths": rows}))
        event = failure_event(planned, "ups-a")
        return event_text(event, 32).splitlines(), failure_summary(planned).lines

    by_kw, lines = told({"ratedKva": 400, "ratedKw": 60})
    assert any("trips ups-b: " in line and " kW, rated 60.0 kW" in line for line in by_kw)
    assert any("ups-b at " in trip and trip.endswith(" kW of 60.0 kW") for line in lines for trip in line.trips)
    assert any(line.startswith("    ups-b: ") and "rated 400.0 kVA" in line for line in told({"ratedKva": 400})[0])
    near, _ = told({"ratedKva": 400, "ratedKw": 80})
    assert any(line.startswith("    ups-b: ") and "rated 80.0 kW" in line for line in near), "by kW it is the fullest"


def test_plan_and_matrix_judge_a_ups_alike_and_tell_what_it_really_carries(site: SiteMaker):
    """One line of a UPS is over its third although the kVA of all three fit: both say so, in the same figures."""

    def made(kva: float):
        section = path(panel=4000.0, bus=4000.0)
        rows = [row | {"ratedKva": kva} if row["kind"] == "ups" else row for row in section["paths"]]  # type: ignore[union-attr]
        strip = {"pduModel": "vertiv-gi10022l", "pdusPerRack": 4, "breakerA": 63}
        facility = {"feeds": [{"name": "a", **strip}, {"name": "b", **strip}]}
        return plan(site(power={**section, "paths": rows}, facility=facility))

    (seen,) = [row for row in made(999.0).power.segments if row.name == "ups-b"]
    lines = 3 * seen.worst_a.worst_a * seen.volts / 3**0.5 / 1000
    assert lines > seen.worst_kva * 1.001, "uneven lines"
    planned = made(round((lines + seen.worst_kva) / 2, 3))
    rated = next(row.rated_kva for row in planned.power.segments if row.name == "ups-b")
    found = [finding for finding in check_hall_power(hall_power(planned), "hall") if finding.id == "POWER-010"]
    assert any(
        "; its " in finding.found and f"carries {seen.worst_a.worst_a:,.1f} A in line" in finding.found for finding in found
    )
    event = failure_event(planned, "ups-a")
    (trip,) = [row for row in event.steps[0].trips if row.name == "ups-b"]
    assert (trip.carried, trip.unit) == (pytest.approx(seen.worst_kva, abs=1e-3), "kVA")
    assert (trip.line, trip.rated) == (seen.worst_a.worst_line, rated)
    assert trip.amps == pytest.approx(seen.worst_a.worst_a, abs=1e-3)
    told = next(text for row in failure_summary(planned).lines for text in row.trips if text.startswith("ups-b at "))
    assert told == (
        f"ups-b at {trip.amps:.1f} A in {trip.line} of {trip.rating_a:.1f} A ({trip.carried:.1f} of {rated:.1f} kVA in all)"
    )
    assert f"trips ups-b: {trip.amps:,.1f} A in line {trip.line}, a line of {rated:,.1f} kVA takes" in event_text(event, 32)
    fits = made(round(lines + 0.01, 3))
    assert not failure_event(fits, "ups-a").cascades
    assert not [f for f in check_hall_power(hall_power(fits), "hall") if f.id == "POWER-010"]


def test_what_carries_nothing_yet_is_no_proof_of_redundancy(site: SiteMaker):
    """Busways of rows that aren't built: not counted as harmless failures, named beside the table, and asked for by name."""
    facility = {"racksPerRow": 2, "storageRacks": "dedicated"}
    planned = plan(site(power=path(), facility=facility, fabric={"scalableUnits": 3}))
    stands = {
        row.kind: sum(1 for one in planned.power.segments if one.kind == row.kind and one.racks)
        for row in planned.power.segments
    }
    assert (stands["busway"], sum(row.kind == "busway" for row in planned.power.segments)) == (8, 26)
    matrix = failure_matrix(planned)
    counts = {row.kind: row.events for row in matrix.by_kind}
    assert {kind: counts[kind] for kind in ("ups", "panel", "busway")} == {
        kind: stands[kind] for kind in ("ups", "panel", "busway")
    }
    assert any(note.startswith("not built yet: nothing that stands hangs on bus-a-02, ") for note in matrix.notes)
    assert failure_event(planned, "bus-a-02").assumed == ("nothing that stands hangs on bus-a-02: it carries nothing yet",)
    assert failure_event(planned, "bus-a-01").assumed != ("nothing that stands hangs on bus-a-01: it carries nothing yet",)
