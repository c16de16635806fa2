"""What all tiers share: `--update-golden`, and sites made in memory."""

import pytest
from hypothesis import HealthCheck, settings

from tests.planned_site import SiteMaker, make_site

# Derandomised: a red run is red again on the next machine; slow shared runners are no failure.
settings.register_profile(
    "yard", max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("yard")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden/*/expected again; review the diff")


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def site() -> SiteMaker:
    """`site(nodes=5, fabric={"scalableUnits": 2})` -> SiteConfig; see tests/planned_site.py."""
    return make_site
