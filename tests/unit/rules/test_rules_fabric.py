"""Blocking, equal links, rails, ports, tiers: passing, at the limit, one step over."""

import pytest
from msgspec.structs import replace

from railyard.model.plan import Cable
from railyard.plan import plan
from railyard.rules import Thresholds, check_cables, check_site, check_switch
from railyard.rules.fabric_wires import check_endpoints
from tests.planned_site import make_site
from tests.unit.rules.rules_factory import fabric, ids, leaf, machine, spine, totals


def site(totals_changes=None, limits=None, **fabric_changes):
    """Findings about a site whose built units are full, unless the changes say otherwise."""
    sums = totals(**totals_changes or {})
    full = {"nodes": sums.built_scalable_units * sums.nodes_per_unit} if "nodes" not in (totals_changes or {}) else {}
    sums = sums.model_copy(update=full)
    facts = fabric(**{"subnet_manager_nodes": None} | fabric_changes)
    linked = {"endpoints": sums.nodes * facts.rails * facts.planes} if "endpoints" not in fabric_changes else {}
    return check_site(sums, facts.model_copy(update=linked), limits or Thresholds())


def cable(number, a, z):
    return Cable(str(number), "node-leaf", a, z, "", "", 400.0, 2.0, "copper")


def test_good_switches_and_site_have_no_findings():
    assert check_switch(leaf()) == []
    assert check_switch(spine()) == []
    assert site() == []


def test_a_leaf_with_30_uplinks_for_32_ports_prints_its_ratio():
    links = {f"s{n}": 10 for n in range(3)}
    finding, *rest = check_switch(leaf(links_per_peer=links, up_gbps=12000.0))
    assert rest == []
    assert (finding.id, finding.found, finding.limit) == ("FABRIC-001", "32:30 = 1.067:1", "1:1")
    assert "2 more uplinks" in finding.fix


def test_undersubscribed_passes_and_a_ratio_can_be_allowed():
    assert check_switch(leaf(down_gbps=12400.0)) == []
    two_to_one = leaf(up_gbps=6400.0, links_per_peer={"s1": 8, "s2": 8})
    assert ids(check_switch(two_to_one)) == ["FABRIC-001"]
    assert check_switch(two_to_one, Thresholds(down_to_up_max=2)) == []


def test_a_leaf_without_uplinks_is_said_loudly():
    for without in (leaf(links_per_peer={}), leaf(up_gbps=0.0)):
        finding, *rest = check_switch(without)
        assert rest == []
        assert finding.found == "12800 Gb/s down and no uplink"
    assert check_switch(leaf(links_per_peer={}, up_gbps=0.0, down_gbps=0.0)) == []


def test_a_spine_below_a_core_is_judged_and_a_top_spine_is_not():
    assert ids(check_switch(spine(links_per_peer={"c1": 16}, up_gbps=6400.0))) == ["FABRIC-001"]
    assert check_switch(spine()) == []


def test_unequal_links_name_the_next_divisor():
    links = {f"s{n:02d}": 3 if n < 8 else 2 for n in range(12)}
    finding, *rest = check_switch(leaf(links_per_peer=links))
    assert rest == []
    assert finding.id == "FABRIC-002"
    assert finding.found == "32 uplinks over 12 switches above: 2 links to 4 of them, 3 links to 8 of them"
    assert "to 16, a divisor of 32" in finding.fix


def test_nics_of_another_rail_plane_or_unit():
    wrong = {
        "1": "lab-su001-gpu01/mlx5_4",
        "2": "lab-su001-gpu02/mlx5_3p1",
        "3": "lab-su002-gpu03/mlx5_3",
        "4": "lab-su001-gpu04/mlx5_3",
        "5": "lab-spine001/9",
        "6": "ufm-gpu/mlx5_3",
    }
    findings = check_switch(leaf(ports=wrong))
    assert [(f.id, f.where) for f in findings] == [("FABRIC-003", f"lab-su001-leaf-r3/{port}") for port in "123"]
    assert findings[0].found == "lab-su001-gpu01/mlx5_4 hangs here"
    assert findings[0].limit == "rail 3, plane 0, unit 1"


