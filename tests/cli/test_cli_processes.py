"""Commands that start the engine's program: what they start, and that its exit code is passed on."""

import subprocess
import sys

import pytest


@pytest.fixture
def started(monkeypatch):
    """Every process that would be started: its arguments and folder. It ends with 3."""
    calls = []

    def run(arguments, *, cwd, check):
        calls.append((arguments, cwd))
        return subprocess.CompletedProcess(arguments, 3)

    monkeypatch.setattr("railyard.cli.processes.subprocess.run", run)
    return calls


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["doctor"], ["doctor"]),
        (["doctor", "--json"], ["doctor", "--json"]),
        (["unlock", "lab"], ["unlock", "--", "lab"]),
        (["unlock", "lab", "--force"], ["unlock", "--force", "--", "lab"]),
    ],
)
def test_the_engine_is_started_and_its_code_passed_on(checkout, railyard, started, given, wanted):
    assert railyard(*given).exit_code == 3
    assert started == [([sys.executable, "-m", "engine", *wanted], checkout)]
