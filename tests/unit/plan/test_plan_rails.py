"""Every number of rails and planes is planned or refused by name: none ends in a traceback, none is planned wrongly."""

from datetime import date
from ipaddress import ip_interface

import pytest

from railyard.plan import PlanError, plan
from railyard.rules import check
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N1", "N2", "N4")

ROCE = {"transport": "roce", "switchModel": "sn5600", "linkGbps": 400, "nodesPerUnit": 4}
LOOPBACKS = {"loopbacks": "10.5.0.0/20"}


def site(fabric, addresses=None):
    return make_site(nodes=2, fabric=fabric, **({"addresses": addresses} if addresses else {}))


@pytest.mark.parametrize("addresses", [None, LOOPBACKS], ids=["a share of rails", "loopbacks of their own"])
@pytest.mark.parametrize("fabric", [ROCE, {"nodesPerUnit": 4}], ids=["roce", "infiniband"])
def test_rails_and_planes_that_no_node_has_are_plan_011_and_the_rest_is_planned(fabric, addresses):
    for rails in (1, 2, 3, 4, 5, 7, 8, 9, 12, 16):
        for planes in (1, 2, 3, 4):
            config = site(fabric | {"rails": rails, "planes": planes}, addresses)
            planned = plan(config)
            ids = {finding.id for finding in check(config, planned, date(2026, 11, 30))}
            assert ("PLAN-011" in ids) is (8 not in (rails, rails * planes)), (rails, planes)
            networks = {row.network.split("-p")[0] for row in planned.addresses if row.network.startswith("rail-")}
            assert networks <= {f"rail-{rail}" for rail in range(rails)}, (rails, planes)
            if "ADDR-002" not in ids:
                assert len(networks) == rails, (rails, planes)


def test_three_rails_and_a_loopback_block_leave_the_fourth_block_to_nobody():
    planned = plan(site(ROCE | {"rails": 3}, LOOPBACKS))
    subnets = {str(ip_interface(f"{row.address}/18").network) for row in planned.addresses if row.network.startswith("rail-")}
    assert len(subnets) == 3
    assert all(len(switch.routing.subnets) <= 1 for switch in planned.switches)


def test_wrong_rails_are_said_together_with_a_shape_that_can_t_be():
    with pytest.raises(PlanError) as error:
        plan(site(ROCE | {"rails": 3, "nodesPerUnit": 200}))
    assert {problem.id for problem in error.value.problems} == {"PLAN-003", "PLAN-011"}
