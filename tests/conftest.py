"""What all tiers share: `--update-golden`, sites made in memory, the longest files first, and YAML that is read once."""

import gc
from copy import deepcopy
from functools import lru_cache

import pytest
from hypothesis import HealthCheck, settings

from railyard.load import inventory, reader, stack
from tests.planned_site import SiteMaker, make_site

# Derandomised: a red run is red again on the next machine; slow shared runners are no failure.
settings.register_profile(
    "yard", max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("yard")

# What starts last should be short. A file that is not named here runs after these.
LONGEST_FIRST = (
    "engine/test_lab_kills.py",
    "engine/test_lab_dead_bmc.py",
    "engine/test_lab_story.py",
    "engine/test_lab_faults.py",
    "engine/test_prod_stacks.py",
    "engine/test_lab_switches_engine.py",
    "engine/test_bad_input.py",
    "engine/test_lab_secrets.py",
    "engine/test_stack_commands.py",
    "engine/test_policy_on_engine.py",
    "engine/test_engine_room.py",
    "provider/test_metal_limits.py",
    "provider/test_kube_provider.py",
    "proof/infiniband/test_fabric_proof.py",
    "proof/frr/test_frr_proof.py",
    "proof/test_cable_table_in_browser.py",
    "proof/lab/test_proof_redfish_validator.py",
    "property/test_plan_properties.py",
    "cli/test_cli_fabric.py",
    "property/test_rules_mutations.py",
    "property/test_scheduler_properties.py",
)

_read_once = lru_cache(maxsize=64)(reader.read_yaml)


def _read_yaml(text: str, where: str) -> reader.Document:
    return deepcopy(_read_once(text, where))


# A reading depends on nothing but the text. Some hundred tests load the same few committed files, a quarter of a second each.
inventory.read_yaml = stack.read_yaml = _read_yaml


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The order in which `--dist loadfile --no-loadscope-reorder` starts files; within a file nothing moves."""
    rank = {name: index for index, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: rank.get(item.nodeid.partition("::")[0].removeprefix("tests/"), len(rank)))


def pytest_collection_finish() -> None:
    """What was imported and collected stays until the end: a million objects that the cycle collector needn't look at again."""
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden/*/expected again; review the diff")


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def site() -> SiteMaker:
    """`site(nodes=5, fabric={"scalableUnits": 2})` -> SiteConfig; see tests/planned_site.py."""
    return make_site
