"""A user's SONiC YANG models -> where each table of a config_db.json belongs, and the tables as XML that yanglint validates.

The models aren't ours to ship (sonic-net/sonic-buildimage `src/sonic-yang-models`, Apache-2.0). In them
a table is a container below the module's own container; its rows are lists, chosen by the number of parts of the key
(`Ethernet0|10.0.0.0/31`), or containers of the key's name (`localhost`); a row of pairs (`CABLE_LENGTH`) is a list in a list.
XML, because every value of a config_db.json is a string, and JSON of YANG wants numbers.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast
from xml.sax.saxutils import escape

import msgspec

_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'[^']*'|[{};]|[^\s{};\"']+", re.S)
MAX_TEXT = 4_000_000
MAX_DEPTH = 64


class Statement(msgspec.Struct, frozen=True):
    """One YANG statement: `list PORT_LIST { key "name"; … }`."""

    keyword: str
    argument: str
    inner: tuple["Statement", ...] = ()

    def all(self, keyword: str) -> list["Statement"]:
        """Statements inside with this keyword."""
        return [one for one in self.inner if one.keyword == keyword]

    def value(self, keyword: str) -> str | None:
        """Argument of the first statement inside with this keyword."""
        return next((one.argument for one in self.inner if one.keyword == keyword), None)


class TableModel(msgspec.Struct, frozen=True):
    """Where a table stands: module, namespace, the module's container, and the table's own statement."""

    module: str
    namespace: str
    container: str
    table: Statement


class YangError(ValueError):
    """A text that is no YANG module; the words say where."""


def parse_yang(text: str) -> Statement:
    """The module's statement. YangError for a text that is none."""
    if len(text) > MAX_TEXT:
        raise YangError(f"more than {MAX_TEXT:,} characters")
    tokens = [token for token in _TOKEN.findall(text) if not token.startswith(("//", "/*"))]
    found, rest = _statements(tokens, 0, 0)
    if rest != len(tokens) or len(found) != 1 or found[0].keyword not in ("module", "submodule"):
        raise YangError("not one module")
    return found[0]


def _statements(tokens: list[str], at: int, depth: int) -> tuple[tuple[Statement, ...], int]:
    if depth > MAX_DEPTH:
        raise YangError(f"more than {MAX_DEPTH} levels of braces")
    found: list[Statement] = []
    while at < len(tokens) and tokens[at] != "}":
        keyword, at = tokens[at], at + 1
        words: list[str] = []
        while at < len(tokens) and tokens[at] not in ("{", ";", "}"):
            words.append(tokens[at])
            at += 1
        if at == len(tokens) or tokens[at] == "}":
            raise YangError(f"`{keyword}` without an end")
        inner: tuple[Statement, ...] = ()
        if tokens[at] == "{":
            inner, at = _statements(tokens, at + 1, depth + 1)
            if at == len(tokens):
                raise YangError(f"`{keyword}` without a closing brace")
        found.append(Statement(keyword, _argument(words), inner))
        at += 1
    return tuple(found), at


def _argument(words: list[str]) -> str:
    """Quoted parts joined by `+` are one argument."""
    return "".join(word[1:-1] if word[:1] in "\"'" else word for word in words if word != "+")


def tables_of(modules: Iterable[Statement]) -> dict[str, TableModel]:
    """Table name -> its model. A table that two modules have keeps the first by module name."""
    found: dict[str, TableModel] = {}
    for module in sorted(modules, key=lambda one: one.argument):
        for container in module.all("container"):
            for table in container.all("container"):
                model = TableModel(module.argument, module.value("namespace") or "", container.argument, table)
                found.setdefault(table.argument, model)
    return found


def to_xml(tables: Mapping[str, Any], models: Mapping[str, TableModel]) -> tuple[str, list[str]]:
    """(XML of all tables that have a model, what has no place in the models). Nothing is dropped silently."""
    by_module: dict[str, list[str]] = {}
    heads: dict[str, TableModel] = {}
    strange: list[str] = []
    for name in sorted(tables):
        model = models.get(name)
        if model is None:
            strange.append(f"{name}: no model has this table")
            continue
        heads.setdefault(model.module, model)
        rows = cast("Mapping[str, Any]", tables[name])
        lines = [line for key in rows for line in _row(model.table, name, str(key), rows[key], strange)]
        by_module.setdefault(model.module, []).append(f"<{name}>{''.join(lines)}</{name}>")
    parts = [
        f'<{heads[module].container} xmlns="{escape(heads[module].namespace)}">{"".join(lines)}</{heads[module].container}>'
        for module, lines in by_module.items()
    ]
    return "\n".join(parts) + "\n", strange


def _row(table: Statement, name: str, key: str, row: Any, strange: list[str]) -> Iterator[str]:
    """One row. Rows of one key are looked for among containers first: `localhost`, `GLOBAL`."""
    fields: Mapping[str, Any] = cast("Mapping[str, Any]", row) if isinstance(row, Mapping) else dict[str, Any]()
    if key in {one.argument for one in table.all("container")}:
        yield f"<{key}>{''.join(_fields(fields))}</{key}>"
        return
    parts = key.split("|")
    for one in table.all("list"):
        keys = (one.value("key") or "").split()
        if len(keys) == len(parts):
            inner = "".join(_element(leaf, part) for leaf, part in zip(keys, parts, strict=True))
            yield f"<{one.argument}>{inner}{''.join(_pairs(one, fields) or _fields(fields))}</{one.argument}>"
            return
    strange.append(f"{name}|{key}: no list of {len(parts)} keys and no container of that name")


def _pairs(row: Statement, fields: Mapping[str, Any]) -> list[str]:
    """A row of pairs: an inner list with one key and one other leaf."""
    for one in row.all("list"):
        key = one.value("key") or ""
        values = [leaf.argument for leaf in one.all("leaf") if leaf.argument != key]
        if len(values) == 1:
            return [
                f"<{one.argument}>{_element(key, name)}{_element(values[0], value)}</{one.argument}>"
                for name, value in fields.items()
            ]
    return []


def _fields(fields: Mapping[str, Any]) -> Iterator[str]:
    for name, value in fields.items():
        for one in cast("list[Any]", value) if isinstance(value, list) else [value]:
            yield _element(name, one)


def _element(name: str, value: Any) -> str:
    return f"<{name}>{escape(str(value))}</{name}>"
