"""The host side of the training fabric: files for every GPU node, from `plan.hosts` and the plan's addresses.

hosts/<model>/           the same on all nodes: interface names, kernel settings, NCCL, QoS, check
hosts/<unit>.json        addresses of every node of a unit, rail by rail
hosts/<node>/            netplan and NetworkManager files, up to `NODE_FOLDERS_MAX` nodes; for larger sites
                         `railyard host STACK NODE` writes those of one node: 2,048 folders that differ in eight addresses
                         help nobody
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from railyard.model.hosts import HostPlan
from railyard.model.plan import AddressRow, Cable, MachinePlan
from railyard.plan.hosts import RailAddress, rail_addresses
from railyard.render.hosts.model import (
    check_script,
    nccl_conf,
    qos_script,
    sysctl_conf,
    udev_rules,
    unit_file,
    unknown_slots,
)
from railyard.render.hosts.nccl_topology import nccl_topology_xml
from railyard.render.hosts.network import ip_script, keyfiles, netplan_yaml

__all__ = [
    "NODE_FOLDERS_MAX",
    "host_files",
    "ip_script",
    "keyfiles",
    "longest_cable_m",
    "model_files",
    "nccl_topology_xml",
    "netplan_yaml",
    "node_files",
]

NODE_FOLDERS_MAX = 32
"""Nodes that get a folder each: a scalable unit of the published architectures."""
_PLACES = {
    "70-railyard-rails.rules": "/etc/udev/rules.d/",
    "90-railyard-rails.conf": "/etc/sysctl.d/",
    "check-nics.sh": "/etc/railyard/",
    "nccl.conf": "/etc/",
    "nccl-topo.xml": "/etc/railyard/ (NCCL_TOPO_FILE, only where PCI is hidden)",
    "qos.sh": "/etc/railyard/",
    "railyard-rails.service": "/etc/systemd/system/",
}


def host_files(
    hosts: HostPlan, machines: Iterable[MachinePlan], rows: Iterable[AddressRow], cables: Iterable[Cable] = ()
) -> dict[str, str]:
    """Every file below `hosts/`, by its path there."""
    nodes = [machine for machine in machines if machine.role == "gpu"]
    addresses = rail_addresses(hosts, rows)
    files = {f"{hosts.model}/{name}": text for name, text in model_files(hosts, longest_cable_m(cables)).items()}
    units: dict[str, dict[str, Sequence[RailAddress]]] = {}
    for node in nodes:
        units.setdefault(f"su{node.unit:03d}", {})[node.name] = addresses.get(node.name, ())
    files |= {f"{unit}.json": unit_table(table) for unit, table in units.items()}
    if len(nodes) <= NODE_FOLDERS_MAX:
        for node in nodes:
            files |= {f"{node.name}/{name}": text for name, text in node_files(hosts, addresses.get(node.name, ())).items()}
    return files


def longest_cable_m(cables: Iterable[Cable]) -> float:
    """Longest ordered cable between a node and its leaf (m), 0 where there is none: what a NIC's own headroom must cover."""
    return max((cable.length_m for cable in cables if cable.kind == "node-leaf"), default=0.0)


def model_files(hosts: HostPlan, cable_m: float = 0.0) -> dict[str, str]:
    """What all nodes of a model share, by file name; `cable_m` is the longest cable to a leaf."""
    files = {
        "70-railyard-rails.rules": udev_rules(hosts),
        "90-railyard-rails.conf": sysctl_conf(hosts),
        "check-nics.sh": check_script(hosts),
        "nccl.conf": nccl_conf(hosts),
        "railyard-rails.service": unit_file(hosts),
    }
    topology = nccl_topology_xml(hosts)
    if topology is not None:
        files["nccl-topo.xml"] = topology
    if hosts.lossless is not None:
        files["qos.sh"] = qos_script(hosts, hosts.lossless, cable_m)
    return {**files, "README.md": _readme(hosts, files)}


def node_files(hosts: HostPlan, addresses: Sequence[RailAddress]) -> dict[str, str]:
    """What one node has for itself, by file name; nothing without addresses."""
    if not addresses:
        return {}
    return {"60-railyard-rails.yaml": netplan_yaml(hosts, addresses), "rails.sh": ip_script(hosts, addresses)} | keyfiles(
        hosts, addresses
    )


def unit_table(table: Mapping[str, Sequence[RailAddress]]) -> str:
    """One unit's nodes with their rail addresses as JSON."""
    return msgspec.json.format(msgspec.json.encode(table), indent=1).decode() + "\n"


def _readme(hosts: HostPlan, files: Mapping[str, str]) -> str:
    """Where each file goes and what is missing."""
    lines = [f"# Host side of the fabric for {hosts.model}", "", "| file | goes to |", "|---|---|"]
    lines += [f"| {name} | {_PLACES[name]} |" for name in sorted(files)]
    lines += [
        "",
        "A node's own files: netplan (60-railyard-rails.yaml) or NetworkManager (rail*.nmconnection), never both, mode 0600.",
    ]
    lines.append("`rails.sh` is the same with iproute2 alone; it doesn't outlive a reboot.")
    notes = [f"- {note}." for note in _missing(hosts, files)]
    return "\n".join([*lines, "", "Not known, and therefore not made:" if notes else "Nothing is missing.", *notes]) + "\n"


def _missing(hosts: HostPlan, files: Mapping[str, str]) -> list[str]:
    slots = unknown_slots(hosts)
    notes = [f"{slots}: interfaces are not named by slot"] if slots else []
    if hosts.hcas_assumed:
        notes.append("the RDMA devices: `mlx5_{rail}` is assumed in nccl.conf")
    if "nccl-topo.xml" not in files:
        notes.append("the NCCL topology file: it needs slots of GPUs and NICs, their CPUs and the PCIe speed")
    return notes
