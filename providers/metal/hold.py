"""One mutation per machine on this host: a lock between our threads and a file lock between processes, by BMC and by serial.

It keeps runs of one user on one host apart. Two hosts (or two users) are kept apart by the provisioning service, which lets one
attempt begin per installation (`wiping`).
"""

import fcntl
import hashlib
import os
import re
import stat
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from providers.kit import Cancel, Deadline, ProviderError
from providers.kit.errors import problem
from providers.metal import errors

WAIT_S = 120.0
FOLDER = "/tmp/railyard-machines-{uid}"  # noqa: S108  (owner-checked; not TMPDIR, which differs from shell to shell)
_locks: dict[str, threading.Lock] = defaultdict(threading.Lock)
_guard = threading.Lock()


def folder() -> Path:
    """`$RAILYARD_RUNTIME_DIR`, else a fixed folder of this user, the same for all checkouts on this host. Raises METAL-039."""
    path = Path(os.environ.get("RAILYARD_RUNTIME_DIR") or FOLDER.format(uid=os.getuid()))
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.lstat()
    except OSError as error:
        raise _unusable(path, error.strerror or "can't be made") from None
    if not stat.S_ISDIR(found.st_mode):
        raise _unusable(path, "not a folder")
    if found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise _unusable(path, f"of user {found.st_uid}, mode {stat.S_IMODE(found.st_mode):o}")
    return path


@contextmanager
def hold(keys: Sequence[str], where: str, cancel: Cancel, deadline: Deadline) -> Iterator[None]:
    """Holds a machine by its keys (BMC address, serial). Raises METAL-017 if somebody else keeps it, METAL-039, Cancelled."""
    limit = deadline.shorter(WAIT_S)
    with ExitStack() as held:
        for key in sorted(set(keys)):  # the same order everywhere, else two could wait for each other
            held.enter_context(_thread_lock(key, where, cancel, limit))
            held.enter_context(_file_lock(key, where, cancel, limit))
        yield


@contextmanager
def _thread_lock(key: str, where: str, cancel: Cancel, limit: Deadline) -> Iterator[None]:
    with _guard:
        lock = _locks[key]
    while not lock.acquire(timeout=0.5):
        cancel.check(where)
        if limit.passed():
            raise errors.held(where, "another resource of this run", limit.limit_s)
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _file_lock(key: str, where: str, cancel: Cancel, limit: Deadline) -> Iterator[None]:
    name = re.sub(r"[^A-Za-z0-9._-]", "_", key)[:80]
    path = folder() / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:8]}.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
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


def _unusable(path: Path, found: str) -> ProviderError:
    fix = "remove it, or set RAILYARD_RUNTIME_DIR to a folder of your own: the locks of the machines lie in it"
    limit = "a folder of this user that nobody else can write"
    return ProviderError(problem("METAL-039", str(path), found, limit, fix))
