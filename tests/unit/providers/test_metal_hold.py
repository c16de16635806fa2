"""Locks of machines on one host."""

import os
import stat
import tempfile

import pytest

from providers.kit import Cancel, Deadline, ProviderError
from providers.metal import hold as module
from providers.metal.hold import folder, hold


@pytest.fixture(autouse=True)
def own(tmp_path, monkeypatch):
    monkeypatch.setenv("RAILYARD_RUNTIME_DIR", str(tmp_path / "locks"))
    return tmp_path / "locks"


def take(*keys, seconds=0.7):
    return hold(keys, "m", Cancel(), Deadline(seconds))


@pytest.mark.parametrize("keys", [("10.0.0.1:443", "SN2"), ("10.0.0.2:443", "SN1")])
def test_one_bmc_or_one_serial_is_one_machine(keys):
    with take("10.0.0.1:443", "SN1"), pytest.raises(ProviderError, match="METAL-017"), take(*keys):
        pass
    with take(*keys):
        pass


def test_another_machine_is_free():
    with take("10.0.0.1:443", "SN1"), take("10.0.0.2:443", "SN2"):
        pass


def test_keys_are_taken_in_one_order():
    for _ in range(2):
        with take("SN1", "10.0.0.1:443"):
            pass
        with take("10.0.0.1:443", "SN1"):
            pass


def test_the_folder_does_not_hang_on_tmpdir(monkeypatch, tmp_path):
    monkeypatch.delenv("RAILYARD_RUNTIME_DIR")
    monkeypatch.setattr(module, "FOLDER", str(tmp_path / "{uid}"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "elsewhere"))
    tempfile.tempdir = None
    assert folder() == tmp_path / str(os.getuid())
    assert stat.S_IMODE(folder().stat().st_mode) == 0o700


def test_a_folder_of_somebody_else_is_refused(own, monkeypatch, tmp_path):
    own.mkdir()
    own.chmod(0o777)
    with pytest.raises(ProviderError, match="METAL-039"):
        folder()
    own.chmod(0o700)
    monkeypatch.setattr(os, "getuid", lambda: 4711)
    with pytest.raises(ProviderError, match="METAL-039"):
        folder()
    monkeypatch.undo()
    (tmp_path / "link").symlink_to(own)
    monkeypatch.setenv("RAILYARD_RUNTIME_DIR", str(tmp_path / "link"))
    with pytest.raises(ProviderError, match="not a folder"):
        folder()
