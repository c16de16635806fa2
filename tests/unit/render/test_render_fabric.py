"""What the fabric promises, as lines of `railyard plan` and of the report."""

import pytest

from railyard.plan import plan
from railyard.render.fabric_facts import fabric_facts, fabric_text
from railyard.render.report import report_html
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N1")


def facts(**fabric: object) -> dict[str, str]:
    return dict(fabric_facts(plan(make_site(fabric=fabric)).fabric))


def test_two_tiers():
    assert facts() == {
        "layout": "rail-optimized, 2 tiers",
        "switch hops": "same rail 1, any 3",
        "same-rail shifts": "one flow on a link, by slot, on full leaves or leaves filled from slot 1",
        "subnet managers of the fabric": "t-spine001, t-spine002",
    }


def test_a_part_filled_pod_waives_its_claim():
    found = facts(scalableUnits=5, plannedScalableUnits=16)
    assert found["pods"].startswith("2, of units")
    assert found["switch hops"] == "same rail 5, any 5"
    assert found["core load"] == "40.0% of same-rail pairs of leaves, 32.8% of all pairs"
    assert found["same-rail shifts"].startswith("no claim: a pod is part-filled")


def test_pods_of_rails():
    found = facts(scalableUnits=16, podBy="rail")
    assert found["pods"].startswith("4, of rails")
    assert found["switch hops"] == "same rail 3, any 5"
    assert found["core load"].startswith("0.0% of same-rail pairs")


def test_a_rail_that_needs_two_pods_crosses_the_core():
    """Rails of 64 leaves in pods of 32."""
    found = facts(scalableUnits=64, nodesPerUnit=32, podBy="rail")
    assert found["switch hops"] == "same rail 5, any 5"
    assert "same-rail traffic crosses the core, too" in found["pods"]


def test_rails_that_are_apart():
    found = facts(nodesPerUnit=4, layout="rail-only")
    assert found["switch hops"] == "same rail 1, any no path: rails are apart"
    assert found["separate fabrics"] == "8"
    assert found["subnet managers of r3"] == "t-su001-leaf-r3"


def test_no_subnet_manager_is_said():
    assert facts(switchModel="q3400", linkGbps=800, nodesPerUnit=72)["subnet managers of the fabric"] == "none"


def test_uneven_pairs():
    assert facts(scalableUnits=3, spines=12)["same-rail shifts"].startswith("no claim: pairs of switches")


def test_oversubscribed():
    assert facts(oversubscription=2)["same-rail shifts"].startswith("several flows on a link")


def test_text_and_report_have_every_fact():
    made = plan(make_site())
    text, page = fabric_text(made.fabric), report_html(made, [])
    for name, value in fabric_facts(made.fabric):
        assert f"  {name}" in text
        assert value in text
        assert value in page
