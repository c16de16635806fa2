"""What the resources need of a switch, whatever it speaks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from providers.fabric.tree import Tree

BUSY_S = 300.0  # how long somebody else's unconfirmed change is waited for


@dataclass(frozen=True)
class Health:
    """What is alive on a switch: BGP sessions by neighbour, LLDP neighbours (`device/port`) by port. MTUs in bytes by port."""

    sessions: Mapping[str, bool]
    neighbours: Mapping[str, str]
    mtus: Mapping[str, int] = field(default_factory=dict)

    def established(self) -> set[str]:
        """Neighbours whose session is up."""
        return {name for name, up in self.sessions.items() if up}


@dataclass(frozen=True)
class Times:
    """`confirm_s`: after which the switch rolls back by itself. `settle_s`: for sessions to come back, seconds."""

    confirm_s: float
    settle_s: float


class Switch(Protocol):
    """One logged-in switch. Use `with`."""

    where: str

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

    def serial(self) -> str:
        """What it says that it is; '' if it doesn't say."""
        ...

    def tree(self) -> Tree:
        """The configuration that is in force."""
        ...

    def health(self) -> Health:
        """Sessions, neighbours, MTUs, now."""
        ...

    def widths(self, prefixes: Iterable[str]) -> dict[str, int]:
        """Prefix -> number of links that traffic to it is spread over; 0 for one that can't be reached."""
        ...

    def free(self) -> None:
        """Waits until nobody's change is under way. Raises SWITCH-012."""
        ...

    def change(self, old: Mapping[str, Any], new: Mapping[str, Any], times: Times) -> None:
        """From what is there to `new`, all or nothing: tried out, armed to roll back, confirmed over a fresh connection.

        `old`: what was ours until now. Raises SwitchError; then the switch is what it was, or will be when its timer ends.
        """
        ...


def place(address: str, usual_port: int) -> tuple[str, int]:
    """(host, port); an IPv6 address comes back in brackets: `fd00::1`, `[fd00::1]:22`, `10.0.0.1:22`, `leaf1`."""
    host, colon, port = address.rpartition(":")
    if not colon or (host.count(":") and not host.endswith("]")):
        host, port = address, ""
    return (f"[{host}]" if ":" in host and not host.startswith("[") else host), int(port or usual_port)


def missing(before: Health, now: Health, neighbours: Iterable[str], ports: Iterable[str]) -> list[str]:
    """What was there before a change, is still wanted, and isn't there now, in words."""
    kept = set(neighbours)
    sessions = sorted((before.established() & kept) - now.established())
    lldp = sorted(port for port in set(before.neighbours) & set(ports) if port not in now.neighbours)
    return [f"BGP session {name}" for name in sessions] + [f"LLDP neighbour at {port}" for port in lldp]
