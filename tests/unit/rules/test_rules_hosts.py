"""FABRIC-080 to 084 and 086: names, order, uniformity, NCCL's list and settings, NICs as a node shows them."""

from pathlib import Path

import pytest

from railyard.read.nic_topology import NicTopology, read_nic_topology
from railyard.read.text import Notebook
from railyard.rules.hosts import check_hosts, check_nic_topology, wanted_names
from tests.unit.rules.host_factory import hosts, rail_port, with_nccl
from tests.unit.rules.rules_factory import ids

pytestmark = pytest.mark.requirement("N3")

ROCE = {"NCCL_IB_TC": "104", "NCCL_GIN_IB_TC": "104", "NCCL_IB_ROCE_VERSION_NUM": "2"}


def found(findings):
    return [finding.found for finding in findings]


def severities(findings):
    return [(finding.id, finding.severity) for finding in findings]


def test_a_good_host_side_has_no_finding():
    assert check_hosts(hosts()) == []
    assert check_hosts(with_nccl(hosts(transport="roce"), **ROCE)) == []


def test_unknown_slots_are_said_and_stop_nothing():
    findings = check_hosts(hosts(ports=(rail_port(0), rail_port(1, pci=None, gpu_pci=None))))
    assert severities(findings) == [("FABRIC-080", "undecided")]
    assert found(findings) == ["no PCI address of rail1"]


def test_one_slot_has_one_nic():
    findings = check_hosts(hosts(ports=(rail_port(0), rail_port(1, pci="0000:18:00.0"))))
    assert severities(findings) == [("FABRIC-080", "limit")]
    assert found(findings) == ["2 rails on 0000:18:00.0"]


@pytest.mark.parametrize(
    ("what", "ports"),
    [
        ("NIC", (rail_port(0, pci="0000:41:00.0"), rail_port(1))),
        ("GPU", (rail_port(0, gpu_pci="0000:44:00.0"), rail_port(1))),
    ],
)
def test_rails_follow_pci_order(what, ports):
    findings = check_hosts(hosts(ports=ports))
    assert ids(findings) == ["FABRIC-081"]
    assert findings[0].found.startswith(f"{what} of rail1 on 0000:4")


def test_two_ports_of_one_gpu_are_no_disorder():
    ports = (rail_port(0, gpu_pci="0000:43:00.0"), rail_port(1))
    assert check_hosts(hosts(ports=ports)) == []


def test_one_kind_of_node():
    assert check_hosts(hosts(models=(), nic_counts=())) == []
    assert found(check_hosts(hosts(models=("dgx-b200", "dgx-h100")))) == ["models dgx-b200, dgx-h100"]
    assert found(check_hosts(hosts(nic_counts=(9, 10)))) == ["machines with 9, 10 NICs"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, ["NCCL_IB_HCA is not set"]),
        ("mlx5_0,mlx5_3", ["NCCL_IB_HCA mlx5_0,mlx5_3"]),
        ("=mlx5_3,mlx5_0", ["NCCL_IB_HCA =mlx5_3,mlx5_0"]),
        ("=mlx5_0", ["NCCL_IB_HCA =mlx5_0"]),
        ("=mlx5_0,mlx5_3,mlx5_3", ["NCCL_IB_HCA =mlx5_0,mlx5_3,mlx5_3"]),
        ("=mlx5_0,mlx5_1:1", ["NCCL_IB_HCA =mlx5_0,mlx5_1:1", "storage NICs in the list: mlx5_1:1"]),
    ],
)
def test_nccl_gets_the_exact_list(text, said):
    findings = check_hosts(with_nccl(hosts(), NCCL_IB_HCA=text))
    assert found(findings) == said
    assert {finding.limit for finding in findings} == {"=mlx5_0,mlx5_3"}


def test_storage_nics_that_nobody_knows_are_not_guessed():
    assert check_hosts(hosts(storage_hcas=None)) == []


def test_assumed_names_are_undecided():
    findings = check_hosts(hosts(hcas_assumed=True))
    assert severities(findings) == [("FABRIC-083", "undecided")]
    wrong = with_nccl(hosts(hcas_assumed=True), NCCL_IB_HCA="=mlx5_3")
    assert severities(check_hosts(wrong)) == [("FABRIC-083", "limit")]


def test_ports_of_one_device_are_listed_by_number():
    both = (rail_port(0, device="mlx5_0", device_port=1), rail_port(1, device="mlx5_0", device_port=2))
    assert wanted_names(both) == ["mlx5_0:1", "mlx5_0:2"]
    assert wanted_names((rail_port(0), rail_port(1))) == ["mlx5_0", "mlx5_3"]


