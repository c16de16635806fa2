"""The passphrase that pulumi would use, and whether it opens a stack file: asked before anything is started."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.errors import EngineError
from engine.workspace import Workspace

VARIABLE, FILE = "PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE"
_ITERATIONS = 1_000_000
_SALT = re.compile(r"^encryptionsalt:\s*(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Given:
    """What pulumi would use (None: nothing is set, or its file can't be read) and where it comes from."""

    value: str | None
    source: str


def given(environment: Mapping[str, str]) -> Given:
    """As pulumi reads it: the variable wins over the file, even where it is empty; of a file, without the space around it."""
    direct = environment.get(VARIABLE)
    if direct is not None:
        return Given(direct, VARIABLE)
    file = environment.get(FILE, "")
    try:
        return Given(Path(file).read_bytes().decode("utf-8", "surrogateescape").strip(), f"{FILE} ({file})")
    except OSError:
        return Given(None, f"{FILE} ({file or 'not set'})")


def published(root: Path) -> str | None:
    """The examples' passphrase, which lies in the checkout for everybody to read."""
    file = root / "lab" / "passphrase"
    return file.read_text(encoding="utf-8").strip() if file.is_file() else None


def salt_of(stack_file: str) -> str | None:
    """`encryptionsalt` of a stack file's text; None where there is none (never deployed, or another secrets provider)."""
    found = _SALT.search(stack_file)
    return found[1].strip("\"'") if found else None


def opens(salt: str, passphrase: str) -> bool:
    """Whether `salt` was made from `passphrase`. False, too, where it is no salt that we know."""
    return fits(salt, passphrase) is True


@cache
def fits(salt: str, passphrase: str) -> bool | None:
    """The engine's own check of a passphrase (`v1:salt:v1:nonce:text`): does it decrypt the text? None: another format.

    A third of a second, by design of the key derivation.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        version, own, inner, nonce, text = salt.split(":")
        own_bytes, nonce_bytes, text_bytes = (base64.b64decode(part, validate=True) for part in (own, nonce, text))
    except (ValueError, binascii.Error):
        return None
    if (version, inner) != ("v1", "v1"):
        return None
    key = hashlib.pbkdf2_hmac("sha256", passphrase.encode("utf-8", "surrogateescape"), own_bytes, _ITERATIONS, 32)
    try:
        return AESGCM(key).decrypt(nonce_bytes, text_bytes, None) == b"pulumi"
    except InvalidTag:
        return False
    except ValueError:
        return None


def require_passphrase(workspace: Workspace, stack: str) -> None:
    """Raises EngineError (ENGINE-010) where the passphrase in use is not the one that the stack file was encrypted with."""
    file = workspace.stack_file(stack)
    salt, used = salt_of(file.read_text(encoding="utf-8", errors="replace")), given(workspace.environment)
    if salt is None or used.value is None or fits(salt, used.value) is not False:
        return
    example = published(workspace.root)
    fix = f"set {FILE} to the file with that passphrase, then . ./.envrc"
    if used.source == VARIABLE:
        fix = f"unset {VARIABLE}; {fix}"
    if example is not None and opens(salt, example):
        fix = f"the examples' own opens it: unset {VARIABLE} {FILE}; . ./.envrc"
    found = f"incorrect passphrase: that of {used.source} doesn't open {file.name}"
    raise EngineError("ENGINE-010", f"stack {stack}", found, "the passphrase that the stack was made with", fix)
