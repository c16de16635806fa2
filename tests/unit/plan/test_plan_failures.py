"""The failure matrix of planned sites: what each loss does to GPUs, rails, storage and managers, and what nobody knows."""

import dataclasses
import itertools
from collections import Counter

import msgspec
import pytest

from railyard.model.failures import FailureEvent, FailureMatrix
from railyard.plan import Plan, plan
from railyard.plan.electrical import cords_of
from railyard.plan.failures import FailureError, failure_event, failure_matrix, failure_pairs, failure_summary
from railyard.plan.failures.matrix import scene_of
from railyard.plan.failures.tree import line_amps
from railyard.render.failure_text import event_text, matrix_text, worst_text
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("C3")

SUPPLY = {"volts": 415, "voltageReference": "line-line"}
STRIP = "pdu-415v-60a-3ph"


def feeds(letters: str, strips: int = 2) -> dict[str, object]:
    return {"feeds": [{"name": letter, "pduModel": STRIP, "pdusPerRack": strips} for letter in letters]}


def path(panel: float = 400.0, bus: float = 250.0, letters: str = "ab", **section: object) -> dict[str, object]:
    """A UPS, a panel and a busway for each row, on each feed."""
    rows = [
        row
        for feed in letters
        for row in (
            {"name": f"ups-{feed}", "kind": "ups", "feed": feed, "ratedKva": 400},
            {"name": f"panel-{feed}", "kind": "panel", "from": f"ups-{feed}", "breakerA": panel},
            {"name": f"bus-{feed}", "kind": "busway", "from": f"panel-{feed}", "breakerA": bus, "rowsEach": 1},
        )
    ]
    return {"supply": SUPPLY, "paths": rows, **section}


def worst(matrix: FailureMatrix, kind: str) -> FailureEvent:
    return next(event for event in matrix.events if event.kind == kind)


def changed(config, **models):
    """The configuration with facts of the catalogue changed: `nodes={"dgx-h100": {"psus": None}}`."""
    rows = {
        shelf: {name: item.model_copy(update=facts.get(name, {})) for name, item in getattr(config.catalog, shelf).items()}
        for shelf, facts in models.items()
    }
    return dataclasses.replace(config, catalog=config.catalog.model_copy(update=rows))


def gpus_of(event: FailureEvent) -> tuple[int, int, int, int]:
    return (event.gpus_full, event.gpus_throttled, event.gpus_down, event.gpus_unknown)


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


# Fabric


def test_a_leaf_cuts_its_rail_off(site: SiteMaker):
    event = failure_event(plan(site()), "t-su001-leaf-r3")
    assert (event.rails_lost, event.gpus_cut_off, event.switches_down) == (("su001/r3",), 4, ("t-su001-leaf-r3",))
    assert gpus_of(event) == (32, 0, 0, 0)


def test_a_leaf_of_one_of_two_planes_cuts_nobody_off(site: SiteMaker):
    planned = plan(site(fabric={"planes": 2, "linkGbps": 200}))
    event = failure_event(planned, "t-su001-leaf-r3-p1")
    assert (event.rails_lost, event.gpus_cut_off) == (("su001/r3/p1",), 0)
    both = scene_of(planned).networks.reach(("t-su001-leaf-r3-p0", "t-su001-leaf-r3-p1"))
    assert both.gpus_cut_off == 4


def test_all_nics_on_one_leaf_cut_whole_nodes_off(site: SiteMaker):
    planned = plan(site(fabric={"layout": "fat-tree", "nodesPerUnit": 4}))
    leaf = planned.switches[0].name
    event = failure_event(planned, leaf)
    assert (event.rails_lost, event.gpus_cut_off) == (("su001",), 32)


def test_a_rail_only_fabric_has_no_bisection(site: SiteMaker):
    planned = plan(site(fabric={"layout": "rail-only"}))
    assert failure_event(planned, planned.switches[0].name).bisection_share is None


