"""Bundles: one for each pair of racks, whichever rack the lower end is in; what was numbered keeps its number."""

import re
from collections import defaultdict
from itertools import pairwise

import pytest

from railyard.plan import plan
from railyard.plan.pulls import pull_order
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("C5")


def bundles(planned, size=24):
    pulls = pull_order(planned.cables, size)
    return {cable.id: pull.bundle for cable, pull in zip(planned.cables, pulls, strict=True)}


def test_a_pair_of_racks_has_one_bundle_in_both_directions(site: SiteMaker):
    planned = plan(site())
    pairs = {cable.bundle for cable in planned.cables}
    assert "R001-R002" in pairs
    for bundle in pairs:
        first, _, second = bundle.partition("-")
        assert re.fullmatch(r"R\d{3}", first)
        assert not second or first < second
    racks = {rack.name: rack.name.rpartition("-")[2].upper() for rack in planned.racks}
    there = {device.name: racks[rack.name] for rack in planned.racks for device in rack.devices}
    ways = defaultdict(set)
    for cable in planned.cables:
        ends = (there.get(cable.a.partition("/")[0]), there.get(cable.z.partition("/")[0]))
        if None not in ends and ends[0] != ends[1]:
            ways[cable.bundle].add(ends)
    assert any(len(found) == 2 for found in ways.values()), "the small site has cables both ways"


@pytest.mark.parametrize("size", [4, 24])
def test_growth_inside_the_plan_renames_no_bundle(site: SiteMaker, size: int):
    """Nodes within a unit, storage servers, then a unit more."""
    fabric = {"plannedScalableUnits": 2}
    steps = ((4, 1, 2), (9, 1, 2), (9, 1, 4), (32, 1, 4), (40, 2, 5))
    made = [
        bundles(plan(site(nodes=nodes, storage_nodes=servers, fabric={**fabric, "scalableUnits": units})), size)
        for nodes, units, servers in steps
    ]
    for before, after in pairwise(made):
        assert {name: (bundle, after[name]) for name, bundle in before.items() if after[name] != bundle} == {}


def test_a_bundle_holds_no_more_than_it_may_and_is_pulled_in_one_go(site: SiteMaker):
    planned = plan(site(nodes=32))
    pulls = pull_order(planned.cables, 24)
    turns = defaultdict(list)
    for pull in pulls:
        turns[pull.bundle].append(pull.order)
    assert max(map(len, turns.values())) <= 24
    assert all(max(order) - min(order) == len(order) - 1 for order in turns.values())
