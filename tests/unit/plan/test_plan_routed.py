"""Addresses, AS numbers and routing of a RoCE fabric: by identity, one subnet per leaf, room for what is planned."""

from ipaddress import ip_address, ip_interface, ip_network

import pytest

from railyard.plan import plan
from railyard.plan.asn import FIRST_PRIVATE, LAST_PRIVATE, core_asn, last_asn, leaf_asn, pod_of, spine_asn
from railyard.plan.blocks import parse_block, usable
from railyard.plan.lossless import cable_bytes, headroom_of
from railyard.plan.native import in_native_names
from railyard.plan.ports import native_name, position
from railyard.plan.routed import leaf_end, leaf_subnet, node_end
from railyard.plan.shape import size_fabric
from railyard.plan.switch_intent import switch_intents
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N1", "N2", "N4")

ROCE = {"transport": "roce", "switchModel": "sn5600", "linkGbps": 400, "nodesPerUnit": 64}
SMALL = {"transport": "roce", "switchModel": "sn5600", "linkGbps": 400, "nodesPerUnit": 32, "uplinksPerLeaf": 32}
SIX = {"ipv6": {"rails": "fd00:32::/48", "loopbacks": "fd00:33::/112", "oob": "fd00:1::/64", "inBand": "fd00:2::/64"}}


def rows_of(planned, network):
    return [row for row in planned.addresses if row.network == network]


def test_one_subnet_for_each_leaf_and_a_pair_for_each_node_port():
    planned = plan(make_site(nodes=70, fabric=ROCE | {"scalableUnits": 2}))
    leaves = [switch for switch in planned.switches if switch.role == "leaf"]
    subnets = [subnet for leaf in leaves for subnet in leaf.routing.subnets]
    assert len(subnets) == len(set(subnets)) == 16
    assert {ip_network(subnet).prefixlen for subnet in subnets} == {25}, "64 pairs"
    by_leaf = {leaf.name: ip_network(leaf.routing.subnets[0]) for leaf in leaves}
    for leaf in leaves:
        for port, end in leaf.ports.items():
            node, _, nic = end.partition("/")
            if "gpu" not in node:
                continue
            (mine,) = [row for row in planned.addresses if (row.device, row.interface) == (leaf.name, port)]
            (theirs,) = [row for row in planned.addresses if (row.device, row.interface) == (node, nic)]
            pair = ip_interface(f"{theirs.address}/{theirs.prefix}").network
            assert pair.prefixlen == 31
            assert ip_address(mine.address) in pair
            assert int(ip_address(theirs.address)) == int(ip_address(mine.address)) + 1, "the leaf's end is the gateway"
            assert pair.subnet_of(by_leaf[leaf.name])
            assert mine.network == theirs.network == f"rail-{leaf.rail}"


def test_a_node_has_another_network_on_every_rail():
    planned = plan(make_site(nodes=2, fabric=ROCE))
    mine = [row for row in planned.addresses if row.device == "t-su001-gpu02" and row.network.startswith("rail-")]
    assert len({ip_interface(f"{row.address}/{row.prefix}").network for row in mine}) == 8


def test_planes_have_subnets_numbers_and_spines_of_their_own():
    fabric = {
        "transport": "roce",
        "switchModel": "sn5600",
        "linkGbps": 200,
        "nodesPerUnit": 64,
        "planes": 2,
        "uplinksPerLeaf": 64,
    }
    planned = plan(make_site(nodes=2, fabric=fabric))
    leaves = [switch for switch in planned.switches if switch.role == "leaf"]
    assert len({leaf.routing.subnets for leaf in leaves}) == len(leaves) == 16
    assert len({leaf.routing.asn for leaf in leaves}) == 16
    spines = {(spine.plane, spine.routing.asn) for spine in planned.switches if spine.role == "spine"}
    assert spines == {(0, 4_200_000_001), (1, 4_201_000_001)}
    assert {row.network for row in planned.addresses if row.device == "t-su001-gpu01"} >= {"rail-0-p0", "rail-7-p1"}


