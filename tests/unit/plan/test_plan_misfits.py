"""Choices that the hardware doesn't have (PLAN-011 to 014), supplies of a rack, ports of a leaf, and what moves."""

import pytest

from railyard.plan import Move, PlanError, moves, plan, to_json
from railyard.render.consequences import cable_moves
from railyard.rules import check_problems
from tests.planned_site import make_site


def said(**sections):
    return [(p.id, p.where, p.found, p.limit) for p in plan(make_site(**sections)).problems if p.id in WANTED]


WANTED = {"PLAN-003", "PLAN-011", "PLAN-012", "PLAN-013", "PLAN-014"}
ETHERNET = {"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 64}


def test_choices_that_fit():
    assert said() == []
    assert said(fabric=ETHERNET) == []
    assert said(fabric=ETHERNET | {"planes": 2, "linkGbps": 200}) == [], "each NIC has a port of half its speed in every plane"
    assert said(fabric=ETHERNET | {"planes": 2, "rails": 4}) == [], "two NICs for each rail, one in every plane"
    assert said(fabric={"linkGbps": 200}) == [], "a link may be slower than the NIC"
    assert said(storage={"backend": "lustre"}) == [], "the server is for both"
    assert said(storage={"backend": "none", "classes": []}) == []


@pytest.mark.parametrize(("rails", "planes"), [(4, 1), (16, 1), (2, 2), (8, 3)])
def test_rails_that_no_nic_has_and_nics_without_a_rail(rails, planes):
    found = said(fabric=ETHERNET | {"rails": rails, "planes": planes, "linkGbps": 100})
    if rails == 8:
        assert found == []
    else:
        assert found == [
            ("PLAN-011", "railyard:fabric.rails", f"{rails} rails x {planes} planes", "8 training NICs on a dgx-h100")
        ]


def test_links_faster_than_the_nic():
    assert said(fabric=ETHERNET | {"linkGbps": 800, "nodesPerUnit": 32}) == [
        ("PLAN-012", "railyard:fabric.linkGbps", "800 Gb/s on one NIC", "400 Gb/s for each NIC of a dgx-h100")
    ]
    assert said(fabric=ETHERNET | {"planes": 2}) == [
        ("PLAN-012", "railyard:fabric.linkGbps", "2 planes x 400 Gb/s on one NIC", "400 Gb/s for each NIC of a dgx-h100")
    ]


def test_a_transport_that_the_switch_does_not_speak():
    assert said(fabric=ETHERNET | {"transport": "infiniband"}) == [
        ("PLAN-013", "railyard:fabric.transport", "infiniband", "roce on sn5600")
    ]


def test_a_file_system_that_the_server_is_not_for():
    found = said(storage={"nodeModel": "lustre-oss-24nvme", "backend": "beegfs"})
    assert found == [("PLAN-014", "railyard:storage.backend", "beegfs", "lustre on lustre-oss-24nvme")]


def test_every_misfit_is_an_invariant():
    problems = plan(
        make_site(fabric=ETHERNET | {"transport": "infiniband", "rails": 4, "linkGbps": 800, "nodesPerUnit": 32})
    ).problems
    assert {(f.id, f.severity) for f in check_problems(problems)} == {
        ("PLAN-011", "invariant"),
        ("PLAN-012", "invariant"),
        ("PLAN-013", "invariant"),
    }


def test_a_leaf_wired_beyond_its_ports():
    assert said(fabric={"uplinksPerLeaf": 32}) == []
    with pytest.raises(PlanError) as error:
        plan(make_site(fabric={"uplinksPerLeaf": 33}))
    (problem,) = error.value.problems
    assert (problem.id, problem.where) == ("PLAN-003", "railyard:fabric.uplinksPerLeaf")
    assert (problem.found, problem.limit) == ("32 node ports and 33 uplinks on a leaf", "64 ports")


def test_supplies_of_a_rack_by_model():
    (first, *_) = plan(make_site()).racks
    rows = {row.model: row for row in first.supplies}
    assert (rows["dgx-h100"].devices, rows["dgx-h100"].psus, rows["dgx-h100"].psu_kw) == (2, 6, 3.3)
    assert (rows["qm9700"].psus, rows["qm9700"].psu_kw) == (2, None)
    assert "sn2201" not in rows


def test_growth_beyond_the_plan_names_racks_and_lengths_too():
    facility = {"switchRacks": "dedicated", "storageRacks": "dedicated"}
    old = to_json(plan(make_site(facility=facility, fabric={"scalableUnits": 4})))
    new = to_json(plan(make_site(facility=facility, fabric={"scalableUnits": 5})))
    found = moves(old, new)
    leaf_spine = [m for m in found if "-leaf-" in m.id and m.kind == "move"]
    assert len(leaf_spine) == 1008, "all of 1,024 but the 16 that keep spine and port"
    assert sum(m.was[1].partition("/")[0] != m.now[1].partition("/")[0] for m in leaf_spine) == 512
    places = {m.id: (m.was, m.now) for m in found if m.kind == "place"}
    assert places["t-spine001"][0] != places["t-spine001"][1]
    assert any(m.relength for m in found if m.kind != "place")
    assert not any(m.relength for m in found if m.kind in ("add", "remove"))


def test_planned_units_are_what_the_stack_file_says():
    assert plan(make_site(fabric={"scalableUnits": 2})).site.planned_scalable_units == 2
    grown = plan(make_site(fabric={"scalableUnits": 5, "plannedScalableUnits": 4})).site
    assert (grown.planned_scalable_units, grown.built_scalable_units) == (4, 5)


def test_moves_are_told_with_devices_and_lengths():
    found = [
        Move("C1", "length", ("a/1", "b/1"), ("a/1", "b/1"), 3.0, 5.0),
        Move("C2", "move", ("a/2", "b/2"), ("a/2", "c/2"), 3.0, 3.0),
        Move("t-sw", "place", ("t-r049", "U48"), ("t-r061", "U48")),
    ]
    assert cable_moves(found).splitlines() == [
        "Cables against the earlier plan: 1 moves, 0 new, 0 gone, 1 change length",
        "Devices against the earlier plan: 1 change their place",
        "  t-sw: t-r049 U48  →  t-r061 U48",
        "  C1: a/1 – b/1 (3 m → 5 m)",
        "  C2: a/2 – b/2  →  a/2 – c/2",
    ]
