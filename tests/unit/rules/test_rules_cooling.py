"""COOL rules: at the limit they pass, a watt or a tenth of a kelvin over it they say both numbers."""

from datetime import date

import pytest

from railyard.rules import RULES, Thresholds, check_rack
from railyard.rules.cooling import check_hall_cooling
from railyard.rules.slices import HALL, RACK, judge
from tests.unit.rules.cooling_factory import (
    air_pool,
    cdu,
    conditions,
    door,
    hall,
    hot,
    intake,
    liquid_pool,
    need,
    rack_air,
    server,
    water,
)
from tests.unit.rules.rules_factory import ids, rack
from tests.unit.rules.test_rules_slices import wire

pytestmark = pytest.mark.requirement("C3")
TODAY = date(2026, 6, 1)


def judged(thresholds=None, **changes):
    """What is said about a rack whose air is the factory's, changed."""
    return check_rack(rack(cooling=rack_air(**changes)), thresholds or Thresholds())


def behind(door_kw=15.0, air_kw=35.0, **changes):
    """A rack that leaves 20 kW to the room, of 35 kW, thanks to its door."""
    air = rack_air(air_kw=air_kw, room_kw=air_kw - door_kw, door_kw=door_kw, door=door(**changes))
    return check_rack(rack(air_kw=air_kw, cooling=air))


def alone(found):
    finding, *rest = found
    assert rest == []
    return finding


def halls(*pools, thresholds=None, **changes):
    return check_hall_cooling(hall(*pools, **changes), thresholds or Thresholds())


def test_good_air_and_a_good_hall_have_no_findings():
    assert judged() == []
    assert halls() == []
    assert halls(stated=False, pools=()) == []
    assert check_rack(rack(cooling=None)) == []


def test_air_heat_counts_what_the_door_takes():
    assert behind(door_kw=15.0, air_kw=25.0) == []
    finding = next(f for f in behind(door_kw=9.0, air_kw=35.0) if f.id == "COOL-001")
    assert finding.found == "26.00 kW of heat to air beside the 9.00 kW that rear-door-50kw takes"
    assert (finding.where, finding.limit) == ("lab-r001", "25.00 kW")
    assert "move 1.00 kW" in finding.fix


def test_air_behind_a_door_of_unknown_capacity_is_undecided_only_where_it_matters():
    assert behind(door_kw=0.0, air_kw=25.0, capacity_kw=None, unknown=("ratedFlowLMin", "ratedPressureKpa")) == []
    finding = alone(behind(door_kw=0.0, air_kw=25.1, capacity_kw=None, unknown=("ratedFlowLMin", "ratedPressureKpa")))
    assert (finding.id, finding.severity) == ("COOL-001", "undecided")
    assert finding.fix == "enter ratedFlowLMin of rear-door-50kw in railyard/catalog/cooling.yaml"


def test_a_lost_door_is_judged_where_the_door_makes_the_difference():
    assert behind(door_kw=10.0, air_kw=25.0) == []
    finding = alone(behind(door_kw=0.2, air_kw=25.1))
    assert (finding.id, finding.severity, finding.where) == ("COOL-009", "limit", "lab-r001")
    assert (finding.found, finding.limit) == ("25.10 kW of heat to air without rear-door-50kw", "25.00 kW")
    assert ids(behind(door_kw=0.1, air_kw=25.1)) == ["COOL-009"]
    assert ids(behind(door_kw=0.0, air_kw=25.1)) == ["COOL-001"]
    assert check_rack(rack(air_kw=25.0, cooling=rack_air(door=None))) == []


