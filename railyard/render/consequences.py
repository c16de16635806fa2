"""What a change means, in a few lines: the table that the program logs before the resource diff and the CLI prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from railyard.model.plan import SiteTotals
from railyard.plan.diff import Change, Move, changes

# Field of SiteTotals -> how it is called for people, unit, decimals. Names say what is counted.
_SHOWN: dict[str, tuple[str, str, int]] = {
    "gpus": ("GPUs", "", 0),
    "activeGpus": ("GPUs in active machines", "", 0),
    "peakKw": ("peak power", "kW", 1),
    "worstFeedPercent": ("worst feed when the other is lost", "%", 1),
    "worstSegmentPercent": ("worst UPS, panel or busway then", "%", 1),
    "bisectionGbPerS": ("bisection", "GB/s", 0),
    "cables": ("cables (all networks)", "", 0),
    "usableStorageTib": ("usable storage", "TiB", 1),
    "spareLeafPorts": ("spare leaf ports", "", 0),
}
_VERBS = {"move": "moves", "add": "new", "remove": "gone"}


def consequences(now: SiteTotals, old: Mapping[str, object] | None) -> str:
    """The totals as aligned text without a final newline; with `old`, also what each one was and by how much it changes.

    `old` is the `props()` of earlier totals; a number that it lacks is shown as `?`, never as zero.
    """
    rows = [["", "planned", "unit"] if old is None else ["", "was", "planned", "change", "unit"]]
    for change in changes(old, now):
        name, unit, decimals = _SHOWN.get(change.key, (change.title, "", 1))
        shown = _number(change.now, decimals)
        before = [] if old is None else [_number(change.was, decimals)]
        after = [] if old is None else [_change(change, decimals)]
        rows.append([name, *before, shown, *after, unit])
    feed = f"worst feed: {now.worst_feed}"
    was = (old or {}).get("worstFeed", now.worst_feed)
    if was != now.worst_feed:
        feed += f" (was {was})"
    if now.worst_segment is not None:
        feed += f"; above the racks: {now.worst_segment}, {now.worst_segment_when}"
    title = f"What {now.site} will be" if old is None else f"What changes in {now.site} against the earlier plan"
    return "\n".join([title, *_aligned(rows), f"  {feed}"])


def cable_moves(found: Iterable[Move], limit: int = 200, *, cables_too: bool = True) -> str:
    """How many cables come, go, move and change length and how many devices change their place, then each one that does.

    Devices first, then cables with their old and new ends (unless the work order tells them); at most `limit` lines of each.
    """
    moved = list(found)
    counts = Counter(move.kind for move in moved)
    head = [f"{counts[kind]:,} {verb}" for kind, verb in _VERBS.items()]
    lengths = sum(move.relength for move in moved)
    both = [(move, move.was, move.now) for move in moved if move.was and move.now]
    devices = [f"  {move.id}: {' '.join(was)}  →  {' '.join(now)}" for move, was, now in both if move.kind == "place"]
    cables = [_cable_move(move, " – ".join(was), " – ".join(now)) for move, was, now in both if move.kind != "place"]
    lines = [f"Cables against the earlier plan: {', '.join([*head, *([f'{lengths:,} change length'] if lengths else [])])}"]
    if devices:
        lines += [f"Devices against the earlier plan: {len(devices):,} change their place", *_cut(devices, limit)]
    return "\n".join([*lines, *(_cut(cables, limit) if cables_too else [])])


def _cable_move(move: Move, was: str, now: str) -> str:
    length = f" ({move.was_m:g} m → {move.now_m:g} m)" if move.relength else ""
    return f"  {move.id}: {was}{f'  →  {now}' if was != now else ''}{length}"


def _cut(lines: list[str], limit: int) -> list[str]:
    return [*lines[:limit], *([f"  … and {len(lines) - limit:,} more"] if len(lines) > limit else [])]


def _number(value: float | None, decimals: int) -> str:
    return "?" if value is None else f"{value:,.{decimals}f}"


def _change(change: Change, decimals: int) -> str:
    """The difference; `=` where both numbers read the same, so that rounding never shows a change of nothing."""
    if change.was is None or change.delta is None:
        return "?"
    same = _number(change.was, decimals) == _number(change.now, decimals)
    return "=" if same else f"{change.delta:+,.{decimals}f}"


def _aligned(rows: list[list[str]]) -> list[str]:
    """Names left, numbers right, units left."""
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines: list[str] = []
    for row in rows:
        numbers = [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
        lines.append("  " + "  ".join([row[0].ljust(widths[0]), *numbers, row[-1]]).rstrip())
    return lines
