"""The cable schedule: every cable with both ends, as the cabling crew reads it and fills it in.

The last columns (`FILLED`) are empty: serial numbers, the test's result and a remark. A filled schedule is read back by
`railyard.read.cable_schedule`; `carry_over` puts its values into a newer schedule.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from railyard.model.cabling import CableClass, CableEnd, CablingPlan
from railyard.model.plan import Cable
from railyard.plan.cabling import tier_of
from railyard.plan.pulls import Pull, pull_order
from railyard.render.svg import clean

FILLED = ("serial", "a_optic_serial", "z_optic_serial", "test_result", "loss_db", "remark")
"""Columns that the crew fills in."""
COLUMNS = (
    "id", "kind", "bundle", "pull_order",
    "a_rack", "a_u", "a_device", "a_cage", "a_port", "a_label",
    "z_rack", "z_u", "z_device", "z_cage", "z_port", "z_label",
    "a_second", "z_second", "rail", "plane", "length_m", "route_m", "medium", "part", "connector", "polarity",
    "a_plug", "z_plug", "link_gbps", "color", *FILLED,
)  # fmt: skip
BUNDLE_CABLES = 24

# A spreadsheet runs a cell that starts with one of these as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class CableCount:
    """How many cables are alike in what one orders."""

    kind: str
    sku: str
    medium: str
    link_gbps: float
    length_m: float
    count: int


def cables_csv(
    cables: Iterable[Cable],
    cabling: CablingPlan | None = None,
    filled: Mapping[str, Mapping[str, str]] | None = None,
    bundle_cables: int = BUNDLE_CABLES,
) -> str:
    """The schedule as CSV, one row per cable in the plan's order. LF line ends, so that git shows changes by line.

    `filled` are values of the crew's columns by cable id; they go where the crew had put them.
    """
    rows, out = list(cables), io.StringIO()
    classes = class_index(cabling)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    pulls = pull_order(rows, bundle_cables)
    writer.writerows(
        row(cable, pull, classes.get(class_key(cable)), (filled or {}).get(cable.id))
        for cable, pull in zip(rows, pulls, strict=True)
    )
    return out.getvalue()


def class_index(cabling: CablingPlan | None) -> dict[tuple[str, str, str], CableClass]:
    """Classes by tier, part and medium."""
    return {(item.kind, item.sku, item.medium): item for item in cabling.classes} if cabling else {}


def class_key(cable: Cable) -> tuple[str, str, str]:
    """The class that a cable belongs to."""
    return (tier_of(cable.kind, cable.id.partition(":")[0]), cable.sku, cable.medium)


def row(cable: Cable, pull: Pull, kind: CableClass | None, filled: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """One cable in the order of COLUMNS."""
    a_device, _, a_port = cable.a.partition("/")
    z_device, _, z_port = cable.z.partition("/")
    a_rack, a_u, a_cage = place_of(cable.a_label)
    z_rack, z_u, z_cage = place_of(cable.z_label)
    cells = (
        cable.id, cable.kind, pull.bundle, pull.order,
        a_rack, a_u, a_device, a_cage, a_port, cable.a_label,
        z_rack, z_u, z_device, z_cage, z_port, cable.z_label,
        cable.a_second or "", cable.z_second or "",
        "" if cable.rail is None else cable.rail, "" if cable.plane is None else cable.plane,
        f"{cable.length_m:g}", f"{cable.route_m:g}", cable.medium, cable.sku,
        kind.a.connector if kind else "", (kind.polarity or "") if kind else "",
        plug_of(kind.a) if kind else "", plug_of(kind.z) if kind else "",
        f"{cable.link_gbps:g}", cable.color, *((filled or {}).get(name, "") for name in FILLED),
    )  # fmt: skip
    return tuple(_safe(clean(cell)) for cell in cells)


def place_of(label: str) -> tuple[str, str, str]:
    """(rack, U, cage) that a physical label names: `R004-U12-P3/2` is (`R004`, `12`, `P3`); empty what it doesn't name.

    What hangs in no U has none: `R004-PDU-A1` is (`R004`, ``, `PDU-A1`).
    """
    rack, _, rest = label.partition("-")
    if not (rack[:1] == "R" and rack[1:].isdigit()):
        return ("", "", "")
    u, _, port = rest.partition("-")
    if u[:1] == "U" and u[1:].isdigit():
        return rack, u[1:].lstrip("0"), port.partition("/")[0]
    return rack, "", rest.partition("/")[0]


def plug_of(end: CableEnd) -> str:
    """What sits in the cage: the optic, or the plug of the cable."""
    return end.optic or end.connector


def alike(cables: Iterable[Cable]) -> list[CableCount]:
    """Cables counted by what has to be ordered, sorted."""
    counted = Counter((cable.kind, cable.sku, cable.medium, cable.link_gbps, cable.length_m) for cable in cables)
    return [CableCount(*key, count) for key, count in sorted(counted.items())]


def safe_rows(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A CSV with LF line ends in which no cell is a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_safe(clean(cell)) for cell in cells] for cells in rows)
    return out.getvalue()


def _safe(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
