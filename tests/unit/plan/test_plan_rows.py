"""Sums of each row of racks, against the racks themselves."""

import msgspec
import pytest

from railyard.plan import plan
from railyard.plan.rows import sum_rows

pytestmark = pytest.mark.requirement("C3")


@pytest.fixture(scope="module")
def hall(site):
    config = site(
        nodes=24, storage_nodes=2,
        facility={"nodesPerRack": 3, "spreadRacks": 1, "racksPerRow": 5, "switchRacks": "dedicated"},
        power={"supply": {"volts": 415, "voltageReference": "line-line", "phases": 3}, "paths": [
            {"name": f"bus-{feed}", "kind": "busway", "feed": feed, "breakerA": 400, "rowsEach": 1} for feed in "ab"]},
        cooling={"inletC": 24, "deltaK": 14, "altitudeM": 0, "airUnits": [
            {"name": "crah", "units": 3, "capacityKw": 200, "airflowM3S": 12, "rowsEach": 2}]},
    )  # fmt: skip
    return plan(config)


def test_rows_are_the_sums_of_their_racks(hall):
    rows = sum_rows(hall.racks, hall.cooling, hall.power)
    assert [row.row for row in rows] == sorted({rack.row for rack in hall.racks})
    assert len(rows) >= 2
    air = {name: kind.air for kind in hall.cooling.racks for name in kind.racks}
    for row in rows:
        here = [rack for rack in hall.racks if rack.row == row.row]
        assert row.racks == tuple(rack.name for rack in here)
        assert row.peak_kw == pytest.approx(sum(rack.peak_kw for rack in here))
        assert row.air_kw == pytest.approx(sum(rack.air_kw for rack in here))
        assert row.room_kw == pytest.approx(sum(air[rack.name].room_kw for rack in here))
        assert row.liquid_kw == pytest.approx(sum(air[rack.name].liquid_kw for rack in here))
        assert row.airflow_m3_s == pytest.approx(sum(air[rack.name].airflow_m3_s for rack in here))
        worst = max(here, key=lambda rack: air[rack.name].room_kw)
        assert (row.fullest, row.fullest_kw, row.fullest_limit_kw) == (worst.name, air[worst.name].room_kw, worst.air_limit_kw)
    assert sum(row.peak_kw for row in rows) == pytest.approx(hall.site.peak_kw)


def test_rows_name_what_feeds_and_cools_them(hall):
    for row in sum_rows(hall.racks, hall.cooling, hall.power):
        assert row.feeds == tuple(hall.power.serving(feed, row.row) for feed in "ab")
        assert row.pools == tuple(pool.name for pool in hall.cooling.hall.pools if any(row.row in area for area in pool.areas))
        assert len(row.pools) == 1


def test_what_nobody_planned_is_unknown_and_not_zero(hall):
    row = sum_rows(hall.racks, None, None)[0]
    assert (row.door_kw, row.room_kw, row.liquid_kw, row.airflow_m3_s) == (None, None, None, None)
    assert (row.feeds, row.pools) == ((), ())
    some = msgspec.structs.replace(hall.cooling, racks=hall.cooling.racks[:1])
    assert any(row.room_kw is None for row in sum_rows(hall.racks, some, None)), "a part of a row is no sum of it"


def test_the_fullest_rack_is_by_its_share_of_its_limit(hall):
    first, second = hall.racks[:2]
    tight = second.model_copy(update={"air_kw": 10.0, "air_limit_kw": 10.5})
    loose = first.model_copy(update={"air_kw": 30.0, "air_limit_kw": 60.0})
    assert sum_rows([loose, tight], None, None)[0].fullest == second.name
    none = second.model_copy(update={"air_kw": 0.0, "air_limit_kw": 0.0})
    assert sum_rows([none], None, None)[0].fullest == second.name


def test_no_racks_are_no_rows():
    assert sum_rows([], None, None) == ()