def test_loopbacks_are_a_share_of_rails_or_a_block_of_their_own():
    own = plan(make_site(fabric=SMALL, addresses={"loopbacks": "10.5.0.0/24"}))
    share = plan(make_site(fabric=SMALL))
    for planned, block in ((own, "10.5.0.0/24"), (share, "10.47.0.0/16")):
        rows = rows_of(planned, "loopback")
        assert len(rows) == len(planned.switches)
        assert {row.prefix for row in rows} == {32}
        assert len({row.address for row in rows}) == len(rows)
        assert all(ip_address(row.address) in ip_network(block) for row in rows), block
        ids = {switch.name: switch.routing.router_id for switch in planned.switches}
        assert ids == {row.device: row.address for row in rows}
    rails = [row for row in share.addresses if row.network.startswith("rail-")]
    assert not any(ip_address(row.address) in ip_network("10.47.0.0/16") for row in rails)


def test_growth_inside_the_plan_moves_no_address_and_no_number():
    small = plan(make_site(nodes=8, fabric=ROCE | {"scalableUnits": 1, "plannedScalableUnits": 4}))
    large = plan(make_site(nodes=200, fabric=ROCE | {"scalableUnits": 4, "plannedScalableUnits": 4}))
    assert set(small.addresses) <= set(large.addresses)
    numbers = {switch.name: (switch.routing.asn, switch.routing.router_id) for switch in large.switches}
    assert all(numbers[switch.name] == (switch.routing.asn, switch.routing.router_id) for switch in small.switches)


@pytest.mark.parametrize(
    ("rails", "fits"),
    [("10.32.0.0/16", True), ("10.32.0.0/17", True), ("10.32.0.0/18", True), ("10.32.0.0/19", False)],
)
def test_the_rails_block_holds_all_planned_units(rails, fits):
    """8 rails and a share for loopbacks are 16 shares; eight units of 64 nodes are 8 x 128 addresses in each: a /18."""
    fabric = ROCE | {"plannedScalableUnits": 8}
    problems = [p for p in plan(make_site(fabric=fabric, addresses={"rails": rails})).problems if p.id == "PLAN-006"]
    assert (not problems) is fits
    for problem in problems:
        assert problem.where == "railyard:addresses.rails"
        assert problem.found == "10.32.0.0/19 has 8,190 usable addresses"
        assert "8 rails of 8 leaf subnets and a share for loopbacks" in problem.limit
        assert problem.fix == "use a /18 or larger"


def test_a_loopback_block_that_is_too_small_is_named():
    problems = plan(make_site(fabric=SMALL, addresses={"loopbacks": "10.5.0.0/29"})).problems
    (problem,) = [problem for problem in problems if problem.id == "PLAN-006"]
    assert problem.where == "railyard:addresses.loopbacks"
    assert problem.found == "10.5.0.0/29 has 6 usable addresses"


def test_ipv6_stands_beside_ipv4_with_the_same_positions():
    planned = plan(make_site(nodes=3, fabric=SMALL, addresses=SIX))
    node = [row for row in planned.addresses if row.device == "t-su001-gpu03"]
    assert {row.network for row in node if ":" in row.address} == {"oob", "in-band", *(f"rail-{rail}" for rail in range(8))}
    assert [row.address for row in node if row.interface == "mlx5_3"] == ["10.33.0.5", "fd00:32:0:2000::5"]
    leaf = next(switch for switch in planned.switches if switch.rail == 1)
    assert leaf.routing.subnets == ("10.33.0.0/26", "fd00:32:0:2000::/64")
    assert [row.address for row in node if row.interface == "bmc"] == ["10.1.0.34", "fd00:1::22"]
    assert planned.problems == ()


def test_an_ipv6_block_without_a_64_for_each_leaf_is_too_small():
    planned = plan(make_site(fabric=SMALL, addresses={"ipv6": {"rails": "fd00:32::/64"}}))
    found = [problem for problem in planned.problems if problem.id == "PLAN-006"]
    assert found[0].where == "railyard:addresses.ipv6.rails"


