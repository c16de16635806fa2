"""Client of the emulator's control socket."""

import json
import socket
from pathlib import Path
from typing import Any

from lab.errors import LabError
from lab.instance import Instance


def ask(
    instance: Instance, command: str, *, timeout_s: float = 10.0, path: Path | None = None, **fields: Any
) -> dict[str, Any]:
    """Sends one command and returns the answer; `path`: another socket. Raises LabError: LAB-010, or what was refused."""
    place = path or instance.control_socket
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(timeout_s)
            client.connect(str(place))
            client.sendall(json.dumps({"command": command, **fields}).encode() + b"\n")
            raw = b"".join(iter(lambda: client.recv(65536), b""))
        answer = json.loads(raw)
    except (OSError, ValueError) as error:
        found = f"no answer ({type(error).__name__})"
        fix = f"python -m lab up --dir {instance.dir}"
        raise LabError("LAB-010", str(place), found, "a running lab", fix) from error
    if not answer.pop("ok", False):
        raise LabError(*(str(answer.get(key, "")) for key in ("id", "where", "found", "limit", "fix")))
    return answer
