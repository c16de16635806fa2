"""Cables of a plan: labels, lengths, parts, shared cages, the order, trays, bundles."""

import dataclasses
from collections import Counter
from itertools import pairwise

import msgspec
import pytest
from pydantic import ValidationError

from railyard.model.cabling import Cabling
from railyard.plan import plan
from railyard.plan.bom import part_number, spares_of
from railyard.plan.hall import Hall, route_m
from railyard.plan.pulls import pull_order
from railyard.plan.trays import fill_trays
from tests.planned_site import SiteMaker

pytestmark = pytest.mark.requirement("C5", "U8")
HGX = {"nodeModel": "mi300x-platform"}


def tier(planned, kind):
    return [cable for cable in planned.cables if cable.kind == kind]


def row_of(planned, kind):
    found = [row for row in planned.cabling.classes if row.kind == kind]
    assert len(found) == 1, [row.kind for row in planned.cabling.classes]
    return found[0]


def ordered(planned, item="optic"):
    return {line.sku: (line.count, line.spares) for line in planned.cabling.bom if line.item == item}


def test_labels_name_rack_u_cage_and_port_of_both_ends(site: SiteMaker):
    first = plan(site()).cables[0]
    assert (first.a, first.z) == ("t-su001-gpu01/mlx5_0", "t-su001-leaf-r0/1")
    assert first.a_label.startswith("R001-U")
    assert first.a_label.endswith("-P4/2"), "rail 0 of a DGX H100 is port 2 of cage 4"
    assert first.z_label.endswith("-P1/1")
    assert first.id == "t-su001-gpu01:mlx5_0"
    up = tier(plan(site()), "leaf-spine")[0]
    assert up.a_label.endswith("-P17/1"), "uplink 1 of 32 node ports"


def test_case_28_256_node_links_are_128_finned_twins_and_256_flat_singles(site: SiteMaker):
    """Case 28: form factors at both ends are never equal."""
    planned = plan(site(nodes=32, compute=HGX))
    assert len(tier(planned, "node-leaf")) == 256
    row = row_of(planned, "node-leaf")
    assert (row.a.optic, row.z.optic) == ("mma4z00-ns400", "mma4z00-ns")
    assert (row.a.optic_heat_sink, row.z.optic_heat_sink) == ("flat", "finned")
    uplinks = len(tier(planned, "leaf-spine"))
    used = ordered(planned)
    others = sum(line.links for line in planned.cabling.classes if line.a.optic == "mma4z00-ns400" and line.kind != "node-leaf")
    assert used["mma4z00-ns400"][0] - others == 256
    switch_cages = {cable.z_label.partition("/")[0] for cable in tier(planned, "node-leaf")}
    assert len(switch_cages) == 128
    assert uplinks == 256


def test_a_dgx_needs_half_as_many_optics_as_it_has_rails(site: SiteMaker):
    """Four twin-port cages for eight rails: 4 nodes are 16 flat twins and, by two nodes to a leaf's cage, 16 finned ones."""
    planned = plan(site(nodes=4))
    cages = {cable.a_label.partition("/")[0] for cable in tier(planned, "node-leaf")}
    assert len(cages) == 16
    assert ordered(planned)["mma4z00-ns-flt"][0] == 16


def test_length_is_route_and_slack_rounded_up_to_what_can_be_ordered(site: SiteMaker):
    planned = plan(site(facility={"switchRacks": "dedicated"}))
    for cable in tier(planned, "node-leaf"):
        assert cable.length_m >= cable.route_m * 1.1 - 1e-9
        assert cable.length_m in (3, 5, 7, 10, 15, 20, 25, 30, 35, 40, 50)
        shorter = [length for length in (3, 5, 7, 10, 15, 20, 25, 30, 35, 40) if length < cable.length_m]
        assert all(length < cable.route_m * 1.1 for length in shorter), "the shortest one that is long enough"


def test_slack_and_drop_are_choices(site: SiteMaker):
    plain = plan(site(facility={"switchRacks": "dedicated"}))
    loose = plan(site(facility={"switchRacks": "dedicated"}, cabling={"slackPercent": 25, "dropM": 3}))
    for one, other in zip(tier(plain, "node-leaf"), tier(loose, "node-leaf"), strict=True):
        assert other.route_m == pytest.approx(one.route_m + 2)
        assert other.length_m >= one.length_m
    assert loose.cabling.slack_percent == 25