@pytest.mark.parametrize("name", ["NCCL_IB_TC", "NCCL_GIN_IB_TC"])
def test_no_traffic_class_on_infiniband(name):
    assert found(check_hosts(with_nccl(hosts(), **{name: "104"}))) == [f"{name}=104 on infiniband"]


def test_gpu_driven_queue_pairs_ride_in_the_same_class():
    """NVIDIA/nccl#2383: they rode on DSCP 0."""
    for wrong, said in (("0", "NCCL_GIN_IB_TC=0"), (None, "NCCL_GIN_IB_TC=not set")):
        findings = check_hosts(with_nccl(hosts(transport="roce"), **ROCE | {"NCCL_GIN_IB_TC": wrong}))
        assert found(findings) == [said]
        assert findings[0].limit == "104, as NCCL_IB_TC"


def test_no_fixed_gid_index():
    assert found(check_hosts(with_nccl(hosts(), NCCL_IB_GID_INDEX="3"))) == ["NCCL_IB_GID_INDEX=3"]


def test_rail_only_crosses_no_rails_and_keeps_pxn():
    alone = hosts(layout="rail-only")
    assert check_hosts(with_nccl(alone, NCCL_PXN_DISABLE="0")) == []
    assert check_hosts(alone) == [], "PXN is on by default"
    assert found(check_hosts(with_nccl(alone, NCCL_CROSS_NIC="2"))) == ["NCCL_CROSS_NIC=2"]
    assert found(check_hosts(with_nccl(alone, NCCL_CROSS_NIC=None))) == ["NCCL_CROSS_NIC=not set"]
    assert found(check_hosts(with_nccl(alone, NCCL_PXN_DISABLE="1"))) == ["PXN is switched off"]
    assert check_hosts(with_nccl(hosts(), NCCL_CROSS_NIC="2", NCCL_PXN_DISABLE="1")) == [], "rails that spines join may cross"


def matrix(own, numa=("0", "1")):
    gpus = tuple(own)
    return NicTopology(gpus, ("NIC0", "NIC1", "NIC3"), own, dict(zip(gpus, numa, strict=False)))


def test_each_gpu_has_the_nic_of_its_rail():
    assert check_nic_topology(hosts(), matrix({"GPU0": ("NIC0",), "GPU1": ("NIC3",)}), "node") == []
    assert check_nic_topology(hosts(), matrix({"GPU0": ("mlx5_0",), "GPU1": ("mlx5_3",)}), "node") == []
    other = check_nic_topology(hosts(), matrix({"GPU0": ("NIC0",), "GPU1": ("NIC1",)}), "node")
    assert [(finding.id, finding.where, finding.found) for finding in other] == [("FABRIC-086", "node", "rail NICs 0, 1")]
    assumed = hosts(hcas_assumed=True)
    assert check_nic_topology(assumed, matrix({"GPU0": ("NIC0",), "GPU1": ("NIC1",)}), "node") == []


def test_gpus_without_a_nic_or_with_two():
    findings = check_nic_topology(hosts(), matrix({"GPU0": ("NIC0", "NIC1"), "GPU1": ()}), "node")
    assert found(findings) == ["GPU0 owns NIC0, NIC1", "GPU1 owns no NIC"]


def test_numa_that_is_hidden_is_said():
    findings = check_nic_topology(hosts(), matrix({"GPU0": ("NIC0",), "GPU1": ("NIC3",)}, ("0", "0")), "node")
    assert found(findings) == ["all GPUs on NUMA node 0"]


SAMPLES = Path(__file__).parents[2] / "data/audit"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("topo_m_h100_12nic.txt", []),
        ("topo_m_numa_hidden.txt", ["all GPUs on NUMA node 0"]),
        (
            "topo_m_6nic_partial.txt",
            ["GPU0 owns NIC0, NIC1", "GPU4 owns NIC3, NIC4", *(f"GPU{number} owns no NIC" for number in (1, 2, 5, 7))],
        ),
    ],
)
def test_sample_13(name, said):
    """Public nodes of other vendors: judged without their RDMA names (cases 49 and 50)."""
    seen = read_nic_topology((SAMPLES / name).read_text(), Notebook(name))
    assert sorted(found(check_nic_topology(hosts(hcas_assumed=True), seen, name))) == sorted(said)
