"""Files that are the same on every node of a model: interface names, kernel settings, NIC check, QoS, NCCL's configuration."""

from __future__ import annotations

from math import ceil

from railyard.model.hostlist import compress
from railyard.model.hosts import HostPlan, RailPort
from railyard.model.lossless import Lossless
from railyard.render.hosts.network import HEAD

SHELL = "#!/bin/sh"
ETHERNET, INFINIBAND = 1, 32
"""ARPHRD_ETHER and ARPHRD_INFINIBAND of linux/if_arp.h: what /sys/class/net/*/type says."""
UNKNOWN_PCI = "the catalogue has no PCI address of"


def unknown_slots(hosts: HostPlan) -> str | None:
    """What can't be named by PCI slot, in words; None where all is known."""
    missing = [port.netdev for port in hosts.ports if port.pci is None]
    return f"{UNKNOWN_PCI} {compress(missing)} on a {hosts.model}" if missing else None


def udev_rules(hosts: HostPlan) -> str:
    """/etc/udev/rules.d/70-railyard-rails.rules: interfaces are named by PCI slot, never in the order in which they come up."""
    lines = [HEAD]
    missing = unknown_slots(hosts)
    if missing:
        lines += [
            f"# {missing}: nothing is named here, and nothing is guessed.",
            "# Add railPci with its source to the node model.",
        ]
    elif hosts.pci_source:
        lines.append(f"# PCI addresses: {hosts.pci_source}")
    kind = ETHERNET if hosts.transport == "roce" else INFINIBAND
    lines += [_udev_rule(port, kind) for port in hosts.ports if port.pci]
    return "\n".join(lines) + "\n"


def _udev_rule(port: RailPort, kind: int) -> str:
    """The interface of a slot itself. An IPoIB child (a partition's interface) has the same PCI parent and the same type, but
    another interface below it: its `iflink` isn't its `ifindex`. The name would be taken by whichever comes first.
    """
    keys = f'SUBSYSTEM=="net", ACTION=="add", KERNELS=="{port.pci}", ATTR{{type}}=="{kind}"'
    return f'{keys}, PROGRAM=="/usr/bin/test $attr{{ifindex}} -eq $attr{{iflink}}", NAME="{port.netdev}"'


def sysctl_conf(hosts: HostPlan) -> str:
    """/etc/sysctl.d/90-railyard-rails.conf. A rail answers ARP for its own address only and takes what comes by any path.

    rp_filter 2 (loose): with 1 the kernel drops what arrives on a rail whose route back is in that rail's own table.
    """
    lines = [HEAD, "# Needed beside the rules by source address, not in their place (they alone make the right rail answer)."]
    for port in hosts.ports:
        key = f"net.ipv4.conf.{port.netdev}"
        lines += [f"{key}.arp_ignore = 2", f"{key}.arp_announce = 2", f"{key}.rp_filter = 2"]
        lines += [f"net.ipv6.conf.{port.netdev}.accept_ra = 0", f"net.ipv6.conf.{port.netdev}.autoconf = 0"]
    return "\n".join(lines) + "\n"


def nccl_conf(hosts: HostPlan) -> str:
    """/etc/nccl.conf; RCCL reads it as well. Jobs that set a variable themselves win."""
    lines = [HEAD]
    if hosts.hcas_assumed:
        lines.append(
            f"# Names are assumed: the catalogue doesn't know the RDMA devices of a {hosts.model}. Compare before use."
        )
    return "\n".join([*lines, *(f"{name}={value}" for name, value in sorted(hosts.nccl.items()))]) + "\n"


def check_script(hosts: HostPlan) -> str:
    """check-nics.sh: says which RDMA device is not in the slot that NCCL's list takes it for. Exit code 1 then.

    RDMA devices are compared, not renamed: the kernel gives out the same names (mlx5_N) while udev would rename, and to a name
    that is taken no device can be renamed (NVIDIA/nccl#1277 is what happens when nobody looks).
    """
    lines = [SHELL, HEAD, "# RAILYARD_SYS: another /sys, for tests.", "set -u", "sys=${RAILYARD_SYS:-/sys}", "wrong=0", ""]
    lines += [
        "rail() { # interface, RDMA device, PCI address",
        '  found=$(readlink -f "$sys/class/infiniband/$2/device" 2>/dev/null) || found=""',
        "  found=${found##*/}",
        '  if [ "$found" != "$3" ]; then',
        '    echo "$1: $2 is in slot ${found:-none}, not in $3" >&2',
        "    wrong=1",
        "  fi",
        '  if [ ! -e "$sys/class/net/$1" ]; then',
        '    echo "$1: no such interface" >&2',
        "    wrong=1",
        "  fi",
        "}",
        "",
    ]
    missing = unknown_slots(hosts)
    if missing:
        lines += [f'echo "{missing}: nothing to compare" >&2', "wrong=1"]
    lines += [f"rail {port.netdev} {port.device} {port.pci}" for port in hosts.ports if port.pci]
    return "\n".join([*lines, 'exit "$wrong"']) + "\n"