def test_case_49_the_number_of_a_nic_is_not_its_rail():
    """On a DGX H100 rail 3 is mlx5_5 (or whatever the catalogue says), and mlx5_3 another rail's or no training NIC."""
    assert check_switch(leaf(node_nic="mlx5_5", ports={"1": "lab-su001-gpu01/mlx5_5"})) == []
    finding, *rest = check_switch(leaf(node_nic="mlx5_5", ports={"1": "lab-su001-gpu01/mlx5_3"}))
    assert rest == []
    assert (finding.id, finding.limit) == ("FABRIC-003", "rail 3 (mlx5_5), plane 0, unit 1")


def test_two_planes():
    assert check_switch(leaf(plane=1, ports={"1": "lab-su001-gpu01/mlx5_3p1"})) == []
    assert ids(check_switch(leaf(plane=1, ports={"1": "lab-su001-gpu01/mlx5_3"}))) == ["FABRIC-003"]


def test_rails_are_a_matter_of_leaves_only():
    assert ids(check_switch(spine(ports={"1": "lab-su001-gpu01/mlx5_3"}))) == ["FABRIC-009"]


def test_a_far_end_on_two_ports():
    finding, *rest = check_switch(leaf(ports={"1": "lab-su001-gpu01/mlx5_3", "2": "lab-su001-gpu01/mlx5_3"}))
    assert rest == []
    assert (finding.id, finding.severity) == ("FABRIC-005", "invariant")
    assert "on 2 ports" in finding.found


def test_more_cables_than_ports():
    ports = {str(n): f"lab-su001-leaf-r0/{n}" for n in range(64)}
    assert check_switch(spine(ports=ports)) == []
    finding, *rest = check_switch(spine(ports=ports | {"65": "lab-core001/1"}))
    assert rest == []
    assert (finding.id, finding.severity, finding.limit) == ("FABRIC-006", "invariant", "64 ports")


def test_a_port_used_twice_by_cables():
    assert check_cables([cable(1, "n1/mlx5_0", "leaf/1"), cable(2, "n2/mlx5_0", "leaf/2")]) == []
    findings = check_cables([cable(1, "n1/mlx5_0", "leaf/1"), cable(2, "n1/mlx5_0", "leaf/1"), cable(3, "leaf/1", "x/1")])
    assert [(f.where, f.found) for f in findings] == [("leaf/1", "3 cables end here"), ("n1/mlx5_0", "2 cables end here")]


def test_twelve_spines_for_three_units():
    """The 12-or-16 trap: 24 leaves of 32 uplinks need ceil(768 / 64) = 12 spines, and 12 doesn't divide 32."""
    trap = {"planned_scalable_units": 3, "built_scalable_units": 3, "spines_per_plane": 12}
    finding, *rest = site(trap, links_per_pair=32 / 12)
    assert rest == []
    assert (finding.id, finding.where) == ("FABRIC-002", "railyard:fabric.spines")
    assert finding.found == "12 spines do not divide 32 uplinks (2.67 links per pair)"
    assert "to 16, a divisor of 32" in finding.fix
    assert site(trap | {"spines_per_plane": 16}, links_per_pair=2.0) == []


def test_spare_leaf_ports():
    assert site({"spare_leaf_ports": 8}, Thresholds(spare_leaf_ports_min=8)) == []
    finding, *rest = site({"spare_leaf_ports": 7}, Thresholds(spare_leaf_ports_min=8))
    assert rest == []
    assert (finding.id, finding.where, finding.found, finding.limit) == ("FABRIC-004", "lab", "7 free leaf ports", "8")
    assert "nodesPerUnit" in finding.fix


def test_spine_ports_for_planned_units():
    """8 units x 8 rails x 1 link fill 64 ports; 16 spines would need 2 links per pair and 128 ports."""
    finding, *rest = site({"spines_per_plane": 16}, links_per_pair=2.0)
    assert rest == []
    assert (finding.id, finding.found, finding.limit) == (
        "FABRIC-004",
        "8 planned units need 128 ports on each spine",
        "64 ports",
    )
    assert "to 32, a divisor of 32" in finding.fix
    impossible = site({"spines_per_plane": 32, "planned_scalable_units": 9}, links_per_pair=1.0)
    assert ids(impossible) == ["FABRIC-004"], "nothing of the ninth unit is built yet"
    built = site({"spines_per_plane": 32, "planned_scalable_units": 9, "built_scalable_units": 9}, links_per_pair=1.0)
    assert ids(built) == ["FABRIC-004", "FABRIC-006"]
    assert built[1].found == "9 units need 72 ports on each spine"
    assert "two tiers need 36 spines and a leaf has 32 uplinks" in impossible[0].fix


