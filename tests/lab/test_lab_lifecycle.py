"""`python -m lab` as a person uses it: up, up again, status, power, fault, down; kills and strangers in between."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab import network
from lab.instance import ROOT
from lab.processes import Process
from tests.lab.emulated import inventory_text, until


def lab(*arguments: object, **env: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "lab", *map(str, arguments)]
    return subprocess.run(argv, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, timeout=120, check=False)


def free_network() -> str:
    """A /16 that nobody holds now."""
    name, lock = network.pick(None, Path("/nowhere"))
    os.close(lock)
    return name


class Yard:
    """An instance directory below a folder of the test."""

    def __init__(self, folder: Path) -> None:
        self.dir, self.source = folder / "lab", folder / "source.yaml"
        self.source.write_text(inventory_text(2))

    def up(self, *more: object, provision: bool = False) -> subprocess.CompletedProcess[str]:
        fast = ("--no-control-plane", "--post-s", "0.02", "--install-s", "0.05")
        service = "--provision" if provision else "--no-provision"
        return lab("up", "--dir", self.dir, "--site", self.source, *fast, service, *more)

    def do(self, command: str, *more: object) -> subprocess.CompletedProcess[str]:
        return lab(command, "--dir", self.dir, *more)

    def status(self) -> dict:
        return json.loads(self.do("status", "--json").stdout)

    def pids(self) -> list[Process]:
        value = json.loads((self.dir / "status.json").read_text())
        rows = [one for one in [*value["services"], value["supervisor"]] if one]
        return [Process(one["pid"], one["start"]) for one in rows]


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Yard]:
    made = Yard(tmp_path)
    yield made
    lab("down", "--dir", made.dir)


def test_up_twice_status_down(yard: Yard) -> None:
    stack = yard.dir.with_name("stack.yaml")
    stack.write_text("config:\n  ca: .lab/test/pki/ca.crt\n  url: https://127.77.0.11:8443\n")
    first = yard.up("--stack-file", stack, provision=True)
    assert first.returncode == 0, first.stderr
    assert "bmc ready" in first.stdout
    assert "provision ready" in first.stdout
    assert f"--config-file {yard.dir}/Pulumi.test.yaml" in first.stdout
    copy = (yard.dir / "Pulumi.test.yaml").read_text()
    assert copy == f"config:\n  ca: {yard.dir}/pki/ca.crt\n  url: https://{yard.status()['network']}.0.11:8443\n"
    before = yard.pids()
    began = time.monotonic()
    second = yard.up(provision=True)
    assert second.returncode == 0
    assert "is up" in second.stdout
    assert time.monotonic() - began < 3  # under 1 s on an idle machine
    assert yard.pids() == before
    status = yard.status()
    assert (status["state"], [one["power"] for one in status["machines"]]) == ("ready", ["Off", "Off"])
    for path in (yard.dir / "secrets").iterdir():
        assert path.stat().st_mode & 0o777 == 0o600
    down = yard.do("down")
    assert down.returncode == 0
    assert not any(one.alive() for one in before)
    assert not (yard.dir / "control.sock").exists()
    assert yard.do("status").returncode == 1
    assert yard.do("down").returncode == 0


def test_what_was_picked_stays(yard: Yard) -> None:
    yard.up()
    kept = {name: (yard.dir / name).read_bytes() for name in ("pki/ca.crt", "secrets/bmc-factory", "inventory.yaml")}
    network = yard.status()["network"]
    yard.do("down")
    assert yard.up().returncode == 0
    assert yard.status()["network"] == network
    assert kept == {name: (yard.dir / name).read_bytes() for name in kept}


@pytest.mark.parametrize("victim", ["supervisor", "bmc"])
def test_up_after_kill_9(yard: Yard, victim: str) -> None:
    yard.up()
    value = json.loads((yard.dir / "status.json").read_text())
    killed = value["supervisor"] if victim == "supervisor" else value["services"][0]
    before = yard.pids()
    os.kill(killed["pid"], signal.SIGKILL)
    until(lambda: yard.status()["state"] == ("killed" if victim == "supervisor" else "degraded"))
    again = yard.up()
    assert again.returncode == 0, again.stderr
    assert yard.status()["state"] == "ready"
    assert not any(one.alive() for one in before)


def test_inventory_grows_and_shrinks_while_up(yard: Yard) -> None:
    yard.up()
    before = yard.pids()
    for count, moved in ((3, "added T0003"), (1, "removed T0002, T0003")):
        yard.source.write_text(inventory_text(count))
        assert f"inventory changed: {count} machines; {moved}\n" in yard.up().stdout
        assert len(yard.status()["machines"]) == count
    assert yard.pids() == before


def test_second_instance_gets_another_network(yard: Yard, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Yard(tmp_path / "other")
    try:
        yard.up()
        assert other.up().returncode == 0
        (tmp_path / "third").mkdir()
        refused = Yard(tmp_path / "third").up("--network", yard.status()["network"])
        assert (refused.returncode, "LAB-004" in refused.stderr) == (2, True)
        assert other.status()["network"] != yard.status()["network"]
        text = (other.dir / "inventory.yaml").read_text()
        assert f"{other.status()['network']}.1.1:8443" in text
        assert "127.77." not in text
    finally:
        other.do("down")


def test_down_all_and_the_default_place(tmp_path: Path) -> None:
    source = tmp_path / "source.yaml"
    source.write_text(inventory_text(1))
    home = {"RAILYARD_LAB": str(tmp_path / "home")}
    try:
        made = lab("up", "--site", source, "--no-control-plane", "--no-provision", "--network", free_network(), **home)
        assert made.returncode == 0, made.stderr
        assert (tmp_path / "home" / "test" / "instance.json").exists()
    finally:
        assert "test: down" in lab("down", "--all", **home).stdout


def test_port_taken_later_names_the_stranger(yard: Yard) -> None:
    yard.up()
    network = yard.status()["network"]
    yard.do("down")
    with socket.socket() as stranger:
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        stranger.bind((f"{network}.1.2", 8443))
        stranger.listen()
        refused = yard.up()
    assert refused.returncode == 2
    assert "LAB-005" in refused.stderr
    assert f"pid {os.getpid()}" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_power_button_and_faults(yard: Yard) -> None:
    yard.up()
    assert yard.do("power", "T0001", "on").returncode == 0
    until(lambda: yard.status()["machines"][0]["power"] == "On")
    assert '"status": 503' in yard.do("fault", "test-su001-gpu02", '{"status": 503, "remaining": 2}').stdout
    assert "503" in yard.do("fault").stdout
    assert "503" not in yard.do("fault", "--clear").stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("up", "--site", "/nowhere/inventory.yaml"), "LAB-001"),
        (("status",), "LAB-010"),
        (("power", "T0001", "on"), "LAB-010"),
        (("up", "--network", "10.0"), "LAB-008"),
        (("up", "--install-s", "-1"), "LAB-008"),
    ],
)
def test_refusals_have_an_id_and_no_traceback(tmp_path: Path, arguments: tuple[str, ...], code: str) -> None:
    refused = lab(*arguments, "--dir", tmp_path / "none")
    assert refused.returncode == 2
    assert code in refused.stderr
    assert "Traceback" not in refused.stderr


def test_refusals_of_a_running_lab(yard: Yard) -> None:
    yard.up()
    for arguments, code in (
        (("fault", "T0001", "{"), "LAB-012"),
        (("fault", "T0001", '{"kind":"rust"}'), "LAB-012"),
        (("fault", "T9", '{"status":503}'), "LAB-011"),
        (("power", "T9", "on"), "LAB-011"),
    ):
        refused = yard.do(*arguments)
        assert (refused.returncode, code in refused.stderr) == (2, True), refused.stderr
    assert "LAB-008" in yard.up("--network", "127.99").stderr


def test_port_taken_at_the_first_up_is_avoided(yard: Yard) -> None:
    wanted = free_network()
    with socket.socket() as stranger:
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        stranger.bind((f"{wanted}.1.1", 8443))
        stranger.listen()
        first = yard.up("--network", wanted)
        assert first.returncode == 0, first.stderr
    machines = yard.status()["machines"]
    assert {one["bmc"].rsplit(":", 1)[0] for one in machines} == {f"{wanted}.1.1", f"{wanted}.1.2"}
    assert all(not one["bmc"].endswith(":8443") for one in machines)
