"""A schedule that the crew has filled in survives the next `railyard plan`."""

import csv
import io

import pytest

pytestmark = pytest.mark.requirement("C5", "U8")


def rows(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def write(path, table):
    out = io.StringIO()
    writer = csv.DictWriter(out, list(table[0]))
    writer.writeheader()
    writer.writerows(table)
    path.write_text(out.getvalue(), encoding="utf-8")


def test_values_in_the_output_folder_are_kept(checkout, railyard):
    railyard("plan", "lab")
    schedule = checkout / "out/lab/cables.csv"
    table = rows(schedule)
    table[4] |= {"serial": "MT2301", "test_result": "pass", "loss_db": "0.7"}
    write(schedule, table)
    result = railyard("plan", "lab")
    assert "1 filled rows of the cable schedule are kept" in result.stderr
    assert rows(schedule)[4] == table[4]
    assert not (checkout / "out/lab/cables-before.csv").exists()


def test_a_schedule_from_elsewhere_is_given(checkout, railyard, tmp_path):
    railyard("plan", "lab")
    table = rows(checkout / "out/lab/cables.csv")
    table[0]["serial"] = "MT1"
    write(tmp_path / "back.csv", table)
    railyard("plan", "lab", "--filled", tmp_path / "back.csv")
    assert rows(checkout / "out/lab/cables.csv")[0]["serial"] == "MT1"


def test_contradictory_rows_stop_the_plan_and_nothing_is_written(checkout, railyard):
    railyard("plan", "lab")
    schedule = checkout / "out/lab/cables.csv"
    table = rows(schedule)
    table[0]["serial"] = table[1]["serial"] = "MT1"
    table[2]["test_result"] = "perhaps"
    write(schedule, table)
    before = schedule.read_bytes()
    result = railyard("plan", "lab")
    assert result.exit_code == 2
    assert "2 problems" in result.stderr
    assert "READ-005" in result.stderr
    assert "perhaps" in result.stderr
    assert schedule.read_bytes() == before


def test_rows_of_cables_that_are_gone_are_named_and_kept_aside(checkout, railyard):
    railyard("plan", "lab")
    schedule = checkout / "out/lab/cables.csv"
    table = rows(schedule)
    table[0] |= {"id": "lab-su009-gpu01:mlx5_0", "serial": "MT9"}
    write(schedule, table)
    before = schedule.read_bytes()
    result = railyard("plan", "lab")
    assert "lab-su009-gpu01:mlx5_0" in result.stderr
    assert (checkout / "out/lab/cables-before.csv").read_bytes() == before
    assert "MT9" not in schedule.read_text()


def test_a_schedule_of_an_older_release_has_nothing_to_keep(checkout, railyard):
    folder = checkout / "out/lab"
    folder.mkdir(parents=True)
    (folder / "cables.csv").write_text("id,kind\nx,node-leaf\n")
    assert railyard("plan", "lab").exit_code == 0


def test_a_filled_schedule_that_is_not_there_is_said(checkout, railyard):
    result = railyard("plan", "lab", "--filled", "nowhere.csv")
    assert result.exit_code == 2
    assert "nowhere.csv" in result.stderr


def test_a_foreign_code_page_is_refused_and_not_written_over(checkout, railyard):
    """A sheet program that saves `Störung` as cp1252: written again as U+FFFD, the crew's word would be gone for good."""
    railyard("plan", "lab")
    schedule = checkout / "out/lab/cables.csv"
    table = rows(schedule)
    table[0]["remark"] = "Störung"
    write(schedule, table)
    schedule.write_bytes(schedule.read_text(encoding="utf-8").encode("cp1252"))
    before = schedule.read_bytes()
    result = railyard("plan", "lab")
    assert result.exit_code == 2
    assert "byte 0xf6, which is no UTF-8" in result.stderr
    assert ":2:1" in result.stderr
    assert schedule.read_bytes() == before


def test_a_sheet_saved_as_unicode_text_is_read(checkout, railyard, tmp_path):
    railyard("plan", "lab")
    table = rows(checkout / "out/lab/cables.csv")
    table[0]["remark"] = "Störung"
    write(tmp_path / "back.csv", table)
    (tmp_path / "back.csv").write_bytes((tmp_path / "back.csv").read_text(encoding="utf-8").encode("utf-16"))
    railyard("plan", "lab", "--filled", tmp_path / "back.csv")
    assert rows(checkout / "out/lab/cables.csv")[0]["remark"] == "Störung"


def test_an_empty_schedule_that_a_killed_run_left_is_written_anew(checkout, railyard):
    railyard("plan", "lab")
    (checkout / "out/lab/cables.csv").write_bytes(b"")
    assert railyard("plan", "lab").exit_code == 0
    assert rows(checkout / "out/lab/cables.csv")


@pytest.mark.parametrize("column", ["z_device", "z_port", "a_port"])
def test_a_given_schedule_with_edited_ends_is_refused(checkout, railyard, tmp_path, column):
    """Every row is named, and nothing is written: the test result there isn't that of the planned cable."""
    railyard("plan", "lab")
    schedule = checkout / "out/lab/cables.csv"
    before, table = schedule.read_bytes(), rows(schedule)
    for number in (0, 2):
        table[number] |= {"serial": f"MT{number}", "test_result": "pass", column: "swp63"}
    table[1][column] = "swp62"  # nothing filled in: nothing to lose, the audit's to tell
    write(tmp_path / "back.csv", table)
    result = railyard("plan", "lab", "--filled", tmp_path / "back.csv")
    assert result.exit_code == 2
    assert result.stderr.count("READ-009") == 2
    assert f"{column} swp63, planned" in result.stderr
    assert schedule.read_bytes() == before


def test_rows_of_the_folder_with_other_ends_keep_their_serials_only(checkout, railyard):
    """After growth beyond the plan a cable's upper plug is elsewhere: the cable is the same, its test isn't."""
    railyard("plan", "lab")
    schedule = checkout / "out/lab/cables.csv"
    table = rows(schedule)
    table[0] |= {"serial": "MT0", "z_optic_serial": "OZ0", "test_result": "pass", "loss_db": "0.4", "z_port": "63"}
    write(schedule, table)
    edited = schedule.read_bytes()
    result = railyard("plan", "lab")
    assert result.exit_code in (0, 1)
    assert f"other ends than the plan's: {table[0]['id']}" in result.stderr
    kept = rows(schedule)[0]
    assert (kept["serial"], kept["z_optic_serial"], kept["test_result"], kept["loss_db"]) == ("MT0", "OZ0", "", "")
    assert (checkout / "out/lab/cables-before.csv").read_bytes() == edited


def test_a_schedule_that_was_cut_in_a_row_is_refused_and_nothing_is_written(checkout, railyard, tmp_path):
    railyard("plan", "lab")
    schedule = checkout / "out/lab/cables.csv"
    text = schedule.read_text(encoding="utf-8")
    (tmp_path / "back.csv").write_text(text[: len(text) // 2 + 7], encoding="utf-8")
    result = railyard("plan", "lab", "--filled", tmp_path / "back.csv")
    assert result.exit_code == 2
    assert "READ-002" in result.stderr
    assert "cut short" in result.stderr
    assert schedule.read_text(encoding="utf-8") == text


def test_a_pass_with_too_much_loss_is_refused_from_elsewhere_and_said_in_the_folder(checkout, railyard, tmp_path):
    railyard("plan", "lab")
    schedule = checkout / "out/lab/cables.csv"
    table = rows(schedule)
    row = next(row for row in table if row["a_plug"].startswith("mm") and row["kind"] == "leaf-spine")
    row |= {"serial": "MT1", "test_result": "pass", "loss_db": "9.9"}
    write(tmp_path / "back.csv", table)
    result = railyard("plan", "lab", "--filled", tmp_path / "back.csv")
    assert result.exit_code == 2
    assert "passed its test with 9.9 dB, above its budget of" in result.stderr
    write(schedule, table)
    result = railyard("plan", "lab")
    assert result.exit_code == 0
    assert "passed its test with 9.9 dB" in result.stderr
    assert "MT1" in schedule.read_text()
