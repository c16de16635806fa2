"""The kube provider over real gRPC against a real control plane: API server, scheduler, Kueue, KWOK nodes of four machines."""

import base64
import re
import threading
import time

import pytest
from pulumi.runtime.proto import provider_pb2 as pb

from lab.controlplane.processes import services
from lab.pki import Authority
from providers.kit.values import UNKNOWN, to_struct
from providers.kube.probe import OURS, identity
from tests.provider.kube_plane import KUEUE, RACKS, UNIT, platform, start_plane, tenant
from tests.provider.plugin import Background, Failed, Plugin, urn

CLUSTER, GATE, ASIDE = "kube:index:Cluster", "kube:index:AdmissionGate", "kube:index:SetAside"
SECRET = "1b47061264138c4ac30d75fd1eb44270"


@pytest.fixture(scope="session")
def plane(tmp_path_factory):
    running = start_plane(tmp_path_factory.mktemp("plane"))
    try:
        for index, (name, rack) in enumerate(RACKS.items(), 1):
            running.machine(f"SN{index:02}", name, rack)
        running.wait_ready_nodes(4)
        platform(running)
        yield running
    finally:
        running.stop()


@pytest.fixture
def kube(tmp_path):
    running = Plugin("kube", RAILYARD_LOG_DIR=str(tmp_path), SSL_CERT_FILE="/nowhere", REQUESTS_CA_BUNDLE="/nowhere")
    yield running
    running.close()


def cluster(plane, **change):
    known = {
        "endpoint": plane.layout.endpoint,
        "caFile": str(plane.layout.ca_cert),
        "kubeconfigRef": f"file:{plane.layout.kubeconfig}",
        "version": "1.36.3",
        "token": "facility",
        "timeoutS": 20,
    }
    return known | change


def gate(plane, **change):
    known = {
        "kubeconfigRef": f"file:{plane.layout.kubeconfig}",
        "endpoint": plane.layout.endpoint,
        "caFile": str(plane.layout.ca_cert),
        "namespace": "research",
        "localQueue": "research",
        "gpus": 16,
        "gpusPerNode": 8,
        "topologyLevel": "railyard.dev/rack",
        "nodes": RACKS,
        "timeoutS": 20,
        "phase": "platform",
    }
    return known | change


def other_kubeconfig(plane, path, *replacements):
    """The kubeconfig with changes, as a reference."""
    text = plane.layout.kubeconfig.read_text()
    for old, new in replacements:
        text = re.sub(old, new, text)
    path.write_text(text)
    path.chmod(0o600)
    return f"file:{path}"


def probes(plane, namespace="research"):
    return plane.api.get(f"/apis/batch/v1/namespaces/{namespace}/jobs")["items"]


def wait_no_probe(plane, namespace="research", seconds=30):
    """Job, pods and Workload (it holds the quota) are gone."""
    paths = [f"{KUEUE}/namespaces/{namespace}/workloads", f"/api/v1/namespaces/{namespace}/pods"]
    end = time.monotonic() + seconds
    while left := [item for path in paths for item in plane.api.get(path)["items"]] + probes(plane, namespace):
        assert time.monotonic() < end, f"still there: {left}"
        time.sleep(0.1)


def wait_probe(plane, namespace="research", seconds=10):
    end = time.monotonic() + seconds
    while not probes(plane, namespace):
        assert time.monotonic() < end, "no probe"
        time.sleep(0.05)


def refused(kube, kind, inputs):
    with pytest.raises(Failed) as failed:
        kube.create(kind, inputs)
    return failed.value.text


def canary(plane):
    """The secrets of the kubeconfig, as they stand in the file and as PEM."""
    data = re.search(r"client-key-data: (\S+)", plane.layout.kubeconfig.read_text())[1]
    return data, base64.b64decode(data).decode().splitlines()[1]


# --- Cluster


def test_cluster_gives_the_kubeconfig_as_a_secret_and_the_ca(plane, kube):
    reply = kube.stub.Create(pb.CreateRequest(urn=urn(CLUSTER), properties=to_struct(cluster(plane))))
    assert reply.id == plane.layout.endpoint
    wrapped = dict(reply.properties["kubeconfig"].items())
    assert wrapped["4dabf18193072939515e22adb298388d"] == SECRET
    assert wrapped["value"] == plane.layout.kubeconfig.read_text()
    assert len(reply.properties["caSha256"]) == 64
    assert reply.properties["serverVersion"] == "1.36.3"
    del reply.properties.fields["kubeconfig"]
    for secret in canary(plane):
        assert secret not in str(reply)
        assert secret not in "\n".join(kube.log.lines)


