"""Tables that people fill in, the returned schedule, and what we write for people."""

import csv
import io

import pytest

from railyard.audit import audit
from railyard.read import ReadError
from railyard.read.cable_schedule import read_filled
from railyard.render import cables_csv
from railyard.render.audit import COLUMNS, audit_csv, audit_html, audit_text
from tests.unit.audit_files import check, ids, planned, seen

pytestmark = pytest.mark.requirement("N5")


def test_returned_schedule():
    made, wanted = planned(nodes=4)
    text = cables_csv(made.cables)
    rows = list(csv.DictReader(io.StringIO(text)))
    for number, row in enumerate(rows):
        row["serial"], row["test_result"] = f"S{number:04d}", "pass"
    assert audit(wanted, seen(as_csv(rows))).findings == ()
    rows[0]["test_result"], rows[1]["test_result"], rows[2]["serial"] = "fail", "", rows[3]["serial"]
    rows[4]["z_device"], rows[5]["z_device"] = rows[5]["z_device"], rows[4]["z_device"]
    rows[6]["test_result"] = "maybe"
    found = audit(wanted, seen(as_csv(rows)))
    problems = {one.cable: one.problem for one in found.sheet}
    assert problems[rows[0]["id"]] == "failed its test (`fail`)"
    assert problems[rows[1]["id"]] == "was not tested"
    assert problems[rows[2]["id"]].startswith(f"has the serial {rows[3]['serial']}")
    assert "means nothing here" in problems[rows[6]["id"]]
    assert len(problems) == 5
    assert len([one for one in found.differences if one.kind in ("crossed", "swapped", "tangled")]) == 1


def test_many_rows_with_one_problem_are_one_finding():
    made, wanted = planned(nodes=4)
    rows = list(csv.DictReader(io.StringIO(cables_csv(made.cables))))
    for row in rows:
        row["test_result"] = "fail"
    rows[0] |= {"test_result": "pass", "serial": "S1"}
    found = [finding for finding in audit(wanted, seen(as_csv(rows))).findings if finding.id == "AUDIT-014"]
    untested = f"{len(rows) - 1:,} cables: each "
    assert sorted(finding.found for finding in found) == [untested + "failed its test (`fail`)", untested + "has no serial"]
    assert all(finding.where.count(", ") > 1 for finding in found)
    assert all(finding.where.endswith(" more") for finding in found)


def test_what_failed_and_what_stands_twice_is_named_first_with_its_place():
    """Sample of a network engineer: one `fail`, one serial on two cables, nothing else filled in yet."""
    made, wanted = planned(nodes=4)
    rows = list(csv.DictReader(io.StringIO(cables_csv(made.cables))))
    last, twin, other = rows[-1], rows[-2], rows[-3]
    last["test_result"] = "fail"
    twin["serial"] = other["serial"] = "MT1"
    found = audit(wanted, seen(as_csv(rows)))
    lines = audit_text(found).splitlines()
    told = lines[lines.index("Returned schedule:") + 1 :]
    labels = [
        f"{row['id']} ({row['a_label']} to {row['z_label']}): "
        for row in (last, *sorted((twin, other), key=lambda row: row["id"]))
    ]
    assert told[0].strip() == labels[0] + "failed its test (`fail`)"
    assert [line.strip() for line in told[1:3]] == [label + "has the serial MT1, as others do" for label in labels[1:]]
    counted = [f"  {len(rows) - 2:,} cables: each has no serial", f"  {len(rows) - 1:,} cables: each was not tested"]
    assert sorted(told[3:5]) == sorted(counted)
    assert told[5] == ""
    assert [finding.id for finding in found.findings] == ["AUDIT-014"] * 4
    failed = [finding for finding in found.findings if "failed" in finding.found]
    assert [finding.where for finding in failed] == [labels[0][:-2]]