def test_shared_cages_take_one_medium_even_where_some_links_are_short(site: SiteMaker):
    """A leaf's cage holds slots 1 and 2, which are in two racks: fibre for both, though one is two metres away."""
    planned = plan(site(compute=HGX))
    lengths = {cable.length_m for cable in tier(planned, "node-leaf")}
    assert len(lengths) > 1
    assert {cable.medium for cable in tier(planned, "node-leaf")} == {"multimode-om4"}
    assert planned.cabling.mixed_cages == ()


def test_one_rack_units_get_splitters_all_of_one_length(site: SiteMaker):
    facility = {"nodesPerRack": 4, "spreadRacks": 1}
    fabric = {"nodesPerUnit": 4, "rails": 8}
    planned = plan(site(compute=HGX, facility=facility, fabric=fabric))
    cables = tier(planned, "node-leaf")
    assert {(cable.sku, cable.length_m) for cable in cables} == {("mcp7y00", 2.0)}
    heads = {cable.z_label.partition("/")[0] for cable in cables}
    assert (len(cables), len(heads)) == (32, 16)
    everywhere = {cable.z_label.partition("/")[0] for cable in planned.cables if cable.sku == "mcp7y00"}
    lines = [line for line in planned.cabling.bom if line.sku == "mcp7y00"]
    assert [(line.count, line.spares) for line in lines] == [(len(everywhere), 1)], "a piece for each head, not for each tail"


def test_cages_of_one_port_get_the_cable_for_their_own_length(site: SiteMaker):
    fabric = {"switchModel": "qm8700", "linkGbps": 200, "nodesPerUnit": 20, "rails": 8}
    planned = plan(site(compute={"nodeModel": "dgx-a100"}, fabric=fabric, nodes=8))
    assert {cable.sku for cable in tier(planned, "node-leaf")} == {"mcp1650-h", "mfs1s00-h"}
    for cable in tier(planned, "node-leaf"):
        assert (cable.sku == "mcp1650-h") == (cable.length_m <= 2)
        assert "/" not in cable.a_label.rpartition("-P")[2]


def test_xdr_plans_single_mode_only(site: SiteMaker):
    fabric = {"switchModel": "q3400", "linkGbps": 800, "nodesPerUnit": 72}
    planned = plan(site(compute=HGX, fabric=fabric, nodes=8))
    assert {cable.medium for cable in planned.cables if cable.kind in ("node-leaf", "leaf-spine")} == {"single-mode"}


def test_what_the_catalogue_does_not_have_has_no_part_and_is_not_hidden(site: SiteMaker):
    fabric = {"transport": "roce", "switchModel": "sn5600", "linkGbps": 100, "nodesPerUnit": 32}
    planned = plan(site(compute=HGX, fabric=fabric))
    assert {cable.sku for cable in tier(planned, "node-leaf")} == {""}
    assert {cable.medium for cable in tier(planned, "node-leaf")} <= {"passive-copper", "multimode-om4"}
    line = next(line for line in planned.cabling.bom if line.sku == "")
    assert "no cable of the catalogue fits" in line.title
    assert line.part is None


def test_growth_inside_the_plan_changes_no_cable(site: SiteMaker):
    """More nodes, more units, same planned units: every cable that was there is the same one, part and length included."""
    facility = {"switchRacks": "dedicated"}
    small = plan(site(nodes=3, facility=facility, fabric={"scalableUnits": 1, "plannedScalableUnits": 3}))
    large = plan(site(nodes=96, facility=facility, fabric={"scalableUnits": 3, "plannedScalableUnits": 3}))
    after = {cable.id: cable for cable in large.cables}
    for cable in small.cables:
        if cable.kind in ("node-leaf", "leaf-spine"):
            assert msgspec.structs.asdict(after[cable.id]) == msgspec.structs.asdict(cable)


def test_spares_are_a_share_and_at_least_one():
    assert [spares_of(count, 2) for count in (0, 1, 50, 51, 100, 101, 1000)] == [0, 1, 1, 2, 2, 3, 20]
    assert [spares_of(count, 0) for count in (1, 1000)] == [1, 1]
    assert spares_of(3, 100) == 3
    assert spares_of(150, 2) == 3, "3.0000000000000004 is three"


def test_the_order_counts_every_cable_once(site: SiteMaker):
    planned = plan(site(nodes=32))
    lines = [line for line in planned.cabling.bom if line.item == "cable"]
    assert sum(line.count for line in lines) == len(planned.cables)
    counted = Counter((cable.sku, cable.length_m) for cable in planned.cables)
    assert {(line.sku, line.length_m): line.count for line in lines} == dict(counted)
    assert all(line.spares >= 1 for line in planned.cabling.bom)
    assert len({(line.item, line.sku, line.length_m) for line in planned.cabling.bom}) == len(planned.cabling.bom)


