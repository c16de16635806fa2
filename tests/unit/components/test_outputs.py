"""The outputs contract says what railyard does with the switches, and no more."""

import json
from pathlib import Path

import pytest

from components.outputs import site_outputs
from components.switches import config_inputs
from railyard import load
from railyard.model.outputs import CONTRACT_VERSION, SiteOutputs
from railyard.plan import plan
from railyard.plan.managed import managed_switches

pytestmark = pytest.mark.requirement("U3")
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module", params=["lab", "lab-roce"])
def stack(request):
    config = load.site_config(ROOT, request.param)
    return request.param, config, plan(config)


def test_a_fabric_is_configured_where_railyard_configures_every_switch_of_it(stack):
    name, config, planned = stack
    managed = managed_switches(config.inventory.switches, planned)
    names = {one.planned.name for one in managed}
    assert len(names) == (12 if name == "lab-roce" else 0)
    for left_out in (0, 1):
        outputs = site_outputs(config, planned, [], "0" * 64, set(sorted(names)[left_out:]))
        contract = SiteOutputs.model_validate(json.loads(json.dumps(outputs)))
        whole = name == "lab-roce" and not left_out
        assert contract.fabric.status == ("configured" if whole else "planned")
        assert contract.contract_version == CONTRACT_VERSION
    assert {config_inputs(one, {}, [])["plan"]["status"] for one in managed} == ({"configured"} if names else set())
