"""`railyard audit`: what was built against what was designed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from railyard import load, read
from railyard import plan as planning
from railyard.audit import Design, PatternError, audit, design_from, design_of, to_json
from railyard.cli.console import FOUND, block, guarded, printable, project_root, say, stop
from railyard.cli.design import ConfigFile, Root
from railyard.load.audit_design import read_audit_design
from railyard.model.errors import Problem, ProblemsError
from railyard.render.audit import audit_csv, audit_html, audit_text

A = TypeVar("A")
B = TypeVar("B")
MAX_FILES = 20_000
Inputs = Annotated[
    list[str],
    typer.Argument(
        help="STACK (a stack's name; not with --design), then files or folders of files; - is standard input.",
        metavar="[STACK] FILES...",
    ),
]
DesignFile = Annotated[
    Path | None, typer.Option("--design", help="Design file of a site that railyard didn't plan.", show_default=False)
]
Units = Annotated[list[int] | None, typer.Option("--unit", help="Only this unit; may be repeated.", show_default=False)]
Target = Annotated[Path | None, typer.Option("--out", help="File to write instead of stdout.", show_default=False)]
Speeds = Annotated[bool, typer.Option(help="Judge link speeds. Simulators don't know new ones.")]


class Format(StrEnum):
    """How the result is written."""

    text = "text"
    json = "json"
    html = "html"
    csv = "csv"


@guarded
def audit_command(
    inputs: Inputs,
    design: DesignFile = None,
    unit: Units = None,
    out_format: Annotated[Format, typer.Option("--format", help="How to write the result.")] = Format.text,
    out: Target = None,
    speeds: Speeds = True,
    config_file: ConfigFile = None,
    root: Root = None,
) -> None:
    """Compare what is cabled with the plan of STACK, or with a design file.

    Reads ibnetdiscover (one per plane), iblinkinfo, LLDP JSON (one per switch), .topo, p2p sheets, PTM dot, NetBox cable CSV
    and the returned cables.csv, also packed with gzip. Exit code: 0 as designed; 1 findings; 2 the input can't be read.
    """
    names = inputs if design else inputs[1:]
    if not names:
        fix = "railyard audit STACK FILES…, or railyard audit --design FILE FILES…"
        stop(block("railyard audit", "no file to audit", "at least one file", fix, "CLI-008"))
    # All problems at once: those of the design and those of the files.
    wanted, seen = _all_of(lambda: _designed(inputs, design, config_file, root), lambda: read.read_fabric(_files(names)))
    result = audit(wanted, seen, units=tuple(unit or ()), speeds=speeds)
    renderers: dict[Format, Callable[[], bytes]] = {
        Format.text: lambda: audit_text(result).encode() + b"\n",
        Format.json: lambda: to_json(result),
        Format.html: lambda: audit_html(result).encode(),
        Format.csv: lambda: audit_csv(result).encode(),
    }
    content = renderers[out_format]()
    if out is not None:
        out.write_bytes(content)
        say(f"written: {out} ({len(result.findings)} findings)")
    else:
        # JSON, HTML and CSV are for other programs: not through the console, which could wrap or colour them.
        text = content.decode()
        sys.stdout.write(printable(text) if out_format is Format.text else text)
    if result.findings:
        raise typer.Exit(FOUND)


def _designed(inputs: list[str], design: Path | None, config_file: Path | None, root: Path | None) -> Design:
    if design is None:
        base = project_root(root)
        config = load.site_config(base, inputs[0], config_file=config_file.resolve() if config_file else None)
        return design_of(planning.plan(config), config.catalog, config.inventory)
    try:
        return design_from(read_audit_design(design))
    except PatternError as error:
        fix = "correct the pattern under `names` or `otherHosts`"
        return stop(block(str(design), str(error), "a name pattern", fix, "CLI-009"))


def _all_of(first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
    """Both results; problems of both in one error."""
    problems: list[Problem] = []
    one: A | None = None
    other: B | None = None
    try:
        one = first()
    except ProblemsError as error:
        problems += error.problems
    try:
        other = second()
    except ProblemsError as error:
        problems += error.problems
    if problems or one is None or other is None:
        raise read.ReadError(problems)
    return one, other


def _files(names: list[str]) -> list[tuple[str, bytes]]:
    """Each file with its bytes; the files of a folder in order, hidden ones left out."""
    paths: list[Path | None] = []
    for name in names:
        path = Path(name)
        if name == "-":
            paths.append(None)
        elif path.is_dir():
            paths += sorted(inner for inner in path.rglob("*") if inner.is_file() and not inner.name.startswith("."))
        else:
            paths.append(path)
    if len(paths) > MAX_FILES:
        stop(block(", ".join(names[:3]), f"{len(paths)} files", f"at most {MAX_FILES}", "give a folder with the site's files"))
    return [("stdin", sys.stdin.buffer.read()) if path is None else (str(path), path.read_bytes()) for path in paths]
