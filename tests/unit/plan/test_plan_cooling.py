"""Cooling as planned: heat is conserved, units are failed one at a time, and unknown figures stay unknown."""

from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from railyard import catalog, load
from railyard.model.cooling import Cooling
from railyard.plan import plan
from railyard.plan.cooling import plan_cooling, unit_names
from railyard.plan.cooling.pools import Shares, areas
from railyard.plan.cooling.racks import takes
from railyard.plan.parts import pick_parts
from railyard.render.cooling_text import cooling_text
from railyard.rules import check
from tests.planned_site import SiteMaker, make_site
from tests.unit.rules.test_rules_check import TODAY

pytestmark = pytest.mark.requirement("C3")

AIR = {"inletC": 24, "deltaK": 14, "altitudeM": 0}
CRAH = {"name": "crah", "units": 4, "capacityKw": 60, "airflowM3S": 4}
DOOR = {"model": "rear-door-50kw", "waterC": 18, "waterFlowLMin": 75, "waterPressureKpa": 100}
CDU = {"name": "cdu", "model": "vertiv-xdu1350", "units": 2, "waterC": 28, "waterFlowLMin": 1243, "waterPressureKpa": 100}
CDU |= {"loopC": 32, "loopDeltaK": 12}
LIQUID = {"nodeModel": "sr780a-v3-b200"}


def cooled(site: SiteMaker, nodes: int = 4, **changes):
    """The plan of a small site with air of 24 °C and whatever else is asked for."""
    sections = {key: changes.pop(key) for key in ("compute", "facility", "fabric", "storage") if key in changes}
    if "compute" in sections:
        sections["compute"] = {"nodes": nodes} | sections["compute"]
    return plan(site(nodes=nodes, cooling=AIR | changes, **sections))


def said(site: SiteMaker, rule: str, **changes):
    sections = {key: changes.pop(key) for key in ("compute", "facility", "fabric") if key in changes}
    config = site(nodes=4, cooling=AIR | changes, **sections)
    return [finding for finding in check(config, plan(config), TODAY) if finding.id == rule]


@pytest.fixture
def pool(site: SiteMaker) -> Callable[..., object]:
    def made(**changes):
        (found,) = cooled(site, **changes).cooling.hall.pools
        return found

    return made


def test_case_11_128_nodes_in_racks_of_four(site: SiteMaker):
    """1,024 H100 are 128 nodes of 10.2 kW: 1,305.6 kW of nodes alone, 40.8 kW in each rack before any switch."""
    config = site(
        nodes=128,
        fabric={"scalableUnits": 4},
        facility={
            "nodesPerRack": 4,
            "spreadRacks": 1,
            "switchRacks": "dedicated",
            "storageRacks": "dedicated",
            "airLimitKw": 40,
        },
        cooling=AIR,
    )
    found = plan(config)
    compute = [kind for kind in found.cooling.racks if kind.air.hot]
    assert [(len(kind.racks), kind.air.air_kw) for kind in compute] == [(32, 40.8)]
    nodes = [device for rack in found.racks for device in rack.devices if device.role == "gpu"]
    assert (len(nodes), round(sum(device.peak_kw for device in nodes), 6)) == (128, 1305.6)
    findings = [finding for finding in check(config, found, TODAY) if finding.id == "COOL-001"]
    assert len(findings) == 32
    assert {(finding.found, finding.limit) for finding in findings} == {("40.80 kW of heat to air", "40.00 kW")}
    air = compute[0].air
    # 40.8 kW / (1.1879 kg/m3 x 1.006 kJ/(kg K) x 14 K)
    assert air.airflow_m3_s == pytest.approx(2.4387, abs=1e-4)
    (notice,) = {finding.found for finding in check(config, found, TODAY) if finding.id == "COOL-002"}
    assert notice.startswith(
        "4 x dgx-h100 with parts of 700 W (h100-80-sxm5) on air: 40.80 kW of heat to air, 2.44 m3/s (5167 CFM)"
    )


