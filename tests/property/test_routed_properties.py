"""Routed fabrics of any size: addresses, numbers, lanes and files keep their promises."""

import itertools
from functools import cache
from ipaddress import ip_interface, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from railyard.model.lossless import Headroom
from railyard.plan import plan
from railyard.plan.lossless import headroom_of
from railyard.plan.switch_intent import switch_intents
from railyard.read.frr import read_frr
from railyard.render.switches import frr, sonic
from railyard.rules.address_blocks import free_range
from railyard.rules.sonic_config import check_config_db
from railyard.rules.switch_config import check_frr
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N1", "N4")

# Sizes whose uplinks divide: what the rules refuse for its wiring is not this file's business.
SIZES = st.tuples(st.sampled_from([2, 4, 8]), st.integers(1, 4), st.integers(0, 3), st.integers(1, 2))


@cache
def planned_of(size, nodes=3, **fabric):
    slots, units, more, planes = size
    base = {
        "transport": "roce",
        "switchModel": "sn5600",
        "linkGbps": 800 // planes // 2,
        "nodesPerUnit": slots,
        "uplinksPerLeaf": slots,
        "scalableUnits": units,
        "plannedScalableUnits": units + more,
        "planes": planes,
    }
    return plan(make_site(nodes=min(nodes, slots * units), fabric=base | fabric, addresses={"ipv6": {"rails": "fd00:32::/40"}}))


@settings(max_examples=25, deadline=None)
@given(SIZES)
def test_no_address_twice_every_pair_in_its_leafs_subnet_and_subnets_apart(size):
    planned = planned_of(size, nodes=9)
    given_ = [row.address for row in planned.addresses]
    assert len(given_) == len(set(given_))
    leaves = [switch for switch in planned.switches if switch.role == "leaf"]
    subnets = [ip_network(text) for leaf in leaves for text in leaf.routing.subnets]
    for version in (4, 6):
        ordered = sorted(net for net in subnets if net.version == version)
        assert all(one.broadcast_address < two.network_address for one, two in itertools.pairwise(ordered))
    by_leaf = {leaf.name: [ip_network(text) for text in leaf.routing.subnets] for leaf in leaves}
    for row in planned.addresses:
        if row.device in by_leaf and row.network.startswith("rail-"):
            interface = ip_interface(f"{row.address}/{row.prefix}")
            assert any(interface.version == net.version and interface.network.subnet_of(net) for net in by_leaf[row.device])


@settings(max_examples=25, deadline=None)
@given(SIZES)
def test_neighbours_have_other_numbers_and_spines_of_a_plane_one(size):
    planned = planned_of(size)
    numbers = {switch.name: switch.routing.asn for switch in planned.switches}
    leaves = [switch.name for switch in planned.switches if switch.role == "leaf"]
    assert len({numbers[name] for name in leaves}) == len(leaves)
    for switch in planned.switches:
        for end in switch.ports.values():
            far = end.partition("/")[0]
            assert numbers.get(far) != numbers[switch.name]
    for plane in range(size[3]):
        assert len({s.routing.asn for s in planned.switches if s.role == "spine" and s.plane == plane}) == 1


@settings(max_examples=8, deadline=None)
@given(SIZES)
def test_every_rendered_file_passes_our_own_checks(size):
    planned = planned_of(size, nosVersion="1.0")
    for intent in list(switch_intents(planned, "frr"))[::5]:
        text = frr(intent)
        assert check_frr(text, intent) == []
        assert read_frr(text).normal() == read_frr("\n".join(["!", *text.splitlines(), "!"])).normal()
    for intent in list(switch_intents(planned, "sonic"))[::5]:
        assert check_config_db(sonic(intent), intent) == []


@settings(max_examples=10, deadline=None)
@given(SIZES)
def test_another_unit_inside_the_plan_changes_no_file(size):
    slots, units, more, planes = size
    small = {i.hostname: frr(i) for i in switch_intents(planned_of((slots, units, more + 1, planes)), "frr")}
    large = {i.hostname: frr(i) for i in switch_intents(planned_of((slots, units + 1, more, planes)), "frr")}
    leaves = [name for name in small if "-leaf-" in name]
    assert leaves
    assert all(small[name] == large[name] for name in leaves)


@given(
    st.lists(st.tuples(st.integers(1, 500), st.integers(1, 10**6)), min_size=1, max_size=8, unique_by=lambda row: row[0]),
    st.floats(0.5, 600),
)
def test_headroom_never_falls_short_of_the_cable(rows, metres):
    table = [Headroom(gbps=400, cable_m=length, xoff_bytes=size) for length, size in rows]
    found = headroom_of(table, 400, metres)
    longer = [row for row in table if row.cable_m >= metres]
    assert (found is None) == (not longer)
    assert found is None or found.cable_m == min(row.cable_m for row in longer)


NETS = st.tuples(st.integers(0, 2**32 - 1), st.integers(9, 28)).map(lambda pair: ip_network(pair, strict=False))


@given(NETS, st.lists(NETS, max_size=12))
def test_a_free_range_is_free_and_private(wanted, taken):
    found = free_range(wanted, taken)
    if found is not None:
        net = ip_network(found)
        assert net.prefixlen == wanted.prefixlen
        assert net.is_private
        assert not any(net.overlaps(other) for other in taken)


@given(st.text(max_size=400))
def test_no_text_stops_the_reader_or_the_check(text):
    intent = INTENT
    read_frr(text).normal()
    assert check_frr(text, intent)


INTENT = next(switch_intents(planned_of((2, 1, 0, 1)), "frr"))
