"""What the picture of the fabric is made of: bands of switches, trunks, rows of units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from railyard.model.plan import SwitchPlan
from railyard.render.pods import SpineGroup
from railyard.render.svg import el, fit, group, line, rect, text, title
from railyard.render.theme import rail_class

if TYPE_CHECKING:
    from railyard.plan import Plan

MARGIN_PX = 34
BAND_PX = 58
CHIP_PX = 13
BUS_PX = 46
# Above this many, a tier's switches are told by their number and not drawn one by one.
CHIPS_MAX = 64
# From so many units on they are drawn small.
DENSE_FROM = 17
CHIPS_PER_ROW = 8
EMPTY_PX = 46


@dataclass(frozen=True)
class Size:
    """How large units are drawn, in pixels."""

    unit: float
    gap: float
    chip: float
    per_row: int
    dense: bool


LARGE = Size(unit=132, gap=16, chip=CHIP_PX, per_row=8, dense=False)
DENSE = Size(unit=63, gap=6, chip=6, per_row=16, dense=True)


@dataclass(frozen=True)
class Unit:
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


@dataclass(frozen=True)
class Scene:
    """What is drawn, and how large."""

    plan: Plan
    units: list[Unit]
    groups: list[SpineGroup]
    cores: list[tuple[SwitchPlan, ...]]
    size: Size

    @property
    def rows_of_chips(self) -> int:
        most = max((len(unit.leaves) for unit in self.units), default=0)
        return max(1, -(-most // CHIPS_PER_ROW))

    @property
    def unit_height(self) -> float:
        return (45 if self.size.dense else 66) + (self.size.chip + 5) * self.rows_of_chips


def units(plan: Plan) -> list[Unit]:
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
    return [Unit(n, tuple(leaves[n]), nodes[n], plan.site.nodes_per_unit) for n in range(1, last + 1)]


def core_band(scene: Scene, x: float, y: float, width: float) -> str:
    """All cores in one band: one chip each while they fit, else one box per group with its number of cores."""
    cores = [core for one in scene.cores for core in one]
    groups = f" in {len(scene.cores)} groups" if len(scene.cores) > 1 else ""
    if len(cores) <= CHIPS_MAX or len(scene.cores) > CHIPS_MAX:
        return band(x, y, width, "core", cores, groups)
    parts = _band_head(x, y, width, "core", cores, groups)
    step = (width - 24) / len(scene.cores)
    for index, one in enumerate(scene.cores):
        shown = [
            el("rect", {"x": x + 12 + step * index, "y": y + 30, "width": step - 3, "height": 19, "rx": 2, "class": "box"}),
            text(x + 12 + step * index + (step - 3) / 2, y + 43.5, len(one), "middle small"),
            title(f"{one[0].name} to {one[-1].name}"),
        ]
        parts.append(group("role-core", shown, data_group=index + 1, data_count=len(one)))
    return group("tier role-core", parts, data_tier="core", data_count=len(cores))


def _band_head(x: float, y: float, width: float, role: str, switches: Sequence[SwitchPlan], more: str) -> list[str]:
    models = ", ".join(sorted({switch.model for switch in switches}))
    noun = f"{len(switches)} {role}{'s' if len(switches) != 1 else ''}{more}"
    return [
        rect(x, y, width, BAND_PX, "box", rx=4),
        text(x + 12, y + 20, noun, "strong"),
        text(x + width - 12, y + 20, fit(models, width / 2, 10.5), "note end"),
    ]


def band(x: float, y: float, width: float, role: str, switches: Sequence[SwitchPlan], more: str = "") -> str:
    """A tier above the leaves: one chip per switch while they fit, else their number only."""
    parts = _band_head(x, y, width, role, switches, more)
    if len(switches) <= CHIPS_MAX:
        step = min(CHIP_PX + 6.0, (width - 24) / len(switches))
        side = min(CHIP_PX, step - 1)
        for index, switch in enumerate(switches):
            parts.append(_chip(x + 12 + step * index, y + 33, side, switch, f"role-{role}", "edge"))
    else:
        parts.append(text(x + 12, y + 42, f"{switches[0].name} … {switches[-1].name}", "note"))
    return group(f"tier role-{role}", parts, data_tier=role, data_count=len(switches))


def _chip(x: float, y: float, side: float, switch: SwitchPlan, css: str, fill: str) -> str:
    paint = {"style": "fill: var(--rail)"} if fill == "rail" else {"class": fill}
    hint = f"{switch.name}, {switch.free_ports} ports free"
    shown = el("rect", {"x": x, "y": y, "width": side, "height": side, "rx": 2, **paint}, title(hint))
    return group(css, [shown], data_device=switch.name)


def trunk(scene: Scene, x: float, top: float, bottom: float, a: str, z: str, links: int) -> str:
    label = text(x + 9, (top + bottom) / 2 + 4, links_text(scene, links), "note")
    bundle = line(x, top, x, bottom, "trunk", stroke_width=5)
    return group("bundle", [bundle, label], data_a=a, data_z=z, data_links=links)


def links_text(scene: Scene, links: int) -> str:
    return f"{links:,}" if scene.size.dense else f"{links:,} × {scene.plan.fabric.link_gbps:g}"


def climb(last: float, y: float, bottom: float) -> list[str]:
    """The bus of a later row: it climbs beside the boxes to the tier above."""
    at = MARGIN_PX / 2
    points = f"{at:g},{bottom - 8:g} {at:g},{y:g} {last:g},{y:g}"
    return [
        el("polyline", {"points": points, "class": "trunk", "stroke-width": 3}),
        line(at, bottom - 8, MARGIN_PX, bottom - 8, "trunk", stroke_width=3),
    ]


def row_of_units(
    scene: Scene, row: Sequence[Unit], left: float, y: float, above: float, *, bus: bool, far: str = "spines"
) -> list[str]:
    """One row of units. The first row goes straight up; later rows share a bus that climbs beside the boxes."""
    size = scene.size
    parts: list[str] = []
    linked = [index for index, box in enumerate(row) if box.links]
    if bus and linked:
        parts += climb(left + linked[-1] * (size.unit + size.gap) + size.unit / 2, y - 30, above)
    for index, box in enumerate(row):
        x = left + index * (size.unit + size.gap)
        if box.links:
            middle = x + size.unit / 2
            label = text(
                middle + (4 if size.dense else 8), y - 9, links_text(scene, box.links), "small" if size.dense else "note"
            )
            bundle = [line(middle, y - 30 if bus else above, middle, y, "trunk", stroke_width=3), label]
            parts.append(group("bundle", bundle, data_a=box.label, data_z=far, data_links=box.links))
        parts.append(_unit_box(scene, x, y, box))
    return parts


def _unit_box(scene: Scene, x: float, y: float, box: Unit) -> str:
    size, height = scene.size, scene.unit_height
    if not box.leaves:
        middle, first = x + size.unit / 2, y + (27 if size.dense else 40)
        words = ("planned,", "not built") if size.dense else ("planned, not built",)
        lines = [text(middle, first + 11 * n, word, "middle small") for n, word in enumerate(words)]
        shown = [
            rect(x, y, size.unit, EMPTY_PX if size.dense else height, "box", rx=4),
            text(middle, y + (15 if size.dense else 22), box.label, "middle strong"),
            *lines,
        ]
        return group("unit empty role-leaf", shown, data_unit=box.number, data_leaves=0, data_nodes=0)
    left, step = (x + 6, (size.unit - 12 + 1) / 8) if size.dense else (x + 10, 14.2)
    name = (
        text(x + size.unit / 2, y + 15, box.label, "middle strong") if size.dense else text(left, y + 19, box.label, "strong")
    )
    parts = [rect(x, y, size.unit, height, "panel sheeted", rx=4), name]
    if not size.dense:
        parts.append(text(x + size.unit - 10, y + 19, f"{len(box.leaves)} leaves", "note end"))
    top = y + (21 if size.dense else 27)
    for index, leaf in enumerate(box.leaves):
        at = (left + (index % CHIPS_PER_ROW) * step, top + (index // CHIPS_PER_ROW) * (size.chip + 5))
        parts.append(_chip(*at, size.chip, leaf, rail_class(leaf.rail), "rail"))
    parts.append(_nodes(scene, left, y + height - (21 if size.dense else 28), box))
    return group("unit", parts, data_unit=box.number, data_leaves=len(box.leaves), data_nodes=box.nodes)


def _nodes(scene: Scene, x: float, y: float, box: Unit) -> str:
    """How far the unit is filled, as a bar with its numbers."""
    width = scene.size.unit - (12 if scene.size.dense else 20)
    share = min(1.0, box.nodes / box.slots) if box.slots else 0.0
    name = f"{box.nodes}/{box.slots}" if scene.size.dense else f"{box.nodes} of {box.slots} nodes"
    thick = 4 if scene.size.dense else 7
    parts = [
        text(x, y + 8, name, "small"),
        rect(x, y + 12, width, thick, "track", rx=2),
        rect(x, y + 12, width * share, thick, "edge", rx=2),
    ]
    return group("role-gpu", parts)
