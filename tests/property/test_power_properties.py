"""Power of any rack: nothing is lost or counted twice, an outlet has one plug, filling a slot moves no cord."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from railyard import catalog
from railyard.model.site import Facility, Feed
from railyard.plan.electrical.facts import DeviceFacts
from railyard.plan.electrical.kinds import KindPower, Options, rack_kind
from railyard.plan.electrical.phases import phase_load, total, vectors
from railyard.plan.electrical.strips import FeedSpec, spec_of

pytestmark = pytest.mark.requirement("C3")
PDUS = catalog.load().pdus
LEGS = ("L1", "L2", "L3", "L1-L2", "L2-L3", "L3-L1", "L1-L2-L3")


def specs(model: str, letters: str, strips: int) -> list[FeedSpec]:
    facility = Facility.model_construct(continuous_rating=0.8)
    feeds = [Feed(name=letter, pdu_model=model, pdus_per_rack=strips) for letter in letters]  # type: ignore[arg-type]
    return [spec_of(facility, feed, PDUS[model], None) for feed in feeds]


DEVICE = st.builds(
    lambda kw, factor, psus, inlet: DeviceFacts(f"{inlet}-{kw}", kw, kw, factor, False, psus=psus, inlet=inlet),
    st.sampled_from([0.15, 0.85, 1.7, 6.5, 10.2]),
    st.sampled_from([0.9, 0.95, 1.0]),
    st.sampled_from([None, 1, 2, 4, 6]),
    st.sampled_from([None, "c14", "c20"]),
)
RACK = st.lists(st.tuples(DEVICE, st.booleans()), max_size=8)
STRIPS = st.tuples(st.sampled_from(sorted(PDUS)), st.sampled_from(["a", "ab", "abc", "abcd"]), st.integers(1, 3))
CORD = st.sampled_from(["ats", "feed-a"])


def made(rows: list[tuple[DeviceFacts, bool]], strips: tuple[str, str, int], single_cord: Any) -> KindPower:
    devices = [(1 + 2 * index, device, here) for index, (device, here) in enumerate(rows)]
    return rack_kind(devices, specs(*strips), Options(single_cord=single_cord))


@settings(max_examples=150, deadline=None)
@given(RACK, STRIPS, CORD)
def test_feeds_carry_what_stands_live_and_as_long_as_a_supply_lives(rows: Any, strips: Any, single_cord: Any):
    power = made(rows, strips, single_cord)
    standing = sum(device.load_kw for device, here in rows if here)
    assert sum(feed.load_kw for feed in power.feeds) == pytest.approx(standing, abs=1e-4)
    for lost in strips[1]:
        left = sum(total(strip).real for feed in strips[1] if feed != lost for strip in power.powers[feed].get(lost, ()))
        alive = [device for device, here in rows if here and not _dies(device, strips[1], lost, single_cord)]
        assert left == pytest.approx(sum(device.load_kw for device in alive), abs=1e-4)
    for feed in power.feeds:
        assert feed.survivor_kva >= feed.load_kva - 1e-6
        assert feed.survivor_a.worst_a >= feed.load_a.worst_a - 1e-6


def _dies(device: DeviceFacts, letters: str, lost: str, single_cord: str) -> bool:
    """A device whose only supplies are on the feed that is lost; with one feed there is no other."""
    if len(letters) == 1:
        return True
    return device.psus == 1 and single_cord == "feed-a" and lost == letters[0]


@settings(max_examples=150, deadline=None)
@given(RACK, STRIPS, CORD)
def test_an_outlet_has_one_plug_of_its_kind_and_banks_add_up(rows: Any, strips: Any, single_cord: Any):
    power = made(rows, strips, single_cord)
    used = [(cord.feed, cord.pdu, cord.outlet) for cord in power.cords if cord.outlet is not None]
    assert len(set(used)) == len(used)
    takes = {"C13-C14": {"c13", "c39"}, "C19-C20": {"c19", "c39"}}
    assert all(cord.outlet_type in takes[cord.cord or ""] for cord in power.cords if cord.outlet)
    assert all((cord.outlet is None) == (cord.missing is not None) for cord in power.cords)
    on_banks = sum(circuit.cords for circuit in power.circuits)
    assert on_banks == sum(cord.outlet is not None and cord.installed for cord in power.cords)


@settings(max_examples=100, deadline=None)
@given(RACK, STRIPS, CORD)
def test_filling_a_slot_moves_no_cord_and_lowers_no_load(rows: Any, strips: Any, single_cord: Any):
    now = made(rows, strips, single_cord)
    full = made([(device, True) for device, _ in rows], strips, single_cord)
    place = [[(c.u, c.psu, c.feed, c.pdu, c.outlet) for c in power.cords] for power in (now, full)]
    assert place[0] == place[1]
    for before, after in zip(now.feeds, full.feeds, strict=True):
        assert after.load_kva >= before.load_kva - 1e-6


@given(st.dictionaries(st.sampled_from(LEGS), st.complex_numbers(max_magnitude=50, allow_nan=False, allow_infinity=False)))
def test_currents_that_go_in_come_out_and_carry_the_power(powers: dict[str, complex]):
    found = vectors(powers, 400, "line-line", 3)
    assert abs(found["L1"] + found["L2"] + found["L3"] - found["N"]) < 1e-6
    volts = {line: complex(math.cos(angle), math.sin(angle)) * 400 / math.sqrt(3) for line, angle in _ANGLES.items()}
    carried = sum(volts[line] * found[line].conjugate() for line in volts) / 1000
    assert abs(carried - total(powers)) < 1e-6
    load = phase_load(powers, 400, "line-line", 3)
    assert load.worst_a <= sum(abs(power) for power in powers.values()) * 1000 * math.sqrt(3) / 400 + 1e-6


_ANGLES = {"L1": 0.0, "L2": -2 * math.pi / 3, "L3": 2 * math.pi / 3}
