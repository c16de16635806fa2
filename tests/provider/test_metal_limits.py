"""How much at once: 32 requests in flight, one mutation per BMC, 512 machines waiting; all in one process."""

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.provider.conftest import INSTALLATION, MACHINE, start
from tests.provider.plugin import Background, Failed
from tests.unit.provision.conftest import IMAGE_SHA256, Service, certificate, free_port

MACHINES = 48


def site(folder: Path, count: int) -> Path:
    """An inventory of storage machines with one NIC each."""
    rows = ["schemaVersion: 1", "site: wide", "machines:"]
    for number in range(1, count + 1):
        rows += [f"  - name: wide-sto{number:02}", "    role: storage", f"    serial: WIDE{number:04}"]
        rows += [f"    bmc: 127.77.1.{number}:8443", f'    macs: ["02:00:00:00:00:{number:02x}"]', "    gpus: 0"]
    path = folder / "inventory.yaml"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wide")
    yard = start(folder / "lab", site=str(site(folder, MACHINES)))
    yield yard
    yard.lab("down")


def overlaps(entries) -> int:
    """Most requests of the log that were in flight at one time."""
    edges = [(entry["t"], 1) for entry in entries] + [(entry["t"] + entry["ms"] / 1000, -1) for entry in entries]
    most = now = 0
    for _, step in sorted(edges, key=lambda edge: (edge[0], edge[1])):
        now += step
        most = max(most, now)
    return most


def test_at_most_32_requests_are_in_flight_and_one_per_bmc(wide, new_plugin):
    plugin = new_plugin()
    wide.fault("*", kind="slow", delayS=0.4, path="/redfish/v1/Systems*")
    with ThreadPoolExecutor(MACHINES) as pool:
        ends = list(pool.map(lambda index: plugin.create(MACHINE, wide.machine(index, power=None))[0], range(MACHINES)))
    wide.clear()
    assert len(set(ends)) == MACHINES
    entries = [json.loads(line) for line in (wide.dir / "logs" / "bmc.jsonl").read_text().splitlines()]
    slow = [entry for entry in entries if entry["ms"] > 300]
    assert 24 <= overlaps(slow) <= 32
    assert max(overlaps([entry for entry in entries if entry["serial"] == serial]) for serial in ends) == 1


@pytest.fixture
def begun_512(tmp_path):
    """A provisioning service whose journal says that 512 machines have begun."""
    certificate(tmp_path)
    (tmp_path / "os.img").write_bytes(b"an operating system")
    (tmp_path / "admin").write_text("username: provision\npassword: secret-of-the-test\n")
    with (tmp_path / "journal.jsonl").open("w") as stream:
        for number in range(512):
            line = {"serial": f"SN{number}", "generation": 1, "name": f"m{number}"}
            issued = {"image": "os.img", "imageSha256": IMAGE_SHA256, "seed": {}, "expires": 4_000_000_000}
            stream.write(json.dumps({"event": "issued", **line, **issued}) + "\n")
            stream.write(json.dumps({"event": "begun", **line, "hostKeyFingerprint": None}) + "\n")
    service = Service(tmp_path, free_port()).start()
    yield service
    service.kill()


def test_512_machines_wait_while_the_rest_is_answered_and_cancel_ends_all(begun_512, new_plugin):
    plugin = new_plugin()
    ca = str(begun_512.folder / "cert.pem")

    def inputs(number: int) -> dict:
        fixed = {"bmc": "127.0.0.1:1", "caFile": ca, "accountRef": "env:NONE", "machineToken": "machine", "generation": 1}
        service = {"serviceUrl": begun_512.url, "adminRef": f"file:{begun_512.folder}/admin"}
        image = {"image": "os.img", "imageSha256": IMAGE_SHA256, "seed": {}, "deadlineS": 300}
        return {**fixed, **service, **image, "serial": f"SN{number}", "name": f"m{number}"}

    waiting = [Background(plugin.create, INSTALLATION, inputs(number)) for number in range(512)]
    tasks = Path(f"/proc/{plugin.process.pid}/task")
    end = time.monotonic() + 60
    while len(list(tasks.iterdir())) <= 512 and time.monotonic() < end:
        time.sleep(0.2)
    asked = (begun_512.folder / "log").read_text()
    time.sleep(1)
    assert len(list(tasks.iterdir())) > 512, "all of them still wait"
    assert (begun_512.folder / "log").read_text().count("\n") < asked.count("\n") + 8, "one question for all of them"
    began = time.monotonic()
    assert plugin.check(INSTALLATION, inputs(1)) == []
    assert time.monotonic() - began < 1
    began = time.monotonic()
    plugin.cancel()
    for one in waiting:
        with pytest.raises(Failed):
            one.result(10)
    assert time.monotonic() - began < 2.5  # 512 clients of this test's own process take a part of it


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT])  # the engine ends a plugin by SIGINT
def test_a_signal_lets_a_mutation_in_flight_finish(new_plugin, lab_instance, signum: int):
    plugin = new_plugin()
    serial = lab_instance.machines[0]["serial"]
    plugin.create(MACHINE, lab_instance.machine(0))
    lab_instance.fault(serial, kind="slow", delayS=1.0, method="PATCH", remaining=1)
    mark = lab_instance.mark()
    change = lab_instance.machine(0, services={"ntpServers": ["10.0.0.77"], "ipmi": False})
    running = Background(plugin.update, MACHINE, serial, lab_instance.machine(0), change)
    lab_instance.wait_taken(serial)
    os.kill(plugin.process.pid, signum)
    plugin.process.wait(5)
    with pytest.raises(Failed):
        running.result()
    statuses = [entry["status"] for entry in lab_instance.log(serial, mark) if entry["method"] == "PATCH"]
    assert statuses == [200]
    lab_instance.clear()
