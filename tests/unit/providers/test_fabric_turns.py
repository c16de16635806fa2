"""Whose turn it is to change: groups exclude each other, and a rollback stops what hasn't begun."""

import threading
import time

import pytest

from providers.fabric import errors, turns
from providers.fabric.turns import Turns, group_of
from providers.kit import Cancel, Cancelled

pytestmark = pytest.mark.requirement("N1", "N6")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(turns, "LOOK_S", 0.02)


@pytest.mark.parametrize(
    ("plan", "group"),
    [
        ({"role": "leaf", "name": "t-su001-leaf-r3"}, "leaf"),
        ({"role": "spine", "name": "t-spine004"}, "spine-0"),
        ({"role": "spine", "name": "t-spine005-p1"}, "spine-1"),
        ({"role": "core", "name": "t-core012"}, "core-0"),
        ({"role": "spine", "name": "odd"}, "spine"),
        (None, ""),
        ({}, ""),
    ],
)
def test_groups(plan, group):
    assert group_of(plan) == group


class Run:
    """Switches that are changed in threads, as the engine does it; who was under way with whom."""

    def __init__(self):
        self.turns, self.cancel, self.lock = Turns(), Cancel(), threading.Lock()
        self.active, self.together, self.told, self.order = set(), set(), {}, []
        self.alone = set()  # names that nobody else was under way with, whenever somebody began

    def change(self, group, name, seconds=0.05, kind=""):
        try:
            with self.turns.turn(group, name, self.cancel):
                with self.lock:
                    self.active.add((group, name))
                    self.together |= {frozenset((a, b)) for a, _ in self.active for b, _ in self.active}
                    self.order.append(name)
                    if len(self.active) == 1:
                        self.alone.add(name)
                    else:
                        self.alone -= {one for _, one in self.active}
                time.sleep(seconds)
                with self.lock:
                    self.active.discard((group, name))
                if kind:
                    raise errors._error(kind, "SWITCH-018", name, "x", "y", "z")
        except (errors.SwitchError, Cancelled) as error:
            self.told[name] = error.problems[0].id

    def start(self, *changes):
        threads = [threading.Thread(target=self.change, args=change) for change in changes]
        for thread in threads:
            thread.start()
            time.sleep(0.01)  # in this order
        return threads

    def join(self, threads):
        for thread in threads:
            thread.join(10)
            assert not thread.is_alive()


def test_neighbours_and_halves_are_never_under_way_together():
    run, groups = Run(), ["leaf", "spine-0", "spine-1", "leaf", "spine-1", "spine-0", "leaf", "core-0"]
    run.join(run.start(*((group, f"{group}-{index}") for index, group in enumerate(groups))))
    assert len(run.order) == len(groups)
    assert all(len(pair) == 1 for pair in run.together), run.together
    assert run.told == {}


def test_the_first_of_a_role_is_alone_and_then_a_group_is_under_way_at_once():
    run = Run()
    began = time.monotonic()
    run.join(run.start(*(("leaf", f"leaf{index}", 0.3) for index in range(8))))
    assert time.monotonic() - began < 1.5, "not one after the other"
    assert run.alone == {"leaf0"}
    run.join(run.start(("spine-0", "spine2", 0.1), ("spine-0", "spine4", 0.1)))
    assert run.alone == {"leaf0", "spine2", "spine4"}, "a good leaf proves no spine"


def test_until_one_of_a_role_was_good_each_is_alone():
    run = Run()
    run.join(run.start(*(("leaf", f"leaf{index}", 0.05, "unreachable") for index in range(4))))
    assert run.alone == set(run.order) == {f"leaf{index}" for index in range(4)}


@pytest.mark.parametrize("kind", sorted(turns.ROLLED_BACK))
def test_after_a_rollback_nothing_begins_any_more(kind):
    run = Run()
    run.join(run.start(("leaf", "leaf0", 0)))
    run.join(run.start(("leaf", "leaf1", 0.2, kind), ("leaf", "leaf2", 0.4), ("spine-0", "spine2"), ("spine-1", "spine1")))
    assert run.order == ["leaf0", "leaf1", "leaf2"], "who had begun goes on to its end"
    assert run.told == {"leaf1": "SWITCH-018", "spine1": "SWITCH-025", "spine2": "SWITCH-025"}


def test_a_rollback_of_the_first_is_tried_on_nobody_else():
    """All leaves at once, as the engine hands them over where those that usually come first have nothing to change."""
    run = Run()
    run.join(run.start(*(("leaf", f"leaf{index}", 0.1, "lost") for index in range(6))))
    assert run.order == ["leaf0"]
    assert sorted(run.told.values()) == ["SWITCH-018"] + ["SWITCH-025"] * 5


def test_a_run_that_goes_on_stays_stopped_until_that_switch_is_good():
    """--continue-on-error with a small --parallel: one switch after the other, and nobody is inside in between."""
    run = Run()
    run.join(run.start(("leaf", "leaf1", 0, "lost")))
    for name in ("leaf2", "spine2"):
        run.join(run.start((name.rstrip("2"), name)))
    assert run.order == ["leaf1"]
    assert run.told == {"leaf1": "SWITCH-018", "leaf2": "SWITCH-025", "spine2": "SWITCH-025"}
    run.join(run.start(("leaf", "leaf1", 0, "unreachable")))
    run.join(run.start(("leaf", "leaf3")))
    assert run.told["leaf3"] == "SWITCH-025", "tried again is not good"
    run.join(run.start(("leaf", "leaf1")))
    run.join(run.start(("leaf", "leaf2")))
    assert run.order == ["leaf1", "leaf1", "leaf1", "leaf2"]


@pytest.mark.parametrize("kind", ["unreachable", "login", "invalid", "busy", "not-saved"])
def test_what_changed_nothing_stops_nobody(kind):
    """A dead switch of many is everyday; a refused configuration rolled nothing back."""
    run = Run()
    run.join(run.start(("leaf", "leaf1", 0.1, kind), ("spine-0", "spine2")))
    assert run.order == ["leaf1", "spine2"]


def test_a_wait_ends_with_the_run():
    run = Run()
    threads = run.start(("leaf", "leaf1", 0.5), ("spine-0", "spine2"))
    time.sleep(0.05)
    run.cancel.set()
    run.join(threads)
    assert run.order == ["leaf1"]
    assert run.told == {"spine2": "KIT-002"}
