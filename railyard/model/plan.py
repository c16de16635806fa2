"""The plan: every rack, device, port, cable, address and watt of a site, as values.

Rows that a large site has by the hundred thousand (cables, addresses) are msgspec structs; things that an operator acts on
alone (rack, switch, machine) are pydantic nouns whose `props()` is the resource's input.
"""

from typing import Literal

import msgspec
from pydantic import Field

from railyard.model.base import Noun
from railyard.model.cooling import RackAir
from railyard.model.floor import RackFloor
from railyard.model.power import FeedLetter
from railyard.model.switch_intent import SwitchRouting


class Cable(msgspec.Struct, frozen=True, array_like=False, rename="camel", gc=False):
    """One physical cable. Ends are `device/port`; `route_m` is the routed length, `length_m` the next orderable one.

    `a_second` and `z_second` are the ends of the second link where one cable carries two (twin-port cages); `sku` is a key of
    the catalogue's cables, `bundle` the bundle that it is pulled with.
    """

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
    a_second: str | None = None
    z_second: str | None = None
    route_m: float = 0.0
    sku: str = ""
    bundle: str = ""


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
    role: Literal["gpu", "storage", "leaf", "spine", "core", "management", "storage-switch", "in-band-switch", "oob"]
    model: str
    u: int
    u_height: int
    peak_kw: float
    weight_kg: float | None
    installed: bool


class RackSupplies(Noun):
    """Power supplies of one model in a rack: what each device of it has and needs. `None` is unknown.

    `psus_left` are those that live after the worst loss of a feed; `ats`: one supply behind a transfer switch, which stays fed.
    `load_kw` is what one device is planned with (`railyard:power.loads`); None: its peak.
    """

    model: str
    devices: int
    peak_kw: float
    psus: int | None = None
    psus_for_full: int | None = None
    psu_kw: float | None = None
    psus_left: int | None = None
    ats: bool = False
    load_kw: float | None = None


class RackFeed(Noun):
    """One feed of one rack: what it carries while all live, and after the loss of another one that is worst for it.

    `capacity_kw` is kVA (kW at a power factor of 1) of all its strips, derated: `breaker_a` x voltage x continuous rating, or
    what the strip is rated at. `load_a` and `survivor_a` are the fullest line of the fullest strip, `limit_a` what it may
    carry, `load_at` and `survivor_at` where that is, as it follows the rack's name: `pdu-a2/L3`. Fields that are None are
    of a plan from before they were kept.
    """

    name: FeedLetter
    pdu_model: str
    pdus: int
    capacity_kw: float
    breaker_a: float
    continuous_rating: float
    load_kw: float
    survivor_kw: float
    load_kva: float | None = None
    survivor_kva: float | None = None
    load_a: float | None = None
    survivor_a: float | None = None
    limit_a: float | None = None
    survivor_when: str | None = None
    load_at: str | None = None
    survivor_at: str | None = None


class RackPlan(Noun):
    """One rack with everything in it.

    `weight_kg` is the sum of what is known (devices whose weight is unknown carry None). `unweighed` names what stands in no
    device row and has no known weight (rack strips, the frame itself), `unweighed_max_kg` is the most that it may weigh.
    `floor` is the rack with all that it is planned with, and what that rests on.
    """

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
    unweighed: tuple[str, ...] = ()
    unweighed_max_kg: float = 0.0
    supplies: tuple[RackSupplies, ...] = ()
    floor: RackFloor | None = None
    cooling: RackAir | None = None


