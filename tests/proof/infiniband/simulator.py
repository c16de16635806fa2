"""ibsim as a subnet to run real InfiniBand programs in: started, watched and killed here.

Each simulator has its own socket name and folder, so that any number run side by side. Programs are ended by SIGKILL to their
process group: OpenSM ignores SIGTERM once ibsim is gone. A program whose simulator dies is
ended at once, and the error says so.
"""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from railyard.model.infiniband import Adapter

LIBRARY = Path("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so")
TOOLS = ("ibsim", "opensm", "ibnetdiscover", "smpquery", "setpriv")
LIMITS = ("-N", "40000", "-S", "4000", "-P", "500000", "-L", "49151")
"""Nodes, switches, ports, LIDs: ibsim stops at 2,048 nodes, 256 switches and 13,312 ports otherwise."""
READY = "Network simulator ready"
POLL_S = 0.02
WITH_US = ("setpriv", "--pdeathsig", "KILL")
"""A killed test run leaves no server and no subnet manager behind: the kernel ends them with the thread that started them."""


class SimulatorError(AssertionError):
    """The simulator didn't start, died under a program, or a program didn't end in time."""


@dataclass(frozen=True)
class Ran:
    """What one program did. `ended` is why it stopped: by itself, or as soon as it had `said` what was waited for."""

    argv: tuple[str, ...]
    code: int
    output: str
    ended: str
    seconds: float


def missing_tools() -> list[str]:
    """Programs and libraries of the proof that this machine lacks."""
    missing = [tool for tool in TOOLS if not _find(tool)]
    return missing if LIBRARY.exists() else [*missing, str(LIBRARY)]


class Simulator:
    """`with Simulator(netlist, folder, host=adapter) as sim: sim.run("ibnetdiscover")`.

    Programs run on `host`; `folder` takes all files of server and programs.
    """

    def __init__(self, netlist: str, folder: Path, *, host: Adapter) -> None:
        self.folder, self.host = folder, host
        self._netlist = netlist
        self._server: subprocess.Popen[bytes] | None = None
        self._environment = os.environ | {
            "IBSIM_SOCKNAME": f"w{uuid.uuid4().hex[:16]}",
            "OSM_CACHE_DIR": str(folder),
            "OSM_TMP_DIR": str(folder),
            "SIM_HOST": f"H-{host.node_guid:016x}",
        }

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / "simulated.net"
        path.write_text(self._netlist, encoding="utf-8")
        said = self.folder / "ibsim.out"
        with said.open("wb") as out:
            self._server = subprocess.Popen(
                [*WITH_US, _find("ibsim") or "ibsim", "-s", "-n", *LIMITS, str(path)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=self._environment,
                start_new_session=True,
            )
        try:
            self._wait_ready(said)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the server, whatever it is doing."""
        if self._server is not None:
            _kill(self._server)
            self._server = None

    @property
    def pid(self) -> int:
        """The server's process id."""
        assert self._server is not None, "not started"
        return self._server.pid

    def run(self, *argv: str, timeout_s: float = 60, done: Callable[[], str] | None = None, name: str = "") -> Ran:
        """One program inside of the subnet, to its end, to `done()` (what it was waited for), or to an error.

        Raises SimulatorError where the simulator dies meanwhile, or where time is up.
        """
        server = self._server
        assert server is not None, "not started"
        began = time.monotonic()
        said = self.folder / f"{name or Path(argv[0]).name}.out"
        with said.open("wb") as out:
            program = subprocess.Popen(
                [*WITH_US, _find(argv[0]) or argv[0], *argv[1:]],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=self._environment | {"LD_PRELOAD": str(LIBRARY)},
                cwd=self.folder,
                start_new_session=True,
            )
        try:
            ended = _watch(program, server, began + timeout_s, done)
        finally:
            _kill(program)
        output = said.read_text(encoding="utf-8", errors="replace")
        if ended in ("simulator died", "time is up"):
            raise SimulatorError(f"{ended} after {time.monotonic() - began:.1f} s of {' '.join(argv)}:\n{output[-2000:]}")
        return Ran(argv, program.returncode, output, ended, time.monotonic() - began)

    def _wait_ready(self, said: Path) -> None:
        """ibsim says that it is ready, and its socket is there. A netlist that it can't read is an error of its words."""
        assert self._server is not None
        until, socket = time.monotonic() + 120, f"@{self._environment['IBSIM_SOCKNAME']}:ctl"
        while time.monotonic() < until:
            text = said.read_text(encoding="utf-8", errors="replace")
            if self._server.poll() is not None:
                raise SimulatorError(f"ibsim ended with {self._server.returncode}:\n{text[-2000:]}")
            if READY in text and socket in Path("/proc/net/unix").read_text(encoding="utf-8"):
                return
            time.sleep(POLL_S)
        raise SimulatorError(f"ibsim isn't ready after 120 s:\n{text[-2000:]}")


def _watch(
    program: "subprocess.Popen[bytes]", server: "subprocess.Popen[bytes]", until: float, done: Callable[[], str] | None
) -> str:
    """Why a program is over: `itself`, what `done` says, `simulator died` or `time is up`. Sleeps until something happens."""
    fds = [os.pidfd_open(process.pid) for process in (program, server)]
    poller = select.poll()
    for fd in fds:
        poller.register(fd, select.POLLIN)
    try:
        while time.monotonic() < until:
            happened = {fd for fd, _ in poller.poll(50 if done else max(1, (until - time.monotonic()) * 1000))}
            if fds[0] in happened:
                return "itself"
            if fds[1] in happened:
                return "simulator died"
            said = done() if done else ""
            if said:
                return said
        return "time is up"
    finally:
        for fd in fds:
            os.close(fd)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """SIGKILL to the whole group, and its status collected. What is gone already is fine."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _find(tool: str) -> str | None:
    """Debian puts these in /usr/sbin, which a user's PATH may lack."""
    return shutil.which(tool) or shutil.which(tool, path="/usr/sbin:/usr/bin:/sbin:/bin")
