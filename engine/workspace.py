"""A Pulumi project's folder with the environment of its commands: `.envrc`'s, in one value."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from engine.errors import EngineError
from engine.paths import ROOT, envrc
from engine.temporary import private_tmp


@dataclass(frozen=True)
class Workspace:
    """A Pulumi project's folder and the environment that its commands run in; those of `pulumi` have a TMPDIR of their own."""

    root: Path
    environment: dict[str, str]

    @classmethod
    def at(cls, root: Path = ROOT) -> Workspace:
        return cls(root, envrc())

    @property
    def project(self) -> str:
        return str(read_yaml(self.root / "Pulumi.yaml").get("name", ""))

    def stack_file(self, stack: str) -> Path:
        folder = read_yaml(self.root / "Pulumi.yaml").get("stackConfigDir") or "."
        return self.root / folder / f"Pulumi.{stack.rpartition('/')[2]}.yaml"

    def stack_config(self, stack: str) -> dict[str, Any]:
        return read_yaml(self.stack_file(stack))

    def pulumi(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one command to its end with its output kept."""
        return subprocess.run(
            [self._program(), *arguments, "--non-interactive"],
            cwd=self.root,
            env=self._for_pulumi(),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def show(self, *arguments: str) -> int:
        """Run one command on the user's terminal; its exit code."""
        command = [self._program(), *arguments, "--non-interactive"]
        return subprocess.run(command, cwd=self.root, env=self._for_pulumi(), check=False).returncode

    def become(self, *arguments: str) -> NoReturn:
        """Replace this process, so that signals and the exit code are the engine's own."""
        os.chdir(self.root)
        os.execve(self._program(), ["pulumi", *arguments, "--non-interactive"], self._for_pulumi())  # noqa: S606

    @cached_property
    def _tmp(self) -> str:
        return private_tmp()

    def _for_pulumi(self) -> dict[str, str]:
        return {**self.environment, "TMPDIR": self._tmp}

    def _program(self) -> str:
        found = shutil.which("pulumi", path=self.environment.get("PATH"))
        if not found:
            raise EngineError("ENGINE-005", "pulumi", "not on PATH", "the pulumi CLI", "run `make setup`")
        return found


def read_yaml(path: Path) -> dict[str, Any]:
    """A YAML file's mapping; empty where there is none (whether its content is right is not for this room to say).

    Raises EngineError (ENGINE-014) where it is no YAML.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        loaded = YAML(typ="safe", pure=True).load(path)
    except FileNotFoundError:
        return {}
    # Beside its own errors: values that contradict their tag (`2026-13-45`, `!!bool x`), and depth.
    except (YAMLError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        mark = error.problem_mark if isinstance(error, MarkedYAMLError) else None
        place = f"{path} (line {mark.line + 1})" if mark else str(path)
        found = (mark and error.problem) or str(error).splitlines()[0]
        raise EngineError("ENGINE-014", place, found, "YAML that can be read", "correct that place") from None
    return loaded if isinstance(loaded, dict) else {}
