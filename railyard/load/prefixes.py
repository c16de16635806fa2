"""What a number that is too large would be in its key's own unit: most such numbers are right ones in another unit."""

import re
from collections.abc import Callable

Convert = Callable[[float], float]
G_N = 9.80665
"""Newton that a kilogram weighs (standard gravity)."""


def _per(divisor: float) -> Convert:
    return lambda value: value / divisor


def _celsius(fahrenheit: float) -> float:
    return (fahrenheit - 32) / 1.8


_MEANT: tuple[tuple[str, tuple[tuple[str, Convert], ...], str], ...] = (
    (r"^altitudeM$", (("ft", _per(1 / 0.3048)),), "m"),
    (r"Kw$", (("W", _per(1000)),), "kW"),
    (r"Kva$", (("VA", _per(1000)),), "kVA"),
    (r"[a-z]A$", (("mA", _per(1000)),), "A"),
    (r"KgPerM2$", (("Pa", _per(G_N)),), "kg/m2"),
    (r"(Kg|^kg)$", (("N", _per(G_N)), ("g", _per(1000))), "kg"),
    (r"Kpa$", (("Pa", _per(1000)),), "kPa"),
    (r"M3S$", (("m3/h", _per(3600)), ("CFM", _per(60 / 0.3048**3))), "m3/s"),
    (r"LMin$", (("l/h", _per(60)),), "l/min"),
    (r"[a-z]C$", (("°F", _celsius),), "°C"),
    (r"(^[xy]|[a-z])M$", (("mm", _per(1000)),), "m"),
)
"""Ending of a key, the units that its number may have been meant in, its own unit."""


def meant(name: str, value: object) -> str:
    """`40000 W are 40 kW`, to go behind a fix; empty where no other unit is known. `name` is the key."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    for ending, units, own in _MEANT:
        if re.search(ending, name):
            return ", ".join(f"{value:.15g} {unit} are {_short(convert(value))} {own}" for unit, convert in units)
    return ""


def _short(value: float) -> str:
    """Four digits, three behind the point at most."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{round(value, 3):.4g}" if abs(value) < 10 else f"{value:.3g}"
