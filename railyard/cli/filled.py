"""What the cabling crew wrote into a schedule isn't lost when the schedule is written again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import typer

from railyard.read.cable_schedule import FILLED, read_filled
from railyard.read.text import Notebook, ReadError, decode

SCHEDULE = "cables.csv"
BEFORE = "cables-before.csv"
_SHOWN = 3
_OTHER_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b")
"""UTF-16 (a sheet saved as Unicode text) and gzip: `decode` knows both."""


def kept_values(folder: Path, given: Path | None, cables: Collection[str]) -> Mapping[str, Mapping[str, str]]:
    """Values by cable id of the filled schedule: the one that is given, else the one that stands in the output folder.

    Raises ReadError where rows contradict each other: one of them would be lost. Rows of cables that the plan no longer has are
    named, and the whole old schedule is kept as `cables-before.csv`.
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
    back = read_filled(text, str(source))
    if back.problems:
        raise ReadError(back.problems)
    gone = sorted(set(back.values) - set(cables))
    if gone:
        (folder / BEFORE).parent.mkdir(parents=True, exist_ok=True)
        (folder / BEFORE).write_bytes(data)
        more = f" and {len(gone) - _SHOWN} more" if len(gone) > _SHOWN else ""
        _say(f"filled in for cables that this plan doesn't have: {', '.join(gone[:_SHOWN])}{more}; kept in {BEFORE}")
    if len(back.values) > len(gone):
        _say(f"{len(back.values) - len(gone)} filled rows of the cable schedule are kept")
    return {name: values for name, values in back.values.items() if name not in set(gone)}


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
