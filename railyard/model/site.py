"""The stack file: what the site should be. Choices and counts, never facts about one machine."""

import re
from datetime import date
from enum import StrEnum
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from railyard.model.base import BaseUrl, Cidr, Gbps, Host, HttpsUrl, Name, Noun, Path, Ref, Sha256, Tib, Url, one_of
from railyard.model.blocks import Ipv6Blocks, ReservedBlock
from railyard.model.cabling import Cabling
from railyard.model.cooling import Cooling
from railyard.model.floor import Floor
from railyard.model.infiniband import InfiniBand
from railyard.model.lossless import Bfd, Lossless, Nos
from railyard.model.networks import Networks
from railyard.model.power import Amps, FeedLetter, PowerSection, Rating

SCHEMA_VERSION = 1
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Positive = Annotated[int, Field(ge=1, le=1_000_000)]
FloorKg = Annotated[float, Field(gt=0, le=5000, allow_inf_nan=False)]
"""Of one rack: frames bear 1 to 2.3 t. More is newton or gram."""
AirLimitKw = Annotated[float, Field(ge=0, le=300, allow_inf_nan=False)]
"""Of one rack: air takes 30 to 40 kW away, a rear door 50 to 80. More is watt."""
BootTarget = Literal[
    "Pxe", "Cd", "Usb", "Hdd", "BiosSetup", "Utilities", "Diags", "UefiShell", "UefiTarget", "SDCard", "UefiHttp", "RemoteDrive"
]
"""Redfish boot sources (DSP0268, ComputerSystem.BootSource) that a boot order can hold."""


def _date(text: str) -> str:
    """An ISO date that exists: waivers are compared by date, and 31 February never comes."""
    try:
        date.fromisoformat(text)
    except ValueError:
        raise ValueError("a date that exists, like 2027-06-30") from None
    return text


_UNIT = "a whole U from 1 (at the bottom) to 60, or a range of them like 40-42"
_UNITS_MAX = 60


