"""Yards: real engine, real lab. Opened per module where tests only look, per test where they break things."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.yard import Yard, open_yard


@pytest.fixture(scope="module")
def open_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Yard]]:
    """Open a yard: `open_lab("--install-s", "2", stack="lab-b")`. All are closed after the module, also on failure."""
    opened: list[Yard] = []

    def opener(*lab_arguments: str, stack: str = "lab", site: Path | None = None) -> Yard:
        yard = Yard(tmp_path_factory.mktemp("yard"), stack)
        opened.append(yard)
        open_yard(yard, *lab_arguments, site=site)
        return yard

    yield opener
    for yard in opened:
        yard.close()
