"""From the stack file's choices to the fabric's shape, with what the choices break."""

from railyard.model.errors import Problem
from railyard.model.site import StackFile
from railyard.plan.parts import Parts
from railyard.plan.problems import PlanError
from railyard.plan.shape import FabricShape, size_fabric


def planned_units(file: StackFile) -> int:
    """Units that numbers, ports and addresses are kept for: `plannedScalableUnits`, at least what is built."""
    return max(file.fabric.planned_scalable_units or 0, file.fabric.scalable_units)


def default_uplinks(nodes_per_unit: int, radix: int) -> int:
    """As many uplinks as node slots (non-blocking), as far as the leaf has ports: min(D, k - D)."""
    return min(nodes_per_unit, radix - nodes_per_unit)


def shape_of(file: StackFile, parts: Parts) -> tuple[FabricShape, tuple[Problem, ...]]:
    """Shape for all planned units. Raises PlanError where leaves have no port for an uplink, or three tiers are too small."""
    fabric, radix = file.fabric, parts.radix
    uplinks = fabric.uplinks_per_leaf or default_uplinks(fabric.nodes_per_unit, radix)
    if uplinks < 1:
        found = f"{fabric.nodes_per_unit} node ports on a leaf of {radix} ports at {fabric.link_gbps:g} Gb/s"
        fix = "lower fabric.nodesPerUnit or choose a switch with more ports"
        raise PlanError([Problem("PLAN-003", "railyard:fabric.nodesPerUnit", found, f"at most {radix - 1}", fix)])
    units = planned_units(file)
    shape = size_fabric(
        fabric.nodes_per_unit,
        units,
        fabric.rails,
        radix,
        fabric.planes,
        uplinks=uplinks,
        spines=fabric.spines,
        reserved_ports=fabric.reserved_ports,
    )
    problems = _overridden(file, shape)
    if fabric.nodes_per_unit + uplinks > radix:
        found = f"{fabric.nodes_per_unit} node ports and {uplinks} uplinks on a leaf"
        fix = f"at most {radix - fabric.nodes_per_unit} uplinksPerLeaf, fewer nodesPerUnit, or a switch with more ports"
        limit = f"{radix} ports at {fabric.link_gbps:g} Gb/s"
        problems.append(Problem("PLAN-003", "railyard:fabric.uplinksPerLeaf", found, limit, fix))
    if not shape.fits:
        found = f"{units} units of {fabric.rails} leaves: {shape.pods} pods of {uplinks} leaves"
        limit = f"{radix} pods ({radix * uplinks // fabric.rails} units) in three tiers of {radix}-port switches"
        fix = "plan fewer units or choose a switch with more ports"
        raise PlanError([Problem("PLAN-002", "railyard:fabric.plannedScalableUnits", found, limit, fix)])
    return shape, tuple(problems)


def _overridden(file: StackFile, shape: FabricShape) -> list[Problem]:
    wanted = file.fabric.spines
    if shape.tiers == 2 or wanted is None or wanted == shape.spines_per_plane:
        return []
    fix = "leave fabric.spines out"
    return [Problem("PLAN-010", "railyard:fabric.spines", f"{wanted}", f"{shape.spines_per_plane} in three tiers", fix)]


def unknown_facts(parts: Parts) -> list[Problem]:
    """Facts that the plan needs and the catalogue doesn't have (PLAN-008)."""
    if parts.switch.peak_kw is not None:
        return []
    fix = "add peakKw with its source to the catalogue"
    return [Problem("PLAN-008", f"catalogue: switches.{parts.switch.name}.peakKw", "unknown, counted as 0 kW", "a number", fix)]