def test_cluster_is_the_same_again_and_previews_its_outputs_when_only_the_wait_changes(plane, kube):
    inputs = cluster(plane)
    ident, first = kube.create(CLUSTER, inputs)
    assert kube.update(CLUSTER, ident, first, inputs) == first
    assert kube.diff(CLUSTER, inputs, inputs) == []
    previewed = kube.update(CLUSTER, ident, first, inputs | {"timeoutS": 30}, preview=True)
    assert previewed["kubeconfig"] == first["kubeconfig"]
    assert kube.create(CLUSTER, inputs, preview=True)[1]["kubeconfig"] == UNKNOWN


def test_cluster_refuses_a_server_that_the_ca_did_not_sign(plane, kube, tmp_path):
    Authority(tmp_path / "other", "another CA")
    without_ca = other_kubeconfig(plane, tmp_path / "kubeconfig", (r"    certificate-authority-data: .*\n", ""))
    began = time.monotonic()
    text = refused(kube, CLUSTER, cluster(plane, caFile=str(tmp_path / "other/ca.crt"), kubeconfigRef=without_ca))
    assert text.startswith("KUBE-002")
    assert "certificate" in text
    assert time.monotonic() - began < 5, "waiting doesn't make a certificate right"


def test_cluster_refuses_a_kubeconfig_of_another_ca_server_or_form(plane, kube, tmp_path):
    Authority(tmp_path / "other", "another CA")
    assert refused(kube, CLUSTER, cluster(plane, caFile=str(tmp_path / "other/ca.crt"))).startswith("KUBE-009")
    elsewhere = other_kubeconfig(plane, tmp_path / "a", (r"server: .*", "server: https://127.0.0.9:6443"))
    text = refused(kube, CLUSTER, cluster(plane, kubeconfigRef=elsewhere))
    assert text.startswith("KUBE-004")
    assert "https://127.0.0.9:6443" in text
    broken = other_kubeconfig(plane, tmp_path / "b", (r"client-key-data: ", "client-key-data: ~"))
    text = refused(kube, CLUSTER, cluster(plane, kubeconfigRef=broken))
    assert text.startswith("KUBE-003")
    assert canary(plane)[0] not in text
    assert refused(kube, CLUSTER, cluster(plane, kubeconfigRef="file:/nowhere/kubeconfig")).startswith("KIT-011")


def test_cluster_refuses_another_minor_version(plane, kube):
    text = refused(kube, CLUSTER, cluster(plane, version="1.35.4"))
    assert text.startswith("KUBE-005")
    assert "Kubernetes 1.36.3" in text
    assert kube.create(CLUSTER, cluster(plane, version="1.36.0"))[0]


def test_cluster_waits_for_a_server_that_is_down_until_its_deadline(plane, kube, tmp_path):
    down = plane.layout.endpoint.replace("6443", "6444")
    reference = other_kubeconfig(plane, tmp_path / "kubeconfig", (r":6443", ":6444"))
    began = time.monotonic()
    text = refused(kube, CLUSTER, cluster(plane, endpoint=down, kubeconfigRef=reference, timeoutS=1.5))
    assert 1.4 < time.monotonic() - began < 6
    assert text.startswith(f"KUBE-001 {down}")
    assert "connection refused" in text


def test_cluster_wait_ends_within_two_seconds_of_cancel(plane, kube, tmp_path):
    down = plane.layout.endpoint.replace("6443", "6444")
    reference = other_kubeconfig(plane, tmp_path / "kubeconfig", (r":6443", ":6444"))
    waiting = Background(kube.create, CLUSTER, cluster(plane, endpoint=down, kubeconfigRef=reference, timeoutS=60))
    time.sleep(1)
    kube.cancel()
    with pytest.raises(Failed, match="KIT-002"):
        waiting.result(5)
    assert waiting.took < 3


def test_cluster_read_never_fails_the_run(plane, kube, tmp_path):
    inputs = cluster(plane)
    ident, state = kube.create(CLUSTER, inputs)
    assert kube.read(CLUSTER, ident, state, inputs)[1] == inputs
    assert kube.read(CLUSTER, ident, state, inputs | {"version": "1.35.4"})[1]["version"] == "1.36.3", "drift"
    down = plane.layout.endpoint.replace("6443", "6444")
    reference = other_kubeconfig(plane, tmp_path / "kubeconfig", (r":6443", ":6444"))
    gone = inputs | {"endpoint": down, "kubeconfigRef": reference}
    with pytest.raises(Failed) as failed:
        kube.read(CLUSTER, ident, state | gone, gone)
    partial = failed.value.partial
    assert partial.id == ident
    assert dict(partial.inputs)["endpoint"] == down
    assert dict(partial.properties["kubeconfig"])["4dabf18193072939515e22adb298388d"] == SECRET
    assert "KUBE-001" in partial.reasons[0]


