"""What no fabric can be, asked by stack file or command line alike: each with the next sizes that have a regular wiring.

| id | what |
|---|---|
| PLAN-002 | more units than the tiers hold |
| PLAN-003 | a leaf without ports for its uplinks, or with more links than ports |
| PLAN-020 | a ratio, a layout or a cable that gives no whole number of ports |
| PLAN-021 | tiers that don't fit the number of leaves |
| PLAN-022 | pods of rails that cut a rail |
| PLAN-023 | fabric managers on more leaves than there are |
| PLAN-024 | a layout that excludes another key |
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from railyard.model.errors import Problem
from railyard.plan.shape import Choice, FabricShape, groups_of, least_spines, size, uplinks_of

TOLERANCE = 0.001
"""A ratio is written with three decimals (1.455 for 32:22): nearer than this is the same."""


class Refusal(NamedTuple):
    """`key` is the name of a field of `Choice`; whoever asks puts its own word for it.

    Texts name keys as `{units}`, and the numbers of units in `sizes` as `{sizes}`.
    """

    id: str
    key: str
    found: str
    limit: str
    fix: str
    sizes: tuple[int, ...] = ()

    def problem(self, words: Mapping[str, str], of_units: Callable[[int], int] = int) -> Problem:
        """As a problem; `words` has the outside name of each key, `of_units` what that key says for a number of units."""
        terms = {**words, "sizes": " or ".join(f"{of_units(size)}" for size in self.sizes)}
        return Problem(self.id, words[self.key], self.found, self.limit.format_map(terms), self.fix.format_map(terms))


def refusals(choice: Choice, built: int | None = None) -> list[Refusal]:
    """Everything that makes a choice impossible, none where it can be built. `built` units stand (default: all planned)."""
    # Sizes that are wrong by themselves leave nothing to count.
    first = wrong_in_itself(choice)
    return first or [*_twins(choice), *_tiers(choice), *_pods(choice), *_managers(choice, built)]


def wrong_in_itself(choice: Choice) -> list[Refusal]:
    """What is impossible however many units there are; where this is empty, `size` can count."""
    return [*_layout(choice), *_leaf(choice)]


def _layout(choice: Choice) -> Iterator[Refusal]:
    """PLAN-024: keys that exclude each other."""
    flat = choice.layout == "rail-only"
    if flat and choice.tiers not in (None, 1):
        yield Refusal(
            "PLAN-024", "tiers", f"{choice.tiers} tiers, rail-only", "1: rail-only has no spines", "leave {tiers} out"
        )
    single = flat or choice.tiers == 1
    for key in ("spines", "uplinks", "oversubscription"):
        value = getattr(choice, key)
        if single and value is not None and (key != "oversubscription" or value != 1):
            what = "rail-only" if flat else "one tier"
            yield Refusal("PLAN-024", key, f"{value:g} in {what}", "none: there are no spines", f"leave {{{key}}} out")
    if single and choice.units > 1:
        most = choice.radix // (1 if flat else choice.rails) // choice.nics_per_rail
        wanted = choice.units * choice.nodes_per_unit if choice.nodes is None else choice.nodes
        found = f"{choice.units} units and no spines to join them"
        # A bigger unit is advice only where one switch of each rail holds all the nodes.
        bigger = f"one unit ({{nodes_per_unit}} {wanted}), or " if wanted <= most else ""
        fix = f"{bigger}two tiers: " + ("set {layout} to rail-optimized" if flat else "set {tiers} to auto")
        yield Refusal("PLAN-024", "units", found, f"1 unit of at most {most} nodes" if most else "1 unit", fix)
    if choice.pod_by == "rail" and choice.layout != "rail-optimized":
        fix = "leave {pod_by} out, or {layout} rail-optimized"
        yield Refusal("PLAN-024", "pod_by", f"pods of rails, {choice.layout}", "leaves that belong to a rail", fix)


def _leaf(choice: Choice) -> Iterator[Refusal]:
    """PLAN-003 and PLAN-020: node ports and uplinks of one leaf."""
    groups, k = groups_of(choice), choice.radix
    each = choice.nodes_per_unit // groups if choice.grouped else choice.nodes_per_unit
    per_node = choice.node_links if choice.grouped else choice.nics_per_rail
    down = each * per_node
    single = choice.layout == "rail-only" or choice.tiers == 1
    wanted = uplinks_of(choice, down)
    if single:
        if down > k:
            found = f"{down} node ports on one switch of {k} ports"
            yield Refusal("PLAN-003", "nodes_per_unit", found, f"{k // per_node}", _unit_fix(k // per_node))
        return
    ratio = choice.oversubscription
    if down >= k:
        most = _most_nodes(choice, per_node)
        found = f"{down} node ports on a leaf of {k} ports"
        yield Refusal("PLAN-003", "nodes_per_unit", found, f"at most {most}, so that uplinks have ports", _unit_fix(most))
        return
    if ratio is not None and choice.uplinks is not None and abs(down / choice.uplinks - ratio) > TOLERANCE:
        found = f"{ratio:g}, and {choice.uplinks} uplinks for {down} node ports ({down / choice.uplinks:.3f}:1)"
        yield Refusal("PLAN-020", "oversubscription", found, "one of the two", "leave {uplinks} or {oversubscription} out")
    elif ratio is not None and choice.uplinks is None and abs(down / wanted - ratio) > TOLERANCE:
        yield _ratio(down, ratio, k)
    elif down + wanted > k:
        yield _ports(choice, down, wanted, per_node)


def _ratio(down: int, ratio: float, radix: int) -> Refusal:
    """PLAN-020: the ratio gives no whole number of uplinks. Names the next ratios down and up that do."""
    counts = range(1, min(down, radix - down) + 1)
    ratios = sorted({down / count: count for count in counts}.items())
    below = [item for item in ratios if item[0] < ratio][-1:]
    above = [item for item in ratios if item[0] > ratio][:1]
    shown = " or ".join(f"{value:.3f} ({down}:{count})" for value, count in [*below, *above])
    found = f"{ratio:g}: {down / ratio:.2f} uplinks for {down} node ports"
    return Refusal("PLAN-020", "oversubscription", found, "a whole number of uplinks", f"set {{oversubscription}} to {shown}")


def _ports(choice: Choice, down: int, wanted: int, per_node: int) -> Refusal:
    """PLAN-003: node ports and uplinks don't fit on a leaf."""
    found, limit = f"{down} node ports and {wanted} uplinks on a leaf", f"{choice.radix} ports"
    if choice.uplinks is not None:
        fix = f"set {{uplinks}} to {choice.radix - down}, lower {{nodes_per_unit}}, or take a switch with more ports"
        return Refusal("PLAN-003", "uplinks", found, limit, fix)
    most = _most_nodes(choice, per_node)
    fix = (
        f"{_unit_fix(most)}, raise {{oversubscription}} to {down / (choice.radix - down):.3f}, or take a switch with more ports"
    )
    return Refusal("PLAN-003", "nodes_per_unit", found, limit, fix)


