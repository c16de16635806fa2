"""One dead BMC of four: no phase passes until it answers again or the operator sets its machine aside. One story, in order."""

import json
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.engine.yard import HOME, QUICK, Yard

DEAD = "lab-su001-gpu02"
REASON = "BMC dead, replacement ordered"
DIGEST = re.compile(r"[0-9a-f]{64}")


@pytest.fixture(scope="module")
def yard(open_lab) -> Yard:
    yard = open_lab("--install-s", "0.2")
    temporary(yard).mkdir()
    yard.environment["TMPDIR"] = str(temporary(yard))
    return yard


@pytest.fixture(scope="module")
def serials(yard: Yard) -> dict[str, str]:
    return {machine["name"]: machine["serial"] for machine in YAML().load(yard.inventory_file.read_text())["machines"]}


@pytest.fixture(scope="module")
def dead_up(yard: Yard, serials: dict[str, str]) -> subprocess.CompletedProcess[str]:
    yard.fault(serials[DEAD], kind="unreachable")
    return yard.make_up(check=False)


@pytest.fixture(scope="module")
def aside_up(dead_up: subprocess.CompletedProcess[str], yard: Yard) -> subprocess.CompletedProcess[str]:
    set_aside(yard)
    return yard.make_up()


def temporary(yard: Yard) -> Path:
    return yard.folder / "tmp"


def left_in_tmp(yard: Yard) -> list[Path]:
    """What runs of the engine left behind; what goes with a run goes a moment after it."""
    limit = time.monotonic() + 10
    while (left := list(temporary(yard).rglob("*"))) and time.monotonic() < limit:
        time.sleep(0.05)
    return left


def kubectl(yard: Yard, *arguments: str) -> str:
    command = [str(HOME / "bin" / "kubectl"), "--kubeconfig", str(yard.instance / "kubeconfig"), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def takes_jobs(yard: Yard) -> dict[str, bool]:
    """Each node of the cluster, and whether the scheduler may use it."""
    nodes = json.loads(kubectl(yard, "get", "nodes", "-o", "json"))["items"]
    return {node["metadata"]["name"]: not node["spec"].get("unschedulable") for node in nodes}


def set_aside(yard: Yard) -> None:
    with yard.editing(yard.inventory_file) as inventory:
        machine(inventory).update(lifecycle="quarantined", reason=REASON)
    wait_for(yard, 3)


def take_back(yard: Yard) -> None:
    with yard.editing(yard.inventory_file) as inventory:
        for key in ("lifecycle", "reason"):
            machine(inventory).pop(key, None)
    wait_for(yard, 4)


def wait_for(yard: Yard, machines: int) -> None:
    with yard.editing(yard.stack_file) as stack:
        stack["config"]["railyard:gates"]["minimumReady"] = machines


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
    assert left_in_tmp(yard) == [], "no kubeconfig, neither of the run that failed"
    gate = by_type(yard, "metal:index:FacilityGate")["lab-su001"]["outputs"]
    assert (gate["ready"], gate["missing"], gate["setAside"]) == (3, [], [f"{DEAD} ({REASON})"])
    phases = yard.outputs()["phases"]
    assert [phase["name"] for phase in phases] == ["facility-lab-sto", "facility-lab-su001", "platform"]
    assert all(DIGEST.fullmatch(phase["digest"]) for phase in phases)
    assert DEAD not in by_type(yard, "metal:index:Machine")
    assert serials[DEAD] not in yard.installs()
    aside = by_type(yard, "kube:index:SetAside")["lab-set-aside"]["outputs"]
    assert (aside["cordoned"], aside["absent"]) == ([], [DEAD]), "it never joined, and that fails nothing"
    assert DEAD not in takes_jobs(yard)
    totals = yard.outputs()["totals"]
    assert (totals["gpus"], totals["activeGpus"]) == (32, 24)
    yard.up("--expect-no-changes")


@pytest.mark.requirement("U7", "C6")
def test_mended_and_active_again_it_joins_the_others(
    aside_up: subprocess.CompletedProcess[str], yard: Yard, serials: dict[str, str]
):
    yard.clear_faults()
    take_back(yard)
    yard.make_up(QUICK)
    gate = by_type(yard, "metal:index:FacilityGate")["lab-su001"]["outputs"]
    assert (gate["ready"], gate["missing"], gate["setAside"]) == (4, [], [])
    assert yard.installs() == dict.fromkeys(serials.values(), 1)
    assert takes_jobs(yard)[DEAD]
    yard.up("--expect-no-changes")
    before = yard.inventory_file.read_text()
    with yard.editing(yard.inventory_file) as inventory:
        machine(inventory).update(installGeneration=2, confirmSerial=serials[DEAD])
    changes = yard.changes()
    yard.inventory_file.write_text(before)
    assert changes["metal:index:Installation::" + DEAD] == "update"
    assert changes["kube:index:AdmissionGate::lab-admission"] == "update", "what is installed again is proven again"


@pytest.mark.requirement("U7", "C6")
def test_a_machine_that_runs_and_is_set_aside_takes_no_job_until_it_is_active_again(yard: Yard):
    """A cordon on its node. That Kueue and the scheduler then keep off it: tests/provider/test_kube_provider.py."""
    yard.clear_faults()
    take_back(yard)
    yard.make_up(QUICK)
    assert set(takes_jobs(yard).values()) == {True}
    set_aside(yard)
    yard.make_up(QUICK)
    assert [name for name, usable in takes_jobs(yard).items() if not usable] == [DEAD]
    yard.up("--expect-no-changes")
    kubectl(yard, "uncordon", DEAD)
    assert yard.changes()["kube:index:SetAside::lab-set-aside"] == "update", "somebody let it take jobs again"
    yard.make_up(QUICK)
    assert not takes_jobs(yard)[DEAD]
    take_back(yard)
    yard.make_up(QUICK)
    assert set(takes_jobs(yard).values()) == {True}
    yard.up("--expect-no-changes")
