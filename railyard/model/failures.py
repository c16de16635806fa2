"""The failure matrix: what is left when one thing fails, as values. Made by `railyard.plan.failures`, never by `plan()`.

A breaker is taken to trip where its current exceeds its rating; between its derated and its full rating it holds and is named.
All breakers over their rating trip at once: selectivity (which of two in series is faster) is out of scope, so is the time
that a small overload takes (IEC 60898-1 lets a breaker carry 1.13 times its rating for an hour): the matrix is the worse case.
"""

from typing import Literal

import msgspec
from pydantic import Field

from railyard.model.base import Noun

EventKind = Literal[
    "ups", "panel", "busway", "feed", "rack-feed", "pdu", "circuit", "psu",
    "cdu", "rear-door", "air-unit", "leaf", "spine", "core", "switch", "storage",
]  # fmt: skip
"""`feed` is a segment of that kind in the power tree; `rack-feed` all PDUs of one feed of one rack; `switch` one of the
storage, in-band or out-of-band networks; `storage` one storage server."""
KINDS: tuple[EventKind, ...] = (
    "ups", "panel", "busway", "feed", "rack-feed", "pdu", "circuit", "psu",
    "cdu", "rear-door", "air-unit", "leaf", "spine", "core", "switch", "storage",
)  # fmt: skip
"""From the street to the device: the order of tables."""


class Overload(msgspec.Struct, frozen=True, rename="camel"):
    """One breaker and its worst phase current, in amperes. It trips over `rating_a`, and may carry `derated_a` for hours.

    `count` breakers are alike: `name` is the first of them. Where a rating in kVA or kW binds, not a breaker, `unit` says
    so, `rated` is that rating and `carried` what flows in this unit through all lines; the ampere are those of the fullest
    line (`line`) and of its part of the rating: of three phases a third, which may be full before `rated` is.
    """

    name: str
    kind: str
    amps: float
    rating_a: float
    derated_a: float
    count: int = 1
    unit: str = "A"
    rated: float | None = None
    carried: float | None = None
    line: str = ""

    @property
    def told(self) -> tuple[float, float, str]:
        """What flows, what it is held against, and their unit: of a rating in kVA or kW that, where it is what is over; else
        ampere in one line.
        """
        if self.rated is None or self.carried is None or (self.carried <= self.rated and self.amps > self.rating_a):
            return self.amps, self.rating_a, f"A in {self.line}" if self.line else "A"
        return self.carried, self.rated, self.unit


class CascadeStep(msgspec.Struct, frozen=True, rename="camel"):
    """One round: the loads after what was lost before, the breakers that trip by them, and the devices as they are then.

    `held`: over their derated rating, but not tripping. Counts are of devices of all roles, `draw_kw` is what the affected
    racks draw. Step 0 is what the failure itself does; the last step trips nothing.
    """

    number: int
    trips: tuple[Overload, ...]
    held: tuple[Overload, ...]
    full: int
    throttled: int
    down: int
    unknown: int
    draw_kw: float


