"""Emulated sites: which stacks have one, bringing it up, and the stack file that fits it.

The lab is another room's program: it is started as a process, and nothing of it is imported.
"""

from __future__ import annotations

import subprocess
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from engine.errors import EngineError
from engine.paths import ROOT
from engine.workspace import Workspace


def is_loopback(host: str) -> bool:
    """Whether an address, or a name, is this machine and nothing else."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def emulated_inventory(stack_file: dict[str, Any]) -> str | None:
    """The inventory of an emulated site; None where the site is real.

    Machines call home at `install.serviceUrl`: on a loopback address only an emulated machine can reach it.
    """
    given = stack_file.get("config")
    config = {str(key).rpartition(":")[2]: value for key, value in given.items()} if isinstance(given, dict) else {}
    site, install = config.get("site"), config.get("install")
    if not isinstance(site, dict) or not isinstance(install, dict):
        return None
    try:
        host = urlsplit(str(install.get("serviceUrl", ""))).hostname or ""
    except ValueError:  # a bracket without its other half: no URL, and the loader says so
        return None
    return str(site["inventory"]) if "inventory" in site and is_loopback(host) else None


def start_lab(workspace: Workspace, stack: str) -> int:
    """Bring up the lab of a stack whose site is emulated. Its exit code; 0 where there is nothing to start."""
    inventory = emulated_inventory(workspace.stack_config(stack))
    if inventory is None:
        return 0
    command = _lab(workspace, "up", inventory, "--stack", stack, "--stack-file", str(workspace.stack_file(stack)))
    return subprocess.run(command, cwd=ROOT, env=workspace.environment, check=False).returncode


def config_arguments(workspace: Workspace, stack: str) -> list[str]:
    """For `pulumi`, to read the right stack file: nothing, or `--config-file` where the lab isn't at its committed place."""
    chosen = chosen_stack_file(workspace, stack)
    return [] if chosen == workspace.stack_file(stack) else ["--config-file", str(chosen)]


def chosen_stack_file(workspace: Workspace, stack: str) -> Path:
    """The committed stack file, or the copy of a lab that had to take other addresses. Raises EngineError (ENGINE-013)."""
    committed = workspace.stack_file(stack)
    inventory = emulated_inventory(workspace.stack_config(stack))
    if inventory is None:
        return committed
    command = _lab(workspace, "config-file", inventory)
    answer = subprocess.run(command, cwd=ROOT, env=workspace.environment, capture_output=True, text=True, check=False)
    if answer.returncode:
        found = answer.stderr.strip().replace("\n", " ") or f"exit code {answer.returncode}"
        raise EngineError("ENGINE-013", f"lab of stack {stack}", found, "the lab's stack file", "read `python -m lab status`")
    copy = Path(answer.stdout.strip()) if answer.stdout.strip() else committed
    return copy if copy.name == committed.name else committed


def _lab(workspace: Workspace, verb: str, inventory: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "lab", verb, "--site", str((workspace.root / inventory).resolve()), *arguments]
