"""The audit on what real ibnetdiscover and iblinkinfo print of a planned unit in ibsim, as planned and with faults."""

import re
from types import SimpleNamespace

import pytest

from railyard.audit import audit, design_of
from railyard.plan import plan
from railyard.read import read_fabric
from tests.built_fabric import Built, ident
from tests.planned_site import make_site
from tests.proof.infiniband.simulator import Simulator, missing_tools

pytestmark = pytest.mark.requirement("N5")


@pytest.fixture(scope="module")
def wanted():
    """One unit of 32 nodes on eight leaves and four spines: 256 endpoints."""
    assert not missing_tools(), f"install {', '.join(missing_tools())}"
    config = make_site(nodes=32)
    return design_of(plan(config), config.catalog)


def training(wanted):
    built = Built(wanted)
    built.remove([index for index, link in enumerate(wanted.links) if link.network != "training"])
    return built


def netlist(built):
    """As ibsim reads it: no LIDs yet, and HDR, since it doesn't know NDR."""
    text = built.ibnetdiscover(radix=64)
    text = re.sub(r'# lid \d+ lmc \d+ ("[^"]*") lid \d+ \w+', r"# \1 lid 0 4xHDR", text)
    return re.sub(r"lid \d+ 4xNDR", "lid 0 4xHDR", text)


def swept(built, folder):
    """What the two tools print."""
    host = SimpleNamespace(node_guid=int(ident(str(built.links[0][0])), 16))
    with Simulator(netlist(built), folder, host=host) as simulator:
        return [
            simulator.run(*argv, timeout_s=60).output for argv in (["ibnetdiscover"], ["iblinkinfo"], ["iblinkinfo", "--line"])
        ]


def test_tools_of_a_fabric_as_planned(wanted, tmp_path):
    for text in swept(training(wanted), tmp_path):
        found = audit(wanted, read_fabric([("tool.txt", text.encode())]), speeds=False)
        assert found.findings == (), text[:400]
        assert found.totals.links_correct == 512


def test_tools_of_a_fabric_with_faults(wanted, tmp_path):
    """A pulled uplink, swapped rails, a leaf-leaf cable: the reference's injected faults, as the tools show them."""
    built = training(wanted)
    at = {str(a): index for index, (a, _, _) in enumerate(built.links)}
    rails = [index for index, (a, _, _) in enumerate(built.links) if a.device == "t-su001-gpu07"][2:4]
    built.exchange(*rails)
    one, other = at["t-su001-leaf-r0/33"], at["t-su001-leaf-r1/34"]
    built.links.append((built.links[one][0], built.links[other][0], 400.0))
    pulled = at["t-su001-leaf-r5/50"]
    built.remove([one, other, pulled])
    for text in swept(built, tmp_path):
        found = audit(wanted, read_fabric([("tool.txt", text.encode())]), speeds=False)
        assert [one.kind for one in found.differences] == ["swapped", "tangled", "missing"]
        assert {row.a.partition("/")[0] for row in found.differences[0].found} == {"t-su001-gpu07"}
        assert found.differences[2].planned[0].a == "t-su001-leaf-r5/50"
        assert {one.switch for one in found.verdicts if one.over} == {f"t-su001-leaf-r{rail}" for rail in (0, 1, 5)}
