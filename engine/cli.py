"""The command line of the engine's room.

Exit codes: 0 done, 1 doctor found something missing, 2 an error (one ENGINE-… block); those of pulumi are passed on.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.errors import EXIT_ENGINE_ERROR, EngineError, UnreadableError
from engine.paths import ROOT, envrc
from engine.recipes import BY_NAME

STACK_COMMANDS = {
    "stack-up": "make the stack so: its lab if it has one, clears what a killed run left, then pulumi up --continue-on-error",
    "stack-preview": "pulumi preview without checkpoints; creates the stack where there is none",
    "stack-policy": "preview under all policy packs, then analyse the deployed state",
    "stack-file": "print the stack file that these use: the committed one, or that of a lab at other addresses",
}


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m engine", description="Build, install and examine the tools around the program."
    )
    commands = top.add_subparsers(dest="command", required=True)
    for name, text in (("build", "build what the cache lacks"), ("install", "build, then put it in place for this checkout")):
        command = commands.add_parser(name, help=text)
        command.add_argument("names", nargs="*", metavar="NAME", help=f"all, or some of {', '.join(BY_NAME)}")
    doctor = commands.add_parser("doctor", help="what was found, what is missing, what to do")
    doctor.add_argument("--json", action="store_true", help="a list of rows instead of a table")
    unlock = commands.add_parser("unlock", help="say who holds a stack's lock; remove it if that process is gone")
    unlock.add_argument("stack")
    unlock.add_argument("--force", action="store_true", help="remove it whoever holds it")
    _add_project(unlock)
    for name, text in STACK_COMMANDS.items():
        command = commands.add_parser(name, help=text)
        command.add_argument("stack")
        command.add_argument("extra", nargs="*", help="further arguments for pulumi, after --")
        _add_project(command)
    return top


def _add_project(command: argparse.ArgumentParser) -> None:
    command.add_argument("--project", type=Path, default=ROOT, help="folder with Pulumi.yaml (default: this checkout)")


def run(arguments: argparse.Namespace) -> int:
    # Imported in each command: it starts without what the others need.
    if arguments.command in ("build", "install"):
        return _provide(arguments.command, arguments.names)
    if arguments.command == "doctor":
        from engine.doctor import as_json, as_text, examine

        rows = examine()
        print(as_json(rows) if arguments.json else as_text(rows))
        return int(any(row.status == "missing" for row in rows))
    if arguments.command == "unlock":
        return _unlock(arguments.stack, arguments.project, force=arguments.force)
    from engine import stack

    actions = {"stack-up": stack.up, "stack-preview": stack.preview, "stack-policy": stack.policy}
    workspace = stack.Workspace.at(arguments.project.resolve())
    if arguments.command == "stack-file":
        from engine.emulated import chosen_stack_file

        print(chosen_stack_file(workspace, arguments.stack))
        return 0
    return actions[arguments.command](workspace, arguments.stack, arguments.extra)


def _provide(command: str, names: list[str]) -> int:
    from engine.build import build_all
    from engine.install import install

    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        known = ", ".join(BY_NAME)
        raise EngineError("ENGINE-005", f"python -m engine {command}", ", ".join(unknown), f"one of {known}", "spell it so")
    recipes = tuple(recipe for recipe in BY_NAME.values() if not names or recipe.name in names)
    if command == "build":
        build_all(recipes)
    else:
        install(recipes)
    return 0


def _unlock(stack: str, project: Path, *, force: bool) -> int:
    from engine.locks import backend_folder, unlock
    from engine.preflight import require_stack_file
    from engine.workspace import Workspace

    backend = backend_folder(envrc().get("PULUMI_BACKEND_URL", ""))
    workspace = Workspace.at(project.resolve())
    said = unlock(backend, stack, workspace.project, force=force)
    if not said and not (backend / ".pulumi" / "stacks" / workspace.project / f"{stack}.json").is_file():
        require_stack_file(workspace, stack)  # a name that is only misspelt is not locked, either
    print("\n".join(said) or f"stack {stack} is not locked")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    try:
        return run(parser().parse_args(argv))
    except (EngineError, UnreadableError) as error:
        print(error, file=sys.stderr)
        return EXIT_ENGINE_ERROR
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output (head, less) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
