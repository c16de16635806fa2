"""The calculator against the published topologies and the case log, its costs, and what it refuses."""

import csv
from pathlib import Path

import pytest

from railyard import catalog
from railyard.plan import plan
from railyard.plan.calculator import Ask, SizeError, calculate
from railyard.plan.cost import Prices, cheaper, cost_of, prices_for
from railyard.plan.shape import least_spines
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("N1")
ROWS = list(
    csv.DictReader((Path(__file__).parents[2] / "data" / "reference_topologies.csv").open(encoding="utf-8", newline=""))
)
PRICES = Prices(35_000, 35_000, 500, 2000, "a test")


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['name']} {row['su']} SU" for row in ROWS])
def test_published_row(row: dict[str, str]):
    radix, planes = int(row["radix"]), int(row["planes"])
    found = calculate(
        Ask(
            nodes=int(row["nodes"]),
            radix=radix,
            unit_nodes=radix // 2,
            planes=planes,
            links_per_cable=planes,
            reserve_ports=4 if int(row["nodes"]) in (31, 63, 95) else 0,
        )
    )
    assert (found.units, found.leaves, found.spines, found.cores) == tuple(
        int(row[key]) for key in ("su", "leaf", "spine", "core")
    )
    assert (found.node_leaf.cables, found.leaf_spine.cables, found.spine_core.cables) == tuple(
        int(row[key]) for key in ("node_leaf", "leaf_spine", "spine_core")
    )


def test_case_22_512_gpus_on_64_port_switches():
    """16 leaves and 8 spines, not 56 spines: 512 uplinks / 64 ports. Of the order of a million dollars, not 15."""
    found = calculate(Ask(nodes=64))
    assert (found.leaves, found.spines, found.node_leaf.cables, found.leaf_spine.cables) == (16, 8, 512, 512)
    assert cost_of(found, PRICES).high < 3_000_000


def test_case_23_50_leaves_of_4_uplinks_on_36_port_spines():
    """200 cables / 36 ports are 6 spines, not 4 (144 ports). And 4 uplinks reach 4 spines at most: refused in two tiers."""
    assert least_spines(50, 4, 36) == 6
    with pytest.raises(SizeError) as error:
        calculate(Ask(nodes=200, nics=1, rails=1, unit_nodes=4, radix=36, tiers=2))
    (problem,) = error.value.problems
    assert (problem.id, problem.where) == ("PLAN-021", "--nodes")
    assert "50 leaves of 4 uplinks, for 6 spines of 36 ports" in problem.found


def test_case_25_a_link_is_as_fast_as_its_slower_end():
    """A speed that the switch does not run at is refused with those that it does: no 400G optic on a 100G port."""
    switch = catalog.load().switches["sn4600"]
    assert (switch.radix(400), switch.radix(100)) == (None, 128)


def test_case_26_one_unit_has_four_spines():
    """256 uplinks / 64 ports = 4 spines for 1:1, not 8."""
    found = calculate(Ask(nodes=32))
    assert (found.leaves, found.spines, found.shape.down_to_up) == (8, 4, 1)


def test_case_28_256_node_links_are_128_twin_cages_and_256_nic_ports():
    """One unit: a twin-port cage on the switch side carries two links; the NIC side has one port each."""
    found = calculate(Ask(nodes=32))
    assert found.node_leaf.links == 256
    assert found.node_leaf.links // 2 == 128


