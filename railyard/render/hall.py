"""The hall from above, to scale: rows, aisles, racks, doors, and what stands in the way. North is up, as in the floor plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from railyard.model.floor import Aisle, Box, Door, FloorPlan, FloorRow, RackSpot
from railyard.model.plan import RackPlan
from railyard.plan.rows import RowSums
from railyard.render.power import overloaded
from railyard.render.runs import short
from railyard.render.svg import el, fit, group, line, rect, svg, text, title
from railyard.render.theme import drawing_css
from railyard.rules.registry import exceeds

WIDTH_PX = 1120
HEIGHT_PX = 1400
MARGIN_PX = 34
LABEL_PX = 110
FOOT_PX = 58
# A rack of 600 mm never gets wider than 48 px, however small the hall.
PX_PER_MM_MAX = 0.08
# Below these, a rack can't hold two lines, one line, any text.
TWO_LINES_PX, ONE_LINE_PX, LINE_LENGTH_PX = 21.0, 10.0, 30.0
UNIT_AISLE_PX = 36
"""An aisle of so many pixels has room for its own name between those of the units on both sides."""
STEPS_M = (1, 2, 5, 10, 20, 50, 100, 200, 500)
ROLE = {"compute": "gpu", "network": "leaf", "spine": "spine", "storage": "storage"}


@dataclass(frozen=True)
class View:
    """From millimetres of the hall to pixels of the picture."""

    left_mm: int
    top_mm: int
    scale: float

    def x(self, mm: float) -> float:
        return round(LABEL_PX + (mm - self.left_mm) * self.scale, 2)

    def y(self, mm: float) -> float:
        """y runs north in the hall and down in the picture."""
        return round(MARGIN_PX + (self.top_mm - mm) * self.scale, 2)

    def box(self, x_mm: int, y_mm: int, width_mm: int, depth_mm: int) -> tuple[float, float, float, float]:
        """(x, y, width, height) of a rectangle given by its south-west corner."""
        return self.x(x_mm), self.y(y_mm + depth_mm), round(width_mm * self.scale, 2), round(depth_mm * self.scale, 2)


def hall_svg(
    floor: FloorPlan,
    racks: Iterable[RackPlan],
    site: str,
    rows: Iterable[RowSums] = (),
    *,
    embedded: bool = False,
) -> str:
    """The hall. Racks carry `data-rack`, `data-x-mm`, `data-y-mm` (south-west corner), `data-kw`; the picture `data-mm-per-px`.

    `rows` are the sums that stand beside each row, with what feeds it.
    """
    ground = _ground(floor)
    room = (WIDTH_PX - LABEL_PX - MARGIN_PX, HEIGHT_PX - MARGIN_PX - FOOT_PX)
    scale = min(room[0] / ground.width_mm, room[1] / ground.depth_mm, PX_PER_MM_MAX)
    view = View(ground.x_mm, ground.y_mm + ground.depth_mm, scale)
    standing = {rack.name: rack for rack in racks}
    outer = {0, max((row.row for row in floor.rows), default=0)} if floor.hall is None else set[int]()
    aisles = [_aisle(view, aisle, ground, whole=aisle.after_row not in outer) for aisle in floor.aisles]
    parts = [aisle for aisle, _ in aisles]
    parts += [_solid(view, box, "kept") for box in floor.kept] + [_solid(view, box, "obstacle") for box in floor.obstacles]
    parts += [_rack(view, spot, standing.get(spot.rack), site) for spot in floor.spots]
    here, sums = _by_row(floor.spots), {row.row: row for row in rows}
    parts += [_row(view, row, here.get(row.row, []), sums.get(row.row), site) for row in floor.rows]
    parts += [name for _, name in aisles]
    parts += _units(view, floor)
    parts.append(_walls(view, floor, ground))
    parts += [_door(view, door, floor.hall) for door in floor.doors if floor.hall]
    bottom = MARGIN_PX + ground.depth_mm * scale
    width = max(LABEL_PX + ground.width_mm * scale + MARGIN_PX, 560)
    parts += [_scale_bar(view, bottom + 34), _north(width - 22)]
    body = group("hall-body", parts, data_mm_per_px=f"{1 / scale:.6f}", data_left_mm=view.left_mm, data_top_mm=view.top_mm)
    style = None if embedded else drawing_css()
    return svg(round(width, 2), round(bottom + FOOT_PX, 2), f"Hall of {site} from above", "hall", [body], style=style)


def _ground(floor: FloorPlan) -> Box:
    """What is drawn: the hall with everything that the plan puts into it, even where that is outside the walls."""
    boxes = [floor.hall or floor.extent, *floor.kept, *floor.obstacles]
    boxes += [Box(spot.rack, spot.x_mm, spot.y_mm, spot.width_mm, spot.depth_mm) for spot in floor.spots]
    boxes += [floor.extent] if floor.hall is None else []
    left, south = min(box.x_mm for box in boxes), min(box.y_mm for box in boxes)
    right, north = max(box.x_mm + box.width_mm for box in boxes), max(box.y_mm + box.depth_mm for box in boxes)
    return Box("", left, south, max(right - left, 1), max(north - south, 1))


def _aisle(view: View, aisle: Aisle, ground: Box, *, whole: bool) -> tuple[str, str]:
    """(ground, name): the name lies above what stands in the aisle.

    `whole` is false where there are no walls: of the outer aisles only a part is drawn, so their depth is not said.
    """
    x, y, width, height = view.box(ground.x_mm, aisle.y_mm, ground.width_mm, aisle.depth_mm)
    words = f"{aisle.kind} aisle" + (f", {aisle.depth_mm / 1000:g} m" if whole else "")
    parts = [title(words), rect(x, y, width, height, f"aisle {aisle.kind}")]
    data = {"data_aisle": aisle.kind, "data_y_mm": aisle.y_mm, "data_depth_mm": aisle.depth_mm}
    ground_parts = group("aisle", parts, **data)
    if height < 11:
        return ground_parts, ""
    name = text(x + width - 5, y + height / 2 + 3.5, fit(words, width - 10, 9.5), "small end halo")
    return ground_parts, group("aisle-name", [name])


def _solid(view: View, box: Box, css: str) -> str:
    """A place that stays empty (hatched), or an obstacle (crossed)."""
    x, y, width, height = view.box(box.x_mm, box.y_mm, box.width_mm, box.depth_mm)
    parts = [title(f"{box.name}: {'kept empty' if css == 'kept' else 'obstacle'}"), rect(x, y, width, height, css)]
    if css == "kept":
        parts.append(rect(x, y, width, height, "reserved"))
    else:
        parts += [line(x, y, x + width, y + height, "cross"), line(x, y + height, x + width, y, "cross")]
    if width >= 40 and height >= 14:
        words = fit(box.name, width - 4, 9.5)
        parts += [rect(x + width / 2 - len(words) * 3, y + height / 2 - 6, len(words) * 6, 12, "sheet"),
                  text(x + width / 2, y + height / 2 + 3.5, words, "small middle")]  # fmt: skip
    return group(css, parts, data_name=box.name)


def over_limit(rack: RackPlan) -> bool:
    """Whether a number of the rack is over the limit that stands beside it in the plan."""
    feeds = any(overloaded(feed) for feed in rack.feeds)
    limit = rack.weight_limit_kg
    return feeds or exceeds(rack.air_kw, rack.air_limit_kw) or (limit is not None and exceeds(rack.weight_kg, limit))


def _rack(view: View, spot: RackSpot, rack: RackPlan | None, site: str) -> str:
    x, y, width, height = view.box(spot.x_mm, spot.y_mm, spot.width_mm, spot.depth_mm)
    unit = f", su{spot.unit:03d}" if spot.unit is not None else ""
    kw = f"{rack.peak_kw:.1f} kW, {spot.mass_kg:,.0f} kg" if rack else "planned, not built"
    edge = y + height if spot.faces == "south" else y
    parts = [
        title(f"{spot.rack}: {spot.kind}{unit}, row {spot.row}, position {spot.position}, front looks {spot.faces}, {kw}"),
        rect(x, y, width, height, "sheet"),
        rect(x, y, width, height, "box over-limit" if rack and over_limit(rack) else "box"),
        line(x, edge, x + width, edge, "front"),
        *_rack_words(x, y, width, height, [short(spot.rack, site), *([f"{rack.peak_kw:.1f} kW"] if rack else [])]),
    ]
    shown = {"data_kw": rack.peak_kw} if rack else {}
    return group(
        f"spot role-{ROLE[spot.kind]}" + ("" if rack else " empty"),
        parts,
        data_rack=spot.rack,
        data_x_mm=spot.x_mm,
        data_y_mm=spot.y_mm,
        data_unit=spot.unit if spot.unit is not None else "",
        **shown,
    )


def _rack_words(x: float, y: float, width: float, height: float, words: Sequence[str]) -> list[str]:
    """Name and kW along the rack's depth, as far as they can be read."""
    if height < LINE_LENGTH_PX or width < ONE_LINE_PX:
        return []
    lines = words if width >= TWO_LINES_PX else words[:1]
    size = min(11.0, width / len(lines) * 0.8)
    parts: list[str] = []
    for index, word in enumerate(lines):
        at = x + width / len(lines) * (index + 0.5) + size * 0.35
        css = "turned strong" if index == 0 else "turned"
        shown = fit(word, height - 6, size)
        if index and shown != word:
            # A number is never cut: without its unit it fits, or it stands in the tooltip only.
            shown = word.removesuffix(" kW")
            if fit(shown, height - 6, size) != shown:
                continue
        parts.append(text(at, y + height - 5, shown, css, transform=f"rotate(-90 {at:g} {y + height - 5:g})",
                          style=f"font-size:{size:.1f}px"))  # fmt: skip
    return parts


