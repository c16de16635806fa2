"""What only this server can make: media tokens and the call-home key of each installation, from one secret in a file."""

import base64
import binascii
import hashlib
import hmac
import os
import secrets
from pathlib import Path


class Tokens:
    """Makes and checks. `path` holds the secret (hex, mode 600) and is made at the first start."""

    def __init__(self, path: Path) -> None:
        self._secret = _load(path)

    def media(self, serial: str, generation: int, expires: int) -> str:
        """The token of one medium; `expires` is Unix time in seconds."""
        text = f"{serial}\0{generation}\0{expires}".encode()
        return f"{base64.urlsafe_b64encode(text).decode().rstrip('=')}.{self._mac(b'media', text)}"

    def read_media(self, token: str) -> tuple[str, int, int] | None:
        """(serial, generation, expires) of a token that we made, else None."""
        coded, _, mac = token.partition(".")
        try:
            text = base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4))
            serial, generation, expires = text.decode().split("\0")
        except (binascii.Error, ValueError):
            return None
        if not hmac.compare_digest(mac.encode(), self._mac(b"media", text).encode()):
            return None
        return serial, int(generation), int(expires)

    def call_home_key(self, serial: str, generation: int) -> str:
        """The key (hex) that signs the calls home of one installation."""
        return self._mac(b"callhome", f"{serial}\0{generation}".encode())

    def signed(self, serial: str, generation: int, body: bytes, signature: str) -> bool:
        """True if `signature` is the one of this installation over `body`."""
        key = bytes.fromhex(self.call_home_key(serial, generation))
        wanted = hmac.new(key, body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(wanted.encode(), signature.strip().lower().encode("utf-8", "replace"))

    def _mac(self, purpose: bytes, text: bytes) -> str:
        return hmac.new(self._secret, purpose + b"\0" + text, hashlib.sha256).hexdigest()


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
