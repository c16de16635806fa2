"""The re-cabling work order as a crew reads it: a list on the screen, and a CSV with every step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from railyard.plan.growth import End, Work
from railyard.render.cables import safe_rows

COLUMNS = ("step", "action", "cable", "stays", "was", "now", "was_m", "now_m", "done", "by")
"""`done` and `by` are empty: the crew fills them in."""
_VERBS = (("move", "move"), ("replace", "replace"), ("park", "park first"), ("remove", "remove"), ("add", "add"))


def work_order_text(order: Sequence[Work], limit: int = 200) -> str:
    """How much there is to do, then each cable that is moved, replaced or parked; at most `limit` of them."""
    counts = Counter(work.action for work in order)
    summary = ", ".join(f"{counts[action]:,} {words}" for action, words in _VERBS if counts[action])
    moved = [_line(work) for work in order if work.action in ("move", "replace", "park")]
    rest = [f"  … and {len(moved) - limit:,} more"] if len(moved) > limit else []
    return "\n".join([f"Work order: {summary or 'nothing to do'}", *moved[:limit], *rest])


def _line(work: Work) -> str:
    stays = f"{_ends(work.stays)} stays; " if work.stays else ""
    length = f", {work.was_m:g} m → {work.now_m:g} m" if work.was_m != work.now_m else ""
    if work.action == "park":
        return f"  {work.step}. park {work.cable}: unplug {_ends(work.was)} and leave it hanging"
    if not work.now:
        return f"  {work.step}. {work.action} {work.cable}: {stays.removesuffix('; ')}{length}"
    return f"  {work.step}. {work.action} {work.cable}: {stays}{_ends(work.was)} → {_ends(work.now)}{length}"


def _ends(ends: Iterable[End]) -> str:
    return " and ".join(str(end) for end in ends)


def work_order_csv(order: Iterable[Work]) -> str:
    """Every step, one row each."""
    return safe_rows(COLUMNS, (_row(work) for work in order))


def _row(work: Work) -> tuple[str, ...]:
    was_m, now_m = ("" if length is None else f"{length:g}" for length in (work.was_m, work.now_m))
    return (str(work.step), work.action, work.cable, _ends(work.stays), _ends(work.was), _ends(work.now), was_m, now_m, "", "")
