"""Halls for the power pack: a good power path, and one failing case for each rule of it."""

from railyard.rules.slices import HALL, RACK
from tests.policy.policy_harness import args
from tests.unit.rules.power_factory import amps, circuit, cord, hall_power, kind, segment, ups
from tests.unit.rules.rules_factory import rack, supplies


def powered(*segments, **changes):
    """The good hall with other segments, or with another kind of rack."""
    parts = {"segments": (ups(), *(segments or (segment(),))), "racks": (kind(**changes),)}
    return args(HALL, {"name": "lab-hall", "power": hall_power(**parts).props()})


GOOD = [powered(), args(HALL, {"name": "lab-hall"})]
UNSTATED = args(HALL, {"name": "lab-hall", "power": hall_power(segments=(), stated=False).props()})
PATH_CASES = {
    "POWER-008": powered(segment(load_a=amps(81.0, 81.0, 81.0))),
    "POWER-009": powered(segment(worst_a=amps(81.0, 81.0, 81.0))),
    "POWER-010": powered(ups("ups-b", worst_kva=101.0)),
    "POWER-014": powered(segment(load_a=amps(70.0, 30.0, 30.0))),
    "POWER-021": powered(segment(continuous_rating=1.0, limit_a=100.0)),
}
CORD_CASES = {
    "POWER-011": powered(circuits=(circuit(survivor_a=16.1),)),
    "POWER-012": powered(plugs_short={"a/c19": 1}),
    "POWER-013": powered(worst_cords=(cord(amps=16.1),)),
    "POWER-016": powered(single_cord=("sn1000",)),
    "POWER-019": powered(circuits=(circuit(survivor_a=1.0, psu_a=20.1),)),
}
BAD = [
    ("power", "rack-power", "POWER-018", args(RACK, rack(supplies=(supplies(psu_kw=1.071, psus_for_full=1),)).props())),
    *(("power", "hall-power-path", rule, resource) for rule, resource in PATH_CASES.items()),
    *(("power", "hall-outlets-and-cords", rule, resource) for rule, resource in CORD_CASES.items()),
]
