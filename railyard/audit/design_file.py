"""A design file as the design of an audit: a rail-optimised fabric of two tiers by its numbers."""

from collections.abc import Iterator

from railyard.audit.nouns import Adapters, Design, DesignLink, End, Host, Naming, Place, Switch
from railyard.audit.patterns import PatternError, compiled, fill, match
from railyard.model.audit_design import AuditDesign

NETWORK = "training"


def design_from(file: AuditDesign) -> Design:
    """Switches, hosts and links of all units. Raises PatternError for a name pattern that can't be written or read."""
    made = _Names(file)
    switches = {made.leaf(unit, rail): (unit, rail) for unit in _to(file.units) for rail in _to(file.rails)}
    rows = {name: Switch(name, "leaf", 0, NETWORK, unit, rail, 0) for name, (unit, rail) in switches.items()}
    rows |= {made.spine(number): Switch(made.spine(number), "spine", 1, NETWORK, plane=0) for number in _to(file.spines)}
    empty = {tuple(map(int, text.split("/"))) for text in file.not_built}
    hosts = {
        made.host(unit, slot): Host(made.host(unit, slot), unit, slot)
        for unit in _to(file.units)
        for slot in _to(file.nodes_per_unit)
        if (unit, slot) not in empty
    }
    _distinct(file, rows, hosts, len(empty))
    near = file.guid_neighbours
    ups = file.spines * file.links_per_pair
    return Design(
        title=file.name,
        switches=rows,
        hosts=hosts,
        links=(*_node_links(file, made, hosts), *_uplinks(file, made)),
        places={},
        naming=made.naming(rows, hosts),
        adapters=tuple(Adapters(first, second, near.offset) for first, second in near.rails) if near else (),
        down_to_up=max(1.0, file.nodes_per_unit / ups) if ups else 1.0,
    )


def _distinct(file: AuditDesign, rows: dict[str, Switch], hosts: dict[str, Host], empty: int) -> None:
    """Raises PatternError where two devices get one name."""
    if len(rows) != file.units * file.rails + file.spines:
        raise PatternError("two switches get one name: names.leaf needs {unit} and {rail}, names.spine needs {spine}")
    if len(hosts) != file.units * file.nodes_per_unit - empty:
        raise PatternError("two hosts get one name: names.host needs {unit} and {slot}")


def _to(count: int) -> range:
    return range(1, count + 1)


def _node_links(file: AuditDesign, made: "_Names", hosts: dict[str, Host]) -> Iterator[DesignLink]:
    for host in hosts.values():
        unit, slot = host.unit or 0, host.slot or 0
        for rail, hca in zip(_to(file.rails), made.hcas(unit), strict=True):
            a = End(host.name, hca)
            z = End(made.leaf(unit, rail), str(file.ports.first_down + slot - 1))
            yield DesignLink("", NETWORK, a, z, file.link_gbps, rail, 0)


def _uplinks(file: AuditDesign, made: "_Names") -> Iterator[DesignLink]:
    """Links of one leaf-spine pair may end in any port of the spine: the design says how many there are."""
    for unit in _to(file.units):
        for rail in _to(file.rails):
            leaf = made.leaf(unit, rail)
            for spine in _to(file.spines):
                for index in range(file.links_per_pair):
                    port = file.ports.first_up + (spine - 1) * file.links_per_pair + index
                    z = End(made.spine(spine), f"*{leaf}#{index + 1}")
                    yield DesignLink("", NETWORK, End(leaf, str(port)), z, file.link_gbps, rail, 0, any_port=True)


class _Names:
    """Names by numbers, and numbers by descriptions."""

    def __init__(self, file: AuditDesign) -> None:
        self.file = file
        names = file.names
        self.leaf_text = names.leaf_description or names.leaf
        self.spine_text = names.spine_description or names.spine
        self.host_text = names.host_description or f"{names.host} {{hca}}"
        for pattern in (self.leaf_text, self.spine_text, self.host_text, *file.other_hosts):
            compiled(pattern)
        self.racks: dict[str, Place] = {}

    def leaf(self, unit: int, rail: int) -> str:
        return fill(self.file.names.leaf, {"unit": unit, "rail": rail})

    def spine(self, number: int) -> str:
        return fill(self.file.names.spine, {"spine": number})

    def host(self, unit: int, slot: int) -> str:
        return fill(self.file.names.host, {"unit": unit, "slot": slot})

    def hcas(self, unit: int) -> tuple[str, ...]:
        return self.file.unit_hcas.get(str(unit), self.file.hcas)

    def naming(self, switches: dict[str, Switch], hosts: dict[str, Host]) -> Naming:
        """Descriptions by the patterns; a number outside the design is no name."""

        def switch(text: str) -> str | None:
            for pattern, name in ((self.leaf_text, self.file.names.leaf), (self.spine_text, self.file.names.spine)):
                found = match(pattern, text)
                if found is None:
                    continue
                known = fill(name, {key: int(value) if value.isdigit() else value for key, value in found.items() if value})
                if known in switches:
                    if "rack" in found:
                        self.racks[known] = Place(found["rack"])
                    return known
            return None

        def host(text: str) -> tuple[str, str | None] | None:
            found = match(self.host_text, text)
            if found is None:
                return None
            # A design of one unit needn't say its number.
            name = self.host(int(found.get("unit") or 1), int(found.get("slot") or 1))
            return (name, found.get("hca")) if name in hosts else None

        def spare(end: End, says: str) -> bool:
            on_leaf = end.device in switches and switches[end.device].role == "leaf"
            return (
                on_leaf
                and self._spare_port(end.port)
                and any(match(pattern, says) is not None for pattern in self.file.other_hosts)
            )

        def port(_device: str, text: str) -> str:
            return text

        return Naming(switch, host, port, spare, self.racks.get)

    def _spare_port(self, text: str) -> bool:
        if not text.isdigit():
            return False
        for part in self.file.ports.spare:
            first, _, last = part.partition("-")
            if int(first) <= int(text) <= int(last or first):
                return True
        return False
