"""The real subnet manager routes our fabrics: published ones, three tiers, planes, part-filled pods, tenants."""

import re
from pathlib import Path

import pytest

from railyard.plan.shape import FabricShape, size_fabric
from tests.proof.infiniband.designs import Design, design, published, rewired, tenants
from tests.proof.infiniband.fabric_run import ProofError, Report, prove
from tests.proof.infiniband.simulator import missing_tools

pytestmark = pytest.mark.requirement("N1", "U6")

MOST_ENDPOINTS = 4_608
"""Per plane; larger ones are the bench's."""
SMALL_ENOUGH = [row for row in published() if row[1].node_leaf_links // row[1].planes <= MOST_ENDPOINTS]


def shown(report: Report) -> Report:
    """The report, also on the screen of whoever runs with -s."""
    print(report)
    return report


def test_the_programs_are_there():
    assert not missing_tools(), "install what engine/debian-packages.txt lists (make setup)"


def test_rows_are_read():
    assert len(list(published())) == 15
    assert len(SMALL_ENOUGH) == 12


@pytest.mark.parametrize(("name", "shape"), SMALL_ENOUGH, ids=[name for name, _ in SMALL_ENOUGH])
def test_every_published_fabric_is_routed_as_planned(name: str, shape: FabricShape, tmp_path: Path):
    planes = design(shape)
    assert len(planes) == shape.planes
    for plane in planes:
        report = shown(prove(plane, tmp_path / plane.subnet.name, partitions=tenants(plane.subnet)))
        assert report.engine == "ftree"
        assert report.switches * shape.planes == shape.leaves + shape.spines + shape.cores
        assert report.shifts == 1
        # In two tiers even all rails at once never share a link; in three tiers of 4,096 a quarter of the shifts does.
        assert report.shifts_together == 1 or shape.tiers == 3


@pytest.mark.parametrize(("pod_by", "hops_between_units"), [("unit", 5), ("rail", 3)])
def test_three_tiers_with_either_kind_of_pod(pod_by: str, hops_between_units: int, tmp_path: Path):
    shape = size_fabric(8, 4, 8, 16, pod_by="rail" if pod_by == "rail" else "unit")
    (only,) = design(shape)
    report = shown(prove(only, tmp_path / "run", partitions=tenants(only.subnet), keys=32))
    assert (report.switches, report.adapters, report.links) == (80, 256, 768)
    assert report.shifts == report.shifts_together == 1
    # The same rail: inside of a unit over its leaf alone, between units through the core, or (pods of rails) without it.
    assert report.rail_hops == {1: 256, hops_between_units: 768}
    assert report.core_load[0] == report.core_load[1]


PART_FILLED = size_fabric(8, 5, 4, 16)
"""Two units to a pod: the third pod has one."""


def test_a_part_filled_pod_is_routed_by_its_roots_and_its_claim_is_waived(tmp_path: Path):
    (only,) = design(PART_FILLED)
    assert only.lopsided
    report = shown(prove(only, tmp_path / "run", waived="the last pod is part filled"))
    assert "(the last pod is part filled)" in str(report), "said wherever the load is shown"


def test_full_pods_restore_the_claim(tmp_path: Path):
    (only,) = design(size_fabric(8, 5, 4, 16, full_pods=True), nodes=5 * 8)
    assert not only.lopsided
    # The added leaves have no endpoint yet: without roots ftree would take them for cores.
    assert only.refused
    report = shown(prove(only, tmp_path / "run"))
    assert report.shifts == 1


def test_a_part_filled_pod_passes_for_no_full_one(tmp_path: Path):
    (only,) = design(PART_FILLED)
    with pytest.raises(ProofError, match=r"ERR AB0[AD]"):
        prove(Design(only.subnet, only.rings), tmp_path / "run")


def test_twelve_spines_for_three_units_are_refused(tmp_path: Path):
    (only,) = design(size_fabric(32, 3, 8, 64, spines=12))
    with pytest.raises(ProofError) as raised:
        prove(only, tmp_path / "run")
    assert re.search("ERR AB0[BC]: Different number of ports in an upward port group", str(raised.value))
    assert "2 flows on one link" in str(raised.value), "and what it costs, once a root file makes ftree take it"


HOLES = [(1, 3), (1, 20), (2, 9), (3, 14), (3, 15), (3, 27)]


def test_holes_are_measured_not_promised(tmp_path: Path):
    (only,) = design(size_fabric(32, 3, 8, 64), empty=HOLES)
    report = shown(prove(only, tmp_path / "waived", waived="empty slots in the middle"))
    assert report.shifts == 2
    with pytest.raises(ProofError, match="2 flows on one link"):
        prove(only, tmp_path / "claimed")


def test_a_dead_cable_doesnt_stop_the_subnet(tmp_path: Path):
    (only,) = design(size_fabric(32, 1, 8, 64))
    broken = rewired(only.subnet, lambda links: links.remove(next(link for link in links if link.a.endswith("leaf-r3"))))
    report = shown(prove(Design(broken, only.rings, lopsided=True), tmp_path / "run", waived="a cable is dead"))
    assert report.engine == "ftree"
    assert report.links == len(only.subnet.links) - 1


def test_each_rail_of_a_rail_only_fabric_is_a_subnet(tmp_path: Path):
    rails = design(size_fabric(16, 1, 4, 64, layout="rail-only"))
    assert len(rails) == 4
    for rail in rails:
        report = shown(prove(rail, tmp_path / rail.subnet.name))
        assert (report.switches, report.adapters, report.links, report.engine) == (1, 16, 16, "updn")


def test_classic_fat_tree_with_all_nics_of_a_node_on_one_leaf(tmp_path: Path):
    shape = size_fabric(16, 2, 4, 32, layout="fat-tree")
    (only,) = design(shape)
    report = shown(prove(only, tmp_path / "run", partitions=tenants(only.subnet), waived="rails share leaves"))
    assert report.switches == shape.leaves + shape.spines


def test_without_tenants_everybody_is_full_in_the_default_partition(tmp_path: Path):
    (only,) = design(size_fabric(8, 1, 8, 16))
    shown(prove(only, tmp_path / "run"))


def test_machines_outside_of_every_tenant_are_limited(tmp_path: Path):
    (only,) = design(size_fabric(8, 2, 8, 16, reserved_ports=2))
    shown(prove(only, tmp_path / "run", partitions=tenants(only.subnet)[:2], keys=40))
