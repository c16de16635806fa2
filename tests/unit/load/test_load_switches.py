"""`switches:` of an inventory: duplicates, shape, and that an inventory without them is as good as ever."""

from pathlib import Path

import pytest

from tests.unit.load.load_site import Yard, make

ROW = (
    "  - {name: lab-su001-leaf-r0, serial: S1, managementAddress: '10.0.0.1:8765', caFile: ca.crt, credentialRef: file:login}\n"
)


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return make(tmp_path)


def add(yard: Yard, *rows: str) -> None:
    yard.inventory.write_text(yard.inventory.read_text() + "switches:\n" + "".join(rows))


def test_switches_are_read(yard: Yard):
    assert yard.load().inventory.switches == ()
    add(yard, ROW)
    (switch,) = yard.load().inventory.switches
    assert (switch.name, switch.management_address, switch.ca_file) == ("lab-su001-leaf-r0", "10.0.0.1:8765", "ca.crt")


def test_duplicates_name_both_owners(yard: Yard):
    add(yard, ROW, ROW.replace("r0", "r1").replace("S1", "s1"), ROW.replace("S1", "S2"))
    found = {(problem.id, problem.where.split(":")[1], problem.found.split(" also at ")[1]) for problem in yard.problems()}
    assert found == {
        ("LOAD-013", "switches[2].name", "switches[0].name"),
        ("LOAD-013", "switches[1].serial", "switches[0].serial"),
        ("LOAD-013", "switches[2].managementAddress", "switches[0].managementAddress, switches[1].managementAddress"),
    }


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("serial: S1, ", "", "serial"),
        ("credentialRef: file:login", "password: hunter2", "password"),
        (", credentialRef: file:login", "", "credentialRef"),
        ("caFile: ca.crt, ", "", "caFile"),
        ("'10.0.0.1:8765'", "'https://10.0.0.1'", "managementAddress"),
        ("serial: S1", "serial: [1]", "serial"),
    ],
)
def test_what_is_wrong_is_named_and_no_secret_shown(yard: Yard, old: str, new: str, words: str):
    add(yard, ROW.replace(old, new))
    problems = yard.problems()
    assert any(words in f"{problem.where} {problem.found} {problem.limit}" for problem in problems)
    assert "hunter2" not in str(problems)


@pytest.mark.parametrize(
    ("old", "found"),
    [
        (", credentialRef: file:login", 'managementAddress "10.0.0.1:8765", credentialRef nothing'),
        ("caFile: ca.crt, ", 'managementAddress "10.0.0.1:8765", caFile nothing, hostKeySha256 nothing'),
    ],
)
def test_a_gap_is_shown_beside_what_needs_it(yard: Yard, old: str, found: str):
    add(yard, ROW.replace(old, ""))
    problem = yard.only()
    assert (problem.id, problem.found) == ("LOAD-007", found)


def test_two_rows_of_one_port_are_named(yard: Yard):
    row = "{port: mlx5_0, nodeGuid: '0x0002c90300000001', portGuid: '0x0002c90300000001'}"
    yard.edit("    role: gpu\n", f"    role: gpu\n    hcas: [{row}, {row}]\n", inventory=True)
    assert yard.only().found == "mlx5_0 twice"


def test_a_list_of_anything_else_is_refused(yard: Yard):
    add(yard, "  - text\n", "  - 5\n")
    assert {problem.where.split(":")[1] for problem in yard.problems()} == {"switches[0]", "switches[1]"}
