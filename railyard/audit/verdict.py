"""The verdict on each switch as built, slow links, and counts."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from railyard.audit.compare import Compared
from railyard.audit.join import Joined
from railyard.audit.nouns import Design, DesignLink, Found, PeerGap, SlowLink, SwitchVerdict, Totals
from railyard.audit.scope import Scope
from railyard.plan.names import sort_key

_TOLERANCE_GBPS = 0.5
"""FDR's 13.64 Gb/s a lane and rounding in files; every real step down is larger."""


def all_found(compared: Compared) -> list[Found]:
    """Right links and wrong ones."""
    return [one for _, one in compared.right] + [one for group in compared.groups for one in group.found]


def verdicts(design: Design, scope: Scope, joined: Joined, found: list[Found]) -> tuple[SwitchVerdict, ...]:
    """Switches with planned uplinks that are there, by name."""
    down_plan, up_plan, down, up = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    pairs, peers = Counter[tuple[str, str]](), defaultdict[str, Counter[str]](Counter)
    for link in scope.links:
        if not _within(design, link):
            continue
        down_plan[link.z.device] += 1
        if link.a.device in design.switches:
            up_plan[link.a.device] += 1
            peers[link.a.device][link.z.device] += 1
    for one in found:
        if not _within(design, one):
            continue
        down[one.z.device] += 1
        if one.a.device in design.switches:
            up[one.a.device] += 1
            pairs[one.a.device, one.z.device] += 1
    return tuple(
        _verdict(
            design, name, down[name], down_plan[name], up[name], up_plan[name],
            tuple(
                PeerGap(peer, pairs[name, peer], count)
                for peer, count in sorted(peers[name].items(), key=lambda item: sort_key(item[0]))
                if pairs[name, peer] < count
            ),
        )
        for name in sorted(up_plan, key=sort_key)
        if name in scope.switches and name in joined.seen
    )  # fmt: skip


def _verdict(
    design: Design, name: str, down: int, down_planned: int, up: int, up_planned: int, missing: tuple[PeerGap, ...]
) -> SwitchVerdict:
    """down_to_up = links down / links up, compared unrounded with the larger of 1 and the design's own ratio."""
    switch = design.switches[name]
    ratio = down / up if up else None
    limit = max(1.0, down_planned / up_planned) if switch.level else design.down_to_up
    over = down > 0 if ratio is None else ratio > limit + 1e-9
    return SwitchVerdict(
        switch=name,
        role=switch.role,
        unit=switch.unit,
        rail=switch.rail,
        plane=switch.plane,
        down=down,
        down_planned=down_planned,
        up=up,
        up_planned=up_planned,
        down_to_up=None if ratio is None else round(ratio, 6),
        down_to_up_max=round(limit, 6),
        over=over,
        missing=missing,
    )


def slow_links(scope: Scope, found: Iterable[Found]) -> tuple[SlowLink, ...]:
    """Links below the speed that is planned for their upper or lower port."""
    planned = {end: link.gbps for link in scope.links for end in (link.a, link.z) if link.gbps is not None}
    slow: list[SlowLink] = []
    for one in found:
        due = planned.get(one.a) or planned.get(one.z)
        if due is None or one.gbps is None or one.gbps >= due - _TOLERANCE_GBPS:
            continue
        percent = round(100 * one.gbps / due, 3)
        ends = str(one.a), str(one.z_told or one.z)
        slow.append(SlowLink(*ends, round(one.gbps, 3), round(one.gbps / 8, 3), due, percent, one.lanes))
    return tuple(sorted(slow, key=lambda link: (sort_key(link.a), sort_key(link.z))))


def count(design: Design, scope: Scope, joined: Joined, compared: Compared, found: list[Found]) -> Totals:
    """Found of planned. Endpoints and uplinks are those of leaves with uplinks or hosts in the scope."""
    here = scope.switches & joined.seen
    roles = {role: sum(design.switches[name].role == role for name in scope.switches) for role in ("leaf", "spine", "core")}
    present = {role: sum(design.switches[name].role == role for name in here) for role in roles}
    return Totals(
        switches=len(here),
        switches_planned=len(scope.switches),
        leaves=present["leaf"],
        leaves_planned=roles["leaf"],
        spines=present["spine"],
        spines_planned=roles["spine"],
        cores=present["core"],
        cores_planned=roles["core"],
        endpoints=sum(_is_node(design, one) for one in found),
        endpoints_planned=sum(_is_node(design, link) for link in scope.links),
        uplinks=sum(_is_uplink(design, one) for one in found),
        uplinks_planned=sum(_is_uplink(design, link) for link in scope.links if link.a.device in here),
        links_planned=len(scope.links),
        links_correct=len(compared.right),
        other_hosts=compared.others,
        aggregation_nodes=len(joined.aggregation),
        channel_adapters=len(joined.adapters),
    )


def _within(design: Design, link: DesignLink | Found) -> bool:
    """A planned host, or a lower switch of the same network, below a planned switch.

    A leaf's management cable is no uplink, and a cable between two leaves is neither up nor down.
    """
    lower, upper = design.switches.get(link.a.device), design.switches.get(link.z.device)
    if upper is None:
        return False
    return (
        link.a.device in design.hosts if lower is None else (lower.network, lower.level < upper.level) == (upper.network, True)
    )


def _is_node(design: Design, link: DesignLink | Found) -> bool:
    """A host on a leaf of the training fabric."""
    upper = design.switches.get(link.z.device)
    return upper is not None and upper.role == "leaf" and link.a.device in design.hosts


def _is_uplink(design: Design, link: DesignLink | Found) -> bool:
    lower = design.switches.get(link.a.device)
    return lower is not None and lower.role == "leaf" and _within(design, link)
