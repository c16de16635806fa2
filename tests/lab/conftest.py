"""One emulator for all tests of this folder; each test takes machines of its own."""

from collections.abc import Iterator

import pytest

from tests.lab.emulated import Client, Lab, inventory_text


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab.run(tmp_path_factory.mktemp("lab"), inventory_text(90, storage=2)) as running:
        yield running


@pytest.fixture
def machine(lab: Lab) -> Client:
    """A machine as it left the factory."""
    return lab.take()
