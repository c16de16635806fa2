"""The engine's lock files in a file backend: who holds a stack, whether that process still lives, and their removal.

A kill of the CLI leaves its lock behind and every later run refuses. Only a lock of this host whose process is gone may go by
itself; about other hosts nobody here can know.
"""

from __future__ import annotations

import json
import os
import socket
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError
from engine.paths import PROJECT


@dataclass(frozen=True)
class Lock:
    """One lock file. `holder` is what is known of the process: alive, gone, or out of sight (on another host)."""

    path: Path
    pid: int
    user: str
    host: str
    taken: str

    @property
    def holder(self) -> str:
        if self.host != socket.gethostname():
            return "on another host"
        return "alive" if alive(self.pid) else "gone"

    def __str__(self) -> str:
        return f"{self.user}@{self.host}, pid {self.pid} ({self.holder}), since {self.taken}"


def alive(pid: int) -> bool:
    """Whether a process of that number runs (a zombie doesn't: its parent just hasn't looked yet)."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True


def backend_folder(url: str) -> Path:
    """The folder of a file backend; other backends keep their locks where we can't look."""
    if not url.startswith("file://"):
        raise EngineError(
            "ENGINE-008",
            "PULUMI_BACKEND_URL",
            url or "nothing",
            "a file:// backend",
            "use `pulumi cancel` for the stacks of other backends",
        )
    return Path(url.removeprefix("file://")).expanduser()


def read_locks(backend: Path, stack: str, project: str = PROJECT) -> list[Lock]:
    """The stack's locks, oldest name first. A lock that can't be read counts as held by nobody we know."""
    locks = []
    for path in sorted((backend / ".pulumi" / "locks" / "organization" / project / stack).glob("*.json")):
        try:
            content = json.loads(path.read_text())
            lock = Lock(path, int(content["pid"]), content["username"], content["hostname"], content["timestamp"])
        except FileNotFoundError:
            continue
        except (ValueError, KeyError, TypeError):
            lock = Lock(path, 0, "unknown", "unknown", "unknown")
        locks.append(lock)
    return locks


def unlock(backend: Path, stack: str, project: str = PROJECT, *, force: bool = False) -> list[str]:
    """Remove the locks whose holder is gone (all with `force`) and say so, one line a lock. Raises ENGINE-008 if any stays."""
    said = []
    for lock in read_locks(backend, stack, project):
        if lock.holder != "gone" and not force:
            raise EngineError(
                "ENGINE-008",
                f"stack {stack}",
                f"locked by {lock}",
                "no lock, or one of this host whose process is gone",
                f"wait for that run, or, if you are sure that it is over: railyard unlock {stack} --force",
            )
        lock.path.unlink(missing_ok=True)
        lock.path.with_name(f"{lock.path.name}.attrs").unlink(missing_ok=True)  # the file backend's note beside each file
        said.append(f"removed the lock of stack {stack}: {lock}")
    return said
