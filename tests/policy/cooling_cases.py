"""Racks and halls for the power pack: good cooling, and one failing case for each cooling rule."""

from railyard.rules.slices import HALL, RACK
from tests.policy.policy_harness import args
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
from tests.unit.rules.rules_factory import rack


def aired(air_kw=20.4, **changes):
    return args(RACK, rack(air_kw=air_kw, cooling=rack_air(air_kw=air_kw, **changes)).props())


def doored(air_kw=20.4, **changes):
    return aired(air_kw, door_kw=10.0, door=door(**changes))


def pooled(*pools):
    return args(HALL, {"name": "lab-hall", "cooling": hall(*pools).props()})


def watered(**changes):
    return pooled(liquid_pool(units=(cdu(water=water(**changes)),)))


GOOD = [aired(), doored(), aired(liquid=(need(),), loop="cdu", loop_c=32.0), pooled()]
NOTED = aired(hot=(hot(),))
RACK_CASES = {
    "COOL-003": aired(intakes=(intake(takes="hot"),)),
    "COOL-004": aired(liquid=(need(only=True),)),
    "COOL-005": aired(conditions=conditions(delta_k=17.0)),
    "COOL-006": aired(conditions=conditions(inlet_c=31.0), intakes=(server(),)),
    "COOL-007": doored(air_max_m3_s=1.0),
    "COOL-008": doored(water_c=36.0),
    "COOL-009": doored(30.0),
    "COOL-010": doored(pressure_kpa=90.0),
    "COOL-011": doored(fluid="pg25", fluids=("water",)),
    "COOL-012": doored(water_c=15.0),
    "COOL-013": aired(liquid=(need(loop_c_max=30.0),), loop="cdu", loop_c=32.0),
    "COOL-014": aired(liquid=(need(),)),
}
HALL_CASES = {
    "COOL-008": watered(water_c=32.0),
    "COOL-010": watered(pressure_kpa=101.0),
    "COOL-011": watered(fluids=("pg25",)),
    "COOL-012": watered(loop_c=15.0, water_c=12.0),
    "COOL-015": pooled(air_pool(load_kw=500.0, failed_capacity_kw=500.0)),
    "COOL-016": pooled(liquid_pool(load_kw=2000.0)),
    "COOL-017": pooled(air_pool(airflow_needed_m3_s=30.0)),
    "COOL-018": watered(worst_loop_flow_l_min=1300.0),
    "COOL-019": watered(worst_water_out_c=45.0),
}
BAD = [
    *(("power", "rack-cooling", rule, resource) for rule, resource in RACK_CASES.items()),
    *(("power", "hall-cooling", rule, resource) for rule, resource in HALL_CASES.items()),
]