# --- AdmissionGate


def test_gate_passes_on_one_rack_and_leaves_nothing(plane, kube):
    _, state = kube.create(GATE, gate(plane))
    assert state["token"] == "platform"
    assert re.fullmatch("[0-9a-f]{64}", state["digest"])
    assert len(state["assigned"]) == 2
    assert len(set(state["assigned"].values())) == 1
    assert all(RACKS[name] == rack for name, rack in state["assigned"].items())
    wait_no_probe(plane)


def test_gate_preview_knows_its_token_only(plane, kube):
    _, state = kube.create(GATE, gate(plane), preview=True)
    assert (state["token"], state["digest"], state["assigned"]) == ("platform", UNKNOWN, UNKNOWN)
    assert probes(plane) == []
    assert kube.diff(GATE, gate(plane), gate(plane, timeoutS=30)) == ["timeoutS"]
    assert kube.check(GATE, gate(plane, gpus=12))


def test_gate_names_the_resource_whose_quota_is_too_small(plane, kube):
    text = refused(kube, GATE, gate(plane, gpus=64, timeoutS=3))
    assert text.startswith("GATE-002 research/railyard-probe-")
    assert "nvidia.com/gpu" in text
    assert "insufficient quota" in text
    wait_no_probe(plane)


def test_gate_says_when_a_rack_is_too_small(plane, kube):
    text = refused(kube, GATE, gate(plane, gpus=24, timeoutS=3))
    assert text.startswith("GATE-002")
    assert "topology" in text
    wait_no_probe(plane)


def test_gate_refuses_nodes_that_the_plan_puts_elsewhere(plane, kube):
    planned = dict.fromkeys(RACKS, "lab-r009")
    text = refused(kube, GATE, gate(plane, nodes=planned))
    assert text.count("GATE-002") == 2
    assert "railyard.dev/rack=lab-r00" in text
    assert "limit: railyard.dev/rack=lab-r009" in text
    one = {"lab-su001-gpu01": "lab-r001"}
    assert "which the plan doesn't have" in refused(kube, GATE, gate(plane, nodes=one))
    wait_no_probe(plane)


def test_gate_says_when_the_namespace_forbids_its_pods(plane, kube):
    tenant(plane, "narrow", 32, {"requests.nvidia.com/gpu": "4"})
    text = refused(kube, GATE, gate(plane, namespace="narrow", localQueue="narrow", timeoutS=4))
    assert text.startswith("GATE-002 narrow/")
    assert "exceeded quota: narrow, requested: requests.nvidia.com/gpu=8" in text
    wait_no_probe(plane, "narrow")


def test_gate_needs_the_queue(plane, kube):
    text = refused(kube, GATE, gate(plane, localQueue="none"))
    assert text.startswith("KUBE-020 research/none")
    assert probes(plane) == []


def test_gate_says_that_the_server_is_down(plane, kube, tmp_path):
    down = plane.layout.endpoint.replace("6443", "6444")
    reference = other_kubeconfig(plane, tmp_path / "kubeconfig", (r":6443", ":6444"))
    began = time.monotonic()
    text = refused(kube, GATE, gate(plane, endpoint=down, kubeconfigRef=reference, timeoutS=1.5))
    assert text.startswith("KUBE-001")
    assert 1.4 < time.monotonic() - began < 6


def test_gate_takes_a_killed_runs_probe_away_first(plane, kube):
    waiting = Background(kube.create, GATE, gate(plane, gpus=64, timeoutS=60))
    wait_probe(plane)
    kube.kill()
    with pytest.raises(Failed):
        waiting.result()
    left = probes(plane)
    assert [job["metadata"]["labels"][OURS] for job in left] == [identity(urn(GATE))]
    fresh = Plugin("kube")
    try:
        assert fresh.create(GATE, gate(plane))[1]["token"] == "platform"
    finally:
        fresh.close()
    wait_no_probe(plane)


def test_two_runs_of_one_gate_leave_each_others_probe_alone(plane, kube):
    waiting = Background(kube.create, GATE, gate(plane, gpus=64, timeoutS=60))
    wait_probe(plane)
    first = probes(plane)[0]["metadata"]
    other = Plugin("kube")
    try:
        assert other.create(GATE, gate(plane))[1]["token"] == "platform"
    finally:
        other.close()
    left = [job["metadata"] for job in probes(plane)]
    assert [one["uid"] for one in left if "deletionTimestamp" not in one] == [first["uid"]]
    kube.cancel()
    with pytest.raises(Failed, match="KIT-002"):
        waiting.result()
    wait_no_probe(plane)


