"""The cycle collector rests while a plan is made, and only then."""

import gc
from collections.abc import Iterator

import pytest

from railyard import plan as planning
from railyard.plan.collector import collector_paused
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("U8")


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    gc.enable()


def test_it_is_off_inside_and_as_before_afterwards():
    for on in (True, False):
        (gc.enable if on else gc.disable)()
        with collector_paused():
            assert not gc.isenabled()
        assert gc.isenabled() == on


def test_an_error_leaves_it_as_it_was():
    with pytest.raises(ZeroDivisionError), collector_paused():
        raise ZeroDivisionError
    assert gc.isenabled()


def test_it_is_off_from_the_first_verb_of_a_plan_to_the_last(monkeypatch: pytest.MonkeyPatch):
    seen: list[bool] = []
    for name in ("pick_parts", "plan_networks"):
        verb = getattr(planning, name)
        monkeypatch.setattr(planning, name, lambda *given, verb=verb: (seen.append(gc.isenabled()), verb(*given))[1])
    planning.plan(make_site())
    assert seen == [False, False]
    assert gc.isenabled()


def test_a_site_that_can_not_be_planned_leaves_it_on():
    with pytest.raises(planning.PlanError):
        planning.plan(make_site(fabric={"plannedScalableUnits": 3000}))
    assert gc.isenabled()
