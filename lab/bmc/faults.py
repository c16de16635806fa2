"""Faults by script. Each has a kind; the kinds that hit requests also say which ones, and how often.

status      {status, headers?, body?}             answers with it instead of handling the request
slow        {delayS}                              waits first
reset       {when?: before|after}                 TCP RST, before (default) or after the request was handled
echo        {}                                    answers a mutation (logins too) with 400 and the values that were sent
drop        {afterBytes?}                         handles the request, cuts the answer (default: half of it)
unreachable {}                                    the BMC's listener is closed, its connections are reset
wrong-password {}                                 every login fails, sessions too
identity    {serial?, gpus?, macs?}               the machine has another serial number, fewer GPUs, other NICs
media-404   {}                                    what the BMC or the machine reads from virtual media answers 404
no-call-home {phase?: begun|finished}             the machine's call home doesn't get out (default: neither)

Request kinds take {method?: "*", path?: "*" (glob), remaining?: how many requests (default: until cleared)}.
"""

import fnmatch
from dataclasses import dataclass
from typing import Any

from lab.errors import LabError

REQUEST_KINDS = {"status", "slow", "reset", "drop", "echo"}
WRITES = {"POST", "PATCH", "PUT", "DELETE"}
FIELDS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "status": {"status": int, "headers": dict, "body": (dict, str)},
    "slow": {"delayS": (int, float)},
    "reset": {"when": str},
    "drop": {"afterBytes": int},
    "echo": {},
    "unreachable": {},
    "wrong-password": {},
    "identity": {"serial": str, "gpus": int, "macs": list},
    "media-404": {},
    "no-call-home": {"phase": str},
}
NEEDED = {"status": ("status",), "slow": ("delayS",)}
CHOICES = {"when": ("before", "after"), "phase": ("begun", "finished")}


@dataclass
class Fault:
    """One fault on one machine. `remaining` None means: until cleared."""

    kind: str
    spec: dict[str, Any]
    remaining: int | None = None

    def hits(self, method: str, path: str) -> bool:
        wanted = self.spec.get("method", "*")
        return (
            self.kind in REQUEST_KINDS
            and self.remaining != 0
            and wanted in {"*", method}
            and (self.kind != "echo" or method in WRITES)
            and fnmatch.fnmatchcase(path, self.spec.get("path", "*"))
        )

    def shown(self) -> dict[str, Any]:
        rest = {} if self.remaining is None else {"remaining": self.remaining}
        return {"kind": self.kind, **self.spec, **rest}


def parse(value: Any) -> Fault:
    """A fault from its JSON. The kind may be left out where a field tells it. Raises LabError (LAB-012)."""
    if not isinstance(value, dict):
        raise _bad("the fault", repr(value), "a JSON object")
    spec = dict(value)
    if "delay" in spec:
        spec["delayS"] = spec.pop("delay")
    kind = spec.pop("kind", None) or _guess(spec)
    if kind not in FIELDS:
        raise _bad("kind", repr(kind), ", ".join(FIELDS))
    allowed = dict(FIELDS[kind])
    if kind in REQUEST_KINDS:
        allowed |= {"method": str, "path": str, "remaining": int}
    _check(kind, spec, allowed)
    remaining = spec.pop("remaining", None)
    if remaining is not None and remaining < 1:
        raise _bad("remaining", str(remaining), "at least 1")
    return Fault(kind, spec, remaining)


def _check(kind: str, spec: dict[str, Any], allowed: dict[str, Any]) -> None:
    for key, one in spec.items():
        if key not in allowed:
            raise _bad(key, "an unknown field", f"fields of {kind}: {', '.join(allowed) or 'none'}")
        if not isinstance(one, allowed[key]) or isinstance(one, bool):
            raise _bad(key, repr(one), str(allowed[key]))
        if key in CHOICES and one not in CHOICES[key]:
            raise _bad(key, one, " or ".join(CHOICES[key]))
    for key in NEEDED.get(kind, ()):
        if key not in spec:
            raise _bad(key, "nothing", f"a value: {kind} needs it")


def _guess(spec: dict[str, Any]) -> str | None:
    for key, kind in (
        ("status", "status"),
        ("delayS", "slow"),
        ("afterBytes", "drop"),
        ("gpus", "identity"),
        ("serial", "identity"),
    ):
        if key in spec:
            return kind
    return None


def _bad(where: str, found: str, limit: str) -> LabError:
    return LabError("LAB-012", f"fault: {where}", found, limit, "python -m lab fault --help lists the kinds")


class Faults:
    """The faults of one machine, oldest first."""

    def __init__(self) -> None:
        self.all: list[Fault] = []

    def has(self, kind: str) -> bool:
        return any(one.kind == kind for one in self.all)

    def of(self, kind: str) -> list[Fault]:
        return [one for one in self.all if one.kind == kind]

    def take(self, method: str, path: str) -> list[Fault]:
        """The faults that hit this request, each counted: at most one of each kind."""
        found: dict[str, Fault] = {}
        for fault in self.all:
            if fault.kind not in found and fault.hits(method, path):
                found[fault.kind] = fault
                if fault.remaining is not None:
                    fault.remaining -= 1
        self.all = [one for one in self.all if one.remaining != 0]
        return list(found.values())
