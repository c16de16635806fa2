"""`up` of many emulated machines against what it can't do without: the engine with a null provider, plus the raw requests.

Both checkpoint modes. The requests are those of the emulator's own log; every machine must have been installed exactly once.
"""

import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bench.project import BenchError, Cost, Project, write_project
from bench.raw_client import Target, replay, steps_of
from bench.rows import Row
from bench.yard import PROGRAM, Lab, lab, write_site
from engine.paths import ROOT
from railyard import load, plan
from railyard.model.config import SiteConfig

MACHINES = 256
LIMIT = 1.3
NULL_LAUNCHER = '#!/bin/sh\nexec "{root}/.venv/bin/python" "{root}/bench/null_provider.py" "$@"\n'


@dataclass(frozen=True)
class Measured:
    """One checkpoint mode."""

    ours: Cost
    null: Cost
    raw_s: float
    requests: int
    raw_requests: int

    @property
    def baseline_s(self) -> float:
        """Null engine run plus raw client."""
        return self.null.wall_s + self.raw_s


def null_provider(folder: Path) -> Path:
    """A plugin folder named like the real one."""
    folder.mkdir(parents=True, exist_ok=True)
    launcher = folder / "pulumi-resource-metal"
    launcher.write_text(NULL_LAUNCHER.format(root=ROOT), encoding="utf-8")
    launcher.chmod(0o755)
    return folder


def engine_run(folder: Path, config_file: Path, metal: Path, *, checkpoints: bool) -> Cost:
    """One `up` of the metal program in a new stack."""
    program = write_project(folder / "program", PROGRAM, metal=metal)
    return Project(program, "lab", folder / "state", config_file).init().up(checkpoints=checkpoints)


def measure(folder: Path, site: Path, machines: int, *, checkpoints: bool) -> Measured:
    """One mode: ours, the same with a null provider, and the raw client on a fresh lab."""
    with lab(site, folder / "lab") as ours_lab:
        ours = engine_run(folder / "ours", ours_lab.config_file, ROOT / "providers" / "metal", checkpoints=checkpoints)
        ours_lab.require(machines)
        log = ours_lab.requests()
        null = engine_run(folder / "null", ours_lab.config_file, null_provider(folder / "metal"), checkpoints=checkpoints)
    with lab(site, folder / "raw-lab") as raw_lab:
        config = load.site_config(ROOT, "lab", config_file=raw_lab.config_file)
        seconds, sent = replay(
            targets(config, steps_of(log)), raw_lab.dir, _service(config), list(config.file.addresses.ntp_servers)
        )
        raw_lab.require(machines)
        _compare(log_of(ours_lab), log_of(raw_lab))
    return Measured(ours, null, seconds, len(log), sent.total())


def targets(config: SiteConfig, steps: dict[str, tuple[tuple[str, str, int], ...]]) -> list[Target]:
    """Every machine of the log with its address in this lab and the body of its installation request."""
    install = config.file.install
    fixed = {"generation": 1, "image": install.image, "imageSha256": install.image_sha256, "deadlineS": install.deadline_s}
    found = []
    for machine in plan.plan(config).machines:
        seed = {"hostname": machine.name, "role": machine.role, "labels": machine.labels}
        issue = {"serial": machine.serial, "name": machine.name, "seed": seed, **fixed}
        found.append(Target(machine.serial, machine.bmc, issue, steps[machine.serial]))
    return found


def log_of(one: Lab) -> Counter[str]:
    """Mutations of a lab by method and path, without names that were made up at run time."""
    return Counter(f"{entry['method']} {entry['path']}" for entry in one.requests() if entry.get("write"))


def _compare(ours: Counter[str], raw: Counter[str]) -> None:
    if ours != raw:
        raise BenchError(f"the raw client changed other things than up did: {ours - raw} against {raw - ours}")


def _service(config: SiteConfig) -> str:
    return config.file.install.service_url.removeprefix("https://")


def up_rows(machines: int = MACHINES) -> list[Row]:
    """Rows of both modes."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="railyard-bench-") as name:
        folder = Path(name)
        write_site(folder / "site", machines)
        for checkpoints in (True, False):
            mode = "checkpoints" if checkpoints else "no checkpoints"
            found = measure(folder / mode.replace(" ", "-"), folder / "site", machines, checkpoints=checkpoints)
            note = f"{mode}; baseline: null provider {found.null.wall_s:.1f} s + raw client {found.raw_s:.1f} s"
            title = f"up of {machines} machines, {mode}"
            rows.append(Row(title, found.ours.wall_s, "s", found.baseline_s, LIMIT, of_ratio=True, note=note))
            counts = f"{found.requests:,} by the emulator's log; baseline: raw client"
            per = Row(
                f"{title}: requests per machine", found.requests / machines, "", found.raw_requests / machines, note=counts
            )
            rows.append(per)
    return rows
