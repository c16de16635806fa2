"""Bad input about racks and floor: each fault is one problem with its place, what was found, the limit and the way out."""

from pathlib import Path

import pytest

from railyard.plan import plan
from railyard.rules import check_rack
from tests.unit.load.load_site import Yard, make

pytestmark = pytest.mark.requirement("C3")

FACILITY = "    continuousRating: 0.8\n"
U = "a whole U from 1 (at the bottom) to 60, or a range of them like 40-42"
FLOOR = """  railyard:floor:
    lengthM: 20
    widthM: 12
    coldAisleM: 1.8
    kept: [{row: 1, position: 2, reason: column}]
    obstacles: [{name: C1, xM: 1, yM: 2, widthM: 0.3, depthM: 0.3}]
    doors: [{name: D1, wall: south, atM: 3, widthM: 1.8}]
    bearing: {pointKg: 567, uniformKgPerM2: 1224}
    route: [{name: lift, kind: lift, kg: 2000, slopeDeg: 4}]
"""


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return make(tmp_path)


@pytest.mark.parametrize(
    "reserved", ["0", "0.5", "-1", "61", "true", "'42-40'", "'1-99'", "'0-3'", "'1-2-3'", "U1", "'1.5'", "1e3"]
)
def test_u_are_whole_and_counted_from_1(yard: Yard, reserved: str):
    yard.edit(FACILITY, f"{FACILITY}    reservedU: [1, {reserved}]\n")
    problem = yard.only()
    assert (problem.id, problem.where, problem.limit) == (
        "LOAD-007",
        "stacks/Pulumi.lab.yaml:railyard:facility.reservedU[1]",
        U,
    )
    assert problem.found
    assert problem.fix == f"write {U}"


def test_ranges_of_reserved_u(yard: Yard):
    yard.edit(FACILITY, f'{FACILITY}    reservedU: [1, "46-48", 47]\n')
    config = yard.load()
    assert config.file.facility.reserved_u == (1, 46, 47, 48, 47)
    rack = plan(config).racks[0]
    assert rack.reserved_u == (1, 46, 47, 48)
    filled = {u for device in rack.devices for u in range(device.u, device.u + device.u_height)}
    assert not filled & set(rack.reserved_u)
    assert "RACK-003" not in {finding.id for finding in check_rack(rack)}


def test_a_floor_section_is_read(yard: Yard):
    yard.add(FLOOR)
    floor = yard.load().file.floor
    assert floor is not None
    assert (floor.length_m, floor.kept[0].position, floor.route[0].kg) == (20, 2, 2000)


