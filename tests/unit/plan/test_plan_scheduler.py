"""Scheduler topology: one pseudo-switch per unit, one root per fabric, equally deep, only nodes that exist."""

from dataclasses import replace

import pytest

from railyard.model.hostlist import expand
from railyard.model.inventory import Lifecycle
from railyard.plan import plan
from railyard.plan.scheduler_topology import FabricUnits, block_sizes, pseudo_switches
from railyard.rules.scheduler import check_scheduler
from tests.planned_site import SiteMaker, make_site

pytestmark = pytest.mark.requirement("K3", "K4")

SMALL = {"nodesPerUnit": 8, "scalableUnits": 3, "plannedScalableUnits": 3}


def by_name(switches):
    return {switch.name: switch for switch in switches}


def test_two_tiers_are_units_below_one_root(site: SiteMaker):
    found = plan(site(nodes=20, fabric=SMALL)).scheduler
    assert [(switch.name, switch.level, switch.switches, switch.nodes) for switch in found.switches] == [
        ("t-compute", 1, "t-su[001-003]", ""),
        ("t-su001", 0, "", "t-su001-gpu[01-08]"),
        ("t-su002", 0, "", "t-su002-gpu[01-08]"),
        ("t-su003", 0, "", "t-su003-gpu[01-04]"),
    ]
    assert (found.nodes, found.fabrics, found.block_sizes) == (20, ("t-compute",), (4, 8, 16))


def test_three_tiers_have_pods_of_units(site: SiteMaker):
    """16 leaves make a pod at 16 uplinks: two units of eight rails."""
    shape = {"nodesPerUnit": 16, "scalableUnits": 5, "plannedScalableUnits": 12}
    made = plan(site(nodes=80, fabric=shape | {"tiers": 3}))
    tree = by_name(made.scheduler.switches)
    assert made.fabric.tiers == 3
    assert (tree["t-compute"].switches, tree["t-compute"].level) == ("t-pod[001-003]", 2)
    assert [tree[f"t-pod00{number}"].switches for number in (1, 2, 3)] == ["t-su[001-002]", "t-su[003-004]", "t-su005"]
    pods = {machine.name: machine.labels["railyard.dev/pod"] for machine in made.machines if machine.role == "gpu"}
    assert pods["t-su004-gpu16"] == "t-pod002"
    assert made.scheduler.levels[0] == "railyard.dev/pod"
    assert made.platform.topology_levels == made.scheduler.levels, "Kueue has no second list"
    for name, unit in (
        (machine.name, machine.labels["railyard.dev/unit"]) for machine in made.machines if machine.role == "gpu"
    ):
        assert name in expand(tree[unit].nodes)
        assert unit in expand(tree[pods[name]].switches)


def test_pods_of_rails_are_no_neighbourhood_of_nodes(site: SiteMaker):
    shape = {"nodesPerUnit": 16, "scalableUnits": 3, "plannedScalableUnits": 16, "tiers": 3, "podBy": "rail"}
    made = plan(site(nodes=48, fabric=shape))
    assert {switch.level for switch in made.scheduler.switches} == {0, 1}
    assert "railyard.dev/pod" not in made.scheduler.levels


def test_every_label_of_the_levels_is_on_every_node(site: SiteMaker):
    """kueue 5039: one node without a label and there are no topology domains."""
    made = plan(site(nodes=20, fabric=SMALL))
    assert all(set(made.scheduler.levels) <= set(machine.labels) for machine in made.machines if machine.role == "gpu")


def test_only_known_nodes_and_strangers_apart():
    """Case 20."""
    fabric = FabricUnits("fab", {"su1": ["a1", "a2"], "su2": ["b1"]})
    tree = by_name(pseudo_switches([fabric], known={"a1", "x1", "x2"}))
    assert set(tree) == {"fab", "su1", "fab.unknown"}
    assert (tree["su1"].nodes, tree["fab.unknown"].nodes) == ("a1", "x[1-2]")
    assert tree["fab"].switches == "fab.unknown,su1"


def test_strangers_are_as_deep_as_the_others():
    fabric = FabricUnits("fab", {"su1": ["a1"]}, {"pod1": ["su1"]})
    tree = by_name(pseudo_switches([fabric], known={"a1", "x1"}))
    assert (tree["fab"].level, tree["fab.unknown-pod"].switches, tree["fab.unknown"].level) == (2, "fab.unknown", 0)


def test_storage_is_no_part_of_it():
    """Case 19: A to C on one switch, D to F on another; the storage switch that holds all six isn't of this fabric."""
    groups = pseudo_switches([FabricUnits("fab", {"sw1": ["a", "b", "c"], "sw2": ["d", "e", "f"]})])
    assert [switch.nodes for switch in groups if switch.nodes] == ["a,b,c", "d,e,f"]
    made = plan(make_site(nodes=4, storage_nodes=2))
    assert not any("sto" in switch.nodes + switch.name for switch in made.scheduler.switches)


def test_separate_fabrics_have_separate_roots_of_one_depth():
    """Case 21."""
    flat = FabricUnits("fb", {"su2": ["b1"]})
    tall = FabricUnits("fa", {"su1": ["a1"]}, {"pod1": ["su1"]})
    switches = pseudo_switches([flat, tall])
    assert [(switch.name, switch.level) for switch in switches] == [
        ("fa", 2), ("pod1", 1), ("su1", 0), ("fb", 2), ("fb-pod", 1), ("su2", 0),
    ]  # fmt: skip


def test_without_nodes_there_is_no_tree_and_a_finding():
    assert pseudo_switches([FabricUnits("fab", {"su1": []})]) == ()
    made = plan(make_site(nodes=1, slots=[]))
    assert made.scheduler.switches == ()
    assert [finding.id for finding in check_scheduler(made.scheduler, [])] == ["FABRIC-085"]


@pytest.mark.parametrize(
    ("units", "sizes"),
    [([], ()), ([1], (1,)), ([1, 1, 2, 2, 3, 3], (2, 4)), ([1] * 31 + [2] * 32, (31, 62)), ([1] * 8 + [2] * 8, (8, 16))],
)
def test_block_sizes_double_from_the_smallest_unit(units, sizes):
    assert block_sizes(units) == sizes


def test_a_node_set_aside_stays_in_the_tree_and_is_drained():
    config = make_site(nodes=4)
    machines = tuple(
        machine.model_copy(update={"lifecycle": Lifecycle.QUARANTINED}) if machine.name.endswith("gpu02") else machine
        for machine in config.inventory.machines
    )
    found = plan(replace(config, inventory=config.inventory.model_copy(update={"machines": machines}))).scheduler
    assert found.drained == ("t-su001-gpu02",)
    assert "t-su001-gpu02" in expand(found.switches[-1].nodes)


def test_facts_of_a_node_are_the_catalogue_s(site: SiteMaker):
    node = plan(site()).scheduler.node
    assert (node.gres_type, node.gpus, node.sockets, node.cores_per_socket) == ("h100", 8, 2, 56)
    assert node.real_memory_mib is not None
    assert node.real_memory_mib <= 2_063_857, "case 46: what a 2,048 GiB node reports"
    amd = plan(site(compute={"nodeModel": "mi300x-platform"})).scheduler.node
    assert (amd.sockets, amd.gres_files, amd.autodetect) == (None, None, "rsmi"), "unknown is left out"
