"""Stacks that the published example passphrase opens: fine to preview, never to deploy on real hardware (rule SEC-001)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.emulated import is_loopback

EXAMPLES = frozenset({"lab", "lab-b", "prod-site-a", "prod-site-b", "starter"})
"""The stack files that come with this repository. All of them use the example passphrase."""
_ITERATIONS = 1_000_000
_BMC = re.compile(r"""["']?bmc["']?\s*:\s*["']?(\[[0-9a-fA-F:]+\]|[^\s"',}:]+)""")
_INVENTORY = re.compile(r"""^\s*["']?inventory["']?\s*:\s*["']?([^\s"'#]+)""", re.MULTILINE)
_SALT = re.compile(r"^encryptionsalt:\s*(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Opened:
    """A stack file whose salt the example passphrase opens. `reasons` is why that is not good enough; empty: it is."""

    stack: str
    reasons: tuple[str, ...]
    deployed: bool

    @property
    def harmful(self) -> bool:
        """An example that nobody deployed may stay as it is: it is there to be looked at."""
        return bool(self.reasons) and (self.deployed or self.stack not in EXAMPLES)


@cache
def opens(salt: str, passphrase: str) -> bool:
    """Whether `encryptionsalt` (`v1:salt:v1:nonce:text`, the engine's own check of a passphrase) was made from `passphrase`."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        version, own, inner, nonce, text = salt.split(":")
        own_bytes, nonce_bytes, text_bytes = (base64.b64decode(part, validate=True) for part in (own, nonce, text))
    except (ValueError, binascii.Error):
        return False
    if (version, inner) != ("v1", "v1"):
        return False
    key = hashlib.pbkdf2_hmac("sha256", passphrase.encode(), own_bytes, _ITERATIONS, 32)
    try:
        return AESGCM(key).decrypt(nonce_bytes, text_bytes, None) == b"pulumi"
    except (InvalidTag, ValueError):
        return False


def example_stacks(root: Path, stacks: Path, states: Path | None) -> list[Opened]:
    """Every stack file in `stacks` that `lab/passphrase` opens. `states`: this project's states in a file backend."""
    passphrase = root / "lab" / "passphrase"
    if not passphrase.is_file():
        return []
    secret = passphrase.read_text(encoding="utf-8").strip()
    files = sorted(stacks.glob("Pulumi.?*.yaml"))
    with ThreadPoolExecutor(4) as pool:  # a third of a second each, by design of the key derivation
        found = pool.map(lambda path: _look(root, path, secret, states), files)
    return [opened for opened in found if opened]


def _look(root: Path, path: Path, secret: str, states: Path | None) -> Opened | None:
    text = path.read_text(encoding="utf-8", errors="replace")
    salt = _SALT.search(text)
    if salt is None or not opens(salt[1].strip("\"'"), secret):
        return None
    stack = path.name.removeprefix("Pulumi.").removesuffix(".yaml")
    return Opened(stack, tuple(_reasons(root, text)), states is not None and is_deployed(states / f"{stack}.json"))


def _reasons(root: Path, text: str) -> Iterator[str]:
    if re.search(r"^\s+secure:|\{\s*secure:", text, re.MULTILINE):
        yield "secure: values"
    named = _INVENTORY.search(text)
    inventory = root / named[1] if named else None
    if inventory and inventory.is_file():
        hosts = _BMC.findall(inventory.read_text(encoding="utf-8", errors="replace"))
        real = [host for host in hosts if not is_loopback(host.strip("[]"))]
        if real:
            yield f"{len(real)} BMCs that are not on loopback ({real[0]} …)"


def is_deployed(state: Path) -> bool:
    """Whether a file backend's state has resources."""
    try:
        latest = json.loads(state.read_text(encoding="utf-8"))["checkpoint"]["latest"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return bool(latest and latest.get("resources"))
