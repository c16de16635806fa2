"""What railyard writes about cables is read back and audited: renderers and readers were written apart."""

import pytest

from railyard import render
from railyard.audit import audit, design_of
from railyard.plan import plan
from railyard.read import ReadError
from tests.planned_site import make_site
from tests.unit.audit_files import ids, seen

pytestmark = pytest.mark.requirement("N5", "C5")
ETHERNET = {"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 8}
FILES = {
    "infiniband": (
        "cabling/p2p.csv",
        "cabling/topology.topo",
        "infiniband/compute/fabric.net",
        "netbox/cables.csv",
        "cables.csv",
    ),
    "ethernet": ("cabling/p2p.csv", "cabling/topology.dot", "netbox/cables.csv", "cables.csv"),
}


def made(kind):
    config = make_site(nodes=6, fabric=ETHERNET if kind == "ethernet" else {})
    site = plan(config)
    return design_of(site, config.catalog, config.inventory), render.artefacts(site, [])


@pytest.fixture(scope="module")
def sites():
    return {kind: made(kind) for kind in FILES}


def built(files, name):
    """A file as it is when everything is connected."""
    text = files[name].decode()
    return text.replace(",planned,", ",connected,") if name.startswith("netbox/") else text


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in FILES.items() for name in names])
def test_every_file_is_read_and_clean(sites, kind, name):
    design, files = sites[kind]
    found = audit(design, seen(built(files, name), name), speeds=False)
    # An empty schedule says that nothing was tested yet.
    assert ids(found) == (["AUDIT-014"] if name == "cables.csv" else [])
    assert found.totals.links_correct == found.totals.links_planned
    assert found.totals.endpoints == 6 * 8


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in FILES.items() for name in names])
def test_two_leaves_exchanged_in_a_file_are_found(sites, kind, name):
    """So that `clean` above isn't blindness: in every file two leaves change places."""
    design, files = sites[kind]
    text = built(files, name)
    swapped = text.replace("t-su001-leaf-r0", "@").replace("t-su001-leaf-r1", "t-su001-leaf-r0").replace("@", "t-su001-leaf-r1")
    found = audit(design, seen(swapped, name), speeds=False)
    assert {one.kind for one in found.differences} >= {"swapped"}


def test_a_schedule_that_is_only_planned_is_no_audit(sites):
    _, files = sites["infiniband"]
    with pytest.raises(ReadError, match="none of them connected"):
        seen(files["netbox/cables.csv"], "cables.csv")
