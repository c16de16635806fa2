"""The catalogue's nouns: what hardware is, never what a site chose. Unknown is `None`, never 0.

Every fact has a source: `sources` maps a text to the facts that stand in it, and each
fact that is not null is listed exactly once. A source that nobody has checked against a vendor page keeps the word
"unverified".
"""

import math
from collections import Counter
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from railyard.model.base import Gbps, Kg, Kw, Noun, Tib

Fraction = Annotated[float, Field(ge=0, le=1)]
Height = Annotated[int, Field(ge=1, le=60, description="rack units")]
Whole = Annotated[int, Field(ge=0, le=1_000_000)]
Metres = Annotated[float, Field(gt=0, le=5)]

_NOT_FACTS = {"name", "title", "sources"}


class Entry(Noun):
    """One catalogue row. `name` is the key that a stack file uses."""

    name: str
    title: str
    sources: dict[str, tuple[str, ...]]

    def source(self, fact: str) -> str:
        """Where a fact (its outside name, e.g. `peakKw`) comes from. KeyError if the fact is unknown (null)."""
        for text, facts in self.sources.items():
            if fact in facts:
                return text
        raise KeyError(fact)

    def verified(self, fact: str) -> bool:
        """False while the source says that nobody has checked it."""
        return "unverified" not in self.source(fact)

    @model_validator(mode="after")
    def _sourced(self) -> Self:
        values = self.model_dump(by_alias=True, mode="json")
        known = {key for key, value in values.items() if value is not None and key not in _NOT_FACTS}
        listed = Counter(fact for facts in self.sources.values() for fact in facts)
        complaints = [f"no source for {fact}" for fact in sorted(known - set(listed))]
        complaints += [f"source for {fact}, which is not a known fact here" for fact in sorted(set(listed) - known)]
        complaints += [f"two sources for {fact}" for fact, count in sorted(listed.items()) if count > 1]
        if complaints:
            raise ValueError("; ".join(complaints))
        return self


class GpuModel(Entry):
    """One accelerator. `memory_gb` is decimal, as vendors print it."""

    vendor: Literal["nvidia", "amd"]
    form: str
    memory_gb: Annotated[float, Field(gt=0)]
    tdp_w: Annotated[float, Field(gt=0)]
    bf16_dense_tflops: float | None = None
    fp8_dense_tflops: float | None = None
    memory_tb_per_s: float | None = None
    scaleup_gb_per_s: float | None = None
    scaleup_domain_gpus: Whole | None = None


class NodeModel(Entry):
    """One GPU server. `peak_kw` is the nameplate maximum that power is planned with.

    `rail_hcas` are the RDMA devices of the backend NICs in rail order: entry r is the NIC beside GPU r. Storage and in-band
    adapters take numbers in between, so the number is not the rail. `psus_for_full` supplies of `psu_kw` carry `peak_kw`.
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
    psus: Annotated[int, Field(ge=1)] | None = None
    psus_for_full: Annotated[int, Field(ge=1)] | None = None
    psu_kw: Kw | None = None
    backend_nics: Annotated[int, Field(ge=1)]
    nic_gbps: Gbps
    rail_hcas: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    storage_nics: Whole
    storage_nic_gbps: Gbps | None = None
    cpus: Whole | None = None
    cores: Whole | None = None
    ram_gib: Whole | None = None
    nvme_tib: Tib | None = None
    air_fraction: Fraction
    liquid_fraction: Fraction

    @model_validator(mode="after")
    def _one_device_per_nic(self) -> Self:
        if self.rail_hcas is not None and len(set(self.rail_hcas)) != self.backend_nics:
            found = ", ".join(self.rail_hcas)
            raise ValueError(f"{self.backend_nics} backend NICs need as many different railHcas, not {found}")
        return self


class SwitchModel(Entry):
    """One fabric switch. `ports` maps a link speed in Gb/s to the number of ports at that speed (all by breakout).

    `psus_for_full` is the number of supplies that carry it at its peak.
    """

    transports: Annotated[tuple[Literal["infiniband", "roce"], ...], Field(min_length=1)]
    ports: dict[int, int]
    u_height: Height
    peak_kw: Kw | None = None
    typical_kw: Kw | None = None
    weight_kg: Kg | None = None
    depth_m: Metres | None = None
    psus: Annotated[int, Field(ge=1)] | None = None
    psus_for_full: Annotated[int, Field(ge=1)] | None = None

    def radix(self, link_gbps: float) -> int | None:
        """Ports at a link speed; None when the switch doesn't run at it."""
        return self.ports.get(int(link_gbps)) if float(link_gbps).is_integer() else None


class PduModel(Entry):
    """One rack power strip and its feed. The reference of the voltage is a fact: sqrt(3) x 230 would be 42 % wrong."""

    phases: Literal[1, 3]
    volts: Annotated[float, Field(gt=0, le=1000)]
    voltage_reference: Literal["line-line", "line-neutral"]
    breaker_a: Annotated[float, Field(gt=0, le=1000)]
    outlets: Whole | None = None
    weight_kg: Kg | None = None

    def capacity_kw(self, continuous_rating: float) -> float:
        """What the feed carries for hours: V x A x phase factor x rating / 1000, at a power factor of 1 (kW = kVA).

        Three phases: sqrt(3) with the line-to-line voltage, 3 with line-to-neutral. One phase: 1 either way.
        """
        factor = 1.0 if self.phases == 1 else math.sqrt(3) if self.voltage_reference == "line-line" else 3.0
        return factor * self.volts * self.breaker_a * continuous_rating / 1000


class RackModel(Entry):
    """One rack. `weight_limit_kg` is the static load that the frame carries; the floor's limit is the stack file's."""

    u_height: Height
    weight_limit_kg: Kg | None = None
    own_weight_kg: Kg | None = None
    depth_m: Metres | None = None
    width_m: Metres | None = None


class StorageNodeModel(Entry):
    """One storage server. `usable_tib` is after RAID inside the server, before mirroring between servers.

    `psus_for_full` is the number of supplies that carry it at its peak.
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
    nics: Annotated[int, Field(ge=1)]
    nic_gbps: Gbps
    psus: Annotated[int, Field(ge=1)] | None = None
    psus_for_full: Annotated[int, Field(ge=1)] | None = None


class Catalog(Noun):
    """Everything that a stack file may name, by its key."""

    gpus: dict[str, GpuModel]
    nodes: dict[str, NodeModel]
    switches: dict[str, SwitchModel]
    pdus: dict[str, PduModel]
    racks: dict[str, RackModel]
    storage: dict[str, StorageNodeModel]
