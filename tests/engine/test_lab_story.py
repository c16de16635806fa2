"""The lab's life on the real engine: up, again, grow, shrink, drift, gates, consumers, secrets, down."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from railyard.model.outputs import SiteOutputs
from tests.engine.yard import HOME, ROOT, Yard

DIGEST = re.compile(r"[0-9a-f]{64}")
FIFTH = {
    "name": "lab-su001-gpu05",
    "role": "gpu",
    "serial": "RY5000000005",
    "bmc": "127.77.1.7:8443",
    "macs": [f"02:05:00:00:00:{n:02x}" for n in range(10)],
    "gpus": 8,
}


@pytest.fixture(scope="module")
def yard(open_lab, tmp_path_factory) -> Yard:
    """A lab with five GPU machines standing, of which the stack knows four; brought up once."""
    site = tmp_path_factory.mktemp("site") / "lab" / "inventory.yaml"
    site.parent.mkdir()
    document = YAML().load((ROOT / "sites/lab/inventory.yaml").read_text())
    document["machines"].append(FIFTH)
    YAML().dump(document, site)
    yard = open_lab(site=site)
    with yard.editing(yard.inventory_file) as inventory:
        yard.fifth = dict(inventory["machines"].pop())
    with yard.editing(yard.stack_file) as stack:
        stack["config"]["railyard:gates"]["minimumReady"] = 3
    yard.first_up = yard.up()
    return yard


def kubectl(yard: Yard, *arguments: str) -> str:
    command = [str(HOME / "bin" / "kubectl"), "--kubeconfig", str(yard.instance / "kubeconfig"), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def grow(yard: Yard) -> None:
    """As the README says: the machine, the count, and a tenant who gets it."""
    with yard.editing(yard.inventory_file) as inventory:
        inventory["machines"].append(yard.fifth)
    with yard.editing(yard.stack_file) as stack:
        stack["config"]["railyard:compute"]["nodes"] = 5
        research(stack)["gpus"] = 24


def shrink(yard: Yard) -> None:
    with yard.editing(yard.inventory_file) as inventory:
        inventory["machines"] = [m for m in inventory["machines"] if m["name"] != FIFTH["name"]]
    with yard.editing(yard.stack_file) as stack:
        stack["config"]["railyard:compute"]["nodes"] = 4
        research(stack)["gpus"] = 16
        next(one for one in stack["config"]["railyard:storage"]["classes"] if one["name"] == "checkpoints")["quotaTib"] = 10


def research(stack: Any) -> Any:
    return next(tenant for tenant in stack["config"]["railyard:platform"]["tenants"] if tenant["name"] == "research")


@pytest.mark.requirement("U6", "C6", "K1")
def test_up_installs_every_machine_once_and_they_become_nodes(yard: Yard):
    serials = {machine["serial"] for machine in YAML().load(yard.inventory_file.read_text())["machines"]}
    assert yard.installs() == dict.fromkeys(serials, 1)
    nodes = json.loads(kubectl(yard, "get", "nodes", "-o", "json"))["items"]
    racks = {node["metadata"]["name"]: node["metadata"]["labels"].get("railyard.dev/rack") for node in nodes}
    assert {name: racks[name] for name in racks if "-gpu" in name} == {
        "lab-su001-gpu01": "lab-r001",
        "lab-su001-gpu02": "lab-r002",
        "lab-su001-gpu03": "lab-r001",
        "lab-su001-gpu04": "lab-r002",
    }


@pytest.mark.requirement("U3", "O5")
def test_outputs_keep_their_contract(yard: Yard):
    outputs = yard.outputs()
    assert outputs.pop("kubeconfig") == "[secret]"
    contract = SiteOutputs.model_validate(outputs)
    assert [phase.name for phase in contract.phases] == ["facility-lab-sto", "facility-lab-su001", "platform"]
    assert all(DIGEST.fullmatch(phase.digest) for phase in contract.phases)
    assert contract.fabric.status == "planned"


def test_a_second_up_changes_nothing(yard: Yard):
    yard.up("--expect-no-changes")


@pytest.mark.requirement("C4", "U1")
def test_growing_by_one_machine_touches_only_what_it_must(yard: Yard):
    grow(yard)
    changes = yard.changes()
    changes.pop("pulumi:pulumi:Stack::railyard-lab", None)  # its outputs change with the totals
    leaves = {f"railyard:network:Switch::lab-su001-leaf-r{rail}": "update" for rail in range(8)}
    assert changes == leaves | {
        "metal:index:Machine::lab-su001-gpu05": "create",
        "metal:index:Installation::lab-su001-gpu05": "create",
        "metal:index:FacilityGate::lab-su001": "update",
        "kube:index:AdmissionGate::lab-admission": "update",
        "railyard:facility:Rack::lab-r001": "update",
        "railyard:facility:Hall::lab-hall": "update",  # like the site, a slice of sums: kW, kg, what a failure takes
        "railyard:site:Site::lab": "update",
        "railyard:platform:Platform::lab-platform": "update",
        "railyard:platform:Tenant::lab-research": "update",
        "kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue::lab-research": "update",
        "kubernetes:kueue.x-k8s.io/v1beta2:Cohort::lab": "update",  # the cores and GiB that don't divide
    }
    assert re.search(r"GPUs\s+32\s+40\s+\+8", yard.preview().stdout)


@pytest.mark.requirement("C4")
def test_a_leaf_changes_one_port(yard: Yard):
    steps = json.loads(yard.preview("--json", check=True).stdout)["steps"]
    leaf = next(step for step in steps if step["urn"].endswith("::lab-su001-leaf-r3"))
    before, after = leaf["oldState"]["inputs"]["ports"], leaf["newState"]["inputs"]["ports"]
    assert {port: after[port] for port in after.keys() - before.keys()} == {"5": "lab-su001-gpu05/mlx5_5"}
    assert all(after[port] == before[port] for port in before)


@pytest.mark.requirement("C4", "U7")
def test_growing_installs_the_new_machine_only(yard: Yard):
    before = yard.installs()
    yard.up()
    assert yard.installs() - before == {yard.fifth["serial"]: 1}
    yard.up("--expect-no-changes")


@pytest.mark.requirement("C6", "U7")
def test_shrinking_ends_management_and_keeps_data(yard: Yard):
    shrink(yard)
    changes = yard.changes()
    assert changes["metal:index:Machine::lab-su001-gpu05"] == "delete"
    assert not [name for name in changes if "PersistentVolume" in name], "a claim can't shrink with its quota"
    written = len([entry for entry in yard.requests() if entry["serial"] == yard.fifth["serial"] and entry["write"]])
    yard.up()
    assert (yard.instance / "state" / yard.fifth["serial"] / "disk.json").is_file()
    still = [entry for entry in yard.requests() if entry["serial"] == yard.fifth["serial"] and entry["write"]]
    assert len(still) == written, "nothing was written to the machine that left"


@pytest.mark.requirement("O5")
def test_a_raised_threshold_previews_exactly_one_changed_resource(yard: Yard):
    with yard.editing(yard.stack_file) as stack:
        stack["config"]["railyard:gates"]["minimumReady"] = 4
    changes = {name: op for name, op in yard.changes().items() if not name.startswith("pulumi:pulumi:Stack")}
    assert changes == {"metal:index:FacilityGate::lab-su001": "update"}
    yard.up()


@pytest.mark.requirement("C6")
def test_a_machine_powered_off_by_hand_shows_up_as_that_machine(yard: Yard):
    serial = YAML().load(yard.inventory_file.read_text())["machines"][1]["serial"]
    yard.lab("power", serial, "off")
    changes = {name: op for name, op in yard.changes("--refresh").items() if op not in ("refresh",)}
    assert {name for name in changes if name.startswith("metal:index:Machine")} == {"metal:index:Machine::lab-su001-gpu02"}
    assert not [name for name in changes if name.startswith(("kubernetes:", "railyard:"))]
    yard.up("--refresh")
    yard.up("--expect-no-changes")


@pytest.mark.requirement("K3")
def test_a_job_of_sixteen_gpus_lands_in_one_rack(yard: Yard):
    created = kubectl(yard, "create", "-f", str(ROOT / "examples/job.yaml"), "-o", "name").strip()
    kubectl(yard, "-n", "research", "wait", created, "--for=condition=Suspended=false", "--timeout=30s")
    kubectl(
        yard, "-n", "research", "wait", "pod", "-l", f"job-name={created.partition('/')[2]}",
        "--for=condition=PodScheduled", "--timeout=30s",
    )  # fmt: skip
    pods = json.loads(kubectl(yard, "-n", "research", "get", "pods", "-o", "json"))["items"]
    nodes = {pod["spec"]["nodeName"] for pod in pods}
    racks = {kubectl(yard, "get", "node", node, "-o", "jsonpath={.metadata.labels.railyard\\.dev/rack}") for node in nodes}
    assert len(nodes) == 2
    assert len(racks) == 1


@pytest.mark.requirement("U3")
def test_another_teams_stack_reads_the_outputs(yard: Yard, tmp_path: Path):
    consumer = ROOT / "examples" / "consumer"

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [str(HOME / "bin" / "pulumi"), *arguments, "--cwd", str(consumer), "--non-interactive"]
        return subprocess.run(command, env=yard._env(environment), capture_output=True, text=True, timeout=120)

    assert run("stack", "init", "data-team").returncode == 0
    config = ["-c", "siteStack=organization/railyard/lab", "--config-file", str(tmp_path / "Pulumi.data-team.yaml")]
    done = run("up", "--yes", "--skip-preview", "--stack", "data-team", *config)
    assert done.returncode == 0, done.stdout + done.stderr
    queue = json.loads(run("stack", "output", "--json", "--stack", "data-team").stdout)["queue"]
    assert (queue["tenant"], queue["localQueue"]) == ("research", "research")


@pytest.mark.requirement("U6")
def test_down_leaves_no_process_and_no_socket(yard: Yard):
    yard.lab("down")
    needle = str(yard.instance).encode()
    left = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if needle in (entry / "cmdline").read_bytes():
                    left.append((entry / "cmdline").read_bytes())
            except OSError:
                continue
    assert left == []
    assert not [path for path in yard.instance.rglob("*") if path.is_socket()]
    assert str(yard.instance) not in Path("/proc/mounts").read_text()
