"""The rear of a rack: devices at the same U, supplies by feed, 0U strips left and right."""

from __future__ import annotations

from collections import Counter

from railyard.model.plan import RackDevice, RackPlan
from railyard.render.elevation import (
    BODY_PX,
    FACE_PX,
    HEAD_PX,
    U_PX,
    FootLine,
    box_of,
    device_group,
    edge,
    frame,
    head,
    rungs,
    site_of,
    span_of,
    wrapped,
)
from railyard.render.rack_backs import Back, Cord, Strip, air_mark, strips_of
from railyard.render.runs import short
from railyard.render.svg import fit, group, rect, text, title
from railyard.render.theme import ROLES

CHANNEL_PX = 34
"""Width of the channel on each side that holds the strips."""
STRIP_PX = 14
REAR_PX = FACE_PX + 2 * CHANNEL_PX
CORD_PX = 12
# More supplies than these in one device are told by their number.
CORDS_MAX = 10


def rear_parts(rack: RackPlan, back: Back) -> list[str]:
    """Everything above the foot."""
    parts = [*head(rack, "rear", CHANNEL_PX), *rungs(rack, CHANNEL_PX)]
    parts += [_device(rack, device, back) for device in sorted(rack.devices, key=lambda device: device.u)]
    parts.append(frame(rack, CHANNEL_PX))
    return [*parts, *_strips(rack)]


def rear_foot(rack: RackPlan, back: Back) -> list[FootLine]:
    """Strips and cords by feed."""
    cords = Counter(cord.feed for marks in back.cords.values() for cord in marks)
    lines: list[FootLine] = [
        (f"feed {feed.name}", fit(f"{feed.pdus} × {feed.pdu_model}", BODY_PX - 40, 10), False) for feed in rack.feeds
    ]
    plugged = " · ".join(f"{cords[feed.name]} {feed.name.upper()}" for feed in rack.feeds)
    lines.append(("cords", plugged if cords else "strip of each not known", False))
    there = [device for device in rack.devices if device.installed]
    if cords:
        lines += wrapped("cords not known", sorted({device.model for device in there if device.u not in back.cords}))
    return [
        *lines,
        *wrapped("air direction unknown", sorted({device.model for device in there if back.air_of(device) is None})),
    ]


def _strips(rack: RackPlan) -> list[str]:
    parts: list[str] = []
    for side in ("left", "right"):
        strips = [strip for strip in strips_of(rack) if strip.side == side]
        for index, strip in enumerate(strips):
            # The first strip is the outer one; four to a side would leave the channel, and are drawn narrower.
            width = min(STRIP_PX, (CHANNEL_PX - 4) / len(strips) - 1)
            offset = 2 + index * (width + 1)
            x = offset if side == "left" else REAR_PX - offset - width
            parts.append(_strip(rack, strip, x, width))
    return parts


def _strip(rack: RackPlan, strip: Strip, x: float, width: float) -> str:
    body = rack.u_height * U_PX
    middle = x + width / 2 + 3.5
    name = fit(f"PDU {strip.name.upper()} · {strip.model}", body - 20, 10)
    parts = [
        title(f"PDU {strip.name.upper()} on feed {strip.feed.upper()}: {strip.model}"),
        rect(x, HEAD_PX, width, body, f"strip feed-{strip.feed}", rx=2),
        text(middle, HEAD_PX + body - 10, name, f"strip-name feed-{strip.feed}",
             transform=f"rotate(-90 {middle:g} {HEAD_PX + body - 10})"),
    ]  # fmt: skip
    return group("pdu", parts, data_pdu=strip.name, data_feed=strip.feed, data_side=strip.side)


def _device(rack: RackPlan, device: RackDevice, back: Back) -> str:
    x, y, width, height = box_of(rack, device, CHANNEL_PX)
    middle = y + height / 2 + 4
    two = device.u_height > 1
    cords = back.cords.get(device.u, ()) if device.installed else ()
    room = width - 34 - CORD_PX * min(len(cords), CORDS_MAX)
    parts = [
        title(f"{device.name}: {ROLES[device.role]} {device.model}, {span_of(device)}, seen from the rear"),
        rect(x, y, width, height, "sheet", rx=2),
        rect(x, y, width, height, "box", rx=2),
        edge(x + width - 5, y, height, device.role),
        text(x + 8, middle - (8 if two else 0), fit(short(device.name, site_of(rack)), room, 11), "strong"),
    ]
    if two:
        parts.append(text(x + 8, middle + 6, fit(device.model, 160, 10), "note"))
        parts.append(text(x + width - 26, middle + 6, span_of(device), "note end"))
    if device.installed:
        parts.append(air_mark(x + width - 14, y + height / 2, back.air_of(device), "rear"))
    parts += _cords(x + width - 26, middle - (8 if two else 0), cords)
    return device_group(device, parts)


def _cords(right: float, baseline: float, cords: tuple[Cord, ...]) -> list[str]:
    if len(cords) > CORDS_MAX:
        feeds = Counter(cord.feed for cord in cords)
        return [text(right, baseline, " + ".join(f"{n} {feed.upper()}" for feed, n in sorted(feeds.items())), "end")]
    return [_cord(right - CORD_PX * (len(cords) - index), baseline - 9, cord) for index, cord in enumerate(cords)]


def _cord(x: float, y: float, cord: Cord) -> str:
    parts = [
        title(cord.hint),
        rect(x, y, CORD_PX - 2, CORD_PX - 2, f"psu feed-{cord.feed}", rx=1),
        text(x + (CORD_PX - 2) / 2, y + 8, cord.feed.upper(), f"psu-name middle feed-{cord.feed}"),
    ]
    return group("cord", parts, data_psu=cord.psu, data_feed=cord.feed, data_pdu=cord.pdu)
