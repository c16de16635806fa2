"""HTTPS with basic authentication to one switch: what is trusted, what may be sent again. Knows no NVUE object."""

import json
import time
from typing import Any

import urllib3
from urllib3.util.ssl_ import create_urllib3_context

from providers.fabric import errors
from providers.fabric.switch import place
from providers.kit import Cancel, Credential, Deadline, resolve_path
from providers.kit.lifetime import mutation
from providers.kit.web import json_of, why_lost, why_untrusted

CONNECT_S, READ_S = 5.0, 30.0
LATER = {429, 502, 503, 504}  # also what the front server says while the one behind it starts anew
UNREACHABLE_S = 12.0  # how long a GET knocks at a switch that doesn't answer
BUSY_S = 60.0  # how long a GET waits for a switch that says 503 or 429


class Lost(Exception):  # noqa: N818
    """No answer, so the effect of a mutation is unknown: read the state before anything is sent again."""


class Https:
    """A connection to one switch, for one thread at a time. `fresh()` makes another one."""

    def __init__(
        self, address: str, ca_file: str, credential: Credential, where: str, cancel: Cancel, deadline: Deadline
    ) -> None:
        self.address = ":".join(map(str, place(address, 8765)))
        self.where, self.cancel, self.deadline = where, cancel, deadline
        self._ca_file, self._credential = ca_file, credential
        context = create_urllib3_context()
        try:
            context.load_verify_locations(cafile=str(resolve_path(ca_file)))
        except OSError as error:
            raise errors.untrusted(where, f"{ca_file}: {error.strerror or error}", "a file with an authority") from None
        self._headers = urllib3.make_headers(basic_auth=f"{credential.username}:{credential.password}")
        self._pool = urllib3.connection_from_url(f"https://{self.address}", maxsize=1, ssl_context=context)

    def fresh(self) -> "Https":
        """A new connection: what goes over it proves that the switch can be reached now."""
        self.close()
        return Https(self.address, self._ca_file, self._credential, self.where, self.cancel, self.deadline)

    def close(self) -> None:
        """Closes the connection."""
        self._pool.close()

    def get(self, path: str, patience_s: float = UNREACHABLE_S) -> tuple[int, Any]:
        """GET, again after 429, 502 to 504, a reset or a timeout, for `patience_s`. Raises SwitchError, Cancelled."""
        start, attempt = time.monotonic(), 0
        while True:
            spent = time.monotonic() - start
            pause = min(2.0, 0.25 * 2**attempt)
            try:
                status, body = self.once("GET", path)
            except Lost as lost:
                if spent + pause >= patience_s or self.deadline.passed():
                    raise errors.unreachable(self.where, str(lost), spent) from None
            else:
                if status not in LATER:
                    return self._login(status), body
                if spent + pause > BUSY_S or self.deadline.left() < pause:
                    raise errors.busy(self.where, f"GET {path}: {status}, still busy", spent)
            attempt += 1
            self.cancel.wait(pause, self.where)

    def mutate(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Sends once, never again. Raises Lost if the effect is unknown."""
        with mutation():
            status, value = self.once(method, path, body)
        return self._login(status), value

    def _login(self, status: int) -> int:
        if status in {401, 403}:
            raise errors.refused_login(self.where, self._credential.username)
        return status

    def once(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """One request. Raises Lost, SwitchError (SWITCH-014)."""
        self.cancel.check(self.where)
        headers = {"Accept": "application/json", **self._headers}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            answer = self._pool.urlopen(
                method, path, body=None if body is None else json.dumps(body).encode(), headers=headers, retries=False,
                timeout=urllib3.Timeout(connect=CONNECT_S, read=max(1.0, min(READ_S, self.deadline.left()))), redirect=False,
            )  # fmt: skip
        except urllib3.exceptions.SSLError as error:
            found = why_untrusted(error)
            if found is None:
                raise Lost("the TLS connection broke") from None
            raise errors.untrusted(self.where, f"certificate not trusted: {found}", "one signed by caFile") from None
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise Lost(why_lost(error, CONNECT_S, READ_S)) from None
        return answer.status, json_of(answer.data)
