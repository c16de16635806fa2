"""What the client reads from trees of real BMCs; the right answers were worked out from the captures by hand."""

import json
import tarfile
from functools import cache
from pathlib import Path

import pytest

from providers.kit import ProviderError
from providers.metal import facts, power
from providers.metal.client import Bmc

TREES = Path(__file__).parent / "trees"


@cache
def tree(name):
    """path without slashes at its ends -> body."""
    with tarfile.open(TREES / f"{name}.tar.xz") as archive:
        files = [item for item in archive.getmembers() if item.name.endswith("index.json")]
        bodies = {item.name.removeprefix("./").rpartition("/")[0]: json.load(archive.extractfile(item)) for item in files}
    prefix = next(key for key in sorted(bodies, key=len) if "redfish/v1" in key or "Systems" in bodies[key])
    return {key.removeprefix(prefix).strip("/"): body for key, body in bodies.items()}


class TreeBmc(Bmc):
    """A Bmc that reads a capture."""

    def __init__(self, name):
        self.where = name
        self._root = None
        self.tree = tree(name)

    def get(self, path):
        found = self.find(path)
        if found is None:
            raise KeyError(path)
        return found

    def find(self, path):
        return self.tree.get(path.removeprefix("/redfish/v1").strip("/")) if path else None


RIGHT = [
    # name, serial on the label, host system, GPUs, virtual CD
    ("dell", "GMVS4K1", "System.Embedded.1", 0, "Systems/System.Embedded.1/VirtualMedia/1"),
    ("hpe", None, "1", 0, "Managers/1/VirtualMedia/2"),
    ("supermicro", None, "1", 8, "Managers/1/VirtualMedia/VirtualMedia1"),
    ("dgx_h100", None, "DGX", 8, None),
    ("gb200", None, "System_0", 4, "Managers/BMC_0/VirtualMedia/USB2"),
]


@pytest.mark.parametrize(("name", "serial", "host", "gpus", "slot"), RIGHT)
def test_host_serial_and_gpus(name, serial, host, gpus, slot):
    bmc = TreeBmc(name)
    found = facts.find_host(bmc, serial or "")
    assert found.path.rstrip("/").endswith(f"/Systems/{host}")
    if serial:
        assert facts.inventory(bmc, found, {"serial": serial})["serial"] == serial
    assert facts.count_gpus(bmc, found) == gpus
    managers = [bmc.find(item["@odata.id"]) for item in found.system["Links"].get("ManagedBy", [])]
    managers = [one for one in managers if one]
    if slot is None:
        with pytest.raises(ProviderError, match="METAL-019"):
            power.find_slot(bmc, found.system, managers)
    else:
        assert power.find_slot(bmc, found.system, managers)["@odata.id"] == f"/redfish/v1/{slot}"


def test_macs_that_a_bmc_hides_are_unknown_and_not_missing():
    bmc = TreeBmc("dgx_h100")
    host = facts.find_host(bmc, "")
    shown = "5c:ff:35:5c:5f:71"
    hidden = {"macs": [shown, "02:00:00:00:00:01"], "serial": "x"}
    assert "macs" not in facts.inventory(bmc, host, hidden)
    many = {"macs": [f"02:00:00:00:00:{number:02x}" for number in range(40)], "serial": "x"}
    assert shown in facts.inventory(bmc, host, many)["macs"]


def test_macs_in_any_case_are_found():
    bmc = TreeBmc("supermicro")
    network = facts.read_network(bmc, facts.find_host(bmc, ""), {"94:6d:ae:e0:82:72"})
    assert "94:6d:ae:e0:82:72" in network.macs
    assert not network.may_hide


def test_reset_types_from_action_info():
    bmc = TreeBmc("dgx_h100")
    target, allowed = power.reset_action(bmc, bmc.get("/redfish/v1/Systems/DGX"))
    assert sorted(allowed) == ["ForceOff", "ForceRestart", "GracefulShutdown", "On"]
    assert target.endswith("ComputerSystem.Reset")
