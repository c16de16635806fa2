"""In which order a crew pulls cables: bundle by bundle, the longest first, each bundle of cables that go the same way.

A bundle joins two racks (or stays in one) and holds at most `cabling.bundleCables` cables; a rack pair with more gets several,
numbered in this order: what joins switches and PDUs, in the order of the plan, then node by node, so that nodes that come later
get the numbers behind those that stand. Storage servers may grow beside them: their bundles count for themselves (`.s1`). Long
bundles lie at the bottom of the tray: pulled first.
"""

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from railyard.model.plan import Cable

NODE, SERVER = 1, 2
_NODE = re.compile(r"-gpu\d+$")
_SERVER = re.compile(r"-sto\d+$")


class Pull(msgspec.Struct, frozen=True, gc=False):
    """Where a cable is in the work: `bundle` (`R001-R009.2`, a server's `R001-R009.s1`), `order` of pulling from 1."""

    bundle: str
    order: int


def pull_order(cables: Sequence[Cable], bundle_cables: int) -> list[Pull]:
    """The pull of each cable, in the order of the cables."""
    seen: Counter[tuple[str, str]] = Counter()
    bundles = [("", "", 0)] * len(cables)
    machines = [_machine(cable.a) for cable in cables]
    for index in sorted(range(len(cables)), key=machines.__getitem__):
        group = cables[index].bundle, "s" if machines[index][0] == SERVER else ""
        seen[group] += 1
        bundles[index] = (*group, (seen[group] - 1) // bundle_cables + 1)
    longest: dict[tuple[str, str, int], float] = {}
    for cable, bundle in zip(cables, bundles, strict=True):
        longest[bundle] = max(longest.get(bundle, 0.0), cable.length_m)
    rank = {bundle: number for number, bundle in enumerate(sorted(longest, key=lambda item: (-longest[item], item)))}
    order = [0] * len(cables)
    turns = sorted(range(len(cables)), key=lambda index: (rank[bundles[index]], index))
    for number, index in enumerate(turns, 1):
        order[index] = number
    named = [f"{name}.{mark}{part}" if name else "" for name, mark, part in bundles]
    return [Pull(name, number) for name, number in zip(named, order, strict=True)]


def _machine(end: str) -> tuple[int, int, str]:
    """Where a lower end's device comes in the numbering: what isn't a node or a server first, those by their numbers."""
    device = end.partition("/")[0]
    rank = NODE if _NODE.search(device) else SERVER if _SERVER.search(device) else 0
    return (rank, len(device), device) if rank else (0, 0, "")
