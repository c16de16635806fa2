"""Files of NetBox, or of its device type library -> nouns. What can't be read is named with file, line and column.

Raises ReadError with every problem of every file. Nothing is compared and nothing mended here: that is railyard.rules.netbox.
"""

from collections.abc import Iterable
from typing import Any, cast

import msgspec

from railyard.model.netbox import NetBoxData
from railyard.read.netbox.nodes import Map, Node
from railyard.read.netbox.rows import Kind, RowReader, kind_of, unknown_table
from railyard.read.netbox.scalars import is_trap, read_as
from railyard.read.netbox.tables import Row, csv_rows, json_rows, yaml_rows
from railyard.read.netbox.types import types_of
from railyard.read.text import Notebook, ReadError, decode

__all__ = ["is_trap", "read_as", "read_netbox_files"]
SUFFIXES = (".csv", ".yaml", ".yml", ".json")
MAX_BYTES = 256 * 1024 * 1024
_FIELDS: dict[Kind, str] = {"interfaces": "components", "power_ports": "components", "power_outlets": "components"}


def read_netbox_files(files: Iterable[tuple[str, bytes]]) -> tuple[NetBoxData, tuple[tuple[str, str], ...]]:
    """What the files say, and the keys of device types that nobody reads as (place, key). Raises ReadError: all problems.

    A table that is there as CSV and as YAML gives every row twice; `railyard.rules.netbox` merges twins that are equal.
    """
    found: dict[str, list[Any]] = {name: [] for name in msgspec.structs.asdict(NetBoxData())}
    unread: list[tuple[str, str]] = []
    books: list[Notebook] = []
    for name, data in files:
        book = Notebook(name)
        books.append(book)
        found["files"].append(name)
        if len(data) > MAX_BYTES:
            book.add("READ-001", f"{len(data)} bytes", f"at most {MAX_BYTES} bytes", "give one site's tables")
            continue
        text = decode(data, book)
        if text is not None:
            unread += _read(name, text, book, found)
    problems = [problem for book in books for problem in book.listed()]
    if not problems and not any(value for key, value in found.items() if key != "files"):
        alone = Notebook(", ".join(found["files"][:3]) or "the folder")
        fix = "give device types as YAML, tables as CSV, YAML or JSON"
        alone.add("READ-003", "no NetBox object", f"at least one file ({', '.join(SUFFIXES)})", fix)
        problems = alone.listed()
    if problems:
        raise ReadError(problems)
    return NetBoxData(**{name: tuple(values) for name, values in found.items()}), tuple(unread)


def _read(name: str, text: str, book: Notebook, found: dict[str, list[Any]]) -> list[tuple[str, str]]:
    lowered = name.lower().removesuffix(".gz")
    if lowered.endswith(".json") or (not lowered.endswith(SUFFIXES) and text.lstrip()[:1] in "[{"):
        _rows(name, json_rows(text, book), book, found)
    elif lowered.endswith(".csv") or not lowered.endswith(SUFFIXES):
        _rows(name, csv_rows(text, book), book, found)
    else:
        made = yaml_rows(text, book)
        if made and isinstance(made[0], Row) and not _are_types(made[0]):
            _rows(name, cast(list[Row], made), book, found)
        else:
            return _types(made, book, found)
    return []


def _are_types(row: Row) -> bool:
    return {"manufacturer", "model", "slug"} <= row.cells.keys()


def _types(made: list[Row] | list[Node], book: Notebook, found: dict[str, list[Any]]) -> list[tuple[str, str]]:
    if made and isinstance(made[0], Row):
        book.add("READ-002", "device types as rows of a list", "one YAML document each", "put `---` between them", made[0].line)
        return []
    nodes = cast(list[Node], made)
    if all(isinstance(node, Map) for node in nodes) or not book.problems:
        reader = types_of(nodes, book)
        found["device_types"] += reader.device_types
        found["rack_types"] += reader.rack_types
        return reader.unread
    return []


def _rows(name: str, rows: list[Row], book: Notebook, found: dict[str, list[Any]]) -> None:
    if not rows:
        return
    names = frozenset(rows[0].cells)
    kind = kind_of(name, names)
    if kind is None:
        unknown_table(name, names, book)
        return
    reader = RowReader(book)
    made = (reader.read(kind, row) for row in rows)
    found[_FIELDS.get(kind, kind)] += [noun for noun in made if noun is not None]
