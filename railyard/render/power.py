"""Power per feed of the racks: what it carries with all feeds live, and when the other is lost, against its capacity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from railyard.model.plan import RackFeed, RackPlan
from railyard.render.rack_groups import feeds_key, group_racks
from railyard.render.runs import runs, short
from railyard.render.svg import fit, group, line, rect, svg, text, title
from railyard.render.theme import drawing_css
from railyard.rules.registry import exceeds

WIDTH_PX = 960
LABEL_PX = 196
VALUE_PX = 372
BAR_PX = 15
ROW_PX = 44
TOP_PX = 40
PAGE_KINDS = 12
"""So many kinds of racks with two feeds each are as high as a printed page, at its width."""


def names_of(racks: Sequence[RackPlan]) -> str:
    """`r001`, or `32 racks like r001`: the site is said by what stands around the picture."""
    first = short(racks[0].name, racks[0].name.rpartition("-")[0])
    return first if len(racks) == 1 else f"{len(racks)} racks like {first}"


def power_pictures(kinds: Sequence[Sequence[RackPlan]]) -> list[str]:
    """Bars of racks with the same feeds each, in pictures that fit a printed page; all have one scale."""
    racks = [rack for alike in kinds for rack in alike]
    parts = [kinds[first : first + PAGE_KINDS] for first in range(0, len(kinds), PAGE_KINDS)] or [[]]
    return [power_svg([rack for alike in part for rack in alike], scale=scale_of(racks), embedded=True) for part in parts]


def scale_of(racks: Iterable[RackPlan]) -> float:
    """The most kVA that a bar or a limit says: one scale for all, so that a longer bar is always more power."""
    return max((max(feed.capacity_kw, *apparent(feed)) for rack in racks for feed in rack.feeds), default=1.0) or 1.0


def power_svg(racks: Sequence[RackPlan], *, scale: float | None = None, embedded: bool = False) -> str:
    """Two bars per feed; racks whose feeds carry the same are drawn once. `scale`: kVA of the whole width.

    Bars carry `data-rack`, `data-feed` and the kilowatts that they draw in `data-kw`.
    """
    rows = [(alike, alike[0], feed) for alike in group_racks(racks, feeds_key) for feed in alike[0].feeds]
    scale = scale or scale_of(racks)
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
        text(LABEL_PX + 20, y + 9, "all feeds live", "note"),
        rect(LABEL_PX + 130, y, 14, 10, "survivor"),
        text(LABEL_PX + 150, y + 9, "other feed lost", "note"),
        line(LABEL_PX + 262, y - 2, LABEL_PX + 262, y + 12, "limit"),
        text(LABEL_PX + 270, y + 9, "capacity: breaker × continuous rating", "note"),
    ]


def apparent(feed: RackFeed) -> tuple[float, float]:
    """(load, load after the worst loss) in kVA, which is what a capacity is; in kW in plans of before kVA was kept."""
    load = feed.load_kw if feed.load_kva is None else feed.load_kva
    return load, feed.survivor_kw if feed.survivor_kva is None else feed.survivor_kva


def overloaded(feed: RackFeed) -> bool:
    """Whether the feed is over its capacity, live or after the worst loss."""
    amps = max(feed.load_a or 0.0, feed.survivor_a or 0.0)
    return exceeds(max(apparent(feed)), feed.capacity_kw) or (feed.limit_a is not None and exceeds(amps, feed.limit_a))


def lost_words(rack: RackPlan, feed: RackFeed) -> str:
    """What was lost in the case of the second bar."""
    others = [other.name for other in rack.feeds if other.name != feed.name]
    if len(others) == 1:
        return f"feed {others[0]} lost"
    return feed.survivor_when or ("another feed lost" if others else "the only feed")


def _feed(y: float, rack: RackPlan, feed: RackFeed, scale: float) -> str:
    span = WIDTH_PX - LABEL_PX - VALUE_PX
    limit = LABEL_PX + span * feed.capacity_kw / scale
    breaker = f"{feed.breaker_a:g} A × {feed.continuous_rating:g}"
    parts = [title(f"{rack.name} feed {feed.name}: {feed.pdus} × {feed.pdu_model}, {breaker}")]
    parts.append(text(LABEL_PX - 12, y + 14, f"feed {feed.name}", "end"))
    load, survivor = apparent(feed)
    cases = (
        (0, "load", feed.load_kw, load, feed.load_a, ""),
        (BAR_PX + 2, "survivor", feed.survivor_kw, survivor, feed.survivor_a, f" · {lost_words(rack, feed)}"),
    )
    for offset, css, kw, kva, amps, when in cases:
        over = exceeds(kva, feed.capacity_kw) or (None not in (amps, feed.limit_a) and exceeds(amps or 0, feed.limit_a or 0))
        bar = rect(LABEL_PX, y + offset, span * kva / scale, BAR_PX, "over" if over else css)
        parts.append(rect(LABEL_PX, y + offset, span, BAR_PX, "track"))
        data = {"data_rack": rack.name, "data_feed": feed.name, "data_case": css, "data_kw": kw, "data_kva": kva}
        parts.append(group("bar", [bar], **data))
        shown = f"{_words(feed, kw, kva, amps)}{when}"
        parts.append(text(WIDTH_PX - VALUE_PX + 12, y + offset + 12, fit(shown, VALUE_PX - 12, 9), "bad" if over else ""))
    parts.append(line(limit, y - 3, limit, y + 2 * BAR_PX + 5, "limit"))
    return group("feed", parts)


def _words(feed: RackFeed, kw: float, kva: float, amps: float | None) -> str:
    power = f"{kw:.1f} of {feed.capacity_kw:.1f} kW" if feed.load_kva is None else (
        f"{kw:.1f} kW · {kva:.1f} of {feed.capacity_kw:.1f} kVA")  # fmt: skip
    return power if amps is None else f"{power} · {amps:.1f}" + ("" if feed.limit_a is None else f" of {feed.limit_a:g}") + " A"
