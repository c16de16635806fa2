"""A real slurmctld and slurmd for every node of a plan, on one machine, in a folder of its own.

What differs from the rendered files: every node line gets an address and a port (all nodes are this machine), the devices of
gres.conf are links to /dev/null below the folder (slurmd wants character devices), and `config_overrides` makes slurmd report
the CPUs and memory of its node line. Everything that was started is ended by its process id.
"""

import getpass
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from railyard.model.hostlist import expand

BAD_WORDS = (
    "lookup failure", "lack access", "Multiple leaf switches", "Multiple parent", "no switch can reach all nodes",
    "invalid child", "no nodes in switch", "not found in node table", "undefined switch", "has no nodes",
)  # fmt: skip
"""What slurmctld 22.05 says of a topology.conf that is not the cluster's; it runs all the same."""
_NODE = re.compile(r"^NodeName=(\S+) (.*)$")
_DEADLINE_S = 60.0


def log_complaints(log: str) -> list[str]:
    """Lines of slurmctld's log that tell of a wrong topology: none may be there."""
    return [line for line in log.splitlines() if any(word in line for word in BAD_WORDS)]


class Cluster:
    """Use as a context manager; `start()` returns when slurmctld answers."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        self.folder, self.files = folder, files
        self.started: list[subprocess.Popen[bytes]] = []
        self.names = [
            name for line in files["nodes.conf"].splitlines() if (found := _NODE.match(line)) for name in expand(found[1])
        ]
        self.ports = free_ports(len(self.names) + 1)
        self.env = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def __enter__(self) -> "Cluster":
        # slurmstepd's sockets lie below it, and their paths end at 107 characters: in pytest's folders they are longer.
        self.spool = Path(tempfile.mkdtemp(prefix="slurm-"))
        for name in ("state", "log", "dev"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for number in range(16):
            (self.folder / f"dev/nvidia{number}").symlink_to("/dev/null")
        (self.folder / "slurm.conf").write_text(self._slurm_conf())
        (self.folder / "topology.conf").write_text(self.files["topology.conf"])
        (self.folder / "gres.conf").write_text(self.files["gres.conf"].replace("/dev/nvidia", f"{self.folder}/dev/nvidia"))
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, subprocess.SubprocessError):
            self.run("scancel", "--state=RUNNING", timeout=5)
            self.run("scancel", "--state=PENDING", timeout=5)
        for process in reversed(self.started):
            process.send_signal(signal.SIGTERM)
        for process in reversed(self.started):
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(timeout=5)
        for pid in self.children():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.spool, ignore_errors=True)

    def children(self) -> list[int]:
        """Processes that carry our configuration in their environment: slurmstepd leaves the process group of slurmd."""
        mark, found = f"SLURM_CONF={self.folder}/slurm.conf".encode(), list[int]()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                with suppress(OSError):
                    if mark in (entry / "environ").read_bytes().split(b"\0"):
                        found.append(int(entry.name))
        return found

    def _slurm_conf(self) -> str:
        user, folder = getpass.getuser(), self.folder
        lines = [
            "ClusterName=proof", "SlurmctldHost=localhost", f"SlurmctldPort={self.ports[0]}",
            # No munge: this build has auth/none, and nothing here is worth protecting.
            "AuthType=auth/none", "CredType=cred/none", f"SlurmUser={user}", f"SlurmdUser={user}", "MpiDefault=none",
            f"StateSaveLocation={folder}/state", f"SlurmdSpoolDir={self.spool}/%n",
            f"SlurmctldPidFile={folder}/slurmctld.pid", f"SlurmdPidFile={self.spool}/%n.pid",
            f"SlurmctldLogFile={folder}/log/slurmctld.log", f"SlurmdLogFile={folder}/log/%n.log", "SlurmctldDebug=verbose",
            "ProctrackType=proctrack/pgid", "TaskPlugin=task/none", "JobAcctGatherType=jobacct_gather/none",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core", "TopologyPlugin=topology/tree",
            "SwitchType=switch/none", "SlurmdParameters=config_overrides", "ReturnToService=2", "MailProg=/bin/true",
        ]  # fmt: skip
        ports = iter(self.ports[1:])
        for line in self.files["nodes.conf"].splitlines():
            found = _NODE.match(line)
            if found is None:
                lines.append(line)
                continue
            here = "NodeAddr=127.0.0.1 NodeHostname=localhost"
            lines += [f"NodeName={name} {found[2]} {here} Port={next(ports)}" for name in expand(found[1])]
        return "\n".join(lines) + "\n"

    def start(self) -> "Cluster":
        """The controller, ready to answer. AssertionError with its log where it ends or stays silent."""
        self._spawn("slurmctld", "-D", "-c", "-f", f"{self.folder}/slurm.conf")
        self.until(lambda: "UP" in self.run("scontrol", "ping").stdout, "slurmctld answers")
        return self

    def start_nodes(self) -> None:
        """A slurmd for every node; returns when all of them are registered, idle or refused."""
        for name in self.names:
            (self.spool / name).mkdir()
            self._spawn("slurmd", "-D", "-N", name, "-f", f"{self.folder}/slurm.conf")
        self.until(lambda: not {"unk", "unk*", "down", "down*"} & set(self.states()), "all nodes have registered")

    def states(self) -> list[str]:
        """The short state of every node."""
        return self.run("sinfo", "-h", "-N", "-o", "%t").stdout.split()

    def until(self, done, what: str) -> None:
        """Wait for a condition; AssertionError with the controller's log where it doesn't come."""
        begun = time.monotonic()
        while not done():
            assert self.started[0].poll() is None, f"slurmctld ended:\n{self.log()[-3000:]}"
            assert time.monotonic() - begun < _DEADLINE_S, f"never: {what}\n{self.log()[-3000:]}"
            time.sleep(0.05)

    def _spawn(self, *argv: str) -> None:
        program = shutil.which(argv[0], path=f"{os.environ.get('PATH', '')}:/usr/sbin")
        assert program, f"{argv[0]} is missing: engine/debian-packages.txt names its package"
        with (self.folder / "log/output").open("ab") as out:
            self.started.append(
                subprocess.Popen(
                    [program, *argv[1:]], env=self.env, stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True
                )
            )

    def run(self, *argv: str, timeout: float = 30) -> subprocess.CompletedProcess[str]:
        """One of Slurm's commands, against this cluster."""
        return subprocess.run(argv, env=self.env, capture_output=True, text=True, timeout=timeout, check=False)

    def srun(self, *argv: str) -> subprocess.CompletedProcess[str]:
        """A job, run to its end."""
        return self.run("srun", *argv)

    def log(self) -> str:
        """slurmctld's log so far."""
        path = self.folder / "log/slurmctld.log"
        return path.read_text() if path.exists() else (self.folder / "log/output").read_text()


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, below those that the kernel gives to connections; parallel runs begin apart."""
    begin, found = os.getpid() * 521 % 12_000, list[int]()
    for number in range(12_000):
        port = 20_000 + (begin + number) % 12_000
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            found.append(port)
        if len(found) == count:
            return found
    raise AssertionError(f"no {count} free ports")


def shown_topology(text: str) -> dict[str, tuple[int, frozenset[str], frozenset[str]]]:
    """`scontrol show topology` -> name: (level, switches, nodes)."""
    found: dict[str, tuple[int, frozenset[str], frozenset[str]]] = {}
    for line in text.splitlines():
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        below, nodes = (frozenset(expand(words[key])) if key in words else frozenset[str]() for key in ("Switches", "Nodes"))
        found[words["SwitchName"]] = (int(words["Level"]), below, nodes)
    return found
