"""Replays the requests that `up` made, by the emulator's log, with nothing but http.client: what the site itself costs.

Each machine's requests in their order, one worker per machine, as many workers as the engine runs resources at a time. Bodies
are not in the log: the few that a BMC needs are made here. The client waits where the provider has to: for the power state, and
for the call home (one watcher for all, as in the provider).
"""

import base64
import json
import ssl
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any

from bench.project import BenchError

WORKERS = 32
POLL_S = 0.05
WAIT_S = 300.0
ROOT_PATH, SESSIONS, SYSTEM = "/redfish/v1", "/redfish/v1/SessionService/Sessions", "/redfish/v1/Systems/System_1"

Body = dict[str, Any]
Step = tuple[str, str, int]


@dataclass(frozen=True)
class Target:
    """One machine and the requests to send to it: (method, path, status)."""

    serial: str
    address: str
    issue: Body
    steps: tuple[Step, ...]


def steps_of(log: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Step, ...]]:
    """The requests of a log by serial, in their order."""
    found: dict[str, list[Step]] = defaultdict(list)
    for one in sorted((one for one in log if "method" in one), key=lambda one: one["t"]):
        found[one["serial"]].append((one["method"], one["path"], one["status"]))
    return {serial: tuple(steps) for serial, steps in found.items()}


def credential(path: Path) -> tuple[str, str]:
    """(user, password) of a secrets file."""
    user, password = (line.partition(": ")[2] for line in path.read_text(encoding="utf-8").splitlines()[:2])
    return user, password


class Service:
    """The provisioning service: one connection per thread, one watcher."""

    def __init__(self, address: str, admin: tuple[str, str], context: ssl.SSLContext) -> None:
        self._address, self._context = address, context
        self._headers = {"Authorization": "Basic " + base64.b64encode(":".join(admin).encode()).decode()}
        self._local = threading.local()
        self._finished: dict[str, threading.Event] = defaultdict(threading.Event)
        self._lock = threading.Lock()
        threading.Thread(target=self._watch, daemon=True).start()

    def call(self, method: str, path: str, body: Body | None = None) -> Body:
        """One request; the JSON answer, also of an error."""
        if not hasattr(self._local, "connection"):
            self._local.connection = HTTPSConnection(self._address, context=self._context, timeout=60)
        raw = json.dumps(body).encode() if body is not None else None
        self._local.connection.request(method, path, raw, self._headers)
        with self._local.connection.getresponse() as answer:
            return json.loads(answer.read() or b"{}")

    def wait(self, serial: str) -> None:
        """Until the machine has called home. Raises BenchError."""
        if not self._event(serial).wait(WAIT_S):
            raise BenchError(f"{serial} did not call home within {WAIT_S:.0f} s")

    def _event(self, serial: str) -> threading.Event:
        with self._lock:
            return self._finished[serial]

    def _watch(self) -> None:
        position = 0
        while True:
            try:
                answer = self.call("GET", f"/v1/changes?after={position}&wait=5")
            except (OSError, ValueError):
                return  # the lab is down: the bench is over
            position = answer["next"]
            for one in answer["installations"]:
                if one["state"] == "finished":
                    self._event(one["serial"]).set()


