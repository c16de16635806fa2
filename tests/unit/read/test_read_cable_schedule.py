"""A schedule that comes back filled in: values by cable, contradictions by row."""

import csv
import io

import pytest

from railyard.audit import audit, design_of
from railyard.plan import plan
from railyard.read import read_fabric
from railyard.read.cable_schedule import read_filled
from railyard.read.results import RESULTS, meaning
from railyard.render.cables import cables_csv
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("C5", "U8")


@pytest.fixture(scope="module")
def planned():
    return plan(make_site(nodes=2))


def filled(planned, values):
    """The schedule with some cells filled in: {row: {column: value}}."""
    rows = list(csv.DictReader(io.StringIO(cables_csv(planned.cables, planned.cabling))))
    for number, cells in values.items():
        rows[number].update(cells)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def test_what_the_crew_wrote_survives_a_newer_schedule(planned):
    values = {
        0: {"serial": "MT1", "a_optic_serial": "OA1", "z_optic_serial": "OZ1", "test_result": "Pass", "loss_db": "0.84"},
        5: {"serial": "=1+1", "test_result": "failed", "remark": 'dirty, "cleaned"\nonce'},
    }
    back = read_filled(filled(planned, values), "cables.csv")
    assert back.problems == ()
    first, sixth = planned.cables[0].id, planned.cables[5].id
    assert set(back.values) == {first, sixth}
    assert back.values[first] == {**values[0], "test_result": "pass"}
    assert back.values[sixth]["test_result"] == "fail"
    again = read_filled(cables_csv(planned.cables, planned.cabling, back.values), "cables.csv")
    assert again.values == back.values
    assert again.problems == ()


def test_an_empty_schedule_fills_nothing_in(planned):
    assert read_filled(cables_csv(planned.cables, planned.cabling), "cables.csv").values == {}


@pytest.mark.parametrize(
    ("cells", "number", "found"),
    [
        ({"test_result": "maybe"}, "READ-002", "test_result `maybe`"),
        ({"loss_db": "0,84"}, "READ-002", "loss_db `0,84`"),
        ({"loss_db": "-1"}, "READ-002", "loss_db `-1`"),
        ({"loss_db": "nan"}, "READ-002", "loss_db `nan`"),
        ({"loss_db": "1e9"}, "READ-002", "loss_db `1e9`"),
        ({"id": "t-su009-gpu99:mlx5_0", "serial": "X"}, "READ-006", "cable t-su009-gpu99:mlx5_0"),
    ],
)
def test_a_row_that_can_not_be_right_is_named_with_its_line(planned, cells, number, found):
    text = filled(planned, {2: cells, 3: {"serial": "GOOD"}})
    back = read_filled(text, "cables.csv", {cable.id for cable in planned.cables})
    assert [(problem.id, problem.found, problem.where) for problem in back.problems] == [(number, found, "cables.csv:4:1")]
    assert back.values == {planned.cables[3].id: {"serial": "GOOD"}}, "the other rows count"


def test_contradictory_rows_are_named(planned):
    text = filled(planned, {0: {"serial": "MT1"}, 1: {"serial": "MT1"}, 2: {"serial": "MT2"}})
    head, *rest = text.splitlines(keepends=True)
    again = rest[2].replace("MT2", "MT3")
    back = read_filled(head + "".join(rest) + again, "cables.csv")
    assert [problem.id for problem in back.problems] == ["READ-005", "READ-005"]
    assert f"serial MT1 again, on {planned.cables[1].id}" in {problem.found for problem in back.problems}
    assert f"cable {planned.cables[2].id} again with other values" in {problem.found for problem in back.problems}
    assert back.values[planned.cables[2].id] == {"serial": "MT2"}


def test_the_same_row_twice_is_no_contradiction(planned):
    text = filled(planned, {0: {"serial": "MT1"}})
    head, first, *rest = text.splitlines(keepends=True)
    back = read_filled(head + first + first + "".join(rest), "cables.csv")
    assert back.problems == ()
    assert back.values == {planned.cables[0].id: {"serial": "MT1"}}


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "\x00\x00", "id", 'id,serial\n"broken'])
def test_what_is_no_schedule_is_said_to_be_none(text):
    back = read_filled(text, "x.csv")
    assert back.values == {}
    assert (back.problems == ()) == (text == "id")


def test_columns_in_another_order_and_semicolons():
    text = "test_result;ID;serial\npass;c1;S1\n;c2;\n"
    back = read_filled(text, "x.csv")
    assert back.values == {"c1": {"serial": "S1", "test_result": "pass"}}


def test_a_column_that_is_there_twice_is_named():
    """The last one would win, and an empty one would wipe out what the first says."""
    back = read_filled("id,serial,serial\na:1,SN1,\n", "back.csv")
    assert not back.values
    assert [(problem.id, problem.found) for problem in back.problems] == [("READ-002", "2 columns serial")]


@pytest.mark.parametrize("word", [*RESULTS, "OK", " Pass "])
def test_the_audit_and_the_next_schedule_take_the_same_words(planned, word):
    """One table: what the audit calls a pass is not refused when the schedule is written again."""
    back = read_filled(filled(planned, {0: {"test_result": word}}), "cables.csv")
    assert back.problems == ()
    cable = planned.cables[0].id
    assert back.values[cable]["test_result"] == meaning(word)
    config = make_site(nodes=2)
    everywhere = {row.id: {"test_result": word} for row in planned.cables}
    text = cables_csv(planned.cables, planned.cabling, everywhere)
    found = audit(design_of(planned, config.catalog, config.inventory), read_fabric([("cables.csv", text.encode())]))
    assert {row.problem for row in found.sheet} == (
        set() if meaning(word) == "pass" else {f"failed its test (`{word.strip()}`)"}
    )
