"""One dead BMC of four: no phase passes until it answers again or the operator sets its machine aside. One story, in order."""

import re
import subprocess
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.engine.yard import Yard

DEAD = "lab-su001-gpu02"
REASON = "BMC dead, replacement ordered"
DIGEST = re.compile(r"[0-9a-f]{64}")


@pytest.fixture(scope="module")
def yard(open_lab) -> Yard:
    return open_lab("--install-s", "0.2")


@pytest.fixture(scope="module")
def serials(yard: Yard) -> dict[str, str]:
    return {machine["name"]: machine["serial"] for machine in YAML().load(yard.inventory_file.read_text())["machines"]}


@pytest.fixture(scope="module")
def dead_up(yard: Yard, serials: dict[str, str]) -> subprocess.CompletedProcess[str]:
    yard.fault(serials[DEAD], kind="unreachable")
    return yard.make_up(check=False)


@pytest.fixture(scope="module")
def aside_up(dead_up: subprocess.CompletedProcess[str], yard: Yard) -> subprocess.CompletedProcess[str]:
    with yard.editing(yard.inventory_file) as inventory:
        machine(inventory).update(lifecycle="quarantined", reason=REASON)
    with yard.editing(yard.stack_file) as stack:
        stack["config"]["railyard:gates"]["minimumReady"] = 3
    return yard.make_up()


def machine(inventory: Any) -> Any:
    return next(machine for machine in inventory["machines"] if machine["name"] == DEAD)


def by_type(yard: Yard, kind: str) -> dict[str, dict[str, Any]]:
    return {resource["urn"].rpartition("::")[2]: resource for resource in yard.state() if resource["type"] == kind}


@pytest.mark.requirement("U7", "C6", "O5")
def test_the_others_are_installed_and_no_phase_passes(
    dead_up: subprocess.CompletedProcess[str], yard: Yard, serials: dict[str, str]
):
    assert dead_up.returncode != 0
    assert re.search(rf"METAL-010 {DEAD}", dead_up.stdout), dead_up.stdout
    assert yard.installed() == {serial: 1 for name, serial in serials.items() if name != DEAD}
    assert "lab-su001" not in by_type(yard, "metal:index:FacilityGate")
    assert by_type(yard, "kube:index:Cluster") == {}
    assert not [resource for resource in yard.state() if resource["type"].startswith("kubernetes:")]


@pytest.mark.requirement("U7", "O5")
def test_set_aside_by_the_operator_the_phase_passes_and_says_who_is_missing(
    aside_up: subprocess.CompletedProcess[str], yard: Yard, serials: dict[str, str]
):
    assert f"lab-su001 passes without {DEAD} ({REASON})" in aside_up.stdout
    gate = by_type(yard, "metal:index:FacilityGate")["lab-su001"]["outputs"]
    assert (gate["ready"], gate["missing"], gate["setAside"]) == (3, [], [f"{DEAD} ({REASON})"])
    phases = yard.outputs()["phases"]
    assert [phase["name"] for phase in phases] == ["facility-lab-sto", "facility-lab-su001", "platform"]
    assert all(DIGEST.fullmatch(phase["digest"]) for phase in phases)
    assert DEAD not in by_type(yard, "metal:index:Machine")
    assert serials[DEAD] not in yard.installs()
    yard.up("--expect-no-changes")


@pytest.mark.requirement("U7", "C6")
def test_mended_and_active_again_it_joins_the_others(
    aside_up: subprocess.CompletedProcess[str], yard: Yard, serials: dict[str, str]
):
    yard.clear_faults()
    with yard.editing(yard.inventory_file) as inventory:
        for key in ("lifecycle", "reason"):
            del machine(inventory)[key]
    with yard.editing(yard.stack_file) as stack:
        stack["config"]["railyard:gates"]["minimumReady"] = 4
    yard.make_up()
    gate = by_type(yard, "metal:index:FacilityGate")["lab-su001"]["outputs"]
    assert (gate["ready"], gate["missing"], gate["setAside"]) == (4, [], [])
    assert yard.installs() == dict.fromkeys(serials.values(), 1)
    yard.up("--expect-no-changes")
