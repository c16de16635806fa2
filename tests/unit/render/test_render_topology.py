"""The pictures of the fabric: cable ends are read back out of the SVG, and 512 leaves stay readable."""

import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from railyard.plan import plan as make_plan
from railyard.render.pods import core_groups, nested, spine_groups
from railyard.render.topology import topology_svg
from railyard.render.unit import unit_svg
from tests.planned_site import make_site

SVG = "{http://www.w3.org/2000/svg}"


def groups(picture, attribute):
    return [group for group in ET.fromstring(picture).iter(f"{SVG}g") if group.get(attribute) is not None]


@pytest.mark.requirement("U4", "C5")
def test_cable_ends_read_back_out_of_the_picture(plan_of):
    plan = plan_of(units=2, planned=2, nodes=32)
    for unit in (1, 2):
        drawn = {
            (group.get("data-cable"), group.get("data-a"), group.get("data-z"))
            for group in groups(unit_svg(plan, unit), "data-cable")
        }
        assert drawn == {(cable.id, cable.a, cable.z) for cable in plan.cables if f"-su{unit:03d}-" in cable.z}


def test_lines_start_and_end_in_the_boxes_of_their_devices(plan_of):
    picture = unit_svg(plan_of(), 1)
    middle = {}
    for group in groups(picture, "data-device"):
        box = next(shape for shape in group.iter(f"{SVG}rect") if shape.get("class") == "box")
        middle[group.get("data-device")] = float(box.get("x")) + float(box.get("width")) / 2
    lines = list(groups(picture, "data-a"))
    assert len(lines) == 8 * 4 + 8 * 4
    for group in lines:
        shape = next(group.iter(f"{SVG}line"))
        ends = (middle[group.get("data-a").split("/")[0]], middle[group.get("data-z").split("/")[0]])
        assert (float(shape.get("x1")), float(shape.get("x2"))) == pytest.approx(ends, abs=0.02)


def test_leaf_spine_lines_say_how_many_cables_they_stand_for(plan_of):
    plan = plan_of(spines=4)
    drawn = {(g.get("data-a"), g.get("data-z")): int(g.get("data-links")) for g in groups(unit_svg(plan, 1), "data-links")}
    wanted = {(s.name, peer): links for s in plan.switches for peer, links in s.links_per_peer.items()}
    assert drawn == wanted


def test_every_planned_unit_is_a_box_built_or_not(plan_of):
    drawn = groups(topology_svg(plan_of(units=4, planned=8, nodes=32)), "data-unit")
    assert [int(group.get("data-unit")) for group in drawn] == list(range(1, 9))
    assert [int(group.get("data-leaves")) for group in drawn] == [8] * 4 + [0] * 4
    assert [int(group.get("data-nodes")) for group in drawn] == [32] * 4 + [0] * 4


def test_bundles_carry_the_plan_s_number_of_links(plan_of):
    plan = plan_of(units=4, planned=4, spines=16)
    drawn = {group.get("data-a"): int(group.get("data-links")) for group in groups(topology_svg(plan), "data-links")}
    wanted = Counter()
    for switch in plan.switches:
        if switch.role == "leaf":
            wanted[f"su{switch.unit:03d}"] += sum(switch.links_per_peer.values())
    assert drawn == wanted


def test_512_leaves_stay_one_box_per_unit(plan_of):
    picture = topology_svg(plan_of(units=64, planned=64, nodes=32, spines=32))
    root = ET.fromstring(picture)
    assert int(root.get("width")) <= 1300
    assert len(groups(picture, "data-unit")) == 64
    assert len(groups(picture, "data-device")) == 512 + 32
    assert _overlaps(root) == []


def _overlaps(root):
    """Pairs of unit boxes that lie over each other."""
    boxes = []
    for group in root.iter(f"{SVG}g"):
        if group.get("data-unit"):
            box = next(group.iter(f"{SVG}rect"))
            boxes.append([float(box.get(name)) for name in ("x", "y", "width", "height")])
    return [
        (a, b)
        for index, a in enumerate(boxes)
        for b in boxes[index + 1 :]
        if a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]
    ]


def test_a_third_tier_is_drawn_above_the_spines(plan_of):
    plan = plan_of()
    cores = tuple(
        switch.model_copy(update={"role": "core", "name": switch.name.replace("spine", "core")})
        for switch in plan.switches
        if switch.role == "spine"
    )
    plan.switches += cores
    plan.fabric = plan.fabric.model_copy(update={"cores": len(cores), "spine_core_links": 128, "tiers": 3})
    picture = topology_svg(plan)
    tiers = {group.get("data-tier"): group for group in groups(picture, "data-tier")}
    tops = {name: float(next(group.iter(f"{SVG}rect")).get("y")) for name, group in tiers.items()}
    assert tops["core"] < tops["spine"]
    between = next(group for group in groups(picture, "data-links") if group.get("data-z") == "cores")
    assert between.get("data-links") == "128"


def test_of_several_planes_the_first_is_drawn(plan_of):
    plan = plan_of()
    second = [
        switch.model_copy(update={"name": f"{switch.name}-p1", "plane": 1, "links_per_peer": {}})
        for switch in plan.switches
        if switch.role == "leaf"
    ]
    plan.switches += tuple(second)
    plan.fabric = plan.fabric.model_copy(update={"planes": 2})
    picture = unit_svg(plan, 1)
    assert len(groups(picture, "data-cable")) == 32
    assert not {switch.name for switch in second} & {group.get("data-device") for group in groups(picture, "data-device")}
    assert "plane 0 of 2" in picture