@pytest.mark.parametrize(
    ("loss", "result", "said"),
    [
        ("9.9", "pass", "passed its test with 9.9 dB, above its budget of 1.55 dB"),
        ("9.9", "fail", "failed its test (`fail`)"),
        ("1.55", "pass", ""),
        ("1.56", "pass", "passed its test with 1.56 dB, above its budget of 1.55 dB"),
        ("3,1", "pass", "has a loss that is no number from 0 to 100 dB, with a point (`3,1`)"),
        ("-1", "pass", "has a loss that is no number"),
        ("nan", "pass", "has a loss that is no number"),
        ("", "pass", ""),
    ],
)
def test_a_loss_is_judged_by_the_budget_of_its_optics(loss, result, said):
    made, wanted = planned(nodes=4, cabling={"slackPercent": 5, "dropM": 8})
    rows = list(csv.DictReader(io.StringIO(cables_csv(made.cables))))
    for number, row in enumerate(rows):
        row["serial"], row["test_result"] = f"S{number:04d}", "pass"
    row = next(row for row in rows if row["kind"] == "leaf-spine")
    assert row["medium"] == "multimode-om4"
    row |= {"loss_db": loss, "test_result": result}
    found = audit(wanted, seen(as_csv(rows)))
    assert len(found.sheet) == bool(said)
    assert all(one.problem.startswith(said) and one.urgent for one in found.sheet)


def test_a_sheet_that_was_cut_in_a_row_is_refused_wherever_it_was_cut():
    """Also where both ends are still there: serial and result of that row are lost."""
    made, _ = planned(nodes=4)
    text = cables_csv(made.cables)
    line = text.splitlines()[40]
    start = text.index(line)
    for kept in (20, len(line) // 2, len(line) - 2):
        with pytest.raises(ReadError) as error:
            seen(text[: start + kept])
        (problem,) = error.value.problems
        assert problem.id == "READ-002"
        assert "cells" in problem.found
        back = read_filled(text[: start + kept], "back.csv")
        assert [one.id for one in back.problems] == ["READ-002"]
        assert back.problems[0].found == problem.found


def test_a_decimal_comma_without_quotes_is_two_cells_and_said():
    made, _ = planned(nodes=4)
    lines = cables_csv(made.cables).splitlines()
    lines[3] = lines[3] + ",1"
    for read in (seen, lambda text: read_filled(text, "back.csv").problems[0]):
        try:
            problem = read("\n".join(lines) + "\n")
        except ReadError as error:
            problem = error.problems[0]
        assert (problem.id, problem.line) == ("READ-002", 4)
        assert "3,1" in problem.fix


def test_empty_schedule_says_once_that_nothing_was_tested():
    made, wanted = planned(nodes=4)
    found = audit(wanted, seen(cables_csv(made.cables)))
    assert ids(found) == ["AUDIT-014"]


def as_csv(rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def test_a_sheet_of_a_person_never_names_by_position():
    """In a p2p sheet another name is another host, not one without a name."""
    _, wanted = planned(nodes=4)
    head = "Rack,U,Name,HCA/Port,Rack,U,Name,Port\n"
    rows = [link for link in wanted.links if link.network == "training"]
    lines = [f",,{link.a.device},{link.a.port},,,{link.z.device},{link.z.port}" for link in rows]
    assert audit(wanted, seen(head + "\n".join(lines))).findings == ()
    lines[0] = lines[0].replace(rows[0].a.device, "t-su001-gpu99")
    found = audit(wanted, seen(head + "\n".join(lines)))
    assert found.named_by_position == ()
    assert [one.kind for one in found.differences] == ["moved"]


def test_cage_labels_are_ports():
    """QM9700: port 33 is in cage 17; sheets write 17/1."""
    _, wanted = planned(nodes=4)
    head = "Rack,U,Name,HCA/Port,Rack,U,Name,Port\n"
    lines = []
    for link in wanted.links:
        if link.network == "training":
            cage, part = divmod(int(link.z.port) - 1, 2)
            lines.append(f",,{link.a.device},{link.a.port},,,{link.z.device},{cage + 1}/{part + 1}")
    assert audit(wanted, seen(head + "\n".join(lines))).findings == ()


def test_pages_and_tables_escape_what_files_say(wanted, built):
    built.says["t-su001-gpu01/mlx5_0"] = "<script>alert(1)</script>"
    built.says["t-su001-gpu02/mlx5_0"] = "=cmd|' /C calc'!A0 mlx5_0\x1b[31m"
    found = check(wanted, built)
    page = audit_html(found)
    assert "<script>" not in page
    assert "\x1b" not in page
    assert "\x1b" not in audit_text(found)
    assert "http" not in page.replace("http-equiv", "")
    rows = list(csv.reader(io.StringIO(audit_csv(found))))
    assert tuple(rows[0]) == COLUMNS
    assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row)
