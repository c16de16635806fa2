"""A lab of many machines in a temporary folder, and a program that registers their metal and nothing else."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.generate import Yard, as_yaml
from bench.project import BenchError
from engine.paths import ROOT

STORAGE = 2
INSTALL_S = 2.0
"""The self test is left out: a raw client that doesn't pause between its steps would insert the medium in the middle of it."""

PROGRAM = '''\
"""Machines, installations and gates of a site: what `components.metal` registers, without the rest of the program."""

import json
import os
from pathlib import Path

import pulumi

from components.metal import build_metal
from railyard import load, plan

config = load.from_engine(Path("/"), pulumi.get_stack(), json.loads(os.environ["PULUMI_CONFIG"]))
planned = plan.plan(config)
build_metal(planned.site.site, config.file, planned.machines, pulumi.ResourceOptions())
'''


@dataclass(frozen=True)
class Lab:
    """A running lab instance."""

    dir: Path

    @property
    def config_file(self) -> Path:
        """The stack file with this instance's addresses and paths."""
        return self.dir / "Pulumi.lab.yaml"

    def requests(self) -> list[dict[str, Any]]:
        """Requests to BMCs, by the emulator's own log."""
        return json_lines(self.dir / "logs" / "bmc.jsonl")

    def installs(self) -> Counter[str]:
        """How often each serial finished an installation, by the machines' own log."""
        return Counter(one["serial"] for one in json_lines(self.dir / "logs" / "installs.jsonl") if one["event"] == "finished")

    def require(self, machines: int) -> None:
        """Raises BenchError unless every machine was installed exactly once."""
        found = self.installs()
        if len(found) != machines or set(found.values()) != {1}:
            raise BenchError(f"{len(found)} of {machines} machines were installed, {sum(found.values())} installations")


def json_lines(path: Path) -> list[dict[str, Any]]:
    """A .jsonl file's records."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_site(folder: Path, machines: int) -> None:
    """`folder`/inventory.yaml and stack.yaml: the lab's stack file with other counts."""
    nodes = machines - STORAGE
    units = -(-nodes // 32)
    text = (ROOT / "stacks" / "Pulumi.lab.yaml").read_text(encoding="utf-8")
    for old, new in {
        "nodes: 4 #": f"nodes: {nodes} #",
        "scalableUnits: 1 #": f"scalableUnits: {units} #",
        "oob: 127.77.1.0/24": "oob: 127.77.2.0/23",
        "deadlineS: 120": "deadlineS: 600",
    }.items():
        if old not in text:
            raise BenchError(f"stacks/Pulumi.lab.yaml has no `{old}`: adapt bench/yard.py")
        text = text.replace(old, new)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stack.yaml").write_text(text, encoding="utf-8")
    yard = Yard("lab", nodes, 32, STORAGE, "127.77.2.1", "127.77.4.1", 8443)
    (folder / "inventory.yaml").write_text(as_yaml(yard), encoding="utf-8")


@contextmanager
def lab(site: Path, folder: Path) -> Iterator[Lab]:
    """A fresh instance in `folder` of the site that `write_site` wrote, without a control plane; stopped at the end."""
    run_lab(
        "up", "--dir", str(folder), "--site", str(site / "inventory.yaml"), "--stack", "lab",
        "--stack-file", str(site / "stack.yaml"), "--no-control-plane", "--install-s", str(INSTALL_S), "--post-s", "0",
    )  # fmt: skip
    try:
        yield Lab(folder)
    finally:
        run_lab("down", "--dir", str(folder))


def run_lab(*arguments: str) -> None:
    """One command of the lab. Raises BenchError."""
    done = subprocess.run(
        [sys.executable, "-m", "lab", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    if done.returncode:
        raise BenchError(f"lab {arguments[0]}: {done.stdout}{done.stderr}")
