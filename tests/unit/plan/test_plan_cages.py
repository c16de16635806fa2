"""Cages: which port is in which, on switches and on nodes."""

import pytest

from railyard import catalog
from railyard.model.cabling import Cage
from railyard.plan.cages import breakout, cage_of, meet, nic_end, node_cages, node_end, ports_per_cage, switch_end

pytestmark = pytest.mark.requirement("C5", "U8")
SWITCHES, NODES = catalog.load().switches, catalog.load().nodes


@pytest.mark.parametrize(
    ("model", "gbps", "per_cage", "port", "label"),
    [
        ("qm9700", 400, 2, 1, "P1/1"),
        ("qm9700", 400, 2, 2, "P1/2"),
        ("qm9700", 400, 2, 33, "P17/1"),
        ("qm9700", 400, 2, 64, "P32/2"),
        ("qm9700", 200, 4, 128, "P32/4"),
        ("qm8700", 200, 1, 40, "P40"),
        ("qm8700", 100, 2, 80, "P40/2"),
        ("q3400", 800, 2, 144, "P72/2"),
        ("sn5600", 800, 1, 64, "P64"),
        ("sn5600", 400, 2, 128, "P64/2"),
        ("sn5600", 200, 4, 256, "P64/4"),
        ("sn4600", 200, 1, 64, "P64"),
        ("sn4600", 100, 2, 128, "P64/2"),
        ("sn4600c", 100, 1, 64, "P64"),
    ],
)
def test_the_last_port_of_a_switch_is_in_its_last_cage(model, gbps, per_cage, port, label):
    assert ports_per_cage(SWITCHES[model], gbps) == per_cage
    assert cage_of(SWITCHES[model], port, gbps).label == label


def test_without_a_speed_it_is_the_fastest():
    assert cage_of(SWITCHES["qm9700"], 34) == Cage(17, 2, 2)
    assert cage_of(SWITCHES["sn5600"], 34) == Cage(34, 1, 1)


def test_a_switch_whose_cages_nobody_knows_has_one_for_each_port():
    unknown = SWITCHES["qm9700"].model_copy(update={"cages": None})
    assert cage_of(unknown, 64, 400).label == "P64"


def test_a_dgx_h100_has_four_cages_for_eight_rails_as_its_back_prints_them():
    """DGX H100 user guide, table 6: GPU 0 hangs on OSFP4 port 2, GPU 3 on OSFP4 port 1."""
    cages = node_cages(NODES["dgx-h100"], 8, 1)
    assert [cage.label for cage in cages] == ["P4/2", "P3/2", "P3/1", "P4/1", "P1/2", "P2/2", "P2/1", "P1/1"]
    assert {cage.number for cage in cages} == {1, 2, 3, 4}


def test_a_nic_with_a_port_in_each_plane_carries_them_in_one_cage():
    cages = node_cages(NODES["mi300x-platform"], 8, 2)
    assert [cage.label for cage in cages[:4]] == ["P1/1", "P1/2", "P2/1", "P2/2"]
    assert len(cages) == 16


def test_unknown_nics_have_a_cage_each_and_a_flat_plug():
    node = NODES["mi300x-platform"]
    assert [cage.label for cage in node_cages(node, 8, 1)] == [f"P{number}" for number in range(1, 9)]
    end = node_end(node, 1, 400, 100)
    assert (end.form, end.heat_sink, end.assumed) == ("osfp", "flat", True)
    assert [nic_end(1, 200, lane).form for lane in (200, 100, 50, 25, None)] == ["osfp", "osfp", "qsfp56", "qsfp28", "qsfp28"]
    assert node_end(NODES["dgx-h100"], 2, 400, 100).assumed is False


def test_more_rails_than_the_catalogue_knows_get_cages_of_their_own():
    labels = [cage.label for cage in node_cages(NODES["dgx-h100"], 10, 1)]
    assert len(set(labels)) == 10
    assert labels[8:] == ["P9/1", "P10/1"]


def test_a_spine_port_of_400_meets_a_leaf_port_of_100_at_100_by_breakout():
    """Case 25: the link is the slower of both ends, the spine's cage is split, optics follow each cage."""
    spine, leaf = switch_end(SWITCHES["sn5600"], 400), switch_end(SWITCHES["sn4600c"], 100)
    meeting = meet(leaf, spine, SWITCHES["sn5600"])
    assert (meeting.link_gbps, meeting.breakout) == (100, "4x100G")
    assert meet(spine, spine, SWITCHES["sn5600"]).breakout == "2x400G"
    assert breakout(SWITCHES["sn5600"], 800) == "1x800G"
    assert breakout(SWITCHES["sn5600"], 50) is None, "a speed that the switch doesn't have"
