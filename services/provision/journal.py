"""The record of what was installed: an append-only file of JSON lines, each on the disk before anybody hears of it."""

import hashlib
import json
import os
import threading
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ORDER = {"issued": 0, "begun": 1, "finished": 2}


class JournalError(Exception):
    """The journal can't be read: the start stops, because installations must not be guessed."""


@dataclass(frozen=True, slots=True)
class Installation:
    """The newest known facts of one (serial, generation). `position` is the line that changed it last."""

    serial: str
    generation: int
    state: str
    name: str
    image: str
    image_sha256: str
    expires: int
    seed: dict[str, Any] = field(repr=False)
    host_key_fingerprint: str | None = None
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
    """All installations, newest generation per serial. Thread-safe."""

    def __init__(self, path: Path) -> None:
        self.cut_bytes = 0
        self.changed = threading.Condition()
        self._newest: dict[str, Installation] = {}
        self._position = 0
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self._replay(path)

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

    def issue(self, installation: Installation) -> Installation:
        """Writes `issued`."""
        item = replace(installation, state="issued")
        extra = {"image": item.image, "imageSha256": item.image_sha256, "seed": item.seed, "expires": item.expires}
        return self._append("issued", item, extra)

    def advance(self, serial: str, generation: int, state: str, fingerprint: str | None) -> Installation | None:
        """Writes `begun` or `finished`. None if that isn't the next step of the newest installation; repeats write nothing."""
        with self.changed:
            item = self._newest.get(serial)
            if item is None or item.generation != generation:
                return None
            step = ORDER[state] - ORDER[item.state]
            if step == 0:
                return item
            if step != 1:
                return None
            item = replace(item, state=state, host_key_fingerprint=fingerprint or item.host_key_fingerprint)
            return self._append(state, item, {"hostKeyFingerprint": item.host_key_fingerprint})

    def _append(self, event: str, item: Installation, extra: dict[str, Any]) -> Installation:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {"event": event, "serial": item.serial, "generation": item.generation, "name": item.name, "at": at, **extra}
        data = json.dumps(line, sort_keys=True).encode() + b"\n"
        with self.changed:
            os.write(self._descriptor, data)
            os.fsync(self._descriptor)
            self._position += 1
            item = replace(item, position=self._position)
            self._newest[item.serial] = item
            self.changed.notify_all()
        return item

    def _replay(self, path: Path) -> None:
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        self.cut_bytes = len(content) - whole
        if self.cut_bytes:
            os.ftruncate(self._descriptor, whole)
            os.fsync(self._descriptor)
        os.lseek(self._descriptor, 0, os.SEEK_END)
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                self._apply(json.loads(line), number)
            except (ValueError, KeyError, TypeError) as error:
                raise JournalError(f"{path}:{number}: unreadable line ({type(error).__name__})") from None
        self._position = content[:whole].count(b"\n")

    def _apply(self, line: dict[str, Any], number: int) -> None:
        serial, generation, state = line["serial"], int(line["generation"]), line["event"]
        if state == "issued":
            self._newest[serial] = Installation(
                serial, generation, state, line["name"], line["image"], line["imageSha256"], line["expires"], line["seed"],
                position=number,
            )  # fmt: skip
            return
        known = self._newest[serial]
        if state not in ORDER or known.generation != generation:
            raise ValueError(state)
        fingerprint = line.get("hostKeyFingerprint")
        self._newest[serial] = replace(known, state=state, host_key_fingerprint=fingerprint, position=number)
