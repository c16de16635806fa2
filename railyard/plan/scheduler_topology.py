"""Scheduler topology: one pseudo-switch per unit, above it pods (three tiers) and one root per separate fabric.

    level 0   unit     its nodes, those that exist; a unit without one is left out
    level 1   pod      units whose leaves share a pod of spines: three tiers with podBy unit, where no unit spans two pods
    highest   root     one per separate fabric: two fabrics under one root would let jobs span them (soperator#2585)

All branches are equally deep. Storage and out-of-band switches never enter: the tree is made of positions of GPU nodes in the
training fabric, not of switches. Names follow identity, so growth within the plan renames nothing.
Source: NVIDIA/topograph#265 and #488, nebius/soperator#1188 and #2585.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from railyard.model.hostlist import compress, expand
from railyard.model.inventory import Lifecycle
from railyard.model.scheduler import PseudoSwitch, SchedulerPlan, SlurmNode
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.machines import Seat
from railyard.plan.parts import Parts
from railyard.plan.queues import HOSTNAME, MEMORY_SHARE, POD, RACK, UNIT
from railyard.plan.shape import FabricShape

UNKNOWN = "unknown"
_MIB_PER_GIB = 1024


class FabricUnits(msgspec.Struct, frozen=True):
    """One fabric whose nodes all reach each other: its units with their nodes, and pods of units where there are some."""

    name: str
    units: Mapping[str, Sequence[str]]
    pods: Mapping[str, Sequence[str]] = {}


def pseudo_switches(fabrics: Iterable[FabricUnits], known: Collection[str] | None = None) -> tuple[PseudoSwitch, ...]:
    """The trees of all fabrics, roots first, equally deep; empty where no node is left.

    `known` are the scheduler's nodes. One that it doesn't know is left out: for an unknown name a scheduler drops the switch,
    or the whole file (soperator#1188). One that no fabric has goes below `<fabric>.unknown`, in the first fabric.
    """
    mine = sorted(fabrics, key=lambda fabric: names.sort_key(fabric.name))
    placed = {node for fabric in mine for nodes in fabric.units.values() for node in nodes}
    strangers = sorted(set(known or ()) - placed, key=names.sort_key)
    tall = any(fabric.pods for fabric in mine)
    found: list[PseudoSwitch] = []
    for number, fabric in enumerate(mine):
        units = {unit: [node for node in nodes if known is None or node in known] for unit, nodes in fabric.units.items()}
        pods = dict(fabric.pods) or {f"{fabric.name}-pod": list(fabric.units)}
        if strangers and number == 0:
            units[f"{fabric.name}.{UNKNOWN}"] = strangers
            pods[f"{fabric.name}.{UNKNOWN}-pod"] = [f"{fabric.name}.{UNKNOWN}"]
        found += _tree(fabric.name, {unit: nodes for unit, nodes in units.items() if nodes}, pods if tall else None)
    return tuple(found)


def _tree(fabric: str, units: Mapping[str, Sequence[str]], pods: Mapping[str, Sequence[str]] | None) -> Iterator[PseudoSwitch]:
    """Root, pods, units of one fabric; nothing where it has no nodes."""
    if not units:
        return
    below: list[PseudoSwitch] = [
        PseudoSwitch(name=unit, fabric=fabric, level=0, nodes=compress(units[unit]))
        for unit in sorted(units, key=names.sort_key)
    ]
    tops, level = [switch.name for switch in below], 1
    if pods is not None:
        filled = {pod: [unit for unit in members if unit in units] for pod, members in pods.items()}
        groups = [
            PseudoSwitch(name=pod, fabric=fabric, level=1, switches=compress(filled[pod]))
            for pod in sorted(filled, key=names.sort_key)
            if filled[pod]
        ]
        below, tops, level = [*groups, *below], [group.name for group in groups], 2
    yield PseudoSwitch(name=fabric, fabric=fabric, level=level, switches=compress(tops))
    yield from below


def plan_scheduler(file: StackFile, shape: FabricShape, parts: Parts, seats: Sequence[Seat]) -> SchedulerPlan:
    """Topology of a site's GPU machines, as delivered."""
    switches = pseudo_switches([fabric_units(file, shape, seats)])
    return SchedulerPlan(
        site=file.site.name,
        fabrics=tuple(dict.fromkeys(switch.fabric for switch in switches)),
        switches=switches,
        nodes=len(seats),
        levels=levels(shape),
        block_sizes=block_sizes([seat.unit for seat in seats]),
        node=slurm_node(parts),
        drained=tuple(seat.name for seat in seats if seat.facts.lifecycle is Lifecycle.QUARANTINED),
    )


def known_only(plan: SchedulerPlan, known: Collection[str]) -> SchedulerPlan:
    """The same topology for the nodes that a scheduler knows: no others, and its strangers apart."""
    switches = pseudo_switches(_fabrics(plan), known)
    nodes = [expand(switch.nodes) for switch in switches if switch.nodes]
    sizes = block_sizes(number for number, members in enumerate(nodes) for _ in members)
    update = {
        "switches": switches,
        "fabrics": tuple(dict.fromkeys(switch.fabric for switch in switches)),
        "nodes": sum(map(len, nodes)),
        "block_sizes": sizes,
        "drained": tuple(node for node in plan.drained if node in known),
    }
    return plan.model_copy(update=update)


def _fabrics(plan: SchedulerPlan) -> Iterator[FabricUnits]:
    """The fabrics of a topology, read back out of its switches."""
    for fabric in plan.fabrics:
        mine = [switch for switch in plan.switches if switch.fabric == fabric]
        units = {switch.name: expand(switch.nodes) for switch in mine if switch.nodes}
        pods = {switch.name: expand(switch.switches) for switch in mine if switch.switches and switch.name != fabric}
        yield FabricUnits(fabric, units, pods)


def fabric_units(file: StackFile, shape: FabricShape, seats: Iterable[Seat]) -> FabricUnits:
    """The training fabric's units and pods, with the machines that stand in them."""
    site, units = file.site.name, dict[str, list[str]]()
    pods = dict[str, list[str]]()
    for seat in seats:
        unit = names.unit(site, seat.unit)
        if unit not in units:
            units[unit] = []
            if has_pods(shape):
                pods.setdefault(names.pod(site, pod_of(shape, seat.unit)), []).append(unit)
        units[unit].append(seat.name)
    return FabricUnits(names.compute_fabric(site), units, pods)


def has_pods(shape: FabricShape) -> bool:
    """Whether units fall into pods: three tiers, pods made of units, and no unit with leaves in two of them."""
    return shape.tiers == 3 and shape.pod_by == "unit" and shape.uplinks % shape.groups == 0


def pod_of(shape: FabricShape, unit: int) -> int:
    """Pod (from 1) of unit `unit` (from 1): leaf number (u - 1) * G belongs to pod number // U (railyard/plan/fabric.py)."""
    return (unit - 1) * shape.groups // shape.uplinks + 1


def levels(shape: FabricShape) -> tuple[str, ...]:
    """Node labels from the widest to the host: what Kueue's Topology lists and what every node carries."""
    return (*((POD,) if has_pods(shape) else ()), UNIT, RACK, HOSTNAME)


def block_sizes(units: Iterable[int]) -> tuple[int, ...]:
    """Slurm's BlockSizes: the nodes of the smallest unit, doubled as long as it fits the site. Empty without nodes.

    Never more than the smallest unit has: a block below the base size is an error. Each further size is a power of two times
    the base (SchedMD/slurm doc/man/man5/topology.conf.5).
    """
    count: dict[int, int] = {}
    for unit in units:
        count[unit] = count.get(unit, 0) + 1
    if not count:
        return ()
    sizes, most = [min(count.values())], sum(count.values())
    while sizes[-1] * 2 <= most:
        sizes.append(sizes[-1] * 2)
    return tuple(sizes)


def slurm_node(parts: Parts) -> SlurmNode:
    """What slurm.conf says of each node: cores and memory only where the catalogue knows them."""
    node, nvidia = parts.node, parts.gpu.vendor == "nvidia"
    even = node.cores is not None and node.cpus and node.cores % node.cpus == 0
    return SlurmNode(
        gres_type=node.gpu_model.partition("-")[0],
        gpus=node.gpus,
        sockets=node.cpus if even else None,
        cores_per_socket=node.cores // node.cpus if even and node.cores and node.cpus else None,
        # Rounded down to whole GiB first, as the queues have it: two schedulers never promise different memory.
        real_memory_mib=int(node.ram_gib * MEMORY_SHARE) * _MIB_PER_GIB if node.ram_gib else None,
        gres_files=compress(f"/dev/nvidia{number}" for number in range(node.gpus)) if nvidia else None,
        autodetect=None if nvidia else "rsmi",
    )
