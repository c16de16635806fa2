"""fabric:index:FabricGate: what the switches show is what decides; each thing that can be wrong has a test of its own."""

import copy
import threading

import pytest

from providers.kit.values import UNKNOWN
from tests.lab.switchyard import LINKS, NOS, PASSWORD, ROUTER, Bench, native, settled, tree
from tests.provider.plugin import Failed, Plugin

pytestmark = [pytest.mark.requirement("N1", "N6"), pytest.mark.usefixtures("mended")]

KIND = "fabric:index:FabricGate"


def gate(bench: Bench, **change) -> dict:
    """What the plan of this small fabric would ask for."""
    far = {}
    for left, right in LINKS:
        (a, port_a), (z, port_z) = (end.split("/") for end in (left, right))
        here, there = native(a, int(port_a[3:])), native(z, int(port_z[3:]))
        far.setdefault(a, {})[here] = f"{z}/{there}"
        far.setdefault(z, {})[there] = f"{a}/{here}"
    switches = []
    for name in NOS:
        connection = {key: value for key, value in bench.inputs(name).items() if key not in {"config", "confirmS", "settleS"}}
        other = {"leaf1": "leaf2", "leaf2": "leaf1"}.get(name)
        reach = {"reach": [f"{ROUTER[other]}/32"], "width": 4, "loopback": f"{ROUTER[name]}/32"} if other else {}
        switches.append({**connection, "sessions": sorted(far[name]), "neighbours": far[name], "mtu": 9216, **reach})
    return {"phase": "fabric", "unit": "t-su001-fabric", "switches": switches, "tokens": [], "deadlineS": 20, **change}


def refused(fabric: Plugin, inputs: dict, seconds: int = 6) -> str:
    with pytest.raises(Failed) as failed:
        fabric.create(KIND, {**inputs, "deadlineS": seconds})
    assert PASSWORD not in failed.value.text
    return failed.value.text


def test_a_fabric_as_planned_passes_with_a_stable_digest(bench: Bench, fabric: Plugin):
    name, state = fabric.create(KIND, gate(bench))
    assert name == "t-su001-fabric"
    assert (state["token"], state["sessions"], state["missing"]) == ("fabric", 16, [])
    assert "switches" not in state  # the state holds them once, as input
    assert fabric.create(KIND, gate(bench))[1]["digest"] == state["digest"]


def test_preview_knows_the_token_and_measures_nothing(bench: Bench, fabric: Plugin):
    mark = bench.mark()
    _, state = fabric.create(KIND, gate(bench), preview=True)
    assert state["token"] == "fabric"
    assert bench.requests("leaf1", mark) == []


@pytest.mark.parametrize("name", ["leaf1", "leaf2"])
def test_sessions_that_are_down_are_named_at_both_ends(bench: Bench, fabric: Plugin, name: str):
    bench.set(name, tree(name, remote="4200000999"))
    text = refused(fabric, gate(bench))
    assert "GATE-011" in text
    assert "8 of 16 BGP sessions are established" in text
    assert f"{name}/{native(name, 1)}" in text
    assert "spine1/swp" in text
    assert fabric.create(KIND, gate(bench, minimumPercent=50))[1]["sessions"] == 8


def test_a_narrow_path_between_leaves(bench: Bench, fabric: Plugin):
    config = tree("leaf1")
    config["vrf"]["default"]["router"]["bgp"]["address-family"]["ipv4-unicast"]["multipaths"]["ebgp"] = 2
    bench.set("leaf1", config)
    settled(lambda: bench.up("leaf1") == 4 and bench.up("spine1") == 4 and bench.up("spine2") == 4)
    text = refused(fabric, gate(bench))
    assert "GATE-012 leaf1" in text
    assert "reaches 10.9.0.2/32 over 2 links" in text
    assert "GATE-011" not in text


@pytest.mark.parametrize("name", ["leaf1", "leaf2"])
def test_a_wrong_mtu_that_no_session_notices(bench: Bench, fabric: Plugin, name: str):
    bench.set(name, tree(name, mtu=1500))
    text = refused(fabric, gate(bench))
    assert f"GATE-013 {name}" in text
    assert "1500" in text
    assert "GATE-011" not in text


