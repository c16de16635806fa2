"""The journal on a disk that fails: a line is there as a whole, or it is not, and nobody is told what isn't there."""

import errno
import os

import pytest

from services.provision.journal import Installation, Journal, JournalError

WANTED = Installation("SN1", 1, "issued", "m1", "os.img", "0" * 64, 4_000_000_000, {"hostname": "m1"})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


@pytest.fixture
def failing(monkeypatch):
    """Makes the writes of this process short: `rest` is what happens to the second part of a line."""
    real = os.write

    def make(rest):
        def write(descriptor, data):
            return real(descriptor, bytes(data)[:20]) if len(data) > 100 else rest(descriptor, data)

        monkeypatch.setattr(os, "write", write)

    yield make
    monkeypatch.setattr(os, "write", real)


def begun(journal):
    return journal.advance(journal.newest("SN1"), "begun", "SHA256:one")


def test_short_writes_are_written_to_the_end(path, failing):
    journal = Journal(path)
    failing(lambda descriptor, data, real=os.write: real(descriptor, data))
    issued = journal.issue(WANTED, None)
    assert issued is not None
    begun(journal)
    os.close(journal._descriptor)
    again = Journal(path)
    assert (again.id, again.cut_bytes, again.newest("SN1").state) == (journal.id, 0, "begun")


def test_a_full_disk_leaves_the_file_as_it_was(path, failing, monkeypatch):
    journal = Journal(path)
    journal.issue(WANTED, None)
    before = path.read_bytes()
    real = os.write
    with monkeypatch.context() as patch:
        answers = iter([20])

        def full(descriptor, data):
            for length in answers:
                return real(descriptor, bytes(data)[:length])
            raise OSError(errno.ENOSPC, "No space left on device")

        patch.setattr(os, "write", full)
        with pytest.raises(JournalError, match="No space left"):
            begun(journal)
    assert path.read_bytes() == before
    assert journal.newest("SN1").state == "issued", "what isn't on the disk was never heard of"
    assert begun(journal).state == "begun", "there is space again"


def test_what_cannot_be_undone_ends_all_writing(path, monkeypatch):
    journal = Journal(path)
    journal.issue(WANTED, None)

    def broken(*_):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        for name in ("fsync", "ftruncate"):
            patch.setattr(os, name, broken)
        with pytest.raises(JournalError, match="Input/output"):
            begun(journal)
    with pytest.raises(JournalError, match="started again"):
        begun(journal)
    assert journal.newest("SN1").state == "issued"


def test_one_process_at_a_time(path):
    journal = Journal(path)
    with pytest.raises(JournalError, match="another process"):
        Journal(path)
    os.close(journal._descriptor)
    assert Journal(path).id == journal.id


def test_an_issue_that_was_overtaken_by_a_call_home_writes_nothing(path):
    journal = Journal(path)
    known = journal.issue(WANTED, None)
    begun(journal)
    lines = path.read_bytes()
    assert journal.issue(WANTED, known) is None
    assert path.read_bytes() == lines


def test_a_journal_without_an_id_gets_one_and_two_ids_are_none(path):
    journal = Journal(path)
    journal.issue(WANTED, None)
    os.close(journal._descriptor)
    head, line = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(line)
    old = Journal(path)
    assert old.id not in {"", journal.id}
    os.close(old._descriptor)
    path.write_bytes(head + line + head)
    with pytest.raises(JournalError, match=":3: unreadable"):
        Journal(path)
