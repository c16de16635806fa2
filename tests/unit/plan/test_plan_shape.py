"""Closed form of the fabric against the published topologies."""

import csv
from pathlib import Path

import pytest

from railyard.plan.shape import size_fabric, smallest_divisor

ROWS = list(
    csv.DictReader((Path(__file__).parents[2] / "data" / "reference_topologies.csv").open(encoding="utf-8", newline=""))
)
COUNTS = ("leaf", "spine", "core", "node_leaf", "leaf_spine", "spine_core")


def test_all_published_rows_are_there():
    assert len(ROWS) == 15
    assert all(row["source"].startswith("docs.nvidia.com/") for row in ROWS)


@pytest.mark.requirement("N1")
@pytest.mark.parametrize("row", ROWS, ids=[f"{row['name']} {row['su']} SU" for row in ROWS])
def test_published_row(row: dict[str, str]):
    """Every row: a unit is k / 2 slots; UFM takes four ports of one slot; a twin-port cable carries the links of two planes."""
    radix, planes = int(row["radix"]), int(row["planes"])
    shape = size_fabric(
        radix // 2,
        int(row["su"]),
        int(row["rails"]),
        radix,
        planes,
        reserved_ports=4 if "UFM" in row["name"] else 0,
        links_per_cable=planes,
    )
    found = (shape.leaves, shape.spines, shape.cores, shape.node_leaf, shape.leaf_spine, shape.spine_core)
    assert dict(zip(COUNTS, found, strict=True)) == {key: int(row[key]) for key in COUNTS}
    assert shape.fits


def test_nodes_of_the_published_rows_are_all_slots_less_the_fabric_managers():
    shape = size_fabric(32, 3, 8, 64, reserved_ports=4)
    assert (shape.node_leaf - 4) / 8 == 95


@pytest.mark.requirement("N1")
def test_sixteen_spines_for_three_units_not_twelve():
    """ceil(24 * 32 / 64) = 12 does not divide 32 uplinks: pairs would have 2 or 3 links."""
    assert size_fabric(32, 3, 8, 64).spines == 16
    assert size_fabric(32, 3, 8, 64).links_per_pair == 2
    assert size_fabric(32, 3, 8, 64, spines=12).links_per_pair == pytest.approx(32 / 12)


def test_smallest_divisor():
    assert [smallest_divisor(72, least) for least in (1, 5, 32, 37, 72, 99)] == [1, 6, 36, 72, 72, 72]


@pytest.mark.requirement("N1")
@pytest.mark.parametrize(("units", "tiers"), [(8, 2), (9, 3), (256, 3)])
def test_third_tier_begins_where_leaves_exceed_ports(units: int, tiers: int):
    assert size_fabric(32, units, 8, 64).tiers == tiers


@pytest.mark.requirement("N1")
def test_three_tiers_end_where_pods_exceed_ports_of_a_core():
    """k^3 / 4 = 65,536 endpoints of a 64-port switch: 256 units of 32 nodes with 8 NICs."""
    assert size_fabric(32, 256, 8, 64).fits
    assert not size_fabric(32, 257, 8, 64).fits


@pytest.mark.parametrize(("units", "cores_per_group", "core_links"), [(16, 2, 16), (32, 4, 8), (12, 2, 16)])
def test_core_groups(units: int, cores_per_group: int, core_links: int):
    shape = size_fabric(32, units, 8, 64)
    assert (shape.cores_per_group, shape.core_links) == (cores_per_group, core_links)
    assert shape.pods * shape.core_links <= 64