def test_three_tiers_have_no_spine_ports_to_spare():
    three = {"planned_scalable_units": 16, "built_scalable_units": 16, "spines_per_plane": 128}
    assert site(three, tiers=3) == []


def test_a_leaf_has_ports_for_nodes_and_uplinks():
    """32 + 32 fill 64 ports; 32 + 33 would need 65."""
    three = {"planned_scalable_units": 16, "spines_per_plane": 128}
    assert site() == []
    finding, *rest = site(three, tiers=3, node_ports_per_leaf=33)
    assert rest == []
    assert (finding.id, finding.severity, finding.where) == ("FABRIC-006", "invariant", "railyard:fabric.uplinksPerLeaf")
    assert (finding.found, finding.limit) == ("33 node ports and 32 uplinks on each leaf", "64 ports")
    assert site({}, uplinks_per_leaf=64)[0].found == "32 node ports and 64 uplinks on each leaf"


def test_48_nodes_on_a_leaf_of_64_fit_exactly():
    """64 leaves of 48 down + 16 up, 16 spines of 64: blocking (FABRIC-001 of each leaf), but possible."""
    lab = {"nodes_per_unit": 48, "spines_per_plane": 16, "built_scalable_units": 8}
    facts = {"node_ports_per_leaf": 48, "uplinks_per_leaf": 16, "down_to_up": 3.0, "spines": 16}
    assert site(lab, **facts) == []
    assert ids(site(lab | {"built_scalable_units": 9}, **facts)) == ["FABRIC-004", "FABRIC-006", "FABRIC-007"]


def test_three_tiers_hold_as_many_pods_as_a_core_has_ports():
    whole = {"planned_scalable_units": 256, "built_scalable_units": 256}
    assert site(whole, tiers=3) == []
    assert ids(site({"planned_scalable_units": 257, "built_scalable_units": 1}, tiers=3)) == ["FABRIC-006"]
    findings = site({"planned_scalable_units": 1, "built_scalable_units": 257}, tiers=3)
    assert ids(findings) == ["FABRIC-006", "FABRIC-007"]
    assert (findings[0].found, findings[0].limit) == ("257 units make 65 pods of 32 leaves", "64 ports of a core")


def test_a_spine_below_cores_needs_twice_its_leaves():
    finding, *rest = site({"nodes_per_unit": 16}, tiers=3, node_ports_per_leaf=16, uplinks_per_leaf=33)
    assert rest == []
    assert (finding.id, finding.found) == ("FABRIC-006", "33 leaves and 33 cores on each spine")
    assert site({"nodes_per_unit": 16}, tiers=3, node_ports_per_leaf=16, uplinks_per_leaf=32) == []


def test_no_uplinks_are_no_division_by_zero():
    """One tier: nothing above a leaf is counted."""
    flat = {"uplinks_per_leaf": 0, "node_ports_per_leaf": 64, "links_per_pair": 0.0, "down_to_up": 0.0}
    assert site({"nodes_per_unit": 64, "spines_per_plane": 0}, tiers=1, **flat) == []
    assert ids(site({"nodes_per_unit": 65, "spines_per_plane": 0}, tiers=1, **flat | {"node_ports_per_leaf": 65})) == [
        "FABRIC-006"
    ]
    assert site({"planned_scalable_units": 8}, tiers=3, **flat) == []
    assert ids(site({"planned_scalable_units": 9}, tiers=3, **flat)) == ["FABRIC-006"]


def test_a_port_number_that_the_switch_does_not_have():
    assert check_switch(leaf(ports={"64": "lab-spine001/1"})) == []
    finding, *rest = check_switch(leaf(ports={"65": "lab-spine001/1"}))
    assert rest == []
    assert (finding.id, finding.found, finding.limit) == (
        "FABRIC-006",
        "1 cables on qm9700, the last one on port 65",
        "64 ports",
    )
    assert ids(check_switch(leaf(ports={"swp65": "lab-spine001/1"}))) == ["FABRIC-006"]
    assert check_switch(leaf(ports={"mgmt": "lab-oob/1"})) == []


def test_growth_beyond_the_plan():
    assert site({"planned_scalable_units": 4}) == []
    finding, *rest = site({"planned_scalable_units": 3})
    assert rest == []
    assert (finding.id, finding.where, finding.found) == ("FABRIC-007", "railyard:fabric.scalableUnits", "4 units built")


