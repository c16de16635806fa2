"""What the supervisor starts: one long-running process, how to tell that it is ready, and how to stop it."""

import signal
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Service:
    """A process of the instance.

    `ready` is a callable that returns True when the service answers, an https/http URL that must answer with a status below
    500, or None (ready at once). It is asked every 50 ms until `ready_s` seconds have passed. `stop_signal` is sent to the
    process group first; SIGKILL follows after `stop_s` seconds. Output goes to `logs/<name>.log`.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[], bool] | str | None = None
    stop_signal: int = signal.SIGTERM
    ready_s: float = 60.0
    stop_s: float = 10.0


def answers(url: str, ca_file: Path | None = None, timeout_s: float = 2.0) -> bool:
    """True when `url` gives any HTTP answer below 500 (401 and 403 count: the service speaks)."""
    context = ssl.create_default_context(cafile=str(ca_file)) if ca_file and url.startswith("https") else None
    try:
        with urllib.request.urlopen(url, timeout=timeout_s, context=context):  # noqa: S310 (loopback URL made by the lab)
            return True
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False
