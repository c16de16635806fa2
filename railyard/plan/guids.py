"""GUIDs of adapters and InfiniBand switches: the inventory's where it has them, else made of the device's identity.

    planned node GUID = 0x02 | first 52 bits of SHA-256(identity) | 0     identity: `device/NIC port`, or the switch's name
    planned port GUID = node GUID + 1; a switch's port 0 has the node GUID

0x02 sets the bit that marks a locally administered EUI-64, so a planned GUID is no vendor's. Two facts, never one: on a
ConnectX the port's GUID equals the node's, in the simulator (and on older adapters) it is the node's plus the port's number.
The planned ones differ on purpose: a file that takes one for the other is found before the real ones are known.
52 bits give two equal ones among 150,000 in one of 400,000 sites; a rule would say so (FABRIC-072).
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from railyard.model.infiniband import GuidRow, Hca


def planned_guid(identity: str) -> int:
    """The node GUID of something whose real one isn't known: formula in the module's docstring."""
    return int(_stem(identity) + "0", 16)


def _stem(identity: str) -> str:
    """All digits of a planned GUID but the last. As text: a large site has 131,072 adapters."""
    return f"0x02{hashlib.sha256(identity.encode()).hexdigest()[:13]}"


def adapter_row(device: str, nic: str, given: Hca | None = None) -> GuidRow:
    """GUIDs of one adapter port: as delivered, or planned."""
    if given is not None:
        return GuidRow(device, nic, given.node_guid, given.port_guid, planned=False)
    stem = _stem(f"{device}/{nic}")
    return GuidRow(device, nic, f"{stem}0", f"{stem}1", True)


def switch_row(name: str, given: str | None = None) -> GuidRow:
    """GUID of one switch, which is also its port 0's."""
    guid = given or f"{_stem(name)}0"
    return GuidRow(name, "", guid, guid, planned=given is None)


def assign_guids(
    ends: Iterable[str], switches: Iterable[str], given: Mapping[str, tuple[Hca, ...]], switch_guids: Mapping[str, str]
) -> tuple[GuidRow, ...]:
    """A row for each adapter port that ends an InfiniBand cable (`device/port`, in that order) and for each switch.

    `given` are a machine's adapters and `switch_guids` the switches' GUIDs as delivered, both by name.
    """
    known = {f"{device}/{hca.port}": hca for device, hcas in given.items() for hca in hcas}
    adapters: list[GuidRow] = []
    for end in ends:
        device, _, port = end.rpartition("/")
        adapters.append(adapter_row(device, port, known.get(end)))
    return (*adapters, *(switch_row(name, switch_guids.get(name)) for name in switches))


def guid_clashes(rows: Iterable[GuidRow]) -> tuple[str, ...]:
    """GUIDs that two devices have, sorted: as node GUID of both, as port GUID of both, or one's node and the other's port GUID.

    An adapter's port may have its node's GUID (a ConnectX), and the ports of one device may share a node GUID.
    """
    rows = list(rows)
    every = {row.node_guid for row in rows} | {row.port_guid for row in rows}
    if len(every) == sum(1 if row.node_guid == row.port_guid else 2 for row in rows):
        return ()
    holders: defaultdict[str, set[str]] = defaultdict(set)
    ports: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        holders[row.node_guid].add(row.device)
        holders[row.port_guid].add(row.device)
        ports[row.port_guid].append(f"{row.device}/{row.port}".rstrip("/"))
    return tuple(sorted(_clashes(holders, ports)))


def _clashes(holders: Mapping[str, set[str]], ports: Mapping[str, list[str]]) -> Iterator[str]:
    for guid, devices in holders.items():
        names = ports.get(guid, ())
        if len(names) > 1:
            yield f"{guid} of {' and '.join(sorted(names))}"
        elif len(devices) > 1:
            yield f"{guid} of {' and '.join(sorted(devices))}"
