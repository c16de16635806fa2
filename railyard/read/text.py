"""Bytes -> text: gzip, byte order marks, CRLF; and the notebook in which a reader writes what it can't read."""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from railyard.model.errors import Problem, ProblemsError

MAX_BYTES = 512 * 1024 * 1024
"""More than any fabric's files; a small gzip file can stand for terabytes."""
MAX_LINE = 1024
"""Longer lines are no tool's; refusing them keeps patterns from searching through megabytes."""
MAX_PROBLEMS = 20
"""Lines of one file that are named one by one; the others are counted."""
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_SHOWN = 60


class ReadError(ProblemsError):
    """Files from which nothing can be concluded; every problem of every file."""

    heading = "{problems} in the files"

    @staticmethod
    def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """By file and line."""
        return tuple(sorted(set(problems), key=lambda p: (p.where.split(":", 1)[0], p.line or 0, p.where, p.id, p.found)))


@dataclass
class Notebook:
    """Problems of one file. `source` is its name as the user gave it."""

    source: str
    problems: list[Problem] = field(default_factory=list[Problem])
    more: int = 0

    def add(self, number: str, found: str, limit: str, fix: str, line: int | None = None, column: int | None = None) -> None:
        """Note a problem; `line` and `column` count from 1."""
        if len(self.problems) >= MAX_PROBLEMS:
            self.more += 1
            return
        where = self.source if line is None else f"{self.source}:{line}" + ("" if column is None else f":{column}")
        self.problems.append(Problem(number, where, found, limit, fix, line))

    def unreadable(self, text: str, line: int, column: int, limit: str, fix: str = "") -> None:
        """A line, or a part of it, that means nothing here."""
        said = fix or "compare the line with the tool's own output; cut out what isn't from the tool"
        self.add("READ-002", shown(text[column - 1 :]), limit, said, line, column)

    def listed(self) -> list[Problem]:
        """All problems, and how many more there are."""
        if not self.more:
            return self.problems
        rest = Problem("READ-002", self.source, f"{self.more} more problems", f"{MAX_PROBLEMS} are listed", "begin with those")
        return [*self.problems, rest]


def shown(text: str) -> str:
    """A piece of a file for an error message: short, on one line."""
    plain = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return f"`{plain}`".replace("\n", "⏎").replace("\r", "")


def decode(data: bytes, notebook: Notebook) -> str | None:
    """The text of a file, lines ended by LF. None, with the reason in the notebook, where it is no text at all.

    Bytes that are no UTF-8 become U+FFFD: they stand in names of devices, which are compared and never interpreted.
    """
    plain = _unpacked(data, notebook)
    if plain is None:
        return None
    if len(plain) > MAX_BYTES:
        notebook.add("READ-001", f"{len(plain)} bytes", f"at most {MAX_BYTES} bytes", "give the files one by one")
        return None
    text = _decoded(plain)
    if "\x00" in text[:4096]:
        notebook.add("READ-001", "bytes that are no text", "a text file, or one packed with gzip", "give the tool's own output")
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    if not text.strip():
        notebook.add("READ-001", "an empty file", "the output of one of the tools", "run the tool again: it may have failed")
        return None
    return text


def _decoded(plain: bytes) -> str:
    for mark, encoding in _MARKS:
        if plain.startswith(mark):
            return plain[len(mark) :].decode(encoding, "replace")
    return plain.decode("utf-8", "replace")


def _unpacked(data: bytes, notebook: Notebook) -> bytes | None:
    """Every member of a gzip file, up to MAX_BYTES; other bytes as they are."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    parts: list[bytes] = []
    size = 0
    while data.startswith(b"\x1f\x8b"):
        member = zlib.decompressobj(wbits=31)
        try:
            part = member.decompress(data, MAX_BYTES - size + 1)
        except zlib.error as error:
            notebook.add("READ-001", f"a damaged gzip file ({error})", "a whole gzip file", "copy the file again")
            return None
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES:
            break
        if not member.eof:
            notebook.add("READ-001", "a gzip file that ends early", "a whole gzip file", "copy the file again")
            return None
        data = member.unused_data
    return b"".join(parts)


def numbered(text: str, notebook: Notebook) -> Iterator[tuple[int, str]]:
    """Lines with their numbers from 1, without those that no tool writes. Only LF ends a line: U+2028 in a name doesn't."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_LINE:
            notebook.unreadable(line, number, 1, f"a line of at most {MAX_LINE} characters")
        else:
            yield number, line


_INTEGER = re.compile(r"[0-9]{1,9}\Z")


def whole_number(text: str) -> int | None:
    """A number in ASCII digits, None where it is none (`int()` takes underscores and other scripts' digits)."""
    return int(text) if _INTEGER.match(text) else None
