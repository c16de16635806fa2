"""What must hold for every size that the calculator accepts."""

import json
from collections import Counter
from typing import cast

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from railyard.plan import Plan, PlanError, plan
from railyard.plan.calculator import Ask, Calculation, SizeError, calculate
from railyard.plan.cost import Prices, cheaper, cost_of
from railyard.plan.growth import work_order
from railyard.plan.links import paired
from railyard.plan.wiring import design_links
from railyard.render.fabric_size import size_json, size_text
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N1")
PRICES = Prices(35_000, 35_000, 500, 2000, "a test")


@st.composite
def asks(draw: st.DrawFn, most: int = 600) -> Ask:
    radix = draw(st.sampled_from([8, 16, 32, 40, 64, 128, 144]))
    rails = draw(st.sampled_from([1, 2, 4, 8]))
    planes = draw(st.sampled_from([1, 1, 2]))
    return Ask(
        nodes=draw(st.integers(1, most)),
        nics=rails * draw(st.sampled_from([1, 1, 2])),
        rails=rails,
        radix=radix,
        unit_nodes=draw(st.one_of(st.none(), st.integers(1, radix // 2))),
        planes=planes,
        planned_units=draw(st.one_of(st.none(), st.none(), st.integers(1, 64))),
        tiers=draw(st.sampled_from([None, None, None, 1, 2, 3])),
        oversubscription=draw(st.sampled_from([1.0, 1.0, 2.0, 3.0])),
        reserve_ports=draw(st.sampled_from([0, 0, 2, 4])),
        links_per_cable=draw(st.sampled_from([1, planes])),
        layout=draw(st.sampled_from(["rail-optimized", "rail-optimized", "fat-tree", "rail-only"])),
        pod_by=draw(st.sampled_from(["unit", "unit", "rail"])),
        full_pods=draw(st.booleans()),
    )


def answered(ask: Ask) -> Calculation | None:
    try:
        return calculate(ask)
    except SizeError as error:
        refused = error.problems
    assert all(problem.id and problem.found and problem.limit and problem.fix for problem in refused)
    assert not any("{" in problem.fix + problem.limit for problem in refused)
    return None


def bill(found: Calculation) -> dict[str, float]:
    tiers = {"node": found.node_leaf, "leaf": found.leaf_spine, "spine": found.spine_core}
    return {
        "leaves": found.leaves,
        "spines": found.spines,
        "cores": found.cores,
        **{f"{name} cables": tier.cables for name, tier in tiers.items()},
        **{f"{name} links": tier.links for name, tier in tiers.items()},
        "cost": cost_of(found, PRICES).high,
    }


@given(asks(), st.integers(1, 200))
def test_nothing_falls_when_nodes_grow(ask: Ask, more: int):
    """Leaves, spines, cores, cables, links and total cost. Where nobody plans beyond today, spines are laid out for today."""
    small, large = answered(ask), answered(msgspec.structs.replace(ask, nodes=ask.nodes + more))
    assume(small is not None and large is not None)
    assert small is not None
    assert large is not None
    before, after = bill(small), bill(large)
    assert {key: value for key, value in after.items() if value < before[key]} == {}


@given(asks(most=120))
def test_the_wiring_has_the_counts_that_are_printed(ask: Ask):
    found = answered(ask)
    assume(found is not None and found.links < 20_000)
    assert found is not None
    links = list(design_links("t", found.shape, units=found.units, nodes=ask.nodes))
    ends = Counter((link.a, link.a_port) for link in links)
    ends.update((link.z, str(link.z_port)) for link in links)
    assert max(ends.values()) == 1
    count = Counter(link.kind for link in links)
    cables = Counter(first.kind for first, _ in paired(links))
    for kind, tier in (("node-leaf", found.node_leaf), ("leaf-spine", found.leaf_spine), ("spine-core", found.spine_core)):
        assert (count[kind], cables[kind]) == (tier.links, tier.cables)
    switches = {link.z for link in links} | {link.a for link in links if link.kind != "node-leaf"}
    used = Counter(device for device, _ in ends if device in switches)
    assert max(used.values()) <= found.shape.radix
    assert all(int(port) <= found.shape.radix for device, port in ends if device in switches)
    leaves = {link.z for link in links if link.kind == "node-leaf"} | {link.a for link in links if link.kind == "leaf-spine"}
    idle = found.leaves - len(leaves)
    assert found.free_leaf_ports == sum(found.shape.radix - used[leaf] for leaf in leaves) + idle * found.shape.radix


@given(asks())
def test_pairs_are_even_and_ports_suffice(ask: Ask):
    found = answered(ask)
    assume(found is not None)
    assert found is not None
    shape = found.shape
    assert shape.node_ports + shape.uplinks <= shape.radix
    assert float(shape.links_per_pair).is_integer()
    assert float(shape.core_links).is_integer()
    assert shape.spine_down + (shape.uplinks if shape.tiers == 3 else 0) <= shape.radix
    assert shape.pods * shape.core_links <= shape.radix


@given(asks())
def test_what_is_printed_can_be_read(ask: Ask):
    found = answered(ask)
    assume(found is not None)
    assert found is not None
    body = json.loads(size_json(found, PRICES))
    assert body["leaves"] == found.leaves
    assert f"{found.leaves:,}" in size_text(found, None)


@given(asks())
def test_a_cheaper_size_is_cheaper(ask: Ask):
    found = answered(ask)
    assume(found is not None)
    assert found is not None
    mine = cost_of(found, PRICES).per(found.endpoints)
    for size, side in zip(cheaper(found, PRICES), (-1, 1), strict=True):
        if size is not None:
            assert (size.nodes - ask.nodes) * side > 0
            again = calculate(
                msgspec.structs.replace(
                    ask,
                    nodes=size.nodes,
                    planned_units=max(ask.planned_units or 0, -(-size.nodes // found.shape.nodes_per_unit)),
                )
            )
            assert cost_of(again, PRICES).per(again.endpoints).low < mine.high


@st.composite
def layouts(draw: st.DrawFn) -> dict[str, object]:
    """Fabric keys of a small site in any layout."""
    tiers = draw(st.sampled_from([{}, {"podBy": "rail"}, {"layout": "fat-tree"}, {"fullPods": True}, {"tiers": 3}]))
    planes = draw(st.sampled_from([1, 2]))
    return {
        "nodesPerUnit": draw(st.sampled_from([4, 8])),
        "plannedScalableUnits": draw(st.sampled_from([2, 4, 8, 16])),
        "planes": planes,
        "linksPerCable": draw(st.sampled_from([1, 2])),
        "reservedPorts": draw(st.sampled_from([0, 4])),
        "linkGbps": 400 // planes,
        **tiers,
    }


@pytest.mark.requirement("C4")
@settings(max_examples=15)
@given(layouts(), st.integers(1, 2))
def test_building_a_planned_unit_moves_nothing_in_any_layout(fabric: dict[str, object], built: int):
    """Cables, addresses and places of before are all there; each switch only gains ports."""
    found: list[Plan] = []
    for units in (built, built + 1):
        keys = fabric | {
            "scalableUnits": units,
            "plannedScalableUnits": max(units, cast("int", fabric["plannedScalableUnits"])),
        }
        assume(keys["plannedScalableUnits"] >= built + 1)  # type: ignore[operator]
        try:
            found.append(plan(make_site(nodes=3, fabric=keys)))
        except PlanError:
            assume(False)
    old, new = found
    assert set(old.cables) <= set(new.cables)
    assert set(old.addresses) <= set(new.addresses)
    places = [{device.name: (rack.name, device.u) for rack in made.racks for device in rack.devices} for made in found]
    assert places[0].items() <= places[1].items()
    ports = [{(switch.name, port, end) for switch in made.switches for port, end in switch.ports.items()} for made in found]
    assert ports[0] <= ports[1]


@st.composite
def cablings(draw: st.DrawFn) -> tuple[dict[str, tuple[str, str, float]], dict[str, tuple[str, str, float]]]:
    """Two states of a small site: cables by id with ends and length, no port used twice in either."""

    def state() -> dict[str, tuple[str, str, float]]:
        ids = draw(st.lists(st.integers(0, 12), unique=True, max_size=10))
        uppers = draw(st.permutations(range(13)))
        return {f"c{n}": (f"leaf/{n}", f"spine/{uppers[n]}", draw(st.sampled_from([3.0, 5.0]))) for n in ids}

    return state(), state()


def as_plan(state: dict[str, tuple[str, str, float]]) -> bytes:
    rows = [{"id": name, "a": a, "z": z, "lengthM": length} for name, (a, z, length) in state.items()]
    return json.dumps({"cables": rows}).encode()


@pytest.mark.requirement("C4")
@given(cablings())
def test_a_work_order_never_plugs_into_a_taken_port(case):
    """Done step by step: every port is free when it is needed, and the site is the new plan's at the end."""
    old, new = case
    taken = {port: name for name, (a, z, _) in old.items() for port in (a, z)}
    steps = work_order(as_plan(old), as_plan(new))
    assert [work.step for work in steps] == list(range(1, len(steps) + 1))
    for work in steps:
        for end in work.was:
            # A parked cable was unplugged by its first step already.
            if taken.get(end.port) == work.cable:
                del taken[end.port]
        if work.action == "park":
            continue
        for end in work.now:
            assert end.port not in taken
            taken[end.port] = work.cable
    assert taken == {port: name for name, (a, z, _) in new.items() for port in (a, z)}
    touched = {work.cable for work in steps}
    assert touched == {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
