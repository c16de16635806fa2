"""The power path above the racks: each supply, UPS, panel and busway with its load, and its load after the worst loss."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from railyard.model.power import PowerPlan, PowerSegment
from railyard.render.bars import Bar, BarRow, BarSection, bars_svg
from railyard.render.runs import runs, short

HEADINGS = (("supply", "Supply"), ("ups", "UPS"), ("panel", "Panels"), ("busway", "Busways"), ("feed", "Feeds"))
SHOWN_MAX = 20
"""Kinds of segments of one sort that are drawn."""
LEGEND = (("load", "everything live"), ("survivor", "after the worst loss for it"))


def path_pictures(power: PowerPlan, site: str) -> list[str]:
    """A picture for each sort of segment: on paper none is cut."""
    pictures = (path_svg(power, site, (heading,), embedded=True) for heading in HEADINGS)
    return [picture for picture in pictures if picture]


def path_svg(
    power: PowerPlan, site: str, headings: Iterable[tuple[str, str]] = HEADINGS, *, embedded: bool = False
) -> str | None:
    """Bars in kVA for the segments that the stack file states, alike ones once; None where it states none of them."""
    sections: list[BarSection] = []
    for kind, heading in headings:
        groups = alike_segments(segment for segment in power.segments if segment.kind == kind)
        shown = _fullest(groups)
        many = f", the {len(shown)} fullest of {len(groups)} kinds" if len(shown) < len(groups) else ""
        if groups:
            sections.append(BarSection(f"{heading}{many}", [_row(group, site) for group in shown]))
    if not sections:
        return None
    return bars_svg(sections, "Power above the racks", "power-path", LEGEND, embedded=embedded)


def alike_segments(segments: Iterable[PowerSegment]) -> list[list[PowerSegment]]:
    """Segments of the same figures, in the plan's order: names, parents and rows may differ."""
    groups: dict[tuple[object, ...], list[PowerSegment]] = {}
    for segment in segments:
        facts = segment.model_dump(exclude={"name", "parent", "rows", "worst_when", "count", "last"}, mode="json")
        groups.setdefault((repr(facts), _loss(segment)), []).append(segment)
    return list(groups.values())


def _fullest(groups: list[list[PowerSegment]]) -> list[list[PowerSegment]]:
    """As many as a page takes, in the plan's order."""
    if len(groups) <= SHOWN_MAX:
        return groups
    fullness = [group[0].worst_kva / (group[0].limit_kva or group[0].worst_kva or 1.0) for group in groups]
    kept = sorted(range(len(groups)), key=lambda index: (-fullness[index], index))[:SHOWN_MAX]
    return [groups[index] for index in sorted(kept)]


def _loss(segment: PowerSegment) -> str:
    """The kind of loss that is worst, without the number of what is lost: `panel-b-03 lost` is alike `panel-b-04 lost`."""
    return "".join(letter for letter in segment.worst_when if not letter.isdigit())


def _row(group: Sequence[PowerSegment], site: str) -> BarRow:
    first = group[0]
    own = short(first.name, site)
    name = own if len(group) == 1 else f"{len(group)} like {own}"
    breaker = f"{first.breaker_a:g} A × {first.continuous_rating:g}" if first.breaker_a is not None else "breaker not stated"
    feed = f"feed {first.feed} · " if first.feed else ""
    rated = f" · {first.rated_kva:g} kVA" if first.rated_kva is not None else ""
    when = f" · {first.worst_when}" if first.worst_when else ""
    bars = (
        Bar("load", first.load_kva, first.limit_kva, _words(first.load_kw, first.load_kva, first.load_a.worst_a, first)),
        Bar("survivor", first.worst_kva, first.limit_kva,
            _words(first.worst_kw, first.worst_kva, first.worst_a.worst_a, first) + when),
    )  # fmt: skip
    volts = f"{first.volts:g} V {first.voltage_reference}, {first.phases} phase{'s' if first.phases > 1 else ''}"
    hint = f"{runs(segment.name for segment in group)}: {volts}, {breaker}{rated}, {first.racks} racks below"
    data = {"data_segment": first.name, "data_alike": len(group)}
    return BarRow(name, f"{feed}{breaker}{rated}", hint, bars, data)


def _words(kw: float, kva: float, amps: float, segment: PowerSegment) -> str:
    limit = f" of {segment.limit_kva:,.0f}" if segment.limit_kva is not None else ""
    ampere = f" · {amps:,.0f} of {segment.limit_a:,.0f} A" if segment.limit_a is not None else f" · {amps:,.0f} A"
    return f"{kw:,.0f} kW · {kva:,.0f}{limit} kVA{ampere}"
