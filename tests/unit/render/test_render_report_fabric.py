"""The fabric's sections of the report: every number is the plan's, and every link leads to a file."""

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from railyard import load
from railyard.plan import plan, to_json
from railyard.plan.growth import work_order
from railyard.plan.pulls import pull_order
from railyard.render import artefacts
from railyard.render.coverage import FORMATS
from railyard.render.report import report_html
from railyard.render.report_fabric import WORK_MAX, bundles, cable_sums, file_kinds, lossless_facts, network_notes
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("U4")
ROOT = Path(__file__).resolve().parents[3]
# Files that every site has and no other software reads.
OURS = (
    r"(report\.html|plan\.json|findings\.json|(topology|hall)\.svg|racks/[^/]+\.svg"
    r"|hosts/su\d+\.json|hosts/[^/]+/README\.md)"
)


class Section(HTMLParser):
    """Text of one section's cells, row by row, and its links."""

    def __init__(self, page, name):
        super().__init__()
        self.rows, self.links, self._cell = [], [], False
        self.feed(page.partition(f'<section id="{name}">')[2].partition("</section>")[0])

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        if tag == "td" and self.rows:
            self.rows[-1].append("")
        self._cell = tag == "td" or (self._cell and tag not in ("th", "tr"))
        if tag == "a":
            self.links.append(dict(attrs)["href"])

    def handle_endtag(self, tag):
        self._cell = self._cell and tag != "td"

    def handle_data(self, data):
        if self._cell and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def example(stack):
    return plan(load.site_config(ROOT, stack))


@pytest.fixture(scope="module")
def infiniband():
    return example("prod-site-a")


@pytest.fixture(scope="module")
def routed():
    return example("lab-roce")


@pytest.mark.requirement("N2")
def test_each_tier_of_each_other_network_is_a_row(infiniband):
    rows = [row for row in Section(report_html(infiniband, []), "networks").rows if row]
    tiers = [tier for network in infiniband.networks for tier in network.layers]
    assert [(row[1], row[3], row[4], row[5]) for row in rows] == [
        tuple(str(number) for number in (tier.switches, tier.ports, tier.used, tier.free)) for tier in tiers
    ]
    assert len(tiers) > 4
    notes = " ".join(network_notes(infiniband.networks[0]))
    assert "node side : server side = 32:1 (25,600 : 800 GB/s)" in notes


@pytest.mark.requirement("C5")
def test_the_order_has_every_line_with_spares(infiniband):
    rows = [row for row in Section(report_html(infiniband, []), "cables").rows if row and row[0] in ("cable", "optic")]
    assert [row[4:7] for row in rows] == [
        [f"{number:,}" for number in (line.count, line.spares, line.total)] for line in infiniband.cabling.bom
    ]


@pytest.mark.requirement("C5")
def test_cables_in_sum(infiniband):
    sums = cable_sums(infiniband.cables)
    assert sum(row.count for row in sums) == len(infiniband.cables)
    assert all(sum(count for _, count in row.lengths) == row.count for row in sums)
    pulled = {pull.bundle for pull in pull_order(infiniband.cables, 24)} - {""}
    found = bundles(infiniband.cables, 24)
    assert (found.bundles, found.pairs) == (len(pulled), len({c.bundle for c in infiniband.cables} - {""}))
    assert found.largest <= 24
    assert bundles([], 24).largest == 0


@pytest.mark.requirement("N1")
def test_the_lossless_contract_is_the_plan_s(routed):
    facts = dict(lossless_facts(routed.routing))
    contract = routed.routing.lossless
    assert facts["RoCE"] == f"DSCP {contract.dscp} → priority {contract.priority} (NCCL traffic class {4 * contract.dscp})"
    assert facts["ECN marking"].startswith(f"{contract.kmin_bytes:,} to {contract.kmax_bytes:,} bytes")
    assert facts["ECMP width of a leaf"] == str(routed.routing.uplinks)
    text = unescape(report_html(routed, []))
    assert all(value in text for value in facts.values())
    assert f"{routed.routing.headroom[0].xoff_bytes:,}" in text
    assert routed.routing.headroom_source in text


def test_a_fabric_has_the_sections_of_its_transport_only(infiniband, routed):
    assert "InfiniBand subnets" in report_html(infiniband, [])
    assert "Lossless Ethernet" not in report_html(infiniband, [])
    assert "InfiniBand subnets" not in report_html(routed, [])


@pytest.mark.parametrize("stack", ["lab", "lab-roce"])
def test_every_file_is_told_and_every_link_leads_to_one(stack):
    """A new kind of file without its line in render/coverage.py fails here."""
    made = example(stack)
    files = artefacts(made, [])
    section = Section(files["report.html"].decode(), "files")
    assert len(section.links) > 12
    assert {unquote(link) for link in section.links} <= files.keys()
    told = sum(int(row[1].replace(",", "")) for row in section.rows if row)
    assert told + len([name for name in files if re.fullmatch(OURS, name)]) == len(files)


def test_proved_and_unproved_files():
    kinds = {kind.name: kind for kind in file_kinds(["labels.pdf", "cables.csv", "hosts/a b/qos.sh", "who/knows"])}
    assert {name: kind.proved for name, kind in kinds.items()} == {
        "cables.csv": True, "hosts/*/qos.sh": False, "labels.pdf": False,
    }  # fmt: skip
    assert kinds["hosts/*/qos.sh"].href == "hosts/a%20b/qos.sh"
    assert not file_kinds(["deeper/hosts/a/qos.sh", "hosts/a/b/qos.sh"])
    assert file_kinds([]) == []
    every = file_kinds([kind.name for kind in FORMATS if "*" not in kind.name])
    assert [kind.proved for kind in every] == sorted((kind.proved for kind in every), reverse=True), "unproved ones last"


def test_a_page_of_its_own_links_to_no_files_section():
    assert "This page was made alone" in report_html(example("lab"), [])


@pytest.mark.requirement("C4")
def test_the_work_order_is_shown_where_there_is_one():
    old, new = plan(make_site(4)), plan(make_site(4, fabric={"scalableUnits": 3, "plannedScalableUnits": 3}))
    order = work_order(to_json(old), to_json(new))
    assert len(order) > WORK_MAX
    page = report_html(new, [], work=order)
    assert len(re.findall(r'data-step="', page)) == WORK_MAX
    assert f"{len(order) - WORK_MAX:,} more steps" in page
    assert 'href="work-order.csv"' in page
    assert "Work order" not in report_html(new, [])


def test_hostile_names_stay_text(infiniband):
    from dataclasses import replace

    evil = '</script><img src=x onerror="alert(1)">'
    network = infiniband.networks[0].model_copy(update={"name": evil, "switch_model": evil})
    page = report_html(replace(infiniband, networks=(network,)), [], [f"switches/frr/{evil}/frr.conf"])
    assert "<img" not in page
    assert page.count("</script>") == 2
