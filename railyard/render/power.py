"""Power per feed: what it carries with both feeds live, and alone after the other is lost, against its derated capacity."""

from __future__ import annotations

from collections.abc import Sequence

from railyard.model.plan import RackFeed, RackPlan
from railyard.render.rack import group_racks
from railyard.render.runs import runs, short
from railyard.render.svg import fit, group, line, rect, svg, text, title
from railyard.render.theme import drawing_css
from railyard.rules.registry import exceeds

WIDTH_PX = 1120
LABEL_PX = 236
VALUE_PX = 200
BAR_PX = 15
ROW_PX = 44
TOP_PX = 40


def names_of(racks: Sequence[RackPlan]) -> str:
    """`r001`, or `32 racks like r001`: the site is said by what stands around the picture."""
    first = short(racks[0].name, racks[0].name.rpartition("-")[0])
    return first if len(racks) == 1 else f"{len(racks)} racks like {first}"


def power_svg(racks: Sequence[RackPlan], *, embedded: bool = False) -> str:
    """Two bars per feed. Bars carry `data-rack`, `data-feed` and the kilowatts that they draw in `data-kw`."""
    rows = [(alike, alike[0], feed) for alike in group_racks(racks) for feed in alike[0].feeds]
    # One scale for all bars, so that a longer bar is always more power.
    scale = max((max(feed.capacity_kw, feed.load_kw, feed.survivor_kw) for _, _, feed in rows), default=1.0) or 1.0
    parts = _legend()
    previous: Sequence[RackPlan] = ()
    y = float(TOP_PX)
    for alike, rack, feed in rows:
        if alike is not previous:
            hint = title(runs(rack.name for rack in alike))
            parts.append(group("racks", [hint, text(0, y + 14, fit(names_of(alike), LABEL_PX - 60, 11), "strong")]))
        parts.append(_feed(y, rack, feed, scale))
        previous = alike
        y += ROW_PX
    style = None if embedded else drawing_css()
    return svg(WIDTH_PX, y + 8, "Power per feed", "power", parts, style=style)


def _legend() -> list[str]:
    y = 10
    return [
        rect(LABEL_PX, y, 14, 10, "load"),
        text(LABEL_PX + 20, y + 9, "both feeds live", "note"),
        rect(LABEL_PX + 130, y, 14, 10, "survivor"),
        text(LABEL_PX + 150, y + 9, "other feed lost", "note"),
        line(LABEL_PX + 262, y - 2, LABEL_PX + 262, y + 12, "limit"),
        text(LABEL_PX + 270, y + 9, "capacity: breaker × continuous rating", "note"),
    ]


def _feed(y: float, rack: RackPlan, feed: RackFeed, scale: float) -> str:
    span = WIDTH_PX - LABEL_PX - VALUE_PX
    limit = LABEL_PX + span * feed.capacity_kw / scale
    breaker = f"{feed.breaker_a:g} A × {feed.continuous_rating:g}"
    hint = f"{rack.name} feed {feed.name.upper()}: {feed.pdus} × {feed.pdu_model}, {breaker}"
    parts = [title(hint)]
    parts.append(text(LABEL_PX - 12, y + 14, f"feed {feed.name.upper()}", "end"))
    for offset, kw, css in ((0, feed.load_kw, "load"), (BAR_PX + 2, feed.survivor_kw, "survivor")):
        over = exceeds(kw, feed.capacity_kw)
        bar = rect(LABEL_PX, y + offset, span * kw / scale, BAR_PX, "over" if over else css)
        parts.append(rect(LABEL_PX, y + offset, span, BAR_PX, "track"))
        parts.append(group("bar", [bar], data_rack=rack.name, data_feed=feed.name, data_case=css, data_kw=kw))
        shown = f"{kw:.1f} of {feed.capacity_kw:.1f} kW"
        parts.append(text(WIDTH_PX - VALUE_PX + 12, y + offset + 12, shown, "bad" if over else ""))
    parts.append(line(limit, y - 3, limit, y + 2 * BAR_PX + 5, "limit"))
    return group("feed", parts)
