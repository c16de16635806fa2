"""Text -> plain values with their lines. YAML 1.2 as the engine reads it, or JSON; every duplicate key is found."""

import base64
import binascii
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from railyard.load.scalars import plain
from railyard.model.errors import Problem

Path = tuple[str | int, ...]
Value = Any
MAX_DEPTH = 32
MAX_VALUES = 1_000_000
"""Values after aliases are expanded: a few lines of aliases can stand for billions."""

_MERGE = object()


@dataclass
class Document:
    """One file's value, the line of each key, and what was wrong with it. `where` names the file."""

    where: str
    value: Value = None
    lines: dict[Path, int] = field(default_factory=dict[Path, int])
    problems: list[Problem] = field(default_factory=list[Problem])

    def line(self, path: Path) -> int | None:
        """The line of a path, or of the nearest thing around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)

    def add(self, number: str, path: str, found: str, limit: str, fix: str, line: int | None = None) -> None:
        """Note one problem at `path`."""
        self.problems.append(Problem(number, f"{self.where}:{path}" if path else self.where, found, limit, fix, line))


class _TooMuchError(Exception):
    pass


class _TagError(Exception):
    """A tag that its value contradicts; the engine stops there, too."""

    def __init__(self, tag: str, event: Any) -> None:
        super().__init__(f"`{tag}` before `{str(event.value)[:60]}`")
        self.line = int(event.start_mark.line) + 1


_TAGGED: dict[str, tuple[type, ...]] = {"!!int": (int,), "!!float": (int, float), "!!bool": (bool,), "!!null": (type(None),)}


class _Builder:
    """YAML events -> values. Events (not nodes) tell a quoted scalar from a plain one."""

    def __init__(self, document: Document, events: Iterator[Any]) -> None:
        self.document, self.events = document, events
        self.anchors: dict[str, tuple[Value, int]] = {}
        self.count = 0

    def build(self, event: Any, path: Path) -> Value:
        self.count += 1
        if self.count > MAX_VALUES or len(path) > MAX_DEPTH:
            raise _TooMuchError
        kind = type(event).__name__
        if kind == "AliasEvent":
            return self._alias(event, path)
        before = self.count
        if kind == "ScalarEvent":
            value = _scalar(event)
        elif kind == "SequenceStartEvent":
            value = self._sequence(path)
        else:
            value = self._mapping(path)
        if event.anchor:
            self.anchors[event.anchor] = (value, self.count - before + 1)
        return value

    def _alias(self, event: Any, path: Path) -> Value:
        if event.anchor not in self.anchors:
            line = event.start_mark.line + 1
            fix = "write the anchor before the alias, and not inside itself"
            self.document.add("LOAD-002", dotted(path), f"alias `*{event.anchor}`", "an anchor that ends before it", fix, line)
            return None
        value, size = self.anchors[event.anchor]
        self.count += size
        return value

    def _sequence(self, path: Path) -> list[Value]:
        items: list[Value] = []
        while type(event := next(self.events)).__name__ != "SequenceEndEvent":
            here = (*path, len(items))
            self.document.lines[here] = event.start_mark.line + 1
            items.append(self.build(event, here))
        return items

    def _mapping(self, path: Path) -> dict[str, Value]:
        items: dict[str, Value] = {}
        merged: dict[str, Value] = {}
        while type(event := next(self.events)).__name__ != "MappingEndEvent":
            line = event.start_mark.line + 1
            key = self._key(event, path)
            here = (*path, key if isinstance(key, str) else "<<")
            if key in items:
                self.document.add(
                    "LOAD-003",
                    dotted(here),
                    "the key stands here twice",
                    f"once (line {self.document.lines[here]})",
                    "delete one of the two",
                    line,
                )
            self.document.lines[here] = line
            value = self.build(next(self.events), here)
            if key is _MERGE:
                for source in reversed(cast(list[Value], value) if isinstance(value, list) else [value]):
                    merged.update(cast(dict[str, Value], source) if isinstance(source, dict) else {})
            else:
                items[cast(str, key)] = value
        return {**merged, **items} if merged else items

    def _key(self, event: Any, path: Path) -> object:
        if type(event).__name__ == "ScalarEvent" and event.value == "<<" and event.style is None and not event.tag:
            return _MERGE
        value = self.build(event, path)
        if isinstance(value, dict | list):
            self.document.add(
                "LOAD-002",
                dotted(path),
                "a key that is a list or a mapping",
                "keys are words",
                "write a plain key",
                event.start_mark.line + 1,
            )
        return _text(value)


def _scalar(event: Any) -> Value:
    tag = str(event.tag) if event.tag else ""
    if tag.startswith("tag:yaml.org,2002:"):
        tag = "!!" + tag.removeprefix("tag:yaml.org,2002:")
    if tag in _TAGGED:
        value = plain(event.value)
        if not isinstance(value, _TAGGED[tag]) or (isinstance(value, bool) and tag != "!!bool"):
            raise _TagError(tag, event)
        return value
    if tag == "!!binary":
        try:
            return base64.b64decode(event.value).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return event.value
    if tag or event.style is not None:
        return event.value
    return plain(event.value)


def _text(value: Value) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value)


def dotted(path: Iterable[str | int]) -> str:
    """A path as people write it: `machines[3].serial`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def read_yaml(text: str, where: str) -> Document:
    """Read one YAML document. Problems (syntax, duplicate keys, depth) are in the result; nothing is raised."""
    document = Document(where)
    try:
        events = iter(cast(Iterable[Any], YAML(typ="safe", pure=True).parse(text)))  # pyright: ignore[reportUnknownMemberType]
        for event in events:
            if type(event).__name__ in ("StreamStartEvent", "DocumentStartEvent", "StreamEndEvent", "DocumentEndEvent"):
                continue
            if document.value is not None:
                document.add(
                    "LOAD-002",
                    "",
                    "a second document",
                    "one document per file",
                    "delete `---` and what follows",
                    event.start_mark.line + 1,
                )
                break
            document.value = _Builder(document, events).build(event, ())
    except (_TooMuchError, RecursionError):
        document.add(
            "LOAD-004",
            "",
            "more values than a site has",
            f"{MAX_VALUES} values, {MAX_DEPTH} levels",
            "remove aliases that multiply",
        )
    except _TagError as error:
        document.add("LOAD-002", "", str(error), "a value of the tag's kind", "delete the tag", error.line)
    except MarkedYAMLError as error:
        mark = cast(Any, error).problem_mark or cast(Any, error).context_mark
        _syntax(document, str(cast(Any, error).problem or error), mark.line + 1 if mark else None)
    except YAMLError as error:
        _syntax(document, " ".join(str(error).split()), None)
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, AssertionError, NotImplementedError) as error:
        # Some broken text ends inside ruamel itself; for the reader it is the same thing: no YAML.
        _syntax(document, f"{type(error).__name__} of the YAML reader: {error}", None)
    return document