@pytest.mark.parametrize(
    ("nodes", "fabric", "ask"),
    [
        (64, {"scalableUnits": 2}, {}),
        (31, {"reservedPorts": 4}, {"reserve_ports": 4}),
        (160, {"scalableUnits": 5, "plannedScalableUnits": 16}, {"planned_units": 16}),
        (64, {"scalableUnits": 2, "layout": "fat-tree"}, {"layout": "fat-tree"}),
        (64, {"scalableUnits": 2, "oversubscription": 2}, {"oversubscription": 2.0}),
        (64, {"scalableUnits": 2, "plannedScalableUnits": 16, "podBy": "rail"}, {"planned_units": 16, "pod_by": "rail"}),
        (64, {"nodesPerUnit": 64, "layout": "rail-only"}, {"layout": "rail-only", "unit_nodes": 64}),
        (8, {"nodesPerUnit": 8, "tiers": 1}, {"tiers": 1, "unit_nodes": 8}),
        (
            160,
            {"scalableUnits": 5, "plannedScalableUnits": 16, "fullPods": True},
            {"planned_units": 16, "full_pods": True},
        ),
    ],
)
def test_planner_and_calculator_count_the_same(site: SiteMaker, nodes: int, fabric, ask):
    summary = plan(site(nodes=nodes, fabric=fabric)).fabric
    found = calculate(Ask(**{"nodes": nodes, "unit_nodes": 32} | ask))
    assert (summary.leaves, summary.spines, summary.cores, summary.tiers) == (
        found.leaves,
        found.spines,
        found.cores,
        found.shape.tiers,
    )
    for tier, cables, links in (
        (found.node_leaf, summary.node_leaf_cables, summary.node_leaf_links),
        (found.leaf_spine, summary.leaf_spine_cables, summary.leaf_spine_links),
        (found.spine_core, summary.spine_core_cables, summary.spine_core_links),
    ):
        assert (tier.cables, tier.links) == (cables, links)
    assert summary.free_leaf_ports == found.free_leaf_ports
    assert summary.shift_claim == found.shape.claim(found.units)
    paths = found.paths
    assert (summary.same_rail_hops, summary.any_hops) == (paths.same_rail_hops, paths.any_hops)
    assert (summary.same_rail_core_load, summary.any_core_load) == (paths.same_rail_core_load, paths.any_core_load)


def test_two_nics_to_a_rail_take_two_ports():
    """8 NICs on 4 rails: a leaf of 16 nodes has 32 node ports."""
    found = calculate(Ask(nodes=32, nics=8, rails=4, unit_nodes=16))
    assert (found.leaves, found.shape.node_ports, found.node_leaf.links) == (8, 32, 256)
    assert calculate(Ask(nodes=16, nics=8, rails=4)).shape.nodes_per_unit == 16


def test_one_rail_is_one_leaf_for_a_node():
    found = calculate(Ask(nodes=8, nics=8, rails=1))
    assert (found.units, found.leaves, found.shape.nodes_per_unit) == (2, 2, 4)


def test_reserved_ports_push_a_full_unit_over():
    """32 nodes and a slot for UFM are two units; ports beyond the node ports take none."""
    assert calculate(Ask(nodes=32, reserve_ports=4)).units == 2
    assert calculate(Ask(nodes=24, unit_nodes=24, reserve_ports=4)).units == 1
    assert calculate(Ask(nodes=32, reserve_ports=4)).manager_hosts == 2
    assert calculate(Ask(nodes=62, reserve_ports=9)).units == 2
    assert calculate(Ask(nodes=63, reserve_ports=9)).units == 3


@pytest.mark.parametrize(
    ("changes", "where", "fix"),
    [
        ({"nodes": 0}, "--nodes", "set --nodes to 1"),
        ({"nodes": -5}, "--nodes", "set --nodes to 1"),
        ({"nodes": 10**12}, "--nodes", "set --nodes to at most 8192, or take a switch with more ports"),
        ({"nodes": 16_384}, "--nodes", "set --nodes to at most 8192, or take a switch with more ports"),
        ({"radix": 63}, "--radix", "set --radix to 62 or 64"),
        ({"radix": 1}, "--radix", "set --radix to 2"),
        ({"radix": 10**12}, "--radix", "set --radix to 1024"),
        ({"nics": 0, "rails": 1}, "--nics", "set --nics to 1"),
        ({"rails": 3}, "--rails", "set --rails to 4, or --nics to a multiple of it"),
        ({"planes": 0}, "--planes", "set --planes to 1"),
        (
            {"unit_nodes": 33},
            "--unit-nodes",
            "set --unit-nodes to 32, raise --oversubscription to 1.065, or take a switch with more ports",
        ),
        ({"unit_nodes": 0}, "--unit-nodes", "set --unit-nodes to 1"),
        ({"planned_units": 1, "nodes": 64}, "--planned-units", "set --planned-units to 2, or leave it out"),
        ({"planned_units": 0}, "--planned-units", "set --planned-units to 1"),
        ({"planned_units": 300}, "--planned-units", "set --planned-units to at most 256, or take a switch with more ports"),
        ({"oversubscription": 0.5}, "--oversubscription", "set --oversubscription to 1"),
        ({"oversubscription": float("nan")}, "--oversubscription", "set --oversubscription to 1"),
        ({"oversubscription": 1e9}, "--oversubscription", "set --oversubscription to 64"),
        ({"reserve_ports": 17}, "--reserve-ports", "set --reserve-ports to at most 16"),
        ({"reserve_ports": -1}, "--reserve-ports", "set --reserve-ports to 0"),
        ({"links_per_cable": 3}, "--links-per-cable", "set --links-per-cable to 2"),
        ({"nodes": 384, "pod_by": "rail"}, "--nodes", "set --nodes to 256 or 512, or --pod-by to unit"),
        ({"nodes": 300, "tiers": 2}, "--nodes", "set --nodes to at most 256, or --tiers to 3"),
        ({"tiers": 3}, "--tiers", "set --tiers to auto, or --nodes to at least 160"),
        ({"nodes": 65, "layout": "rail-only"}, "--nodes", "two tiers: set --layout to rail-optimized"),
        ({"nodes": 64, "tiers": 1}, "--nodes", "two tiers: set --tiers to auto"),
        ({"nodes": 8, "unit_nodes": 4, "tiers": 1}, "--nodes", "one unit (--unit-nodes 8), or two tiers: set --tiers to auto"),
    ],
)
def test_refused_with_the_nearest_value_that_fits(changes, where: str, fix: str):
    with pytest.raises(SizeError) as error:
        calculate(Ask(**{"nodes": 32} | changes))
    (problem,) = error.value.problems
    assert (problem.where, problem.fix) == (where, fix)