def test_parts_of_700_w_on_air_are_a_notice_with_all_numbers():
    assert judged(hot=(hot(gpu_w=699.9),)) == []
    finding = alone(judged(hot=(hot(),)))
    assert (finding.id, finding.severity, finding.where) == ("COOL-002", "notice", "lab-r001/dgx-h100")
    assert finding.found == (
        "2 x dgx-h100 with parts of 700 W (h100-80-sxm5) on air: 20.40 kW of heat to air, 1.42 m3/s (3009 CFM) "
        "at 24 °C, a rise of 12 K and 0 m; fans of one dgx-h100 move 0.52 m3/s (1104 CFM) by its maker: "
        "air warms by 16.4 K to 40.4 °C at full load"
    )
    assert (finding.limit, finding.fix) == ("25.00 kW of air per rack", "liquid-cooled: A (4U), B (5U)")
    own = alone(judged(hot=(hot(),), conditions=conditions(delta_k=16.383)))
    assert own.found.endswith("a rise of 16.383 K and 0 m")
    unknown = alone(judged(hot=(hot(),), intakes=(server(airflow_m3_s=None, rise_k=None),)))
    assert unknown.found.endswith("a rise of 12 K and 0 m")
    assert judged(Thresholds(hot_part_w=700.1), hot=(hot(),)) == []
    assert alone(judged(hot=(hot(liquid_skus=()),))).fix == "no liquid-cooled server is known"
    assumed = alone(judged(hot=(hot(),), conditions=conditions(assumed=True)))
    assert assumed.found.endswith("0 m (assumed: no railyard:cooling)")


def test_a_switch_that_breathes_the_hot_aisle():
    row = intake(direction="front-to-rear", takes="hot")
    finding = alone(judged(intakes=(server(), row)))
    assert (finding.id, finding.severity, finding.where) == ("COOL-003", "limit", "lab-r001/qm9700")
    assert finding.found == ("qm9700 (leaf, U47, U48; front-to-rear, front at the rack's rear) takes in air from the hot aisle")
    assert finding.fix == RULES["COOL-003"].fix
    single = alone(judged(intakes=(intake(takes="side", direction="left-to-right", both_ways=False),)))
    assert "from the inside of the rack" in single.found
    assert single.fix.startswith("turn qm9700 round")
    assert judged(intakes=(intake(takes="none", direction="passive"),)) == []


def test_an_unknown_direction_is_undecided_where_air_is_stated():
    rows = (intake(takes=None, direction=None),)
    finding = alone(judged(intakes=rows))
    assert (finding.id, finding.severity) == ("COOL-003", "undecided")
    assert "airflow of qm9700" in finding.fix
    assert judged(intakes=rows, conditions=conditions(assumed=True)) == []


def test_liquid_cooled_machines_need_a_loop():
    assert judged(liquid=(need(),), loop="cdu", loop_c=45.0) == []
    finding = alone(judged(liquid=(need(),)))
    assert (finding.id, finding.severity, finding.where) == ("COOL-014", "limit", "lab-r001/sr780a")
    assert finding.found == "2 x sr780a give 21.45 kW to coolant, and there are no CDUs"
    finding = alone(judged(liquid=(need(only=True),)))
    assert (finding.id, finding.severity) == ("COOL-004", "invariant")


def test_coolant_of_the_machines():
    finding = alone(judged(liquid=(need(),), loop="cdu", loop_c=45.1))
    assert (finding.id, finding.found, finding.limit) == ("COOL-013", "coolant of 45.1 °C", "45 °C for sr780a")
    unknown = alone(judged(liquid=(need(loop_c_max=None),), loop="cdu", loop_c=20.0))
    assert (unknown.id, unknown.severity) == ("COOL-013", "undecided")


def test_the_stated_rise_is_at_most_the_machines_own():
    assert judged(conditions=conditions(delta_k=16.383)) == []
    finding = alone(judged(conditions=conditions(delta_k=16.4)))
    assert (finding.id, finding.where, finding.found) == ("COOL-005", "lab-r001/dgx-h100", "air that warms by 16.4 K")
    assert finding.limit == "16.4 K: 10.2 kW in the 0.52 m3/s (1104 CFM) that its fans move"
    assert judged(conditions=conditions(delta_k=16.4), intakes=(server(rise_k=None),)) == []
    assert judged(conditions=conditions(delta_k=16.4), intakes=(server(airflow_m3_s=None),)) == []
    assert judged(conditions=conditions(delta_k=30.0, assumed=True)) == []


