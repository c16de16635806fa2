"""How long the fabric takes: planning of whole sites up to 16,384 nodes, links alone, and what can't be planned at all.

python -m bench plan-2048 plan-16384
python bench/fabric_bench.py      # CPU seconds and peak memory by nodes, exponent of growth, time to plan.json

Sites of 256 and 2,048 nodes have 64-port switches (three tiers from 257 nodes on), 16,384 nodes need 128 ports: 64-node units,
393,216 cables in the training fabric. CPU time, each size in a process of its own, so that memory is its own.
"""

import gc
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.generate import Yard, machines, write_bench
from bench.plan_bench import growth_exponent
from bench.project import BenchError
from bench.rows import Row, peak_mib
from railyard import load
from railyard.model.config import SiteConfig
from railyard.plan import Plan, json_parts, plan, to_json
from railyard.plan.calculator import Ask, SizeError, calculate
from railyard.plan.shape import size_fabric
from railyard.plan.wiring import design_links

SIZES = (256, 2048, 16_384)
REPEATS = 5
"""Planning runs of one size, of which the best counts: other work on the machine only ever adds. Two of the largest."""
LARGE = 8_192
"""More nodes than three tiers of 64-port switches hold."""


def fabric_config(nodes: int) -> SiteConfig:
    """The bench site of so many nodes; beyond 8,192 with 128-port switches and units of 64."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_bench(root, nodes)
        if nodes > LARGE:
            _widen(root, nodes)
        return load.site_config(root, "bench")


def _widen(root: Path, nodes: int) -> None:
    """128 ports of 200 Gb/s, 64 nodes to a unit, address blocks for all of it."""
    stack = root / "stacks" / "Pulumi.bench.yaml"
    text = stack.read_text(encoding="utf-8")
    for old, new in {
        "linkGbps: 400": "linkGbps: 200",
        "nodesPerUnit: 32": "nodesPerUnit: 64",
        f"scalableUnits: {-(-nodes // 32)}": f"scalableUnits: {-(-nodes // 64)}",
        f"plannedScalableUnits: {-(-nodes // 32)}": f"plannedScalableUnits: {-(-nodes // 64)}",
        "rails: 10.32.0.0/11": "rails: 10.64.0.0/10",
        "oob: 10.16.0.0/18": "oob: 10.0.0.0/15",
        "inBand: 10.17.0.0/18": "inBand: 10.2.0.0/16",
        "storage: 10.18.0.0/18": "storage: 10.4.0.0/15",
        "[10.17.0.2, 10.17.0.3]": "[10.2.0.2, 10.2.0.3]",
    }.items():
        if old not in text:
            raise SystemExit(f"the bench stack has no `{old}`: adapt bench/fabric_bench.py")
        text = text.replace(old, new)
    stack.write_text(text, encoding="utf-8")
    rows = list(machines(Yard("bench", nodes, 64, 8, "10.0.0.0/15")))
    inventory = {"schemaVersion": 1, "site": "bench", "machines": rows}
    (root / "sites" / "bench" / "inventory.json").write_text(json.dumps(inventory) + "\n", encoding="utf-8")


def measure(nodes: int, repeats: int = 1) -> dict[str, Any]:
    """CPU seconds of planning (the best of `repeats`) and of plan.json, cables, and the most memory that this process had.

    Memory in turn: of planning, of plan.json written piece by piece, of plan.json as one text.
    """
    config = fabric_config(nodes)
    seconds, made = _timed(config)
    peak = _peak_mib()
    start = time.process_time()
    size = sum(map(len, json_parts(made)))
    written, peak_written = time.process_time() - start, _peak_mib()
    to_json(made)
    kinds = ("node-leaf", "leaf-spine", "spine-core")
    row = {
        "nodes": nodes,
        "jsonSeconds": round(written, 3),
        "jsonMb": round(size / 1e6, 1),
        "fabricCables": sum(cable.kind in kinds for cable in made.cables),
        "cables": len(made.cables),
        "peakMib": peak,
        "peakWrittenMib": peak_written,
        "peakWithJsonMib": _peak_mib(),
    }
    del made
    best = min(seconds, *(_timed(config)[0] for _ in range(repeats - 1))) if repeats > 1 else seconds
    return row | {"planSeconds": round(best, 3)}


def _timed(config: SiteConfig) -> tuple[float, Plan]:
    """CPU seconds of one planning run, and the plan."""
    gc.collect()  # what ran before has left is not this run's time
    start = time.process_time()
    made = plan(config)
    return time.process_time() - start, made


def _peak_mib() -> int:
    return round(peak_mib())


def measured_apart(nodes: int, repeats: int = 1) -> dict[str, Any]:
    """`measure` in a process of its own. BenchError where it fails."""
    command = [sys.executable, __file__, "--one", str(nodes), str(repeats)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        raise BenchError(f"planning {nodes:,} nodes: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def plan_rows(found: dict[str, Any], base: dict[str, Any], limit_s: float, limit_mib: float | None = None) -> list[Row]:
    """CPU and memory of planning one size, and of plan.json beside it; `base` is another size of the same run."""
    title, note = f"planning {found['nodes']:,} nodes", f"baseline: {base['nodes']:,} nodes"
    cables = f"{found['fabricCables']:,} fabric cables of {found['cables']:,}"
    text = f"{found['jsonMb']:g} MB piece by piece, baseline: planning alone; as one text {found['peakWithJsonMib']:,} MiB"
    return [
        Row(f"{title}: CPU", found["planSeconds"], "s", base["planSeconds"], limit=limit_s, note=f"{cables}; {note}"),
        Row(f"{title}: peak memory", found["peakMib"], "MiB", base["peakMib"], limit=limit_mib, note=note),
        Row(f"{title}: plan.json, CPU", found["jsonSeconds"], "s", base["jsonSeconds"], note=note),
        Row(f"{title}: plan.json, peak memory", found["peakWrittenMib"], "MiB", found["peakMib"], note=text),
    ]


def middle_rows() -> list[Row]:
    """2,048 nodes under 1 s of CPU, beside 512 nodes (also three tiers)."""
    base, found = (measured_apart(nodes, REPEATS) for nodes in (512, 2048))
    return plan_rows(found, base, 1.0)


def large_rows() -> list[Row]:
    """16,384 nodes under 10 s and 1 GiB, the exponent over `SIZES`, and that 64-port switches don't hold that many."""
    found = {nodes: measured_apart(nodes, 2 if nodes > LARGE else REPEATS) for nodes in SIZES}
    seconds = {nodes: row["planSeconds"] for nodes, row in found.items()}
    note = ", ".join(f"{nodes:,}: {value:.3f} s" for nodes, value in seconds.items())
    exponent = Row("planning: growth exponent, 256 to 16,384 nodes", growth_exponent(seconds), "", limit=1.1, note=note)
    return [*plan_rows(found[16_384], found[2048], 10.0, 1024.0), exponent, *refusal_rows()]


