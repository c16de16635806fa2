"""Names of switch ports: the plan counts them at the link speed (`swp12`), each system has its own way (used by `native`).

    cage, sub   port n of k ports on c cages: cage (n - 1) // (k / c) + 1, part (n - 1) % (k / c); one part: not split
    sonic       Ethernet<first lane, counted over the switch from 0>       Ethernet0, Ethernet4, …
    cumulus     swp<cage>, in a split cage swp<cage>s<part from 0>         swp1, swp1s0
    eos         Ethernet<cage>/<first lane of the cage, from 1>            Ethernet1/1, Ethernet1/5
    frr         as Cumulus: Linux drivers call a port p<cage>, a part p<cage>s<part>, and udev puts `sw` before it

Source: SONiC platform.json of the SN5600 (Ethernet0, 8 .. 504, 8 lanes per cage); Cumulus Linux, Switch Port Attributes;
Linux kernel, Documentation/networking/switchdev.rst (port naming).
"""

from functools import lru_cache
from typing import Protocol

import msgspec

from railyard.model.lossless import Nos


class Position(msgspec.Struct, frozen=True, gc=False):
    """Where a port is: cage from 1, part from 0 (None: not split), lanes from 0, parts that its cage is split into."""

    cage: int
    sub: int | None
    lanes: tuple[int, ...]
    breakout: int


class Front(Protocol):
    """What a name needs to know of a box: `railyard.model.asics.Box`, or as much of it as an earlier plan has."""

    @property
    def cages(self) -> int: ...
    @property
    def lanes_per_cage(self) -> int: ...


@lru_cache(maxsize=4096)
def position(number: int, port_count: int, cages: int, lanes_per_cage: int) -> Position:
    """Position of port `number` (from 1) of `port_count` on a switch. ValueError where ports don't spread evenly over cages."""
    parts, rest = divmod(port_count, cages)
    if rest or not parts or lanes_per_cage % parts:
        raise ValueError(f"{port_count} ports on {cages} cages of {lanes_per_cage} lanes")
    cage, part = divmod(number - 1, parts)
    lanes = lanes_per_cage // parts
    first = cage * lanes_per_cage + part * lanes
    return Position(cage + 1, part if parts > 1 else None, tuple(range(first, first + lanes)), parts)


def place_on(number: int, port_count: int, box: Front | None) -> Position:
    """Position on a box; one lane and one cage per port where nobody knows the box or its cages don't divide the ports."""
    try:
        if box:
            return position(number, port_count, box.cages, box.lanes_per_cage)
    except ValueError:
        pass
    return position(number, port_count, port_count, 1)


def counted_name(number: int) -> str:
    """The plan's own name of an Ethernet port: its number, counted at the link speed."""
    return f"swp{number}"


def native_name(nos: Nos, place: Position, lanes_per_cage: int) -> str:
    """What a system calls the port at a place."""
    if nos == "sonic":
        return f"Ethernet{place.lanes[0]}"
    if nos == "eos":
        return f"Ethernet{place.cage}/{place.lanes[0] % lanes_per_cage + 1}"
    return f"swp{place.cage}" if place.sub is None else f"swp{place.cage}s{place.sub}"


def name_table(nos: Nos, port_count: int, box: Front | None) -> dict[str, str]:
    """The plan's name -> the system's, of all ports. Empty where they are the same: whole cages on Cumulus and FRR."""
    lanes = box.lanes_per_cage if box else 1
    counted = {counted_name(number): number for number in range(1, port_count + 1)}
    table = {name: native_name(nos, place_on(number, port_count, box), lanes) for name, number in counted.items()}
    return {} if all(name == native for name, native in table.items()) else table
