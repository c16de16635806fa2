"""`railyard docs`: the reference pages and schemas that are made from code, and whether the committed ones are fresh."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from railyard.cli.console import FOUND, block, err, guarded, printable, project_root, say, stop
from railyard.cli.design import Root
from railyard.load.schema import config_markdown, schema_text
from railyard.render.coverage import coverage_markdown, proofs, requirements
from railyard.render.outputs import outputs_markdown, outputs_schema
from railyard.rules.docs import rules_markdown

REQUIREMENTS = "docs/reference/requirements.csv"


@guarded
def docs(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 and name the files that are stale.")] = False,
    root: Root = None,
) -> None:
    """Write docs/reference/{config,outputs,rules,coverage}.md and the JSON schemas."""
    base = project_root(root)
    pages = _pages(base)
    stale = [name for name, content in pages.items() if _read(base / name) != content]
    if check:
        for name in stale:
            err().print(printable(f"stale: {name} (run `railyard docs`)"))
        raise typer.Exit(FOUND if stale else 0)
    for name in stale:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(pages[name], encoding="utf-8")
        say(f"written: {name}")
    if not stale:
        say("all fresh")


def _pages(base: Path) -> dict[str, str]:
    """Path in the checkout -> content, of everything generated."""
    return {
        "docs/reference/config.md": config_markdown(),
        "docs/reference/coverage.md": _coverage(base),
        "docs/reference/outputs.md": outputs_markdown(),
        "docs/reference/outputs.schema.json": outputs_schema(),
        "docs/reference/rules.md": rules_markdown(),
        "stacks/schema.json": schema_text(),
    }


def _coverage(base: Path) -> str:
    tests = sorted((base / "tests").rglob("*.py"))
    try:
        found = [
            proof for test in tests for proof in proofs(test.relative_to(base).as_posix(), test.read_text(encoding="utf-8"))
        ]
        return coverage_markdown(requirements((base / REQUIREMENTS).read_text(encoding="utf-8")), found)
    except SyntaxError as error:
        stop(block(f"{error.filename}:{error.lineno}", error.msg, "a test file that Python reads", "correct it", "CLI-004"))
    except ValueError as error:
        stop(block(REQUIREMENTS, str(error), "ids of that list, each once", "correct the mark or the list", "CLI-004"))


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None
