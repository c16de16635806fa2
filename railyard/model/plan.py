"""The plan: every rack, device, port, cable, address and watt of a site, as values.

Rows that a large site has by the hundred thousand (cables, addresses) are msgspec structs; things that an operator acts on
alone (rack, switch, machine) are pydantic nouns whose `props()` is the resource's input.
"""

from typing import Literal

import msgspec
from pydantic import Field

from railyard.model.base import Noun


class Cable(msgspec.Struct, frozen=True, array_like=False, rename="camel", gc=False):
    """One cable. Ends are `device/port`; `length_m` is the routed length rounded up to an orderable length."""

    id: str
    kind: Literal["node-leaf", "leaf-spine", "spine-core", "storage", "in-band", "oob"]
    a: str
    z: str
    a_label: str
    z_label: str
    link_gbps: float
    length_m: float
    medium: str
    rail: int | None = None
    plane: int | None = None
    color: str = ""


class AddressRow(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """One interface address of one device."""

    device: str
    network: str
    interface: str
    address: str
    prefix: int


class RackDevice(Noun):
    """One device in a rack. `u` is the lowest U that it fills, counted from 1 at the bottom."""

    name: str
    role: Literal["gpu", "storage", "leaf", "spine", "core", "management", "oob"]
    model: str
    u: int
    u_height: int
    peak_kw: float
    weight_kg: float | None
    installed: bool


class RackFeed(Noun):
    """One feed of one rack: what it carries when both feeds live, and what it carries alone (`survivor_kw`).

    `capacity_kw` is derated (`breaker_a` x voltage x continuous rating, both factors in the catalogue and the stack file).
    """

    name: Literal["a", "b"]
    pdu_model: str
    pdus: int
    capacity_kw: float
    breaker_a: float
    continuous_rating: float
    load_kw: float
    survivor_kw: float


class RackPlan(Noun):
    """One rack with everything in it."""

    name: str
    model: str
    row: int
    position: int
    u_height: int
    reserved_u: tuple[int, ...]
    devices: tuple[RackDevice, ...]
    feeds: tuple[RackFeed, ...]
    peak_kw: float
    air_kw: float
    air_limit_kw: float
    weight_kg: float
    weight_limit_kg: float | None


class SwitchPlan(Noun):
    """One fabric switch. `ports` maps a port to the far end `device/port` of each cable that is there now.

    `down_gbps` and `up_gbps` are what the switch is built for (all slots), not what is filled today.
    `links_per_peer` maps each switch above to the number of links to it.
    """

    name: str
    role: Literal["leaf", "spine", "core"]
    model: str
    unit: int | None
    rail: int | None
    plane: int
    rack: str
    u: int
    port_count: int
    ports: dict[str, str]
    links_per_peer: dict[str, int]
    down_gbps: float
    up_gbps: float
    down_to_up: float | None
    free_ports: int
    status: Literal["planned"] = "planned"


class MachinePlan(Noun):
    """One machine: the plan's expectation joined with the inventory's facts."""

    name: str
    role: Literal["gpu", "storage"]
    model: str
    unit: int | None
    slot: int | None
    rack: str
    u: int
    serial: str
    bmc: str
    macs: tuple[str, ...]
    gpus: int
    nics: int
    lifecycle: Literal["active", "quarantined"]
    reason: str | None
    install_generation: int
    confirm_serial: str | None
    labels: dict[str, str]


class FabricSummary(Noun):
    """Counts and ratios of the whole fabric, as planned. `bisection_gb_per_s` is gigabytes (10^9) per second, one direction."""

    transport: str
    tiers: int
    rails: int
    planes: int
    radix: int
    leaves: int
    spines: int
    cores: int
    node_leaf_cables: int
    leaf_spine_cables: int
    spine_core_cables: int
    endpoints: int
    links_per_pair: float
    link_gbps: float
    down_to_up: float
    bisection_gb_per_s: float
    free_leaf_ports: int


class StorageTarget(Noun):
    """One metadata or storage target; `mirror` names the other half of its mirror group."""

    name: str
    kind: Literal["metadata", "storage"]
    server: str
    usable_tib: float
    mirror: str | None


class FileSystemPlan(Noun):
    """The parallel file system as planned; `usable_tib` is after RAID and mirroring."""

    name: str
    backend: str
    targets: tuple[StorageTarget, ...]
    usable_tib: float
    write_gb_per_s: float
    mounts: dict[str, str]
    quota_tib: dict[str, float]
    read_only: tuple[str, ...] = ()
    status: Literal["planned"] = "planned"


class VolumePlan(Noun):
    """One tenant's place in the storage layout: its share of a class, by GPUs; a read-only class is the same for all."""

    purpose: str
    path: str
    size_gib: int
    read_only: bool


class QueuePlan(Noun):
    """One tenant's namespace, queue and volumes; share in whole GPUs, cpu and memory derived from the node model.

    `share` is the same as Kubernetes quantities, spelt as the API server spells them: another spelling is a change for ever.
    """

    tenant: str
    namespace: str
    local_queue: str
    cluster_queue: str
    cohort: str
    gpus: int
    cpu: int
    memory_gib: int
    priority: str
    share: dict[str, str] = Field(default_factory=dict)
    volumes: tuple[VolumePlan, ...] = ()


class ReplicaPlan(Noun):
    """Replication to the other site. `copy_min` = bits of one checkpoint / usable link; `rpo_min` = interval + copy."""

    name: str
    peer_stack: str | None
    endpoint: str
    checkpoint_tib: float
    interval_min: float
    link_gbps: float
    copy_min: float
    achieved_rpo_min: float
    wanted_rpo_min: float
    status: Literal["planned"] = "planned"


class SiteTotals(Noun):
    """The small slice that whole-site rules and the consequence table read."""

    site: str
    gpus: int
    nodes: int
    machines: int
    racks: int
    peak_kw: float
    worst_feed_percent: float
    worst_feed: str
    bisection_gb_per_s: float
    cables: int
    usable_storage_tib: float
    spare_leaf_ports: int
    planned_scalable_units: int
    built_scalable_units: int
    nodes_per_unit: int
    spines_per_plane: int
    inventory_sha256: str


class PlatformPlan(Noun):
    """The control plane as it must be, and the site's cohort of cluster queues.

    `unassigned` is what no tenant owns, in Kubernetes quantities (`nvidia.com/gpu: "32"`): the cohort lends it to whoever asks.
    Every resource that a job asks for must be covered, or Kueue never admits it.
    """

    name: str
    site: str
    version: str
    endpoint: str
    ca_file: str
    kubeconfig_ref: str
    encrypt_secrets: bool
    anonymous_auth: bool
    audit_log: bool
    cohort: str
    flavor: str
    topology_levels: tuple[str, ...]
    node_labels: dict[str, str]
    gpu_resource: str
    unassigned: dict[str, str]
