"""What a dead switch, air unit, CDU or rear door takes with it."""

import itertools

import pytest

from railyard.plan import Plan, plan
from railyard.plan.failures import failure_event, failure_matrix
from railyard.plan.failures.matrix import scene_of
from railyard.rules.cooling import check_hall_cooling
from tests.planned_site import SiteMaker
from tests.unit.plan.failing_sites import COOLING, changed, gpus_of

pytestmark = pytest.mark.requirement("C3")

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


def test_a_rear_door_lost_gives_its_racks_air_back_to_the_room(site: SiteMaker):
    """The kW are there, the air isn't: plan and matrix both see the m3/s that the lost door handed on."""
    door = {"model": "rear-door-50kw", "waterC": 18, "waterFlowLMin": 75, "waterPressureKpa": 100}

    def made(flow: float):
        units = {**COOLING["airUnits"][0], "units": 4, "capacityKw": 500, "airflowM3S": flow}
        return plan(site(cooling={"inletC": 24, "deltaK": 14, "altitudeM": 0, "rearDoors": door, "airUnits": [units]}))

    planned = made(20.0)
    pool = planned.cooling.hall.pools[0]
    rack = max(planned.cooling.racks, key=lambda kind: kind.air.door_kw)
    assert pool.door_m3_s == pytest.approx(rack.air.airflow_m3_s * rack.air.door_kw / rack.air.air_kw, abs=1e-4)
    name, need = f"{rack.racks[0]}-door", pool.airflow_needed_m3_s + pool.door_m3_s
    assert failure_event(planned, name).gpus_throttled == 0
    assert failure_event(made(need / 4 + 0.001), name).gpus_throttled == 0
    short = made((need - pool.door_m3_s / 2) / 4)
    assert failure_event(short, name).gpus_throttled == 32
    assert "COOL-017" in {finding.id for finding in check_hall_cooling(short.cooling.hall) if "rear door lost" in finding.found}


def test_unstated_cooling_is_a_note(site: SiteMaker):
    assert any("railyard:cooling isn't stated" in note for note in failure_matrix(plan(site())).notes)
