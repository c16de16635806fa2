"""Power of racks: vectors, supplies dealt to feeds, plugs to outlets, failover; cases with their right values."""

import math
from collections import Counter
from typing import Any

import pytest

from railyard.model.catalog import PduBank, PduModel
from railyard.model.site import Facility, Feed
from railyard.plan import plan
from railyard.plan.electrical import cords_of
from railyard.plan.electrical.dealing import deal_supplies
from railyard.plan.electrical.facts import DeviceFacts
from railyard.plan.electrical.kinds import KindPower, Options, rack_kind
from railyard.plan.electrical.phases import capacity_kva, complex_kva, imbalance_percent, phase_load, vectors
from railyard.plan.electrical.strips import FeedSpec, Given, spec_of
from tests.planned_site import SiteMaker, make_site

pytestmark = pytest.mark.requirement("C3")


def facts(model: str = "x", kw: float = 1.0, factor: float = 1.0, **more: Any) -> DeviceFacts:
    return DeviceFacts(model, kw, kw, factor, False, **{"psus": 2, "inlet": "c14", **more})


def strip(*banks: tuple[str, str, float | None, dict[str, list[str]]], **changes: Any) -> PduModel:
    rows = [PduBank(name=name, legs=legs, breaker_a=amps, outlets=outlets) for name, legs, amps, outlets in banks]  # type: ignore[arg-type]
    fields: dict[str, Any] = {"phases": 3, "volts": 208, "voltage_reference": "line-line", "breaker_a": 60}
    fields |= ({"banks": tuple(rows)} if rows else {}) | changes
    aliases = {"voltage_reference": "voltageReference", "breaker_a": "breakerA", "rated_a": "ratedA", "rated_kva": "ratedKva"}
    return PduModel(name="s", title="s", sources={"test": tuple(aliases.get(key, key) for key in fields)}, **fields)


def feed(letter: str, model: PduModel, strips: int = 1, rating: float = 0.8, given: Given | None = None) -> FeedSpec:
    made = Feed(name=letter, pdu_model="s", pdus_per_rack=strips)  # type: ignore[arg-type]
    facility = Facility.model_construct(continuous_rating=rating)
    return spec_of(facility, made, model, given)


def kind(*devices: DeviceFacts, feeds: list[FeedSpec], **options: Any) -> KindPower:
    rows = [(1 + 2 * index, device, True) for index, device in enumerate(devices)]
    return rack_kind(rows, feeds, Options(**options))


DELTA = strip(
    ("1", "L1-L2", 20, {"c19": ["1a", "1b"]}), ("2", "L2-L3", 20, {"c19": ["2a"]}), ("3", "L3-L1", 20, {"c19": ["3a"]})
)
WYE = strip(
    ("1", "L1", 20, {"c19": ["1"], "c13": ["2", "3"]}),
    ("2", "L2", 20, {"c19": ["4"], "c13": ["5", "6"]}),
    ("3", "L3", 20, {"c19": ["7"], "c13": ["8", "9"]}),
    volts=415,
)
TWICE = strip(*((str(n + 1), f"L{n % 3 + 1}", 20, {"c19": [f"{n}a", f"{n}b"]}) for n in range(3)), volts=415)


def test_three_supplies_of_a_dgx_h100_on_two_pairs_of_lines_at_208_v():
    """10.2 kW on the three supplies that are left: 3.4 kVA each, two of them between L1 and L2, one between L2 and L3."""
    load = phase_load({"L1-L2": 6.8 + 0j, "L2-L3": 3.4 + 0j}, 208, "line-line", 3)
    assert (round(load.l1_a, 1), round(load.l2_a, 1), round(load.l3_a, 1)) == (32.7, 43.2, 16.3)
    assert load.neutral_a == 0
    one = 3400 / 208
    assert load.l2_a == pytest.approx(one * math.sqrt(7)), "sqrt(2^2 + 1^2 + 2 x 1), never 3"


