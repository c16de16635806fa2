"""One node's rail interfaces as netplan, NetworkManager keyfiles and a script.

Each rail has a routing table of its own, and a rule that sends what bears its source address there: ARP settings alone let
rail 1 leave by rail 0 (tests/proof/hosts). netplan is told to use networkd: with `renderer: NetworkManager` netplan 0.106
drops `routing-policy` without a word (verified), so NetworkManager gets keyfiles of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from itertools import groupby

from railyard.model.hosts import HostPlan
from railyard.plan.hosts import RailAddress

HEAD = "# Made by railyard from the plan: change the stack file, not this file."


def netplan_yaml(hosts: HostPlan, addresses: Sequence[RailAddress]) -> str:
    """/etc/netplan/60-railyard-rails.yaml, mode 0600."""
    lines = [HEAD, "network:", "  version: 2", "  renderer: networkd", "  ethernets:"]
    for netdev, mine in _interfaces(addresses):
        lines += [
            f"    {netdev}:",
            "      dhcp4: false",
            "      dhcp6: false",
            "      accept-ra: false",
            "      link-local: []",
        ]
        # A dead rail must not hold up the boot: the node then reports itself.
        lines.append("      optional: true")
        lines.append("      infiniband-mode: datagram" if hosts.mtu is None else f"      mtu: {hosts.mtu}")
        lines.append("      addresses:")
        lines += [f'        - "{item.address}/{item.prefix}"' for item in mine]
        lines.append("      routes:")
        lines += [f"        - {_netplan_route(item, to)}" for item in mine for to in behind(item)]
        lines.append("      routing-policy:")
        lines += [f'        - {{from: "{host(item)}", table: {item.table}, priority: {item.priority}}}' for item in mine]
    return "\n".join(lines) + "\n"


def _netplan_route(item: RailAddress, to: str) -> str:
    via = f'via: "{item.gateway}"' if item.gateway else "scope: link"
    return f'{{to: "{to}", {via}, table: {item.table}}}'


def behind(item: RailAddress) -> tuple[str, ...]:
    """What a rail's own table holds: all rails behind a gateway, else its subnet on the wire."""
    return item.networks if item.gateway else (item.subnet,)


def host(item: RailAddress) -> str:
    """The address as a network of one."""
    return f"{item.address}/{ip_address(item.address).max_prefixlen}"


def keyfiles(hosts: HostPlan, addresses: Sequence[RailAddress]) -> dict[str, str]:
    """/etc/NetworkManager/system-connections/<name>.nmconnection, mode 0600, by file name."""
    return {f"{netdev}.nmconnection": _keyfile(hosts, netdev, mine) for netdev, mine in _interfaces(addresses)}


def _keyfile(hosts: HostPlan, netdev: str, mine: Sequence[RailAddress]) -> str:
    ethernet = hosts.mtu is not None
    lines = [
        HEAD,
        "[connection]",
        f"id={netdev}",
        f"type={'ethernet' if ethernet else 'infiniband'}",
        f"interface-name={netdev}",
    ]
    lines += ["", "[ethernet]", f"mtu={hosts.mtu}"] if ethernet else ["", "[infiniband]", "transport-mode=datagram"]
    for version in (4, 6):
        lines += ["", f"[ipv{version}]", *_family([item for item in mine if item.version == version])]
    return "\n".join(lines) + "\n"


def _family(mine: Sequence[RailAddress]) -> list[str]:
    """One family of a keyfile: addresses, routes and rules count up from 1."""
    if not mine:
        return ["method=disabled"]
    routes = [(item, to) for item in mine for to in behind(item)]
    lines = ["method=manual", *(f"address{index}={item.address}/{item.prefix}" for index, item in enumerate(mine, 1))]
    for index, (item, to) in enumerate(routes, 1):
        lines.append(f"route{index}={to},{item.gateway}" if item.gateway else f"route{index}={to}")
        lines.append(f"route{index}_options=table={item.table}")
    rules = enumerate(mine, 1)
    lines += [f"routing-rule{index}=priority {item.priority} from {host(item)} table {item.table}" for index, item in rules]
    return [*lines, "never-default=true"]


def ip_script(hosts: HostPlan, addresses: Iterable[RailAddress]) -> str:
    """rails.sh: the same with iproute2 alone, for a rescue system or a distribution without the other two. May run again.

    No `ip -batch`: there a rule for IPv6 can't say its family.
    """
    lines = ["#!/bin/sh", HEAD, "set -eu"]
    for netdev, mine in _interfaces(addresses):
        lines.append(f"ip link set {netdev} up" if hosts.mtu is None else f"ip link set {netdev} mtu {hosts.mtu} up")
        lines += [f"ip address replace {item.address}/{item.prefix} dev {netdev}" for item in mine]
        for item in mine:
            lines += [f"ip route replace {to} {_ip_route(item)} table {item.table}" for to in behind(item)]
            rule = f"from {host(item)} table {item.table} priority {item.priority}"
            lines += [f"ip -{item.version} rule del {rule} 2>/dev/null || true", f"ip -{item.version} rule add {rule}"]
    return "\n".join(lines) + "\n"


def _ip_route(item: RailAddress) -> str:
    return f"via {item.gateway} dev {item.netdev}" if item.gateway else f"dev {item.netdev} scope link"


def _interfaces(addresses: Iterable[RailAddress]) -> list[tuple[str, list[RailAddress]]]:
    """Interfaces in the order of their tables, with their addresses."""
    return [(netdev, list(mine)) for netdev, mine in groupby(addresses, key=lambda item: item.netdev)]
