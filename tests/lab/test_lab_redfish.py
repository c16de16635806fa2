"""The emulator's Redfish tree over real TLS, asked with plain HTTP."""

import json
import socket
import ssl
import time
from typing import Any

import pytest

from tests.lab.emulated import CD, MANAGER, SYSTEM, Client, Lab, until

ACCOUNTS, SESSIONS = "/redfish/v1/AccountService/Accounts", "/redfish/v1/SessionService/Sessions"
BOOT = {"BootSourceOverrideEnabled": "Once", "BootSourceOverrideTarget": "Cd", "BootSourceOverrideMode": "UEFI"}


def messages(answer: Any) -> list[str]:
    """The message names of an error answer."""
    return [one["MessageId"].rsplit(".", 1)[1] for one in answer.json()["error"]["@Message.ExtendedInfo"]]


def test_root_needs_no_login_and_everything_else_does(machine: Client) -> None:
    anonymous = machine.anonymous()
    assert anonymous.get(machine.base + "/redfish").json() == {"v1": "/redfish/v1/"}
    assert anonymous.get(machine.base + "/redfish/v1/").json()["Links"]["Sessions"]["@odata.id"] == SESSIONS
    assert "EntityContainer" in anonymous.get(machine.base + "/redfish/v1/$metadata").text
    for path in (SYSTEM, "/redfish/v1/Systems", ACCOUNTS, "/redfish/v1/nothing"):
        answer = anonymous.get(machine.base + path)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Basic")


def test_certificate_is_for_the_address_and_from_the_instances_ca(machine: Client) -> None:
    context = ssl.create_default_context(cafile=str(machine.lab.instance.ca))
    with (
        socket.create_connection((machine.facts.host, machine.facts.port)) as raw,
        context.wrap_socket(raw, server_hostname=machine.facts.host) as tls,
    ):
        assert ("IP Address", machine.facts.host) in tls.getpeercert()["subjectAltName"]  # type: ignore[index]


def test_every_link_of_the_tree_answers_with_its_own_address(machine: Client) -> None:
    seen: dict[str, dict[str, Any]] = {}
    waiting = ["/redfish/v1/"]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        answer = machine.send("GET", path)
        assert answer.status_code == 200, path
        seen[path] = answer.json()
        if "MessageRegistry." not in str(seen[path].get("@odata.type")):
            assert seen[path]["@odata.id"] == path
            assert answer.headers["ETag"] == seen[path]["@odata.etag"]
        waiting += links(seen[path])
    assert len(seen) > 80
    assert sum("/Processors/GPU_" in path for path in seen) == 8


def links(value: Any) -> list[str]:
    if isinstance(value, dict):
        wanted = ("@odata.id", "@Redfish.ActionInfo", "Uri")
        own = [one for key, one in value.items() if key in wanted and isinstance(one, str)]
        return own + [one for item in value.values() for one in links(item)]
    return [one for item in value for one in links(item)] if isinstance(value, list) else []


def test_hardware_is_the_inventorys(machine: Client) -> None:
    system = machine.get(SYSTEM)
    assert system["SerialNumber"] == machine.get("/redfish/v1/Chassis/Chassis_1")["SerialNumber"] == machine.serial
    members = machine.get(f"{SYSTEM}/EthernetInterfaces")["Members"]
    assert [machine.get(one["@odata.id"])["MACAddress"] for one in members] == list(machine.facts.macs)


def test_storage_machine_has_drives_and_no_gpus(lab: Lab) -> None:
    storage = Client(lab, next(one for one in lab.machines if one.role == "storage"))
    kinds = [storage.get(one["@odata.id"])["ProcessorType"] for one in storage.get(f"{SYSTEM}/Processors")["Members"]]
    assert kinds == ["CPU", "CPU"]
    assert len(storage.get(f"{SYSTEM}/Storage/Storage_1")["Drives"]) == 10


