"""Commands that only start another room's program: the command line may not import what lies outside the design."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated

import typer

from railyard.cli.console import guarded, project_root
from railyard.cli.design import Root


@guarded
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="A list of rows instead of a table.")] = False,
    root: Root = None,
) -> None:
    """Say what was found, what is missing, and what to do. Exit code 1 where something is missing."""
    _engine(root, "doctor", *(["--json"] if as_json else []))


@guarded
def unlock(
    stack: Annotated[str, typer.Argument(help="Name of a stack.", metavar="STACK")],
    force: Annotated[bool, typer.Option("--force", help="Remove the lock whoever holds it.")] = False,
    root: Root = None,
) -> None:
    """Say who holds a stack's lock, and remove it if that process is gone."""
    _engine(root, "unlock", *(["--force"] if force else []), "--", stack)


def _engine(root: Root, *arguments: str) -> None:
    """Run the engine's program in the checkout, on our stdin, stdout and stderr; its exit code is ours."""
    done = subprocess.run([sys.executable, "-m", "engine", *arguments], cwd=project_root(root), check=False)
    raise typer.Exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)
