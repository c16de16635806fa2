"""HTTP to one BMC: TLS, the cap of requests in flight, what may be sent again. Knows no Redfish resource.

urllib3 itself, not requests: most of what a small answer takes would be requests' own time, and a machine gives a hundred. And
urllib3 looks for no proxy, CA or password in the environment.
"""

import email.utils
import json
import ssl
import threading
import time
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import urllib3
from urllib3.util.ssl_ import create_urllib3_context

from providers.kit import Cancel, Deadline, resolve_path
from providers.kit.lifetime import mutation
from providers.kit.web import json_of, why_lost, why_untrusted
from providers.metal import errors
from railyard.model.urls import authority

IN_FLIGHT = 32
CONNECT_S, READ_S = 5.0, 30.0
UNREACHABLE_S = 12.0  # how long a GET knocks at a BMC that doesn't answer
BUSY_S = 60.0  # how long a GET waits for a BMC that says 503 or 429
_slots = threading.BoundedSemaphore(IN_FLIGHT)


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP answer; `body` is the JSON value, or None."""

    status: int
    headers: Any = field(repr=False)
    body: Any = field(repr=False)

    @property
    def ok(self) -> bool:
        """2xx."""
        return 200 <= self.status < 300


class Lost(Exception):  # noqa: N818
    """No answer, so the effect of a mutation is unknown: read the state before anything is sent again."""


class Link:
    """A connection to one BMC, for one thread at a time."""

    def __init__(self, address: str, ca_file: str, verify_tls: bool, where: str, cancel: Cancel, deadline: Deadline) -> None:
        self.where = f"{where} ({address})" if where != address else address
        self.cancel = cancel
        self.deadline = deadline
        self.token: str | None = None
        try:
            context = _trust(ca_file) if verify_tls else _blind()
        except OSError as error:
            raise errors.untrusted(self.where, f"{ca_file}: {error.strerror or error}") from None
        self._pool = urllib3.connection_from_url(f"https://{authority(address)}", maxsize=1, ssl_context=context)

    def close(self) -> None:
        """Closes the connection."""
        self._pool.close()

    def get(self, path: str) -> Reply:
        """GET, again after 503, 429, reset or timeout, until the deadline. Raises MetalError, Cancelled."""
        start, attempt = time.monotonic(), 0
        while True:
            spent = time.monotonic() - start
            try:
                reply = self._once("GET", path, None, {})
            except Lost as lost:
                if spent >= min(UNREACHABLE_S, self.deadline.limit_s) or self.deadline.passed():
                    raise errors.unreachable(self.where, str(lost), spent) from None
                pause = backoff(attempt)
            else:
                if reply.status not in {503, 429}:
                    return reply
                pause = retry_after(reply, backoff(attempt))
                if spent + pause > BUSY_S or self.deadline.left() < pause:
                    raise errors.busy(self.where, f"GET {path}", spent)
            attempt += 1
            self.cancel.wait(pause, self.where)

    def mutate(self, method: str, path: str, body: Any, headers: dict[str, str] | None = None) -> Reply:
        """Sends once, never again. Raises Lost if the effect is unknown."""
        with mutation():
            return self._once(method, path, body, headers or {})

    def _once(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Reply:
        self.cancel.check(self.where)
        if not path.startswith("/"):  # a link of the BMC's, to somebody else
            raise errors.malformed(self.where, f"link {path}", "not a path")
        headers = {"Accept": "application/json", "OData-Version": "4.0", **headers}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self.token:
            headers["X-Auth-Token"] = self.token
        while not _slots.acquire(timeout=0.5):
            self.cancel.check(self.where)
        try:
            answer = self._pool.urlopen(
                method,
                path,
                body=None if body is None else json.dumps(body).encode(),
                headers=headers,
                timeout=urllib3.Timeout(connect=CONNECT_S, read=max(1.0, min(READ_S, self.deadline.left()))),
                retries=False,
                redirect=False,
            )
        except urllib3.exceptions.SSLError as error:
            found = why_untrusted(error)
            if found is None:
                raise Lost("the TLS connection broke") from None
            raise errors.untrusted(self.where, found) from None
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise Lost(why_lost(error, CONNECT_S, READ_S)) from None
        finally:
            _slots.release()
        return Reply(answer.status, answer.headers, json_of(answer.data))


def _trust(ca_file: str) -> ssl.SSLContext:
    """Trusts this file's authorities and nobody else; names and addresses are compared. Raises OSError."""
    path = resolve_path(ca_file)
    return _loaded(str(path), path.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _loaded(path: str, _: int) -> ssl.SSLContext:
    """Made once for each state of a file: it costs as much as some requests."""
    context = create_urllib3_context()
    context.load_verify_locations(cafile=path)
    return context


@lru_cache(maxsize=1)
def _blind() -> ssl.SSLContext:
    """Checks nothing."""
    urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    context = create_urllib3_context(cert_reqs=ssl.CERT_NONE)
    context.check_hostname = False
    return context


def backoff(attempt: int) -> float:
    """Pause before try number `attempt + 2`, seconds."""
    return min(5.0, 0.25 * 2**attempt)


def retry_after(reply: Reply, default_s: float) -> float:
    """`Retry-After` as seconds or as a date, between 0.1 and 30; the default where it's absent or nonsense."""
    text = reply.headers.get("Retry-After", "")
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
        except (TypeError, ValueError):
            return default_s
    return min(30.0, max(0.1, seconds))
