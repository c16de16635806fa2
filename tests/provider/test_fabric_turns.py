"""fabric:index:SwitchConfig, several at once: neighbours wait for each other, and a rollback stops who hasn't begun."""

import json

import pytest

from tests.lab.switchyard import Bench, changed, mtu, settled, tree
from tests.provider.plugin import Background, Failed, Plugin

pytestmark = [pytest.mark.requirement("N1", "N6"), pytest.mark.usefixtures("mended")]

KIND = "fabric:index:SwitchConfig"


def inputs(bench: Bench, name: str, config: dict | None = None, **change) -> dict:
    plan = {"role": "leaf" if name.startswith("leaf") else "spine", "name": name}
    return bench.inputs(name, config or changed(name), plan=plan, **change)


def writes(bench: Bench, name: str, mark: int) -> list[float]:
    """When a switch was written to, first and last time."""
    lines = (bench.yard.folder / "requests.jsonl").read_text().splitlines()[mark:]
    rows = [row for row in map(json.loads, lines) if row["name"] == name]
    times = [row["t"] for row in rows if row["method"] != "GET" and ("nvue" in row["path"] or "config " in row["path"])]
    return [min(times), max(times)]


def test_all_switches_change_and_never_two_ends_of_a_cable_together(bench: Bench, fabric: Plugin):
    mark = bench.mark()
    names = ["leaf1", "spine1", "leaf2", "spine2"]
    work = [Background(fabric.create, KIND, inputs(bench, name)) for name in names]
    for one in work:
        one.result(120)
    assert [mtu(bench, name) for name in names] == [9000] * 4
    spans = {name: writes(bench, name, mark) for name in names}
    for one, other in [(a, b) for a in names for b in names if a < b]:
        apart = spans[one][1] < spans[other][0] or spans[other][1] < spans[one][0]
        assert apart or (one, other) == ("leaf1", "leaf2"), spans


def test_after_a_rollback_the_spines_are_left_alone(bench: Bench, fabric: Plugin):
    """A wrong ASN on a leaf: no session comes back. The spines had to wait for the leaves, and are never asked."""
    wrong = tree("leaf1", asn=4200000100)
    wrong["interface"]["swp3"]["link"]["mtu"] = 9000
    leaf = Background(fabric.create, KIND, inputs(bench, "leaf1", wrong, confirmS=60, settleS=4))
    settled(lambda: mtu(bench, "leaf1") == 9000, 15)
    mark = bench.mark()
    spines = [Background(fabric.create, KIND, inputs(bench, name)) for name in ("spine1", "spine2")]
    with pytest.raises(Failed, match="SWITCH-018"):
        leaf.result()
    for spine in spines:
        with pytest.raises(Failed) as failed:
            spine.result()
        assert "SWITCH-025" in failed.value.text
        assert "leaf1 was rolled back" in failed.value.text
    assert not [row for name in ("spine1", "spine2") for row in bench.requests(name, mark)]
    assert [mtu(bench, name) for name in ("spine1", "spine2")] == [9216, 9216]
    mark = bench.mark()
    with pytest.raises(Failed, match="SWITCH-025"):
        fabric.create(KIND, inputs(bench, "leaf2"))  # handed over when nobody is under way any more
    assert bench.requests("leaf2", mark) == []
    fabric.create(KIND, inputs(bench, "leaf1"))
    fabric.create(KIND, inputs(bench, "spine1"))
    assert [mtu(bench, name) for name in ("leaf1", "spine1")] == [9000, 9000], "the first one is good, and so the others may"


def test_leaves_that_would_all_roll_back_are_one_rollback(bench: Bench, new_run: Plugin):
    """Both at once, as in a run in which the leaf that usually comes first has nothing to change."""
    mark = bench.mark()
    wrong = {name: tree(name, asn=4200000100 + index) for index, name in enumerate(("leaf1", "leaf2"))}
    work = [Background(new_run.create, KIND, inputs(bench, name, wrong[name], confirmS=60, settleS=3)) for name in wrong]
    told = {}
    for name, one in zip(wrong, work, strict=True):
        with pytest.raises(Failed) as failed:
            one.result(120)
        told[name] = failed.value.text
    assert sorted(text.split()[0] for text in told.values()) == ["SWITCH-018", "SWITCH-025"]
    spared = next(name for name, text in told.items() if "SWITCH-025" in text)
    assert bench.requests(spared, mark) == []
    first = next(name for name in told if name != spared)
    new_run.create(KIND, inputs(bench, first))
    new_run.create(KIND, inputs(bench, spared))