def test_session_opens_works_and_ends(machine: Client) -> None:
    user, password = machine.lab.instance.credential("bmc-factory")
    http = machine.anonymous()
    answer = http.post(machine.base + SESSIONS, json={"UserName": user, "Password": password})
    assert answer.status_code == 201
    http.headers["X-Auth-Token"] = answer.headers["X-Auth-Token"]
    assert http.get(machine.base + SYSTEM).status_code == 200
    assert answer.headers["X-Auth-Token"] not in http.get(machine.base + answer.headers["Location"]).text
    assert http.delete(machine.base + answer.headers["Location"]).status_code == 204
    assert http.get(machine.base + SYSTEM).status_code == 401


@pytest.mark.parametrize("body", [{}, {"UserName": "admin"}, {"UserName": 1, "Password": "x"}, [], "x"])
def test_session_without_credentials_is_a_bad_request(machine: Client, body: Any) -> None:
    assert machine.anonymous().post(machine.base + SESSIONS, json=body).status_code == 400


def test_wrong_if_match_is_412_and_applies_nothing(machine: Client) -> None:
    before = machine.send("GET", SYSTEM).headers["ETag"]
    answer = machine.patch(SYSTEM, {"Boot": BOOT}, headers={"If-Match": '"0123456789abcdef"'})
    assert (answer.status_code, messages(answer)) == (412, ["PreconditionFailed"])
    assert machine.get(SYSTEM)["Boot"]["BootSourceOverrideEnabled"] == "Disabled"
    assert machine.patch(SYSTEM, {"Boot": BOOT}, headers={"If-Match": before}).status_code == 200
    after = machine.send("GET", SYSTEM)
    assert after.headers["ETag"] != before
    assert after.json()["Boot"]["BootSourceOverrideTarget"] == "Cd"
    assert machine.send("GET", SYSTEM, headers={"If-None-Match": after.headers["ETag"]}).status_code == 304


def test_patch_names_every_problem_and_applies_nothing(machine: Client) -> None:
    bad = {"BootSourceOverrideTarget": "Cd", "BootSourceOverrideEnabled": "Twice", "BootOrder": ["Boot0001", "Cd"]}
    answer = machine.patch(SYSTEM, {"SerialNumber": "X", "Wheels": 4, "AssetTag": 7, "Boot": bad})
    assert answer.status_code == 400
    found = {one["RelatedProperties"][0] for one in answer.json()["error"]["@Message.ExtendedInfo"]}
    assert found == {"#/SerialNumber", "#/Wheels", "#/AssetTag", "#/Boot/BootSourceOverrideEnabled", "#/Boot/BootOrder"}
    assert machine.get(SYSTEM)["Boot"]["BootSourceOverrideTarget"] == "None"


def test_boot_order_takes_references_in_the_order_given(machine: Client) -> None:
    options = [machine.get(one["@odata.id"]) for one in machine.get(f"{SYSTEM}/BootOptions")["Members"]]
    by_alias = {one["Alias"]: one["BootOptionReference"] for one in options}
    order = [by_alias["Cd"], by_alias["Hdd"]]
    assert machine.patch(SYSTEM, {"Boot": {"BootOrder": order}}).status_code == 200
    assert machine.get(SYSTEM)["Boot"]["BootOrder"] == order
    assert machine.patch(SYSTEM, {"Boot": {"BootOrder": [order[0], order[0]]}}).status_code == 400


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("DELETE", SYSTEM, 405), ("PUT", SYSTEM, 405), ("GET", f"{SYSTEM}/Nothing", 404),
     ("PATCH", f"{SYSTEM}/Nothing", 404),
     ("BREW", SYSTEM, 501), ("GET", f"{SYSTEM}/Actions/ComputerSystem.Reset", 405), ("GET", f"{SYSTEM}?$select=Id", 501)],
)  # fmt: skip
def test_what_is_not_there_is_refused(machine: Client, method: str, path: str, status: int) -> None:
    answer = machine.send(method, path, {} if method == "PATCH" else None)
    assert answer.status_code == status
    assert messages(answer)
    if status == 405:
        assert answer.headers["Allow"]


