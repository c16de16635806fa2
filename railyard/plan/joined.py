"""What joins several planners' results: machines with places, the set of devices that stand."""

from collections.abc import Iterable, Mapping

from railyard.model.inventory import Role
from railyard.model.plan import MachinePlan, SwitchPlan
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.machines import Seat, Seats, nics_of
from railyard.plan.managers import manager_hosts
from railyard.plan.networks.links import standing_switches
from railyard.plan.networks.shapes import OtherNetworks
from railyard.plan.parts import Parts
from railyard.plan.placement import Place
from railyard.plan.queues import HOSTNAME, POD, RACK, ROLE, SITE, UNIT
from railyard.plan.scheduler_topology import has_pods, pod_of
from railyard.plan.shape import FabricShape


def join_machines(
    file: StackFile, parts: Parts, shape: FabricShape, seats: Seats, places: Mapping[str, Place]
) -> tuple[MachinePlan, ...]:
    """Every machine with its rack, U, expected GPUs and NICs, and labels: GPU machines by unit and slot, then storage."""
    return tuple(_machine(file, parts, shape, seat, places[seat.name]) for seat in (*seats.gpu, *seats.storage))


def _machine(file: StackFile, parts: Parts, shape: FabricShape, seat: Seat, place: Place) -> MachinePlan:
    facts, gpu = seat.facts, seat.facts.role is Role.GPU
    rack = names.rack(file.site.name, place.rack)
    labels = {HOSTNAME: seat.name, RACK: rack, ROLE: facts.role.value, SITE: file.site.name}
    if gpu:
        labels[UNIT] = names.unit(file.site.name, seat.unit)
        if has_pods(shape):
            labels[POD] = names.pod(file.site.name, pod_of(shape, seat.unit))
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


def standing_names(
    file: StackFile, shape: FabricShape, seats: Seats, switches: Iterable[SwitchPlan], nets: OtherNetworks
) -> frozenset[str]:
    """Names of all devices that stand: machines, fabric managers, fabric switches, switches of the other networks."""
    machines = [seat.name for seat in (*seats.gpu, *seats.storage)]
    others = standing_switches(file, shape, nets)
    return frozenset([*machines, *manager_hosts(file, shape), *(switch.name for switch in switches), *others])
