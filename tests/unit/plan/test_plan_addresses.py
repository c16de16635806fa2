"""Addresses by identity."""

from collections import Counter
from ipaddress import ip_address, ip_network

import pytest

from railyard.model.config import SiteConfig
from railyard.plan import Plan, plan
from railyard.plan.addresses import bmc_host
from tests.planned_site import SiteMaker, make_inventory


def rows(planned: Plan, device: str) -> dict[str, str]:
    return {row.network: f"{row.address}/{row.prefix}" for row in planned.addresses if row.device == device}


@pytest.mark.requirement("N2")
def test_addresses_of_a_node(site: SiteMaker):
    """Unit 2, slot 1 is host 32 from 0: offset 34; the rails' /12 is cut into eight /15."""
    found = rows(plan(site(nodes=33, fabric={"scalableUnits": 2})), "t-su002-gpu01")
    assert found["in-band"] == "10.2.0.34/16"
    assert found["storage"] == "10.3.0.34/16"
    assert found["rail-0"] == "10.32.0.34/15"
    assert found["rail-7"] == "10.46.0.34/15"
    assert found["oob"] == "10.1.0.42/16", "40 of a unit: 32 slots, 8 leaves"


@pytest.mark.requirement("N2")
def test_addresses_of_switches_and_storage(site: SiteMaker):
    planned = plan(site())
    assert rows(planned, "t-su001-leaf-r7") == {"oob": "10.1.0.41/16"}
    assert rows(planned, "t-sto02") == {"oob": "10.1.255.251/16", "in-band": "10.2.255.253/16", "storage": "10.3.255.253/16"}
    assert rows(planned, "t-spine002") == {"oob": "10.1.255.250/16"}


@pytest.mark.requirement("N2")
def test_one_subnet_per_rail_and_plane(site: SiteMaker):
    planned = plan(site(fabric={"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 64, "planes": 2}))
    nets = {
        row.network: ip_network(f"{row.address}/{row.prefix}", strict=False)
        for row in planned.addresses
        if "rail" in row.network
    }
    assert len(set(nets.values())) == len(nets) == 16
    assert "rail-3-p1" in nets
    assert all(net.subnet_of(ip_network("10.32.0.0/12")) for net in nets.values())


@pytest.mark.requirement("N2")
@pytest.mark.parametrize("blocks", [{}, {"oob": "2001:db8::/64", "rails": "fd00::/48"}])
def test_no_address_twice_and_none_is_gateway_or_edge(site: SiteMaker, blocks: dict[str, str]):
    planned = plan(site(nodes=64, fabric={"scalableUnits": 2}, addresses=blocks))
    assert max(Counter(row.address for row in planned.addresses).values()) == 1
    for row in planned.addresses:
        net = ip_network(f"{row.address}/{row.prefix}", strict=False)
        assert ip_address(row.address) not in {net.network_address, net.network_address + 1, net.broadcast_address}


@pytest.mark.requirement("N2")
def test_bmc_addresses_are_the_inventorys(site: SiteMaker):
    config = site(nodes=1, storage_nodes=0)
    machine = make_inventory(config.file, [(1, 1)], 0).machines[0].model_copy(update={"bmc": "192.168.7.9:443"})
    inventory = config.inventory.model_copy(update={"machines": (machine,)})
    planned = plan(SiteConfig("t", config.file, inventory, "0" * 64, config.catalog))
    assert rows(planned, "t-su001-gpu01")["oob"] == "192.168.7.9/16"
    assert [(problem.id, problem.found) for problem in planned.problems] == [("PLAN-009", "BMC 192.168.7.9")]


@pytest.mark.parametrize(
    ("bmc", "host"),
    [
        ("10.0.0.1:443", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"),
        ("b.example:1", "b.example"),
    ],
)
def test_host_of_a_bmc(bmc: str, host: str):
    """A bare IPv6 address has no port (users.md case 42)."""
    assert bmc_host(bmc) == host


@pytest.mark.requirement("N2")
@pytest.mark.parametrize(
    ("key", "fits", "small"),
    [
        ("inBand", "10.2.0.0/26", "10.2.0.0/27"),
        ("storage", "10.3.0.0/26", "10.3.0.0/27"),
        ("oob", "10.1.0.0/26", "10.1.0.0/27"),
        ("rails", "10.32.0.0/23", "10.32.0.0/24"),
    ],
)
def test_a_block_too_small_for_all_planned_positions(site: SiteMaker, key: str, fits: str, small: str):
    """32 slots, 2 servers, 8 leaves, 4 spines, network, gateway and broadcast; rails: 8 subnets of 35."""
    assert plan(site(addresses={key: fits})).problems == ()
    problem = plan(site(addresses={key: small})).problems[0]
    assert (problem.id, problem.where) == ("PLAN-006", f"railyard:addresses.{key}")


def test_a_twenty_eight_for_twelve_nodes(site: SiteMaker):
    """users.md case 39: 12 nodes, a gateway and two more don't fit 14 usable addresses; here servers are the two more."""
    problem = plan(site(nodes=12, fabric={"nodesPerUnit": 12}, addresses={"inBand": "10.2.0.0/28"})).problems[0]
    assert (problem.found, problem.limit) == ("10.2.0.0/28 has 16", "17 addresses for all planned units")
