"""Labels of both ends of every cable: a CSV for label printers, and sheets of A4 to print and cut.

The PDF has no date, no random id and fonts that every reader has (Helvetica), so the same plan gives the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any, cast

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
_WIDTHS: dict[str, list[int]] = {name: cast("Any", getFont(name)).widths for name in (_BOLD, _PLAIN)}
_CELL = (A4[0] - 2 * _MARGIN) / COLUMN_COUNT, (A4[1] - 2 * _MARGIN) / ROW_COUNT


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
    canvas.setTitle(_latin(title))
    canvas.setAuthor("railyard")
    shown = labels[:PDF_LABELS_MAX]
    per_page = COLUMN_COUNT * ROW_COUNT
    for first in range(0, len(shown), per_page):
        cells = [
            (_MARGIN + index % COLUMN_COUNT * _CELL[0], A4[1] - _MARGIN - (index // COLUMN_COUNT + 1) * _CELL[1], label)
            for index, label in enumerate(shown[first : first + per_page])
        ]
        _frames(canvas, cells)
        # One text object for the whole page: six for each label take three times as long.
        text = canvas.beginText()
        for x, y, label in cells:
            _write(text, label, x, y)
        canvas.drawText(text)
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


def _frames(canvas: Any, cells: Iterable[tuple[float, float, EndLabel]]) -> None:
    """Border and colour of each label. `x` and `y` are its lower left corner in points."""
    width, height = _CELL
    canvas.setStrokeColor("#BBBBBB")
    canvas.setLineWidth(0.4)
    for x, y, label in cells:
        canvas.rect(x, y, width, height)
        canvas.setFillColor(_COLORS.get(label.color, "#FFFFFF"))
        canvas.rect(x + 1, y + 1, 7, height - 2, stroke=1, fill=1)
    canvas.setFillColor("#000000")


def _write(text: Any, label: EndLabel, x: float, y: float) -> None:
    """This end large, the other one below, both ports, the cable's id last."""
    width, height = _CELL
    left, room = x + 8 + _PAD, width - 8 - 2 * _PAD
    _line(text, left, y + height - 17, room - 22, 13, label.here, _BOLD)
    _line(text, x + width - _PAD - 16, y + height - 16, 16, 11, label.end, _BOLD)
    _line(text, left, y + height - 30, room, 9, f"to {label.there}", _PLAIN)
    _line(text, left, y + height - 41, room, 7, label.port, _PLAIN)
    _line(text, left, y + height - 50, room, 7, f"to {label.far_port}", _PLAIN)
    _line(text, left, y + 5, room, 6.5, f"{label.cable}   {label.length_m:g} m   {label.part}", _PLAIN)


def _line(out: Any, x: float, y: float, room: float, size: float, words: str, font: str) -> None:
    """A line of text, set smaller where it would leave its label."""
    shown = _latin(words)
    widths = _WIDTHS[font]
    width = sum(widths[code] for code in shown.encode("latin-1")) * size / 1000
    out.setFont(font, size if width <= room else size * room / width)
    out.setTextOrigin(x, y)
    out.textOut(shown)


def _latin(text: str) -> str:
    """What Helvetica of PDF can show; anything else becomes a question mark, never an error."""
    return clean(text).encode("latin-1", "replace").decode("latin-1")
