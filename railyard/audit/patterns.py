"""Name patterns of a design file: `MF0;{rack}-IBLEAF-{rail:02}-{unit:02}:*`, to make names of numbers and to read them back."""

import re
from collections.abc import Mapping
from functools import lru_cache

_PART = re.compile(r"\{(?P<field>[a-z]+)(?::0(?P<width>\d))?\}|(?P<any>\*)")
_WORDS = frozenset({"hca", "rack"})
MOST_WILD = 2
LONGEST = 256
"""A node description has 64 bytes, a system name 255: longer texts are nobody's name, and patterns don't search them."""
NUMBERS = frozenset({"unit", "rail", "slot", "spine"})


class PatternError(ValueError):
    """A pattern with a field that nobody knows."""


@lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern as a regular expression. Raises PatternError.

    Numbers are ASCII digits, words hold no blank, semicolon or colon; two `*` at most, so that no text takes long.
    """
    parts: list[str] = []
    at = 0
    for found in _PART.finditer(pattern):
        parts.append(re.escape(pattern[at : found.start()]))
        parts.append(_group(found, seen="".join(parts)))
        at = found.end()
    parts.append(re.escape(pattern[at:]))
    text = "".join(parts)
    if pattern.count("*") > MOST_WILD:
        raise PatternError(f"at most {MOST_WILD} `*` in `{pattern}`")
    return re.compile(text, re.IGNORECASE | re.DOTALL)


def _group(found: re.Match[str], seen: str) -> str:
    if found["any"]:
        return ".*?"
    name = found["field"]
    if name not in NUMBERS and name not in _WORDS:
        known = ", ".join(sorted(NUMBERS | _WORDS))
        raise PatternError(f"`{{{name}}}`: fields are {known}")
    if f"(?P<{name}>" in seen:
        return f"(?P={name})"
    width = int(found["width"] or 1)
    return f"(?P<{name}>[0-9]{{{width},6}})" if name in NUMBERS else f"(?P<{name}>[^\\s;:]+)"


def match(pattern: str, text: str) -> dict[str, str] | None:
    """The fields of a text that the pattern describes wholly, None where it doesn't."""
    if len(text) > LONGEST:
        return None
    found = compiled(pattern).fullmatch(text)
    return found.groupdict() if found else None


def fill(pattern: str, values: Mapping[str, int | str]) -> str:
    """The name that a pattern makes of numbers. Raises PatternError for `*` and for a field without value."""

    def part(found: re.Match[str]) -> str:
        name = found["field"]
        if found["any"] or name not in values:
            raise PatternError(f"`{found.group()}` in a name that has to be written: `{pattern}`")
        value = values[name]
        return f"{value:0{found['width'] or 1}d}" if isinstance(value, int) else value

    return _PART.sub(part, pattern)
