"""Bundles: one for each pair of racks, whichever rack the lower end is in; what was numbered keeps its number."""

import re
from collections import defaultdict
from itertools import pairwise

import pytest

from railyard.plan import plan
from railyard.plan.pulls import pull_order
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("C5")


STEPS = ((4, 1, 2), (9, 1, 2), (9, 1, 4), (32, 1, 4), (40, 2, 5))
"""Nodes within a unit, storage servers, then a unit more: nodes, units, servers."""


def pulls_of(planned, size=24):
    return dict(zip((cable.id for cable in planned.cables), pull_order(planned.cables, size), strict=True))


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


def grown(site: SiteMaker, **sections):
    return [
        plan(site(nodes=nodes, storage_nodes=servers, fabric={"plannedScalableUnits": 2, "scalableUnits": units}, **sections))
        for nodes, units, servers in STEPS
    ]


@pytest.mark.parametrize("racks", ["shared", "dedicated"])
def test_growth_inside_the_plan_changes_no_turn(site: SiteMaker, racks: str):
    """What was printed for the crew stays true: more nodes, servers and units come between and behind, and move nothing."""
    made = [pulls_of(planned) for planned in grown(site, facility={"switchRacks": racks, "storageRacks": racks})]
    for before, after in pairwise(made):
        assert {name: (pull, after[name]) for name, pull in before.items() if after[name] != pull} == {}
    assert len(made[-1]) > 2 * len(made[0])


def test_growth_by_a_pod_changes_no_turn(site: SiteMaker):
    """Spines of a pod that comes later stand in the racks of those that are there, and bring cables of their own."""
    fabric = {"tiers": 3, "nodesPerUnit": 8, "uplinksPerLeaf": 8, "plannedScalableUnits": 4}
    made = [pulls_of(plan(site(nodes=8 * units, fabric={**fabric, "scalableUnits": units}))) for units in (1, 2, 4)]
    for before, after in pairwise(made):
        assert {name: (pull, after[name]) for name, pull in before.items() if after[name] != pull} == {}


def test_copper_data_is_in_no_bundle_with_fibre(site: SiteMaker):
    planned = plan(site(nodes=32))
    held = defaultdict(set)
    for cable, pull in zip(planned.cables, pull_order(planned.cables, 24), strict=True):
        held[pull.bundle].add(cable.medium == "cat6a")
    assert all(len(kinds) == 1 for kinds in held.values())
    assert {kinds == {True} for kinds in held.values()} == {True, False}, "the site has both"
    for bundle, kinds in held.items():
        assert bool(re.fullmatch(r"R\d{3}(-R\d{3})?\.[us]?c\d+", bundle)) is (kinds == {True})


@pytest.mark.parametrize("size", [4, 24])
def test_growth_inside_the_plan_renames_no_bundle(site: SiteMaker, size: int):
    made = [bundles(planned, size) for planned in grown(site)]
    for before, after in pairwise(made):
        assert {name: (bundle, after[name]) for name, bundle in before.items() if after[name] != bundle} == {}


def test_a_bundle_holds_no_more_than_it_may_and_is_pulled_in_one_go(site: SiteMaker):
    planned = plan(site(nodes=32))
    pulls = pull_order(planned.cables, 24)
    turns = defaultdict(list)
    for pull in pulls:
        turns[pull.bundle].append(pull.order)
    assert max(map(len, turns.values())) <= 24
    in_turn = [pull.bundle for pull in sorted(pulls, key=lambda pull: pull.order)]
    assert 1 + sum(one != other for one, other in pairwise(in_turn)) == len(turns)
    assert len({pull.order for pull in pulls}) == len(pulls)
    assert max(pull.order for pull in pulls) < 10**15, "exact in a browser and in a spreadsheet"


def test_the_longest_routes_are_pulled_first(site: SiteMaker):
    planned = plan(site(nodes=32, facility={"switchRacks": "dedicated"}))
    turns = sorted(zip(pull_order(planned.cables, 24), planned.cables, strict=True), key=lambda item: item[0].order)
    metres = [int(cable.route_m) for _, cable in turns]
    assert metres == sorted(metres, reverse=True)
    assert metres[0] > metres[-1]