@pytest.mark.parametrize(("units", "tiers"), [(2, 2), (5, 3)])
def test_bisection_is_the_share_of_cables_between_live_switches(site: SiteMaker, units: int, tiers: int):
    """Counted from the cables, for a hundred pairs of switches."""
    planned: Plan = plan(site(nodes=64, fabric={"scalableUnits": units, "tiers": tiers}))
    assert planned.fabric.tiers == tiers
    reach = scene_of(planned).networks.reach
    kinds = [kind for kind in ("leaf-spine", "spine-core") if any(cable.kind == kind for cable in planned.cables)]
    ends = {k: [(c.a.split("/")[0], c.z.split("/")[0]) for c in planned.cables if c.kind == k] for k in kinds}
    names = [switch.name for switch in planned.switches]
    for dead in itertools.islice(itertools.combinations(names[:: max(1, len(names) // 14)], 2), 100):
        shares = [sum(not {a, z} & set(dead) for a, z in rows) / len(rows) for rows in ends.values()]
        assert reach(dead).bisection_share == pytest.approx(min(shares))


def test_no_spine_no_bisection_and_all_managers_gone(site: SiteMaker):
    planned = plan(site())
    spines = [switch.name for switch in planned.switches if switch.role == "spine"]
    reach = scene_of(planned).networks.reach(spines)
    assert reach.bisection_share == 0
    assert reach.managers_lost == ("fabric",)
    assert scene_of(planned).networks.reach(spines[1:]).managers_lost == ()


# Cooling

COOLING = {
    "inletC": 22, "deltaK": 14, "altitudeM": 0,
    "airUnits": [{"name": "crah", "units": 3, "capacityKw": 40, "airflowM3S": 20}],
}  # fmt: skip


def test_n_plus_one_air_units_survive_and_n_do_not(site: SiteMaker):
    planned = plan(site(cooling=COOLING))
    assert planned.cooling is not None
    heat = planned.cooling.hall.pools[0].load_kw
    assert gpus_of(failure_event(planned, "t-crah/2")) == (32, 0, 0, 0)
    units = {**COOLING["airUnits"][0], "units": 2, "capacityKw": round(heat * 0.6, 3)}
    short = failure_event(plan(site(cooling={**COOLING, "airUnits": [units]})), "t-crah/1")
    assert gpus_of(short) == (0, 32, 0, 0)
    # Switches and storage can't slow down: what they give to the air is gone before the first GPU node gets any.
    assert heat > 40.8
    assert short.throttled_kw == pytest.approx(units["capacityKw"] - (heat - 40.8))
    assert short.assumed == (
        "GPU machines of a pool that is short are slowed down alike, switches and storage keep their load",
    )


def test_too_little_for_switches_alone_leaves_no_gpu_running(site: SiteMaker):
    planned = plan(site(cooling=COOLING))
    assert planned.cooling is not None
    fixed = planned.cooling.hall.pools[0].load_kw - 40.8
    units = {**COOLING["airUnits"][0], "units": 2, "capacityKw": round(fixed * 0.9, 3)}
    assert gpus_of(failure_event(plan(site(cooling={**COOLING, "airUnits": [units]})), "t-crah/1")) == (0, 0, 32, 0)


def test_short_air_slows_gpu_nodes_after_the_switches_air(site: SiteMaker):
    """Half of the air: its share is that of the kilowatts, as all of it warms by the same rise."""
    pool = plan(site(cooling=COOLING)).cooling.hall.pools[0]
    units = {**COOLING["airUnits"][0], "units": 2, "capacityKw": 200, "airflowM3S": round(pool.airflow_needed_m3_s * 0.7, 6)}
    short = failure_event(plan(site(cooling={**COOLING, "airUnits": [units]})), "t-crah/1")
    assert short.throttled_kw == pytest.approx(pool.load_kw * 0.7 - (pool.load_kw - 40.8), rel=1e-4)


def test_the_only_unit_takes_everything_down(site: SiteMaker):
    units = {**COOLING["airUnits"][0], "units": 1, "capacityKw": 200}
    assert gpus_of(failure_event(plan(site(cooling={**COOLING, "airUnits": [units]})), "t-crah/1")) == (0, 0, 32, 0)


def test_units_of_rows_are_named_by_their_rows(site: SiteMaker):
    units = {**COOLING["airUnits"][0], "rowsEach": 1}
    config = site(nodes=8, cooling={**COOLING, "airUnits": [units]}, facility={"racksPerRow": 1, "spreadRacks": 1})
    planned = plan(config)
    found = [name for event in failure_matrix(planned).events if event.kind == "air-unit" for name in event.alike]
    assert "t-crah-row-001/1" in found
    assert failure_event(planned, "t-crah-row-002/3").lost == ("t-crah-row-002/3",)


LIQUID = {
    "compute": {"nodeModel": "sr780a-v3-b200", "nodes": 144},
    "fabric": {"scalableUnits": 5},
    "facility": {"switchRacks": "dedicated", "storageRacks": "dedicated"},
}
CDU = {
    "name": "cdu", "model": "vertiv-xdu1350", "waterC": 28, "waterFlowLMin": 1243, "waterPressureKpa": 100,
    "loopC": 32, "loopDeltaK": 12,
}  # fmt: skip


@pytest.mark.parametrize(("units", "share"), [(2, 1368.0 / 1544.4), (3, None), (1, 0.0)])
def test_cdu_n_plus_one(site: SiteMaker, units: int, share: float | None):
    """1,544.4 kW of coolant: of two CDUs of 1,368 kW each needs the other one; a third stands by; one is all there is."""
    air = {"inletC": 24, "deltaK": 14, "altitudeM": 0, "cdus": [CDU | {"units": units}]}
    planned = plan(site(nodes=144, cooling=air, **LIQUID))
    event = failure_event(planned, "t-cdu/1")
    full = 144 * 8
    if share is None:
        assert gpus_of(event) == (full, 0, 0, 0)
    elif share:
        assert gpus_of(event) == (0, full, 0, 0)
        assert event.throttled_kw / event.throttled_of_kw == pytest.approx(share, abs=1e-6)
    else:
        assert gpus_of(event) == (0, 0, full, 0)


def test_a_cdu_of_unknown_capacity_is_no_pass(site: SiteMaker):
    air = {"inletC": 24, "deltaK": 14, "altitudeM": 0, "cdus": [CDU | {"units": 3}]}
    config = changed(site(nodes=144, cooling=air, **LIQUID), cooling={"vertiv-xdu1350": {"rated_flow_l_min": None}})
    event = failure_event(plan(config), "t-cdu/1")
    assert gpus_of(event) == (0, 0, 0, 144 * 8)
    assert "capacity of vertiv-xdu1350 is unknown" in event.unknown[0]


def test_a_rear_door_lost_leaves_the_rack_to_the_rooms_air(site: SiteMaker):
    """Its heat goes to the room, which takes airLimitKw of a rack: half of what its nodes give here."""
    door = {"model": "rear-door-50kw", "waterC": 18, "waterFlowLMin": 75, "waterPressureKpa": 100}
    air = {"inletC": 24, "deltaK": 14, "altitudeM": 0, "rearDoors": door}
    planned = plan(site(cooling=air))
    rack = planned.racks[0]
    assert gpus_of(failure_event(planned, f"{rack.name}-door")) == (32, 0, 0, 0)
    nodes = sum(10.2 for device in rack.devices if device.role == "gpu" and device.installed)
    limit = round(rack.air_kw - nodes / 2, 3)  # what isn't a node keeps its load
    event = failure_event(plan(site(cooling=air, facility={"airLimitKw": limit})), f"{rack.name}-door")
    assert event.gpus_throttled == sum(8 for device in rack.devices if device.role == "gpu" and device.installed)
    assert event.throttled_kw / event.throttled_of_kw == pytest.approx(0.5, abs=1e-3)


def test_unstated_cooling_is_a_note(site: SiteMaker):
    assert any("railyard:cooling isn't stated" in note for note in failure_matrix(plan(site())).notes)


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
