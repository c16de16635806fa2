"""`railyard check-yang`: a config_db.json against a user's own copy of SONiC's YANG models, by libyang's yanglint."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Annotated, Any, NoReturn, cast

import typer

from railyard.cli.console import FOUND, block, guarded, say, stop
from railyard.read.yang import Statement, TableModel, YangError, parse_yang, tables_of, to_xml

Models = Annotated[
    Path, typer.Option(help="Folder with the *.yang files: sonic-buildimage src/sonic-yang-models of the switches' release.")
]
File = Annotated[Path, typer.Argument(help="A config_db.json, e.g. out/roce/switches/sonic/<switch>/config_db.json.")]
TIMEOUT_S = 120


@guarded
def check_yang(file: File, models: Models) -> None:
    """Validate a config_db.json against SONiC's YANG models, which we don't ship. Needs yanglint (Debian: libyang-tools).

    Exit code: 0 valid; 1 the models refuse it, or a table has no place in them; 2 something is missing or can't be read.
    """
    tool = shutil.which("yanglint")
    if tool is None:
        fix = "apt-get install libyang-tools, or use the JSON schema that railyard's tests use"
        _stop("yanglint", "not installed", "yanglint of libyang 2", fix)
    tables, known = _tables(file), _models(models)
    xml, strange = to_xml(tables, known)
    complaints = [*strange, *_yanglint(tool, models, sorted({known[name].module for name in tables if name in known}), xml)]
    for line in complaints:
        say(line)
    if complaints:
        say(f"{file}: refused, {len(complaints)} complaints")
        raise typer.Exit(FOUND)
    say(f"{file}: valid, {len(tables)} tables against {models}")


def _tables(file: Path) -> dict[str, Any]:
    try:
        value: object = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        _stop(str(file), f"no JSON ({error})", "a config_db.json", "render it with `railyard plan`")
    tables = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if not tables or not all(isinstance(rows, dict) for rows in tables.values()):
        _stop(str(file), "not tables of rows", "a config_db.json", "render it with `railyard plan`")
    return tables


def _models(folder: Path) -> dict[str, TableModel]:
    modules: list[Statement] = []
    bad: list[str] = []
    for path in sorted(folder.glob("*.yang")):
        try:
            modules.append(parse_yang(path.read_bytes().decode("utf-8")))
        except (YangError, UnicodeDecodeError) as error:
            bad.append(f"{path.name}: {error}")
    found = tables_of(modules)
    if bad or not found:
        text = "; ".join(bad) or f"no table in {len(modules)} modules"
        _stop(
            str(folder), text, "SONiC's YANG modules, templates rendered", "give src/sonic-yang-models/yang-models of a release"
        )
    return found


def _yanglint(tool: str, models: Path, modules: list[str], xml: str) -> list[str]:
    """What yanglint says, one complaint a line; nothing where it is content."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "config_db.xml"
        data.write_text(xml, encoding="utf-8")
        argv = [tool, "-p", str(models), "-t", "config", *(str(models / f"{name}.yang") for name in modules), str(data)]
        try:
            done = subprocess.run(argv, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            _stop("yanglint", f"no end within {TIMEOUT_S} s", "an answer", "try it with fewer tables")
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith(("libyang err", "YANGLINT[E]"))]
    return lines or ([f"yanglint ended with {done.returncode}"] if done.returncode else [])


def _stop(where: str, found: str, limit: str, fix: str) -> NoReturn:
    stop(block(where, found, limit, fix, "CLI-007"))
