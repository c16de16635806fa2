"""fabric:index:SwitchConfig: the real provider process against real switches in namespaces, with faults."""

import copy

import pytest

from providers.kit.values import UNKNOWN
from tests.lab import switchyard
from tests.lab.switchyard import PASSWORD, Bench, changed, idle, mtu, tree
from tests.provider.plugin import Failed, Plugin

pytestmark = [pytest.mark.requirement("N1", "N6"), pytest.mark.usefixtures("mended")]

KIND = "fabric:index:SwitchConfig"
BOTH = pytest.mark.parametrize("name", ["leaf1", "leaf2"])  # NVUE, SONiC


@BOTH
def test_create_adopts_what_is_there_and_writes_nothing(bench: Bench, fabric: Plugin, name: str):
    mark = bench.mark()
    ident, state = fabric.create(KIND, bench.inputs(name))
    assert (ident, state["token"]) == (f"SN-{name}", "fabric")
    assert not [row for row in bench.requests(name, mark) if row["method"] != "GET" and "apply-patch" in row["path"]]
    assert not [row for row in bench.requests(name, mark) if row["method"] in {"POST", "PATCH", "DELETE"}]


@BOTH
def test_update_changes_that_key_keeps_sessions_and_saves(bench: Bench, fabric: Plugin, name: str):
    old, new = bench.inputs(name), bench.inputs(name, changed(name))
    paths = fabric.diff(KIND, old, new)
    key = "interface.swp3.link.mtu" if name == "leaf1" else "PORT.Ethernet8.mtu"
    assert paths == [f'changes["{key}"]']
    before = {peer: row["connectionsEstablished"] for peer, row in bench.agent(name).device.bgp().items()}
    fabric.update(KIND, f"SN-{name}", old, new)
    assert mtu(bench, name) == 9000
    assert {peer: row["connectionsEstablished"] for peer, row in bench.agent(name).device.bgp().items()} == before
    saved = bench.agent(name).saved()
    kept = saved["interface"]["swp3"]["link"]["mtu"] if name == "leaf1" else saved["PORT"]["Ethernet8"]["mtu"]
    assert int(kept) == 9000
    assert fabric.read(KIND, f"SN-{name}", {**new, "token": "fabric"}, new)[1] == new


@BOTH
def test_preview_changes_nothing_and_token_is_known(bench: Bench, fabric: Plugin, name: str):
    mark = bench.mark()
    _, state = fabric.create(KIND, bench.inputs(name, changed(name)), preview=True)
    assert state["token"] == "fabric"
    assert fabric.update(KIND, "x", bench.inputs(name), bench.inputs(name, changed(name)), preview=True)["token"] == "fabric"
    assert bench.requests(name, mark) == []


@BOTH
def test_keys_that_are_not_ours_survive_and_are_no_drift(bench: Bench, fabric: Plugin, name: str):
    if name == "leaf1":
        foreign = {"service": {"ntp": {"mgmt": {"server": {"192.0.2.9": {}}}}}, "interface": {"swp3": {"description": "mine"}}}
        bench.set(name, foreign)
    else:
        add = {"op": "add", "path": "/PORT/Ethernet8/description", "value": "mine"}
        bench.agent(name).edit([{"op": "add", "path": "/NTP_SERVER", "value": {"192.0.2.9": {}}}, add])
    inputs = bench.inputs(name)
    assert fabric.read(KIND, f"SN-{name}", inputs, inputs)[1] == inputs
    fabric.update(KIND, f"SN-{name}", inputs, bench.inputs(name, changed(name)))
    agent = bench.agent(name)
    if name == "leaf1":
        assert agent.revisions.applied["service"]["ntp"]["mgmt"]["server"] == {"192.0.2.9": {}}
        assert agent.revisions.applied["interface"]["swp3"]["description"] == "mine"
    else:
        assert agent.shell.tables["NTP_SERVER"] == {"192.0.2.9": {}}
        assert agent.shell.tables["PORT"]["Ethernet8"]["description"] == "mine"