@pytest.mark.parametrize(("units", "left", "rules"), [(2, 1368.0, ["COOL-016"]), (3, 2736.0, [])])
def test_two_cdus_that_need_each_other_and_a_third(site: SiteMaker, units: int, left: float, rules: list[str]):
    """1,544.4 kW of coolant: two CDUs of 1,368 kW carry it together, and one of them doesn't."""
    config = site(
        nodes=144,
        compute={"nodeModel": "sr780a-v3-b200", "nodes": 144},
        fabric={"scalableUnits": 5},
        facility={"switchRacks": "dedicated", "storageRacks": "dedicated"},
        cooling=AIR | {"dewPointC": 14, "cdus": [CDU | {"units": units}]},
    )
    found = plan(config)
    (pool,) = found.cooling.hall.pools
    assert (pool.load_kw, pool.capacity_kw, pool.failed_capacity_kw) == (1544.4, 1368.0 * units, left)
    (unit,) = pool.units
    assert unit.load_kw == pytest.approx(1544.4 / units)
    assert unit.worst_kw == pytest.approx(1544.4 / (units - 1))
    assert unit_names(unit) == [f"t-cdu/{number}" for number in range(1, units + 1)]
    findings = [finding for finding in check(config, found, TODAY) if finding.id in ("COOL-015", "COOL-016")]
    assert [finding.id for finding in findings] == rules
    assert all("176.4 kW more" in finding.fix for finding in findings)


def test_heat_is_mass_flow_times_heat_capacity_times_rise(pool):
    unit = pool(compute=LIQUID, cdus=[CDU]).units[0]
    water = unit.water
    # 21.45 kW each: 1,243 l/min of water at 28 °C are 20.64 kg/s x 4.181 kJ/(kg K) = 86.3 kW/K
    assert unit.load_kw == 21.45
    assert water.water_out_c == pytest.approx(28 + 21.45 / 86.3, abs=1e-3)
    assert water.worst_water_out_c == pytest.approx(28 + 42.9 / 86.3, abs=1e-3)
    # PG25 at 32 °C: 1,026.8 kg/m3 x 3.894 kJ/(kg K) x 12 K
    assert water.loop_flow_l_min == pytest.approx(21.45 * 60_000 / (1026.8 * 3.894 * 12), rel=2e-3)
    assert water.loop_return_c == 44


def test_the_air_residue_of_liquid_cooled_machines_is_counted(site: SiteMaker):
    found = cooled(site, compute=LIQUID, cdus=[CDU], airUnits=[CRAH])
    hall = found.cooling.hall
    assert hall.liquid_kw == pytest.approx(4 * 14.3 * 0.75)
    assert hall.room_kw == pytest.approx(hall.peak_kw - hall.liquid_kw)
    assert {pool.medium: pool.load_kw for pool in hall.pools} == {"air": hall.room_kw, "liquid": hall.liquid_kw}
    assert all(not kind.air.hot for kind in found.cooling.racks), "parts of 1000 W, but none of them on air"
    assert {need.model for kind in found.cooling.racks for need in kind.air.liquid} == {"sr780a-v3-b200"}


def test_rear_doors_take_what_they_can_and_the_room_the_rest(site: SiteMaker):
    found = cooled(site, rearDoors=DOOR, airUnits=[CRAH])
    for kind in found.cooling.racks:
        air = kind.air
        # 50 kW x (38 - 18) / 20 K at the rated flow
        assert air.door.capacity_kw == 50.0
        assert air.door_kw == min(air.air_kw, 50.0)
        assert air.room_kw == pytest.approx(air.air_kw - air.door_kw)
        # 75 l/min of water at 18 °C: 1.25 l/s x 998.5 kg/m3 x 4.186 kJ/(kg K) = 5.225 kW/K
        assert air.door.water_out_c == pytest.approx(18 + air.door_kw / 5.225, abs=2e-3)
    hall = found.cooling.hall
    assert [(unit.kind, unit.count) for unit in hall.doors] == [("rear-door", len(kind.racks)) for kind in found.cooling.racks]
    assert all(unit.worst_kw is None for unit in hall.doors)
    assert hall.pools[0].door_kw == max(kind.air.door_kw for kind in found.cooling.racks)
    assert hall.door_kw + hall.room_kw + hall.liquid_kw == pytest.approx(hall.peak_kw)


def test_a_door_cools_no_air_below_its_water(site: SiteMaker):
    """Air of 38 °C that had warmed from 24 °C, water of 31 °C: half of the heat can leave by the door, however large it is."""
    warm = cooled(site, rearDoors=DOOR | {"waterC": 31})
    for kind in warm.cooling.racks:
        assert kind.air.door.capacity_kw == pytest.approx(50 * 7 / 20)
        assert kind.air.door_kw == pytest.approx(min(17.5, kind.air.air_kw / 2))
    useless = cooled(site, rearDoors=DOOR | {"waterC": 38})
    assert {kind.air.door_kw for kind in useless.cooling.racks} == {0.0}
    assert {f.severity for f in said(site, "COOL-008", rearDoors=DOOR | {"waterC": 38})} == {"invariant"}


