"""Rules of the storage, in-band and out-of-band networks: each with what passes, what fails, and the edge between them."""

import pytest

from railyard.model.plan import Cable
from railyard.rules import RULES, Thresholds
from railyard.rules.networks import check_network, check_shared_switches
from tests.unit.rules.network_factory import layer, network, oob_network, storage_network
from tests.unit.rules.rules_factory import ids

pytestmark = pytest.mark.requirement("N2")


def found(noun, limits=None):
    return [(finding.id, finding.severity, finding.found) for finding in check_network(noun, limits or Thresholds())]


def only(noun, limits=None):
    """The one finding of a slice."""
    findings = check_network(noun, limits or Thresholds())
    assert len(findings) == 1, findings
    return findings[0]


def test_good_networks_have_no_findings():
    for noun in (network(), storage_network(), oob_network()):
        assert found(noun) == []


def test_every_rule_is_documented_and_in_the_pack():
    for number in range(40, 50):
        rule = RULES[f"FABRIC-{number:03d}"]
        assert rule.pack == "fabric"
        assert all((rule.why, rule.inputs, rule.passes, rule.fails, rule.cause, rule.manual, rule.fix, rule.source))


def test_sharing_is_found_unless_it_is_declared():
    shared = network(kind="storage", shares=("compute", "in-band"), declared=("in-band",))
    finding = only(shared)
    assert (finding.id, finding.found) == ("FABRIC-040", "its switches are shared with compute")
    assert "only in-band" in finding.limit
    assert found(network(shares=("storage",), declared=("storage",))) == []
    assert "switches of its own" in only(network(shares=("storage",))).limit


def cable(kind, z, number):
    return Cable(f"d{number}:p", kind, f"d{number}/p", f"{z}/{number}", "", "", 1.0, 1.0, "cat6a")


def test_sharing_is_found_in_the_cables_whatever_the_slices_say():
    """A storage server on a leaf (NVIDIA/topograph#265). A leaf-spine and a node-leaf cable on one switch are one network."""
    good = [cable("node-leaf", "leaf", 1), cable("leaf-spine", "leaf", 2), cable("storage", "sto", 3), cable("oob", "oob", 4)]
    assert check_shared_switches((network(),), good) == []
    findings = check_shared_switches((network(),), [*good, cable("storage", "leaf", 5)])
    assert [(finding.id, finding.where, finding.found) for finding in findings] == [
        ("FABRIC-040", "leaf", "cables of compute and storage end here")
    ]
    both = [cable("storage", "sto", 1), cable("in-band", "sto", 2)]
    assert len(check_shared_switches((network(),), both)) == 1
    assert check_shared_switches((storage_network(declared=("in-band",)),), both) == []


def test_an_end_without_a_cable_is_named():
    finding = only(oob_network(uncovered=("lab-r001-pdu-a/net0",)))
    assert (finding.id, finding.found) == ("FABRIC-041", "no cable for lab-r001-pdu-a/net0")
    assert finding.limit == "a port for each of 34 bmc, 32 pdu, 16 switch"


@pytest.mark.parametrize("role", ["pair", "leaf", "service-leaf", "access"])
def test_spare_ports(role: str):
    assert found(network(layers=(layer(role=role, used=62, free=2),))) == []
    finding = only(network(layers=(layer(role=role, used=63, free=1),)))
    assert (finding.id, finding.limit) == ("FABRIC-042", "2 free")
    assert finding.found == "63 of 64 ports planned on lab-mgmt-sw01 to lab-mgmt-sw02, 1 free"
    assert found(network(layers=(layer(role=role, used=64, free=0),)))[0][0] == "FABRIC-042"
    assert found(network(layers=(layer(role=role, used=63, free=1),)), Thresholds(network_spare_ports_min=1)) == []


def test_spines_may_be_full_and_a_single_switch_has_one_name():
    assert found(network(layers=(layer(role="spine", used=64, free=0),))) == []
    assert "on lab-mgmt-sw01, 1 free" in only(network(layers=(layer(switches=1, used=63, free=1),))).found
    assert "railyard:networks.inBand.sparePorts" in only(network(layers=(layer(used=63, free=1),))).fix


def test_storage_bandwidth():
    """120 GB/s written twice: 240 GB/s must arrive; as much as that is enough."""
    assert found(storage_network(server_gb_per_s=240.0)) == []
    finding = only(storage_network(server_gb_per_s=239.9))
    assert (finding.id, finding.limit) == ("FABRIC-043", "240 GB/s (2 x 120 GB/s, mirrored)")
    assert finding.found == "239.9 GB/s into the servers, node side : server side = 32.00:1"
    assert only(storage_network(server_gb_per_s=100.0, copies=1)).limit == "120 GB/s"
    assert "side" not in only(storage_network(server_gb_per_s=0.0, node_to_server=None)).found
    assert found(storage_network(server_gb_per_s=0.0, target_gb_per_s=None)) == []
    assert found(network(server_gb_per_s=0.0, target_gb_per_s=120.0)) == [], "in-band has no target"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"transport": "infiniband", "attach": "mlag", "carries": ("storage",)}, "mlag on InfiniBand"),
        ({"transport": "infiniband", "attach": "esi", "carries": ("storage",)}, "esi on InfiniBand"),
        ({"transport": "infiniband", "attach": "independent"}, "in-band traffic on sn4600c (InfiniBand)"),
        ({"attach": "independent"}, "independent ports on Ethernet"),
        ({"peer_links": 1}, "mlag with 1 links between the two switches"),
        ({"peer_links": 1, "tiers": 2}, "mlag with 1 links between the two switches"),
        ({"attach": "esi", "peer_links": 0}, "esi with 0 links between the two switches"),
        ({"attach": "routed", "peer_links": 0}, "routed with 0 links between the two switches"),
    ],
)
def test_attachments_that_there_are_not(changes, words: str):
    finding = only(network(**changes))
    assert (finding.id, finding.found) == ("FABRIC-044", words)


