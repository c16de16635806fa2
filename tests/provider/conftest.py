"""The emulated site of these tests: one instance per file, BMCs and provisioning service, no control plane."""

import copy
import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from lab import control
from lab.instance import load
from tests.lab import switchyard
from tests.provider.kube_plane import RACKS, platform, start_plane
from tests.provider.plugin import ROOT, Plugin

MACHINE, INSTALLATION, GATE = "metal:index:Machine", "metal:index:Installation", "metal:index:FacilityGate"


@dataclass
class Yard:
    """A running lab instance. `own` is the machine that a test may break."""

    dir: Path
    machines: list[dict[str, Any]] = field(default_factory=list)

    def lab(self, *argv: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "lab", *argv, "--dir", str(self.dir)], cwd=ROOT, capture_output=True, text=True, timeout=90
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def fault(self, serial: str, /, **fault: Any) -> None:
        control.ask(load(self.dir), "fault", serial=serial, fault=fault)

    def clear(self) -> None:
        control.ask(load(self.dir), "clear", serial="*")

    def wait_taken(self, serial: str) -> None:
        """Until the request that the machine's last fault waits for is being answered (a fault with `remaining`)."""
        wait_until(lambda: not self.state(serial)["faults"])

    def power(self, serial: str, wanted: str) -> None:
        """Presses the power button and waits."""
        control.ask(load(self.dir), "power", serial=serial, power=wanted)
        wait_until(lambda: self.state(serial)["power"].lower() == wanted)

    def log(self, serial: str, since: int = 0) -> list[dict[str, Any]]:
        """Requests of one machine, from line `since` of the whole log on."""
        lines = (self.dir / "logs" / "bmc.jsonl").read_text().splitlines()[since:]
        found = [entry for entry in map(json.loads, lines) if entry["serial"] == serial and "method" in entry]
        return sorted(found, key=lambda entry: entry["t"])  # a request is logged at its end, which a fault can delay

    def mark(self) -> int:
        return len((self.dir / "logs" / "bmc.jsonl").read_text().splitlines())

    def writes(self, serial: str, since: int = 0) -> list[str]:
        """Mutations of the machine, as the emulator counts them: sessions are none."""
        return [f"{entry['method']} {entry['path']}" for entry in self.log(serial, since) if entry.get("write")]

    def installs(self, serial: str, generation: int = 1, event: str = "begun") -> int:
        """How often the machine began (or finished) to install a generation, by its own account."""
        lines = map(json.loads, (self.dir / "logs" / "installs.jsonl").read_text().splitlines())
        return sum((one["serial"], one["generation"], one["event"]) == (serial, generation, event) for one in lines)

    def state(self, serial: str) -> dict[str, Any]:
        return next(one for one in control.ask(load(self.dir), "machines")["machines"] if one["serial"] == serial)

    def machine(self, index: int, **change: Any) -> dict[str, Any]:
        one = self.machines[index]
        return {
            "bmc": one["bmc"],
            "caFile": str(self.dir / "pki" / "ca.crt"),
            "accountRef": f"file:{self.dir}/secrets/bmc-account",
            "factoryRef": f"file:{self.dir}/secrets/bmc-factory",
            "identity": {
                "serial": one["serial"],
                "macs": list(one["macs"]),
                "gpus": one.get("gpus", 0),
                "nics": len(one["macs"]),
            },
            "accounts": {"name": "railyard", "removeFactory": True},
            "services": {"ntpServers": ["10.0.0.1", "10.0.0.2"], "ipmi": False},
            "bootOrder": ["Hdd", "Cd"],
            "power": "on",
            **change,
        }

    def installation(self, index: int, **change: Any) -> dict[str, Any]:
        one = self.machines[index]
        network = one["bmc"].rsplit(".", 2)[0]
        return {
            "bmc": one["bmc"],
            "caFile": str(self.dir / "pki" / "ca.crt"),
            "accountRef": f"file:{self.dir}/secrets/bmc-account",
            "serial": one["serial"],
            "name": one["name"],
            "machineToken": "machine",
            "generation": 1,
            "confirmSerial": "",
            "image": "lab-os-1.0.img",
            "imageSha256": "8c460528615be26b269bdd7ee7be286c8ed52829e6e06e80e0e97dae2d0a2fb3",
            "serviceUrl": f"https://{network}.0.11:8443",
            "serviceCaFile": str(self.dir / "pki" / "ca.crt"),
            "adminRef": f"file:{self.dir}/secrets/provision-admin",
            "seed": {"hostname": one["name"], "role": one["role"], "labels": {"railyard.dev/rack": "lab-r001"}},
            "deadlineS": 20,
            **change,
        }

    @property
    def journal(self) -> Path:
        return self.dir / "state" / "provision" / "journal.jsonl"

    def generation(self, serial: str) -> int:
        """The newest one in the journal, 1 if there is none."""
        lines = map(json.loads, self.journal.read_text().splitlines())
        return max((one["generation"] for one in lines if one.get("serial") == serial), default=1)

    def gate(self, indexes: list[int], minimum: int, **change: Any) -> dict[str, Any]:
        keys = ("caFile", "accountRef", "serviceUrl", "serviceCaFile", "adminRef")
        rows = [{key: self.machines[index][key] for key in ("name", "serial", "bmc")} for index in indexes]
        rows = [{**row, "generation": self.generation(row["serial"])} for row in rows]
        common = {key: self.installation(0)[key] for key in keys}
        return {
            **common,
            "phase": "facility",
            "unit": "lab-su001",
            "machines": rows,
            "minimumReady": minimum,
            "tokens": [],
            **change,
        }


