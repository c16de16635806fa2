"""Wiring: which port is joined to which."""

from collections import Counter

import pytest

from railyard import catalog
from railyard.model.site import Fabric
from railyard.plan import PlanError, plan
from railyard.plan.nics import name_nics
from tests.planned_site import SiteMaker

DGX_H100 = ("mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11")


@pytest.mark.requirement("N1")
def test_nic_r_of_slot_s_is_on_port_s_of_leaf_r(site: SiteMaker):
    planned = plan(site(nodes=33, fabric={"scalableUnits": 2}))
    leaf = {switch.name: switch for switch in planned.switches}
    assert leaf["t-su001-leaf-r3"].ports["5"] == "t-su001-gpu05/mlx5_5"
    assert leaf["t-su002-leaf-r7"].ports["1"] == "t-su002-gpu01/mlx5_11"
    assert "2" not in leaf["t-su002-leaf-r7"].ports
    for cable in planned.cables:
        if cable.kind == "node-leaf":
            rail = int(cable.z.partition("-leaf-r")[2].partition("/")[0])
            assert (cable.rail, cable.a.partition("/")[2]) == (rail, DGX_H100[rail])


@pytest.mark.requirement("N1", "N3")
def test_one_name_of_a_nic_everywhere(site: SiteMaker):
    """Cables, leaf ports, addresses and NCCL name the same HCA for a rail: GPU 3's is mlx5_5 on a DGX H100 (its user guide)."""
    planned = plan(site())
    assert planned.fabric.node_nics == DGX_H100
    assert not planned.fabric.node_nics_assumed
    assert planned.nccl["NCCL_IB_HCA"] == "=" + ",".join(DGX_H100)
    leaves = [switch for switch in planned.switches if switch.role == "leaf"]
    assert tuple(leaf.node_nic for leaf in leaves) == DGX_H100
    for leaf in leaves:
        assert {end.partition("/")[2] for end in leaf.ports.values() if "gpu" in end} == {leaf.node_nic}
    assert {row.network: row.interface for row in planned.addresses if row.network.startswith("rail")} == {
        f"rail-{rail}": nic for rail, nic in enumerate(DGX_H100)
    }
    assert {switch.node_nic for switch in planned.switches if switch.role != "leaf"} == {None}


@pytest.mark.requirement("N1", "N3")
def test_names_of_nics_that_nobody_knows_are_assumed(site: SiteMaker):
    fabric = plan(site(compute={"nodeModel": "dgx-b200"})).fabric
    assert fabric.node_nics == tuple(f"mlx5_{rail}" for rail in range(8))
    assert fabric.node_nics_assumed


@pytest.mark.requirement("N1", "N3")
def test_nics_of_planes():
    """One device with a port in each plane, or a device for each of them."""
    node = catalog.load().nodes["dgx-h100"]
    both = name_nics(Fabric.model_construct(rails=8, planes=2), node)
    assert both.listed()[:4] == ("mlx5_0p0", "mlx5_0p1", "mlx5_3p0", "mlx5_3p1")
    own = name_nics(Fabric.model_construct(rails=4, planes=2), node)
    assert own.listed() == DGX_H100
    assert (own.port(1, 0), own.port(1, 1)) == ("mlx5_4", "mlx5_5")
    assert name_nics(Fabric.model_construct(rails=16, planes=1), node).assumed


