"""YAML -> a tree in which every scalar keeps its text, its quotes, its line and its column.

A value is never made here: YAML 1.1 and 1.2 read `08`, `on` and `1_0` differently, and which of them NetBox's user meant is not
for a reader to guess.
"""

from collections.abc import Iterator
from typing import Any, cast

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from railyard.read.text import Notebook, shown

MAX_BYTES = 8 * 1024 * 1024
"""Of one YAML file. A device type has some 20 kB; large tables come as CSV, or one flow mapping to a line."""
MAX_NODES = 200_000
"""Nodes after aliases are expanded: a few lines of aliases can stand for billions."""
MAX_DEPTH = 16
_ENDS = ("StreamStartEvent", "StreamEndEvent", "DocumentStartEvent", "DocumentEndEvent")


class Scalar(msgspec.Struct, frozen=True, gc=False):
    """One scalar as written; `plain`: without quotes."""

    text: str
    plain: bool
    line: int
    column: int


class Seq(msgspec.Struct, frozen=True):
    """A list."""

    items: "tuple[Node, ...]"
    line: int
    column: int


class Map(msgspec.Struct, frozen=True):
    """A mapping in the file's order; a key that stands twice is in the notebook already, and the first one here."""

    entries: "dict[str, tuple[Scalar, Node]]"
    line: int
    column: int

    def get(self, key: str) -> "Node | None":
        """The node of a key."""
        entry = self.entries.get(key)
        return entry[1] if entry else None


Node = Scalar | Seq | Map


class _TooMuchError(Exception):
    pass


def documents(text: str, book: Notebook) -> list[Node]:
    """Every document of a YAML text that isn't empty. What can't be read is in the notebook; then the list may be short."""
    found: list[Node] = []
    if len(text) > MAX_BYTES:
        book.add(
            "READ-001", f"{len(text)} characters of YAML", f"at most {MAX_BYTES}", "give tables as CSV, and types in files"
        )
        return found
    try:
        events = iter(cast(Any, YAML(typ="safe", pure=True)).parse(text))
        for event in events:
            if type(event).__name__ in _ENDS:
                continue
            node = _Tree(events, book).node(event, 0)
            if not (isinstance(node, Scalar) and node.plain and node.text in ("", "null", "~")):
                found.append(node)
    except (_TooMuchError, RecursionError):
        limit = f"{MAX_NODES} values, {MAX_DEPTH} levels"
        book.add("READ-001", "more values than a hall has", limit, "remove aliases that multiply; this is no NetBox file")
    except MarkedYAMLError as error:
        mark = cast(Any, error).problem_mark or cast(Any, error).context_mark
        said = str(cast(Any, error).problem or error)
        _syntax(book, said, mark.line + 1 if mark else None, mark.column + 1 if mark else None)
    except (
        YAMLError,
        ValueError,
        IndexError,
        KeyError,
        TypeError,
        AttributeError,
        AssertionError,
        NotImplementedError,
    ) as error:
        # Some broken text ends inside the YAML library itself; for the reader it is the same thing: no YAML.
        _syntax(book, " ".join(str(error).split())[:120] or type(error).__name__, None, None)
    return found


def _syntax(book: Notebook, found: str, line: int | None, column: int | None) -> None:
    fix = "check this line and the one before it: a bracket, quote, tab or indent; the file may be cut off"
    book.add("READ-002", found, "YAML", fix, line, column)


class _Tree:
    """Events of one document -> nodes. Events (not values) tell a quoted scalar from a plain one."""

    def __init__(self, events: Iterator[Any], book: Notebook) -> None:
        self.events, self.book = events, book
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.count = 0

    def node(self, event: Any, depth: int) -> Node:
        self.count += 1
        if self.count > MAX_NODES or depth > MAX_DEPTH:
            raise _TooMuchError
        line, column, kind = event.start_mark.line + 1, event.start_mark.column + 1, type(event).__name__
        if kind == "AliasEvent":
            return self._alias(event, line, column)
        before = self.count
        if kind == "ScalarEvent":
            made: Node = Scalar(event.value, event.style is None and not event.tag, line, column)
        elif kind == "SequenceStartEvent":
            items: list[Node] = []
            while type(event_in := next(self.events)).__name__ != "SequenceEndEvent":
                items.append(self.node(event_in, depth + 1))
            made = Seq(tuple(items), line, column)
        else:
            made = self._mapping(line, column, depth)
        if event.anchor:
            self.anchors[event.anchor] = (made, self.count - before + 1)
        return made

    def _alias(self, event: Any, line: int, column: int) -> Node:
        if event.anchor not in self.anchors:
            fix = "write the anchor before the alias, and not inside itself"
            self.book.add("READ-002", f"alias `*{event.anchor}`", "an anchor that ends before it", fix, line, column)
            return Scalar("", False, line, column)
        made, size = self.anchors[event.anchor]
        self.count += size
        return made

    def _mapping(self, line: int, column: int, depth: int) -> Map:
        entries: dict[str, tuple[Scalar, Node]] = {}
        while type(event := next(self.events)).__name__ != "MappingEndEvent":
            key = self.node(event, depth + 1)
            value = self.node(next(self.events), depth + 1)
            if not isinstance(key, Scalar):
                self.book.add(
                    "READ-002", "a key that is a list or a mapping", "a word", "write a plain key", key.line, key.column
                )
            elif key.text in entries:
                first = entries[key.text][0].line
                fix = "delete one of the two"
                self.book.add("READ-005", f"the key {shown(key.text)} again", f"once (line {first})", fix, key.line, key.column)
            else:
                entries[key.text] = (key, value)
        return Map(entries, line, column)
