"""Mutants of rules: compiled one function at a time from the changed syntax tree, swapped into live functions and out again.

Only the cases that run the line of a mutant are tried on it (recorded once, with the module as it is): no other can notice it.
"""

import ast
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from time import process_time
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

import pytest

from tests.planned_site import make_site

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
# Fixtures that a case may ask for here; one that needs any other is run by pytest only and can't count as a judge.
FIXTURES: dict[str, Any] = {"site": make_site}

Case = Callable[[], object]
Key = tuple[str, int]


class Mutant(NamedTuple):
    """`text` became `operator`; the comparison stands on `lines`, and `codes` holds what is to be swapped in."""

    text: str
    operator: str
    lines: range
    codes: dict[Key, CodeType]

    def __str__(self) -> str:
        return f"line {self.lines.start}: {self.text} -> {self.operator}"


def comparisons(tree: ast.AST) -> list[tuple[ast.Compare, int]]:
    """Every comparison and the index of each of its operators."""
    return [(node, index) for node in ast.walk(tree) if isinstance(node, ast.Compare) for index in range(len(node.ops))]


def mutants(source: str) -> Iterator[Mutant]:
    """Each comparison of a module negated and, where it has a boundary, moved over it."""
    for statement in ast.parse(source).body:
        for node, index in comparisons(statement):
            original, text = node.ops[index], ast.unparse(node)
            for table in (NEGATED, MOVED):
                if operator := table.get(type(original)):
                    node.ops[index] = operator()
                    changed = compile(ast.Module([statement], []), "mutant", "exec", dont_inherit=True)
                    yield Mutant(text, operator.__name__, range(node.lineno, (node.end_lineno or 0) + 1), codes(changed))
                    node.ops[index] = original


def codes(code: CodeType) -> dict[Key, CodeType]:
    """Codes of all functions in a code: lambdas share a name, so the line belongs to the key."""
    found: dict[Key, CodeType] = {}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found |= {key(inner): inner} | codes(inner)
    return found


def key(code: CodeType) -> Key:
    return code.co_qualname, code.co_firstlineno


def functions(module: ModuleType) -> list[FunctionType]:
    """Live functions of a module: its own, its methods and properties, and closures that it keeps (also in tables)."""
    found: dict[int, FunctionType] = {}
    todo: list[object] = list(vars(module).values())
    seen: set[int] = set()
    while todo:
        member: Any = todo.pop()
        if id(member) in seen:
            continue
        seen.add(id(member))
        member = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        member = inspect.unwrap(member) if callable(member) else member
        if inspect.isclass(member) and member.__module__ == module.__name__:
            todo += vars(member).values()
        elif isinstance(member, dict):
            todo += member.values()
        elif isinstance(member, tuple | list | set | frozenset):
            todo += member
        elif type(member).__name__ == "Predicate":
            todo.append(member.judge)
        elif isinstance(member, FunctionType) and member.__module__ == module.__name__:
            found[id(member)] = member
    return list(found.values())


def cases(names: tuple[str, ...]) -> list[Case]:
    """What some files of this folder test, as functions without arguments."""
    modules = [importlib.import_module(f"tests.unit.rules.{name}") for name in names]
    tests = [value for module in modules for name, value in vars(module).items() if name.startswith("test_")]
    return [case for test in tests for case in expanded(test)]


def expanded(test: Callable[..., object]) -> list[Case]:
    """A test once for each row of its `parametrize` marks; none where it asks for a fixture that isn't to be had here."""
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    tables = [list(_rows(*mark.args[:2])) for mark in marks]
    rows = [dict(pair for part in parts for pair in part.items()) for parts in product(*tables)]
    asked = [name for name in inspect.signature(test).parameters if name not in rows[0]] if rows else []
    if any(name not in FIXTURES for name in asked):
        return []
    return [partial(test, **row, **{name: FIXTURES[name] for name in asked}) for row in rows]


def _rows(names: str | tuple[str, ...] | list[str], values: Any) -> Iterator[dict[str, object]]:
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    for row in values:
        plain = getattr(row, "values", row) if type(row).__name__ == "ParameterSet" else row
        several = len(keys) > 1 or type(row).__name__ == "ParameterSet"
        yield dict(zip(keys, plain if several else [plain], strict=True))


class Recorded(NamedTuple):
    """A case that passed, how long it took, and the lines that it ran, by file."""

    seconds: float
    lines: dict[str, set[int]]
    case: Case


def recorded(all_cases: list[Case], folder: Path) -> list[Recorded]:
    """What each case runs of the modules in a folder. All cases have to pass."""
    found = []
    for case in all_cases:
        began, lines = process_time(), _lines(case, str(folder))
        found.append(Recorded(process_time() - began, lines, case))
    return found


def _lines(case: Case, folder: str) -> dict[str, set[int]]:
    lines: dict[str, set[int]] = {}

    def called(frame: FrameType, event: str, _: object) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(folder):
            return None
        ran = lines.setdefault(file, set())

        def local(frame: FrameType, event: str, _: object) -> Any:
            ran.add(frame.f_lineno)
            return local

        return local

    before = sys.gettrace()
    sys.settrace(called)
    try:
        case()
    finally:
        sys.settrace(before)
    return lines


class Judges:
    """The cases that run a module, each with the lines of it that it runs, cheapest first."""

    def __init__(self, module: ModuleType, cases: list[Recorded]) -> None:
        self.live = functions(module)
        self.caches = [value for value in vars(module).values() if hasattr(value, "cache_clear")]
        ordered = sorted(cases, key=lambda case: case.seconds)
        self.judges = [(lines, one.case) for one in ordered if (lines := one.lines.get(str(module.__file__)))]

    def kill(self, mutant: Mutant) -> bool:
        """Whether a case fails with the mutant in place. A killer moves to the front, to kill again."""
        originals = {function: function.__code__ for function in self.live}
        try:
            for function, original in originals.items():
                # Methods that dataclass generates are not in the source.
                function.__code__ = mutant.codes.get(key(original), original)
            return self._killed(mutant.lines)
        finally:
            for function, original in originals.items():
                function.__code__ = original
            self._forget()

    def _killed(self, at: range) -> bool:
        self._forget()
        for judge in self.judges:
            if not judge[0].isdisjoint(at):
                try:
                    judge[1]()
                except (Exception, pytest.fail.Exception):  # noqa: BLE001 - any failure kills
                    self.judges.remove(judge)
                    self.judges.insert(0, judge)
                    return True
        return False

    def _forget(self) -> None:
        """What a function of the module remembers, it remembers of the code that it had."""
        for cache in self.caches:
            cache.cache_clear()


def source_of(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text(encoding="utf-8")
