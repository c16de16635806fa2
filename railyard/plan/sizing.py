"""From the stack file's choices to the fabric's shape, with what the choices break."""

from railyard.model.errors import Problem
from railyard.model.site import StackFile
from railyard.plan.parts import Parts, misfits
from railyard.plan.problems import PlanError
from railyard.plan.refusals import refusals
from railyard.plan.shape import Choice, FabricShape, size


def planned_units(file: StackFile) -> int:
    """Units that numbers, ports and addresses are kept for: `plannedScalableUnits`, at least what is built."""
    return max(file.fabric.planned_scalable_units or 0, file.fabric.scalable_units)


KEYS = {
    "nodes_per_unit": "railyard:fabric.nodesPerUnit",
    "units": "railyard:fabric.plannedScalableUnits",
    "spines": "railyard:fabric.spines",
    "uplinks": "railyard:fabric.uplinksPerLeaf",
    "oversubscription": "railyard:fabric.oversubscription",
    "tiers": "railyard:fabric.tiers",
    "layout": "railyard:fabric.layout",
    "pod_by": "railyard:fabric.podBy",
    "links_per_cable": "railyard:fabric.linksPerCable",
    "reserved_ports": "railyard:fabric.reservedPorts",
}
"""What a stack file calls the keys of a choice."""


def choice_of(file: StackFile, radix: int) -> Choice:
    """What a stack file asks of the fabric; `radix` is the ports of its switch at its link speed."""
    fabric = file.fabric
    return Choice(
        nodes_per_unit=fabric.nodes_per_unit,
        units=planned_units(file),
        rails=fabric.rails,
        radix=radix,
        planes=fabric.planes,
        layout=fabric.layout.value,
        pod_by=fabric.pod_by.value,
        full_pods=fabric.full_pods,
        tiers=None if fabric.tiers == "auto" else fabric.tiers,
        oversubscription=fabric.oversubscription,
        uplinks=fabric.uplinks_per_leaf,
        spines=fabric.spines,
        reserved_ports=fabric.reserved_ports,
        links_per_cable=fabric.links_per_cable,
    )


def shape_of(file: StackFile, parts: Parts) -> tuple[FabricShape, tuple[Problem, ...]]:
    """Shape for all planned units. Raises PlanError with everything that makes it impossible (`railyard.plan.refusals`)."""
    choice = choice_of(file, parts.radix)
    found = refusals(choice, file.fabric.scalable_units)
    if found:
        # What the hardware doesn't have as well: whoever corrects the shape shouldn't meet it in the next run.
        raise PlanError([*(refusal.problem(KEYS) for refusal in found), *misfits(file, parts)])
    shape = size(choice)
    return shape, tuple(_overridden(file, shape))


def _overridden(file: StackFile, shape: FabricShape) -> list[Problem]:
    wanted = file.fabric.spines
    if shape.tiers != 3 or wanted is None or wanted == shape.spines_per_plane:
        return []
    fix = "leave fabric.spines out"
    return [Problem("PLAN-010", "railyard:fabric.spines", f"{wanted}", f"{shape.spines_per_plane} in three tiers", fix)]


def unknown_facts(parts: Parts) -> list[Problem]:
    """Facts that the plan needs and the catalogue doesn't have (PLAN-008)."""
    if parts.switch.peak_kw is not None:
        return []
    fix = "add peakKw with its source to the catalogue"
    return [Problem("PLAN-008", f"catalogue: switches.{parts.switch.name}.peakKw", "unknown, counted as 0 kW", "a number", fix)]
