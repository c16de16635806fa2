"""`railyard plan`, `railyard report` and `railyard rules`: the design without Pulumi."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from railyard import load, render, rules
from railyard import plan as planning
from railyard.audit.design_plan import port_tables
from railyard.cli.console import FOUND, block, guarded, out, project_root, say, show, stop
from railyard.cli.filled import kept_values
from railyard.cli.manifest import MANIFEST, write_files
from railyard.model.failures import FailureMatrix
from railyard.model.plan import SiteTotals
from railyard.plan import Plan
from railyard.plan.failures import failure_matrix
from railyard.plan.growth import Work, work_order
from railyard.plan.loss import loss_budgets
from railyard.plan.native import in_native_names
from railyard.read.cable_schedule import PortName
from railyard.render.cooling_text import cooling_text
from railyard.render.fabric_facts import fabric_text
from railyard.render.failure_text import worst_text
from railyard.render.floor_text import floor_text
from railyard.render.hosts.network import HEAD
from railyard.render.networks import networks_text
from railyard.render.power_text import power_text
from railyard.render.work_order import work_order_csv, work_order_text
from railyard.rules import Finding

Stack = Annotated[str, typer.Argument(help="Name of a stack: stacks/Pulumi.<STACK>.yaml.", metavar="STACK")]
Root = Annotated[
    Path | None, typer.Option(help="The railyard checkout. Default: the one that you stand in.", show_default=False)
]
Out = Annotated[
    Path | None, typer.Option("--out", help="Folder to write to. Default: out/<STACK> in the checkout.", show_default=False)
]
Against = Annotated[Path | None, typer.Option(help="An earlier plan.json: show what changes.", show_default=False)]
ConfigFile = Annotated[
    Path | None, typer.Option(help="Stack file to read instead, e.g. .lab/lab/Pulumi.lab.yaml.", show_default=False)
]

Filled = Annotated[
    Path | None,
    typer.Option(help="A filled cables.csv: its serials and results go into the new one. Default: the one in the folder.",
                 show_default=False),
]  # fmt: skip

RuleId = Annotated[str | None, typer.Argument(help="Id of a rule, e.g. POWER-001.", metavar="[ID]", show_default=False)]

WORK_ORDER = "work-order.csv"
# Written by us on the first line of each picture: only such files are ever removed from an output folder.
_OURS = b'class="drawing rack'
_ERROR_ID = re.compile(r"[A-Z]+-\d{3}", re.IGNORECASE)
_UNIT_TABLE = re.compile(r"su\d{3,}\.json")


@dataclass(frozen=True)
class Designed:
    """A stack planned and judged, and where its files go."""

    plan: Plan
    findings: list[Finding]
    folder: Path
    matrix: FailureMatrix
    port: PortName


@dataclass(frozen=True)
class _Earlier:
    """A plan that was written before: its bytes and its totals by their outside names."""

    json: bytes
    totals: dict[str, object]


@guarded
def plan(
    stack: Stack,
    out_folder: Out = None,
    against: Against = None,
    config_file: ConfigFile = None,
    filled: Filled = None,
    root: Root = None,
) -> None:
    """Plan a stack: write plan, report, cable schedule and findings, and say what it means. Needs no Pulumi.

    With --against also the re-cabling work order (work-order.csv): every cable that goes, moves and comes, in order.

    Exit code: 0; 1 if the plan is physically impossible, or no part of the catalogue fits some cables (FABRIC-020) and nobody
    has waived that; 2 if the input can't be read.
    """
    # Read before anything is written: it may be the very file that is about to be replaced.
    old = _earlier(against) if against else None
    designed = _design(stack, out_folder, config_file, root)
    new = planning.to_json(designed.plan) if old else b""
    order = work_order(old.json, new) if old else []
    written = _write(designed, filled, order)
    # One of an earlier comparison would be taken for this one's.
    (designed.folder / WORK_ORDER).unlink(missing_ok=True)
    say(render.consequences(designed.plan.site, old.totals if old else None))
    say(fabric_text(designed.plan.fabric))
    say(networks_text(designed.plan.networks))
    say(floor_text(designed.plan.floor))
    say(power_text(designed.plan))
    say(cooling_text(designed.plan.cooling))
    say(worst_text(designed.matrix))
    if old:
        say(render.cable_moves(planning.moves(old.json, new), cables_too=False))
        (designed.folder / WORK_ORDER).write_text(work_order_csv(order), encoding="utf-8")
        say(work_order_text(order))
    _tell(designed, written)


@guarded
def report(stack: Stack, out_folder: Out = None, config_file: ConfigFile = None, root: Root = None) -> None:
    """Write the report of a stack, with the files that it links to, and print its path."""
    designed = _design(stack, out_folder, config_file, root)
    _write(designed)
    say(str(designed.folder / "report.html"))


@guarded
def rule(rule_id: RuleId = None) -> None:
    """List all rules, or explain one."""
    if rule_id is None:
        width = max(map(len, rules.RULES), default=0)
        for name, entry in sorted(rules.RULES.items()):
            say(f"{name:<{width}}  {entry.severity:<9}  {entry.title}")
        return
    entry = rules.RULES.get(rule_id.upper())
    if entry is None:
        stop(
            block(
                f"rule {rule_id}",
                "no such rule",
                "an id that `railyard rules` lists",
                f"look it up with `railyard rules`; ids of errors: docs/reference/errors.md#{rule_id.lower()}"
                if _ERROR_ID.fullmatch(rule_id)
                else "look it up with `railyard rules`",
                "CLI-003",
            )
        )
    say(render.rule_text(entry))


def _design(stack: str, out_folder: Path | None, config_file: Path | None, root: Path | None) -> Designed:
    base = project_root(root)
    config = load.site_config(base, stack, config_file=config_file.resolve() if config_file else None)
    made = planning.plan(config)
    # Waivers lapse by date; the date is the caller's, so that rules stay pure.
    findings = rules.check(config, made, datetime.now(UTC).date())
    tables = port_tables(made, config.catalog)

    def port(device: str, name: str) -> str:
        return tables[device].aliases.get(name, name) if device in tables else name

    return Designed(made, findings, out_folder or base / "out" / stack, failure_matrix(made), port)


def _write(designed: Designed, filled: Path | None = None, order: Sequence[Work] = ()) -> list[str]:
    """Writes all files of a plan; the files and folders that now lie in its folder."""
    cables = in_native_names(designed.plan).cables
    budgets_db = loss_budgets(cables, designed.plan.cabling)
    kept = kept_values(designed.folder, filled, cables, designed.port, budgets_db)
    files = render.artefacts(designed.plan, designed.findings, kept, order, designed.matrix)
    write_files(designed.folder, files)
    # Of releases that wrote no manifest.
    _drop_stale(designed.folder / "racks", files)
    _drop_left_nodes(designed.folder / "hosts", files)
    return sorted({name.partition("/")[0] + ("/" if "/" in name else "") for name in (*files, MANIFEST)})


def _drop_left_nodes(folder: Path, files: Mapping[str, bytes]) -> None:
    """Files of nodes and units that the plan no longer has would give their addresses to somebody else's node."""
    for path in sorted(folder.rglob("*")):
        name = f"hosts/{path.relative_to(folder).as_posix()}"
        if path.is_file() and name not in files and _is_node_file(path):
            path.unlink()
    for left in sorted(folder.glob("*/")):
        if left.is_dir() and not any(left.iterdir()):
            left.rmdir()


