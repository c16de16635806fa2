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
