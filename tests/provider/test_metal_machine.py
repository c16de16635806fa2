"""`metal:index:Machine` through the real process against emulated BMCs, with faults."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.provider.conftest import MACHINE, wait_until
from tests.provider.plugin import ROOT, Background, Failed
from tests.unit.provision.conftest import certificate


def made(plugin, yard, index):
    inputs = yard.machine(index)
    return inputs, *plugin.create(MACHINE, inputs)


def test_check_names_all_errors_at_once_and_lets_unknown_values_through(plugin, yard):
    bad = {**yard.machine(0), "power": "blue", "bootOrderr": [], "accountRef": "hunter2"}
    assert [path for path, _ in plugin.check(MACHINE, bad)] == ["accountRef", "bootOrderr", "power"]
    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    assert plugin.check(MACHINE, {**yard.machine(0), "power": unknown, "identity": unknown}) == []


def test_preview_touches_nothing_and_knows_the_token(plugin, yard):
    mark = yard.mark()
    ident, state = plugin.create(MACHINE, yard.machine(0), preview=True)
    assert (ident, state["token"]) == ("", "machine")
    assert state["uuid"] == "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    assert yard.mark() == mark


def test_create_read_update_delete(plugin, yard):
    inputs, ident, state = made(plugin, yard, 0)
    serial = inputs["identity"]["serial"]
    assert ident == serial
    assert (state["token"], state["powerState"]) == ("machine", "On")
    assert plugin.read(MACHINE, ident, state, inputs) == (state, inputs)

    mark = yard.mark()
    assert plugin.create(MACHINE, inputs)[1] == state  # a second create adopts
    assert yard.writes(serial, mark) == []

    new = {**inputs, "services": {"ntpServers": ["10.0.0.9"], "ipmi": False}}
    assert plugin.diff(MACHINE, inputs, new) == ["services.ntpServers[0]", "services.ntpServers[1]"]
    assert plugin.update(MACHINE, ident, inputs, new, preview=True)["uuid"] == "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    assert yard.writes(serial, mark) == []
    changed = plugin.update(MACHINE, ident, inputs, new)
    assert yard.writes(serial, mark) == ["PATCH /redfish/v1/Managers/BMC/NetworkProtocol"]
    assert plugin.read(MACHINE, ident, changed, new)[1] == new
    plugin.delete(MACHINE, ident, changed)
    assert len(yard.writes(serial, mark)) == 1
    plugin.update(MACHINE, ident, new, inputs)


def test_the_factory_account_goes_only_after_our_own_is_proved(plugin, yard):
    mark = yard.mark()
    _, ident, _ = made(plugin, yard, 1)
    log = [entry for entry in yard.log(ident, mark) if "Account" in entry["path"] or "Session" in entry["path"]]
    kinds = [(entry["method"], entry["path"].split("/")[3]) for entry in log if entry["method"] != "GET"]
    create, remove = kinds.index(("POST", "AccountService")), kinds.index(("DELETE", "AccountService"))
    assert ("POST", "SessionService") in kinds[create:remove]


def test_drift_shows_as_inputs(plugin, yard):
    inputs, ident, state = made(plugin, yard, 0)
    yard.power(ident, "off")
    seen = plugin.read(MACHINE, ident, state, inputs)[1]
    assert plugin.diff(MACHINE, seen, inputs) == ["power"]
    assert plugin.update(MACHINE, ident, seen, inputs)["powerState"] == "On"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"kind": "identity", "serial": "OTHER1"}, ["METAL-001", "found: serial OTHER1", "serial RY"]),
        ({"kind": "identity", "gpus": 7}, ["METAL-002", "gpus 7", "gpus 8"]),
        ({"kind": "identity", "gpus": 7, "serial": "OTHER1"}, ["METAL-001", "METAL-002"]),
        ({"kind": "identity", "macs": ["02:00:00:00:00:01"]}, ["METAL-003", "METAL-004"]),
    ],
)
def test_another_machine_is_named_and_nothing_is_written(plugin, yard, fault, words):
    serial = yard.machines[2]["serial"]
    yard.fault(serial, **fault)
    mark = yard.mark()
    with pytest.raises(Failed) as caught:
        plugin.create(MACHINE, yard.machine(2))
    assert all(word in caught.value.text for word in words), caught.value.text
    assert caught.value.partial is None
    assert len(yard.log(serial, mark)) > 5
    assert yard.writes(serial, mark) == []


def test_a_wrong_machine_at_refresh_is_a_reason_not_an_end(plugin, yard):
    inputs, ident, state = made(plugin, yard, 0)
    yard.fault(ident, kind="identity", gpus=7)
    with pytest.raises(Failed) as caught:
        plugin.read(MACHINE, ident, state, inputs)
    assert "METAL-002" in caught.value.partial.reasons[0]
    assert caught.value.partial.id == ident


def test_wrong_password_is_tried_once_per_account(plugin, yard):
    serial = yard.machines[2]["serial"]
    yard.fault(serial, kind="wrong-password")
    mark = yard.mark()
    with pytest.raises(Failed, match="METAL-011"):
        plugin.create(MACHINE, yard.machine(2))
    assert [entry["method"] for entry in yard.log(serial, mark)].count("POST") == 2


def test_busy_503_is_waited_out_by_reading_again(plugin, yard):
    serial = yard.machines[0]["serial"]
    yard.fault(serial, kind="status", status=503, headers={"Retry-After": "1"}, remaining=3)
    assert plugin.create(MACHINE, yard.machine(0))[0] == serial


def test_a_write_that_meets_503_is_read_before_it_is_sent_again(plugin, yard):
    inputs, ident, _ = made(plugin, yard, 0)
    yard.fault(ident, kind="status", method="PATCH", path="*NetworkProtocol", status=503, remaining=1)
    mark = yard.mark()
    new = {**inputs, "services": {"ntpServers": ["10.0.0.7"]}}
    plugin.update(MACHINE, ident, inputs, new)
    calls = [entry["method"] for entry in yard.log(ident, mark) if entry["path"].endswith("NetworkProtocol")]
    first = calls.index("PATCH")
    assert calls[first : first + 3] == ["PATCH", "GET", "PATCH"]


@pytest.mark.parametrize("kind", [{"kind": "drop"}, {"kind": "reset", "when": "after"}])
def test_a_write_whose_answer_is_lost_is_not_sent_twice(plugin, yard, kind):
    inputs, ident, _ = made(plugin, yard, 0)
    yard.fault(ident, **kind, method="PATCH", path="*NetworkProtocol", remaining=1)
    mark = yard.mark()
    new = {**inputs, "services": {"ntpServers": ["10.0.0.8"]}}
    plugin.update(MACHINE, ident, inputs, new)
    assert yard.writes(ident, mark) == ["PATCH /redfish/v1/Managers/BMC/NetworkProtocol"]
    assert plugin.read(MACHINE, ident, {}, new)[1] == new


def test_a_power_on_whose_answer_is_lost_is_not_sent_twice(plugin, yard):
    inputs, ident, _ = made(plugin, yard, 0)
    yard.power(ident, "off")
    yard.fault(ident, kind="reset", when="after", method="POST", path="*ComputerSystem.Reset", remaining=1)
    mark = yard.mark()
    plugin.update(MACHINE, ident, inputs, inputs)
    assert len(yard.writes(ident, mark)) == 1


def test_a_slow_bmc_is_only_slow(plugin, yard):
    yard.fault(yard.machines[0]["serial"], kind="slow", delayS=1.5, path="*NetworkProtocol", remaining=1)
    began = time.monotonic()
    plugin.create(MACHINE, yard.machine(0))
    assert time.monotonic() - began > 1.5


def test_reads_survive_dropped_answers(plugin, yard):
    yard.fault(yard.machines[0]["serial"], kind="drop", method="GET", remaining=3)
    plugin.create(MACHINE, yard.machine(0))


def test_half_done_keeps_id_and_says_what_is_left(plugin, yard):
    serial = yard.machines[4]["serial"]
    yard.fault(serial, kind="status", method="PATCH", path="*NetworkProtocol", status=400)
    inputs = yard.machine(4)
    with pytest.raises(Failed) as caught:
        plugin.create(MACHINE, inputs)
    partial = caught.value.partial
    assert partial.id == serial
    assert len(partial.reasons) == 1
    assert "METAL-013" in partial.reasons[0]
    assert partial.inputs["power"] == "on"
    yard.clear()
    assert plugin.update(MACHINE, serial, inputs, inputs)["powerState"] == "On"


def test_unreachable_at_refresh_keeps_what_was_known(plugin, yard):
    inputs, ident, state = made(plugin, yard, 0)
    yard.fault(ident, kind="unreachable")
    began = time.monotonic()
    with pytest.raises(Failed) as caught:
        plugin.read(MACHINE, ident, state, inputs)
    assert time.monotonic() - began < 20
    partial = caught.value.partial
    assert (partial.id, partial.properties["uuid"], partial.inputs["power"]) == (ident, state["uuid"], "on")
    assert "METAL-010" in partial.reasons[0]
    assert caught.value.code != "UNAVAILABLE"


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"accountRef": "file:/nowhere/account"}, "KIT-011"),
        ({"accountRef": "env:RAILYARD_NOT_SET"}, "KIT-012"),
        ({"caFile": "/nowhere/ca.crt"}, "METAL-015"),
        ({"accounts": {"name": "somebody"}}, "METAL-021"),
    ],
)
def test_wrong_references_are_named(plugin, yard, change, word):
    mark = yard.mark()
    with pytest.raises(Failed, match=word):
        plugin.create(MACHINE, yard.machine(0, **change))
    assert yard.mark() == mark


def test_a_certificate_of_somebody_else_stops_before_the_password_is_sent(plugin, yard, tmp_path):
    certificate(tmp_path)
    mark = yard.mark()
    with pytest.raises(Failed, match="METAL-015"):
        plugin.create(MACHINE, yard.machine(0, caFile=str(tmp_path / "cert.pem")))
    assert yard.mark() == mark


def test_no_secret_in_state_errors_or_logs(new_plugin, yard, tmp_path):
    plugin = new_plugin()
    secrets = [line.split(": ")[1] for path in (yard.dir / "secrets").iterdir() for line in path.read_text().splitlines()[1:]]
    inputs, ident, state = made(plugin, yard, 0)
    yard.fault(ident, kind="wrong-password")
    with pytest.raises(Failed) as caught:
        plugin.update(MACHINE, ident, inputs, inputs)
    files = [path.read_text(errors="replace") for path in tmp_path.glob("*.log")]
    logs = [path.read_text(errors="replace") for path in (yard.dir / "logs").iterdir()]
    text = "\n".join([str(state), caught.value.text, *plugin.log.lines, *files, *logs])
    assert [secret for secret in secrets if secret in text] == []


def test_a_second_process_keeps_off_the_same_machine(new_plugin, yard):
    yard.fault(yard.machines[0]["serial"], kind="slow", delayS=1.5, path="*NetworkProtocol", remaining=1)
    first = Background(new_plugin().create, MACHINE, yard.machine(0))
    yard.wait_taken(yard.machines[0]["serial"])
    second = Background(new_plugin().create, MACHINE, yard.machine(0))
    first.result()
    second.result()
    first_end, second_end = first.began + first.took, second.began + second.took
    assert second_end > first_end


def test_cancel_ends_a_call_to_a_slow_bmc_within_two_seconds(new_plugin, yard):
    plugin = new_plugin()
    yard.fault(yard.machines[0]["serial"], kind="slow", delayS=8, method="GET", remaining=1)
    running = Background(plugin.create, MACHINE, yard.machine(0))
    yard.wait_taken(yard.machines[0]["serial"])
    began = time.monotonic()
    plugin.cancel()
    with pytest.raises(Failed):
        running.result()
    assert time.monotonic() - began < 2


def test_an_orphan_ends_within_a_second():
    script = (
        "import subprocess, sys; p = subprocess.Popen([sys.argv[1]], stdout=subprocess.PIPE); p.stdout.readline(); print(p.pid)"
    )
    launcher = str(ROOT / "providers/metal/pulumi-resource-metal")
    pid = int(subprocess.run([sys.executable, "-c", script, launcher], capture_output=True, check=True).stdout)
    wait_until(lambda: not alive(pid), 1.5)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