def test_the_neutral_carries_what_lines_do_not_share():
    assert phase_load({"L1": 2.3 + 0j}, 230, "line-neutral", 3).neutral_a == pytest.approx(10)
    assert phase_load(dict.fromkeys(("L1", "L2", "L3"), 2.3 + 0j), 230, "line-neutral", 3).neutral_a == pytest.approx(0)
    two = phase_load({"L1": 2.3 + 0j, "L2": 2.3 + 0j}, 230, "line-neutral", 3)
    assert two.neutral_a == pytest.approx(10), "two of three lines: as much as one of them"
    assert phase_load({"L1": 1 + 0j}, 230, "line-neutral", 3, neutral=None).neutral_a is None


def test_a_balanced_load_is_the_same_by_either_formula():
    by_banks = phase_load(dict.fromkeys(("L1-L2", "L2-L3", "L3-L1"), 5 + 0j), 400, "line-line", 3)
    assert by_banks.worst_a == pytest.approx(15_000 / math.sqrt(3) / 400)
    assert phase_load({"L1-L2-L3": 15 + 0j}, 400, "line-line", 3).worst_a == pytest.approx(by_banks.worst_a)
    assert phase_load({"L1": 5 + 0j}, 230, "line-neutral", 1).l1_a == pytest.approx(5000 / 230)


def test_watts_and_volt_amperes_are_two_things():
    power = complex_kva(9.5, 0.95)
    assert (power.real, abs(power)) == (pytest.approx(9.5), pytest.approx(10))
    assert abs(vectors({"L1": power}, 230, "line-neutral", 1)["L1"]) == pytest.approx(10_000 / 230)
    apart = complex_kva(1, 0.9) + complex_kva(1, 1.0)
    assert abs(apart) < 1 / 0.9 + 1, "currents that lag differently add up to less"


@pytest.mark.parametrize(
    ("volts", "reference", "amps", "kva"),
    [(400, "line-line", 32 * 0.8, 17.736), (230, "line-neutral", 32 * 0.8, 17.664), (415, "line-line", 30 * 0.8, 17.25)],
)
def test_cases_1_and_2_capacity_by_voltage_reference(volts: float, reference: Any, amps: float, kva: float):
    """sqrt(3) x 400 x 25.6; 3 x 230 x 25.6; sqrt(3) with 230 V would be 10.2 kVA. 415 V, 30 A: 17.25, where one node fits."""
    assert capacity_kva(volts, reference, 3, amps) == pytest.approx(kva, abs=0.002)
    assert capacity_kva(230, "line-line", 3, 25.6) == pytest.approx(10.198, abs=0.001)


def test_imbalance_is_of_the_mean():
    assert imbalance_percent((48, 36, 36)) == pytest.approx(20)
    assert imbalance_percent((0, 0, 0)) == imbalance_percent(()) == 0


def test_case_4_three_and_three_supplies_share_again_when_a_feed_is_lost():
    dgx = facts("dgx", 10.2, psus=6, psus_for_full=4, psu_kw=3.3, inlet="c20")
    two = kind(dgx, feeds=[feed("a", DELTA), feed("b", DELTA)])
    assert [cord.normal_a for cord in two.cords] == pytest.approx([1700 / 208] * 6)
    assert [cord.amps for cord in two.cords] == pytest.approx([3300 / 208] * 6), "no supply draws more than it gives"
    assert two.feeds[0].load_kw == pytest.approx(5.1)
    assert two.feeds[0].survivor_kw == pytest.approx(9.9)
    assert two.feeds[0].survivor_when == "feed b lost"
    (row,) = two.supplies
    assert row[2].left(["a", "b"]) == 3


def test_case_4_two_and_two_and_two_on_three_feeds_survive_one():
    dgx = facts("dgx", 10.2, psus=6, inlet="c20")
    three = kind(dgx, feeds=[feed(letter, DELTA) for letter in "abc"])
    assert three.devices[0].psus_on == {"a": 2, "b": 2, "c": 2}
    assert three.supplies[0][2].left("abc") == 4
    assert three.feeds[2].survivor_kw == pytest.approx(5.1), "half of it, not the whole"
    assert [cord.amps for cord in three.cords] == pytest.approx([2550 / 208] * 6, abs=1e-5)