def test_infiniband_has_no_routing_and_the_addresses_it_had():
    planned = plan(make_site(nodes=2))
    assert planned.routing is None
    assert all(switch.routing is None for switch in planned.switches)
    assert not rows_of(planned, "loopback")
    assert list(switch_intents(planned)) == []
    assert {row.prefix for row in rows_of(planned, "rail-0")} == {15}


def test_numbers_never_meet():
    shape = size_fabric(32, 256, 8, 64, 2)
    assert shape.tiers == 3
    base = FIRST_PRIVATE
    pods = [pod_of(shape, spine) for spine in range(1, shape.spines_per_plane + 1)]
    assert pods == sorted(pods)
    assert set(pods) == set(range(shape.pods))
    every = [core_asn(base, plane) for plane in (0, 1)]
    every += [spine_asn(base, plane, pod) for plane in (0, 1) for pod in range(shape.pods)]
    every += [leaf_asn(base, plane, leaf) for plane in (0, 1) for leaf in range(shape.leaves_per_plane)]
    assert len(every) == len(set(every))
    assert FIRST_PRIVATE <= min(every) <= max(every) == last_asn(base, shape) <= LAST_PRIVATE


def test_in_three_tiers_the_pods_spines_differ_or_routes_between_pods_would_be_dropped():
    fabric = {"transport": "roce", "switchModel": "sn4600", "linkGbps": 200, "nodesPerUnit": 32, "scalableUnits": 12}
    lossless = {"headroom": [{"gbps": 200, "cableM": 300, "xoffBytes": 355328}], "source": "a table for tests"}
    site = make_site(
        nodes=1, fabric=fabric | {"lossless": lossless}, addresses={"rails": "10.32.0.0/11"}, compute={"nodeModel": "dgx-a100"}
    )
    planned = plan(site)
    assert planned.fabric.tiers == 3
    spines = [switch.routing for switch in planned.switches if switch.role == "spine"]
    assert {routing.asn for routing in spines} == {4_200_000_001, 4_200_000_002, 4_200_000_003}
    assert {routing.uplinks for routing in spines} == {32}
    assert {switch.routing.asn for switch in planned.switches if switch.role == "core"} == {4_200_000_000}
    assert (planned.routing.spine_groups, planned.routing.spine_asns) == (3, 3)


def test_headroom_is_the_row_of_the_next_larger_length():
    table = plan(make_site(fabric=ROCE)).routing.headroom
    assert [row.cable_m for row in table] == [5, 40, 300]
    for metres, row, xoff in ((3, 5, 231_424), (5, 5, 231_424), (5.1, 40, 283_648), (40, 40, 283_648), (41, 300, 677_888)):
        found = headroom_of(table, 400, metres)
        assert (found.cable_m, found.xoff_bytes) == (row, xoff)
    assert headroom_of(table, 400, 301) is None
    assert headroom_of(table, 200, 5) is None


def test_bytes_on_a_cable():
    """400 Gb/s x 2 x 40 m x 5 ns/m / 8 = 20,000 bytes."""
    assert cable_bytes(400, 40) == 20_000
    assert cable_bytes(800, 300) == 300_000


@pytest.mark.parametrize(
    ("prefix", "version", "count"), [(28, 4, 14), (31, 4, 2), (32, 4, 1), (24, 4, 254), (127, 6, 2), (126, 6, 3)]
)
def test_usable_addresses(prefix, version, count):
    assert usable(prefix, version) == count


