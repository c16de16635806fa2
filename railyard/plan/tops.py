"""What fills racks from the top down, and how many racks that takes: switches, fabric managers, storage servers.

`shared`: a unit's switches go into the first `spreadRacks` compute racks of the unit in turn; spines, cores, upper switches of
the other networks and storage servers into those of unit 1, in this order, so that storage may grow at the end. `dedicated`: a
unit has network racks of its own; what stands above the units, and storage servers, have racks of their own: as few as hold the
devices in their order, as far as U, air and one feed allow (`room.share`). The switches of a pair are first and last, so that
they stand in different racks where there are two.
"""

from collections.abc import Iterator
from math import ceil, floor

from railyard.model.errors import Problem
from railyard.model.site import Facility, RackKind, StackFile
from railyard.plan import names
from railyard.plan.bodies import Body, bodies
from railyard.plan.floor.ground import ground_of
from railyard.plan.floor.room import Room, room_of, share
from railyard.plan.hall import RACK_PITCH_M, Hall, racks_per_unit
from railyard.plan.managers import manager_hosts
from railyard.plan.networks.shapes import ROLE, OtherNetworks
from railyard.plan.parts import Parts
from railyard.plan.problems import PlanError
from railyard.plan.shape import FabricShape
from railyard.plan.wiring import leaf_name

RACKS_MAX = 20_000
"""Compute racks that are planned at most: one for each of 16,384 nodes, and some. A hall of a million is a typing error."""
Device = tuple[str, str]
"""(name, role) of a device."""


def plan_hall(file: StackFile, parts: Parts, shape: FabricShape, nets: OtherNetworks) -> Hall:
    """Numbers of racks for all planned units. Raises PlanError (PLAN-015) where they are more than any hall holds."""
    facility = file.facility
    compute = racks_per_unit(shape.nodes_per_unit, facility.nodes_per_rack, facility.spread_racks)
    if shape.units * compute > RACKS_MAX:
        found = f"{shape.units} planned units of {compute} compute racks: {shape.units * compute} racks"
        fix = "more nodes in a rack (facility.nodesPerRack), a lower facility.spreadRacks, or fewer planned units"
        raise PlanError([Problem("PLAN-015", "railyard:facility", found, f"{RACKS_MAX} racks", fix)])
    room = room_of(facility, parts, bodies(parts, nets))
    dedicated = facility.switch_racks is RackKind.DEDICATED
    width_m = parts.rack.width_m or RACK_PITCH_M
    return Hall(
        units=shape.units,
        compute_per_unit=compute,
        # Unit 1 has every leaf pair that a unit can have: one that serves several units stands in the first of them.
        network_per_unit=len(share(unit_devices(file, shape, nets, 1), room, facility.unit_network_racks)) if dedicated else 0,
        spine_racks=len(_upper_shares(file, shape, nets, room)) if dedicated else 0,
        racks_per_row=facility.racks_per_row,
        pitch_m=(file.floor.place_m if file.floor else None) or width_m,
        ground=ground_of(file.floor, facility.racks_per_row, width_m, parts.rack.depth_m) if file.floor else None,
    )


def _upper_shares(file: StackFile, shape: FabricShape, nets: OtherNetworks, room: Room) -> list[list[Device]]:
    """What stands above the units, by rack: `facility.spineRacks` at least."""
    return share(upper_devices(file, shape, nets), room, file.facility.spine_racks)


def rack_capacity(facility: Facility, parts: Parts, body: Body, kept_u: int = 0) -> int:
    """Devices of one kind in a rack of their own: the least of free U / height, air limit / heat, weakest feed / peak; at least
    1.
    """
    room = room_of(facility, parts, {}).limits
    limits = [room.count(body.u_height, kept_u)]
    if body.peak_kw > 0:
        limits.append(floor(min(room.air_kw / (body.air_fraction or 1.0), room.feed_kw) / body.peak_kw))
    return max(1, min(limits))


