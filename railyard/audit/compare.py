"""Links as planned against links as found -> differences.

Every port has at most one planned and one found link. What is in both is right. The rest, joined at shared ports, falls into
chains and rings in which planned and found links take turns: a ring is an exchange of cables, a chain of two a plug in the
wrong port, a single link a cable that is missing or too many. So each fault is told once, with all its ends.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from railyard.audit.join import Joined
from railyard.audit.nouns import Design, DesignLink, End, Found
from railyard.plan.names import sort_key

Kind = Literal["missing", "unexpected", "moved", "swapped", "crossed", "tangled"]


class Group(msgspec.Struct, frozen=True):
    """One difference: planned links that aren't there, found links that aren't planned."""

    kind: Kind
    planned: tuple[DesignLink, ...]
    found: tuple[Found, ...]


class Compared(msgspec.Struct, frozen=True):
    """Links that are right (as planned, as found), and groups of those that aren't. `others` are hosts that may be there."""

    right: list[tuple[DesignLink, Found]]
    groups: list[Group]
    others: int


def compare(design: Design, joined: Joined, planned: list[DesignLink]) -> Compared:
    """All differences of the links in scope."""
    found, others = _found(design, joined)
    found = _settled_ports(planned, found)
    scope = {end.device for link in planned for end in (link.a, link.z)}
    by_ends = {(link.a, link.z): link for link in planned}
    right: list[tuple[DesignLink, Found]] = []
    extra: list[Found] = []
    for one in found:
        link = by_ends.pop((one.a, one.z), None)
        if link is not None:
            right.append((link, one))
        elif one.a.device in scope or one.z.device in scope:
            extra.append(one)
    extra = _in_scope(design, planned, extra)
    groups = [_group(design, *part) for part in _parts(list(by_ends.values()), extra)]
    return Compared(right, _by_cable(groups), others)


def _by_cable(groups: list[Group]) -> list[Group]:
    """Faults of the two links of one physical cable are one fault."""
    merged: dict[object, Group] = {}
    for index, group in enumerate(groups):
        cables = frozenset(link.cable for link in group.planned)
        key = (group.kind, cables) if cables and "" not in cables else index
        same = merged.get(key)
        merged[key] = group if same is None else Group(group.kind, same.planned + group.planned, same.found + group.found)
    return list(merged.values())


def _found(design: Design, joined: Joined) -> tuple[list[Found], int]:
    """Each link once, its lower end first; and how many hosts are where the design lets others be."""
    links: list[Found] = []
    others = 0
    lower, upper = {link.a for link in design.links}, {link.z for link in design.links}
    for port, plug in joined.plugs.items():
        if plug.far is None:
            end = plug.end
            if end is None or design.naming.spare(port, plug.says):
                others += 1
                continue
            links.append(Found(end, port, plug.gbps, plug.lanes, plug.says, plug.guid, plug.source, plug.line))
        elif _is_lower(design, port, plug.far, lower, upper):
            links.append(Found(port, plug.far, plug.gbps, plug.lanes, "", "", plug.source, plug.line))
    return links, others


def _is_lower(design: Design, end: End, far: End, lower: set[End], upper: set[End]) -> bool:
    """Whether the first is the lower end of a link: as the plan has it, else by the switches' levels and names."""
    if end in lower and far in upper:
        return True
    if end in upper and far in lower:
        return False
    return _rank(design, end) < _rank(design, far)


def _rank(design: Design, end: End) -> tuple[int, str, str]:
    switch = design.switches.get(end.device)
    return (switch.level if switch else -1, end.device, end.port)


def _settled_ports(planned: list[DesignLink], found: list[Found]) -> list[Found]:
    """Found links of interchangeable pairs with the placeholder of a planned link as upper port."""
    pairs: defaultdict[tuple[str, str], dict[End, DesignLink]] = defaultdict(dict)
    for link in planned:
        if link.any_port:
            pairs[link.a.device, link.z.device][link.a] = link
    if not pairs:
        return found
    settled: list[Found] = []
    later: list[Found] = []
    for one in found:
        pair = pairs.get((one.a.device, one.z.device))
        link = pair.pop(one.a, None) if pair else None
        if link is not None:
            settled.append(msgspec.structs.replace(one, z=link.z, z_told=one.z))
        else:
            later.append(one)
    for one in later:
        pair = pairs.get((one.a.device, one.z.device))
        if pair:
            # In another port of the leaf than planned: it still is one of the links of this pair.
            settled.append(msgspec.structs.replace(one, z=pair.pop(next(iter(pair))).z, z_told=one.z))
        else:
            settled.append(one)
    return settled


