"""A link before it is a cable: the row that the planners of wiring make and the planner of cables takes."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

Kind = Literal["node-leaf", "leaf-spine", "spine-core"]


class Link(msgspec.Struct, frozen=True, gc=False):
    """One link before it is a cable. `a_number` is the port as a label counts it; `z_port` counts from 1.

    `second`: it lies in the same cable as the link before it (a twin-port cage of the lower end: `fabric.linksPerCable: 2`).
    Their upper ends may be two switches.
    """

    kind: Kind
    a: str
    a_port: str
    a_number: int
    z: str
    z_port: int
    rail: int | None
    plane: int
    second: bool = False


def paired(links: Iterable[Link]) -> Iterator[tuple[Link, Link | None]]:
    """The links of each cable in turn: one, or two where it carries two."""
    waiting: Link | None = None
    for link in links:
        if waiting is None:
            waiting = link
        elif link.second:
            yield waiting, link
            waiting = None
        else:
            yield waiting, None
            waiting = link
    if waiting is not None:
        yield waiting, None
