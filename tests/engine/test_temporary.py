"""The folder for temporary files of a run of the engine: its own, and gone with it, whatever ends it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine import temporary
from engine.errors import EngineError
from tests.engine.yard import ROOT

pytestmark = pytest.mark.requirement("X4", "U6")

FAKE = """#!/bin/sh
echo secret > "$TMPDIR/kubeconfig123"
mkdir -p "$TMPDIR/more" && echo "$TMPDIR"
[ "$1" = wait ] && exec sleep 60
exit 3
"""
"""Leaves what pulumi-kubernetes leaves."""


@pytest.fixture
def run(tmp_path: Path):
    """Starts one of a workspace's ways to run pulumi, over a program that isn't it."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "tmp").mkdir()
    pulumi = tmp_path / "bin" / "pulumi"
    pulumi.write_text(FAKE)
    pulumi.chmod(0o755)

    def start(how: str) -> subprocess.Popen[str]:
        program = (
            "import os, sys; from pathlib import Path; from engine.workspace import Workspace\n"
            f"place = Workspace(Path({str(tmp_path)!r}), dict(os.environ)); sys.exit({how})"
        )
        env = os.environ | {"TMPDIR": str(tmp_path / "tmp"), "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
        return subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)

    return start


def gone(folder: Path) -> bool:
    end = time.monotonic() + 10
    while list(folder.iterdir()):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.parametrize(
    ("how", "code"),
    [("place.become('up')", 3), ("place.show('preview')", 3), ("place.pulumi('stack').returncode", 3), ("1 / 0", 1)],
)
def test_nothing_is_left_after_a_run_that_fails(run, tmp_path: Path, how: str, code: int):
    began = time.monotonic()
    done = run(how)
    out, _ = done.communicate(timeout=20)
    assert done.returncode == code
    assert gone(tmp_path / "tmp")
    assert time.monotonic() - began < 15, "who reads its output is not kept waiting"
    if how.startswith(("place.become", "place.show")):
        assert Path(out.strip()).parent == tmp_path / "tmp"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_after_a_run_that_is_killed(run, tmp_path: Path, how: signal.Signals):
    running = run("place.become('wait')")
    folder = Path(running.stdout.readline().strip())
    assert folder.stat().st_mode & 0o777 == 0o700
    assert len(folder.name) <= 20, "sockets in it have 107 characters"
    assert (folder / "kubeconfig123").is_file(), "kept as long as it runs"
    running.send_signal(how)
    assert running.wait(10) == -how
    assert gone(tmp_path / "tmp")


def test_no_room_is_said_before_pulumi_starts(monkeypatch):
    def full(**_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(temporary.tempfile, "mkdtemp", full)
    with pytest.raises(EngineError, match="ENGINE-015 TMPDIR") as caught:
        temporary.private_tmp()
    assert "No space left on device" in str(caught.value)


def test_commands_of_one_workspace_share_it_and_other_programs_know_nothing_of_it(tmp_path: Path, run):
    running = run("(place.show('up'), place.show('up'), print(place.environment['TMPDIR']))[2]")
    first, second, others = running.communicate(timeout=20)[0].split()
    assert first == second
    assert others == str(tmp_path / "tmp")
    assert gone(tmp_path / "tmp")