def _by_row(spots: Iterable[RackSpot]) -> dict[int, list[RackSpot]]:
    rows: dict[int, list[RackSpot]] = {}
    for spot in spots:
        rows.setdefault(spot.row, []).append(spot)
    return rows


def _row(view: View, row: FloorRow, here: Sequence[RackSpot], sums: RowSums | None, site: str) -> str:
    """Beside the row: its number, its racks and kW, and what feeds it, as far as there is room."""
    _, y, _, height = view.box(row.x_mm, row.y_mm, row.length_mm, row.depth_mm)
    names = [short(spot.rack, site) for spot in here]
    racks = f"{names[0]}–{names[-1]}" if len(names) > 1 else "".join(names)
    kw = f" · {sums.peak_kw:,.0f} kW" if sums else ""
    feeds = sums.feeds if sums else ()
    words = [f"row {row.row}{kw}", racks, *feeds]
    parts = [title(f"row {row.row}: {racks}{kw}" + (f", fed by {', '.join(feeds)}" if feeds else ""))]
    room = max(1, int((height + 8) // 12))
    if height < 10:
        # Rows are drawn closer than text is high: every fifth says its number.
        words, room = ([f"row {row.row}"], 1) if row.row % 5 == 1 else ([], 0)
    first = y + height / 2 - 6 * (min(room, len(words)) - 1) + 3.5
    for index, word in enumerate(words[:room]):
        css = "strong end" if index == 0 else "small end"
        parts.append(text(LABEL_PX - 8, first + 12 * index, fit(word, LABEL_PX - 8, 9), css))
    shown = {"data_kw": sums.peak_kw} if sums else {}
    return group("row", parts, data_row=row.row, data_racks=row.racks, **shown)


def _units(view: View, floor: FloorPlan) -> list[str]:
    """The name of each scalable unit in front of its racks, where there is room for it."""
    parts: list[str] = []
    depths = {aisle.after_row: aisle.depth_mm for aisle in floor.aisles}
    for (_, unit), run in groupby(floor.spots, key=lambda spot: (spot.row, spot.unit)):
        spots = list(run)
        if unit is None:
            continue
        left, right = min(spot.x_mm for spot in spots), max(spot.x_mm + spot.width_mm for spot in spots)
        width, south = (right - left) * view.scale, spots[0].faces == "south"
        front = spots[0].row - 1 if south else spots[0].row
        if width < 30 or depths.get(front, 0) * view.scale < UNIT_AISLE_PX:
            continue
        y = view.y(spots[0].y_mm) + 9 if south else view.y(spots[0].y_mm + spots[0].depth_mm) - 3
        parts.append(text(view.x(left) + 2, y, f"su{unit:03d}", "small unit-name"))
    return parts


def _walls(view: View, floor: FloorPlan, ground: Box) -> str:
    around = floor.hall or ground
    box = view.box(around.x_mm, around.y_mm, around.width_mm, around.depth_mm)
    words = f"{around.width_mm / 1000:g} × {around.depth_mm / 1000:g} m" + ("" if floor.hall else ", walls not known")
    parts = [rect(*box, "wall" if floor.hall else "wall unknown"), text(box[0], box[1] - 8, words, "note")]
    return group("walls", parts, data_width_mm=around.width_mm, data_depth_mm=around.depth_mm)


def _door(view: View, door: Door, hall: Box) -> str:
    """A gap in its wall, with its name inside the hall."""
    at, width = round(door.at_m * 1000), round(door.width_m * 1000)
    across = door.wall in ("south", "north")
    x1 = hall.x_mm + at if across else hall.x_mm + (hall.width_mm if door.wall == "east" else 0)
    y1 = hall.y_mm + (hall.depth_mm if door.wall == "north" else 0) if across else hall.y_mm + at
    x2, y2 = (x1 + width, y1) if across else (x1, y1 + width)
    words = f"{door.name} {door.width_m:g} m" + (f" × {door.height_m:g} m" if door.height_m else "")
    down = {"south": 14, "north": -6, "west": 3.5, "east": 3.5}[door.wall]
    along = {"south": 0, "north": 0, "west": -8, "east": -8}[door.wall]
    css = "small end" if not across else "small"
    parts = [
        title(words),
        line(view.x(x1), view.y(y1), view.x(x2), view.y(y2), "door"),
        text(view.x(x1) + along, view.y(y2 if across else y1) + down, words, css),
    ]
    return group("door", parts, data_door=door.name, data_wall=door.wall)


def _scale_bar(view: View, y: float) -> str:
    metres = next((step for step in STEPS_M if step * 1000 * view.scale >= 60), STEPS_M[-1])
    x, length = LABEL_PX, round(metres * 1000 * view.scale, 2)
    ticks = [line(at, y - 4, at, y + 4, "rule") for at in (x, x + length)]
    return group("scale", [line(x, y, x + length, y, "rule"), *ticks, text(x + length + 8, y + 4, f"{metres} m", "note")])


def _north(x: float) -> str:
    arrow = el("path", {"d": f"M{x:g} 8 l5 15 l-5 -4 l-5 4 z", "class": "arrow"})
    return group("north", [arrow, text(x, 34, "N", "small middle")])