def _in_scope(design: Design, planned: list[DesignLink], extra: list[Found]) -> list[Found]:
    """Without links that are as designed, and only out of scope (another unit, another network)."""
    inside = {(link.a, link.z) for link in planned}
    outside = {(link.a, link.z) for link in design.links} - inside
    pairs = {(a.device, z.device) for a, z in outside}
    loose = {(link.a.device, link.z.device) for link in design.links if link.any_port} & pairs
    return [one for one in extra if (one.a, one.z) not in outside and (one.a.device, one.z.device) not in loose]


def _parts(planned: list[DesignLink], found: list[Found]) -> Iterator[tuple[list[DesignLink], list[Found], bool]]:
    """Connected chains and rings, in the order of their first planned link, then those without any. The flag says ring."""
    at_plan = {end: index for index, link in enumerate(planned) for end in (link.a, link.z)}
    at_find: defaultdict[End, list[int]] = defaultdict(list)
    for index, one in enumerate(found):
        at_find[one.a].append(index)
        at_find[one.z].append(index)
    plans_done: set[int] = set()
    finds_done: set[int] = set()
    for start in range(len(planned)):
        if start not in plans_done:
            yield _walk([start], [], planned, found, at_plan, at_find, plans_done, finds_done)
    for start in range(len(found)):
        if start not in finds_done:
            yield _walk([], [start], planned, found, at_plan, at_find, plans_done, finds_done)


def _walk(
    plans: list[int], finds: list[int], planned: list[DesignLink], found: list[Found], at_plan: dict[End, int],
    at_find: dict[End, list[int]], plans_done: set[int], finds_done: set[int],
) -> tuple[list[DesignLink], list[Found], bool]:  # fmt: skip
    """Everything that hangs together with a first link."""
    plans_done.update(plans)
    finds_done.update(finds)
    todo = [end for i in plans for end in (planned[i].a, planned[i].z)] + [
        end for i in finds for end in (found[i].a, found[i].z)
    ]
    while todo:
        end = todo.pop()
        plan = at_plan.get(end)
        if plan is not None and plan not in plans_done:
            plans_done.add(plan)
            plans.append(plan)
            todo += [planned[plan].a, planned[plan].z]
        for find in at_find.get(end, ()):
            if find not in finds_done:
                finds_done.add(find)
                finds.append(find)
                todo += [found[find].a, found[find].z]
    rows, extra = [planned[i] for i in sorted(plans)], [found[i] for i in sorted(finds)]
    ends = {end for link in rows for end in (link.a, link.z)}
    ring = bool(rows) and len(rows) == len(extra) and ends == {end for one in extra for end in (one.a, one.z)}
    return rows, extra, ring


def _group(design: Design, planned: list[DesignLink], found: list[Found], ring: bool) -> Group:
    planned = sorted(planned, key=lambda link: (sort_key(str(link.a)), sort_key(str(link.z))))
    found = sorted(found, key=lambda one: (sort_key(str(one.a)), sort_key(str(one.z))))
    kind: Kind
    match len(planned), len(found):
        case _, 0:
            kind = "missing"
        case 0, _:
            kind = "unexpected"
        case _ if ring:
            kind = "crossed" if _harmless(design, planned, found) else "swapped"
        case 1, 1:
            kind = "moved"
        case _:
            kind = "tangled"
    return Group(kind, tuple(planned), tuple(found))


def _harmless(design: Design, planned: Iterable[DesignLink], found: Iterable[Found]) -> bool:
    """Whether the same things are joined, only in other ports: every NIC to its leaf, as many links between two switches."""
    return sorted(_joins(design, link.a, link.z) for link in planned) == sorted(_joins(design, one.a, one.z) for one in found)


def _joins(design: Design, a: End, z: End) -> tuple[str, str]:
    return (a.device if a.device in design.switches else str(a), z.device)
