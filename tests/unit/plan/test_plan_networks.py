"""Storage, in-band and out-of-band networks: sizes of the reference, ports by identity, racks, and what breaks them."""

import itertools
from collections import Counter, defaultdict
from datetime import date

import msgspec
import pytest

from railyard.model.networks import NetworkPlan
from railyard.plan import Plan, PlanError, plan
from railyard.plan.networks.summary import network_ends, single_homed
from railyard.rules import check
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("N2")

FOUR_UNITS = {"scalableUnits": 4, "plannedScalableUnits": 8}
DEDICATED = {
    "switchRacks": "dedicated",
    "storageRacks": "dedicated",
    "nodesPerRack": 3,
    "spreadRacks": 1,
    "racksPerRow": 12,
    "feeds": [{"name": "a", "pduModel": "pdu-415v-60a-3ph"}, {"name": "b", "pduModel": "pdu-415v-60a-3ph"}],
}


def network(planned: Plan, kind: str) -> NetworkPlan:
    return next(network for network in planned.networks if network.kind == kind)


def ends(planned: Plan, kind: str) -> dict[str, str]:
    return {cable.a: cable.z for cable in planned.cables if cable.kind == kind}


def findings(site: SiteMaker, **sections: object) -> dict[str, str]:
    """Rules 040 to 049 that find something, and what."""
    config = site(**sections)
    found = check(config, plan(config), date(2026, 11, 30))
    return {finding.id: finding.found for finding in found if "FABRIC-040" <= finding.id <= "FABRIC-049"}


def test_a_node_has_one_port_on_each_switch_of_a_pair(site: SiteMaker):
    planned = plan(site())
    for kind, prefix, tag, port in (("storage", "storage", "sto", "4"), ("in-band", "inband", "mgmt", "swp4")):
        found = ends(planned, kind)
        assert found[f"t-su001-gpu04/{prefix}0"] == f"t-{tag}-sw01/{port}"
        assert found[f"t-su001-gpu04/{prefix}1"] == f"t-{tag}-sw02/{port}"


def test_leaf_ports_are_those_of_the_reference(site: SiteMaker):
    """2 x 32 nodes + 2 x 2 servers x 1 port; in-band: also 3 out-of-band switches and 2 ports for the site's routers, twice."""
    planned = plan(site())
    assert network(planned, "storage").leaf_ports == 2 * 32 + 2 * 2
    assert network(planned, "in-band").leaf_ports == 2 * 32 + 2 * 2 + 2 * 3 + 2 * 2
    layer = network(planned, "in-band").layers[0]
    assert (layer.used, layer.free) == (32 + 2 + 3 + 2 + 2, 23), "nodes, routers, out-of-band, servers, peer links"


def test_defaults_by_site(site: SiteMaker):
    """Storage follows the training fabric's kind at the adapters' speed, in-band is 100 GbE."""
    planned = plan(site())
    chosen = {item.kind: (item.switch_model, item.link_gbps, item.attach and item.attach.value) for item in planned.networks}
    assert chosen == {
        "storage": ("qm9700", 400, "independent"),
        "in-band": ("sn4600c", 100, "mlag"),
        "oob": ("sn2201", 1, None),
    }
    roce = {"transport": "roce", "switchModel": "sn5600", "linkGbps": 400}
    assert network(plan(site(fabric=roce)), "storage").switch_model == "sn5600"
    slower = plan(
        site(compute={"nodeModel": "dgx-a100"}, fabric={"switchModel": "qm8700", "linkGbps": 200, "nodesPerUnit": 20})
    )
    assert (network(slower, "storage").switch_model, network(slower, "storage").link_gbps) == ("qm8700", 200)


def test_the_first_switch_of_the_ladder_that_needs_no_third_tier(site: SiteMaker):
    """64 planned units: three tiers of 64-port switches. 256 ports of 100 Gb/s (SN5600) make two, but no cable joins them."""
    chosen = [network(plan(site(fabric={"plannedScalableUnits": units})), "in-band") for units in (1, 2, 64)]
    assert [(item.switch_model, item.tiers) for item in chosen] == [("sn4600c", 1), ("sn4600c", 2), ("sn4600c", 3)]


