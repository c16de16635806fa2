"""A real control plane in a temporary instance, for tests of the kube provider: started in order, stopped by pid in reverse."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from lab import network
from lab.controlplane import Layout, prepare
from lab.controlplane.api import Api
from lab.controlplane.processes import services
from lab.service import Service

RACKS = {
    "lab-su001-gpu01": "lab-r001",
    "lab-su001-gpu02": "lab-r002",
    "lab-su001-gpu03": "lab-r001",
    "lab-su001-gpu04": "lab-r002",
}


@dataclass
class Plane:
    """One running control plane. `started` are our own processes, by service name."""

    layout: Layout
    started: dict[str, subprocess.Popen] = field(default_factory=dict)
    ready_s: dict[str, float] = field(default_factory=dict)
    lock: int = -1

    @property
    def api(self) -> Api:
        return Api(self.layout.endpoint, self.layout.ca_cert, self.layout.users, "bootstrap")

    def start(self, service: Service) -> None:
        """Start one service and wait until it is ready."""
        begun = time.monotonic()
        with (self.layout.logs / f"{service.name}.log").open("ab") as log:
            self.started[service.name] = subprocess.Popen(
                service.argv, env=dict(service.env), stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
            )
        while callable(service.ready) and not service.ready():
            assert self.started[service.name].poll() is None, f"{service.name} ended: {self.tail(service.name)}"
            assert time.monotonic() - begun < 90, f"{service.name} isn't ready: {self.tail(service.name)}"
            time.sleep(0.05)
        self.ready_s[service.name] = time.monotonic() - begun

    def tail(self, name: str) -> str:
        return (self.layout.logs / f"{name}.log").read_text()[-3000:]

    def stop(self) -> None:
        """Stop everything that we started, last one first."""
        for process in reversed(self.started.values()):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(5)
        self.started.clear()
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1

    def machine(self, serial: str, name: str, rack: str | None) -> None:
        """Let a machine run what was installed on it (rack None: it is switched off)."""
        folder = self.layout.directory / "state" / serial
        folder.mkdir(parents=True, exist_ok=True)
        labels = {"railyard.dev/site": "lab", "railyard.dev/unit": "lab-su001", "railyard.dev/rack": rack}
        if rack is None:
            (folder / "running.json").unlink(missing_ok=True)
        else:
            up = {"serial": serial, "hostname": name, "generation": 1, "labels": labels, "gpus": 8}
            (folder / "running.json").write_text(json.dumps(up))

    def wait_ready_nodes(self, count: int, timeout_s: float = 30) -> None:
        """Until `count` nodes are Ready and without a taint."""
        end = time.monotonic() + timeout_s
        while True:
            nodes = self.api.get("/api/v1/nodes")["items"]
            good = [n for n in nodes if not n["spec"].get("taints") and _ready(n)]
            if len(good) == len(nodes) == count:
                return
            assert time.monotonic() < end, f"{len(good)} of {len(nodes)} nodes ready, {count} wanted"
            time.sleep(0.1)


def _ready(node: dict) -> bool:
    return any(c["type"] == "Ready" and c["status"] == "True" for c in node["status"].get("conditions", ()))


def start_plane(folder: Path, only: tuple[str, ...] | None = None) -> Plane:
    """A control plane on a free /16, where no machine runs yet."""
    picked, lock = network.pick(None, folder)
    (folder / "instance.json").write_text(json.dumps({"network": picked}))
    plane = Plane(Layout(folder, picked), lock=lock)
    try:
        prepare(plane.layout)
        for service in services(plane.layout):
            if only is None or service.name in only:
                plane.start(service)
    except BaseException:
        plane.stop()
        raise
    return plane


KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
RACK, UNIT, HOST = "railyard.dev/rack", "railyard.dev/unit", "kubernetes.io/hostname"
KINDS = {
    "Namespace": "/api/v1/namespaces",
    "ResourceQuota": "/api/v1/namespaces/{namespace}/resourcequotas",
    "Topology": f"{KUEUE}/topologies",
    "ResourceFlavor": f"{KUEUE}/resourceflavors",
    "ClusterQueue": f"{KUEUE}/clusterqueues",
    "LocalQueue": KUEUE + "/namespaces/{namespace}/localqueues",
}


def put(plane: Plane, kind: str, name: str, spec: dict | None = None, namespace: str | None = None) -> None:
    """Create or change one object of the platform."""
    group = "v1" if KINDS[kind].startswith("/api/") else "kueue.x-k8s.io/v1beta2"
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    body = {"apiVersion": group, "kind": kind, "metadata": metadata} | ({"spec": spec} if spec else {})
    plane.api.apply(f"{KINDS[kind].format(namespace=namespace)}/{name}", body)


def platform(plane: Plane) -> None:
    """What the Platform component makes: topology, flavor, and the tenant `research` with 32 GPUs."""
    put(plane, "Topology", "railyard", {"levels": [{"nodeLabel": label} for label in (UNIT, RACK, HOST)]})
    put(plane, "ResourceFlavor", "gpu", {"nodeLabels": {"railyard.dev/site": "lab"}, "topologyName": "railyard"})
    tenant(plane, "research", 32)


def tenant(plane: Plane, name: str, gpus: int, hard: dict[str, str] | None = None) -> None:
    """Namespace, ClusterQueue and LocalQueue of one tenant, and its ResourceQuota if `hard` is given."""
    put(plane, "Namespace", name)
    quota = {"cpu": "896", "memory": "8Ti", "nvidia.com/gpu": str(gpus)}
    resources = [{"name": key, "nominalQuota": value} for key, value in quota.items()]
    group = {"coveredResources": list(quota), "flavors": [{"name": "gpu", "resources": resources}]}
    put(plane, "ClusterQueue", name, {"namespaceSelector": {}, "resourceGroups": [group]})
    put(plane, "LocalQueue", name, {"clusterQueue": name}, name)
    if hard:
        put(plane, "ResourceQuota", name, {"hard": hard}, name)
