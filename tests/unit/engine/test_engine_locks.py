"""Locks that a killed run leaves behind, and what prepares a stack."""

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest

from engine.errors import EngineError
from engine.locks import alive, backend_folder, read_locks, unlock
from engine.stack import deployment, pulumi_failed


def dead_pid() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def put_lock(backend: Path, pid: int, host: str = "", stack: str = "lab", name: str = "a") -> Path:
    path = backend / ".pulumi" / "locks" / "organization" / "railyard" / stack / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"pid": pid, "username": "ann", "hostname": host or socket.gethostname(), "timestamp": "2026-01-02T03:04:05Z"}
    path.write_text(json.dumps(content))
    path.with_name(f"{name}.json.attrs").write_text("{}")  # the backend writes one beside each file
    return path


def test_a_dead_holders_lock_goes_and_is_told(tmp_path: Path) -> None:
    pid = dead_pid()
    path = put_lock(tmp_path, pid)
    assert unlock(tmp_path, "lab") == [
        f"removed the lock of stack lab: ann@{socket.gethostname()}, pid {pid} (gone), since 2026-01-02T03:04:05Z"
    ]
    assert list(path.parent.iterdir()) == []
    assert unlock(tmp_path, "lab") == []


@pytest.mark.parametrize(
    ("pid", "host", "holder"),
    [(os.getpid(), "", "alive"), (1, "elsewhere", "on another host")],
    ids=["this host", "another host"],
)
def test_a_lock_that_may_be_held_stays(tmp_path: Path, pid: int, host: str, holder: str) -> None:
    path = put_lock(tmp_path, pid, host)
    with pytest.raises(EngineError) as caught:
        unlock(tmp_path, "lab")
    assert caught.value.id == "ENGINE-008"
    assert f"ann@{host or socket.gethostname()}, pid {pid} ({holder})" in caught.value.found
    assert path.exists()
    assert len(unlock(tmp_path, "lab", force=True)) == 1
    assert not path.exists()


def test_other_stacks_keep_their_locks(tmp_path: Path) -> None:
    other = put_lock(tmp_path, dead_pid(), stack="lab-b")
    assert unlock(tmp_path, "lab") == []
    assert other.exists()


def test_an_unreadable_lock_is_nobodys_to_remove(tmp_path: Path) -> None:
    put_lock(tmp_path, 1).write_text("{")
    assert [lock.holder for lock in read_locks(tmp_path, "lab")] == ["on another host"]


def test_a_zombie_is_not_alive() -> None:
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not alive(process.pid)
    process.wait()


def test_only_file_backends_have_locks_that_we_read() -> None:
    assert backend_folder("file:///a/b") == Path("/a/b")
    with pytest.raises(EngineError, match="pulumi cancel"):
        backend_folder("s3://bucket")


def test_what_pulumi_said_is_kept() -> None:
    error = pulumi_failed("pulumi stack init x", "warning: a\nerror: incorrect passphrase\n")
    assert "incorrect passphrase" in error.found
    assert "passphrase" in error.fix
    assert deployment({"deployment": None}) == {}
