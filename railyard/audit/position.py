"""Which NIC is in a port: by its name where it has one, else by position. Neighbouring GUIDs only confirm, never name.

A nameless NIC in port p is the one that is planned there, unless that one was found by name somewhere else. Then somebody was
exchanged: from p to where the planned one is, from there to where the one that is planned *there* is, and so on, ends at the
only NIC that nobody has seen: it is in p. Where several chains end on one leaf, GUIDs decide between their ends, if they can.

GUID rule: the two ports of an adapter differ by a fixed number. A match counts only between the two rails of the pair, in one
unit; without that check neighbours by chance are taken for partners (seven in tests/data/audit, gb-576).
"""

from collections import defaultdict

from railyard.audit.join import Joined, Plug, host_plugs
from railyard.audit.nouns import Contradiction, Design, DesignLink, End, GuidCheck, GuidPair

STRANGER = "on "
"""Begins the port of an end that no design has: it is known by the port that it is in."""


class Positions:
    """Fills in `end` and `how` of every host's plug. `links` are the node links in scope."""

    def __init__(self, design: Design, joined: Joined, links: list[DesignLink]) -> None:
        self.design, self.joined = design, joined
        self.planned_at = {link.z: link.a for link in links}
        self.home = {link.a: link.z for link in links}
        self.at_switch = {(link.a.device, link.z.device): link.a for link in links}
        self.plugs = dict(host_plugs(joined))
        self.claims: dict[End, End] = {}
        self.partner_of = self._partners()

    def settle(self) -> None:
        """Names first, then positions."""
        self._claim()
        open_ports: defaultdict[str, list[End]] = defaultdict(list)
        for port, plug in self.plugs.items():
            if not plug.nameless:
                continue
            planned = self.planned_at.get(port)
            if planned is None:
                plug.end, plug.how = stranger(port, plug), "unknown"
            elif planned not in self.claims:
                plug.end, plug.how = planned, "position"
            else:
                open_ports[port.device].append(port)
        for ports in open_ports.values():
            self._eliminate(ports)

    def _claim(self) -> None:
        """NICs found by name. Of two that say one name, the one in its planned port has it; the other has none."""
        said: defaultdict[End, list[End]] = defaultdict(list)
        for port, plug in self.plugs.items():
            if plug.host is None:
                continue
            if plug.nic is None:
                # The host's name alone: its NIC on this switch is the one that is planned here, if there is one.
                end = self.at_switch.get((plug.host, port.device)) or End(plug.host, "?")
                planned = self.planned_at.get(port)
                if planned is not None and planned.device == plug.host:
                    end = planned
            else:
                end = End(plug.host, plug.nic)
            if end.port == "?":
                plug.end, plug.how = End(f"{plug.host}, which NIC is unknown", f"{STRANGER}{port}"), "name"
            else:
                said[end].append(port)
        for end, ports in said.items():
            first, *others = sorted(ports, key=lambda port: (port != self.home.get(end), port))
            self.claims[end] = first
            self.plugs[first].end, self.plugs[first].how = end, "name"
            for port in others:
                self.plugs[port].nameless = True
                self.joined.contradictions.append(
                    Contradiction(str(end), f"is in {first}", f"`{self.plugs[port].says}` in {port} says the same name")
                )

    def _eliminate(self, ports: list[End]) -> None:
        """Nameless NICs of one leaf whose planned NIC is elsewhere: the end of each chain of exchanges."""
        ends = {port: self._chain(port) for port in ports}
        left = {end for end in ends.values() if end is not None}
        for port in ports:
            plug = self.plugs[port]
            partner = self._partner_host(port)
            by_guid = next((end for end in sorted(left) if partner is not None and end.device == partner), None)
            chosen = by_guid or (ends[port] if ends[port] in left else None)
            if chosen is None:
                plug.end, plug.how = stranger(port, plug), "unknown"
                continue
            left.discard(chosen)
            plug.end, plug.how = chosen, "elimination" if by_guid is None or len(ports) == 1 else "guid"

    def _chain(self, port: End) -> End | None:
        """The NIC at the end of the exchanges that begin in a port; None where they lead out of the plan."""
        seen: set[End] = set()
        while port not in seen:
            seen.add(port)
            planned = self.planned_at.get(port)
            if planned is None:
                return None
            if planned not in self.claims:
                return planned
            port = self.claims[planned]
        return None

    # -- GUIDs

    def _partners(self) -> dict[End, End]:
        """Ports of the two leaves of a pair that hold the two ports of one adapter, both ways."""
        by_leaf: defaultdict[tuple[int | None, int | None], dict[int, End]] = defaultdict(dict)
        for port, plug in self.plugs.items():
            switch = self.design.switches.get(port.device)
            if switch is not None and plug.guid and port in self.planned_at:
                by_leaf[switch.unit, switch.rail][int(plug.guid, 16)] = port
        found: dict[End, End] = {}
        for pair in self.design.adapters:
            for (unit, rail), guids in by_leaf.items():
                if rail != pair.first:
                    continue
                others = by_leaf.get((unit, pair.second), {})
                for guid, port in guids.items():
                    if other := others.get(guid + pair.offset):
                        found[port], found[other] = other, port
        return found

    def _partner_host(self, port: End) -> str | None:
        """The host of the other port of this adapter, where that is settled."""
        other = self.partner_of.get(port)
        end = self.plugs[other].end if other else None
        return end.device if end else None

    def confirmed(self, port: End) -> bool:
        """Whether the other port of the adapter is in the place of the same host."""
        other = self.partner_of.get(port)
        mine, its = self.plugs[port].end, self.plugs[other].end if other else None
        return mine is not None and its is not None and mine.device == its.device

    def check(self) -> GuidCheck | None:
        """What GUIDs confirm, by place; contradictions go to the joined ones. None for a design without the rule."""
        if not self.design.adapters:
            return None
        firsts = {pair.first for pair in self.design.adapters}
        seconds = {pair.second for pair in self.design.adapters}
        same = without = 0
        other: list[GuidPair] = []
        for port in self.plugs:
            switch = self.design.switches.get(port.device)
            if switch is None or port not in self.planned_at or switch.rail not in firsts | seconds:
                continue
            partner = self.partner_of.get(port)
            if partner is None:
                without += 1
            elif switch.rail in firsts:
                if partner.port == port.port:
                    same += 1
                else:
                    other.append(GuidPair(str(port), str(partner)))
                self._compare(port, partner)
        other.sort(key=lambda pair: (pair.first, pair.second))
        return GuidCheck(same, tuple(other), without, self._false_partners())

    def _compare(self, port: End, partner: End) -> None:
        one, its = self.plugs[port].end, self.plugs[partner].end
        if one is not None and its is not None and one.device != its.device:
            text = f"its adapter's other port is in {partner}, taken for {its.device}"
            self.joined.contradictions.append(Contradiction(str(port), f"taken for {one.device}", text))

    def _false_partners(self) -> int:
        """Nameless NICs that match a named one of another unit by GUID alone."""
        offsets = {sign * pair.offset for pair in self.design.adapters for sign in (1, -1)}
        units: dict[int, tuple[int | None, bool]] = {}
        for port, plug in self.plugs.items():
            switch = self.design.switches.get(port.device)
            if switch is not None and plug.guid and port in self.planned_at:
                units[int(plug.guid, 16)] = (switch.unit, plug.nameless)
        return sum(
            nameless and any((near := units.get(guid + offset)) and not near[1] and near[0] != unit for offset in offsets)
            for guid, (unit, nameless) in units.items()
        )


def stranger(port: End, plug: Plug) -> End:
    """A device that the design doesn't know, called by what it says of itself and where it is."""
    return End(plug.says or plug.guid or "a device without a name", f"{STRANGER}{port}")
