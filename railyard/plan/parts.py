"""The hardware that a stack file names, taken out of the catalogue once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from railyard.model.catalog import Entry, GpuModel, NodeModel, PduModel, RackModel, StorageNodeModel, SwitchModel
from railyard.model.config import SiteConfig
from railyard.model.errors import Problem
from railyard.plan.problems import PlanError

E = TypeVar("E", bound=Entry)
SiteInput = SiteConfig
"""What planning takes."""


@dataclass(frozen=True)
class Parts:
    """Models of a site. `radix` is the ports of a switch at the site's link speed; `storage` is None without a file system."""

    node: NodeModel
    gpu: GpuModel
    switch: SwitchModel
    radix: int
    rack: RackModel
    pdus: Mapping[str, PduModel]
    storage: StorageNodeModel | None


def pick_parts(config: SiteConfig) -> Parts:
    """Look up every model that the stack file names. Raises PlanError (PLAN-001) with all names that are unknown."""
    file, catalog = config.file, config.catalog
    problems: list[Problem] = []

    def find(rows: Mapping[str, E], name: str, where: str) -> E | None:
        if name not in rows:
            problems.append(_unknown(where, name, sorted(rows)))
        return rows.get(name)

    node = find(catalog.nodes, file.compute.node_model, "railyard:compute.nodeModel")
    gpu = find(catalog.gpus, node.gpu_model, "catalogue: gpuModel") if node else None
    switch = find(catalog.switches, file.fabric.switch_model, "railyard:fabric.switchModel")
    radix = switch.radix(file.fabric.link_gbps) if switch else None
    rack = find(catalog.racks, file.facility.rack_model, "railyard:facility.rackModel")
    feeds = file.facility.feeds
    pdus = {feed.name: find(catalog.pdus, feed.pdu_model, f"railyard:facility.feeds.{feed.name}") for feed in feeds}
    storage = find(catalog.storage, file.storage.node_model, "railyard:storage.nodeModel") if file.storage.nodes else None
    if switch and radix is None:
        speeds = ", ".join(str(speed) for speed in sorted(switch.ports))
        found = f"{file.fabric.link_gbps:g} Gb/s on {switch.name}"
        problems.append(
            Problem("PLAN-001", "railyard:fabric.linkGbps", found, f"one of {speeds}", "set a speed that the switch runs at")
        )
    if problems or node is None or gpu is None or switch is None or radix is None or rack is None:
        raise PlanError(problems)
    return Parts(node, gpu, switch, radix, rack, {name: pdu for name, pdu in pdus.items() if pdu}, storage)


def _unknown(where: str, name: str, known: list[str]) -> Problem:
    return Problem("PLAN-001", where, name, f"one of {', '.join(known)}", "use a name of the catalogue, or add the model to it")
