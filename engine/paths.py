"""The checkout's folders and the environment that `.envrc` gives: one file for make, for people and for this package."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".pulumi-home" / "bin"
PROJECT = "railyard"


def envrc(root: Path = ROOT) -> dict[str, str]:
    """The environment of this process after `. ./.envrc` (values of the caller's own stay, see there)."""
    answer = subprocess.run(["/bin/sh", "-c", ". ./.envrc && env -0"], cwd=root, capture_output=True, text=True, check=True)
    pairs = (line.split("=", 1) for line in answer.stdout.split("\0") if "=" in line)
    return {name: value for name, value in pairs if name not in ("PWD", "OLDPWD", "_", "SHLVL")}


def pulumi_home() -> Path:
    return Path(os.environ.get("PULUMI_HOME") or ROOT / ".pulumi-home")


def venv_python(root: Path = ROOT) -> Path:
    return root / ".venv" / "bin" / "python"
