"""Checks the body of a PATCH, a create or an action against what is writable. All problems are reported, nothing applied."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.bmc.messages import RefusalError, message


@dataclass(frozen=True)
class Is:
    """One writable value: its JSON type, and what it may be. `nullable` takes null too."""

    kind: type
    values: tuple[Any, ...] = ()
    pattern: str = ""
    low: int = 0
    high: int = 1 << 31
    nullable: bool = False

    def problem(self, value: Any) -> str | None:
        """The Base message that `value` deserves; None when it's fine."""
        if value is None and self.nullable:
            return None
        if not isinstance(value, self.kind) or (self.kind is int and isinstance(value, bool)):
            return "PropertyValueTypeError"
        if self.values and value not in self.values:
            return "PropertyValueNotInList"
        size = len(value) if isinstance(value, str) else value if isinstance(value, int) else self.low
        if not self.low <= size <= self.high or (self.pattern and not re.fullmatch(self.pattern, value)):
            return "PropertyValueFormatError"
        return None


@dataclass(frozen=True)
class ListOf:
    """A writable array; `unique` forbids a value twice."""

    item: Is
    unique: bool = False


Spec = Mapping[str, "Is | ListOf | Spec"]


def check(spec: Spec, body: Any, current: Mapping[str, Any]) -> dict[str, Any]:
    """`body` if all of it may be written; raises RefusalError (400) with one message per problem."""
    if not isinstance(body, dict):
        raise RefusalError(400, message("UnrecognizedRequestBody"))
    if not body:
        raise RefusalError(400, message("EmptyJSON"))
    body = {key: value for key, value in body.items() if not key.startswith("@odata.")}
    if not body:
        raise RefusalError(400, message("NoOperation"))
    body = _merged(spec, body, current)
    problems = _problems(spec, body, current, "#")
    if problems:
        raise RefusalError(400, *problems)
    return body


def _merged(spec: Spec, body: dict[str, Any], current: Mapping[str, Any]) -> dict[str, Any]:
    """`body` with its arrays as they will be: null takes an element away, {} leaves it as it is (DSP0266, PATCH on arrays)."""
    merged = dict(body)
    for key, value in body.items():
        rule, now = spec.get(key), current.get(key)
        if isinstance(rule, ListOf) and isinstance(value, list):
            old = now if isinstance(now, list) else []
            kept = [old[index] if one == {} and index < len(old) else one for index, one in enumerate(value)]
            merged[key] = [one for one in kept if one is not None]
        elif isinstance(rule, Mapping) and isinstance(value, dict):
            merged[key] = _merged(rule, value, now if isinstance(now, Mapping) else {})
    return merged


def _problems(spec: Spec, body: dict[str, Any], current: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    found = []
    for key, value in body.items():
        path, rule = f"{where}/{key}", spec.get(key)
        if rule is None:
            name = "PropertyNotWritable" if key in current else "PropertyUnknown"
            found.append(message(name, key, related=path))
        elif isinstance(rule, Is):
            if problem := rule.problem(value):
                found.append(message(problem, _short(value), key, related=path))
        elif isinstance(rule, ListOf):
            found += _list_problems(rule, key, value, path)
        elif not isinstance(value, dict):
            found.append(message("PropertyValueTypeError", _short(value), key, related=path))
        else:
            below = current.get(key)
            found += _problems(rule, value, below if isinstance(below, Mapping) else {}, path)
    return found


def _list_problems(rule: ListOf, key: str, value: Any, path: str) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        return [message("PropertyValueTypeError", _short(value), key, related=path)]
    bad = [(one, rule.item.problem(one)) for one in value]
    found = [message(problem, _short(one), key, related=path) for one, problem in bad if problem]
    if not found and rule.unique and len(set(value)) != len(value):
        found.append(message("PropertyValueFormatError", _short(value), key, related=path))
    return found


def required(body: Any, *names: str) -> None:
    """Raises RefusalError (400) for each of `names` that a create body lacks."""
    missing = [name for name in names if not isinstance(body, dict) or name not in body]
    if missing:
        raise RefusalError(400, *(message("PropertyMissing", name, related=f"#/{name}") for name in missing))


def parameters(action: str, spec: Mapping[str, Is], body: Any, *needed: str) -> dict[str, Any]:
    """The parameters of an action; raises RefusalError (400)."""
    if not isinstance(body, dict):
        raise RefusalError(400, message("UnrecognizedRequestBody"))
    problems = [message("ActionParameterMissing", action, name) for name in needed if name not in body]
    for key, value in body.items():
        if key not in spec:
            problems.append(message("ActionParameterUnknown", action, key))
        elif problem := spec[key].problem(value):
            name = "ActionParameterValueNotInList" if problem == "PropertyValueNotInList" else "ActionParameterValueTypeError"
            problems.append(message(name, _short(value), key, action, related=f"#/{key}"))
    if problems:
        raise RefusalError(400, *problems)
    return body


def _short(value: Any) -> str:
    return str(value)[:100]
