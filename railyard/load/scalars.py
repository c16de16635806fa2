"""Plain YAML scalars, read exactly as the engine reads them.

The engine is Go with yaml.v3: the core of YAML 1.2 with leftovers of 1.1 (`0777` is octal, `0b1` and `1_000` are numbers,
dates are dates), while `on`, `yes`, `10:20:30` stay text. It hands JSON to the program: a date has become what Go prints.
`tests/engine/test_yaml_reader.py` compares this file with the engine.
"""

import math
import re
from datetime import UTC, datetime, timedelta, timezone

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_DOT_FLOAT = re.compile(r"\.[0-9]+([eE][-+]?[0-9]+)?", re.ASCII)
_INT = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|0[oO](?P<oct>[0-7]+)|0(?P<old>[0-7]+)|(?P<dec>0|[1-9][0-9]*))",
    re.ASCII,
)
_TIME = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:([Tt ])(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})?)?", re.ASCII
)
_BASES = {"hex": 16, "bin": 2, "oct": 8, "old": 8, "dec": 10}
_LARGEST_DIGITS = 80
"""More digits than this are no 64-bit number in any base."""


def plain(text: str) -> Scalar:
    """What the engine makes of an unquoted scalar. Never raises."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        return _number(text) if _DOT_FLOAT.fullmatch(text.replace("_", "")) and text[1] != "_" else text
    if text[0] not in "+-0123456789":
        return text
    moment = _timestamp(text)
    if moment is not None:
        return moment
    digits = text.replace("_", "")
    whole = _integer(digits)
    if whole is not None:
        return whole
    return _number(text) if _FLOAT.fullmatch(digits) else text


def _integer(digits: str) -> int | float | None:
    match = _INT.fullmatch(digits)
    if match is None or len(digits) > _LARGEST_DIGITS:
        return None
    kind = next(name for name in _BASES if match[name] is not None)
    value = int(match[kind], _BASES[kind]) * (-1 if match["sign"] == "-" else 1)
    if -(2**63) <= value < 2**63:
        return value
    # yaml.v3 also knows unsigned 64-bit integers; the engine's JSON then loses their last digits as it does with any float.
    return float(value) if 0 < value < 2**64 and not match["sign"] else None


def _number(text: str) -> float | str:
    value = float(text.replace("_", ""))
    if math.isinf(value):
        return text
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _timestamp(text: str) -> str | None:
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, mark, hour, minute, second, fraction, zone = match.groups()
    if mark is not None and (zone is None) != (mark == " "):
        return None
    try:
        offset = _offset(zone)
        moment = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=offset)
    except ValueError:
        return None
    # As Go prints a time: nanoseconds without trailing zeros, the offset, and the zone's name, which is the offset again.
    tail = (fraction or "")[:9].rstrip("0")
    name = "UTC" if not offset.utcoffset(None) else moment.strftime("%z")
    return f"{moment:%Y-%m-%d %H:%M:%S}{'.' + tail if tail else ''} {moment:%z} {name}"


def _offset(zone: str | None) -> timezone:
    if zone in (None, "Z"):
        return UTC
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    return timezone((-1 if zone[0] == "-" else 1) * timedelta(hours=hours, minutes=minutes))


def as_text(value: Scalar) -> str:
    """A value directly below `config:`: the engine keeps text only."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