@dataclass
class Replay:
    """One machine's requests under way."""

    target: Target
    service: Service
    context: ssl.SSLContext
    own: tuple[str, str]
    factory: tuple[str, str]
    ntp: list[str]
    sent: Counter[str] = field(default_factory=Counter)
    seen: dict[str, Body] = field(default_factory=dict)
    etags: dict[str, str] = field(default_factory=dict)
    sessions: list[tuple[str, str, HTTPConnection]] = field(default_factory=list)
    has_own: bool = False
    media: str = ""
    wanted_power: str = ""
    connection: HTTPConnection | None = None

    def run(self) -> Counter[str]:
        """All requests; how many of each method. Raises BenchError where an answer differs from the log's."""
        for index, (method, path, status) in enumerate(self.target.steps):
            if (method, path) == ("GET", ROOT_PATH):
                self._enter(index)
            if (method, path) == ("POST", SESSIONS):
                self._login(status)
            elif method == "DELETE" and path.startswith(SESSIONS):
                self._logout()
            else:
                self._step(method, path, status)
        self.service.call("GET", f"/v1/installations/{self.target.serial}")  # as the gate does
        return self.sent

    def _enter(self, index: int) -> None:
        """A new connection; before the second and the third, what the provider does between them."""
        rest = self.target.steps[index:]
        inserts = any(path.endswith("InsertMedia") for _, path, _ in rest)
        if inserts and self.has_own and not self.media and not self.sessions:
            self.service.call("GET", f"/v1/installations/{self.target.serial}")
            self.media = self.service.call("POST", "/v1/installations", self.target.issue)["mediaUrl"]
        elif self.media and not inserts:
            self.service.wait(self.target.serial)
        self.connection = HTTPSConnection(self.target.address, context=self.context, timeout=60)

    def _login(self, status: int) -> None:
        user, password = self.own if self.has_own or status == 401 else self.factory
        answer, headers = self._send("POST", SESSIONS, {"UserName": user, "Password": password}, status)
        if status == 201 and self.connection:
            self.sessions.append((str(answer["@odata.id"]), headers["X-Auth-Token"], self.connection))

    def _logout(self) -> None:
        """The oldest session goes, over its own connection."""
        path, token, connection = self.sessions[0]
        self._send("DELETE", path, None, 204, token, connection)
        connection.close()
        del self.sessions[0]

    def _step(self, method: str, path: str, status: int) -> None:
        if path == SYSTEM + "/Actions/ComputerSystem.Reset":
            self._settle()  # a poll that came too early here, but not in the log
        answer, _ = self._send(method, path, self._body(method, path), status)
        if method == "GET":
            self.seen[path] = answer
            if path == SYSTEM and self.wanted_power and answer["PowerState"] != self.wanted_power:
                time.sleep(POLL_S)
        if path == "/redfish/v1/AccountService/Accounts" and method == "POST":
            self.has_own = True

    def _settle(self) -> None:
        end = time.monotonic() + WAIT_S
        while self.wanted_power and self.seen[SYSTEM]["PowerState"] != self.wanted_power and time.monotonic() < end:
            time.sleep(POLL_S)
            self.seen[SYSTEM], _ = self._send("GET", SYSTEM, None, 200)

    def _body(self, method: str, path: str) -> Body | None:
        if method in {"GET", "DELETE"}:
            return None
        if path.endswith("/Accounts"):
            user, password = self.own
            return {"UserName": user, "Password": password, "RoleId": "Administrator", "Enabled": True}
        if path.endswith("/NetworkProtocol"):
            return {"NTP": {"ProtocolEnabled": True, "NTPServers": self.ntp}}
        if path.endswith("ComputerSystem.Reset"):
            off = self.seen[SYSTEM]["PowerState"] == "Off"
            self.wanted_power = "On" if off else "Off"
            return {"ResetType": "On" if off else "ForceOff"}
        if path.endswith("InsertMedia"):
            return {"Image": self.media}
        return {"Boot": self._boot()} if path == SYSTEM else {}

    def _boot(self) -> Body:
        """The one-time override when the medium is next, else the boot order."""
        if self.media:
            return {
                f"BootSourceOverride{key}": value for key, value in (("Enabled", "Once"), ("Target", "Cd"), ("Mode", "UEFI"))
            }
        alias = {body["BootOptionReference"]: body.get("Alias") for path, body in self.seen.items() if "/BootOptions/" in path}
        order = self.seen[SYSTEM]["Boot"]["BootOrder"]
        return {"BootOrder": sorted(order, key=lambda one: {"Cd": 0, "Hdd": 1}.get(str(alias.get(one)), 2))}

    def _send(
        self, method: str, path: str, body: Body | None, status: int, token: str = "", connection: HTTPConnection | None = None
    ) -> tuple[Body, Any]:
        use = connection or self.connection
        if use is None:
            raise BenchError(f"{self.target.serial}: the log doesn't begin with GET {ROOT_PATH}")
        headers = {"Accept": "application/json", "OData-Version": "4.0", "Content-Type": "application/json"}
        if token or self.sessions:
            headers["X-Auth-Token"] = token or self.sessions[-1][1]
        if method == "PATCH" and path in self.etags:
            headers["If-Match"] = self.etags[path]
        use.request(method, path, json.dumps(body).encode() if body is not None else None, headers)
        with use.getresponse() as answer:
            raw = answer.read()
        self.sent[method] += 1
        self.etags[path] = answer.headers.get("ETag", "")
        if answer.status != status:
            raise BenchError(
                f"replay of {self.target.serial}: {method} {path}: {answer.status}, in the log {status}: {raw[:200]!r}"
            )
        return (json.loads(raw) if raw else {}), answer.headers


def replay(targets: Iterable[Target], folder: Path, service: str, ntp: list[str]) -> tuple[float, Counter[str]]:
    """(seconds, requests by method) of all machines, against the lab instance in `folder`. Raises BenchError."""
    context = ssl.create_default_context(cafile=str(folder / "pki" / "ca.crt"))
    own, factory, admin = (credential(folder / "secrets" / name) for name in ("bmc-account", "bmc-factory", "provision-admin"))
    total: Counter[str] = Counter()
    began = time.perf_counter()
    provisioning = Service(service, admin, context)
    with ThreadPoolExecutor(WORKERS) as pool:
        for sent in pool.map(lambda one: Replay(one, provisioning, context, own, factory, ntp).run(), targets):
            total += sent
    return time.perf_counter() - began, total