class SwitchPlan(Noun):
    """One fabric switch. `ports` maps a port to the far end `device/port` of each cable that is there now.

    `down_gbps` and `up_gbps` are what the switch is built for (all slots), not what is filled today.
    `links_per_peer` maps each switch above to the number of links to it. `node_nic` is the NIC port that a node has on this
    leaf's rail and plane (`mlx5_5`): the far end of every node port. None on spines and cores, and on a leaf that takes all
    NICs of its nodes (its `rail` is None, too). `wanted_down_to_up` is the ratio asked for; None: no uplinks by design.
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
    node_nic: str | None = None
    wanted_down_to_up: float | None = 1.0
    routing: SwitchRouting | None = None
    status: Literal["planned", "configured"] = "planned"


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
    """Counts and ratios of the whole training fabric, as planned; storage, in-band and out-of-band networks are not in it.

    `bisection_gb_per_s` is gigabytes (10^9) per second, one direction. `node_nics` are a node's NIC ports in the order of rails
    and planes; `node_nics_assumed` is true where the catalogue doesn't know them and `mlx5_{rail}` stands in.

    `leaves_per_unit` are those of one plane; `node_ports_per_leaf` and `uplinks_per_leaf` what a leaf is built for. Fewer links
    are wired where `fabric.spines` is set too low. `down_to_up` is of the wired ones, 0 in one tier. `endpoints` are links of
    nodes, `manager_links` those of fabric managers. Hops count switches; core loads are shares (0 to 1) of pairs of leaves.
    `subnet_managers` names by subnet the hosts or switches whose subnet manager works there (InfiniBand);
    `subnet_manager_nodes` is what a switch's own can manage. `idle_keys` are keys of `railyard:fabric`, or
    of another section (`infiniband.partitions`), that are set and change nothing in so many tiers or on this transport.
    """

    transport: str
    layout: Literal["rail-optimized", "fat-tree", "rail-only"]
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
    leaves_per_unit: int
    node_ports_per_leaf: int
    uplinks_per_leaf: int
    oversubscription: float = 1.0
    pods: int = 1
    pod_by: Literal["unit", "rail"] | None = None
    node_leaf_links: int = 0
    leaf_spine_links: int = 0
    spine_core_links: int = 0
    manager_links: int = 0
    separate_fabrics: int = 1
    same_rail_hops: int | None = None
    any_hops: int | None = None
    same_rail_core_load: float = 0.0
    any_core_load: float = 0.0
    shift_claim: Literal["one flow per link", "waived", "uneven", "oversubscribed"] = "one flow per link"
    subnet_managers: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    subnet_manager_nodes: int | None = None
    node_nics: tuple[str, ...] = ()
    node_nics_assumed: bool = False
    idle_keys: tuple[str, ...] = ()


class StorageTarget(Noun):
    """One metadata or storage target; `mirror` names the other half of its mirror group."""

    name: str
    kind: Literal["metadata", "storage"]
    server: str
    usable_tib: float
    mirror: str | None


class FileSystemPlan(Noun):
    """The parallel file system as planned; `usable_tib` is after RAID and mirroring, before the 80 % that should be filled."""

    name: str
    backend: str
    targets: tuple[StorageTarget, ...]
    usable_tib: float
    write_gb_per_s: float
    mounts: dict[str, str]
    quota_tib: dict[str, float]
    read_only: tuple[str, ...] = ()
    mirrored: bool = False
    status: Literal["planned"] = "planned"


class VolumePlan(Noun):
    """One tenant's place in the storage layout.

    `size_gib` is the whole class's quota, since a claim can never shrink: more for one tenant must not be less for another.
    Nothing but the file system can limit what a directory holds.
    """

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
    """Replication to the other site. `endpoint` is where this site sends to.

    `copy_min` = bits of one checkpoint / usable share of the link. `achieved_rpo_min` = m * `interval_min` + `copy_min`, where
    only every m-th checkpoint is copied, m = ceil(copy / interval). `wanted_rpo_min` is the stack file's `rpoMin`.
    """

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
    """The small slice that whole-site rules and the consequence table read.

    `cables` counts those of the training fabric and of the storage, in-band and out-of-band networks, `peak_kw` everything that
    stands in the planned racks. `worst_feed` is the rack feed and `worst_segment` the UPS, panel or busway that is fullest
    after the loss that is worst for it (by line, kVA or kW); None: the stack file doesn't say what is above the racks.
    `planned_scalable_units` is what the stack file says (or what is built, where it says nothing): fewer than are built is
    growth beyond the plan. `active_gpus` are those of machines that are not set aside: what jobs can have.
    """

    site: str
    gpus: int
    active_gpus: int | None = None  # None: totals of before this number was kept
    nodes: int
    machines: int
    racks: int
    peak_kw: float
    worst_feed_percent: float
    worst_feed: str
    worst_segment_percent: float | None = None
    worst_segment: str | None = None
    worst_segment_when: str | None = None
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
