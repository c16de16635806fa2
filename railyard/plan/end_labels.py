"""What stands on the two labels of each cable, and on the labels of the second ends of cables that carry two links.

A label is stuck to its own end and says where that end goes, and where the other one is: a crew reads it without a list.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from railyard.model.plan import Cable, RackPlan
from railyard.plan import names
from railyard.plan.cages import cage_at


class EndLabel(msgspec.Struct, frozen=True, gc=False):
    """One label: `end` is `A` or `Z` (`A2`, `Z2`: second link), `here` and `there` physical places, `port` the port here."""

    cable: str
    end: str
    here: str
    there: str
    port: str
    far_port: str
    length_m: float
    part: str
    color: str


def end_labels(
    cables: Iterable[Cable], racks: Iterable[RackPlan], ports_per_cage: int, numbers: Mapping[str, int] | None = None
) -> Iterator[EndLabel]:
    """Two labels for each cable in the order of the cables, four where it carries two links.

    `numbers`: name of a switch's port -> its number, where the name isn't the number itself (`native.port_numbers`).
    """
    known = numbers or {}
    tags: dict[str, str] | None = None
    for cable in cables:
        yield _label(cable, "A", cable.a_label, cable.z_label, cable.a, cable.z)
        yield _label(cable, "Z", cable.z_label, cable.a_label, cable.z, cable.a)
        if cable.a_second is not None and cable.z_second is not None:
            if tags is None:
                tags = _tags(racks)
            a = _place(cable.a_second, tags, ports_per_cage, known)
            z = _place(cable.z_second, tags, ports_per_cage, known)
            yield _label(cable, "A2", a, z, cable.a_second, cable.z_second)
            yield _label(cable, "Z2", z, a, cable.z_second, cable.a_second)


def _label(cable: Cable, end: str, here: str, there: str, port: str, far_port: str) -> EndLabel:
    return EndLabel(cable.id, end, here, there, port, far_port, cable.length_m, cable.sku or cable.medium, cable.color)


def _tags(racks: Iterable[RackPlan]) -> dict[str, str]:
    """First part of the label of each device: `R004-U12-`."""
    return {
        device.name: names.label(int(rack.name.rpartition("-r")[2]), device.u, "")[:-1]
        for rack in racks
        for device in rack.devices
    }


def _place(end: str, tags: Mapping[str, str], ports_per_cage: int, numbers: Mapping[str, int]) -> str:
    """Label of a second end: by cage where the port has a number (switches), by the port's own name on a node."""
    device, _, port = end.partition("/")
    digits = port.removeprefix("swp")
    number = numbers.get(port) or (int(digits) if digits.isdigit() else 0)
    text = cage_at(number, ports_per_cage).label if number else port
    return f"{tags.get(device, device + '-')}{text}"
