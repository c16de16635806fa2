"""The cable table as compressed columns: 70,000 rows in a few hundred kilobytes of a page.

    base64(deflate(JSON)), raw deflate (RFC 1951) as a browser's `DecompressionStream("deflate-raw")` reads it
    {"rows": n, "columns": {name: {"values": [text ...], "codes": [n ...]}}}
    a row's text is `values[code]`; codes are written as differences to the row above, the first one to 0. Where there are no
    values, the codes themselves are the numbers to show

An id that is the lower end with `:` in place of `/` is empty, and so is a second device that is the first one's.
The JavaScript beside it, templates/cables.js, undoes exactly this.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence

import msgspec

from railyard.model.plan import Cable
from railyard.plan.pulls import Pull, pull_order
from railyard.render.cables import place_of
from railyard.render.svg import clean

LEVEL = 9
COLUMNS: tuple[str, ...] = (
    "id", "kind", "aDevice", "aPort", "aRack", "aPlace", "zDevice", "zPort", "zRack", "zPlace", "aSecond", "zSecond",
    "rail", "plane", "length", "medium", "sku", "speed", "color", "bundle", "order",
)  # fmt: skip
"""Names of the columns; `place` is the rest of a label behind its rack (`U12-P3/2`), `order` the turn of pulling."""


def packed(cables: Sequence[Cable], bundle_cables: int) -> str:
    """The table of all cables as one line of base64. The same cables give the same text."""
    pulls = pull_order(cables, bundle_cables)
    cells = list(zip(*(_row(cable, pull) for cable, pull in zip(cables, pulls, strict=True)), strict=True))
    columns = dict(zip(COLUMNS, map(_coded, cells or [()] * (len(COLUMNS) - 1)), strict=False))
    columns["order"] = {"values": [], "codes": _differences([pull.order for pull in pulls])}
    body = {"rows": len(cables), "columns": columns}
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(deflate.compress(msgspec.json.encode(body)) + deflate.flush()).decode()


def unpacked(text: str) -> list[dict[str, str]]:
    """The rows of a packed table, each by column name, with whole ids and second ends: what the page's script shows.

    Raises ValueError where it isn't one.
    """
    try:
        body = json.loads(zlib.decompress(base64.b64decode(text, validate=True), -zlib.MAX_WBITS))
        tables = {name: _texts(body["columns"][name]) for name in COLUMNS}
    except (ValueError, KeyError, TypeError, IndexError, zlib.error) as error:
        raise ValueError(f"not a packed cable table: {error}") from error
    if {len(column) for column in tables.values()} - {body["rows"]}:
        raise ValueError("columns of different lengths")
    rows = [dict(zip(COLUMNS, cells, strict=True)) for cells in zip(*tables.values(), strict=True)]
    for row in rows:
        row["id"] = row["id"] or f"{row['aDevice']}:{row['aPort']}"
        for end in ("a", "z"):
            second = row[f"{end}Second"]
            row[f"{end}Second"] = f"{row[f'{end}Device']}/{second}" if second and "/" not in second else second
    return rows


def _coded(cells: Sequence[str]) -> dict[str, object]:
    """Texts as codes into the list of different texts, in order of first use."""
    codes = {text: code for code, text in enumerate(dict.fromkeys(cells))}
    return {"values": [clean(text) for text in codes], "codes": _differences([codes[cell] for cell in cells])}


def _differences(numbers: Sequence[int]) -> list[int]:
    return [now - before for now, before in zip(numbers, [0, *numbers], strict=False)]


def _texts(column: dict[str, list[object]]) -> list[str]:
    values, code, texts = column["values"], 0, list[str]()
    for delta in column["codes"]:
        code += int(str(delta))
        if code < 0:
            raise ValueError("a code below 0")
        texts.append(str(values[code]) if values else str(code))
    return texts


def _row(cable: Cable, pull: Pull) -> tuple[str, ...]:
    a_device, _, a_port = cable.a.partition("/")
    z_device, _, z_port = cable.z.partition("/")
    a_rack, a_place = _label(cable.a_label)
    z_rack, z_place = _label(cable.z_label)
    return (
        "" if cable.id == f"{a_device}:{a_port}" else cable.id, cable.kind,
        a_device, a_port, a_rack, a_place, z_device, z_port, z_rack, z_place,
        _second(cable.a_second, a_device), _second(cable.z_second, z_device),
        "" if cable.rail is None else str(cable.rail), "" if cable.plane is None else str(cable.plane),
        f"{cable.length_m:g}", cable.medium, cable.sku, f"{cable.link_gbps:g}", cable.color, pull.bundle,
    )  # fmt: skip


def _label(label: str) -> tuple[str, str]:
    """(rack, the rest) of a label; a label that names no rack is all rest."""
    rack = place_of(label)[0]
    return (rack, label.removeprefix(f"{rack}-")) if rack else ("", label)


def _second(end: str | None, device: str) -> str:
    """A second end in short: its port alone where the device is the first one's, and the port has no `/` (EOS)."""
    short = (end or "").removeprefix(f"{device}/")
    return (end or "") if "/" in short else short
