"""Topology for schedulers: Slurm (tree, blocks, YAML), Kueue and Volcano, all from `plan.scheduler`."""

from railyard.render.schedulers.kubernetes import hyper_nodes, kubernetes_files, kueue_objects
from railyard.render.schedulers.slurm import (
    gres_conf,
    nodes_conf,
    slurm_files,
    topology_block_conf,
    topology_conf,
    topology_yaml,
)

__all__ = [
    "gres_conf",
    "hyper_nodes",
    "kubernetes_files",
    "kueue_objects",
    "nodes_conf",
    "slurm_files",
    "topology_block_conf",
    "topology_conf",
    "topology_yaml",
]
