"""Fabrics that are too large for every test run, proved the same way: 8,192 and 16,384 endpoints through real OpenSM.

python -m bench infiniband --slow     # about 1 and 4 minutes on two idle cores

Every run is `tests.proof.infiniband.fabric_run.prove`: counts, both routings, every pair walked, no cycle, shifts. Beside it
the maximum flow of 16,384 endpoints by scipy and by NetworkX, on the same cables.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.project import BenchError
from bench.rows import Row
from railyard.plan.shape import FabricShape, size_fabric
from tests.proof.infiniband.designs import design
from tests.proof.infiniband.fabric_run import ProofError, Report, prove
from tests.proof.infiniband.simulator import SimulatorError, missing_tools
from tests.proof.maxflow.bisection import Edges, edges, leaves, solve, solve_by_networkx

SHAPES: dict[int, FabricShape] = {8192: size_fabric(32, 32, 8, 64), 16384: size_fabric(32, 64, 8, 64)}
"""Three tiers of 64-port switches: 8 and 16 pods."""


def proof_rows(endpoints: int) -> list[Row]:
    """One large fabric through the whole proof: seconds of it, and of its parts. BenchError where it isn't proved."""
    missing = missing_tools()
    if missing:
        raise BenchError(f"not installed: {', '.join(missing)}")
    began = time.monotonic()
    report = proved(SHAPES[endpoints])
    name = f"OpenSM proof of {endpoints:,} endpoints"
    note = f"worst shift {report.shifts}, all rails at once {report.shifts_together} on {report.crowded} shifts"
    rows = [Row(name, time.monotonic() - began, "s", note=note)]
    return rows + [Row(f"{name}: {part}", seconds, "s") for part, seconds in report.seconds.items()]


def proved(shape: FabricShape) -> Report:
    """The report of a design's only subnet."""
    (only,) = design(shape)
    with tempfile.TemporaryDirectory() as folder:
        try:
            return prove(only, Path(folder) / "run", keys=4, patience_s=900)
        except (ProofError, SimulatorError) as error:
            raise BenchError(str(error)) from error


def flow_rows(repeats: int = 3) -> list[Row]:
    """Maximum flow between halves of whole pods, 16,384 endpoints: scipy against NetworkX (preflow-push), best of `repeats`."""
    subnet = design(SHAPES[16384])[0].subnet
    names = leaves(subnet)
    chosen = set(names[: len(names) // 2])
    problem = edges(subnet, lambda _, leaf: leaf in chosen)
    values, seconds = zip(*(_timed(solver, problem, repeats) for solver in (solve, solve_by_networkx)), strict=True)
    if values[0] != values[1]:
        raise BenchError(f"scipy finds {values[0]}, NetworkX {values[1]} Gb/s")
    note = f"{values[0] / 1000:g} Tb/s; baseline: NetworkX preflow-push"
    return [Row("max-flow of 16,384 endpoints, scipy", seconds[0], "s", seconds[1], note=note)]


def _timed(solver: Callable[[Edges], int], problem: Edges, repeats: int) -> tuple[int, float]:
    best, value = float("inf"), 0
    for _ in range(repeats):
        began = time.monotonic()
        value = solver(problem)
        best = min(best, time.monotonic() - began)
    return value, best
