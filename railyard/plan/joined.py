"""What joins several planners' results: machines with places, BMC cables, the set of devices that stand."""

from collections.abc import Iterable, Iterator, Mapping

from railyard.model.inventory import Role
from railyard.model.plan import Cable, MachinePlan, SwitchPlan
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.hall import Hall
from railyard.plan.machines import Seat, Seats, nics_of
from railyard.plan.oob import OobEnd, link_oob, oob_per_unit, oob_port, storage_oob
from railyard.plan.parts import Parts
from railyard.plan.placement import Place
from railyard.plan.queues import HOSTNAME, RACK, ROLE, SITE, UNIT
from railyard.plan.shape import FabricShape


def join_machines(file: StackFile, parts: Parts, seats: Seats, places: Mapping[str, Place]) -> tuple[MachinePlan, ...]:
    """Every machine with its rack, U, expected GPUs and NICs, and labels: GPU machines by unit and slot, then storage."""
    return tuple(_machine(file, parts, seat, places[seat.name]) for seat in (*seats.gpu, *seats.storage))


def _machine(file: StackFile, parts: Parts, seat: Seat, place: Place) -> MachinePlan:
    facts, gpu = seat.facts, seat.facts.role is Role.GPU
    rack = names.rack(file.site.name, place.rack)
    labels = {HOSTNAME: seat.name, RACK: rack, ROLE: facts.role.value, SITE: file.site.name}
    if gpu:
        labels[UNIT] = names.unit(file.site.name, seat.unit)
    return MachinePlan(
        name=seat.name,
        role=facts.role.value,
        model=place.body.model,
        unit=seat.unit if gpu else None,
        slot=seat.slot if gpu else None,
        rack=rack,
        u=place.u,
        serial=facts.serial,
        bmc=facts.bmc,
        macs=facts.macs,
        gpus=parts.node.gpus if gpu else 0,
        nics=nics_of(parts, facts.role),
        lifecycle=facts.lifecycle.value,
        reason=facts.reason,
        install_generation=facts.install_generation,
        confirm_serial=facts.confirm_serial,
        labels=labels,
    )


def link_bmcs(file: StackFile, shape: FabricShape, seats: Seats, places: Mapping[str, Place], hall: Hall) -> Iterator[Cable]:
    """One out-of-band cable per machine."""
    ends = (_oob_end(file.site.name, shape, seat, places) for seat in (*seats.gpu, *seats.storage))
    return link_oob(ends, hall)


def _oob_end(site: str, shape: FabricShape, seat: Seat, places: Mapping[str, Place]) -> OobEnd:
    switch, port = oob_port(site, seat.unit, seat.slot, shape)
    here, there = places[seat.name], places[switch]
    return OobEnd(seat.name, here.tag(), here.rack, switch, there.tag(), there.rack, port)


def standing_names(file: StackFile, shape: FabricShape, seats: Seats, switches: Iterable[SwitchPlan]) -> frozenset[str]:
    """Names of all devices that stand: machines, fabric switches, out-of-band switches of built units and of storage."""
    site, built = file.site.name, file.fabric.scalable_units * oob_per_unit(shape.nodes_per_unit)
    oob = [names.oob(site, number + 1) for number in range(built)]
    machines = [seat.name for seat in (*seats.gpu, *seats.storage)]
    storage = storage_oob(site, file.storage.nodes, shape) if seats.storage else []
    return frozenset([*machines, *oob, *storage, *(switch.name for switch in switches)])
