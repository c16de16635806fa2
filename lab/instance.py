"""One lab instance: a directory, and what was picked for it once (`instance.json`)."""

import dataclasses
import hashlib
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from lab import files
from lab.errors import LabError

ROOT = Path(__file__).resolve().parent.parent
VERSION = 1

# Host part of each service's loopback address inside the instance's /16. The control plane picks its ports itself.
HOSTS = {"api": "0.10", "provision": "0.11", "etcd": "0.12", "kueue": "0.13"}
FIXED_PORTS = {"api": (6443, 10257, 10259, 10247), "etcd": (2379, 2380), "kueue": (9443, 8081)}
# Picked at the first `up`: another one where the usual one is in use.
PORTS = {"bmc": 8443, "provision": 8443}
TIMING = {"postS": 0.2, "installS": 0.5, "powerS": 0.05, "shutdownS": 0.1, "managerResetS": 0.3}


@dataclass(frozen=True)
class Instance:
    """What `instance.json` holds. `network` is the first two octets ("127.77"); `inventory` and `stack_file` are sources."""

    dir: Path
    site: str
    stack: str
    network: str
    inventory: Path
    stack_file: Path | None = None
    ports: dict[str, int] = field(default_factory=lambda: dict(PORTS))
    timing: dict[str, float] = field(default_factory=lambda: dict(TIMING))
    control_plane: bool = True
    provision: bool = True
    source_digest: str = ""

    # Paths -------------------------------------------------------------------------------------------------------------
    @property
    def pki(self) -> Path:
        return self.dir / "pki"

    @property
    def ca(self) -> Path:
        return self.pki / "ca.crt"

    @property
    def secrets(self) -> Path:
        return self.dir / "secrets"

    @property
    def logs(self) -> Path:
        return self.dir / "logs"

    @property
    def state(self) -> Path:
        return self.dir / "state"

    @property
    def images(self) -> Path:
        return self.dir / "images"

    @property
    def kubeconfig(self) -> Path:
        return self.dir / "kubeconfig"

    @property
    def machines_file(self) -> Path:
        """The inventory with this instance's addresses."""
        return self.dir / "inventory.yaml"

    @property
    def config_file(self) -> Path:
        """The stack file with this instance's addresses."""
        return self.dir / f"Pulumi.{self.stack}.yaml"

    @cached_property
    def control_socket(self) -> Path:
        """The emulator's control socket; outside the directory where its path would be too long for the kernel (107 bytes)."""
        return self._socket("control")

    @cached_property
    def switch_socket(self) -> Path:
        """The switches' control socket."""
        return self._socket("switches")

    def _socket(self, name: str) -> Path:
        path = self.dir / f"{name}.sock"
        if len(os.fsencode(path)) <= 100:
            return path
        return runtime_dir() / f"{hashlib.sha256(os.fsencode(self.dir)).hexdigest()[:16]}-{name}.sock"

    # Addresses ---------------------------------------------------------------------------------------------------------
    def address(self, name: str) -> str:
        """Loopback address of a service of HOSTS."""
        return f"{self.network}.{HOSTS[name]}"

    def endpoint(self, name: str) -> str:
        """address:port of a service (of its first port)."""
        port = self.ports[name] if name in self.ports else FIXED_PORTS[name][0]
        return f"{self.address(name)}:{port}"

    def is_default(self) -> bool:
        """True for `.lab/<site>` below the project root: the place that the committed stack files name."""
        return self.dir == (ROOT / ".lab" / self.site)

    # Storage -----------------------------------------------------------------------------------------------------------
    def save(self) -> None:
        value = dataclasses.asdict(self)
        del value["dir"]
        value["inventory"] = str(self.inventory)
        value["stack_file"] = str(self.stack_file) if self.stack_file else None
        files.write_json(self.dir / "instance.json", {"version": VERSION, **value})

    def credential(self, name: str) -> tuple[str, str]:
        """(username, password) of `secrets/<name>`."""
        lines = (self.secrets / name).read_text(encoding="utf-8").splitlines()
        return lines[0].partition(": ")[2], lines[1].partition(": ")[2]


def load(folder: Path) -> Instance | None:
    """The instance in `folder`; None when there is none. Raises LabError (LAB-002) for one that can't be read."""
    folder = folder.resolve()
    path = folder / "instance.json"
    if not path.exists():
        return None
    value = files.read_json(path)
    if not isinstance(value, dict) or value.get("version") != VERSION:
        limit = f"an instance of version {VERSION}"
        raise LabError("LAB-002", str(path), "an unreadable or foreign file", limit, f"remove {folder} and run `up` again")
    return _from_json(folder, value)


def _from_json(folder: Path, value: dict[str, Any]) -> Instance:
    known = {one.name for one in dataclasses.fields(Instance)} - {"dir", "inventory", "stack_file"}
    stack_file = Path(value["stack_file"]) if value.get("stack_file") else None
    picked = {key: value[key] for key in known if key in value}
    picked["ports"] = {**PORTS, **picked.get("ports", {})}
    picked["timing"] = {**TIMING, **picked.get("timing", {})}
    return Instance(dir=folder, inventory=Path(value["inventory"]), stack_file=stack_file, **picked)


def lab_home() -> Path:
    """Where default instances lie: $RAILYARD_LAB, else `.lab` below the project root."""
    return Path(os.environ.get("RAILYARD_LAB") or ROOT / ".lab").resolve()


def python_path() -> str:
    """PYTHONPATH for our processes: the project root, before what the caller has."""
    inherited = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one and one != str(ROOT)]
    return os.pathsep.join([str(ROOT), *inherited])


def runtime_dir() -> Path:
    """Per-user folder for /16 locks and long sockets: /tmp/railyard-lab-<uid> (0700). Raises LabError (LAB-003)."""
    folder = Path("/tmp") / f"railyard-lab-{os.getuid()}"  # noqa: S108 (owner is checked below)
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise LabError("LAB-003", str(folder), "a folder of another user", "a folder of ours", "remove it")
    return folder
