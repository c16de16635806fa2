"""The fabric pack judges a managed switch by the slice that its resource carries, as it judges a planned one."""

import pytest

from policies.fabric import pack
from railyard.rules.slices import SWITCH, SWITCH_CONFIG
from tests.policy.test_policy_packs import args, blocking, leaf, mandatory

pytestmark = pytest.mark.requirement("N1")


def test_a_managed_switch_fails_where_a_planned_one_fails():
    planned = mandatory(pack.POLICIES, args(SWITCH, blocking()))
    assert planned == [("switch-wiring", "FABRIC-001")]
    assert mandatory(pack.POLICIES, args(SWITCH_CONFIG, {"config": {}, "plan": blocking()})) == planned


def test_a_good_one_passes_and_one_without_its_slice_is_no_pass():
    assert mandatory(pack.POLICIES, args(SWITCH_CONFIG, {"plan": leaf().props()})) == []
    found = mandatory(pack.POLICIES, args(SWITCH_CONFIG, {"config": {}}))
    assert ("switch-wiring", "SLICE-001") in found
