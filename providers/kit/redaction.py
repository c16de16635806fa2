"""One redaction for every text that leaves a provider: errors, reasons, log lines, crash files.

A device may send back what it was sent, so no error can know whether its text holds a secret. Whoever reads a secret tells it
to `learn`; the servicer, the engine's log and the crash file pass their texts through `redact`. User names stay readable.
"""

import base64
import html
import json
import re
import threading
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

MASK = "***"
SHORTEST = 6  # a shorter value is part of ordinary words: replacing it would hide the error and show where the value stood
_LINE = 16  # of a PEM text each line is a secret too, its short last one isn't worth much

# By form, as we needn't have read them: /v1/media/TOKEN/ (also percent-encoded), the token alone, user:password@.
_MEDIUM = re.compile(r"((?:/|%2F)v1(?:/|%2F)media(?:/|%2F))(?:(?!%2F)[^/'\"\s])+", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z0-9_-]{8,}\.[0-9a-f]{64}(?![0-9a-f])")
_USERINFO = re.compile(r"(?<=://)[^/\s@:]+:[^/\s@]+(?=@)")


class _Secrets:
    """The secrets that this process has read. It only grows: after a rotation an old value may still come back."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._forms: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self._lock = threading.Lock()

    def add(self, secret: str) -> None:
        if secret in self._known:
            return
        with self._lock:
            self._known.add(secret)
            self._forms |= {form for part in _parts(secret) for form in _written(part)}
            longest_first = sorted(self._forms, key=lambda form: (-len(form), form))
            self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def hide(self, text: str) -> str:
        pattern = self._pattern
        return pattern.sub(MASK, text) if pattern else text


_secrets = _Secrets()


def learn(*secrets: str) -> None:
    """From now on these values never leave the process in a text. Shorter than SHORTEST: ignored."""
    for secret in secrets:
        _secrets.add(secret)


def learn_login(username: str, password: str) -> None:
    """A password, and the header that carries it."""
    learn(password)
    if len(password) >= SHORTEST:
        learn(base64.b64encode(f"{username}:{password}".encode()).decode())


def redact(text: str) -> str:
    """The text without any secret."""
    hidden = _secrets.hide(text)
    hidden = _MEDIUM.sub(rf"\1{MASK}", hidden)
    return _USERINFO.sub(MASK, _TOKEN.sub(MASK, hidden))


def _parts(secret: str) -> Iterable[str]:
    whole = secret.strip()
    yield whole
    if "\n" in whole:
        lines = (line.strip() for line in whole.splitlines())
        yield from (line for line in lines if len(line) >= _LINE and not line.startswith("-----"))


def _written(part: str) -> set[str]:
    """How a text may spell it: as it is, in JSON, in Python, in a URL, in HTML, in base64."""
    if len(part) < SHORTEST:
        return set()
    coded = base64.b64encode(part.encode()).decode()
    forms = {part, json.dumps(part)[1:-1], json.dumps(part, ensure_ascii=False)[1:-1], repr(part)[1:-1], html.escape(part)}
    return forms | {quote(part, safe=""), quote(part), quote_plus(part), coded, coded.rstrip("=")}