def qos_script(hosts: HostPlan, contract: Lossless, cable_m: float = 0.0) -> str:
    """qos.sh: trust DSCP, PFC on the lossless priorities, RoCE's DSCP on each NIC (NVIDIA ConnectX, tools of DOCA-OFED).

    The same contract as on the switches and in NCCL: hosts that don't trust DSCP time out (openucx/ucx#2934). A NIC has
    headroom of its own, which its driver sizes for a cable of 7 m; `cable_m` is the longest one to a leaf, 0 unknown.
    """
    lines = [
        SHELL,
        HEAD,
        "# NVIDIA ConnectX with mlnx_qos, cma_roce_mode and cma_roce_tos. RAILYARD_SYS: another /sys, for tests.",
    ]
    lines += ["set -eu", "sys=${RAILYARD_SYS:-/sys}", "", "rail() { # interface, RDMA device, its port"]
    lines += [f"  {command}" for command in (*_qos_commands(contract), *_headroom(cable_m))]
    lines += ["}", "", *(f"rail {port.netdev} {port.device} {port.device_port}" for port in hosts.ports)]
    return "\n".join(lines) + "\n"


def _qos_commands(contract: Lossless) -> list[str]:
    pfc = ",".join("1" if priority in contract.lossless_priorities else "0" for priority in range(8))
    mark = "1" if contract.congestion == "ecn" else "0"
    return [
        # Some drivers refuse to switch off a pause that is off already; PFC and global pause exclude each other.
        'ethtool -A "$1" rx off tx off || true',
        'mlnx_qos -i "$1" --trust dscp',
        f'mlnx_qos -i "$1" --pfc {pfc}',
        f'mlnx_qos -i "$1" --dscp2prio set,{contract.dscp},{contract.priority}',
        f'mlnx_qos -i "$1" --dscp2prio set,{contract.cnp_dscp},{contract.cnp_class}',
        'cma_roce_mode -d "$2" -p "$3" -m 2',
        f'cma_roce_tos -d "$2" -t {contract.traffic_class}',
        f'echo {contract.traffic_class} > "$sys/class/infiniband/$2/tc/$3/traffic_class"',
        f'echo {mark} > "$sys/class/net/$1/ecn/roce_np/enable/{contract.priority}"',
        f'echo {mark} > "$sys/class/net/$1/ecn/roce_rp/enable/{contract.priority}"',
        f'echo {contract.cnp_dscp} > "$sys/class/net/$1/ecn/roce_np/cnp_dscp"',
    ]


def _headroom(cable_m: float) -> list[str]:
    """Last, and loud instead of fatal: the inbox driver's tools may not have it."""
    if not cable_m:
        return []
    metres = ceil(cable_m)
    return [f'mlnx_qos -i "$1" --cable_len={metres} || echo "$1: headroom is for 7 m, its cable may have {metres} m" >&2']


def unit_file(hosts: HostPlan) -> str:
    """/etc/systemd/system/railyard-rails.service: QoS is lost with every reboot, and the check belongs before the first job."""
    commands = ["ExecStart=/bin/sh /etc/railyard/check-nics.sh"]
    if hosts.lossless:
        commands.append("ExecStart=/bin/sh /etc/railyard/qos.sh")
    lines = [HEAD, "[Unit]", "Description=railyard: NICs in their slots, RoCE in its class", "After=network-pre.target"]
    lines += ["Before=kubelet.service slurmd.service", "", "[Service]", "Type=oneshot", "RemainAfterExit=yes", *commands]
    return "\n".join([*lines, "", "[Install]", "WantedBy=multi-user.target"]) + "\n"
