"""JSON Patch (RFC 6902) over a config_db: add, remove, replace, test, copy, move."""

import copy
from typing import Any

from lab.switches.intended import RefusedError


def patched(value: Any, operations: Any) -> Any:
    """A copy of `value` with all operations done. Raises RefusedError; then nothing was done."""
    if not isinstance(operations, list):
        raise RefusedError("patch", "Invalid patch format: not a list")
    result = copy.deepcopy(value)
    for number, one in enumerate(operations):
        if not isinstance(one, dict) or not isinstance(one.get("path"), str):
            raise RefusedError(f"patch[{number}]", "Invalid patch format: an operation needs op and path")
        result = _one(result, one, f"patch[{number}] {one['path']}")
    return result


def _one(tree: Any, one: dict[str, Any], where: str) -> Any:
    op, path = one.get("op"), _parts(one["path"])
    if op in {"add", "replace", "test"} and "value" not in one:
        raise RefusedError(where, f"{op} needs a value")
    if op in {"copy", "move"}:
        source = _parts(str(one.get("from", "")))
        value = copy.deepcopy(_get(tree, source, where))
        return _add(_remove(tree, source, where) if op == "move" else tree, path, value, where)
    if op == "add":
        return _add(tree, path, copy.deepcopy(one["value"]), where)
    if op == "remove":
        return _remove(tree, path, where)
    if op == "replace":
        _get(tree, path, where)
        return _add(_remove(tree, path, where) if path else tree, path, copy.deepcopy(one["value"]), where)
    if op == "test":
        if _get(tree, path, where) != one["value"]:
            raise RefusedError(where, "test failed")
        return tree
    raise RefusedError(where, f"Invalid patch format: op {op!r}")


def _parts(path: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]] if path else []


def _get(tree: Any, path: list[str], where: str) -> Any:
    for part in path:
        if isinstance(tree, dict) and part in tree:
            tree = tree[part]
        elif isinstance(tree, list) and part.isdigit() and int(part) < len(tree):
            tree = tree[int(part)]
        else:
            raise RefusedError(where, f"member '{part}' not found")
    return tree


def _add(tree: Any, path: list[str], value: Any, where: str) -> Any:
    if not path:
        return value
    parent = _get(tree, path[:-1], where)
    if isinstance(parent, dict):
        parent[path[-1]] = value
    elif isinstance(parent, list) and (path[-1] == "-" or path[-1].isdigit()):
        parent.insert(len(parent) if path[-1] == "-" else int(path[-1]), value)
    else:
        raise RefusedError(where, f"nothing can be added to '{path[-1]}'")
    return tree


def _remove(tree: Any, path: list[str], where: str) -> Any:
    _get(tree, path, where)
    if not path:
        return {}
    parent = _get(tree, path[:-1], where)
    del parent[int(path[-1]) if isinstance(parent, list) else path[-1]]
    return tree
