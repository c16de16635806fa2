"""The command as a user runs it, in a copy of the checkout's inputs, without a terminal."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest
from typer import testing
from typer.testing import CliRunner

from railyard.cli.main import app

# The runner reads the signatures of all commands anew for each call: 30 ms, some hundred times.
testing._get_command = cache(testing._get_command)

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with our Pulumi.yaml, stacks and sites; the current folder."""
    root = tmp_path / "checkout"
    root.mkdir()
    (root / "Pulumi.yaml").write_text("name: railyard\nruntime: python\nmain: .\nstackConfigDir: stacks\n")
    for name in ("stacks", "sites"):
        shutil.copytree(CHECKOUT / name, root / name)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def railyard():
    """`railyard("plan", "lab")` -> result with exit_code, stdout, stderr. An unexpected exception is raised, not hidden."""
    runner = CliRunner()

    def run(*arguments):
        result = runner.invoke(app, [str(argument) for argument in arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run
