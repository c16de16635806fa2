"""The scheduler's view of the fabric: its topology, its GPUs, its NIC quotas. Sources: `rules.scheduler_texts`."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from railyard.model.hostlist import HostlistError, expand
from railyard.model.scheduler import SchedulerPlan
from railyard.plan.names import listed, parse_gpu, sort_key
from railyard.plan.names import unit as unit_name
from railyard.read.kueue import FlavorQuota
from railyard.read.slurm_topology import SlurmNodeSeen, SlurmTopology
from railyard.rules.registry import Finding, Predicate, ordered
from railyard.rules.scheduler_texts import FABRIC_085, FABRIC_087, FABRIC_088
from railyard.rules.thresholds import Thresholds

NAME_MAX = 64
"""Characters of a switch's name (SchedMD/slurm, topology.conf.5)."""
_NIC_WORDS = ("rdma", "nic", "hca", "roce")


class Branch(msgspec.Struct, frozen=True):
    """One switch of a tree: its children, and where it is written."""

    where: str
    name: str
    switches: tuple[str, ...]
    nodes: tuple[str, ...]


def check_scheduler(plan: SchedulerPlan, machines: Iterable[str]) -> list[Finding]:
    """FABRIC-085 over a plan: `machines` are the GPU machines that exist."""
    return check_tree(branches_of(plan), _by_unit(machines), len(plan.fabrics) or 1, "railyard:fabric")


def check_slurm_topology(found: SlurmTopology, plan: SchedulerPlan) -> list[Finding]:
    """FABRIC-085 over a file of a site, against what the plan would write. Blocks count as switches without a root."""
    wanted = {switch.name: expand(switch.nodes) for switch in plan.switches if switch.nodes}
    rows = [Branch(f"{found.source}:{row.line}", row.name, row.switches, row.nodes) for row in found.switches]
    rows += [Branch(f"{found.source}:{row.line}", row.name, (), row.nodes) for row in found.blocks]
    roots = len(found.blocks) or len(plan.fabrics)
    return check_tree(rows, wanted, roots, found.source)


def check_tree(rows: Sequence[Branch], units: Mapping[str, Sequence[str]], roots: int, where: str) -> list[Finding]:
    """Everything that is to say about a tree. `units` are the groups of nodes that belong together, `where` is the whole."""
    if not any(row.nodes for row in rows):
        return [FABRIC_085.finding(where, "no node at all", "every node of the plan")]
    return ordered([*_children(rows), *_nodes(rows, units, where), *_heights(rows, roots, where)])


def branches_of(plan: SchedulerPlan) -> list[Branch]:
    """The plan's pseudo-switches as branches; HostlistError where a slice was changed into something else."""
    return [Branch(switch.name, switch.name, _expanded(switch.switches), _expanded(switch.nodes)) for switch in plan.switches]


def _expanded(hostlist: str) -> tuple[str, ...]:
    return expand(hostlist) if hostlist else ()


def _by_unit(nodes: Iterable[str]) -> dict[str, list[str]]:
    """Nodes by the unit that their names state; a name that is no position of a unit stands alone."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        seat = parse_gpu(node)
        found.setdefault(unit_name(seat[0], seat[1]) if seat else node, []).append(node)
    return found


def _children(rows: Sequence[Branch]) -> Iterator[Finding]:
    """Names, and children that don't exist or have two parents."""
    count = Counter(row.name for row in rows)
    parents = Counter(child for row in rows for child in row.switches)
    for row in rows:
        if len(row.name) > NAME_MAX:
            yield FABRIC_085.finding(row.where, f"a name of {len(row.name)} characters", f"{NAME_MAX}")
        if count[row.name] > 1:
            yield FABRIC_085.finding(row.where, f"switch {row.name} stands {count[row.name]} times", "once")
        for child in row.switches:
            if child not in count:
                yield FABRIC_085.finding(row.where, f"child {child} is no switch of this tree", "children that exist")
            elif parents[child] > 1:
                yield FABRIC_085.finding(row.where, f"child {child} has {parents[child]} parents", "one parent")


def _nodes(rows: Sequence[Branch], units: Mapping[str, Sequence[str]], where: str) -> Iterator[Finding]:
    """Each known node on one switch, together with its unit and nobody else."""
    unit_of = {node: unit for unit, nodes in units.items() for node in nodes}
    leaves: dict[str, list[str]] = {}
    for row in rows:
        strange = [node for node in row.nodes if node not in unit_of]
        if strange:
            yield FABRIC_085.finding(row.where, f"{listed(strange)}: no GPU node of the plan", "GPU nodes that exist")
        mixed = sorted({unit_of[node] for node in row.nodes if node in unit_of}, key=sort_key)
        if len(mixed) > 1:
            yield FABRIC_085.finding(row.where, f"nodes of {listed(mixed)}", "nodes of one unit")
        for node in row.nodes:
            leaves.setdefault(node, []).append(row.name)
    yield from _on_one(leaves, units, where)


