"""The hall bench: what it measures is what `plan()` calls, and leaves no trace behind."""

import importlib

import pytest

from bench.hall_bench import STAGES, measure

pytestmark = pytest.mark.requirement("C3")


def owner_of(place: str):
    module, _, inner = place.partition(":")
    found = importlib.import_module(module)
    return getattr(found, inner) if inner else found


def test_every_stage_of_a_small_site_is_clocked_and_put_back():
    before = {(place, name): getattr(owner_of(place), name) for place, names in STAGES.items() for name in names}
    found = measure(64)
    assert set(found["stages"]) == {name for names in STAGES.values() for name in names}
    assert found["seconds"] == pytest.approx(sum(found["stages"].values()))
    assert 0 < found["seconds"] < 5
    assert found["racks"] > 64 / 4
    assert {(place, name): getattr(owner_of(place), name) for place, names in STAGES.items() for name in names} == before
