"""How long the things take that people wait for: the unit tier, a second `up` of the lab, a warm `make up`."""

import subprocess
import tempfile
import time
from pathlib import Path

from bench.project import BenchError, Project
from bench.rows import Row
from bench.yard import run_lab
from engine.paths import ROOT, envrc

UNIT_TIER = ("tests/unit", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")
UNIT_LIMIT_S, WARM_LIMIT_S = 60.0, 90.0
QUIET = "Resources:"


def unit_rows() -> list[Row]:
    """The cheapest tier, as `make test` runs it."""
    seconds, text = _timed("pytest", "-q", *UNIT_TIER)
    return [Row("unit tier", seconds, "s", limit=UNIT_LIMIT_S, note=text.strip().splitlines()[-1].strip("= "))]


def second_up_rows() -> list[Row]:
    """`up` of a lab of our own, and again: nothing may change, and the engine enforces that it doesn't."""
    with tempfile.TemporaryDirectory(prefix="railyard-bench-") as name:
        folder = Path(name)
        lab_dir = folder / "lab"
        run_lab("up", "--dir", str(lab_dir), "--site", "lab")
        try:
            config = lab_dir / "Pulumi.lab.yaml"
            project = Project(ROOT, "lab", folder / "state", config).init()
            first = project.up()
            second = project.up("--expect-no-changes")
        finally:
            run_lab("down", "--dir", str(lab_dir))
    return [Row("second up of lab, no changes", second.wall_s, "s", first.wall_s, note="baseline: the first up")]


def warm_up_rows() -> list[Row]:
    """`make up` twice in this checkout, its own lab and state: the second is warm."""
    first, _ = _timed("make", "up")
    seconds, text = _timed("make", "up")
    changes = text.rpartition(QUIET)[2].splitlines()[1:3]
    note = f"baseline: the one before; {' '.join(' '.join(changes).split())}"
    return [Row("warm make up", seconds, "s", first, limit=WARM_LIMIT_S, note=note)]


def _timed(*command: str) -> tuple[float, str]:
    began = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=envrc(), capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-25:])
        raise BenchError(f"{' '.join(command)} ended with {done.returncode}:\n{last}")
    return time.perf_counter() - began, done.stdout