@pytest.mark.parametrize(
    "changes",
    [
        {"transport": "infiniband", "attach": "independent", "carries": ("storage",)},
        {"attach": "esi", "peer_links": 1},
        {"attach": "esi", "peer_links": 0, "tiers": 2},
        {"attach": "routed", "peer_links": 0, "tiers": 2},
        {"attach": "mlag", "peer_links": 2},
    ],
)
def test_attachments_that_work(changes):
    assert found(network(**changes)) == []


def test_copper_reach():
    assert found(oob_network(longest_copper_m=100.0)) == []
    finding = only(oob_network(longest_copper_m=100.5))
    assert (finding.id, finding.found, finding.limit) == ("FABRIC-045", "100.5 m of copper", "100 m")
    assert only(oob_network(longest_copper_m=91.0), Thresholds(oob_copper_m_max=90.0)).limit == "90 m"


def test_two_ports_two_switches_two_racks():
    finding = only(storage_network(single_homed=("lab-sto01", "and 3 more")))
    assert (finding.id, finding.found) == ("FABRIC-046", "cables of lab-sto01, and 3 more end on one switch")
    finding = only(network(same_rack=("lab-mgmt-sw01 and lab-mgmt-sw02",)))
    assert finding.found == "lab-mgmt-sw01 and lab-mgmt-sw02 stand in one rack"
    finding = only(storage_network(layers=(layer(role="spine", switches=1, used=64, free=0),)))
    assert (finding.id, finding.found) == ("FABRIC-046", "all leaves meet in lab-mgmt-sw01")
    assert found(storage_network(layers=(layer(role="spine", switches=2),))) == []
    assert found(storage_network(layers=(layer(role="leaf", switches=1),))) == []


def test_leaf_and_spine_rules_count_here_too():
    """Equal to its limit passes; a spine below cores may not block at all."""
    full = layer(role="spine", used=64, free=0, down_gbps=12800.0)
    assert found(storage_network(layers=(full,))) == []
    assert only(storage_network(layers=(layer(role="spine", used=65, free=-1),))).found.startswith("65 ports planned")
    assert ids(check_network(network(layers=(layer(used=65, free=-1),)))) == ["FABRIC-047"], "too many is not too few spare"
    edge = layer(role="leaf", down_gbps=12000.0, up_gbps=8000.0)
    assert found(storage_network(layers=(edge,))) == []
    for role in ("leaf", "service-leaf"):
        finding = only(storage_network(layers=(layer(role=role, down_gbps=12800.0, up_gbps=8000.0),)))
        assert (finding.id, finding.limit) == ("FABRIC-047", "1.5:1")
        assert "1.600:1 down to up" in finding.found
    assert only(storage_network(layers=(layer(role="spine", down_gbps=9600.0, up_gbps=8000.0),))).limit == "1:1"
    assert found(storage_network(layers=(layer(role="pair", down_gbps=9e9, up_gbps=1.0),))) == [], "a pair has no way up"
    finding = only(storage_network(links_per_pair=2.75))
    assert (finding.id, finding.found) == ("FABRIC-047", "2.75 links between a leaf and a spine")


def test_ports_of_a_node():
    assert found(network(ports_per_node=5)) == []
    finding = only(network(ports_per_node=2))
    assert (finding.id, finding.severity) == ("FABRIC-048", "limit")
    assert finding.found == "2 ports beside the training NICs of a node"
    finding = only(network(ports_per_node=None))
    assert (finding.id, finding.severity) == ("FABRIC-048", "undecided")
    assert found(network(link_gbps=400.0)) == []
    assert only(network(link_gbps=400.5)).limit == "400 Gb/s adapters"
    assert found(network(link_gbps=800.0, nic_gbps=None)) == [], "unknown speed: nothing to compare with"


def test_two_ways_up():
    assert only(oob_network(uplinks_per_switch=1, uplink_switches=1)).id == "FABRIC-049"
    assert only(oob_network(uplink_switches=1)).found == "2 uplinks to 1 switches"
    assert only(oob_network(uplinks_per_switch=1)).found == "1 uplinks to 2 switches"
    assert found(oob_network(uplinks_per_switch=4)) == []
    assert found(network(uplinks_per_switch=0)) == [], "of the out-of-band network only"
