"""Lines for the user: a provider's stdout and stderr are hidden, so they go to the engine; details of a crash go to a file."""

import os
import threading
import traceback
from pathlib import Path

import grpc
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc

from providers.kit.redaction import redact


class EngineLog:
    """Writes to the engine's log; never raises (a lost log line must not fail a machine). Thread-safe."""

    def __init__(self, address: str | None) -> None:
        self._stub = engine_pb2_grpc.EngineStub(grpc.insecure_channel(address)) if address else None
        self._said: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def info(self, message: str, urn: str = "") -> None:
        """A line that the user sees."""
        self._send(engine_pb2.INFO, message, urn)

    def warning(self, message: str, urn: str = "") -> None:
        """A warning that the user sees at the resource `urn`."""
        self._send(engine_pb2.WARNING, message, urn)

    def warning_once(self, message: str, urn: str = "") -> None:
        """The same warning of the same resource only once in this process."""
        with self._lock:
            if (message, urn) in self._said:
                return
            self._said.add((message, urn))
        self.warning(message, urn)

    def debug(self, message: str, urn: str = "") -> None:
        """A line for `--debug`."""
        self._send(engine_pb2.DEBUG, message, urn)

    def _send(self, severity: int, message: str, urn: str) -> None:
        if self._stub is None:
            return
        try:
            request = engine_pb2.LogRequest(severity=severity, message=redact(message), urn=urn)  # type: ignore[arg-type]
            self._stub.Log(request, timeout=2)
        except grpc.RpcError:
            return


def crash_file(provider: str) -> Path:
    """Where unexpected exceptions are written: `$RAILYARD_LOG_DIR` or `~/.cache/railyard/logs`."""
    base = os.environ.get("RAILYARD_LOG_DIR")
    folder = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "railyard" / "logs"
    return folder / f"provider-{provider}.log"


def write_crash(provider: str, what: str) -> Path | None:
    """Appends the current exception's traceback (no local values, texts redacted) to the crash file; None if that fails."""
    path = crash_file(provider)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8") as stream:
            stream.write(redact(f"--- {what}\n{traceback.format_exc()}"))
    except OSError:
        return None
    return path
