"""The path above the racks as the stack file draws it: which piece feeds which, for which rows; and what can't be.

A kind of segment (`PathSegment`) becomes pieces by `rowsEach`. Rows count from 1; growth adds pieces at the end and renames
none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from railyard.model.errors import Problem
from railyard.model.power import PathSegment, PowerSection
from railyard.plan.electrical.strips import Given

WHERE = "railyard:power.paths"
TREE = "POWER-006"


class Path(msgspec.Struct, frozen=True):
    """One kind of segment with what it inherits: feed letter, volts at its output, rows (None: all), place below the supply."""

    segment: PathSegment
    feed: str | None
    given: Given
    rows: tuple[int, int] | None
    each: int | None

    def serves(self, row: int) -> bool:
        """Whether a row of racks hangs on it."""
        return self.rows is None or self.rows[0] <= row <= self.rows[1]

    def piece(self, row: int) -> str:
        """Name of the piece that serves a row."""
        if self.each is None:
            return self.segment.name
        first = self.rows[0] if self.rows else 1
        return f"{self.segment.name}-{(row - first) // self.each + 1:02d}"

    def piece_rows(self, row: int, last: int) -> tuple[int, int]:
        """First and last row of the piece that serves `row`, where the hall has rows up to `last`."""
        first, end = self.rows or (1, last)
        if self.each is None:
            return first, end
        start = first + (row - first) // self.each * self.each
        return start, min(start + self.each - 1, end)


class Tree(msgspec.Struct, frozen=True):
    """The paths that hold together, by name, and what doesn't. `stated` is false where the stack file says nothing."""

    stated: bool
    supply: Given | None
    paths: dict[str, Path]
    below: dict[str, tuple[Path, ...]]
    problems: tuple[Problem, ...]

    def lowest(self, feed: str, row: int) -> list[Path]:
        """The paths of a feed that serve a row and feed no other path for it: one, where all is well."""
        serving = [path for path in self.paths.values() if path.feed == feed and path.serves(row)]
        return [path for path in serving if not any(lower.serves(row) for lower in self.below.get(path.segment.name, ()))]

    def serving(self, feed: str, row: int) -> Path | None:
        """The lowest path that gives a feed to a row; None where there is none, or more than one."""
        found = self.lowest(feed, row)
        return found[0] if len(found) == 1 else None

    def given(self, feed: str, row: int) -> Given | None:
        """Volts that a feed gives to a row: the lowest segment's, else the supply's."""
        path = self.serving(feed, row)
        return path.given if path else self.supply

    def chain(self, feed: str, row: int) -> Iterator[Path]:
        """The paths that a row's feed hangs on, the lowest first."""
        path = self.serving(feed, row)
        while path is not None:
            yield path
            path = self.paths.get(path.segment.parent) if path.segment.parent else None


def grow_tree(section: PowerSection | None, feeds: Sequence[str]) -> Tree:
    """The tree of a stack file. What can't be is left out of it and named in `problems` (POWER-006)."""
    if section is None:
        return Tree(stated=False, supply=None, paths={}, below={}, problems=())
    supply = Given(section.supply.volts, section.supply.voltage_reference, section.supply.phases)
    named: dict[str, PathSegment] = {}
    for segment in section.paths:
        named.setdefault(segment.name, segment)
    problems = [*_orphans(section.paths, named), *_loops(named), *_feeds(named, feeds)]
    bad = {problem.where for problem in problems}
    paths: dict[str, Path] = {}
    for segment in named.values():
        _attach(segment, named, paths, supply, bad, problems)
    below = _below(paths)
    problems += _letterless(paths, below, bad)
    return Tree(stated=True, supply=supply, paths=paths, below=below, problems=tuple(problems))


def _where(name: str, key: str = "from") -> str:
    return f"{WHERE}.{name}.{key}"


def _orphans(segments: Iterable[PathSegment], named: dict[str, PathSegment]) -> Iterator[Problem]:
    for segment in segments:
        if segment.parent is not None and segment.parent not in named:
            known = ", ".join(sorted(named))
            fix = "name a path, or leave `from` out: it then hangs on the supply"
            yield Problem(TREE, _where(segment.name), f"`{segment.parent}`, which is no path", f"one of {known}", fix)


def _loops(named: dict[str, PathSegment]) -> Iterator[Problem]:
    """Each loop once, named by its first path."""
    told: set[str] = set()
    for name in named:
        seen: list[str] = []
        at: str | None = name
        while at is not None and at in named and at not in seen:
            seen.append(at)
            at = named[at].parent
        if at is None or at not in seen or at in told:
            continue
        loop = seen[seen.index(at) :]
        told.update(loop)
        found = " is fed from ".join([*loop, loop[0]])
        yield Problem(TREE, _where(at), found, "a tree: each path ends at the supply", "take `from` out of the one at the top")


def _feeds(named: dict[str, PathSegment], feeds: Sequence[str]) -> Iterator[Problem]:
    for name, segment in named.items():
        if segment.feed is not None and segment.feed not in feeds:
            found = f"feed {segment.feed}, which no rack has"
            fix = "name a feed of railyard:facility.feeds, or give the racks this feed"
            yield Problem(TREE, _where(name, "feed"), found, f"one of {', '.join(feeds)}", fix)


