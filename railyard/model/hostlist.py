"""Slurm's hostlists: many names as few words, and back. Zero padding counts: `n[01-03]` is n01, n02, n03.

Source: SchedMD/slurm doc/man/man5/topology.conf.5.
"""

import re
from collections.abc import Iterable, Iterator

LIMIT = 65_536
"""Names that one expression may stand for (Slurm's MAX_RANGE): `n[0-999999999]` would eat the memory of whoever reads it."""

_TAIL = re.compile(r"^(?P<head>.*?)(?P<digits>[0-9]+)$")
_RANGE = re.compile(r"^(?P<first>[0-9]+)(?:-(?P<last>[0-9]+))?$")
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*$")


class HostlistError(ValueError):
    """An expression that is no hostlist. `column` counts from 1 in the expression."""

    def __init__(self, column: int, found: str, limit: str) -> None:
        super().__init__(f"column {column}: {found}; {limit}")
        self.column, self.found, self.limit = column, found, limit


def compress(names: Iterable[str]) -> str:
    """The shortest expression of sorted names that `expand` gives back: ranges over their last number, one width each."""
    groups: dict[tuple[str, int], list[int]] = {}
    single: list[str] = []
    for name in dict.fromkeys(names):
        found = _TAIL.match(name)
        if found is None:
            single.append(name)
        else:
            groups.setdefault((found["head"], len(found["digits"])), []).append(int(found["digits"]))
    return ",".join([*sorted(single), *(_group(head, width, sorted(groups[head, width])) for head, width in sorted(groups))])


def _group(head: str, width: int, numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"{head}{numbers[0]:0{width}d}"
    return f"{head}[{','.join(_runs(numbers, width))}]"


def _runs(numbers: list[int], width: int) -> Iterator[str]:
    """`01-04`, `06` … of sorted numbers."""
    first = before = numbers[0]
    for number in [*numbers[1:], numbers[-1] + 2]:
        if number != before + 1:
            yield f"{first:0{width}d}" if first == before else f"{first:0{width}d}-{before:0{width}d}"
            first = number
        before = number


def expand(text: str, limit: int = LIMIT) -> tuple[str, ...]:
    """Every name of an expression, in its order. Raises HostlistError for what is none, or for more than `limit` names."""
    names: list[str] = []
    for column, word in _words(text):
        for name in _names(column, word, limit - len(names)):
            if not _NAME.match(name):
                raise HostlistError(column, f"name {name!r}", "letters, digits, `.`, `_` and `-`, the first a letter or digit")
            names.append(name)
    return tuple(names)


def _words(text: str) -> Iterator[tuple[int, str]]:
    """(column, term) of each term between commas outside of brackets."""
    begun, depth = 0, 0
    for place, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if depth not in (0, 1):
            raise HostlistError(place + 1, f"bracket {char!r}", "brackets in pairs, none inside of another")
        if char == "," and not depth:
            yield begun + 1, text[begun:place]
            begun = place + 1
    if depth:
        raise HostlistError(len(text), "no closing bracket", "brackets in pairs")
    yield begun + 1, text[begun:]


def _names(column: int, word: str, room: int) -> list[str]:
    """The names of one term: the product of its brackets, from the left."""
    if not word:
        raise HostlistError(column, "an empty name", "names between commas")
    names = [""]
    for part in re.split(r"(\[[^\]]*\])", word):
        tails = _numbers(column, part[1:-1], room) if part.startswith("[") else [part]
        if len(names) * len(tails) > room:
            raise HostlistError(column, f"{word!r} stands for more than {room} names", f"{LIMIT} names in all")
        names = [name + tail for name in names for tail in tails]
    return names


def _numbers(column: int, text: str, room: int) -> list[str]:
    """The numbers of one bracket, as wide as its first number."""
    found: list[str] = []
    for item in text.split(","):
        parts = _RANGE.match(item) if item.isascii() else None
        if parts is None:
            raise HostlistError(column, f"range {item!r}", "a number, or two numbers and a `-`")
        first, last = parts["first"], parts["last"] or parts["first"]
        if len(first) > 18 or len(last) > 18 or int(last) < int(first):
            raise HostlistError(column, f"range {item!r}", "from the smaller to the larger number")
        if int(last) - int(first) + 1 + len(found) > room:
            raise HostlistError(column, f"range {item!r}", f"{LIMIT} names in all")
        found += [f"{number:0{len(first)}d}" for number in range(int(first), int(last) + 1)]
    return found
