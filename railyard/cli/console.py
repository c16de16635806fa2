"""How the command line speaks: results to stdout, errors to stderr in blocks, no traceback for bad input."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn, ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from railyard.model.errors import ProblemsError
from railyard.rules import Finding

OK, FOUND, BAD_INPUT = 0, 1, 2

_STYLES = {"invariant": "bold red", "limit": "yellow", "notice": "blue", "undecided": "cyan", "waived": "dim"}
# What would let a hostile name move the cursor or recolour the terminal.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

P = ParamSpec("P")
R = TypeVar("R")


def out() -> Console:
    """Made per call, so that it follows a redirected stdout. Nothing that we print is markup: names may hold brackets."""
    return Console(markup=False, highlight=False, soft_wrap=True)


def err() -> Console:
    return Console(stderr=True, markup=False, highlight=False, soft_wrap=True)


def printable(text: str) -> str:
    """The text without terminal control codes."""
    return _CONTROL.sub("�", text)


def say(text: str) -> None:
    out().print(printable(text))


def stop(text: str, code: int = BAD_INPUT) -> NoReturn:
    """Print an error block and end."""
    err().print(printable(text))
    raise typer.Exit(code)


def block(where: str, found: str, limit: str, fix: str, name: str = "CLI-001") -> str:
    """An error of the command line itself, in the shape that all errors have."""
    return f"{name} {where}\n  found: {found}\n  limit: {limit}\n  fix:   {fix}"


def show(findings: Iterable[Finding]) -> None:
    """Each finding as a block, its head coloured by severity where the output is a terminal."""
    console = out()
    for finding in findings:
        head, _, rest = printable(str(finding)).partition("\n")
        console.print(Text(head, style=_STYLES.get(finding.severity, "")))
        console.print(rest)


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn bad input and an unwritable disk into a block and exit 2. Anything else is a defect and keeps its traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except ProblemsError as error:
            stop(str(error))
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise  # the reader of our output has gone: typer ends quietly
            where = str(error.filename or "a file")
            stop(
                block(
                    where,
                    error.strerror or str(error),
                    "a path that can be read and written",
                    "check path, rights and free space",
                )
            )

    return run


def project_root(given: Path | None) -> Path:
    """The checkout: what was given, else the nearest folder above that has our Pulumi.yaml."""
    start = (given or Path.cwd()).resolve()
    for folder in [start] if given else [start, *start.parents]:
        if _is_ours(folder / "Pulumi.yaml"):
            return folder
    fix = "cd into the checkout, or name it with --root"
    return stop(block(str(start), "no Pulumi.yaml of railyard", "a railyard checkout", fix, "CLI-002"))


def _is_ours(project: Path) -> bool:
    return project.is_file() and re.search(r"^name:\s*['\"]?railyard\b", project.read_text(encoding="utf-8"), re.M) is not None