def test_a_pair_that_is_too_small_becomes_leaves_and_spines(site: SiteMaker):
    """8 planned units on 64-port switches: a pair for each, one for the servers; 24 uplinks (32 / 1.5, rounded up to a number
    with few spines) over 8 spines: 18 leaves x 24 / 64 = 6.75.
    """
    planned = plan(site(nodes=128, storage_nodes=8, fabric=FOUR_UNITS, facility=DEDICATED))
    storage = network(planned, "storage")
    assert {layer.role: layer.switches for layer in storage.layers} == {"leaf": 16, "service-leaf": 2, "spine": 8}
    assert (storage.tiers, storage.links_per_pair) == (2, 3)
    leaf = storage.layers[0]
    assert (leaf.down_gbps, leaf.up_gbps, leaf.used, leaf.free) == (32 * 400, 24 * 400, 56, 8)
    standing = Counter(switch.role for switch in planned.network_switches if switch.network == "storage")
    assert standing == {"leaf": 8, "service-leaf": 2, "spine": 8}, "leaves of four built units only"
    found = ends(planned, "storage")
    assert found["t-su002-gpu05/storage1"] == "t-sto-sw04/5"
    assert found["t-sto01/storage0"] == "t-sto-sw25/1"


def test_every_pair_of_leaf_and_spine_has_the_same_links(site: SiteMaker):
    planned = plan(site(nodes=128, storage_nodes=8, fabric=FOUR_UNITS, facility=DEDICATED))
    for kind in ("storage", "in-band"):
        up = Counter(
            (cable.a.partition("/")[0], cable.z.partition("/")[0])
            for cable in planned.cables
            if cable.kind == kind and "-sw" in cable.a and "-oob-" not in cable.a
        )
        spines = {switch.name for switch in planned.network_switches if switch.network == kind and switch.role == "spine"}
        counts = {links for (_, above), links in up.items() if above in spines}
        assert counts == {network(planned, kind).links_per_pair}


def test_two_thousand_nodes_take_three_tiers_on_small_switches(site: SiteMaker):
    """64 units: 130 leaves are more than 64 ports. Pods of 24 leaves and 24 spines, no port twice, none beyond the switch."""
    fabric = {"scalableUnits": 1, "plannedScalableUnits": 64}
    planned = plan(site(nodes=32, storage_nodes=8, fabric=fabric, facility=DEDICATED))
    storage = network(planned, "storage")
    assert storage.tiers == 3
    assert [layer.role for layer in storage.layers] == ["leaf", "service-leaf", "spine", "core"]
    assert all(layer.free >= 0 and layer.used <= layer.ports for layer in storage.layers)
    used = Counter(end for cable in planned.cables for end in (cable.a, cable.z))
    assert max(used.values()) == 1
    standing = {switch.name for switch in planned.network_switches}
    reached = {end.partition("/")[0] for cable in planned.cables if cable.kind == "storage" for end in (cable.a, cable.z)}
    assert {name for name in reached if "-sw" in name} <= standing


def test_out_of_band_reaches_all_that_stands(site: SiteMaker):
    """Six BMCs, two servers' management ports, 8 leaves, 4 spines, 2 x 2 switches, 2 racks x 4 strips."""
    planned = plan(site())
    found = ends(planned, "oob")
    kinds = Counter(end.partition("/")[2] for end in found)
    assert kinds == {"bmc": 6, "mgmt0": 2 + 8 + 4 + 4, "net0": 4, "net1": 4}
    assert found["t-su001-gpu01/bmc"] == "t-oob-sw01/swp1"
    assert found["t-su001-leaf-r0/mgmt0"] == "t-oob-sw01/swp33"
    assert found["t-spine001/mgmt0"] == "t-oob-sw03/swp1"
    assert found["t-sto01/bmc"] == "t-oob-sw03/swp9"
    assert network(planned, "oob").uncovered == ()
    assert network(planned, "oob").endpoints == {"bmc": 34, "pdu": 32, "storage": 2, "switch": 16}


