"""Stands in for the kubelets: a Node exists while its machine runs what was installed on it.

`python -m lab.controlplane.node_agent --dir D --network 127.77` bootstraps the cluster, says so by a file, then follows the
machines: `state/<serial>/running.json` is there while a machine's system is up and says what a kubelet could know (name and
labels of the seed, GPUs of the hardware). KWOK answers for the pods and keeps the nodes Ready.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from lab import hosts
from lab.controlplane.api import Api
from lab.controlplane.bootstrap import bootstrap
from lab.controlplane.layout import Layout

NODES = "/api/v1/nodes"
PERIOD_S = 0.2
CPU = "224"  # 2 x 56 cores x 2 threads and 2 TiB: an 8-GPU H100 server
MEMORY = "2048Gi"
OWNER = "railyard.dev/lab-serial"  # annotation: which machine a Node stands for
log = logging.getLogger("node-agent")


@dataclass(frozen=True)
class Kubelet:
    """One machine that runs an installed system: what its kubelet would register."""

    serial: str
    hostname: str
    generation: int
    labels: tuple[tuple[str, str], ...]
    gpus: int
    address: str

    def node(self) -> dict[str, Any]:
        """The Node object: labels of the seed and the host name, never anything of ours."""
        resources = {"cpu": CPU, "memory": MEMORY, "pods": "110", "ephemeral-storage": "7Ti", "nvidia.com/gpu": str(self.gpus)}
        addresses = [{"type": "InternalIP", "address": self.address}, {"type": "Hostname", "address": self.hostname}]
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": self.hostname,
                "labels": dict(self.labels) | {"kubernetes.io/hostname": self.hostname},
                "annotations": {OWNER: self.serial, "railyard.dev/lab-generation": str(self.generation)},
            },
            "status": {"capacity": resources, "allocatable": resources, "addresses": addresses},
        }


def running(layout: Layout) -> dict[str, Kubelet]:
    """The kubelets that run now, by host name. A machine without GPUs is a storage server and runs none."""
    found = {}
    for serial, up in hosts.running(layout.directory / "state").items():
        if up.get("hostname") and up.get("gpus"):
            labels = tuple(sorted((up.get("labels") or {}).items()))
            kubelet = Kubelet(serial, up["hostname"], int(up.get("generation") or 0), labels, int(up["gpus"]), layout.api_host)
            found[kubelet.hostname] = kubelet
    return found


class Agent:
    """Makes the cluster's Nodes what the machines say. `known` is what it believes to be there."""

    def __init__(self, api: Api, layout: Layout) -> None:
        self.api = api
        self.layout = layout
        self.known: dict[str, Kubelet | None] = {}

    def adopt(self) -> None:
        """Start from the Nodes that an earlier run left; None means: there, but look at it again."""
        self.known = {item["metadata"]["name"]: None for item in self.api.get(NODES)["items"]}

    def step(self) -> None:
        """One comparison; each difference is one or two requests. Raises requests.RequestException."""
        wanted = running(self.layout)
        for name in [name for name in self.known if name not in wanted]:
            self.api.delete(f"{NODES}/{name}")
            del self.known[name]
            log.info("node %s removed", name)
        for name, kubelet in wanted.items():
            if name not in self.known or self.known[name] != kubelet:
                self._register(name, kubelet)

    def _register(self, name: str, kubelet: Kubelet) -> None:
        """A fresh system registers a fresh Node: labels of an earlier installation don't stay."""
        known = self.known.get(name)
        if known is not None and known != kubelet:
            self.api.delete(f"{NODES}/{name}")
        body = kubelet.node()
        try:
            self.api.call("POST", NODES, body)
        except requests.HTTPError as error:
            if error.response.status_code != 409:
                raise
            patch = {"metadata": {"labels": body["metadata"]["labels"], "annotations": body["metadata"]["annotations"]}}
            self.api.call("PATCH", f"{NODES}/{name}", patch, kind="application/merge-patch+json")
        status = {"status": {key: body["status"][key] for key in ("capacity", "allocatable")}}
        self.api.call("PATCH", f"{NODES}/{name}/status", status, kind="application/merge-patch+json")
        self.known[name] = kubelet
        log.info("node %s registered: %d GPUs, labels %s", name, kubelet.gpus, dict(kubelet.labels))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.controlplane.node_agent")
    parser.add_argument("--dir", type=Path, required=True)
    parser.add_argument("--network", required=True)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    layout = Layout(arguments.dir.resolve(), arguments.network)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    bootstrap(Api(layout.endpoint, layout.ca_cert, layout.users, "bootstrap"), layout)
    agent = Agent(Api(layout.endpoint, layout.ca_cert, layout.users, "node-agent"), layout)
    agent.adopt()
    layout.bootstrapped.write_text(f"{os.getpid()}\n")
    while not stopped.wait(PERIOD_S):
        try:
            agent.step()
        except requests.RequestException as error:  # the API server is busy or restarts: the next turn sees
            log.warning("%s", error)


if __name__ == "__main__":
    main()
