"""The lab's control plane without processes: files, modes, arguments, the node agent's view of machines."""

import json
import stat

import pytest

from lab.controlplane import Layout, configs, prepare
from lab.controlplane.bootstrap import load, webhooks
from lab.controlplane.node_agent import Agent, running
from lab.controlplane.processes import services
from lab.errors import LabError

PROGRAMS = ("etcd", "kube-apiserver", "kube-scheduler", "kube-controller-manager", "kwok", "kueue")


@pytest.fixture
def layout(tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in PROGRAMS:
        (programs / name).touch(0o755)
    made = Layout(tmp_path / "instance", "127.99", programs)
    made.directory.mkdir()
    prepare(made)
    return made


def test_prepared_again_nothing_changes_and_secrets_are_private(layout):
    files = {path: path.read_bytes() for path in layout.directory.rglob("*") if path.is_file()}
    prepare(layout)
    assert files == {path: path.read_bytes() for path in layout.directory.rglob("*") if path.is_file()}
    private = [p for p in files if p.suffix == ".key" or "kubeconfig" in p.name or p.name == "encryption.json"]
    assert len(private) > 12
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in private)
    assert stat.S_IMODE(layout.home.stat().st_mode) == 0o700


def test_the_kubeconfig_names_the_endpoint(layout):
    assert "server: https://127.99.0.10:6443\n" in layout.kubeconfig.read_text()


def test_order_and_hardening(layout):
    found = services(layout)
    assert [s.name for s in found] == [
        "etcd", "kube-apiserver", "node-agent", "kube-scheduler", "kube-controller-manager", "kwok", "kueue",
    ]  # fmt: skip
    arguments = found[1].argv
    for wanted in ("--anonymous-auth=false", "--authorization-mode=Node,RBAC", "--profiling=false"):
        assert wanted in arguments
    for wanted in ("--encryption-provider-config=", "--audit-log-path=", "--audit-policy-file=", "--etcd-cafile="):
        assert any(argument.startswith(wanted) for argument in arguments)
    assert not any("token-auth-file" in argument or "0.0.0.0" in argument for service in found for argument in service.argv)


def test_a_missing_program_is_named_with_its_remedy(layout):
    (layout.bin_dir / "kueue").unlink()
    with pytest.raises(LabError, match=r"LAB-020.*engine install kueue"):
        services(layout)


def test_encryption_writes_with_secretbox_first():
    providers = configs.encryption(b"x" * 32)["resources"][0]["providers"]
    assert [next(iter(provider)) for provider in providers] == ["secretbox", "identity"]


def test_webhooks_go_to_the_instances_address_and_fail_closed(layout):
    found = [webhook for configuration in webhooks(layout) for webhook in configuration["webhooks"]]
    assert len(found) == 9
    assert all(w["clientConfig"]["url"].startswith("https://127.99.0.13:9443/") for w in found)
    assert {w["failurePolicy"] for w in found} == {"Fail"}
    assert not any("service" in w["clientConfig"] for w in found)


def test_vendored_crds_are_kueues_eleven():
    crds = load("kueue-crds")
    assert len(crds) == 11
    assert {version["name"] for crd in crds for version in crd["spec"]["versions"]} == {"v1beta2"}


def test_a_jobs_pod_may_run_for_a_while():
    (stage,) = [s for s in configs.kwok_stages(load("kwok-stages")) if s["metadata"]["name"] == "pod-complete"]
    assert "lab-run-for" in stage["spec"]["delay"]["durationFrom"]["expressionFrom"]
    assert "delay" not in next(s for s in load("kwok-stages") if s["metadata"]["name"] == "pod-complete")["spec"]


def machine(layout, serial, **up):
    folder = layout.directory / "state" / serial
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "running.json").write_text(json.dumps(up))


def test_a_node_is_what_the_machine_has_and_its_seed_says(layout):
    machine(layout, "A", hostname="gpu01", generation=2, labels={"railyard.dev/rack": "r1"}, gpus=7)
    machine(layout, "STO", hostname="sto01", labels={}, gpus=0)
    (layout.directory / "state" / "OFF").mkdir()
    (layout.directory / "state" / "TORN").mkdir()
    (layout.directory / "state" / "TORN" / "running.json").write_text("{")
    found = running(layout)
    assert list(found) == ["gpu01"]
    node = found["gpu01"].node()
    assert node["metadata"]["labels"] == {"railyard.dev/rack": "r1", "kubernetes.io/hostname": "gpu01"}
    assert node["status"]["capacity"]["nvidia.com/gpu"] == "7"


class FakeApi:
    def __init__(self, nodes):
        self.nodes = nodes
        self.calls = []

    def get(self, path):
        return {"items": [{"metadata": {"name": name}} for name in self.nodes]}

    def call(self, method, path, body=None, kind=""):
        self.calls.append((method, path))

    def delete(self, path):
        self.calls.append(("DELETE", path))


def test_the_agent_acts_on_differences_only(layout):
    machine(layout, "A", hostname="gpu01", generation=1, labels={"railyard.dev/rack": "r1"}, gpus=8)
    api = FakeApi(["old"])
    agent = Agent(api, layout)
    agent.adopt()
    agent.step()
    assert api.calls == [("DELETE", "/api/v1/nodes/old"), ("POST", "/api/v1/nodes"), ("PATCH", "/api/v1/nodes/gpu01/status")]
    agent.step()
    assert len(api.calls) == 3
    machine(layout, "A", hostname="gpu01", generation=2, labels={}, gpus=8)
    agent.step()
    assert api.calls[3:5] == [("DELETE", "/api/v1/nodes/gpu01"), ("POST", "/api/v1/nodes")], "reinstalled: a fresh node"
