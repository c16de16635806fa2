"""The inventory: duplicates, names, sizes, and both file formats."""

import hashlib
import json
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from railyard.load.inventory import read_inventory
from railyard.load.reader import read_yaml
from tests.unit.load.load_site import Yard, make


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return make(tmp_path)


def test_the_digest_is_of_the_files_bytes(yard: Yard):
    assert yard.load().inventory_sha256 == hashlib.sha256(yard.inventory.read_bytes()).hexdigest()


def serials(yard: Yard) -> list[str]:
    return [machine.serial for machine in yard.load().inventory.machines]


def test_duplicates_name_both_owners(yard: Yard):
    machines = yard.load().inventory.machines
    yard.edit("name: lab-su001-gpu02", "name: lab-su001-gpu01", inventory=True)
    yard.edit(machines[2].serial, machines[1].serial.lower(), inventory=True)
    yard.edit(f"bmc: {machines[3].bmc}", f"bmc: {machines[0].bmc}", inventory=True)
    yard.edit(machines[4].macs[0], machines[3].macs[7], inventory=True)
    yard.edit(machines[5].macs[1], machines[5].macs[0], inventory=True)
    found = [(problem.id, problem.where.split(":")[1], problem.found.split(" also at ")[1]) for problem in yard.problems()]
    assert found == [
        ("LOAD-013", "machines[1].name", "machines[0].name"),
        ("LOAD-013", "machines[2].serial", "machines[1].serial"),
        ("LOAD-013", "machines[3].bmc", "machines[0].bmc"),
        ("LOAD-013", "machines[4].macs[0]", "machines[3].macs[7]"),
        ("LOAD-013", "machines[5].macs[1]", "machines[5].macs[0]"),
    ]


@pytest.mark.parametrize(
    "name",
    [
        "lab-su1-gpu01",
        "lab-su001-gpu1",
        "lab-su001-gpu0001",
        "lab-sto01",
        "other-su001-gpu01",
        "lab-su001-gpu01-x",
        "lab-su001-cpu01",
    ],
)
def test_names_are_planned_positions(yard: Yard, name: str):
    yard.edit("name: lab-su001-gpu01", f"name: {name}", inventory=True)
    problem = next(problem for problem in yard.problems() if problem.id == "LOAD-014")
    assert (problem.where, problem.line) == ("sites/lab/inventory.yaml:machines[0].name", 10)
    assert "lab-su001-gpu01" in problem.limit


@pytest.mark.parametrize(
    ("old", "new", "number", "path"),
    [
        ("site: lab", "site: lab-b", "LOAD-012", "site"),
        ("role: gpu", "role: gpus", "LOAD-009", "machines[0].role"),
        ("gpus: 8", "gpus: -8", "LOAD-008", "machines[0].gpus"),
        ("serial: ", "serail: ", "LOAD-005", "machines[0].serail"),
        ("gpus: 8", "gpus: 8\n    lifecycle: quarantined", "LOAD-006", "machines[0].reason"),
        ("gpus: 8", "gpus: 8\n    lifecycle: quarantine\n    reason: fan", "LOAD-009", "machines[0].lifecycle"),
        ("serial: RY1B03D6ED65", "serial: 0042", "LOAD-007", "machines[0].serial"),
        ("schemaVersion: 1", "schemaVersion: 2", "LOAD-008", "schemaVersion"),
        ("bmc: 127.77.1.1:8443", "bmc: https://127.77.1.1", "LOAD-007", "machines[0].bmc"),
        ("    macs:\n", "    macs: []\n    spare:\n", "LOAD-008", "machines[0].macs"),
    ],
)
def test_one_fault_is_named(yard: Yard, old: str, new: str, number: str, path: str):
    yard.edit(old, new, inventory=True)
    problem = next(problem for problem in yard.problems() if problem.id == number)
    assert problem.where == f"sites/lab/inventory.yaml:{path}"
    assert problem.line


@pytest.mark.parametrize("mac", ["xx:yy:zz:aa:bb:cc", "02:00:00:00:00", "02-00-00-00-00-01", "02:00:00:00:00:0A", ""])
def test_what_is_no_mac(yard: Yard, mac: str):
    old = yard.load().inventory.machines[0].macs[0]
    yard.edit(old, f'"{mac}"', inventory=True)
    problem = yard.only()
    assert (problem.id, problem.where.rsplit(":", 1)[1], problem.line) == ("LOAD-007", "machines[0].macs[0]", 15)


def test_macs_that_look_like_numbers_stay_text(yard: Yard):
    old = yard.load().inventory.machines[0].macs[0]
    yard.edit(old, "10:20:30:40:50:10", inventory=True)
    assert yard.load().inventory.machines[0].macs[0] == "10:20:30:40:50:10"


