"""The catalogue's nouns: what hardware is, never what a site chose. Unknown is `None`, never 0.

Every fact has a source: `sources` maps a text to the facts that stand in it, and each
fact that is not null is listed exactly once. A source that nobody has checked against a vendor page keeps the word
"unverified".
"""

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from railyard.model.asics import AsicModel
from railyard.model.base import Gbps, Kg, Kw, Noun, Tib
from railyard.model.cabling import CableModel, Form, HeatSink, OpticModel
from railyard.model.cooling import M3S, AirC, CoolingModel, Direction, WaterC
from railyard.model.entry import Entry
from railyard.model.hosts import CpuId, PciAddress
from railyard.model.networks import ManagementSwitchModel
from railyard.model.power import Inlet, Legs, Outlet, Reference

Fraction = Annotated[float, Field(ge=0, le=1)]
Height = Annotated[int, Field(ge=1, le=60, description="rack units")]
Whole = Annotated[int, Field(ge=0, le=1_000_000)]
Metres = Annotated[float, Field(gt=0, le=5)]
PowerFactor = Annotated[float, Field(gt=0.5, le=1, allow_inf_nan=False)]


class GpuModel(Entry):
    """One accelerator. `memory_gb` is decimal, as vendors print it. `liquid_skus` are liquid-cooled servers sold with it."""

    vendor: Literal["nvidia", "amd"]
    form: str
    memory_gb: Annotated[float, Field(gt=0)]
    tdp_w: Annotated[float, Field(gt=0)]
    bf16_dense_tflops: float | None = None
    fp8_dense_tflops: float | None = None
    memory_tb_per_s: float | None = None
    scaleup_gb_per_s: float | None = None
    scaleup_domain_gpus: Whole | None = None
    liquid_skus: tuple[str, ...] | None = None


class NodeModel(Entry):
    """One GPU server. `peak_kw` is the nameplate maximum that power is planned with.

    `rail_hcas` are the RDMA devices of the backend NICs in rail order: entry r is the NIC beside GPU r. Storage and in-band
    adapters take numbers in between, so the number is not the rail. `rail_cages` are their cages and ports (`4/2`) in rail
    order, `nic_form` and `nic_heat_sink` what such a cage takes. `psus_for_full` supplies of `psu_kw` carry `peak_kw`,
    `psus_to_run` keep it running, throttled if need be. `power_factor` is W / VA at full load, `inlet` that of each supply.
    `rail_pci`, `rail_cpus` and `gpu_pci` are PCI addresses of NICs, their NUMA nodes and the GPUs beside them, in rail order;
    `storage_hcas` are the RDMA devices that are no rail, `pcie_gts` the PCIe speed of both (GT/s per lane, 16 lanes).
    `fluid_kg` is the coolant in its own pipes and cold plates. `airflow` is the way of its air, `airflow_m3_s` what fans move,
    `inlet_c_max` the warmest air and `loop_c_max` the warmest coolant that it may get; `liquid_only`: there is no air-cooled
    build of it.
    `storage_nics` adapters of `storage_nic_ports` ports serve storage and in-band, one port in each cage of `storage_nic_form`;
    each of the `dpus` has a BMC of its own.
    """

    gpu_model: str
    gpus: Annotated[int, Field(ge=1, le=72)]
    gpu_memory_gb: float
    max_gpu_tdp_w: float
    rack_units: Height
    peak_kw: Kw
    typical_kw: Kw | None = None
    idle_kw: Kw | None = None
    weight_kg: Kg | None = None
    depth_m: Metres | None = None
    fluid_kg: Kg | None = None
    psus: Annotated[int, Field(ge=1)] | None = None
    psus_for_full: Annotated[int, Field(ge=1)] | None = None
    psus_to_run: Annotated[int, Field(ge=1)] | None = None
    psu_kw: Kw | None = None
    power_factor: PowerFactor | None = None
    inlet: Inlet | None = None
    backend_nics: Annotated[int, Field(ge=1)]
    nic_gbps: Gbps
    rail_hcas: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    rail_cages: Annotated[tuple[Annotated[str, Field(pattern=r"^\d{1,2}(/\d)?$")], ...], Field(min_length=1)] | None = None
    rail_pci: Annotated[tuple[PciAddress, ...], Field(min_length=1)] | None = None
    rail_cpus: Annotated[tuple[Whole, ...], Field(min_length=1)] | None = None
    gpu_pci: Annotated[tuple[PciAddress, ...], Field(min_length=1)] | None = None
    pcie_gts: Annotated[float, Field(gt=0, le=1000)] | None = None
    cpu_id: CpuId | None = None
    nic_form: Form | None = None
    nic_heat_sink: HeatSink | None = None
    storage_nic_form: Form | None = None
    storage_hcas: tuple[str, ...] | None = None
    storage_nics: Whole
    storage_nic_gbps: Gbps | None = None
    storage_nic_ports: Annotated[int, Field(ge=1, le=4)] | None = None
    dpus: Whole | None = None
    cpus: Whole | None = None
    cores: Whole | None = None
    ram_gib: Whole | None = None
    nvme_tib: Tib | None = None
    air_fraction: Fraction
    liquid_fraction: Fraction
    airflow: Direction | None = None
    airflow_m3_s: M3S | None = None
    inlet_c_max: AirC | None = None
    liquid_only: bool | None = None
    loop_c_max: WaterC | None = None

    @model_validator(mode="after")
    def _one_device_per_nic(self) -> Self:
        if self.rail_hcas is not None and len(set(self.rail_hcas)) != self.backend_nics:
            found = ", ".join(self.rail_hcas)
            raise ValueError(f"{self.backend_nics} backend NICs need as many different railHcas, not {found}")
        if self.rail_cages is not None and len(set(self.rail_cages)) != self.backend_nics:
            found = ", ".join(self.rail_cages)
            raise ValueError(f"{self.backend_nics} backend NICs need as many different railCages, not {found}")
        return self

    @model_validator(mode="after")
    def _one_address_per_device(self) -> Self:
        counts = {"railPci": (self.rail_pci, self.backend_nics), "gpuPci": (self.gpu_pci, self.gpus)}
        for fact, (found, want) in counts.items():
            if found is not None and len(set(found)) != want:
                raise ValueError(f"{want} devices need as many different {fact}, not {', '.join(found)}")
        if self.rail_cpus is not None and len(self.rail_cpus) != self.backend_nics:
            raise ValueError(f"{self.backend_nics} backend NICs need as many railCpus, not {len(self.rail_cpus)}")
        shared = sorted(set(self.storage_hcas or ()) & set(self.rail_hcas or ()))
        if shared:
            raise ValueError(f"{', '.join(shared)} can't be in railHcas and storageHcas")
        return self


