"""What only this server can make: media tokens and call-home keys, from one secret in a file.

Both hang on the journal's id and on the issue: a medium that was issued anew, or whose journal was lost, opens nothing.
"""

import base64
import binascii
import hashlib
import hmac
import os
import secrets
from dataclasses import astuple, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Issue:
    """One medium: the `number`-th that was issued for this serial and generation. `expires` is Unix time in seconds."""

    serial: str
    generation: int
    number: int
    expires: int


class Tokens:
    """Makes and checks. `path` holds the secret (hex, mode 600) and is made at the first start."""

    def __init__(self, path: Path, journal_id: str) -> None:
        self._secret = _load(path)
        self._journal_id = journal_id.encode()

    def media(self, issue: Issue) -> str:
        """The token of one medium."""
        text = _text(issue)
        return f"{base64.urlsafe_b64encode(text).decode().rstrip('=')}.{self._mac(b'media', text)}"

    def read_media(self, token: str) -> Issue | None:
        """The issue of a token that we made, else None."""
        coded, _, mac = token.partition(".")
        try:
            text = base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4))
            serial, *numbers = text.decode().split("\0")
            generation, number, expires = map(int, numbers)
        except (binascii.Error, ValueError):
            return None
        if not hmac.compare_digest(mac.encode(), self._mac(b"media", text).encode()):
            return None
        return Issue(serial, generation, number, expires)

    def call_home_key(self, issue: Issue) -> str:
        """The key (hex) that signs the calls home of one medium."""
        return self._mac(b"callhome", _text(issue))

    def signed(self, issue: Issue, body: bytes, signature: str) -> bool:
        """True if `signature` was made over `body` with the key of this medium."""
        key = bytes.fromhex(self.call_home_key(issue))
        wanted = hmac.new(key, body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(wanted.encode(), signature.strip().lower().encode("utf-8", "replace"))

    def _mac(self, purpose: bytes, text: bytes) -> str:
        return hmac.new(self._secret, b"\0".join((purpose, self._journal_id, text)), hashlib.sha256).hexdigest()


def _text(issue: Issue) -> bytes:
    return "\0".join(map(str, astuple(issue))).encode()


def _load(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        secret = bytes.fromhex(path.read_text(encoding="ascii").strip())
        if len(secret) < 32:
            raise ValueError(f"{path} holds less than 32 bytes") from None
        return secret
    secret = secrets.token_bytes(32)
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.write(secret.hex() + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    return secret
