"""Bench of the lab: how fast 256 emulated BMCs are up, and how fast they answer.

`run()` returns rows for bench.json: {name, value, unit, baseline, ratio}. The baseline of "up" is the bare process: the same
interpreter and modules with an inventory of one machine. The lab is used as its command line uses it; nothing of the product is
imported.
"""

import base64
import contextlib
import json
import os
import signal
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any

from lab import setup
from lab.instance import ROOT, Instance
from lab.inventory import MachineFacts
from lab.setup import Wish

BMCS = 256
REQUESTS = 2000
WAIT_S = 30.0


def inventory_text(count: int) -> str:
    """An inventory of `count` GPU machines, BMCs from 127.77.1.1 on."""
    lines = ["schemaVersion: 1", "site: bench", "machines:"]
    for index in range(count):
        mac = f"02:00:00:{index >> 16 & 255:02x}:{index >> 8 & 255:02x}:{index & 255:02x}"
        bmc = f"127.77.{1 + index // 250}.{1 + index % 250}:8443"
        fields = f"name: bench-su001-gpu{index + 1:03d}, role: gpu, serial: BENCH{index + 1:05d}, bmc: '{bmc}'"
        lines.append(f"  - {{{fields}, macs: ['{mac}'], gpus: 8}}")
    return "\n".join(lines) + "\n"


@contextlib.contextmanager
def instance(count: int) -> Iterator[tuple[Instance, list[MachineFacts], float]]:
    """(instance, machines, seconds that its certificates and secrets took) in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="railyard-bench-") as folder:
        source = Path(folder) / "inventory.yaml"
        source.write_text(inventory_text(count), encoding="utf-8")
        wish = Wish(dir=Path(folder) / "lab", site=str(source), control_plane=False, provision=False)
        made, lock, _ = setup.open_or_create(wish)
        try:
            began = time.perf_counter()
            made, machines = setup.prepare(made)
            yield made, machines, time.perf_counter() - began
        finally:
            os.close(lock)


@contextlib.contextmanager
def emulator(made: Instance) -> Iterator[float]:
    """The emulator's process; yields the seconds from exec to the moment at which every BMC listens."""
    began = time.perf_counter()
    argv = [sys.executable, "-m", "lab.bmc", "--dir", str(made.dir)]
    process = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        while not made.control_socket.exists():
            if process.poll() is not None or time.perf_counter() - began > WAIT_S:
                raise RuntimeError(f"the emulator did not start (exit code {process.returncode})")
            time.sleep(0.002)
        yield time.perf_counter() - began
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=WAIT_S)


def requests_per_s(made: Instance, machines: list[MachineFacts]) -> float:
    """GETs of the system per second, one client, kept TLS connections to 16 BMCs in turn."""
    context = ssl.create_default_context(cafile=str(made.ca))
    clients = [HTTPSConnection(one.host, one.port, context=context) for one in machines[:16]]
    headers = {"Authorization": _basic(*made.credential("bmc-factory"))}
    for client in clients:
        _get(client, headers)
    began = time.perf_counter()
    for index in range(REQUESTS):
        _get(clients[index % len(clients)], headers)
    took = time.perf_counter() - began
    for client in clients:
        client.close()
    return REQUESTS / took


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def _get(client: HTTPSConnection, headers: dict[str, str]) -> None:
    client.request("GET", "/redfish/v1/Systems/System_1", headers=headers)
    answer = client.getresponse()
    answer.read()
    if answer.status != 200:
        raise RuntimeError(f"HTTP {answer.status}")


def run() -> list[dict[str, Any]]:
    """The rows."""
    with instance(1) as (made, _, _), emulator(made) as bare_s:
        pass
    with instance(BMCS) as (made, machines, setup_s), emulator(made) as up_s:
        rate = requests_per_s(made, machines)
    return [
        _row(f"lab: {BMCS} BMCs up", round(up_s, 3), "s", round(bare_s, 3)),
        _row(f"lab: certificates of {BMCS} BMCs, once", round(setup_s, 3), "s"),
        _row("lab: GET per second, 1 client, TLS kept", round(rate), "1/s"),
    ]


def _row(name: str, value: float, unit: str, baseline: float | None = None) -> dict[str, Any]:
    ratio = round(value / baseline, 2) if baseline else None
    return {"name": name, "value": value, "unit": unit, "baseline": baseline, "ratio": ratio}


if __name__ == "__main__":
    print(json.dumps(run(), indent=1))
