"""Switch ASICs: the headroom table is the source's, ports are where the switch says, unknown is unknown."""

import csv
from pathlib import Path

import pytest

from railyard import catalog
from railyard.plan.lossless import asic_of, table_of

pytestmark = pytest.mark.requirement("N4")

ASICS = catalog.load().asics
SOURCE = Path(__file__).resolve().parents[2] / "data" / "sn5600_lossless_pg.csv"


def test_headroom_is_the_sources_row_by_row():
    lines = [line for line in SOURCE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    wanted = {
        (int(row["speed_mbps"]) / 1000, float(row["cable_m"]), int(row["size"]), int(row["xon"]), int(row["xoff"]))
        for row in csv.DictReader(lines)
    }
    found = {(row.gbps, row.cable_m, row.size_bytes, row.xon_bytes, row.xoff_bytes) for row in ASICS["spectrum-4"].headroom}
    assert len(wanted) == 24
    assert found == wanted


def test_a_longer_cable_never_needs_less():
    for asic in ASICS.values():
        by_speed = {}
        for row in asic.headroom or ():
            by_speed.setdefault(row.gbps, []).append(row)
        for rows in by_speed.values():
            sizes = [row.xoff_bytes for row in sorted(rows, key=lambda row: row.cable_m)]
            assert sizes == sorted(sizes)
            assert len({row.cable_m for row in rows}) == len(rows)


def test_the_whole_reserve_is_at_least_the_headroom():
    """Not always xon + xoff: the source's 40 Gb/s row for 5 m is 1,024 bytes short of that, and 800 Gb/s rows hold more."""
    for asic in ASICS.values():
        assert all(row.size_bytes is None or row.size_bytes >= row.xoff_bytes for row in asic.headroom or ())


def test_boxes_are_switches_of_the_catalogue_with_the_same_cages():
    switches = catalog.load().switches
    for asic in ASICS.values():
        for name, box in asic.boxes.items():
            model = switches[name]
            assert model.cages in (None, box.cages)
            for speed, ports in model.ports.items():
                assert ports % box.cages == 0
                assert box.lanes_per_cage % (ports // box.cages) == 0
                assert speed in box.hwsku


def test_every_ethernet_switch_has_an_asic_or_its_headroom_is_refused():
    named = {name for asic in ASICS.values() for name in asic.boxes}
    for name, model in catalog.load().switches.items():
        if "roce" in model.transports:
            assert (asic_of(ASICS.values(), name) is not None) == (name in named)
    assert asic_of(ASICS.values(), "qm9700") is None


def test_an_asic_without_a_table_has_none():
    from railyard.model.lossless import Lossless

    assert table_of(ASICS["spectrum-3"], Lossless()) == ((), None)
    assert table_of(None, Lossless()) == ((), None)
    assert len(table_of(ASICS["spectrum-4"], Lossless())[0]) == 24