def test_a_device_that_too_few_supplies_do_not_run_draws_nothing():
    dgx = facts(
        "dgx", 10.2, psus=6, psus_for_full=4, psus_to_run=3, psu_kw=3.3, inlet="c20", feeds=("a", "a", "a", "a", "b", "b")
    )
    two = kind(dgx, feeds=[feed("a", DELTA), feed("b", DELTA)])
    assert two.feeds[0].survivor_kw == pytest.approx(10.2)
    assert two.feeds[1].survivor_kw == pytest.approx(3.4), "all live is the most: with a lost it is down"
    assert max(cord.amps for cord in two.cords if cord.feed == "b") == pytest.approx(1700 / 208)


def test_gear_whose_state_is_unknown_draws_no_more_than_its_supplies_give():
    server = facts("server", 2.0, psus=2, psu_kw=1.2)
    two = kind(server, feeds=[feed("a", DELTA), feed("b", DELTA)])
    assert two.feeds[0].survivor_kw == pytest.approx(1.2)


def test_four_and_two_is_a_result_of_how_supplies_are_dealt():
    dgx = facts("dgx", 10.2, psus=6, inlet="c20", feeds=("a", "a", "a", "a", "b", "b"))
    dealt = deal_supplies(dgx, ["a", "b"], "feed-a")
    assert dealt.on == {"a": 4, "b": 2}
    assert dealt.left(["a", "b"]) == 2, "the loss of a leaves two"
    assert dealt.share("a", None) == pytest.approx(4 / 6)
    assert dealt.share("b", "a") == 1.0


def test_supplies_that_nobody_counts_load_all_feeds_evenly_and_have_no_cords():
    made = kind(facts(kw=3.0, psus=None), feeds=[feed("a", DELTA), feed("b", DELTA)])
    assert made.cords == ()
    assert made.unknown == ("psus of x",)
    assert made.feeds[0].load_kw == pytest.approx(1.5)
    assert made.feeds[1].survivor_kw == pytest.approx(3.0)


def test_a_transfer_switch_moves_its_device_to_the_second_feed():
    made = kind(facts(kw=0.5, psus=1), feeds=[feed("a", WYE), feed("b", WYE)], single_cord="ats")
    assert [(cord.feed, cord.psu, cord.ats) for cord in made.cords] == [("a", 1, True), ("b", 2, True)]
    assert [row.load_kw for row in made.feeds] == pytest.approx([0.5, 0.0])
    assert [row.survivor_kw for row in made.feeds] == pytest.approx([0.5, 0.5])
    assert made.single_cord == ()
    alone = kind(facts(kw=0.5, psus=1), feeds=[feed("a", WYE), feed("b", WYE)])
    assert [row.survivor_kw for row in alone.feeds] == pytest.approx([0.5, 0.0])
    assert alone.single_cord == ("x",)
    assert kind(facts(psus=1), feeds=[feed("a", WYE)], single_cord="ats").single_cord == (), "one feed is another rule's"


def test_plugs_go_to_outlets_of_their_kind_over_even_lines():
    small = [facts("s", 0.4, psus=2)] * 3
    made = kind(facts("big", 3.0, psus=6, inlet="c20"), *small, feeds=[feed("a", WYE), feed("b", WYE)])
    on_a = [cord for cord in made.cords if cord.feed == "a"]
    assert [(cord.outlet_type, cord.legs) for cord in on_a if cord.cord == "C19-C20"] == [
        ("c19", "L1"), ("c19", "L2"), ("c19", "L3"),
    ]  # fmt: skip
    assert sorted(cord.legs or "" for cord in on_a if cord.cord == "C13-C14") == ["L1", "L2", "L3"]
    load = made.feeds[0].load_a
    assert load.l1_a == pytest.approx(load.l2_a) == pytest.approx(load.l3_a)
    assert load.neutral_a == pytest.approx(0, abs=1e-5)
    assert len({cord.outlet for cord in on_a}) == len(on_a)