def test_a_bus_ends_at_the_last_unit_that_is_built(plan_of):
    root = ET.fromstring(topology_svg(plan_of(units=10, planned=16)))
    bus = next(root.iter(f"{SVG}polyline")).get("points").split()
    built = next(group for group in root.iter(f"{SVG}g") if group.get("data-unit") == "10")
    box = next(built.iter(f"{SVG}rect"))
    assert float(bus[-1].split(",")[0]) == float(box.get("x")) + float(box.get("width")) / 2


def planned(nodes=4, **fabric):
    return make_plan(make_site(nodes, fabric=fabric))


SHAPES = {
    "one unit": {},
    "planes": {"planes": 2, "scalableUnits": 4},
    "fat-tree": {"layout": "fat-tree", "scalableUnits": 2},
    "uneven": {"scalableUnits": 3, "spines": 12},
    "rail-only": {"nodesPerUnit": 4, "layout": "rail-only"},
    "pods of units, part-built": {"scalableUnits": 5, "plannedScalableUnits": 16},
    "pods of rails": {"scalableUnits": 16, "podBy": "rail"},
    "pods of units in planes": {"scalableUnits": 16, "planes": 2},
    "pods of rails in planes": {"scalableUnits": 16, "planes": 2, "podBy": "rail"},
    "pods of half a rail": {"scalableUnits": 64, "podBy": "rail"},
    "64 units in pods": {"scalableUnits": 64},
}


@pytest.fixture(scope="module", params=SHAPES.values(), ids=SHAPES)
def shaped(request):
    return planned(**request.param)


@pytest.mark.requirement("N1", "U4")
def test_the_links_of_any_shape_add_up_to_the_plan_s(shaped):
    """Read back by kind: what ends at cores, and what ends at spines, is what the cables of the plan carry."""
    drawn = Counter()
    for bundle in groups(topology_svg(shaped), "data-links"):
        drawn["cores" if bundle.get("data-z") == "cores" else "spines"] += int(bundle.get("data-links"))
    kinds = Counter(cable.kind for cable in shaped.cables)
    assert drawn["spines"] == kinds["leaf-spine"]
    assert drawn["cores"] == kinds["spine-core"]


def test_any_shape_draws_each_unit_and_tier_once_and_nothing_over_another(shaped):
    root = ET.fromstring(topology_svg(shaped))
    numbers = [int(group.get("data-unit")) for group in root.iter(f"{SVG}g") if group.get("data-unit")]
    assert sorted(numbers) == list(range(1, shaped.site.planned_scalable_units + 1))
    counted = Counter()
    for group in root.iter(f"{SVG}g"):
        if group.get("data-tier"):
            counted[group.get("data-tier")] += int(group.get("data-count"))
    roles = Counter(switch.role for switch in shaped.switches)
    assert counted == Counter({role: roles[role] for role in ("spine", "core") if roles[role]})
    assert _overlaps(root) == []
    assert float(root.get("width")) <= 1300
    assert _outside(root) == []
    assert len(list(root.iter(f"{SVG}line"))) + len(list(root.iter(f"{SVG}polyline"))) < 200, "never a line per cable"


def _outside(root):
    """Boxes that reach over the edge of the picture."""
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = [[float(box.get(name)) for name in ("x", "y", "width", "height")] for box in root.iter(f"{SVG}rect")]
    return [box for box in boxes if box[0] < 0 or box[1] < 0 or box[0] + box[2] > width or box[1] + box[3] > height]


def test_pods_of_units_hold_their_units():
    """Each unit lies in the panel of the pod whose spines its leaves are wired to."""
    plan = planned(scalableUnits=16, planes=2)
    found = spine_groups(plan.switches)
    assert [(pod.units, len(pod.spines), pod.planes) for pod in found] == [
        (tuple(range(first, first + 4)), 64, (0, 1)) for first in (1, 5, 9, 13)
    ]
    assert nested(found)
    panels = groups(topology_svg(plan), "data-pod")
    assert [[int(unit.get("data-unit")) for unit in pod.iter(f"{SVG}g") if unit.get("data-unit")] for pod in panels] == [
        list(pod.units) for pod in found
    ]


def test_pods_of_rails_are_boxes_over_all_units():
    found = spine_groups(planned(scalableUnits=16, podBy="rail").switches)
    assert [pod.rails for pod in found] == [(0, 1), (2, 3), (4, 5), (6, 7)]
    assert not nested(found)
    picture = topology_svg(planned(scalableUnits=16, podBy="rail"))
    assert [f"rails {rail}–{rail + 1}" in picture for rail in (0, 2, 4, 6)] == [True] * 4


def test_a_rail_that_fills_two_pods_is_not_taken_for_one():
    found = spine_groups(planned(scalableUnits=64, podBy="rail").switches)
    assert len(found) == 16
    assert [(group.rails, group.units[0], group.units[-1]) for group in found[:2]] == [((0,), 1, 32), ((0,), 33, 64)]


def test_planes_have_a_box_each():
    picture = topology_svg(planned(planes=2, scalableUnits=4))
    assert [group.get("data-count") for group in groups(picture, "data-group")] == ["16", "16"]
    assert "plane 0" in picture
    assert "plane 1" in picture


def test_cores_are_grouped_by_the_spines_below_them():
    assert [len(group) for group in core_groups(planned(scalableUnits=64).switches)] == [8] * 32


def test_rails_that_are_apart_are_said():
    assert "no spines: 8 separate fabrics" in topology_svg(planned(nodesPerUnit=4, layout="rail-only"))


def test_labels_of_spine_groups_are_never_cut():
    assert "…" not in topology_svg(planned(scalableUnits=64, podBy="rail"))
    assert "…" not in topology_svg(planned(scalableUnits=16, planes=2, podBy="rail"))
