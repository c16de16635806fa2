"""What fills racks from the top down, and how many racks that takes: switches, fabric managers, storage servers.

`shared`: a unit's switches go into the first `spreadRacks` compute racks of the unit in turn; spines, cores, upper switches of
the other networks and storage servers into those of unit 1, in this order, so that storage may grow at the end. `dedicated`: a
unit has network racks of its own; what stands above the units, and storage servers, have racks of their own: as few as hold the
devices in even shares, as far as U, air and one feed allow. The switches of a pair are first and last, so that they stand in
different racks where there are two.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor

from railyard.model.site import Facility, RackKind, StackFile
from railyard.plan import names
from railyard.plan.bodies import Body, bodies
from railyard.plan.hall import RACK_PITCH_M, Hall, racks_per_unit
from railyard.plan.managers import manager_hosts
from railyard.plan.networks.shapes import ROLE, OtherNetworks
from railyard.plan.parts import Parts
from railyard.plan.power import feed_capacity_kw
from railyard.plan.shape import FabricShape
from railyard.plan.wiring import leaf_name

Device = tuple[str, str]
"""(name, role) of a device."""


def plan_hall(file: StackFile, parts: Parts, shape: FabricShape, nets: OtherNetworks) -> Hall:
    """Numbers of racks for all planned units."""
    facility, body = file.facility, bodies(parts, nets)
    dedicated = facility.switch_racks is RackKind.DEDICATED
    # Unit 1 has every leaf pair that a unit can have: one that serves several units stands in the first of them.
    unit = share(unit_devices(file, shape, nets, 1), body, facility, parts)
    return Hall(
        units=shape.units,
        compute_per_unit=racks_per_unit(shape.nodes_per_unit, facility.nodes_per_rack, facility.spread_racks),
        network_per_unit=len(unit) if dedicated else 0,
        spine_racks=len(share(upper_devices(file, shape, nets), body, facility, parts)) if dedicated else 0,
        racks_per_row=facility.racks_per_row,
        pitch_m=parts.rack.width_m or RACK_PITCH_M,
    )


def share(devices: Sequence[Device], body: Mapping[str, Body], facility: Facility, parts: Parts) -> list[Sequence[Device]]:
    """The fewest racks that hold some devices in their order, in even shares."""
    limit = _limit_kw(facility, parts)
    racks = max(1, min(len(devices), floor(sum(body[role].peak_kw for _, role in devices) / limit) if limit else 1))
    while True:
        size = max(1, ceil(len(devices) / racks))
        shares = [devices[at : at + size] for at in range(0, len(devices), size)]
        if racks >= len(devices) or all(_holds(chunk, body, facility, parts) for chunk in shares):
            return shares
        racks += 1


def _holds(chunk: Sequence[Device], body: Mapping[str, Body], facility: Facility, parts: Parts) -> bool:
    held = [body[role] for _, role in chunk]
    kw, air = sum(item.peak_kw for item in held), sum(item.peak_kw * item.air_fraction for item in held)
    return (
        sum(item.u_height for item in held) <= _free_u(facility, parts)
        and air <= facility.air_limit_kw + 1e-9
        and all(kw <= feed_capacity_kw(facility, feed, parts) + 1e-9 for feed in facility.feeds)
    )


def _free_u(facility: Facility, parts: Parts) -> int:
    return parts.rack.u_height - len({u for u in facility.reserved_u if u <= parts.rack.u_height})


def _limit_kw(facility: Facility, parts: Parts) -> float:
    return min(feed_capacity_kw(facility, feed, parts) for feed in facility.feeds)


def rack_capacity(facility: Facility, parts: Parts, body: Body, kept_u: int = 0) -> int:
    """Devices of one kind in a rack of their own: the least of free U / height, air limit / heat, weakest feed / peak; at least
    1.
    """
    limits = [(_free_u(facility, parts) - kept_u) // body.u_height]
    if body.peak_kw > 0:
        limit = min(facility.air_limit_kw / (body.air_fraction or 1.0), _limit_kw(facility, parts))
        limits.append(floor(limit / body.peak_kw))
    return max(1, min(limits))


def unit_devices(file: StackFile, shape: FabricShape, nets: OtherNetworks, unit: int) -> list[Device]:
    """A unit's leaves, out-of-band switches, and leaves of the other networks."""
    site = file.site.name
    leaves = [
        (leaf_name(site, shape, unit, index, plane), "leaf") for index in range(shape.groups) for plane in range(shape.planes)
    ]
    oob = [(nets.oob.unit_name(unit, index), "oob") for index in range(nets.oob.unit_switches)]
    pairs = [[(dual.pair_name(site, pair, side), ROLE[dual.kind]) for dual, pair in nets.unit_pairs(unit)] for side in (0, 1)]
    return _ordered(file, pairs, [*leaves, *oob])


def upper_devices(file: StackFile, shape: FabricShape, nets: OtherNetworks) -> list[Device]:
    """Spines, cores, upper and out-of-band switches of the other networks; fabric managers last: no switch moves for them."""
    site, planes = file.site.name, range(shape.planes)
    own: list[Device] = [
        (names.spine(site, number + 1, plane, shape.planes), "spine")
        for number in range(shape.spines_per_plane)
        for plane in planes
    ]
    own += [
        (names.core(site, number + 1, plane, shape.planes), "core")
        for number in range(shape.cores_per_plane)
        for plane in planes
    ]
    own += [(name, ROLE[dual.kind]) for dual, name in nets.spines()]
    own += [(nets.oob.core_name(index), "oob") for index in range(nets.oob.core_switches)]
    pairs = [[(dual.pair_name(site, pair, side), ROLE[dual.kind]) for dual, pair in nets.upper_pairs()] for side in (0, 1)]
    return [*_ordered(file, pairs, own), *((name, "management") for name in manager_hosts(file, shape))]


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
    facility, body = file.facility, bodies(parts, nets)
    shared = facility.switch_racks is RackKind.SHARED
    spread = min(facility.spread_racks, hall.compute_per_unit)
    upper = upper_devices(file, shape, nets)
    for unit in range(1, shape.units + 1):
        devices = unit_devices(file, shape, nets, unit)
        per_rack = ceil(len(devices) / max(hall.network_per_unit, 1))
        for index, (name, role) in enumerate(devices):
            yield name, role, hall.compute(unit, index % spread) if shared else hall.network(unit, index // per_rack)
    if shared:
        yield from ((name, role, hall.compute(1, index % spread)) for index, (name, role) in enumerate(upper))
    else:
        for rack, devices in enumerate(share(upper, body, facility, parts)):
            yield from ((name, role, hall.spine(rack)) for name, role in devices)
    for index, (role, name, rack) in enumerate(nets.oob.storage_sequence(file.storage.nodes)):
        yield name, role, hall.storage(rack) if nets.oob.servers_per_rack else hall.compute(1, index % spread)
