"""Processes by identity: a pid alone may be reused, pid + start time may not."""

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True)
class Process:
    """One process of this boot. `start` is field 22 of /proc/<pid>/stat (clock ticks since boot)."""

    pid: int
    start: int

    @classmethod
    def of(cls, pid: int) -> "Process | None":
        """The process that has `pid` now; None when there is none (or only a zombie)."""
        fields = _stat(pid)
        if fields is None or fields[0] == "Z":
            return None
        return cls(pid, int(fields[19]))

    def alive(self) -> bool:
        """True while this very process runs."""
        return Process.of(self.pid) == self


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/<pid>/stat after the command's name (state first); None when there is no such process."""
    try:
        raw = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return raw.rpartition(")")[2].split()


def group_members(pgid: int) -> list[int]:
    """Pids of the living processes of a process group."""
    found = []
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            fields = _stat(int(entry.name))
            if fields is not None and fields[0] != "Z" and int(fields[2]) == pgid:
                found.append(int(entry.name))
    return sorted(found)


def send(process: Process, number: int, *, group: bool) -> None:
    """Signals the process (or its whole group) if it is still the same one. Processes of a group were started by us."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if group and (process.alive() or group_members(process.pid)):
            os.killpg(process.pid, number)
        elif process.alive():
            os.kill(process.pid, number)


def wait_gone(process: Process, timeout_s: float, *, group: bool = False) -> bool:
    """True when the process (and its group) is gone within `timeout_s` seconds."""
    deadline = time.monotonic() + timeout_s
    while process.alive() or (group and group_members(process.pid)):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def stop(process: Process, number: int = signal.SIGTERM, grace_s: float = 10.0, *, group: bool = True) -> bool:
    """Stops a process (group): `number`, then SIGKILL after `grace_s`. Returns True when nothing of it is left."""
    send(process, number, group=group)
    if wait_gone(process, grace_s, group=group):
        return True
    send(process, signal.SIGKILL, group=group)
    return wait_gone(process, 5.0, group=group)


def listener(address: str, port: int) -> str:
    """Who listens on address:port, as 'pid 123 (nginx)', or 'an unknown process' where /proc doesn't tell."""
    wanted = {f"{_hex(address)}:{port:04X}", f"00000000:{port:04X}"}
    inodes = set()
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in (PROC / "net" / table).read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and (
                    fields[1] in wanted or (table == "tcp6" and fields[1].endswith(f"{0:032X}:{port:04X}"))
                ):
                    inodes.add(f"socket:[{fields[9]}]")
    for entry in PROC.iterdir():
        if entry.name.isdigit() and _holds(entry, inodes):
            name = (entry / "comm").read_text(encoding="utf-8", errors="replace").strip()
            return f"pid {entry.name} ({name})"
    return "an unknown process"


def _hex(address: str) -> str:
    return "".join(f"{int(part):02X}" for part in reversed(address.split(".")))


def _holds(entry: Path, inodes: set[str]) -> bool:
    try:
        return any(str((entry / "fd" / fd.name).readlink()) in inodes for fd in (entry / "fd").iterdir())
    except OSError:
        return False