@pytest.mark.parametrize("how", ["cancel", "sigterm"])
def test_gate_deletes_its_probe_when_it_is_stopped(plane, kube, how):
    waiting = Background(kube.create, GATE, gate(plane, gpus=64, timeoutS=60))
    wait_probe(plane)
    began = time.monotonic()
    if how == "cancel":
        kube.cancel()
    else:
        kube.process.terminate()
    with pytest.raises(Failed):
        waiting.result(5)
    assert time.monotonic() - began < 2
    wait_no_probe(plane)


def test_a_powered_off_machine_is_no_node(plane):
    name = "lab-su001-gpu04"
    plane.machine("SN04", name, None)
    try:
        plane.wait_ready_nodes(3)
    finally:
        plane.machine("SN04", name, RACKS[name])
    plane.wait_ready_nodes(4)
    labels = plane.api.get(f"/api/v1/nodes/{name}")["metadata"]["labels"]
    assert labels == {
        "kubernetes.io/hostname": name,
        "railyard.dev/rack": "lab-r002",
        "railyard.dev/site": "lab",
        "railyard.dev/unit": "lab-su001",
    }


def test_secrets_are_encrypted_at_rest_and_nobody_is_anonymous(plane):
    import requests

    answer = requests.get(f"{plane.layout.endpoint}/version", verify=str(plane.layout.ca_cert), timeout=5)
    assert answer.status_code == 401
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "canary"}, "stringData": {"value": "canary-4711"}}
    plane.api.call("POST", "/api/v1/namespaces/default/secrets", secret)
    stored = b"".join(path.read_bytes() for path in (plane.layout.home / "etcd").rglob("*") if path.is_file())
    assert b"k8s:enc:secretbox" in stored
    assert b"canary-4711" not in stored
    assert base64.b64encode(b"canary-4711") not in stored
    audit = (plane.layout.logs / "audit.log").read_text()
    assert '"name":"canary"' in audit
    assert "canary-4711" not in audit


def test_all_listen_on_the_instances_own_addresses(plane):
    import subprocess

    pids = {str(process.pid) for process in plane.started.values()}
    seen = 0
    for line in subprocess.run(["ss", "-ltnpH"], capture_output=True, text=True, check=False).stdout.splitlines():
        if any(f"pid={pid}," in line for pid in pids):
            seen += 1
            assert line.split()[3].startswith(f"{plane.layout.network}."), line
    assert seen >= 7 or not seen, "ss isn't everywhere"
    assert threading.active_count() < 60


def test_gate_outlasts_an_api_server_that_is_away_for_a_while(plane, kube):
    waiting = Background(kube.create, GATE, gate(plane, gpus=64, timeoutS=25))
    wait_probe(plane)  # Kueue needs a while too, so its words may differ; what counts is that the gate asked until the end
    server = next(service for service in services(plane.layout) if "apiserver" in service.name)
    running = plane.started[server.name]
    running.kill()
    running.wait(20)
    time.sleep(0.5)
    plane.start(server)
    with pytest.raises(Failed, match="GATE-002"):
        waiting.result()
    wait_no_probe(plane, seconds=60)


# --- SetAside: last, because it changes nodes that all tests share (each test gives them back)


GPU04, GHOST = "lab-su001-gpu04", "lab-su001-gpu99"


def aside(plane, *names, reason="fan 3 is dead", **change):
    known = {key: value for key, value in cluster(plane).items() if key in ("endpoint", "caFile", "kubeconfigRef")}
    return known | {"nodes": [{"name": name, "reason": reason} for name in names]} | change


def node(plane, name=GPU04):
    found = plane.api.get(f"/api/v1/nodes/{name}")
    return bool(found["spec"].get("unschedulable")), found["metadata"]["annotations"].get("railyard.dev/set-aside")


def cordon_by_hand(plane, wanted):
    body = {"spec": {"unschedulable": wanted or None}}
    plane.api.call("PATCH", f"/api/v1/nodes/{GPU04}", body, kind="application/merge-patch+json")


