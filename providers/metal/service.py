"""Client of the provisioning service (services/provision/PROTOCOL.md). One watcher per service tells all waiting machines."""

import threading
from dataclasses import dataclass
from typing import Any

import requests
from requests.adapters import HTTPAdapter

from providers.kit import Cancel, Credential, Deadline, ProviderError, read_reference, resolve_path
from providers.kit.lifetime import mutation
from providers.kit.resource import Properties
from providers.metal import errors
from providers.metal.transport import backoff

TIMEOUT_S = (5.0, 30.0)
TRIES = 5
LONG_POLL_S = 10

_clients: dict[tuple[str, str, str], "Provisioner"] = {}
_guard = threading.Lock()


@dataclass(frozen=True, slots=True)
class Record:
    """What the journal knows of a machine's newest installation."""

    generation: int
    state: str
    name: str = ""
    fingerprint: str = ""
    image_sha256: str = ""
    seed_sha256: str = ""

    @classmethod
    def parse(cls, body: Properties) -> "Record":
        """From the service's JSON."""
        return cls(
            int(body["generation"]),
            str(body["state"]),
            str(body.get("name") or ""),
            str(body.get("hostKeyFingerprint") or ""),
            str(body.get("imageSha256") or ""),
            str(body.get("seedSha256") or ""),
        )


@dataclass(frozen=True, slots=True)
class Seen:
    """One look into the journal: which journal it is, and what it has about a machine (None: nothing)."""

    journal_id: str
    record: Record | None


def provisioner(inputs: Properties) -> "Provisioner":
    """The client for these inputs, one per process and service."""
    key = (inputs["serviceUrl"], inputs.get("serviceCaFile") or inputs["caFile"], inputs["adminRef"])
    with _guard:
        if key not in _clients:
            _clients[key] = Provisioner(*key)
        return _clients[key]


