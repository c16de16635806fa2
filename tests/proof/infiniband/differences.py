"""What was found against what was planned, cable by cable: an own reader of ibnetdiscover, and a comparison with words.

This reader shares nothing with `railyard/read/`: two readers that agree are a proof, one that agrees with itself is none.
"""

import re
from dataclasses import dataclass, field

from railyard.model.infiniband import Subnet

End = tuple[int, int]
"""(node GUID, port)."""
_NODE = re.compile(r'^(?P<kind>Switch|Ca)\s+(?P<ports>\d+)\s+"[SH]-(?P<guid>[0-9a-f]{16})"\s*#\s*"(?P<name>[^"]*)"')
_LINK = re.compile(r'^\[(?P<port>\d+)\](?:\([0-9a-f]+\))?\s+"[SH]-(?P<guid>[0-9a-f]{16})"\[(?P<far>\d+)\]')
_UNIT = re.compile(r"-su(\d+)-")
_RAIL = re.compile(r"-leaf-r(\d+)")


@dataclass
class Found:
    """Nodes by GUID (name, kind) and links as pairs of ends. A link that only one end names is still a link."""

    names: dict[int, str] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    links: set[frozenset[End]] = field(default_factory=set)

    def count(self, kind: str) -> int:
        """Number of nodes of a kind: `Switch` or `Ca`."""
        return sum(1 for found in self.kinds.values() if found == kind)


@dataclass(frozen=True)
class Differences:
    """Cables by both ends, sorted, and what is wrong in words. All empty: as planned."""

    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    nodes: tuple[str, ...]
    reasons: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.missing or self.unexpected or self.nodes)

    def __str__(self) -> str:
        rows = [f"missing     {cable}" for cable in self.missing] + [f"unexpected  {cable}" for cable in self.unexpected]
        return "\n".join([*rows, *self.nodes, *self.reasons]) or "as planned"


def read_discovered(text: str) -> Found:
    """ibnetdiscover's output. ValueError with the line's number for a link before its node."""
    found, node = Found(), None
    for number, line in enumerate(text.splitlines(), 1):
        head = _NODE.match(line)
        if head:
            node = int(head["guid"], 16)
            found.names[node], found.kinds[node] = head["name"], head["kind"]
        elif line.startswith("["):
            link = _LINK.match(line)
            if link is None or node is None:
                raise ValueError(f"line {number}: no link of a node: {line[:80]}")
            found.links.add(frozenset({(node, int(link["port"])), (int(link["guid"], 16), int(link["far"]))}))
    return found


def compare(subnet: Subnet, found: Found) -> Differences:
    """Plan against discovery: cables by GUID and port, named by the plan (or by the node itself if it isn't in it)."""
    plan = _Plan(subnet)
    names = {guid: name.replace(" ", "/", 1) for guid, name in found.names.items()} | plan.names
    missing, extra = plan.links - found.links, found.links - plan.links
    gone, strange = set(plan.names) - set(found.names), set(found.names) - set(plan.names)
    nodes = [f"not found   {plan.names[guid]}" for guid in gone] + [f"not planned {names[guid]}" for guid in strange]
    return Differences(
        missing=tuple(sorted(_cable(link, names) for link in missing)),
        unexpected=tuple(sorted(_cable(link, names) for link in extra)),
        nodes=tuple(sorted(nodes)),
        reasons=tuple(sorted(_reasons(plan, missing, extra, names))),
    )


class _Plan:
    """The plan by GUID."""

    def __init__(self, subnet: Subnet) -> None:
        guid = {switch.name: switch.guid for switch in subnet.switches}
        guid |= {adapter.key: adapter.node_guid for adapter in subnet.adapters}
        self.names = {number: name for name, number in guid.items()}
        self.tiers = {switch.guid: switch.tier for switch in subnet.switches}
        self._order = {tier: rank for rank, tier in enumerate((None, "leaf", "spine", "core"))}
        self.links = {frozenset({(guid[link.a], link.a_port), (guid[link.z], link.z_port)}) for link in subnet.links}

    def rank(self, guid: int) -> int:
        """Hosts (and what nobody planned) first, then the tiers from below."""
        return self._order[self.tiers.get(guid)]


def _reasons(plan: _Plan, missing: set[frozenset[End]], extra: set[frozenset[End]], names: dict[int, str]) -> list[str]:
    """One line for each unexpected cable: what kind of mistake it is, and where its lower end belongs."""
    home = {end: other for link in missing for end in link for other in link - {end}}
    out: list[str] = []
    for link in extra:
        lower, upper = sorted((*link, *link)[:2] if len(link) == 1 else link, key=lambda end: (plan.rank(end[0]), end))
        tiers = plan.tiers.get(lower[0]), plan.tiers.get(upper[0])
        wanted = home.get(lower)
        if tiers[0] is None:
            words = _host_mistake(plan, upper[0], wanted, names)
        elif tiers[0] == tiers[1]:
            out.append(f"two {tiers[0]} switches on one cable: {_cable(link, names)}")
            continue
        else:
            words = f"{tiers[0]} on another {tiers[1] or 'device'}'s port"
        belongs = f", belongs on {names[wanted[0]]}/{wanted[1]}" if wanted else ""
        out.append(f"{words}: {names[lower[0]]}/{lower[1]} hangs on {names[upper[0]]}/{upper[1]}{belongs}")
    return out


def _host_mistake(plan: _Plan, switch: int, wanted: End | None, names: dict[int, str]) -> str:
    if plan.tiers.get(switch) != "leaf":
        return f"host on a {plan.tiers.get(switch) or 'device that is not planned'}"
    if wanted is None:
        return "unplanned host"
    here, there = names[switch], names[wanted[0]]
    if _part(_UNIT, here) != _part(_UNIT, there):
        return f"wrong unit (unit {_part(_UNIT, here)} instead of {_part(_UNIT, there)})"
    if _part(_RAIL, here) != _part(_RAIL, there):
        return f"wrong rail (rail {_part(_RAIL, here)} instead of {_part(_RAIL, there)})"
    return "wrong port" if here == there else "wrong leaf"


def _part(pattern: re.Pattern[str], name: str) -> int | None:
    found = pattern.search(name)
    return int(found[1]) if found else None


def _cable(link: frozenset[End], names: dict[int, str]) -> str:
    ends = sorted(f"{names.get(guid, f'0x{guid:016x}')}/{port}" for guid, port in link)
    return " - ".join(ends if len(ends) == 2 else [*ends, *ends])
