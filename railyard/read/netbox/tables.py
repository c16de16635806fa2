"""Tables -> rows of text with their lines: CSV as NetBox imports and exports it, YAML or JSON lists, our rows of one line each.

Column names are NetBox's for bulk import. The headings of its table export (`Device A`, `Serial number`) are known, too.
"""

import csv
import io
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

import msgspec

from railyard.read.netbox.nodes import Map, Node, Scalar, Seq, documents
from railyard.read.text import Notebook, shown

MAX_ROWS = 2_000_000
_SHORT = ("value", "model", "name", "slug", "display")
"""What stands for an object of NetBox's REST API: the value of a choice, else its name."""
_FLOW = re.compile(r"- \{.*\}\s*\Z")
_FOLD = re.compile(r"[^a-z0-9]+")
_SPREADSHEET = re.compile("'[=+@\t\r-]")
NAMES = {
    "termination_a": "side_a_name", "termination_b": "side_b_name", "device_a": "side_a_device", "device_b": "side_b_device",
    "a_device": "side_a_device", "b_device": "side_b_device", "cable_id": "id", "serial_number": "serial",
    "panel": "power_panel", "max_utilization_percent": "max_utilization", "height": "u_height", "unit": "units",
    "color_name": "",
}  # fmt: skip
"""Headings of NetBox's table export -> names of bulk import."""


class Row(msgspec.Struct, gc=False):
    """One row: cells by column name, its line (from 1), and the columns' places where the file has them."""

    cells: dict[str, str]
    line: int
    columns: dict[str, int]
    plain: frozenset[str] = frozenset()

    def get(self, key: str) -> str:
        """The cell of a column; empty where there is none."""
        return self.cells.get(key, "")

    def place(self, key: str) -> tuple[int, int | None]:
        """Line and column of a cell."""
        return self.line, self.columns.get(key)


@lru_cache(maxsize=4096)
def fold(heading: str) -> str:
    """A heading as bulk import spells it: `Serial Number` -> `serial_number` -> `serial`. `rack.name` (a reference by another
    field) is the reference."""
    name = _FOLD.sub("_", heading.partition(".")[0].strip().lower()).strip("_")
    return NAMES.get(name, name)


def csv_rows(text: str, book: Notebook) -> list[Row]:
    """Rows of a CSV; semicolons or tabs where the header has them. Columns that stand twice are a problem."""
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    rows: list[Row] = []
    names: list[str] = []
    columns: dict[str, int] = {}
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if not names:
                names = [fold(cell) for cell in cells]
                columns = {name: number for number, name in enumerate(names, 1)}
                _twice(names, book, reader.line_num)
                continue
            if len(cells) != len(names):
                found, limit = f"{len(cells)} cells", f"{len(names)}, as in the header"
                book.add(
                    "READ-002", found, limit, "put text that has commas in quotes; fill up with empty cells", reader.line_num, 1
                )
                continue
            rows.append(Row({n: _cell(c) for n, c in zip(names, cells, strict=True) if n}, reader.line_num, columns))
            if len(rows) > MAX_ROWS:
                book.add("READ-001", f"more than {MAX_ROWS} rows", "a table of one site", "export one site at a time")
                break
    except csv.Error as error:
        book.add("READ-002", str(error), "CSV", "check quotes on this line and the one before it", reader.line_num, 1)
    return rows


def _twice(names: list[str], book: Notebook, line: int) -> None:
    for number, name in enumerate(names, 1):
        if name and names.index(name) != number - 1:
            book.add("READ-005", f"column `{name}` again", "once", "delete or rename one of the two", line, number)


def _cell(cell: str) -> str:
    """The value of a cell; our own tables put an apostrophe before what a spreadsheet would run as a formula."""
    cell = cell.strip()
    return cell[1:] if _SPREADSHEET.match(cell) else cell


def yaml_rows(text: str, book: Notebook) -> list[Row] | list[Node]:
    """Rows of a YAML table; or its documents, where they are no table (device types)."""
    quick = list(_one_line_each(text))
    if quick:
        return quick
    nodes = documents(text, book)
    if len(nodes) == 1 and isinstance(nodes[0], Seq):
        return [row for node in nodes[0].items for row in _row(node, book)]
    return nodes


def _one_line_each(text: str) -> Iterator[Row]:
    """Rows of a YAML table that has a JSON object on each line: as we write it, and a hundred times as fast. Nothing for any
    other text.
    """
    lines = text.split("\n")
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip() not in ("", "---") and line[0] != "#"]
    if not numbered or not all(_FLOW.match(line) for _, line in numbered):
        return
    try:
        made = [(number, json.loads(line[2:], object_pairs_hook=_pairs)) for number, line in numbered]
    except (ValueError, RecursionError):
        return
    for number, value in made:
        yield Row({fold(key): _text(cell) for key, cell in value.items()}, number, {})


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in items}) != len(items):
        raise ValueError("a key stands twice")
    return dict(items)


