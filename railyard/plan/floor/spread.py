"""What one rack takes along when it is lost, and how far the racks of a scalable unit are apart. Facts, no judgement."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from railyard.model.floor import LostRack
from railyard.model.plan import FileSystemPlan
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.hall import Hall
from railyard.plan.networks.shapes import OtherNetworks
from railyard.plan.placement import Place
from railyard.plan.racks import Filled
from railyard.plan.shape import FabricShape
from railyard.plan.wiring import leaf_name

PLANES = 2
"""From so many on planes stand in for each other."""


class Reach(msgspec.Struct, frozen=True):
    """The unit whose nodes and leaves are furthest apart, slack included, and the most rows that a unit stands in."""

    metres: float
    at: str
    rows: int


def unit_reach(file: StackFile, hall: Hall, filled: Filled) -> Reach:
    """Over all planned units: any node may be cabled to any leaf of its unit."""
    leaves: defaultdict[int, set[int]] = defaultdict(set)
    for number, placed in filled.items():
        unit = (number - 1) // hall.per_unit + 1
        if unit <= hall.units and any(place.body.role == "leaf" for _, place in placed):
            leaves[unit].add(number)
    slack, drop = 1 + file.cabling.slack_percent / 100, file.cabling.drop_m
    longest, at, rows = 0.0, "", 1
    for unit in range(1, hall.units + 1):
        racks = [hall.compute(unit, index) for index in range(hall.compute_per_unit)]
        rows = max(rows, len({hall.row(number) for number in (*racks, *leaves[unit])}))
        for leaf in leaves[unit]:
            metres = max(hall.route_m(rack, leaf, drop) for rack in racks)
            if metres > longest:
                longest, at = metres, names.unit(file.site.name, unit)
    return Reach(round(longest * slack, 3), at, rows)


def top_share(site: str, filled: Filled) -> tuple[float, str]:
    """(percent, rack) of the rack with the most switches of the top tier: the bisection that goes with it. 0 without one."""
    counts: dict[str, Counter[int]] = {"core": Counter(), "spine": Counter()}
    for number, placed in filled.items():
        for _, place in placed:
            if place.body.role in counts:
                counts[place.body.role][number] += 1
    top = counts["core"] or counts["spine"]
    if not top:
        return 0.0, ""
    number = min(top, key=lambda item: (-top[item], item))
    return round(100 * top[number] / top.total(), 3), names.rack(site, number)


def lost_together(
    site: str, nets: OtherNetworks, managers: Mapping[str, Sequence[str]], places: Mapping[str, Place]
) -> Iterator[LostRack]:
    """Pairs of service switches, and all subnet managers of a subnet, that stand in one rack."""
    groups = [
        (f"both switches of the {dual.kind} service pair {pair + 1}", [dual.pair_name(site, pair, side) for side in (0, 1)])
        for dual, pair in nets.upper_pairs()
    ]
    groups += [
        (f"all subnet managers of {subnet} ({', '.join(hosts)})", list(hosts))
        for subnet, hosts in sorted(managers.items())
        if len(hosts) > 1
    ]
    for what, devices in groups:
        racks = {places[name].rack for name in devices if name in places}
        if len(racks) == 1:
            yield LostRack(rack=names.rack(site, racks.pop()), what=what)


def planes_together(site: str, shape: FabricShape, places: Mapping[str, Place]) -> Iterator[LostRack]:
    """Units whose nodes have several planes, with rails (or groups) of which all planes' leaves stand in one rack."""
    if shape.planes < PLANES:
        return
    for unit in range(1, shape.units + 1):
        racks: Counter[int] = Counter()
        for index in range(shape.groups):
            found = {places[leaf_name(site, shape, unit, index, plane)].rack for plane in range(shape.planes)}
            if len(found) == 1:
                racks[found.pop()] += 1
        for number, count in sorted(racks.items()):
            what = f"leaves of all {shape.planes} planes for {count} of {shape.groups} rails of {names.unit(site, unit)}"
            yield LostRack(rack=names.rack(site, number), what=what)


def mirrors_together(site: str, file_system: FileSystemPlan | None, places: Mapping[str, Place]) -> Iterator[LostRack]:
    """Racks with pairs of storage servers that mirror each other, and these pairs."""
    if file_system is None or not file_system.mirrored:
        return
    servers = {target.name: target.server for target in file_system.targets}
    pairs: Counter[tuple[str, str]] = Counter()
    for target in file_system.targets:
        other = servers.get(target.mirror or "")
        if other and other != target.server:
            first, second = sorted((target.server, other), key=names.sort_key)
            pairs[first, second] += 1
    found: defaultdict[int, list[str]] = defaultdict(list)
    for first, second in sorted(pairs, key=lambda pair: names.sort_key(pair[0])):
        if first in places and second in places and places[first].rack == places[second].rack:
            found[places[first].rack].append(f"{first} + {second}")
    yield from (LostRack(rack=names.rack(site, number), what=names.listed(found[number])) for number in sorted(found))
