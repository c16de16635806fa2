"""Racks and halls for the power pack: a floor that bears them, and one failing case for each rule of depth, floor, spread."""

from railyard.model.floor import DeviceDepth, LostRack, RouteStep
from railyard.rules.slices import HALL, RACK
from tests.policy.policy_harness import args
from tests.unit.rules.rules_factory import rack
from tests.unit.rules.test_rules_floor import summary
from tests.unit.rules.test_rules_racks import floor


def standing(**changes):
    return args(RACK, rack(floor=floor(**changes)).props())


def ground(**changes):
    return args(HALL, {"name": "lab-hall", "floor": summary(**changes).props()})


GOOD = [standing(), ground()]
RACK_CASES = {
    "RACK-004": standing(depths=(DeviceDepth(model="dgx-h100", depth_m=1.0, cables=8),)),
    "RACK-005": args(RACK, rack(reserved_u=(48, 49)).props()),
    "RACK-006": standing(foot_kg=151.0),
    "RACK-007": standing(kg_per_m2=251.0),
    "RACK-008": standing(strips=5, strip_places=4),
}
FLOOR_CASES = {
    "RACK-009": ground(misdrawn=("kept: there is no row 3 (2 rows)",)),
    "RACK-010": ground(outside=("lab-r001",)),
    "RACK-011": ground(rows=10),
    "RACK-012": ground(hot_aisle_m=0.5),
    "RACK-013": ground(blocked_doors=("D1 by lab-r001",)),
    "RACK-014": ground(route=(RouteStep(name="D1", kind="door", height_m=2.1),)),
    "RACK-015": ground(moved="filled", contents_kg=1100.0, contents_at="lab-r001"),
    "RACK-016": ground(route=(RouteStep(name="ramp", kind="ramp", slope_deg=10),)),
    "RACK-017": ground(clear_height_m=2.5),
}
SPREAD_CASES = {
    "RACK-020": ground(unit_reach_m=51.0),
    "RACK-021": ground(top_share_percent=76.0),
    "RACK-022": ground(lost_together=(LostRack(rack="lab-r097", what="both"),)),
    "RACK-024": ground(planes_together=(LostRack(rack="lab-r009", what="both"),)),
    "RACK-023": ground(mirrors_together=(LostRack(rack="lab-r100", what="both"),)),
}
BAD = [
    ("power", policy, rule, resource)
    for policy, cases in (
        ("rack-depth-and-floor", RACK_CASES),
        ("hall-floor", FLOOR_CASES),
        ("failure-domains", SPREAD_CASES),
    )
    for rule, resource in cases.items()
]
