"""fabric:index:SwitchConfig: what a run leaves half done is finished by the next; a switch that starts anew in between."""

import threading
import time

import pytest

from providers.fabric.switch import place
from tests.lab.switchyard import Bench, changed, mtu, settled, tree
from tests.provider.plugin import Background, Failed, Plugin

pytestmark = [pytest.mark.requirement("N1", "N6"), pytest.mark.usefixtures("mended")]

KIND = "fabric:index:SwitchConfig"
BOTH = pytest.mark.parametrize("name", ["leaf1", "leaf2"])  # NVUE, SONiC
SAVE = {"leaf1": {"method": "PATCH", "path": "/nvue_v1/revision/applied"}, "leaf2": {"path": "*config save*"}}


@pytest.fixture
def fabric(new_run: Plugin) -> Plugin:
    """Each test is a run of its own: after a rollback none goes on with other switches."""
    return new_run


def by_hand(config: dict) -> dict:
    """With auto-save off, so that saving is a step of its own on both systems."""
    if "system" in config:
        config["system"]["config"] = {"auto-save": {"state": "disabled"}}
    return config


def kept(bench: Bench, name: str) -> int:
    """The MTU that a reboot would bring."""
    saved = bench.agent(name).saved()
    return int(saved["interface"]["swp3"]["link"]["mtu"] if name == "leaf1" else saved["PORT"]["Ethernet8"]["mtu"])


@BOTH
def test_what_was_confirmed_and_not_saved_is_saved_by_the_next_run(bench: Bench, fabric: Plugin, name: str):
    """Else a reboot weeks later brings the old configuration, and no run would have said so."""
    inputs = bench.inputs(name, by_hand(changed(name)))
    bench.fault(name, kind="status", status=503, **SAVE[name])
    with pytest.raises(Failed, match="SWITCH-02"):
        fabric.create(KIND, inputs)
    assert (mtu(bench, name), kept(bench, name)) == (9000, 9216)
    bench.clear()
    fabric.create(KIND, inputs)
    assert (mtu(bench, name), kept(bench, name)) == (9000, 9000)
    mark = bench.mark()
    fabric.create(KIND, inputs)
    assert not [row for row in bench.requests(name, mark) if row["method"] == "PATCH" or "config save" in row["path"]]


@BOTH
def test_a_lost_answer_to_saving_is_no_crash(bench: Bench, fabric: Plugin, name: str):
    bench.fault(name, kind="reset", when="before", remaining=1, **SAVE[name])
    fabric.create(KIND, bench.inputs(name, by_hand(changed(name))))
    assert kept(bench, name) == 9000


def test_a_server_that_restarts_during_apply_is_no_failed_apply(bench: Bench, fabric: Plugin):
    for status in (500, 502):
        bench.fault("leaf1", kind="status", status=status, method="GET", path="/nvue_v1/revision/*", remaining=2)
    fabric.create(KIND, bench.inputs("leaf1", changed("leaf1")))
    assert mtu(bench, "leaf1") == 9000


def test_an_error_instead_of_the_revisions_is_said(bench: Bench, fabric: Plugin):
    bench.fault("leaf1", kind="status", status=500, path="/nvue_v1/revision")
    with pytest.raises(Failed) as failed:
        fabric.create(KIND, bench.inputs("leaf1", changed("leaf1")))
    assert "SWITCH-022" in failed.value.text


@BOTH
def test_a_switch_that_reboots_before_the_confirmation_has_its_old_configuration(bench: Bench, fabric: Plugin, name: str):
    config = tree(name, asn=4200000100)  # no session comes back, so that it waits
    if name == "leaf1":
        config["interface"]["swp3"]["link"]["mtu"] = 9000
    else:
        config["PORT"]["Ethernet8"]["mtu"] = "9000"
    work = Background(fabric.create, KIND, bench.inputs(name, config))
    settled(lambda: mtu(bench, name) == 9000, 10)
    agent = bench.agent(name)
    if name == "leaf1":
        settled(lambda: agent.revisions._waiting, 10)  # applied, and its timer runs: a reboot ends that, too
        with agent.revisions._lock:
            timer = agent.revisions._timer
    else:
        timer = agent.shell.timers["railyard-rollback"].timer
    bench.fault(name, kind="unreachable")
    timer.cancel()
    agent.boot()
    bench.clear()
    with pytest.raises(Failed) as failed:
        work.result()
    assert "SWITCH-017" in failed.value.text
    assert mtu(bench, name) == 9216
    fabric.create(KIND, bench.inputs(name, changed(name)))
    assert mtu(bench, name) == kept(bench, name) == 9000


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("leaf1", ("leaf1", 22)),
        ("10.0.0.1:2222", ("10.0.0.1", 2222)),
        ("fd00::1", ("[fd00::1]", 22)),
        ("[fd00::1]", ("[fd00::1]", 22)),
        ("[fd00::1]:830", ("[fd00::1]", 830)),
    ],
)
def test_addresses(bench: Bench, fabric: Plugin, address: str, found: tuple[str, int]):
    assert place(address, 22) == found
    assert fabric.check(KIND, bench.inputs("leaf1", address=address)) == []


@pytest.mark.parametrize("address", ["leaf1:", "leaf1:ssh", "10.0.0.1:22:22x", "[fd00::1", "a b", "leaf1/x", ""])
def test_an_address_that_is_none_is_refused_before_anything_runs(bench: Bench, fabric: Plugin, address: str):
    assert [path for path, _ in fabric.check(KIND, bench.inputs("leaf1", address=address))] == ["address"]


def test_a_rollback_that_has_begun_when_the_timer_is_stopped_is_no_success(bench: Bench, fabric: Plugin, monkeypatch):
    """SONiC: the timer fires in the moment of the confirmation; the old configuration is back a second later."""
    shell = bench.agent("leaf2").shell
    become, systemctl = shell._become, shell._systemctl

    def late(verb: str, unit: str):
        if verb == "stop":
            monkeypatch.setattr(shell, "_become", lambda tables: (time.sleep(1.5), become(tables)))
            threading.Thread(target=shell._fire, args=("railyard-rollback",), daemon=True).start()
            settled(lambda: shell.fired)
        return systemctl(verb, unit)

    monkeypatch.setattr(shell, "_systemctl", late)
    with pytest.raises(Failed) as failed:
        fabric.create(KIND, bench.inputs("leaf2", changed("leaf2")))
    assert "SWITCH-017" in failed.value.text
    assert (mtu(bench, "leaf2"), kept(bench, "leaf2")) == (9216, 9216)
