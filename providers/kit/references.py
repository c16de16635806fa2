"""Secrets by reference: `file:PATH` (YAML lines `username:` and `password:`) or `env:NAME` (`username:password`).

A reference is what inputs and state hold; the secret is read here at the moment of use, stays in memory, hides in `repr`, and
is told to the redaction, so that no text that leaves the process shows it.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from providers.kit.errors import Problem, ProviderError
from providers.kit.redaction import learn_login

_LINE = re.compile(r"^(username|password)\s*:\s*(.*?)\s*$")


@dataclass(frozen=True, slots=True)
class Credential:
    """A user name and a password that never shows in `repr`."""

    username: str
    password: str = field(repr=False)


def project_root() -> Path:
    """The checkout: `RAILYARD_ROOT`, which the launcher sets from its own location, else the working directory."""
    return Path(os.environ.get("RAILYARD_ROOT") or Path.cwd())


def resolve_path(path: str) -> Path:
    """A path of a property: absolute as it is, relative to the project's root otherwise (state holds no clone's path)."""
    return project_root() / Path(path).expanduser()


def read_reference(ref: str, where: str = "credential") -> Credential:
    """The credential behind a reference.

    Raises ProviderError KIT-010 (bad reference), KIT-011 (file), KIT-012 (environment), KIT-013 (content).
    """
    kind, _, rest = ref.partition(":")
    if kind == "env" and rest:
        text = os.environ.get(rest)
        if not text:
            raise ProviderError(
                Problem(
                    "KIT-012",
                    where,
                    f"environment variable {rest} is not set",
                    "username:password",
                    f"export {rest}=USER:PASSWORD",
                )
            )
        return _pair(text, ref, where)
    if kind == "file" and rest:
        return _lines(read_file_reference(ref, where), ref, where)
    raise _bad(ref, where)


def read_file_reference(ref: str, where: str = "credential") -> str:
    """The text of a `file:` (or `env:`) reference, e.g. a kubeconfig. Errors as `read_reference`."""
    kind, _, rest = ref.partition(":")
    if kind == "env" and os.environ.get(rest):
        return os.environ[rest]
    if kind != "file" or not rest:
        raise _bad(ref, where)
    path = resolve_path(rest)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise ProviderError(
            Problem(
                "KIT-011", where, f"{path}: {reason}", "a readable file", "create the file (mode 600) or correct the reference"
            )
        ) from None


def too_open(ref: str) -> str | None:
    """A warning if the file of the reference can be read by everybody, else None."""
    kind, _, rest = ref.partition(":")
    if kind != "file":
        return None
    try:
        mode = resolve_path(rest).stat().st_mode
    except OSError:
        return None
    return f"{rest} can be read by everybody (mode {mode & 0o777:o}): chmod 600 {rest}" if mode & 0o004 else None


def _bad(ref: str, where: str) -> ProviderError:
    # The text of a wrong reference may be the secret itself, so only its beginning is shown.
    shown = ref.split(":", 1)[0][:8] if ":" in ref else "text without `file:` or `env:`"
    return ProviderError(Problem("KIT-010", where, f"reference of kind '{shown}'", "file:PATH or env:NAME", "correct it"))


def _pair(text: str, ref: str, where: str) -> Credential:
    user, colon, password = text.strip().partition(":")
    if not (user and colon and password):
        raise _content(ref, where, "username:password")
    return _credential(user, password)


def _lines(text: str, ref: str, where: str) -> Credential:
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = _LINE.match(line)
        if match:
            value = match[2]
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            found[match[1]] = value[1:-1] if quoted else value
    if not found.get("username") or not found.get("password"):
        raise _content(ref, where, "two lines, `username: NAME` and `password: SECRET`")
    return _credential(found["username"], found["password"])


def _credential(username: str, password: str) -> Credential:
    learn_login(username, password)
    return Credential(username, password)


def _content(ref: str, where: str, limit: str) -> ProviderError:
    return ProviderError(Problem("KIT-013", where, f"{ref} doesn't hold a credential", limit, "write it in that form"))