def test_swapped_cables_route_and_are_found(bench: Bench, fabric: Plugin):
    """leaf1's ports 1 and 3 exchanged: every session is up, every path there, and two neighbours are not the planned ones."""
    inputs = copy.deepcopy(gate(bench))
    leaf = inputs["switches"][0]["neighbours"]
    leaf["swp1"], leaf["swp3"] = leaf["swp3"], leaf["swp1"]
    text = refused(fabric, inputs)
    assert "GATE-014 leaf1" in text
    assert "swp1 sees spine1/swp1 (planned spine2/Ethernet0)" in text
    assert "swp3 sees spine2/Ethernet0 (planned spine1/swp1)" in text
    assert "GATE-011" not in text


def test_a_switch_that_cannot_be_read_is_a_reason_and_stops_nobody_else(bench: Bench, fabric: Plugin):
    bench.fault("spine2", kind="unreachable")
    text = refused(fabric, gate(bench), seconds=1)
    assert "GATE-010 spine2" in text
    assert "SWITCH-010" in text
    wrong = copy.deepcopy(gate(bench))
    wrong["switches"][0]["serial"] = "SN-other"
    assert "SWITCH-001" in refused(fabric, wrong, seconds=1)


def test_one_dead_switch_of_a_fabric_that_needn_t_be_whole(bench: Bench, fabric: Plugin):
    """Its management is dead, and so are its links: 8 of 16 sessions are left, and what is left is as planned."""
    ports = {native("spine2", port): {"mtu": "9216", "admin_status": "down"} for port in range(1, 5)}
    bench.set("spine2", {"PORT": ports})
    settled(lambda: bench.up("leaf1") == 2 and bench.up("leaf2") == 2)
    bench.fault("spine2", kind="unreachable")
    state = fabric.create(KIND, gate(bench, minimumPercent=50))[1]
    assert (state["sessions"], state["unread"]) == (8, ["spine2"])
    assert "GATE-011" in refused(fabric, gate(bench, minimumPercent=51), seconds=1)
    assert "GATE-010 spine2" in refused(fabric, gate(bench), seconds=1)


def test_nothing_measured_never_passes(bench: Bench, fabric: Plugin):
    assert "GATE-010" in refused(fabric, gate(bench, switches=[]), seconds=1)


def test_a_slow_fabric_is_waited_for(bench: Bench, fabric: Plugin):
    """BGP that comes up while the gate looks: it passes as soon as all is well."""
    bench.set("leaf1", tree("leaf1", mtu=1500))
    threading.Timer(4, lambda: bench.set("leaf1", tree("leaf1"))).start()
    assert fabric.create(KIND, gate(bench, deadlineS=40))[1]["sessions"] == 16


def test_read_keeps_what_is_stored_and_a_threshold_is_one_change(bench: Bench, fabric: Plugin):
    inputs = gate(bench)
    assert fabric.diff(KIND, inputs, {**inputs, "minimumPercent": 90}) == ["minimumPercent"]
    measured = {**inputs, "applied": {"leaf1": "a1", "leaf2": "b1"}}
    again = {**inputs, "applied": {"leaf1": "a1", "leaf2": "b2"}}
    assert fabric.diff(KIND, measured, measured) == []
    assert fabric.diff(KIND, measured, again) == ["applied.leaf2"], "measured again"
    assert fabric.diff(KIND, measured, {**again, "applied": {"leaf1": "a1", "leaf2": UNKNOWN}}) == ["applied.leaf2"]
    assert not fabric.check(KIND, {**inputs, "applied": {"leaf1": None, "leaf2": UNKNOWN}}), "an older state, and a preview"
    assert fabric.check(KIND, {**inputs, "applied": ["leaf1"]})
    state = {**inputs, "token": "fabric", "digest": "d"}
    assert fabric.read(KIND, "t-su001-fabric", state, inputs)[1] == inputs