def test_inlet_air():
    assert judged(conditions=conditions(inlet_c=30.0)) == []
    finding = alone(judged(conditions=conditions(inlet_c=30.1)))
    assert (finding.id, finding.found, finding.limit) == ("COOL-006", "air of 30.1 °C", "30 °C for dgx-h100 at 0 m")
    assert judged(conditions=conditions(inlet_c=50.0), intakes=(server(inlet_c_max=None),)) == []
    assert judged(conditions=conditions(inlet_c=50.0, assumed=True)) == []


def test_air_through_a_door():
    def through(m3_s, most=3.5):
        air = rack_air(airflow_m3_s=m3_s, door=door(air_max_m3_s=most), door_kw=5.0)
        return check_rack(rack(cooling=air))

    assert through(3.5) == []
    assert through(9.0, None) == []
    finding = alone(through(3.51))
    assert (finding.id, finding.limit) == ("COOL-007", "3.50 m3/s (7416 CFM)")
    assert judged(airflow_m3_s=99.0) == []


def test_water_warmer_than_the_air_it_must_cool():
    assert behind(air_kw=25.0, water_c=35.9) == []
    finding = alone(behind(air_kw=25.0, water_c=36.0))
    assert (finding.id, finding.severity, finding.found) == ("COOL-008", "invariant", "water of 36 °C")
    assert finding.limit == "below the 36 °C of the air that enters rear-door-50kw"
    assert ids(halls(liquid_pool(units=(cdu(water=water(water_c=32.0)),)))) == ["COOL-008"]
    assert halls(liquid_pool(units=(cdu(water=water(water_c=31.9)),))) == []
    assert halls(liquid_pool(units=(cdu(water=None),))) == []


def test_pressure():
    assert behind(air_kw=25.0, pressure_kpa=80.0) == []
    finding = alone(behind(air_kw=25.0, pressure_kpa=80.1))
    assert (finding.id, finding.found, finding.limit) == ("COOL-010", "rear-door-50kw drops 80.1 kPa", "80 kPa")
    unknown = alone(behind(air_kw=25.0, pressure_kpa=None))
    assert (unknown.id, unknown.severity, unknown.limit) == ("COOL-010", "undecided", "80 kPa")
    assert "drop of rear-door-50kw is unknown at this flow of water" in unknown.found
    unstated = alone(behind(air_kw=25.0, pressure_limit_kpa=None))
    assert (unstated.severity, unstated.found) == ("undecided", "rear-door-50kw drops 51.2 kPa")
    assert unstated.limit == "no waterPressureKpa is stated"
    assert ids(halls(liquid_pool(units=(cdu(water=water(pressure_kpa=100.1)),)))) == ["COOL-010"]


def test_fluids():
    finding = alone(behind(air_kw=25.0, fluids=("pg25",)))
    assert (finding.id, finding.found, finding.limit) == ("COOL-011", "water in rear-door-50kw", "pg25")
    unknown = alone(behind(air_kw=25.0, fluids=None))
    assert (unknown.id, unknown.severity) == ("COOL-011", "undecided")
    found = halls(liquid_pool(units=(cdu(water=water(fluids=("water",))),)))
    assert [(f.id, f.found) for f in found] == [("COOL-011", "pg25 in vertiv-xdu1350")]
    assert len(halls(liquid_pool(units=(cdu(water=water(fluids=None)),)))) == 2
    assert len(halls(liquid_pool(units=(cdu(water=water(fluids=None, loop_fluid="water")),)))) == 1


