"""Inventory joined with the plan: which machine stands in which planned position."""

from collections.abc import Collection, Iterator

import msgspec

from railyard.model.config import SiteConfig
from railyard.model.errors import Problem
from railyard.model.inventory import Machine, Role
from railyard.model.site import StackFile
from railyard.plan import names
from railyard.plan.parts import Parts
from railyard.plan.shape import FabricShape


class Seat(msgspec.Struct, frozen=True, gc=False):
    """One machine at its position: `slot` from 1 in `unit` (GPU) or `slot` = storage index from 1 and `unit` = 0."""

    name: str
    unit: int
    slot: int
    facts: Machine


class Seats(msgspec.Struct, frozen=True):
    """All machines of a site in the order of their positions, and what is wrong with the others."""

    gpu: tuple[Seat, ...]
    storage: tuple[Seat, ...]
    problems: tuple[Problem, ...]


def assign_seats(config: SiteConfig, parts: Parts, shape: FabricShape) -> Seats:
    """Give each machine of the inventory the position that its name states.

    A name that is no position of a built unit is a problem (PLAN-004) and the machine is left out; so nothing else moves.
    """
    gpu: list[Seat] = []
    storage: list[Seat] = []
    problems: list[Problem] = []
    lost = shape.lost_slots()
    for index, machine in enumerate(config.inventory.machines):
        where = f"{config.file.site.inventory}:machines[{index}].name"
        seat = _seat(config.file, machine, lost)
        if isinstance(seat, str):
            problems.append(
                Problem("PLAN-004", where, machine.name, seat, "name a planned position that is free, or build the unit")
            )
            continue
        (gpu if machine.role is Role.GPU else storage).append(seat)
        problems += _facts(machine, parts, where.removesuffix(".name"))
    problems += _counts(config.file, len(gpu), len(storage))
    return Seats(_in_order(gpu), _in_order(storage), tuple(problems))


def _in_order(seats: list[Seat]) -> tuple[Seat, ...]:
    """Machines by position, the first of each; a second one with the same name is the loader's finding."""
    first: dict[tuple[int, int], Seat] = {}
    for seat in seats:
        first.setdefault((seat.unit, seat.slot), seat)
    return tuple(first[position] for position in sorted(first))


def _seat(file: StackFile, machine: Machine, lost: Collection[tuple[int, int]]) -> Seat | str:
    """The machine's position, or the limit that its name breaks."""
    site, fabric = file.site.name, file.fabric
    if machine.role is Role.STORAGE:
        found = names.parse_storage(machine.name)
        if found is None or names.storage(site, found[1]) != machine.name or not 1 <= found[1] <= file.storage.nodes:
            return f"{names.storage(site, 1)} .. {names.storage(site, max(file.storage.nodes, 1))}"
        return Seat(machine.name, 0, found[1], machine)
    last = fabric.nodes_per_unit
    limit = f"{names.gpu(site, 1, 1, last)} .. {names.gpu(site, fabric.scalable_units, last, last)}"
    parsed = names.parse_gpu(machine.name)
    if parsed is None or names.gpu(site, parsed[1], parsed[2], last) != machine.name:
        return limit
    _, unit, slot = parsed
    if not 1 <= unit <= fabric.scalable_units or not 1 <= slot <= last:
        return limit
    if (unit, slot) in lost:
        taken = ", ".join(names.gpu(site, *spot, last) for spot in sorted(lost))
        return f"{limit}; ports of {taken} are reserved for fabric managers (fabric.reservedPorts)"
    return Seat(machine.name, unit, slot, machine)


def nics_of(parts: Parts, role: Role) -> int:
    """Network ports that a machine of this role must have, by its model (BMC not counted)."""
    if role is Role.STORAGE:
        return parts.storage.nics if parts.storage else 0
    return parts.node.backend_nics + parts.node.storage_nics


def _facts(machine: Machine, parts: Parts, where: str) -> Iterator[Problem]:
    """GPUs and MACs of a delivered machine against its model (PLAN-007)."""
    gpu = machine.role is Role.GPU
    model = parts.node.name if gpu else parts.storage.name if parts.storage else "no storage model"
    pairs = (("gpus", machine.gpus, parts.node.gpus if gpu else 0), ("macs", len(machine.macs), nics_of(parts, machine.role)))
    fix = "correct the inventory, or name the model that was delivered"
    for fact, have, want in pairs:
        if have != want:
            yield Problem("PLAN-007", f"{where}.{fact}", f"{have} on {machine.name}", f"{want} on a {model}", fix)


def _counts(file: StackFile, gpu: int, storage: int) -> list[Problem]:
    """Planned counts against delivered ones (PLAN-005)."""
    pairs = (("compute", file.compute.nodes, gpu, "GPU"), ("storage", file.storage.nodes, storage, "storage"))
    return [
        Problem(
            "PLAN-005",
            f"railyard:{key}.nodes",
            f"{have} {word} machines at planned positions in {file.site.inventory}",
            f"{want}",
            f"set {key}.nodes to what is delivered, or complete the inventory",
        )
        for key, want, have, word in pairs
        if want != have
    ]