def _text(value: Any) -> str:
    """A JSON value as a cell. REST objects stand for their value, model or name."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        inner = cast(dict[str, Any], value)
        return next((_text(inner[key]) for key in _SHORT if inner.get(key) is not None), "")
    if isinstance(value, list):
        return ",".join(_text(item) for item in cast(list[Any], value))
    return repr(value) if isinstance(value, float) else str(value)


def _row(node: Node, book: Notebook) -> Iterator[Row]:
    if not isinstance(node, Map):
        book.add(
            "READ-002", "an item that is no mapping", "one mapping for each object", "write `- name: …`", node.line, node.column
        )
        return
    cells = {fold(key): _node_text(value) for key, (_, value) in node.entries.items()}
    columns = {fold(key): value.column for key, (_, value) in node.entries.items()}
    plain = frozenset(fold(key) for key, (_, value) in node.entries.items() if isinstance(value, Scalar) and value.plain)
    yield Row(cells, node.line, columns, plain)


def _node_text(node: Node) -> str:
    if isinstance(node, Scalar):
        return "" if node.plain and node.text in ("null", "~", "Null", "NULL") else node.text
    if isinstance(node, Seq):
        return ",".join(_node_text(item) for item in node.items)
    for key in _SHORT:
        inner = node.get(key)
        if inner is not None:
            return _node_text(inner)
    return ""


def json_rows(text: str, book: Notebook) -> list[Row]:
    """Rows of a JSON list, or of the `results` of NetBox's REST API. Each row's line is where its object begins."""
    try:
        value = json.loads(text, object_pairs_hook=_pairs)
    except RecursionError:
        book.add("READ-001", "nested too deeply", "a list of objects", "this is no NetBox table")
        return []
    except json.JSONDecodeError as error:
        fix = "check this line and the one before it; the file may be cut off"
        book.add("READ-002", error.msg, "JSON", fix, error.lineno, error.colno)
        return []
    except ValueError as error:
        book.add("READ-005", str(error), "each key once in an object", "delete one of the two")
        return []
    items: Any = cast(dict[str, Any], value).get("results", value) if isinstance(value, dict) else value
    items = cast(list[Any], items) if isinstance(items, list) else [items]
    rows: list[Row] = []
    for number, (item, line) in enumerate(zip(items, _lines(text, len(items)), strict=True), 1):
        if isinstance(item, dict):
            rows.append(Row({fold(key): _text(cell) for key, cell in cast(dict[str, Any], item).items()}, line, {}))
            _from_rest(rows[-1], cast(dict[str, Any], item))
        else:
            book.add("READ-002", f"item {number}: {shown(str(item))}", "one object each", "give NetBox's own output", line)
    return rows


def _from_rest(row: Row, item: dict[str, Any]) -> None:
    """What REST nests deeper than bulk import: the manufacturer of a device's type, the terminations of a cable."""
    kind = item.get("device_type")
    if isinstance(kind, dict) and "manufacturer" not in item:
        row.cells["manufacturer"] = _text(cast(dict[str, Any], kind).get("manufacturer"))
    for side in ("a", "b"):
        ends = item.get(f"{side}_terminations")
        if isinstance(ends, list) and len(cast(list[Any], ends)) == 1:
            end = cast(list[dict[str, Any]], ends)[0]
            inner = cast(dict[str, Any], end.get("object") or {})
            row.cells[f"side_{side}_type"] = str(end.get("object_type", ""))
            row.cells[f"side_{side}_name"] = _text(inner.get("name"))
            row.cells[f"side_{side}_device"] = _text(inner.get("device"))
            row.cells[f"side_{side}_power_panel"] = _text(inner.get("power_panel"))


def _lines(text: str, count: int) -> list[int]:
    """The line of each object of the outermost list, by counting brackets outside of strings; 1 where that doesn't add up."""
    found: list[int] = []
    depth, line, inside, escaped = 0, 1, False, False
    top = text.lstrip()[:1]
    start = 1 if top == "[" else 2
    for character in text:
        line += character == "\n"
        if inside:
            inside, escaped = (escaped or character != '"'), (character == "\\" and not escaped)
        elif character == '"':
            inside = True
        elif character in "[{":
            if depth == start and character == "{":
                found.append(line)
            depth += 1
        elif character in "]}":
            depth -= 1
    return found if len(found) == count else [1] * count