def _on_one(leaves: Mapping[str, Sequence[str]], units: Mapping[str, Sequence[str]], where: str) -> Iterator[Finding]:
    """Nodes that are on no switch or on several, and units that are torn apart."""
    for unit, nodes in units.items():
        missing = [node for node in nodes if node not in leaves]
        if missing:
            yield FABRIC_085.finding(where, f"{listed(missing)}: on no switch", f"all nodes of {unit}")
        for node in nodes:
            if len(leaves.get(node, ())) > 1:
                yield FABRIC_085.finding(where, f"{node} is on {listed(list(leaves[node]))}", "one switch for each node")
        homes = sorted({leaf for node in nodes for leaf in leaves.get(node, ())[:1]}, key=sort_key)
        if len(homes) > 1:
            yield FABRIC_085.finding(where, f"{unit} is spread over {listed(homes)}", "one pseudo-switch for each unit")


def _heights(rows: Sequence[Branch], roots: int, where: str) -> Iterator[Finding]:
    """One root per fabric, every switch below one, all nodes equally deep."""
    below = {child for row in rows for child in row.switches}
    tops = [row for row in rows if row.name not in below]
    if len(tops) != roots:
        names = listed([row.name for row in tops]) or "none: the switches are their own children"
        yield FABRIC_085.finding(where, f"{len(tops)} roots ({names})", f"{roots}, one for each separate fabric")
    depths = sorted(_depths(rows, [row.name for row in tops]))
    if len(depths) > 1:
        said = ", ".join(str(depth) for depth in depths)
        yield FABRIC_085.finding(where, f"nodes {said} levels below a root", "all nodes equally deep")


def _depths(rows: Sequence[Branch], level: list[str]) -> set[int]:
    """Levels at which nodes hang, walking down from the roots. A switch is entered once: cycles end."""
    by_name = {row.name: row for row in rows}
    depth, seen, found = 0, set(level), set[int]()
    while level:
        depth += 1
        found |= {depth for name in level if by_name[name].nodes}
        level = [child for name in level for child in by_name[name].switches if child in by_name and child not in seen]
        seen |= set(level)
    return found


def _slice(plan: SchedulerPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-085 over a resource's slice: units by the names of their nodes, and as many nodes as it says."""
    try:
        rows = branches_of(plan)
    except HostlistError as error:
        yield FABRIC_085.finding(where, str(error), "hostlists")
        return
    nodes = dict.fromkeys(node for row in rows for node in row.nodes)
    yield from check_tree(rows, _by_unit(nodes), len(plan.fabrics) or 1, where)
    if nodes and len(nodes) != plan.nodes:
        yield FABRIC_085.finding(where, f"{len(nodes)} nodes in the tree", f"{plan.nodes} nodes")


def check_slurm_nodes(seen: Iterable[SlurmNodeSeen], plan: SchedulerPlan) -> list[Finding]:
    """FABRIC-087: what slurmctld has against nodes.conf and gres.conf of the plan."""
    nodes, want = {node.name: node for node in seen}, plan.node
    gres = f"gpu:{want.gres_type}:{want.gpus}"
    found: list[Finding] = []
    for name in (name for switch in plan.switches if switch.nodes for name in expand(switch.nodes)):
        node = nodes.get(name)
        if node is None:
            found.append(FABRIC_087.finding(name, "not in Slurm", gres))
            continue
        # slurmctld may add the sockets that a GPU hangs on: gpu:h100:8(S:0-1).
        shown = (node.gres or "(null)").partition("(S")[0]
        if shown != gres:
            found.append(FABRIC_087.finding(name, f"Gres={shown}", gres))
        if (
            node.real_memory_mib is not None
            and want.real_memory_mib is not None
            and node.real_memory_mib > want.real_memory_mib
        ):
            found.append(FABRIC_087.finding(name, f"RealMemory={node.real_memory_mib}", f"{want.real_memory_mib} MiB"))
    return ordered(found)


def check_quotas(quotas: Iterable[FlavorQuota], gpu_resources: Collection[str]) -> list[Finding]:
    """FABRIC-088 over the flavors of a site's cluster queues; one that lists no NICs leaves them to everybody."""
    return ordered(finding for quota in quotas for finding in _nic_quotas(quota, gpu_resources))


def _nic_quotas(quota: FlavorQuota, gpu_resources: Collection[str]) -> Iterator[Finding]:
    gpus = sum(count for name, count in quota.whole.items() if name in gpu_resources)
    for name, count in quota.whole.items():
        if any(word in name.lower() for word in _NIC_WORDS) and count < gpus:
            where = f"{quota.queue}/{quota.flavor}/{name}"
            found = (
                f"quota {count} beside {gpus} GPUs: with {count} in use no job with a NIC is admitted, whatever GPUs are free"
            )
            yield FABRIC_088.finding(where, found, f"{gpus}, one NIC for each GPU")


SCHEDULER_PREDICATES: tuple[Predicate[SchedulerPlan], ...] = (
    Predicate((FABRIC_085,), frozenset({"switches", "fabrics", "nodes"}), _slice),
)