def test_dew_point():
    assert behind(air_kw=25.0, water_c=16.0) == []
    finding = alone(behind(air_kw=25.0, water_c=15.9))
    assert (finding.id, finding.found) == ("COOL-012", "water of rear-door-50kw at 15.9 °C")
    assert finding.limit == "16 °C (dew point 14 °C and 2 K)"
    air = rack_air(door=door(), door_kw=5.0, dew_point_c=None)
    unknown = alone(check_rack(rack(cooling=air)))
    assert (unknown.id, unknown.severity) == ("COOL-012", "undecided")
    cold = water(loop_c=15.9, water_c=10.0)
    assert ids(halls(liquid_pool(units=(cdu(water=cold),)))) == ["COOL-012"]
    assert halls(liquid_pool(units=(cdu(water=cold),)), thresholds=Thresholds(dew_margin_k=1.9)) == []
    # No air is colder than its own dew point: a loop of 32 °C stays dry in a hall of 24 °C, whatever that is.
    assert halls(liquid_pool(), dew_point_c=None) == []
    chilly = liquid_pool(units=(cdu(water=water(loop_c=26.0, water_c=20.0)),))
    assert halls(chilly, dew_point_c=None) == []
    cooler = liquid_pool(units=(cdu(water=water(loop_c=25.9, water_c=20.0)),))
    assert [(f.id, f.severity) for f in halls(cooler, dew_point_c=None)] == [("COOL-012", "undecided")]
    assert halls(liquid_pool(), dew_point_c=30.0) == []
    assert ids(halls(liquid_pool(), dew_point_c=30.1)) == ["COOL-012"]


def test_units_carry_their_load():
    assert halls(air_pool(load_kw=360.0)) == []
    found = halls(air_pool(load_kw=480.1, failed_capacity_kw=480.1))
    finding = alone(found)
    assert (finding.id, finding.severity, finding.where) == ("COOL-015", "limit", "lab-crah-row-001")
    assert finding.found == "480.1 kW from 12 racks (2 other pools are alike)"
    assert finding.limit == "480.0 kW: 4 x crah of 120.0 kW"
    assert halls(air_pool(load_kw=480.0, failed_capacity_kw=480.0)) == []
    assert ids(halls(air_pool(), thresholds=Thresholds(cooling_percent_max=74.9))) == ["COOL-015"]
    two = alone(halls(air_pool(load_kw=480.1, failed_capacity_kw=480.1, areas=((1,), (2,)))))
    assert two.found == "480.1 kW from 12 racks (1 other pool is alike)"
    assert alone(halls(liquid_pool(load_kw=2800.0, failed_capacity_kw=2800.0))).found == "2800.0 kW from 20 racks"


def test_an_unknown_capacity_is_undecided_and_names_the_figure():
    unit = cdu(capacity_kw=None, unknown=("ratedFlowLMin", "ratedPressureKpa"))
    found = halls(liquid_pool(units=(unit, cdu()), capacity_kw=None, failed_capacity_kw=None))
    assert [(f.id, f.severity) for f in found] == [("COOL-015", "undecided"), ("COOL-016", "undecided")]
    assert {f.limit for f in found} == {"unknown without ratedFlowLMin of vertiv-xdu1350"}
    assert {f.fix for f in found} == {"enter ratedFlowLMin of vertiv-xdu1350 in railyard/catalog/cooling.yaml"}
    for capacity, failed in ((None, 2000.0), (2736.0, None)):
        found = halls(liquid_pool(units=(unit,), capacity_kw=capacity, failed_capacity_kw=failed))
        assert "COOL-016" in ids(found)
        assert {f.severity for f in found} == {"undecided"}


def test_the_largest_unit_fails():
    """Two CDUs of 1,368 kW carry 2,000 kW together; one is lost, and 632 kW are short. Three do it."""
    finding = alone(halls(liquid_pool(load_kw=2000.0)))
    assert (finding.id, finding.severity, finding.where) == ("COOL-016", "limit", "lab-cdu")
    assert finding.found == "2000.0 kW from 20 racks with one lab-cdu failed"
    assert finding.limit == "1368.0 kW is left of 2 x vertiv-xdu1350 of 1368.0 kW"
    assert finding.fix == "632.0 kW more: one more unit, or larger ones"
    assert halls(liquid_pool(load_kw=2000.0, capacity_kw=4104.0, failed_capacity_kw=2736.0)) == []
    assert halls(liquid_pool(load_kw=1368.0)) == []
    assert ids(halls(liquid_pool(load_kw=1368.001))) == ["COOL-016"]
    assert halls(liquid_pool(load_kw=1500.0), thresholds=Thresholds(cooling_failed_percent_max=110)) == []