def _attach(
    segment: PathSegment,
    named: dict[str, PathSegment],
    paths: dict[str, Path],
    supply: Given,
    bad: set[str],
    problems: list[Problem],
) -> Path | None:
    """Enter a path below its parents; None where its own line or one above it can't be."""
    name = segment.name
    if name in paths:
        return paths[name]
    line: list[PathSegment] = []
    at: PathSegment | None = segment
    while at is not None and at.name not in paths:
        if at in line or (at.parent is not None and at.parent not in named):
            return None
        line.append(at)
        at = named[at.parent] if at.parent is not None else None
    above = paths[at.name] if at is not None else None
    for item in reversed(line):
        above = paths[item.name] = _joined(item, above, supply, bad, problems)
    return above


def _joined(item: PathSegment, above: Path | None, supply: Given, bad: set[str], problems: list[Problem]) -> Path:
    own = None if _where(item.name, "feed") in bad else item.feed
    feed = own or (above.feed if above else None)
    if own and above and above.feed and own != above.feed:
        found = f"feed {own} on {above.segment.name}, which is of feed {above.feed}"
        fix = "take `feed` out here, or hang it on a path of its own feed"
        problems.append(Problem(TREE, _where(item.name, "feed"), found, "one feed from here to the racks", fix))
    volts = supply if above is None else above.given
    given = Given(
        volts.volts if item.volts is None else item.volts,
        volts.reference if item.voltage_reference is None else item.voltage_reference,
        volts.phases if item.phases is None else item.phases,
    )
    rows = item.rows or (above.rows if above else None)
    path = Path(item, feed, given, rows, item.rows_each)
    if above is not None:
        problems += _crossings(path, above)
    return path


def _crossings(path: Path, above: Path) -> Iterator[Problem]:
    """A piece that serves rows of two pieces of its parent, or rows that its parent doesn't serve."""
    name, parent = path.segment.name, above.segment.name
    if path.rows and above.rows and not (above.rows[0] <= path.rows[0] and path.rows[1] <= above.rows[1]):
        found = f"rows {path.rows[0]} to {path.rows[1]}, below {parent} for rows {above.rows[0]} to {above.rows[1]}"
        yield Problem(TREE, _where(name, "rows"), found, f"rows of {parent}", "give it rows that its parent serves")
    elif above.each is not None and (path.each is None or above.each % path.each or _shifted(path, above)):
        what = "one for all rows" if path.each is None else f"one for each {path.each} rows"
        found = f"{what}, below {parent} with one for each {above.each}"
        fix = f"set rowsEach to a divisor of {above.each}, or hang it on another path"
        yield Problem(TREE, _where(name, "rowsEach"), found, f"rows of one {parent} only", fix)


def _shifted(path: Path, above: Path) -> bool:
    """Whether its pieces begin in the middle of its parent's, so that one of them lies across two."""
    begin = (path.rows or (1, 1))[0] - (above.rows or (1, 1))[0]
    return path.each is not None and begin % path.each != 0


def _below(paths: dict[str, Path]) -> dict[str, tuple[Path, ...]]:
    found: defaultdict[str, list[Path]] = defaultdict(list)
    for path in paths.values():
        if path.segment.parent:
            found[path.segment.parent].append(path)
    return {name: tuple(rows) for name, rows in found.items()}


def _letterless(paths: dict[str, Path], below: dict[str, tuple[Path, ...]], bad: set[str]) -> Iterator[Problem]:
    """Paths at the bottom that give no feed to anybody."""
    for name, path in paths.items():
        line = (_where(above.segment.name, "feed") for above in _upward(paths, path))
        if path.feed is None and name not in below and not any(where in bad for where in line):
            fix = "add `feed` here or above, as in railyard:facility.feeds"
            yield Problem(TREE, _where(name, "feed"), "no feed", "a letter of facility.feeds for what feeds racks", fix)


def _upward(paths: dict[str, Path], path: Path | None) -> Iterator[Path]:
    """A path and those that it hangs on."""
    while path is not None:
        yield path
        path = paths.get(path.segment.parent) if path.segment.parent else None


def row_problems(tree: Tree, feeds: Sequence[str], last: int) -> Iterator[Problem]:
    """Rows that a feed doesn't reach, or that two paths of it claim; nothing where no path is drawn."""
    if not tree.paths:
        return
    for feed in feeds:
        counts = [(row, tree.lowest(feed, row)) for row in range(1, last + 1)]
        lost = [row for row, paths in counts if not paths]
        if lost:
            found = f"no path of feed {feed} for row {_runs(lost)}"
            fix = "add a path with this feed, or widen `rows` of one"
            yield Problem(TREE, WHERE, found, "each feed of the racks on one path in each row", fix)
        row, both = next(((row, paths) for row, paths in counts if len(paths) > 1), (0, list[Path]()))
        if both:
            found = f"{' and '.join(path.segment.name for path in both)} both give feed {feed} to row {row}"
            fix = "set `rows` of each so that they don't overlap, or hang one on the other"
            yield Problem(TREE, WHERE, found, "one path of a feed in each row", fix)


def _runs(rows: Sequence[int]) -> str:
    return f"{rows[0]}" if len(rows) == 1 else f"{rows[0]} to {rows[-1]} ({len(rows)} rows)"
