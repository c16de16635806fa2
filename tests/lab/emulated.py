"""Starts a real emulator (and provisioning service) for tests, stops it by pid, and talks to it over HTTPS."""

import contextlib
import hashlib
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import requests

from lab import control, setup, supervisor
from lab.instance import ROOT, Instance
from lab.inventory import MachineFacts
from lab.setup import Wish

FAST = {"postS": 0.02, "installS": 0.05, "powerS": 0.02, "shutdownS": 0.02, "managerResetS": 0.05}
WAIT_S = 20.0
SYSTEM, MANAGER = "/redfish/v1/Systems/System_1", "/redfish/v1/Managers/BMC"
CD = f"{MANAGER}/VirtualMedia/CD1"


def inventory_text(count: int, site: str = "test", storage: int = 0) -> str:
    """An inventory of `count` GPU machines and `storage` storage machines."""
    lines = ["schemaVersion: 1", f"site: {site}", "machines:"]
    for index in range(1, count + storage + 1):
        gpu = index <= count
        name = f"{site}-su001-gpu{index:02d}" if gpu else f"{site}-sto{index - count:02d}"
        macs = ", ".join(f"'02:00:00:00:{index:02x}:{port:02x}'" for port in range(10 if gpu else 2))
        fields = f"name: {name}, role: {'gpu' if gpu else 'storage'}, serial: T{index:04d}, bmc: '127.77.1.{index}:8443'"
        lines.append(f"  - {{{fields}, macs: [{macs}], gpus: {8 if gpu else 0}}}")
    return "\n".join(lines) + "\n"


@contextlib.contextmanager
def process(argv: tuple[str, ...], ready: Callable[[], bool], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A child that is ended with the test, whatever happens."""
    with log.open("ab") as stream:
        child = subprocess.Popen(argv, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=stream, stderr=stream)
    try:
        until(lambda: ready() or child.poll() is not None, WAIT_S)
        assert child.poll() is None, log.read_text()
        yield child
    finally:
        child.terminate()
        try:
            child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def until(check: Callable[[], Any], timeout_s: float = 20.0) -> Any:
    """Waits for a true value and returns it; fails with what `check` was."""
    deadline = time.monotonic() + timeout_s
    while not (found := check()):
        assert time.monotonic() < deadline, f"not within {timeout_s} s"
        time.sleep(0.01)
    return found


class Lab:
    """A running emulator. `take()` gives a machine that no test has touched."""

    def __init__(self, instance: Instance, machines: list[MachineFacts]) -> None:
        self.instance, self.machines = instance, machines
        self._free = iter(machines)

    @classmethod
    @contextlib.contextmanager
    def run(cls, folder: Path, text: str, *, provision: bool = True) -> Iterator["Lab"]:
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "source.yaml"
        source.write_text(text)
        instance, lock, _ = setup.open_or_create(Wish(dir=folder / "lab", site=str(source), control_plane=False, timing=FAST))
        try:
            instance, machines = setup.prepare(instance)
            with contextlib.ExitStack() as stack:
                services = supervisor.emulator(instance) + (supervisor.provision(instance) if provision else [])
                for service in services:
                    probe = supervisor._probe(service, instance.ca)
                    stack.enter_context(process(service.argv, probe, instance.logs / f"{service.name}.log"))
                yield cls(instance, machines)
        finally:
            os.close(lock)

    def take(self) -> "Client":
        return Client(self, next(self._free))

    def fault(self, serial: str, /, **fault: Any) -> None:
        control.ask(self.instance, "fault", serial=serial, fault=fault)

    def installs(self, serial: str) -> list[str]:
        """Events of the oracle, in order."""
        return [one["event"] for one in self.lines("installs.jsonl", serial)]

    def lines(self, log: str, serial: str) -> list[dict[str, Any]]:
        rows = [json.loads(line) for line in (self.instance.logs / log).read_text().splitlines()]
        return [row for row in rows if row["serial"] == serial]


class Client:
    """A Redfish client of one BMC that knows nothing but HTTP."""

    def __init__(self, lab: Lab, facts: MachineFacts) -> None:
        self.lab, self.facts, self.serial = lab, facts, facts.serial
        self.base = f"https://{facts.host}:{facts.port}"
        self.folder = lab.instance.state / facts.serial
        self.http = self.anonymous()
        self.http.auth = lab.instance.credential("bmc-factory")

    def anonymous(self) -> requests.Session:
        session = requests.Session()
        session.trust_env = False  # REQUESTS_CA_BUNDLE would win over `verify`
        session.verify = str(self.lab.instance.ca)
        return session

    def send(self, method: str, path: str, body: Any = None, **more: Any) -> requests.Response:
        return self.http.request(method, self.base + path, json=body, timeout=10, **more)

    def get(self, path: str) -> dict[str, Any]:
        answer = self.send("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def patch(self, path: str, body: Any, **more: Any) -> requests.Response:
        return self.send("PATCH", path, body, **more)

    def post(self, path: str, body: Any) -> requests.Response:
        return self.send("POST", path, body)

    def power(self) -> str:
        return self.get(SYSTEM)["PowerState"]

    def reset(self, kind: str) -> requests.Response:
        return self.post(f"{SYSTEM}/Actions/ComputerSystem.Reset", {"ResetType": kind})

    def issue(self, generation: int = 1, serial: str | None = None, **seed: Any) -> str:
        """Asks the provisioning service for a medium; its URL."""
        image = next(self.lab.instance.images.glob("*.img"))
        body = {
            "serial": serial or self.serial, "generation": generation, "name": self.facts.name, "image": image.name,
            "imageSha256": hashlib.sha256(image.read_bytes()).hexdigest(), "deadlineS": 60,
            "seed": {"hostname": self.facts.name, "labels": {"railyard.dev/rack": "test-r001"}, **seed},
        }  # fmt: skip
        answer = self._provision("POST", "/v1/installations", body)
        assert answer.status_code == 201, answer.text
        return answer.json()["mediaUrl"]

    def record(self) -> dict[str, Any]:
        """What the provisioning service knows of this machine."""
        return self._provision("GET", f"/v1/installations/{self.serial}").json()

    def _provision(self, method: str, path: str, body: Any = None) -> requests.Response:
        session = self.anonymous()
        session.auth = self.lab.instance.credential("provision-admin")
        return session.request(method, f"https://{self.lab.instance.endpoint('provision')}{path}", json=body, timeout=10)

    def insert(self, url: str) -> requests.Response:
        return self.post(f"{CD}/Actions/VirtualMedia.InsertMedia", {"Image": url})

    def boot_cd_once(self) -> None:
        boot = {"BootSourceOverrideEnabled": "Once", "BootSourceOverrideTarget": "Cd", "BootSourceOverrideMode": "UEFI"}
        assert self.patch(SYSTEM, {"Boot": boot}).status_code == 200

    def install(self, generation: int = 1) -> None:
        """The whole way: medium, boot once, power on, until the system is up."""
        assert self.insert(self.issue(generation)).status_code == 204
        self.boot_cd_once()
        assert self.reset("On").status_code == 204
        until(self.running)

    def running(self) -> dict[str, Any] | None:
        path = self.folder / "running.json"
        return json.loads(path.read_text()) if path.exists() else None
