"""Cells and scalars -> numbers, flags and lengths. A number with another unit is converted; one without a unit is named.

Exact by definition: 1 lb = 0.45359237 kg, 1 oz = lb / 16, 1 in = 25.4 mm, 1 ft = 0.3048 m (international pound and inch, 1959).
"""

import re

from railyard.read.text import Notebook, shown

KG = {"kg": 1.0, "g": 0.001, "lb": 0.45359237, "oz": 0.45359237 / 16}
"""NetBox's weight units (WeightUnitChoices)."""
METRES = {"km": 1000.0, "m": 1.0, "cm": 0.01, "mi": 1609.344, "ft": 0.3048, "in": 0.0254}
"""NetBox's cable length units (CableLengthUnitChoices)."""
MM = {"mm": 1.0, "in": 25.4}
"""NetBox's rack dimension units (RackDimensionUnitChoices)."""
_NUMBER = re.compile(r"[-+]?([0-9]{1,12}(\.[0-9]{0,12})?|\.[0-9]{1,12})\Z", re.ASCII)
_UNITS = re.compile(r"(?P<value>[-+]?[0-9]{1,12}(\.[0-9]{0,12})?)\s*(?P<unit>[A-Za-z]{1,4})\Z", re.ASCII)
TRUE = frozenset({"true", "yes", "on", "1"})
FALSE = frozenset({"false", "no", "off", "0"})

Place = tuple[int | None, int | None]
"""Line and column, from 1."""


def number(text: str, key: str, book: Notebook, place: Place) -> float | None:
    """A decimal number; None for an empty cell, and (with a problem) for anything else."""
    if not text or text in ("null", "~", "None"):
        return None
    if _NUMBER.match(text):
        return float(text)
    found = _UNITS.match(text)
    fix = (
        f"write {found['value']} alone: the unit has a column of its own" if found else "write digits, with a point if need be"
    )
    book.add("READ-002", f"`{key}` {shown(text)}", "a number", fix, *place)
    return None


def flag(text: str, key: str, book: Notebook, place: Place) -> bool | None:
    """true or false as NetBox reads them (yes, no, on and off of YAML 1.1 included); None for an empty cell."""
    folded = text.lower()
    if folded in TRUE or folded in FALSE:
        return folded in TRUE
    if folded not in ("", "null", "~", "none"):
        book.add("READ-002", f"`{key}` {shown(text)}", "true or false", "write true or false", *place)
    return None


def whole_numbers(text: str, key: str, book: Notebook, place: Place) -> tuple[int, ...]:
    """`1,2,10-12` -> (1, 2, 10, 11, 12): the units of a reservation."""
    found: list[int] = []
    for part in filter(None, (piece.strip() for piece in text.strip("[]{}").split(","))):
        first, dash, last = part.partition("-")
        ends = (first.strip(), last.strip() if dash else first.strip())
        if not all(end.isascii() and end.isdigit() and len(end) <= 3 for end in ends) or int(ends[0]) > int(ends[1]):
            book.add("READ-002", f"`{key}` {shown(part)}", "numbers of U, like 1,2,40-42", "write the numbers", *place)
            continue
        found += range(int(ends[0]), int(ends[1]) + 1)
    return tuple(found)


def converted(value: float | None, unit: str, units: dict[str, float], key: str, book: Notebook, place: Place) -> float | None:
    """A value in our unit; unknown, with a problem, where it has no unit, or one that nobody knows."""
    if value is None:
        return None
    factor = units.get(unit.lower())
    if factor is None:
        found = f"`{key}` {value:g} {shown(unit) if unit else 'without a unit'}"
        book.add(
            "READ-002", found, f"a unit of {', '.join(units)}", f"fill the unit's column: a bare {value:g} may mean two", *place
        )
        return None
    return round(value * factor, 6)
