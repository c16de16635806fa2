"""All electrical failures: segments above the racks, and feeds, strips, banks and supplies inside of each rack."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import cast

import msgspec

from railyard.model.failures import EventKind, FailureEvent
from railyard.plan.failures.cascade import Outcome
from railyard.plan.failures.scene import Scene
from railyard.plan.failures.tree import Kind

SEGMENT_KINDS = ("ups", "panel", "busway", "feed")


class Part(msgspec.Struct, frozen=True):
    """Something inside of a rack kind that can fail, as a mask. `name` has `{rack}` or, for a supply, `{device}` to fill in."""

    kind: EventKind
    mask: int
    name: str
    machine: int = -1


def parts_of(kind: Kind) -> list[Part]:
    """Everything in a rack of this kind that carries something: feeds, strips, banks, supplies.

    Strips without load and banks without cords are left out, as are supplies where nobody knows how many there are.
    """
    found: list[Part] = []
    wires = [(index, wire) for index, outlets in enumerate(kind.supplies) for wire in outlets.wires]
    loaded = {wire.strip for _, wire in wires}
    for feed in sorted({strip.feed for index, strip in enumerate(kind.strips) if index in loaded}):
        mask = sum(kind.strip_bit(index) for index, strip in enumerate(kind.strips) if strip.feed == feed)
        found.append(Part("rack-feed", mask, f"{{rack}}/feed-{feed}"))
    found += [Part("pdu", kind.strip_bit(i), f"{{rack}}-{kind.strips[i].name}") for i in sorted(loaded)]
    for index in sorted({wire.bank for _, wire in wires if wire.bank >= 0}):
        bank = kind.banks[index]
        found.append(Part("circuit", kind.bank_bit(index), f"{{rack}}-{kind.strips[bank.strip].name}/{bank.name}"))
    for index, outlets in enumerate(kind.supplies):
        if outlets.psu:
            found.append(Part("psu", kind.supply_bit(index), f"{{device}}/psu{outlets.psu}", outlets.machine))
    return found


def name_of(scene: Scene, kind: Kind, part: Part, rack: str) -> str:
    """Name of a part in one rack."""
    device = "" if part.machine < 0 else scene.devices[rack][kind.machines[part.machine].u]
    return part.name.format(rack=rack, device=device)


def segment_events(scene: Scene) -> Iterator[FailureEvent]:
    """Every UPS, panel, busway and feed of the path that carries something.

    A supply from the street is none of them: generators are behind it.
    """
    for index, segment in enumerate(scene.hall.segments):
        if segment.kind in SEGMENT_KINDS and not scene.cascade.bare(index):
            outcome = scene.cascade.lose_segments([index])
            yield scene.of_outcome(cast("EventKind", segment.kind), (segment.name,), outcome)


def rack_events(scene: Scene) -> Iterator[FailureEvent]:
    """Every part of every rack. Racks of a kind in which a loss stays inside are judged once, the others by spot."""
    spots: defaultdict[int, list[int]] = defaultdict(list)
    for index, spot in enumerate(scene.hall.spots):
        spots[spot.kind].append(index)
    for number, kind in enumerate(scene.hall.kinds):
        for part in parts_of(kind):
            for group in _alike(scene, spots[number], part.mask):
                racks = tuple(rack for index in group for rack in scene.hall.spots[index].racks)
                yield from _in_racks(scene, kind, part, racks, scene.cascade.lose_inside(group[0], part.mask))


def _alike(scene: Scene, spots: list[int], mask: int) -> Iterator[list[int]]:
    """Spots of a kind where a loss has the same outcome."""
    inside = [spot for spot in spots if scene.cascade.stays_inside(spot, mask)]
    yield from ([inside] if inside else [])
    known = set(inside)
    yield from ([spot] for spot in spots if spot not in known)


def _in_racks(scene: Scene, kind: Kind, part: Part, racks: tuple[str, ...], outcome: Outcome) -> Iterator[FailureEvent]:
    if scene.matters(outcome):
        for rack in racks:
            yield scene.of_outcome(part.kind, (name_of(scene, kind, part, rack),), outcome, rack)
        return
    names = tuple(name_of(scene, kind, part, rack) for rack in racks[:3])
    first = scene.of_outcome(part.kind, names[:1], outcome, racks[0])
    yield msgspec.structs.replace(first, stands_for=len(racks), alike=names)


def pair_events(scene: Scene, rack: str) -> Iterator[FailureEvent]:
    """Every two failures at once out of one rack's parts and the segments that feed it."""
    at = next(index for index, spot in enumerate(scene.hall.spots) if rack in spot.racks)
    spot = scene.hall.spots[at]
    kind = scene.hall.kinds[spot.kind]
    above = sorted({segment for chain in scene.cascade.chains[at] for segment, _ in chain})
    singles: list[tuple[str, str, int, int]] = [
        (scene.hall.segments[index].kind, scene.hall.segments[index].name, index, 0)
        for index in above
        if scene.hall.segments[index].kind in SEGMENT_KINDS
    ]
    singles += [(part.kind, name_of(scene, kind, part, rack), -1, part.mask) for part in parts_of(kind)]
    for one, other in combinations(singles, 2):
        segments = frozenset(index for _, _, index, _ in (one, other) if index >= 0)
        mask = one[3] | other[3]
        outcome = scene.cascade.run(segments, {(at, mask): 1} if mask else {})
        yield scene.of_outcome(cast("EventKind", one[0]), (one[1], other[1]), outcome, rack if mask else "")


def find_power(scene: Scene, name: str) -> FailureEvent | None:
    """The electrical failure of this name."""
    for index, segment in enumerate(scene.hall.segments):
        if segment.name == name and segment.kind in SEGMENT_KINDS:
            outcome = scene.cascade.lose_segments([index])
            event = scene.of_outcome(cast("EventKind", segment.kind), (name,), outcome)
            if scene.cascade.bare(index):
                note = f"nothing that stands hangs on {name}: it carries nothing yet"
                event = msgspec.structs.replace(event, assumed=(note,))
            return msgspec.structs.replace(event, fullest=scene.fullest(outcome))
    for index, spot in enumerate(scene.hall.spots):
        kind = scene.hall.kinds[spot.kind]
        for part in parts_of(kind):
            for rack in spot.racks:
                if name_of(scene, kind, part, rack) == name:
                    outcome = scene.cascade.lose_inside(index, part.mask)
                    event = scene.of_outcome(part.kind, (name,), outcome, rack)
                    return msgspec.structs.replace(event, fullest=scene.fullest(outcome, rack))
    return None


def power_names(scene: Scene) -> Iterator[str]:
    """Names of all electrical failures."""
    yield from (segment.name for segment in scene.hall.segments if segment.kind in SEGMENT_KINDS)
    for spot in scene.hall.spots:
        kind = scene.hall.kinds[spot.kind]
        for part in parts_of(kind):
            yield from (name_of(scene, kind, part, rack) for rack in spot.racks)
