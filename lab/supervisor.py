"""`python -m lab.supervisor --dir D --lock FD`: one process per instance that starts the services, watches them, stops them.

It restarts nothing: a service that ends is in `status.json` (state `degraded`) and shown by `status`. Services get SIGTERM
when the supervisor dies, however it dies; what survives even that is removed by the next `up` or `down` from `status.json`.
"""

import argparse
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab import files
from lab.errors import LabError
from lab.instance import ROOT, Instance, load, python_path
from lab.processes import Process, group_members, stop
from lab.service import Service, answers
from lab.switches import cabled

POLL_S = 0.05
WATCH_S = 0.25
PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "COVERAGE_PROCESS_START")
PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


class StartError(Exception):
    """A service did not come up."""


@dataclass
class Running:
    """A started service."""

    service: Service
    child: subprocess.Popen[bytes]
    process: Process | None
    state: str = "starting"
    took_s: float = 0.0

    def shown(self) -> dict[str, Any]:
        start = self.process.start if self.process else 0
        shown = {
            "name": self.service.name,
            "pid": self.child.pid,
            "start": start,
            "state": self.state,
            "tookS": round(self.took_s, 2),
        }
        return {**shown, "stopSignal": int(self.service.stop_signal), "code": self.child.returncode}


class Supervisor:
    """The life of one instance, from the first process to the last."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.running: list[Running] = []
        self.state, self.message = "starting", ""
        self.leave = threading.Event()

    def write(self) -> None:
        own = Process.of(os.getpid())
        value = {
            "state": self.state,
            "message": self.message,
            "supervisor": {"pid": os.getpid(), "start": own.start if own else 0},
            "services": [one.shown() for one in self.running],
        }
        files.write_json(self.instance.dir / "status.json", value)

    def run(self) -> int:
        """Starts everything, then watches until told to leave. Returns the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.leave.set())
        self.write()
        try:
            for make in (emulator, switches, provision, control_plane):
                for service in make(self.instance):
                    self._start(service)
            self._become("ready")
            self._watch()
            code = 0
        except (StartError, LabError) as error:
            self.message, code = str(error), 1
        except Exception as error:  # noqa: BLE001 (whatever it is, what was started must be stopped)
            traceback.print_exc()
            self.message, code = f"{type(error).__name__}: {error}", 1
        self._stop_all()
        self._become("failed" if code else "down")
        return code

    def _become(self, state: str) -> None:
        self.state = state
        self.write()

    def _start(self, service: Service) -> None:
        began = time.monotonic()
        base = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
        log = (self.instance.logs / f"{service.name}.log").open("ab")
        with log:
            child = subprocess.Popen(
                service.argv, env={**base, "PYTHONPATH": python_path(), "PYTHONUNBUFFERED": "1", **service.env}, cwd=ROOT,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, preexec_fn=_die_with(os.getpid()),
            )  # fmt: skip
        one = Running(service, child, Process.of(child.pid))
        self.running.append(one)
        self.write()
        probe = _probe(service, self.instance.ca)
        while not probe():
            if child.poll() is not None:
                raise StartError(f"{service.name} ended with code {child.returncode}; see {self._tail(service)}")
            if self.leave.wait(POLL_S):
                raise StartError("told to stop while starting")
            if time.monotonic() - began > service.ready_s:
                raise StartError(f"{service.name} not ready after {service.ready_s:.0f} s; see {self._tail(service)}")
        one.state, one.took_s = "ready", time.monotonic() - began
        self.write()

    def _tail(self, service: Service) -> str:
        path = self.instance.logs / f"{service.name}.log"
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[-5:]
        return f"{path}: " + " | ".join(lines)

    def _watch(self) -> None:
        while not self.leave.wait(WATCH_S):
            for one in self.running:
                if one.state == "ready" and one.child.poll() is not None:
                    one.state, self.state = "ended", "degraded"
                    self.message = f"{one.service.name} ended with code {one.child.returncode}; see {self._tail(one.service)}"
                    self.write()

    def _stop_all(self) -> None:
        """In the opposite order. A child must be reaped while we wait for it, or it stays a zombie of its group."""
        self._become("stopping")
        for one in reversed(self.running):
            if one.child.poll() is None or group_members(one.child.pid):
                stop(one.process or Process(one.child.pid, 0), one.service.stop_signal, one.service.stop_s)
            one.child.wait()
            one.state = "stopped"
            self.write()


def _die_with(parent: int) -> Callable[[], None]:
    """Runs in the child before exec: SIGTERM when the supervisor dies (kill -9 included)."""

    def set_up() -> None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return set_up


def _probe(service: Service, ca: Path) -> Callable[[], bool]:
    ready = service.ready
    if ready is None:
        return lambda: True
    if isinstance(ready, str):
        return lambda: answers(ready, ca)
    return ready


def emulator(instance: Instance) -> list[Service]:
    """The process of all BMCs and machines."""
    argv = (sys.executable, "-m", "lab.bmc", "--dir", str(instance.dir))
    return [Service("bmc", argv, ready=instance.control_socket.exists, ready_s=30)]


def switches(instance: Instance) -> list[Service]:
    """The process of all switches, where the site has some and this machine can have them (root)."""
    if cabled.blocked(instance) is not None or not cabled.declared(instance):
        return []
    argv = (sys.executable, "-m", "lab.switches", "--dir", str(instance.dir))
    return [Service("switches", argv, ready=instance.switch_socket.exists, ready_s=90)]


def provision(instance: Instance) -> list[Service]:
    """The provisioning service, a program of the product, started like any other."""
    if not instance.provision:
        return []
    place, pki = instance.endpoint("provision"), instance.pki
    options = {
        "--listen": place, "--cert": pki / "provision.crt", "--key": pki / "provision.key", "--ca": instance.ca,
        "--journal": instance.state / "provision" / "journal.jsonl", "--images": instance.images,
        "--admin-ref": f"file:{instance.secrets / 'provision-admin'}",
    }  # fmt: skip
    argv = [sys.executable, "-m", "services.provision"]
    for option, value in options.items():
        argv += [option, str(value)]
    return [Service("provision", tuple(argv), ready=f"https://{place}/v1/health", ready_s=30)]


def control_plane(instance: Instance) -> list[Service]:
    """etcd, API server and so on. Imported late: without it the lab is up in a second."""
    if not instance.control_plane:
        return []
    from lab import controlplane

    return controlplane.services(instance)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m lab.supervisor")
    parser.add_argument("--dir", type=Path, required=True)
    parser.add_argument("--lock", type=int, required=True, help="descriptor that holds the lock of the /16")
    options = parser.parse_args()
    instance = load(options.dir)
    if instance is None:
        return 2
    if os.fork():
        return 0
    os.set_inheritable(options.lock, False)  # held by this process alone
    os.setsid()
    return Supervisor(instance).run()


if __name__ == "__main__":
    sys.exit(main())
