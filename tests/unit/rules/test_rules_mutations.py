"""Every comparison of every rule matters: negate it, or move its boundary, and a test of this folder fails.

Mutants are compiled from the changed syntax tree and swapped into the live functions, so no module is imported again.
"""

import ast
import importlib
import inspect
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType

import pytest

import railyard.rules

HERE = Path(__file__).parent
RULES = Path(railyard.rules.__file__).parent
NEGATED = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
MOVED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


def comparisons(tree):
    return [(node, index) for node in ast.walk(tree) if isinstance(node, ast.Compare) for index in range(len(node.ops))]


def mutants(source):
    """(line, text, operator, code) of each mutant of a module."""
    for number in range(len(comparisons(ast.parse(source)))):
        for table in (NEGATED, MOVED):
            tree = ast.parse(source)
            node, index = comparisons(tree)[number]
            text, operator = ast.unparse(node), table.get(type(node.ops[index]))
            if operator is not None:
                node.ops[index] = operator()
                yield node.lineno, text, operator.__name__, compile(tree, "mutant", "exec")


def codes(code):
    found = {code.co_qualname: code}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found |= codes(inner)
    return found


def functions(module):
    """Live functions of a module by qualified name: its own, its methods and properties, and closures that it keeps."""
    found = []
    for value in vars(module).values():
        members = [value, *vars(value).values()] if inspect.isclass(value) and value.__module__ == module.__name__ else [value]
        for member in members:
            member = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            member = getattr(member, "__wrapped__", member)
            if isinstance(member, FunctionType) and member.__module__ == module.__name__:
                found.append(member)
    return found


def cases():
    names = sorted(path.stem for path in HERE.glob("test_rules_*.py"))
    modules = [importlib.import_module(f"tests.unit.rules.{name}") for name in names if name != Path(__file__).stem]
    tests = [case for module in modules for name, case in vars(module).items() if name.startswith("test_")]
    return [case for test in tests for case in expanded(test)]


def expanded(test):
    """A test once for each row of its `parametrize` mark, if it has one: here nobody hands in arguments."""
    rows = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    if not rows:
        return [test]
    names, values = rows[0].args
    several = not isinstance(names, str) or "," in names
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    return [partial(test, **dict(zip(keys, row if several else [row], strict=True))) for row in values]


def survives(live, code, all_cases):
    """Whether every case still passes with the mutant's code in place. A killer moves to the front, to kill again."""
    originals = {function: function.__code__ for function in live}
    changed = codes(code)
    try:
        for function in live:
            # Methods that dataclass generates are not in the source.
            function.__code__ = changed.get(function.__qualname__, function.__code__)
        for case in all_cases:
            try:
                case()
            except (Exception, pytest.fail.Exception):  # noqa: BLE001 - any failure kills
                all_cases.remove(case)
                all_cases.insert(0, case)
                return False
        return True
    finally:
        for function, original in originals.items():
            function.__code__ = original


def test_no_comparison_can_be_negated_or_moved_unnoticed():
    all_cases = cases()
    survivors, count = [], 0
    for path in sorted(RULES.glob("*.py")):
        live = functions(importlib.import_module(f"railyard.rules.{path.stem}")) if path.stem != "__init__" else []
        source = path.read_text()
        assert survives(live, compile(source, "same", "exec"), all_cases), "swapping code in breaks a case by itself"
        for line, text, operator, code in mutants(source):
            count += 1
            if survives(live, code, all_cases):
                survivors.append(f"{path.name}:{line} {text} -> {operator}")
    assert count > 80
    assert not survivors, "\n".join(survivors)
    for case in all_cases:
        case()
