"""Recognises an official Pulumi installation: where there is one, nothing of the engine is built."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.golang import version_key

OLDEST = "3.270.0"
PLUGIN_TIMEOUT_S = 20


@dataclass(frozen=True)
class Official:
    """A `pulumi` that somebody else installed, with its Python language host."""

    pulumi: Path
    version: str


def pulumi_version(pulumi: Path) -> str:
    """The number that `pulumi version` prints, such as "3.274.1"; empty when it doesn't run."""
    environment = os.environ | {"PULUMI_SKIP_UPDATE_CHECK": "true"}
    try:
        answer = subprocess.run(
            [str(pulumi), "version"], capture_output=True, text=True, timeout=20, check=False, env=environment
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = re.search(r"\bv?(\d+\.\d+\.\d+)", answer.stdout)
    return match[1] if match else ""


def find_official(path: str, ours: Path, cache: Path) -> Official | None:
    """The first `pulumi` on `path` that isn't ours, if it is recent enough and brings the Python language host."""
    folders = [Path(folder) for folder in path.split(os.pathsep) if folder]
    for folder in folders:
        pulumi = folder / "pulumi"
        if folder.resolve() == ours.resolve() or not os.access(pulumi, os.X_OK) or pulumi.is_dir():
            continue
        if pulumi.resolve().is_relative_to(cache.resolve()):
            continue
        version = pulumi_version(pulumi)
        theirs = [pulumi.resolve().parent, *(other for other in folders if other.resolve() != ours.resolve())]
        has_host = any(os.access(other / "pulumi-language-python", os.X_OK) for other in theirs)
        if version_key(version) >= version_key(OLDEST) and has_host:
            return Official(pulumi, version)
    return None


def plugin_folder(home: Path, version: str) -> Path:
    return home / "plugins" / f"resource-kubernetes-v{version}"


def installed_plugin(home: Path, version: str) -> Path | None:
    """The kubernetes plugin's executable in a PULUMI_HOME, if it is there."""
    plugin = plugin_folder(home, version) / "pulumi-resource-kubernetes"
    return plugin if os.access(plugin, os.X_OK) and plugin.is_file() else None


def official_home(environment: Mapping[str, str]) -> Path:
    """Where an official CLI keeps its plugins when nobody says otherwise."""
    return Path(environment.get("HOME") or Path.home()) / ".pulumi"


def download_plugin(official: Official, home: Path, version: str, timeout_s: float = PLUGIN_TIMEOUT_S) -> Path | None:
    """Let the official CLI fetch the plugin into `home`; None where the network doesn't give it in time."""
    command = [str(official.pulumi), "plugin", "install", "resource", "kubernetes", f"v{version}"]
    environment = os.environ | {"PULUMI_HOME": str(home), "PULUMI_SKIP_UPDATE_CHECK": "true"}
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=timeout_s, env=environment, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return None
    return installed_plugin(home, version)
