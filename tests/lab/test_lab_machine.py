"""The emulated machine: what it boots, what it wipes, what it tells."""

import functools
import http.server
import json
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.provision import iso
from tests.lab.emulated import CD, SYSTEM, Client, Lab, until


def test_install_from_the_medium_ends_in_a_running_system(machine: Client) -> None:
    machine.install()
    running = machine.running()
    assert running is not None
    assert (running["hostname"], running["gpus"]) == (machine.facts.name, 8)
    assert running["labels"] == {"railyard.dev/rack": "test-r001"}
    record = machine.record()
    disk = json.loads((machine.folder / "disk.json").read_text())
    assert (record["state"], record["hostKeyFingerprint"]) == ("finished", disk["hostKeyFingerprint"])
    assert disk["imageSha256"] == record["imageSha256"]
    assert machine.lab.installs(machine.serial) == ["begun", "finished", "boot-disk"]
    system = machine.get(SYSTEM)
    assert system["Boot"]["BootSourceOverrideEnabled"] == "Disabled"  # once is once
    assert system["BootProgress"]["LastState"] == "OSRunning"


def test_restart_boots_the_disk_and_wipes_nothing(machine: Client) -> None:
    machine.install()
    first = machine.running()
    machine.post(f"{CD}/Actions/VirtualMedia.EjectMedia", {})
    machine.reset("ForceRestart")
    second = until(lambda: (now := machine.running()) and now["bootId"] != first["bootId"] and now)
    assert second["hostname"] == machine.facts.name
    assert machine.lab.installs(machine.serial).count("begun") == 1


def test_medium_of_a_finished_install_installs_nothing_more(machine: Client) -> None:
    machine.install()
    machine.patch(SYSTEM, {"Boot": {"BootOrder": ["Boot0001", "Boot0002"]}})  # CD first, and it's still in
    machine.reset("ForceRestart")
    until(lambda: machine.lab.installs(machine.serial).count("boot-disk") == 2)
    assert machine.lab.installs(machine.serial) == ["begun", "finished", "boot-disk", "media-error", "boot-disk"]


def test_power_off_takes_the_system_down(machine: Client) -> None:
    machine.install()
    machine.reset("GracefulShutdown")
    until(lambda: machine.power() == "Off")
    assert machine.running() is None
    assert (machine.folder / "disk.json").exists()


def test_power_cut_during_the_install_leaves_an_empty_disk(machine: Client) -> None:
    machine.lab.fault(machine.serial, kind="no-call-home", phase="finished")
    machine.insert(machine.issue())
    machine.boot_cd_once()
    machine.reset("On")
    until(lambda: machine.lab.installs(machine.serial) == ["begun"])
    machine.reset("ForceOff")
    until(lambda: machine.power() == "Off")
    assert machine.running() is None
    assert machine.record()["state"] == "begun"
    machine.patch(SYSTEM, {"Boot": {"BootOrder": ["Boot0001", "Boot0002"]}})  # CD first, and it's still in
    machine.boot_cd_once()
    machine.reset("On")  # the service hands this medium out no more, so nothing is wiped once more
    until(lambda: machine.lab.installs(machine.serial)[-1] == "no-boot-device")
    assert machine.lab.installs(machine.serial).count("begun") == 1


def test_nothing_to_boot(machine: Client) -> None:
    machine.reset("On")
    until(lambda: machine.lab.installs(machine.serial) == ["no-boot-device"])
    assert machine.power() == "On"


def test_seed_of_another_machine_is_refused(machine: Client) -> None:
    machine.insert(machine.issue(serial=f"{machine.serial}-OTHER"))
    machine.boot_cd_once()
    machine.reset("On")
    until(lambda: machine.lab.installs(machine.serial) == ["install-stopped"])
    assert not (machine.folder / "disk.json").exists()


def test_fewer_gpus_are_seen_by_the_system_too(machine: Client) -> None:
    machine.lab.fault(machine.serial, kind="identity", gpus=7)
    machine.install()
    running = machine.running()
    assert running is not None
    assert running["gpus"] == 7


@pytest.fixture(scope="module")
def shelf(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that a plain HTTPS server without ranges hands out; `url` says where."""
    folder = tmp_path_factory.mktemp("shelf")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    server = http.server.ThreadingHTTPServer(
        (lab.instance.address("kueue"), 0), functools.partial(Quiet, directory=str(folder))
    )
    from lab.pki import Authority

    certificate, key = Authority(lab.instance.pki, "").issue("shelf", ips=[lab.instance.address("kueue")])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    (folder / "url").write_text(f"https://{lab.instance.address('kueue')}:{server.server_address[1]}")
    yield folder
    server.shutdown()
    server.server_close()
    thread.join()


GOOD = {"generation": 1, "name": "n", "callHomeUrl": "https://127.0.0.1:1/x", "callHomeKey": "00" * 32}


@pytest.mark.parametrize(
    ("label", "files", "events"),
    [
        ("OTHER", {"seed.json": b"{}"}, ["no-installer", "no-boot-device"]),
        ("RAILYARD", {"readme.txt": b"x"}, ["media-error", "no-boot-device"]),
        ("RAILYARD", {"seed.json": b"not json"}, ["media-error", "no-boot-device"]),
        ("RAILYARD", {"seed.json": b"[]"}, ["install-stopped"]),
        ("RAILYARD", {"seed.json": json.dumps({**GOOD, "callHomeKey": "zz"}).encode()}, ["install-stopped"]),
    ],
)
def test_media_that_are_no_installer(
    shelf: Path, machine: Client, label: str, files: dict[str, bytes], events: list[str]
) -> None:
    files = {
        name: data.replace(b"{", f'{{"serial": "{machine.serial}", '.encode(), 1) if len(data) > 9 else data
        for name, data in files.items()
    }
    (shelf / f"{machine.serial}.iso").write_bytes(iso.build(label, files))
    assert machine.insert(f"{(shelf / 'url').read_text()}/{machine.serial}.iso").status_code == 204
    machine.boot_cd_once()
    machine.reset("On")
    until(lambda: machine.lab.installs(machine.serial) == events)
    assert not (machine.folder / "disk.json").exists()


def test_state_survives_the_emulator(tmp_path: Path) -> None:
    from tests.lab.emulated import inventory_text

    with Lab.run(tmp_path, inventory_text(1)) as lab:
        machine = lab.take()
        machine.install()
        machine.post(f"{CD}/Actions/VirtualMedia.EjectMedia", {})
        machine.post(
            "/redfish/v1/AccountService/Accounts", {"UserName": "kept", "Password": "kept-secret", "RoleId": "Operator"}
        )
    with Lab.run(tmp_path, inventory_text(1)) as lab:
        machine = lab.take()
        machine.http.auth = ("kept", "kept-secret")
        assert machine.power() == "On"  # as before the power cut
        until(machine.running)
        assert lab.installs(machine.serial) == ["begun", "finished", "boot-disk", "boot-disk"]