def test_fifteen_spines_on_the_published_four_unit_row():
    """16 -> 15: a spine's 64 ports carry two links of each of 32 leaves, so two uplinks of each leaf have no port."""
    blocked = leaf(links_per_peer={f"s{n}": 2 for n in range(15)}, up_gbps=12000.0)
    assert [(f.id, f.found) for f in check_switch(blocked)] == [("FABRIC-001", "32:30 = 1.067:1")]
    finding, *rest = site({"planned_scalable_units": 4, "spines_per_plane": 15}, links_per_pair=2.0, spines=15)
    assert rest == []
    assert (finding.id, finding.found) == ("FABRIC-002", "15 spines do not divide 32 uplinks (2.13 links per pair)")
    assert "to 16, a divisor of 32" in finding.fix


def test_spines_of_three_tiers_are_not_divided_into_a_leafs_uplinks():
    assert site({"planned_scalable_units": 12, "spines_per_plane": 96}, tiers=3) == []


def test_oversubscription_that_was_asked_for_passes_and_no_more():
    two_to_one = {"up_gbps": 6400.0, "links_per_peer": {"s1": 8, "s2": 8}}
    assert check_switch(leaf(wanted_down_to_up=2.0, **two_to_one)) == []
    finding, *rest = check_switch(leaf(wanted_down_to_up=1.9, **two_to_one))
    assert rest == []
    assert (finding.found, finding.limit) == ("32:16 = 2.000:1", "1.9:1")
    assert check_switch(leaf(wanted_down_to_up=1.0, **two_to_one), Thresholds(down_to_up_max=2)) == []


def test_a_leaf_without_uplinks_by_design_does_not_block():
    assert check_switch(leaf(links_per_peer={}, up_gbps=0.0, wanted_down_to_up=None)) == []
    assert ids(check_switch(leaf(links_per_peer={}, up_gbps=0.0, wanted_down_to_up=1.0))) == ["FABRIC-001"]


def test_a_leaf_that_takes_whole_nodes():
    """fat-tree: all NICs of a node hang on one leaf, in any order, and of its unit."""
    whole = {str(n): f"lab-su001-gpu0{n % 2 + 1}/mlx5_{n // 2}" for n in range(8)}
    grouped = {"rail": None, "node_nic": None}
    assert check_switch(leaf(**grouped, ports=whole | {"9": "lab-spine001/1", "10": "lab-ufm01/ib0"})) == []
    finding, *rest = check_switch(leaf(**grouped, ports={port: end for port, end in whole.items() if port != "7"}))
    assert rest == []
    assert (finding.id, finding.where) == ("FABRIC-003", "lab-su001-leaf-r3/lab-su001-gpu02")
    assert finding.found == "3 NICs of lab-su001-gpu02 hang here: mlx5_0, mlx5_1, mlx5_2"
    assert finding.limit == "all 4 NICs of a node, unit 1"
    assert ids(check_switch(leaf(**grouped, ports={"1": "lab-su002-gpu01/mlx5_0"}))) == ["FABRIC-003"]
    assert check_switch(leaf(**grouped, ports={"1": "spare/mlx5_0"})) == []
    assert check_switch(leaf(**grouped, ports={})) == []


def test_both_links_of_a_twin_cable_end_once():
    twin = Cable("1", "node-leaf", "n1/a", "l0/1", "", "", 400.0, 2.0, "x", a_second="n1/b", z_second="l1/1")
    assert check_cables([twin]) == []
    assert [f.where for f in check_cables([twin, cable(2, "n2/a", "l1/1")])] == ["l1/1"]
    same = Cable("1", "node-leaf", "n1/a", "l0/1", "", "", 400.0, 2.0, "x", a_second="n1/b", z_second="l0/1")
    assert [f.where for f in check_cables([same])] == ["l0/1"]