@BOTH
def test_a_key_that_left_the_plan_goes_and_nothing_else(bench: Bench, fabric: Plugin, name: str):
    old = tree(name)
    if name == "leaf1":
        old["interface"]["lo"]["ip"]["address"]["10.9.7.7/32"] = {}
    else:
        old["LOOPBACK_INTERFACE"]["Loopback0|10.9.7.7/32"] = {}
    fabric.update(KIND, f"SN-{name}", bench.inputs(name), bench.inputs(name, old))
    show = bench.yard.wiring.run(name, ["ip", "addr", "show", "lo"])
    assert "10.9.7.7/32" in show.stdout
    fabric.update(KIND, f"SN-{name}", bench.inputs(name, old), bench.inputs(name))
    show = bench.yard.wiring.run(name, ["ip", "addr", "show", "lo"]).stdout
    assert "10.9.7.7" not in show
    assert switchyard.ROUTER[name] in show


@BOTH
def test_an_edit_by_hand_shows_as_drift_and_is_put_back(bench: Bench, fabric: Plugin, name: str):
    bench.set(name, changed(name, 1600)) if name == "leaf1" else bench.agent(name).edit(
        [{"op": "replace", "path": "/PORT/Ethernet8/mtu", "value": "1600"}]
    )
    inputs = bench.inputs(name)
    _, seen = fabric.read(KIND, f"SN-{name}", inputs, inputs)
    path = "interface.swp3.link.mtu" if name == "leaf1" else "PORT.Ethernet8.mtu"
    assert fabric.diff(KIND, seen, inputs) == [f'changes["{path}"]']
    fabric.update(KIND, f"SN-{name}", seen, inputs)
    assert mtu(bench, name) == 9216


@BOTH
def test_what_the_switch_refuses_is_said_in_its_words(bench: Bench, fabric: Plugin, name: str):
    config = changed(name, 99999)
    with pytest.raises(Failed) as failed:
        fabric.create(KIND, bench.inputs(name, config))
    assert "SWITCH-015" in failed.value.text
    assert "99999 is not in 552 to 9216" in failed.value.text
    assert mtu(bench, name) == 9216
    assert idle(bench, name)


@BOTH
def test_another_serial_is_refused_before_anything_is_written(bench: Bench, fabric: Plugin, name: str):
    mark = bench.mark()
    with pytest.raises(Failed, match="SWITCH-001"):
        fabric.create(KIND, bench.inputs(name, changed(name), serial="SN-other"))
    assert all(row["method"] == "GET" or "syseeprom" in row["path"] for row in bench.requests(name, mark))


@BOTH
def test_wrong_password_is_tried_once(bench: Bench, fabric: Plugin, name: str, tmp_path):
    wrong = tmp_path / "login"
    wrong.write_text("username: railyard\npassword: canary-wrong-password\n")
    wrong.chmod(0o600)
    mark = bench.mark()
    with pytest.raises(Failed) as failed:
        fabric.create(KIND, bench.inputs(name, credentialRef=f"file:{wrong}"))
    assert "SWITCH-011" in failed.value.text
    assert "canary" not in failed.value.text
    assert len([row for row in bench.requests(name, mark) if row["status"] == 401]) == 1


def test_wrong_authority_gets_no_password(bench: Bench, fabric: Plugin, tmp_path):
    from lab.pki import Authority

    Authority(tmp_path, "somebody else")
    mark = bench.mark()
    with pytest.raises(Failed, match="SWITCH-014"):
        fabric.create(KIND, bench.inputs("leaf1", caFile=str(tmp_path / "ca.crt")))
    assert bench.requests("leaf1", mark) == []


def test_wrong_host_key_gets_no_password(bench: Bench, fabric: Plugin):
    mark = bench.mark()
    with pytest.raises(Failed) as failed:
        fabric.create(KIND, bench.inputs("leaf2", hostKeySha256="SHA256:" + "A" * 43))
    assert "SWITCH-014" in failed.value.text
    assert bench.inputs("leaf2")["hostKeySha256"] in failed.value.text  # what was found, for the inventory
    assert bench.requests("leaf2", mark) == []


def test_inputs_are_checked_all_at_once(bench: Bench, fabric: Plugin):
    good = bench.inputs("leaf1")
    assert fabric.check(KIND, good) == []
    bad = {
        **good,
        "address": "a b",
        "credentialRef": "hunter2",
        "serial": "",
        "confirmS": 1,
        "config": {},
        "nos": "ios",
        "extra": 1,
    }
    wrong = dict(fabric.check(KIND, bad))
    assert {"address", "credentialRef", "serial", "confirmS", "config", "nos", "extra"} <= set(wrong)
    assert "hunter2" not in str(wrong)
    assert "caFile is missing" in str(fabric.check(KIND, {**good, "caFile": None}))
    sonic = {**bench.inputs("leaf2"), "hostKeySha256": None}
    assert "hostKeySha256 is missing" in str(fabric.check(KIND, sonic))
    assert fabric.check(KIND, {**bench.inputs("leaf2"), "hostKeySha256": "MD5:aa"})
    assert "shorter than confirmS" in str(fabric.check(KIND, {**good, "settleS": 15}))


