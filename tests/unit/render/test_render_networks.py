"""The other networks in a few lines."""

import pytest

from railyard.plan import plan
from railyard.render.networks import networks_text
from tests.planned_site import make_site


@pytest.mark.requirement("N2")
def test_each_network_has_a_line_with_its_ratio():
    assert networks_text(plan(make_site()).networks).splitlines() == [
        "Other networks",
        (
            "  storage: 2 x qm9700 at 400 Gb/s; one pair, independent; at least 28 ports free on each; "
            "node side : server side = 32:1 (3,200 : 100 GB/s)"
        ),
        "  in-band: 2 x sn4600c at 100 Gb/s; one pair, mlag; at least 23 ports free on each",
        "  out of band: 3 x sn2201 at 1 Gb/s; at least 2 ports free on each; 34 bmc, 32 pdu, 2 storage, 16 switch",
    ]


@pytest.mark.requirement("N2")
def test_converged_networks_say_so():
    text = networks_text(plan(make_site(networks={"converged": True})).networks)
    assert "storage and in-band: 2 x sn5600 at 400 Gb/s" in text


@pytest.mark.requirement("N2")
def test_one_port_too_many_for_a_pair_is_said_with_the_count_that_would_do():
    """The storage pair of 64 ports: 32 planned slots, servers, peer links, ports that stay free. Each count is tried."""
    storage = {"switchModel": "qm9700", "linkGbps": 400, "plannedServers": 15}

    def planned(spare: int, slots: int = 32):
        made = plan(
            make_site(storage_nodes=2, networks={"storage": storage | {"sparePorts": spare}}, fabric={"nodesPerUnit": slots})
        )
        return next(network for network in made.networks if network.kind == "storage")

    fits = max(spare for spare in range(33) if planned(spare).tiers == 1)
    assert "too many" not in networks_text([planned(fits)])
    over = planned(fits + 1)
    assert over.tiers == 2
    assert sum(layer.switches for layer in over.layers) > 2
    assert (
        "1 of 64 ports too many for a single pair: it would do with 30 planned node slots, or 1 fewer kept port"
        in networks_text([over])
    )
    assert planned(fits + 1, over.pair_slots).tiers == 1, "what it says is true"
    assert planned(fits + 1, over.pair_slots + 1).tiers == 2, "and no more than that"
    assert "too many" not in networks_text([planned(fits + 9)]), "far beyond a pair it is no cliff"