def start(folder: Path, machines: list[dict[str, Any]] | None = None, **options: str) -> Yard:
    yard = Yard(folder)
    argv = ["up", "--no-control-plane"]
    for key, value in options.items():
        argv += [f"--{key.replace('_', '-')}", value]
    yard.lab(*argv)
    content = YAML(typ="safe").load((folder / "inventory.yaml").read_text())
    yard.machines = machines or copy.deepcopy(content["machines"])
    return yard


@pytest.fixture(scope="module")
def lab_instance(tmp_path_factory):
    yard = start(tmp_path_factory.mktemp("lab"), install_s="0.3", post_s="0.1")
    yield yard
    yard.lab("down")


@pytest.fixture
def yard(lab_instance):
    yield lab_instance
    lab_instance.clear()


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    """One process for many tests, as in a long run."""
    folder = tmp_path_factory.mktemp("plugin")
    running = Plugin("metal", RAILYARD_LOG_DIR=str(folder), RAILYARD_RUNTIME_DIR=str(folder / "locks"))
    yield running
    running.close()


@pytest.fixture
def new_plugin(tmp_path):
    """Makes processes of this test alone, to kill or to cancel; they share their locks."""
    made: list[Plugin] = []

    def make() -> Plugin:
        made.append(Plugin("metal", RAILYARD_LOG_DIR=str(tmp_path), RAILYARD_RUNTIME_DIR=str(tmp_path / "locks")))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """Two leaves and two spines with their sessions up. Needs root, and says so."""
    with switchyard.running(tmp_path_factory.mktemp("switches"), configured=True) as running:
        yield running


@pytest.fixture(scope="module")
def fabric(bench, tmp_path_factory):
    """The provider of switches, one process for a module."""
    made = Plugin("fabric", RAILYARD_RUNTIME_DIR=str(tmp_path_factory.mktemp("locks")))
    yield made
    made.close()


@pytest.fixture
def new_run(bench, tmp_path):
    """Another process, as each `pulumi up` has its own: it knows nothing of what was rolled back in earlier ones."""
    made = Plugin("fabric", RAILYARD_RUNTIME_DIR=str(tmp_path / "locks"))
    yield made
    made.close()


@pytest.fixture
def mended(bench):
    """Whatever a test did to a switch is put right after it."""
    yield
    bench.clear()
    for name in switchyard.NOS:
        wait_until(lambda name=name: switchyard.idle(bench, name), 30)
    switchyard.configure(bench)


def wait_until(condition, seconds: float = 15) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.05)


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
