"""Properties of the failure engine: load is conserved, more feeds never hurt, a larger loss never gives power back."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from railyard.plan.failures.cascade import Cascade
from railyard.plan.failures.settle import DOWN, THROTTLED, settle
from railyard.plan.failures.tree import Hall, Spot
from tests.unit.plan.failures_factory import kind, node, segment, two_rows

pytestmark = pytest.mark.requirement("C3")
FEEDS = "abcd"


@st.composite
def machines(draw):
    """One to four machines of all sorts: known and unknown supplies, with and without GPUs."""
    found = []
    for _ in range(draw(st.integers(1, 4))):
        psus = draw(st.one_of(st.none(), st.integers(1, 8)))
        full = None if psus is None else draw(st.one_of(st.none(), st.integers(1, psus)))
        run = None if full is None else draw(st.one_of(st.none(), st.integers(1, full)))
        psu_kw = draw(st.one_of(st.none(), st.sampled_from([1.0, 2.0, 3.3])))
        kw = draw(st.sampled_from([0.3, 1.7, 6.5, 10.2, 14.3]))
        found.append(node(kw=kw, psus=psus, full=full, run=run, psu_kw=psu_kw, gpus=draw(st.sampled_from([0, 8])), factor=0.95))
    return found


@given(machines(), st.integers(1, 4), st.data())
def test_what_strips_deliver_is_what_live_machines_draw(several, feeds, data):
    one = kind(*several, feeds=FEEDS[:feeds])
    mask = data.draw(st.integers(0, one.supply_bit(len(one.supplies)) - 1))
    settled = settle(one, mask)
    assert sum(sum(load).real for load in settled.loads) == pytest.approx(settled.draw_kw)
    assert settled.draw_kw <= sum(machine.kw for machine in one.machines) + 1e-9
    assert sum(settled.gpus) == sum(machine.gpus for machine in one.machines)


@given(machines(), st.integers(1, 4), st.data())
def test_a_larger_loss_never_gives_power_back(several, feeds, data):
    one = kind(*several, feeds=FEEDS[:feeds])
    whole = one.supply_bit(len(one.supplies)) - 1
    small = data.draw(st.integers(0, whole))
    large = small | data.draw(st.integers(0, whole))
    for less, more in zip(settle(one, small).lives, settle(one, large).lives, strict=True):
        assert more.kw <= less.kw + 1e-9


def badness(hall):
    """(GPUs down, GPUs throttled, kW that GPU machines don't get) of the worst single feed."""
    found = []
    cascade = Cascade(hall)
    for strip in range(len(hall.kinds[0].strips)):
        (cell,) = cascade.lose_inside(0, 1 << strip).cells
        whole = sum(machine.kw for machine in hall.kinds[0].machines)
        found.append((cell.settled.gpus[DOWN], cell.settled.gpus[THROTTLED], round(whole - cell.settled.draw_kw, 6)))
    return max(found)


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8), st.sampled_from([3.3, 10.2, 14.3])), min_size=1, max_size=4),
       st.integers(1, 3), st.sampled_from([16.0, 32.0, 63.0, 500.0]))  # fmt: skip
def test_another_feed_never_makes_the_worst_single_loss_worse(rows, feeds, rating):
    """Same supplies, same breakers, one feed more."""
    several = [node(kw=kw, psus=psus, full=min(psus, full), run=1, psu_kw=None) for psus, full, kw in rows]
    fewer, more = (kind(*several, feeds=FEEDS[:count], rating=rating) for count in (feeds, feeds + 1))
    # A design whose breakers trip with everything live is no design.
    assume(not any(over.trips for over in settle(fewer, 0).over))
    few, many = (badness(Hall((one,), (Spot(0, (-1,) * len(one.strips), ("r1",)),), ())) for one in (fewer, more))
    assert many[0] <= few[0]
    assert many <= few or many[0] < few[0]


