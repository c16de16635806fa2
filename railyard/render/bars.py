"""Pairs of bars, each against a limit of its own: what a thing carries with everything live, and after the worst loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from railyard.render.svg import fit, group, line, rect, svg, text, title
from railyard.render.theme import drawing_css
from railyard.rules.registry import exceeds

WIDTH_PX = 1010
LABEL_PX = 262
VALUE_PX = 452
BAR_PX = 13
ROW_PX = 42
TOP_PX = 34
HEADING_PX = 30
# Bars longer than this many times their limit end in the frame; their number stands beside them.
LONGEST = 1.35


@dataclass(frozen=True)
class Bar:
    """One bar. `limit` None: nobody stated one. `words` stand beside it, `when` says what was lost."""

    case: str
    value: float
    limit: float | None
    words: str

    @property
    def over(self) -> bool:
        return self.limit is not None and exceeds(self.value, self.limit)


@dataclass(frozen=True)
class BarRow:
    """One thing with its bars; `data` become attributes of the group."""

    name: str
    note: str
    hint: str
    bars: Sequence[Bar]
    data: Mapping[str, str | int | float] = field(default_factory=dict[str, str | int | float])


@dataclass(frozen=True)
class BarSection:
    """Rows below a heading."""

    heading: str
    rows: Sequence[BarRow]


def bars_svg(
    sections: Sequence[BarSection], label: str, css: str, legend: Sequence[tuple[str, str]], *, embedded: bool = False
) -> str:
    """The picture. Bars carry `data-case`, `data-value` and `data-limit` as the plan has them.

    `legend` says in words what the bars of each case are.
    """
    span = WIDTH_PX - LABEL_PX - VALUE_PX
    parts, y = _legend(legend), float(TOP_PX)
    for section in sections:
        parts.append(text(0, y + 16, section.heading, "heading"))
        y += HEADING_PX
        for row in section.rows:
            parts.append(_row(y, row, span / LONGEST))
            y += ROW_PX
        y += 6
    return svg(WIDTH_PX, y, label, css, parts, style=None if embedded else drawing_css())


def _legend(cases: Sequence[tuple[str, str]]) -> list[str]:
    parts: list[str] = []
    x = float(LABEL_PX)
    for css, words in cases:
        parts += [rect(x, 8, 14, 10, css), text(x + 20, 17, words, "note")]
        x += 40 + 5.6 * len(words)
    return [*parts, line(x, 6, x, 20, "limit"), text(x + 8, 17, "its limit", "note")]


def _row(y: float, row: BarRow, unit: float) -> str:
    """`unit` is the length in pixels of a bar at its limit."""
    parts = [
        title(row.hint),
        text(0, y + 12, fit(row.name, LABEL_PX - 12, 11), "strong"),
        text(0, y + 26, fit(row.note, LABEL_PX - 12, 10), "note"),
    ]
    for index, bar in enumerate(row.bars):
        at = y + index * (BAR_PX + 3)
        parts.append(_bar(at, bar, unit))
        parts.append(text(WIDTH_PX - VALUE_PX + 14, at + 11, fit(bar.words, VALUE_PX - 14, 10.5), "bad" if bar.over else ""))
    bottom = y + len(row.bars) * (BAR_PX + 3)
    if all(bar.limit is None for bar in row.bars):
        parts.append(text(LABEL_PX + 8, (y + bottom) / 2 + 3, "no limit known: no bars", "note"))
    else:
        parts.append(line(LABEL_PX + unit, y - 2, LABEL_PX + unit, bottom, "limit"))
    return group("bars", parts, **row.data)


def _bar(y: float, bar: Bar, unit: float) -> str:
    data = {"data_case": bar.case, "data_value": bar.value, **({"data_limit": bar.limit} if bar.limit is not None else {})}
    parts: list[str] = []
    if bar.limit is not None:
        parts.append(rect(LABEL_PX, y, unit * LONGEST, BAR_PX, "track"))
        # A limit of nothing (the only unit has failed) is passed by whatever there is.
        share = bar.value / bar.limit if bar.limit else LONGEST * (bar.value > 0)
        length = min(share, LONGEST) * unit
        parts.append(rect(LABEL_PX, y, round(length, 2), BAR_PX, "over" if bar.over else bar.case))
    return group("bar", parts, **data)
