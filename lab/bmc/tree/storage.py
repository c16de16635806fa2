"""Drives of the system: two boot disks, and data disks in a storage server."""

from typing import TYPE_CHECKING

from lab.bmc.resource import Resource
from lab.bmc.schema import collection, head, health, link
from lab.bmc.tree.systems import SYSTEM

if TYPE_CHECKING:
    from lab.bmc.bmc import Bmc

STORAGE = f"{SYSTEM}/Storage"
UNIT = f"{STORAGE}/Storage_1"
BOOT_BYTES, DATA_BYTES = 1_920_383_410_176, 15_362_991_415_296


def _drives(bmc: "Bmc") -> list[str]:
    return [f"Drive_{n}" for n in range(1, (11 if bmc.facts.role == "storage" else 3))]


def _unit(bmc: "Bmc") -> Resource:
    drives = [link(f"{UNIT}/Drives/{one}") for one in _drives(bmc)]
    return Resource(
        head(UNIT, "Storage", "Storage_1", "Storage", Status=health(), Drives=drives, **{"Drives@odata.count": len(drives)})
    )


def _drive(bmc: "Bmc", ident: str) -> Resource | None:
    if ident not in _drives(bmc):
        return None
    size = BOOT_BYTES if ident in {"Drive_1", "Drive_2"} else DATA_BYTES
    path, serial = f"{UNIT}/Drives/{ident}", f"{bmc.facts.serial}-{ident}"
    rest = {"MediaType": "SSD", "Protocol": "NVMe", "CapacityBytes": size, "SerialNumber": serial, "Status": health()}
    return Resource(head(path, "Drive", ident, ident, **rest))


ROUTES = {
    STORAGE: lambda _bmc: Resource(collection(STORAGE, "Storage", "Storage", ["Storage_1"])),
    UNIT: _unit,
    f"{UNIT}/Drives/*": _drive,
}
