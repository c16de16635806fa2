"""Which passphrase the engine uses: the variable wins over the file, as in the engine."""

import pytest

from components.secrets import _in_use
from tests.component.conftest import ROOT

EXAMPLE = ROOT / "lab/passphrase"


@pytest.mark.parametrize(
    ("variable", "file", "expected"),
    [
        (None, str(EXAMPLE), True),
        (None, "/nowhere", False),
        (None, None, False),
        ("my own", str(EXAMPLE), False),
        ("", str(EXAMPLE), False),
        (EXAMPLE.read_text().strip(), "/nowhere", True),
    ],
)
@pytest.mark.requirement("X4")
def test_the_variable_wins_over_the_file(monkeypatch, variable: str | None, file: str | None, expected: bool):
    for name, value in (("PULUMI_CONFIG_PASSPHRASE", variable), ("PULUMI_CONFIG_PASSPHRASE_FILE", file)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    assert _in_use(ROOT) is expected
