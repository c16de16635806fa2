"""What every HTTP client of ours asks of urllib3: the JSON of an answer, and why there was none."""

import json
from typing import Any

import urllib3

_WORDS = (
    ("refused", "connection refused"),
    ("No route", "no route"),
    ("unreachable", "network unreachable"),
    ("timed out", "no connection in time"),
)


def json_of(raw: bytes) -> Any:
    """The JSON value of a body; None for an empty body and for what is no JSON."""
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return None


def why_lost(error: Exception, connect_s: float, read_s: float) -> str:
    """Why a request got no answer, in words for a person; the limits in seconds are those it ran under."""
    refused = isinstance(error, urllib3.exceptions.NewConnectionError)
    if isinstance(error, urllib3.exceptions.ConnectTimeoutError) and not refused:
        return f"no connection within {connect_s:.0f} s"
    if isinstance(error, urllib3.exceptions.ReadTimeoutError):
        return f"no answer within {read_s:.0f} s"
    text = str(error)
    return next((reason for word, reason in _WORDS if word in text), "the connection broke")


def why_untrusted(error: Exception) -> str | None:
    """What is wrong with a certificate, in OpenSSL's words; None where the connection broke for another reason."""
    text = str(error)
    if "CERTIFICATE" not in text.upper():
        return None
    for mark in ("certificate verify failed: ", "CERTIFICATE_VERIFY_FAILED] "):
        if mark in text:
            return text.split(mark, 1)[1].split(" (_ssl", 1)[0].strip(" '\")")
    return "verification failed"