def test_doors_on_compute_racks_only_unless_all_are_asked_for(site: SiteMaker):
    apart = {"switchRacks": "dedicated", "storageRacks": "dedicated"}
    compute = cooled(site, facility=apart, rearDoors=DOOR)
    assert {bool(kind.air.door) for kind in compute.cooling.racks} == {True, False}
    assert all(bool(kind.air.door) == bool(kind.air.hot) for kind in compute.cooling.racks)
    everywhere = cooled(site, facility=apart, rearDoors=DOOR | {"racks": "all"})
    assert all(kind.air.door for kind in everywhere.cooling.racks)


def test_a_door_of_unknown_capacity_takes_nothing_and_says_what_is_missing(site: SiteMaker):
    found = cooled(site, rearDoors=DOOR | {"model": "motivair-chilleddoor"})
    air = found.cooling.racks[0].air
    assert (air.door.capacity_kw, air.door_kw, air.door.pressure_kpa) == (None, 0.0, None)
    assert air.room_kw == air.air_kw
    assert "ratedFlowLMin of motivair-chilleddoor is unknown" in found.cooling.unknown


def test_alike_racks_share_one_air_and_each_has_it(site: SiteMaker):
    config = site(nodes=64, fabric={"scalableUnits": 2}, facility={"switchRacks": "dedicated", "storageRacks": "dedicated"})
    found = plan(config)
    kinds = {name: kind.air for kind in found.cooling.racks for name in kind.racks}
    assert all(rack.cooling == kinds[rack.name] for rack in found.racks)
    assert len(found.cooling.racks) < len(found.racks) / 3
    assert len(kinds) == len(found.racks)
    assert not any(name in str(kind.air.props()) for kind in found.cooling.racks for name in kind.racks), (
        "a rack more changes none"
    )
    assert found.cooling.hall.peak_kw == pytest.approx(sum(rack.peak_kw for rack in found.racks))


def test_devices_that_do_not_stand_yet_give_no_heat(site: SiteMaker):
    half = plan(site(nodes=1)).cooling
    assert sum(row.devices * len(kind.racks) for kind in half.racks for row in kind.air.hot) == 1


@pytest.mark.parametrize(
    ("direction", "face", "expected"),
    [
        ("front-to-rear", "front", "cold"),
        ("front-to-rear", "rear", "hot"),
        ("rear-to-front", "front", "hot"),
        ("rear-to-front", "rear", "cold"),
        ("left-to-right", "front", "side"),
        ("side-to-rear", "rear", "side"),
        ("passive", "front", "none"),
        (None, "front", None),
    ],
)
def test_where_air_comes_from(direction, face, expected):
    assert takes(direction, face) == expected


def test_switches_whose_ports_look_at_the_cold_aisle_breathe_the_hot_one(site: SiteMaker):
    """The device library has QM9700 rear to front: right beside the servers' ports, wrong with ports in the cold aisle."""
    assert catalog.load().switches["qm9700"].airflow == catalog.load().switches["sn5600"].airflow == "rear-to-front"
    assert said(site, "COOL-003") == []
    front = said(site, "COOL-003", switchFace="front")
    assert {finding.where.split("/")[1] for finding in front} == {"qm9700", "sn4600c", "sn2201"}
    ordered = {"qm9700": "front-to-rear", "sn4600c": "front-to-rear", "sn2201": "front-to-rear"}
    assert said(site, "COOL-003", switchFace="front", airflow=ordered) == []
    assert said(site, "COOL-003", airflow={"dgx-h100": "rear-to-front"})[0].where == "t-r001/dgx-h100"


def test_without_the_section_the_plan_says_what_it_does_not_know(site: SiteMaker):
    config = site()
    found = plan(config)
    assert not found.cooling.hall.stated
    assert found.cooling.hall.pools == ()
    assert "no railyard:cooling" in found.cooling.unknown[0]
    assert all(kind.air.conditions.assumed for kind in found.cooling.racks)
    ids = {finding.id for finding in check(config, found, TODAY) if finding.id.startswith("COOL")}
    assert ids == {"COOL-002"}, "a notice, and nothing is judged that isn't stated"
    no_units = cooled(site).cooling
    assert any("what takes the room's" in text for text in no_units.unknown)


def test_liquid_cooled_machines_without_cdus(site: SiteMaker):
    (air,) = {finding.severity for finding in said(site, "COOL-014", compute=LIQUID | {"nodes": 4})}
    assert air == "limit"
    tray = {"nodeModel": "gb200-nvl72-tray", "nodes": 4}
    only = said(site, "COOL-004", compute=tray, fabric={"rails": 4})
    assert {finding.severity for finding in only} == {"invariant"}
    assert said(site, "COOL-004", compute=tray, fabric={"rails": 4}, cdus=[CDU]) == []


