"""Labels of both ends of every cable: a CSV for label printers, and sheets of A4 to print and cut.

The PDF has no date, no random id and fonts that every reader has (Helvetica), so the same plan gives the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import getFont
from reportlab.pdfgen.canvas import Canvas

from railyard.plan.end_labels import EndLabel
from railyard.render.cables import safe_rows
from railyard.render.svg import clean

COLUMNS = ("cable", "end", "here", "there", "port", "far_port", "length_m", "part", "color")
COLUMN_COUNT, ROW_COUNT = 3, 12
"""Labels on a sheet: 36 of about 66 x 24 mm."""
PDF_LABELS_MAX = 7_200
"""Labels in a PDF: 200 sheets, enough for 128 nodes. A larger site prints from the CSV: a label printer takes that."""
_MARGIN, _PAD = 18.0, 5.0
_COLORS = {
    "blue": "#0072B2", "orange": "#E69F00", "green": "#009E73", "red": "#D55E00", "violet": "#7B5EA7", "brown": "#8C564B",
    "pink": "#CC79A7", "yellow": "#F0E442", "aqua": "#56B4E9", "white": "#FFFFFF", "grey": "#999999", "magenta": "#C2185B",
    "turquoise": "#26A69A",
}  # fmt: skip
_BOLD, _PLAIN = "Helvetica-Bold", "Helvetica"
_ENCODING = "cp1252"
"""PDF's WinAnsiEncoding, which the canvas gives its fonts."""
_ESCAPES = {ord(char): f"\\{char}" for char in "()\\"} | {
    ord(char): f"\\{code:03o}" for code in range(128, 256) for char in bytes([code]).decode(_ENCODING, "ignore")
}
_BORDER = ".73 .73 .73 RG .4 w"
_WHITE = "1 1 1"
_FILLS = {name: " ".join(f"{int(code[at : at + 2], 16) / 255:.3f}" for at in (1, 3, 5)) for name, code in _COLORS.items()}
_CELL = (A4[0] - 2 * _MARGIN) / COLUMN_COUNT, (A4[1] - 2 * _MARGIN) / ROW_COUNT


class _Font(NamedTuple):
    """A font under the name that a document's pages call it by, and the width of each code in thousandths of its size."""

    name: str
    widths: tuple[int, ...]


def labels_csv(labels: Iterable[EndLabel]) -> str:
    """One row per label."""
    return safe_rows(COLUMNS, ((*_texts(label), f"{label.length_m:g}", label.part, label.color) for label in labels))


def _texts(label: EndLabel) -> tuple[str, ...]:
    return (label.cable, label.end, label.here, label.there, label.port, label.far_port)


def labels_pdf(labels: Sequence[EndLabel], title: str) -> bytes:
    """Sheets of labels, at most PDF_LABELS_MAX of them; the last page says how many are left to the CSV."""
    out = io.BytesIO()
    # invariant: no creation date and no random document id. Pages are compressed: 7,200 labels are 0.7 MB.
    canvas: Any = Canvas(out, pagesize=A4, invariant=1, pageCompression=1)
    canvas.setTitle(_shown(title))
    canvas.setAuthor("railyard")
    shown = labels[:PDF_LABELS_MAX]
    per_page = COLUMN_COUNT * ROW_COUNT
    bold, plain = (_font(canvas, name) for name in (_BOLD, _PLAIN))
    for first in range(0, len(shown), per_page):
        cells = [
            (_MARGIN + index % COLUMN_COUNT * _CELL[0], A4[1] - _MARGIN - (index // COLUMN_COUNT + 1) * _CELL[1], label)
            for index, label in enumerate(shown[first : first + per_page])
        ]
        # The page's operators as text: one call of the canvas for each of them takes ten times as long.
        lines = [line for x, y, label in cells for line in _write(label, x, y, bold, plain)]
        canvas.addLiteral("\n".join([_BORDER, *_frames(cells), "0 g BT", *lines, "ET"]))
        canvas.showPage()
    if len(shown) < len(labels) or not labels:
        left = len(labels) - len(shown)
        canvas.setFont("Helvetica", 11)
        canvas.drawString(
            _MARGIN, A4[1] - 3 * _MARGIN, f"{left:,} more labels are in labels.csv" if left else "No cables, no labels"
        )
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _frames(cells: Iterable[tuple[float, float, EndLabel]]) -> Iterator[str]:
    """Border and colour of each label. `x` and `y` are its lower left corner in points."""
    width, height = _CELL
    for x, y, label in cells:
        yield f"{x:.2f} {y:.2f} {width:.2f} {height:.2f} re S"
        yield f"{_FILLS.get(label.color, _WHITE)} rg {x + 1:.2f} {y + 1:.2f} 7 {height - 2:.2f} re B"


def _write(label: EndLabel, x: float, y: float, bold: _Font, plain: _Font) -> Iterator[str]:
    """This end large, the other one below, both ports, the cable's id last."""
    width, height = _CELL
    left, room = x + 8 + _PAD, width - 8 - 2 * _PAD
    yield _line(left, y + height - 17, room - 22, 13, label.here, bold)
    yield _line(x + width - _PAD - 16, y + height - 16, 16, 11, label.end, bold)
    yield _line(left, y + height - 30, room, 9, f"to {label.there}", plain)
    yield _line(left, y + height - 41, room, 7, label.port, plain)
    yield _line(left, y + height - 50, room, 7, f"to {label.far_port}", plain)
    yield _line(left, y + 5, room, 6.5, f"{label.cable}   {label.length_m:g} m   {label.part}", plain)


def _line(x: float, y: float, room: float, size: float, words: str, font: _Font) -> str:
    """A line of text, set smaller where it would leave its label."""
    shown = _shown(words)
    width = sum(map(font.widths.__getitem__, shown.encode(_ENCODING))) * size / 1000
    fitted = size if width <= room else size * room / width
    return f"{font.name} {fitted:.2f} Tf 1 0 0 1 {x:.2f} {y:.2f} Tm ({shown.translate(_ESCAPES)}) Tj"


def _shown(text: str) -> str:
    """What Helvetica of PDF can show; anything else becomes a question mark, never an error."""
    return clean(text).encode(_ENCODING, "replace").decode(_ENCODING)


def _font(canvas: Any, name: str) -> _Font:
    """A font as the pages of this document call it."""
    asked = canvas.beginText()
    asked.setFont(name, 1)
    return _Font(asked.getCode().split(" 1 Tf")[0].split()[-1], tuple(cast("Any", getFont(name)).widths))
