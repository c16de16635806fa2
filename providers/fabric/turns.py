"""Whose turn it is: no two ends of a cable change at once, half of each upper tier forwards, and a rollback stops the rest.

A provider process lives as long as one `pulumi up`, so what it knows is the run. Four things hold in a run, however many
switches the engine hands over at a time, and in whatever pieces (`--continue-on-error`, a small `--parallel`):

- The first change of a role (leaf, spine, core) is alone, and so is the next one, until one was good: also in a run
  in which the switches that usually come first have nothing to change.
- Neighbours never change together. A group is under way alone: the leaves; the spines with odd numbers, those with even ones;
  the cores likewise. A switch looks after its change whether its sessions are back: it would roll back
  for its neighbour's restart.
- Half of the spines (and of the cores) forward at any time, for the same reason.
- Once a change was rolled back, no other one begins (SWITCH-025), until that switch took one: what was wrong for one is likely
  to be wrong for all.

The order before that (a leaf, a spine and a core first, each) is the engine's, by `components.switches`: dependents of a switch
that failed are never handed over, in the next run neither.
"""

import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from providers.fabric import errors
from providers.kit import Cancel

ROLLED_BACK = frozenset({"rolled-back", "lost", "gone", "apply", "not-stored"})
"""Kinds of errors after which a change that is like it had better not begin."""
LOOK_S = 0.5
_NUMBER = re.compile(r"(\d+)(?:-p\d+)?$")


def group_of(plan: Mapping[str, Any] | None) -> str:
    """The group of a switch, by its slice of the plan: `leaf`, `spine-0`, `core-1`; one for all of which nobody knows."""
    role, name = str((plan or {}).get("role") or ""), str((plan or {}).get("name") or "")
    number = _NUMBER.search(name)
    return role if role in ("", "leaf") or number is None else f"{role}-{int(number[1]) % 2}"


class Turns:
    """The changes of one run."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._active: Counter[str] = Counter()
        self._good: set[str] = set()
        self._failed: set[str] = set()

    @contextmanager
    def turn(self, group: str, name: str, cancel: Cancel) -> Iterator[None]:
        """Waits until the group may change. Raises SWITCH-025 where another change was rolled back before, Cancelled."""
        self._wait(group, name, cancel)
        try:
            yield
            self._was_good(group, name)
        except errors.SwitchError as error:
            if error.kind in ROLLED_BACK:
                with self._changed:
                    self._failed.add(name)
            raise
        finally:
            with self._changed:
                self._active[group] -= 1
                self._changed.notify_all()

    def _wait(self, group: str, name: str, cancel: Cancel) -> None:
        with self._changed:
            while True:
                others = self._failed - {name}  # its own next try is how a switch becomes good again
                if others:
                    raise errors.held_back(name, min(others))
                if self._free(group):
                    break
                self._changed.wait(LOOK_S)
                cancel.check(name)
            self._active[group] += 1

    def _free(self, group: str) -> bool:
        under_way = {other for other, count in self._active.items() if count}
        return not under_way or (under_way == {group} and _role(group) in self._good)

    def _was_good(self, group: str, name: str) -> None:
        with self._changed:
            self._good.add(_role(group))
            self._failed.discard(name)


def _role(group: str) -> str:
    return group.partition("-")[0]
