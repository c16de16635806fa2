"""Hosts that are known by position alone, for people: what each NIC says, where it is, and why it is taken for this one."""

from collections import defaultdict

from railyard.audit.nouns import Design, End, NamedByPosition, PlacedNic
from railyard.audit.position import Positions
from railyard.plan.names import sort_key


def named_by_position(design: Design, positions: Positions) -> tuple[NamedByPosition, ...]:
    """Hosts with at least one nameless NIC in a port of theirs, by name."""
    nameless: defaultdict[str, list[PlacedNic]] = defaultdict(list)
    named: set[str] = set()
    for port, plug in positions.plugs.items():
        end = plug.end
        if end is None or end.device not in design.hosts:
            continue
        if plug.how == "name":
            named.add(end.device)
        elif plug.how in ("position", "elimination", "guid"):
            nameless[end.device].append(_nic(positions, port, end))
    return tuple(
        NamedByPosition(
            host,
            design.hosts[host].unit,
            design.hosts[host].slot,
            host not in named,
            tuple(sorted(nics, key=lambda nic: (sort_key(nic.switch), sort_key(nic.port)))),
        )
        for host, nics in sorted(nameless.items(), key=lambda item: sort_key(item[0]))
    )


def _nic(positions: Positions, port: End, end: End) -> PlacedNic:
    plug = positions.plugs[port]
    return PlacedNic(end.port, port.device, port.port, plug.says, plug.guid, plug.how, positions.confirmed(port))
