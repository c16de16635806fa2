"""The cable schedule as the crew sends it back: what they wrote into its last columns, by cable.

Columns are found by name, so a sheet from which others were deleted, or to which some were added, can be read too. A row that
contradicts another one is named and read no further; the others count.

    READ-002   no column `id`, or a column twice; a row that is cut short; a result that is neither pass nor fail; a loss that
               is no number, or beyond the budget of a cable that is said to have passed (`cli.filled`)
    READ-005   two rows of one cable with different values; one serial number on two cables
    READ-006   a cable that the plan doesn't have
    READ-009   other ends than the plan's (`moved_ends`): what was tested there isn't the planned cable
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from railyard.model.errors import Problem
from railyard.read.results import LOSS_LIMIT, loss_db, meaning
from railyard.read.sheets import heads, rows_of, whole_rows
from railyard.read.text import Notebook

FILLED = ("serial", "a_optic_serial", "z_optic_serial", "test_result", "loss_db", "remark")
"""Columns of the crew, as `render.cables` writes them."""
SERIALS = ("serial", "a_optic_serial", "z_optic_serial")
ENDS = ("a_device", "a_port", "z_device", "z_port", "a_second", "z_second")
"""Columns that say where a cable's plugs are."""
PortName = Callable[[str, str], str]
"""(device, name of one of its ports in the sheet) -> the port's name today."""


@dataclass(frozen=True)
class FilledSchedule:
    """Values by cable id and column, only what was filled in; and every problem of the file.

    `ends`: what the rows with values say of their cable's ends, by id and column (those that the sheet has).
    """

    values: Mapping[str, Mapping[str, str]]
    problems: tuple[Problem, ...]
    ends: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])


def read_filled(
    text: str, source: str, known: Collection[str] | None = None, port: PortName = lambda _device, name: name
) -> FilledSchedule:
    """Reads a filled `cables.csv`. `known` are the ids of the plan's cables; None: any id is taken.

    `port` gives the name that a device's port has today: a sheet may be older than the site's switch system.
    """
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
    ends: dict[str, dict[str, str]] = {}
    owners: dict[str, str] = {}
    for line, row in whole_rows(rows, notebook):
        cells = _today({name: cell for name, cell in zip(names, row, strict=False) if name}, port)
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
            ends[cable] = {name: cells[name].strip() for name in ENDS if name in cells}
    return FilledSchedule(found, tuple(notebook.listed()), ends)


def _today(cells: dict[str, str], port: PortName) -> dict[str, str]:
    """A row with today's names of its ports, in the id as well."""
    device, mark, name = cells.get("id", "").partition(":")
    said = {"id": f"{device}{mark}{port(device, name)}"} if mark else {}
    for end in ("a", "z"):
        own, known = cells.get(f"{end}_device", "").strip(), cells.get(f"{end}_port", "").strip()
        if own and known:
            said[f"{end}_port"] = port(own, known)
        device, mark, name = cells.get(f"{end}_second", "").strip().partition("/")
        if mark:
            said[f"{end}_second"] = f"{device}/{port(device, name)}"
    return cells | said


def moved_ends(schedule: FilledSchedule, planned: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Cables whose row names other ends than the plan does, each with the first difference in words.

    `planned`: id -> ENDS of every cable of the plan. What the sheet has no column for isn't compared.
    """
    found: dict[str, str] = {}
    for cable, said in schedule.ends.items():
        mine = planned.get(cable, {})
        for name, text in said.items():
            if name in mine and text != mine[name]:
                found[cable] = f"{name} {text[:80] or 'is empty'}, planned {mine[name] or 'nothing'}"
                break
    return found


def _values(cells: Mapping[str, str], line: int, notebook: Notebook) -> dict[str, str] | None:
    """What a row says, None where it can't be understood."""
    values = {name: cells[name].strip() for name in FILLED if cells.get(name, "").strip()}
    result = values.get("test_result", "")
    verdict = meaning(result)
    if verdict is None:
        notebook.add("READ-002", f"test_result `{result[:40]}`", "pass, fail or nothing", "write pass or fail", line, 1)
        return None
    loss = values.get("loss_db")
    if loss is not None and loss_db(loss) is None:
        notebook.add("READ-002", f"loss_db `{loss[:40]}`", LOSS_LIMIT, "write it with a point, as 0.84", line, 1)
        return None
    return values | ({"test_result": verdict} if verdict else {})


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
