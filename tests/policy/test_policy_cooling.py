"""prod-site-a's hall passes the power pack; halls that are broken in one way are refused with the right id, and no other."""

import pytest

from components.facility import hall_props
from policies import common
from policies.power import pack as power_pack
from railyard import load, plan
from railyard.model.cooling import Cooling
from railyard.rules.slices import HALL, RACK
from tests.policy.policy_harness import advisory, args, mandatory
from tests.policy.test_policy_stacks import ROOT

pytestmark = pytest.mark.requirement("C3")

DOOR = {"model": "rear-door-50kw", "waterC": 18, "waterFlowLMin": 60, "waterPressureKpa": 80}
CDU = {"name": "cdu", "model": "deschutes-2mw", "units": 2, "waterC": 28, "waterFlowLMin": 1900, "waterPressureKpa": 200}
CDU |= {"loopC": 32, "loopDeltaK": 15}
LIQUID = {"compute": {"node_model": "sr780a-v3-b200"}}


@pytest.fixture(autouse=True)
def _fresh():
    common.SEEN.reset()


def refused(cooling, **sections):
    """Cooling rules that the pack refuses, over the hall and a rack of each kind, with what it only notes."""
    config = load.site_config(ROOT, "prod-site-a")
    file = config.file
    new = {name: getattr(file, name).model_copy(update=keys) for name, keys in sections.items()}
    stated = file.cooling.model_dump(mode="json", by_alias=True) | cooling
    file = file.model_copy(update={"cooling": Cooling.model_validate(stated)} | new)
    planned = plan.plan(config.__class__(**{**vars(config), "file": file}))
    kinds = {kind.racks[0] for kind in planned.cooling.racks}
    shown = [args(RACK, rack.props(), rack.name) for rack in planned.racks if rack.name in kinds]
    shown.append(args(HALL, hall_props(planned), "prod-site-a-hall"))
    stopped = {rule for _, rule in mandatory(power_pack.POLICIES, *shown) if rule.startswith("COOL")}
    noted = {(rule, how) for _, rule, how in advisory(power_pack.POLICIES, *shown) if rule.startswith("COOL")}
    return stopped, noted


def units(**changes):
    return {"airUnits": [{"name": "fanwall", "rowsEach": 2, "units": 6, "capacityKw": 160, "airflowM3S": 10} | changes]}


def test_the_hall_of_prod_site_a_passes():
    assert refused({}) == (set(), {("COOL-002", "notice")})


BROKEN = {
    "fan walls that need each other": ({"cooling": units(units=5, airflowM3S=12)}, "COOL-016"),
    "too few fan walls": ({"cooling": units(capacityKw=110, units=6)}, "COOL-015 COOL-016"),
    "kilowatts without the air for them": ({"cooling": units(airflowM3S=7)}, "COOL-017"),
    "the rise of another machine": ({"cooling": {"deltaK": 20}}, "COOL-005"),
    "air that is too warm": ({"cooling": {"inletC": 31}}, "COOL-006"),
    "a hall on a mountain": ({"cooling": {"altitudeM": 3000} | units(airflowM3S=20)}, "COOL-006"),
    "ports in the cold aisle": ({"cooling": {"switchFace": "front"}}, "COOL-003"),
    "switches ordered the wrong way": ({"cooling": {"airflow": {"qm9700": "front-to-rear"}}}, "COOL-003"),
    "a hall that takes 30 kW per rack": ({"cooling": {}, "facility": {"air_limit_kw": 30.0}}, "COOL-001"),
    "racks that need their doors": (
        {"cooling": {"rearDoors": DOOR, "dewPointC": 14}, "facility": {"air_limit_kw": 30.0}},
        "COOL-009",
    ),
    "water as warm as the air": ({"cooling": {"rearDoors": DOOR | {"waterC": 40}, "dewPointC": 14}}, "COOL-008"),
    "water under the dew point": ({"cooling": {"rearDoors": DOOR, "dewPointC": 17}}, "COOL-012"),
    "a pump that is too small": (
        {"cooling": {"rearDoors": DOOR | {"waterPressureKpa": 40}, "dewPointC": 14}},
        "COOL-010",
    ),
    "liquid-cooled machines without a loop": ({"cooling": {}} | LIQUID, "COOL-014"),
    "one CDU": ({"cooling": {"cdus": [CDU | {"units": 1}], "dewPointC": 14}} | LIQUID, "COOL-016"),
    "two CDUs that need each other": (
        {"cooling": {"cdus": [CDU | {"model": "vertiv-xdu1350", "waterFlowLMin": 1000}], "dewPointC": 14}} | LIQUID,
        "COOL-016 COOL-018 COOL-019",
    ),
    "coolant that is too warm": (
        {"cooling": {"cdus": [CDU | {"loopC": 46, "waterC": 40}], "dewPointC": 14}} | LIQUID,
        "COOL-013",
    ),
    "facility water warmer than the loop": (
        {"cooling": {"cdus": [CDU | {"waterC": 33}], "dewPointC": 14}} | LIQUID,
        "COOL-008 COOL-015 COOL-016",
    ),
    "litres per second": (
        {"cooling": {"cdus": [CDU | {"waterFlowLMin": 32}], "dewPointC": 14}} | LIQUID,
        "COOL-015 COOL-016 COOL-019",
    ),
    "a rise of 5 K": ({"cooling": {"cdus": [CDU | {"loopDeltaK": 5}], "dewPointC": 14}} | LIQUID, "COOL-016 COOL-018 COOL-019"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_hall_is_refused_with_the_right_id(case):
    sections, rules = BROKEN[case]
    assert refused(**sections)[0] == set(rules.split())


def test_figures_that_nobody_printed_are_noted_and_stop_nothing():
    stopped, noted = refused({"cdus": [CDU | {"model": "coolit-chx2000"}], "dewPointC": 14}, **LIQUID)
    assert stopped == set()
    assert noted == {(rule, "undecided") for rule in ("COOL-010", "COOL-011", "COOL-015", "COOL-016")}
