"""Slurm's files of the plan: topology as tree and as blocks, topology.yaml, node lines and GPUs.

Formats: SchedMD/slurm doc/man/man5/{topology.conf,topology.yaml,slurm.conf,gres.conf}.5. The tree is what Slurm 22.05 runs in
our proof; `topology/block` and topology.yaml are newer than that and are checked by schema only.
"""

from __future__ import annotations

from collections.abc import Iterator

from railyard.model.hostlist import compress, expand
from railyard.model.scheduler import PseudoSwitch, SchedulerPlan

HEAD = "# Made by railyard from the plan: change the stack file, not this file."
_BLOCK = "block"


def topology_conf(plan: SchedulerPlan) -> str:
    """topology.conf for TopologyPlugin=topology/tree. ValueError for a plan without nodes: see `refuse_empty`."""
    refuse_empty(plan)
    lines = [HEAD, "# One pseudo-switch per scalable unit, one root per fabric. TopologyPlugin=topology/tree"]
    return "\n".join([*lines, *(_switch_line(switch) for switch in plan.switches)]) + "\n"


def _switch_line(switch: PseudoSwitch) -> str:
    below = f"Switches={switch.switches}" if switch.switches else f"Nodes={switch.nodes}"
    return f"SwitchName={switch.name} {below}"


def topology_block_conf(plan: SchedulerPlan) -> str:
    """topology.conf for TopologyPlugin=topology/block (Slurm 23.11 and later): a block per unit."""
    refuse_empty(plan)
    lines = [HEAD, "# One block per scalable unit. TopologyPlugin=topology/block, Slurm 23.11 or later"]
    lines += [f"BlockName={switch.name} Nodes={switch.nodes}" for switch in plan.switches if switch.level == 0]
    return "\n".join([*lines, f"BlockSizes={','.join(str(size) for size in plan.block_sizes)}"]) + "\n"


def topology_yaml(plan: SchedulerPlan) -> str:
    """topology.yaml (Slurm 25.05 and later): the tree as default, the blocks beside it. It hides a topology.conf."""
    refuse_empty(plan)
    lines = [HEAD, "---", f"- topology: {plan.site}-tree", "  cluster_default: true", "  tree:", "    switches:"]
    for switch in plan.switches:
        lines.append(f"      - switch: {_text(switch.name)}")
        lines.append(
            f"        children: {_text(switch.switches)}" if switch.switches else f"        nodes: {_text(switch.nodes)}"
        )
    lines += [f"- topology: {plan.site}-{_BLOCK}", "  cluster_default: false", "  block:", "    block_sizes:"]
    lines += [f"      - {size}" for size in plan.block_sizes]
    lines.append("    blocks:")
    for switch in plan.switches:
        if switch.level == 0:
            lines += [f"      - block: {_text(switch.name)}", f"        nodes: {_text(switch.nodes)}"]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    """A YAML scalar that stays text: names of digits and brackets are quoted."""
    return f'"{value}"'


def nodes_conf(plan: SchedulerPlan) -> str:
    """Node lines and a partition, to be included by slurm.conf. Nodes that are set aside stay drained."""
    refuse_empty(plan)
    lines = [HEAD, "# slurm.conf: Include nodes.conf", "GresTypes=gpu"]
    lines += [f"NodeName={nodes} {node_facts(plan)}" for nodes in unit_hostlists(plan)]
    lines += [f'NodeName={nodes} {node_facts(plan, "DRAIN")} Reason="set aside in the inventory"' for nodes in _drained(plan)]
    return "\n".join([*lines, "PartitionName=gpu Nodes=ALL Default=YES State=UP"]) + "\n"


def node_facts(plan: SchedulerPlan, state: str = "UNKNOWN") -> str:
    """What follows a node's name: only what the catalogue knows; slurmd reports the rest."""
    node = plan.node
    facts = {
        "Sockets": node.sockets,
        "CoresPerSocket": node.cores_per_socket,
        "RealMemory": node.real_memory_mib,
        "Gres": f"gpu:{node.gres_type}:{node.gpus}",
        "State": state,
    }
    return " ".join(f"{key}={value}" for key, value in facts.items() if value is not None)


def gres_conf(plan: SchedulerPlan) -> str:
    """gres.conf: every node of nodes.conf with all of its GPUs (slurm-operator#101: a count without files is 0 < 8)."""
    refuse_empty(plan)
    node = plan.node
    found = (
        f"Name=gpu Type={node.gres_type} File={node.gres_files}"
        if node.gres_files
        else f"AutoDetect={node.autodetect or 'off'}"
    )
    lines = [f"NodeName={nodes} {found}" for nodes in (*unit_hostlists(plan), *_drained(plan))]
    return "\n".join([HEAD, *lines]) + "\n"


def unit_hostlists(plan: SchedulerPlan) -> list[str]:
    """The usable nodes of each unit as a hostlist, units in their order."""
    aside = set(plan.drained)
    left = ([name for name in expand(switch.nodes) if name not in aside] for switch in plan.switches if switch.level == 0)
    return [compress(names) for names in left if names]


def _drained(plan: SchedulerPlan) -> Iterator[str]:
    """The nodes that are set aside, as one hostlist or none."""
    if plan.drained:
        yield compress(plan.drained)


def refuse_empty(plan: SchedulerPlan) -> None:
    """ValueError for a topology without nodes: an empty file, or BlockSizes=-1, takes all nodes away (topograph, changelog)."""
    if not plan.switches:
        raise ValueError("no node is left: an empty topology is not written, the last good file stays")


def slurm_files(plan: SchedulerPlan) -> dict[str, str]:
    """Every Slurm file by its name; none where no node is left, so that the last good ones stay."""
    if not plan.switches:
        return {}
    return {
        "gres.conf": gres_conf(plan),
        "nodes.conf": nodes_conf(plan),
        "topology-block.conf": topology_block_conf(plan),
        "topology.conf": topology_conf(plan),
        "topology.yaml": topology_yaml(plan),
    }