def _unit(value: object) -> object:
    """U are counted from 1 and have no halves: what a tape measure calls 0.5 U is a panel's height, not a place."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _UNITS_MAX:
        raise ValueError(_UNIT)
    return value


def _units(value: object) -> object:
    """Ranges as the U in them; what is none stays as it is, for `_unit` to name."""
    if not isinstance(value, list | tuple):
        return value
    found: list[object] = []
    for item in cast("list[object]", value):
        ends = re.fullmatch(r"(\d{1,2}) ?- ?(\d{1,2})", item) if isinstance(item, str) else None
        first, last = (int(ends[1]), int(ends[2])) if ends else (1, 0)
        found += range(first, last + 1) if 1 <= first <= last <= _UNITS_MAX else [item]
    return tuple(found)


_RackUnit = Annotated[int, BeforeValidator(_unit), Field(ge=1, le=_UNITS_MAX)]
_Written = Annotated[int, Field(ge=1, le=_UNITS_MAX)] | Annotated[str, Field(pattern=r"^[0-9]{1,2} ?- ?[0-9]{1,2}$")]
ReservedUnits = Annotated[tuple[_RackUnit, ...], BeforeValidator(_units, json_schema_input_type=list[_Written])]
"""U that stay empty: `[1, 40-42]` is U1, U40, U41, U42."""


class RackKind(StrEnum):
    """Where switches and storage servers stand: in the compute racks, or in racks of their own."""

    SHARED = "shared"
    DEDICATED = "dedicated"


class Transport(StrEnum):
    INFINIBAND = "infiniband"
    ROCE = "roce"


class StorageBackend(StrEnum):
    LUSTRE = "lustre"
    BEEGFS = "beegfs"
    NONE = "none"


class Site(Noun):
    """Who this is. `inventory` is relative to the project root."""

    name: Name
    inventory: Path
    contract_version: Annotated[Literal[1], one_of("1")] = 1


class Compute(Noun):
    """GPU nodes. `nodes` is what stands there now; slots up to the planned units are kept free."""

    node_model: str
    nodes: Positive
    scratch_tib: Tib | None = None


class Feed(Noun):
    """One power path to every rack. `breakerA` (the breaker in front of each strip) and `continuousRating` default to those of
    the strip's model and of the facility.
    """

    name: FeedLetter
    pdu_model: str
    pdus_per_rack: Annotated[int, Field(ge=1, le=4)] = 1
    breaker_a: Amps | None = None
    continuous_rating: Rating | None = None


class Facility(Noun):
    """Racks, power and cooling. `spread_racks` racks are filled together, one node each in turn."""

    rack_model: str
    nodes_per_rack: Annotated[int, Field(ge=1, le=48)]
    spread_racks: Annotated[int, Field(ge=1, le=64)] = 1
    racks_per_row: Annotated[int, Field(ge=1, le=100)] = 10
    switch_racks: RackKind = RackKind.DEDICATED
    storage_racks: RackKind = RackKind.DEDICATED
    feeds: Annotated[tuple[Feed, ...], Field(min_length=1, max_length=4)]
    air_limit_kw: AirLimitKw
    weight_limit_kg: FloorKg | None = None
    continuous_rating: Annotated[float, Field(gt=0, le=1)] = 0.8
    reserved_u: ReservedUnits = ()
    spine_racks: Annotated[
        int, Field(ge=1, le=64, description="dedicated: racks that spines, cores and service switches stand in, at least")
    ] = 1
    unit_network_racks: Annotated[
        int,
        Field(ge=1, le=16, description="dedicated: racks that a unit's switches stand in, at least; planes in different ones"),
    ] = 1
    strip_places: Annotated[
        int | None,
        Field(ge=1, le=16, description="zero-U power strips that a rack has room for; default: the rack model's figure"),
    ] = None
    mirrors_apart: Annotated[bool, Field(description="storage servers 1 and 2, 3 and 4, ... stand in different racks")] = False


class Layout(StrEnum):
    """How the NICs of a node hang on the leaves of its unit.

    `rail-optimized`: NIC r on leaf r. `fat-tree`: all on one leaf. `rail-only`: NIC r on leaf r and no spines: a separate
    fabric for each rail.
    """

    RAIL_OPTIMIZED = "rail-optimized"
    FAT_TREE = "fat-tree"
    RAIL_ONLY = "rail-only"


class PodBy(StrEnum):
    """What a pod of three tiers is made of: whole units, or whole rails."""

    UNIT = "unit"
    RAIL = "rail"


class Fabric(Noun):
    """The training fabric. `spines` overrides the closed form (per plane) and is judged by the rules.

    `oversubscription` is down:up of a leaf (2 is twice as much down as up); left out, a leaf has as many uplinks as node ports.
    `tiers: auto` is two, or three where a plane has more leaves than a spine has ports; 1 hangs all NICs of one unit on one
    switch per plane. `podBy: unit` keeps all rails of a unit in one pod, so that pods are bought as units are; same-rail
    traffic between pods then crosses the core (5 switch hops). `podBy: rail` keeps a rail in one pod (3 hops, none through the
    core) as long as its leaves, one for each planned unit, fit into one (as many as a leaf has uplinks: 32 of 64 ports); a
    longer rail crosses the core, too. All pods' spines stand from the first unit on. `linksPerCable: 2`: one twin-port cable
    carries two links.
    """

    transport: Transport
    switch_model: str
    link_gbps: Gbps
    rails: Annotated[int, Field(ge=1, le=16)] = 8
    planes: Annotated[int, Field(ge=1, le=4)] = 1
    nodes_per_unit: Annotated[int, Field(ge=1, le=512)]
    scalable_units: Positive
    planned_scalable_units: Positive | None = None
    spines: Positive | None = None
    uplinks_per_leaf: Positive | None = None
    reserved_ports: Count = 0
    layout: Layout = Layout.RAIL_OPTIMIZED
    tiers: Annotated[Literal["auto", 1, 2, 3], one_of("auto, 1, 2 or 3")] = "auto"
    oversubscription: Annotated[float, Field(ge=1, le=64, allow_inf_nan=False)] | None = None
    links_per_cable: Annotated[Literal[1, 2], one_of("1 or 2")] = 1
    pod_by: PodBy = PodBy.UNIT
    full_pods: bool = False
    nos: Nos | None = None
    nos_version: Annotated[str, Field(pattern=r"^[0-9][A-Za-z0-9._-]{0,31}$")] | None = None
    asn_base: Annotated[int, Field(ge=1, le=4_294_967_295)] = 4_200_000_000
    bfd: Bfd = Bfd()
    lossless: Lossless = Lossless()


class Addresses(Noun):
    """Address blocks; everything below is cut from them by the planner.

    `loopbacks` defaults to a part of `rails` (routed fabrics only); `management` are the networks that may log in to switches,
    by default `oob` and `inBand`, of IPv6 too where they have it.
    """

    oob: Cidr
    in_band: Cidr
    storage: Cidr
    rails: Cidr
    pods: Cidr
    services: Cidr
    ntp_servers: Annotated[tuple[Host, ...], Field(min_length=1)]
    syslog_servers: Annotated[tuple[Host, ...], Field(max_length=16)] = ()
    loopbacks: Cidr | None = None
    ipv6: Ipv6Blocks = Ipv6Blocks()
    reserved: Annotated[tuple[ReservedBlock, ...], Field(max_length=256)] = ()
    management: Annotated[tuple[Cidr, ...], Field(max_length=64)] = ()


class StorageClass(Noun):
    """One directory of the layout /storage/{datasets,checkpoints,logs,models,scratch}.

    `quotaTib` is the file system's to keep. Volumes are made with its size and keep that when it changes later: a claim of
    Kubernetes can't shrink.
    """

    name: Literal["datasets", "checkpoints", "logs", "models", "scratch"]
    quota_tib: Tib
    read_only: bool = False


class Storage(Noun):
    """The parallel file system. Its servers are machines of the inventory with role `storage`."""

    backend: StorageBackend
    node_model: str
    nodes: Count
    mirrored: bool = True
    classes: tuple[StorageClass, ...] = ()


class Tenant(Noun):
    """One team: namespace, local queue, quota in whole GPUs: at least one, for a share of nothing has no room for volumes."""

    name: Name
    gpus: Positive
    priority: Literal["low", "normal", "high"] = "normal"


class ControlPlane(Noun):
    """What the API server must be; the hardening pack judges it, the cluster provider checks what it can see."""

    version: Annotated[str, Field(pattern=r"^1\.\d{1,2}\.\d{1,2}$")]
    endpoint: HttpsUrl
    ca_file: Path
    kubeconfig_ref: Ref
    encrypt_secrets: bool = True
    anonymous_auth: bool = False
    audit_log: bool = True


class Platform(Noun):
    """Kubernetes, queues and tenants."""

    control_plane: ControlPlane
    tenants: tuple[Tenant, ...] = ()
    probe_gpus: Positive = 8


class Bmc(Noun):
    """What every BMC must have. TLS is checked against `ca_file`."""

    verify_tls: bool = True
    ca_file: Path
    remove_factory_account: bool = True
    account: Name = "railyard"
    account_ref: Ref
    factory_ref: Ref
    boot_order: tuple[BootTarget, ...] = ("Hdd", "Cd")


class Install(Noun):
    """How machines get their operating system. `seed` values are in the plan, secrets are not."""

    service_url: BaseUrl
    service_ca_file: Path | None = None
    admin_ref: Ref
    image: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    image_sha256: Sha256
    deadline_s: Annotated[int, Field(ge=1, le=86_400)] = 3600


class Gates(Noun):
    """Thresholds of the gates between phases."""

    minimum_ready: Positive | None = None
    storage_minimum_ready: Positive | None = None
    fabric_percent: Annotated[float, Field(gt=0, le=100)] = 100.0
    admission_timeout_s: Annotated[int, Field(ge=1, le=3600)] = 120


class Peer(Noun):
    """What this site expects of the other one; compared with the peer's outputs."""

    stack: str
    contract_version: int
    replication_gbps: Gbps
    usable_tib: Tib
    endpoint: Url


