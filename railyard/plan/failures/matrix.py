"""The whole matrix, one of its failures in full, and pairs of failures of one rack."""

from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING
from weakref import ref

from railyard.model.errors import Problem, ProblemsError
from railyard.model.failures import KINDS, EventKind, FailureEvent, FailureMatrix, KindRow
from railyard.plan.failures.cooling import cooling_events, cooling_notes, find_cooling
from railyard.plan.failures.devices import device_events, device_rows, find_device
from railyard.plan.failures.power import SEGMENT_KINDS, find_power, pair_events, power_names, rack_events, segment_events
from railyard.plan.failures.read import blind, read_hall
from railyard.plan.failures.scene import Scene, merged
from railyard.plan.names import listed, sort_key

if TYPE_CHECKING:
    from railyard.plan import Plan


_KEPT: "list[tuple[ref[Plan], FailureMatrix]]" = []


class FailureError(ProblemsError):
    """A failure or a rack that the plan doesn't have."""

    heading = "{problems} in the command"
    url = "docs/reference/errors.md"


def scene_of(plan: "Plan") -> Scene:
    """What all questions about failures of a plan start from."""
    gpus = {machine.model: machine.gpus for machine in plan.machines if machine.role == "gpu"}
    return Scene(plan, read_hall(plan, gpus))


def failure_matrix(plan: "Plan") -> FailureMatrix:
    """Every single failure of a site, those that are alike as one; the worst of each kind first.

    The last plan's is kept: rules, report and command line ask for the same one after the other.
    """
    for known, matrix in _KEPT:
        if known() is plan:
            return matrix
    matrix = fresh_matrix(plan)
    _KEPT[:] = [(ref(plan), matrix)]
    return matrix


def fresh_matrix(plan: "Plan") -> FailureMatrix:
    """The same, computed anew."""
    scene = scene_of(plan)
    return _matrix(scene, merged(_all(scene)))


def failure_pairs(plan: "Plan", rack: str) -> FailureMatrix:
    """Every two failures at once in one rack and on the path above it. Raises FailureError where the plan has no such rack."""
    scene = scene_of(plan)
    known = [name for spot in scene.hall.spots for name in spot.racks]
    if rack not in known:
        raise FailureError([_unknown("--pairs", rack, known, "a rack of the plan with something that draws power")])
    return _matrix(scene, merged(pair_events(scene, rack)))


def failure_event(plan: "Plan", name: str) -> FailureEvent:
    """One failure by name, step by step. Raises FailureError where nothing has that name, with the nearest ones."""
    scene = scene_of(plan)
    found = find_power(scene, name) or find_cooling(scene, name) or find_device(scene, name)
    if found is None:
        known = [*power_names(scene), *(own for _, own in device_rows(scene)), *(e.name for e in cooling_events(scene))]
        raise FailureError([_unknown("--event", name, known, "something that can fail: `railyard failures STACK` lists kinds")])
    return found


def _all(scene: Scene) -> Iterator[FailureEvent]:
    yield from segment_events(scene)
    yield from rack_events(scene)
    yield from cooling_events(scene)
    yield from device_events(scene)


def _unknown(where: str, name: str, known: list[str], limit: str) -> Problem:
    near = get_close_matches(name[:100], known, 3, 0.4)
    fix = f"perhaps {', '.join(near)}" if near else f"like {', '.join(known[:3])}" if known else "the plan has none"
    return Problem("FAIL-001", where, repr(name[:100]), limit, fix)


def _matrix(scene: Scene, events: list[FailureEvent]) -> FailureMatrix:
    order = {kind: number for number, kind in enumerate(KINDS)}
    ranked = sorted(events, key=lambda e: (order[e.kind], [-part for part in e.severity], [sort_key(n) for n in e.lost]))
    rows = tuple(_row(scene, kind, [event for event in ranked if event.kind == kind]) for kind in _kinds(ranked))
    worst = max(ranked, key=lambda event: event.severity, default=None)
    count = sum(event.stands_for for event in ranked)
    return FailureMatrix(scene.gpus, count, tuple(ranked), rows, worst, tuple(_notes(scene)))


def _kinds(events: Iterable[FailureEvent]) -> list[EventKind]:
    found = Counter(event.kind for event in events)
    return [kind for kind in KINDS if found[kind]]


def _row(scene: Scene, kind: EventKind, events: list[FailureEvent]) -> KindRow:
    shares = [event.bisection_share for event in events if event.bisection_share is not None]
    return KindRow(
        kind=kind,
        events=sum(event.stands_for for event in events),
        survived=sum(event.stands_for for event in events if survived(scene.gpus, event)),
        cascading=sum(event.stands_for for event in events if event.cascades),
        gpus_down=max(event.gpus_down for event in events),
        gpus_throttled=max(event.gpus_throttled for event in events),
        gpus_unknown=max(event.gpus_unknown for event in events),
        gpus_cut_off=max(event.gpus_cut_off for event in events),
        rails_lost=max(len(event.rails_lost) for event in events),
        bisection_share=min(shares, default=None),
        mirrors_lost=max(len(event.mirrors_lost) for event in events),
        worst=events[0].name,
        assumed=sum(event.stands_for for event in events if event.assumed),
    )


def survived(gpus: int, event: FailureEvent) -> bool:
    """Every GPU at full power with all rails, networks, bisection, storage servers and subnet managers, no breaker tripped."""
    whole = event.gpus_full == gpus and event.bisection_share in (None, 1.0) and not event.unknown and not event.cascades
    lost = (event.gpus_cut_off, event.networks_cut, event.storage_down, event.mirrors_lost, event.managers_lost)
    return whole and not any(lost)


def _notes(scene: Scene) -> Iterator[str]:
    """What the matrix can't say."""
    power = scene.plan.power
    if not power.racks:
        yield "the plan has no power path: no electrical failure is in the matrix"
    elif not power.stated:
        yield "railyard:power isn't stated: what is above the racks' own feeds is unknown, and no UPS or panel is in the matrix"
    rows = enumerate(scene.hall.segments)
    bare = [row.name for index, row in rows if row.kind in SEGMENT_KINDS and scene.cascade.bare(index)]
    if bare:
        yield f"not built yet: nothing that stands hangs on {listed(bare)}"
    unrated = blind(scene.hall)
    if unrated:
        yield f"neither breaker nor rating of {listed(unrated)} is stated: whether they trip is unknown"
    hot = scene.cascade.overloaded()
    if hot:
        yield f"{listed(hot)} trips with nothing lost: a design that every failure near it makes worse"
    closed = sorted({rack.pdu_model for kind in power.racks for rack in kind.kind.feeds if not kind.kind.circuits})
    if closed:
        yield f"breakers inside of {', '.join(closed)} are unknown: each strip is judged by its feed's breaker only"
    models = sorted({machine.model for kind in scene.hall.kinds for machine in kind.machines if machine.psus is None})
    if models:
        yield f"psus of {', '.join(models)} is unknown: the loss of one of its supplies is not in the matrix"
    placed = {name for devices in scene.devices.values() for name in devices.values()}
    lost = sorted(machine.name for machine in scene.plan.machines if machine.name not in placed)
    if lost:
        yield f"no rack holds {listed(lost)}: what feeds them is unknown"
    yield from cooling_notes(scene)
    yield "a supply from the street is no failure here: generators and their changeover are not in the plan"