@pytest.mark.parametrize(
    ("switch", "end", "found"),
    [
        (leaf, "lab-su001-leaf-r4/1", "lab-su001-leaf-r4/1: a leaf on a leaf"),
        (leaf, "lab-core001/1", "lab-core001/1: a core on a leaf"),
        (spine, "lab-su001-gpu01/mlx5_3", "lab-su001-gpu01/mlx5_3: a host on a spine"),
        (spine, "lab-spine002/1", "lab-spine002/1: a spine on a spine"),
        (leaf, "lab-su001-leaf-r3/9", "lab-su001-leaf-r3/9: both ends on one switch"),
        (leaf, "lab-spine001-p1/1", "lab-spine001-p1/1: plane 1"),
    ],
)
def test_a_cable_goes_one_tier_up_in_its_plane(switch, end, found):
    finding, *rest = check_switch(switch(ports={"7": end}))
    assert rest == []
    assert (finding.id, finding.severity, finding.found) == ("FABRIC-009", "invariant", found)
    assert finding.where.endswith("/7")


def test_what_may_hang_on_each_tier():
    planes = {"name": "lab-spine001-p1", "plane": 1}
    assert check_switch(leaf(ports={"1": "lab-su001-gpu01/mlx5_3", "2": "lab-ufm01/ib0", "3": "lab-spine001/1"})) == []
    assert check_switch(spine(ports={"1": "lab-su001-leaf-r0/33", "2": "lab-core001/1"})) == []
    assert check_switch(spine(**planes, ports={"1": "lab-su001-leaf-r0-p1/33", "2": "lab-core001-p1/1"})) == []
    assert ids(check_switch(spine(**planes, ports={"1": "lab-su001-leaf-r0/33"}))) == ["FABRIC-009"]
    core = spine(name="lab-core001", role="core", ports={"1": "lab-spine001/33", "2": "lab-su001-leaf-r0/1"})
    assert [(f.id, f.limit) for f in check_switch(core)] == [("FABRIC-009", "a spine")]
    assert check_switch(leaf(name="lab-su001-leaf-r3-p1", plane=1, ports={"1": "lab-su001-gpu01/mlx5_3p1"})) == []


def test_every_training_nic_has_its_cable():
    """128 nodes x 8 rails are 1,024 links: one fewer and one more are both wrong."""
    assert site(endpoints=1024) == []
    assert site({"nodes": 128}, endpoints=2048, planes=2) == []
    for links in (1023, 1025):
        finding, *rest = site(endpoints=links)
        assert rest == []
        assert (finding.id, finding.severity, finding.found) == ("FABRIC-008", "invariant", f"{links} links of nodes")
        assert finding.limit == "1024: 128 nodes x 8 rails x 1 planes"


def test_a_nic_without_a_cable_is_named():
    node, disk = machine(), machine(name="lab-sto01", role="storage")
    linked = [cable(1, f"{node.name}/mlx5_0", "leaf/1"), replace(cable(2, f"{node.name}/mlx5_1", "x/1"), kind="in-band")]
    assert check_endpoints(linked, [node, disk], ["mlx5_0"]) == []
    finding, *rest = check_endpoints(linked, [node, disk], ["mlx5_0", "mlx5_1"])
    assert rest == []
    assert (finding.id, finding.where, finding.found) == ("FABRIC-008", f"{node.name}/mlx5_1", "no cable")


def test_rail_only_is_loud_unless_it_is_allowed():
    flat = {"layout": "rail-only", "tiers": 1, "separate_fabrics": 8, "uplinks_per_leaf": 0}
    finding, *rest = site({"spines_per_plane": 0}, **flat)
    assert rest == []
    assert (finding.id, finding.severity, finding.where) == ("FABRIC-010", "limit", "railyard:fabric.layout")
    assert finding.found == "rail-only: 8 separate fabrics, no spine joins them"
    assert site({"spines_per_plane": 0}, Thresholds(rail_only_allowed=True), **flat) == []


def test_each_subnet_has_its_subnet_managers():
    assert site(subnet_managers={"fabric": ("lab-ufm01", "lab-ufm02")}) == []
    assert site(subnet_managers={"p0": ("a", "b"), "p1": ("a", "b")}) == []
    assert site(transport="roce", subnet_managers={"fabric": ()}) == []
    lonely = site(subnet_managers={"p0": (), "p1": ("lab-ufm01",)})
    assert [(f.id, f.found, f.limit) for f in lonely] == [
        ("FABRIC-011", "0 subnet managers in subnet p0", "2"),
        ("FABRIC-011", "1 subnet manager in subnet p1: lab-ufm01", "2"),
    ]
    assert {f.where for f in lonely} == {"railyard:fabric.reservedPorts"}
    one = Thresholds(subnet_managers_min=1)
    assert [f.found for f in site({}, one, subnet_managers={"p0": (), "p1": ("u",)})] == ["0 subnet managers in subnet p0"]


