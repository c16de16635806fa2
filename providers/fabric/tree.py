"""Configuration trees: what has to be set, what has to go, what can be seen of ours. Pure; leaves are anything but a mapping.

Only keys that are ours are ever looked at: what else a switch holds survives, and is no drift.
"""

from collections.abc import Iterator, Mapping
from typing import Any

Tree = dict[str, Any]
Path = tuple[str, ...]


def additions(actual: Mapping[str, Any], wanted: Mapping[str, Any]) -> Tree:
    """The part of `wanted` that isn't so in `actual`."""
    found: Tree = {}
    for key, value in wanted.items():
        if isinstance(value, Mapping):
            own = actual.get(key)
            inner = additions(own if isinstance(own, Mapping) else {}, value)
            if inner or not isinstance(own, Mapping):
                found[key] = inner
        elif key not in actual or not same(actual[key], value):
            found[key] = value
    return found


def removals(actual: Mapping[str, Any], old: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[Path]:
    """Paths to take away: ours until now (`old`), not wanted any more, still there.

    An object goes as a whole only if there is nothing in it that isn't ours.
    """
    for key, value in old.items():
        if key not in actual:
            continue
        there = actual[key]
        nested = isinstance(value, Mapping) and isinstance(there, Mapping)
        if key not in wanted:
            if not nested or _ours(there, value):
                yield (key,)
            else:
                yield from ((key, *rest) for rest in removals(there, value, {}))
        elif nested and isinstance(wanted[key], Mapping):
            yield from ((key, *rest) for rest in removals(there, value, wanted[key]))


def _ours(actual: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
    for key, value in actual.items():
        if key not in old:
            return False
        if isinstance(value, Mapping) and not (isinstance(old[key], Mapping) and _ours(value, old[key])):
            return False
    return True


def seen(actual: Mapping[str, Any], wanted: Mapping[str, Any]) -> Tree:
    """Our keys as they are in `actual`; one that isn't there is left out."""
    found: Tree = {}
    for key, value in wanted.items():
        if key not in actual:
            continue
        there = actual[key]
        if isinstance(value, Mapping) and isinstance(there, Mapping):
            found[key] = seen(there, value)
        else:
            found[key] = value if same(there, value) else there
    return found


def same(left: Any, right: Any) -> bool:
    """Equal, or the same number once as text and once as number: releases differ in that."""
    if _plain(left) and _plain(right):
        return left == right or str(left) == str(right)
    return type(left) is type(right) and left == right


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def paths(tree: Mapping[str, Any], before: Path = ()) -> Iterator[Path]:
    """Paths of all leaves and of all empty objects."""
    for key, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield from paths(value, (*before, key))
        else:
            yield (*before, key)


def json_patch(actual: Mapping[str, Any], old: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[dict[str, Any]]:
    """RFC 6902 operations for a config_db: whole tables and rows where they are new, else field by field.

    A table whose last row goes is removed itself: the models of SONiC know no empty table.
    """
    gone = list(removals(actual, old, wanted))
    operations = [{"op": "remove", "path": pointer(path)} for path in _whole_tables(actual, wanted, gone)]
    for table, rows in sorted(additions(actual, wanted).items()):
        if table not in actual:
            operations.append({"op": "add", "path": pointer((table,)), "value": rows})
            continue
        for key, fields in sorted(rows.items()):
            if not isinstance(fields, Mapping) or key not in actual[table]:
                operations.append({"op": "add", "path": pointer((table, key)), "value": fields})
                continue
            for field, value in sorted(fields.items()):
                verb = "replace" if field in actual[table][key] else "add"
                operations.append({"op": verb, "path": pointer((table, key, field)), "value": value})
    return operations


def _whole_tables(actual: Mapping[str, Any], wanted: Mapping[str, Any], gone: list[Path]) -> list[Path]:
    rows = {table: {path[1] for path in gone if path[0] == table and len(path) == 2} for table in {path[0] for path in gone}}
    empty = {table for table, keys in rows.items() if keys and keys == set(actual[table]) and not wanted.get(table)}
    return [(table,) for table in sorted(empty)] + [path for path in gone if path[0] not in empty]


def pointer(path: Path) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path)
