"""Network namespaces of a lab instance: names, veth cables, sysctls, processes in them, complete removal. Needs root.

A namespace is called `ry<hash of the instance's folder>-<device>`, so that instances never meet and what a crash left
can be found again from the folder alone. FRR's sockets lie in `/run/frr/<namespace>` (its `-N` option knows no other place).
"""

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

FRR_RUN = Path("/run/frr")
NETNS_RUN = Path("/run/netns")
KILL_S = 3.0  # how long processes get to end after SIGTERM before SIGKILL

# Forwarding as a switch does it; hashing over ports (else all flows of two hosts share one link); no duplicate-address wait.
SYSCTLS = {
    "net.ipv4.ip_forward": 1,
    "net.ipv4.fib_multipath_hash_policy": 1,
    "net.ipv4.conf.all.rp_filter": 0,
    "net.ipv4.conf.default.rp_filter": 0,
    "net.ipv6.conf.all.forwarding": 1,
    "net.ipv6.conf.default.forwarding": 1,
    "net.ipv6.fib_multipath_hash_policy": 1,
    "net.ipv6.conf.default.accept_dad": 0,
    "net.ipv6.conf.all.keep_addr_on_down": 1,
}


@dataclass(eq=False)
class WiringError(Exception):
    """A refusal of the namespaces' room. `id` is stable (WIRING-001 …); `found` against `limit`; `fix` says what to do."""

    id: str
    where: str
    found: str
    limit: str
    fix: str

    def __str__(self) -> str:
        return f"{self.id} {self.where}: found {self.found}; limit: {self.limit}; fix: {self.fix}"


def why_not() -> str | None:
    """Why namespaces can't be made here; None when they can: root with CAP_NET_ADMIN, and the programs."""
    if os.geteuid() != 0:
        return "not root"
    missing = [name for name in ("ip", "lldpd", "vtysh") if shutil.which(name) is None]
    missing += [name for name in ("zebra", "bgpd") if not Path("/usr/lib/frr", name).exists()]
    if missing:
        return f"not installed: {', '.join(missing)} (Debian: iproute2 frr lldpd)"
    probe = f"ryprobe{os.getpid()}"
    done = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True, check=False)
    subprocess.run(["ip", "netns", "del", probe], capture_output=True, check=False)
    return None if done.returncode == 0 else f"no namespaces: {done.stderr.strip()}"


def prefix(folder: Path) -> str:
    """What all namespaces of the instance in `folder` start with."""
    return f"ry{hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:8]}-"


def present(start: str) -> list[str]:
    """The namespaces that exist and start so."""
    return sorted(one.name for one in NETNS_RUN.iterdir() if one.name.startswith(start)) if NETNS_RUN.is_dir() else []


def batch(lines: Iterable[str], *, namespace: str | None = None) -> None:
    """Runs `ip` commands in one process, stops at the first that fails. Raises WiringError (WIRING-002) with that line."""
    argv = ["ip", *(["-n", namespace] if namespace else []), "-batch", "-"]
    done = subprocess.run(argv, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise WiringError(
            "WIRING-002", namespace or "root namespace", done.stderr.strip(), "ip accepts it", "see the line it names"
        )


def inside(namespace: str, hostname: str, argv: Sequence[str]) -> list[str]:
    """The command line that runs `argv` inside a namespace, under a host name of its own."""
    return ["ip", "netns", "exec", namespace, "unshare", "-u", "sh", "-c", 'hostname "$0" && exec "$@"', hostname, *argv]


def execute(
    namespace: str, argv: Sequence[str], *, hostname: str = "switch", timeout_s: float = 30.0
) -> subprocess.CompletedProcess[str]:
    """Runs a command inside a namespace and returns what came back. Raises WiringError (WIRING-003) after `timeout_s`."""
    command = inside(namespace, hostname, argv)
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired as error:
        found, limit = f"no end of {' '.join(argv)}", f"{timeout_s:.0f} s"
        raise WiringError("WIRING-003", namespace, found, limit, "look at the command") from error


def make(names: Sequence[str]) -> None:
    """Makes namespaces with loopback up and a switch's sysctls."""
    batch([f"netns add {name}" for name in names])
    settings = [f"{key}={value}" for key, value in SYSCTLS.items()]
    for name in names:
        done = execute(name, ["sysctl", "-q", "-w", *settings])
        if done.returncode != 0:
            raise WiringError("WIRING-002", name, done.stderr.strip(), "every sysctl set", "a kernel with these sysctls")
        batch(["link set lo up"], namespace=name)


def cable(ends: Iterable[tuple[str, str, str, str]], mtu: int) -> None:
    """One veth pair per (namespace, port, namespace, port), both ends up with `mtu` bytes."""
    lines, ports = [], dict[str, list[str]]()
    for space_a, port_a, space_z, port_z in ends:
        lines.append(f"link add {port_a} mtu {mtu} netns {space_a} type veth peer name {port_z} mtu {mtu} netns {space_z}")
        ports.setdefault(space_a, []).append(port_a)
        ports.setdefault(space_z, []).append(port_z)
    if lines:
        batch(lines)
    for space, own in ports.items():
        batch([f"link set {port} up" for port in own], namespace=space)


def pids(name: str) -> list[int]:
    """Processes inside a namespace."""
    done = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False)
    return [int(line) for line in done.stdout.split()]


def end(numbers: Iterable[int], grace_s: float = KILL_S) -> None:
    """SIGTERM, then SIGKILL to what is left after `grace_s` seconds."""
    left = set(numbers)
    deadline = time.monotonic() + grace_s
    _signal(left, signal.SIGTERM)
    while left and time.monotonic() < deadline:
        left = {pid for pid in left if _alive(pid)}
        if left:
            time.sleep(0.02)
    _signal(left, signal.SIGKILL)
    while any(_alive(pid) for pid in left) and time.monotonic() < deadline + grace_s:
        time.sleep(0.02)


def _signal(numbers: Iterable[int], number: int) -> None:
    for pid in numbers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def remove(start: str) -> list[str]:
    """Ends every process in the namespaces that start so and removes them with FRR's folders; their names. Idempotent."""
    names = present(start)
    # Nothing may be left that could still say goodbye: lab daemons have nobody to tell, so they get the short way.
    numbers = [pid for name in names for pid in pids(name)]
    _signal(numbers, signal.SIGKILL)
    end(numbers, 2.0)
    if names:
        batch([f"netns del {name}" for name in names])
    for folder in FRR_RUN.glob(f"{start}*"):
        shutil.rmtree(folder, ignore_errors=True)
    return names
