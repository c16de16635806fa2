"""What the cabling crew wrote into a schedule isn't lost when the schedule is written again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import typer

from railyard.model.errors import Problem
from railyard.model.plan import Cable
from railyard.plan.names import listed
from railyard.read.cable_schedule import FILLED, SERIALS, FilledSchedule, PortName, moved_ends, read_filled
from railyard.read.results import too_lossy
from railyard.read.text import Notebook, ReadError, decode

SCHEDULE = "cables.csv"
BEFORE = "cables-before.csv"
_SHOWN = 3
_OTHER_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b")
"""UTF-16 (a sheet saved as Unicode text) and gzip: `decode` knows both."""


def kept_values(
    folder: Path,
    given: Path | None,
    cables: Iterable[Cable],
    port: PortName = lambda _device, name: name,
    budgets_db: Mapping[str, float] | None = None,
) -> Mapping[str, Mapping[str, str]]:
    """Values by cable id of the filled schedule: the one that is given, else the one that stands in the output folder.

    `cables` and the schedule have the names of the switches' system; `port` gives them for those of older sheets.
    Raises ReadError where rows contradict each other: one of them would be lost; and where a schedule that is given names other
    ends than the plan (READ-009). Rows of cables that the plan no longer has are named, and so are those in the folder whose
    ends differ, of which only serials stay: what was tested between other ports is no test of this cable. The old schedule is
    then kept as `cables-before.csv`. A cable that passed with more loss than `budgets_db` (dB by cable id) is refused where the
    schedule is given, and said where it stands in the folder.
    """
    source = given or folder / SCHEDULE
    if given is None and not source.is_file():
        return {}
    data = source.read_bytes()
    if given is None and not data.strip():
        return {}  # a run that was killed left it: nothing is lost
    text = _text(data, str(source))
    if given is None and FILLED[0] not in text.partition("\n")[0]:
        return {}  # a schedule of an older release has nothing to fill in
    back = read_filled(text, str(source), port=port)
    lossy = _lossy(back, budgets_db or {}, str(source))
    if back.problems or (given is not None and lossy):
        raise ReadError([*back.problems, *lossy])
    for problem in lossy:
        # A plan that has other optics now makes a good cable a bad one: said, and no reason to plan nothing.
        _say(f"{problem.where}: {problem.found}; {problem.fix}")
    planned = {cable.id: _ends(cable) for cable in cables}
    gone = sorted(set(back.values) - set(planned))
    moved = _moved(back, planned, str(source), refuse=given is not None)
    if gone or moved:
        (folder / BEFORE).parent.mkdir(parents=True, exist_ok=True)
        (folder / BEFORE).write_bytes(data)
    if gone:
        _say(f"filled in for cables that this plan doesn't have: {listed(gone, _SHOWN)}; kept in {BEFORE}")
    if moved:
        shown = listed(moved, _SHOWN)
        _say(f"filled in with other ends than the plan's: {shown}; of these only serials stay, the rest is in {BEFORE}")
    if len(back.values) > len(gone):
        _say(f"{len(back.values) - len(gone)} filled rows of the cable schedule are kept")
    return {
        name: {key: value for key, value in values.items() if name not in moved or key in SERIALS}
        for name, values in back.values.items()
        if name in planned
    }


def _lossy(back: FilledSchedule, budgets_db: Mapping[str, float], source: str) -> list[Problem]:
    """READ-002: rows that say pass and a loss beyond what the optics of the cable's class allow."""
    found: list[Problem] = []
    for cable, values in back.values.items():
        budget = budgets_db.get(cable)
        said = too_lossy(values.get("test_result", ""), values.get("loss_db", ""), budget)
        if said and budget is not None:
            fix = "clean the plugs and test again, or write fail"
            found.append(Problem("READ-002", f"{source}:{cable}", said, f"at most {budget:g} dB", fix))
    return found


def _ends(cable: Cable) -> dict[str, str]:
    """The ends of a cable as its row of the schedule names them."""
    (a_device, _, a_port), (z_device, _, z_port) = cable.a.partition("/"), cable.z.partition("/")
    seconds = {"a_second": cable.a_second or "", "z_second": cable.z_second or ""}
    return {"a_device": a_device, "a_port": a_port, "z_device": z_device, "z_port": z_port} | seconds


def _moved(back: FilledSchedule, planned: Mapping[str, Mapping[str, str]], source: str, *, refuse: bool) -> dict[str, str]:
    """Rows with other ends than the plan's. Raises ReadError with all of them where they are to be refused."""
    moved = moved_ends(back, planned)
    if moved and refuse:
        fix = "if the plugs are there, `railyard audit STACK` with this file says what to do; else correct the row"
        raise ReadError(
            Problem("READ-009", f"{source}:{cable}", said, "the plan's ends of that cable", fix)
            for cable, said in moved.items()
        )
    return moved


def _text(data: bytes, source: str) -> str:
    """The schedule's text. What is written again must be read without loss: a foreign code page is refused, never guessed."""
    notebook = Notebook(source)
    text = decode(data, notebook)
    if text is not None and not data.startswith(_OTHER_MARKS):
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            limit, fix = "text in UTF-8", "save the sheet as `CSV UTF-8`: the crew's letters would be lost"
            notebook.add("READ-002", f"byte 0x{data[error.start]:02x}, which is no UTF-8", limit, fix, line, 1)
    if text is None or notebook.problems:
        raise ReadError(notebook.listed())
    return text


def _say(text: str) -> None:
    """To stderr: `railyard report` prints a path and nothing else."""
    typer.echo(text, err=True)
