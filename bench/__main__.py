"""The numbers that railyard promises, measured.

python -m bench [NAME ...] [--list] [--slow] [--out bench.json]

Prints a table and writes bench.json; both sides of a ratio come from the same run. Run it on an idle machine.
Exit code: 0 every limit kept, 1 a limit missed or an item not measured (both are named), 2 wrong arguments.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.project import BenchError
from bench.rows import Row, missed, table, write
from engine.paths import ROOT


@dataclass(frozen=True)
class Item:
    """One thing to measure. `slow` ones run only by name or with --slow."""

    text: str
    run: Callable[[bool], list[Row]]
    slow: bool = False


def plan_items(_: bool) -> list[Row]:
    """Planning of 2,048 nodes. The exponent is over sites of one design: three tiers of the same switches."""
    from bench.fabric_bench import middle_rows
    from bench.plan_bench import SIZES, growth_exponent, growth_seconds

    seconds = growth_seconds(SIZES)
    sizes = ", ".join(f"{nodes}: {value:.3f} s" for nodes, value in seconds.items())
    note = f"three tiers, {SIZES[0]} to {SIZES[-1]} nodes ({sizes})"
    return [*middle_rows(), Row("planning: growth exponent", growth_exponent(seconds), "", limit=1.1, note=note)]


def large_plan_items(_: bool) -> list[Row]:
    """Planning of 16,384 nodes, and growth up to there."""
    from bench.fabric_bench import large_rows

    return large_rows()


def link_items(_: bool) -> list[Row]:
    """Links per second beside netlab and NetworkX."""
    from bench.links_bench import netlab_rows, networkx_rows

    return [*netlab_rows(), *networkx_rows()]


def preview_items(slow: bool) -> list[Row]:
    """Preview against the bare program."""
    from bench.preview_bench import preview_rows

    return preview_rows(slow=slow)


def lab_items(_: bool) -> list[Row]:
    """The emulator's start."""
    from bench.lab_bench import BMCS, run

    limits = {f"lab: {BMCS} BMCs up": 1.0}
    return [Row(one["name"], one["value"], one["unit"], one["baseline"], limits.get(one["name"])) for one in run()]


def up_items(_: bool) -> list[Row]:
    """`up` of 256 machines."""
    from bench.up_bench import up_rows

    return up_rows()


def infiniband_items(slow: bool) -> list[Row]:
    """Maximum flow; the real subnet manager on fabrics that are too large for the tests."""
    from bench.infiniband_bench import SHAPES, flow_rows, proof_rows

    return flow_rows() + ([row for endpoints in SHAPES for row in proof_rows(endpoints)] if slow else [])


def audit_items(_: bool) -> list[Row]:
    """The as-built audit."""
    from bench.audit_bench import audit_rows

    return audit_rows()


def hall_items(_: bool) -> list[Row]:
    """Placement, power, cooling and floor."""
    from bench.hall_bench import hall_rows

    return hall_rows()


def failure_items(_: bool) -> list[Row]:
    """The failure matrix."""
    from bench.failures_bench import failure_rows

    return failure_rows()


def suite_item(name: str) -> Callable[[bool], list[Row]]:
    """One of `suite_bench`."""

    def run(_: bool) -> list[Row]:
        from bench import suite_bench

        rows: list[Row] = getattr(suite_bench, name)()
        return rows

    return run


ITEMS = {
    "plan-2048": Item("planning 2,048 nodes under 1 s of CPU, growth at most n^1.1", plan_items),
    "plan-16384": Item("planning 16,384 nodes under 10 s and 1 GiB, growth from 256 nodes at most n^1.1", large_plan_items),
    "links": Item("links per second: 512 beside netlab, 49,152 beside NetworkX", link_items),
    "preview-2048": Item(
        "preview of 2,048 nodes within 1.25x of a bare program (--slow: with checkpoints, too)", preview_items
    ),
    "bmcs-256": Item("256 emulated BMCs up in under 1 s", lab_items),
    "up-256": Item("up of 256 machines within 1.3x of null provider + raw client, both checkpoint modes", up_items),
    "audit-16384": Item("audit of 16,384 endpoints with 100 faults under 5 s and 1 GiB, all found, none invented", audit_items),
    "hall": Item("placement, power, cooling and floor: 2,048 nodes under 0.5 s, 16,384 under 4 s, at most n^1.1", hall_items),
    "failures": Item("every single failure of 2,048 nodes under 2 s, growth at most n^1.1", failure_items),
    "unit": Item("the unit tier under 60 s", suite_item("unit_rows")),
    "second-up": Item("a second up of the lab: no changes", suite_item("second_up_rows")),
    "infiniband": Item("maximum flow by scipy and NetworkX (--slow: OpenSM on 8,192 and 16,384 endpoints)", infiniband_items),
    "warm-up": Item("warm `make up` under 90 s, in this checkout's own lab", suite_item("warm_up_rows"), slow=True),
}


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to measure (default: everything that is not slow)")
    parser.add_argument("--list", action="store_true", help="the names, and what each promises")
    parser.add_argument("--slow", action="store_true", help="also what takes minutes or touches this checkout's own lab")
    parser.add_argument("--out", type=Path, default=ROOT / "bench.json", help="where the JSON goes (default: bench.json)")
    options = parser.parse_args(argv)
    unknown = [name for name in options.names if name not in ITEMS]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(ITEMS)}")
    return options


def measure(names: Sequence[str], *, slow: bool) -> tuple[list[Row], dict[str, str]]:
    """(rows, what could not be measured and why), one item after the other."""
    rows: list[Row] = []
    failed: dict[str, str] = {}
    for name in names:
        began = time.monotonic()
        print(f"{name}: {ITEMS[name].text} ...", file=sys.stderr, flush=True)
        try:
            rows += ITEMS[name].run(slow)
        except (BenchError, OSError, RuntimeError, subprocess.SubprocessError) as error:
            failed[name] = str(error)
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return rows, failed


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and says; the exit code."""
    options = arguments(argv)
    if options.list:
        for name, item in ITEMS.items():
            print(f"{name:<14}{item.text}{' (only by name or with --slow)' if item.slow else ''}")
        return 0
    names = options.names or [name for name, item in ITEMS.items() if options.slow or not item.slow]
    load = os.getloadavg()[0]
    rows, failed = measure(names, slow=options.slow)
    print(table(rows))
    write(rows, options.out)
    if load > 0.5:
        print(f"the machine was not idle when this began (load {load:.1f}): take these as rough")
    for row in missed(rows):
        print(f"MISSED: {row.name}", file=sys.stderr)
    for name, why in failed.items():
        print(f"NOT MEASURED: {name}: {why}", file=sys.stderr)
    return 1 if failed or missed(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
