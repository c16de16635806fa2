"""A fabric's cables as veth pairs between namespaces, with FRR and lldpd in them. Needs root.

    with Wiring(folder) as wiring:
        wiring.build([("leaf1/swp1", "spine1/swp1"), …])
        wiring.start_router("leaf1", frr_conf)
        wiring.show("leaf1", "show bgp summary json")

Whatever ends the process that made it (kill -9 too), a guard process removes all of it (`lab.switches.guard`).
"""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

from lab.switches import namespaces
from lab.switches.namespaces import WiringError

FRR = Path("/usr/lib/frr")
ROOT = Path(__file__).resolve().parents[2]
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")
PORT = re.compile(r"[A-Za-z0-9_.-]{1,15}")  # IFNAMSIZ - 1
MTU = 9216
AT_ONCE = 4
LLDP_S = 20.0  # how long lldpd may take to start
# Which daemon a line of frr.conf needs, beside zebra and bgpd.
NEEDS = {"staticd": re.compile(r"^\s*ip(v6)? route ", re.M), "bfdd": re.compile(r"^\s*(bfd|neighbor \S+ bfd)\b", re.M)}


class Wiring:
    """The namespaces of one instance folder. One at a time per folder: a second `build` removes what the first made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.prefix = namespaces.prefix(self.folder)
        self.devices: list[str] = []
        self._guard: subprocess.Popen[bytes] | None = None
        self._lldpd: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def build(self, links: Iterable[tuple[str, str]], *, devices: Iterable[str] = (), mtu: int = MTU) -> None:
        """Makes a namespace per device and a veth pair per link (`device/port`, `device/port`). `devices`: without cables.

        Raises WiringError: WIRING-001 for a bad or doubly used end, WIRING-004 where namespaces can't be made.
        """
        reason = namespaces.why_not()
        if reason is not None:
            raise WiringError(
                "WIRING-004", "lab switches", reason, "root, iproute2, frr, lldpd", "run it as root where these are"
            )
        ends = [(*_end(a), *_end(z)) for a, z in links]
        _unique(ends)
        self.folder.mkdir(parents=True, exist_ok=True)
        sweep(self.folder)
        self._watch()
        named = [device for a, _, z, _ in ends for device in (a, z)]
        self.devices = sorted({*named, *(_name(one) for one in devices)})
        namespaces.make([self.namespace(one) for one in self.devices])
        namespaces.cable(((self.namespace(a), port_a, self.namespace(z), port_z) for a, port_a, z, port_z in ends), mtu)

    def namespace(self, device: str) -> str:
        """Name of a device's namespace, also the NAME of FRR's and vtysh's option -N."""
        return self.prefix + device

    def run(self, device: str, argv: Sequence[str], *, timeout_s: float = 30.0) -> subprocess.CompletedProcess[str]:
        """Runs a command on a device, whose name is the host name there. `vtysh` is pointed at the device's own FRR."""
        if argv and argv[0] == "vtysh":
            argv = ["vtysh", "--vty_socket", str(namespaces.FRR_RUN / self.namespace(device)), *argv[1:]]
        return namespaces.execute(self.namespace(device), argv, hostname=device, timeout_s=timeout_s)

    def ip(self, device: str, lines: Iterable[str]) -> None:
        """Runs `ip` commands on a device, in one process. Raises WiringError (WIRING-002)."""
        namespaces.batch(lines, namespace=self.namespace(device))

    def show(self, device: str, command: str) -> Any:
        """The answer of a `show … json` of vtysh. Raises WiringError (WIRING-005) when it isn't JSON."""
        done = self.run(device, ["vtysh", "-c", command])
        try:
            return json.loads(done.stdout)
        except ValueError as error:
            found = (done.stdout + done.stderr).strip()[-300:]
            raise WiringError("WIRING-005", f"{device}: {command}", found, "JSON", "is its router started?") from error

    def start_router(self, device: str, frr_conf: str) -> None:
        """Starts zebra, bgpd and what else the text needs, loads the text. Raises WiringError (WIRING-006), FRR's words."""
        self.stop_router(device)
        state = namespaces.FRR_RUN / self.namespace(device)
        state.mkdir(parents=True, exist_ok=True)
        conf, empty = state / "frr.conf", state / "empty.conf"
        conf.write_text(frr_conf, encoding="utf-8")
        empty.write_text("", encoding="utf-8")
        for path in (state, conf, empty):
            shutil.chown(path, "frr", "frr")
        daemons = ["zebra", "bgpd", *(name for name, pattern in NEEDS.items() if pattern.search(frr_conf))]
        for daemon in daemons:
            self._start_daemon(device, daemon, state, empty)
        # vtysh hands each line to the daemons that know it, and says which one it refuses: `bgpd -f` would skip it silently.
        done = self.run(device, ["vtysh", "-f", str(conf)])
        if done.returncode != 0 or "% " in done.stdout + done.stderr:
            found = (done.stdout + done.stderr).strip()[-600:]
            raise WiringError(
                "WIRING-006", f"{device}: frr.conf", found, "every line accepted", "correct the line that it names"
            )

    def start_routers(self, confs: Mapping[str, str]) -> None:
        """`start_router` for many devices, side by side. Raises WiringError for the first that fails."""
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="router") as pool:
            for _ in pool.map(self.start_router, confs.keys(), confs.values()):
                pass

    def _start_daemon(self, device: str, daemon: str, state: Path, empty: Path) -> None:
        # -d returns when the daemon is ready. -A: its TCP console stays inside the namespace. -I and -M have no use here.
        argv = [str(FRR / daemon), "-d", "-N", self.namespace(device), "-f", str(empty), "-i", str(state / f"{daemon}.pid")]
        argv += ["-A", "127.0.0.1", "--log", f"file:{state / daemon}.log"]
        done = self.run(device, argv)
        if done.returncode != 0:
            raise WiringError(
                "WIRING-006", f"{device}: {daemon}", done.stderr.strip()[-300:], "a start", f"see {state}/{daemon}.log"
            )

    def stop_router(self, device: str) -> None:
        """Ends the device's FRR daemons, if any."""
        state = namespaces.FRR_RUN / self.namespace(device)
        inside = set(namespaces.pids(self.namespace(device)))
        known = [
            int(path.read_text(encoding="utf-8")) for path in state.glob("*.pid") if path.read_text(encoding="utf-8").strip()
        ]
        namespaces.end(pid for pid in known if pid in inside)
        for path in state.glob("*.pid"):
            path.unlink(missing_ok=True)

    def start_lldp(self, device: str, hostname: str | None = None, *, interval_s: int = 2) -> None:
        """Starts lldpd, which announces `hostname` and its ports by name, every `interval_s` seconds. Raises WIRING-007."""
        socket = self.lldp_socket(device)
        conf = Path(socket).with_suffix(".conf")  # not in our folder: lldpd reads it when it is nobody any more
        conf.write_text(f"configure lldp portidsubtype ifname\nconfigure lldp tx-interval {interval_s}\n", encoding="utf-8")
        # -I, -C: every port, no management address, else it would tell the machine's.
        argv = ["/usr/sbin/lldpd", "-d", "-u", socket, "-O", str(conf), "-I", "*", "-C", "!*"]
        with Path(socket).with_suffix(".log").open("wb") as log:
            self._lldpd[device] = subprocess.Popen(
                namespaces.inside(self.namespace(device), hostname or device, argv),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        # lldpd waits, paused, for the client that it starts itself; on a busy machine that one may come too early and give up.
        # Then nobody has read the file either: this is what lldpd's own client does, again until lldpd answers.
        self._tell_lldp(device, ["-c", str(conf), "resume"])

    def refresh_lldp(self, device: str, hostname: str) -> None:
        """Announces `hostname` and the ports as they are called now. Raises WiringError (WIRING-007)."""
        child = self._lldpd.get(device)
        if child is None or child.poll() is not None:
            self.start_lldp(device, hostname)
        for words in (["configure", "system", "hostname", hostname], ["update"]):
            self._tell_lldp(device, words)

    def _tell_lldp(self, device: str, words: Sequence[str]) -> None:
        """One order to lldpd, again until it answers. Raises WiringError (WIRING-007)."""
        limit = time.monotonic() + LLDP_S
        while (done := self.run(device, ["lldpcli", "-u", self.lldp_socket(device), *words])).returncode != 0:
            if time.monotonic() > limit:
                found = (done.stderr or done.stdout).strip()[-200:]
                raise WiringError("WIRING-007", f"{device}: lldpd", found, f"an answer in {LLDP_S:.0f} s", "see its log")
            time.sleep(0.05)

    def lldp_socket(self, device: str) -> str:
        """lldpd's control socket (short: the kernel allows 107 bytes)."""
        state = namespaces.FRR_RUN / self.namespace(device)
        state.mkdir(parents=True, exist_ok=True)
        return str(state / "lldpd.sock")

    def neighbours(self, device: str) -> dict[str, tuple[str, str]]:
        """LLDP: own port -> (neighbour's name, its port); ports without a neighbour are missing."""
        found = {}
        for table in self.lldp(device).get("lldp", []):
            for row in table.get("interface", []):
                chassis, port = row["chassis"][0], row["port"][0]
                found[row["name"]] = (chassis.get("name", [{"value": ""}])[0]["value"], port["id"][0]["value"])
        return found

    def lldp(self, device: str) -> Any:
        """`lldpcli -f json0 show neighbors` as it is; {} while lldpd doesn't answer."""
        done = self.run(device, ["lldpcli", "-u", self.lldp_socket(device), "-f", "json0", "show", "neighbors"])
        try:
            return json.loads(done.stdout)
        except ValueError:
            return {}

    def close(self) -> None:
        """Removes every namespace and process of the folder. Any number of times."""
        with self._lock:
            namespaces.remove(self.prefix)
            for child in self._lldpd.values():
                child.wait(10)
            self._lldpd.clear()
            guard, self._guard = self._guard, None
            if guard is not None and guard.stdin is not None:
                guard.stdin.close()
                guard.wait(10)

    def _watch(self) -> None:
        """The guard holds the other end of a pipe of ours: it ends when we close it or die, and then removes what is left."""
        if self._guard is None or self._guard.poll() is not None:
            env = {**os.environ, "PYTHONPATH": str(ROOT)}
            argv = [sys.executable, "-m", "lab.switches.guard", str(self.folder)]
            self._guard = subprocess.Popen(argv, cwd="/", env=env, stdin=subprocess.PIPE, start_new_session=True)


def sweep(folder: Path) -> list[str]:
    """Removes what an earlier, killed run of this folder left; the namespaces that it removed."""
    return namespaces.remove(namespaces.prefix(folder))


def _name(device: str) -> str:
    if not NAME.fullmatch(device):
        limit = "letters, digits, - and _, at most 63"
        raise WiringError("WIRING-001", "device", repr(device[:80]), limit, "correct the name")
    return device


def _end(text: str) -> tuple[str, str]:
    device, _, port = text.partition("/")
    if not PORT.fullmatch(port) or port in {".", "..", "lo"}:
        raise WiringError(
            "WIRING-001", "end of a link", repr(text[:100]), "device/port, port of at most 15 letters", "correct it"
        )
    return _name(device), port


def _unique(ends: Sequence[tuple[str, str, str, str]]) -> None:
    seen: set[tuple[str, str]] = set()
    for a, port_a, z, port_z in ends:
        for end in ((a, port_a), (z, port_z)):
            if end in seen:
                raise WiringError("WIRING-001", "/".join(end), "two cables", "one cable a port", "correct the links")
            seen.add(end)
