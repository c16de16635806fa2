"""The commands behind `make up`, `make preview` and `make policy`: they prepare a stack, then become `pulumi`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.build import say
from engine.emulated import config_arguments, start_lab
from engine.errors import EngineError
from engine.locks import backend_folder, unlock
from engine.official import installed_plugin
from engine.preflight import preflight, refuse_example_passphrase
from engine.recipes import KUBERNETES_PLUGIN_VERSION
from engine.workspace import Workspace

PACKS = ("policies/power", "policies/fabric", "policies/hardening")


def require_tools(workspace: Workspace) -> None:
    """Say before a long run what its middle would stumble over."""
    home = Path(workspace.environment["PULUMI_HOME"])
    if not installed_plugin(home, KUBERNETES_PLUGIN_VERSION):
        raise EngineError(
            "ENGINE-006",
            f"plugins of {home}",
            "no kubernetes plugin",
            f"resource-kubernetes-v{KUBERNETES_PLUGIN_VERSION}/pulumi-resource-kubernetes",
            "run `make setup`",
        )
    passphrase = workspace.environment.get("PULUMI_CONFIG_PASSPHRASE_FILE", "")
    if "PULUMI_CONFIG_PASSPHRASE" not in workspace.environment and not Path(passphrase).is_file():
        raise EngineError(
            "ENGINE-007",
            "PULUMI_CONFIG_PASSPHRASE_FILE",
            f"{passphrase or 'not set'}: no such file",
            "a file with the passphrase of the stack's secrets",
            "set it to your file, or PULUMI_CONFIG_PASSPHRASE, before `. ./.envrc`",
        )


def ensure_stack(workspace: Workspace, stack: str) -> dict[str, Any]:
    """The stack's exported state; creates an empty stack where there is none (a committed stack file isn't changed)."""
    exported = workspace.pulumi("stack", "export", "--stack", stack)
    if exported.returncode == 0:
        return dict(json.loads(exported.stdout))
    if "no stack named" not in exported.stderr:
        raise pulumi_failed(f"pulumi stack export --stack {stack}", exported.stderr)
    created = workspace.pulumi("stack", "init", stack, "--no-select")
    if created.returncode:
        raise pulumi_failed(f"pulumi stack init {stack}", created.stderr)
    say(f"created stack {stack}")
    return {}


def pulumi_failed(command: str, stderr: str) -> EngineError:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    found = "; ".join(lines[-3:]) or "no output"
    fix = "set the passphrase with which the stack was made" if "passphrase" in found else "run `railyard doctor`"
    return EngineError("ENGINE-010", command, found, "exit code 0", fix)


def deployment(state: dict[str, Any]) -> dict[str, Any]:
    return dict(state.get("deployment") or {})


def clear_dead_locks(workspace: Workspace, stack: str) -> None:
    url = workspace.environment.get("PULUMI_BACKEND_URL", "")
    if url.startswith("file://"):
        for line in unlock(backend_folder(url), stack, workspace.project):
            say(line)


def up(workspace: Workspace, stack: str, extra: Sequence[str] = ()) -> int:
    """Bring `stack` up: its lab if its site is emulated, free of what a killed run left behind, then `pulumi up`.

    Returns an exit code where it ends before `pulumi up`, which replaces this process. Raises EngineError.
    """
    require_tools(workspace)
    preflight(workspace, stack)
    refuse_example_passphrase(workspace, stack)
    state = ensure_stack(workspace, stack)
    code = start_lab(workspace, stack)
    if code:
        return code
    config = config_arguments(workspace, stack)
    clear_dead_locks(workspace, stack)
    pending = deployment(state).get("pending_operations") or []
    if pending:
        say(f"a killed run left {len(pending)} operations open: pulumi refresh --clear-pending-creates")
        code = workspace.show("refresh", "--clear-pending-creates", "--yes", "--skip-preview", "--stack", stack, *config)
        if code:
            return code
    return workspace.become("up", "--yes", "--continue-on-error", "--stack", stack, *config, *extra)


def preview(workspace: Workspace, stack: str, extra: Sequence[str] = ()) -> int:
    """Preview `stack` without writing its state at every step (nothing can be lost). Needs no lab, no hardware, no peer."""
    require_tools(workspace)
    preflight(workspace, stack)
    ensure_stack(workspace, stack)
    workspace.environment["PULUMI_SKIP_CHECKPOINTS"] = "true"
    return workspace.become("preview", "--stack", stack, *config_arguments(workspace, stack), *extra)


def policy(workspace: Workspace, stack: str, extra: Sequence[str] = ()) -> int:
    """Preview `stack` under every pack, then judge what is deployed. 0 only if both pass; "no deployed state" is no pass."""
    require_tools(workspace)
    preflight(workspace, stack)
    packs = [word for pack in PACKS for word in ("--policy-pack", pack)]
    state = ensure_stack(workspace, stack)
    workspace.environment["PULUMI_SKIP_CHECKPOINTS"] = "true"
    code = workspace.show("preview", "--stack", stack, *config_arguments(workspace, stack), *packs, *extra)
    if not deployment(state).get("resources"):
        say(f"no deployed state of {stack}: nothing analysed")
        return code
    say(f"the deployed state of {stack}:")
    return workspace.show("policy", "analyze", "--stack", stack, *packs) or code