@pytest.mark.requirement("C6")
def test_a_node_that_is_set_aside_takes_no_jobs_until_it_leaves_the_list(plane, kube):
    ident, state = kube.create(ASIDE, aside(plane, GPU04))
    assert node(plane) == (True, "fan 3 is dead")
    assert state["cordoned"] == [GPU04]
    with pytest.raises(Failed, match="GATE-002"):  # 32 GPUs want all four nodes
        kube.create(GATE, gate(plane, gpus=32, topologyLevel=UNIT, timeoutS=3))
    wait_no_probe(plane)
    state = kube.update(ASIDE, ident, aside(plane, GPU04), aside(plane))
    assert node(plane) == (False, None)
    assert state["cordoned"] == []
    plane.wait_ready_nodes(4)
    _, passed = kube.create(GATE, gate(plane, gpus=32, topologyLevel=UNIT, nodes=dict.fromkeys(RACKS, "lab-su001")))
    assert len(passed["assigned"]) == 4
    wait_no_probe(plane)


def test_a_machine_that_never_joined_is_no_error(plane, kube):
    ident, state = kube.create(ASIDE, aside(plane, GHOST))
    assert (state["cordoned"], state["absent"]) == ([], [GHOST])
    assert GHOST not in {item["metadata"]["name"] for item in plane.api.get("/api/v1/nodes")["items"]}
    assert kube.diff(ASIDE, aside(plane, GHOST), aside(plane, GHOST)) == []
    assert kube.update(ASIDE, ident, aside(plane, GHOST), aside(plane))["absent"] == []


def test_a_node_that_takes_jobs_again_shows_at_the_next_preview_and_in_a_refresh(plane, kube):
    inputs = aside(plane, GPU04)
    ident, state = kube.create(ASIDE, inputs)
    assert kube.diff(ASIDE, inputs, inputs) == []
    assert kube.read(ASIDE, ident, state, inputs)[1] == inputs
    cordon_by_hand(plane, False)
    assert kube.diff(ASIDE, inputs, inputs) == ["nodes"]
    assert kube.read(ASIDE, ident, state, inputs)[1]["nodes"] == []
    kube.update(ASIDE, ident, inputs, inputs)
    assert node(plane) == (True, "fan 3 is dead")
    kube.update(ASIDE, ident, inputs, aside(plane, GPU04, reason="spare part ordered"))
    assert node(plane) == (True, "spare part ordered")
    kube.stub.Delete(pb.DeleteRequest(id=ident, urn=urn(ASIDE), old_inputs=to_struct(inputs)))
    assert node(plane) == (False, None)


def test_a_cordon_that_somebody_else_made_stays(plane, kube):
    cordon_by_hand(plane, True)
    try:
        ident, state = kube.create(ASIDE, aside(plane, GPU04))
        assert state["cordoned"] == [GPU04]
        assert node(plane) == (True, None)
        kube.update(ASIDE, ident, aside(plane, GPU04), aside(plane))
        assert node(plane) == (True, None)
    finally:
        cordon_by_hand(plane, False)


def test_with_nobody_set_aside_the_cluster_is_not_asked(plane, kube):
    nowhere = aside(plane, endpoint="https://127.0.0.1:1", kubeconfigRef="file:/nowhere", caFile="/nowhere")
    ident, state = kube.create(ASIDE, nowhere)
    assert (state["cordoned"], state["absent"]) == ([], [])
    assert kube.create(ASIDE, nowhere, preview=True)[1]["cordoned"] == []
    assert kube.diff(ASIDE, nowhere, nowhere) == []
    kube.read(ASIDE, ident, state, nowhere)
    kube.stub.Delete(pb.DeleteRequest(id=ident, urn=urn(ASIDE), old_inputs=to_struct(nowhere)))


def test_what_could_not_be_freed_stays_in_the_list(plane, kube, tmp_path):
    """A server that refuses us: nothing is forgotten, and no cluster at all fails the call."""
    stranger = other_kubeconfig(
        plane, tmp_path / "k", (r"client-certificate-data: .*", ""), (r"client-key-data: .*", "token: no")
    )
    inputs = aside(plane, GPU04, kubeconfigRef=stranger)
    with pytest.raises(Failed, match="KUBE-007") as failed:
        kube.update(ASIDE, "x", inputs, aside(plane, kubeconfigRef=stranger))
    assert [found["name"] for found in failed.value.partial.inputs["nodes"]] == [GPU04]
    assert kube.diff(ASIDE, inputs, inputs) == []
    silent = aside(
        plane, GPU04, kubeconfigRef=other_kubeconfig(plane, tmp_path / "s", (r"server: \S+", "server: https://127.0.0.1:1"))
    )
    with pytest.raises(Failed, match="KUBE-001"):
        kube.create(ASIDE, silent | {"endpoint": "https://127.0.0.1:1"})
    assert kube.check(ASIDE, aside(plane, "NOT A NODE"))
