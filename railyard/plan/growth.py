"""The re-cabling work order between two plans: what a crew unplugs and plugs, in an order in which every port is free in time.

    remove   cables that go
    move     the same cable, one end (or both) to another port
    replace  a new cable of another length, in the old one's ports or in new ones
    park     unplugged first and plugged last: its new port is taken by one that waits, round a circle, for its old one
    add      cables that come

A cable that moves waits for the one that holds its new port. Ties go by id, so the order is the same on every run.

Ports are compared by their place on the front and told by the names of the switches' system, each plan's ends by its own.
"""

import heapq
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from railyard.model.lossless import Nos
from railyard.plan.names import sort_key
from railyard.plan.native import Renamed
from railyard.plan.ports import name_table

Action = Literal["remove", "move", "replace", "park", "add"]


class End(msgspec.Struct, frozen=True, rename="camel"):
    """One end of a cable: `device/port`, and what its label says (rack, U, port)."""

    port: str
    label: str

    def __str__(self) -> str:
        return f"{self.port} ({self.label})" if self.label else self.port


class Work(msgspec.Struct, frozen=True, rename="camel"):
    """One step. `stays` are ends that nobody touches; a parked cable has two steps: `park`, and later `move` or `replace`."""

    step: int
    action: Action
    cable: str
    stays: tuple[End, ...]
    was: tuple[End, ...]
    now: tuple[End, ...]
    was_m: float | None
    now_m: float | None


class _Cable(msgspec.Struct):
    """A cable as `plan.json` has it, also an older one without labels and second ends."""

    id: str
    a: str
    z: str
    length_m: float = msgspec.field(name="lengthM")
    a_label: str = msgspec.field(name="aLabel", default="")
    z_label: str = msgspec.field(name="zLabel", default="")
    a_second: str | None = msgspec.field(name="aSecond", default=None)
    z_second: str | None = msgspec.field(name="zSecond", default=None)

    def ends(self) -> tuple[End, ...]:
        """All ends, the lower ones first. A second end has no label of its own."""
        seconds = (End(port, "") for port in (self.a_second, self.z_second) if port)
        return (End(self.a, self.a_label), End(self.z, self.z_label), *seconds)


class _Box(msgspec.Struct, rename="camel"):
    cages: int
    lanes_per_cage: int


class _Routing(msgspec.Struct):
    nos: Nos
    box: _Box | None = None


class _Named(msgspec.Struct, rename="camel"):
    name: str
    port_count: int = 0


class _Site(msgspec.Struct):
    cables: list[_Cable]
    routing: _Routing | None = None
    switches: list[_Named] = []

    def renamed(self) -> Renamed:
        """Names of this plan's ports; none of another network's, or of InfiniBand, changes."""
        counts = [switch.port_count for switch in self.switches]
        table = name_table(self.routing.nos, max(counts), self.routing.box) if self.routing and counts else {}
        return Renamed(table, frozenset(switch.name for switch in self.switches if table))


class _Change(msgspec.Struct, frozen=True):
    """A cable in both plans that somebody has to touch."""

    id: str
    stays: tuple[End, ...]
    was: tuple[End, ...]
    now: tuple[End, ...]
    was_m: float
    now_m: float

    @property
    def action(self) -> Action:
        return "move" if self.was_m == self.now_m else "replace"

    def work(self, step: int, action: Action) -> Work:
        return Work(step, action, self.id, self.stays, self.was, self.now, self.was_m, self.now_m)


def work_order(old_plan_json: bytes, new_plan_json: bytes) -> list[Work]:
    """Every step from the old plan's cables to the new one's. Raises msgspec.DecodeError for what is no plan."""
    old, new = (msgspec.json.decode(text, type=_Site) for text in (old_plan_json, new_plan_json))
    before, after = ({cable.id: cable for cable in site.cables} for site in (old, new))
    gone = sorted(before.keys() - after.keys(), key=sort_key)
    come = sorted(after.keys() - before.keys(), key=sort_key)
    steps: list[Work] = []
    for name in gone:
        steps.append(Work(len(steps) + 1, "remove", name, (), before[name].ends(), (), before[name].length_m, None))
    for change, action in _in_order(_changes(before, after)):
        steps.append(change.work(len(steps) + 1, action))
    for name in come:
        steps.append(Work(len(steps) + 1, "add", name, (), (), after[name].ends(), None, after[name].length_m))
    earlier, later = old.renamed(), new.renamed()
    return [_told(work, earlier, later) for work in steps]


def _told(work: Work, earlier: Renamed, later: Renamed) -> Work:
    """A step under the names of the switches' system. A cable that goes has its old id."""
    if not (earlier.table or later.table):
        return work
    return msgspec.structs.replace(
        work,
        cable=(later if work.now else earlier).id(work.cable),
        stays=tuple(End(later.end(end.port), end.label) for end in work.stays),
        was=tuple(End(earlier.end(end.port), end.label) for end in work.was),
        now=tuple(End(later.end(end.port), end.label) for end in work.now),
    )


def _changes(before: dict[str, _Cable], after: dict[str, _Cable]) -> Iterator[_Change]:
    """Cables of both plans whose ends or length differ. A label that alone differs moves with its device."""
    for name in sorted(before.keys() & after.keys(), key=sort_key):
        was, now = before[name], after[name]
        old, new = {end.port: end for end in was.ends()}, {end.port: end for end in now.ends()}
        if old.keys() != new.keys() or was.length_m != now.length_m:
            yield _Change(
                name,
                tuple(end for port, end in new.items() if port in old),
                tuple(end for port, end in old.items() if port not in new),
                tuple(end for port, end in new.items() if port not in old),
                was.length_m,
                now.length_m,
            )


def _in_order(changes: Iterable[_Change]) -> Iterator[tuple[_Change, Action]]:
    """Each change after those that hold its new ports; circles are opened by parking the first cable of what waits."""
    todo = {change.id: change for change in changes}
    holder = {end.port: change.id for change in todo.values() for end in change.was}
    waits = {name: {holder[end.port] for end in change.now if end.port in holder} for name, change in todo.items()}
    waiters: dict[str, list[str]] = {}
    for name, others in waits.items():
        for other in others:
            waiters.setdefault(other, []).append(name)
    ready = [(sort_key(name), name) for name, others in waits.items() if not others]
    stuck = iter(sorted(todo, key=sort_key))
    parked: set[str] = set()
    heapq.heapify(ready)
    left = set(todo)
    while left:
        if not ready:
            name = next(name for name in stuck if name in left and name not in parked)
            parked.add(name)
            yield todo[name], "park"
            ready += _freed(name, waits, waiters, left)
            heapq.heapify(ready)
            continue
        _, name = heapq.heappop(ready)
        left.remove(name)
        yield todo[name], todo[name].action
        if name not in parked:
            for item in _freed(name, waits, waiters, left):
                heapq.heappush(ready, item)


def _freed(
    name: str, waits: dict[str, set[str]], waiters: dict[str, list[str]], left: set[str]
) -> list[tuple[tuple[str | int, ...], str]]:
    """Those that wait for nobody else now that this cable's old ports are free."""
    free: list[tuple[tuple[str | int, ...], str]] = []
    for waiter in waiters.get(name, []):
        waits[waiter].discard(name)
        if not waits[waiter] and waiter in left:
            free.append((sort_key(waiter), waiter))
    return free