def test_outlets_run_out_and_a_c20_plug_fits_no_c13():
    made = kind(facts(psus=8, inlet="c20"), feeds=[feed("a", WYE), feed("b", WYE)])
    assert made.plugs_short == {"a/c19": 1, "b/c19": 1}
    (left,) = [cord for cord in made.cords if cord.feed == "a" and cord.outlet is None]
    assert left.missing == "a free C19 or C39 outlet"
    assert made.feeds[0].load_kw == pytest.approx(0.5), "its load counts all the same"


def test_a_c39_outlet_takes_both_plugs_and_a_c14_plug_leaves_it_to_the_larger_one():
    both = strip(("1", "L1-L2", 20, {"c39": ["1", "2"]}), ("2", "L1-L2", 20, {"c13": ["3", "4"]}))
    made = kind(facts("s", psus=1), facts("b", psus=1, inlet="c20"), feeds=[feed("a", both)])
    assert [(cord.u, cord.outlet_type) for cord in made.cords] == [(1, "c13"), (3, "c39")]


def test_growth_moves_no_cord():
    """Slots are dealt whether they are filled or not; only what stands counts as load."""
    devices = [facts("n", 3.0, psus=2, inlet="c20")] * 3

    def rows(here: int) -> list[tuple[int, DeviceFacts, bool]]:
        return [(1 + 8 * index, device, index < here) for index, device in enumerate(devices)]

    specs = [feed("a", WYE), feed("b", WYE)]
    one, three = (rack_kind(rows(here), specs, Options()) for here in (1, 3))
    assert [(c.u, c.psu, c.outlet) for c in one.cords] == [(c.u, c.psu, c.outlet) for c in three.cords]
    assert one.feeds[0].load_kw == pytest.approx(1.5)
    assert three.feeds[0].load_kw == pytest.approx(4.5)


def test_case_7_a_strip_of_one_phase_with_two_breakers():
    """Four devices of 4 A that fit only the first bank's outlets: 16 A of 12.8, while the feed has 20 of 25.6."""
    two = strip(
        ("first", "L1", 16, {"c19": ["1", "2", "3", "4"]}),
        ("second", "L1", 16, {"c13": ["5", "6"]}),
        phases=1, volts=230, voltage_reference="line-neutral", breaker_a=32,
    )  # fmt: skip
    large = facts("l", 0.92, psus=1, inlet="c20")
    made = kind(large, large, large, large, facts("s", 0.92, psus=1), feeds=[feed("a", two)])
    banks = {circuit.name: circuit for circuit in made.circuits}
    assert (banks["first"].survivor_a, banks["first"].limit_a) == (pytest.approx(16), pytest.approx(12.8))
    assert banks["second"].survivor_a == pytest.approx(4)
    assert made.feeds[0].load_a.l1_a == pytest.approx(20)
    assert made.feeds[0].load_a.l1_a < made.feeds[0].limit_a == pytest.approx(25.6)


def test_case_7_outlets_of_one_kind_are_shared_evenly(site: SiteMaker):
    model = site().catalog.pdus["cyclades-pm20i-32a"]
    made = kind(*[facts("l", 0.92, psus=1)] * 5, feeds=[feed("a", model)])
    assert sorted(circuit.load_a for circuit in made.circuits) == pytest.approx([8, 12])


