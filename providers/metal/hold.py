"""One mutation per machine: a lock between our threads and a file lock between processes, by BMC and by serial."""

import fcntl
import hashlib
import os
import re
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from providers.kit import Cancel, Deadline
from providers.metal import errors

WAIT_S = 120.0
_locks: dict[str, threading.Lock] = defaultdict(threading.Lock)
_guard = threading.Lock()


def folder() -> Path:
    """`$RAILYARD_RUNTIME_DIR`, else a folder of this user alone, the same for all checkouts on this host."""
    chosen = os.environ.get("RAILYARD_RUNTIME_DIR")
    path = Path(chosen) if chosen else Path(tempfile.gettempdir()) / f"railyard-machines-{os.getuid()}"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


@contextmanager
def hold(serial: str, where: str, cancel: Cancel, deadline: Deadline) -> Iterator[None]:
    """Holds a machine. Raises METAL-017 if somebody else keeps it, Cancelled."""
    limit = deadline.shorter(WAIT_S)
    with _guard:
        lock = _locks[serial]
    while not lock.acquire(timeout=0.5):
        cancel.check(where)
        if limit.passed():
            raise errors.held(where, "another resource of this run", limit.limit_s)
    try:
        with _file_lock(serial, where, cancel, limit):
            yield
    finally:
        lock.release()


@contextmanager
def _file_lock(serial: str, where: str, cancel: Cancel, limit: Deadline) -> Iterator[None]:
    name = re.sub(r"[^A-Za-z0-9._-]", "_", serial)[:80]
    path = folder() / f"{name}-{hashlib.sha256(serial.encode()).hexdigest()[:8]}.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if limit.passed():
                    holder = os.pread(descriptor, 40, 0).decode("ascii", "replace").strip()
                    raise errors.held(where, holder or "another process", limit.limit_s) from None
                cancel.wait(0.3, where)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
