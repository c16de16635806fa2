"""What front and rear of a rack share: the frame to scale in U, its numbers, hatching, and lines of facts below it."""

from __future__ import annotations

from collections.abc import Iterable

from railyard.model.plan import RackDevice, RackPlan
from railyard.render.svg import el, fit, group, line, rect, text
from railyard.render.theme import OTHER_NETWORKS

U_PX = 16
BODY_PX = 244
GUTTER_PX = 30
HEAD_PX = 46
FOOT_LINE_PX = 17
FACE_PX = BODY_PX + 2 * GUTTER_PX

FootLine = tuple[str, str, bool]
"""Label, value, and whether the value is over its limit."""


def hatch() -> str:
    """The pattern of reserved U; a page that embeds elevations has it once, since an id may stand there once only."""
    stroke = line(0, 0, 0, 7, "hatching")
    pattern = {"id": "hatch", "width": 7, "height": 7, "patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
    return el("defs", {}, el("pattern", dict(pattern), stroke))


def site_of(rack: RackPlan) -> str:
    """The site's name: what stands before the rack's own number."""
    return rack.name.rpartition("-")[0]


def head(rack: RackPlan, face: str, x: float = 0) -> list[str]:
    """The rack's name, and which side of it is seen."""
    return [
        text(x + GUTTER_PX, 20, fit(rack.name, BODY_PX, 15), "heading"),
        text(
            x + GUTTER_PX,
            36,
            fit(f"{face} · row {rack.row}, position {rack.position} · {rack.model}", BODY_PX + GUTTER_PX, 9.5),
            "note",
        ),
    ]


def room_kw(rack: RackPlan) -> float:
    """Heat that the room's air gets from the rack, which is what its limit is of: what a rear door takes is not in it."""
    return rack.air_kw if rack.cooling is None else rack.cooling.room_kw


def y_of(rack: RackPlan, top_u: int) -> int:
    """The upper edge of a U; U 1 is at the bottom."""
    return HEAD_PX + (rack.u_height - top_u) * U_PX


def span_of(device: RackDevice) -> str:
    """`U12` or `U12–19`."""
    top = device.u + device.u_height - 1
    return f"U{device.u}" if device.u_height == 1 else f"U{device.u}–{top}"


def rungs(rack: RackPlan, x: float = 0) -> list[str]:
    """A line for each U with its number on both sides, and the hatched reserved ones."""
    left = x + GUTTER_PX
    parts: list[str] = []
    for u in range(1, rack.u_height + 1):
        y = y_of(rack, u)
        parts.append(line(left, y, left + BODY_PX, y, "rung"))
        parts.append(text(left - 5, y + 12, u, "unit end"))
        parts.append(text(left + BODY_PX + 5, y + 12, u, "unit"))
    parts += [rect(left, y_of(rack, u), BODY_PX, U_PX, "reserved", data_reserved_u=u) for u in rack.reserved_u]
    return parts


def frame(rack: RackPlan, x: float = 0) -> str:
    return rect(x + GUTTER_PX, HEAD_PX, BODY_PX, rack.u_height * U_PX, "frame")


def foot(rack: RackPlan, lines: list[FootLine], x: float = 0) -> list[str]:
    """The lines of facts below the frame."""
    parts: list[str] = []
    for index, (label, value, bad) in enumerate(lines):
        y = HEAD_PX + rack.u_height * U_PX + 12 + FOOT_LINE_PX * (index + 1) - 5
        parts.append(text(x + GUTTER_PX, y, label, "note"))
        parts.append(text(x + GUTTER_PX + BODY_PX, y, value, "end bad" if bad else "end"))
    return parts


def wrapped(label: str, words: Iterable[str]) -> list[FootLine]:
    """Words beside a label, in as many lines as they take: nothing that is said to be unknown is cut."""
    room = BODY_PX - 11 * len(label) * 0.6
    lines: list[str] = []
    for word in words:
        longer = f"{lines[-1]} · {word}" if lines else ""
        if lines and fit(longer, room, 10) == longer:
            lines[-1] = longer
        else:
            lines.append(fit(word, room, 10))
    return [(label if index == 0 else "", line, False) for index, line in enumerate(lines)]


def height_of(rack: RackPlan, lines: int) -> int:
    """Height of the whole picture, in pixels."""
    return HEAD_PX + rack.u_height * U_PX + 12 + FOOT_LINE_PX * lines + 6


def edge(x: float, y: float, height: float, role: str) -> str:
    """The strong edge of a device in its role's colour; striped outside the training fabric."""
    if role in OTHER_NETWORKS:
        return line(x + 2.5, y, x + 2.5, y + height, "striped")
    return rect(x, y, 5, height, "edge", rx=1)


def device_group(device: RackDevice, parts: list[str], css: str = "device") -> str:
    """The device's box with its attributes: what a test, or a script of the reader's, reads back."""
    return group(
        f"{css} role-{device.role}" + ("" if device.installed else " empty"),
        parts,
        data_device=device.name,
        data_role=device.role,
        data_u=device.u,
        data_u_height=device.u_height,
        data_installed=str(device.installed).lower(),
    )


def box_of(rack: RackPlan, device: RackDevice, x: float = 0) -> tuple[float, float, float, float]:
    """(x, y, width, height) of a device's box."""
    y = y_of(rack, device.u + device.u_height - 1) + 1
    return x + GUTTER_PX + 2, y, BODY_PX - 4, device.u_height * U_PX - 2