def test_two_panels_make_cords_trunks_and_cassettes(site: SiteMaker):
    facility = {"switchRacks": "dedicated"}
    direct = plan(site(nodes=32, facility=facility))
    panelled = plan(site(nodes=32, facility=facility, cabling={"panels": 2}))
    links = len(tier(panelled, "node-leaf")) + len(tier(panelled, "leaf-spine"))
    between = sum("-" in cable.bundle for cable in panelled.cables if cable.sku == "mfp7e10")
    assert between == sum("-" in cable.bundle for cable in direct.cables if cable.sku == "mfp7e10") >= links
    bom = panelled.cabling.bom
    assert sum(line.count for line in bom if line.item == "patch") == 2 * between
    trunks = sum(line.count for line in bom if line.item == "trunk")
    assert trunks >= between / 12
    assert sum(line.count for line in bom if line.item == "panel") == 2 * trunks
    assert row_of(panelled, "leaf-spine").segments == 3
    assert row_of(panelled, "leaf-spine").loss_db > row_of(direct, "leaf-spine").loss_db
    assert row_of(panelled, "leaf-spine").loss_db < row_of(panelled, "leaf-spine").loss_budget_db


def test_loss_is_joints_and_metres(site: SiteMaker):
    row = row_of(plan(site(nodes=32, facility={"switchRacks": "dedicated"})), "leaf-spine")
    assert row.loss_db == pytest.approx(2 * 0.35 + row.max_length_m * 0.003)
    assert row.loss_budget_db == pytest.approx(4 * 0.35 + 50 * 0.003)


def test_an_odd_number_of_node_ports_makes_a_cage_that_needs_two_plugs(site: SiteMaker):
    """Port 3 is a node's, port 4 an uplink: one of them copper, the other fibre."""
    fabric = {"nodesPerUnit": 3, "uplinksPerLeaf": 4, "rails": 8}
    planned = plan(site(nodes=3, compute=HGX, facility={"nodesPerRack": 4, "spreadRacks": 1}, fabric=fabric))
    assert {cable.sku for cable in tier(planned, "node-leaf")} == {"mcp7y00"}
    leaves = {cable.z_label.partition("-P")[0] for cable in tier(planned, "node-leaf")}
    mixed = [cage for cage in planned.cabling.mixed_cages if cage.partition("-P")[0] in leaves]
    assert len(mixed) == 8
    assert all(cage.endswith("-P2") for cage in mixed)


def test_skew_is_the_difference_of_two_fibres_of_one_cage(site: SiteMaker):
    planned = plan(site(nodes=32))
    row = row_of(planned, "node-leaf")
    cages = {}
    for cable in tier(planned, "node-leaf"):
        for label in (cable.a_label, cable.z_label):
            cages.setdefault(label.partition("/")[0], []).append(cable.length_m)
    worst = max(max(lengths) - min(lengths) for lengths in cages.values())
    assert row.skew_ns == pytest.approx(worst * 4.5)
    assert max(cages[row.skew_at]) - min(cages[row.skew_at]) == worst


def test_trays_carry_what_goes_through_them():
    """Racks 1 to 10 are row 1. Ten cables from rack 1 to 13 (row 2, position 3): along row 1, then across at position 3."""
    hall = Hall(units=10, compute_per_unit=2, network_per_unit=0, spine_racks=0, racks_per_row=10)
    models = catalog_cables()
    fills = fill_trays({(1, 13, "mfp7e10"): 10, (2, 2, "mfp7e10"): 99}, hall, Cabling(), models)
    assert [fill.segment for fill in fills] == ["position 3, row 1 to 2", "row 1, position 1 to 3"]
    assert {fill.area_mm2 for fill in fills} == {70.7}, "ten circles of 3 mm"
    assert {fill.percent for fill in fills} == {None}
    tray = Cabling(tray_width_mm=100, tray_depth_mm=50, tray_layers=2)
    fills = fill_trays({(1, 2, "mfp7e10"): 100, (2, 3, "mfp7e10"): 50, (1, 3, "other"): 7}, hall, tray, models)
    by_segment = {fill.segment: fill for fill in fills}
    assert by_segment["row 1, position 1 to 2"].cables == 107
    assert by_segment["row 1, position 2 to 3"].cables == 57
    assert by_segment["row 1, position 1 to 2"].unknown == 7
    assert by_segment["row 1, position 1 to 2"].percent == pytest.approx(706.86 / 10_000 * 100, abs=1e-3)
    assert fills[0].segment == "row 1, position 1 to 2", "the fullest first"


