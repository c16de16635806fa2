"""The bench of the failure matrix measures what it says: a stated path, cooling, every supply and switch counted."""

from collections import Counter

import pytest

from bench.failures_bench import hall_config
from railyard.plan import plan
from railyard.plan.failures.matrix import fresh_matrix

pytestmark = pytest.mark.requirement("C3")


def test_the_bench_site_has_everything_that_can_fail():
    made = plan(hall_config(64))
    matrix = fresh_matrix(made)
    counts = Counter({row.kind: row.events for row in matrix.by_kind})
    assert counts["psu"] >= 64 * 6 + 2 * len(made.switches)
    assert counts["leaf"] + counts["spine"] + counts["core"] == len(made.switches)
    assert all(counts[kind] for kind in ("ups", "panel", "busway", "rack-feed", "pdu", "circuit", "air-unit"))
    assert {row.cascading for row in matrix.by_kind} == {0}, "a hall that falls over measures something else"
