"""How long planning takes: CPU seconds of `plan.plan` alone, on the bench site of `bench/generate.py`.

python bench/plan_bench.py        # prints seconds by nodes and the exponent of growth

CPU time, not wall time: the figure holds on a machine that does other work. The best of several.
"""

import gc
import math
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.generate import write_bench
from railyard import load
from railyard.model.config import SiteConfig
from railyard.plan import plan, to_json

SIZES = (512, 1024, 2048, 4096)
"""All in three tiers, so that the exponent compares like with like."""


def bench_config(nodes: int) -> SiteConfig:
    """The bench site of so many nodes, with full inventory, read back through the loader."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_bench(root, nodes)
        return load.site_config(root, "bench")


def growth_seconds(sizes: tuple[int, ...] = SIZES, repeats: int = 5) -> dict[int, float]:
    """Best CPU seconds by nodes, the sizes in turn, so that a busy minute hits all of them."""
    configs = {nodes: bench_config(nodes) for nodes in sizes}
    rounds = [{nodes: _timed(config) for nodes, config in configs.items()} for _ in range(repeats)]
    return {nodes: min(seconds[nodes] for seconds in rounds) for nodes in sizes}


def plan_seconds(nodes: int = 2048, repeats: int = 3) -> float:
    """CPU seconds of one planning run, the best of `repeats`."""
    config = bench_config(nodes)
    return min(_timed(config) for _ in range(repeats))


def _timed(config: SiteConfig) -> float:
    gc.collect()  # what runs before have left is not this run's time
    start = time.process_time()
    plan(config)
    return time.process_time() - start


def json_seconds(nodes: int = 2048) -> float:
    """CPU seconds of writing the plan as JSON."""
    made = plan(bench_config(nodes))
    start = time.process_time()
    to_json(made)
    return time.process_time() - start


def growth_exponent(seconds: dict[int, float]) -> float:
    """Slope of log(seconds) over log(nodes) by least squares: 1 is linear."""
    xs, ys = [math.log(nodes) for nodes in seconds], [math.log(value) for value in seconds.values()]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


def main() -> None:
    """Print the figures."""
    seconds = growth_seconds()
    for nodes, value in seconds.items():
        print(f"{nodes:>6} nodes: {value:.3f} s")
    print(f"growth: n^{growth_exponent(seconds):.2f}; JSON of 2,048 nodes: {json_seconds():.3f} s")


if __name__ == "__main__":
    main()