def test_cdus_stay_where_no_machine_is_cooled_by_coolant(site: SiteMaker):
    cdu = CDU | {"rowsEach": 1}
    assert said(site, "COOL-020", compute=LIQUID, cdus=[cdu]) == [], "rows without such machines need none"
    found = said(site, "COOL-020", cdus=[cdu])
    assert {finding.severity for finding in found} == {"notice"}
    assert found[0].found.startswith("2 x vertiv-xdu1350 for ")
    assert said(site, "COOL-010", cdus=[CDU | {"waterPressureKpa": 50}]), "what is stated is judged"
    assert said(site, "COOL-016", cdus=[CDU | {"units": 1}]) == []
    assert "vertiv-xdu1350" in cooling_text(cooled(site, cdus=[CDU]).cooling)


def test_pools_by_rows(site: SiteMaker):
    found = cooled(
        site,
        nodes=96,
        fabric={"scalableUnits": 3},
        facility={"racksPerRow": 4, "spreadRacks": 1, "nodesPerRack": 4},
        airUnits=[CRAH | {"rowsEach": 2}],
    )
    rows = sorted({rack.row for rack in found.racks})
    pools = found.cooling.hall.pools
    assert sorted(row for pool in pools for area in pool.areas for row in area) == rows
    assert sum(pool.load_kw * len(pool.areas) for pool in pools) == pytest.approx(found.cooling.hall.room_kw)
    assert sum(pool.racks * len(pool.areas) for pool in pools) == len(found.racks)
    assert pools[0].name == "t-crah-rows-001-002"


def test_areas():
    assert areas([3, 1, 2, 5], 2) == [(1, 2), (3,), (5,)]
    assert areas([2, 1], None) == [(1, 2)]
    assert areas([2, 1], 1) == [(1,), (2,)]
    assert areas([], None) == []


def test_a_row_more_renames_no_pool(site: SiteMaker):
    def names(units: int) -> list[str]:
        facility = {"racksPerRow": 2, "spreadRacks": 1}
        built = {"scalableUnits": units, "plannedScalableUnits": 3}
        config = site(nodes=8 * units, fabric=built, facility=facility, cooling=AIR | {"airUnits": [CRAH | {"rowsEach": 2}]})
        return [pool.name for pool in plan(config).cooling.hall.pools]

    assert names(1)[0] == names(2)[0] == "t-crah-rows-001-002"


def test_shares_of_units_of_several_sizes():
    shares = Shares((100.0, 50.0), (1, 2))
    assert (shares.total(), shares.left(), shares.largest()) == (200.0, 100.0, 0)
    assert (shares.share(0), shares.share(1)) == (0.5, 0.25)
    assert shares.worst(0) == pytest.approx(100 / 150), "one of 50 is gone"
    assert shares.worst(1) == pytest.approx(50 / 100), "the one of 100 is gone"
    assert shares.share(0, lost=0) is None
    assert Shares((100.0,), (1,)).worst(0) is None
    assert (Shares((100.0,), (1,)).left(), Shares((100.0,), (1,)).share(0)) == (0.0, 1.0)
    unknown = Shares((None, 50.0), (1, 1))
    assert (unknown.total(), unknown.left(), unknown.share(0), unknown.worst(1)) == (None, None, 0.5, 1.0)


def test_mixed_air_units_share_by_capacity_and_the_largest_fails(pool):
    found = pool(airUnits=[CRAH, CRAH | {"name": "spare", "units": 1, "capacityKw": 90, "airflowM3S": 6}])
    assert (found.capacity_kw, found.failed_capacity_kw, found.largest) == (330.0, 240.0, "t-spare")
    assert (found.airflow_m3_s, found.failed_airflow_m3_s) == (22.0, 16.0)
    assert [unit.load_kw for unit in found.units] == pytest.approx(
        [found.load_kw * 60 / 330, found.load_kw * 90 / 330], abs=1e-3
    )
    assert found.name == "t-crah+spare"


def test_altitude_asks_for_more_air(site: SiteMaker):
    low, high = (cooled(site, altitudeM=metres).cooling.racks[0].air.airflow_m3_s for metres in (0, 1500))
    assert high / low == pytest.approx(101.325 / 84.556, rel=1e-3)


