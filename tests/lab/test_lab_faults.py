"""Faults by script: each kind does what its line in faults.py says, and stops when cleared."""

import time
from typing import Any

import pytest
import requests

from lab import control
from lab.bmc.faults import parse
from lab.errors import LabError
from tests.lab.emulated import SYSTEM, Client, until


def fault(machine: Client, /, **spec: Any) -> None:
    machine.lab.fault(machine.serial, **spec)


def clear(machine: Client) -> None:
    control.ask(machine.lab.instance, "clear", serial=machine.serial)


def test_status_hits_so_many_requests(machine: Client) -> None:
    fault(machine, status=503, remaining=2, path="/redfish/v1/Systems*", headers={"Retry-After": "7"})
    assert machine.send("GET", "/redfish/v1/Managers/BMC").status_code == 200
    found = [machine.send("GET", SYSTEM) for _ in range(3)]
    assert [one.status_code for one in found] == [503, 503, 200]
    assert found[0].headers["Retry-After"] == "7"
    assert "error" in found[0].json()


def test_status_does_not_write(machine: Client) -> None:
    fault(machine, status=500, method="PATCH", remaining=1)
    assert machine.patch(SYSTEM, {"AssetTag": "lost"}).status_code == 500
    assert machine.get(SYSTEM)["AssetTag"] == ""
    assert [row["write"] for row in machine.lab.lines("bmc.jsonl", machine.serial)] == [False, False]


def test_slow_waits(machine: Client) -> None:
    fault(machine, kind="slow", delayS=0.3, remaining=1)
    began = time.monotonic()
    machine.get(SYSTEM)
    assert time.monotonic() - began >= 0.3
    fault(machine, kind="slow", delayS=30)
    with pytest.raises(requests.Timeout):
        machine.http.get(machine.base + SYSTEM, timeout=0.2)
    clear(machine)
    machine.get(SYSTEM)


@pytest.mark.parametrize(("when", "kept"), [("before", ""), ("after", "A1")])
def test_reset_breaks_off_before_or_after_the_write(machine: Client, when: str, kept: str) -> None:
    fault(machine, kind="reset", when=when, method="PATCH", remaining=1)
    with pytest.raises(requests.ConnectionError):
        machine.patch(SYSTEM, {"AssetTag": "A1"})
    assert machine.get(SYSTEM)["AssetTag"] == kept


def test_drop_cuts_the_answer_after_the_write(machine: Client) -> None:
    fault(machine, kind="drop", method="PATCH", remaining=1)
    with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
        machine.patch(SYSTEM, {"AssetTag": "A2"})
    assert machine.get(SYSTEM)["AssetTag"] == "A2"


def test_unreachable_closes_the_port_and_clear_opens_it(machine: Client) -> None:
    machine.get(SYSTEM)  # a kept connection dies too
    fault(machine, kind="unreachable")
    for _ in range(2):
        with pytest.raises(requests.ConnectionError):
            machine.send("GET", SYSTEM)
    clear(machine)
    machine.get(SYSTEM)


def test_wrong_password_refuses_logins_and_sessions(machine: Client) -> None:
    user, password = machine.lab.instance.credential("bmc-factory")
    body = {"UserName": user, "Password": password}
    token = machine.post("/redfish/v1/SessionService/Sessions", body).headers["X-Auth-Token"]
    fault(machine, kind="wrong-password")
    assert machine.send("GET", SYSTEM).status_code == 401
    assert machine.anonymous().get(machine.base + SYSTEM, headers={"X-Auth-Token": token}).status_code == 401
    assert machine.post("/redfish/v1/SessionService/Sessions", body).status_code == 401
    clear(machine)
    assert machine.send("GET", SYSTEM).status_code == 200


def test_identity_shows_another_machine(machine: Client) -> None:
    fault(machine, kind="identity", serial="SOMEONE-ELSE", gpus=7, macs=["02:aa:00:00:00:01"])
    assert machine.get(SYSTEM)["SerialNumber"] == "SOMEONE-ELSE"
    assert machine.get(f"{SYSTEM}/Processors")["Members@odata.count"] == 9
    assert machine.get(f"{SYSTEM}/EthernetInterfaces/NIC_1")["MACAddress"] == "02:aa:00:00:00:01"
    clear(machine)
    assert machine.get(SYSTEM)["SerialNumber"] == machine.serial


def test_media_404_refuses_the_medium(machine: Client) -> None:
    fault(machine, kind="media-404")
    assert machine.insert(machine.issue()).status_code == 400
    clear(machine)
    assert machine.insert(machine.issue()).status_code == 204


@pytest.mark.parametrize("phase", ["begun", "finished"])
def test_no_call_home_holds_the_install_until_cleared(machine: Client, phase: str) -> None:
    fault(machine, kind="no-call-home", phase=phase)
    machine.insert(machine.issue())
    machine.boot_cd_once()
    machine.reset("On")
    time.sleep(0.4)
    assert machine.record()["state"] == ("issued" if phase == "begun" else "begun")
    assert machine.running() is None
    assert machine.lab.installs(machine.serial) == ([] if phase == "begun" else ["begun"])
    clear(machine)
    until(machine.running)
    assert machine.lab.installs(machine.serial) == ["begun", "finished", "boot-disk"]


def test_echo_repeats_what_was_sent_and_does_nothing(machine: Client) -> None:
    fault(machine, kind="echo", path=SYSTEM, remaining=1)
    machine.get(SYSTEM)
    answer = machine.patch(SYSTEM, {"AssetTag": "s3cret", "Boot": {"BootOrder": ["Boot0001"]}})
    found = [one["MessageArgs"] for one in answer.json()["error"]["@Message.ExtendedInfo"]]
    assert (answer.status_code, found) == (400, [["s3cret", "AssetTag"], ["['Boot0001']", "Boot/BootOrder"]])
    assert machine.get(SYSTEM)["AssetTag"] == ""
    assert machine.patch(SYSTEM, {"AssetTag": "A1"}).status_code == 200


def test_faults_are_listed_and_counted_down(machine: Client) -> None:
    fault(machine, status=503, remaining=3)
    fault(machine, kind="no-call-home")
    machine.send("GET", SYSTEM)
    (shown,) = control.ask(machine.lab.instance, "faults", serial=machine.facts.name)["machines"]
    assert shown["faults"] == [{"kind": "status", "status": 503, "remaining": 2}, {"kind": "no-call-home"}]


@pytest.mark.parametrize(
    "bad",
    [{}, [], {"kind": "rust"}, {"status": "503"}, {"status": 503, "remaining": 0}, {"kind": "slow"},
     {"kind": "unreachable", "path": "*"},
     {"kind": "reset", "when": "never"}, {"status": True}, {"status": 503, "Status": 1}],
)  # fmt: skip
def test_bad_faults_are_refused(bad: Any) -> None:
    with pytest.raises(LabError) as error:
        parse(bad)
    assert error.value.id == "LAB-012"


def test_unknown_machine_is_named(machine: Client) -> None:
    with pytest.raises(LabError) as error:
        machine.lab.fault("NOBODY", status=503)
    assert (error.value.id, error.value.found) == ("LAB-011", "NOBODY")
