"""What the outside can see of an emulated machine's operating system: files below `state/<serial>/`.

`disk.json`    what an install left: {serial, generation, hostname, labels, addresses, imageSha256, hostKeyFingerprint}
`running.json` there while the operating system is up: {serial, generation, hostname, labels, addresses, gpus, macs, bootId}

The control plane's node agent turns each `running.json` into a Node; it never talks to a BMC.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab import files

DISK, RUNNING = "disk.json", "running.json"

# Called in the emulator's process with (serial, running.json's content or None) when an operating system comes up or goes down.
Watcher = Callable[[str, dict[str, Any] | None], None]


def installed(state: Path) -> dict[str, dict[str, Any]]:
    """serial -> disk.json of every machine that has an operating system on its disk."""
    return _read(state, DISK)


def running(state: Path) -> dict[str, dict[str, Any]]:
    """serial -> running.json of every machine whose operating system is up."""
    return _read(state, RUNNING)


def _read(state: Path, name: str) -> dict[str, dict[str, Any]]:
    found = {path.parent.name: files.read_json(path) for path in sorted(state.glob(f"*/{name}"))}
    return {serial: value for serial, value in found.items() if isinstance(value, dict)}
