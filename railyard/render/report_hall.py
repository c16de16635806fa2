"""What the report says of the hall: racks from both sides, the floor, power, cooling, and what survives a failure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, TypedDict

from markupsafe import Markup

from railyard.model.failures import FailureEvent, FailureMatrix, KindRow
from railyard.model.floor import FloorPlan, RackLoad
from railyard.model.plan import RackPlan
from railyard.model.power import Circuit
from railyard.plan.rows import RowSums, sum_rows
from railyard.render.cooling import cooling_svg
from railyard.render.hall import hall_svg, over_limit
from railyard.render.hall_facts import air_facts, floor_facts, water_rows, weight_facts
from railyard.render.power import power_pictures
from railyard.render.power_path import path_pictures
from railyard.render.rack import group_racks, rack_svg, rear_svg
from railyard.render.rack_backs import Backs
from railyard.render.rack_groups import contents_key, feeds_key
from railyard.render.runs import runs, short
from railyard.rules.registry import exceeds

if TYPE_CHECKING:
    from railyard.plan import Plan

ROWS_OPEN = 40
SHEETS_MAX = 24
"""Kinds of racks that are drawn in the page; each rack has its sheet in `racks/`, beside it."""
EVENTS_MAX = 12
"""Failures of one kind that are listed, the worst first; those with a cascade beyond them, too, up to as many again."""


class CircuitLine(TypedDict):
    """Breakers of one rack that are alike: one of them, how many they are, and their names strip by strip."""

    circuit: Circuit
    count: int
    names: str


class KindView(TypedDict):
    """All failures of one kind, and the worst of them one by one."""

    row: KindRow
    worst: FailureEvent | None
    events: Sequence[FailureEvent]
    left: int


def hall_context(plan: Plan, matrix: FailureMatrix | None) -> dict[str, object]:
    """Everything that the template's parts about the hall read. Cooling and floor are None in plans of before they existed."""
    power, cooling, floor = plan.power, plan.cooling, plan.floor
    site = plan.site.site
    rows = sum_rows(plan.racks, cooling, power)
    groups, feeds = group_racks(plan.racks), group_racks(plan.racks, feeds_key)
    shown, fed = shown_kinds(groups, plan.site.worst_feed), shown_kinds(feeds, plan.site.worst_feed)
    likes = _likes(groups, shown)
    return {
        "racks": _figures(shown, likes, site, Backs(power, cooling), floor),
        "kinds": len(groups),
        "undrawn": [short(same[0].name, site) for same in groups if contents_key(same[0]) not in likes],
        "fed_kinds": (len(fed), len(feeds)),
        "rows": rows,
        "rows_open": len(rows) <= ROWS_OPEN,
        "floor": floor,
        "floor_facts": floor_facts(floor, partial(_short, site)) if floor else [],
        "hall_picture": _drawn(hall_svg(floor, plan.racks, site, rows, embedded=True) if floor and floor.spots else None),
        "power": [_drawn(picture) for picture in power_pictures(fed)],
        "power_plan": power,
        "power_path": [_drawn(picture) for picture in path_pictures(power, site)],
        "cooling": cooling,
        "cooling_picture": _drawn(cooling_svg(cooling, site, embedded=True) if cooling else None),
        "water": water_rows(cooling, site) if cooling else [],
        "matrix": matrix,
        "failures": _kinds(matrix) if matrix else [],
        "short": partial(_short, site),
        "shorts": partial(_shorts, site),
        "runs": runs,
        "exceeds": exceeds,
    }


def _short(site: str, name: str) -> str:
    """Every name of the site in a text without the site: `prod-r001 + prod-r002` is `r001 + r002`."""
    return short(name, site).replace(f" {site}-", " ")


def _shorts(site: str, names: Iterable[str]) -> list[str]:
    return [_short(site, name) for name in names]


def _drawn(markup: str | None) -> Markup | None:
    """Markup of this package's own making. Nothing else may come here."""
    return None if markup is None else Markup(markup)  # noqa: S704