def _is_node_file(path: Path) -> bool:
    """Whether we wrote it: by its first lines, and a unit's table by its name."""
    return HEAD.encode() in path.read_bytes()[:400] or _UNIT_TABLE.fullmatch(path.name) is not None


def _drop_stale(folder: Path, files: Mapping[str, bytes]) -> None:
    """Elevations of racks that the plan no longer has would be taken for real."""
    for picture in sorted(folder.glob("*.svg")):
        if f"racks/{picture.name}" not in files and _OURS in picture.read_bytes()[:400]:
            picture.unlink()


def _tell(designed: Designed, written: Sequence[str]) -> None:
    show(rules.grouped(designed.findings))
    out().print(f"written: {designed.folder} ({', '.join(written)})")
    if any(finding.severity == "invariant" or rules.lacks_part(finding) for finding in designed.findings):
        raise typer.Exit(FOUND)


def _earlier(file: Path) -> _Earlier:
    """An earlier plan. Exit 2 where the file isn't one."""
    content = file.read_bytes()
    try:
        planning.moves(content, content)
        return _Earlier(content, SiteTotals.model_validate(json.loads(content)["site"]).props())
    except (ValueError, KeyError, TypeError):
        stop(
            block(str(file), "not a plan of this version", "a plan.json that `railyard plan` wrote", "plan the old state again")
        )
