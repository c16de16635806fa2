"""kube:index:SetAside over real gRPC against a real control plane. The nodes are everybody's: each test gives them back."""

import pytest
from pulumi.runtime.proto import provider_pb2 as pb

from providers.kit.values import to_struct
from tests.provider.kube_calls import ASIDE, GATE, cluster, gate, other_kubeconfig, wait_no_probe
from tests.provider.kube_plane import RACKS, UNIT
from tests.provider.plugin import Failed, urn

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
