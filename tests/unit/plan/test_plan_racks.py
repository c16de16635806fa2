"""Placement, power, heat, weight of racks."""

import itertools

import pytest

from railyard.model.plan import RackPlan
from railyard.plan import Plan, plan
from railyard.plan.hall import LENGTHS_M, length_m, rack_of_slot, racks_per_unit
from tests.planned_site import SiteMaker


def spans(rack: RackPlan) -> list[tuple[int, int]]:
    return sorted((device.u, device.u + device.u_height) for device in rack.devices)


def assert_no_overlap(planned: Plan) -> None:
    for rack in planned.racks:
        edges = spans(rack)
        assert all(low[1] <= high[0] for low, high in itertools.pairwise(edges)), rack.name
        assert edges[0][0] >= 1
        assert edges[-1][1] <= rack.u_height + 1
        taken = {u for low, high in edges for u in range(low, high)}
        assert not taken & set(rack.reserved_u)


def test_formula_of_the_contract():
    """N = 4, S = 2: slots 0 and 1 at the bottom of both racks, slot 4 third in rack 0, slot 8 starts the next pair."""
    assert [rack_of_slot(slot, 4, 2) for slot in (0, 1, 2, 4, 7, 8)] == [(0, 0), (1, 0), (0, 1), (0, 2), (1, 3), (2, 0)]
    assert racks_per_unit(32, 4, 2) == 8
    assert racks_per_unit(20, 4, 2) == 6


@pytest.mark.requirement("C3")
def test_lab_has_two_racks_with_two_nodes_each(site: SiteMaker):
    planned = plan(site())
    assert [rack.name for rack in planned.racks] == ["t-r001", "t-r002"]
    nodes = [[d.name for d in rack.devices if d.role == "gpu" and d.installed] for rack in planned.racks]
    assert nodes == [["t-su001-gpu01", "t-su001-gpu03"], ["t-su001-gpu02", "t-su001-gpu04"]]
    assert_no_overlap(planned)


@pytest.mark.requirement("C3")
@pytest.mark.parametrize("kind", ["shared", "dedicated"])
@pytest.mark.parametrize("reserved", [[], [1, 2, 20, 48]])
def test_no_overlap_and_reserved_u_stay_free(site: SiteMaker, kind: str, reserved: list[int]):
    facility = {"switchRacks": kind, "storageRacks": kind, "reservedU": reserved, "nodesPerRack": 3}
    assert_no_overlap(plan(site(facility=facility)))


@pytest.mark.requirement("C3")
def test_what_does_not_fit_is_placed_for_a_rule_to_find(site: SiteMaker):
    """Six nodes of 8 U in 48 U leave none for switches: they overlap, and planning goes on."""
    rack = plan(site(nodes=12, facility={"nodesPerRack": 6, "spreadRacks": 1})).racks[0]
    edges = spans(rack)
    assert any(low[1] > high[0] for low, high in itertools.pairwise(edges))


def test_dedicated_racks_follow_the_units(site: SiteMaker):
    planned = plan(
        site(
            nodes=33,
            facility={"switchRacks": "dedicated", "storageRacks": "dedicated"},
            fabric={"scalableUnits": 2, "plannedScalableUnits": 3},
        )
    )
    where = {device.name: rack.name for rack in planned.racks for device in rack.devices}
    assert where["t-su001-leaf-r0"] == where["t-oob-sw01"] == "t-r009"
    assert where["t-su002-gpu01"] == "t-r010"
    assert where["t-spine001"] == "t-r028"
    assert where["t-sto01"] == "t-r029"
    assert "t-r003" in {rack.name for rack in planned.racks}
    assert "t-r011" not in {rack.name for rack in planned.racks}, "nothing stands in it"


def test_spines_fill_their_racks_evenly(site: SiteMaker):
    """32 spines of 1.7 kW and 17 smaller switches are 65.5 kW: two racks of 40 kW of air hold them, though not half of the
    switches each. First of all come the first switches of the two service pairs, last the second ones.
    """
    facility = {"switchRacks": "dedicated", "airLimitKw": 40}
    planned = plan(site(nodes=1, facility=facility, fabric={"plannedScalableUnits": 8}))
    counts = [sum(d.role == "spine" for d in rack.devices) for rack in planned.racks]
    assert [count for count in counts if count] == [21, 11]
    upper = [rack for rack in planned.racks if rack.name in {"t-r073", "t-r074", "t-r075"}]
    assert [len(rack.devices) for rack in upper] == [23, 26]
    assert [round(sum(device.peak_kw for device in rack.devices), 2) for rack in upper] == [38.25, 37.7]
    assert {"t-sto-sw25", "t-mgmt-sw20"} <= {device.name for device in upper[0].devices}
    assert {"t-sto-sw26", "t-mgmt-sw21"} <= {device.name for device in upper[1].devices}