@pytest.mark.parametrize(
    ("old", "new", "number", "path", "fix"),
    [
        ("coldAisleM: 1.8", "coldAisleM: 1800", "LOAD-008", "floor.coldAisleM", "in metres"),
        ("coldAisleM: 1.8", "coldAisleM: -1.8", "LOAD-008", "floor.coldAisleM", "in metres"),
        ("coldAisleM: 1.8", "coldAisleM: 0", "LOAD-008", "floor.coldAisleM", "in metres"),
        ("coldAisleM: 1.8", "coldAisleM: 1.8 m", "LOAD-007", "floor.coldAisleM", "unit is metres"),
        ("coldAisleM: 1.8", "coldAisle: 1.8", "LOAD-005", "floor.coldAisle", "did you mean `coldAisleM`?"),
        ("coldAisleM: 1.8", "coldAisleM: .nan", "LOAD-008", "floor.coldAisleM", "number"),
        ("lengthM: 20", "lengthM: 20000", "LOAD-008", "floor.lengthM", "in metres"),
        ("pointKg: 567", "pointKg: 0", "LOAD-008", "floor.bearing.pointKg", "in kg"),
        ("pointKg: 567", "pointKg: 4.5 kN", "LOAD-007", "floor.bearing.pointKg", "unit is kg"),
        ("uniformKgPerM2: 1224", "uniformKgPerM2: -3", "LOAD-008", "floor.bearing.uniformKgPerM2", "in kg/m2"),
        ("pointKg: 567", "pointKg: 4.5", "LOAD-007", "floor.bearing.pointKg", "4.5 kN are 458.9 kg"),
        ("uniformKgPerM2: 1224", "uniformKgPerM2: 12", "LOAD-007", "floor.bearing.uniformKgPerM2", "12 kPa are 1224 kg/m2"),
        ("kg: 2000", "kg: 2", "LOAD-007", "floor.route[0].kg", "2 t are 2000 kg"),
        ("widthM: 12\n", "widthM: 12\n    xM: 600\n", "LOAD-008", "floor.xM", "600 mm are 0.6 m"),
        ("widthM: 12\n", "widthM: 12\n    yM: 900\n", "LOAD-008", "floor.yM", "900 mm are 0.9 m"),
        ("widthM: 12\n", "widthM: 12\n    placeM: 6\n", "LOAD-008", "floor.placeM", "in metres"),
        ("widthM: 12\n", "widthM: 12\n    placeM: 0.06\n", "LOAD-007", "floor.placeM", "at least 0.3"),
        ("widthM: 12\n", "widthM: 12\n    cartKg: 0.15\n", "LOAD-007", "floor.cartKg", "0.15 t are 150 kg"),
        ("slopeDeg: 4", "slopeDeg: 46", "LOAD-008", "floor.route[0].slopeDeg", "in degrees"),
        ("kind: lift", "kind: elevator", "LOAD-009", "floor.route[0].kind", "one of"),
        ("wall: south", "wall: sout", "LOAD-009", "floor.doors[0].wall", "did you mean `south`?"),
        ("row: 1,", "row: 0,", "LOAD-008", "floor.kept[0].row", "range"),
        ("reason: column", "reason: ''", "LOAD-007", "floor.kept[0].reason", "config.md"),
        ("name: C1", "name: C\u0131", "LOAD-010", "floor.obstacles[0].name", "by hand"),
    ],
)
def test_one_fault_of_the_floor_is_one_problem(yard: Yard, old: str, new: str, number: str, path: str, fix: str):
    assert FLOOR.count(old) == 1
    yard.add(FLOOR.replace(old, new))
    problem = yard.only()
    assert (problem.id, problem.where) == (number, f"stacks/Pulumi.lab.yaml:railyard:{path}")
    assert fix in problem.fix
    assert problem.limit


def test_a_kept_place_stands_once(yard: Yard):
    row = "{row: 1, position: 2, reason: column}"
    others = "{row: 2, position: 2, reason: aisle}, {row: 1, position: 3, reason: aisle}"
    yard.add(FLOOR.replace(row, f"{row}, {others}, {row.replace('column', 'panel')}"))
    problem = yard.only()
    assert (problem.id, problem.where) == ("LOAD-013", "stacks/Pulumi.lab.yaml:railyard:floor.kept[3]")
    assert problem.found == "row 1, position 2 also at floor.kept[0]"
    assert problem.line


@pytest.mark.parametrize("kept", ["[1, 1]", "[{row: 1}, {row: 1}]", "[{row: x, position: [2]}, {row: x, position: [2]}]", "7"])
def test_kept_places_that_are_none_are_no_traceback(yard: Yard, kept: str):
    yard.add(FLOOR.replace("[{row: 1, position: 2, reason: column}]", kept))
    assert {problem.where.partition("railyard:")[2].partition("[")[0] for problem in yard.problems()} == {"floor.kept"}


@pytest.mark.parametrize("row", ["name: C1, xM", "name: D1, wall", "name: lift, kind"])
def test_names_stand_once(yard: Yard, row: str):
    """What findings are named after: two of one name couldn't be told apart."""
    (line,) = [line for line in FLOOR.splitlines() if row in line]
    key, _, entry = line.partition(": [")
    yard.add(FLOOR.replace(line, f"{key}: [{entry.removesuffix(']')}, {entry.removesuffix(']')}]"))
    problem = yard.only()
    assert (problem.id, problem.where) == ("LOAD-013", f"stacks/Pulumi.lab.yaml:railyard:floor.{key.strip()}[1].name")
