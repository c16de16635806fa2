"""`railyard:cooling`: every bad key ends here, with its place, what was found, the limit and what to type instead."""

import pytest

from railyard.model.site import StackFile
from railyard.plan.managers import HOST
from tests.planned_site import BASE
from tests.unit.load import load_site
from tests.unit.load.load_site import Yard

pytestmark = pytest.mark.requirement("C3")

GOOD = """
  railyard:cooling:
    inletC: 24
    deltaK: 12
    altitudeM: 150
    dewPointC: 14
    switchFace: rear
    airflow: {qm9700: rear-to-front}
    airUnits:
      - {name: crah, rowsEach: 2, units: 4, capacityKw: 120, airflowM3S: 8}
    rearDoors: {model: rear-door-50kw, waterC: 18, waterFlowLMin: 60, waterPressureKpa: 80}
    cdus:
      - {name: cdu, model: vertiv-xdu1350, units: 3, waterC: 28, waterFlowLMin: 1200, loopC: 32, loopDeltaK: 10}
"""


@pytest.fixture
def yard(tmp_path) -> Yard:
    yard = load_site.make(tmp_path)
    yard.add(GOOD.lstrip("\n"))
    return yard


def test_the_section_loads_and_is_optional(yard: Yard):
    cooling = yard.load().file.cooling
    assert cooling is not None
    assert (cooling.inlet_c, cooling.air_units[0].rows_each, cooling.cdus[0].loop_fluid) == (24, 2, "pg25")
    assert StackFile.model_validate(BASE).cooling is None


