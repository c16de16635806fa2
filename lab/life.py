"""Up and down: decides what runs already, starts the supervisor, cleans up after a killed one."""

import contextlib
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lab import control, files, network, setup
from lab.errors import LabError
from lab.instance import ROOT, Instance, load, python_path
from lab.processes import Process, group_members, stop
from lab.setup import Wish
from lab.switches import cabled

Say = Callable[[str], None]
STOP_S = 90.0


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One `up` or `down` at a time per instance directory; the second waits."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def status(instance: Instance) -> dict[str, Any]:
    """`status.json`, corrected: state `down` when the supervisor is gone, `killed` when it left things behind."""
    value = files.read_json(instance.dir / "status.json") or {"state": "down", "services": []}
    if not _alive(value.get("supervisor")) and value["state"] not in {"down", "failed"}:
        value["state"] = "killed"
    return value


def up(wish: Wish, say: Say) -> Instance:
    """Brings the instance up; returns when every service is ready. Raises LabError."""
    folder = setup.folder(wish)
    with alone(folder):
        known = load(folder)
        if known is not None and status(known)["state"] in {"ready", "degraded", "starting"}:
            instance = _keep(known, wish, say)
            if instance is not None:
                return instance
            _down(known, say)
        elif known is not None:
            _clean(known, say)
        return _start(wish, say)


def _keep(known: Instance, wish: Wish, say: Say) -> Instance | None:
    """The running instance if it is what is wished for (its inventory followed), None if it must be started anew."""
    wished = setup.updated(known, wish)
    now = status(known)
    if now["state"] != "ready":
        say(f"{known.site}: {now['state']}: {now.get('message') or 'not ready'}; starting it again")
        return None
    if wished != known:
        say(f"{known.site}: other settings asked for; starting it again")
        return None
    fresh = setup.refresh_copies(known)
    if fresh != known and cabled.declared(fresh):
        say(f"{known.site}: inventory or stack file changed; laying the switches' cables again")
        return None
    if fresh != known:
        instance, machines = setup.prepare(fresh)
        changes = control.ask(instance, "reload")
        moved = [f"{word} {', '.join(changes[word])}" for word in ("added", "removed") if changes[word]]
        say(f"{known.site}: inventory changed: {'; '.join([f'{len(machines)} machines', *moved])}")
        return instance
    say(f"{known.site}: is up ({known.network}.0.0/16)")
    return known


def _start(wish: Wish, say: Say) -> Instance:
    began = time.monotonic()
    instance, lock, new = setup.open_or_create(wish)
    try:
        instance, machines = setup.prepare(instance)
        say(f"{instance.site}: {'made' if new else 'uses'} {instance.dir}, {instance.network}.0.0/16, {len(machines)} machines")
        network.check_ports(instance, [one.host for one in machines])
        for line in cabled.told(instance):
            say(line)
        (instance.dir / "status.json").unlink(missing_ok=True)
        with (instance.logs / "supervisor.log").open("ab") as log:
            subprocess.run(
                [sys.executable, "-m", "lab.supervisor", "--dir", str(instance.dir), "--lock", str(lock)],
                cwd=ROOT, env={**os.environ, "PYTHONPATH": python_path()}, pass_fds=[lock], check=True,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
    finally:
        os.close(lock)
    try:
        _wait(instance, say)
    except KeyboardInterrupt:
        _down(instance, say)
        raise
    say(f"{instance.site}: up after {time.monotonic() - began:.1f} s")
    return instance


def _wait(instance: Instance, say: Say) -> None:
    """Prints each service as it becomes ready. Raises LabError (LAB-009) when one doesn't."""
    told: set[str] = set()
    deadline = time.monotonic() + 10
    while True:
        value = files.read_json(instance.dir / "status.json")
        if value is None:
            if time.monotonic() > deadline:
                raise _failed(instance, "no sign of life from the supervisor")
            time.sleep(0.02)
            continue
        for one in value["services"]:
            if one["state"] == "ready" and one["name"] not in told:
                told.add(one["name"])
                say(f"  {one['name']} ready ({one['tookS']:.1f} s)")
        if value["state"] == "ready":
            return
        if value["state"] == "failed" or not _alive(value["supervisor"]):
            raise _failed(instance, value["message"] or "the supervisor ended")
        time.sleep(0.05)


def _failed(instance: Instance, found: str) -> LabError:
    return LabError("LAB-009", f"lab {instance.site}", found, "every service ready", f"read {instance.logs}, then `up` again")


def down(instance: Instance, say: Say) -> None:
    """Stops the instance and checks that nothing of it is left. Raises LabError (LAB-014)."""
    with alone(instance.dir):
        _down(instance, say)


def _down(instance: Instance, say: Say) -> None:
    value = status(instance)
    supervisor = _process(value.get("supervisor"))
    if supervisor is not None and supervisor.alive():
        # The supervisor stops the services itself, in order: only its own process gets the signal.
        stop(supervisor, grace_s=STOP_S, group=False)
    _clean(instance, say)
    say(f"{instance.site}: down")


def _clean(instance: Instance, say: Say) -> None:
    """Stops what a killed supervisor left behind, last started first. Raises LabError (LAB-014)."""
    value = status(instance)
    for one in reversed(value.get("services", [])):
        process = _process(one)
        if process is not None and _ours(process):
            say(f"  stopping {one['name']} (pid {process.pid}), left behind")
            if not stop(process, one.get("stopSignal", 15)):
                limit, fix = "no process of the instance", f"kill -9 -{process.pid}"
                raise LabError("LAB-014", str(instance.dir), f"{one['name']} (pid {process.pid}) does not end", limit, fix)
    instance.control_socket.unlink(missing_ok=True)
    instance.switch_socket.unlink(missing_ok=True)
    cabled.sweep(instance)
    value.update(state="down", services=[], supervisor=None)
    files.write_json(instance.dir / "status.json", value)


def _ours(process: Process) -> bool:
    """True for the very process, or when it is gone but its group lives on (the pid stays taken while it does)."""
    return process.alive() or (Process.of(process.pid) is None and bool(group_members(process.pid)))


def _process(value: Any) -> Process | None:
    return Process(value["pid"], value["start"]) if value else None


def _alive(value: Any) -> bool:
    process = _process(value)
    return process is not None and process.alive()