def test_heat_is_planned_in_no_time(site: SiteMaker):
    """2,048 nodes are some 800 racks; racks are judged by kind, so ten times as many take ten times as long at most."""
    config = site(
        nodes=64, fabric={"scalableUnits": 2}, cooling=AIR | {"airUnits": [CRAH | {"rowsEach": 1}], "rearDoors": DOOR}
    )
    parts, planned = pick_parts(config), plan(config)
    racks, took = planned.racks, []
    for count in (800, 8000):
        many = [racks[at % len(racks)].model_copy(update={"name": f"t-r{at:05d}", "row": at // 12 + 1}) for at in range(count)]
        start = process_time()
        found = plan_cooling(config.file, parts, many)[1]
        took.append(process_time() - start)
        assert sum(len(kind.racks) for kind in found.racks) == count
        assert len(found.racks) == len(planned.cooling.racks)
        assert len(found.hall.pools) < 10
    assert took[0] < 0.1
    assert took[1] < 1.0


def test_the_section_of_the_example_site_passes():
    config = load.site_config(Path(__file__).parents[3], "prod-site-a")
    found = plan(config)
    assert isinstance(config.file.cooling, Cooling)
    assert found.cooling.unknown == ()
    stopping = [f for f in check(config, found, TODAY) if f.id.startswith("COOL") and f.severity != "notice"]
    assert stopping == []
    assert all(pool.failed_capacity_kw >= pool.load_kw for pool in found.cooling.hall.pools)


@settings(max_examples=15, deadline=None)
@given(
    nodes=st.integers(1, 12),
    liquid=st.booleans(),
    water_c=st.floats(10, 45),
    flow=st.floats(5, 200),
    rows_each=st.sampled_from([None, 1, 2]),
    units=st.integers(1, 5),
)
def test_no_heat_is_lost_or_made(nodes, liquid, water_c, flow, rows_each, units):
    """Room, doors and coolant get all of the power; pools get what is theirs; a failed unit's share falls on the others."""
    unit = CRAH | {"units": units} | ({"rowsEach": rows_each} if rows_each else {})
    sections = {"compute": LIQUID | {"nodes": nodes}} if liquid else {}
    door = DOOR | {"waterC": water_c, "waterFlowLMin": flow, "racks": "all"}
    cooling = AIR | {"rearDoors": door, "airUnits": [unit], "cdus": [CDU]}
    found = plan(make_site(nodes, cooling=cooling, facility={"racksPerRow": 1, "spreadRacks": 1}, **sections))
    hall = found.cooling.hall
    assert hall.room_kw + hall.door_kw + hall.liquid_kw == pytest.approx(hall.peak_kw)
    assert hall.peak_kw == pytest.approx(sum(rack.peak_kw for rack in found.racks))
    for medium, kw in (("air", hall.room_kw), ("liquid", hall.liquid_kw)):
        pools = [pool for pool in hall.pools if pool.medium == medium]
        assert sum(pool.load_kw * len(pool.areas) for pool in pools) == pytest.approx(kw)
        for pool in pools:
            assert sum(one.load_kw * one.count for one in pool.units) == pytest.approx(pool.load_kw, abs=0.01)
            assert all(one.worst_kw is None or one.worst_kw >= one.load_kw for one in pool.units)
    for kind in found.cooling.racks:
        assert 0 <= kind.air.door_kw <= kind.air.air_kw
        assert kind.air.door.water_out_c <= max(kind.air.door.hot_c, water_c) + 1e-3


@settings(max_examples=10, deadline=None)
@given(nodes=st.integers(1, 20))
def test_a_node_more_is_heat_more(nodes):
    def heat(count):
        hall = plan(make_site(count, cooling=AIR | {"airUnits": [CRAH]})).cooling.hall
        return hall.room_kw, hall.pools[0].airflow_needed_m3_s

    assert heat(nodes + 1)[0] == pytest.approx(heat(nodes)[0] + 10.2)
    assert heat(nodes + 1)[1] > heat(nodes)[1]


def test_the_example_of_the_documentation_is_one():
    """The stack section in docs/hall.md is read as the loader reads it, and its numbers are today's."""
    root = Path(__file__).parents[3]
    text = (root / "docs" / "hall.md").read_text(encoding="utf-8")
    section = text[text.index("## Cooling") :]
    block = section[section.index("```yaml\n") + 8 :]
    rows = YAML(typ="safe", pure=True).load(block[: block.index("```")])
    assert Cooling.model_validate(rows["railyard:cooling"]).cdus[0].model in catalog.load().cooling
    printed = cooling_text(plan(load.site_config(root, "prod-site-a")).cooling).splitlines()
    assert printed[0] in section
    assert printed[1] in section
