"""What is looked at before `make up`, `preview` and `policy` start anything: a wrong file or passphrase ends them at once."""

from __future__ import annotations

import re
import subprocess
import sys

from engine.errors import EngineError, UnreadableError
from engine.examples import own_passphrase, reasons
from engine.passphrase import given, published, require_passphrase
from engine.workspace import Workspace

# What would let a hostile name move the cursor or recolour the terminal.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def preflight(workspace: Workspace, stack: str) -> None:
    """Raises EngineError or UnreadableError where a run could only stumble later."""
    require_stack_file(workspace, stack)
    require_readable(workspace, stack)
    require_passphrase(workspace, stack)


def require_stack_file(workspace: Workspace, stack: str) -> None:
    """Raises EngineError (ENGINE-009) where there is no stack file of that name."""
    file = workspace.stack_file(stack)
    if stack and file.is_file():
        return
    known = sorted(path.name.split(".")[1] for path in file.parent.glob("Pulumi.?*.yaml"))
    raise EngineError(
        "ENGINE-009",
        f"stack {stack or '(no name)'}",
        f"no {file}" if stack else "an empty name",
        f"one of {', '.join(known) or 'none yet'}",
        f"railyard init {stack or 'NAME'} --from starter",
    )


def require_readable(workspace: Workspace, stack: str) -> None:
    """Let the project's own loader read the stack's files, without planning (that room is started, not imported)."""
    if not (workspace.root / "railyard" / "load").is_dir():
        return
    command = [sys.executable, "-m", "railyard.load", stack, str(workspace.stack_file(stack))]
    done = subprocess.run(
        command, cwd=workspace.root, env=workspace.environment, capture_output=True, text=True, errors="replace", check=False
    )
    said = _CONTROL.sub("�", done.stderr).strip()
    if done.returncode == 2:
        raise UnreadableError(said)
    if done.returncode:
        found = said.splitlines()[-1] if said else f"exit code {done.returncode}"
        raise EngineError("ENGINE-014", f"python -m railyard.load {stack}", found, "exit code 0", "run `make setup`")


def refuse_example_passphrase(workspace: Workspace, stack: str) -> None:
    """SEC-001, before a stack is made that could never be deployed: the program would refuse its `up`, too."""
    example = published(workspace.root)
    if example is None or (given(workspace.environment).value or "").strip() != example:
        return
    why = list(reasons(workspace.root, workspace.stack_file(stack).read_text(encoding="utf-8", errors="replace")))
    if why:
        raise EngineError(
            "SEC-001",
            f"stack {stack}",
            f"the published example passphrase would guard {' and '.join(why)}",
            "a passphrase of your own (`make preview` goes without)",
            own_passphrase(stack),
        )
