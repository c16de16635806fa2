"""`topology.dot` of the Prescriptive Topology Manager (and of ibdiagnet) -> sightings.

    graph G { hostnametype="hostname" "leaf1":"swp1" -- "spine1":"swp2" [LLDP="match_hostname=hostname"] }

Only edges between ports tell of cables; attributes are skipped. Source: Cumulus Linux, Prescriptive Topology Manager.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from railyard.model.observed import Observation, Sighting
from railyard.read.text import Notebook

_TOKEN = re.compile(
    r'(?P<skip>[ \t\n\r\f]+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)|(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<edge>--|->)'
    r"|(?P<word>[^\s\[\]{}=;,:\"<>-](?:[^\s\[\]{}=;,:\"<>-]|-(?![->]))*)|(?P<mark>[\[\]{}=;,:])",
    re.DOTALL | re.MULTILINE,
)


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


class _End(NamedTuple):
    device: str
    port: str
    at: int


def read_dot(text: str, notebook: Notebook) -> Observation:
    """Edges whose two ends have a port."""
    links: list[Sighting] = []
    lines = _Lines(text)
    for a, z in _edges(list(_tokens(text, lines, notebook)), lines, notebook):
        if a.port and z.port:
            line, _ = lines.place(a.at)
            links.append(Sighting(a.device, a.device, "", a.port, z.device, z.device, "", z.port, line))
        else:
            bare = a if not a.port else z
            line, column = lines.place(bare.at)
            notebook.add("READ-002", f"`{bare.device}` without a port", '"device":"port"', "write the port", line, column)
    if not links and not notebook.problems:
        notebook.add("READ-003", "no edge between two ports", "at least one", "export the topology again")
    return Observation(notebook.source, "ptm-dot", (), tuple(links), whole=True)


class _Lines:
    """Offsets -> line and column; offsets only grow, so that the text is counted once."""

    def __init__(self, text: str) -> None:
        self.text, self.last, self.line, self.start = text, 0, 1, 0

    def place(self, at: int) -> tuple[int, int]:
        """(line, column) from 1."""
        if at < self.last:
            self.last, self.line, self.start = 0, 1, 0
        self.line += self.text.count("\n", self.last, at)
        self.start = max(self.start, self.text.rfind("\n", self.last, at) + 1)
        self.last = at
        return self.line, at - self.start + 1


def _tokens(text: str, lines: _Lines, notebook: Notebook) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            line, column = lines.place(at)
            end = text.find("\n", at)
            limit = "DOT: names in quotes, `--`, attributes in brackets"
            notebook.add(
                "READ-002", f"`{text[at : end if end > 0 else len(text)][:40]}`", limit, "quote the name", line, column
            )
            return
        if found.lastgroup != "skip":
            yield _Token(found.lastgroup or "", found.group(), at)
        at = found.end()


def _edges(tokens: list[_Token], lines: _Lines, notebook: Notebook) -> Iterator[tuple[_End, _End]]:
    """Pairs of ends. A chain `a -- b -- c` is two edges. Brackets and `key=value` are stepped over."""
    index, last, joined = 0, None, False
    depth = 0
    while index < len(tokens):
        token = tokens[index]
        if token.text == "[":
            index = _closing(tokens, index, lines, notebook)
            last = None
        elif token.kind in ("quoted", "word") and index + 1 < len(tokens) and tokens[index + 1].text == "=":
            index, last = index + 3, None
        elif token.kind in ("quoted", "word"):
            end, index = _end(tokens, index)
            if joined and last is not None:
                yield last, end
            last, joined = end, False
        else:
            joined = token.kind == "edge" and last is not None
            depth += (token.text == "{") - (token.text == "}")
            last = last if joined else None
            index += 1
    if depth:
        line, column = lines.place(tokens[-1].at)
        notebook.add("READ-002", "the end of the file inside `{`", "a closed graph", "copy the file again", line, column)


def _closing(tokens: list[_Token], index: int, lines: _Lines, notebook: Notebook) -> int:
    for after in range(index + 1, len(tokens)):
        if tokens[after].text == "]":
            return after + 1
    line, column = lines.place(tokens[index].at)
    notebook.add("READ-002", "`[` without `]`", "closed brackets", "copy the file again", line, column)
    return len(tokens)


def _end(tokens: list[_Token], index: int) -> tuple[_End, int]:
    """A device, or `device:port`, and the token after it."""
    device = tokens[index]
    if index + 2 < len(tokens) and tokens[index + 1].text == ":" and tokens[index + 2].kind in ("quoted", "word"):
        return _End(_bare(device.text), _bare(tokens[index + 2].text), device.at), index + 3
    return _End(_bare(device.text), "", device.at), index + 1


def _bare(text: str) -> str:
    return text[1:-1].replace('\\"', '"') if text.startswith('"') else text
