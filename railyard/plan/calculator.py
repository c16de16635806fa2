"""Sizes of a fabric from a few numbers: what `railyard fabric` prints. The shape is the planner's (`railyard.plan.shape`).

Units are whole: what N nodes need is built as full units, all their leaves and uplinks, and free node ports stay free (the
reference architectures' rule). Counts are of what stands when so many units are built of those planned.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

import msgspec

from railyard.model.errors import Problem
from railyard.plan.managers import PORTS_PER_HOST
from railyard.plan.paths import Paths, paths_of
from railyard.plan.problems import PlanError
from railyard.plan.refusals import refusals, wrong_in_itself
from railyard.plan.shape import Choice, FabricShape, Layout, PodBy, size

WORDS = {
    "nodes_per_unit": "--unit-nodes",
    "units": "--nodes",
    "tiers": "--tiers",
    "layout": "--layout",
    "pod_by": "--pod-by",
    "oversubscription": "--oversubscription",
    "links_per_cable": "--links-per-cable",
    "reserved_ports": "--reserve-ports",
    "uplinks": "--unit-nodes",
}
"""What the command line calls the keys of a choice."""
NODES = 10**18
"""More nodes than this are said to be this many: no fabric holds either."""
LIMITS: dict[str, tuple[str, int, int]] = {
    "nodes": ("--nodes", 1, NODES),
    "nics": ("--nics", 1, 64),
    "rails": ("--rails", 1, 64),
    "unit_nodes": ("--unit-nodes", 1, 4096),
    "radix": ("--radix", 2, 1024),
    "planes": ("--planes", 1, 16),
    "planned_units": ("--planned-units", 1, 10**6),
    "reserve_ports": ("--reserve-ports", 0, 65_536),
    "links_per_cable": ("--links-per-cable", 1, 2),
}
"""Least and most of each number: no switch, node or site is beyond them."""


class SizeError(PlanError):
    """No such fabric."""

    heading = "no such fabric: {problems}"


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of one question. `nics` are a node's, each with a port in every plane; `unit_nodes` None: half a switch."""

    nodes: int
    nics: int = 8
    rails: int = 8
    radix: int = 64
    unit_nodes: int | None = None
    planes: int = 1
    planned_units: int | None = None
    tiers: int | None = None
    oversubscription: float = 1.0
    reserve_ports: int = 0
    links_per_cable: int = 1
    layout: Layout = "rail-optimized"
    pod_by: PodBy = "unit"
    full_pods: bool = False


class Tier(msgspec.Struct, frozen=True):
    """Cables and links between two tiers."""

    cables: int
    links: int


class Calculation(msgspec.Struct, frozen=True):
    """The answer. Counts are totals over all planes, of what stands when `units` are built of `shape.units` planned."""

    ask: Ask
    shape: FabricShape
    units: int
    leaves: int
    spines: int
    cores: int
    node_leaf: Tier
    leaf_spine: Tier
    spine_core: Tier
    free_leaf_ports: int

    @property
    def endpoints(self) -> int:
        """NICs of all nodes."""
        return self.ask.nodes * self.ask.nics

    @property
    def switches(self) -> int:
        """Switches of all tiers."""
        return self.leaves + self.spines + self.cores

    @property
    def links(self) -> int:
        """Links of all tiers."""
        return self.node_leaf.links + self.leaf_spine.links + self.spine_core.links

    @property
    def paths(self) -> Paths:
        """Hops and core load of what stands."""
        return paths_of(self.shape, self.units)

    @property
    def manager_hosts(self) -> int:
        """Hosts that the reserved ports are for, two ports each."""
        return ceil(self.shape.reserved_ports / PORTS_PER_HOST)


def calculate(ask: Ask) -> Calculation:
    """The fabric for a question. Raises SizeError with everything that makes it impossible, and the nearest values that fit."""
    wrong = list(_wrong(ask))
    if wrong:
        raise SizeError(wrong)
    choice, units = _choice(ask)
    found = list(_refused(ask, choice, units))
    if ask.planned_units is not None and ask.planned_units < units:
        limit = f"at least {units}, for {ask.nodes} nodes in units of {choice.nodes_per_unit}"
        fix = f"set --planned-units to {units}, or leave it out"
        found.append(Problem("PLAN-025", "--planned-units", f"{ask.planned_units}", limit, fix))
    if found:
        raise SizeError(found)
    return _counted(ask, size(choice), units)


def _refused(ask: Ask, choice: Choice, units: int) -> Iterator[Problem]:
    """What the planner refuses, in the words of the command line: units are nodes here, unless units are what was asked for."""
    planned = choice.units > units or ask.planned_units == units
    words = WORDS | ({"units": "--planned-units"} if planned else {})

    def nodes(count: int) -> int:
        return count * choice.nodes_per_unit - len(size(choice).lost_slots())

    for refusal in refusals(choice, units):
        problem = refusal.problem(words, int if planned else nodes)
        yield _fewer_reserved(ask, problem) if refusal.key == "reserved_ports" else problem