def test_case_8_the_least_of_breaker_inlet_and_the_vendors_maximum():
    """Inlet of 10 A on a 13 A, 240 V feed, 2,400 W at most: 800 VA of min(3120, 2400) = 33.3 %."""
    small = strip(
        ("1", "L1", None, {"c13": [str(number) for number in range(8)]}),
        phases=1, volts=240, voltage_reference="line-neutral", breaker_a=13, rated_kva=2.4,
    )  # fmt: skip
    spec = feed("a", small, rating=1.0)
    assert spec.capacity_kva == pytest.approx(2.4)
    made = kind(*[facts("s", 0.1, psus=1)] * 8, feeds=[spec])
    assert made.feeds[0].load_kva / made.feeds[0].capacity_kva == pytest.approx(1 / 3)
    assert "bank breakers of s" in made.unknown
    inlet = feed("a", small.model_copy(update={"rated_kva": None, "rated_a": 10.0}), rating=1.0)
    assert inlet.limit_a == 10
    assert inlet.capacity_kva == pytest.approx(2.4)


def test_a_strip_stands_at_the_volts_of_its_segment():
    lower = feed("a", WYE, given=Given(400, "line-line", 3))
    assert lower.volts == pytest.approx(400)
    assert lower.capacity_kva == pytest.approx(math.sqrt(3) * 400 * 48 / 1000)
    same = feed("a", WYE, given=Given(415 / math.sqrt(3), "line-neutral", 3))
    assert same.capacity_kva == pytest.approx(feed("a", WYE).capacity_kva)
    tap = strip(("1", "L1", 16, {"c13": ["1"]}), phases=1, volts=240, voltage_reference="line-neutral", breaker_a=32)
    assert feed("a", tap, given=Given(415, "line-line", 3)).volts == pytest.approx(415 / math.sqrt(3))
    assert feed("a", tap, given=Given(230, "line-neutral", 1)).volts == 230


def test_where_nobody_knows_the_outlets_supplies_count_at_200_to_240_v():
    """A 208 V strip gives 208 V between lines, a 415 V one 240 V to neutral: at 120 V no supply of theirs runs."""
    for volts, at in ((208, 208), (415, 415 / math.sqrt(3))):
        made = kind(facts("n", 2.0, psus=2), feeds=[feed("a", strip(volts=volts)), feed("b", strip(volts=volts))])
        assert made.cords[0].amps == pytest.approx(2000 / at, abs=1e-5)
        assert made.cords[0].outlet is None
        assert "outlets and breakers of s" in made.unknown


def test_outlets_are_switched_on_one_after_the_other():
    made = kind(facts(psus=4), facts(psus=4), feeds=[feed("a", WYE), feed("b", WYE)], stagger_s=2.5)
    assert [row.up_s for row in made.feeds] == [7.5, 7.5]
    halves = kind(facts(psus=4), facts(psus=4), feeds=[feed("a", WYE, strips=2), feed("b", WYE)], stagger_s=2.5)
    assert halves.feeds[0].up_s == 2.5


def test_racks_that_are_alike_are_computed_once():
    planned = plan(make_site(nodes=32, facility={"nodesPerRack": 4, "switchRacks": "dedicated", "storageRacks": "dedicated"}))
    nodes = [row for row in planned.power.racks if row.devices[0].model == "dgx-h100"]
    assert len(nodes) == 1
    assert len(nodes[0].racks) == 8


def test_racks_take_the_lines_in_turn_along_a_row():
    """Four plugs on three lines: one line has two of them, another one in each of three racks."""
    four, specs = [(1, facts("n", 3.0, psus=4, inlet="c20"), True)], [feed("a", TWICE)]
    racks = [rack_kind(four, specs, Options(), None, turn) for turn in range(3)]
    loads = [rack.feeds[0].load_a for rack in racks]
    assert [max((row.l1_a, "L1"), (row.l2_a, "L2"), (row.l3_a, "L3"))[1] for row in loads] == ["L1", "L2", "L3"]
    assert (
        sum(row.l1_a for row in loads)
        == pytest.approx(sum(row.l2_a for row in loads))
        == pytest.approx(sum(row.l3_a for row in loads))
    )


