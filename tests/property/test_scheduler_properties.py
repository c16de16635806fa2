"""Scheduler topology of every site that the models allow; growth within the plan renames nothing."""

import itertools
import json
from collections import Counter, defaultdict
from functools import cache

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from railyard.model.hostlist import expand
from railyard.plan import plan
from railyard.read.slurm_topology import read_slurm_topology
from railyard.read.text import Notebook
from railyard.render.schedulers import hyper_nodes, topology_block_conf, topology_conf
from railyard.rules.scheduler import check_scheduler, check_slurm_topology
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("K3", "K4", "C4")


@st.composite
def sites(draw):
    """(fabric, filled slots): two and three tiers, units with holes, units that are empty."""
    built = draw(st.integers(1, 4))
    slots = draw(st.sampled_from([4, 8, 16]))
    tiers = draw(st.sampled_from(["auto", 3]))
    fabric = {
        "nodesPerUnit": slots,
        "scalableUnits": built,
        "plannedScalableUnits": max(built, draw(st.integers(1, 8)), 4 * 8 // slots + 1 if tiers == 3 else 1),
        "rails": 8,
        "tiers": tiers,
    }
    filled = draw(st.sets(st.tuples(st.integers(1, built), st.integers(1, slots)), min_size=1, max_size=24))
    return fabric, sorted(filled)


def of_one_site(test):
    """A property of one site: all of them get the same sites, twice as many as other properties, each planned once."""
    return seed(1)(settings(max_examples=80)(given(sites())(test)))


def planned(fabric, filled):
    return plan(make_site(nodes=len(filled), slots=filled, fabric=fabric))


@cache
def planned_once(case):
    fabric, filled = json.loads(case)
    return planned(fabric, [tuple(slot) for slot in filled])


def read(text):
    book = Notebook("topology.conf")
    found = read_slurm_topology(text, book)
    assert book.problems == []
    return found


@of_one_site
def test_each_node_is_on_one_switch_of_an_even_tree(case):
    made = planned_once(json.dumps(case))
    nodes = [machine.name for machine in made.machines if machine.role == "gpu"]
    assert check_scheduler(made.scheduler, nodes) == []
    leaves = Counter(node for switch in made.scheduler.switches if switch.nodes for node in expand(switch.nodes))
    assert leaves == Counter(nodes)
    assert made.scheduler.nodes == len(nodes)


@of_one_site
def test_files_are_read_back_as_the_plan(case):
    scheduler = planned_once(json.dumps(case)).scheduler
    assert check_slurm_topology(read(topology_conf(scheduler)), scheduler) == []
    blocks = read(topology_block_conf(scheduler))
    assert check_slurm_topology(blocks, scheduler) == []
    assert min(len(block.nodes) for block in blocks.blocks) == blocks.block_sizes[0]
    assert all(size % blocks.block_sizes[0] == 0 for size in blocks.block_sizes)


@of_one_site
def test_upper_hyper_nodes_name_lower_ones(case):
    tiers = {}
    for item in hyper_nodes(planned_once(json.dumps(case)).scheduler):
        tiers[item["metadata"]["name"]] = item["spec"]["tier"]
        for member in item["spec"]["members"]:
            if member["type"] == "HyperNode":
                assert tiers[member["selector"]["exactMatch"]["name"]] == item["spec"]["tier"] - 1


@given(sites(), st.integers(1, 4))
def test_growth_within_the_plan_renames_and_moves_nothing(case, more):
    """A unit more in the same plan: every node stays below the switches that it was below."""
    fabric, filled = case
    units = min(fabric["scalableUnits"] + more, fabric["plannedScalableUnits"])
    grown = fabric | {"scalableUnits": units}
    new = [(unit, 1) for unit in range(fabric["scalableUnits"] + 1, units + 1)]
    before, after = (above(planned(*args).scheduler) for args in ((fabric, filled), (grown, sorted([*filled, *new]))))
    assert {node: after[node] for node in before} == before


def above(scheduler):
    """Node -> the switches above it, from its own to the root."""
    parent = {child: switch.name for switch in scheduler.switches if switch.switches for child in expand(switch.switches)}
    found = {}
    for switch in scheduler.switches:
        for node in expand(switch.nodes) if switch.nodes else ():
            chain, name = [switch.name], switch.name
            while name in parent:
                name = parent[name]
                chain.append(name)
            found[node] = tuple(chain)
    return found


@given(sites())
def test_a_node_more_or_less_changes_one_line(case):
    fabric, filled = case
    if len(filled) < 2:
        return
    whole, less = (topology_conf(planned(fabric, slots).scheduler).splitlines() for slots in (filled, filled[:-1]))
    emptied = filled[-1][0] not in {unit for unit, _ in filled[:-1]}
    changed = set(whole) ^ set(less)
    assert len(changed) == 2 or emptied, changed


@of_one_site
def test_units_and_pods_are_those_of_the_cables(case):
    """Nodes of one unit hang on the same leaves; units of one pod, and no others, share spines."""
    made = planned_once(json.dumps(case))
    leaves, spines = defaultdict(set), {switch.name: set(switch.links_per_peer) for switch in made.switches}
    for cable in made.cables:
        if cable.kind == "node-leaf":
            leaves[cable.a.partition("/")[0]].add(cable.z.partition("/")[0])
    chains = above(made.scheduler)
    assert chains.keys() == leaves.keys()
    for one, two in itertools.combinations(sorted(chains), 2):
        assert (chains[one][0] == chains[two][0]) == (leaves[one] == leaves[two])
        if len(chains[one]) == 3:
            reached = [set.union(*(spines[leaf] for leaf in leaves[node])) for node in (one, two)]
            assert (chains[one][1] == chains[two][1]) == bool(reached[0] & reached[1])
