"""Every layout as links without a stack file, and as a plan: ports, pods, planes, twins, managers, what stands."""

from collections import Counter, defaultdict, deque

import pytest

from railyard.plan import PlanError, plan
from railyard.plan.fabric import design_links, links_of
from railyard.plan.links import Link, paired
from railyard.plan.paths import paths_of
from railyard.plan.shape import FabricShape, size_fabric
from railyard.rules import check_site, check_switch
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("N1")
SHAPES: dict[str, FabricShape] = {
    "one unit": size_fabric(8, 1, 8, 16),
    "two tiers, 12-or-16": size_fabric(32, 3, 8, 64),
    "two planes": size_fabric(8, 2, 4, 16, 2),
    "twin cables, even pairs": size_fabric(8, 1, 8, 16, 2, links_per_cable=2),
    "twin cables, one link a pair": size_fabric(8, 2, 8, 16, 2, links_per_cable=2),
    "three tiers of units": size_fabric(8, 4, 8, 16),
    "three tiers of rails": size_fabric(8, 4, 8, 16, pod_by="rail"),
    "rails over several pods": size_fabric(4, 8, 4, 8, pod_by="rail"),
    "three tiers, twin cables": size_fabric(8, 4, 8, 16, 2, links_per_cable=2),
    "pods that cut units": size_fabric(6, 6, 4, 12),
    "part-filled last pod": size_fabric(8, 5, 4, 16),
    "full pods": size_fabric(8, 5, 4, 16, full_pods=True),
    "fat-tree": size_fabric(8, 2, 8, 16, layout="fat-tree"),
    "fat-tree of three tiers": size_fabric(8, 4, 8, 16, layout="fat-tree"),
    "rail-only": size_fabric(16, 1, 8, 16, layout="rail-only"),
    "one switch": size_fabric(8, 1, 8, 64, 2, tiers=1),
    "2:1": size_fabric(16, 2, 8, 64, uplinks=8),
    "fabric managers on node ports": size_fabric(8, 2, 8, 16, reserved_ports=4),
    "fabric managers on spare ports": size_fabric(8, 2, 8, 20, reserved_ports=4),
    "fabric managers of two units": size_fabric(8, 2, 4, 16, 2, reserved_ports=10),
}
SEPARATE = {"rail-only": 8, "one switch": 2, "two planes": 2, "fabric managers of two units": 2}


def links(shape: FabricShape) -> list[Link]:
    return list(design_links("t", shape))


def neighbours(found: list[Link]) -> dict[str, set[str]]:
    joined: defaultdict[str, set[str]] = defaultdict(set)
    for link in found:
        joined[link.a].add(link.z)
        joined[link.z].add(link.a)
    return joined


def distances(joined: dict[str, set[str]], start: str) -> dict[str, int]:
    """Switches on the way to each switch, the ends counted."""
    seen, queue = {start: 1}, deque([start])
    while queue:
        here = queue.popleft()
        for there in sorted(joined[here] - seen.keys()):
            seen[there] = seen[here] + 1
            queue.append(there)
    return seen


@pytest.fixture(params=SHAPES, ids=list(SHAPES))
def case(request: pytest.FixtureRequest) -> tuple[str, FabricShape]:
    return request.param, SHAPES[request.param]


def test_every_port_ends_one_link_and_exists(case: tuple[str, FabricShape]):
    _, shape = case
    found = links(shape)
    ends = Counter((link.a, link.a_port) for link in found)
    ends.update((link.z, str(link.z_port)) for link in found)
    assert max(ends.values()) == 1
    switches = {link.z for link in found} | {link.a for link in found if link.kind != "node-leaf"}
    assert all(1 <= int(port) <= shape.radix for device, port in ends if device in switches)
    assert len(switches) == shape.leaves + shape.spines + shape.cores


def test_cables_are_those_of_the_closed_form(case: tuple[str, FabricShape]):
    _, shape = case
    cables = Counter(first.kind for first, _ in paired(links(shape)))
    assert (cables["node-leaf"], cables["leaf-spine"], cables["spine-core"]) == (
        shape.node_leaf,
        shape.leaf_spine,
        shape.spine_core,
    )