@given(st.integers(200, 900), st.integers(200, 900), st.integers(200, 900), st.integers(0, 7))
def test_a_cascade_ends_and_its_loads_are_those_of_what_lives(panel, bus_a, bus_b, lost):
    hall = two_rows(panel=float(panel), bus_a=float(bus_a), bus_b=float(bus_b))
    cascade = Cascade(hall)
    outcome = cascade.lose_segments([lost])
    assert outcome.steps[-1].trips == ()
    assert all(step.trips for step in outcome.steps[:-1])
    assert len(outcome.steps) <= len(hall.segments) + 1
    draws = [step.draw_kw for step in outcome.steps]
    assert draws == sorted(draws, reverse=True)
    live = cascade.changed(outcome.cells)
    roots = [index for index, one in enumerate(hall.segments) if one.parent < 0]
    untouched = sum(sum(cascade.load[index]).real for index in roots if index not in live)
    below = sum(sum(live[index]).real for index in roots if index in live)
    affected = sum(cell.racks for cell in outcome.cells)
    assert below + untouched == pytest.approx(
        sum(cell.settled.draw_kw * cell.racks for cell in outcome.cells) + (20 - affected) * 30
    )
    for index in outcome.dead:
        assert sum(live[index]).real == pytest.approx(0, abs=1e-6)


@given(st.integers(1, 30), st.integers(50, 2000))
def test_a_breaker_trips_exactly_over_its_rating(racks, rating):
    one = kind(node(kw=9.0, psus=2, full=1, psu_kw=None), rating=1000.0)
    segments = (segment("a", rating=float(rating)), segment("b", rating=float(rating)))
    hall = Hall((one,), (Spot(0, (0, 1), tuple(f"r{n}" for n in range(racks))),), segments)
    outcome = Cascade(hall).lose_segments([0])
    alone = racks * 9000 / 3 / 230
    assert bool(outcome.steps[0].trips) is (alone > rating + 1e-6)


def naive(racks, ratings, lost):
    """The same two rows told rack by rack, without phases, groups or differences: (dead segments, GPUs down).

    A rack of 30 kW at 230 V takes 43.478 A in each line, in halves from both feeds, or whole from the one that is left.
    """
    parents = {"bus-a-01": "panel-a", "bus-a-02": "panel-a", "bus-b-01": "panel-b", "bus-b-02": "panel-b"}
    parents |= {"panel-a": "ups-a", "panel-b": "ups-b"}
    dead = {lost}

    def line(name):
        return [name, *(line(parents[name]) if name in parents else [])]

    while True:
        amps = dict.fromkeys(ratings, 0.0)
        down = 0
        for row in (1, 2):
            for _ in range(racks):
                live = [feed for feed in "ab" if not dead & set(line(f"bus-{feed}-0{row}"))]
                down += 24 * (not live)
                for feed in live:
                    for name in line(f"bus-{feed}-0{row}"):
                        amps[name] += 30_000 / 3 / 230 / len(live)
        tripped = {name for name, load in amps.items() if load > ratings[name] + 1e-6} - dead
        if not tripped:
            return dead, down
        dead |= tripped


@given(st.integers(1, 12), st.lists(st.integers(101, 220), min_size=8, max_size=8), st.integers(0, 7))
def test_the_engine_agrees_with_a_naive_one(racks, percents, lost):
    """Ratings are so many percent of what each breaker carries with nothing lost: some halls fall over, some hold."""
    hall = two_rows(racks)
    alone = {"busway": racks / 2, "panel": racks, "ups": racks}
    amps = [alone[s.kind] * 10_000 / 230 * percent / 100 for s, percent in zip(hall.segments, percents, strict=True)]
    rated = [segment(s.name, s.parent, rating, s.kind) for s, rating in zip(hall.segments, amps, strict=True)]
    outcome = Cascade(Hall(hall.kinds, hall.spots, tuple(rated))).lose_segments([lost])
    dead, down = naive(racks, {s.name: s.rating_a for s in rated}, rated[lost].name)
    assert {rated[index].name for index in outcome.dead} == dead
    assert sum(cell.settled.gpus[DOWN] * cell.racks for cell in outcome.cells) == down
