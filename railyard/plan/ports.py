"""Names of switch ports: the plan counts them at the link speed (`swp12`), each system has its own way.

    cage, sub   port n of k ports on c cages: cage (n - 1) // (k / c) + 1, part (n - 1) % (k / c); one part: not split
    sonic       Ethernet<first lane, counted over the switch from 0>       Ethernet0, Ethernet4, …
    cumulus     swp<cage>, in a split cage swp<cage>s<part from 0>         swp1, swp1s0
    eos         Ethernet<cage>/<first lane of the cage, from 1>            Ethernet1/1, Ethernet1/5
    frr         the plan's name: a plain FRR box calls its ports as it likes

Source: reference fabric.md section 2 (SN5600: Ethernet0, 8 .. 504, 8 lanes per cage); Cumulus Linux, Switch Port Attributes.
"""

from functools import lru_cache

import msgspec

from railyard.model.lossless import Nos


class Position(msgspec.Struct, frozen=True, gc=False):
    """Where a port is: cage from 1, part from 0 (None: not split), lanes from 0, parts that its cage is split into."""

    cage: int
    sub: int | None
    lanes: tuple[int, ...]
    breakout: int


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


def native_name(nos: Nos, name: str, place: Position, lanes_per_cage: int) -> str:
    """What a system calls the port that the plan calls `name`."""
    if nos == "sonic":
        return f"Ethernet{place.lanes[0]}"
    if nos == "cumulus":
        return f"swp{place.cage}" if place.sub is None else f"swp{place.cage}s{place.sub}"
    if nos == "eos":
        return f"Ethernet{place.cage}/{place.lanes[0] % lanes_per_cage + 1}"
    return name