def test_pairs_of_a_pod_have_one_number_of_links_and_tiers_are_kept(case: tuple[str, FabricShape]):
    _, shape = case
    pairs = Counter((link.a, link.z, link.kind) for link in links(shape))
    for kind, wanted in (("leaf-spine", shape.links_per_pair), ("spine-core", shape.core_links)):
        assert {count for (_, _, of), count in pairs.items() if of == kind} <= {wanted}
    word = {"node-leaf": ("", "leaf"), "leaf-spine": ("leaf", "spine"), "spine-core": ("spine", "core")}
    assert all(word[kind][0] in a and word[kind][1] in z for a, z, kind in pairs)


def test_planes_never_meet(case: tuple[str, FabricShape]):
    name, shape = case
    switched = [link for link in links(shape) if link.kind != "node-leaf"]
    for link in switched:
        suffix = f"-p{link.plane}" if shape.planes > 1 else ""
        assert link.a.endswith(suffix)
        assert link.z.endswith(suffix)
    joined, left, parts = neighbours(switched), {link.z for link in links(shape) if "leaf" in link.z}, 0
    while left:
        left -= distances(joined, next(iter(sorted(left)))).keys()
        parts += 1
    assert parts == shape.separate_fabrics == SEPARATE.get(name, shape.planes)


def test_hops_and_core_load_are_those_of_the_wiring(case: tuple[str, FabricShape]):
    """Walked over the links: most switches on a shortest way, and the share of pairs of leaves that need a core."""
    _, shape = case
    one = [link for link in links(shape) if link.plane == 0]
    joined = neighbours([link for link in one if link.kind != "node-leaf"])
    leaves = sorted({link.z for link in one if "leaf" in link.z})
    rail = {leaf: None if shape.grouped else leaf.partition("-leaf-r")[2] for leaf in leaves}
    away = {leaf: distances(joined, leaf) for leaf in leaves}
    every = [(a, z) for a in leaves for z in leaves if a != z]
    same = [(a, z) for a, z in every if rail[a] == rail[z]]
    paths = paths_of(shape, shape.units)

    def most(pairs: list[tuple[str, str]]) -> int | None:
        return max((away[a].get(z, 99) for a, z in pairs), default=1)

    def load(pairs: list[tuple[str, str]]) -> float:
        return sum(away[a].get(z) == 5 for a, z in pairs) / len(pairs) if pairs else 0.0

    assert paths.same_rail_hops == most(same)
    assert (paths.any_hops or 99) == most(every)
    assert paths.same_rail_core_load == pytest.approx(load(same), abs=1e-6)
    assert paths.any_core_load == pytest.approx(load(every), abs=1e-6)


def test_pods_of_units_and_pods_of_rails():
    """Pods of units: 5 hops for same-rail traffic; of rails: 3, none through the core. The counts are the same."""
    units, rails = size_fabric(32, 32, 8, 64), size_fabric(32, 32, 8, 64, pod_by="rail")
    assert (units.leaves, units.spines, units.cores) == (rails.leaves, rails.spines, rails.cores) == (256, 256, 128)
    assert (paths_of(units, 32).same_rail_hops, paths_of(rails, 32).same_rail_hops) == (5, 3)
    assert paths_of(rails, 32).same_rail_core_load == 0
    assert paths_of(units, 32).same_rail_core_load == pytest.approx(28 / 31, abs=1e-6)


def test_fat_tree_keeps_a_node_on_one_leaf():
    shape = SHAPES["fat-tree"]
    by_node: defaultdict[str, set[str]] = defaultdict(set)
    for link in links(shape):
        if link.kind == "node-leaf":
            by_node[link.a].add(link.z)
    assert {len(leaves) for leaves in by_node.values()} == {1}
    assert by_node["t-su002-gpu03"] == {"t-su002-leaf-g02"}
    assert (shape.groups, shape.nodes_per_leaf, shape.node_ports, shape.uplinks) == (8, 1, 8, 8)


@pytest.mark.parametrize(
    ("slots", "radix", "groups"), [(32, 64, 8), (4, 64, 1), (16, 64, 4), (33, 64, 11), (5, 64, 5), (31, 64, 31)]
)
def test_fat_tree_takes_the_fewest_leaves_that_share_evenly(slots: int, radix: int, groups: int):
    shape = size_fabric(slots, 2, 8, radix, layout="fat-tree")
    assert shape.groups == groups
    assert slots % groups == 0
    assert shape.node_ports + shape.uplinks <= radix