@pytest.mark.parametrize(
    ("number", "ports", "cages", "lanes", "names"),
    [
        (1, 64, 64, 8, {"sonic": "Ethernet0", "cumulus": "swp1", "eos": "Ethernet1/1", "frr": "swp1"}),
        (64, 64, 64, 8, {"sonic": "Ethernet504", "cumulus": "swp64", "eos": "Ethernet64/1", "frr": "swp64"}),
        (2, 128, 64, 8, {"sonic": "Ethernet4", "cumulus": "swp1s1", "eos": "Ethernet1/5", "frr": "swp1s1"}),
        (3, 128, 64, 8, {"sonic": "Ethernet8", "cumulus": "swp2s0", "eos": "Ethernet2/1", "frr": "swp2s0"}),
        (256, 256, 64, 8, {"sonic": "Ethernet510", "cumulus": "swp64s3", "eos": "Ethernet64/7", "frr": "swp64s3"}),
        (128, 128, 64, 4, {"sonic": "Ethernet254", "cumulus": "swp64s1", "eos": "Ethernet64/3", "frr": "swp64s1"}),
    ],
)
def test_names_of_ports(number, ports, cages, lanes, names):
    place = position(number, ports, cages, lanes)
    assert {nos: native_name(nos, place, lanes) for nos in names} == names


def test_no_lane_is_in_two_ports_and_none_is_left():
    for ports in (64, 128, 256):
        lanes = [lane for number in range(1, ports + 1) for lane in position(number, ports, 64, 8).lanes]
        assert sorted(lanes) == list(range(512))
    with pytest.raises(ValueError, match="96 ports on 64 cages"):
        position(1, 96, 64, 8)


def test_intents_agree_with_the_plan():
    planned = in_native_names(plan(make_site(nodes=5, fabric=SMALL | {"nos": "sonic"})))
    intents = {intent.hostname: intent for intent in switch_intents(planned)}
    assert list(intents) == [switch.name for switch in planned.switches]
    lengths = {end: cable.length_m for cable in planned.cables for end in (cable.a, cable.z)}
    for switch in planned.switches:
        intent = intents[switch.name]
        assert len(intent.ports) == switch.port_count
        assert {port.native: f"{port.peer_device}/{port.peer_port}" for port in intent.wired()} == switch.ports
        assert all(port.cable_m == lengths[f"{switch.name}/{port.native}"] for port in intent.wired())
        assert intent.maximum_paths == 32
        roles = [port.role for port in intent.wired()]
        assert roles.count("up") == (32 if switch.role == "leaf" else 0)
        assert len(intent.fabric_ports()) == sum("gpu" not in end for end in switch.ports.values())


def test_ends_of_a_pair():
    subnet = leaf_subnet(parse_block("10.32.0.0/16"), 3, 32)
    assert str(subnet) == "10.32.0.128/26"
    assert [leaf_end(subnet, 1), node_end(subnet, 1), leaf_end(subnet, 32), node_end(subnet, 32)] == [
        "10.32.0.128",
        "10.32.0.129",
        "10.32.0.190",
        "10.32.0.191",
    ]


def test_a_leaf_that_takes_all_rails_of_a_group_has_a_subnet_for_each():
    """Fat-tree: all NICs of a node on one leaf, so a leaf has eight subnets and each node port its pair in that of its rail."""
    fabric = ROCE | {"layout": "fat-tree", "nodesPerUnit": 32, "nos": "frr"}
    planned = plan(make_site(nodes=20, fabric=fabric))
    leaves = [switch for switch in planned.switches if switch.role == "leaf"]
    subnets = [text for leaf in leaves for text in leaf.routing.subnets]
    assert len(subnets) == len(set(subnets)) == 8 * len(leaves)
    assert len({leaf.routing.asn for leaf in leaves}) == len(leaves)
    rows = {(row.device, row.interface): row for row in planned.addresses if row.network.startswith("rail-")}
    joined = 0
    for leaf in leaves:
        for port, end in leaf.ports.items():
            node, _, nic = end.partition("/")
            if "gpu" in node:
                mine, theirs = rows[leaf.name, port], rows[node, nic]
                assert mine.network == theirs.network
                assert int(ip_address(theirs.address)) == int(ip_address(mine.address)) + 1
                assert any(ip_address(mine.address) in ip_network(text) for text in leaf.routing.subnets)
                joined += 1
    assert joined == 20 * 8
    for intent in switch_intents(planned):
        assert {port.peer_device for port in intent.fabric_ports()} <= {switch.name for switch in planned.switches}
        assert all(port.addresses for port in intent.wired() if not port.peer_is_switch)
