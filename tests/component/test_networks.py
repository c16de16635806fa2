"""Storage, in-band and out-of-band networks as the program registers them: one component each, whatever the site's size."""

import json
from pathlib import Path

import pytest

from railyard import load, plan

NETWORK = "railyard:network:Network"
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.requirement("N2")
@pytest.mark.parametrize("stack", ["lab", "prod-site-a"])
def test_one_component_per_network(register, stack):
    site = register(stack)
    planned = plan.plan(load.site_config(ROOT, stack))
    found = site.of(NETWORK)
    assert set(found) == {f"{stack}-storage", f"{stack}-in-band", f"{stack}-oob"}
    for network in planned.networks:
        props = found[network.name].props
        assert site.outputs[network.name] == props, "stack policies see outputs only"
        assert props["switchModel"] == network.switch_model
        assert props["layers"][0]["free"] == network.layers[0].free
        assert len(json.dumps(props)) < 3_000, "a slice, not the plan"


@pytest.mark.requirement("N2")
def test_a_site_without_storage_servers_has_no_storage_network(register):
    assert set(register("lab-b").of(NETWORK)) == {"lab-b-in-band", "lab-b-oob"}


@pytest.mark.requirement("N2")
def test_waivers_of_a_network_are_beside_its_slice(register, monkeypatch):
    from railyard.model.site import Waiver

    whole = load.site_config

    def with_a_waiver(root, stack):
        config = whole(root, stack)
        waiver = Waiver(rule="FABRIC-042", where="lab-oob", reason="a spare switch lies on the shelf", expires="2026-12-31")
        file = config.file.model_copy(update={"waivers": (waiver,)})
        return type(config)(config.stack, file, config.inventory, config.inventory_sha256, config.catalog)

    monkeypatch.setattr(load, "site_config", with_a_waiver)
    found = register("lab").of(NETWORK)
    assert [waiver["rule"] for waiver in found["lab-oob"].props["waivers"]] == ["FABRIC-042"]
    assert not found["lab-storage"].props.get("waivers")