def catalog_cables():
    from railyard import catalog

    return catalog.load().cables


def test_route_in_a_row_across_rows_and_in_a_rack():
    assert route_m(4, 4, 10) == 1.8
    assert route_m(1, 6, 10, 0.6) == 5 * 0.6 + 4
    assert route_m(1, 16, 10, 0.6, 1.0) == 5 * 0.6 + 3.0 + 2
    assert route_m(16, 1, 10, 0.75) == route_m(1, 16, 10, 0.75)


def test_bundles_are_pulled_longest_first_and_hold_so_many(site: SiteMaker):
    planned = plan(site(nodes=32, facility={"switchRacks": "dedicated"}))
    cables = planned.cables
    pulls = pull_order(cables, 24)
    assert len({pull.order for pull in pulls}) == len(cables)
    assert max(Counter(pull.bundle for pull in pulls).values()) <= 24
    first = min(zip(pulls, cables, strict=True), key=lambda item: item[0].order)[1]
    assert first.length_m == max(cable.length_m for cable in cables)
    by_order = sorted(zip(pulls, cables, strict=True), key=lambda item: item[0].order)
    bundles = [pull.bundle for pull, _ in by_order]
    changes = 1 + sum(one != other for one, other in pairwise(bundles))
    assert changes == len(set(bundles)), "a bundle is pulled in one go"
    for pull, cable in zip(pulls, cables, strict=True):
        assert pull.bundle.startswith(cable.bundle)


def test_every_cable_of_every_network_has_a_place_in_the_work(site: SiteMaker):
    for cable in plan(site(nodes=32)).cables:
        assert cable.bundle, cable
        assert cable.route_m > 0, cable


def test_a_plan_s_cabling_is_values_and_the_same_each_time(site: SiteMaker):
    one, two = plan(site(nodes=8)).cabling, plan(site(nodes=8)).cabling
    assert one.props() == two.props()
    assert dataclasses.is_dataclass(plan(site()))


@pytest.mark.parametrize(
    ("sku", "metres", "expected"),
    [
        ("mcp7y00", 1.5, "MCP7Y00-N01A"),
        ("mcp7y00", 3, "MCP7Y00-N003"),
        ("mcp4y10", 0.5, "MCP4Y10-N00A"),
        ("mfp7e10", 50, "MFP7E10-N050"),
        ("mfp7e30", 150, "MFP7E30-N150"),
        ("mcp1650-h", 2, "MCP1650-H"),
        ("cat6a", 2, None),
    ],
)
def test_part_numbers_end_in_their_length_where_the_scheme_is_known(sku, metres, expected):
    assert part_number(catalog_cables()[sku], metres) == expected


TWIN = {"transport": "roce", "switchModel": "sn5600", "planes": 2, "linksPerCable": 2, "nodesPerUnit": 64}


def test_a_twin_plane_node_has_one_optic_for_each_nic_and_every_leaf_its_own(site: SiteMaker):
    """4 nodes x 8 NICs, 400G in each of two planes: 32 flat twins below; above, 2 nodes share a leaf's cage: 2 x 16 leaves."""
    planned = plan(site(nodes=4, compute=HGX, fabric=TWIN))
    row = row_of(planned, "node-leaf")
    assert (row.cables, row.links) == (32, 64)
    assert (row.a.optic, row.z.optic) == ("mma4z00-ns-flt", "mma4z00-ns")
    assert planned.cabling.twins_apart == 0
    above = {(cable.z, cable.z_second) for cable in tier(planned, "node-leaf")}
    assert len({end.partition("/")[0] for pair in above for end in pair}) == 16
    assert ordered(planned)["mma4z00-ns-flt"][0] == 32
    spines = len(tier(planned, "leaf-spine"))
    assert spines > 0
    ends = [label for cable in tier(planned, "storage") for label in (cable.a_label, cable.z_label)]
    others = {label.partition("/")[0] for label in ends if "/" in label}
    expected = 32 + 2 * spines + len(others)
    assert ordered(planned)["mma4z00-ns"][0] == expected, "each twin cable of the spines has an optic at both ends"