class SwitchModel(Entry):
    """One fabric switch. `ports` maps a link speed in Gb/s to the number of ports at that speed (all by breakout).

    `cages` of `cage_form` hold them, the same number each; `heat_sink` is the plug that they take, `lane_gbps` the fastest lane
    generation. `psus_for_full` is the number of supplies that carry it at its peak. `airflow` is the way of the air from the
    side of its ports, `airflow_both_ways`: the other way is sold, too.
    """

    transports: Annotated[tuple[Literal["infiniband", "roce"], ...], Field(min_length=1)]
    ports: dict[int, int]
    cages: Annotated[int, Field(ge=1)] | None = None
    cage_form: Form | None = None
    heat_sink: HeatSink | None = None
    lane_gbps: Annotated[int, Field(ge=1)] | None = None
    u_height: Height
    peak_kw: Kw | None = None
    typical_kw: Kw | None = None
    weight_kg: Kg | None = None
    depth_m: Metres | None = None
    psus: Annotated[int, Field(ge=1)] | None = None
    psus_for_full: Annotated[int, Field(ge=1)] | None = None
    psus_to_run: Annotated[int, Field(ge=1)] | None = None
    psu_kw: Kw | None = None
    power_factor: PowerFactor | None = None
    inlet: Inlet | None = None
    subnet_manager_nodes: Annotated[int, Field(ge=1)] | None = None
    airflow: Direction | None = None
    airflow_both_ways: bool | None = None
    inlet_c_max: AirC | None = None

    def radix(self, link_gbps: float) -> int | None:
        """Ports at a link speed; None when the switch doesn't run at it."""
        return self.ports.get(int(link_gbps)) if float(link_gbps).is_integer() else None


class PduBank(Noun):
    """Outlets of a strip behind one breaker of its own, between `legs`. `outlets` names them by type, as they are printed."""

    name: str
    legs: Legs
    breaker_a: Annotated[float, Field(gt=0, le=1000)] | None = None
    outlets: dict[Outlet, tuple[str, ...]]