class Provisioner:
    """Thread-safe."""

    def __init__(self, url: str, ca_file: str, admin_ref: str) -> None:
        self.url = url
        self._verify = str(resolve_path(ca_file))
        self._admin_ref = admin_ref
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.mount("https://", HTTPAdapter(pool_connections=1, pool_maxsize=32))
        self._lock = threading.Lock()
        self._journal_id = ""
        self._records: dict[str, Record] = {}
        self._waiting: dict[str, threading.Event] = {}
        self._watching = False
        self._trouble = ""

    def look(self, serial: str, cancel: Cancel) -> Seen:
        """The newest installation of a machine. Raises METAL-033, METAL-034."""
        status, body = self._call("GET", f"/v1/installations/{requests.utils.quote(serial, safe='')}", None, cancel)
        if status not in {200, 404}:
            raise errors.service_refused(self.url, status, str(body.get("error", "")))
        return Seen(str(body.get("journalId") or ""), Record.parse(body) if status == 200 else None)

    def issue(self, request: Properties, where: str, cancel: Cancel, *, renew: bool = False) -> str:
        """The URL of the medium, "" if this installation has begun or finished meanwhile (then it's only waited for).

        The service is idempotent, so this may be sent again. With `renew` every medium that is out is worth nothing from
        here on: no machine can begin from it, so that switching the machine off can't hit an installation.
        """
        with mutation():
            status, body = self._call("POST", "/v1/installations", {**request, "renew": renew}, cancel)
        if status == 409 and body.get("state") in {"begun", "finished"} and body.get("generation") == request["generation"]:
            return ""
        if status != 201:
            raise errors.service_refused(where, status, str(body.get("error", "")))
        return str(body["mediaUrl"])

    def wait(self, serial: str, generation: int, cancel: Cancel, deadline: Deadline, where: str) -> Record | None:
        """Waits for `finished`; the record as it is at the deadline otherwise. Raises Cancelled, METAL-033, METAL-034.

        What the watcher tells wakes a wait, never ends it: the journal itself is read again first, also at the deadline.
        """
        while True:
            with self._lock:
                event = self._waiting.setdefault(serial, threading.Event())
                record = self._records.get(serial)
                if not self._watching:
                    self._watching = True
                    threading.Thread(target=self._watch, args=(cancel,), name="provision-watch", daemon=True).start()
            if record and record.generation >= generation and record.state == "finished":
                seen = self.look(serial, cancel).record
                if seen and seen.generation >= generation and seen.state == "finished":
                    return seen
                self._forget(serial, record)
                continue
            if not cancel.wait_for(event, deadline.left(), where):
                return self.look(serial, cancel).record

    def known(self, record: Record | None) -> str:
        """For messages: the state, and trouble with the service."""
        text = f"journal: {record.state if record else 'nothing'}"
        return f"{text}; service: {self._trouble}" if self._trouble else text

    def _forget(self, serial: str, record: Record) -> None:
        with self._lock:
            if self._records.get(serial) is record:
                del self._records[serial]

    def _watch(self, cancel: Cancel) -> None:
        position, attempt = 0, 0
        while not cancel.is_set():
            try:
                position = self._follow(position)
            except Exception as error:  # noqa: BLE001  (without its watcher every machine would wait its whole deadline)
                self._trouble, attempt = _short(error), attempt + 1
                cancel_wait(cancel, backoff(attempt))
            else:
                self._trouble, attempt = "", 0

    def _follow(self, position: int) -> int:
        """One long poll: the position to ask for next, 0 if it's another journal, or a shorter one, than last time."""
        status, body = self._once("GET", f"/v1/changes?after={position}&wait={LONG_POLL_S}", None)
        if status != 200:
            raise OSError(f"answered {status}")
        after, journal_id = int(body["next"]), str(body.get("journalId") or "")
        if after < position or (self._journal_id and journal_id != self._journal_id):
            with self._lock:
                self._records.clear()
            after = 0
        else:
            self._tell(body["installations"])
        self._journal_id = journal_id
        return after

    def _tell(self, changed: list[Properties]) -> None:
        with self._lock:
            for body in changed:
                serial = str(body["serial"])
                self._records[serial] = Record.parse(body)
                event = self._waiting.pop(serial, None)
                if event:
                    event.set()

    def _call(self, method: str, path: str, body: Any, cancel: Cancel) -> tuple[int, Properties]:
        for attempt in range(TRIES):
            try:
                status, answer = self._once(method, path, body)
            except requests.exceptions.SSLError as error:
                raise errors.service_down(self.url, f"certificate not trusted: {_short(error)}") from None
            except OSError as error:
                if attempt == TRIES - 1:
                    raise errors.service_down(self.url, _short(error)) from None
            else:
                if status not in {429, 502, 503}:
                    return status, answer
            cancel.wait(backoff(attempt), self.url)
        raise errors.service_down(self.url, "busy (503)")

    def _once(self, method: str, path: str, body: Any) -> tuple[int, Properties]:
        admin: Credential = read_reference(self._admin_ref, "railyard:install.adminRef")
        answer = self._session.request(
            method,
            self.url + path,
            json=body,
            auth=(admin.username.encode(), admin.password.encode()),
            timeout=TIMEOUT_S,
            verify=self._verify,
            allow_redirects=False,
        )
        try:
            value = answer.json() if answer.content else {}
        except ValueError:
            value = {}
        return answer.status_code, value if isinstance(value, dict) else {}


def cancel_wait(cancel: Cancel, seconds: float) -> None:
    """A pause of the watcher; it ends quietly on Cancel."""
    try:
        cancel.wait(seconds)
    except ProviderError:
        return


def _short(error: BaseException) -> str:
    if not isinstance(error, OSError):
        return error.problems[0].found if isinstance(error, ProviderError) else type(error).__name__
    text = str(error)
    for word in ("refused", "timed out", "unreachable", "certificate verify failed", "No such file"):
        if word in text:
            return word if word != "refused" else "connection refused"
    return text[:120] if not isinstance(error, requests.exceptions.RequestException) else "the connection broke"