class Replication(Noun):
    """Checkpoints to the other site. `checkpoint_tib` every `interval_min`."""

    checkpoint_tib: Tib
    interval_min: Annotated[float, Field(gt=0, le=100_000)]
    rpo_min: Annotated[float, Field(gt=0, le=100_000)]
    link_gbps: Gbps
    endpoint: Url


class Waiver(Noun):
    """An accepted finding. It lapses on `expires` (ISO date, at most a year ahead); the rule then counts again."""

    rule: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9]*-[0-9.]+$")]
    where: str = "*"
    reason: Annotated[str, Field(min_length=10)]
    expires: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_date)]


class StackFile(Noun):
    """All keys below `config:` that belong to railyard, without their prefix."""

    schema_version: Annotated[Literal[1], one_of("1")]
    site: Site
    compute: Compute
    facility: Facility
    fabric: Fabric
    addresses: Addresses
    storage: Storage
    networks: Networks = Networks()
    cabling: Cabling = Cabling()
    cooling: Cooling | None = None
    floor: Floor | None = None
    infiniband: InfiniBand = InfiniBand()
    power: PowerSection | None = None
    bmc: Bmc
    install: Install
    platform: Platform
    gates: Gates = Gates()
    peer: Peer | None = None
    replication: Replication | None = None
    waivers: tuple[Waiver, ...] = ()

    @field_validator("waivers")
    @classmethod
    def _sorted(cls, value: tuple[Waiver, ...]) -> tuple[Waiver, ...]:
        return tuple(sorted(value, key=lambda waiver: (waiver.rule, waiver.where)))