class PduModel(Entry):
    """One rack power strip and its feed. The reference of the voltage is a fact: sqrt(3) x 230 would be 42 % wrong.

    `breaker_a` is the feed's breaker, `rated_a` what the strip's inlet and plug carry for hours and `rated_kva` the vendor's
    own maximum, where they are less. `wires` of its cord: 5 with a neutral (wye), 4 without (delta), 3 for one phase. `banks`
    are its breakers with their outlets.
    """

    phases: Literal[1, 3]
    volts: Annotated[float, Field(gt=0, le=1000)]
    voltage_reference: Reference
    breaker_a: Annotated[float, Field(gt=0, le=1000)]
    rated_a: Annotated[float, Field(gt=0, le=1000)] | None = None
    rated_kva: Kw | None = None
    plug: str | None = None
    wires: Literal[3, 4, 5] | None = None
    outlets: Whole | None = None
    weight_kg: Kg | None = None
    banks: tuple[PduBank, ...] | None = None

    @model_validator(mode="after")
    def _one_outlet_each(self) -> Self:
        names = [name for bank in self.banks or () for rows in bank.outlets.values() for name in rows]
        if len(set(names)) != len(names) or len({bank.name for bank in self.banks or ()}) != len(self.banks or ()):
            raise ValueError("banks and outlets have names of their own")
        if self.banks is not None and self.outlets not in (None, len(names)):
            raise ValueError(f"{len(names)} outlets in its banks, {self.outlets} in all")
        if self.wires == 4 and any("-" not in bank.legs for bank in self.banks or ()):
            raise ValueError("no bank to neutral on a cord of four wires")
        if self.phases == 1 and len({bank.legs for bank in self.banks or ()}) > 1:
            raise ValueError("banks of one phase stand between the same two lines")
        return self

    def capacity_kw(self, continuous_rating: float) -> float:
        """What the feed carries for hours: V x A x phase factor x rating / 1000, at a power factor of 1 (kW = kVA).

        Three phases: sqrt(3) with the line-to-line voltage, 3 with line-to-neutral. One phase: 1 either way.
        """
        factor = 1.0 if self.phases == 1 else math.sqrt(3) if self.voltage_reference == "line-line" else 3.0
        return factor * self.volts * self.breaker_a * continuous_rating / 1000


class RackModel(Entry):
    """One rack. `weight_limit_kg` is the static load that the frame carries; the floor's limit is the stack file's.

    `rolling_limit_kg` is what it may hold while it is rolled on its `castors`; it stands on `feet`. Limits are of what
    stands in it, its own weight left out. `usable_depth_m` is from the front of the front rails to the inside of the rear door.
    `strip_places` is how many zero-U power strips find a place at its rear.
    """

    u_height: Height
    weight_limit_kg: Kg | None = None
    rolling_limit_kg: Kg | None = None
    own_weight_kg: Kg | None = None
    depth_m: Metres | None = None
    usable_depth_m: Metres | None = None
    width_m: Metres | None = None
    height_m: Metres | None = None
    feet: Annotated[int, Field(ge=3, le=16)] | None = None
    castors: Annotated[int, Field(ge=3, le=16)] | None = None
    strip_places: Annotated[int, Field(ge=1, le=16)] | None = None


class StorageNodeModel(Entry):
    """One storage server. `usable_tib` is after RAID inside the server, before mirroring between servers.

    `psus_for_full` is the number of supplies that carry it at its peak. `nics` ports are the storage network's; in-band and
    management (1000BASE-T, beside the BMC) have ports of their own.
    """

    backends: Annotated[tuple[Literal["lustre", "beegfs"], ...], Field(min_length=1)]
    rack_units: Height
    drives: Whole
    drive_tib: Tib
    targets: Annotated[int, Field(ge=1)]
    metadata_targets: Whole
    usable_tib: Tib
    write_gb_per_s: Annotated[float, Field(gt=0)]
    read_gb_per_s: Annotated[float, Field(gt=0)]
    peak_kw: Kw
    weight_kg: Kg | None = None
    depth_m: Metres | None = None
    nics: Annotated[int, Field(ge=1)]
    nic_gbps: Gbps
    in_band_ports: Whole | None = None
    in_band_gbps: Gbps | None = None
    management_ports: Whole | None = None
    airflow: Direction | None = None
    inlet_c_max: AirC | None = None
    psus: Annotated[int, Field(ge=1)] | None = None
    psus_for_full: Annotated[int, Field(ge=1)] | None = None
    psus_to_run: Annotated[int, Field(ge=1)] | None = None
    psu_kw: Kw | None = None
    power_factor: PowerFactor | None = None
    inlet: Inlet | None = None


class Catalog(Noun):
    """Everything that a stack file may name, by its key."""

    asics: dict[str, AsicModel]
    gpus: dict[str, GpuModel]
    nodes: dict[str, NodeModel]
    switches: dict[str, SwitchModel]
    pdus: dict[str, PduModel]
    racks: dict[str, RackModel]
    storage: dict[str, StorageNodeModel]
    cables: dict[str, CableModel]
    optics: dict[str, OpticModel]
    management_switches: dict[str, ManagementSwitchModel]
    cooling: dict[str, CoolingModel]