@pytest.mark.parametrize(
    ("old", "new", "number", "path", "found", "said"),
    [
        ("deltaK: 12", "deltaK: 0", "LOAD-008", "cooling.deltaK", "0", "greater than 0"),
        ("deltaK: 12", "deltaK: -5", "LOAD-008", "cooling.deltaK", "-5", "in kelvin"),
        ("inletC: 24", "inletC: 75", "LOAD-008", "cooling.inletC", "75", "in °C"),
        ("inletC: 24", "inletC: 297", "LOAD-008", "cooling.inletC", "297", "less than or equal to 45"),
        ("inletC: 24", 'inletC: "24 °C"', "LOAD-010", "cooling.inletC", "DEGREE SIGN", "type"),
        ("inletC: 24", 'inletC: "24 C"', "LOAD-007", "cooling.inletC", "24 C", "the key's unit is °C"),
        ("waterFlowLMin: 60", 'waterFlowLMin: "60 l/min"', "LOAD-007", "cooling.rearDoors.waterFlowLMin", "60 l/min", "l/min"),
        ("waterFlowLMin: 60", "waterFlowLMin: sixty", "LOAD-007", "cooling.rearDoors.waterFlowLMin", "sixty", "in digits"),
        ("capacityKw: 120", "capacityKw: -120", "LOAD-008", "cooling.airUnits[0].capacityKw", "-120", "in kW"),
        ("capacityKw: 120", "capacityKw: 120000", "LOAD-008", "cooling.airUnits[0].capacityKw", "120000", "in kW"),
        ("airflowM3S: 8", "airflowM3S: 28800", "LOAD-008", "cooling.airUnits[0].airflowM3S", "28800", "in m3/s"),
        ("airflowM3S: 8", "airflowM3S: .nan", "LOAD-008", "cooling.airUnits[0].airflowM3S", "nan", "finite"),
        ("waterC: 18", "waterC: 59", "LOAD-008", "cooling.rearDoors.waterC", "59", "59 °F are 15 °C"),
        ("waterC: 28", "waterC: 82", "LOAD-008", "cooling.cdus[0].waterC", "82", "82 °F are 27.8 °C"),
        ("inletC: 24", "inletC: 59", "LOAD-008", "cooling.inletC", "59", "59 °F are 15 °C"),
        ("capacityKw: 120", "capacityKw: 0.12", "LOAD-007", "cooling.airUnits[0].capacityKw", "0.12", "0.12 MW are 120 kW"),
        ("waterFlowLMin: 60", "waterFlowLMin: 1", "LOAD-007", "cooling.rearDoors.waterFlowLMin", "1", "1 l/s are 60 l/min"),
        ("waterFlowLMin: 60", "waterFlowLMin: 3600", "LOAD-008", "cooling.rearDoors.waterFlowLMin", "3600", "3600 l/h are 60"),
        ("waterFlowLMin: 60", "waterFlowLMin: 3.6", "LOAD-007", "cooling.rearDoors.waterFlowLMin", "3.6", "3.6 m3/h are 60"),
        (
            "waterPressureKpa: 80",
            "waterPressureKpa: 0.8",
            "LOAD-007",
            "cooling.rearDoors.waterPressureKpa",
            "0.8",
            "0.8 bar are 80",
        ),
        ("altitudeM: 150", "altitudeM: 9000", "LOAD-008", "cooling.altitudeM", "9000", "in metres"),
        ("units: 4", "units: 0", "LOAD-008", "cooling.airUnits[0].units", "0", "greater than or equal to 1"),
        ("units: 4", "units: 1000000", "LOAD-008", "cooling.airUnits[0].units", "1000000", "200"),
        ("units: 4", "units: 2.5", "LOAD-007", "cooling.airUnits[0].units", "2.5", "integer"),
        ("waterPressureKpa: 80", "waterPressureKpa: 0", "LOAD-008", "cooling.rearDoors.waterPressureKpa", "0", "in kPa"),
        ("    inletC: 24\n", "", "LOAD-006", "cooling.inletC", "nothing", "required"),
        ("inletC: 24", "inletF: 75", "LOAD-005", "cooling.inletF", "unknown key", "did you mean `inletC`"),
        (
            "model: vertiv-xdu1350",
            "model: vertiv-xdu135",
            "LOAD-015",
            "cooling.cdus[0].model",
            "vertiv-xdu135",
            "vertiv-xdu1350",
        ),
        ("model: vertiv-xdu1350", "model: rear-door-50kw", "LOAD-015", "cooling.cdus[0].model", "rear-door-50kw", "one of"),
        ("model: rear-door-50kw", "model: coolit-chx2000", "LOAD-015", "cooling.rearDoors.model", "coolit", "one of"),
        ("{qm9700: rear", "{qm970: rear", "LOAD-015", "cooling.airflow.qm970", "qm970", "did you mean `qm9700`"),
        ("rear-to-front}", "backwards}", "LOAD-009", "cooling.airflow.qm9700", "backwards", "rear-to-front"),
        ("switchFace: rear", "switchFace: back", "LOAD-009", "cooling.switchFace", "back", "'front' or 'rear'"),
        ("name: cdu", "name: crah", "LOAD-007", "cooling", "crah twice", "each name once"),
        ("name: cdu", "name: cdü", "LOAD-010", "cooling.cdus[0].name", "U+00FC", "by hand"),
        (
            "model: vertiv-xdu1350,",
            "model: vertiv-xdu1350, fluid: glycol,",
            "LOAD-009",
            "cooling.cdus[0].fluid",
            "glycol",
            "pg25",
        ),
        ("units: 3", "units: 3, units: 3", "LOAD-003", "cooling.cdus[0].units", "", ""),
    ],
)
def test_one_bad_key(yard: Yard, old: str, new: str, number: str, path: str, found: str, said: str):
    yard.edit(old, new)
    problem = next(item for item in yard.problems() if item.id == number)
    assert problem.where.endswith(f"railyard:{path}"), problem.where
    assert found in problem.found
    assert said in f"{problem.limit} {problem.fix}"
    assert problem.line is not None


def test_two_scopes_for_the_same_rack_are_refused(yard: Yard):
    unit = "      - {name: crah, rowsEach: 2, units: 4, capacityKw: 120, airflowM3S: 8}\n"
    yard.edit(unit, unit + unit.replace("crah", "spare").replace("rowsEach: 2, ", ""))
    problem = yard.only()
    assert "the same rowsEach in all airUnits" in problem.limit
    assert problem.found == "airUnits with rowsEach 2 (crah), nothing (spare)"


def test_all_at_once(yard: Yard):
    for old, new in (("deltaK: 12", "deltaK: 0"), ("waterC: 18", "waterC: warm"), ("units: 3", "units: -1")):
        yard.edit(old, new)
    assert {item.where.rsplit(":", 1)[1] for item in yard.problems()} == {
        "cooling.deltaK",
        "cooling.rearDoors.waterC",
        "cooling.cdus[0].units",
    }


def test_fabric_managers_go_by_the_planners_name(yard: Yard):
    yard.edit("{qm9700: rear-to-front}", f"{{{HOST.model}: front-to-rear}}")
    assert yard.load().file.cooling.airflow == {"ufm-host": "front-to-rear"}
