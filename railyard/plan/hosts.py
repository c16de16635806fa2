"""The host side of the training fabric: names, PCI addresses and settings of a node's NICs, and each node's own addresses.

What is the same on all nodes of a model is one `HostPlan`; what differs is a table of addresses. Interfaces are named
`rail{r}`, with the plane behind it where there are several (`rail3p1`): an order that the kernel's numbers don't have.

Every interface has a routing table of its own, chosen by the packet's source address. ARP settings alone don't do it: with two
NICs in one subnet packets of rail 1 left by rail 0 (verified: tests/proof/hosts).
"""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_address, ip_interface

import msgspec

from railyard.model.catalog import NodeModel
from railyard.model.hosts import HostPlan, RailPort
from railyard.model.plan import AddressRow
from railyard.model.site import StackFile, Transport
from railyard.plan.machines import Seat
from railyard.plan.nccl import plan_nccl, rdma_port
from railyard.plan.nics import RailNics
from railyard.plan.parts import Parts

TABLE_BASE = 100
"""Routing table of the first rail port; the others count up. 253 to 255 are the kernel's, 1 to 99 are left to the site."""
RULE_PRIORITY = 1000
"""Priority of the first rail's rule: before the main table (32766), after whatever a site puts at the front."""


class RailAddress(msgspec.Struct, frozen=True, rename="camel"):
    """One address of one rail interface: what is written into its files. `table` is its own routing table.

    `gateway` is the leaf's end of a routed (/31, /127) link, None where the subnet is one wire (InfiniBand). `networks` are the
    blocks behind it, that is all rails.
    """

    netdev: str
    hca: str
    rail: int
    plane: int
    address: str
    prefix: int
    gateway: str | None
    networks: tuple[str, ...]
    table: int
    priority: int

    @property
    def subnet(self) -> str:
        """The network of the interface, e.g. 10.32.0.0/16."""
        return str(ip_interface(f"{self.address}/{self.prefix}").network)

    @property
    def version(self) -> int:
        """4 or 6."""
        return version_of(self.address)


def netdev(rail: int, plane: int, planes: int) -> str:
    """Interface of a rail's port: `rail3`, or `rail3p1` where there are several planes. At most 15 characters (IFNAMSIZ)."""
    return f"rail{rail}" if planes == 1 else f"rail{rail}p{plane}"


def plan_hosts(file: StackFile, parts: Parts, nics: RailNics, seats: Sequence[Seat]) -> HostPlan:
    """What all GPU nodes of a site have in common."""
    node, fabric = parts.node, file.fabric
    roce = fabric.transport is Transport.ROCE
    return HostPlan(
        model=node.name,
        transport=fabric.transport.value,
        layout=fabric.layout.value,
        link_gbps=fabric.link_gbps,
        ports=tuple(_ports(node, nics)),
        hcas_assumed=nics.assumed,
        storage_hcas=node.storage_hcas,
        nccl=plan_nccl(file, nics),
        mtu=fabric.lossless.host_mtu if roce else None,
        lossless=fabric.lossless if roce else None,
        rail_networks=rail_networks(file),
        gpu_vendor=parts.gpu.vendor,
        gpus=node.gpus,
        models=(node.name,),
        nic_counts=tuple(sorted({len(seat.facts.macs) for seat in seats})),
        pci_source=node.source("railPci") if node.rail_pci else None,
        pcie_gts=node.pcie_gts,
        cpu_id=node.cpu_id,
    )


def rail_networks(file: StackFile) -> tuple[str, ...]:
    """The blocks that all rails are cut from, IPv4 first: what a rail's own table routes to its leaf."""
    return tuple(block for block in (file.addresses.rails, file.addresses.ipv6.rails) if block)


def _ports(node: NodeModel, nics: RailNics) -> Iterator[RailPort]:
    """Ports by rail and plane. PCI addresses only where one NIC of the catalogue is one port of the plan."""
    planes = len(nics.ports[0]) if nics.ports else 1
    ports = [(rail, plane) for rail in range(len(nics.ports)) for plane in range(planes)]
    known = not nics.assumed and all(rdma_port(nics, rail, plane)[1] == 1 for rail, plane in ports)
    pci = node.rail_pci if known and node.rail_pci and len(node.rail_pci) == len(ports) else None
    for index, (rail, plane) in enumerate(ports):
        device, number = rdma_port(nics, rail, plane)
        beside = index if node.gpus == len(ports) else None
        yield RailPort(
            rail=rail,
            plane=plane,
            hca=nics.port(rail, plane),
            device=device,
            device_port=number,
            netdev=netdev(rail, plane, planes),
            pci=pci[index] if pci else None,
            gpu_pci=node.gpu_pci[beside] if pci and node.gpu_pci and beside is not None else None,
            cpu=node.rail_cpus[index] if pci and node.rail_cpus else None,
        )


def rail_addresses(hosts: HostPlan, rows: Iterable[AddressRow]) -> dict[str, tuple[RailAddress, ...]]:
    """Per node its rail interfaces in the order of rails and planes, IPv4 before IPv6; nodes in the order of the plan."""
    by_hca = {port.hca: (number, port) for number, port in enumerate(hosts.ports)}
    found: dict[str, list[RailAddress]] = {}
    for row in rows:
        if not row.network.startswith("rail-") or row.interface not in by_hca:
            continue
        found.setdefault(row.device, []).append(_rail_address(hosts, *by_hca[row.interface], row))
    return {name: tuple(sorted(mine, key=lambda item: (item.table, item.version))) for name, mine in found.items()}


def _rail_address(hosts: HostPlan, number: int, port: RailPort, row: AddressRow) -> RailAddress:
    networks = hosts.rail_networks if len(hosts.rail_networks) == 1 else _of_version(hosts, version_of(row.address))
    return RailAddress(
        netdev=port.netdev,
        hca=port.hca,
        rail=port.rail,
        plane=port.plane,
        address=row.address,
        prefix=row.prefix,
        gateway=gateway(row.address, row.prefix),
        networks=networks,
        table=TABLE_BASE + number,
        priority=RULE_PRIORITY + number,
    )


def gateway(address: str, prefix: int) -> str | None:
    """The other end of a point-to-point link (/31, /127); None in a subnet of many: there all rails are one wire away."""
    if prefix != (31 if version_of(address) == 4 else 127):
        return None
    here = ip_address(address)
    return str(type(here)(int(here) ^ 1))


def version_of(address: str) -> int:
    """4 or 6, without parsing: a large site has 260,000 rows."""
    return 6 if ":" in address else 4


def _of_version(hosts: HostPlan, version: int) -> tuple[str, ...]:
    return tuple(block for block in hosts.rail_networks if version_of(block) == version)
