"""One rack's elevation, to scale in U, with what it draws and weighs below: the front, and front and rear on one sheet."""

from __future__ import annotations

from railyard.model.plan import RackDevice, RackFeed, RackPlan
from railyard.render.elevation import (
    FACE_PX,
    HEAD_PX,
    U_PX,
    FootLine,
    box_of,
    device_group,
    edge,
    foot,
    frame,
    hatch,
    head,
    height_of,
    room_kw,
    rungs,
    site_of,
    span_of,
)
from railyard.render.power import apparent, overloaded
from railyard.render.rack_backs import NOTHING_KNOWN, Back, air_mark
from railyard.render.rack_groups import group_racks
from railyard.render.rack_rear import REAR_PX, rear_foot, rear_parts
from railyard.render.runs import short
from railyard.render.svg import fit, group, rect, svg, text, title
from railyard.render.theme import ROLES, drawing_css
from railyard.rules.registry import exceeds

__all__ = ["FACE_PX", "HEAD_PX", "U_PX", "group_racks", "hatch", "rack_svg", "rear_svg", "sheet_svg"]

GAP_PX = 24


def rack_svg(rack: RackPlan, back: Back = NOTHING_KNOWN, *, embedded: bool = False) -> str:
    """The front. Devices carry `data-device`, `data-u` (lowest U, from 1 at the bottom) and `data-u-height`.

    `embedded` leaves the style sheet and the hatching out: the page around the picture has them.
    """
    lines = _foot(rack)
    body = group("rack-body", [*_front(rack, back), *foot(rack, lines)], data_rack=rack.name, data_face="front")
    return _picture(FACE_PX, height_of(rack, len(lines)), f"Front of rack {rack.name}", "rack", [body], embedded=embedded)


def rear_svg(rack: RackPlan, back: Back = NOTHING_KNOWN, *, embedded: bool = False) -> str:
    """The rear: the same devices at the same U, their supplies by feed, rack strips on both sides, and which way air leaves."""
    height = height_of(rack, max(len(_foot(rack)), len(rear_foot(rack, back))))
    body = group("rack-body", [*rear_parts(rack, back), *foot(rack, rear_foot(rack, back), _REAR_X)],
                 data_rack=rack.name, data_face="rear")  # fmt: skip
    return _picture(REAR_PX, height, f"Rear of rack {rack.name}", "rack-rear", [body], embedded=embedded)


def sheet_svg(rack: RackPlan, back: Back = NOTHING_KNOWN) -> str:
    """Front and rear beside each other in a file of its own: what an installer takes along."""
    front, rear = _foot(rack), rear_foot(rack, back)
    height = height_of(rack, max(len(front), len(rear)))
    left = group("rack-body", [*_front(rack, back), *foot(rack, front)], data_rack=rack.name, data_face="front")
    right = group("rack-body", [*rear_parts(rack, back), *foot(rack, rear, _REAR_X)], data_rack=rack.name, data_face="rear",
                  transform=f"translate({FACE_PX + GAP_PX} 0)")  # fmt: skip
    return _picture(FACE_PX + GAP_PX + REAR_PX, height, f"Rack {rack.name}, front and rear", "rack-sheet", [left, right])


_REAR_X = (REAR_PX - FACE_PX) / 2


def _picture(width: float, height: float, label: str, css: str, parts: list[str], *, embedded: bool = False) -> str:
    style = None if embedded else drawing_css()
    return svg(width, height, label, css, [*([] if embedded else [hatch()]), *parts], style=style)


def _front(rack: RackPlan, back: Back) -> list[str]:
    parts = [*head(rack, "front"), *rungs(rack)]
    parts += [_device(rack, device, back) for device in sorted(rack.devices, key=lambda device: device.u)]
    return [*parts, frame(rack)]


def _device(rack: RackPlan, device: RackDevice, back: Back) -> str:
    x, y, width, height = box_of(rack, device)
    span, state = span_of(device), "" if device.installed else ", empty slot"
    kw = f"{device.peak_kw:g} kW" if device.installed else "empty slot"
    # One line: the name stands in the middle of a single U; taller devices say their model below it.
    middle = y + height / 2 + 4
    two = device.u_height > 1
    parts = [
        title(f"{device.name}: {ROLES[device.role]} {device.model}, {span}, {device.peak_kw:g} kW peak{state}"),
        rect(x, y, width, height, "sheet", rx=2),
        rect(x, y, width, height, "box", rx=2),
        edge(x, y, height, device.role),
        text(x + 12, middle - (8 if two else 0), fit(short(device.name, site_of(rack)), 150, 11), "strong"),
        text(x + width - 22, middle - (8 if two else 0), kw, "end"),
    ]
    if two:
        parts.append(text(x + 12, middle + 6, fit(device.model, 160, 10), "note"))
        parts.append(text(x + width - 22, middle + 6, span, "note end"))
    if device.installed:
        parts.append(air_mark(x + width - 11, y + height / 2, back.air_of(device), "front"))
    return device_group(device, parts)


def _foot(rack: RackPlan) -> list[FootLine]:
    rows: list[FootLine] = [("peak power", f"{rack.peak_kw:.1f} kW", False)]
    rows += [_feed(feed) for feed in rack.feeds]
    heat, most = room_kw(rack), rack.air_limit_kw
    rows.append(("heat into the room", f"{heat:.1f} of {most:.1f} kW", exceeds(heat, most)))
    limit = rack.weight_limit_kg
    whole = not rack.unweighed and all(device.weight_kg is not None for device in rack.devices)
    most = "" if limit is None else f" of {limit:,.0f}"
    weight = f"{'' if whole else 'known: '}{rack.weight_kg:,.0f}{most} kg"
    if not whole and not rack.weight_kg:
        # No device has a known weight: that is not 0.
        weight = "not known" + (f"{most} kg" if most else "")
    rows.append(("in the frame", weight, limit is not None and exceeds(rack.weight_kg, limit)))
    return rows


def _feed(feed: RackFeed) -> FootLine:
    load, survivor = apparent(feed)
    unit = "kW" if feed.load_kva is None else "kVA"
    shown = f"{load:.1f} · {survivor:.1f} of {feed.capacity_kw:.1f} {unit}"
    return (f"feed {feed.name} · after a loss", shown, overloaded(feed))
