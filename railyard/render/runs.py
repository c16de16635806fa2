"""Many names as few words: `r001–r004, r009`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_TAIL = re.compile(r"^(.*?)(\d+)$")


def short(name: str, site: str) -> str:
    """A device's name without its site, where the page or the picture says the site already."""
    return name.removeprefix(f"{site}-")


def runs(names: Iterable[str]) -> str:
    """Names in their order; neighbours that count up by one become `first–last` where three or more stand in a row."""
    groups: list[list[str]] = []
    for name in names:
        if groups and _follows(groups[-1][-1], name):
            groups[-1].append(name)
        else:
            groups.append([name])
    return ", ".join(_run(group) for group in groups)


def _follows(before: str, name: str) -> bool:
    a, b = _TAIL.match(before), _TAIL.match(name)
    if a is None or b is None:
        return False
    return a[1] == b[1] and b[2] == str(int(a[2]) + 1).zfill(len(a[2]))


def _run(group: Sequence[str]) -> str:
    return f"{group[0]}–{group[-1]}" if len(group) > 2 else ", ".join(group)
