"""Values -> YAML that a reader of YAML 1.1 and one of 1.2 read alike: every text in double quotes, numbers in plain decimals.

Tables have a flow mapping on each line (`- {"name": "…"}`): valid YAML, quick to read and to compare by line.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

Value = str | int | float | bool | None
_HARMLESS = re.compile(r"[ !#-\[\]-~]*\Z", re.ASCII)
"""Printable ASCII without quote and backslash: nearly every text."""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def quoted(text: str) -> str:
    """A text in double quotes. What isn't printable, or is beyond U+FFFF, is escaped as both versions know it."""
    if _HARMLESS.match(text):
        return f'"{text}"'
    return '"' + "".join(_ESCAPES.get(character) or _safe(character) for character in text) + '"'


def _safe(character: str) -> str:
    code = ord(character)
    if (
        character.isprintable()
        and (0x20 <= code <= 0x7E or 0xA0 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD)
        and code != 0xFEFF
    ):
        return character
    return f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"


def scalar(value: Value) -> str:
    """One value. Numbers have no exponent: `1e3` is a text in YAML 1.1."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    text = f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    return text or "0"


def flow(row: Mapping[str, Value]) -> str:
    """A mapping on one line, without empty cells."""
    return "{" + ", ".join(f"{quoted(key)}: {scalar(value)}" for key, value in row.items() if value not in (None, "")) + "}"


def table(rows: Iterable[Mapping[str, Value]]) -> str:
    """A list of mappings, one to a line; an empty list where there are none."""
    lines = [f"- {flow(row)}" for row in rows]
    return "\n".join(["---", *lines]) + "\n" if lines else "---\n[]\n"


def block(fields: Mapping[str, Value], lists: Mapping[str, Sequence[Mapping[str, Value]]]) -> str:
    """One document: scalars first, then lists of mappings, as the device type library writes types."""
    lines = ["---", *(f"{key}: {scalar(value)}" for key, value in fields.items() if value is not None)]
    for key, items in lists.items():
        if items:
            lines += [f"{key}:", *(f"  - {flow(item)}" for item in items)]
    return "\n".join(lines) + "\n"
