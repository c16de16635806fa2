"""Whose turn it is: no two ends of a cable change at once, half of each upper tier forwards, and a rollback stops the rest.

A provider process lives as long as one `pulumi up`, so what is under way in it is the run. Three things hold in a run, however
many switches the engine hands over at a time:

- Neighbours never change together. A group is under way alone: the leaves; the spines with odd numbers, those with even ones;
  the cores likewise. A switch looks after its change whether its sessions are back: it would roll back
  for its neighbour's restart.
- Half of the spines (and of the cores) forward at any time, for the same reason.
- Once a change was rolled back, none begins any more (SWITCH-025): what was wrong for one is likely to be wrong for all.

The order before that (a leaf, a spine and a core first, alone) is the engine's: `components.switches`.
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
LINGER_S = 1.0
"""How long a refused call stays: a run that goes on (`--continue-on-error`) hands over the next one in the meantime."""
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
        self._inside = 0
        self._failed = ""

    @contextmanager
    def turn(self, group: str, name: str, cancel: Cancel) -> Iterator[None]:
        """Waits until the group may change. Raises SWITCH-025 where another change was rolled back meanwhile, Cancelled."""
        with self._changed:
            self._inside += 1
        try:
            self._wait(group, name, cancel)
            try:
                yield
            except errors.SwitchError as error:
                if error.kind in ROLLED_BACK:
                    self._stop(name)
                raise
            finally:
                with self._changed:
                    self._active[group] -= 1
                    self._changed.notify_all()
        finally:
            with self._changed:
                self._inside -= 1
                if not self._inside:
                    self._failed = ""  # nobody is left of that run

    def _wait(self, group: str, name: str, cancel: Cancel) -> None:
        with self._changed:
            while not self._failed and any(count for other, count in self._active.items() if other != group):
                self._changed.wait(LOOK_S)
                cancel.check(name)
            failed = self._failed
            if not failed:
                self._active[group] += 1
        if failed:
            cancel.wait(LINGER_S, name)
            raise errors.held_back(name, failed)

    def _stop(self, name: str) -> None:
        with self._changed:
            self._failed = self._failed or name
            self._changed.notify_all()
