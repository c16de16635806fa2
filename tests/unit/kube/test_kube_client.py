"""Kubeconfig, certificates, error texts and the probe's words: everything of the kube provider that needs no server."""

import base64
import ssl

import pytest
import requests

from lab.pki import Authority
from providers.kube import probe
from providers.kube.client import _reason, fingerprints
from providers.kube.cluster import minor
from providers.kube.errors import KubeError, refused
from providers.kube.kubeconfig import parse

GOOD = """
current-context: b
contexts:
- {name: a, context: {cluster: one, user: x}}
- {name: b, context: {cluster: two, user: y}}
clusters:
- {name: one, cluster: {server: "https://one:6443"}}
- {name: two, cluster: {server: "https://two:6443/", certificate-authority-data: "Y2E="}}
users:
- {name: x, user: {token: t1}}
- {name: y, user: {token: t2}}
"""


def wanted(**change):
    known = {
        "kubeconfigRef": "file:k", "endpoint": "https://h:6443", "caFile": "ca", "namespace": "research", "localQueue": "q",
        "gpus": 16, "gpusPerNode": 8, "topologyLevel": "railyard.dev/rack", "nodes": {}, "timeoutS": 5, "phase": "platform",
    }  # fmt: skip
    return probe.Inputs.model_validate(known | change)


def test_the_current_context_counts_and_secrets_do_not_show():
    config = parse(GOOD, "k")
    assert (config.server, config.ca, config.token) == ("https://two:6443", "ca", "t2")
    assert "t2" not in repr(config)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{unclosed: secret-4711", "not YAML"),
        ("- 1", "not a mapping"),
        (GOOD.replace("current-context: b", "current-context: c"), "no context named 'c'"),
        (GOOD.replace("user: y}", "user: z}"), "no user named 'z'"),
        (GOOD.replace("{token: t2}", "{exec: {command: aws}}"), "no credentials"),
        (GOOD.replace("{token: t2}", "{client-key-data: '%secret-4711'}"), "isn't base64"),
        (GOOD.replace("{token: t2}", "{client-key: /nowhere/key}"), "client-key: No such file"),
    ],
)
def test_a_kubeconfig_that_cannot_be_used_is_named_without_its_content(text, found):
    with pytest.raises(KubeError, match="KUBE-003") as error:
        parse(text, "k")
    assert found in str(error.value)
    assert "secret-4711" not in str(error.value)


def test_fingerprints_are_those_of_the_certificates_in_order(tmp_path):
    one, two = (Authority(tmp_path / name, name).certificate_path.read_text() for name in ("one", "two"))
    assert fingerprints("text before\n" + one + two) == fingerprints(one) + fingerprints(two)
    assert fingerprints("nothing") == []


def test_minor_versions():
    assert minor("1.36.3") == minor("1.36") == "1.36"
    assert minor("1.3.6") != minor("1.36")


def test_only_what_may_change_by_itself_is_waited_for():
    assert refused("x", 403, "no").final
    assert not refused("x", 503, "later").final
    assert not refused("x", 429, "later").final


def test_reasons_have_no_addresses_and_no_object_ids():
    inner = ssl.SSLCertVerificationError(1, "bad")
    inner.verify_message = "unable to get local issuer certificate"
    assert _reason(requests.exceptions.SSLError(inner)) == "certificate refused: unable to get local issuer certificate"
    assert _reason(requests.exceptions.ConnectionError(ConnectionRefusedError(111, "x"))) == "connection refused"
    assert _reason(requests.exceptions.ConnectTimeout()) == "ConnectTimeout"


def test_the_probe_takes_whole_nodes_of_one_domain_and_is_restricted():
    body = probe.job(wanted(), "probe", "run")
    pod = body["spec"]["template"]
    assert body["spec"]["suspend"] is True
    assert body["spec"]["parallelism"] == body["spec"]["completions"] == 2
    assert pod["metadata"]["annotations"] == {"kueue.x-k8s.io/podset-required-topology": "railyard.dev/rack"}
    container = pod["spec"]["containers"][0]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "8"
    assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"] == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    assert body["spec"]["activeDeadlineSeconds"] > 5


def test_the_probe_is_named_by_the_resource():
    assert probe.identity("urn:a") == probe.identity("urn:a") != probe.identity("urn:b")
    assert len(probe.identity("urn:a")) < 40


def test_half_nodes_are_refused():
    with pytest.raises(ValueError, match="no multiple of gpusPerNode"):
        wanted(gpus=12)


def conditions(*rows):
    return {"status": {"conditions": [dict(zip(("type", "status", "message"), row, strict=True)) for row in rows]}}


def test_the_reason_for_waiting_is_the_most_exact_one():
    events = [{"type": "Normal", "message": "x"}, {"type": "Warning", "message": "denied", "lastTimestamp": "2"}]
    quota = conditions(("QuotaReserved", "False", "insufficient quota for nvidia.com/gpu"))
    assert probe.why_waiting(quota, {}, events) == "insufficient quota for nvidia.com/gpu"
    evicted = conditions(("Evicted", "True", "preempted"), ("QuotaReserved", "False", "older"))
    assert probe.why_waiting(evicted, {}, events) == "preempted"
    stopped = conditions(("Active", "False", "ClusterQueue is stopped"))
    assert "ClusterQueue is stopped" in probe.why_waiting(None, stopped, events)
    assert probe.why_waiting(None, {}, events) == "denied"
    assert "never made" in probe.why_waiting(None, {}, [])
    assert "not looked" in probe.why_waiting({}, {}, [])


def test_the_reason_for_unbound_pods():
    pod = {"metadata": {"name": "p"}, **conditions(("PodScheduled", "False", "0/4 nodes are available"))}
    assert "pod p has no node: 0/4 nodes are available" in probe.why_unbound([pod], [], 2)
    denied = [{"type": "Warning", "message": "exceeded quota"}]
    assert probe.why_unbound([], denied, 2) == "admitted, but 0 of 2 pods exist: exceeded quota"


def test_base64_of_the_lab_is_strict():
    assert base64.b64decode("Y2E=", validate=True) == b"ca"
