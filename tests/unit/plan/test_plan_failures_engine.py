"""The failure engine on small halls: states by live supplies, load sharing, cascades step by step."""

import math

import msgspec
import pytest

from railyard.plan.failures.cascade import Cascade
from railyard.plan.failures.settle import DOWN, FULL, THROTTLED, UNKNOWN, judge, settle
from railyard.plan.failures.tree import ALL_LINES, NONE, Hall, Spot, line_amps, tapped
from tests.unit.plan.failures_factory import VOLTS, kind, node, segment, switch, two_rows

pytestmark = pytest.mark.requirement("C3")
A_30_KW = 30_000 / 3 / VOLTS
"""43.48 A in each line."""


def machine(**changes):
    return kind(node(**changes)).machines[0]


def states(settled):
    return [live.state for live in settled.lives]


# State of one machine


def test_case_4_three_and_three_is_throttled_to_9_9_of_10_2_kw():
    (live,) = settle(kind(node()), 0b01).lives
    assert (live.state, live.kw) == (THROTTLED, pytest.approx(9.9))


def test_case_4_two_and_two_and_two_on_three_feeds_survives_any_one():
    three = kind(node(), feeds="abc")
    assert [states(settle(three, three.strip_bit(feed))) for feed in range(3)] == [[FULL]] * 3


def test_one_feed_lost_is_everything_lost():
    assert states(settle(kind(node(), feeds="a"), 1)) == [DOWN]


@pytest.mark.parametrize(
    ("live", "facts", "state", "kw"),
    [
        (4, {}, FULL, 10.2),
        (3, {}, THROTTLED, 9.9),
        (3, {"run": 3}, THROTTLED, 9.9),
        (2, {"run": 3}, DOWN, 0.0),
        (0, {}, DOWN, 0.0),
        (3, {"run": 3, "psu_kw": None}, THROTTLED, 10.2 * 3 / 4),
        (3, {"full": None}, THROTTLED, 9.9),
        (4, {"full": None}, FULL, 10.2),
        (3, {"full": None, "psu_kw": None}, UNKNOWN, 10.2),
        (6, {"full": None, "psu_kw": None}, FULL, 10.2),
        (3, {"psu_kw": None}, UNKNOWN, 10.2),
        (4, {"psu_kw": 2.0}, THROTTLED, 8.0),
    ],
)
def test_state_by_live_supplies(live, facts, state, kw):
    found = judge(machine(**facts), live)
    assert (found.state, found.kw) == (state, pytest.approx(kw))


def test_what_is_not_from_the_catalogue_says_so():
    assert "psusForFull of dgx is unknown" in judge(machine(full=None), 4).note
    assert "psusToRun of dgx is unknown" in judge(machine(), 3).note
    assert judge(machine(run=3), 3).note == ""
    assert judge(machine(), 4).note == ""


def test_a_switch_with_too_few_supplies_is_unknown_not_throttled():
    """It has no less to give: nobody knows whether it resets."""
    found = judge(kind(switch(psus=4, full=3, psu_kw=0.5)).machines[0], 2)
    assert found.state == UNKNOWN
    assert found.note == "psusToRun of leaf is unknown"


def test_unknown_number_of_supplies_is_unknown_after_any_loss_and_down_after_all():
    one = kind(node(psus=None, full=None, psu_kw=None))
    assert states(settle(one, 0)) == [FULL]
    (live,) = settle(one, 0b01).lives
    assert (live.state, live.kw, live.note) == (UNKNOWN, 10.2, "psus of dgx is unknown")
    assert states(settle(one, 0b11)) == [DOWN]


def test_single_cord_gear_goes_down_with_its_feed_and_a_transfer_switch_saves_it():
    one = switch(psus=1)
    assert states(settle(kind(one), 0b01)) == [DOWN]
    assert states(settle(kind(one), 0b10)) == [FULL]
    saved = kind(one, ats=True)
    assert [states(settle(saved, mask)) for mask in (0b01, 0b10, 0b11)] == [[FULL], [FULL], [DOWN]]


def test_a_transfer_switch_moves_the_load():
    saved = kind(switch(psus=1), ats=True)
    assert [sum(load).real for load in settle(saved, 0).loads] == pytest.approx([1.0, 0.0])
    assert [sum(load).real for load in settle(saved, 0b01).loads] == pytest.approx([0.0, 1.0])


# Load inside of a rack


def test_live_supplies_share_evenly_and_a_lost_one_moves_its_part():
    one = kind(node())
    assert [sum(load).real for load in settle(one, 0).loads] == pytest.approx([5.1, 5.1])
    lost = settle(one, one.supply_bit(0))
    assert [sum(load).real for load in lost.loads] == pytest.approx([10.2 * 2 / 5, 10.2 * 3 / 5])
    assert states(lost) == [FULL]


