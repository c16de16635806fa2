"""The hardware that a stack file names, taken out of the catalogue once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from railyard.model.catalog import Catalog, Entry, GpuModel, NodeModel, PduModel, RackModel, StorageNodeModel, SwitchModel
from railyard.model.config import SiteConfig
from railyard.model.errors import Problem
from railyard.model.site import Fabric, StackFile, StorageBackend
from railyard.plan.problems import PlanError

E = TypeVar("E", bound=Entry)
SiteInput = SiteConfig
"""What planning takes."""


@dataclass(frozen=True)
class Parts:
    """Models of a site. `radix` is the ports of a switch at the site's link speed; `storage` is None without a file system.

    `catalog` is the whole catalogue: planners of other networks pick their switches themselves.
    """

    node: NodeModel
    gpu: GpuModel
    switch: SwitchModel
    radix: int
    rack: RackModel
    pdus: Mapping[str, PduModel]
    storage: StorageNodeModel | None
    catalog: Catalog


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
    return Parts(node, gpu, switch, radix, rack, {name: pdu for name, pdu in pdus.items() if pdu}, storage, catalog)


def _unknown(where: str, name: str, known: list[str]) -> Problem:
    return Problem("PLAN-001", where, name, f"one of {', '.join(known)}", "use a name of the catalogue, or add the model to it")


def misfits(file: StackFile, parts: Parts) -> list[Problem]:
    """What the stack file asks of hardware that the hardware doesn't have (PLAN-011 to PLAN-014)."""
    fabric, switch, disk = file.fabric, parts.switch, parts.storage
    problems = [*_rails(fabric, parts.node), *_speed(fabric, parts.node)]
    if fabric.transport.value not in switch.transports:
        limit = f"{', '.join(switch.transports)} on {switch.name}"
        fix = "set the transport that the switch speaks, or name a switch of that transport (fabric.switchModel)"
        problems.append(Problem("PLAN-013", "railyard:fabric.transport", fabric.transport.value, limit, fix))
    backend = file.storage.backend
    if disk and backend is not StorageBackend.NONE and backend.value not in disk.backends:
        limit = f"{', '.join(disk.backends)} on {disk.name}"
        fix = "set the file system that the server is for, or name another server (storage.nodeModel)"
        problems.append(Problem("PLAN-014", "railyard:storage.backend", backend.value, limit, fix))
    return problems


def _rails(fabric: Fabric, node: NodeModel) -> Iterator[Problem]:
    """PLAN-011: a training NIC hangs on one rail: rails = NICs (each has a port in every plane), or rails * planes = NICs."""
    nics = node.backend_nics
    if nics not in (fabric.rails, fabric.rails * fabric.planes):
        found = f"{fabric.rails} rails x {fabric.planes} planes"
        limit = f"{nics} training NICs on a {node.name}"
        yield Problem("PLAN-011", "railyard:fabric.rails", found, limit, f"set fabric.rails to {nics}, one for each NIC")


def _speed(fabric: Fabric, node: NodeModel) -> Iterator[Problem]:
    """PLAN-012: the links of a NIC together are at most as fast as the NIC."""
    links = fabric.planes if fabric.rails == node.backend_nics else 1
    if fabric.link_gbps * links > node.nic_gbps:
        each = f"{fabric.link_gbps:g} Gb/s" if links == 1 else f"{links} planes x {fabric.link_gbps:g} Gb/s"
        limit = f"{node.nic_gbps:g} Gb/s for each NIC of a {node.name}"
        fix = f"set fabric.linkGbps to {node.nic_gbps / links:g} or less"
        yield Problem("PLAN-012", "railyard:fabric.linkGbps", f"{each} on one NIC", limit, fix)