def _most_nodes(choice: Choice, per_node: int) -> int:
    """Most nodes on a leaf with uplinks at the ratio that is asked for."""
    ratio = choice.oversubscription or 1.0
    return int(choice.radix * ratio / (1 + ratio) + 1e-9) // per_node


def _unit_fix(most: int) -> str:
    return f"set {{nodes_per_unit}} to {most}" if most else "take a switch with more ports"


def _twins(choice: Choice) -> Iterator[Refusal]:
    """PLAN-020: links that are to share cables in pairs and have an odd one out."""
    links = choice.node_links * choice.planes
    wanted = size(choice).wanted_uplinks
    if choice.links_per_cable == 2:
        for count, what in ((links, "links of a node"), (wanted, "uplinks of a leaf")):
            if count % 2:
                yield Refusal(
                    "PLAN-020", "links_per_cable", f"2, and {count} {what}", "an even number", "set {links_per_cable} to 1"
                )


def _tiers(choice: Choice) -> Iterator[Refusal]:
    """PLAN-002 and PLAN-021: leaves, pods and the ports above them."""
    shape, k = size(choice), choice.radix
    if shape.tiers == 2 and shape.leaves_per_plane > k:
        leaves, up = shape.leaves_per_plane, shape.wanted_uplinks
        needed = least_spines(leaves, up, k)
        found = f"{leaves} leaves of {up} uplinks, for {needed} spines of {k} ports: a spine has no port for each leaf"
        most = k // shape.groups
        limit = f"{k} leaves ({most} units, {most * choice.nodes_per_unit - len(shape.lost_slots())} nodes) in two tiers"
        fix = (
            "set {units} to at most {sizes}, or {tiers} to 3" if most else "set {tiers} to 3, or take a switch with more ports"
        )
        yield Refusal("PLAN-021", "units", found, limit, fix, (most,))
    if shape.tiers == 3 and 2 * shape.uplinks > k:
        found = f"{shape.uplinks} leaves and {shape.uplinks} cores on each spine"
        yield Refusal("PLAN-003", "uplinks", found, f"{k} ports", f"set {{uplinks}} to at most {k // 2}")
    elif shape.tiers == 3 and not shape.fits:
        yield _too_many(choice, shape)
    elif shape.tiers == 3 and shape.pods < 2:
        found = f"3 tiers for {shape.leaves_per_plane} leaves: a single pod"
        limit = f"more than {shape.uplinks} leaves: a core joins at least two pods"
        least = shape.uplinks // shape.groups + 1
        yield Refusal("PLAN-021", "tiers", found, limit, "set {tiers} to auto, or {units} to at least {sizes}", (least,))


