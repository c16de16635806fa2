"""A planned site of two units, and its training fabric as it was built."""

import pytest

from tests.unit.audit_files import planned, training


@pytest.fixture(scope="module")
def wanted():
    """Two units of eight rails, 40 nodes."""
    return planned(nodes=40, fabric={"scalableUnits": 2})[1]


@pytest.fixture
def built(wanted):
    """The training fabric of `wanted`, to be damaged."""
    return training(wanted)
