"""The InfiniBand subnets of a plan: what each subnet manager must find, and nothing else.

A subnet is one plane of the training fabric, or one separate fabric (a rail of a rail-only fabric, a storage network that runs
InfiniBand): each has a subnet manager, a netlist and files of its own. Planes never mix.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from railyard.model.config import SiteConfig
from railyard.model.infiniband import (
    Adapter,
    GuidRow,
    InfiniBandPlan,
    PartitionPlan,
    Role,
    Subnet,
    SubnetFacts,
    SubnetLink,
    SubnetSwitch,
    Tier,
)
from railyard.model.inventory import Inventory
from railyard.model.networks import NetworkSwitch
from railyard.model.plan import Cable, FabricSummary, SwitchPlan
from railyard.model.site import StackFile, Transport
from railyard.plan import names
from railyard.plan.fabric import links_of
from railyard.plan.guids import adapter_row, assign_guids, guid_clashes, switch_row
from railyard.plan.machines import Seats
from railyard.plan.partitions import partition_facts, unassigned
from railyard.plan.parts import Parts
from railyard.plan.shape import FabricShape
from railyard.plan.wiring import wire_managers

if TYPE_CHECKING:
    from railyard.plan import Plan

End = tuple[str, str, str]
"""(kind, a, z) of a link: kind as in the plan's cables, ends `device/port`."""
DEFAULT_PREFIX = 0xFE80_0000_0000_0000
"""Subnet prefix of the first subnet, the link-local one of the specification."""
SITE_PREFIX = 0xFEC0_0000_0000_0000
"""Site-local prefixes of all further subnets: MPI takes two fabrics with one prefix for one fabric."""
STORAGE = "storage"
STORAGE_INDEX = 0x100
"""Prefixes of storage subnets count from here: a plane or a rail more moves none."""
_TIERS: dict[str, tuple[Tier | None, Tier]] = {
    "node-leaf": (None, "leaf"),
    "leaf-spine": ("leaf", "spine"),
    "spine-core": ("spine", "core"),
}
_NETWORK_TIERS: dict[str, Tier] = {"spine": "spine", "core": "core"}


def subnets(plan: "Plan") -> tuple[Subnet, ...]:
    """All subnets of a plan: the training fabric's (`compute`, `compute-p0`, `compute-r3`), then `storage`."""
    found: list[Subnet] = []
    guids = {f"{row.device}/{row.port}": row for row in plan.guids}
    if plan.fabric.transport == Transport.INFINIBAND:
        found += _compute(plan, guids)
    switches = [switch for switch in plan.network_switches if is_storage_subnet(switch)]
    if switches:
        found.append(_storage(plan.cables, switches, guids))
    return tuple(found)


def _compute(plan: "Plan", guids: Mapping[str, GuidRow]) -> Iterator[Subnet]:
    apart = plan.fabric.layout == "rail-only"
    idle: defaultdict[tuple[int, int], dict[str, Tier]] = defaultdict(dict)
    for switch in plan.switches:
        idle[(switch.rail or 0) if apart else 0, switch.plane][switch.name] = switch.role
    # By switch, not by cable: one twin-port cable may carry links of two planes (fabric.linksPerCable).
    home = {name: key for key, names in idle.items() for name in names}
    ends: defaultdict[tuple[int, int], list[End]] = defaultdict(list)
    for cable in plan.cables:
        if cable.kind in _TIERS:
            for a, z in links_of(cable):
                ends[home[z.rpartition("/")[0]]].append((cable.kind, a, z))
    for index, (rail, plane) in enumerate(sorted(idle)):
        yield make_subnet(
            subnet_name(plan.fabric, rail, plane),
            ends[rail, plane],
            plan.fabric.radix,
            link_gbps=plan.fabric.link_gbps,
            guids=guids,
            idle=idle[rail, plane],
            index=index,
        )


def subnet_name(fabric: FabricSummary, rail: int, plane: int) -> str:
    """`compute`, with the rail where rails are apart and the plane where there are several."""
    parts = ["compute"]
    if fabric.layout == "rail-only":
        parts.append(f"r{rail}")
    if fabric.planes > 1:
        parts.append(f"p{plane}")
    return "-".join(parts)


def is_storage_subnet(switch: NetworkSwitch) -> bool:
    """Whether a switch is one of a storage network that runs InfiniBand."""
    return switch.network == "storage" and switch.transport == "infiniband"