def _too_many(choice: Choice, shape: FabricShape) -> Refusal:
    """PLAN-002, with the most that this switch holds."""
    most, k = choice.radix * shape.uplinks // shape.groups, choice.radix
    nodes = most * choice.nodes_per_unit - len(shape.lost_slots())
    found = f"{choice.units} units of {shape.groups} leaves: {shape.pods} pods of {shape.uplinks} leaves"
    limit = f"{k} pods ({most} units, {nodes} nodes) in three tiers of {k}-port switches"
    fix = "set {units} to at most {sizes}, or take a switch with more ports" if most else "take a switch with more ports"
    return Refusal("PLAN-002", "units", found, limit, fix, (most,))


def _pods(choice: Choice) -> Iterator[Refusal]:
    """PLAN-022: a rail that lies partly in one pod and partly in another is no pod of rails."""
    shape = size(choice)
    if shape.tiers != 3 or choice.pod_by != "rail" or not shape.fits:
        return
    up, units = shape.uplinks, choice.units
    if not _whole_rails(up, units):
        below = next((size for size in range(units - 1, 0, -1) if _whole_rails(up, size)), None)
        above = next(size for size in range(units + 1, units + up + 1) if _whole_rails(up, size))
        found = f"{units} planned units: pods of {up} leaves cut a rail of {units} leaves"
        limit = f"a divisor or a multiple of {up} units"
        sizes = tuple(size for size in (below, above) if size)
        yield Refusal("PLAN-022", "units", found, limit, "set {units} to {sizes}, or {pod_by} to unit", sizes)


def _whole_rails(uplinks: int, units: int) -> bool:
    return uplinks % units == 0 or units % uplinks == 0


def _managers(choice: Choice, built: int | None) -> Iterator[Refusal]:
    """PLAN-023: each fabric manager's port is on another leaf."""
    shape = size(choice)
    leaves = (choice.units if built is None else built) * shape.groups * choice.planes
    if choice.reserved_ports > leaves:
        found = f"{choice.reserved_ports} reserved ports, each on another leaf"
        yield Refusal("PLAN-023", "reserved_ports", found, f"{leaves} leaves", f"set {{reserved_ports}} to at most {leaves}")
