"""An inventory with switches: what the lab makes of it, with root and without, and how an ordinary client gets in."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab import cli, inventory, setup
from lab.errors import LabError
from lab.instance import ROOT, Instance
from lab.setup import Wish
from lab.switches import cabled, hardware, namespaces
from tests.lab import switchyard
from tests.lab.switchyard import LOGIN, Bench

pytestmark = pytest.mark.requirement("N1")

SITE = ROOT / "sites" / "lab-roce" / "inventory.yaml"


def test_the_inventory_tells_what_a_switch_speaks(tmp_path: Path):
    found = inventory.switches(SITE)
    assert {(one.nos, one.port) for one in found} == {("cumulus", 8765)}
    assert len(found) == 12
    path = tmp_path / "inventory.yaml"
    row = "{name: l1, serial: S1, managementAddress: 127.1.2.3, hostKeySha256: 'SHA256:x'}"
    path.write_text(f"site: t\nmachines: []\nswitches:\n  - {row}\n  - {{name: ib1, serial: S2, nodeGuid: '0x1'}}\n")
    assert inventory.switches(path) == [inventory.SwitchFacts("l1", "sonic", "S1", "127.1.2.3", 22)]


@pytest.mark.parametrize(
    ("row", "ident"),
    [
        ("{name: l1, serial: S1, managementAddress: 10.0.0.1, caFile: x}", "LAB-007"),
        ("{name: l1, serial: S1, managementAddress: 127.0.0.1}", "LAB-006"),
        ("{serial: S1, managementAddress: 127.0.0.1, caFile: x}", "LAB-006"),
    ],
)
def test_entries_that_no_lab_can_run(tmp_path: Path, row: str, ident: str):
    path = tmp_path / "inventory.yaml"
    path.write_text(f"site: t\nmachines: []\nswitches:\n  - {row}\n")
    with pytest.raises(LabError, match=ident):
        inventory.switches(path)


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    made, lock, _ = setup.open_or_create(Wish(dir=tmp_path / "lab", site=str(SITE), stack="lab-roce", control_plane=False))
    os.close(lock)
    setup.refresh_copies(made)
    return made


def test_without_root_it_says_so_and_starts_none(instance: Instance, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(namespaces, "why_not", lambda: "not root")
    assert list(cabled.told(instance)) == ["lab-roce: no switches: not root; `pulumi up` of this site needs them: run as root"]
    cabled.prepare(instance)
    assert not (instance.dir / "plan").exists()


def test_cables_are_those_of_the_plan_between_devices_that_are_there(instance: Instance, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(namespaces, "why_not", lambda: None)
    cabled.prepare(instance)
    links = cabled.links(instance)
    machines = [pair for pair in links if "gpu" in pair[0]]
    assert (len(links), len(machines)) == (256 + 32, 32)
    assert len({end for pair in links for end in pair}) == 2 * len(links)
    assert {one.host.rsplit(".", 2)[0] for one in cabled.declared(instance)} == {instance.network}


def test_all_faults_are_those_of_machines_and_switches(instance: Instance, monkeypatch: pytest.MonkeyPatch, capsys):
    """A switch whose fault stayed looks like a broken provider for a long time."""
    asked = []

    def ask(_: Instance, command: str, *, path: Path | None = None, serial: str = "*"):
        asked.append((command, "switch" if path else "machine"))
        kind = "switch" if path else "machine"
        return {"machines": [{"name": f"{kind}1", "serial": kind, "faults": []}]}

    instance.switch_socket.touch()
    monkeypatch.setattr(cli.control, "ask", ask)
    assert cli.main(["fault", "--clear", "--dir", str(instance.dir)]) == 0
    assert {("clear", "machine"), ("clear", "switch")} <= set(asked)
    assert "machine1" in capsys.readouterr().out


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory):
    with switchyard.running(tmp_path_factory.mktemp("switches")) as running:
        yield running


def test_openssh_gets_in_and_sees_the_pinned_key(bench: Bench, tmp_path: Path):
    """Not only our own client: the fingerprint of the inventory is what ssh-keygen prints, the commands what ssh runs."""
    facts = bench.facts_of("leaf2")
    known = tmp_path / "known_hosts"
    scan = ["ssh-keyscan", "-p", str(facts.port), facts.host]
    known.write_text(subprocess.run(scan, capture_output=True, text=True, timeout=20, check=True).stdout)
    shown = subprocess.run(["ssh-keygen", "-lf", str(known)], capture_output=True, text=True, check=True).stdout
    assert hardware.fingerprint(facts.serial) in shown
    ask = tmp_path / "ask"
    ask.write_text(f"#!/bin/sh\necho '{LOGIN[1]}'\n")
    ask.chmod(0o700)
    options = ["-o", f"UserKnownHostsFile={known}", "-o", "StrictHostKeyChecking=yes", "-p", str(facts.port)]
    ssh = ["ssh", *options, f"{LOGIN[0]}@{facts.host}"]
    env = {**os.environ, "SSH_ASKPASS": str(ask), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": "none"}

    def run(command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run([*ssh, command], input=stdin, env=env, capture_output=True, text=True, timeout=30, check=False)

    running = run("sudo show runningconfiguration all")
    assert json.loads(running.stdout)["DEVICE_METADATA"]["localhost"]["hostname"] == "sonic"
    assert run("tee /tmp/x.json", "[]").stdout == "[]"
    assert run("sudo config apply-patch --dry-run /tmp/x.json").returncode == 0
    refused = run("sudo config rollback nothing")
    assert (refused.returncode, "does not exist" in refused.stderr) == (1, True)
    assert run("reboot").returncode == 127


def test_a_switch_keeps_what_was_saved_and_forgets_what_was_not(bench: Bench):
    """Power off and on: the saved configuration, not the running one."""
    agent = bench.agent("leaf2")
    change = {"op": "add", "path": "/DEVICE_METADATA/localhost/hostname", "value": "saved"}
    agent.edit([change])
    agent.shell.files["/tmp/p"] = json.dumps([change | {"value": "lost"}])
    assert agent.shell.run("config apply-patch /tmp/p").status == 0
    assert agent.shell.tables["DEVICE_METADATA"]["localhost"]["hostname"] == "lost"
    agent.boot()
    assert agent.shell.tables["DEVICE_METADATA"]["localhost"]["hostname"] == "saved"


def test_the_process_of_an_instance_leaves_nothing(instance: Instance):
    """`python -m lab.switches`: up, commands, and gone with SIGTERM, namespaces and sockets too."""
    switchyard.need_root()
    setup.prepare(instance)
    argv = [sys.executable, "-m", "lab.switches", "--dir", str(instance.dir)]
    child = subprocess.Popen(argv, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "12 switches, 288 cables\n"
        from lab import control

        shown = control.ask(instance, "switches", path=instance.switch_socket)["machines"]
        assert len(shown) == 12
        assert all(one["reachable"] for one in shown)
        with pytest.raises(LabError, match="LAB-011"):
            control.ask(instance, "fault", serial="nobody", fault={"kind": "slow", "delayS": 1}, path=instance.switch_socket)
        with pytest.raises(LabError, match="LAB-016"):
            control.ask(instance, "edit", serial=shown[0]["name"], change={"stp": {}}, path=instance.switch_socket)
    finally:
        child.terminate()
        assert child.wait(15) == 0
    prefix = namespaces.prefix(instance.dir / "switches")
    assert namespaces.present(prefix) == []
    assert not instance.switch_socket.exists()
