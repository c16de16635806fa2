"""What a scheduler must know of the fabric: who is near whom, and what a node offers."""

from railyard.model.base import Noun


class PseudoSwitch(Noun):
    """One group of nodes as schedulers see it: a unit (level 0), a pod of units, or the root of a fabric (the highest level).

    No real switch: in a rail-optimized fabric every node hangs on eight leaves, so a tree of leaves is wrong.
    `switches` and `nodes` are Slurm hostlists; one of them is empty.
    """

    name: str
    fabric: str
    level: int
    switches: str = ""
    nodes: str = ""


class SlurmNode(Noun):
    """What slurm.conf says of one node. `real_memory_mib` is below what the node reports; None: unknown.

    `gres_files` is the hostlist of the GPUs' device files (a count without files is 0 < 8 to slurmd); None where they
    are not known: slurmd then asks the driver (`autodetect`).
    """

    gres_type: str
    gpus: int
    sockets: int | None
    cores_per_socket: int | None
    real_memory_mib: int | None
    gres_files: str | None
    autodetect: str | None = None


class SchedulerPlan(Noun):
    """Topology for every scheduler, from one computation: Slurm's tree and blocks, Kueue's levels, Volcano's HyperNodes.

    `nodes` counts what is in it, `levels` are the node labels from the widest to the host, `block_sizes` in nodes.
    `drained` are nodes that are set aside: in the topology, since they hang on its cables, but not to be used.
    """

    site: str
    fabrics: tuple[str, ...]
    switches: tuple[PseudoSwitch, ...]
    nodes: int
    levels: tuple[str, ...]
    block_sizes: tuple[int, ...]
    node: SlurmNode
    drained: tuple[str, ...] = ()