def test_missing_empty_and_not_text(yard: Yard):
    yard.inventory.write_text("")
    assert yard.only().found == "an empty file"
    yard.inventory.write_text("machines: 5\nsite: lab\nschemaVersion: 1\n")
    assert yard.only().id == "LOAD-007"
    yard.inventory.write_text("schemaVersion: 1\nsite: lab\nmachines: [1, ~, [], {}]\n")
    assert {problem.id for problem in yard.problems()} == {"LOAD-006", "LOAD-007"}
    yard.inventory.unlink()
    assert yard.only().where == "stacks/Pulumi.lab.yaml:railyard:site.inventory"
    assert yard.only().fix == "`railyard init NAME --from starter` writes one"


def as_json(yard: Yard, text: str | None = None) -> None:
    value = read_yaml(yard.inventory.read_text(), "x").value
    (yard.root / "sites/lab/inventory.json").write_text(json.dumps(value, indent=1) if text is None else text)
    yard.edit("inventory: sites/lab/inventory.yaml", "inventory: sites/lab/inventory.json")


def test_json_gives_the_same_inventory(yard: Yard):
    inventory = yard.load().inventory
    as_json(yard)
    assert yard.load().inventory == inventory


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ('{"schemaVersion": 1, "schemaVersion": 1, "site": "lab"}', "LOAD-003"),
        ('{"schemaVersion": 1', "LOAD-002"),
        ("", "LOAD-002"),
        ("[" * 100_000, "LOAD-004"),
        ("null", "LOAD-006"),
        ('{"schemaVersion": NaN, "site": "lab"}', "LOAD-008"),
        ('{"schemaVersion": 1e999, "site": "lab"}', "LOAD-007"),
        ('{"schemaVersion": ' + "9" * 5000 + "}", "LOAD-002"),
    ],
)
def test_broken_json(yard: Yard, text: str, number: str):
    as_json(yard, text)
    assert number in {problem.id for problem in yard.problems()}


def rows(count: int) -> list[dict[str, object]]:
    return [row(index) for index in range(count)]


def row(index: int) -> dict[str, object]:
    return {
        "name": f"lab-su{index // 32 + 1:03d}-gpu{index % 32 + 1:02d}",
        "role": "gpu",
        "serial": f"S{index}",
        "bmc": f"10.{index // 256}.{index % 256}.1",
        "macs": [f"02:00:{nic:02x}:{index >> 16:02x}:{index >> 8 & 255:02x}:{index & 255:02x}" for nic in range(10)],
        "gpus": 8,
    }


@pytest.mark.requirement("U8")
def test_2048_machines_load_fast(yard: Yard):
    as_json(yard, json.dumps({"schemaVersion": 1, "site": "lab", "machines": rows(2048)}))
    started = time.process_time()
    assert len(yard.load().inventory.machines) == 2048
    assert time.process_time() - started < 0.5


def test_a_million_machines_are_refused_at_once(yard: Yard):
    with (yard.root / "sites/lab/inventory.json").open("wb") as file:
        file.truncate(400 * 1_000_000)
    yard.edit("inventory: sites/lab/inventory.yaml", "inventory: sites/lab/inventory.json")
    started = time.monotonic()
    assert yard.only().id == "LOAD-004"
    assert time.monotonic() - started < 1


def test_a_large_yaml_is_sent_to_json(yard: Yard):
    with yard.inventory.open("a") as file:
        file.writelines("# padding padding padding padding padding\n" for _ in range(30_000))
    assert ".json" in yard.only().fix


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(), name=st.sampled_from(["inventory.yaml", "inventory.json"]))
def test_any_text_gives_problems_and_nothing_else(tmp_path: Path, text: str, name: str):
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    inventory, _, document = read_inventory(path, "sites/x/inventory", "x")
    assert inventory is None
    assert document.problems


@pytest.mark.parametrize(
    ("given", "fix"),
    [
        ("02:AA:BB:CC:DD:EE", "write 02:aa:bb:cc:dd:ee"),
        ("02-aa-bb-cc-dd-ee", "write 02:aa:bb:cc:dd:ee"),
        ("02aa.bbcc.ddee", "write 02:aa:bb:cc:dd:ee"),
        ("02:aa:bb:cc:dd", "read it off the label or the BMC again"),
        ("02:aa:bb:cc:dd:gg", "read it off the label or the BMC again"),
    ],
)
def test_a_mac_of_another_form_is_shown_in_ours(yard: Yard, given: str, fix: str):
    mac = yard.load().inventory.machines[0].macs[0]
    yard.edit(mac, given, inventory=True)
    problem = yard.only()
    assert (problem.id, problem.where) == ("LOAD-007", "sites/lab/inventory.yaml:machines[0].macs[0]")
    assert problem.limit == "6 pairs of lower-case hexadecimal digits with colons between them, like 02:1f:d5:7c:de:e6"
    assert problem.fix == fix
