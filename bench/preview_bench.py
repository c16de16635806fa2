"""Preview of the bench stack against a bare program that registers the same and does nothing else.

Both sides run in turn with the same settings (state folder on disk, PULUMI_PARALLEL of .envrc, no checkpoints).
Wall-clock seconds, the median of some runs; import, planning and rules are in ours.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.generate import write_bench
from bench.project import Cost, Project, median, require_pulumi, write_project
from bench.rows import Row
from engine.paths import ROOT

NODES = 2048
RUNS = 3
LIMIT = 1.25
STACK = "prod-site-a"
"""The bench stack file is this one with other counts, so its salt fits and `stack init` leaves the committed file alone."""


def bench_stack(folder: Path, nodes: int) -> Path:
    """Writes the bench site below `folder`; its stack file, with the inventory named by its absolute path."""
    write_bench(folder, nodes)
    path = folder / "stacks" / "Pulumi.bench.yaml"
    text = path.read_text(encoding="utf-8").replace(
        "sites/bench/inventory.json", str(folder / "sites" / "bench" / "inventory.json")
    )
    path.write_text(text, encoding="utf-8")
    return path


def prepare(folder: Path, nodes: int) -> tuple[Project, Project, int]:
    """(ours, bare, number of resources): two projects with an empty stack each."""
    stack_file = bench_stack(folder, nodes)
    record = folder / "record.json"
    subprocess.run([sys.executable, "-m", "bench.record", str(stack_file), STACK, str(record)], cwd=ROOT, check=True)
    text = record.read_text(encoding="utf-8")
    program = (ROOT / "bench" / "bare_program.py").read_text(encoding="utf-8")
    bare = write_project(folder / "bare", program, record_json=text)
    projects = (
        Project(ROOT, STACK, folder / "state-ours", stack_file).init(),
        Project(bare, STACK, folder / "state-bare", stack_file).init(),
    )
    return *projects, len(json.loads(text))


def interleaved(ours: Project, bare: Project, runs: int) -> tuple[list[Cost], list[Cost]]:
    """Costs of both sides, in turn, so that a busy minute hits both."""
    mine, theirs = [], []
    for _ in range(runs):
        theirs.append(bare.preview())
        mine.append(ours.preview())
    return mine, theirs


def preview_rows(nodes: int = NODES, runs: int = RUNS, *, slow: bool = False) -> list[Row]:
    """The rows; with `slow` also one preview with checkpoints, which is quadratic."""
    require_pulumi()
    with tempfile.TemporaryDirectory(prefix="railyard-bench-") as name:
        ours, bare, count = prepare(Path(name), nodes)
        mine, theirs = interleaved(ours, bare, runs)
        title, note = f"preview of {nodes:,} nodes", f"{count:,} resources, median of {runs}; baseline: bare program"
        rows = [
            Row(
                title,
                median([c.wall_s for c in mine]),
                "s",
                median([c.wall_s for c in theirs]),
                LIMIT,
                of_ratio=True,
                note=note,
            ),
            Row(f"{title}: CPU", median([c.cpu_s for c in mine]), "s", median([c.cpu_s for c in theirs])),
            Row(
                f"{title}: resources per node", count / nodes, "", limit=3.0, note="all of a site's, its switches and gates too"
            ),
        ]
        if slow:
            plain = ours.preview(checkpoints=True)
            rows.append(Row(f"{title}, with checkpoints", plain.wall_s, "s", rows[0].value, note="baseline: without"))
    return rows
