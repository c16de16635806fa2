"""One scalable unit wire by wire: nodes below, leaves in the middle, spines above."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from railyard.model.plan import Cable, MachinePlan, SwitchPlan
from railyard.render.svg import el, group, line, rect, svg, text, title
from railyard.render.theme import drawing_css, rail_class

if TYPE_CHECKING:
    from railyard.plan import Plan

WIDTH_PX = 1120
MARGIN_PX = 20
LABEL_PX = 86
# More of a kind than this can't be told apart in one row: the first ones are drawn, and the picture says how many follow.
NODES_MAX = 36
SPINES_MAX = 36
# All boxes of a row are of the drawn plane: its suffix tells nothing.
_PLANE = re.compile(r"-p\d+$")
SPINE_Y, LEAF_Y, NODE_Y, BOX_PX = 34, 190, 400, 26


@dataclass(frozen=True)
class _Row:
    """The boxes of one tier and where they stand."""

    names: tuple[str, ...]
    y: int
    hidden: int

    def x(self, name: str) -> float:
        """The middle of a box."""
        return LABEL_PX + (self.names.index(name) + 0.5) * self.step

    @property
    def step(self) -> float:
        return (WIDTH_PX - LABEL_PX - MARGIN_PX) / max(1, len(self.names))


def unit_svg(plan: Plan, unit: int, *, embedded: bool = False) -> str:
    """The wiring of one unit; of its first plane where there are several, since the others would lie over it.

    A cable to a node carries `data-cable`, `data-a` and `data-z` (device/port). A line between a leaf and
    a spine stands for `data-links` cables between `data-a` and `data-z` (devices).
    """
    leaves = [switch for switch in plan.switches if switch.role == "leaf" and switch.unit == unit and switch.plane == 0]
    nodes = [machine for machine in plan.machines if machine.role == "gpu" and machine.unit == unit]
    peers = sorted({peer for leaf in leaves for peer in leaf.links_per_peer})
    top = _Row(tuple(peers[:SPINES_MAX]), SPINE_Y, max(0, len(peers) - SPINES_MAX))
    middle = _Row(tuple(leaf.name for leaf in leaves), LEAF_Y, 0)
    bottom = _Row(tuple(node.name for node in nodes[:NODES_MAX]), NODE_Y, max(0, len(nodes) - NODES_MAX))
    parts = _uplinks(leaves, middle, top)
    parts += _downlinks(plan.cables, middle, bottom)
    parts += _tier(top, "spine", "spines", {}, prefix=f"{plan.site.site}-")
    parts += _tier(middle, "leaf", "leaves", {leaf.name: leaf for leaf in leaves}, prefix=f"{plan.site.site}-su{unit:03d}-")
    parts += _tier(bottom, "gpu", "nodes", {}, prefix=f"{plan.site.site}-su{unit:03d}-")
    parts += _notes(plan, leaves, nodes)
    style = None if embedded else drawing_css()
    return svg(WIDTH_PX, NODE_Y + BOX_PX + 34, f"Wiring of unit {unit} of {plan.site.site}", "wiring", parts, style=style)


def _uplinks(leaves: Sequence[SwitchPlan], middle: _Row, top: _Row) -> list[str]:
    parts: list[str] = []
    for leaf in leaves:
        for peer, links in sorted(leaf.links_per_peer.items()):
            if peer not in top.names:
                continue
            shown = line(middle.x(leaf.name), LEAF_Y, top.x(peer), SPINE_Y + BOX_PX, "cable", stroke_opacity=0.6)
            hint = title(f"{leaf.name} to {peer}: {links} cables")
            parts.append(group(rail_class(leaf.rail), [hint, shown], data_a=leaf.name, data_z=peer, data_links=links))
    return parts


def _downlinks(cables: Sequence[Cable], middle: _Row, bottom: _Row) -> list[str]:
    parts: list[str] = []
    nodes, leaves = set(bottom.names), set(middle.names)
    for cable in cables:
        if cable.kind != "node-leaf":
            continue
        node, leaf = sorted((cable.a.partition("/")[0], cable.z.partition("/")[0]), key=lambda device: device in leaves)
        if node not in nodes or leaf not in leaves:
            continue
        shown = line(bottom.x(node), NODE_Y, middle.x(leaf), LEAF_Y + BOX_PX, "cable", stroke_opacity=0.75)
        css = rail_class(cable.rail)
        parts.append(group(css, [title(f"{cable.a} to {cable.z}"), shown], data_cable=cable.id, data_a=cable.a, data_z=cable.z))
    return parts


def _tier(row: _Row, role: str, noun: str, switches: dict[str, SwitchPlan], *, prefix: str) -> list[str]:
    parts = [text(MARGIN_PX, row.y + 17, noun, "strong")]
    if row.hidden:
        parts.append(text(MARGIN_PX, row.y + 31, f"+ {row.hidden} more", "note"))
    for name in row.names:
        width = min(96.0, row.step - 4)
        x = row.x(name) - width / 2
        switch = switches.get(name)
        rail = rail_class(switch.rail) if switch else ""
        fill = {"style": "fill: var(--rail); fill-opacity: .22; stroke: var(--rail)"} if switch else {}
        label = name.removeprefix(prefix)
        box = el("rect", {"x": x, "y": row.y, "width": width, "height": BOX_PX, "rx": 3, "class": "box", **fill}, title(name))
        shown = [rect(x, row.y, width, BOX_PX, "sheet", rx=3), box, _label(x, row.y, width, label)]
        parts.append(group(f"role-{role} {rail}".strip(), shown, data_device=name))
    return parts


def _label(x: float, y: float, width: float, label: str) -> str:
    """Whole where it fits; else its last digits, which tell the boxes of a row apart."""
    if len(label) * 6.6 <= width:
        return text(x + width / 2, y + 17, label, "middle")
    label = _PLANE.sub("", label)
    digits = label[len(label.rstrip("0123456789")) :] or label[:3]
    return text(x + width / 2, y + 17, digits[-3:], "middle small")


def _notes(plan: Plan, leaves: Sequence[SwitchPlan], nodes: Sequence[MachinePlan]) -> list[str]:
    links = sorted({count for leaf in leaves for count in leaf.links_per_peer.values()})
    between = " or ".join(str(count) for count in links) or "no"
    noun = "cable" if links == [1] else "cables"
    note = (
        f"{len(nodes)} of {plan.site.nodes_per_unit} nodes stand · a line above the leaves is {between} {noun}"
        f" of {plan.fabric.link_gbps:g} Gb/s, a line below is one · colour: rail"
    )
    if plan.fabric.planes > 1:
        note += f" · plane 0 of {plan.fabric.planes}, the others are wired alike"
    return [text(MARGIN_PX, 18, note, "note")]
