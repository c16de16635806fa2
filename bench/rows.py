"""Rows of bench.json and the table that people read."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

COLUMNS = ("name", "value", "unit", "baseline", "ratio", "limit", "")


def peak_mib() -> float:
    """The most memory that this process has had since it began, in MiB.

    Not `getrusage`: its figure is inherited over fork and exec, so a small process started by a large one looks large.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@dataclass(frozen=True)
class Row:
    """One figure. `limit` bounds the ratio where there is a baseline and `of_ratio`, else the value; None: for information."""

    name: str
    value: float
    unit: str
    baseline: float | None = None
    limit: float | None = None
    of_ratio: bool = False
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Value over baseline, both from this run."""
        return self.value / self.baseline if self.baseline else None

    @property
    def ok(self) -> bool | None:
        """Within the limit; None where there is none."""
        if self.limit is None:
            return None
        judged = self.ratio if self.of_ratio else self.value
        return judged is not None and judged <= self.limit

    def as_json(self) -> dict[str, Any]:
        """The row of bench.json."""
        kept = {name: value for name, value in asdict(self).items() if name != "of_ratio" and value not in (None, "")}
        ratio = round(self.ratio, 3) if self.ratio is not None else None
        return {"baseline": None, "limit": None, **kept, "value": round(self.value, 4), "ratio": ratio, "ok": self.ok}


def table(rows: Sequence[Row]) -> str:
    """Aligned columns; the last one says ok, or MISSED."""
    cells = [COLUMNS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(COLUMNS))]
    lines = []
    for line in cells:
        padded = (text.ljust(width) if column in (0, 2, 6) else text.rjust(width)
                  for column, (text, width) in enumerate(zip(line, widths, strict=True)))  # fmt: skip
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def missed(rows: Sequence[Row]) -> list[Row]:
    """The rows beyond their limit."""
    return [row for row in rows if row.ok is False]


def write(rows: Sequence[Row], path: Path) -> None:
    """bench.json, replaced as a whole."""
    path.write_text(json.dumps([row.as_json() for row in rows], indent=1) + "\n", encoding="utf-8")


def _cells(row: Row) -> tuple[str, ...]:
    verdict = {None: "", True: "ok", False: "MISSED"}[row.ok]
    limit = "" if row.limit is None else f"{_number(row.limit)}{'x' if row.of_ratio else ''}"
    end = f"{verdict}{'  ' if verdict and row.note else ''}{row.note}"
    return (row.name, _number(row.value), row.unit, _number(row.baseline), _number(row.ratio), limit, end)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return (
        f"{value:.0f}"
        if float(value).is_integer() and abs(value) >= 10
        else f"{value:.3g}"
        if abs(value) < 100
        else f"{value:.1f}"
    )
