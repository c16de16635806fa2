"""The plan under the port names of its switches' system: what people and tools read beside a switch's own configuration.

Inside, a port is its place on the front, counted at the link speed (`swp33`). That is its identity: it depends on no choice of
system, so a new `fabric.nos` moves no cable, changes no registered resource, and `plan.json` of every release can be compared.
`in_native_names` is the one door to the outside: schedules, labels, tools' sheets, NetBox, audits, switch files go through it.

Without `fabric.nos` they are those of the system whose files are written all the same (FABRIC-062). Switches of other networks
keep counted names, since the stack file doesn't say what runs on them; so does a port beyond the box.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from railyard.model.lossless import Nos
from railyard.model.plan import Cable, SwitchPlan
from railyard.plan.ports import counted_name, name_table

if TYPE_CHECKING:
    from railyard.plan import Plan

Table = Mapping[str, str]
"""Counted name of a port -> the system's."""


def port_table(plan: "Plan", nos: Nos | None = None) -> Table:
    """Names of all fabric ports under the stack file's system, or `nos`. Empty on InfiniBand, or if none differs."""
    routing = plan.routing
    if routing is None:
        return {}
    return name_table(nos or routing.nos, plan.fabric.radix, routing.box)


def port_numbers(plan: "Plan") -> dict[str, int]:
    """Name as it leaves the plan -> number of the port, from 1, on every fabric switch; empty on InfiniBand."""
    if plan.routing is None:
        return {}
    table = port_table(plan)
    counted = {number: counted_name(number) for number in range(1, plan.fabric.radix + 1)}
    return {table.get(name, name): number for number, name in counted.items()}


def in_native_names(plan: "Plan", nos: Nos | None = None) -> "Plan":
    """The same plan with the system's names at every end of a fabric switch. Twice is as good as once."""
    table = port_table(plan, nos)
    if not table:
        return plan
    renamed = Renamed(table, frozenset(switch.name for switch in plan.switches))
    return replace(
        plan,
        cables=tuple(map(renamed.cable, plan.cables)),
        switches=tuple(map(renamed.switch, plan.switches)),
        addresses=tuple(
            msgspec.structs.replace(row, interface=table[row.interface])
            if row.interface in table and row.device in renamed.switches
            else row
            for row in plan.addresses
        ),
    )


class Renamed:
    """Gives ends of some switches the names of a table."""

    def __init__(self, table: Table, switches: frozenset[str]) -> None:
        self.table, self.switches = table, switches

    def end(self, end: str) -> str:
        """`leaf/swp33` -> `leaf/swp17s0`; what isn't a port of these switches stays."""
        device, mark, port = end.partition("/")
        return f"{device}{mark}{self.table.get(port, port)}" if device in self.switches else end

    def id(self, cable: str) -> str:
        """A cable's id is its lower end."""
        device, mark, port = cable.partition(":")
        return f"{device}{mark}{self.table.get(port, port)}" if device in self.switches else cable

    def cable(self, cable: Cable) -> Cable:
        """All ends of a cable, and its id."""
        a, z = self.end(cable.a), self.end(cable.z)
        if a == cable.a and z == cable.z:
            return cable
        seconds = {name: end and self.end(end) for name, end in (("a_second", cable.a_second), ("z_second", cable.z_second))}
        return msgspec.structs.replace(cable, id=self.id(cable.id), a=a, z=z, **seconds)

    def switch(self, switch: SwitchPlan) -> SwitchPlan:
        """Its own ports and their far ends."""
        ports = {self.table.get(port, port): self.end(far) for port, far in switch.ports.items()}
        return switch.model_copy(update={"ports": ports})
