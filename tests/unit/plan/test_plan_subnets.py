"""How full the blocks are, by value."""

import pytest

from railyard.model.plan import AddressRow
from railyard.plan import plan
from railyard.plan.subnets import leaf_subnets, subnet_use
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N2")


def row(address, prefix=24, network="oob", device="a"):
    return AddressRow(device, network, "bmc", address, prefix)


def test_one_row_per_network_and_version():
    rows = [row("10.0.0.5"), row("10.0.0.9"), row("fd00::5", 64), row("10.1.0.1", network="in-band")]
    assert [(use.network, use.block, use.used) for use in subnet_use(rows)] == [
        ("oob", "10.0.0.0/24", 2), ("oob", "fd00::/64", 1), ("in-band", "10.1.0.0/24", 1),
    ]  # fmt: skip


def test_free_is_what_hosts_may_have_less_what_is_given_out():
    (use,) = subnet_use([row("10.0.0.5"), row("10.0.0.9")])
    assert (use.usable, use.free, use.first, use.last) == (254, 252, "10.0.0.5", "10.0.0.9")


def test_an_address_given_out_twice_is_one():
    (use,) = subnet_use([row("10.0.0.5"), row("10.0.0.5", device="b")])
    assert (use.used, use.free) == (1, 253)


@pytest.mark.parametrize(("address", "prefix"), [("10.0.0.4", 31), ("10.0.0.4", 32), ("fd00::4", 127), ("fd00::4", 128)])
def test_pairs_and_single_addresses_have_no_room_of_their_own(address, prefix):
    (use,) = subnet_use([row(address, prefix)])
    assert (use.block, use.usable, use.free) == (f"/{prefix} each", None, None)


def test_no_addresses_are_no_rows():
    assert subnet_use([]) == []
    assert leaf_subnets([], []) == []


def test_the_rails_of_an_infiniband_site():
    rails = [use for use in subnet_use(plan(make_site(4)).addresses) if use.network.startswith("rail")]
    assert [(use.network, use.block, use.used) for use in rails[:2]] == [
        ("rail-0", "10.32.0.0/15", 4), ("rail-1", "10.34.0.0/15", 4),
    ]  # fmt: skip
    assert len(rails) == 8


def routed(nodes=4, **addresses):
    fabric = {"transport": "roce", "switchModel": "sn5600", "linkGbps": 400, "scalableUnits": 2}
    return plan(make_site(nodes, fabric=fabric, addresses=addresses))


def test_the_leaf_subnets_of_a_routed_site():
    made = routed()
    found = leaf_subnets(made.switches, made.addresses)
    assert [(use.rail, use.plane, use.count) for use in found] == [(rail, 0, 2) for rail in range(8)]
    assert found[0].first == made.switches[0].routing.subnets[0]
    assert [(use.used, use.links, use.free) for use in found] == [(4, 64, 60)] * 8, "four nodes, two leaves of 32"


def test_leaf_subnets_of_both_versions():
    made = routed(34, ipv6={"rails": "fd00:16::/48"})
    found = leaf_subnets(made.switches, made.addresses)
    assert [use.used for use in found] == [34] * 16, "two nodes of them on the second unit's leaf"
    assert found[1].links == 2 * 2**63