def _storage(cables: Iterable[Cable], switches: Sequence[NetworkSwitch], guids: Mapping[str, GuidRow]) -> Subnet:
    """Everything that is joined to a storage switch. A pair's two switches are leaves; service leaves hold the servers."""
    tiers: dict[str, Tier] = {switch.name: _NETWORK_TIERS.get(switch.role, "leaf") for switch in switches}
    kinds = {"spine": "leaf-spine", "core": "spine-core"}
    ends: list[End] = []
    speed = 0.0
    for cable in cables:
        if cable.kind != STORAGE:
            continue
        for a, z in links_of(cable):
            below, above = a.rpartition("/")[0], z.rpartition("/")[0]
            if above in tiers:
                speed = max(speed, cable.link_gbps)
                ends.append((kinds.get(tiers[above], "leaf-leaf") if below in tiers else "node-leaf", a, z))
    return make_subnet(STORAGE, ends, switches[0].port_count, link_gbps=speed, guids=guids, idle=tiers, index=STORAGE_INDEX)


def adapter_ends(cables: Iterable[Cable], fabric: FabricSummary, switches: Iterable[NetworkSwitch]) -> Iterator[str]:
    """The ends of InfiniBand cables that are adapter ports, in the cables' order."""
    compute = fabric.transport == Transport.INFINIBAND
    storage = {switch.name for switch in switches if is_storage_subnet(switch)}
    for cable in cables:
        if compute and cable.kind == "node-leaf":
            yield cable.a
            if cable.a_second is not None:
                yield cable.a_second
        elif storage and cable.kind == STORAGE and cable.z.rpartition("/")[0] in storage:
            yield from (a for a, _ in links_of(cable) if a.rpartition("/")[0] not in storage)


def infiniband_guids(
    config: SiteConfig,
    cables: Iterable[Cable],
    fabric: FabricSummary,
    switches: Iterable[SwitchPlan],
    others: Sequence[NetworkSwitch],
) -> tuple[GuidRow, ...]:
    """GUIDs of all that stands on InfiniBand, the inventory's where it has them: adapters by cable, then switches."""
    compute = [switch.name for switch in switches] if fabric.transport == Transport.INFINIBAND else []
    storage = [switch.name for switch in others if is_storage_subnet(switch)]
    given = {machine.name: machine.hcas for machine in config.inventory.machines if machine.hcas}
    return assign_guids(adapter_ends(cables, fabric, others), (*compute, *storage), given, config.inventory.switch_guids)


def plan_infiniband(
    config: SiteConfig,
    parts: Parts,
    shape: FabricShape,
    fabric: FabricSummary,
    seats: Seats,
    others: Sequence[NetworkSwitch],
    cables: Iterable[Cable],
    guids: Sequence[GuidRow],
    partitions: Sequence[PartitionPlan],
) -> InfiniBandPlan | None:
    """What the rules read; None where the training fabric runs on Ethernet."""
    file = config.file
    if file.fabric.transport is not Transport.INFINIBAND:
        return None
    return InfiniBandPlan(
        subnets=(*_facts(file, parts, shape, fabric), *_storage_facts(config, others, cables)),
        adaptive_routing=file.infiniband.adaptive_routing,
        sharp=file.infiniband.sharp,
        partitions=partition_facts(file, partitions),
        unassigned=unassigned(partitions, seats.gpu),
        guids=len(guids),
        guids_planned=sum(1 for row in guids if row.planned),
        guid_clashes=guid_clashes(guids),
        guids_unused=tuple(sorted(_unused(config.inventory, guids), key=names.sort_key)),
    )


def _unused(inventory: Inventory, guids: Iterable[GuidRow]) -> Iterator[str]:
    """Ports and switches with a GUID in the inventory that the plan has no place for: most often a typing error."""
    if not inventory.switch_guids and not any(machine.hcas for machine in inventory.machines):
        return
    known = {f"{row.device}/{row.port}" for row in guids}
    for machine in inventory.machines:
        yield from (f"{machine.name}/{hca.port}" for hca in machine.hcas if f"{machine.name}/{hca.port}" not in known)
    yield from (name for name in inventory.switch_guids if f"{name}/" not in known)


