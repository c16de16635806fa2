"""The real engine over the plan's own unit: 8 leaves, 4 spines, 256 cables as real routers. Needs root, and says so."""

import json
from collections import Counter

import pytest

from tests.engine.yard import Yard
from tests.namespaced import need_root

pytestmark = pytest.mark.requirement("N1", "N6")

LEAF = "lab-roce-su001-leaf-r3"
CONFIG = "fabric:index:SwitchConfig"
GATES = ("lab-roce-su001-fabric", "lab-roce-top-fabric")


@pytest.fixture(scope="module")
def yard(open_lab) -> Yard:
    need_root()
    yard = open_lab("--install-s", "0.2", stack="lab-roce")
    yard.up("--continue-on-error")
    return yard


def test_all_switches_are_configured_and_the_gates_saw_it(yard: Yard):
    kinds = Counter(resource["type"] for resource in yard.state())
    assert kinds[CONFIG] == 12
    assert kinds["railyard:network:Switch"] == 0  # one resource per switch, not two
    gates = {one["urn"].rpartition("::")[2]: one["outputs"] for one in yard.state() if one["type"] == "fabric:index:FabricGate"}
    assert {name: (gate["sessions"], gate["missing"]) for name, gate in gates.items()} == {
        "lab-roce-su001-fabric": (256, []),
        "lab-roce-top-fabric": (256, []),
    }
    phases = {phase["name"]: phase["digest"] for phase in yard.outputs()["phases"]}
    assert phases["fabric-lab-roce-su001-fabric"] == gates["lab-roce-su001-fabric"]["digest"]


def test_no_password_in_the_state_and_no_tree_twice(yard: Yard):
    password = (yard.instance / "secrets" / "switch-admin").read_text().split("password: ")[1].strip()
    assert password not in json.dumps(yard.state())
    switches = [one for one in yard.state() if one["type"] == CONFIG]
    assert all("config" in one["inputs"] and "config" not in one["outputs"] for one in switches)
    sizes = {one["urn"].rpartition("::")[2]: len(json.dumps(one, separators=(",", ":"))) for one in switches}
    assert max(sizes.values()) < 12_000, sizes


def applied(yard: Yard) -> dict[str, str]:
    return {one["urn"].rpartition("::")[2]: one["outputs"]["applied"] for one in yard.state() if one["type"] == CONFIG}


def test_a_second_up_changes_nothing(yard: Yard):
    assert yard.changes() == {}


def test_a_switch_edited_by_hand_shows_as_drift_and_is_put_back(yard: Yard):
    """One key of one switch: that is what the preview shows, and what `up` puts back."""
    yard.lab("edit", LEAF, '{"interface": {"swp40": {"link": {"mtu": 1500}}}}')
    steps = json.loads(yard.preview("--refresh", "--json", check=True).stdout)["steps"]
    changed = [step for step in steps if step["op"] not in ("same", "read", "refresh")]
    changed = [step for step in changed if not step["urn"].endswith("::railyard-lab-roce")]  # digests are not known yet
    assert [(step["urn"].rpartition("::")[2], step["op"]) for step in changed] == [(LEAF, "update"), (GATES[0], "update")]
    assert list(changed[0]["detailedDiff"]) == ['changes["interface.swp40.link.mtu"]']
    assert changed[0]["newState"]["inputs"]["changes"] == {"interface.swp40.link.mtu": "1500 -> 9216"}
    assert list(changed[1]["detailedDiff"]) == [f'applied["{LEAF}"]'], "the gate is measured again"
    before = applied(yard)
    yard.up("--refresh")
    after = applied(yard)
    assert [name for name in before if before[name] != after[name]] == [LEAF]
    for one in yard.state():
        if one["type"] == "fabric:index:FabricGate":
            known = one["inputs"]["applied"]
            assert known == {name: after[name] for name in known}
    saved = json.loads((yard.instance / "switches" / LEAF / "startup.json").read_text())
    assert saved["interface"]["swp40"]["link"]["mtu"] == 9216


def test_a_raised_threshold_is_one_changed_resource_of_each_gate(yard: Yard):
    """And no switch: what is configured stays as it is."""
    before = yard.stack_file.read_text()
    with yard.editing(yard.stack_file) as stack:
        stack["config"].setdefault("railyard:gates", {})["fabricPercent"] = 90
    steps = json.loads(yard.preview("--json", check=True).stdout)["steps"]
    yard.stack_file.write_text(before)
    changed = {step["urn"].rpartition("::")[2]: list(step["detailedDiff"]) for step in steps if step["op"] == "update"}
    assert changed == {gate: ["minimumPercent"] for gate in GATES}


def test_a_leaf_and_a_spine_come_first(yard: Yard):
    """In the state: what a later change waits for."""
    waits = {
        one["urn"].rpartition("::")[2]: {urn.rpartition("::")[2] for urn in one.get("dependencies", ()) if CONFIG in urn}
        for one in yard.state()
        if one["type"] == CONFIG
    }
    assert waits.pop("lab-roce-su001-leaf-r0") == set()
    assert waits.pop("lab-roce-spine001") == {"lab-roce-su001-leaf-r0"}
    assert set(map(frozenset, waits.values())) == {frozenset({"lab-roce-spine001"})}


def test_one_changed_key_of_the_plan_is_one_key_of_each_switch(yard: Yard):
    """Another time server: every switch, that key, nothing else."""
    with yard.editing(yard.stack_file) as stack:
        servers = stack["config"]["railyard:addresses"]["syslogServers"]
        servers[0] = servers[0].rpartition(".")[0] + ".77"
    steps = json.loads(yard.preview("--json", check=True).stdout)["steps"]
    changed = {
        step["urn"].rpartition("::")[2]: sorted(step["detailedDiff"])
        for step in steps
        if CONFIG in step["urn"] and step["op"] == "update"
    }
    assert len(changed) == 12
    assert all(
        len(paths) == 2 and all(path.startswith('changes["service.syslog') for path in paths) for paths in changed.values()
    )
    measured = {step["urn"].rpartition("::")[2]: list(step["detailedDiff"]) for step in steps if "FabricGate" in step["urn"]}
    assert set(measured) == set(GATES)
    assert {path.partition("[")[0] for paths in measured.values() for path in paths} == {"applied"}