@pytest.mark.requirement("N1")
def test_ethernet_ports_have_names(site: SiteMaker):
    planned = plan(site(fabric={"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 64}))
    assert planned.switches[0].ports["swp1"] == "t-su001-gpu01/mlx5_0"
    assert planned.switches[0].ports["swp65"] == "t-spine001/swp1"


@pytest.mark.requirement("N1")
def test_planes_never_mix(site: SiteMaker):
    planned = plan(site(fabric={"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 64, "planes": 2}))
    assert planned.cables[1].a == "t-su001-gpu01/mlx5_0p1"
    assert planned.cables[1].z == "t-su001-leaf-r0-p1/swp1"
    for cable in planned.cables:
        if cable.kind == "leaf-spine":
            assert cable.a.partition("/")[0][-3:] == cable.z.partition("/")[0][-3:] == f"-p{cable.plane}"
    assert (planned.fabric.leaves, planned.fabric.spines) == (16, 8)


@pytest.mark.requirement("N1")
@pytest.mark.parametrize("units", [1, 2, 3, 4, 8])
def test_two_tiers_join_every_pair_alike(site: SiteMaker, units: int):
    planned = plan(site(fabric={"scalableUnits": units}))
    leaves = [switch for switch in planned.switches if switch.role == "leaf"]
    assert {count for leaf in leaves for count in leaf.links_per_peer.values()} == {int(planned.fabric.links_per_pair)}
    assert all(len(leaf.links_per_peer) == planned.fabric.spines for leaf in leaves)
    assert all(switch.down_to_up in (1.0, None) for switch in planned.switches)


@pytest.mark.requirement("N1")
def test_twelve_spines_are_wired_as_evenly_as_they_can_be(site: SiteMaker):
    planned = plan(site(fabric={"scalableUnits": 3, "spines": 12}))
    leaves = [switch for switch in planned.switches if switch.role == "leaf"]
    spines = [switch for switch in planned.switches if switch.role == "spine"]
    assert {count for leaf in leaves for count in leaf.links_per_peer.values()} == {2, 3}
    assert {len(spine.ports) for spine in spines} == {64}
    assert planned.fabric.links_per_pair == pytest.approx(32 / 12, abs=1e-6)


@pytest.mark.requirement("N1")
def test_too_few_spines_leave_uplinks_without_a_port(site: SiteMaker):
    """2 spines x 64 ports for 8 leaves: 16 uplinks of each leaf are wired, the other 16 have nowhere to go."""
    planned = plan(site(fabric={"spines": 2}))
    spine = next(switch for switch in planned.switches if switch.role == "spine")
    leaf = next(switch for switch in planned.switches if switch.role == "leaf")
    assert max(map(int, spine.ports)) == 64 == spine.port_count
    assert (sum(leaf.links_per_peer.values()), leaf.down_to_up) == (16, 2)


@pytest.mark.requirement("N1")
def test_a_blocking_leaf_says_so(site: SiteMaker):
    """32 down, 16 up: 2:1; bisection is halved."""
    planned = plan(site(fabric={"uplinksPerLeaf": 16}))
    assert planned.switches[0].down_to_up == planned.fabric.down_to_up == 2
    assert (planned.switches[0].down_gbps, planned.switches[0].up_gbps) == (12_800, 6_400)
    assert planned.fabric.bisection_gb_per_s == 32 * 400 / 8 / 2 / 2


@pytest.mark.requirement("N1")
def test_bisection_of_what_stands(site: SiteMaker):
    """2,048 endpoints of 400 Gb/s: 409.6 Tb/s = 51,200 GB/s; 32 endpoints: 800 GB/s."""
    assert plan(site()).fabric.bisection_gb_per_s == 800
    assert plan(site(nodes=256, fabric={"scalableUnits": 8})).fabric.bisection_gb_per_s == 51_200


@pytest.mark.requirement("N1")
def test_three_tiers_close(site: SiteMaker):
    """16 units: 4 pods, 2 cores per group, 16 links from a spine to each of its cores, all 64 ports of a core in use."""
    planned = plan(site(nodes=512, fabric={"scalableUnits": 16}))
    fabric = planned.fabric
    assert (fabric.leaves, fabric.spines, fabric.cores) == (128, 128, 64)
    assert (fabric.node_leaf_cables, fabric.leaf_spine_cables, fabric.spine_core_cables) == (4096, 4096, 4096)
    for switch in planned.switches:
        assert len(switch.ports) == 64
        if switch.role == "leaf":
            assert set(switch.links_per_peer.values()) == {1}
        if switch.role == "spine":
            assert list(switch.links_per_peer.values()) == [16, 16]


@pytest.mark.requirement("N1", "C4")
def test_three_tiers_stand_pod_by_pod(site: SiteMaker):
    """4 units are a pod of 32 leaves: with 5 of 16 built, spines of two pods stand, and all cores."""
    planned = plan(site(fabric={"scalableUnits": 5, "plannedScalableUnits": 16}))
    assert (planned.fabric.leaves, planned.fabric.spines, planned.fabric.cores) == (40, 64, 64)


@pytest.mark.requirement("N1")
def test_more_units_than_three_tiers_hold(site: SiteMaker):
    with pytest.raises(PlanError) as error:
        plan(site(fabric={"plannedScalableUnits": 257}))
    assert [problem.id for problem in error.value.findings] == ["PLAN-002"]
    assert "64 pods (256 units, 8192 nodes)" in str(error.value)


def test_a_leaf_without_uplinks(site: SiteMaker):
    with pytest.raises(PlanError, match="PLAN-003"):
        plan(site(fabric={"nodesPerUnit": 64}))


def test_all_unknown_models_at_once(site: SiteMaker):
    with pytest.raises(PlanError) as error:
        plan(site(facility={"rackModel": "nope"}, fabric={"switchModel": "none"}))
    assert [problem.where for problem in error.value.problems] == [
        "railyard:fabric.switchModel",
        "railyard:facility.rackModel",
    ]


def test_a_speed_that_the_switch_does_not_run_at(site: SiteMaker):
    with pytest.raises(PlanError, match="one of 200, 400"):
        plan(site(fabric={"linkGbps": 800}))


@pytest.mark.requirement("N1")
def test_fabric_managers_keep_their_ports(site: SiteMaker):
    """Four reserved ports: the last slot of unit 1, on leaves 0 to 3; a node there is out of plan."""
    fabric = {"reservedPorts": 4}
    planned = plan(site(nodes=31, fabric=fabric))
    assert [switch.free_ports for switch in planned.switches if switch.role == "leaf"] == [0] * 4 + [1] * 4
    assert [problem.id for problem in plan(site(nodes=32, fabric=fabric)).problems] == ["PLAN-004", "PLAN-005"]


def test_spines_cannot_be_set_in_three_tiers(site: SiteMaker):
    planned = plan(site(fabric={"scalableUnits": 16, "spines": 7}))
    assert [problem.id for problem in planned.problems] == ["PLAN-010"]
    assert planned.fabric.spines == 128


def test_unknown_power_is_a_problem_not_a_zero(site: SiteMaker):
    planned = plan(site(fabric={"switchModel": "q3400", "linkGbps": 800, "nodesPerUnit": 72}))
    assert "PLAN-008" in {problem.id for problem in planned.problems}


@pytest.mark.parametrize("units", [1, 16])
def test_switches_that_are_built_without_validation_are_valid(site: SiteMaker, units: int):
    for switch in plan(site(fabric={"scalableUnits": units})).switches:
        again = type(switch).model_validate(switch.props())
        assert again.props() == switch.props()
        assert type(switch.down_gbps) is type(switch.up_gbps) is float


@pytest.mark.requirement("C5")
def test_labels_name_one_place_each(site: SiteMaker):
    planned = plan(site(nodes=33, fabric={"scalableUnits": 2}))
    labels = Counter(label for cable in planned.cables for label in (cable.a_label, cable.z_label))
    assert max(labels.values()) == 1
    assert planned.cables[0].a_label == "R001-U01-P4/2", "rail 0 of a DGX H100: cage 4, port 2"
    assert planned.cables[0].z_label == "R001-U48-P1/1"