@pytest.mark.parametrize("raw", [b"", b"{", b"[1]", b'"x"', b"{}", b"\xff\xfe"])
def test_broken_bodies_are_bad_requests(machine: Client, raw: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    assert machine.http.patch(machine.base + SYSTEM, data=raw, headers=headers).status_code == 400


def test_only_json_is_taken(machine: Client) -> None:
    answer = machine.http.patch(machine.base + SYSTEM, data="AssetTag=1", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415


def test_account_life(machine: Client) -> None:
    new = {"UserName": "railyard", "Password": "first-secret", "RoleId": "Administrator"}
    made = machine.post(ACCOUNTS, new)
    assert made.status_code == 201
    assert made.json()["Password"] is None
    assert messages(machine.post(ACCOUNTS, new)) == ["ResourceAlreadyExists"]
    path = made.headers["Location"]
    assert machine.patch(path, {"Password": "second-secret"}).status_code == 200
    machine.http.auth = ("railyard", "first-secret")
    assert machine.send("GET", SYSTEM).status_code == 401
    machine.http.auth = ("railyard", "second-secret")
    assert machine.send("DELETE", f"{ACCOUNTS}/1").status_code == 204
    assert machine.send("DELETE", path).status_code == 403  # the last administrator
    kept = (machine.folder / "bmc.json").read_text()
    assert "secret" not in kept
    assert [one["name"] for one in json.loads(kept)["accounts"]] == ["railyard"]


@pytest.mark.parametrize(
    "body",
    [{"UserName": "x"}, {"UserName": "x y", "Password": "long-enough", "RoleId": "Operator"},
     {"UserName": "x", "Password": "short", "RoleId": "Operator"},
     {"UserName": "x", "Password": "long-enough", "RoleId": "King"}],
)  # fmt: skip
def test_bad_accounts_are_refused(machine: Client, body: dict[str, str]) -> None:
    assert machine.post(ACCOUNTS, body).status_code == 400


def test_roles_limit_what_an_account_may(machine: Client) -> None:
    path = machine.post(ACCOUNTS, {"UserName": "eye", "Password": "only-looking", "RoleId": "ReadOnly"}).headers["Location"]
    machine.http.auth = ("eye", "only-looking")
    assert machine.get(SYSTEM)["Id"] == "System_1"
    assert machine.reset("On").status_code == 403
    assert machine.patch(f"{MANAGER}/NetworkProtocol", {"IPMI": {"ProtocolEnabled": False}}).status_code == 403
    assert machine.patch(path, {"RoleId": "Administrator"}).status_code == 403
    assert machine.send("DELETE", path).status_code == 403
    assert machine.patch(path, {"Password": "my-own-secret"}).status_code == 200


def test_password_change_required_opens_one_door_only(machine: Client) -> None:
    body = {"UserName": "new", "Password": "first-secret", "RoleId": "Administrator", "PasswordChangeRequired": True}
    path = machine.post(ACCOUNTS, body).headers["Location"]
    machine.http.auth = ("new", "first-secret")
    answer = machine.send("GET", SYSTEM)
    assert (answer.status_code, messages(answer)) == (403, ["PasswordChangeRequired"])
    assert answer.json()["error"]["@Message.ExtendedInfo"][0]["MessageArgs"] == [path]
    assert machine.patch(path, {"Password": "second-secret"}).status_code == 200
    machine.http.auth = ("new", "second-secret")
    assert machine.send("GET", SYSTEM).status_code == 200


def test_too_many_wrong_passwords_lock_the_account(machine: Client) -> None:
    service = machine.get("/redfish/v1/AccountService")
    user, password = machine.lab.instance.credential("bmc-factory")
    for _ in range(service["AccountLockoutThreshold"]):
        machine.http.auth = (user, "wrong-password")
        assert machine.send("GET", SYSTEM).status_code == 401
    machine.http.auth = (user, password)
    assert machine.send("GET", SYSTEM).status_code == 401


def test_power_passes_through_a_transition(machine: Client) -> None:
    assert machine.power() == "Off"
    assert machine.reset("ForceRestart").status_code == 409
    assert machine.reset("On").status_code == 204
    until(lambda: machine.power() == "On")
    assert machine.reset("On").status_code == 204  # already there: nothing happens
    assert machine.reset("GracefulShutdown").status_code == 204
    time.sleep(0.1)
    assert machine.power() == "On"  # no operating system hears it
    machine.reset("ForceOff")
    until(lambda: machine.power() == "Off")
    assert messages(machine.reset("Explode")) == ["ActionParameterValueNotInList"]


def test_network_protocol_keeps_what_was_written(machine: Client) -> None:
    path = f"{MANAGER}/NetworkProtocol"
    body = {"NTP": {"ProtocolEnabled": True, "NTPServers": ["127.77.0.13", "ntp.example"]}, "IPMI": {"ProtocolEnabled": False}}
    assert machine.patch(path, body).status_code == 200
    found = machine.get(path)
    assert found["NTP"]["NTPServers"] == ["127.77.0.13", "ntp.example"]
    assert found["IPMI"]["ProtocolEnabled"] is False
    assert machine.patch(path, {"NTP": {"NTPServers": [None, {}]}}).json()["NTP"]["NTPServers"] == ["ntp.example"]


def test_media_goes_in_and_out(machine: Client) -> None:
    url = machine.issue()
    assert machine.insert(url).status_code == 204
    drive = machine.get(CD)
    assert (drive["Inserted"], drive["Image"], drive["ConnectedVia"]) == (True, url, "URI")
    assert machine.insert(url).status_code == 409
    assert machine.post(f"{CD}/Actions/VirtualMedia.EjectMedia", {}).status_code == 204
    assert machine.get(CD)["Inserted"] is False


@pytest.mark.parametrize(
    ("image", "name"),
    [("https://{provision}/v1/media/nothing/install.iso", "ResourceMissingAtURI"),
     ("https://127.0.0.1:1/x.iso", "CouldNotEstablishConnection"),
     ("ftp://x/y", "ActionParameterValueTypeError"), ("https://", "ActionParameterValueTypeError")],
)  # fmt: skip
def test_media_that_can_not_be_reached_is_refused(machine: Client, image: str, name: str) -> None:
    answer = machine.insert(image.format(provision=machine.lab.instance.endpoint("provision")))
    assert (answer.status_code, messages(answer)) == (400, [name])
    assert machine.get(CD)["Inserted"] is False


def test_subscriptions_have_a_limit(machine: Client) -> None:
    path = "/redfish/v1/EventService/Subscriptions"
    body = {"Destination": "https://127.0.0.1/events", "Protocol": "Redfish", "Context": "railyard"}
    codes = [machine.post(path, body).status_code for _ in range(9)]
    assert codes == [201] * 8 + [403]
    assert machine.send("DELETE", f"{path}/3").status_code == 204
    assert len(machine.get(path)["Members"]) == 7


def test_manager_reset_ends_sessions_and_comes_back(machine: Client) -> None:
    user, password = machine.lab.instance.credential("bmc-factory")
    token = machine.post(SESSIONS, {"UserName": user, "Password": password}).headers["X-Auth-Token"]
    assert machine.post(f"{MANAGER}/Actions/Manager.Reset", {"ResetType": "GracefulRestart"}).status_code == 204
    time.sleep(0.04)
    http = machine.anonymous()
    until(lambda: _answers(machine))
    assert http.get(machine.base + SYSTEM, headers={"X-Auth-Token": token}).status_code == 401


def _answers(machine: Client) -> bool:
    try:
        return machine.anonymous().get(machine.base + "/redfish/v1/", timeout=2).status_code == 200
    except OSError:
        return False


def test_log_says_what_was_written_to_which_machine(machine: Client) -> None:
    machine.get(SYSTEM)
    user, password = machine.lab.instance.credential("bmc-factory")
    machine.post(SESSIONS, {"UserName": user, "Password": password})
    machine.patch(SYSTEM, {"AssetTag": "R1"})
    rows = [(row["method"], row["status"], row["write"]) for row in machine.lab.lines("bmc.jsonl", machine.serial)]
    assert rows == [("GET", 200, False), ("POST", 201, False), ("PATCH", 200, True)]
    assert password not in (machine.lab.instance.logs / "bmc.jsonl").read_text()