def test_a_switchs_own_subnet_manager_has_2048_nodes():
    """1,024 NICs and 32 + 32 switches are 1,088 nodes; planes and rails that are apart have a subnet each."""
    assert site(subnet_manager_nodes=1088) == []
    finding, *rest = site(subnet_manager_nodes=1087)
    assert rest == []
    assert (finding.id, finding.limit) == ("FABRIC-011", "1087 nodes")
    assert finding.found.startswith("1088 InfiniBand nodes")
    assert ids(site({"nodes": 128}, subnet_manager_nodes=1087, cores=1)) == ["FABRIC-011"]
    assert site(subnet_manager_nodes=544, separate_fabrics=2) == []
    assert ids(site(subnet_manager_nodes=543, separate_fabrics=2)) == ["FABRIC-011"]


def test_units_are_filled_one_after_the_other():
    assert site({"nodes": 97}) == []
    assert site({"nodes": 96}) == []
    assert site({"nodes": 65}) == []
    finding, *rest = site({"nodes": 64})
    assert rest == []
    assert (finding.id, finding.where) == ("FABRIC-012", "railyard:fabric.scalableUnits")
    assert (finding.found, finding.limit) == ("4 units built for 64 nodes, 2 hold them", "1 units ahead of their nodes")
    assert site({"nodes": 64}, Thresholds(empty_units_max=2)) == []


@pytest.mark.parametrize(
    ("keys", "idle"),
    [
        ({"podBy": "rail"}, ["podBy"]),
        ({"fullPods": True, "podBy": "rail"}, ["fullPods", "podBy"]),
        ({"podBy": "unit"}, []),
        ({"podBy": "rail", "tiers": 3, "plannedScalableUnits": 8}, []),
        ({"fullPods": True, "tiers": 1, "nodesPerUnit": 4}, ["fullPods"]),
    ],
)
def test_keys_of_three_tiers_without_an_effect(keys, idle):
    """FABRIC-013: pods are of three tiers."""
    made = plan(make_site(nodes=1, fabric=keys))
    found = [finding for finding in check_site(made.site, made.fabric) if finding.id == "FABRIC-013"]
    assert [finding.where for finding in found] == [f"railyard:fabric.{key}" for key in idle]
    assert {finding.severity for finding in found} <= {"limit"}


ROCE = {"transport": "roce", "switchModel": "sn5600", "nos": "sonic"}


@pytest.mark.parametrize(
    ("sections", "idle"),
    [
        (
            {"fabric": ROCE, "infiniband": {"partitions": [{"tenant": "research", "nodes": ["su001"]}], "sharp": True}},
            ["railyard:infiniband.partitions", "railyard:infiniband.sharp"],
        ),
        ({"fabric": ROCE, "infiniband": {"adaptiveRouting": False}}, ["railyard:infiniband.adaptiveRouting"]),
        ({"fabric": ROCE, "infiniband": {"adaptiveRouting": True}}, []),
        ({"fabric": {**ROCE, "asnBase": 4200100000}, "addresses": {"loopbacks": "10.9.0.0/24"}}, []),
        (
            {
                "fabric": {
                    "nos": "sonic", "nosVersion": "202511", "asnBase": 4200100000,
                    "bfd": {"enabled": False}, "lossless": {"dscp": 24},
                },
                "addresses": {"loopbacks": "10.9.0.0/24"},
            },
            [
                "railyard:addresses.loopbacks", "railyard:fabric.asnBase", "railyard:fabric.bfd",
                "railyard:fabric.lossless", "railyard:fabric.nos", "railyard:fabric.nosVersion",
            ],
        ),
        ({"infiniband": {"partitions": [{"tenant": "research", "nodes": ["su001"]}], "adaptiveRouting": False}}, []),
    ],
)  # fmt: skip
def test_keys_of_the_other_transport_without_an_effect(sections, idle):
    """FABRIC-013: a fence that nothing builds is said, and so is a contract that no switch gets."""
    made = plan(make_site(nodes=1, **sections))
    found = [finding for finding in check_site(made.site, made.fabric) if finding.id == "FABRIC-013"]
    assert [finding.where for finding in found] == idle
    if "railyard:infiniband.partitions" in idle:
        assert "nothing keeps tenants apart" in found[0].found
