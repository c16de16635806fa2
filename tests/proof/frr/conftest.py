"""One running fabric for all tests of this folder: it takes about ten seconds to build."""

from collections.abc import Iterator

import pytest

from lab.switches.wiring import Wiring
from tests.namespaced import need_root
from tests.proof.frr.routed_fabric import RoutedFabric


@pytest.fixture(scope="session")
def fabric(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoutedFabric]:
    need_root()
    with Wiring(tmp_path_factory.mktemp("frr")) as wiring:
        running = RoutedFabric(wiring)
        running.start()
        yield running
