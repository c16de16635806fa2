"""Sites for tests, made in memory: a small one by default, anything else by overriding sections of the stack file."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from railyard import catalog
from railyard.model.config import SiteConfig
from railyard.model.inventory import Inventory
from railyard.model.site import StackFile
from railyard.plan import names

SiteMaker = Callable[..., SiteConfig]

BASE: dict[str, Any] = {
    "schemaVersion": 1,
    "site": {"name": "t", "inventory": "sites/t/inventory.yaml"},
    "compute": {"nodeModel": "dgx-h100", "nodes": 4},
    "facility": {
        "rackModel": "rack-48u-1200",
        "nodesPerRack": 4,
        "spreadRacks": 2,
        "racksPerRow": 10,
        "switchRacks": "shared",
        "storageRacks": "shared",
        "feeds": [
            {"name": "a", "pduModel": "pdu-415v-60a-3ph", "pdusPerRack": 2},
            {"name": "b", "pduModel": "pdu-415v-60a-3ph", "pdusPerRack": 2},
        ],
        "airLimitKw": 60,
        "weightLimitKg": 1500,
    },
    "fabric": {
        "transport": "infiniband",
        "switchModel": "qm9700",
        "linkGbps": 400,
        "rails": 8,
        "nodesPerUnit": 32,
        "scalableUnits": 1,
    },
    "addresses": {
        "oob": "10.1.0.0/16",
        "inBand": "10.2.0.0/16",
        "storage": "10.3.0.0/16",
        "rails": "10.32.0.0/12",
        "pods": "10.244.0.0/16",
        "services": "10.96.0.0/16",
        "ntpServers": ["10.2.255.1"],
    },
    "storage": {
        "backend": "beegfs",
        "nodeModel": "beegfs-12nvme",
        "nodes": 2,
        "classes": [{"name": "datasets", "quotaTib": 20, "readOnly": True}, {"name": "checkpoints", "quotaTib": 20}],
    },
    "bmc": {"caFile": "ca.crt", "accountRef": "env:ACCOUNT", "factoryRef": "env:FACTORY"},
    "install": {
        "serviceUrl": "https://10.2.255.2:8443",
        "adminRef": "env:ADMIN",
        "image": "os.img",
        "imageSha256": "0" * 64,
    },
    "platform": {
        "controlPlane": {
            "version": "1.36.3",
            "endpoint": "https://10.2.255.3:6443",
            "caFile": "ca.crt",
            "kubeconfigRef": "file:kubeconfig",
        },
        "tenants": [{"name": "research", "gpus": 16}, {"name": "production", "gpus": 8, "priority": "high"}],
    },
}


def make_site(
    nodes: int = 4, storage_nodes: int = 2, slots: Iterable[tuple[int, int]] | None = None, **sections: Mapping[str, Any] | None
) -> SiteConfig:
    """A site of `nodes` GPU machines that fill slots in order (or just the `slots`: pairs of unit and slot, from 1).

    `sections` override keys of the stack file's sections by their outside names: `fabric={"rails": 4}`, `replication={...}`.
    """
    file = _file(nodes, storage_nodes, sections)
    filled = list(slots) if slots is not None else _in_order(nodes, file.fabric.nodes_per_unit)
    inventory = make_inventory(file, filled, storage_nodes)
    digest = hashlib.sha256(inventory.model_dump_json().encode()).hexdigest()
    return SiteConfig(stack="t", file=file, inventory=inventory, inventory_sha256=digest, catalog=catalog.load())


def _file(nodes: int, storage_nodes: int, sections: Mapping[str, Mapping[str, Any] | None]) -> StackFile:
    merged = {key: dict(value) if isinstance(value, dict) else value for key, value in BASE.items()}
    merged["compute"]["nodes"] = nodes
    merged["storage"]["nodes"] = storage_nodes
    for key, value in sections.items():
        merged[key] = value if value is None else {**(merged.get(key) or {}), **value}
    return StackFile.model_validate(merged)


def _in_order(nodes: int, nodes_per_unit: int) -> list[tuple[int, int]]:
    return [(index // nodes_per_unit + 1, index % nodes_per_unit + 1) for index in range(nodes)]


def make_inventory(file: StackFile, slots: Iterable[tuple[int, int]], storage_nodes: int) -> Inventory:
    """Machines with facts made of their positions."""
    model = catalog.load().nodes[file.compute.node_model]
    nics, gpus, site = model.backend_nics + model.storage_nics, model.gpus, file.site.name
    named = [(names.gpu(site, unit, slot, file.fabric.nodes_per_unit), "gpu", gpus, nics) for unit, slot in slots]
    named += [(names.storage(site, index + 1), "storage", 0, 2) for index in range(storage_nodes)]
    machines = [
        {
            "name": name,
            "role": role,
            "serial": f"S{name}",
            "bmc": f"{name}.bmc.example:443",
            "macs": [_mac(name, nic) for nic in range(ports)],
            "gpus": count,
        }
        for name, role, count, ports in named
    ]
    return Inventory.model_validate({"schemaVersion": 1, "site": site, "machines": machines})


def _mac(name: str, nic: int) -> str:
    digest = hashlib.sha256(f"{name}/{nic}".encode()).hexdigest()
    return ":".join(["02", *(digest[at : at + 2] for at in range(0, 10, 2))])
