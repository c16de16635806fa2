"""The host side of the plan: names and slots of NICs, NCCL's environment, each node's rail addresses."""

import pytest

from railyard.plan import plan
from railyard.plan.hosts import gateway, netdev, rail_addresses
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("N3")

ROCE = {"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 64}


def test_rails_have_the_slots_of_the_user_guide(site: SiteMaker):
    ports = plan(site()).hosts.ports
    assert [port.netdev for port in ports] == [f"rail{rail}" for rail in range(8)]
    assert [port.device for port in ports] == [f"mlx5_{number}" for number in (0, 3, 4, 5, 6, 9, 10, 11)]
    # ibp24s0, ibp64s0 … of the DGX H100 User Guide, Table 6, are PCI buses in decimal.
    assert [int(port.pci[5:7], 16) for port in ports if port.pci] == [24, 64, 79, 94, 154, 192, 206, 220]
    assert [port.cpu for port in ports] == [0, 0, 0, 0, 1, 1, 1, 1]


def test_what_has_no_source_is_not_guessed(site: SiteMaker):
    hosts = plan(site(compute={"nodeModel": "dgx-b200"})).hosts
    assert {(port.pci, port.gpu_pci, port.cpu) for port in hosts.ports} == {(None, None, None)}
    assert (hosts.hcas_assumed, hosts.storage_hcas, hosts.pci_source) == (True, None, None)


def test_slots_are_of_nics_and_not_of_ports(site: SiteMaker):
    """Two planes on one NIC: which function has which port no source says."""
    hosts = plan(site(fabric=ROCE | {"planes": 2})).hosts
    assert [(port.netdev, port.device, port.device_port) for port in hosts.ports[:2]] == [
        ("rail0p0", "mlx5_0", 1),
        ("rail0p1", "mlx5_0", 2),
    ]
    assert all(port.pci is None for port in hosts.ports)


def test_a_nic_for_each_plane_has_a_slot_of_its_own(site: SiteMaker):
    hosts = plan(site(fabric=ROCE | {"rails": 4, "planes": 2})).hosts
    assert [(port.netdev, port.device, port.pci) for port in hosts.ports[:2]] == [
        ("rail0p0", "mlx5_0", "0000:18:00.0"),
        ("rail0p1", "mlx5_3", "0000:40:00.0"),
    ]
    assert hosts.nccl["NCCL_IB_HCA"] == "=mlx5_0,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_9,mlx5_10,mlx5_11"


@pytest.mark.parametrize(("rail", "plane", "planes", "name"), [(0, 0, 1, "rail0"), (15, 3, 4, "rail15p3")])
def test_interface_names_fit_the_kernel(rail, plane, planes, name):
    assert netdev(rail, plane, planes) == name
    assert len(name) <= 15


def test_infiniband_needs_no_traffic_class(site: SiteMaker):
    assert plan(site()).nccl == {
        "NCCL_CROSS_NIC": "0",
        "NCCL_IB_HCA": "=mlx5_0,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_9,mlx5_10,mlx5_11",
        "NCCL_SOCKET_IFNAME": "=bond0",
    }


def test_roce_takes_class_and_spread_from_the_one_contract(site: SiteMaker):
    nccl = plan(site(fabric=ROCE | {"lossless": {"dscp": 24, "qpsPerConnection": 8}})).nccl
    assert (nccl["NCCL_IB_TC"], nccl["NCCL_GIN_IB_TC"]) == ("96", "96")
    assert (nccl["NCCL_IB_QPS_PER_CONNECTION"], nccl["NCCL_IB_SPLIT_DATA_ON_QPS"]) == ("8", "0")
    assert (nccl["NCCL_IB_ROCE_VERSION_NUM"], nccl["NCCL_IB_ADDR_FAMILY"]) == ("2", "AF_INET")
    assert "NCCL_IB_GID_INDEX" not in nccl
    routed = plan(site(fabric=ROCE | {"lossless": {"spread": "adaptive-routing"}})).nccl
    assert routed["NCCL_IB_ADAPTIVE_ROUTING"] == "1"
    assert "NCCL_IB_QPS_PER_CONNECTION" not in routed
    assert not {"NCCL_IB_ADAPTIVE_ROUTING", "NCCL_IB_QPS_PER_CONNECTION"} & set(
        plan(site(fabric=ROCE | {"lossless": {"spread": "none"}})).nccl
    )


def test_the_environment_follows_the_layout(site: SiteMaker):
    alone = plan(site(fabric={"layout": "rail-only"})).nccl
    assert (alone["NCCL_CROSS_NIC"], alone["NCCL_PXN_DISABLE"]) == ("0", "0")
    assert plan(site(fabric={"layout": "fat-tree"})).nccl["NCCL_CROSS_NIC"] == "1"


def test_addresses_of_rails_on_infiniband_are_one_wire(site: SiteMaker):
    made = plan(site())
    mine = rail_addresses(made.hosts, made.addresses)["t-su001-gpu03"]
    assert [(item.netdev, item.hca, item.table, item.priority) for item in mine[:2]] == [
        ("rail0", "mlx5_0", 100, 1000),
        ("rail1", "mlx5_3", 101, 1001),
    ]
    assert {item.gateway for item in mine} == {None}
    assert len({item.subnet for item in mine}) == 8, "a subnet for each rail"


def test_addresses_of_rails_on_roce_have_the_leaf_as_gateway(site: SiteMaker):
    made = plan(site(fabric=ROCE, addresses={"ipv6": {"rails": "2001:db8::/40"}}))
    mine = rail_addresses(made.hosts, made.addresses)["t-su001-gpu03"]
    assert [item.version for item in mine[:4]] == [4, 6, 4, 6]
    leaf_ends = {row.address for row in made.addresses if "-leaf-" in row.device and row.network.startswith("rail-")}
    assert all(item.gateway in leaf_ends for item in mine)
    assert [item.networks for item in mine[:2]] == [("10.32.0.0/12",), ("2001:db8::/40",)]


@pytest.mark.parametrize(
    ("address", "prefix", "other"),
    [("10.0.0.1", 31, "10.0.0.0"), ("10.0.0.4", 31, "10.0.0.5"), ("2001:db8::1", 127, "2001:db8::"), ("10.0.0.1", 30, None)],
)
def test_the_other_end_of_a_pair(address, prefix, other):
    assert gateway(address, prefix) == other
