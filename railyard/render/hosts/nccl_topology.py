"""NCCL_TOPO_FILE: which GPU and NIC share a PCIe switch, rail and plane of every NIC.

Format: NVIDIA/nccl src/graph/xml.cc (system version 1). NCCL finds all this by itself on bare metal; in a container or VM that
hides the PCI tree it doesn't, and pairs GPUs with far NICs. What stands here wins over what it finds, what is left out is read
from the machine (CPU masks, GPU architecture). PCIe switches have other addresses with other firmware: in their place
stand ffff:ff:NN.0, as public cloud images have it; NCCL needs the nesting, not the address.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from xml.sax.saxutils import quoteattr

from railyard.model.hosts import HostPlan, RailPort

_BRIDGE, _GPU, _NIC = "0x060400", "0x030200", {"infiniband": "0x020700", "roce": "0x020000"}
"""PCI classes: bridge, 3D controller, InfiniBand or Ethernet controller."""
_LANES = 16
_MAX_CONNECTIONS = 131_072


def nccl_topology_xml(hosts: HostPlan) -> str | None:
    """The file, or None where the catalogue doesn't know slots, CPUs or PCIe speed: half a topology is worse than none."""
    if not hosts.pcie_gts or any(None in (port.pci, port.gpu_pci, port.cpu) for port in hosts.ports):
        return None
    lines = ['<system version="1">']
    by_cpu = sorted(hosts.ports, key=lambda port: (port.cpu or 0, port.rail, port.plane))
    for cpu, ports in groupby(by_cpu, key=lambda port: port.cpu):
        lines.append(f"  <cpu {_attributes({'numaid': cpu, **_cpu_id(hosts)})}>")
        for port in ports:
            lines += _switch(hosts, port)
        lines.append("  </cpu>")
    return "\n".join([*lines, "</system>"]) + "\n"


def _cpu_id(hosts: HostPlan) -> dict[str, object]:
    if hosts.cpu_id is None:
        return {}
    cpu = hosts.cpu_id
    return {"arch": cpu.arch, "vendor": cpu.vendor, "familyid": cpu.family, "modelid": cpu.model}


def _switch(hosts: HostPlan, port: RailPort) -> list[str]:
    """One PCIe switch with the GPU and the NIC of a rail."""
    number = hosts.ports.index(port)
    speed: dict[str, object] = {"link_speed": f"{hosts.pcie_gts or 0:.1f} GT/s PCIe", "link_width": _LANES}
    net = {
        "name": port.device,
        "dev": number,
        "speed": int(hosts.link_gbps * 1000),
        "port": port.device_port,
        "maxconn": _MAX_CONNECTIONS,
        "gdr": 1,
        "rail": port.rail,
        "plane": port.plane,
    }
    nic = _NIC[hosts.transport]
    return [
        f"    <pci {_attributes({'busid': f'ffff:ff:{number + 1:02x}.0', 'class': _BRIDGE, **speed})}>",
        f"      <pci {_attributes({'busid': port.gpu_pci, 'class': _GPU, **speed})}/>",
        f"      <pci {_attributes({'busid': port.pci, 'class': nic, **speed})}>",
        "        <nic>",
        f"          <net {_attributes(net)}/>",
        "        </nic>",
        "      </pci>",
        "    </pci>",
    ]


def _attributes(values: Mapping[str, object]) -> str:
    return " ".join(f"{key}={quoteattr(str(value))}" for key, value in values.items())
