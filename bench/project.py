"""Runs the real `pulumi` in a project folder of our own, with a state folder of our own, and says what it cost."""

import os
import resource
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.paths import ROOT, envrc

TIMEOUT_S = 3600.0
"""With checkpoints a preview of 2,048 nodes is quadratic."""

PROJECT = """\
name: railyard
main: {main}
runtime: {{name: python, options: {{toolchain: pip, virtualenv: {root}/.venv}}}}
plugins:
  providers:
    - {{name: metal, path: {metal}}}
    - {{name: kube, path: {root}/providers/kube}}
"""


class BenchError(RuntimeError):
    """An item can't be measured; the text says why."""


@dataclass(frozen=True)
class Cost:
    """One command: wall-clock seconds, and CPU seconds of it and of all processes that it waited for."""

    wall_s: float
    cpu_s: float


@dataclass
class Project:
    """A folder with Pulumi.yaml, a stack and a file backend."""

    folder: Path
    stack: str
    backend: Path
    config_file: Path
    environment: dict[str, str] = field(default_factory=dict)

    def init(self) -> "Project":
        """Makes the empty stack."""
        self.backend.mkdir(parents=True, exist_ok=True)
        self.run("stack", "init", self.stack, "--no-select")
        return self

    def preview(self, *, checkpoints: bool = False) -> Cost:
        """`pulumi preview`, by default as `make preview` runs it."""
        return self._timed("preview", checkpoints=checkpoints)

    def up(self, *arguments: str, checkpoints: bool = True) -> Cost:
        """`pulumi up` without a preview before it."""
        return self._timed("up", "--yes", "--skip-preview", *arguments, checkpoints=checkpoints)

    def _timed(self, *arguments: str, checkpoints: bool) -> Cost:
        extra = {} if checkpoints else {"PULUMI_SKIP_CHECKPOINTS": "true"}
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        self.run(*arguments, "--stack", self.stack, "--config-file", str(self.config_file), extra=extra)
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def run(self, *arguments: str, extra: dict[str, str] | None = None) -> None:
        """One command to its end. Raises BenchError with the end of its output."""
        log = self.backend.parent / f"{self.folder.name}-{arguments[0]}.log"
        with log.open("wb") as output:
            done = subprocess.run(
                ["pulumi", *arguments, "--non-interactive"],
                cwd=self.folder,
                env=environment(self.backend) | self.environment | (extra or {}),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=TIMEOUT_S,
                check=False,
            )
        if done.returncode:
            last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-25:]
            raise BenchError(f"pulumi {arguments[0]} ended with {done.returncode}:\n" + "\n".join(last))


def environment(backend: Path) -> dict[str, str]:
    """What `.envrc` gives, with our own state folder and the passphrase of the example stacks."""
    found = envrc()
    found.pop("PULUMI_CONFIG_PASSPHRASE", None)
    found.pop("PULUMI_SKIP_CHECKPOINTS", None)
    own = {"PULUMI_BACKEND_URL": f"file://{backend}", "PULUMI_CONFIG_PASSPHRASE_FILE": str(ROOT / "lab" / "passphrase")}
    return found | own


def write_project(folder: Path, program: str, *, metal: Path = ROOT / "providers" / "metal", **files: Any) -> Path:
    """A project around one program text; `files` are further texts by name (`record_json` -> record.json)."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Pulumi.yaml").write_text(PROJECT.format(main=".", root=ROOT, metal=metal), encoding="utf-8")
    (folder / "__main__.py").write_text(program, encoding="utf-8")
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return folder


def median(values: Sequence[float]) -> float:
    """The middle one."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def require_pulumi() -> None:
    """Raises BenchError where `make setup` hasn't been."""
    home = Path(os.environ.get("PULUMI_HOME") or ROOT / ".pulumi-home")
    plugins = list(home.glob("plugins/resource-kubernetes-v*/pulumi-resource-kubernetes"))
    if not (ROOT / ".pulumi-home" / "bin" / "pulumi").exists() or not plugins:
        raise BenchError("no pulumi, or no kubernetes plugin: run `make setup`")
