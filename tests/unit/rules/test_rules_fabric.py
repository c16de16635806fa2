"""Blocking, equal links, rails, ports, tiers: passing, at the limit, one step over."""

from railyard.model.plan import Cable
from railyard.rules import Thresholds, check_cables, check_site, check_switch
from tests.unit.rules.rules_factory import fabric, ids, leaf, spine, totals


def site(totals_changes=None, limits=None, **fabric_changes):
    return check_site(totals(**totals_changes or {}), fabric(**fabric_changes), limits or Thresholds())


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
    assert check_switch(spine(ports={"1": "lab-su001-gpu01/mlx5_3"})) == []


def test_a_far_end_on_two_ports():
    finding, *rest = check_switch(leaf(ports={"1": "lab-su001-gpu01/mlx5_3", "2": "lab-su001-gpu01/mlx5_3"}))
    assert rest == []
    assert (finding.id, finding.severity) == ("FABRIC-005", "invariant")
    assert "on 2 ports" in finding.found


def test_more_cables_than_ports():
    ports = {str(n): f"lab-su001-leaf-r0/{n}" for n in range(64)}
    assert check_switch(spine(ports=ports)) == []
    finding, *rest = check_switch(spine(ports=ports | {"65": "x/1"}))
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
    three = {"planned_scalable_units": 16, "built_scalable_units": 16}
    assert site(three, tiers=3) == []


def test_a_leaf_has_ports_for_nodes_and_uplinks():
    """32 + 32 fill 64 ports; 32 + 48 would need 80."""
    assert site({"nodes_per_unit": 32}) == []
    finding, *rest = site({"nodes_per_unit": 32}, down_to_up=round(32 / 33, 6))
    assert rest == []
    assert (finding.id, finding.severity, finding.where) == ("FABRIC-006", "invariant", "railyard:fabric.uplinksPerLeaf")
    assert (finding.found, finding.limit) == ("32 node ports and 33 uplinks on each leaf", "64 ports")
    assert site({}, down_to_up=round(32 / 48, 6))[0].found == "32 node ports and 48 uplinks on each leaf"


def test_48_nodes_on_a_leaf_of_64_fit_exactly():
    """64 leaves of 48 down + 16 up, 16 spines of 64: blocking (FABRIC-001 of each leaf), but possible."""
    lab = {"nodes_per_unit": 48, "spines_per_plane": 16, "built_scalable_units": 8}
    assert site(lab, down_to_up=3.0, spines=16) == []
    assert ids(site(lab | {"built_scalable_units": 9}, down_to_up=3.0)) == ["FABRIC-004", "FABRIC-006", "FABRIC-007"]


def test_three_tiers_hold_as_many_pods_as_a_core_has_ports():
    whole = {"planned_scalable_units": 256, "built_scalable_units": 256}
    assert site(whole, tiers=3) == []
    assert ids(site({"planned_scalable_units": 257, "built_scalable_units": 1}, tiers=3)) == ["FABRIC-006"]
    findings = site({"planned_scalable_units": 1, "built_scalable_units": 257}, tiers=3)
    assert ids(findings) == ["FABRIC-006", "FABRIC-007"]
    assert (findings[0].found, findings[0].limit) == ("257 units make 65 pods of 32 leaves", "64 ports of a core")


def test_a_spine_below_cores_needs_twice_its_leaves():
    finding, *rest = site({"nodes_per_unit": 16}, tiers=3, down_to_up=round(16 / 33, 6))
    assert rest == []
    assert (finding.id, finding.found) == ("FABRIC-006", "33 leaves and 33 cores on each spine")
    assert site({"nodes_per_unit": 16}, tiers=3, down_to_up=0.5) == []


def test_a_ratio_of_nothing_is_no_division_by_zero():
    assert ids(site({"nodes_per_unit": 1}, down_to_up=0.0)) == ["FABRIC-006"]
    assert ids(site({"nodes_per_unit": 1, "planned_scalable_units": 8}, tiers=3, down_to_up=9.0)) == []


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
