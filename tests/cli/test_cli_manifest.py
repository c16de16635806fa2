"""A changed stack leaves nothing of the earlier one behind, and nothing of the user's is touched."""

import shutil
import subprocess

import pytest

from railyard.cli.manifest import MANIFEST, write_files

pytestmark = pytest.mark.requirement("C5", "U8")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "out"


def content(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST
    }


OLD = {
    "plan.json": b"1",
    "infiniband/a/opensm.conf": b"2",
    "infiniband/a/guids": b"3",
    "hosts/dgx-a100/x": b"4",
    "hosts/y": b"5",
}
NEW = {"plan.json": b"6", "switches/eos/leaf": b"7", "hosts/y": b"5"}


def test_what_an_earlier_plan_wrote_is_removed_with_its_empty_folders_and_said(folder, capsys):
    write_files(folder, OLD)
    assert capsys.readouterr().err == ""
    write_files(folder, NEW)
    assert content(folder) == NEW
    assert {path.name for path in folder.iterdir()} == {"plan.json", "switches", "hosts", MANIFEST}
    said = capsys.readouterr().err
    assert "infiniband/ (2 files)" in said
    assert "hosts/dgx-a100/ (1 file)" in said


def test_files_of_the_user_and_those_that_somebody_changed_stay(folder, capsys):
    write_files(folder, OLD)
    (folder / "infiniband/a/guids").write_bytes(b"with a serial that I added")
    (folder / "infiniband/mine.txt").write_bytes(b"a note")
    (folder / "cables-before.csv").write_bytes(b"id,serial")
    write_files(folder, NEW)
    mine = {
        "infiniband/a/guids": b"with a serial that I added",
        "infiniband/mine.txt": b"a note",
        "cables-before.csv": b"id,serial",
    }
    assert content(folder) == NEW | mine
    said = capsys.readouterr().err
    assert "infiniband/a/opensm.conf" in said
    assert "changed since: infiniband/a/guids" in said
    write_files(folder, NEW)
    assert content(folder) == NEW | mine, "what was kept once is the user's from then on"


def test_a_manifest_that_names_other_places_removes_nothing_there(folder, tmp_path):
    write_files(folder, OLD)
    secret = tmp_path / "secret"
    secret.write_bytes(b"2")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "guids").write_bytes(b"3")
    shutil.rmtree(folder / "infiniband/a")
    (folder / "infiniband/a").symlink_to(elsewhere)
    sums = dict(line.split("  ")[::-1] for line in (folder / MANIFEST).read_text().splitlines()[1:])
    two = sums["infiniband/a/opensm.conf"]
    with (folder / MANIFEST).open("a") as file:
        file.write(f"{two}  ../secret\n{two}  {secret}\nnonsense\n")
    write_files(folder, NEW)
    assert secret.read_bytes() == b"2"
    assert (elsewhere / "guids").read_bytes() == b"3"


def test_a_run_that_was_killed_leaves_nothing_that_no_later_one_knows(folder):
    class KilledError(Exception):
        pass

    class Cut(dict):
        def items(self):
            yield from list(super().items())[:1]
            raise KilledError

    write_files(folder, OLD)
    stopped = {"switches/eos/leaf": b"7", "plan.json": b"6"}
    first = Cut(stopped)
    calls = iter([stopped.items(), first.items()])
    first.items = lambda: next(calls)
    with pytest.raises(KilledError):
        write_files(folder, first)
    assert (folder / "switches/eos/leaf").exists()
    write_files(folder, {"plan.json": b"8"})
    assert content(folder) == {"plan.json": b"8"}


def test_sha256sum_checks_the_folder(folder):
    write_files(folder, NEW)
    done = subprocess.run(["sha256sum", "--strict", "-c", MANIFEST], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    names = [line.split("  ", 1)[1] for line in (folder / MANIFEST).read_text().splitlines()[1:]]
    assert names == sorted(NEW)


def test_a_files_txt_of_somebody_else_is_not_overwritten(checkout, railyard):
    folder = checkout / "out/lab"
    folder.mkdir(parents=True)
    (folder / MANIFEST).write_text("my shopping list\n")
    done = railyard("plan", "lab")
    assert done.exit_code == 2
    assert "didn't write" in done.stderr
    assert (folder / MANIFEST).read_text() == "my shopping list\n"


def test_a_fabric_that_becomes_another_one(checkout, railyard):
    out = checkout / "out/x"
    railyard("plan", "roce", "--out", out)
    assert list((out / "switches").glob("*"))
    stack = checkout / "stacks/Pulumi.roce.yaml"
    text = stack.read_text()
    assert "    nos: cumulus" in text
    stack.write_text(text.replace("    nos: cumulus", "    nos: frr"))
    before = {path.name for path in (out / "switches").iterdir()}
    done = railyard("plan", "roce", "--out", out)
    assert done.exit_code in (0, 1)
    assert {path.name for path in (out / "switches").iterdir()}.isdisjoint(before)
    assert "removed, an earlier plan wrote them" in done.stderr
    railyard("report", "lab", "--out", out)
    assert not (out / "switches").exists()
    assert (out / "infiniband").exists()
