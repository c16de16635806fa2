"""A very small SVG writer: every value is escaped here, so no renderer has to remember to do it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

# What XML 1.0 can't carry at all, escaped or not: a hostile name must not make the picture unreadable.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Average advance of the sans-serif faces that browsers pick, per pixel of font size; wide enough for DejaVu Sans.
_ADVANCE = 0.62

Value = str | int | float


def clean(value: object) -> str:
    """The value as text that any XML or HTML reader accepts; not yet escaped."""
    return _UNWRITABLE.sub("�", str(value))


def number(value: float) -> str:
    """A coordinate: at most two decimals, no trailing zeros, so that output is stable and small."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def el(tag: str, attributes: dict[str, Value], *children: str) -> str:
    """One element. `_` in an attribute's name becomes `-`; children are markup made by this module."""
    parts: list[str] = [tag]
    for name, value in attributes.items():
        shown = clean(value) if isinstance(value, str) else number(value)
        parts.append(f'{name.replace("_", "-")}="{escape(shown)}"')
    body = "".join(children)
    return f"<{' '.join(parts)}>{body}</{tag}>" if body else f"<{' '.join(parts)}/>"


def text(x: float, y: float, content: object, css: str, **attributes: Value) -> str:
    """A line of text with its baseline at y."""
    return el("text", {"x": x, "y": y, "class": css, **attributes}, escape(clean(content)))


def title(content: object) -> str:
    """The tooltip of the element that holds it."""
    return el("title", {}, escape(clean(content)))


def rect(x: float, y: float, width: float, height: float, css: str, **attributes: Value) -> str:
    return el("rect", {"x": x, "y": y, "width": width, "height": height, "class": css, **attributes})


def line(x1: float, y1: float, x2: float, y2: float, css: str, **attributes: Value) -> str:
    return el("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "class": css, **attributes})


def group(css: str, children: Iterable[str], **attributes: Value) -> str:
    return el("g", {"class": css, **attributes}, *children)


def fit(content: object, width: float, size: float) -> str:
    """The text, cut with an ellipsis where it would not fit into `width` pixels at `size` pixels."""
    whole = clean(content)
    room = max(1, int(width / (size * _ADVANCE)))
    return whole if len(whole) <= room else whole[: room - 1] + "…"


def svg(width: float, height: float, label: str, css: str, children: Iterable[str], *, style: str | None = None) -> str:
    """The whole picture. `style` is only for a file of its own: inside the report the page's sheet counts."""
    head = [title(label)]
    if style is not None:
        # CDATA keeps the sheet's own characters as they are; it is a constant of ours.
        head.append(f"<style><![CDATA[{style}]]></style>")
    attributes: dict[str, Value] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {number(float(width))} {number(float(height))}",
        "width": width,
        "height": height,
        "class": f"drawing {css}",
        "role": "img",
    }
    return el("svg", attributes, *head, *children)
