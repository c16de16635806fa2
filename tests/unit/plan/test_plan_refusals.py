"""What no fabric can be: id, key, and the next sizes that have a regular wiring. The same for stack file and command line."""

import pytest

from railyard.plan import PlanError, plan
from railyard.plan.refusals import refusals
from railyard.plan.shape import Choice, size
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("N1")
GOOD = {"nodes_per_unit": 32, "units": 4, "rails": 8, "radix": 64}


def refused(**changes: object) -> list[tuple[str, str]]:
    return [(found.id, found.key) for found in refusals(Choice(**GOOD | changes))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "at_limit", "id_", "key"),
    [
        ({"units": 257}, {"units": 256}, "PLAN-002", "units"),
        ({"nodes_per_unit": 64}, {"nodes_per_unit": 63}, "PLAN-003", "nodes_per_unit"),
        ({"nodes_per_unit": 33, "oversubscription": 1.0}, {"nodes_per_unit": 33}, "PLAN-003", "nodes_per_unit"),
        ({"uplinks": 33}, {"uplinks": 32}, "PLAN-003", "uplinks"),
        (
            {"layout": "rail-only", "units": 1, "nodes_per_unit": 65},
            {"layout": "rail-only", "units": 1},
            "PLAN-003",
            "nodes_per_unit",
        ),
        (
            {"tiers": 1, "units": 1, "nodes_per_unit": 9},
            {"tiers": 1, "units": 1, "nodes_per_unit": 8},
            "PLAN-003",
            "nodes_per_unit",
        ),
        ({"oversubscription": 1.5}, {"oversubscription": 1.524}, "PLAN-020", "oversubscription"),
        ({"oversubscription": 2.0, "uplinks": 15}, {"oversubscription": 2.0, "uplinks": 16}, "PLAN-020", "oversubscription"),
        ({"links_per_cable": 2, "rails": 7}, {"links_per_cable": 2, "rails": 6}, "PLAN-020", "links_per_cable"),
        ({"links_per_cable": 2, "uplinks": 31}, {"links_per_cable": 2, "uplinks": 30}, "PLAN-020", "links_per_cable"),
        ({"tiers": 2, "units": 9}, {"tiers": 2, "units": 8}, "PLAN-021", "units"),
        ({"tiers": 3, "units": 4}, {"tiers": 3, "units": 5}, "PLAN-021", "tiers"),
        ({"pod_by": "rail", "units": 12}, {"pod_by": "rail", "units": 16}, "PLAN-022", "units"),
        ({"pod_by": "rail", "units": 48}, {"pod_by": "rail", "units": 64}, "PLAN-022", "units"),
        ({"reserved_ports": 33}, {"reserved_ports": 32}, "PLAN-023", "reserved_ports"),
        ({"layout": "rail-only"}, {"layout": "rail-only", "units": 1}, "PLAN-024", "units"),
        ({"layout": "rail-only", "units": 1, "tiers": 2}, {"layout": "rail-only", "units": 1, "tiers": 1}, "PLAN-024", "tiers"),
        ({"layout": "rail-only", "units": 1, "spines": 4}, {"units": 1, "spines": 4}, "PLAN-024", "spines"),
        (
            {"tiers": 1, "units": 1, "nodes_per_unit": 8, "oversubscription": 2.0},
            {"tiers": 1, "units": 1, "nodes_per_unit": 8, "oversubscription": 1.0},
            "PLAN-024",
            "oversubscription",
        ),
        ({"pod_by": "rail", "layout": "fat-tree"}, {"layout": "fat-tree"}, "PLAN-024", "pod_by"),
    ],
)
def test_refused_and_just_allowed(changes, at_limit, id_: str, key: str):
    assert refused(**changes) == [(id_, key)]
    assert refused(**at_limit) == []


def test_a_spine_of_three_tiers_has_ports_for_leaves_and_cores():
    deep = {"nodes_per_unit": 16, "tiers": 3, "units": 64}
    assert refused(**deep, uplinks=33) == [("PLAN-003", "uplinks")]
    assert refused(**deep, uplinks=32) == []


def test_managers_have_the_leaves_that_are_built():
    assert refusals(Choice(**GOOD, reserved_ports=9), built=2) == []
    (found,) = refusals(Choice(**GOOD, reserved_ports=9), built=1)
    assert found.problem({"reserved_ports": "X"}).fix == "set X to at most 8"


@pytest.mark.parametrize(("uplinks", "ratio"), [(22, 1.455), (21, 1.524), (32, 1.0), (16, 2.0), (11, 2.909)])
def test_a_ratio_of_three_decimals_means_whole_uplinks(uplinks: int, ratio: float):
    """The fix of PLAN-020 prints ratios so: what it says must be accepted."""
    choice = Choice(**GOOD, oversubscription=ratio)
    assert refusals(choice) == []
    assert size(choice).uplinks == uplinks


def test_all_that_is_wrong_with_a_stack_file_is_said_with_its_keys(site: SiteMaker):
    with pytest.raises(PlanError) as error:
        plan(site(fabric={"layout": "rail-only", "scalableUnits": 2, "tiers": 3, "uplinksPerLeaf": 8, "podBy": "rail"}))
    assert {(problem.id, problem.where.removeprefix("railyard:fabric.")) for problem in error.value.problems} == {
        ("PLAN-024", "tiers"),
        ("PLAN-024", "uplinksPerLeaf"),
        ("PLAN-024", "plannedScalableUnits"),
        ("PLAN-024", "podBy"),
    }
    assert all("{" not in problem.fix + problem.limit for problem in error.value.problems)


@pytest.mark.parametrize(
    ("changes", "fix"),
    [
        ({"oversubscription": 1.5}, "set railyard:fabric.oversubscription to 1.455 (32:22) or 1.524 (32:21)"),
        ({"plannedScalableUnits": 257}, "set railyard:fabric.plannedScalableUnits to at most 256, or"),
        ({"plannedScalableUnits": 20, "podBy": "rail"}, "set railyard:fabric.plannedScalableUnits to 16 or 32, or"),
        ({"nodesPerUnit": 40, "oversubscription": 1}, "set railyard:fabric.nodesPerUnit to 32, raise"),
        ({"tiers": 3}, "set railyard:fabric.tiers to auto, or railyard:fabric.plannedScalableUnits to at least 5"),
    ],
)
def test_the_fix_names_the_next_sizes(site: SiteMaker, changes, fix: str):
    with pytest.raises(PlanError) as error:
        plan(site(fabric=changes))
    (problem,) = error.value.problems
    assert problem.fix.startswith(fix)