def test_a_lost_rear_door_falls_on_the_air_units():
    assert halls(air_pool(load_kw=360.0, door_kw=120.0)) == []
    finding = alone(halls(air_pool(load_kw=360.0, door_kw=120.1)))
    assert (finding.id, finding.found) == (
        "COOL-016",
        "480.1 kW from 12 racks (2 other pools are alike) with a rear door lost",
    )
    assert ids(halls(air_pool(load_kw=500.0, capacity_kw=480.0, failed_capacity_kw=600.0, door_kw=0.0))) == ["COOL-015"]


def test_airflow():
    assert halls(air_pool(airflow_needed_m3_s=27.0)) == []
    finding = alone(halls(air_pool(airflow_needed_m3_s=27.1)))
    assert (finding.id, finding.severity) == ("COOL-017", "limit")
    assert finding.found == "racks draw 27.10 m3/s (57422 CFM)"
    assert finding.limit == "27.00 m3/s (57210 CFM) with the largest unit failed"
    assert alone(halls(air_pool(airflow_needed_m3_s=36.1))).limit.endswith("with all units live")
    assert alone(halls(air_pool(airflow_needed_m3_s=36.0))).limit.endswith("with the largest unit failed")
    assert halls(air_pool(airflow_needed_m3_s=29.0), thresholds=Thresholds(airflow_percent_max=110)) == []
    for missing in ("airflow_needed_m3_s", "airflow_m3_s", "failed_airflow_m3_s"):
        assert halls(air_pool(**{"airflow_needed_m3_s": 99.0, missing: None})) == []


def test_a_lost_rear_door_gives_its_racks_air_back():
    """1.93 of 3.0 m3/s are drawn with all doors; the rack whose door is lost adds 1.31."""
    known = {"airflow_needed_m3_s": 1.93, "airflow_m3_s": 3.0, "failed_airflow_m3_s": 2.25}
    finding = alone(halls(air_pool(**known, door_m3_s=1.31)))
    assert (finding.id, finding.limit) == ("COOL-017", "3.00 m3/s (6357 CFM) with all units live")
    assert finding.found.startswith("racks draw 3.24 m3/s (6865 CFM) with a rear door lost, which hands 1.31 m3/s")
    assert halls(air_pool(**known, door_m3_s=1.07)) == []
    assert ids(halls(air_pool(**known, door_m3_s=1.0701))) == ["COOL-017"]
    assert ids(halls(air_pool(**known | {"airflow_needed_m3_s": 3.1}))) == ["COOL-017"], "no door: said once"


def test_coolant_flow():
    def pumped(**changes):
        return halls(liquid_pool(units=(cdu(water=water(**changes)),)))

    assert pumped(worst_loop_flow_l_min=1200.0) == []
    finding = alone(pumped(worst_loop_flow_l_min=1200.1))
    assert (finding.id, finding.where, finding.limit) == ("COOL-018", "lab-cdu", "1200 l/min")
    assert finding.found == (
        "1200 l/min of pg25 at a rise of 12 K through one vertiv-xdu1350 with one unit failed, at 1368.0 kW"
    )
    only_one = water(worst_loop_flow_l_min=None, loop_flow_l_min=1201.0)
    single = alone(halls(liquid_pool(units=(cdu(worst_kw=None, water=only_one),))))
    assert single.found == "1201 l/min of pg25 at a rise of 12 K through one vertiv-xdu1350"
    assert pumped(worst_loop_flow_l_min=None, loop_flow_l_min=1200.0) == []
    unknown = alone(pumped(loop_flow_max_l_min=None))
    assert (unknown.id, unknown.severity) == ("COOL-018", "undecided")


