"""What a switch's buffer is laid out for: its planned ports. Growth inside the plan changes none of it."""

import pytest

from railyard.plan import plan
from railyard.plan.switch_intent import switch_intents
from railyard.render.switches import nvue, sonic
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N1", "N4")

ROCE = {"transport": "roce", "switchModel": "sn5600", "linkGbps": 800, "nodesPerUnit": 32, "plannedScalableUnits": 4}
EIGHT = {"plannedScalableUnits": 8}
ADDRESSES = {"rails": "10.32.0.0/11"}
FACILITY = {"racksPerRow": 10, "nodesPerRack": 2, "spreadRacks": 1, "airLimitKw": 60}


def grown(nodes, units, **fabric):
    fabric = ROCE | {"scalableUnits": units} | fabric
    return plan(make_site(nodes=nodes, fabric=fabric, addresses=ADDRESSES, facility=FACILITY))


def reserves(planned):
    return {switch.name: (switch.routing.lossless_ports, switch.routing.headroom_bytes, switch.routing.longest_m)
            for switch in planned.switches}  # fmt: skip


@pytest.mark.parametrize("fabric", [{}, {"tiers": 3, "podBy": "rail"} | EIGHT, {"tiers": 3} | EIGHT])
def test_growth_inside_the_plan_changes_no_reserve(fabric):
    before, after = reserves(grown(1, 1, **fabric)), reserves(grown(96, 3, **fabric))
    assert before.items() <= after.items()
    assert len(after) > len(before)


def test_a_full_site_reserves_what_its_cables_do():
    planned = grown(128, 4)
    for switch in planned.switches:
        assert switch.routing.lossless_ports == len(switch.ports) == 64
    assert {name: row[:2] for name, row in reserves(grown(1, 1)).items() if "su001" in name} == {
        name: row[:2] for name, row in reserves(planned).items() if "su001" in name
    }


def test_links_of_two_that_share_a_cable_count_twice():
    fabric = ROCE | {"linkGbps": 400, "planes": 2, "linksPerCable": 2, "nodesPerUnit": 64, "scalableUnits": 1}
    planned = plan(make_site(nodes=2, fabric=fabric | {"plannedScalableUnits": 2}, addresses=ADDRESSES))
    assert {switch.routing.lossless_ports for switch in planned.switches if switch.role == "leaf"} == {128}


@pytest.mark.parametrize(("nos", "render", "at"), [("sonic", sonic, "BUFFER_POOL"), ("cumulus", nvue, "qos")])
def test_files_tell_switches_the_same_after_growth(nos, render, at):
    first, grown_up = (
        {intent.hostname: render(intent)[at] for intent in switch_intents(site, nos)} for site in (grown(1, 1), grown(96, 3))
    )
    assert first.items() <= grown_up.items()