def refusal_rows() -> list[Row]:
    """16,384 nodes at k=64 are refused with the most that can be; BenchError where they are not."""
    start = time.process_time()
    try:
        refused()
    except AssertionError as error:
        raise BenchError(str(error)) from error
    return [Row("16,384 nodes at k=64 refused: CPU", time.process_time() - start, "s", note="names the most: 8,192 nodes")]


def links_per_second(units: int = 64) -> float:
    """Links of a full fabric of 64-port switches, in three tiers, made per CPU second."""
    shape = size_fabric(32, units, 8, 64)
    start = time.process_time()
    count = sum(1 for _ in design_links("bench", shape))
    return count / (time.process_time() - start)


def refused(nodes: int = 16_384) -> str:
    """What the calculator says to more nodes than 64-port switches hold."""
    try:
        calculate(Ask(nodes=nodes))
    except SizeError as error:
        return str(error)
    raise AssertionError(f"{nodes} nodes at k=64 were accepted")


def main() -> None:
    """Print the figures."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(*map(int, sys.argv[2:]))))
        return
    rows = [measured_apart(nodes) for nodes in SIZES]
    for row in rows:
        print(
            f"{row['nodes']:>6} nodes: plan {row['planSeconds']:.2f} s, peak {row['peakMib']:,} MiB, "
            f"{row['fabricCables']:,} fabric cables of {row['cables']:,}; plan.json {row['jsonSeconds']:.2f} s "
            f"({row['jsonMb']:g} MB, peak {row['peakWrittenMib']:,} MiB, as one text {row['peakWithJsonMib']:,} MiB)"
        )
    print(f"growth: n^{growth_exponent({row['nodes']: row['planSeconds'] for row in rows}):.2f}")
    print(f"links: {links_per_second():,.0f} per second")
    print(refused())


if __name__ == "__main__":
    main()