def _fewer_reserved(ask: Ask, problem: Problem) -> Problem:
    """The most reserved ports that fit: fewer of them take fewer slots, so fewer units and leaves, so still fewer ports.

    Leaves never grow when ports shrink: going down to the leaves that are left ends at the greatest number that fits.
    """
    most, before = ask.reserve_ports, ask.reserve_ports + 1
    units = 0
    while most < before:
        choice, units = _choice(msgspec.structs.replace(ask, reserve_ports=most))
        before, most = most, min(most, units * size(choice).groups * choice.planes)
    limit = f"{most}: {units} unit{'' if units == 1 else 's'} with a leaf for each of them"
    return replace(problem, limit=limit, fix=f"set --reserve-ports to at most {most}")


def without_another_unit(found: Calculation) -> Calculation | None:
    """The most nodes that need no unit more for the reserved ports' sake; None where they need none, or no such size is."""
    ask, shape = found.ask, found.shape
    units = -(-ask.nodes // shape.nodes_per_unit)
    nodes = units * shape.nodes_per_unit - len(shape.lost_slots())
    if found.units <= units or nodes < 1:
        return None
    try:
        fewer = calculate(msgspec.structs.replace(ask, nodes=nodes))
    except SizeError:
        return None
    return fewer if fewer.switches < found.switches else None


def range_of(key: str) -> str:
    """What a number may be, in words."""
    _, least, most = LIMITS[key]
    return f"a whole number of at least {least}" if key == "nodes" else f"a whole number from {least} to {most}"


def _wrong(ask: Ask) -> Iterator[Problem]:
    """SIZE-001: numbers that are out of range or don't go together."""
    for key, (option, least, most) in LIMITS.items():
        value = getattr(ask, key)
        if value is not None and not least <= value <= most:
            nearest = least if value < least else most
            yield Problem("SIZE-001", option, f"{value}", range_of(key), f"set {option} to {nearest}")
    if not 1 <= ask.oversubscription <= 64:
        nearest = 64 if ask.oversubscription > 64 else 1
        limit, fix = "down:up from 1 to 64 (1 is non-blocking)", f"set --oversubscription to {nearest}"
        yield Problem("SIZE-001", "--oversubscription", f"{ask.oversubscription:g}", limit, fix)
    if ask.radix % 2 and 2 < ask.radix < LIMITS["radix"][2]:
        fix = f"set --radix to {ask.radix - 1} or {ask.radix + 1}"
        yield Problem("SIZE-001", "--radix", f"{ask.radix}", "an even number: half of a switch's ports go down, half up", fix)
    if ask.rails > 0 and ask.nics > 0 and ask.nics % ask.rails:
        near = [rails for rails in range(1, ask.nics + 1) if ask.nics % rails == 0]
        best = min(near, key=lambda rails: (abs(rails - ask.rails), -rails))
        limit = f"a divisor of {ask.nics} NICs: {', '.join(map(str, near))}"
        yield Problem("SIZE-001", "--rails", f"{ask.rails}", limit, f"set --rails to {best}, or --nics to a multiple of it")


def _choice(ask: Ask) -> tuple[Choice, int]:
    """The question as the planner puts it, and the units that are built: the fewest with a slot for each node."""
    per_rail = ask.nics // ask.rails
    choice = Choice(
        nodes_per_unit=ask.unit_nodes or _half_a_switch(ask),
        units=1,
        rails=ask.rails,
        radix=ask.radix,
        planes=ask.planes,
        nics_per_rail=per_rail,
        layout=ask.layout,
        pod_by=ask.pod_by,
        full_pods=ask.full_pods,
        tiers=ask.tiers,
        oversubscription=ask.oversubscription,
        reserved_ports=ask.reserve_ports,
        links_per_cable=ask.links_per_cable,
        nodes=ask.nodes,
    )
    # Reserved ports sit on the first leaves, so what they take doesn't depend on the number of units.
    lost = 0 if wrong_in_itself(choice) else len(size(choice).lost_slots())
    units = -(-(ask.nodes + lost) // choice.nodes_per_unit)
    return msgspec.structs.replace(choice, units=max(units, ask.planned_units or 0)), units


def _half_a_switch(ask: Ask) -> int:
    """Nodes of a unit where nobody says: as many as half of a leaf's ports take; all of them where nothing goes up."""
    ports = ask.radix if ask.layout == "rail-only" or ask.tiers == 1 else ask.radix // 2
    per_node = ask.nics if ask.tiers == 1 and ask.layout != "rail-only" else ask.nics // ask.rails
    return max(1, ports // per_node)


def _counted(ask: Ask, shape: FabricShape, units: int) -> Calculation:
    leaves = shape.leaf_units(units) * shape.groups * shape.planes
    spines = len(shape.standing_spines(units)) * shape.planes
    up, third = shape.uplinks, shape.tiers == 3
    node_links = shape.node_leaf_links
    return Calculation(
        ask=ask,
        shape=shape,
        units=units,
        leaves=leaves,
        spines=spines,
        cores=shape.cores,
        node_leaf=Tier(shape.node_leaf, node_links),
        leaf_spine=Tier(leaves * shape.cables_up, leaves * up),
        spine_core=Tier(spines * shape.cables_up if third else 0, spines * up if third else 0),
        free_leaf_ports=leaves * (shape.radix - up) - node_links,
    )