def test_power_factor_makes_current_not_power():
    one = settle(kind(node(kw=10.0, full=3, factor=0.9)), 0b01)
    assert one.draw_kw == pytest.approx(9.9)
    assert line_amps(one.loads[1], VOLTS) == pytest.approx(9900 / 0.9 / 3 / VOLTS)


def test_two_lines_and_one_line_add_up_as_vectors():
    """Two loads of 10 A between L1-L2 and L2-L3 make 17.32 A in L2, not 20; one of 5 A on L2 comes at 30 degrees to each."""
    volts = VOLTS * math.sqrt(3)
    ten, five = 10 * volts / 1000 + 0j, 5 * VOLTS / 1000 + 0j
    load = (0j, 0j, 0j, ten, ten, 0j, 0j)
    assert line_amps(load, VOLTS) == pytest.approx(10 * math.sqrt(3))
    assert line_amps((0j, five, 0j, ten, ten, 0j, 0j), VOLTS) == pytest.approx(10 * math.sqrt(3) + 5)
    assert line_amps((five, 0j, 0j, ten, 0j, 0j, 0j), VOLTS) == pytest.approx(abs(5 + 10 * complex(math.sqrt(3) / 2, 0.5)))


def test_one_phase_carries_everything_on_its_line():
    assert line_amps((2.3 + 0j, 0j, 0j, 0j, 0j, 0j, 2.3 + 0j), VOLTS, 1) == pytest.approx(20)


def test_strips_of_one_phase_tap_their_turn():
    from msgspec.structs import replace

    strip = replace(kind(node()).strips[0], one_phase="line-neutral")
    load = (1 + 0j, *NONE[1:])
    assert [tapped(load, strip, turn).index(1) for turn in range(4)] == [0, 1, 2, 0]
    assert tapped(load, replace(strip, one_phase="line-line"), 1).index(1) == 4


def test_a_bank_over_its_rating_trips_and_takes_what_hangs_on_it():
    """Four servers of 2 kW on feed a and b: each bank of 16 A carries 8.7 A, alone 17.4 A."""
    servers = [node(kw=4.0, psus=2, full=1, psu_kw=None, banks=(0, 1), model="server", gpus=1) for _ in range(1)]
    one = kind(*servers, banks=(("A1", 0, VOLTS, 16.0), ("B1", 1, VOLTS, 16.0)))
    settled = settle(one, one.strip_bit(0))
    (over,) = settled.over
    assert (over.bit, over.trips, over.amps) == (one.bank_bit(1), True, pytest.approx(4000 / VOLTS))
    cascade = Cascade(Hall((one,), (Spot(0, (-1, -1), ("r1",)),), ()))
    outcome = cascade.lose_inside(0, one.strip_bit(0))
    assert [len(step.trips) for step in outcome.steps] == [1, 0]
    assert states(outcome.cells[0].settled) == [DOWN]


def test_at_its_rating_a_breaker_holds_and_a_thousandth_more_trips():
    exact = 4000 / VOLTS
    for rating, trips in ((exact, False), (exact - 0.001, True)):
        one = kind(
            node(kw=4.0, psus=2, full=1, psu_kw=None, banks=(0, 1)), banks=(("A1", 0, VOLTS, 40.0), ("B1", 1, VOLTS, rating))
        )
        assert [over.trips for over in settle(one, 1).over] == [trips]


def test_a_bank_that_nobody_has_rated_is_not_judged():
    one = kind(node(kw=40.0, psus=2, full=1, psu_kw=None, banks=(0, 1)), rating=500.0, banks=(("A1", 0, VOLTS, None),) * 2)
    assert settle(one, 1).over == ()


# Cascades


def test_nothing_lost_loads_every_segment_with_its_half():
    cascade = Cascade(two_rows())
    amps = [line_amps(load, VOLTS) for load in cascade.load]
    assert amps == pytest.approx([10 * A_30_KW, 10 * A_30_KW, 5 * A_30_KW, 5 * A_30_KW] * 2)


def test_losing_one_side_doubles_the_other():
    outcome = Cascade(two_rows(panel=1200.0, bus_a=600.0, bus_b=600.0)).lose_segments([0])
    (step,) = outcome.steps
    assert step.trips == ()
    assert step.machines == (60, 0, 0, 0)
    assert step.draw_kw == pytest.approx(600.0)


def test_an_overloaded_failover_cascades_step_by_step():
    """Losing busway a of row 1: panel b gets 15 racks' halves and more (652 A of 600 A) and trips; then row 2 hangs on busway
    a alone (435 A of 400 A), and everything is down.
    """
    hall = two_rows()
    outcome = Cascade(hall).lose_segments([2])
    named = [[(hall.segments[t.segment].name, round(t.amps, 1), t.rating_a) for t in step.trips] for step in outcome.steps]
    assert named == [[("panel-b", 652.2, 600.0)], [("bus-a-02", 434.8, 400.0)], []]
    assert [step.machines for step in outcome.steps] == [(30, 0, 0, 0), (30, 0, 30, 0), (0, 0, 60, 0)]
    assert [round(step.draw_kw, 6) for step in outcome.steps] == [300.0, 300.0, 0.0]


