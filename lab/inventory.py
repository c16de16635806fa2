"""Reads a site's inventory as plain YAML. The lab shares no model with the product."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from lab.errors import LabError

ROLES = ("gpu", "storage")


@dataclass(frozen=True)
class MachineFacts:
    """What one machine is made of."""

    name: str
    role: str
    serial: str
    host: str
    port: int
    macs: tuple[str, ...]
    gpus: int


@dataclass(frozen=True)
class SwitchFacts:
    """One switch: its system, where it is managed. `nos` follows from what it is trusted by: NVUE a CA, SONiC a host key."""

    name: str
    nos: str
    serial: str
    host: str
    port: int


SWITCH_PORTS = {"cumulus": 8765, "sonic": 22}


def switches(path: Path) -> list[SwitchFacts]:
    """The switches that the inventory hands over to be configured, in file order. Raises LabError (LAB-006, LAB-007)."""
    value = _yaml(path)
    rows = value.get("switches") or [] if isinstance(value, dict) else []
    managed = [(index, row) for index, row in enumerate(rows) if isinstance(row, dict) and row.get("managementAddress")]
    return [_switch(path, index, row) for index, row in managed]


def _switch(path: Path, index: int, row: dict[str, Any]) -> SwitchFacts:
    where = f"{path}:switches[{index}]"
    nos = "cumulus" if row.get("caFile") else "sonic" if row.get("hostKeySha256") else ""
    if not nos or not row.get("name") or not row.get("serial"):
        limit = "name, serial, managementAddress, and caFile or hostKeySha256"
        raise LabError("LAB-006", where, ", ".join(sorted(row)), limit, "correct the entry")
    host, _, port = str(row["managementAddress"]).partition(":")
    if not host.startswith("127."):
        fix = "give each switch of a lab its own address, 127.79.9.1:8765 …"
        raise LabError("LAB-007", f"{where}.managementAddress", host, "a loopback address (127.0.0.0/8)", fix)
    return SwitchFacts(str(row["name"]), nos, str(row["serial"]), host, int(port or SWITCH_PORTS[nos]))


def read(path: Path) -> tuple[str, list[MachineFacts]]:
    """(site, machines in file order). Raises LabError: LAB-001 no such file, LAB-006 not an inventory."""
    value = _yaml(path)
    if not isinstance(value, dict) or not isinstance(value.get("machines"), list) or not isinstance(value.get("site"), str):
        limit = "a mapping with `site` and a list `machines`"
        raise LabError("LAB-006", str(path), type(value).__name__, limit, "correct the file")
    machines = [_machine(path, index, row) for index, row in enumerate(value["machines"])]
    _unique(path, machines)
    return value["site"], machines


def _yaml(path: Path) -> Any:
    try:
        return YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        fix = "name the site: --site sites/<site>/inventory.yaml"
        raise LabError("LAB-001", str(path), "no such file", "the inventory of a site", fix) from error
    except (OSError, UnicodeError, YAMLError) as error:
        found = " ".join(str(error).split())[:200]
        raise LabError("LAB-006", str(path), found, "a YAML file", "correct the file") from error


def _machine(path: Path, index: int, row: Any) -> MachineFacts:
    where = f"{path}:machines[{index}]"
    if not isinstance(row, dict):
        raise LabError("LAB-006", where, type(row).__name__, "a mapping", "correct the entry")
    try:
        host, _, port = str(row["bmc"]).partition(":")
        facts = MachineFacts(
            name=str(row["name"]),
            role=str(row["role"]),
            serial=str(row["serial"]),
            host=host,
            port=int(port or 443),
            macs=tuple(str(mac).lower() for mac in row["macs"]),
            gpus=int(row.get("gpus") or 0),
        )
    except (KeyError, TypeError, ValueError) as error:
        limit = "name, role, serial, bmc (host:port), macs, gpus"
        raise LabError("LAB-006", where, f"{type(error).__name__}: {error}", limit, "correct the entry") from error
    if facts.role not in ROLES:
        raise LabError("LAB-006", f"{where}.role", facts.role, " or ".join(ROLES), "correct the entry")
    if not host.startswith("127."):
        fix = "give each BMC of a lab its own address, 127.77.1.1:8443 …"
        raise LabError("LAB-007", f"{where}.bmc", str(row["bmc"]), "a loopback address (127.0.0.0/8)", fix)
    if "/" in facts.serial or facts.serial in {"", ".", ".."}:
        raise LabError("LAB-006", f"{where}.serial", facts.serial, "a serial that can name a folder", "correct the entry")
    return facts


def _unique(path: Path, machines: list[MachineFacts]) -> None:
    for what in ("name", "serial", "bmc"):
        seen: set[str] = set()
        for index, one in enumerate(machines):
            value = f"{one.host}:{one.port}" if what == "bmc" else getattr(one, what)
            if value in seen:
                where = f"{path}:machines[{index}].{what}"
                raise LabError("LAB-006", where, f"{value} twice", "each value once", "correct the inventory")
            seen.add(value)
