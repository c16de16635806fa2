"""The lines about cooling that `railyard plan` prints."""

import pytest

from railyard.model.cooling import CoolingPlan
from railyard.render.cooling_text import cooling_text
from tests.unit.rules.cooling_factory import air_pool, cdu, conditions, hall, liquid_pool

pytestmark = pytest.mark.requirement("C3")


def text(*pools, unknown=(), **changes):
    return cooling_text(CoolingPlan(hall=hall(*pools, **changes), racks=(), unknown=unknown)).splitlines()


def test_heat_and_pools():
    assert text() == [
        "Cooling: 1,080.0 kW to the room's air, 1,368.0 kW to coolant; air of 24 °C that warms by 12 K at 0 m",
        "  lab-cdu: 1,368.0 of 2,736.0 kW on 2 x vertiv-xdu1350, 1,368.0 kW with one failed",
        (
            "  lab-crah-row-001 (and 2 more like it): 360.0 of 480.0 kW on 4 x crah, 360.0 kW with one failed; "
            "air 27.0 of 27.0 m3/s then"
        ),
    ]


def test_what_is_unknown_is_said():
    lines = text(
        liquid_pool(capacity_kw=None, failed_capacity_kw=None),
        air_pool(areas=((1,),)),
        unknown=("ratedFlowLMin of x is unknown",),
        conditions=conditions(assumed=True),
        doors=(cdu(name="lab-r001-door", kind="rear-door", count=3, capacity_kw=None, load_kw=0.0),),
        door_kw=5.0,
    )
    assert lines[0].endswith("0 m (assumed)")
    assert "5.0 kW to rear doors" in lines[0]
    assert lines[1] == "  lab-cdu: 1,368.0 of unknown kW on 2 x vertiv-xdu1350, unknown kW with one failed"
    assert lines[2].startswith("  lab-crah-row-001: 360.0")
    assert lines[3] == "  lab-r001-door: 3 x vertiv-xdu1350, 0.0 of unknown kW each"
    assert lines[4] == "  unknown: ratedFlowLMin of x is unknown"


def test_nothing_planned_and_no_heat():
    assert cooling_text(None) == "Cooling: not planned"
    assert text(room_kw=0.0, liquid_kw=0.0)[0].startswith("Cooling: no heat; air of 24")
