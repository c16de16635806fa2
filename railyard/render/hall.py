"""The hall from above, to scale: rows, aisles, racks, doors, and what stands in the way. North is up, as in the floor plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from railyard.model.floor import Aisle, Box, Door, FloorPlan, FloorRow, RackSpot
from railyard.model.plan import RackPlan
from railyard.plan.rows import RowSums
from railyard.render.elevation import room_kw
from railyard.render.hall_ground import (
    FOOT_PX,
    LABEL_PX,
    MARGIN_PX,
    Strip,
    View,
    door_at,
    ground_of,
    is_within,
    size_words,
    strips_of,
)
from railyard.render.power import overloaded
from railyard.render.runs import short
from railyard.render.svg import el, fit, group, line, rect, svg, text, title
from railyard.render.theme import drawing_css
from railyard.rules.registry import exceeds

# Below these, a rack can't hold two lines, one line, any text.
TWO_LINES_PX, ONE_LINE_PX, LINE_LENGTH_PX = 21.0, 10.0, 30.0
SMALLER_PX = (10, 9, 8, 7)
UNIT_AISLE_PX = 36
"""An aisle of so many pixels has room for its own name between those of the units on both sides."""
STEPS_M = (1, 2, 5, 10, 20, 50, 100, 200, 500)
ROLE = {"compute": "gpu", "network": "leaf", "spine": "spine", "storage": "storage"}


def hall_svg(
    floor: FloorPlan,
    racks: Iterable[RackPlan],
    site: str,
    rows: Iterable[RowSums] = (),
    *,
    embedded: bool = False,
) -> str:
    """The hall. Racks carry `data-rack`, `data-x-mm`, `data-y-mm` (south-west corner), `data-kw`; its strips `data-mm-per-px`.

    `rows` are the sums that stand beside each row, with what feeds it.
    """
    ground = ground_of(floor)
    strips = strips_of(floor, ground)
    standing, sums = {rack.name: rack for rack in racks}, {row.row: row for row in rows}
    parts = [_strip(strip, floor, standing, sums, site) for strip in strips]
    view, deepest = strips[0].view, max(strip.ground.depth_mm for strip in strips)
    bottom = MARGIN_PX + deepest * view.scale
    width = max(strips[-1].shift_px + LABEL_PX + ground.width_mm * view.scale + MARGIN_PX, 560)
    parts += [_scale_bar(view, bottom + 34, size_words(floor, ground, len(strips))), _north(width - 22)]
    style = None if embedded else drawing_css()
    return svg(round(width, 2), round(bottom + FOOT_PX, 2), f"Hall of {site} from above", "hall", parts, style=style)


def _strip(strip: Strip, floor: FloorPlan, standing: Mapping[str, RackPlan], sums: Mapping[int, RowSums], site: str) -> str:
    view, ground = strip.view, strip.ground
    kept, obstacles = ([box for box in boxes if strip.holds(box.y_mm + box.depth_mm / 2)]
                       for boxes in (floor.kept, floor.obstacles))  # fmt: skip
    outer = {0, max((row.row for row in floor.rows), default=0)} if floor.hall is None else set[int]()
    in_the_way = [view.box(box.x_mm, box.y_mm, box.width_mm, box.depth_mm) for box in (*kept, *obstacles)]
    aisles = [_aisle(view, aisle, ground, in_the_way, whole=whole and aisle.after_row not in outer)
              for aisle, whole in strip.aisles(floor)]  # fmt: skip
    here = _by_row(spot for spot in floor.spots if strip.first <= spot.row <= strip.last)
    spots = [spot for row in here.values() for spot in row]
    parts = [aisle for aisle, _ in aisles]
    parts += [_solid(view, box, "kept") for box in kept] + [_solid(view, box, "obstacle") for box in obstacles]
    parts += [_rack(view, spot, standing.get(spot.rack), site) for spot in spots]
    parts += [_row(view, row, here.get(row.row, []), sums.get(row.row), site)
              for row in floor.rows if strip.first <= row.row <= strip.last]  # fmt: skip
    parts += [name for _, name in aisles]
    parts += _units(view, floor, spots)
    parts.append(_walls(strip, floor.hall))
    parts += [_door(view, door, floor.hall) for door in floor.doors
              if floor.hall and is_within(ground, door, floor.hall) and strip.holds(door_at(door, floor.hall)[1])]  # fmt: skip
    if strip.south or strip.north:
        parts.append(text(LABEL_PX, MARGIN_PX - 10, f"rows {strip.first}–{strip.last}", "strong"))
    data = {"data_mm_per_px": f"{1 / view.scale:.6f}", "data_left_mm": view.left_mm, "data_top_mm": view.top_mm}
    return group("hall-body", parts, **data, transform=f"translate({strip.shift_px:g} 0)")


def _aisle(
    view: View, aisle: Aisle, ground: Box, in_the_way: Iterable[tuple[float, float, float, float]], *, whole: bool
) -> tuple[str, str]:
    """(ground, name): the name lies above what stands in the aisle.

    `whole` is false where only a part of it is drawn (an outer one without walls, one that is cut): its depth is not said.
    """
    x, y, width, height = view.box(ground.x_mm, aisle.y_mm, ground.width_mm, aisle.depth_mm)
    words = f"{aisle.kind} aisle" + (f", {aisle.depth_mm / 1000:g} m" if whole else "")
    parts = [title(words), rect(x, y, width, height, f"aisle {aisle.kind}")]
    data = {"data_aisle": aisle.kind, "data_y_mm": aisle.y_mm, "data_depth_mm": aisle.depth_mm}
    ground_parts = group("aisle", parts, **data)
    if height < (11 if whole else UNIT_AISLE_PX):
        return ground_parts, ""
    right, middle = x + width - 5, y + height / 2 + 3.5
    # Its depth is said whole or not at all.
    name = next((said for said in (words, f"{aisle.kind} aisle", aisle.kind) if fit(said, width - 10, 9.5) == said), "")
    here = [box for box in in_the_way if box[1] < middle + 3 and box[1] + box[3] > middle - 10]
    # At the east end, else west of whatever stands there.
    for left, *_ in sorted((box for box in here if box[0] > x), reverse=True):
        if any(box[0] < right and box[0] + box[2] > right - len(name) * 6 for box in here):
            right = left - 5
    return ground_parts, group("aisle-name", [text(right, middle, name, "small end halo")])


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
    return feeds or exceeds(room_kw(rack), rack.air_limit_kw) or (limit is not None and exceeds(rack.weight_kg, limit))


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
        # Nothing is cut: a number stands without its unit, a name is written smaller, or it stands in the tooltip only.
        shown = word if not index or fit(word, height - 6, size) == word else word.removesuffix(" kW")
        own = next((px for px in (size, *SMALLER_PX) if px <= size and fit(shown, height - 6, px) == shown), None)
        if own is not None:
            parts.append(text(at, y + height - 5, shown, css, transform=f"rotate(-90 {at:g} {y + height - 5:g})",
                              style=f"font-size:{own:.1f}px"))  # fmt: skip
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
    words = [f"row {row.row}{kw}", racks]
    parts = [title(f"row {row.row}: {racks}{kw}" + (f", fed by {', '.join(feeds)}" if feeds else ""))]
    room = max(1, int((height + 8) // 12))
    joined = ", ".join(feeds)
    # All that feed it or none: one of two would read as the only one.
    if room >= len(words) + len(feeds):
        words += feeds
    elif fit(joined, LABEL_PX - 8, 9) == joined:
        words.append(joined)
    if height < 10:
        # Rows are drawn closer than text is high: every fifth says its number.
        words, room = ([f"row {row.row}"], 1) if row.row % 5 == 1 else ([], 0)
    first = y + height / 2 - 6 * (min(room, len(words)) - 1) + 3.5
    for index, word in enumerate(words[:room]):
        css = "strong end" if index == 0 else "small end"
        parts.append(text(LABEL_PX - 8, first + 12 * index, fit(word, LABEL_PX - 8, 9), css))
    shown = {"data_kw": sums.peak_kw} if sums else {}
    return group("row", parts, data_row=row.row, data_racks=row.racks, **shown)


def _units(view: View, floor: FloorPlan, racks: Iterable[RackSpot]) -> list[str]:
    """The name of each scalable unit in front of its racks, where there is room for it."""
    parts: list[str] = []
    depths = {aisle.after_row: aisle.depth_mm for aisle in floor.aisles}
    for (_, unit), run in groupby(racks, key=lambda spot: (spot.row, spot.unit)):
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


def _walls(strip: Strip, hall: Box | None) -> str:
    """The walls as far as they are drawn; where the hall goes on they are open."""
    ground, around = strip.ground, hall or strip.ground
    west, south = max(around.x_mm, ground.x_mm), max(around.y_mm, ground.y_mm)
    east = min(around.x_mm + around.width_mm, ground.x_mm + ground.width_mm)
    north = min(around.y_mm + around.depth_mm, ground.y_mm + ground.depth_mm)
    x, y, width, height = strip.view.box(west, south, east - west, north - south)
    parts = [rect(x, y, width, height, "wall" if hall else "wall unknown")]
    if east < around.x_mm + around.width_mm:
        parts.append(line(x + width, y, x + width, y + height, "open"))
    if north < around.y_mm + around.depth_mm or strip.north:
        parts.append(line(x, y, x + width, y, "open"))
    if strip.south:
        parts.append(line(x, y + height, x + width, y + height, "open"))
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


def _scale_bar(view: View, y: float, size: str) -> str:
    metres = next((step for step in STEPS_M if step * 1000 * view.scale >= 60), STEPS_M[-1])
    x, length = LABEL_PX, round(metres * 1000 * view.scale, 2)
    ticks = [line(at, y - 4, at, y + 4, "rule") for at in (x, x + length)]
    words = f"{metres} m · {size}"
    return group("scale", [line(x, y, x + length, y, "rule"), *ticks, text(x + length + 8, y + 4, words, "note")])


def _north(x: float) -> str:
    arrow = el("path", {"d": f"M{x:g} 8 l5 15 l-5 -4 l-5 4 z", "class": "arrow"})
    return group("north", [arrow, text(x, 34, "N", "small middle")])
