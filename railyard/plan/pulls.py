"""In which order a crew pulls cables: bundle by bundle, the longest first, each bundle of cables that go the same way.

A bundle joins two racks (or stays in one) and holds at most `cabling.bundleCables` cables; a rack pair with more gets several,
numbered in this order: what joins switches and PDUs, in the order of the plan, then node by node, so that nodes that come later
get the numbers behind those that stand. Spines and storage servers may grow beside them: bundles of cables whose lower end they
are count for themselves (`.u1`, `.s1`). Category 6A of BMCs, PDUs and management ports is never laid in one bundle with fibre:
its bundles count for themselves, too (`.c1`, `.uc1`, `.sc1`). Long bundles lie at the bottom of the tray: pulled first.

A turn is made of what a cable is, not counted over what stands: growth inside the plan changes none, and so leaves gaps.
"""

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from railyard.model.plan import Cable

COPPER = "cat6a"
NODE, SPINE, SERVER = 1, 2, 3
MARKS = ("", "c", "", "c", "u", "uc", "s", "sc")
"""By rank of the lower end, without and with copper data: bundles of a rack pair that count for themselves."""
LONGEST_M = 999
"""Routes of this many metres and more come first, together: 15 digits stay exact in a browser and in a spreadsheet."""
PAIRS, PLACES = 10_000_000, 10_000
"""More than the rack pairs of 4,472 racks, and than the cables of one mark between two racks."""
_SPINE = re.compile(r"-spine\d{3,}")
_NODE = re.compile(r"-gpu\d+$")
_SERVER = re.compile(r"-sto\d+$")
_RACKS = re.compile(r"\d+")


class Pull(msgspec.Struct, frozen=True, gc=False):
    """Where a cable is in the work: `bundle` (`R001-R009.2`, a server's `R001-R009.s1`), `order` of pulling.

    The digits of `order` are those of `turn`: what is pulled first has the smaller number.
    """

    bundle: str
    order: int


def pull_order(cables: Sequence[Cable], bundle_cables: int) -> list[Pull]:
    """The pull of each cable, in the order of the cables."""
    seen: Counter[tuple[str, str]] = Counter()
    pulls = [Pull("", 0)] * len(cables)
    machines = [_machine(cable.a) for cable in cables]
    for index in sorted(range(len(cables)), key=machines.__getitem__):
        cable = cables[index]
        mark = MARKS[2 * machines[index][0] + (cable.medium == COPPER)]
        place = seen[cable.bundle, mark]
        seen[cable.bundle, mark] += 1
        name = f"{cable.bundle}.{mark}{place // bundle_cables + 1}" if cable.bundle else ""
        pulls[index] = Pull(name, turn(cable.bundle, cable.route_m, mark, place))
    return pulls


def turn(pair: str, route_m: float, mark: str, place: int) -> int:
    """Turn of the cable with this place (from 0) among those of one mark between two racks, `route_m` metres apart.

    999 less the route in whole metres, then the rack pair (z x (z - 1) / 2 + a), the mark, the place from 1: all of it facts of
    the planned hall. Cables of one bundle follow each other.
    """
    racks = [int(number) for number in _RACKS.findall(pair)] or [0]
    a, z = racks[0], racks[-1]
    wave = max(0, LONGEST_M - int(route_m))
    return ((wave * PAIRS + z * (z - 1) // 2 + a) * len(MARKS) + MARKS.index(mark)) * PLACES + place + 1


def _machine(end: str) -> tuple[int, int, str]:
    """Where a lower end's device comes in the numbering: what is no node, spine or server first, those by their numbers."""
    device = end.partition("/")[0]
    rank = NODE if _NODE.search(device) else SERVER if _SERVER.search(device) else SPINE if _SPINE.search(device) else 0
    return (rank, len(device), device) if rank else (0, 0, "")
