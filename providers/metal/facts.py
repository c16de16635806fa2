"""What a machine says about itself, read by links only. Absent and null are unknown, never 0."""

from dataclasses import dataclass
from typing import Any

from providers.metal import errors
from providers.metal.client import Bmc, Body, link_of


@dataclass(frozen=True, slots=True)
class Host:
    """The host system that a plan is about (one BMC may show several systems), and its manager."""

    path: str
    system: Body
    systems: tuple[Body, ...]

    @property
    def power(self) -> str:
        """PowerState: On, Off, PoweringOn …"""
        return str(self.system.get("PowerState") or "unknown")


def find_host(bmc: Bmc, serial: str) -> Host:
    """The system that has the planned serial, else the one that can be reset and has a serial (not a GPU baseboard)."""
    systems = tuple(bmc.members(link_of(bmc.root(), "Systems")))
    hosts = [one for one in systems if "#ComputerSystem.Reset" in (one.get("Actions") or {})]
    hosts = [one for one in hosts if serials(one)] or hosts
    for one in [*[host for host in hosts if serial in serials(host)], *hosts]:
        return Host(str(one["@odata.id"]), one, systems)
    raise errors.malformed(bmc.where, "Systems", f"no host among {len(systems)} systems")


def serials(system: Body) -> list[str]:
    """Serial and service tag: two facts, and labels show either."""
    return [str(system[key]).strip() for key in ("SerialNumber", "SKU") if system.get(key)]


def inventory(bmc: Bmc, host: Host, planned: dict[str, Any]) -> Body:
    """{serial, gpus, nics, macs} as found, for `check_identity`; what the BMC doesn't tell is left out (no serial: refused).

    GPUs that are planned but listed nowhere are 0: a machine whose baseboard is missing must not pass.
    """
    found: Body = {}
    known = serials(host.system)
    if known:
        found["serial"] = planned["serial"] if planned["serial"] in known else known[0]
    if planned.get("gpus") is not None:
        found["gpus"] = count_gpus(bmc, host)
    network = read_network(bmc, host, {str(mac).lower() for mac in planned.get("macs") or ()})
    if network.macs and not network.may_hide:
        found["macs"] = sorted(network.macs)
    if planned.get("nics") is not None and network.adapters is not None:
        found["nics"] = network.adapters
    return found


def count_gpus(bmc: Bmc, host: Host) -> int:
    """Processors of type GPU that are there, over all systems (on HGX they belong to the baseboard's system).

    BMCs that list none there may show them as PCIe devices of the chassis (Supermicro: ids GPU1 to GPU8).
    """
    count = 0
    for system in host.systems:
        for processor in bmc.members(link_of(system, "Processors")):
            count += processor.get("ProcessorType") == "GPU" and _present(processor)
    if not count:
        for chassis in _chassis(bmc, host):
            for device in bmc.members(link_of(chassis, "PCIeDevices")):
                count += str(device.get("Id") or "").upper().startswith("GPU") and _present(device)
    return count


@dataclass(frozen=True, slots=True)
class Network:
    """Adapters (None: the BMC lists none), MACs in lower case, and whether planned MACs may be among those not shown."""

    adapters: int | None
    macs: set[str]
    may_hide: bool


def read_network(bmc: Bmc, host: Host, planned: set[str]) -> Network:
    """Interfaces of the host and its adapters; ports of adapters only where planned MACs weren't seen yet."""
    macs: set[str] = set()
    interfaces = 0
    for interface in bmc.members(link_of(host.system, "EthernetInterfaces")):
        found = {str(interface[key]).lower() for key in ("MACAddress", "PermanentMACAddress") if interface.get(key)}
        interfaces += bool(found)
        macs |= found
    adapters = hidden = 0
    for chassis in _chassis(bmc, host):
        for adapter in bmc.members(link_of(chassis, "NetworkAdapters")):
            adapters += _present(adapter)
            if not planned <= macs:
                shown = _adapter_macs(bmc, adapter)
                macs |= shown
                hidden += not shown  # an InfiniBand function without a MAC: unknown, not absent
    missing = planned - macs
    return Network(adapters or interfaces or None, macs, bool(missing) and len(missing) <= hidden)


def _adapter_macs(bmc: Bmc, adapter: Body) -> set[str]:
    macs: set[str] = set()
    for key in ("Ports", "NetworkPorts", "NetworkDeviceFunctions"):
        for part in bmc.members(link_of(adapter, key)):
            ethernet = part.get("Ethernet") or {}
            values = [ethernet.get("MACAddress"), ethernet.get("PermanentMACAddress")]
            values += [*(part.get("AssociatedNetworkAddresses") or []), *(ethernet.get("AssociatedMACAddresses") or [])]
            macs |= {str(value).lower() for value in values if value}
    return macs


def _present(item: Body) -> bool:
    return (item.get("Status") or {}).get("State") != "Absent"


def _chassis(bmc: Bmc, host: Host) -> list[Body]:
    links = (host.system.get("Links") or {}).get("Chassis") or []
    return [found for found in (bmc.find(link_of(item)) for item in links) if found]


def find_manager(bmc: Bmc, host: Host) -> Body:
    """The manager of the host, else the first one."""
    for item in (host.system.get("Links") or {}).get("ManagedBy") or []:
        manager = bmc.find(link_of(item))
        if manager:
            return manager
    for manager in bmc.members(link_of(bmc.root(), "Managers")):
        return manager
    raise errors.malformed(bmc.where, "Managers", "no manager")
