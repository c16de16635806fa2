"""What changed between two property trees, as the engine's property paths: `services.ntpServers[0]`, `labels["a.b/c"]`."""

import re
from collections.abc import Mapping
from typing import Any, Literal

Kind = Literal["add", "delete", "update"]
_PLAIN = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


def diff(old: Any, new: Any, path: str = "") -> dict[str, Kind]:
    """Paths that differ, sorted as found. An unknown new value counts as an update; null is the same as absent."""
    if old is None and new is None:
        return {}
    if old is None:
        return {path: "add"}
    if new is None:
        return {path: "delete"}
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        found: dict[str, Kind] = {}
        for key in sorted({*old, *new}):
            found.update(diff(old.get(key), new.get(key), _join(path, key)))
        return found
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        found = {}
        for index in range(max(len(old), len(new))):
            left = old[index] if index < len(old) else None
            right = new[index] if index < len(new) else None
            found.update(diff(left, right, f"{path}[{index}]"))
        return found
    return {} if (type(old) is type(new) and old == new) or _same_number(old, new) else {path: "update"}


def _same_number(old: Any, new: Any) -> bool:
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in (old, new)) and old == new


def _join(path: str, key: str) -> str:
    if not _PLAIN.match(key):
        return f'{path}["{key}"]'
    return f"{path}.{key}" if path else key
