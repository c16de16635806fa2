"""Switches and hosts that aren't there, and which missing links that explains."""

from collections import Counter, defaultdict

import msgspec

from railyard.audit.compare import Compared, Group
from railyard.audit.join import Joined
from railyard.audit.nouns import Design, End
from railyard.audit.scope import Scope
from railyard.plan.names import sort_key


class MissingSwitch(msgspec.Struct, frozen=True, rename="camel"):
    """A planned switch that no file names; `links` are those that the plan has on it."""

    switch: str
    role: str
    unit: int | None
    rail: int | None
    links: int


class MissingHost(msgspec.Struct, frozen=True, rename="camel"):
    """A planned host of which no NIC is seen. `ports` are its empty ports on the leaves that are there."""

    host: str
    unit: int | None
    slot: int | None
    ports: tuple[str, ...]


class Absent(msgspec.Struct, frozen=True):
    """What is missing as a whole, and the groups of missing links that are left."""

    switches: tuple[MissingSwitch, ...]
    hosts: tuple[MissingHost, ...]
    groups: list[Group]


def absent(design: Design, scope: Scope, joined: Joined, compared: Compared) -> Absent:
    """A missing device explains its missing links: they are told once, with it."""
    gone = scope.switches - joined.seen
    links = Counter(end.device for link in scope.links for end in (link.a, link.z) if end.device in gone)
    rows = [design.switches[name] for name in sorted(gone, key=sort_key)]
    switches = tuple(MissingSwitch(one.name, one.role, one.unit, one.rail, links[one.name]) for one in rows)
    due: Counter[str] = Counter()
    for link in scope.links:
        if link.a.device in design.hosts and link.z.device not in gone:
            due[link.a.device] += 1
    planned = Counter(link.a.device for link in design.links if link.a.device in design.hosts)
    empty: defaultdict[str, list[End]] = defaultdict(list)
    for group in compared.groups:
        if group.kind == "missing":
            for link in group.planned:
                if link.a.device in design.hosts and link.z.device not in gone:
                    empty[link.a.device].append(link.z)
    # One empty port is a missing cable, unless the host has no other.
    lost = {name for name, ports in empty.items() if len(ports) == due[name] and (len(ports) > 1 or planned[name] == 1)}
    hosts = tuple(
        MissingHost(name, design.hosts[name].unit, design.hosts[name].slot, tuple(sorted(map(str, empty[name]), key=sort_key)))
        for name in sorted(lost, key=sort_key)
    )
    left = [group for group in compared.groups if not _explained(group, gone, lost)]
    return Absent(switches, hosts, left)


def _explained(group: Group, gone: frozenset[str], lost: set[str]) -> bool:
    if group.kind != "missing":
        return False
    return all({link.a.device, link.z.device} & gone or link.a.device in lost for link in group.planned)
