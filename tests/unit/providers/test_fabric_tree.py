"""Trees: what is set, what goes, what is seen; only keys that are ours."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.switches.sonic.patch import patched
from providers.fabric.tree import additions, json_patch, paths, pointer, removals, seen

LEAF = st.one_of(st.text(max_size=3), st.integers(0, 3))
KEY = st.sampled_from(["a", "b", "c/d", "e~f", "g|h"])
TREE = st.recursive(st.dictionaries(KEY, LEAF, max_size=3), lambda inner: st.dictionaries(KEY, inner, max_size=3), max_leaves=8)
FIELDS = st.dictionaries(KEY, st.text(max_size=2), max_size=3)
TABLES = st.dictionaries(st.sampled_from(["T1", "T2", "T3"]), st.dictionaries(KEY, FIELDS, min_size=1, max_size=3), max_size=3)


def applied(actual, old, wanted):
    """What a switch holds after the change, done the NVUE way: removals, then a merge."""
    result = copy.deepcopy(actual)
    for path in list(removals(actual, old, wanted)):
        parent = result
        for key in path[:-1]:
            parent = parent[key]
        del parent[path[-1]]

    def merge(target, source):
        for key, value in source.items():
            if isinstance(value, dict):
                if not isinstance(target.get(key), dict):
                    target[key] = {}
                merge(target[key], value)
            else:
                target[key] = value

    merge(result, additions(actual, wanted))
    return result


@given(TREE, TREE, TREE)
def test_after_a_change_all_that_is_wanted_is_there(actual, old, wanted):
    result = applied(actual, old, wanted)
    assert seen(result, wanted) == wanted
    assert additions(result, wanted) == {}


@given(TREE, TREE, TREE)
def test_foreign_leaves_survive(actual, old, wanted):
    """A leaf that is neither in the old nor in the new configuration stays, unless its place became something else."""
    result = applied(actual, old, wanted)
    for path in paths(actual):
        if not any(_touches(tree, path) for tree in (old, wanted)):
            assert _get(result, path) == _get(actual, path)


def _touches(tree, path):
    for key in path:
        if not isinstance(tree, dict):
            return True
        if key not in tree:
            return False
        tree = tree[key]
    return True


def _get(tree, path):
    for key in path:
        tree = tree[key]
    return tree


@given(TABLES, TABLES, TABLES)
def test_the_json_patch_does_the_same_and_leaves_no_empty_table(actual, old, wanted):
    result = patched(actual, json_patch(actual, old, wanted))
    assert seen(result, wanted) == wanted
    assert all(rows for table, rows in result.items() if table in actual)
    assert json_patch(result, old, wanted) == []


def test_an_object_with_something_foreign_in_it_loses_only_what_is_ours():
    old = {"interface": {"swp1": {"link": {"mtu": 9216}, "description": "ours"}}}
    actual = {"interface": {"swp1": {"link": {"mtu": 9216, "speed": "400G"}, "description": "ours"}}}
    assert list(removals(actual, old, {})) == [("interface", "swp1", "link", "mtu"), ("interface", "swp1", "description")]
    assert list(removals(old, old, {})) == [("interface",)]


@pytest.mark.parametrize(("left", "right"), [(9216, "9216"), ("9216", 9216), (9216.0, 9216)])
def test_a_number_as_text_is_no_drift(left, right):
    assert additions({"mtu": left}, {"mtu": right}) == {}
    assert seen({"mtu": left}, {"mtu": right}) == {"mtu": right}


@pytest.mark.parametrize(("left", "right"), [(True, "True"), (1, True), ({}, ""), ("", {}), (None, "None")])
def test_other_kinds_are_not_mixed_up(left, right):
    assert additions({"x": left}, {"x": right}) == {"x": right}


def test_pointers_are_escaped():
    assert pointer(("PORT", "a/b", "c~d")) == "/PORT/a~1b/c~0d"
