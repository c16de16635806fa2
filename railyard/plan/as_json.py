"""The plan as JSON text, piece by piece: 348 MB at 16,384 nodes, and nobody needs three copies of it at once."""

from collections.abc import Iterator
from dataclasses import fields
from io import BytesIO
from typing import TYPE_CHECKING, cast

import msgspec

from railyard.model.base import Noun

if TYPE_CHECKING:
    from railyard.plan import Plan

SCHEMA_VERSION = 1
ROWS = 4096
"""Rows of a long section that are made at a time: 2.5 MB of cables."""


def to_json(plan: "Plan") -> bytes:
    """The plan as indented JSON with sorted keys and outside names: same plan, same bytes, whatever the hash seed."""
    whole = BytesIO()  # it hands its buffer over; joining pieces would hold them twice
    whole.writelines(json_parts(plan))
    return whole.getvalue()


def json_parts(plan: "Plan") -> Iterator[bytes]:
    """`to_json` in pieces, in order, to be written or hashed as they come: one of them is 3 MB at most."""
    body: dict[str, object] = {_camel(item.name): getattr(plan, item.name) for item in fields(plan)}
    body |= {"schemaVersion": SCHEMA_VERSION, "inventorySha256": plan.site.inventory_sha256}
    encoder = msgspec.json.Encoder(enc_hook=_plain, order="sorted")
    before = b"{\n"
    for key in sorted(body):
        yield before
        yield from _section(key, body[key], encoder)
        before = b",\n"
    yield b"\n}\n"


def _section(key: str, value: object, encoder: msgspec.json.Encoder) -> Iterator[bytes]:
    """The lines of one key; a long row of rows in several pieces."""
    rows = _rows(value)
    if len(rows) <= ROWS:
        yield _lines(key, value, encoder)
        return
    head, tail = f' "{key}": [\n'.encode(), b"\n ]"
    yield head
    for start in range(0, len(rows), ROWS):
        yield (b",\n" if start else b"") + _lines(key, rows[start : start + ROWS], encoder)[len(head) : -len(tail)]
    yield tail


def _rows(value: object) -> tuple[object, ...]:
    return cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()


def _lines(key: str, value: object, encoder: msgspec.json.Encoder) -> bytes:
    """One key as it stands in the whole: without the braces around it."""
    return msgspec.json.format(encoder.encode({key: value}), indent=1)[2:-2]


def _plain(value: object) -> object:
    if isinstance(value, Noun):
        return value.props()
    raise TypeError(type(value).__name__)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
