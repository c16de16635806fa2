"""Addresses by identity."""

from collections import Counter
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from railyard import load
from railyard.model.config import SiteConfig
from railyard.plan import Plan, plan
from railyard.plan.addresses import SERVICE_ADDRESSES, bmc_host
from tests.planned_site import SiteMaker, make_inventory

ROOT = Path(__file__).parents[3]


def rows(planned: Plan, device: str) -> dict[str, str]:
    return {row.network: f"{row.address}/{row.prefix}" for row in planned.addresses if row.device == device}


@pytest.mark.requirement("N2")
def test_addresses_of_a_node(site: SiteMaker):
    """Unit 2, slot 1 is host 32 from 0, behind 32 service addresses: offset 64; the rails' /12 is cut into eight /15."""
    found = rows(plan(site(nodes=33, fabric={"scalableUnits": 2})), "t-su002-gpu01")
    assert found["in-band"] == "10.2.0.64/16"
    assert found["storage"] == "10.3.0.64/16"
    assert found["rail-0"] == "10.32.0.64/15"
    assert found["rail-7"] == "10.46.0.64/15"
    assert found["oob"] == "10.1.0.64/16"


@pytest.mark.requirement("N2")
def test_addresses_of_switches_and_storage(site: SiteMaker):
    """From the top of the out-of-band block in turn: storage, spine, core, leaf."""
    planned = plan(site())
    assert rows(planned, "t-sto01")["oob"] == "10.1.255.254/16"
    assert rows(planned, "t-sto02") == {"oob": "10.1.255.250/16", "in-band": "10.2.255.253/16", "storage": "10.3.255.253/16"}
    assert rows(planned, "t-spine002") == {"oob": "10.1.255.249/16"}
    assert rows(planned, "t-su001-leaf-r0") == {"oob": "10.1.255.251/16"}
    assert rows(planned, "t-su001-leaf-r7") == {"oob": "10.1.255.223/16"}


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
        assert net[SERVICE_ADDRESSES] <= ip_address(row.address) < net.broadcast_address


@pytest.mark.requirement("N2")
@pytest.mark.parametrize("stack", ["lab", "lab-b", "starter", "prod-site-a", "prod-site-b"])
def test_no_shipped_site_gives_an_address_twice(stack: str):
    """Devices, BMCs as the inventory has them, and the services that the stack file names."""
    config = load.site_config(ROOT, stack)
    planned, file = plan(config), config.file
    peer = [file.peer.endpoint] if file.peer else []
    away = [file.replication.endpoint] if file.replication else []
    urls = [file.install.service_url, file.platform.control_plane.endpoint, *{*peer, *away}]
    services = [*file.addresses.ntp_servers, *(urlsplit(url).hostname for url in urls)]
    given = Counter([row.address for row in planned.addresses] + services)
    assert [address for address, count in given.items() if count > 1] == []
    for row in planned.addresses:
        net = ip_network(f"{row.address}/{row.prefix}", strict=False)
        first = 1 if net.is_loopback and row.interface == "bmc" else SERVICE_ADDRESSES
        assert net[first] <= ip_address(row.address) < net.broadcast_address, row


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
    """A bare IPv6 address has no port (case 42)."""
    assert bmc_host(bmc) == host


@pytest.mark.requirement("N2")
@pytest.mark.parametrize(
    ("key", "fits", "small"),
    [
        ("inBand", "10.2.0.0/25", "10.2.0.0/26"),
        ("storage", "10.3.0.0/25", "10.3.0.0/26"),
        ("oob", "10.1.0.0/25", "10.1.0.0/26"),
        ("rails", "10.32.0.0/22", "10.32.0.0/23"),
    ],
)
def test_a_block_too_small_for_all_planned_positions(site: SiteMaker, key: str, fits: str, small: str):
    """32 for services, 32 slots, 2 servers, 8 leaves (every fourth from the top), broadcast; rails: 8 subnets of 65."""
    assert plan(site(addresses={key: fits})).problems == ()
    problem = plan(site(addresses={key: small})).problems[0]
    assert (problem.id, problem.where) == ("PLAN-006", f"railyard:addresses.{key}")


def test_a_twenty_eight_for_twelve_nodes(site: SiteMaker):
    """Case 39: 12 nodes, a gateway and two more don't fit 14 usable addresses; here services and two servers."""
    problem = plan(site(nodes=12, fabric={"nodesPerUnit": 12}, addresses={"inBand": "10.2.0.0/28"})).problems[0]
    assert problem.found == "10.2.0.0/28 has 14 usable addresses"
    assert problem.limit == "45 usable addresses for all planned units"
