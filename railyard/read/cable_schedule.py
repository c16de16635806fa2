"""The cable schedule as the crew sends it back: what they wrote into its last columns, by cable.

Columns are found by name, so a sheet from which others were deleted, or to which some were added, can be read too. A row that
contradicts another one is named and read no further; the others count.

    READ-002   no column `id`, or a column twice; a result that is neither pass nor fail; a loss that is no number
    READ-005   two rows of one cable with different values; one serial number on two cables
    READ-006   a cable that the plan doesn't have
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from railyard.model.errors import Problem
from railyard.read.results import meaning
from railyard.read.sheets import heads, rows_of
from railyard.read.text import Notebook

FILLED = ("serial", "a_optic_serial", "z_optic_serial", "test_result", "loss_db", "remark")
"""Columns of the crew, as `render.cables` writes them."""
SERIALS = ("serial", "a_optic_serial", "z_optic_serial")
_LOSS_MAX_DB = 100.0


@dataclass(frozen=True)
class FilledSchedule:
    """Values by cable id and column, only what was filled in; and every problem of the file."""

    values: Mapping[str, Mapping[str, str]]
    problems: tuple[Problem, ...]


def read_filled(text: str, source: str, known: Collection[str] | None = None) -> FilledSchedule:
    """Reads a filled `cables.csv`. `known` are the ids of the plan's cables; None: any id is taken."""
    notebook = Notebook(source)
    rows = rows_of(text, notebook)
    names = heads(rows[0][1]) if rows else ()
    if "id" not in names:
        notebook.add("READ-002", "no column id", "the schedule's own columns", "fill in cables.csv itself", 1, 1)
        return FilledSchedule({}, tuple(notebook.listed()))
    for name in ("id", *FILLED):
        if names.count(name) > 1:  # the last one would silently win, filled in or not
            notebook.add("READ-002", f"{names.count(name)} columns {name}", "one", "delete the one that isn't filled in", 1, 1)
    if notebook.problems:
        return FilledSchedule({}, tuple(notebook.listed()))
    # A serial number stands on one cable or optic only: a shared optic of two links is named in both of its rows.
    found: dict[str, dict[str, str]] = {}
    owners: dict[str, str] = {}
    for line, row in rows[1:]:
        cells = {name: cell for name, cell in zip(names, row, strict=False) if name}
        values = _values(cells, line, notebook)
        cable = cells.get("id", "")
        if not cable or values is None or not _fits(cable, values, found, known, line, notebook):
            continue
        serial = values.get("serial", "")
        if serial and owners.setdefault(serial, cable) != cable:
            limit = f"one cable for each serial number ({owners[serial]} above)"
            notebook.add("READ-005", f"serial {serial} again, on {cable}", limit, "read both labels once more", line, 1)
            continue
        if values:
            found[cable] = values
    return FilledSchedule(found, tuple(notebook.listed()))


def _values(cells: Mapping[str, str], line: int, notebook: Notebook) -> dict[str, str] | None:
    """What a row says, None where it can't be understood."""
    values = {name: cells[name].strip() for name in FILLED if cells.get(name, "").strip()}
    result = values.get("test_result", "")
    verdict = meaning(result)
    if verdict is None:
        notebook.add("READ-002", f"test_result `{result[:40]}`", "pass, fail or nothing", "write pass or fail", line, 1)
        return None
    loss = values.get("loss_db")
    if loss is not None and not _is_loss(loss):
        limit = f"a number of decibels from 0 to {_LOSS_MAX_DB:g}"
        notebook.add("READ-002", f"loss_db `{loss[:40]}`", limit, "write it with a point, as 0.84", line, 1)
        return None
    return values | ({"test_result": verdict} if verdict else {})


def _is_loss(text: str) -> bool:
    try:
        return 0 <= float(text) <= _LOSS_MAX_DB
    except ValueError:
        return False


def _fits(
    cable: str,
    values: Mapping[str, str],
    found: Mapping[str, Mapping[str, str]],
    known: Collection[str] | None,
    line: int,
    notebook: Notebook,
) -> bool:
    """Whether a row may be taken: a cable of the plan, and nothing else said of it before."""
    if known is not None and cable not in known:
        fix = "use the schedule of this plan; a cable that was moved has another id"
        notebook.add("READ-006", f"cable {cable[:80]}", "a cable of the plan", fix, line, 1)
        return False
    before = found.get(cable)
    if before is not None and dict(before) != dict(values):
        limit = "one row for each cable, or the same values"
        notebook.add("READ-005", f"cable {cable} again with other values", limit, "delete the wrong row", line, 1)
        return False
    return True
