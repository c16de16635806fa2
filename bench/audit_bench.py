"""How long an audit takes: CPU seconds of reading and judging one ibnetdiscover file of the bench site, faults included.

python bench/audit_bench.py [--json]        # seconds, memory, and faults found of faults seeded
"""

import gc
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.plan_bench import bench_config
from bench.rows import Row, peak_mib
from railyard.audit import Design, audit, design_of
from railyard.plan import plan
from railyard.read import read_fabric
from tests.built_fabric import Built
from tests.fabric_faults import Fault, Seeder, expected, told

NODES = 2048
"""Eight rails: 16,384 endpoints, three tiers, 49,152 links."""
FAULTS = 100
LIMIT_S = 5.0
LIMIT_MIB = 1024.0


class AuditRun(NamedTuple):
    """`found` and `invented` are counts of faults; `peak_mib` is this process's, planning and making the file included."""

    seconds: float
    read_s: float
    audit_s: float
    design_s: float
    peak_mib: float
    text_mb: float
    seeded: int
    found: int
    invented: int


def damaged(nodes: int, faults: int, seed: int = 1) -> tuple[Design, bytes, list[Fault]]:
    """The bench site's design, what ibnetdiscover would print of it with faults, and the faults."""
    config = bench_config(nodes)
    design = design_of(plan(config), config.catalog)
    built = Built(design)
    built.remove([index for index, link in enumerate(design.links) if link.network != "training"])
    seeded = Seeder(built, seed).seed(faults)
    return design, built.ibnetdiscover(radix=2000).encode(), seeded


def audit_run(nodes: int = NODES, faults: int = FAULTS) -> AuditRun:
    """One run, from bytes to findings."""
    config = bench_config(nodes)
    made = plan(config)
    start = time.process_time()
    design_of(made, config.catalog)
    design_s = time.process_time() - start
    design, text, seeded = damaged(nodes, faults)
    gc.collect()
    start = time.process_time()
    files = read_fabric([("ibnetdiscover.txt", text)])
    read_s = time.process_time() - start
    result = audit(design, files)
    seconds = time.process_time() - start
    wanted, got = expected(seeded), told(result)
    return AuditRun(
        seconds, read_s, seconds - read_s, design_s, peak_mib(), len(text) / 1e6, len(wanted),
        sum(fault in got for fault in wanted), sum(fault not in wanted for fault in got),
    )  # fmt: skip


def audit_rows() -> list[Row]:
    """Rows of the bench, from a process of its own: the peak of memory is a whole process's."""
    done = subprocess.run([sys.executable, __file__, "--json"], check=True, capture_output=True, text=True, timeout=600)
    run = AuditRun(**json.loads(done.stdout))
    name = f"audit of {NODES * 8:,} endpoints"
    return [
        Row(
            f"{name}: CPU",
            run.seconds,
            "s",
            limit=LIMIT_S,
            note=f"{run.text_mb:.1f} MB, read in {run.read_s:.2f} s",
        ),
        Row(f"{name}: peak memory", run.peak_mib, "MiB", limit=LIMIT_MIB, note="planning included"),
        Row(f"{name}: seeded faults not found", run.seeded - run.found, "", limit=0, note=f"of {run.seeded}"),
        Row(f"{name}: faults invented", run.invented, "", limit=0),
    ]


def main() -> int:
    """Print the figures; 1 where a limit is missed."""
    run = audit_run()
    if "--json" in sys.argv[1:]:
        print(json.dumps(run._asdict()))
        return 0
    print(f"audit of {NODES * 8:,} endpoints, {run.text_mb:.1f} MB: {run.seconds:.2f} s of CPU (read {run.read_s:.2f} s)")
    print(f"design from the plan: {run.design_s:.2f} s; peak memory {run.peak_mib:.0f} MiB, planning included")
    print(f"faults: {run.found} of {run.seeded} found, {run.invented} invented")
    kept = run.seconds < LIMIT_S and run.peak_mib < LIMIT_MIB and run.found == run.seeded and not run.invented
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
