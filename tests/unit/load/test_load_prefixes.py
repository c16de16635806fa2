"""Numbers that only a wrong unit explains: refused, with what they would be in the key's own unit."""

from pathlib import Path

import pytest

from tests.unit.load.load_site import Yard, make

pytestmark = pytest.mark.requirement("C3")

SECTIONS = """  railyard:floor:
    lengthM: 20
    widthM: 12
    yM: 3.6
    coldAisleM: 1.8
    placeM: 0.6
    cartKg: 150
    obstacles: [{name: C1, xM: 1, yM: 2, widthM: 0.3, depthM: 0.4}]
    bearing: {pointKg: 567, uniformKgPerM2: 1224, wheelKg: 363, tileM: 0.6}
    route: [{name: lift, kind: lift, kg: 2000, heightM: 2.5}]
  railyard:cooling:
    inletC: 24
    deltaK: 12
    altitudeM: 150
    dewPointC: 14
    airUnits:
      - {name: crah, rowsEach: 2, units: 4, capacityKw: 120, airflowM3S: 8}
    rearDoors: {model: rear-door-50kw, waterC: 18, waterFlowLMin: 60, waterPressureKpa: 80}
  railyard:power:
    supply: {volts: 415, voltageReference: line-line}
    loads: {basis: measured, evidence: meters of May, marginPercent: 10, kw: {dgx-h100: 9.1}}
    paths:
      - {name: ups-a, kind: ups, feed: a, ratedKva: 2000, ratedKw: 1900}
      - {name: bus-a, kind: busway, from: ups-a, breakerA: 800, rowsEach: 1}
"""

CASES = [
    # old, new, key, what the number would be
    ("airLimitKw: 40", "airLimitKw: 40000", "facility.airLimitKw", "40000 W are 40 kW"),
    ("airLimitKw: 40", "airLimitKw: 301", "facility.airLimitKw", "301 W are 0.301 kW"),
    ("weightLimitKg: 1500", "weightLimitKg: 14710", "facility.weightLimitKg", "14710 N are 1500 kg"),
    ("weightLimitKg: 1500", "weightLimitKg: 1500000", "facility.weightLimitKg", "1500000 g are 1500 kg"),
    ("capacityKw: 120", "capacityKw: 120000", "cooling.airUnits[0].capacityKw", "120000 W are 120 kW"),
    ("capacityKw: 120", "capacityKw: 3500", "cooling.airUnits[0].capacityKw", "3500 W are 3.5 kW"),
    ("altitudeM: 150", "altitudeM: 9200", "cooling.altitudeM", "9200 ft are 2804 m"),
    ("inletC: 24", "inletC: 75", "cooling.inletC", "75 °F are 23.9 °C"),
    ("dewPointC: 14", "dewPointC: 57", "cooling.dewPointC", "57 °F are 13.9 °C"),
    ("waterC: 18", "waterC: 64", "cooling.rearDoors.waterC", "64 °F are 17.8 °C"),
    ("waterPressureKpa: 80", "waterPressureKpa: 80000", "cooling.rearDoors.waterPressureKpa", "80000 Pa are 80 kPa"),
    ("waterPressureKpa: 80", "waterPressureKpa: 1200", "cooling.rearDoors.waterPressureKpa", "1200 Pa are 1.2 kPa"),
    ("waterFlowLMin: 60", "waterFlowLMin: 72000", "cooling.rearDoors.waterFlowLMin", "72000 l/h are 1200 l/min"),
    ("airflowM3S: 8", "airflowM3S: 28800", "cooling.airUnits[0].airflowM3S", "28800 m3/h are 8 m3/s"),
    ("pointKg: 567", "pointKg: 5560", "floor.bearing.pointKg", "5560 N are 567 kg"),
    ("wheelKg: 363", "wheelKg: 3560", "floor.bearing.wheelKg", "3560 N are 363 kg"),
    ("uniformKgPerM2: 1224", "uniformKgPerM2: 12000", "floor.bearing.uniformKgPerM2", "12000 Pa are 1224 kg/m2"),
    ("cartKg: 150", "cartKg: 150000", "floor.cartKg", "150000 g are 150 kg"),
    ("kg: 2000,", "kg: 2000000,", "floor.route[0].kg", "2000000 g are 2000 kg"),
    ("tileM: 0.6", "tileM: 600", "floor.bearing.tileM", "600 mm are 0.6 m"),
    ("coldAisleM: 1.8", "coldAisleM: 1800", "floor.coldAisleM", "1800 mm are 1.8 m"),
    ("placeM: 0.6", "placeM: 600", "floor.placeM", "600 mm are 0.6 m"),
    ("lengthM: 20", "lengthM: 20000", "floor.lengthM", "20000 mm are 20 m"),
    ("yM: 3.6", "yM: 3600", "floor.yM", "3600 mm are 3.6 m"),
    ("widthM: 0.3", "widthM: 300", "floor.obstacles[0].widthM", "300 mm are 0.3 m"),
    ("heightM: 2.5", "heightM: 2500", "floor.route[0].heightM", "2500 mm are 2.5 m"),
    ("breakerA: 800", "breakerA: 800000", "power.paths[1].breakerA", "800000 mA are 800 A"),
]


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    made = make(tmp_path)
    made.edit("airLimitKw: 60", "airLimitKw: 40")
    made.add(SECTIONS)
    return made


@pytest.mark.parametrize(("old", "new", "path", "hint"), CASES)
def test_a_wrong_unit_is_refused_and_named(yard: Yard, old: str, new: str, path: str, hint: str):
    yard.edit(old, new)
    problem = yard.only()
    assert (problem.id, problem.where) == ("LOAD-008", f"stacks/Pulumi.lab.yaml:railyard:{path}")
    assert hint in problem.fix


def test_the_right_units_load(yard: Yard):
    """A dense hall: 300 kW racks, 900 kW air handlers, a slab that bears three tonnes under a foot."""
    yard.edit("airLimitKw: 40", "airLimitKw: 300")
    yard.edit("capacityKw: 120", "capacityKw: 900")
    yard.edit("pointKg: 567", "pointKg: 3000")
    assert yard.load().file.facility.air_limit_kw == 300


def test_what_is_below_its_range_gets_no_such_hint(yard: Yard):
    yard.edit("coldAisleM: 1.8", "coldAisleM: -1800")
    assert "are" not in yard.only().fix.split()
