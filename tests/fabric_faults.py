"""Random faults for a built fabric, each on cables of its own, and what the audit must say about each."""

import random
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from railyard.audit.nouns import End
from railyard.audit.result import Audit
from tests.built_fabric import Built


class Fault(NamedTuple):
    """What was done: kind, and the lower ends of the cables that it touched."""

    kind: str
    ends: frozenset[str]


class Seeder:
    """Damages a fabric. No cable, and no host, is touched twice, so that every fault stands alone."""

    def __init__(self, built: Built, seed: int) -> None:
        self.built, self.random = built, random.Random(seed)
        self.of_device: defaultdict[str, list[int]] = defaultdict(list)
        for index, (a, _, _) in enumerate(built.links):
            self.of_device[a.device].append(index)
        self.free = set(range(len(built.links)))
        self.hosts = {a.device for a, _, _ in built.links if a.device in built.design.hosts}
        self.gone: list[int] = []
        self.free_ports = dict.fromkeys(built.design.switches, 1000)

    def seed(self, count: int) -> list[Fault]:
        """Up to `count` faults of all kinds in turn; fewer where the fabric has no more untouched cables."""
        kinds: list[Callable[[], Fault | None]] = [
            self.missing, self.exchanged, self.moved, self.slow, self.nameless, self.crossed, self.joined,
        ]  # fmt: skip
        found = [fault for number in range(count) if (fault := kinds[number % len(kinds)]())]
        self.built.remove(self.gone)
        return found

    def take(self, wanted: Callable[[int], bool] = lambda _: True) -> int | None:
        """An untouched cable, now touched, with every other cable of its host."""
        choice = [index for index in sorted(self.free) if wanted(index)]
        if not choice:
            return None
        index = self.random.choice(choice)
        host = self.built.links[index][0].device
        self.free.discard(index)
        if host in self.hosts:
            self.free.difference_update(self.of_device[host])
        return index

    def is_node(self, index: int) -> bool:
        return self.built.links[index][0].device in self.hosts

    def missing(self) -> Fault | None:
        """A pulled cable. A host's only cable would be a missing host."""
        index = self.take(lambda i: not self.is_node(i) or len(self.of_device[self.built.links[i][0].device]) > 1)
        if index is None:
            return None
        self.gone.append(index)
        return Fault("missing", self.ends(index))

    def exchanged(self) -> Fault | None:
        """Two node cables on each other's leaf."""
        one = self.take(self.is_node)
        if one is None:
            return None
        leaf = self.built.links[one][1].device
        other = self.take(lambda i: self.is_node(i) and self.built.links[i][1].device != leaf)
        return None if other is None else self._exchange("swapped", one, other)

    def crossed(self) -> Fault | None:
        """Two node cables of one leaf."""
        one = self.take(self.is_node)
        if one is None:
            return None
        leaf = self.built.links[one][1].device
        other = self.take(lambda i: self.is_node(i) and self.built.links[i][1].device == leaf)
        return None if other is None else self._exchange("crossed", one, other)

    def _exchange(self, kind: str, one: int, other: int) -> Fault:
        self.built.exchange(one, other)
        return Fault(kind, self.ends(one, other))

    def moved(self) -> Fault | None:
        """A plug in a port that nobody uses."""
        index = self.take()
        if index is None:
            return None
        a, z, gbps = self.built.links[index]
        self.free_ports[z.device] += 1
        self.built.links[index] = (a, End(z.device, str(self.free_ports[z.device])), gbps)
        return Fault("moved", self.ends(index))

    def joined(self) -> Fault | None:
        """A cable between two leaves, in the ports of two uplinks."""
        one = self.take(lambda i: not self.is_node(i))
        if one is None:
            return None
        here = self.built.links[one][0].device
        other = self.take(lambda i: not self.is_node(i) and self.built.links[i][0].device != here)
        if other is None:
            return None
        self.built.links.append((self.built.links[one][0], self.built.links[other][0], 400.0))
        self.gone += [one, other]
        return Fault("tangled", self.ends(one, other))

    def slow(self) -> Fault | None:
        index = self.take()
        if index is None:
            return None
        self.built.slow(index)
        return Fault("slow", self.ends(index))

    def nameless(self) -> Fault | None:
        """A host that says nothing on any rail."""
        index = self.take(self.is_node)
        if index is None:
            return None
        host = self.built.links[index][0].device
        for a, _, _ in self.built.links:
            if a.device == host:
                self.built.says[str(a)] = "MT4129 ConnectX7   Mellanox Technologies"
        return Fault("nameless", frozenset({host}))

    def ends(self, *indexes: int) -> frozenset[str]:
        return frozenset(str(self.built.links[index][0]) for index in indexes)


def told(result: Audit) -> list[Fault]:
    """What an audit found, in the same words, sorted."""
    found = [Fault(one.kind, frozenset(row.a for row in one.planned or one.found)) for one in result.differences]
    found += [Fault("slow", frozenset({slow.a})) for slow in result.slow]
    found += [Fault("nameless", frozenset({one.host})) for one in result.named_by_position]
    return sorted(found, key=lambda fault: (fault.kind, sorted(fault.ends)))


def expected(faults: list[Fault]) -> list[Fault]:
    """Seeded faults in the order of `told`."""
    return sorted(faults, key=lambda fault: (fault.kind, sorted(fault.ends)))