def _syntax(document: Document, found: str, line: int | None) -> None:
    tab = (
        "indent with spaces: YAML refuses tabs"
        if "\\t" in found or "cannot start any token" in found
        else "check this line and the one before it: a bracket, quote or indent"
    )
    document.add("LOAD-002", "", found, "YAML 1.2", tab, line)


def read_json(text: str, where: str) -> Document:
    """Read one JSON document, the form for inventories of a thousand machines. Nothing is raised."""
    document = Document(where)

    def pairs(items: list[tuple[str, Value]]) -> dict[str, Value]:
        value = dict(items)
        if len(value) != len(items):
            for key in sorted({key for key, _ in items if sum(other == key for other, _ in items) > 1}):
                document.add("LOAD-003", key, "the key stands twice in one object", "once", "delete one of the two")
        return value

    try:
        document.value = json.loads(text, object_pairs_hook=pairs, parse_float=_finite_or_text)
    except RecursionError:
        document.add("LOAD-004", "", "nested too deeply", f"{MAX_DEPTH} levels", "this is no inventory")
    except json.JSONDecodeError as error:
        document.add("LOAD-002", "", error.msg, "JSON", "check this line and the one before it", error.lineno)
    except ValueError as error:
        document.add("LOAD-002", "", str(error), "JSON", "write a shorter number")
    return document


def _finite_or_text(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text
