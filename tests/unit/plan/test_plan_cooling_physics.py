"""Air, water and heat exchangers against published figures, and their bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from railyard import catalog
from railyard.model.catalog import NodeModel
from railyard.model.cooling import Cooling, CoolingModel
from railyard.plan.cooling.air import (
    CP_AIR_J_KG_K,
    M3_S_PER_CFM,
    airflow_m3_s,
    conditions,
    density_kg_m3,
    inlet_max_c,
    pressure_pa,
    rise_k,
)
from railyard.plan.cooling.exchangers import exchange
from railyard.plan.cooling.fluids import flow_l_min, kw_per_k, properties

pytestmark = pytest.mark.requirement("C3")


@pytest.mark.parametrize(
    ("metres", "celsius", "pascal", "density"),
    [  # ISO 2533 standard atmosphere
        (0, 15.0, 101_325, 1.2250),
        (500, 11.75, 95_461, 1.1673),
        (1000, 8.5, 89_875, 1.1117),
        (2000, 2.0, 79_495, 1.0065),
        (3000, -4.5, 70_109, 0.9091),
    ],
)
def test_the_standard_atmosphere(metres, celsius, pascal, density):
    assert pressure_pa(metres) == pytest.approx(pascal, rel=1e-3)
    assert density_kg_m3(celsius, metres) == pytest.approx(density, rel=1e-3)


def test_the_rule_of_1_08_btu():
    """BTU/h = 1.08 x CFM x °F, for standard air of 0.075 lb/ft3 (70 °F at sea level)."""
    density = density_kg_m3((70 - 32) / 1.8, 0)
    assert density == pytest.approx(0.075 * 0.45359237 / 0.3048**3, rel=2e-3)
    btu_h_per_kw = 3412.14
    cfm = airflow_m3_s(1.0, density, 10 / 1.8) / M3_S_PER_CFM
    assert btu_h_per_kw / (cfm * 10) == pytest.approx(1.08, abs=0.01)


def test_the_rule_of_thumb_for_a_kilowatt():
    """158 CFM carry a kilowatt with a rise of 20 °F (ASHRAE, 1 W = 3.412 BTU/h)."""
    assert airflow_m3_s(1.0, density_kg_m3(21.1, 0), 20 / 1.8) / M3_S_PER_CFM == pytest.approx(158, rel=0.01)
    assert pytest.approx(1 / 2118.88, rel=1e-5) == M3_S_PER_CFM


def test_a_dgx_h100_warms_its_own_air_by_16_kelvin():
    """1105 CFM and 10.2 kW (38,557 BTU/h would be 11.3 kW: its data sheet's heat output is above its power)."""
    assert rise_k(10.2, density_kg_m3(24, 0), 1105 * M3_S_PER_CFM) == pytest.approx(16.4, abs=0.1)


@given(heat=st.floats(0.1, 5000), air=st.floats(5, 60), metres=st.floats(-400, 5000), rise=st.floats(0.5, 40))
def test_airflow_and_rise_are_each_others_inverse(heat, air, metres, rise):
    density = density_kg_m3(air, metres)
    flow = airflow_m3_s(heat, density, rise)
    assert rise_k(heat, density, flow) == pytest.approx(rise)
    assert flow * density * CP_AIR_J_KG_K * rise == pytest.approx(heat * 1000)
    assert airflow_m3_s(heat, density_kg_m3(air, metres + 100), rise) > flow


def test_a_rise_of_0_is_no_airflow():
    with pytest.raises(ZeroDivisionError):
        airflow_m3_s(1.0, 1.2, 0.0)


def test_the_air_that_is_assumed_says_so():
    assumed, stated = conditions(None), conditions(Cooling(inlet_c=20, delta_k=10, altitude_m=0))
    assert (assumed.assumed, stated.assumed) == (True, False)
    assert stated.density_kg_m3 == pytest.approx(1.204, abs=1e-3)


@pytest.mark.parametrize(("metres", "found"), [(0, 30.0), (900, 30.0), (1200, 29.0), (3000, 23.0)])
def test_warm_air_is_allowed_less_at_altitude(metres, found):
    assert inlet_max_c(30.0, metres) == found
    assert inlet_max_c(None, metres) is None


@pytest.mark.parametrize(
    ("fluid", "celsius", "density", "capacity"),
    [
        ("water", 20, 998.21, 4.184),
        ("water", 4, 999.78, 4.2104),
        ("water", 35, 993.94, 4.180),
        ("pg25", 40, 1022.5, 3.92),
        ("pg25", 32.5, 1026.5, 3.895),
    ],
)
def test_fluids(fluid, celsius, density, capacity):
    assert properties(fluid, celsius) == pytest.approx((density, capacity), rel=1e-4)


def test_outside_of_the_table_the_nearest_row_stands_in():
    assert properties("pg25", 5) == properties("pg25", 20)
    assert properties("pg25", 60) == properties("pg25", 55)
    assert properties("water", -1) == properties("water", 0)
    assert properties("water", 99) == properties("water", 70)


@given(st.floats(0, 70))
def test_pg25_is_heavier_than_water_and_carries_less_heat(celsius):
    (water, water_cp), (glycol, glycol_cp) = properties("water", celsius), properties("pg25", celsius)
    assert glycol > water
    assert glycol_cp < water_cp
    assert 0.94 < kw_per_k("pg25", celsius, 1.0) / kw_per_k("water", celsius, 1.0) < 0.98


def test_a_litre_a_minute_of_water():
    """0.0696 kW for each kelvin: 1.43 l/min per kW at a rise of 10 K, as liquid-cooling guides have it."""
    assert kw_per_k("water", 20, 1.0) == pytest.approx(0.0696, abs=1e-4)
    assert flow_l_min("water", 20, 1.0, 10.0) == pytest.approx(1.436, abs=1e-3)
    assert flow_l_min("pg25", 40, 1.0, 10.0) == pytest.approx(1.497, abs=1e-3)
    assert flow_l_min("water", 20, 697.0, 10.0) == pytest.approx(1000, rel=2e-3)


def model(**changes):
    fields = {"rated_kw": 50.0, "rated_difference_k": 20.0, "rated_flow_l_min": 75.0, "rated_pressure_kpa": 80.0}
    fields |= {"kind": "rear-door", "rated_fluid": "water"} | changes
    known = [name for name, value in fields.items() if value is not None]
    aliases = [CoolingModel.model_fields[name].alias or name for name in known]
    return CoolingModel(name="door", title="door", sources={"test": tuple(aliases)}, **{name: fields[name] for name in known})


def test_a_unit_at_its_rated_point_carries_what_it_is_rated_for():
    found = exchange(model(), 20.0, 20.0, 18.0, 75.0, "water")
    assert (found.capacity_kw, found.pressure_kpa, found.unknown) == (50.0, 80.0, ())


@pytest.mark.parametrize(
    ("difference", "flow", "fluid", "capacity"),
    [
        (10.0, 75.0, "water", 25.0),
        (30.0, 75.0, "water", 50.0),  # a greater difference is not credited
        (20.0, 37.5, "water", 25.0),
        (20.0, 300.0, "water", 50.0),  # nor is more water
        (20.0, 75.0, "pg25", 50.0 * kw_per_k("pg25", 18, 1) / kw_per_k("water", 18, 1)),
        (0.0, 75.0, "water", 0.0),
        (-5.0, 75.0, "water", 0.0),
    ],
)
def test_capacity_at_other_conditions(difference, flow, fluid, capacity):
    assert exchange(model(), difference, 99.0, 18.0, flow, fluid).capacity_kw == pytest.approx(capacity, abs=1e-3)


def test_water_never_leaves_warmer_than_what_it_cools():
    """7.5 l/min of water are 0.52 kW/K: 2.6 kW is all that it can take from air 5 K warmer than it."""
    tiny = model(rated_flow_l_min=7.5)
    assert exchange(tiny, 20.0, 5.0, 18.0, 7.5, "water").capacity_kw == pytest.approx(5 * kw_per_k("water", 18, 7.5), abs=1e-3)
    assert exchange(tiny, 20.0, -1.0, 18.0, 7.5, "water").capacity_kw == 0.0


def test_pressure_goes_with_the_square_of_the_flow():
    assert exchange(model(), 20.0, 20.0, 18.0, 150.0, "water").pressure_kpa == pytest.approx(320.0)
    glycol = exchange(model(), 20.0, 20.0, 18.0, 75.0, "pg25")
    assert (glycol.pressure_kpa, glycol.unknown) == (None, ("pressure drop with pg25",))


@pytest.mark.parametrize(
    ("missing", "capacity", "pressure", "unknown"),
    [
        ("rated_difference_k", None, 80.0, ("ratedDifferenceK",)),
        ("rated_flow_l_min", None, None, ("ratedFlowLMin",)),
        ("rated_pressure_kpa", 50.0, None, ("ratedPressureKpa",)),
        ("rated_fluid", 50.0, 80.0, ()),
    ],
)
def test_what_a_data_sheet_lacks_is_unknown_never_0(missing, capacity, pressure, unknown):
    found = exchange(model(**{missing: None}), 20.0, 20.0, 18.0, 75.0, "water")
    assert (found.capacity_kw, found.pressure_kpa, found.unknown) == (capacity, pressure, unknown)


@given(
    difference=st.floats(-10, 40), reach=st.floats(-10, 60), flow=st.floats(0.1, 500), fluid=st.sampled_from(["water", "pg25"])
)
def test_no_unit_beats_its_rating_or_nature(difference, reach, flow, fluid):
    capacity = exchange(model(), difference, reach, 18.0, flow, fluid).capacity_kw
    assert 0 <= capacity <= 50.0
    assert capacity <= kw_per_k(fluid, 18.0, flow) * max(reach, 0) + 1e-3
    assert exchange(model(), difference + 1, reach, 18.0, flow, fluid).capacity_kw >= capacity


@pytest.mark.requirement("C1")
def test_the_catalogue_has_two_of_each_and_their_own_heat_balance_holds():
    rows = catalog.load().cooling
    assert len([row for row in rows.values() if row.kind == "cdu"]) >= 2
    assert len([row for row in rows.values() if row.kind == "rear-door"]) >= 2
    for row in rows.values():
        if row.rated_flow_l_min and row.rated_difference_k:
            rise = row.rated_kw / kw_per_k(row.rated_fluid or "water", 25.0, row.rated_flow_l_min)
            assert 5 < rise < 20, f"{row.name}: water would warm by {rise:.1f} K at its rated heat and flow"


@pytest.mark.parametrize(
    ("fact", "value"),
    [("rated_kw", -50.0), ("rated_kw", 0.0), ("rated_kw", 50_000.0), ("rated_difference_k", 0.0), ("rated_flow_l_min", -1.0)],
)
def test_the_catalogue_refuses_negative_heat_and_watts_for_kilowatts(fact, value):
    with pytest.raises(ValidationError):
        model(**{fact: value})


def test_a_machine_has_no_negative_heat():
    node = catalog.load().nodes["dgx-h100"].model_dump(by_alias=True)
    for changes in ({"peakKw": -10.2}, {"airFraction": -0.1}, {"airFraction": 1.1}, {"inletCMax": 86}, {"loopCMax": 113}):
        with pytest.raises(ValidationError):
            NodeModel.model_validate(node | changes)
