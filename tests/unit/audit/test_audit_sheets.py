"""Tables that people fill in, the returned schedule, and what we write for people."""

import csv
import io

import pytest

from railyard.audit import audit
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
