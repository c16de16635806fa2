"""Inputs of the kube provider's resources at a running control plane, and what its probes leave there."""

import re
import time

from tests.provider.kube_plane import KUEUE, RACKS

CLUSTER, GATE, ASIDE = "kube:index:Cluster", "kube:index:AdmissionGate", "kube:index:SetAside"


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