def test_two_rails_of_a_dgx_are_not_in_one_cage(site: SiteMaker):
    """Rail 0 is in cage 4, rail 1 in cage 3: no cable can carry both."""
    planned = plan(site(nodes=2, fabric={"linksPerCable": 2}))
    assert planned.cabling.twins_apart == len(tier(planned, "node-leaf")) == 8


@pytest.mark.parametrize(
    ("fabric", "ends_apart"),
    [
        ({}, False),
        ({"spines": 64}, True),  # one link to each of 64 spines: the plug's two links are for two of them
        ({"planes": 1, "linksPerCable": 1}, False),
    ],
)
def test_two_links_of_a_cable_between_switches_end_in_one_cage(site: SiteMaker, fabric, ends_apart):
    planned = plan(site(nodes=4, compute=HGX, fabric=TWIN | fabric))
    split = [
        cable
        for cable in tier(planned, "leaf-spine")
        if cable.z_second and cable.z.partition("/")[0] != cable.z_second.partition("/")[0]
    ]
    assert planned.cabling.twins_split == len(split)
    assert bool(split) is ends_apart


WRAPPED = {"nodesPerRack": 1, "spreadRacks": 1, "racksPerRow": 29, "switchRacks": "dedicated"}


def test_two_cables_of_a_cage_are_ordered_at_most_ten_metres_apart(site: SiteMaker):
    """The row ends between slots 29 and 30: one rack is near the leaves, the other one at the far end of the row before."""
    uneven = plan(site(nodes=32, compute=HGX, facility=WRAPPED, cabling={"twinSkewM": 1000}))
    even = plan(site(nodes=32, compute=HGX, facility=WRAPPED))
    assert row_of(uneven, "node-leaf").skew_ns > 45
    assert row_of(even, "node-leaf").skew_ns <= 45
    longer = 0
    for one, other in zip(tier(uneven, "node-leaf"), tier(even, "node-leaf"), strict=True):
        assert other.length_m >= one.length_m
        assert other.route_m == one.route_m
        longer += other.length_m > one.length_m
    assert 0 < longer < 32 * 8 / 4, "a few cables, not all"
    assert max(cable.length_m for cable in tier(even, "node-leaf")) == max(
        cable.length_m for cable in tier(uneven, "node-leaf")
    )


def test_a_slot_that_is_empty_yet_counts_for_its_neighbour(site: SiteMaker):
    """Every second slot is filled first: the cables that are there are not ordered anew when the other ones come."""
    fabric = {"scalableUnits": 1, "plannedScalableUnits": 2}
    half = plan(site(slots=[(1, slot) for slot in range(1, 33, 2)], nodes=16, compute=HGX, facility=WRAPPED, fabric=fabric))
    full = plan(site(nodes=32, compute=HGX, facility=WRAPPED, fabric=fabric))
    after = {cable.id: cable for cable in full.cables}
    for cable in half.cables:
        if cable.kind in ("node-leaf", "leaf-spine"):
            assert after[cable.id] == cable


def test_fabric_managers_have_cables_of_their_own_kind_in_the_leaves_cages(site: SiteMaker):
    """Slot 32 is a manager's: its single-port card shares a leaf's cage with slot 31."""
    fabric = {"nodesPerUnit": 31, "uplinksPerLeaf": 32, "reservedPorts": 4}
    planned = plan(site(nodes=31, facility={**WRAPPED, "racksPerRow": 29}, fabric=fabric))
    row = row_of(planned, "manager-leaf")
    assert (row.cables, row.a.optic, row.z.optic) == (4, "mma4z00-ns400", "mma4z00-ns")
    assert row_of(planned, "node-leaf").skew_ns <= 45
    assert planned.cabling.mixed_cages == ()
    managers = [cable for cable in tier(planned, "node-leaf") if "-ufm" in cable.id]
    assert len(managers) == 4
    assert all(cable.a_label.rpartition("-P")[2] in ("1", "2") for cable in managers)


@pytest.mark.parametrize(
    "bad",
    [
        {"slackPercent": -1},
        {"slackPercent": float("inf")},
        {"sparesPercent": 101},
        {"panels": 9},
        {"multimode": "om5"},
        {"trayWidthMm": 0},
        {"twinSkewM": -1},
        {"dropM": 21},
        {"slack": 10},
    ],
)
def test_choices_that_can_not_be_are_refused(site: SiteMaker, bad):
    with pytest.raises(ValidationError):
        site(cabling=bad)
