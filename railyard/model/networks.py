"""Storage, in-band and out-of-band networks: what a stack file chooses (`railyard:networks`), what the plan says of them."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from pydantic import Field

from railyard.model.base import Gbps, Kg, Kw, Noun
from railyard.model.cooling import AirC, Direction
from railyard.model.entry import Entry
from railyard.model.power import Inlet

Ports = Annotated[int, Field(ge=0, le=64)]
Rate = Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)]
Oversubscription = Annotated[float, Field(ge=1, le=64)]
NetworkKind = Literal["storage", "in-band", "oob"]
TierRole = Literal["pair", "leaf", "service-leaf", "spine", "core", "access"]


class ManagementSwitchModel(Entry):
    """One out-of-band switch: copper ports first (`swp1` ...), then its uplinks."""

    copper_ports: Annotated[int, Field(ge=1, le=256)]
    copper_gbps: Gbps
    uplink_ports: Annotated[int, Field(ge=0, le=64)]
    uplink_gbps: Gbps
    u_height: Annotated[int, Field(ge=1, le=60)]
    peak_kw: Kw | None = None
    weight_kg: Kg | None = None
    depth_m: Annotated[float, Field(gt=0, le=5)] | None = None
    airflow: Direction | None = None
    airflow_both_ways: bool | None = None
    inlet_c_max: AirC | None = None
    psus: Annotated[int, Field(ge=1)] | None = None
    psus_for_full: Annotated[int, Field(ge=1)] | None = None
    psus_to_run: Annotated[int, Field(ge=1)] | None = None
    psu_kw: Kw | None = None
    power_factor: Annotated[float, Field(gt=0.5, le=1, allow_inf_nan=False)] | None = None
    inlet: Inlet | None = None


class Attach(StrEnum):
    """How the two ports of a machine are used: a LAG over two switches, or two ports of their own."""

    MLAG = "mlag"
    ESI = "esi"
    ROUTED = "routed"
    INDEPENDENT = "independent"


class InBandNetwork(Noun):
    """In-band network: provisioning, Kubernetes, users. `siteUplinks` ports of each switch are kept for the site's routers."""

    switch_model: str | None = None
    link_gbps: Gbps | None = None
    attach: Attach | None = None
    oversubscription: Oversubscription = 4.0
    peer_links: Ports | None = None
    site_uplinks: Ports = 2
    spare_ports: Ports = 2


class StorageNetwork(Noun):
    """Storage network. `plannedServers` keeps ports for servers to come; `targetGbPerS` is what must get through."""

    switch_model: str | None = None
    link_gbps: Gbps | None = None
    attach: Attach | None = None
    oversubscription: Oversubscription = 1.5
    peer_links: Ports | None = None
    site_uplinks: Ports = 0
    spare_ports: Ports = 2
    planned_servers: Annotated[int, Field(ge=1, le=1_024)] | None = None
    target_gb_per_s: Rate | None = None


class OobNetwork(Noun):
    """Out-of-band network: BMCs, PDUs, management ports. `switchesPerUnit` overrides the count and is judged by the rules."""

    switch_model: str = "sn2201"
    uplinks: Annotated[int, Field(ge=1, le=8)] = 2
    spare_ports: Ports = 2
    switches_per_unit: Annotated[int, Field(ge=1, le=64)] | None = None


class Networks(Noun):
    """The networks beside the training fabric. `converged`: storage and in-band on the same switches and ports (Ethernet)."""

    converged: bool = False
    storage: StorageNetwork = StorageNetwork()
    in_band: InBandNetwork = InBandNetwork()
    oob: OobNetwork = OobNetwork()


class NetworkSwitch(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """One standing switch of these networks. `ports` maps a port to the far end `device/port` of its cable.

    `pair` numbers the two switches that machines are attached to (from 1), `side` tells them apart (0, 1); None on others.
    """

    name: str
    network: NetworkKind
    role: TierRole
    model: str
    transport: Literal["infiniband", "ethernet"]
    rack: str
    u: int
    port_count: int
    ports: dict[str, str]
    pair: int | None = None
    side: int | None = None


class NetworkTier(Noun):
    """Switches that are alike. `used` is what the plan puts on the fullest of them: all planned cables and kept ports.

    `first` and `last` are names of one running number. Rates are in Gb/s and what the switch is built for.
    """

    role: TierRole
    switches: int
    first: str
    last: str
    ports: int
    used: int
    free: int
    down_gbps: float = 0.0
    up_gbps: float = 0.0


class NetworkPlan(Noun):
    """One network as planned: sizes and ratios for all planned slots, so that a machine more changes nothing here.

    `shares` names what else ends on this network's switches, `declared` what the stack file allows there. `leafPorts` are the
    ports of both switches of a pair (or of all leaves) that the plan uses: 2 x nodes + 2 x servers x ports + uplinks.
    `nodeGbPerS` and `serverGbPerS` are gigabytes (10^9) per second of all planned nodes' and all servers' ports, one direction;
    `copies` is how often a written byte arrives at the servers. `portsPerNode` counts a node's ports beside its training NICs
    (None: unknown), `portsNeeded` what all its networks take, `nicGbps` is the speed of one (None: unknown).
    `endpoints` (out of band) counts planned ends by kind; `uncovered` are ends that stand and have no cable; `singleHomed` are
    machines whose cables end on one switch; `sameRack` are pairs that share a rack although the hall has another one, or that
    rack has a single feed. `pairNeeds` is what each switch of a single pair would need in ports where it is more than it has,
    `pairSlots` the planned node slots at which such a pair would do, all else as it is; both 0 where a pair does.
    """

    name: str
    kind: NetworkKind
    transport: Literal["infiniband", "ethernet"]
    switch_model: str
    link_gbps: float
    attach: Attach | None
    carries: tuple[str, ...]
    shares: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    tiers: int
    layers: tuple[NetworkTier, ...]
    peer_links: int = 0
    links_per_pair: float = 0.0
    oversubscription: float = 1.0
    pair_needs: int = 0
    pair_slots: int = 0
    leaf_ports: int = 0
    node_gb_per_s: float = 0.0
    server_gb_per_s: float = 0.0
    node_to_server: float | None = None
    target_gb_per_s: float | None = None
    copies: int = 1
    ports_per_node: int | None = None
    ports_needed: int = 0
    nic_gbps: float | None = None
    single_homed: tuple[str, ...] = ()
    same_rack: tuple[str, ...] = ()
    endpoints: dict[str, int] = Field(default_factory=dict)
    uncovered: tuple[str, ...] = ()
    longest_copper_m: float = 0.0
    uplinks_per_switch: int = 0
    uplink_switches: int = 0
    status: Literal["planned"] = "planned"
