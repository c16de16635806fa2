"""Redfish error bodies: messages of the Base registry (DSP0268 wording, version 1.18.1) and the exception that carries them."""

import json
from pathlib import Path
from typing import Any

from lab.bmc.http import Response

REGISTRY = "Base.1.18.1"
PREFIX = "Base.1.18"

# name -> {message, severity, resolution}; %1 … stand for the arguments.
MESSAGES: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "base_registry.json").read_bytes())["messages"]


def message(name: str, *args: object, related: str | None = None) -> dict[str, Any]:
    """One entry of `@Message.ExtendedInfo`. `related` is a JSON pointer to the property that it speaks of ("#/Boot")."""
    known = MESSAGES[name]
    text, severity = known["message"], known["severity"]
    for index, value in enumerate(args, start=1):
        text = text.replace(f"%{index}", str(value))
    entry: dict[str, Any] = {
        "@odata.type": "#Message.v1_2_0.Message",
        "MessageId": f"{PREFIX}.{name}",
        "Message": text,
        "MessageArgs": [str(value) for value in args],
        "MessageSeverity": severity,
        "Severity": severity,
        "Resolution": known["resolution"],
    }
    if related:
        entry["RelatedProperties"] = [related]
    return entry


def body(*entries: dict[str, Any]) -> dict[str, Any]:
    """An error body. The outer code and text are those of a single message, else the general one."""
    first = entries[0] if len(entries) == 1 else message("GeneralError")
    error = {"code": first["MessageId"], "message": first["Message"], "@Message.ExtendedInfo": list(entries)}
    return {"error": error}


class RefusalError(Exception):
    """Ends the handling of a request with an error response."""

    def __init__(self, status: int, *entries: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        super().__init__(", ".join(entry["MessageId"] for entry in entries))
        self.status, self.entries, self.headers = status, entries, headers or {}

    def response(self) -> Response:
        return Response(self.status, body(*self.entries), dict(self.headers))


def refuse(status: int, name: str, *args: object, related: str | None = None) -> RefusalError:
    """A refusal with one message."""
    return RefusalError(status, message(name, *args, related=related))


def echo(sent: bytes) -> Response:
    """What a chatty BMC says to a body: one message per property, with its value (passwords and media too)."""
    entries = [message("PropertyValueFormatError", value, name, related=f"#/{name}") for name, value in _leaves(sent)]
    return Response(400, body(*(entries or [message("MalformedJSON")])))


def _leaves(sent: bytes) -> list[tuple[str, object]]:
    try:
        open_ = [("", json.loads(sent or b"{}"))]
    except ValueError:
        return []
    found: list[tuple[str, object]] = []
    while open_:
        name, value = open_.pop()
        if isinstance(value, dict):
            open_ += [(f"{name}/{key}".lstrip("/"), inner) for key, inner in value.items()]
        else:
            found.append((name, value))
    return sorted(found, key=lambda item: item[0])