def test_between_derated_and_rating_a_breaker_holds_and_is_named():
    hall = two_rows(panel=700.0)
    (step,) = Cascade(hall).lose_segments([2]).steps
    assert [(hall.segments[t.segment].name, t.derated_a) for t in step.held] == [("panel-b", 560.0)]


def test_a_limit_in_kw_trips_as_one_in_ampere():
    """20 racks of 30 kW on one UPS of 500 kW; its breaker of 2,000 A carries 870 A easily."""
    hall = two_rows(panel=2000.0, bus_a=2000.0, bus_b=2000.0)
    rated = tuple(
        segment(s.name, s.parent, s.rating_a, s.kind, rated_kw=500.0 if s.kind == "ups" else None) for s in hall.segments
    )
    outcome = Cascade(Hall(hall.kinds, hall.spots, rated)).lose_segments([0])
    (trip,) = outcome.steps[0].trips
    assert (rated[trip.segment].name, trip.amps) == ("ups-b", pytest.approx(20 * A_30_KW))
    assert trip.rating_a == pytest.approx(20 * A_30_KW * 500 / 600)


def test_an_unrated_segment_is_never_said_to_trip():
    hall = two_rows(panel=2000.0, bus_a=2000.0, bus_b=2000.0, ups=None)
    assert [step.trips for step in Cascade(hall).lose_segments([0]).steps] == [()]


def test_losses_load_what_is_above():
    top, ups = segment("supply", what="supply"), segment("ups", 0, 2000.0, "ups", efficiency=0.96)
    hall = Hall((kind(node(kw=10.0), feeds="a"),), (Spot(0, (1,), ("r1",)),), (top, ups))
    cascade = Cascade(hall)
    assert sum(cascade.load[1]).real == pytest.approx(10.0)
    assert sum(cascade.load[0]).real == pytest.approx(10.0 / 0.96)


def test_a_loss_in_one_rack_is_added_above_it_and_nowhere_else():
    hall = two_rows(bus_b=5 * A_30_KW + 43.0)
    cascade = Cascade(hall)
    outcome = cascade.lose_inside(0, 0b01)
    held = [(hall.segments[t.segment].name, round(t.amps, 2)) for t in outcome.steps[0].held]
    assert held == [("bus-b-01", round(5.5 * A_30_KW, 2))]
    assert [cell.racks for cell in outcome.cells] == [1]


def test_one_rack_can_be_the_last_straw():
    """Busway b of row 1 is full to the last ampere: one strip a lost in one rack, and it trips for all ten."""
    outcome = Cascade(two_rows(panel=1200.0, bus_b=5.4 * A_30_KW)).lose_inside(0, 0b01)
    assert [len(step.trips) for step in outcome.steps] == [1, 0]
    assert sorted((cell.racks, cell.settled.gpus) for cell in outcome.cells) == [(1, (0, 0, 24, 0)), (9, (24, 0, 0, 0))]


def test_the_fast_path_says_what_the_long_way_says():
    hall = two_rows()
    cascade = Cascade(hall)
    for spot in range(2):
        for mask in range(1, 1 << 8):
            fast, slow = cascade.lose_inside(spot, mask), cascade.run(frozenset(), {(spot, mask): 1})
            assert fast == slow


def test_racks_one_by_one_are_the_same_as_racks_counted():
    hall = two_rows()
    single = Hall(hall.kinds, tuple(Spot(s.kind, s.feeds, (rack,)) for s in hall.spots for rack in s.racks), hall.segments)
    for lost in range(len(hall.segments)):
        counted, apart = (Cascade(one).lose_segments([lost]) for one in (hall, single))
        assert counted.dead == apart.dead
        assert [step.machines for step in counted.steps] == [step.machines for step in apart.steps]
        assert [[t.segment for t in step.trips] for step in counted.steps] == [
            [t.segment for t in s.trips] for s in apart.steps
        ]


def test_all_lines_is_the_last_leg():
    assert line_amps((*NONE[:ALL_LINES], 30 + 0j), VOLTS) == pytest.approx(A_30_KW)


def test_a_planned_load_that_the_rest_carries_is_not_throttled():
    """`psusForFull` is for the nameplate: 7.7 kW, shown by meters, are less than the 9.9 kW that three supplies give."""
    shown = msgspec.structs.replace(machine(kw=7.7), nameplate_kw=10.2)
    live = judge(shown, 3)
    assert (live.state, live.kw) == (FULL, 7.7)
    assert "is for its nameplate" in live.note
    assert judge(msgspec.structs.replace(shown, kw=9.95), 3).state == THROTTLED
