"""The fabric as one picture: units, spines and cores. A unit is one box, so that 512 leaves stay readable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from railyard.model.plan import SwitchPlan
from railyard.render.svg import el, fit, group, line, rect, svg, text, title
from railyard.render.theme import drawing_css, rail_class

if TYPE_CHECKING:
    from railyard.plan import Plan

PER_ROW = 8
UNIT_PX = 132
GAP_PX = 16
MARGIN_PX = 34
BAND_PX = 58
CHIP_PX = 13
# Above this many, a tier's switches are told by their number and not drawn one by one.
CHIPS_MAX = 64


@dataclass(frozen=True)
class _Unit:
    """One scalable unit: its leaves (none where it is planned and not built) and the nodes that stand in it."""

    number: int
    leaves: tuple[SwitchPlan, ...]
    nodes: int
    slots: int

    @property
    def label(self) -> str:
        return f"su{self.number:03d}"

    @property
    def links(self) -> int:
        return sum(sum(leaf.links_per_peer.values()) for leaf in self.leaves)


def units(plan: Plan) -> list[_Unit]:
    """Every planned unit, built or not, in order."""
    leaves: defaultdict[int, list[SwitchPlan]] = defaultdict(list)
    nodes: defaultdict[int, int] = defaultdict(int)
    for switch in plan.switches:
        if switch.role == "leaf" and switch.unit is not None:
            leaves[switch.unit].append(switch)
    for machine in plan.machines:
        if machine.role == "gpu" and machine.unit is not None:
            nodes[machine.unit] += 1
    last = max([plan.site.planned_scalable_units, *leaves])
    return [_Unit(n, tuple(leaves[n]), nodes[n], plan.site.nodes_per_unit) for n in range(1, last + 1)]


def topology_svg(plan: Plan, *, embedded: bool = False) -> str:
    """The overview. Units carry `data-unit`, bundles `data-a`, `data-z` and `data-links`, switches `data-device`."""
    boxes = units(plan)
    columns = min(PER_ROW, max(len(boxes), 4))
    width = 2 * MARGIN_PX + columns * UNIT_PX + (columns - 1) * GAP_PX
    inner = width - 2 * MARGIN_PX
    spines = [switch for switch in plan.switches if switch.role == "spine"]
    cores = [switch for switch in plan.switches if switch.role == "core"]
    parts: list[str] = []
    y = 12
    if cores:
        parts.append(_band(MARGIN_PX, y, inner, "core", cores))
        parts.append(_between(width / 2, y + BAND_PX, y + BAND_PX + 44, plan.fabric.spine_core_cables, plan.fabric.link_gbps))
        y += BAND_PX + 44
    if spines:
        parts.append(_band(MARGIN_PX, y, inner, "spine", spines))
        y += BAND_PX
    bottom = y
    rows = [boxes[start : start + columns] for start in range(0, len(boxes), columns)]
    height_px = _unit_height(boxes)
    for index, row in enumerate(rows):
        y += 46
        parts += _row(plan, row, y, height_px, bottom, bus=index > 0)
        y += height_px
    y += 22
    parts.append(text(MARGIN_PX, y, _caption(plan), "note"))
    style = None if embedded else drawing_css()
    return svg(width, y + 12, f"Fabric of {plan.site.site}", "topology", parts, style=style)


def _caption(plan: Plan) -> str:
    fabric = plan.fabric
    built = f"{plan.site.built_scalable_units} of {plan.site.planned_scalable_units} planned units built"
    planes = f" × {fabric.planes} planes" if fabric.planes > 1 else ""
    return f"{built} · {fabric.rails} rails{planes} · {fabric.link_gbps:g} Gb/s per link · numbers on lines: cables × Gb/s"


def _band(x: float, y: float, width: float, role: str, switches: Sequence[SwitchPlan]) -> str:
    """A tier above the leaves: one chip per switch while they fit, else their number only."""
    models = ", ".join(sorted({switch.model for switch in switches}))
    noun = f"{len(switches)} {role}{'s' if len(switches) != 1 else ''}"
    parts = [
        rect(x, y, width, BAND_PX, "box", rx=4),
        text(x + 12, y + 20, noun, "strong"),
        text(x + width - 12, y + 20, fit(models, width / 2, 10.5), "note end"),
    ]
    if len(switches) <= CHIPS_MAX:
        step = min(CHIP_PX + 6.0, (width - 24) / len(switches))
        parts += [_chip(x + 12 + step * index, y + 33, switch, f"role-{role}") for index, switch in enumerate(switches)]
    else:
        parts.append(text(x + 12, y + 42, f"{switches[0].name} … {switches[-1].name}", "note"))
    return group(f"tier role-{role}", parts, data_tier=role, data_count=len(switches))


def _chip(x: float, y: float, switch: SwitchPlan, css: str) -> str:
    shown = el("rect", {"x": x, "y": y, "width": CHIP_PX, "height": CHIP_PX, "rx": 2, "class": "edge"}, title(switch.name))
    return group(css, [shown], data_device=switch.name)


def _between(x: float, top: float, bottom: float, links: int, gbps: float) -> str:
    label = text(x + 10, (top + bottom) / 2 + 4, f"{links:,} × {gbps:g} Gb/s", "note")
    bundle = line(x, top, x, bottom, "trunk", stroke_width=5)
    return group("bundle", [bundle, label], data_a="spines", data_z="cores", data_links=links)


def _unit_height(boxes: Sequence[_Unit]) -> int:
    most = max((len(box.leaves) for box in boxes), default=0)
    return 66 + 18 * max(1, -(-most // 8))


def _row(plan: Plan, row: Sequence[_Unit], y: float, height: int, spine_bottom: float, *, bus: bool) -> list[str]:
    """One row of units. The first row goes straight up; later rows share a bus that climbs beside the boxes."""
    parts: list[str] = []
    linked = [index for index, box in enumerate(row) if box.links]
    if bus and linked:
        last = MARGIN_PX + linked[-1] * (UNIT_PX + GAP_PX) + UNIT_PX / 2
        climb = MARGIN_PX / 2
        points = f"{climb},{spine_bottom - 8} {climb},{y - 30} {last:g},{y - 30}"
        parts.append(el("polyline", {"points": points, "class": "trunk", "stroke-width": 3}))
        parts.append(line(climb, spine_bottom - 8, MARGIN_PX, spine_bottom - 8, "trunk", stroke_width=3))
    for index, box in enumerate(row):
        x = MARGIN_PX + index * (UNIT_PX + GAP_PX)
        if box.links:
            middle = x + UNIT_PX / 2
            top = y - 30 if bus else spine_bottom
            label = text(middle + 8, y - 9, f"{box.links:,} × {plan.fabric.link_gbps:g}", "note")
            bundle = [line(middle, top, middle, y, "trunk", stroke_width=3), label]
            parts.append(group("bundle", bundle, data_a=box.label, data_z="spines", data_links=box.links))
        parts.append(_unit_box(x, y, box, height))
    return parts


def _unit_box(x: float, y: float, box: _Unit, height: int) -> str:
    if not box.leaves:
        shown = [
            rect(x, y, UNIT_PX, height, "box", rx=4),
            text(x + UNIT_PX / 2, y + 22, box.label, "middle strong"),
            text(x + UNIT_PX / 2, y + 40, "planned, not built", "middle note"),
        ]
        return group("unit empty role-leaf", shown, data_unit=box.number, data_leaves=0, data_nodes=0)
    parts = [
        rect(x, y, UNIT_PX, height, "panel", rx=4),
        text(x + 10, y + 19, box.label, "strong"),
        text(x + UNIT_PX - 10, y + 19, f"{len(box.leaves)} leaves", "note end"),
    ]
    for index, leaf in enumerate(box.leaves):
        chip_x, chip_y = x + 10 + (index % 8) * 14.2, y + 27 + (index // 8) * 18
        colour = el(
            "rect",
            {"x": chip_x, "y": chip_y, "width": CHIP_PX, "height": CHIP_PX, "rx": 2, "style": "fill: var(--rail)"},
            title(f"{leaf.name}, {leaf.free_ports} ports free"),
        )
        parts.append(group(rail_class(leaf.rail), [colour], data_device=leaf.name))
    parts.append(_nodes(x + 10, y + height - 28, box))
    return group("unit", parts, data_unit=box.number, data_leaves=len(box.leaves), data_nodes=box.nodes)


def _nodes(x: float, y: float, box: _Unit) -> str:
    """How far the unit is filled, as a bar with its numbers."""
    width = UNIT_PX - 20
    share = min(1.0, box.nodes / box.slots) if box.slots else 0.0
    parts = [
        text(x, y + 8, f"{box.nodes} of {box.slots} nodes", "small"),
        rect(x, y + 13, width, 7, "track", rx=2),
        rect(x, y + 13, width * share, 7, "edge", rx=2),
    ]
    return group("role-gpu", parts)
