"""The box: serial number and network adapters."""

from typing import TYPE_CHECKING

from lab.bmc.resource import Resource
from lab.bmc.schema import V1, collection, head, health, link

if TYPE_CHECKING:
    from lab.bmc.bmc import Bmc

CHASSIS = f"{V1}/Chassis/Chassis_1"
ADAPTERS = f"{CHASSIS}/NetworkAdapters"


def _chassis(bmc: "Bmc") -> Resource:
    links = {"ComputerSystems": [link(f"{V1}/Systems/System_1")], "ManagedBy": [link(f"{V1}/Managers/BMC")]}
    return Resource(head(
        CHASSIS, "Chassis", "Chassis_1", "Chassis",
        ChassisType="RackMount", Manufacturer="Railyard Lab", SerialNumber=bmc.board.hardware().serial,
        PowerState=bmc.board.power, Status=health(), NetworkAdapters=link(ADAPTERS), Links=links,
    ))  # fmt: skip


def _ids(bmc: "Bmc") -> list[str]:
    return [f"NIC_{n}" for n in range(1, len(bmc.board.hardware().macs) + 1)]


def _adapter(bmc: "Bmc", ident: str) -> Resource | None:
    if ident not in _ids(bmc):
        return None
    path = f"{ADAPTERS}/{ident}"
    rest = {"Manufacturer": "NVIDIA", "Model": "ConnectX-7", "SerialNumber": f"{bmc.facts.serial}-{ident}", "Status": health()}
    return Resource(head(path, "NetworkAdapter", ident, ident, Ports=link(f"{path}/Ports"), **rest))


def _ports(bmc: "Bmc", ident: str) -> Resource | None:
    return Resource(collection(f"{ADAPTERS}/{ident}/Ports", "Port", "Ports", ["1"])) if ident in _ids(bmc) else None


def _port(bmc: "Bmc", ident: str, port: str) -> Resource | None:
    if ident not in _ids(bmc) or port != "1":
        return None
    mac = bmc.board.hardware().macs[int(ident.removeprefix("NIC_")) - 1]
    rest = {"PortId": "1", "LinkStatus": "LinkUp", "Status": health(), "Ethernet": {"AssociatedMACAddresses": [mac]}}
    return Resource(head(f"{ADAPTERS}/{ident}/Ports/1", "Port", "1", "Port 1", **rest))


ROUTES = {
    f"{V1}/Chassis": lambda _bmc: Resource(collection(f"{V1}/Chassis", "Chassis", "Chassis", ["Chassis_1"])),
    CHASSIS: _chassis,
    ADAPTERS: lambda bmc: Resource(collection(ADAPTERS, "NetworkAdapter", "Network Adapters", _ids(bmc))),
    f"{ADAPTERS}/*": _adapter,
    f"{ADAPTERS}/*/Ports": _ports,
    f"{ADAPTERS}/*/Ports/*": _port,
}