def test_twin_cables_have_neighbouring_ports_below_and_above():
    """Two links of a NIC (its planes), two uplinks; with 4 links a pair both uplinks go side by side to one spine."""
    for first, second in paired(links(SHAPES["twin cables, even pairs"])):
        assert second is not None
        assert first.a == second.a
        if first.kind == "node-leaf":
            assert (first.a_port[:-1], first.plane, second.plane) == (second.a_port[:-1], 0, 1)
            assert first.z_port == second.z_port
        else:
            assert int(second.a_port) == int(first.a_port) + 1
            assert (second.z, second.z_port) == (first.z, first.z_port + 1)
            assert first.z_port % 2 == 1


def test_twin_cables_to_two_switches_where_pairs_have_one_link():
    twins = [pair for pair in paired(links(SHAPES["twin cables, one link a pair"])) if pair[0].kind == "leaf-spine"]
    assert twins
    for first, second in twins:
        assert second is not None
        assert first.z != second.z
        assert first.z_port == second.z_port


def test_twin_cables_of_a_plan_count_once_and_join_both_ports(site: SiteMaker):
    """Spectrum-X: 64 nodes on 128-port switches, 800G cables of 2 x 400G, one plane each."""
    node = {"nodeModel": "dgx-h100"}
    fabric = {
        "transport": "roce",
        "switchModel": "sn5600",
        "linkGbps": 200,
        "nodesPerUnit": 64,
        "planes": 2,
        "linksPerCable": 2,
    }
    found = plan(site(nodes=64, compute=node, fabric=fabric))
    summary = found.fabric
    assert (summary.leaves, summary.node_leaf_cables, summary.leaf_spine_cables) == (16, 512, 512)
    assert (summary.node_leaf_links, summary.leaf_spine_links, summary.endpoints) == (1024, 1024, 1024)
    twins = [cable for cable in found.cables if cable.kind in ("node-leaf", "leaf-spine")]
    assert all(len(list(links_of(cable))) == 2 for cable in twins)
    far = {f"{switch.name}/{port}": end for switch in found.switches for port, end in switch.ports.items()}
    assert all(far[z] == a for cable in twins for a, z in links_of(cable))


def test_rail_only_has_no_spines_and_says_so(site: SiteMaker):
    found = plan(site(nodes=64, fabric={"nodesPerUnit": 64, "layout": "rail-only"}))
    assert (found.fabric.tiers, found.fabric.leaves, found.fabric.spines, found.fabric.separate_fabrics) == (1, 8, 0, 8)
    assert found.fabric.any_hops is None
    assert [finding.id for switch in found.switches for finding in check_switch(switch)] == []
    assert set(found.fabric.subnet_managers) == {f"r{rail}" for rail in range(8)}


def test_one_tier_hangs_all_nics_on_one_switch(site: SiteMaker):
    found = plan(site(nodes=8, fabric={"nodesPerUnit": 8, "tiers": 1}))
    (leaf,) = found.switches
    assert (leaf.name, leaf.rail, leaf.node_nic, leaf.free_ports) == ("t-su001-leaf-g00", None, None, 0)
    assert leaf.ports["12"] == "t-su001-gpu02/mlx5_5"
    assert check_switch(leaf) == []


def test_oversubscription_names_its_direction(site: SiteMaker):
    found = plan(site(fabric={"oversubscription": 2}))
    leaf = found.switches[0]
    assert (leaf.down_gbps, leaf.up_gbps, leaf.down_to_up, leaf.wanted_down_to_up) == (12_800, 6_400, 2, 2)
    assert found.fabric.shift_claim == "oversubscribed"
    assert check_switch(leaf) == []


def test_fabric_managers_get_real_cables(site: SiteMaker):
    """Four reserved ports: two UFM hosts, each on two leaves, on the last slot's ports of unit 1 (SuperPOD H100 Table 4)."""
    found = plan(site(nodes=31, fabric={"reservedPorts": 4}))
    managed = {cable.a: cable.z for cable in found.cables if cable.kind == "node-leaf" and "ufm" in cable.a}
    assert managed == {
        "t-ufm01/ib0": "t-su001-leaf-r0/32",
        "t-ufm01/ib1": "t-su001-leaf-r1/32",
        "t-ufm02/ib0": "t-su001-leaf-r2/32",
        "t-ufm02/ib1": "t-su001-leaf-r3/32",
    }
    assert (found.fabric.node_leaf_cables, found.fabric.endpoints, found.fabric.manager_links) == (252, 248, 4)
    assert found.fabric.subnet_managers == {"fabric": ("t-ufm01", "t-ufm02")}
    placed = {device.name for rack in found.racks for device in rack.devices if device.installed}
    assert {"t-ufm01", "t-ufm02"} <= placed