@pytest.mark.parametrize("unit_nodes", [8, 24, 31, 32])
@pytest.mark.parametrize("nodes", [1, 32, 33, 100, 128])
@pytest.mark.parametrize("planes", [1, 2])
def test_the_reserved_ports_that_a_fix_names_are_the_most_that_fit(nodes: int, unit_nodes: int, planes: int):
    def fits(ports: int) -> bool:
        try:
            calculate(Ask(nodes=nodes, unit_nodes=unit_nodes, planes=planes, reserve_ports=ports))
        except SizeError:
            return False
        return True

    with pytest.raises(SizeError) as error:
        calculate(Ask(nodes=nodes, unit_nodes=unit_nodes, planes=planes, reserve_ports=1000))
    (problem,) = error.value.problems
    most = int(problem.fix.rpartition(" ")[2])
    assert problem.limit.startswith(f"{most}: ")
    assert fits(most)
    assert not any(fits(ports) for ports in range(most + 1, most + 140))


def test_all_at_once():
    with pytest.raises(SizeError) as error:
        calculate(Ask(nodes=0, radix=63, rails=3, planes=99))
    assert {problem.where for problem in error.value.problems} == {"--nodes", "--radix", "--rails", "--planes"}


def test_a_size_that_a_fix_names_is_accepted():
    for nodes in (8192, 256, 512):
        calculate(Ask(nodes=nodes, pod_by="unit" if nodes == 8192 else "rail"))
    with pytest.raises(SizeError):
        calculate(Ask(nodes=8193))


def test_cost_per_endpoint_is_a_saw_tooth():
    """A ninth unit brings the third tier: 256 nodes are the cheapest per endpoint below, more units above."""
    found = calculate(Ask(nodes=257))
    down, up = cheaper(found, PRICES)
    assert down is not None
    assert up is not None
    assert (down.nodes, up.nodes) == (256, 288)
    mine = cost_of(found, PRICES).per(found.endpoints)
    assert down.per_endpoint.low < mine.low
    assert up.per_endpoint.low < mine.low


def test_twelve_of_sixteen_spines_are_paid_for_in_vain():
    """3 units need 16 spines for 12's ports: both neighbours are cheaper per endpoint (the 12-or-16 trap has a price)."""
    down, up = cheaper(calculate(Ask(nodes=96)), PRICES)
    assert down is not None
    assert up is not None
    assert (down.nodes, up.nodes) == (64, 128)


def test_the_cheapest_size_has_no_cheaper_one():
    assert cheaper(calculate(Ask(nodes=256)), PRICES) == (None, None)


def test_half_a_unit_is_dearer_than_a_whole_one():
    down, up = cheaper(calculate(Ask(nodes=20)), PRICES)
    assert down is None
    assert up is not None
    assert up.nodes == 32


def test_prices_of_the_list_are_dated_and_unknown_ones_are_said():
    listed, switches = catalog.prices(), catalog.load().switches
    known = prices_for(64, listed, switches)
    assert known is not None
    assert (known.switch_low, known.link_low) == (35_000, 500)
    assert "2024" in known.source
    assert "unverified" in known.source
    assert prices_for(144, listed, switches) is None
    assert prices_for(64, listed, switches, "sn5600") is None
    assert prices_for(64, {}, switches) is None
    assert all(row.date and row.source("lowUsd") and row.source("highUsd") for row in listed.values())
