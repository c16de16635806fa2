"""Commands over SSH to one switch whose host key is known. The key is compared before a password is sent."""

import base64
import hashlib
import hmac
import socket
import time
from dataclasses import dataclass

import paramiko

from providers.fabric import errors
from providers.fabric.switch import place
from providers.kit import Cancel, Credential, Deadline
from providers.kit.lifetime import mutation

CONNECT_S, COMMAND_S = 8.0, 120.0
UNREACHABLE_S = 12.0
STEP_S = 0.5  # how often a running command looks whether the run was cancelled


class Lost(Exception):  # noqa: N818
    """The connection broke, so the effect of a command is unknown: read the state before anything is sent again."""


@dataclass(frozen=True)
class Done:
    """What a command left."""

    status: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Its own words, shortened."""
        return " ".join((self.err or self.out).split())[-500:]


class Ssh:
    """A connection to one switch, for one thread at a time; opened by the first command, `close` and it opens anew."""

    def __init__(
        self, address: str, host_key: str, credential: Credential, where: str, cancel: Cancel, deadline: Deadline
    ) -> None:
        host, self._port = place(address, 22)
        self._host = host.strip("[]")
        self._host_key, self._credential = host_key, credential
        self.where, self.cancel, self.deadline = where, cancel, deadline
        self._transport: paramiko.Transport | None = None

    def close(self) -> None:
        """Ends the connection."""
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()

    def look(self, command: str, patience_s: float = UNREACHABLE_S) -> Done:
        """A command that changes nothing; again, over a new connection, while it gets lost. Raises SwitchError, Cancelled."""
        start, attempt = time.monotonic(), 0
        while True:
            try:
                return self._once(command, "")
            except Lost as lost:
                self.close()
                pause = min(2.0, 0.25 * 2**attempt)
                spent = time.monotonic() - start
                if spent + pause >= patience_s or self.deadline.passed():
                    raise errors.unreachable(self.where, str(lost), spent) from None
            attempt += 1
            self.cancel.wait(pause, self.where)

    def act(self, command: str, stdin: str = "") -> Done:
        """A command that changes something: once. Raises Lost if its effect is unknown."""
        with mutation():
            return self._once(command, stdin)

    def _once(self, command: str, stdin: str) -> Done:
        self.cancel.check(self.where)
        try:
            channel = self._connected().open_session(timeout=CONNECT_S)
            with channel:
                channel.settimeout(STEP_S)
                channel.exec_command(command)
                if stdin:
                    channel.sendall(stdin.encode())
                channel.shutdown_write()
                return self._collect(channel)
        except (paramiko.SSHException, OSError, EOFError) as error:
            self.close()
            raise Lost(_reason(error)) from None

    def _collect(self, channel: paramiko.Channel) -> Done:
        out, err, limit = b"", b"", min(time.monotonic() + COMMAND_S, time.monotonic() + self.deadline.left())
        while True:
            self.cancel.check(self.where)
            if time.monotonic() > limit:
                raise Lost(f"no end of the command within {COMMAND_S:.0f} s")
            part = _receive(channel)
            out += part or b""
            while channel.recv_stderr_ready():
                err += channel.recv_stderr(65536)
            if part == b"":
                break
        if not channel.status_event.wait(STEP_S * 4) or channel.exit_status < 0:
            raise Lost("the connection broke in the middle of an answer")
        while channel.recv_stderr_ready():
            err += channel.recv_stderr(65536)
        return Done(channel.exit_status, out.decode(errors="replace"), err.decode(errors="replace"))

    def _connected(self) -> paramiko.Transport:
        if self._transport is not None and self._transport.is_active():
            return self._transport
        connection = socket.create_connection((self._host, self._port), timeout=CONNECT_S)
        transport = paramiko.Transport(connection)
        transport.banner_timeout = transport.auth_timeout = CONNECT_S
        try:
            transport.start_client(timeout=CONNECT_S)
            self._compare(transport.get_remote_server_key())
            transport.auth_password(self._credential.username, self._credential.password, fallback=False)
        except paramiko.AuthenticationException:
            transport.close()
            raise errors.refused_login(self.where, self._credential.username) from None
        except BaseException:
            transport.close()
            raise
        self._transport = transport
        return transport

    def _compare(self, key: paramiko.PKey) -> None:
        digest = base64.b64encode(hashlib.sha256(key.asbytes()).digest()).decode().rstrip("=")
        found = f"SHA256:{digest}"
        if not hmac.compare_digest(found, self._host_key):
            raise errors.untrusted(self.where, f"host key {found}", f"host key {self._host_key} (hostKeySha256)")


def _receive(channel: paramiko.Channel) -> bytes | None:
    """The next bytes; b'' at the end, None when there are none yet."""
    try:
        return channel.recv(65536)
    except TimeoutError:
        return None


def _reason(error: BaseException) -> str:
    text = str(error)
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    if isinstance(error, TimeoutError):
        return f"no connection within {CONNECT_S:.0f} s"
    return "the connection broke" if not text or "reset" in text or "EOF" in text or "closed" in text else text[:120]
