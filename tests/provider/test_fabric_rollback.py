"""fabric:index:SwitchConfig and the way back: lost management path, lost sessions, kills, somebody else's change."""

import time

import pytest

from tests.lab.switchyard import Bench, changed, idle, mtu, native, settled, tree
from tests.provider.plugin import Background, Failed, Plugin

pytestmark = [pytest.mark.requirement("N1", "N6"), pytest.mark.usefixtures("mended")]

KIND = "fabric:index:SwitchConfig"
BOTH = pytest.mark.parametrize("name", ["leaf1", "leaf2"])  # NVUE, SONiC


@pytest.fixture
def fabric(new_run: Plugin) -> Plugin:
    """Each test is a run of its own: after a rollback none goes on with other switches."""
    return new_run


@BOTH
@pytest.mark.parametrize("how", ["port", "address", "access-list"])
def test_a_change_that_cuts_the_management_path_rolls_back_without_us(bench: Bench, fabric: Plugin, name: str, how: str):
    """The switch's own timer does it: nothing that the provider could send would arrive."""
    facts, config = bench.facts_of(name), changed(name)
    if name == "leaf1":
        config |= {
            "port": lambda: _eth0(config, {"link": {"state": {"down": {}}}}),
            "address": lambda: {"system": {"hostname": name, "api": {"listening-address": {"127.0.0.77": {}}}}},
            "access-list": lambda: {
                "acl": {
                    "MGMT": {"type": "ipv4", "rule": {"10": {"action": "deny", "match": {"ip": {"source-ip": "127.0.0.0/8"}}}}}
                },
                "system": {"hostname": name, "control-plane": {"acl": {"MGMT": {"inbound": {}}}}},
            },
        }[how]()
    else:
        rule = {"PRIORITY": "10", "SRC_IP": "127.0.0.0/8", "PACKET_ACTION": "DROP"}
        config |= {
            "port": {"MGMT_PORT": {"eth0": {"admin_status": "down"}}},
            "address": {"MGMT_PORT": {"eth0": {"admin_status": "down"}}, "MGMT_INTERFACE": {"eth0|192.0.2.1/24": {}}},
            "access-list": {
                "ACL_TABLE": {"SSH": {"type": "CTRLPLANE", "services": ["SSH"]}},
                "ACL_RULE": {"SSH|RULE_1": rule},
            },
        }[how]
    began = time.monotonic()
    work = Background(fabric.create, KIND, bench.inputs(name, config, confirmS=6, settleS=4))
    settled(lambda: mtu(bench, name) == 9000, 10)
    with pytest.raises(Failed) as failed:
        work.result()
    assert "SWITCH-017" in failed.value.text
    assert facts.host in failed.value.text
    assert 5 < time.monotonic() - began < 30
    assert mtu(bench, name) == 9216
    inputs = bench.inputs(name)
    assert fabric.read(KIND, f"SN-{name}", inputs, inputs)[1] == inputs
    settled(lambda: bench.up(name) == 4)


def _eth0(config: dict, change: dict) -> dict:
    return {"interface": {**config["interface"], "eth0": change}}


@BOTH
def test_lost_sessions_roll_back_at_once(bench: Bench, fabric: Plugin, name: str):
    """The spines' own ASN: taken by the switch, but no session comes up any more."""
    with pytest.raises(Failed) as failed:
        fabric.update(KIND, "x", bench.inputs(name), bench.inputs(name, tree(name, asn=4200000100), confirmS=60, settleS=5))
    assert "SWITCH-018" in failed.value.text
    assert f"BGP session {native(name, 1)}" in failed.value.text
    settled(lambda: bench.up(name) == 4)
    assert idle(bench, name)


@BOTH
def test_somebody_elses_change_is_waited_for(bench: Bench, fabric: Plugin, name: str):
    """An unconfirmed change of another tool: it rolls back by itself, then ours goes through."""
    agent = bench.agent(name)
    if name == "leaf1":
        other = agent.revisions.create()
        agent.revisions.apply(other, yes=True, confirm_s=4)
        settled(lambda: other.state == "confirm")
    else:
        agent.shell.run("sudo config checkpoint other")
        agent.shell.run(
            "sudo systemd-run --on-active=4s --timer-property=AccuracySec=1s --unit=railyard-rollback config rollback other"
        )
    began = time.monotonic()
    fabric.update(KIND, f"SN-{name}", bench.inputs(name), bench.inputs(name, changed(name)))
    assert time.monotonic() - began > 2
    assert mtu(bench, name) == 9000


@BOTH
def test_cancel_and_kill_between_apply_and_confirm_leave_it_to_the_switch(bench: Bench, tmp_path, name: str):
    own = Plugin("fabric", RAILYARD_RUNTIME_DIR=str(tmp_path))
    try:
        config = changed(name)
        if name == "leaf1":
            config["router"]["bgp"]["autonomous-system"] = 4200000100  # so that it waits for sessions
        else:
            config["BGP_GLOBALS"]["default"]["local_asn"] = "4200000100"
        work = Background(own.create, KIND, bench.inputs(name, config, confirmS=8, settleS=7))
        settled(lambda: mtu(bench, name) == 9000, 10)
        if name == "leaf1":
            began = time.monotonic()
            own.cancel()
            with pytest.raises(Failed):
                work.result()
            assert time.monotonic() - began < 2.5
        own.kill()
        settled(lambda: mtu(bench, name) == 9216, 20)
        settled(lambda: bench.up(name) == 4)
    finally:
        own.close()