@pytest.mark.parametrize(("slots", "switches"), [(6, 1), (7, 2), (52, 2), (53, 3)])
def test_one_switch_for_46_ends(site: SiteMaker, slots: int, switches: int):
    """Per unit: slots + 8 leaves + 4 strips in each of the racks for 4 nodes, in pairs: 8 racks for up to 32 slots ..."""
    planned = plan(site(fabric={"nodesPerUnit": slots, "uplinksPerLeaf": 4}, facility={"nodesPerRack": 48, "spreadRacks": 8}))
    unit = slots + 8 + 4 * 8
    assert -(-unit // 46) == switches
    names = {z.partition("/")[0] for a, z in ends(planned, "oob").items() if "-su001-" in a or "-pdu-" in a}
    assert names <= {f"t-oob-sw{number:02d}" for number in range(1, switches + 1)}
    assert network(planned, "oob").layers[0].used == min(46, unit)


def test_dpus_have_bmcs_of_their_own(site: SiteMaker):
    """A DGX B200 has two BlueField-3: two more ends for each node."""
    planned = plan(site(compute={"nodeModel": "dgx-b200"}, facility={"nodesPerRack": 2}))
    found = ends(planned, "oob")
    assert {"t-su001-gpu04/bmc", "t-su001-gpu04/dpu0-bmc", "t-su001-gpu04/dpu1-bmc"} <= set(found)
    assert network(planned, "oob").endpoints["dpu-bmc"] == 2 * 32


def test_storage_racks_have_switches_of_their_own(site: SiteMaker):
    planned = plan(site(nodes=4, storage_nodes=40, facility=DEDICATED))
    found = ends(planned, "oob")
    per_rack = Counter(z.partition("/")[0] for a, z in found.items() if "-sto" in a and a.endswith("/bmc"))
    assert len(per_rack) == 2
    rack = {device.name: rack.name for rack in planned.racks for device in rack.devices}
    for a, z in found.items():
        if "/bmc" in a and "-sto" in a:
            assert rack[a.partition("/")[0]] == rack[z.partition("/")[0]]


def test_uplinks_go_to_both_switches_of_the_in_band_pair(site: SiteMaker):
    found = ends(plan(site()), "in-band")
    for number in (1, 2, 3):
        upper = [found[f"t-oob-sw{number:02d}/swp{port}"].partition("/")[0] for port in (49, 50)]
        assert upper == ["t-mgmt-sw01", "t-mgmt-sw02"]
    assert network(plan(site()), "oob").uplink_switches == 2


def test_converged_only_when_declared(site: SiteMaker):
    """One pair of Ethernet switches, two ports per node, the servers' and the out-of-band uplinks on the same pair."""
    planned = plan(site(networks={"converged": True}))
    assert [item.kind for item in planned.networks] == ["storage", "oob"]
    storage = network(planned, "storage")
    assert (storage.transport, storage.switch_model, storage.carries) == ("ethernet", "sn5600", ("storage", "in-band"))
    assert (storage.shares, storage.declared, storage.ports_needed) == (("in-band",), ("in-band",), 2)
    assert not ends(planned, "in-band")
    assert ends(planned, "storage")["t-oob-sw01/swp49"].startswith("t-sto-sw01/")
    assert findings(site, networks={"converged": True}) == {}


def test_converged_on_infiniband_is_found(site: SiteMaker):
    """In-band traffic needs Ethernet."""
    found = findings(site, networks={"converged": True, "storage": {"switchModel": "qm9700"}})
    assert found["FABRIC-044"] == "in-band traffic on qm9700 (InfiniBand)"


def test_services_of_two_speeds_share_no_cage(site: SiteMaker):
    """Two ports to a cage of a QM9700: 31 nodes end in cage 16, so the servers (200 Gb/s) begin in cage 17."""
    found = ends(plan(site(fabric={"nodesPerUnit": 31})), "storage")
    assert found["t-sto01/storage0"] == "t-sto-sw01/33"


def test_two_spines_at_least(site: SiteMaker):
    """The closed form has one where one has the ports; both ports of a machine would meet in it."""
    planned = plan(site(fabric={"plannedScalableUnits": 2}))
    for kind in ("storage", "in-band"):
        spines = next(layer for layer in network(planned, kind).layers if layer.role == "spine")
        assert spines.switches >= 2
    assert findings(site, fabric={"plannedScalableUnits": 2}) == {}


def test_fabric_managers_are_on_both_management_networks(site: SiteMaker):
    planned = plan(site(fabric={"reservedPorts": 4}))
    assert ends(planned, "oob")["t-ufm01/bmc"] == "t-oob-sw03/swp9"
    assert {"t-ufm01/inband0", "t-ufm02/inband1"} <= set(ends(planned, "in-band"))


def test_without_servers_there_is_no_storage_network(site: SiteMaker):
    planned = plan(site(storage_nodes=0, networks={"converged": True}))
    assert [item.kind for item in planned.networks] == ["in-band", "oob"]
    assert (network(planned, "in-band").shares, network(planned, "in-band").carries) == ((), ("in-band",))


def test_racks_hold_their_switches_and_their_power(site: SiteMaker):
    planned = plan(site())
    devices = [device for rack in planned.racks for device in rack.devices if device.installed]
    roles = Counter(device.role for device in devices)
    assert (roles["storage-switch"], roles["in-band-switch"], roles["oob"]) == (2, 2, 3)
    kw = {"gpu": 10.2, "leaf": 1.7, "spine": 1.7, "storage": 0.8, "storage-switch": 1.7, "in-band-switch": 0.85, "oob": 0.15}
    assert planned.site.peak_kw == pytest.approx(sum(kw[role] * count for role, count in roles.items()))
    supplies = {row.model for rack in planned.racks for row in rack.supplies}
    assert "sn4600c" in supplies
    assert "sn2201" not in supplies, "no job stops with it"


@pytest.mark.parametrize("kind", ["shared", "dedicated"])
def test_the_switches_of_a_pair_are_in_two_racks_where_there_are_two(site: SiteMaker, kind: str):
    planned = plan(site(storage_nodes=8, fabric=FOUR_UNITS, facility={"switchRacks": kind, "airLimitKw": 45}))
    where = {device.name: rack.name for rack in planned.racks for device in rack.devices}
    pairs = {
        (switch.network, switch.pair): [other.name for other in planned.network_switches if (other.network, other.pair) == key]
        for switch in planned.network_switches
        if (key := (switch.network, switch.pair)) and switch.pair is not None
    }
    upper = [names for names in pairs.values() if where[names[0]] != where[names[1]]]
    assert upper
    assert all(item.same_rack == () for item in planned.networks)


def test_a_shared_hall_with_one_rack_says_so(site: SiteMaker):
    """spreadRacks 1 and one feed: both switches behind one breaker."""
    one = {"spreadRacks": 1, "feeds": [{"name": "a", "pduModel": "pdu-415v-60a-3ph", "pdusPerRack": 2}]}
    assert "FABRIC-046" in findings(site, facility=one)
    assert "FABRIC-046" not in findings(site, facility={"spreadRacks": 1})


@pytest.mark.parametrize(
    ("section", "rule", "words"),
    [
        ({"oob": {"switchesPerUnit": 1}}, "FABRIC-041", "no cable for"),
        ({"oob": {"sparePorts": 1}}, "FABRIC-042", "1 free"),
        ({"storage": {"targetGbPerS": 60}}, "FABRIC-043", "100 GB/s into the servers, node side : server side = 32.00:1"),
        ({"storage": {"attach": "mlag"}}, "FABRIC-044", "mlag on InfiniBand"),
        ({"inBand": {"attach": "independent"}}, "FABRIC-044", "independent ports on Ethernet"),
        ({"inBand": {"peerLinks": 1}}, "FABRIC-044", "mlag with 1 links"),
        ({"inBand": {"switchModel": "qm9700"}}, "FABRIC-044", "in-band traffic on qm9700"),
        ({"storage": {"switchModel": "sn5600", "linkGbps": 800}}, "FABRIC-048", "800 Gb/s links"),
        ({"oob": {"uplinks": 1}}, "FABRIC-049", "1 uplinks to 1 switches"),
    ],
)
def test_choices_that_a_rule_finds(site: SiteMaker, section: dict[str, object], rule: str, words: str):
    assert findings(site) == {}
    assert words in findings(site, networks=section)[rule]


def test_the_edge_of_the_bandwidth_rule(site: SiteMaker):
    """Two servers of 2 x 200 Gb/s: 100 GB/s in; mirrored, so 50 GB/s of writes."""
    assert "FABRIC-043" not in findings(site, networks={"storage": {"targetGbPerS": 50}})
    assert "FABRIC-043" in findings(site, networks={"storage": {"targetGbPerS": 50.1}})


def test_copper_that_does_not_reach(site: SiteMaker):
    """40 rows of one rack each: the last compute rack is 39 x 3 m from the first."""
    wide = {"racksPerRow": 1, "nodesPerRack": 1, "spreadRacks": 1}
    assert "m of copper" in findings(site, facility=wide, fabric={"nodesPerUnit": 40, "uplinksPerLeaf": 16})["FABRIC-045"]


def test_nodes_with_unknown_adapters_leave_the_rule_undecided(site: SiteMaker):
    config = site(compute={"nodeModel": "mi300x-platform"})
    found = [item for item in check(config, plan(config), date(2026, 11, 30)) if item.id == "FABRIC-048"]
    assert {item.severity for item in found} == {"undecided"}


def test_unknown_models_are_named_together(site: SiteMaker):
    """All at once, with what there is."""
    wrong = {"storage": {"switchModel": "nosuch"}, "inBand": {"linkGbps": 7}, "oob": {"switchModel": "sn9"}}
    with pytest.raises(PlanError) as error:
        plan(site(networks=wrong))
    where = [problem.where for problem in error.value.problems]
    assert where == [
        "railyard:networks.inBand.linkGbps",
        "railyard:networks.oob.switchModel",
        "railyard:networks.storage.switchModel",
    ]
    assert "sn2201" in str(error.value)


def test_more_uplinks_than_the_switch_has(site: SiteMaker):
    with pytest.raises(PlanError) as error:
        plan(site(networks={"oob": {"uplinks": 5}}))
    assert [problem.limit for problem in error.value.problems] == ["4 uplink ports on sn2201"]
    assert plan(site(networks={"oob": {"uplinks": 4}})).networks[-1].uplink_switches == 2


def test_a_switch_that_can_never_hold_the_site(site: SiteMaker):
    """39 of 40 ports are peer links: a leaf of one node needs 41. Planned all the same, and found."""
    tiny = {"storage": {"switchModel": "qm8700", "linkGbps": 200, "peerLinks": 39, "sparePorts": 0}}
    assert "FABRIC-047" in findings(site, networks=tiny, fabric={"scalableUnits": 8})


def test_labels_name_one_place_each(site: SiteMaker):
    planned = plan(site(nodes=33, fabric={"scalableUnits": 2}))
    labels = Counter(label for cable in planned.cables for label in (cable.a_label, cable.z_label))
    assert max(labels.values()) == 1
    by_end = {cable.a: (cable.a_label, cable.z_label) for cable in planned.cables}
    assert by_end["t-su001-gpu01/storage1"][0] == "R001-U01-STO2"
    assert by_end["t-su001-gpu01/inband0"][0] == "R001-U01-INB1"
    assert by_end["t-su001-gpu01/bmc"][0] == "R001-U01-BMC"
    assert by_end["t-r001-pdu-b/net1"][0] == "R001-PDU-B2"


def test_a_fifth_node_changes_no_network(site: SiteMaker):
    """So `up` touches no Network: slices count planned slots."""
    assert plan(site(nodes=4)).networks == plan(site(nodes=5)).networks


@pytest.mark.requirement("C4")
@pytest.mark.parametrize("racks", ["shared", "dedicated"])
def test_more_storage_servers_move_nothing(site: SiteMaker, racks: str):
    """Ports for servers to come are kept by `plannedServers`; without it a pair has room enough, too."""
    facility = {"switchRacks": racks, "storageRacks": racks}
    for few, many, kept in itertools.product((2,), (3, 10), ({}, {"storage": {"plannedServers": 12}})):
        old = plan(site(storage_nodes=few, facility=facility, networks=kept))
        new = plan(site(storage_nodes=many, facility=facility, networks=kept))
        assert set(old.cables) <= set(new.cables)
        assert {(d.name, r.name, d.u) for r in old.racks for d in r.devices} <= {
            (d.name, r.name, d.u) for r in new.racks for d in r.devices
        }


def test_a_machine_on_one_switch_is_named(site: SiteMaker):
    """Both cables of a node moved to one switch, as a crew might: found in the cables, whatever was planned."""
    cables = plan(site()).cables
    assert single_homed(network_ends(cables).homes["storage"]) == []
    moved = [
        msgspec.structs.replace(cable, z="t-sto-sw01/60") if cable.a == "t-su001-gpu02/storage1" else cable for cable in cables
    ]
    assert single_homed(network_ends(moved).homes["storage"]) == ["t-su001-gpu02"]
    assert single_homed(network_ends(moved).homes["in-band"]) == []


@pytest.mark.requirement("C5")
def test_every_cable_of_the_networks_that_railyard_chooses_can_be_ordered(site: SiteMaker):
    """2,048 planned nodes: in-band and storage have parts at every length; a switch by name without cables stays a finding."""
    fabric = {"scalableUnits": 1, "plannedScalableUnits": 64}
    sections = {"fabric": fabric, "facility": DEDICATED}
    planned = plan(site(nodes=32, **sections))
    assert {row.kind for row in planned.cabling.classes if not row.sku} == set()
    named = site(nodes=32, networks={"inBand": {"switchModel": "sn5600", "linkGbps": 100}}, **sections)
    found = [finding for finding in check(named, plan(named), date(2026, 11, 30)) if finding.id == "FABRIC-020"]
    assert {finding.where for finding in found} >= {"t/cables/in-band"}


@pytest.mark.requirement("C5")
def test_a_converged_network_of_200_gbe_has_parts_for_the_slower_uplinks(site: SiteMaker):
    """QSFP56 cages take the QSFP28 plugs of out-of-band uplinks and of slower servers."""
    networks = {"converged": True, "storage": {"switchModel": "sn4600", "linkGbps": 200}}
    planned = plan(site(networks=networks))
    uplinks = [cable for cable in planned.cables if cable.kind == "in-band" or "-oob-" in cable.a]
    assert uplinks
    assert {cable.sku for cable in uplinks if cable.link_gbps == 100} <= {"mcp1600-c", "mfa1a00-c"}


@pytest.mark.requirement("C5")
@pytest.mark.parametrize("slots", [29, 31, 32])
def test_a_cage_holds_one_kind_of_cable_in_about_one_length(site: SiteMaker, slots: int):
    """An odd number of nodes leaves a port empty rather than put an uplink beside the last node. All planned uplinks count."""
    fabric = {"nodesPerUnit": slots, "scalableUnits": 2, "plannedScalableUnits": 16}
    config = site(nodes=2 * slots, fabric=fabric, facility=DEDICATED)
    planned = plan(config)
    inside = defaultdict(list)
    for cable in planned.cables:
        if cable.kind in ("storage", "in-band"):
            for label in (cable.a_label, cable.z_label):
                if "/" in label:
                    inside[label.rpartition("/")[0]].append(cable)
    assert inside
    assert [cage for cage, cables in inside.items() if len({cable.sku for cable in cables}) > 1] == []
    skew = config.file.cabling.twin_skew_m
    lengths = {cage: [cable.length_m for cable in cables] for cage, cables in inside.items()}
    assert {cage: found for cage, found in lengths.items() if max(found) - min(found) > skew} == {}


@pytest.mark.requirement("C5")
def test_uplinks_of_a_cage_are_ordered_in_about_one_length_and_growth_changes_none(site: SiteMaker):
    """A hall of 64 units in rows of 12 racks: some spines are 40 m nearer than others that end in the same cage."""
    made = []
    for units in (1, 3):
        fabric = {"scalableUnits": units, "plannedScalableUnits": 64}
        made.append(plan(site(nodes=32 * units, storage_nodes=8, fabric=fabric, facility=DEDICATED)))
    for planned in made:
        rows = [row for row in planned.cabling.classes if row.kind.startswith(("storage", "in-band"))]
        assert max(row.skew_ns for row in rows) <= 45
    before, after = ({cable.id: cable for cable in planned.cables} for planned in made)
    assert {name: cable for name, cable in before.items() if after[name] != cable} == {}
