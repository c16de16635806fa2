"""How long the failure matrix takes: every single failure of a site of 2,048 nodes, with a power path above its racks.

python -m bench failures
python bench/failures_bench.py      # CPU seconds and number of failures by nodes, exponent of growth

The path is two UPS systems of as many modules as the hall needs, a panel for each two rows and a busway for each row on both
feeds. Planning is not counted: the matrix is asked of a plan.
"""

import gc
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.plan_bench import bench_config, growth_exponent
from bench.rows import Row
from railyard.model.config import SiteConfig
from railyard.model.cooling import Cooling
from railyard.model.failures import FailureMatrix
from railyard.model.power import PowerSection
from railyard.plan import plan
from railyard.plan.failures.matrix import fresh_matrix

SIZES = (512, 1024, 2048, 4096)
REPEATS = 5
LIMIT_S = 2.0


def hall_config(nodes: int) -> SiteConfig:
    """The bench site of so many nodes with power path and cooling stated."""
    config = bench_config(nodes)
    paths = [
        path
        for feed in ("a", "b")
        for path in (
            {"name": f"ups-{feed}", "kind": "ups", "feed": feed, "ratedKva": 16.0 * nodes, "efficiency": 0.96},
            {"name": f"panel-{feed}", "kind": "panel", "from": f"ups-{feed}", "breakerA": 3000, "rowsEach": 1},
            {"name": f"bus-{feed}", "kind": "busway", "from": f"panel-{feed}", "breakerA": 3000, "rowsEach": 1},
        )
    ]
    power = PowerSection.model_validate({"supply": {"volts": 415, "voltageReference": "line-line"}, "paths": paths})
    units = {"name": "fanwall", "kind": "fan-wall", "rowsEach": 2, "units": 12, "capacityKw": 300, "airflowM3S": 25}
    cooling = Cooling.model_validate({"inletC": 22, "deltaK": 14, "altitudeM": 100, "airUnits": [units]})
    return replace(config, file=config.file.model_copy(update={"power": power, "cooling": cooling}))


def timed(nodes: int, repeats: int = REPEATS) -> tuple[float, FailureMatrix]:
    """Best CPU seconds of the matrix, and the matrix."""
    made = plan(hall_config(nodes))
    best, matrix = float("inf"), None
    for _ in range(repeats):
        gc.collect()  # what runs before have left is not this run's time
        start = time.process_time()
        matrix = fresh_matrix(made)
        best = min(best, time.process_time() - start)
    assert matrix is not None
    return best, matrix


def failure_rows() -> list[Row]:
    """2,048 nodes under 2 s, the number of failures, and growth."""
    found = {nodes: timed(nodes) for nodes in SIZES}
    seconds = {nodes: row[0] for nodes, row in found.items()}
    matrix = found[2048][1]
    kinds = ", ".join(f"{row.events:,} {row.kind}" for row in matrix.by_kind)
    sizes = ", ".join(f"{nodes:,}: {value:.3f} s" for nodes, value in seconds.items())
    return [
        Row("failure matrix, 2,048 nodes: CPU", seconds[2048], "s", limit=LIMIT_S, note=f"{len(matrix.events)} that differ"),
        Row("failure matrix, 2,048 nodes: failures", float(matrix.count), "", note=kinds),
        Row("failure matrix: growth exponent", growth_exponent(seconds), "", limit=1.1, note=sizes),
    ]


def main() -> None:
    """Print the figures."""
    found = {nodes: timed(nodes) for nodes in SIZES}
    for nodes, (seconds, matrix) in found.items():
        print(f"{nodes:>6} nodes: {seconds:.3f} s, {matrix.count:,} failures, {len(matrix.events)} that differ")
    print(f"growth: n^{growth_exponent({nodes: row[0] for nodes, row in found.items()}):.2f}")


if __name__ == "__main__":
    main()
