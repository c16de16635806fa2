"""One rack's front elevation, to scale in U, with what it draws and weighs below."""

from __future__ import annotations

from collections.abc import Iterable

from railyard.model.plan import RackDevice, RackFeed, RackPlan
from railyard.render.runs import short
from railyard.render.svg import el, fit, group, line, rect, svg, text, title
from railyard.render.theme import ROLES, drawing_css
from railyard.rules.registry import exceeds

U_PX = 16
BODY_PX = 264
GUTTER_PX = 30
HEAD_PX = 46
FOOT_LINE_PX = 17
WIDTH_PX = BODY_PX + 2 * GUTTER_PX


def elevation_key(rack: RackPlan) -> tuple[object, ...]:
    """Equal for racks whose elevation differs in names only: the report draws one of them."""
    devices = tuple((d.role, d.model, d.u, d.u_height, d.peak_kw, d.weight_kg, d.installed) for d in rack.devices)
    facts = (rack.model, rack.u_height, rack.reserved_u, rack.peak_kw, rack.air_kw, rack.air_limit_kw)
    return (*facts, rack.weight_kg, rack.weight_limit_kg, devices, rack.feeds)


def group_racks(racks: Iterable[RackPlan]) -> list[list[RackPlan]]:
    """Racks with the same elevation, each group in the plan's order, groups by their first rack."""
    groups: dict[tuple[object, ...], list[RackPlan]] = {}
    for rack in racks:
        groups.setdefault(elevation_key(rack), []).append(rack)
    return list(groups.values())


def rack_svg(rack: RackPlan, *, embedded: bool = False) -> str:
    """The elevation. Devices carry `data-device`, `data-u` (lowest U, from 1 at the bottom) and `data-u-height`.

    `embedded` leaves the style sheet and the hatching out: the page around the picture has them.
    """
    body = rack.u_height * U_PX
    foot = _foot(rack)
    height = HEAD_PX + body + 12 + FOOT_LINE_PX * len(foot) + 6
    parts = [*_head(rack), *_rungs(rack), *_reserved(rack)]
    parts += [_device(rack, device) for device in sorted(rack.devices, key=lambda device: device.u)]
    parts.append(rect(GUTTER_PX, HEAD_PX, BODY_PX, body, "frame"))
    for index, (label, value, bad) in enumerate(foot):
        y = HEAD_PX + body + 12 + FOOT_LINE_PX * (index + 1) - 5
        parts.append(text(GUTTER_PX, y, label, "note"))
        parts.append(text(GUTTER_PX + BODY_PX, y, value, "end bad" if bad else "end"))
    return svg(
        WIDTH_PX,
        height,
        f"Front of rack {rack.name}",
        "rack",
        [*([] if embedded else [hatch()]), group("rack-body", parts, data_rack=rack.name)],
        style=None if embedded else drawing_css(),
    )


def hatch() -> str:
    """The pattern of reserved U; a page that embeds elevations has it once, since an id may stand there once only."""
    stroke = line(0, 0, 0, 7, "hatching")
    pattern = {"id": "hatch", "width": 7, "height": 7, "patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
    return el("defs", {}, el("pattern", dict(pattern), stroke))


def _head(rack: RackPlan) -> list[str]:
    return [
        text(GUTTER_PX, 20, fit(rack.name, BODY_PX, 15), "heading"),
        text(GUTTER_PX, 36, fit(f"{rack.model} · row {rack.row}, position {rack.position} · front", BODY_PX, 10), "note"),
    ]


def _site(rack: RackPlan) -> str:
    """The site's name: what stands before the rack's own number."""
    return rack.name.rpartition("-")[0]


def _y(rack: RackPlan, top_u: int) -> int:
    """The upper edge of a U; U 1 is at the bottom."""
    return HEAD_PX + (rack.u_height - top_u) * U_PX


def _rungs(rack: RackPlan) -> list[str]:
    parts: list[str] = []
    for u in range(1, rack.u_height + 1):
        y = _y(rack, u)
        parts.append(line(GUTTER_PX, y, GUTTER_PX + BODY_PX, y, "rung"))
        parts.append(text(GUTTER_PX - 5, y + 12, u, "unit end"))
        parts.append(text(GUTTER_PX + BODY_PX + 5, y + 12, u, "unit"))
    return parts


def _reserved(rack: RackPlan) -> list[str]:
    return [rect(GUTTER_PX, _y(rack, u), BODY_PX, U_PX, "reserved", data_reserved_u=u) for u in rack.reserved_u]


def _device(rack: RackPlan, device: RackDevice) -> str:
    x, y = GUTTER_PX + 2, _y(rack, device.u + device.u_height - 1) + 1
    width, height = BODY_PX - 4, device.u_height * U_PX - 2
    top = device.u + device.u_height - 1
    span = f"U{device.u}" if device.u_height == 1 else f"U{device.u}–{top}"
    state = "" if device.installed else ", empty slot"
    kw = f"{device.peak_kw:g} kW" if device.installed else "empty slot"
    # One line: the name stands in the middle of a single U; taller devices say their model below it.
    middle = y + height / 2 + 4
    two = device.u_height > 1
    parts = [
        title(f"{device.name}: {ROLES[device.role]} {device.model}, {span}, {device.peak_kw:g} kW peak{state}"),
        rect(x, y, width, height, "sheet", rx=2),
        rect(x, y, width, height, "box", rx=2),
        rect(x, y, 5, height, "edge", rx=1),
        text(x + 12, middle - (8 if two else 0), fit(short(device.name, _site(rack)), 160, 11), "strong"),
        text(x + width - 8, middle - (8 if two else 0), kw, "end"),
    ]
    if two:
        parts.append(text(x + 12, middle + 6, fit(device.model, 180, 10), "note"))
        parts.append(text(x + width - 8, middle + 6, span, "note end"))
    css = f"device role-{device.role}" + ("" if device.installed else " empty")
    return group(
        css,
        parts,
        data_device=device.name,
        data_role=device.role,
        data_u=device.u,
        data_u_height=device.u_height,
        data_installed=str(device.installed).lower(),
    )


def _foot(rack: RackPlan) -> list[tuple[str, str, bool]]:
    """Label, value, and whether the value is over its limit."""
    rows = [("peak power", f"{rack.peak_kw:.1f} kW", False)]
    rows += [_feed(feed) for feed in rack.feeds]
    rows.append(("heat into air", f"{rack.air_kw:.1f} of {rack.air_limit_kw:.1f} kW", exceeds(rack.air_kw, rack.air_limit_kw)))
    limit = rack.weight_limit_kg
    known = "" if not rack.unweighed and all(device.weight_kg is not None for device in rack.devices) else "known: "
    weight = f"{known}{rack.weight_kg:,.0f} kg" + (f" of {limit:,.0f} kg" if limit is not None else "")
    rows.append(("weight", weight, limit is not None and exceeds(rack.weight_kg, limit)))
    return rows


def _feed(feed: RackFeed) -> tuple[str, str, bool]:
    shown = f"{feed.load_kw:.1f} · {feed.survivor_kw:.1f} of {feed.capacity_kw:.1f} kW"
    return (f"feed {feed.name.upper()} · alone", shown, exceeds(max(feed.load_kw, feed.survivor_kw), feed.capacity_kw))