@pytest.mark.requirement("C3")
@pytest.mark.parametrize(
    ("pdu", "count", "kw"),
    [
        ("pdu-230v-32a-3ph", 1, 17.664),
        ("pdu-415v-60a-3ph", 1, 34.502452),
        ("pdu-415v-60a-3ph", 2, 69.004904),
        ("vertiv-gi10022l", 1, 5.888),
    ],
)
def test_capacity_of_a_feed(site: SiteMaker, pdu: str, count: int, kw: float):
    """3 x 230 V line-to-neutral x 32 A x 0.8; sqrt(3) x 415 V line-to-line x 60 A x 0.8 (cases 1 and 2: 34.5 kW)."""
    feed = {"name": "a", "pduModel": pdu, "pdusPerRack": count}
    assert plan(site(facility={"feeds": [feed]})).racks[0].feeds[0].capacity_kw == pytest.approx(kw, abs=1e-5)


@pytest.mark.requirement("C3")
def test_load_is_shared_and_a_survivor_carries_all(site: SiteMaker):
    """t-r001: two nodes of 10.2, four leaves, two spines and a storage switch of 1.7, an in-band switch of 0.85, two
    out-of-band switches of 0.15, one server of 0.8 kW. Three of a node's six supplies give 9.9 of its 10.2 kW.
    """
    rack = plan(site()).racks[0]
    assert rack.peak_kw == pytest.approx(2 * 10.2 + 7 * 1.7 + 0.85 + 2 * 0.15 + 0.8)
    assert rack.air_kw == rack.peak_kw
    assert [feed.load_kw for feed in rack.feeds] == [rack.peak_kw / 2] * 2
    assert [feed.survivor_kw for feed in rack.feeds] == [pytest.approx(rack.peak_kw - 2 * (10.2 - 9.9))] * 2


def test_an_only_feed_carries_all(site: SiteMaker):
    feed = {"name": "a", "pduModel": "pdu-415v-60a-3ph"}
    rack = plan(site(facility={"feeds": [feed]})).racks[0]
    assert rack.feeds[0].load_kw == rack.feeds[0].survivor_kw == rack.peak_kw


def test_weight_limit_is_the_lesser_of_frame_and_floor(site: SiteMaker):
    """Frame 1,600 kg; floor 1,500 kg less the rack's own 165 kg."""
    assert plan(site()).racks[0].weight_limit_kg == 1335
    assert plan(site(facility={"weightLimitKg": None})).racks[0].weight_limit_kg == 1600


def test_what_has_no_weight_stays_unknown(site: SiteMaker):
    """Strips of the rating class are no products and weigh nothing known: named, with an upper bound, never 0."""
    rack = plan(site()).racks[0]
    assert rack.unweighed == ("4 x pdu-415v-60a-3ph",)
    assert rack.unweighed_max_kg == 4 * 30
    known = {"name": "a", "pduModel": "vertiv-gi10022l"}
    rack = plan(site(facility={"feeds": [known]})).racks[0]
    assert (rack.unweighed, rack.unweighed_max_kg) == ((), 0)
    assert rack.weight_kg == pytest.approx(sum(d.weight_kg or 0 for d in rack.devices if d.installed) + 7.26)


def test_a_floor_that_does_not_carry_the_frame_carries_nothing(site: SiteMaker):
    assert plan(site(facility={"weightLimitKg": 100})).racks[0].weight_limit_kg == 0, "the frame alone is 165 kg"


@pytest.mark.requirement("C5")
def test_racks_are_as_far_apart_as_they_are_wide(site: SiteMaker):
    """From r001 to a network rack 8 places on: 15 m of cable where racks are 750 mm wide, 10 m where they are 600 mm."""
    facility = {"switchRacks": "dedicated", "nodesPerRack": 4}
    for model, expected in (("rack-48u-1200", 15), ("rack-42u-1200", 10)):
        cables = plan(site(nodes=1, facility={**facility, "rackModel": model})).cables
        assert {cable.length_m for cable in cables if cable.kind == "node-leaf"} == {expected}


@pytest.mark.requirement("C5")
def test_length_by_place():
    """(pitch along + 3 m across + 4 m drops) * 1.1, rounded up to an orderable length."""
    assert length_m(4, 4, 10) == 2
    assert length_m(1, 6, 10, 0.6) == 10, "(5 x 0.6 + 4) x 1.1 = 7.7 m"
    assert length_m(1, 9, 10, 0.6) == 10, "9.68 m"
    assert length_m(1, 9, 10, 0.75) == 15, "8 x 0.75 = 6 m along: 11 m"
    assert length_m(1, 2, 10) == 7
    assert length_m(1, 10, 10) == 15
    assert length_m(1, 11, 10) == 10
    assert length_m(1, 2, 10) == length_m(2, 1, 10)
    assert length_m(1, 2001, 10) == 700


def test_orderable_lengths_rise():
    assert list(LENGTHS_M) == sorted(set(LENGTHS_M))
