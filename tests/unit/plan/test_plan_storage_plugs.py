"""Storage and in-band adapters of GPU nodes take plugs of their own: DGX H100, H200 and B200 have dual-port QSFP112 there.

Source: NVIDIA DGX BasePOD Reference Architecture, Core Components.
"""

import pytest

from railyard import catalog
from railyard.plan import plan
from railyard.plan.cages import storage_end
from railyard.rules import check_cabling
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N3", "C1")

ROCE = {"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 32}
FAR = {"cabling": {"slackPercent": 5, "dropM": 8}}
"""Beyond copper, within 50 m of multimode."""
VERY_FAR = {"cabling": {"slackPercent": 20, "dropM": 20}}


def classes(planned):
    return {row.kind: row for row in planned.cabling.classes}


@pytest.mark.parametrize("fabric", [{}, ROCE], ids=["infiniband", "roce"])
@pytest.mark.parametrize("node", ["dgx-h100", "dgx-h200", "dgx-b200", "dgx-b300"])
@pytest.mark.parametrize(("sections", "optic"), [(FAR, "mma1z00-ns400"), (VERY_FAR, "mms1x00-ns400")], ids=["om4", "dr4"])
def test_400g_storage_ports_of_a_dgx_take_qsfp112_optics_and_rails_keep_osfp(node, fabric, sections, optic):
    planned = plan(
        make_site(
            nodes=32,
            compute={"nodeModel": node},
            fabric=fabric,
            storage={"nodeModel": "lustre-oss-24nvme", "backend": "lustre"},
            **sections,
        )
    )
    row = classes(planned)["storage"]
    assert (row.a.form, row.a.heat_sink, row.a.optic, row.a.assumed) == ("qsfp112", None, optic, False)
    assert row.z.optic == {"mma1z00-ns400": "mma4z00-ns", "mms1x00-ns400": "mms4x00-ns"}[optic]
    assert classes(planned)["node-leaf"].a.form == "osfp", "the rails' cages are others"
    # Two storage ports of each node, and nothing else in this class: the order has one optic for each of them.
    ordered = {line.sku: line.count for line in planned.cabling.bom if line.item == "optic"}
    assert row.links == ordered[optic] == 64
    assert [finding.id for finding in check_cabling(planned.cabling, "t") if finding.id == "FABRIC-023"] == []


def test_servers_of_which_no_plug_is_known_are_a_class_of_their_own_and_keep_the_assumed_one():
    planned = plan(make_site(nodes=32, storage={"nodeModel": "lustre-oss-24nvme", "backend": "lustre"}, **FAR))
    servers = classes(planned)["storage-service"]
    assert (servers.a.form, servers.a.assumed) == ("osfp", True)
    assert servers.links == 4, "two servers of two ports"


def test_a_site_whose_name_looks_like_a_node_s_keeps_the_classes_apart():
    config = make_site(nodes=32, storage={"nodeModel": "lustre-oss-24nvme", "backend": "lustre"}, **FAR)
    odd = make_site(nodes=32, site={"name": "t-gpu01"}, storage={"nodeModel": "lustre-oss-24nvme", "backend": "lustre"}, **FAR)
    counts = [{kind: row.links for kind, row in classes(plan(one)).items()} for one in (config, odd)]
    assert counts[0] == counts[1]


def test_close_racks_take_copper_with_the_plug_of_the_cage():
    planned = plan(make_site(nodes=4, cabling={"slackPercent": 0, "dropM": 0}))
    (row,) = [row for row in planned.cabling.classes if row.kind == "storage"]
    assert row.a.form == "qsfp112"
    if row.medium.endswith("copper"):
        assert row.a.connector == "qsfp112"


@pytest.mark.parametrize(("lane", "form"), [(100, "qsfp112"), (50, "qsfp56"), (25, "qsfp28"), (200, "qsfp112")])
def test_a_qsfp112_cage_takes_the_plugs_of_slower_lanes(lane, form):
    assert storage_end(catalog.load().nodes["dgx-h100"], 100, lane).form == form


def test_a_model_that_nobody_looked_at_keeps_the_assumption_and_says_so():
    assert storage_end(catalog.load().nodes["dgx-h100"], 100, 25).assumed is False
    end = storage_end(catalog.load().nodes["mi300x-platform"], 400, 100)
    assert (end.form, end.heat_sink, end.assumed) == ("osfp", "flat", True)