def test_reserved_ports_of_leaves_with_spare_ports_take_no_slot(site: SiteMaker):
    found = plan(site(nodes=24, fabric={"nodesPerUnit": 24, "reservedPorts": 2}))
    assert not found.problems
    managed = {cable.z for cable in found.cables if cable.kind == "node-leaf" and "ufm" in cable.a}
    assert managed == {"t-su001-leaf-r0/49", "t-su001-leaf-r1/49"}


def test_reserved_ports_stay_free_on_ethernet(site: SiteMaker):
    fabric = {"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 64, "reservedPorts": 2}
    found = plan(site(nodes=2, fabric=fabric))
    assert not [cable for cable in found.cables if "ufm" in cable.a]
    assert [switch.free_ports for switch in found.switches if switch.role == "leaf"] == [61, 61] + [62] * 6
    assert found.fabric.subnet_managers == {}


def test_more_managers_than_the_first_units_leaves_go_on_to_the_next():
    shape = SHAPES["fabric managers of two units"]
    assert len(set(shape.reserved_leaves())) == 10
    assert shape.lost_slots() == {(1, 8), (2, 8)}
    assert shape.nodes == 14


@pytest.mark.parametrize(
    ("changes", "managers"),
    [
        ({}, ("t-spine001", "t-spine002")),
        ({"scalableUnits": 16}, ("t-core001", "t-core002")),
        ({"nodesPerUnit": 8, "tiers": 1}, ("t-su001-leaf-g00",)),
        ({"switchModel": "q3400", "linkGbps": 800, "nodesPerUnit": 72}, ()),
    ],
)
def test_a_switchs_own_subnet_manager_where_the_catalogue_says_so(site: SiteMaker, changes, managers: tuple[str, ...]):
    found = plan(site(fabric=changes))
    assert found.fabric.subnet_managers == {"fabric": managers}
    assert found.fabric.subnet_manager_nodes == (2048 if managers else None)


def test_a_part_filled_pod_waives_its_claim_and_full_pods_build_it():
    part, full = SHAPES["part-filled last pod"], SHAPES["full pods"]
    assert (part.pods, part.claim(5), part.claim(4), part.claim(2)) == (3, "waived", "one flow per link", "one flow per link")
    assert (full.units, full.leaf_units(5), full.leaf_units(3), full.claim(5)) == (6, 6, 4, "one flow per link")
    assert full.spines == part.spines == 24
    cut = size_fabric(6, 4, 4, 12, full_pods=True, tiers=3)
    assert (cut.units, cut.leaf_units(1), cut.leaf_units(4), cut.pods, cut.claim(4)) == (6, 3, 6, 4, "one flow per link")


def test_full_pods_of_a_plan_have_leaves_without_nodes(site: SiteMaker):
    """5 of 16 units: the second pod has 4 units, so leaves of units 6 to 8 stand without nodes."""
    changes = {"scalableUnits": 5, "plannedScalableUnits": 16}
    part, full = plan(site(fabric=changes)), plan(site(fabric=changes | {"fullPods": True}))
    assert (part.fabric.leaves, part.fabric.spines, part.fabric.shift_claim) == (40, 64, "waived")
    assert (full.fabric.leaves, full.fabric.spines, full.fabric.shift_claim) == (64, 64, "one flow per link")
    assert "t-su008-leaf-r7" in {switch.name for switch in full.switches}
    assert set(part.cables) <= set(full.cables)


def test_pods_of_rails_stand_from_the_first_unit(site: SiteMaker):
    found = plan(site(fabric={"scalableUnits": 1, "plannedScalableUnits": 16, "podBy": "rail"}))
    assert (found.fabric.pods, found.fabric.spines, found.fabric.leaves) == (4, 128, 8)
    assert found.fabric.shift_claim == "waived"


@pytest.mark.parametrize(
    ("changes", "ratio", "divides"),
    [
        ({"scalableUnits": 4, "spines": 15}, "32:30 = 1.067:1", "15 spines do not divide 32 uplinks"),
        (
            {"scalableUnits": 4, "plannedScalableUnits": 8, "spines": 31},
            "32:31 = 1.032:1",
            "31 spines do not divide 32 uplinks",
        ),
    ],
)
def test_a_spine_too_few_blocks_and_does_not_divide(site: SiteMaker, changes, ratio: str, divides: str):
    """16 -> 15 on the published 4-unit row, 32 -> 31 where eight units are planned (prod-site-a)."""
    found = plan(site(nodes=128, fabric=changes))
    leaves = [switch for switch in found.switches if switch.role == "leaf"]
    said = {(finding.id, finding.found) for leaf in leaves for finding in check_switch(leaf)}
    assert said == {("FABRIC-001", ratio)}
    assert [finding.found.startswith(divides) for finding in check_site(found.site, found.fabric)] == [True]
    whole = plan(site(nodes=128, fabric=changes | {"spines": changes["spines"] + 1}))
    assert [finding for switch in whole.switches for finding in check_switch(switch)] == []
    assert check_site(whole.site, whole.fabric) == []


def test_12_spines_of_3_units_take_every_uplink_and_are_uneven():
    """12 x 64 = 24 x 32: nothing blocks, and pairs have 2 or 3 links (the 12-or-16 trap)."""
    shape = size_fabric(32, 3, 8, 64, spines=12)
    assert (shape.uplinks, shape.wanted_uplinks) == (32, 32)
    assert (shape.claim(3), size_fabric(32, 3, 8, 64).claim(3)) == ("uneven", "one flow per link")
    assert size_fabric(32, 1, 8, 64, spines=2).uplinks == 16


def test_pod_by_rail_that_cuts_a_rail_is_refused(site: SiteMaker):
    with pytest.raises(PlanError) as error:
        plan(site(fabric={"scalableUnits": 12, "podBy": "rail"}))
    (problem,) = error.value.problems
    assert (problem.id, problem.where) == ("PLAN-022", "railyard:fabric.plannedScalableUnits")
    assert "to 8 or 16" in problem.fix


def test_a_fat_tree_has_addresses_and_numbers_for_each_leaf(site: SiteMaker):
    """Routed: a subnet for each rail of each leaf, one AS number for each leaf, nothing twice."""
    fabric = {"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 64, "scalableUnits": 2, "layout": "fat-tree"}
    found = plan(site(nodes=128, fabric=fabric))
    assert max(Counter(row.address for row in found.addresses).values()) == 1
    leaves = [switch for switch in found.switches if switch.role == "leaf"]
    assert len({leaf.routing.asn for leaf in leaves if leaf.routing}) == len(leaves) == 16
    subnets = [subnet for leaf in leaves if leaf.routing for subnet in leaf.routing.subnets]
    assert len(set(subnets)) == len(subnets) == 16 * 8
    gateway = {(row.device, row.interface): row.address for row in found.addresses}
    cable = next(cable for cable in found.cables if cable.a == "t-su001-gpu10/mlx5_3")
    device, _, port = cable.z.partition("/")
    assert (device, port) == ("t-su001-leaf-g01", "swp10")
    node_end = next(row.address for row in found.addresses if f"{row.device}/{row.interface}" == cable.a)
    assert gateway[device, port].rpartition(".")[0] == node_end.rpartition(".")[0]
    assert int(node_end.rpartition(".")[2]) == int(gateway[device, port].rpartition(".")[2]) + 1


def test_switch_numbers_are_identities_that_pods_of_rails_do_not_shift(site: SiteMaker):
    """64 planned units of 32 uplinks: a rail has two pods; building unit 33 starts all second pods and moves no address."""
    fabric = {"plannedScalableUnits": 16, "nodesPerUnit": 8, "switchModel": "qm9700", "podBy": "rail", "tiers": 3, "rails": 8}
    blocks = {"oob": "10.64.0.0/12"}
    before, after = (
        {
            (row.device, row.interface): row.address
            for row in plan(site(fabric=fabric | {"scalableUnits": n}, addresses=blocks)).addresses
        }
        for n in (8, 9)
    )
    assert before.items() <= after.items()