class FailureEvent(msgspec.Struct, frozen=True, rename="camel"):
    """One failure, or `stands_for` failures that are alike in kind, cascade and outcome: `alike` names the first of them.

    `lost` is what fails at the start (one name; two for a pair). GPUs: full + throttled + down + unknown = all of the site.
    `throttled_kw` is what the throttled GPU nodes may still draw, of `throttled_of_kw` (both in kW). `gpus_cut_off` have power
    and no live leaf on their rail in any plane. `rails_lost` are dead leaves by unit, rail, plane (`su001/r3`, `su001/r3/p1`).
    `bisection_share` (0 to 1) is the share of links left in the worst tier of the training fabric, None where it has no spines.
    `storage_down` are servers without power or network; `mirrors_lost` the mirror groups of which both halves are gone, and
    what is gone and has no mirror. `managers_lost`: subnets without a live subnet manager. `switches_down`: all switches
    without power, of all networks. `networks_cut` counts machines with power and no live switch, by kind of network.
    `assumed` and `unknown` say why a state is not from the catalogue, or can't be told. `fullest` are the breakers that come
    closest to what they may carry in the end; only a failure that was asked for by name has them.
    """

    kind: EventKind
    lost: tuple[str, ...]
    stands_for: int
    alike: tuple[str, ...]
    gpus_full: int
    gpus_throttled: int
    gpus_down: int
    gpus_unknown: int
    throttled_kw: float
    throttled_of_kw: float
    steps: tuple[CascadeStep, ...]
    gpus_cut_off: int = 0
    rails_lost: tuple[str, ...] = ()
    bisection_share: float | None = None
    storage_down: tuple[str, ...] = ()
    mirrors_lost: tuple[str, ...] = ()
    managers_lost: tuple[str, ...] = ()
    switches_down: tuple[str, ...] = ()
    networks_cut: dict[str, int] = {}
    racks: int = 0
    assumed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    fullest: tuple[Overload, ...] = ()

    @property
    def name(self) -> str:
        """What fails, for people."""
        return " + ".join(self.lost)

    @property
    def cascades(self) -> bool:
        """Whether the failure makes a breaker trip."""
        return any(step.trips for step in self.steps)

    @property
    def severity(self) -> tuple[float, ...]:
        """Worse is greater: GPUs down, cut off or unknown, throttled; data lost; bisection."""
        return (
            self.gpus_down + self.gpus_cut_off,
            self.gpus_unknown,
            self.gpus_throttled,
            len(self.mirrors_lost) + len(self.managers_lost),
            1.0 - (1.0 if self.bisection_share is None else self.bisection_share),
            len(self.storage_down),
            len(self.switches_down),
            self.cascades,
        )


class KindRow(msgspec.Struct, frozen=True, rename="camel"):
    """All failures of one kind: how many there are, and the worst of each number among them.

    `worst` names the worst event; `assumed` counts those whose outcome rests on an assumption.

    `survived` counts the failures after which every GPU runs at full power with all rails,
    networks and bisection, all storage servers and subnet managers are there, and no breaker has tripped.
    """

    kind: EventKind
    events: int
    survived: int
    cascading: int
    gpus_down: int
    gpus_throttled: int
    gpus_unknown: int
    gpus_cut_off: int
    rails_lost: int
    bisection_share: float | None
    mirrors_lost: int
    worst: str
    assumed: int = 0


class FailureMatrix(msgspec.Struct, frozen=True, rename="camel"):
    """Every single failure of a site: `count` of them, `events` are those that differ, the worst of each kind first.

    `notes` says what is not in the matrix because the plan doesn't know it: no entry there is a pass.
    """

    gpus: int
    count: int
    events: tuple[FailureEvent, ...]
    by_kind: tuple[KindRow, ...]
    worst: FailureEvent | None
    notes: tuple[str, ...] = ()


class FailureLine(Noun):
    """One failure (`stands_for` of them) that isn't harmless, as small as a policy needs it; see `FailureEvent`.

    `shared_by` are the feeds of the racks that hang on what is lost, where they are more than one: it is no redundancy then.
    `trips` are the first breakers that trip, with current and rating; lists of names hold the first three.
    """

    kind: str
    lost: str
    stands_for: int = 1
    gpus_down: int = 0
    gpus_throttled: int = 0
    gpus_unknown: int = 0
    gpus_cut_off: int = 0
    throttled_kw: float = 0.0
    throttled_of_kw: float = 0.0
    trips: tuple[str, ...] = ()
    rails_lost: int = 0
    bisection_share: float | None = None
    switches_down: tuple[str, ...] = ()
    networks_cut: dict[str, int] = Field(default_factory=dict)
    storage_down: int = 0
    mirrors_lost: tuple[str, ...] = ()
    managers_lost: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    shared_by: tuple[str, ...] = ()


class FailureSummary(Noun):
    """What the rules judge: every failure that isn't harmless, the worst first; a few dozen lines.

    `omitted` counts failures beyond the last line. `stated`: the path above the racks is in the stack file.
    """

    site: str
    gpus: int
    count: int
    stated: bool
    lines: tuple[FailureLine, ...] = ()
    omitted: int = 0
    notes: tuple[str, ...] = ()