@BOTH
def test_the_password_is_nowhere(bench: Bench, fabric: Plugin, name: str):
    """Not in state, log or error, even if the switch sends it back."""
    _, state = fabric.create(KIND, bench.inputs(name))
    told = [str(state)]
    if name == "leaf1":
        bench.fault(name, kind="echo", method="POST")
        with pytest.raises(Failed) as failed:
            fabric.create(KIND, bench.inputs(name, changed(name)))
        assert "SWITCH-022" in failed.value.text
        told.append(failed.value.text)
    told += fabric.log.lines
    told.append((bench.yard.folder / "requests.jsonl").read_text())
    assert not [text for text in told if PASSWORD in text]


def test_plan_slice_is_no_change(bench: Bench, fabric: Plugin):
    old = bench.inputs("leaf1", plan={"name": "leaf1", "ports": {}})
    new = copy.deepcopy(old) | {"plan": {"name": "leaf1", "ports": {"swp1": "x"}}}
    assert fabric.diff(KIND, old, new) == []


@BOTH
def test_the_state_holds_a_short_text_and_preview_says_what_changes(bench: Bench, fabric: Plugin, name: str):
    """As the engine does it: check, create; then an edit by hand, refresh, check, diff, update."""
    key = "interface.swp3.link.mtu" if name == "leaf1" else "PORT.Ethernet8.mtu"
    first = fabric.condensed(KIND, bench.inputs(name, plan={"role": "leaf", "name": name}))
    assert first["config"].startswith("lzma:")
    _, state = fabric.create(KIND, first)
    own = {"token": "fabric", "applied": state["applied"]}
    assert state == {key: value for key, value in first.items() if key not in ("config", "plan")} | own
    wanted = fabric.condensed(KIND, bench.inputs(name, changed(name)), first)
    assert wanted["changes"] == {key: "9216 -> 9000"}
    assert fabric.diff(KIND, first, wanted) == [f'changes["{key}"]']
    assert fabric.update(KIND, f"SN-{name}", {**first, **state}, wanted, preview=True)["applied"] == UNKNOWN
    changes = [state["applied"], fabric.update(KIND, f"SN-{name}", first, wanted)["applied"]]
    assert mtu(bench, name) == 9000
    bench.set(name, changed(name, 1600)) if name == "leaf1" else bench.agent(name).edit(
        [{"op": "replace", "path": "/PORT/Ethernet8/mtu", "value": "1600"}]
    )
    read, seen = fabric.read(KIND, f"SN-{name}", state, wanted)
    assert read["applied"] == state["applied"], "drift is none of our changes"
    assert seen["changes"] == {key: "9000 -> 1600"}
    again = fabric.condensed(KIND, bench.inputs(name, changed(name)), seen)
    assert again["changes"] == {key: "1600 -> 9000"}
    assert fabric.diff(KIND, seen, again) == [f'changes["{key}"]']
    changes.append(fabric.update(KIND, f"SN-{name}", seen, again)["applied"])
    assert len(set(changes)) == 3, "drift that was put back is a change: gates look again"
    assert mtu(bench, name) == 9000
    read, same = fabric.read(KIND, f"SN-{name}", {**state, "applied": changes[-1]}, again)
    assert (read["applied"], same) == (changes[-1], again), "nothing to do in a second run"
    assert fabric.diff(KIND, same, fabric.condensed(KIND, bench.inputs(name, changed(name)), same)) == []


def test_a_state_that_somebody_edited_is_said(bench: Bench, fabric: Plugin):
    kept = fabric.condensed(KIND, bench.inputs("leaf1"))
    with pytest.raises(Failed) as failed:
        fabric.update(KIND, "SN-leaf1", {**kept, "config": "lzma:edited"}, kept)
    assert "SWITCH-019" in failed.value.text
    assert "damaged" in failed.value.text
