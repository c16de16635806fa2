"""One running fabric for all tests of this folder: it takes about ten seconds to build."""

from collections.abc import Iterator

import pytest

from lab.switches import namespaces
from lab.switches.wiring import Wiring
from tests.proof.frr.routed_fabric import RoutedFabric


@pytest.fixture(scope="session")
def fabric(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoutedFabric]:
    reason = namespaces.why_not()
    if reason == "not root" or (reason or "").startswith("no namespaces"):
        pytest.skip(f"network namespaces: {reason}")
    # A tool that is missing is an error: this tier is what CI installs FRR and lldpd for.
    assert reason is None, reason
    with Wiring(tmp_path_factory.mktemp("frr")) as wiring:
        running = RoutedFabric(wiring)
        running.start()
        yield running
