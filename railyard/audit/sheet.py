"""The cable schedule as it comes back: test results and serials."""

from collections import defaultdict
from collections.abc import Iterable

from msgspec.structs import replace

from railyard.audit.nouns import Design, SheetResult
from railyard.model.observed import Observation, SheetRow
from railyard.read.results import LOSS_MAX_DB, loss_db, meaning, too_lossy


def sheet_results(design: Design, observations: Iterable[Observation]) -> tuple[SheetResult, ...]:
    """What is wrong beside each cable: first what is wrong by what is written, then what nobody has written; by cable."""
    found: list[SheetResult] = []
    known = {link.cable for link in design.links} - {""}
    for file in observations:
        file = replace(file, sheet=tuple(replace(row, cable=_today(design, known, row.cable)) for row in file.sheet))
        rows = [row for row in file.sheet if not known or row.cable in known]
        if not file.sheet:
            continue
        found += [_wrong(row.cable, "isn't in the plan") for row in file.sheet if known and row.cable not in known]
        found += _serials(rows)
        results = any(row.result for row in rows)
        if rows and not results:
            found.append(SheetResult("", f"{file.source}: no test result in any of {len(rows)} rows"))
        found += [one for row in rows if results and (one := _result(row))]
        found += [_wrong(row.cable, said) for row in rows if (said := _loss(row, design.budgets_db.get(row.cable)))]
        twice = _twice(file.sheet)
        found += [_wrong(cable, "stands twice in the sheet") for cable in twice]
    if not found:
        return ()
    places = {link.cable: f"{link.a_label} to {link.z_label}" for link in reversed(design.links) if link.a_label}
    placed = {replace(one, place=places.get(one.cable, "")) for one in found}
    return tuple(sorted(placed, key=lambda row: (not row.urgent, row.cable, row.problem)))


def _wrong(cable: str, problem: str) -> SheetResult:
    return SheetResult(cable, problem, urgent=True)


def _today(design: Design, known: set[str], cable: str) -> str:
    """The id that a cable has now: its lower end's port may have had another name when the sheet was printed."""
    device, mark, port = cable.partition(":")
    return cable if cable in known or not mark else f"{device}:{design.naming.port(device, port)}"


def _result(row: SheetRow) -> SheetResult | None:
    """What is to say of a result; None for a pass."""
    verdict = meaning(row.result)
    if verdict == "":
        return SheetResult(row.cable, "was not tested")
    if verdict is None:
        return _wrong(row.cable, f"has a test result that means nothing here (`{row.result}`)")
    return _wrong(row.cable, f"failed its test (`{row.result}`)") if verdict == "fail" else None


def _loss(row: SheetRow, budget_db: float | None) -> str:
    """What is to say of a loss, by the checks that `railyard plan --filled` has, too."""
    if row.loss.strip() and loss_db(row.loss) is None:
        return f"has a loss that is no number from 0 to {LOSS_MAX_DB:g} dB, with a point (`{row.loss}`)"
    return too_lossy(row.result, row.loss, budget_db)


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
            problems += [_wrong(cable, f"has the serial {serial}, as others do") for cable in cables]
    return problems


def _twice(rows: Iterable[SheetRow]) -> list[str]:
    seen: set[str] = set()
    twice: list[str] = []
    for row in rows:
        if row.cable in seen:
            twice.append(row.cable)
        seen.add(row.cable)
    return twice
