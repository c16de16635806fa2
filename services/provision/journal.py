"""The record of what was installed: an append-only file of JSON lines, each on the disk before anybody hears of it.

Its first line gives it an id at random: whoever remembers an installation can tell this journal from a new or another one.
"""

import fcntl
import hashlib
import json
import os
import secrets
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

ORDER = {"issued": 0, "begun": 1, "finished": 2}


class JournalError(Exception):
    """The journal can't be read or written: nothing is answered any more, because installations must not be guessed."""


@dataclass(frozen=True, slots=True)
class Installation:
    """The newest known facts of one (serial, generation).

    `issue` counts its media from 1; `position` is the line that changed it last.
    """

    serial: str
    generation: int
    state: str
    name: str
    image: str
    image_sha256: str
    expires: int
    seed: dict[str, Any] = field(repr=False)
    host_key_fingerprint: str | None = None
    issue: int = 0
    position: int = 0

    def seed_sha256(self) -> str:
        """SHA-256 of the seed as sorted JSON."""
        return hashlib.sha256(json.dumps(self.seed, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def record(self) -> dict[str, Any]:
        """What the service answers."""
        return {
            "serial": self.serial,
            "generation": self.generation,
            "state": self.state,
            "name": self.name,
            "hostKeyFingerprint": self.host_key_fingerprint,
            "imageSha256": self.image_sha256,
            "seedSha256": self.seed_sha256(),
        }


class Journal:
    """All installations, newest generation per serial. Thread-safe; one process at a time. Raises JournalError."""

    def __init__(self, path: Path) -> None:
        self.id = ""
        self.cut_bytes = 0
        self.changed = threading.Condition()
        self._newest: dict[str, Installation] = {}
        self._position = 0
        self._size = 0
        self._broken = ""
        self._descriptor = _open(path)
        self._replay(path)
        if not self.id:
            self.id = secrets.token_hex(16)
            self._write({"event": "journal", "id": self.id, "at": _now()})
            _sync_folder(path.parent)

    @property
    def position(self) -> int:
        """Number of lines so far."""
        return self._position

    def newest(self, serial: str) -> Installation | None:
        """The installation of the highest generation of a machine."""
        with self.changed:
            return self._newest.get(serial)

    def after(self, position: int, wait_s: float) -> tuple[int, list[Installation]]:
        """(position now, what changed after `position`), waiting at most `wait_s` for a change."""
        with self.changed:
            self.changed.wait_for(lambda: self._position > position, wait_s)
            found = [item for item in self._newest.values() if item.position > position]
            return self._position, sorted(found, key=lambda item: item.position)

    def issue(self, installation: Installation, known: Installation | None) -> Installation | None:
        """Writes `issued`. None if `known` isn't the newest any more: the caller looks again."""
        with self.changed:
            if self._newest.get(installation.serial) != known:
                return None
            again = known is not None and known.generation == installation.generation
            item = replace(installation, state="issued", issue=known.issue + 1 if known and again else 1)
            extra = {"image": item.image, "imageSha256": item.image_sha256, "seed": item.seed, "expires": item.expires}
            return self._append("issued", item, {**extra, "issue": item.issue})

    def advance(self, known: Installation, state: str, fingerprint: str) -> Installation | None:
        """Writes `begun` or `finished`; repeats write nothing.

        None if that isn't the next step of the medium `known` was read from, or if another attempt (fingerprint) has begun:
        this is the fence against a second wipe, whoever switched the machine on.
        """
        with self.changed:
            item = self._newest.get(known.serial)
            if item is None or (item.generation, item.issue) != (known.generation, known.issue):
                return None
            step = ORDER[state] - ORDER[item.state]
            if step not in {0, 1} or (item.state != "issued" and item.host_key_fingerprint != fingerprint):
                return None
            if step == 0:
                return item
            item = replace(item, state=state, host_key_fingerprint=fingerprint)
            return self._append(state, item, {"hostKeyFingerprint": fingerprint})

    def _append(self, event: str, item: Installation, extra: dict[str, Any]) -> Installation:
        line = {"event": event, "serial": item.serial, "generation": item.generation, "name": item.name, "at": _now(), **extra}
        with self.changed:
            self._write(line)
            item = replace(item, position=self._position)
            self._newest[item.serial] = item
            self.changed.notify_all()
        return item

    def _write(self, line: dict[str, Any]) -> None:
        """The whole line is on the disk, or the file is as before; if not even that is sure, nothing is written any more."""
        data = json.dumps(line, sort_keys=True).encode() + b"\n"
        if self._broken:
            raise JournalError(f"journal: {self._broken}; nothing is written until the service is started again")
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(self._descriptor, left) :]
            os.fsync(self._descriptor)
        except OSError as error:
            self._undo(error)
        self._size += len(data)
        self._position += 1

    def _undo(self, error: OSError) -> NoReturn:
        reason = error.strerror or type(error).__name__
        self._broken = reason
        with suppress(OSError):
            os.ftruncate(self._descriptor, self._size)
            os.fsync(self._descriptor)
            self._broken = ""
        raise JournalError(f"journal: {reason}") from None

    def _replay(self, path: Path) -> None:
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        self.cut_bytes = len(content) - whole
        self._size = whole
        if self.cut_bytes:
            os.ftruncate(self._descriptor, whole)
            os.fsync(self._descriptor)
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                self._apply(json.loads(line), number)
            except (ValueError, KeyError, TypeError) as error:
                raise JournalError(f"{path}:{number}: unreadable line ({type(error).__name__})") from None
        self._position = content[:whole].count(b"\n")

    def _apply(self, line: dict[str, Any], number: int) -> None:
        if line["event"] == "journal":
            if self.id or not line["id"]:
                raise ValueError("journal")
            self.id = line["id"]
            return
        serial, generation, state = line["serial"], int(line["generation"]), line["event"]
        if state == "issued":
            self._newest[serial] = Installation(
                serial, generation, state, line["name"], line["image"], line["imageSha256"], line["expires"], line["seed"],
                issue=line.get("issue", 1), position=number,
            )  # fmt: skip
            return
        known = self._newest[serial]
        if state not in ORDER or known.generation != generation:
            raise ValueError(state)
        fingerprint = line.get("hostKeyFingerprint")
        self._newest[serial] = replace(known, state=state, host_key_fingerprint=fingerprint, position=number)


def _open(path: Path) -> int:
    """The file, ours alone. Raises JournalError where another process has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise JournalError(f"{path}: another process has it open") from None
    return descriptor


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
