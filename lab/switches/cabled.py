"""The switches of an instance's site: which there are, whether they can run here, and what cable is in which port.

Cables are what the crew laid: the ones of the plan. `railyard plan` is started as a program; nothing of it is imported.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator

from lab import inventory
from lab.errors import LabError
from lab.instance import ROOT, Instance, python_path
from lab.inventory import SwitchFacts
from lab.switches import namespaces

FABRIC = {"leaf-spine", "spine-core", "node-leaf"}


def declared(instance: Instance) -> list[SwitchFacts]:
    """The switches of the instance's inventory."""
    return inventory.switches(instance.machines_file)


def blocked(instance: Instance) -> str | None:  # noqa: ARG001 (one machine, one answer)
    """Why switches can't run here; None when they can."""
    return namespaces.why_not()


def told(instance: Instance) -> Iterator[str]:
    """What `up` says about them."""
    switches = declared(instance)
    if switches:
        reason = blocked(instance)
        place = f"{len(switches)} switches in network namespaces" if reason is None else f"no switches: {reason}"
        more = "" if reason is None else "; `pulumi up` of this site needs them: run as root"
        yield f"{instance.site}: {place}{more}"


def prepare(instance: Instance) -> None:
    """Plans the site for its cables, into `plan/`. Raises LabError (LAB-015)."""
    if not declared(instance) or blocked(instance) is not None:
        return
    source = instance.config_file if instance.config_file.exists() else instance.stack_file
    argv = [sys.executable, "-c", "from railyard.cli.main import app; app()", "plan", instance.stack]
    argv += ["--config-file", str(source), "--out", str(instance.dir / "plan"), "--root", str(ROOT)]
    done = subprocess.run(
        argv, cwd=ROOT, env={**os.environ, "PYTHONPATH": python_path()}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        found = " ".join((done.stderr or done.stdout).split())[-400:]
        raise LabError("LAB-015", f"railyard plan {instance.stack}", found, "a plan, for its cables", "correct the stack")


def links(instance: Instance) -> list[tuple[str, str]]:
    """Both ends of every link between switches, and of those to machines of the inventory, as `device/port`."""
    plan = json.loads((instance.dir / "plan" / "plan.json").read_text(encoding="utf-8"))
    there = {one.name for one in declared(instance)}
    there |= {one.name for one in inventory.read(instance.machines_file)[1]}
    found = []
    for row in plan["cables"]:
        for a, z in ((row["a"], row["z"]), (row.get("aSecond"), row.get("zSecond"))):
            if row["kind"] in FABRIC and a and z and {a.partition("/")[0], z.partition("/")[0]} <= there:
                found.append((a, z))
    return found


def sweep(instance: Instance) -> None:
    """Removes namespaces that a killed run left."""
    if os.geteuid() == 0:
        namespaces.remove(namespaces.prefix(instance.dir / "switches"))
