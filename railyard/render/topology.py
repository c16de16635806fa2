"""The fabric as one picture: units, spines and cores. A unit is one box, so that 512 leaves stay readable.

one spine group      cores / spines / a row of units, a trunk from each unit to the spines
planes, pods of rails   a box per group above a bus, because each unit hangs on all of them
pods of units        a panel per pod with its spines above its units
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from railyard.render.pods import SpineGroup, core_groups, nested, spine_groups
from railyard.render.svg import fit, group, line, rect, svg, text, title
from railyard.render.theme import drawing_css
from railyard.render.topology_parts import (
    BAND_PX,
    BUS_PX,
    DENSE,
    DENSE_FROM,
    EMPTY_PX,
    LARGE,
    MARGIN_PX,
    Scene,
    Size,
    Unit,
    band,
    climb,
    core_band,
    links_text,
    row_of_units,
    trunk,
    units,
)

if TYPE_CHECKING:
    from railyard.plan import Plan

GROUP_PX = 80
# Spine groups with a trunk each; more of them carry their counts in their boxes.
GROUPS_ALONE = 8
GROUPS_PER_ROW = 8
# Units that are planned and not built beyond this many are told by their number.
EMPTY_MAX = 64


def topology_svg(plan: Plan, *, embedded: bool = False) -> str:
    """The overview. Units carry `data-unit`, bundles `data-a`, `data-z` and `data-links`, switches `data-device`.

    The `data-links` of all bundles add up to the links between switches.
    """
    boxes = units(plan)
    groups = spine_groups(plan.switches)
    scene = Scene(plan, boxes, groups, core_groups(plan.switches), DENSE if len(boxes) >= DENSE_FROM else LARGE)
    parts, width, y = _pods(scene) if nested(groups) else _flat(scene)
    y += 22
    parts.append(text(MARGIN_PX, y, _caption(scene), "note"))
    style = None if embedded else drawing_css()
    return svg(width, y + 12, f"Fabric of {plan.site.site}", "topology", parts, style=style)


def _caption(scene: Scene) -> str:
    plan, fabric = scene.plan, scene.plan.fabric
    built = f"{plan.site.built_scalable_units} of {plan.site.planned_scalable_units} planned units built"
    planes = f" × {fabric.planes} planes" if fabric.planes > 1 else ""
    small = " · a small square is a leaf, coloured by rail · below: nodes of slots" if scene.size.dense else ""
    apart = "" if scene.groups else f" · no spines: {fabric.separate_fabrics} separate fabrics"
    speed = f"{fabric.link_gbps:g} Gb/s per link · numbers on lines: links{'' if scene.size.dense else ' × Gb/s'}"
    return f"{built} · {fabric.rails} rails{planes} · {speed}{small}{apart}"


def _columns_px(size: Size, columns: int) -> float:
    return columns * size.unit + (columns - 1) * size.gap


def _flat(scene: Scene) -> tuple[list[str], float, float]:
    """One spine tier over all units: (drawing, width, y below it)."""
    size = scene.size
    columns = min(size.per_row, max(len(scene.units), 4))
    inner = max(_columns_px(size, columns), 250.0 * min(len(scene.groups), 4))
    width = 2 * MARGIN_PX + inner
    parts, y = _top(scene, inner, 12)
    many = len(scene.groups) > 1
    if many:
        drawn, y = _group_boxes(scene, inner, y)
        parts += drawn
        parts.append(line(MARGIN_PX, y, MARGIN_PX + inner, y, "trunk", stroke_width=5))
    elif scene.groups:
        parts.append(band(MARGIN_PX, y, inner, "spine", scene.groups[0].spines))
        y += BAND_PX
    bottom = y
    for start in range(0, len(scene.units), columns):
        y += BUS_PX if scene.groups else 12
        row = scene.units[start : start + columns]
        parts += row_of_units(scene, row, MARGIN_PX, y, bottom, bus=start > 0)
        y += scene.unit_height
    return parts, width, y


def _top(scene: Scene, inner: float, y: float) -> tuple[list[str], float]:
    """The cores, and where there is one spine group the trunk to it."""
    if not scene.cores:
        return [], y
    parts = [core_band(scene, MARGIN_PX, y, inner)]
    if len(scene.groups) == 1:
        links = scene.plan.fabric.spine_core_links
        parts.append(trunk(scene, MARGIN_PX + inner / 2, y + BAND_PX, y + BAND_PX + 44, "spines", "cores", links))
    return parts, y + BAND_PX + (44 if len(scene.groups) == 1 else 0)


def _group_boxes(scene: Scene, inner: float, y: float) -> tuple[list[str], float]:
    """A box for each plane or pod of rails, each with a trunk up to the cores and one down to the bus.

    Where there are too many for a trunk each, their counts stand in the boxes.
    """
    parts: list[str] = []
    alone = len(scene.groups) <= GROUPS_ALONE
    columns = min(GROUPS_PER_ROW, len(scene.groups))
    width = (inner - 10 * (columns - 1)) / columns
    if scene.cores:
        if not alone:
            rows = -(-len(scene.groups) // columns)
            bottom = y + 40 + rows * (GROUP_PX + 8) + 12
            parts.append(line(MARGIN_PX + inner / 2, y, MARGIN_PX + inner / 2, bottom, "trunk", stroke_width=5))
            parts.append(text(MARGIN_PX + inner / 2 + 9, y + 24, links_text(scene, scene.plan.fabric.spine_core_links), "note"))
        y += 40
    for start in range(0, len(scene.groups), columns):
        for index, spines in enumerate(scene.groups[start : start + columns]):
            x = MARGIN_PX + index * (width + 10)
            middle = x + width / 2
            if alone and scene.cores:
                parts.append(trunk(scene, middle, y - 40, y, f"group {spines.number}", "cores", spines.up_links))
            parts.append(_group_box(scene, x, y, width, spines, alone=alone))
            if alone:
                parts.append(line(middle, y + GROUP_PX, middle, y + GROUP_PX + 28, "trunk", stroke_width=3))
                parts.append(text(middle + 8, y + GROUP_PX + 18, links_text(scene, spines.down_links), "note"))
        y += GROUP_PX + (28 if alone else 8)
    return parts, y if alone else y + 12


def _group_box(scene: Scene, x: float, y: float, width: float, spines: SpineGroup, *, alone: bool) -> str:
    names = _group_names(scene, spines)
    lines = [*names[1:], _spines(spines), f"{spines.leaves:,} leaves"]
    if not alone:
        lines.append(f"{spines.down_links:,} down")
    shown = [text(x + 9, y + 31 + 13.5 * n, fit(words, width - 12, 10.5), "note") for n, words in enumerate(lines[:4])]
    hint = f"{', '.join(names)}: {spines.spines[0].name} to {spines.spines[-1].name}, {spines.up_links:,} links up"
    head = [
        rect(x, y, width, GROUP_PX, "sheet", rx=4),
        rect(x, y, width, GROUP_PX, "box", rx=4),
        text(x + 9, y + 17, fit(names[0], width - 12, 11), "strong"),
        title(hint),
    ]
    counts = {"data_tier": "spine", "data_group": spines.number, "data_count": len(spines.spines)}
    box = group("tier role-spine", [*head, *shown], **counts)
    if alone or not spines.up_links:
        return box
    return group("bundle", [box], data_a=f"group {spines.number}", data_z="cores", data_links=spines.up_links)


def _group_names(scene: Scene, spines: SpineGroup) -> list[str]:
    """What sets this group apart: its plane, its rails, its units."""
    names: list[str] = []
    if scene.plan.fabric.planes > 1:
        names.append(f"plane {', '.join(str(plane) for plane in spines.planes)}")
    if spines.rails and len(spines.rails) < scene.plan.fabric.rails:
        many = len(spines.rails) > 1
        names.append(f"rails {spines.rails[0]}–{spines.rails[-1]}" if many else f"rail {spines.rails[0]}")
    if spines.units and len(spines.units) < scene.plan.site.built_scalable_units:
        names.append(f"su{spines.units[0]:03d}–{spines.units[-1]:03d}")
    return names or [f"group {spines.number}"]


def _spines(spines: SpineGroup) -> str:
    return f"{len(spines.spines)} spine{'s' if len(spines.spines) != 1 else ''}"


def _pods(scene: Scene) -> tuple[list[str], float, float]:
    """A panel per pod: (drawing, width, y below it)."""
    size, pad = scene.size, 9.0
    columns = min(max(len(pod.units) for pod in scene.groups), size.per_row)
    panel = _columns_px(size, columns) + 2 * pad
    per_row = max(1, min(len(scene.groups), int((1200 + 12) // (panel + 12))))
    inner = max(per_row * panel + (per_row - 1) * 12, 560.0)
    parts, y = _top(scene, inner, 12)
    bottom = y
    by_number = {unit.number: unit for unit in scene.units}
    for start in range(0, len(scene.groups), per_row):
        row = scene.groups[start : start + per_row]
        y += BUS_PX
        if start and scene.cores:
            last = MARGIN_PX + (len(row) - 1) * (panel + 12) + panel / 2
            parts += climb(last, y - 30, bottom)
        heights = [_pod_height(scene, pod, columns) for pod in row]
        for index, pod in enumerate(row):
            x = MARGIN_PX + index * (panel + 12)
            top = y - 30 if start else bottom
            if scene.cores and pod.up_links:
                parts.append(trunk(scene, x + panel / 2, top, y, f"pod {pod.number}", "cores", pod.up_links))
            parts.append(_pod(scene, pod, [by_number[n] for n in pod.units], (x, y, panel, max(heights)), columns))
        y += max(heights)
    drawn, y = _waiting(scene, inner, y)
    return parts + drawn, 2 * MARGIN_PX + inner, y


def _pod_height(scene: Scene, pod: SpineGroup, columns: int) -> float:
    return 44 + -(-max(1, len(pod.units)) // columns) * (scene.unit_height + 26) + 9


def _pod(scene: Scene, pod: SpineGroup, boxes: Sequence[Unit], place: tuple[float, float, float, float], columns: int) -> str:
    x, y, width, height = place
    planes = f", {len(pod.planes)} planes" if len(pod.planes) > 1 else ""
    strip = [
        rect(x + 9, y + 8, width - 18, 36, "box", rx=3),
        text(x + 18, y + 23, f"pod {pod.number}", "strong"),
        text(x + 18, y + 37, f"{_spines(pod)}{planes}", "note"),
        text(x + width - 18, y + 37, ", ".join(sorted({spine.model for spine in pod.spines})), "note end"),
        title(f"{pod.spines[0].name} to {pod.spines[-1].name}"),
    ]
    parts = [
        rect(x, y, width, height, "panel", rx=5),
        group("tier role-spine", strip, data_tier="spine", data_group=pod.number, data_count=len(pod.spines)),
    ]
    at = y + 44
    for start in range(0, len(boxes), columns):
        at += 26
        row = boxes[start : start + columns]
        parts += row_of_units(scene, row, x + 9, at, at - 26, bus=False, far=f"pod {pod.number}")
        at += scene.unit_height
    return group("pod", parts, data_pod=pod.number, data_leaves=pod.leaves, data_spines=len(pod.spines))


def _waiting(scene: Scene, inner: float, y: float) -> tuple[list[str], float]:
    """Units that are planned and not built: which pod they will hang on is decided when they are built."""
    empty = [unit for unit in scene.units if not unit.leaves]
    if not empty:
        return [], y
    parts: list[str] = []
    if len(empty) > EMPTY_MAX:
        name = f"{len(empty)} more units planned, not built: {empty[0].label} to {empty[-1].label}"
        return [text(MARGIN_PX, y + 26, name, "note")], y + 30
    columns = max(1, int((inner + scene.size.gap) // (scene.size.unit + scene.size.gap)))
    y += 10
    for start in range(0, len(empty), columns):
        y += 12
        parts += row_of_units(scene, empty[start : start + columns], MARGIN_PX, y, y, bus=False)
        y += EMPTY_PX if scene.size.dense else scene.unit_height
    return parts, y