def unit_devices(file: StackFile, shape: FabricShape, nets: OtherNetworks, unit: int) -> list[Device]:
    """A unit's leaves, out-of-band switches, and leaves of the other networks.

    Rail by rail; or plane by plane, each with its share of the out-of-band switches, where planes are to stand in different
    racks (`facility.unitNetworkRacks`).
    """
    site, planes = file.site.name, shape.planes
    by_plane: list[list[Device]] = [
        [(leaf_name(site, shape, unit, index, plane), "leaf") for index in range(shape.groups)] for plane in range(planes)
    ]
    oob: list[Device] = [(nets.oob.unit_name(unit, index), "oob") for index in range(nets.oob.unit_switches)]
    if file.facility.unit_network_racks > 1 and planes > 1:
        size = ceil(len(oob) / planes)
        own = [device for plane, leaves in enumerate(by_plane) for device in (*leaves, *oob[plane * size : (plane + 1) * size])]
    else:
        own = [*(leaf for rail in zip(*by_plane, strict=True) for leaf in rail), *oob]
    pairs = [[(dual.pair_name(site, pair, side), ROLE[dual.kind]) for dual, pair in nets.unit_pairs(unit)] for side in (0, 1)]
    return _ordered(file, pairs, own)


def upper_devices(file: StackFile, shape: FabricShape, nets: OtherNetworks) -> list[Device]:
    """Spines, cores, upper and out-of-band switches of the other networks; fabric managers last: no switch moves for them.

    One kind after the other, or evenly mixed where they are to be spread (`facility.spineRacks`): each rack then has its share
    of every kind.
    """
    site, planes = file.site.name, range(shape.planes)
    kinds: list[list[Device]] = [
        [
            (names.spine(site, number + 1, plane, shape.planes), "spine")
            for number in range(shape.spines_per_plane)
            for plane in planes
        ],
        [
            (names.core(site, number + 1, plane, shape.planes), "core")
            for number in range(shape.cores_per_plane)
            for plane in planes
        ],
        [(name, ROLE[dual.kind]) for dual, name in nets.spines()],
        [(nets.oob.core_name(index), "oob") for index in range(nets.oob.core_switches)],
    ]
    pairs = [[(dual.pair_name(site, pair, side), ROLE[dual.kind]) for dual, pair in nets.upper_pairs()] for side in (0, 1)]
    own = _mixed(kinds) if file.facility.spine_racks > 1 else [device for kind in kinds for device in kind]
    return [*_ordered(file, pairs, own), *((name, "management") for name in manager_hosts(file, shape))]


def _mixed(kinds: list[list[Device]]) -> list[Device]:
    """All devices, each kind at even distances: any stretch of them has the same share of every kind."""
    places = [
        ((index + 0.5) / len(kind), order, device) for order, kind in enumerate(kinds) for index, device in enumerate(kind)
    ]
    return [device for *_, device in sorted(places)]


def _ordered(file: StackFile, pairs: list[list[Device]], others: list[Device]) -> list[Device]:
    """Racks that are filled in turn get the two switches of a pair after each other; racks in even shares first and last."""
    first, second = pairs
    if file.facility.switch_racks is RackKind.SHARED:
        return [*others, *(device for both in zip(first, second, strict=True) for device in both)]
    return [*first, *others, *second]


def top_devices(
    file: StackFile, parts: Parts, hall: Hall, shape: FabricShape, nets: OtherNetworks
) -> Iterator[tuple[str, str, int]]:
    """(name, role, rack) of everything that is placed top down, in the order of filling."""
    facility, room = file.facility, room_of(file.facility, parts, bodies(parts, nets))
    shared = facility.switch_racks is RackKind.SHARED
    spread = min(facility.spread_racks, hall.compute_per_unit)
    for unit in range(1, shape.units + 1):
        devices = unit_devices(file, shape, nets, unit)
        if shared:
            yield from ((name, role, hall.compute(unit, index % spread)) for index, (name, role) in enumerate(devices))
            continue
        for index, chunk in enumerate(share(devices, room, hall.network_per_unit)):
            yield from ((name, role, hall.network(unit, index)) for name, role in chunk)
    if shared:
        upper = upper_devices(file, shape, nets)
        yield from ((name, role, hall.compute(1, index % spread)) for index, (name, role) in enumerate(upper))
    else:
        for rack, chunk in enumerate(_upper_shares(file, shape, nets, room)):
            yield from ((name, role, hall.spine(rack)) for name, role in chunk)
    yield from _storage_devices(file, hall, nets, spread)


def _storage_devices(file: StackFile, hall: Hall, nets: OtherNetworks, spread: int) -> Iterator[tuple[str, str, int]]:
    """Storage servers with their switches. Among the nodes they go round the racks; mirror halves each into the next one."""
    servers = 0
    for index, (role, name, rack) in enumerate(nets.oob.storage_sequence(file.storage.nodes)):
        if nets.oob.servers_per_rack:
            yield name, role, hall.storage(rack)
            continue
        apart = file.facility.mirrors_apart and role == "storage"
        yield name, role, hall.compute(1, (servers if apart else index) % spread)
        servers += role == "storage"
