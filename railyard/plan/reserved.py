"""Ports that a switch is planned with, and how long their cables are or will be: what its buffer is laid out for (rule 9).

A port without a cable today counts like the others: growth inside the plan changes no switch's buffer, and no cable length that
a switch is told. Planned are all slots of the units that are built, and all planned leaves, spines and cores.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

from railyard.model.plan import Cable, SwitchPlan
from railyard.model.site import StackFile, Transport
from railyard.plan import names
from railyard.plan.cabling import Cabler, cable_up
from railyard.plan.links import Link
from railyard.plan.nics import RailNics
from railyard.plan.shape import FabricShape
from railyard.plan.wiring import positions, wire_leaves, wire_nodes, wire_spines

Lengths = dict[str, dict[float, int]]
"""Switch -> ordered cable length (m) -> number of its ports with such a cable."""


def planned_lengths(
    file: StackFile, shape: FabricShape, nics: RailNics, cabler: Cabler, cables: Iterable[Cable], switches: Iterable[SwitchPlan]
) -> Lengths:
    """Of each switch that stands: its ports by cable length, those that have no cable yet among them.

    Nothing where the fabric isn't routed: InfiniBand switches have no buffers that anybody lays out.
    """
    if file.fabric.transport is not Transport.ROCE:
        return {}
    standing, lower = {switch.name for switch in switches}, set[str]()
    found: defaultdict[str, defaultdict[float, int]] = defaultdict(lambda: defaultdict(int))
    for cable in cables:
        lower.add(cable.a[: cable.a.index("/")])
        _count(cable, standing, found)
    apart, split = cabler.apart, cabler.split
    for link, cable in cable_up(_unbuilt(file, shape, nics, lower), cabler):
        if not link.second:
            _count(cable, standing, found)
    cabler.apart, cabler.split = apart, split  # they count cables that exist
    return {device: dict(lengths) for device, lengths in found.items()}


def _count(cable: Cable, standing: set[str], found: defaultdict[str, defaultdict[float, int]]) -> None:
    # Most cables carry one link; at 393,216 cables anything cleverer than slicing costs half of this.
    ends = (cable.a, cable.z) if cable.a_second is None else (cable.a, cable.z, cable.a_second, cable.z_second or cable.z)
    for end in ends:
        device = end[: end.index("/")]
        if device in standing:
            found[device][cable.length_m] += 1


def _unbuilt(file: StackFile, shape: FabricShape, nics: RailNics, lower: set[str]) -> Iterator[Link]:
    """Planned links whose lower end isn't there yet."""
    site, fabric = file.site.name, file.fabric
    prefix = names.port_prefix(fabric.transport.value)
    slots = (slot for slot in positions(site, shape, fabric.scalable_units) if slot[0] not in lower)
    upper = chain(wire_leaves(site, shape, shape.units, prefix), wire_spines(site, shape, shape.units, prefix))
    yield from wire_nodes(site, shape, nics.port, slots)
    yield from (link for link in upper if link.a not in lower)
