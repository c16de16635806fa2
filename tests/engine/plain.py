"""A stack without a lab: a copy of a committed stack file, edited at will, and the real engine over it."""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.engine.yard import ROOT, Yard

PACKS = [word for pack in ("power", "fabric", "hardening") for word in ("--policy-pack", str(ROOT / "policies" / pack))]


def plain_yard(folder: Path, stack: str) -> Yard:
    """A yard with a state folder, the stack, and its stack file; nothing runs."""
    yard = Yard(folder, stack)
    (folder / "state").mkdir(parents=True)
    yard.instance.mkdir(parents=True)
    shutil.copy(ROOT / "stacks" / f"Pulumi.{stack}.yaml", yard.stack_file)
    yard.init()
    return yard


def edit(yard: Yard, sections: Mapping[str, Mapping[str, Any]]) -> None:
    """Change keys of `railyard:<section>`; a value that is a mapping is merged into what stands there."""
    with yard.editing(yard.stack_file) as document:
        for section, keys in sections.items():
            here = document["config"][f"railyard:{section}"]
            for key, value in keys.items():
                if isinstance(value, Mapping) and isinstance(here.get(key), Mapping):
                    here[key].update(value)
                else:
                    here[key] = value


def said(done: subprocess.CompletedProcess[str]) -> str:
    return done.stdout + done.stderr


def registered(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Types of the resources, the stack itself apart, that a run got to see (from its log lines)."""
    lines = re.findall(r"^ [ +~-]{1,2} +(\S+:\S+:\S+) ", done.stdout, re.MULTILINE)
    return [line for line in lines if line != "pulumi:pulumi:Stack"]


def steps(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """The steps of a `preview --json`."""
    return json.loads(done.stdout)["steps"]


def blocks(text: str) -> dict[str, list[str]]:
    """Errors by id: each with its lines `found`, `limit`, `fix`."""
    found: dict[str, list[str]] = {}
    for match in re.finditer(
        r"^ *(?:warning: |error: )?([A-Z0-9]+-[0-9.]+) (\S.*(?:\n +(?:found|limit|fix|see): .*)*)", text, re.M
    ):
        found.setdefault(match[1], []).append(match[2])
    return found
