"""Cables of one cage are ordered in about one length: two fibres of an optic may differ by `cabling.twinSkewM` at most.

A cage of several ports joins its cables at one end, their far ends' cages join them with others: all that hang together this
way are ordered in lengths of at most so many metres below the longest of them. Planned links count, built or not: growth inside
the plan changes no cable. Only tiers whose lengths differ by more than that are looked at: most halls have none.

Source: NVIDIA NDR/400GbE cable requirements and MMS4X50-NM: both fibres of a twin port of about one length (4.5 ns/m).
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from railyard.model.site import StackFile, Transport
from railyard.plan import names
from railyard.plan.cabling import MANAGERS, Cabler
from railyard.plan.links import Link
from railyard.plan.nics import RailNics
from railyard.plan.shape import FabricShape
from railyard.plan.wiring import wire_leaves, wire_managers, wire_nodes, wire_spines

ROUNDS = 8
"""What hangs together is at most a handful of cages wide; a larger knot is evened out as far as so many rounds go."""
CAGES = 1 << 20
"""More than any device has: cages are numbered device by device."""


def even_out(file: StackFile, shape: FabricShape, nics: RailNics, cabler: Cabler) -> None:
    """Tells the cabler the least length of each cable that hangs together with a much longer one."""
    uneven = cabler.find_uneven()
    if not uneven:
        return
    links = list(_planned(file, shape, nics, uneven))
    lower, upper, lengths = _ends(links, cabler)
    longest = level(lower, upper, lengths)
    skew, least_m, name = cabler.twin_skew_m, cabler.least_m, ""
    for link, a, z, length in zip(links, lower, upper, lengths, strict=True):
        if not link.second:
            name = f"{link.a}:{link.a_port}"
        least = max(longest[a], longest[z]) - skew
        if length < least:
            least_m[name] = max(least, least_m.get(name, 0.0))


def level(lower: list[int], upper: list[int], lengths: list[float]) -> dict[int, float]:
    """By cage: the longest cable of its knot in metres."""
    longest: dict[int, float] = {}
    for cages in (lower, upper):
        for cage, length in zip(cages, lengths, strict=True):
            if length > longest.get(cage, 0.0):
                longest[cage] = length
    for _ in range(ROUNDS):
        changed = False
        for a, z in zip(lower, upper, strict=True):
            if longest[a] != longest[z]:
                longest[a] = longest[z] = max(longest[a], longest[z])
                changed = True
        if not changed:
            break
    return longest


def _ends(links: Iterable[Link], cabler: Cabler) -> tuple[list[int], list[int], list[float]]:
    """Of each link: the cages of its lower and upper end, by number, and the length in metres that it would be ordered in."""
    tiers, switch_cages, node_cages = cabler.tiers, cabler.switch_cages, cabler.node_cages
    # Numbers and flat lists: a tuple for each of 393,216 links would keep the garbage collector busy.
    spots = {name: (rack, node, index * CAGES) for index, (name, (rack, _, node)) in enumerate(cabler.spots.items())}
    lower: list[int] = []
    upper: list[int] = []
    lengths: list[float] = []
    for link in links:
        a_rack, node, a_first = spots[link.a]
        z_rack, _, z_first = spots[link.z]
        kind, number = link.kind, link.a_number
        if kind != "node-leaf":
            tier, cage = tiers[kind], switch_cages[number]
        else:
            tier, cage = (tiers[kind], node_cages[number]) if node else (tiers[MANAGERS], switch_cages[number])
        leg = tier.legs.get((a_rack, z_rack)) or cabler.leg(tier, a_rack, z_rack)
        lower.append(a_first + cage)
        upper.append(z_first + switch_cages[link.z_port])
        lengths.append(leg.length_m)
    return lower, upper, lengths


def _planned(file: StackFile, shape: FabricShape, nics: RailNics, kinds: Iterable[str]) -> Iterator[Link]:
    """Every link of some kinds that the plan has room for: all slots of built units, all planned leaves and spines."""
    site, fabric, wanted = file.site.name, file.fabric, set(kinds)
    prefix = names.port_prefix(fabric.transport.value)
    slots = (
        (names.gpu(site, unit, slot, fabric.nodes_per_unit), unit, slot)
        for unit in range(1, fabric.scalable_units + 1)
        for slot in range(1, fabric.nodes_per_unit + 1)
    )
    if MANAGERS in wanted:
        wanted.add("node-leaf")  # managers and nodes share the leaves' cages
    managed = "node-leaf" in wanted and fabric.transport is Transport.INFINIBAND
    return chain(
        wire_nodes(site, shape, nics.port, slots) if "node-leaf" in wanted else (),
        wire_managers(site, shape) if managed else (),
        wire_leaves(site, shape, shape.units, prefix) if "leaf-spine" in wanted else (),
        wire_spines(site, shape, shape.units, prefix) if "spine-core" in wanted else (),
    )
