"""Halls for the power pack: single failures that are borne, and one failing case for each rule about them."""

from railyard.rules.slices import HALL
from tests.policy.policy_harness import args
from tests.unit.rules.failures_factory import line, summary


def failing(*lines, **changes):
    return args(HALL, {"name": "lab-hall", "failures": summary(*lines, **changes).props()})


CASES = {
    "POWER-030": failing(line(gpus_down=8)),
    "POWER-031": failing(line("panel", "panel-a-01", trips=("panel-b-01 at 412.0 A of 400.0 A",))),
    "POWER-032": failing(line(throttled_kw=1000.0)),
    "POWER-033": failing(line(mirrors_lost=("lab-sto01-data00 + lab-sto02-data00",))),
    "POWER-034": failing(line(managers_lost=("fabric",))),
    "POWER-035": failing(line("pdu", "lab-r001-pdu-a", switches_down=("lab-su001-leaf-r0",), rails_lost=1, gpus_cut_off=32)),
}
GOOD = [failing(), failing(line(gpus_down=1024, trips=("x at 9.0 A of 8.0 A",)), stated=False)]
BAD = [("power", "single-failures", rule, resource) for rule, resource in CASES.items()]
