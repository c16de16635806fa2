"""The cable schedule as it comes back: test results and serials."""

from collections import defaultdict
from collections.abc import Iterable

from railyard.audit.nouns import Design, SheetResult
from railyard.model.observed import Observation, SheetRow
from railyard.read.results import meaning


def sheet_results(design: Design, observations: Iterable[Observation]) -> tuple[SheetResult, ...]:
    """What is wrong beside each cable, by cable. Nothing where no sheet has these columns."""
    found: list[SheetResult] = []
    known = {link.cable for link in design.links} - {""}
    for file in observations:
        rows = [row for row in file.sheet if not known or row.cable in known]
        if not file.sheet:
            continue
        found += [SheetResult(row.cable, "isn't in the plan") for row in file.sheet if known and row.cable not in known]
        found += _serials(rows)
        results = any(row.result for row in rows)
        if rows and not results:
            found.append(SheetResult("", f"{file.source}: no test result in any of {len(rows)} rows"))
        found += [SheetResult(row.cable, said) for row in rows if results and (said := _result(row.result))]
        twice = _twice(file.sheet)
        found += [SheetResult(cable, "stands twice in the sheet") for cable in twice]
    return tuple(sorted(set(found), key=lambda row: (row.cable, row.problem)))


def _result(text: str) -> str:
    """What is to say of a result; empty for a pass."""
    said = {
        "": "was not tested",
        "pass": "",
        "fail": f"failed its test (`{text}`)",
        None: f"has a test result that means nothing here (`{text}`)",
    }
    return said[meaning(text)]


def _serials(rows: list[SheetRow]) -> list[SheetResult]:
    by_serial: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row.serial:
            by_serial[row.serial].append(row.cable)
    if not by_serial:
        return []
    problems = [SheetResult(row.cable, "has no serial") for row in rows if not row.serial]
    for serial, cables in by_serial.items():
        if len(set(cables)) > 1:
            problems += [SheetResult(cable, f"has the serial {serial}, as others do") for cable in cables]
    return problems


def _twice(rows: Iterable[SheetRow]) -> list[str]:
    seen: set[str] = set()
    twice: list[str] = []
    for row in rows:
        if row.cable in seen:
            twice.append(row.cable)
        seen.add(row.cable)
    return twice