def test_cdus_that_nothing_needs_are_named_and_their_values_judged():
    idle = {"load_kw": 0.0, "capacity_kw": None, "failed_capacity_kw": None}
    dry = water(
        water_out_c=28.0, worst_water_out_c=28.0, loop_flow_l_min=0.0, worst_loop_flow_l_min=0.0, loop_flow_max_l_min=None
    )
    unit = cdu(load_kw=0.0, worst_kw=0.0, capacity_kw=None, water=dry)
    finding = alone(halls(liquid_pool(**idle, units=(unit,))))
    assert (finding.id, finding.severity, finding.where) == ("COOL-020", "notice", "lab-cdu")
    assert finding.found == "2 x vertiv-xdu1350 for 20 racks, none of whose machines is cooled by coolant"
    two = (unit, cdu(name="lab-other", model="deschutes-2mw", water=dry))
    assert alone(halls(liquid_pool(**idle, units=two))).found.startswith("2 x vertiv-xdu1350 and 2 x deschutes-2mw for")
    warm = cdu(load_kw=0.0, worst_kw=0.0, water=dry.model_copy(update={"water_c": 32.0}))
    assert ids(halls(liquid_pool(**idle, units=(warm,)))) == ["COOL-008", "COOL-020"]
    assert halls(air_pool(load_kw=0.0)) == []
    assert halls(liquid_pool(load_kw=0.1)) == []


def test_facility_water():
    def warmed(**changes):
        return halls(liquid_pool(units=(cdu(water=water(**changes)),)))

    assert warmed(worst_water_out_c=44.0) == []
    finding = alone(warmed(worst_water_out_c=44.1))
    assert (finding.id, finding.limit) == ("COOL-019", "44 °C, the coolant's return")
    assert finding.found == "1243 l/min of water would leave vertiv-xdu1350 at 44.1 °C with one unit failed, at 1368.0 kW"
    weak = cdu(capacity_kw=825.4, worst_kw=1372.8, water=water(worst_water_out_c=49.8))
    assert alone(halls(liquid_pool(units=(weak,)))).found == (
        "1243 l/min of water would leave vertiv-xdu1350 at 49.8 °C with one unit failed, at 1372.8 kW "
        "(it can give 825.4 kW: COOL-016)"
    )
    assert ids(warmed(worst_water_out_c=None, water_out_c=44.1)) == ["COOL-019"]
    assert warmed(worst_water_out_c=None, water_out_c=44.0) == []


def test_thresholds_move_the_rack_limits():
    strict = Thresholds(air_percent_max=10)
    assert ids(judged(strict)) == ["COOL-001"]
    air = rack_air(door=door(), door_kw=18.0, room_kw=2.4)
    assert ids(check_rack(rack(cooling=air), strict)) == ["COOL-009"]


def test_slices_as_the_engine_sends_them_give_the_same_findings():
    air = rack_air(
        hot=(hot(),),
        liquid=(need(),),
        door=door(capacity_kw=None, pressure_limit_kpa=None, fluids=None, unknown=("ratedFlowLMin",)),
        intakes=(server(), intake(takes=None, direction=None)),
        dew_point_c=None,
    )
    bad = rack(name="thing", air_kw=30.0, cooling=air)
    found = check_rack(bad)
    assert ids(found) == ["COOL-001", "COOL-002", "COOL-003", "COOL-010", "COOL-011", "COOL-012", "COOL-014"]
    assert judge(RACK, "thing", wire(bad.props()), ids(found), TODAY) == found
    bare = {"pressure_kpa": None, "fluids": None, "loop_flow_max_l_min": None, "worst_loop_flow_l_min": None}
    unit = cdu(worst_kw=None, water=water(loop_c=22.0, water_c=20.0, **bare))
    poor = hall(
        liquid_pool(units=(unit,), capacity_kw=None, failed_capacity_kw=None), air_pool(load_kw=481.0), dew_point_c=None
    )
    found = check_hall_cooling(poor)
    assert len(set(ids(found))) == 6
    assert judge(HALL, "lab-hall", {"name": "lab-hall", "cooling": wire(poor.props())}, ids(found), TODAY) == found


def test_every_cooling_rule_is_documented():
    for number in range(1, 21):
        rule = RULES[f"COOL-{number:03d}"]
        assert rule.pack == "power"
        texts = (rule.why, rule.inputs, rule.passes, rule.fails, rule.cause, rule.manual, rule.fix, rule.source)
        assert all(len(text) > 10 for text in texts)