def shown_kinds(groups: list[list[RackPlan]], worst_feed: str) -> list[list[RackPlan]]:
    """As many kinds of racks as a page takes, in the plan's order: those over a limit, the worst feed's, the most frequent.

    Where that is not all, kinds that hold the same devices at other U count as one.
    """
    if len(groups) <= SHEETS_MAX:
        return groups

    def rank(index: int) -> tuple[bool, bool, int, int]:
        same = groups[index]
        worst = any(worst_feed.startswith(f"{rack.name}-") for rack in same)
        return not over_limit(same[0]), not worst, -len(same), index

    first: dict[tuple[object, ...], int] = {}
    for index in sorted(range(len(groups)), key=rank):
        first.setdefault(contents_key(groups[index][0]), index)
    return [groups[index] for index in sorted(list(first.values())[:SHEETS_MAX])]


def _likes(groups: list[list[RackPlan]], shown: list[list[RackPlan]]) -> dict[tuple[object, ...], list[RackPlan]]:
    """Racks that hold what a drawn kind holds, at other U, by their contents."""
    likes: dict[tuple[object, ...], list[RackPlan]] = {contents_key(same[0]): [] for same in shown}
    drawn = {same[0].name for same in shown}
    for same in groups:
        if same[0].name not in drawn:
            likes.get(contents_key(same[0]), []).extend(same)
    return likes


def _figures(
    shown: list[list[RackPlan]],
    likes: dict[tuple[object, ...], list[RackPlan]],
    site: str,
    backs: Backs,
    floor: FloorPlan | None,
) -> list[dict[str, object]]:
    loads = {name: load for load in (floor.loads if floor else ()) for name in load.racks}
    return [_figure(same, likes[contents_key(same[0])], site, backs, loads.get(same[0].name)) for same in shown]


def _figure(
    same: Sequence[RackPlan], others: Sequence[RackPlan], site: str, backs: Backs, load: RackLoad | None
) -> dict[str, object]:
    rack = same[0]
    back, power, air = backs.of(rack.name), backs.power_of(rack.name), backs.air_of(rack.name)
    return {
        "name": short(rack.name, site),
        "front": _drawn(rack_svg(rack, back, embedded=True)),
        "rear": _drawn(rear_svg(rack, back, embedded=True)),
        "names": runs(short(other.name, site) for other in same),
        "count": len(same),
        "others": runs(short(other.name, site) for other in others),
        "rack": rack,
        "power": power.kind if power else None,
        "circuits": circuit_lines(power.kind.circuits) if power else [],
        "cords": power.cords if power else (),
        "weight": weight_facts(load.floor) if load else [],
        "air": air_facts(air) if air else [],
    }


def circuit_lines(circuits: Sequence[Circuit]) -> list[CircuitLine]:
    """Breakers with the same load in a line: a strip has six, and most are alike."""
    groups: dict[tuple[object, ...], list[Circuit]] = {}
    for circuit in circuits:
        key = (circuit.feed, circuit.breaker_a, circuit.limit_a, circuit.load_a, circuit.survivor_a, circuit.cords)
        groups.setdefault(key, []).append(circuit)
    return [{"circuit": same[0], "count": len(same), "names": _strip_by_strip(same)} for same in groups.values()]


def _strip_by_strip(circuits: Sequence[Circuit]) -> str:
    """`A1/B1–B9, A2/B1–B12`: each strip counts its breakers from 1."""
    strips = groupby(sorted(circuits, key=lambda circuit: circuit.pdu), key=lambda circuit: circuit.pdu)
    return ", ".join(f"{circuits[0].feed.upper()}{pdu}/{runs(one.name for one in same)}" for pdu, same in strips)


def _kinds(matrix: FailureMatrix) -> list[KindView]:
    views: list[KindView] = []
    for row in matrix.by_kind:
        events = [event for event in matrix.events if event.kind == row.kind]
        listed = events[:EVENTS_MAX] + [event for event in events[EVENTS_MAX:] if event.cascades][:EVENTS_MAX]
        worst = next((event for event in events if event.name == row.worst), None)
        views.append({"row": row, "worst": worst, "events": listed, "left": len(events) - len(listed)})
    return views


__all__ = ["RowSums", "hall_context"]
