"""The NVUE object tree: plain dicts; a leaf is a string, number or null, an empty dict an object without own settings."""

import copy
from typing import Any

TOP = frozenset({"acl", "bridge", "evpn", "interface", "mlag", "nve", "platform", "qos", "router", "service", "system", "vrf"})
Tree = dict[str, Any]


class NotThere(KeyError):  # noqa: N818
    """No such object."""


def get(tree: Tree, path: list[str]) -> Any:
    """The object at `path`. Raises NotThere."""
    value: Any = tree
    for part in path:
        if not isinstance(value, dict) or part not in value:
            raise NotThere("/".join(path))
        value = value[part]
    return value


def merged(tree: Tree, path: list[str], value: Any) -> Tree:
    """A copy in which `value` was patched in at `path`: objects are merged, leaves replaced."""
    result = copy.deepcopy(tree)
    if not path:
        _merge(result, value)
        return result
    parent = result
    for part in path[:-1]:
        child = parent.setdefault(part, {})
        if not isinstance(child, dict):
            child = parent[part] = {}
        parent = child
    if isinstance(value, dict):
        own = parent.get(path[-1])
        parent[path[-1]] = own if isinstance(own, dict) else {}
        _merge(parent[path[-1]], value)
    else:
        parent[path[-1]] = value
    return result


def _merge(target: Tree, value: Tree) -> None:
    for key, part in value.items():
        if isinstance(part, dict):
            own = target.get(key)
            target[key] = own if isinstance(own, dict) else {}
            _merge(target[key], part)
        else:
            target[key] = part


def without(tree: Tree, path: list[str]) -> Tree:
    """A copy without what is at `path`; without anything for the empty path. Raises NotThere."""
    if not path:
        return {}
    get(tree, path)
    result = copy.deepcopy(tree)
    del get(result, path[:-1])[path[-1]]
    return result


def difference(tree: Tree, other: Tree) -> Tree:
    """What is in `tree` and not, or otherwise, in `other`."""
    found: Tree = {}
    for key, value in tree.items():
        if key not in other:
            found[key] = copy.deepcopy(value)
        elif isinstance(value, dict) and isinstance(other[key], dict):
            inner = difference(value, other[key])
            if inner:
                found[key] = inner
        elif value != other[key]:
            found[key] = value
    return found
