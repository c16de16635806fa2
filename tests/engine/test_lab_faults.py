"""Faults while the engine runs: each is named, none loses anything, and `up` without them ends with no changes.

One site with a fault on every machine, so that one run of the engine shows them all.
"""

import subprocess

import pytest
from ruamel.yaml import YAML

from tests.engine.yard import ROOT, Yard

# Machine -> what is wrong with it, the id that `up` must give, and what else it must say.
LASTING = {
    "lab-su001-gpu01": ({"kind": "unreachable"}, "METAL-010", ()),
    "lab-su001-gpu02": ({"kind": "wrong-password"}, "METAL-011", ()),
    "lab-su001-gpu03": ({"kind": "identity", "serial": "SOMEBODY-ELSE"}, "METAL-001", ("SOMEBODY-ELSE",)),
    "lab-su001-gpu04": ({"kind": "identity", "gpus": 7}, "METAL-002", ("7", "8")),
    "lab-su001-gpu05": ({"kind": "status", "status": 503, "method": "GET", "path": "/redfish/v1/Systems*"}, "METAL-012", ()),
    "lab-sto01": ({"kind": "media-404"}, "METAL-013", ()),
    "lab-sto02": ({"kind": "no-call-home"}, "METAL-032", ()),
}
UNTOUCHED = [name for name in LASTING if "gpu" in name]
# What goes away by itself must not stop anybody.
PASSING = {
    "lab-su001-gpu01": {"kind": "slow", "delayS": 0.3, "remaining": 20},
    "lab-su001-gpu02": {"kind": "status", "status": 503, "method": "GET", "remaining": 3},
    "lab-su001-gpu03": {"kind": "drop", "method": "POST", "path": "*InsertMedia", "remaining": 1},
    "lab-su001-gpu04": {"kind": "reset", "when": "after", "method": "POST", "path": "*ComputerSystem.Reset", "remaining": 1},
}


@pytest.fixture(scope="module")
def yard(open_lab, tmp_path_factory) -> Yard:
    """Seven machines that nobody has touched yet."""
    site = tmp_path_factory.mktemp("site") / "lab" / "inventory.yaml"
    site.parent.mkdir()
    document = YAML().load((ROOT / "sites/lab/inventory.yaml").read_text())
    fifth = {**document["machines"][3], "name": "lab-su001-gpu05", "serial": "RY5000000005", "bmc": "127.77.1.7:8443"}
    document["machines"].append({**fifth, "macs": [f"02:05:00:00:00:{nic:02x}" for nic in range(10)]})
    YAML().dump(document, site)
    yard = open_lab("--install-s", "0.2", site=site)
    with yard.editing(yard.stack_file) as stack:
        stack["config"]["railyard:compute"]["nodes"] = 5
        stack["config"]["railyard:install"]["deadlineS"] = 15
    return yard


@pytest.fixture(scope="module")
def serials(yard: Yard) -> dict[str, str]:
    return {machine["name"]: machine["serial"] for machine in YAML().load(yard.inventory_file.read_text())["machines"]}


@pytest.fixture(scope="module")
def faulty_up(yard: Yard, serials: dict[str, str]) -> subprocess.CompletedProcess[str]:
    for name, (fault, _, _) in LASTING.items():
        yard.fault(serials[name], **fault)
    return yard.up("--continue-on-error", check=False)


@pytest.mark.requirement("C6", "U7")
@pytest.mark.parametrize("name", LASTING)
def test_a_fault_is_named(faulty_up: subprocess.CompletedProcess[str], name: str):
    _, expected, words = LASTING[name]
    assert faulty_up.returncode != 0
    said = [part for part in faulty_up.stdout.split("metal:index:") if f"({name})" in part.partition("\n")[0]]
    assert said, f"{name} isn't named"
    assert any(expected in part and all(word in part for word in words) for part in said), said


@pytest.mark.requirement("C6")
@pytest.mark.parametrize("name", UNTOUCHED)
def test_nothing_is_written_to_a_machine_that_is_not_what_was_planned(
    faulty_up: subprocess.CompletedProcess[str], yard: Yard, serials: dict[str, str], name: str
):
    assert [entry for entry in yard.requests() if entry["serial"] == serials[name] and entry["write"]] == []


@pytest.mark.requirement("O5")
def test_no_phase_passes_while_a_machine_is_missing(faulty_up: subprocess.CompletedProcess[str], yard: Yard):
    kinds = [resource["type"] for resource in yard.state()]
    assert "kube:index:Cluster" not in kinds
    assert "metal:index:FacilityGate" not in kinds


@pytest.mark.requirement("U7")
def test_passing_faults_are_survived_and_nothing_was_lost(
    faulty_up: subprocess.CompletedProcess[str], yard: Yard, serials: dict[str, str]
):
    yard.clear_faults()
    for name, fault in PASSING.items():
        yard.fault(serials[name], **fault)
    yard.up()
    yard.up("--expect-no-changes")
    assert yard.pending() == []
    assert yard.installs() == dict.fromkeys(serials.values(), 1)


@pytest.mark.requirement("K1", "U7")
def test_a_site_that_is_down_passes_preview_stops_up_and_drops_nothing(faulty_up: subprocess.CompletedProcess[str], yard: Yard):
    before = {resource["urn"] for resource in yard.state()}
    yard.lab("down")
    preview = yard.preview(check=True)
    assert "platform objects not compared" in preview.stdout
    arguments = ["--yes", "--skip-preview", "--stack", yard.stack, "--config-file", str(yard.stack_file)]
    assert yard.pulumi("refresh", *arguments).returncode != 0
    with yard.editing(yard.stack_file) as stack:
        stack["config"]["railyard:platform"]["probeGpus"] = 16
    assert yard.up(check=False).returncode != 0
    assert {resource["urn"] for resource in yard.state()} >= before
    yard.lab("up")
    yard.up()
    yard.up("--expect-no-changes")
