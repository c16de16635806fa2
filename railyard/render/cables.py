"""The cable schedule: every cable with both ends, as the cabling crew reads it."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from railyard.model.plan import Cable
from railyard.render.svg import clean

COLUMNS = (
    "id", "kind", "a_device", "a_port", "a_label", "z_device", "z_port", "z_label",
    "rail", "plane", "length_m", "medium", "link_gbps", "color",
)  # fmt: skip

# A spreadsheet runs a cell that starts with one of these as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class CableCount:
    """How many cables are alike in what one orders."""

    kind: str
    medium: str
    link_gbps: float
    length_m: float
    count: int


def cables_csv(cables: Iterable[Cable]) -> str:
    """The schedule as CSV, one row per cable in the plan's order. LF line ends, so that git shows changes by line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(row(cable) for cable in cables)
    return out.getvalue()


def row(cable: Cable) -> tuple[str, ...]:
    """One cable in the order of COLUMNS."""
    a_device, _, a_port = cable.a.partition("/")
    z_device, _, z_port = cable.z.partition("/")
    cells = (
        cable.id, cable.kind, a_device, a_port, cable.a_label, z_device, z_port, cable.z_label,
        "" if cable.rail is None else cable.rail, "" if cable.plane is None else cable.plane,
        f"{cable.length_m:g}", cable.medium, f"{cable.link_gbps:g}", cable.color,
    )  # fmt: skip
    return tuple(_safe(clean(cell)) for cell in cells)


def alike(cables: Iterable[Cable]) -> list[CableCount]:
    """Cables counted by what has to be ordered, sorted."""
    counted = Counter((cable.kind, cable.medium, cable.link_gbps, cable.length_m) for cable in cables)
    return [CableCount(*key, count) for key, count in sorted(counted.items())]


def _safe(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
