"""Revisions of an NVUE switch: made, patched, applied, confirmed or rolled back by the switch's own timer.

States as NVUE names them: pending, checking, reloading, then applied_and_saved; with a confirm time `confirm` before that and,
if nobody confirms, `confirm_fail`. `invalid`, `apply_fail` and `ays_fail` end a revision. While one is being applied or waits
for its confirmation, the next one stays in `apply`.
"""

import copy
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lab.switches.intended import Intended, RefusedError
from lab.switches.nvue import tree as trees
from lab.switches.nvue.meaning import intended
from lab.switches.nvue.tree import Tree

DEFAULT_CONFIRM_S = 600.0
SAVED = "applied_and_saved"  # auto-save is on since 5.9, unless system.config.auto-save says otherwise


@dataclass
class Revision:
    """One revision. `issues` are what its transition shows."""

    id: str
    tree: Tree
    state: str = "pending"
    progress: str = ""
    issues: list[dict[str, Any]] = field(default_factory=list)

    def shown(self) -> dict[str, Any]:
        issues = {str(index): issue for index, issue in enumerate(self.issues)}
        return {"state": self.state, "transition": {"issue": issues, "progress": self.progress}}

    def fail(self, state: str, progress: str, where: str, reason: str, code: str = "config_invalid") -> None:
        """Ends the revision with an issue in NVUE's form."""
        self.state, self.progress = state, progress
        data = {"location": where, "reason": reason}
        self.issues = [{"code": code, "data": data, "message": f"Config invalid at {where}: {reason}", "severity": "error"}]


class Revisions:
    """All revisions of one switch. `act` makes a configuration effective; `save` keeps it over a reboot, `saved` gives that."""

    def __init__(
        self,
        applied: Tree,
        act: Callable[[Intended], None],
        save: Callable[[Tree], None],
        saved: Callable[[], Tree | None] = lambda: None,
    ) -> None:
        self.applied = applied
        self._act, self._save, self._saved = act, save, saved
        self._all: dict[str, Revision] = {}
        self._next = 1
        self._turn = threading.Lock()  # held while a revision is applied or waits for its confirmation
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._waiting: tuple[Revision, Tree] | None = None

    def create(self) -> Revision:
        """A new one, a copy of what is applied."""
        with self._lock:
            made = Revision(str(self._next), copy.deepcopy(self.applied))
            self._next += 1
            self._all[made.id] = made
            return made

    def find(self, ident: str) -> Revision | None:
        """By number, or `applied` and `startup`."""
        if ident == "applied":
            return Revision(ident, self.applied, SAVED)
        if ident == "startup":
            return Revision(ident, self._saved() or {}, SAVED)
        return self._all.get(ident)

    def all(self) -> dict[str, Revision]:
        return dict(self._all)

    def apply(self, revision: Revision, *, yes: bool, confirm_s: float | None) -> None:
        """Starts it; the state tells how it goes on. `yes`: questions of the kind "are you sure" are answered."""
        revision.state, revision.progress, revision.issues = "apply", "", []
        threading.Thread(target=self._run, args=(revision, yes, confirm_s), daemon=True).start()

    def _run(self, revision: Revision, yes: bool, confirm_s: float | None) -> None:
        self._turn.acquire()  # released perhaps in the timer's thread
        before = self.applied
        try:
            revision.state = "checking"
            wanted = intended(revision.tree)
            if not yes and _management(revision.tree) != _management(before):
                revision.fail("ays_fail", "Aborted apply after warnings", "eth0", "no answer to a warning", "client_timeout")
                self._turn.release()
                return
            revision.state = "reloading"
            self._act(wanted)
        except RefusedError as error:
            state = "apply_fail" if revision.state == "reloading" else "invalid"
            revision.fail(state, "Failed to apply" if state == "apply_fail" else "Invalid config", error.where, error.reason)
            if state == "apply_fail":
                self._act(intended(before))
            self._turn.release()
            return
        self.applied = revision.tree
        if confirm_s is None:
            self._keep(revision)
            return
        with self._lock:
            self._waiting = (revision, before)
            revision.state, revision.progress = "confirm", f"waiting for confirmation, {confirm_s:.0f} s"
            self._timer = threading.Timer(confirm_s, self.decide, (revision, False))
            self._timer.daemon = True
            self._timer.start()

    def decide(self, revision: Revision, keep: bool) -> bool:
        """Confirms (or not) the revision that waits for it; False if it doesn't wait."""
        with self._lock:
            waiting, self._waiting = self._waiting, None
            if waiting is None or waiting[0] is not revision:
                self._waiting = waiting
                return False
            if self._timer is not None:
                self._timer.cancel()
        if keep:
            self._keep(revision)
            return True
        self._act(intended(waiting[1]))
        self.applied = waiting[1]
        revision.state, revision.progress = "confirm_fail", "rolled back: not confirmed"
        self._turn.release()
        return True

    def _keep(self, revision: Revision) -> None:
        if _auto_save(self.applied):
            self._save(self.applied)
        revision.state, revision.progress = SAVED if _auto_save(self.applied) else "applied", ""
        self._turn.release()

    def edit(self, tree: Tree) -> None:
        """What an administrator does at the console: applied at once. Raises RefusedError."""
        with self._turn:
            self._act(intended(tree))
            self.applied = tree
            self._save(tree)


def _auto_save(tree: Tree) -> bool:
    try:
        found = trees.get(tree, ["system", "config", "auto-save"])
    except trees.NotThere:
        return True
    return not {"off", "disabled"} & {found.get("enable"), found.get("state")}


def _management(tree: Tree) -> Any:
    try:
        return trees.get(tree, ["interface", "eth0"])
    except trees.NotThere:
        return None
