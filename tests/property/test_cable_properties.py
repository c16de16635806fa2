"""Cables of any site: long enough, of one plug per cage, ordered once, labelled twice, in every format once."""

from collections import defaultdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from railyard import catalog
from railyard.model.cabling import FIBRE
from railyard.plan import plan
from railyard.plan.end_labels import end_labels
from railyard.plan.fabric import links_of
from railyard.plan.pulls import pull_order
from railyard.rules.cables import LIMITS_M
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("C5", "N1", "U8")
CATALOG = catalog.load()
FABRIC = ("node-leaf", "leaf-spine", "spine-core")


@st.composite
def sites(draw):
    """Small sites of every generation, layout of racks and choice of cabling."""
    model, node, transport, gbps, most = draw(
        st.sampled_from(
            [
                ("qm9700", "dgx-h100", "infiniband", 400, 32),
                ("qm9700", "mi300x-platform", "infiniband", 400, 32),
                ("qm8700", "dgx-a100", "infiniband", 200, 20),
                ("sn5600", "mi300x-platform", "roce", 400, 64),
                ("sn5600", "mi300x-platform", "roce", 800, 32),
                ("q3400", "mi300x-platform", "infiniband", 800, 72),
            ]
        )
    )
    per_unit = draw(st.integers(1, min(most, 12)))
    planned = draw(st.integers(1, 4))
    built = draw(st.integers(1, planned))
    nodes = draw(st.integers(1, per_unit * built))
    return make_site(
        nodes=nodes,
        storage_nodes=draw(st.integers(0, 3)),
        compute={"nodeModel": node},
        facility={
            "nodesPerRack": draw(st.integers(1, 5)),
            "spreadRacks": draw(st.integers(1, 4)),
            "racksPerRow": draw(st.sampled_from([1, 3, 7, 12, 40, 90])),
            "switchRacks": draw(st.sampled_from(["shared", "dedicated"])),
        },
        fabric={
            "switchModel": model, "transport": transport, "linkGbps": gbps, "nodesPerUnit": per_unit, "scalableUnits": built,
            "plannedScalableUnits": planned,
        },
        cabling={
            "slackPercent": draw(st.sampled_from([0, 10, 17.5, 25])),
            "dropM": draw(st.sampled_from([1, 2, 15])),
            "panels": draw(st.sampled_from([0, 2])),
            "multimode": draw(st.sampled_from(["om3", "om4"])),
        },
    )  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sites())
def test_cables_reach_and_are_legal(config):
    planned = plan(config)
    slack = 1 + config.file.cabling.slack_percent / 100
    for cable in planned.cables:
        assert cable.length_m >= cable.route_m * slack - 1e-6, "longer than its way"
        if cable.sku:
            model = CATALOG.cables[cable.sku]
            assert cable.length_m in model.lengths_m, "a length that can be ordered"
            assert cable.medium == model.medium
            assert cable.length_m <= model.max_length_m
            if cable.kind in FABRIC:
                for lane in model.lane_gbps:
                    assert cable.length_m <= LIMITS_M[lane][cable.medium]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sites())
def test_the_fabric_s_cages_hold_one_kind_of_plug_and_the_order_is_complete(config):
    planned = plan(config)
    plugs = defaultdict(set)
    for cable in planned.cables:
        if cable.kind in FABRIC and cable.sku:
            for label in (cable.a_label, cable.z_label):
                cage, shared, _ = label.partition("/")
                plugs[cage if shared else label].add(cable.medium in FIBRE)
    # An odd number of node ports puts a node and a spine into one cage: the plan says so, and a rule finds it.
    both = {cage for cage, kinds in plugs.items() if len(kinds) > 1}
    assert bool(both) <= bool(planned.cabling.mixed_cage_count)
    assert all(row.skew_ns <= 45 for row in planned.cabling.classes if row.kind in FABRIC and row.sku), "ten metres at most"
    lines = [line for line in planned.cabling.bom if line.item in ("cable", "patch")]
    assert len({(line.item, line.sku, line.length_m, line.title) for line in lines}) == len(lines)
    assert all(line.count > 0 and line.spares >= 1 for line in planned.cabling.bom)
    if not config.file.cabling.panels:
        straight = sum(
            len(list(links_of(cable))) * (CATALOG.cables[cable.sku].per_link if cable.sku else 1)
            for cable in planned.cables
            if not cable.sku or CATALOG.cables[cable.sku].shape != "splitter"
        )
        split = {line.sku for line in lines if line.sku and CATALOG.cables[line.sku].shape == "splitter"}
        assert sum(line.count for line in lines if line.sku not in split) == straight


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sites())
def test_labels_are_as_many_as_ends_and_no_two_ends_have_the_same_place(config):
    planned = plan(config)
    labels = list(end_labels(planned.cables, planned.racks, planned.cabling.ports_per_cage))
    assert len(labels) == 2 * sum(len(list(links_of(cable))) for cable in planned.cables)
    places = [(label.here, label.port) for label in labels]
    assert len(set(places)) == len(places)
    pulls = pull_order(planned.cables, config.file.cabling.bundle_cables)
    assert len({pull.order for pull in pulls}) == len(planned.cables)
