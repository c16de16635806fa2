"""Sizes and positions of the out-of-band network: every BMC, DPU BMC, PDU, switch and storage management port (H100 RA).

Ends are numbered in groups, each with switches of its own: end number n is on switch n // usable of its group, port
n % usable + 1. `usable` = copper ports less the spare ones (46 of 48), so a group has ceil(ends / 46) switches.

    unit   per scalable unit: BMC of slot s = s - 1; DPU BMCs; leaves by rail and plane; leaves of the other networks; PDUs of
           its compute and network racks
    core   once: spines, cores, upper switches of the other networks; PDUs of their racks (dedicated). Where storage servers
           stand among the nodes (shared): their ports follow, two a server, as many as there are
    rack   per rack of storage servers (dedicated): its PDUs, then two ports a server

Switches are numbered in that order, so that storage may grow at the end. An out-of-band switch's own management port is not
cabled: it is managed through its uplinks, like every access switch.
"""

from collections.abc import Iterator
from math import ceil
from typing import Literal

import msgspec

from railyard.model.networks import ManagementSwitchModel
from railyard.plan import names

Group = Literal["unit", "core", "rack"]


class OobShape(msgspec.Struct, frozen=True):
    """Counts, all of them for planned units. `per_server` are the ports of a storage server: its BMC and management ports.

    `servers_per_rack` is 0 where storage servers stand among the nodes. `limit` is the stack file's `switchesPerUnit`. `apart`:
    servers 2k - 1 and 2k (a mirror group) stand in two racks of the same number of servers each, which are filled together.
    """

    site: str
    model: ManagementSwitchModel
    usable: int
    uplinks: int
    units: int
    nodes_per_unit: int
    dpus: int
    leaves: int
    other_leaves: int
    unit_racks: int
    pdus_per_rack: int
    upper: int
    upper_racks: int
    per_server: int
    servers_per_rack: int
    limit: int | None
    apart: bool = False

    @property
    def unit_ends(self) -> int:
        """Ends of one unit."""
        return self.nodes_per_unit * (1 + self.dpus) + self.leaves + self.other_leaves + self.unit_racks * self.pdus_per_rack

    @property
    def core_ends(self) -> int:
        """Ends of the core group without storage servers."""
        return self.upper + self.upper_racks * self.pdus_per_rack

    @property
    def rack_ends(self) -> int:
        """Ends of one rack of storage servers."""
        return self.pdus_per_rack + self.per_server * self.servers_per_rack

    @property
    def unit_switches(self) -> int:
        """Switches of a unit."""
        return self.limit or ceil(self.unit_ends / self.usable)

    @property
    def core_switches(self) -> int:
        """Switches of the core group without storage servers."""
        return ceil(self.core_ends / self.usable)

    @property
    def rack_switches(self) -> int:
        """Switches of one rack of storage servers."""
        return ceil(self.rack_ends / self.usable) if self.servers_per_rack else 0

    @property
    def fixed_switches(self) -> int:
        """Switches of all planned units and of the core group."""
        return self.units * self.unit_switches + self.core_switches

    def unit_name(self, unit: int, index: int) -> str:
        """Switch `index` (from 0) of a unit (from 1)."""
        return names.network_switch(self.site, "oob", (unit - 1) * self.unit_switches + index + 1)

    def core_name(self, index: int) -> str:
        """Switch `index` (from 0) of the core group."""
        return names.network_switch(self.site, "oob", self.units * self.unit_switches + index + 1)

    def rack_name(self, rack: int, index: int) -> str:
        """Switch `index` (from 0) of storage rack `rack` (from 0)."""
        return names.network_switch(self.site, "oob", self.fixed_switches + rack * self.rack_switches + index + 1)

    def unit_port(self, unit: int, number: int) -> tuple[str, int] | None:
        """(switch, port) of end `number` (from 0) of a unit; None where the stack file's `switchesPerUnit` are full."""
        index, port = divmod(number, self.usable)
        return (self.unit_name(unit, index), port + 1) if index < self.unit_switches else None

    def core_port(self, number: int) -> tuple[str, int]:
        """(switch, port) of end `number` (from 0) of the core group."""
        index, port = divmod(number, self.usable)
        return self.core_name(index), port + 1

    def rack_port(self, rack: int, number: int) -> tuple[str, int]:
        """(switch, port) of end `number` (from 0) of a storage rack."""
        index, port = divmod(number, self.usable)
        return self.rack_name(rack, index), port + 1

    def server_spot(self, server: int) -> tuple[int, int]:
        """(storage rack, position in it), both from 0, of storage server number `server` (from 1); needs racks of their own."""
        if not self.apart:
            return divmod(server - 1, self.servers_per_rack)
        both, inside = divmod(server - 1, 2 * self.servers_per_rack)
        return 2 * both + inside % 2, inside // 2

    def storage_racks(self, servers: int) -> int:
        """Racks of their own that so many servers stand in: those up to the furthest rack of any of them."""
        if not servers or not self.servers_per_rack:
            return 0
        return 1 + max(self.server_spot(server)[0] for server in (servers, servers - 1) if server)

    def server_port(self, server: int, index: int) -> tuple[str, int]:
        """(switch, port) of port `index` (from 0: the BMC) of storage server number `server` (from 1)."""
        if not self.servers_per_rack:
            return self.core_port(self.core_ends + (server - 1) * self.per_server + index)
        rack, position = self.server_spot(server)
        return self.rack_port(rack, self.pdus_per_rack + position * self.per_server + index)

    def storage_sequence(self, servers: int) -> Iterator[tuple[Literal["oob", "storage"], str, int]]:
        """(role, name, storage rack from 0) of storage servers and of the switches that come with them, each switch before the
        first server that needs it: a longer sequence begins like a shorter one.
        """
        made = self.core_switches
        for server in range(1, servers + 1):
            rack, position = self.server_spot(server) if self.servers_per_rack else (0, 0)
            if self.servers_per_rack and position == 0:
                for index in range(self.rack_switches):
                    yield "oob", self.rack_name(rack, index), rack
            elif not self.servers_per_rack:
                needed = (self.core_ends + server * self.per_server - 1) // self.usable + 1
                for index in range(made, needed):
                    yield "oob", self.core_name(index), 0
                made = max(made, needed)
            yield "storage", names.storage(self.site, server), rack

    def fixed_names(self) -> list[str]:
        """Every switch of planned units and of the core group, in order."""
        return [names.network_switch(self.site, "oob", number + 1) for number in range(self.fixed_switches)]
