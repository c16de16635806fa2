"""Kubernetes objects of the scheduler topology: Kueue's Topology and flavor, Volcano's HyperNodes, node labels.

The program registers the same specs (components/platform.py): what is written here is what is deployed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from railyard.model.hostlist import expand
from railyard.model.plan import MachinePlan, PlatformPlan
from railyard.model.scheduler import SchedulerPlan

KUEUE_API = "kueue.x-k8s.io/v1beta2"
VOLCANO_API = "topology.volcano.sh/v1alpha1"
_NOT_IN_NAMES = re.compile(r"[^a-z0-9.-]")


def topology_name(site: str) -> str:
    """Name of the site's Kueue Topology."""
    return f"{site}-topology"


def topology_spec(levels: Sequence[str]) -> dict[str, object]:
    """Spec of a Kueue Topology: node labels from the widest to the host."""
    return {"levels": [{"nodeLabel": label} for label in levels]}


def flavor_spec(platform: PlatformPlan) -> dict[str, object]:
    """Spec of the site's ResourceFlavor: its nodes, and the topology that they are placed by."""
    return {"nodeLabels": dict(platform.node_labels), "topologyName": topology_name(platform.site)}


def kueue_objects(platform: PlatformPlan) -> list[dict[str, object]]:
    """Topology and ResourceFlavor as objects."""
    return [
        _object(KUEUE_API, "Topology", topology_name(platform.site), topology_spec(platform.topology_levels)),
        _object(KUEUE_API, "ResourceFlavor", platform.flavor, flavor_spec(platform)),
    ]


def hyper_nodes(plan: SchedulerPlan) -> list[dict[str, object]]:
    """Volcano HyperNodes: tier 1 is a unit, members by exact name. Lower tiers come first, since upper ones name them."""
    found = sorted(plan.switches, key=lambda switch: switch.level)
    return [
        _object(
            VOLCANO_API,
            "HyperNode",
            hyper_name(switch.name),
            {
                "tier": switch.level + 1,
                "members": _members("HyperNode", map(hyper_name, expand(switch.switches)))
                if switch.switches
                else _members("Node", expand(switch.nodes)),
            },
        )
        for switch in found
    ]


def hyper_name(name: str) -> str:
    """A pseudo-switch's name as a Kubernetes one."""
    return _NOT_IN_NAMES.sub("-", name.lower())


def _members(kind: str, members: Iterable[str]) -> list[dict[str, object]]:
    return [{"type": kind, "selector": {"exactMatch": {"name": name}}} for name in members]


def _object(api: str, kind: str, name: str, spec: Mapping[str, object]) -> dict[str, object]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name}, "spec": dict(spec)}


def node_labels(machines: Iterable[MachinePlan]) -> dict[str, dict[str, str]]:
    """Labels of every GPU node: what joins a node to its unit and rack."""
    return {machine.name: dict(sorted(machine.labels.items())) for machine in machines if machine.role == "gpu"}


def kubernetes_files(platform: PlatformPlan, plan: SchedulerPlan, machines: Iterable[MachinePlan]) -> dict[str, str]:
    """The files by their names (JSON lists that `kubectl apply -f` takes); none where no node is left."""
    if not plan.switches:
        return {}
    return {
        "kueue-topology.json": _json(_list(kueue_objects(platform))),
        "node-labels.json": _json(node_labels(machines)),
        "volcano-hypernodes.json": _json(_list(hyper_nodes(plan))),
    }


def _list(items: list[dict[str, object]]) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "List", "items": items}


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=1).decode() + "\n"
