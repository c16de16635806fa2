"""What every GPU node must be told about its own NICs: one description per node model, the same on all nodes."""

from typing import Annotated

from pydantic import Field

from railyard.model.base import Noun
from railyard.model.lossless import Lossless

PciAddress = Annotated[str, Field(pattern=r"^[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]$")]
"""Domain, bus, device and function as sysfs spells them: 0000:18:00.0."""


class CpuId(Noun):
    """What a CPU says of itself (cpuid), as NCCL's topology file has it."""

    arch: str
    vendor: str
    family: Annotated[int, Field(ge=0)]
    model: Annotated[int, Field(ge=0)]


class RailPort(Noun):
    """One port of a compute NIC. `hca` is the plan's name of it, `device` and `device_port` (from 1) what RDMA tools call it.

    `netdev` is the name that it gets. `pci`, `gpu_pci` (of the GPU beside it) and `cpu` (NUMA node) are None where the
    catalogue has no source for them: they are never guessed.
    """

    rail: int
    plane: int
    hca: str
    device: str
    device_port: int
    netdev: str
    pci: PciAddress | None = None
    gpu_pci: PciAddress | None = None
    cpu: int | None = None


class HostPlan(Noun):
    """The host side of the training fabric for all nodes of a site (they are of one model).

    `ports` by rail, then plane. `hcas_assumed`: the catalogue doesn't know the RDMA devices and `mlx5_{rail}` stands in.
    `storage_hcas` must never be in NCCL's list; None is unknown. `mtu` is bytes, None on InfiniBand, where partitions set it.
    `models` and `nic_counts` are what stands there: more than one of either means that rails differ from node to node.
    """

    model: str
    transport: str
    layout: str
    link_gbps: float
    ports: tuple[RailPort, ...]
    hcas_assumed: bool
    storage_hcas: tuple[str, ...] | None
    nccl: dict[str, str]
    mtu: int | None
    lossless: Lossless | None
    rail_networks: tuple[str, ...]
    gpu_vendor: str
    gpus: int
    models: tuple[str, ...]
    nic_counts: tuple[int, ...]
    pci_source: str | None = None
    pcie_gts: float | None = None
    cpu_id: CpuId | None = None
