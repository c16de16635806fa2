"""How long the hall takes: placement, power, cooling and floor of a whole site, out of one planning run.

python -m bench hall

CPU seconds of the functions of `plan()` that place devices in racks and plan the racks' power, cooling and floor: they are
wrapped where `plan()` finds them, so what is measured is what is planned. The sites are those of `plan_bench` and
`fabric_bench`: prod-site-a's stack file with its power, cooling and floor sections, grown.
"""

import gc
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.fabric_bench import fabric_config
from bench.plan_bench import SIZES, growth_exponent
from bench.project import BenchError
from bench.rows import Row
from railyard.model.config import SiteConfig

LARGE = 16_384
REPEATS = 3
STAGES = {
    "railyard.plan": (
        "lay_out",
        "place_nodes",
        "place_tops",
        "fill_racks",
        "Loads",
        "Electrics",
        "assign_racks",
        "plan_cooling",
        "plan_floor",
    ),
    "railyard.plan.electrical.electrics:Electrics": ("finish",),
}
"""What of `plan()` is the hall, by where it is looked up. None calls another one of these, so their times add up."""


def hall_rows() -> list[Row]:
    """2,048 nodes under 0.5 s, 16,384 under 4 s, growth at most n^1.1 from 512 to 4,096 nodes (one design: three tiers)."""
    found = {nodes: _apart(nodes) for nodes in (*SIZES, LARGE)}
    seconds = {nodes: found[nodes]["seconds"] for nodes in SIZES}
    sizes = ", ".join(f"{nodes}: {value:.3f} s" for nodes, value in seconds.items())
    rows = [
        Row(f"hall of {nodes:,} nodes: CPU", found[nodes]["seconds"], "s", limit=limit, note=_note(found[nodes]))
        for nodes, limit in ((2048, 0.5), (LARGE, 4.0))
    ]
    note = f"three tiers, {SIZES[0]} to {SIZES[-1]} nodes ({sizes})"
    return [*rows, Row("hall: growth exponent", growth_exponent(seconds), "", limit=1.1, note=note)]


def _note(found: dict[str, Any]) -> str:
    stages = ", ".join(f"{name} {value:.3f}" for name, value in found["stages"].items() if value >= 0.01)
    return f"{found['racks']:,} racks with {found['devices']:,} devices ({stages})"


def _apart(nodes: int) -> dict[str, Any]:
    """`measure` in a process of its own: what one size leaves in caches helps no other. BenchError where it fails."""
    command = [sys.executable, __file__, str(nodes)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        raise BenchError(f"the hall of {nodes:,} nodes: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def measure(nodes: int) -> dict[str, Any]:
    """Seconds of the hall, the best of some runs, with its stages, racks and devices."""
    config = fabric_config(nodes)
    runs = [_run(config) for _ in range(1 if nodes > max(SIZES) else REPEATS)]
    return min(runs, key=lambda run: run["seconds"])


def _run(config: SiteConfig) -> dict[str, Any]:
    plan_module = importlib.import_module("railyard.plan")
    _forget()
    gc.collect()
    with _timed() as stages:
        made = plan_module.plan(config)
    devices = sum(len(rack.devices) for rack in made.racks)
    return {"seconds": sum(stages.values()), "stages": stages, "racks": len(made.racks), "devices": devices}


def _forget() -> None:
    """Each run is a first run: what an earlier one has remembered is forgotten."""
    for name, module in list(sys.modules.items()):
        if name.startswith("railyard.plan"):
            for member in list(vars(module).values()):
                if callable(getattr(member, "cache_clear", None)):
                    member.cache_clear()


@contextmanager
def _timed() -> Iterator[dict[str, float]]:
    """CPU seconds of each stage while the block runs."""
    seconds: dict[str, float] = {}
    before: list[tuple[Any, str, Any]] = []
    for place, names in STAGES.items():
        module, _, inner = place.partition(":")
        owner = importlib.import_module(module)
        owner = getattr(owner, inner) if inner else owner
        for name in names:
            before.append((owner, name, getattr(owner, name)))
            setattr(owner, name, _clocked(name, getattr(owner, name), seconds))
    try:
        yield seconds
    finally:
        for owner, name, function in before:
            setattr(owner, name, function)


def _clocked(name: str, function: Callable[..., Any], seconds: dict[str, float]) -> Callable[..., Any]:
    def clocked(*args: Any, **kwargs: Any) -> Any:
        start = time.process_time()
        try:
            return function(*args, **kwargs)
        finally:
            seconds[name] = seconds.get(name, 0.0) + time.process_time() - start

    return clocked


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