def test_three_kinds_of_a_rack_at_most_and_none_more_where_no_outlet_is_known():
    alone = {"nodesPerRack": 4, "switchRacks": "dedicated", "storageRacks": "dedicated"}
    banks = [{"name": letter, "pduModel": "strip-415v-60a-12x20a", "pdusPerRack": 2} for letter in "ab"]
    planned = plan(make_site(nodes=32, facility={**alone, "feeds": banks}))
    nodes = [row for row in planned.power.racks if row.devices[0].model == "dgx-h100"]
    assert sum(len(row.racks) for row in nodes) == 8
    assert len(nodes) == 3


@pytest.mark.parametrize(
    ("letters", "pairs"), [("ab", ["ab"] * 6), ("abc", ["ab", "ca", "bc"] * 2), ("abcd", ["ab", "cd"] * 3)]
)
def test_pairs_of_supplies_go_round_the_feeds(letters: str, pairs: list[str]):
    """Six switches of two cords: on three feeds a + b, c + a, b + c, and again; with two feeds nothing changes."""
    made = kind(*(facts(f"x{n}") for n in range(6)), feeds=[feed(letter, WYE) for letter in letters])
    assert ["".join(supplies.feeds) for _, _, supplies, _ in made.supplies] == pairs
    assert {one: sum(row.psus_on.get(one, 0) for row in made.devices) for one in letters} == dict.fromkeys(
        letters, 12 // len(letters)
    )


def test_what_divides_by_the_feeds_or_is_dealt_by_the_stack_file_moves_nothing_on():
    three = [feed(letter, TWICE) for letter in "abc"]
    made = kind(facts(), facts(psus=6), facts(psus=1), facts(feeds=("b", "b")), facts(psus=None), facts(), feeds=three)
    assert [supplies.feeds for _, _, supplies, _ in made.supplies] == [
        ("a", "b"), ("a", "b", "c") * 2, ("a",), ("b", "b"), ("a", "b", "c"), ("c", "a"),
    ]  # fmt: skip
    switched = kind(facts(psus=1), facts(psus=1), facts(psus=1), feeds=three, single_cord="ats")
    assert [(supplies.feeds, supplies.ats) for _, _, supplies, _ in switched.supplies] == [
        (("a",), "b"),
        (("c",), "a"),
        (("b",), "c"),
    ]


def test_racks_begin_with_the_feeds_in_turn_and_growth_moves_no_cord(site: SiteMaker):
    """The only switch of each rack doesn't hang on a + b in all of them; filling a slot moves no pair."""
    strips = [{"name": letter, "pduModel": "pdu-415v-60a-3ph", "pdusPerRack": 2} for letter in "abc"]

    def cords(nodes: int) -> dict[tuple[str, int, int], str]:
        planned = plan(site(nodes=nodes, facility={"feeds": strips}))
        found = [cord for rack in planned.racks for cord in cords_of(planned, rack)]
        return {(cord.rack, cord.u, cord.psu): cord.feed for cord in found}

    few, many = cords(4), cords(7)
    assert {key: many[key] for key in few} == few
    assert len(many) >= len(few)
    pairs = Counter(
        "".join(sorted(many[rack, u, n] for n in (1, 2))) for rack, u, psu in many if psu == 2 and (rack, u, 3) not in many
    )
    assert set(pairs) == {"ab", "bc", "ac"}


def test_the_strip_and_line_of_the_fullest_current_are_known():
    made = kind(*(facts(f"x{n}", kw=2.0, inlet="c20") for n in range(3)), facts("big", kw=6.0, inlet="c20"), feeds=[
        feed("a", WYE, 2), feed("b", WYE, 2)
    ])  # fmt: skip
    row = made.feeds[0]
    strips = made.powers["a"]["b"]
    worst = [phase_load(strip, row.volts, row.voltage_reference, 3).worst_a for strip in strips]
    assert row.survivor_a.worst_a == max(worst)
    assert row.survivor_pdu == worst.index(max(worst)) + 1
    assert getattr(row.survivor_a, f"{row.survivor_a.worst_line.lower()}_a") == row.survivor_a.worst_a
