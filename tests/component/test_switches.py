"""Switches that the inventory hands over: one resource each, gates behind them, the platform behind the gates."""

import pytest

from railyard.rules.slices import SWITCH, SWITCH_CONFIG

pytestmark = pytest.mark.requirement("N1")


def test_a_managed_switch_is_one_resource_and_not_two(register):
    site = register("lab-roce")
    assert len(site.of(SWITCH_CONFIG)) == 12
    assert site.of(SWITCH) == {}
    leaf = site.of(SWITCH_CONFIG)["lab-roce-su001-leaf-r0"].props
    assert leaf["config"]["system"]["hostname"] == "lab-roce-su001-leaf-r0"
    assert leaf["plan"]["name"] == "lab-roce-su001-leaf-r0"
    assert (leaf["nos"], leaf["address"]) == ("cumulus", "127.79.15.251:8765")
    assert leaf["credentialRef"] == "file:.lab/lab-roce/secrets/switch-admin"


@pytest.mark.parametrize("stack", ["lab", "roce", "prod-site-a"])
def test_without_switches_in_the_inventory_nothing_changes(register, stack: str):
    site = register(stack)
    assert site.of(SWITCH_CONFIG) == {}
    assert site.of("fabric:index:FabricGate") == {}
    assert site.of(SWITCH)


def test_a_leaf_and_a_spine_come_first_and_all_others_wait_for_them(register):
    """The order is the engine's: what goes wrong on the first two is tried on nobody else. One dependency for each switch."""
    configs = register("lab-roce").of(SWITCH_CONFIG)
    waits = {name: [urn.rpartition("::")[2] for urn in one.dependencies] for name, one in configs.items()}
    leaf, spine = "lab-roce-su001-leaf-r0", "lab-roce-spine001"
    assert waits.pop(leaf) == []
    assert waits.pop(spine) == [leaf]
    assert len(waits) == 10
    assert set(map(tuple, waits.values())) == {(spine,)}


def test_a_gate_is_measured_again_where_a_switch_that_carries_its_traffic_was_changed(register):
    """By what the switch's own change left behind, so also where drift was put back: the plan knows nothing of that."""
    gates = {name: gate.props for name, gate in register("lab-roce").of("fabric:index:FabricGate").items()}
    spines = {f"lab-roce-spine{number:03}" for number in range(1, 5)}
    assert set(gates["lab-roce-top-fabric"]["applied"]) == spines
    assert set(gates["lab-roce-su001-fabric"]["applied"]) == spines | {f"lab-roce-su001-leaf-r{rail}" for rail in range(8)}


def test_gates_wait_for_every_switch_and_the_platform_for_the_gates(register):
    site = register("lab-roce")
    gates = site.of("fabric:index:FabricGate")
    assert set(gates) == {"lab-roce-su001-fabric", "lab-roce-top-fabric"}
    for gate in gates.values():
        assert len(gate.props["tokens"]) == 12
        assert gate.props["minimumPercent"] == 100
        assert "config" not in gate.props["switches"][0]
    assert site.of("kube:index:Cluster")["lab-roce-platform"].props["token"] == ["facility", "facility", "fabric", "fabric"]