def _facts(file: StackFile, parts: Parts, shape: FabricShape, fabric: FabricSummary) -> Iterator[SubnetFacts]:
    """The training fabric's subnets by count: planes (and rails that are apart) are alike but for their managers."""
    apart = fabric.layout == "rail-only"
    rails = range(fabric.rails) if apart else range(1)
    count, own = len(rails) * fabric.planes, parts.switch.subnet_manager_nodes is not None
    leaves: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for link in wire_managers(file.site.name, shape):
        leaves[(link.rail or 0) if apart else 0, link.plane].append(link.z)
    for index, (rail, plane) in enumerate((rail, plane) for rail in rails for plane in range(fabric.planes)):
        managers = leaves[rail, plane]
        yield SubnetFacts(
            name=subnet_name(fabric, rail, plane),
            prefix=f"0x{prefix_of(index):016x}",
            switches=(fabric.leaves + fabric.spines + fabric.cores) // count,
            adapters=fabric.endpoints // count + len(managers),
            links=(fabric.endpoints + fabric.leaf_spine_links + fabric.spine_core_links) // count + len(managers),
            manager_leaves=tuple(sorted(set(managers), key=names.sort_key)),
            own_managers=own,
        )


def _storage_facts(config: SiteConfig, others: Sequence[NetworkSwitch], cables: Iterable[Cable]) -> Iterator[SubnetFacts]:
    """The storage network where it runs InfiniBand. It has no fabric manager's host: its switches must manage themselves."""
    switches = {switch.name: switch.model for switch in others if is_storage_subnet(switch)}
    if not switches:
        return
    ends = [
        end for cable in cables if cable.kind == STORAGE for end in links_of(cable) if end[1].rpartition("/")[0] in switches
    ]
    models = [config.catalog.switches.get(model) for model in set(switches.values())]
    yield SubnetFacts(
        name=STORAGE,
        prefix=f"0x{prefix_of(STORAGE_INDEX):016x}",
        switches=len(switches),
        adapters=sum(1 for a, _ in ends if a.rpartition("/")[0] not in switches),
        links=len(ends),
        own_managers=any(model is not None and model.subnet_manager_nodes is not None for model in models),
    )


def prefix_of(index: int) -> int:
    """Subnet prefix by a subnet's number at this site."""
    return SITE_PREFIX + index if index else DEFAULT_PREFIX


def make_subnet(
    name: str,
    ends: Iterable[End],
    radix: int,
    *,
    link_gbps: float = 400,
    guids: Mapping[str, GuidRow] | None = None,
    idle: Mapping[str, Tier] | None = None,
    index: int = 0,
) -> Subnet:
    """A subnet out of its links. What `guids` (by `device/port`, `switch/`) lacks gets planned ones.

    `idle` are switches that stand even where no link of theirs exists; `index` counts the site's subnets from 0.
    """
    known, tiers = guids or {}, dict[str, Tier](idle or {})
    adapters: dict[str, Adapter] = {}
    links: list[SubnetLink] = []
    for kind, a, z in ends:
        # Two leaves of a storage pair may be joined; no tier can be read from such a link.
        lower, upper = _TIERS.get(kind, ("leaf", "leaf"))
        switch, _, port = z.rpartition("/")
        tiers[switch] = upper
        if lower is None:
            adapter = _adapter(a, known)
            adapters[a] = adapter
            links.append(SubnetLink(adapter.key, 1, switch, int(port)))
        else:
            below, _, number = a.rpartition("/")
            tiers[below] = lower
            links.append(SubnetLink(below, int(number), switch, int(port)))
    ends_of = (*adapters, *(f"{switch}/" for switch in tiers))
    return Subnet(
        name=name,
        prefix=prefix_of(index),
        link_gbps=link_gbps,
        switches=tuple(_switches(tiers, radix, known)),
        adapters=tuple(sorted(adapters.values(), key=lambda row: (names.sort_key(row.device), names.sort_key(row.hca)))),
        links=tuple(links),
        planned_guids=sum(1 for end in ends_of if end not in known or known[end].planned),
    )


def _adapter(end: str, known: Mapping[str, GuidRow]) -> Adapter:
    device, _, nic = end.rpartition("/")
    row = known.get(end) or adapter_row(device, nic)
    return Adapter(device, nic, role_of(device), int(row.node_guid, 16), int(row.port_guid, 16))


def _switches(tiers: Mapping[str, Tier], radix: int, known: Mapping[str, GuidRow]) -> Iterator[SubnetSwitch]:
    order = ("core", "spine", "leaf")
    for name in sorted(tiers, key=lambda name: (order.index(tiers[name]), names.sort_key(name))):
        row = known.get(f"{name}/") or switch_row(name)
        yield SubnetSwitch(name, tiers[name], int(row.node_guid, 16), radix)


def role_of(device: str) -> Role:
    """What a machine is, by its name; what is neither a GPU node nor a storage server is a subnet manager's host."""
    if names.parse_gpu(device):
        return "compute"
    return "storage" if names.parse_storage(device) else "manager"
