"""Files about cables: schedule, labels, order, NetBox, and the tools' formats, each read back by a reader of its own."""

import base64
import csv
import io
import re
import zlib
from collections import Counter

import msgspec
import pytest

from railyard.plan import plan
from railyard.plan.end_labels import end_labels
from railyard.plan.fabric import links_of
from railyard.read import read_fabric
from railyard.read.cable_schedule import FILLED as READ_FILLED
from railyard.render.bom import bom_csv
from railyard.render.cable_files import cable_files
from railyard.render.cable_formats import NDT, ndt_csv, p2p_csv, ptm_dot, topo
from railyard.render.cables import COLUMNS, FILLED, cables_csv, place_of
from railyard.render.labels import PDF_LABELS_MAX, labels_csv, labels_pdf
from railyard.render.netbox import COLUMNS as NETBOX
from railyard.render.netbox import RGB, TYPES, netbox_csv
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("C5", "U4", "U8")
FABRIC = ("node-leaf", "leaf-spine", "spine-core")


@pytest.fixture(scope="module")
def planned():
    return plan(make_site(nodes=8, facility={"switchRacks": "dedicated"}))


@pytest.fixture(scope="module")
def twin():
    """Ethernet, two planes, one cable for both planes of a NIC."""
    fabric = {
        "transport": "roce",
        "switchModel": "sn5600",
        "planes": 2,
        "linksPerCable": 2,
        "nodesPerUnit": 64,
        "linkGbps": 200,
    }
    return plan(make_site(nodes=4, compute={"nodeModel": "mi300x-platform"}, fabric=fabric))


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def fabric_links(plan_):
    return {frozenset(pair) for cable in plan_.cables if cable.kind in FABRIC for pair in links_of(cable)}


def seen(name, text):
    """Links that the audit's reader finds in a text, as `device/port` pairs."""
    (observation,) = read_fabric([(name, text.encode())])
    return {frozenset((f"{link.name}/{link.port}", f"{link.far_name}/{link.far_port}")) for link in observation.links}


def test_a_row_says_everything_a_crew_needs(planned):
    row = rows(cables_csv(planned.cables, planned.cabling))[0]
    assert tuple(row) == COLUMNS
    assert (row["a_rack"], row["a_cage"], row["a_label"][-4:]) == ("R001", "P4", "P4/2")
    assert row["a_label"] == f"{row['a_rack']}-U{int(row['a_u']):02d}-P4/2"
    assert (row["part"], row["connector"], row["polarity"]) == ("mfp7e10", "mpo-12-apc", "type-b")
    assert (row["a_plug"], row["z_plug"]) == ("mma4z00-ns-flt", "mma4z00-ns")
    assert re.fullmatch(r"R\d{3}(-R\d{3})?\.[us]?c?\d+", row["bundle"])
    assert [row[name] for name in FILLED] == [""] * len(FILLED)


def test_orders_of_pulling_are_each_number_once(planned):
    orders = [int(row["pull_order"]) for row in rows(cables_csv(planned.cables, planned.cabling))]
    assert len(set(orders)) == len(orders) == len(planned.cables)


def test_a_place_is_read_off_a_label():
    assert place_of("R004-U12-P3/2") == ("R004", "12", "P3")
    assert place_of("R1004-U02-P8") == ("R1004", "2", "P8")
    assert place_of("R004-U12-BMC") == ("R004", "12", "BMC")
    assert place_of("R100-PDU-A1") == ("R100", "", "PDU-A1")
    assert place_of("R100-UPS-1") == ("R100", "", "UPS-1")
    assert place_of("no label") == place_of("") == place_of("a-b-c") == place_of("RACK-U12-P1") == ("", "", "")


def test_the_schedule_is_what_the_audit_reads(planned):
    assert seen("cables.csv", cables_csv(planned.cables, planned.cabling)) == {
        frozenset(pair) for cable in planned.cables for pair in links_of(cable)
    }


def test_a_cable_of_two_links_names_both(twin):
    cables = [cable for cable in twin.cables if cable.kind == "node-leaf"]
    assert all(cable.a_second and cable.z_second for cable in cables)
    row = rows(cables_csv(cables, twin.cabling))[0]
    assert (row["a_second"], row["z_second"]) == (cables[0].a_second, cables[0].z_second)
    assert seen("cables.csv", cables_csv(cables, twin.cabling)) == {frozenset(pair) for c in cables for pair in links_of(c)}


def test_filled_columns_are_written_where_they_were(planned):
    assert FILLED == READ_FILLED
    some = planned.cables[3].id
    filled = {some: {"serial": "MT2301X", "test_result": "pass", "remark": "=HYPERLINK"}}
    by_id = {row["id"]: row for row in rows(cables_csv(planned.cables, planned.cabling, filled))}
    assert (by_id[some]["serial"], by_id[some]["test_result"], by_id[some]["remark"]) == ("MT2301X", "pass", "'=HYPERLINK")
    assert {row["serial"] for name, row in by_id.items() if name != some} == {""}


def test_two_labels_for_each_cable_and_four_for_a_cable_of_two_links(planned, twin):
    labels = list(end_labels(planned.cables, planned.racks, planned.cabling.ports_per_cage))
    assert len(labels) == 2 * len(planned.cables)
    first, second = labels[:2]
    assert (first.here, first.there, first.end) == (planned.cables[0].a_label, planned.cables[0].z_label, "A")
    assert (second.here, second.there, second.end) == (first.there, first.here, "Z")
    cable = next(cable for cable in twin.cables if cable.a_second)
    four = list(end_labels([cable], twin.racks, twin.cabling.ports_per_cage))
    assert [label.end for label in four] == ["A", "Z", "A2", "Z2"]
    assert four[3].port == cable.z_second
    assert re.fullmatch(r"R\d{3}-U\d{2}-P\d+(/\d)?", four[3].here), "the second leaf's rack and cage"
    assert four[2].there == four[3].here


def test_labels_csv_is_a_row_for_each_label(planned):
    labels = list(end_labels(planned.cables, planned.racks, planned.cabling.ports_per_cage))
    found = rows(labels_csv(labels))
    assert [row["here"] for row in found] == [label.here for label in labels]
    assert Counter(row["end"] for row in found) == {"A": len(planned.cables), "Z": len(planned.cables)}


def test_labels_pdf_has_36_to_a_page_and_the_same_bytes_each_time(planned):
    labels = list(end_labels(planned.cables, planned.racks, planned.cabling.ports_per_cage))
    pdf = labels_pdf(labels, "Cables of t")
    assert pdf == labels_pdf(labels, "Cables of t")
    assert pdf.startswith(b"%PDF-")
    assert pdf.count(b"/Type /Page\n") == -(-len(labels) // 36)
    assert not re.search(rb"20[2-9]\d[01]\d[0-3]\d", pdf), "no date of today"


def test_labels_pdf_says_what_the_csv_says(planned):
    """Read back out of the compressed pages: every label's own name, once for each label; brackets and umlauts escaped."""
    labels = list(end_labels(planned.cables, planned.racks, planned.cabling.ports_per_cage))
    odd = msgspec.structs.replace(labels[0], here="R001 (a)\\\xe9\u20ac\u4e2d")
    streams = re.findall(rb"stream\n(.*?)endstream", labels_pdf([odd, *labels], "t"), re.DOTALL)
    pages = [zlib.decompress(base64.a85decode(stream.strip().removesuffix(b"~>"))).decode() for stream in streams]
    said = Counter(re.findall(r"\(([^()]*)\) Tj", "".join(pages)))
    wanted = Counter(label.here for label in labels)
    assert {name: said[name] for name in wanted} == wanted
    assert {name: said[f"to {name}"] for name in wanted} == Counter(label.there for label in [odd, *labels])
    assert r"(R001 \(a\)\\\351\200?) Tj" in pages[0]


def test_labels_pdf_of_a_hostile_name_of_none_and_of_too_many():
    label = next(iter(end_labels(plan(make_site(nodes=1)).cables, (), 1)))
    hostile = msgspec.structs.replace(label, here="R001-U01-\u4e2d\u6587(()\\" + "x" * 300, cable="\x00" * 3)
    assert labels_pdf([hostile], "\u4e2d").startswith(b"%PDF-")
    assert labels_pdf([], "none").count(b"/Type /Page\n") == 1
    many = [label] * (PDF_LABELS_MAX + 1)
    assert labels_pdf(many, "many").count(b"/Type /Page\n") == PDF_LABELS_MAX // 36 + 1


def test_the_order_adds_up_and_hides_no_unknown_price(planned):
    found = rows(bom_csv(planned.cabling))
    lines = [row for row in found if row["item"] != "total"]
    assert len(lines) == len(planned.cabling.bom)
    assert all(int(row["order"]) == int(row["count"]) + int(row["spares"]) for row in found)
    totals = {row["sku"]: row for row in found if row["item"] == "total"}
    assert set(totals) == {"cable", "optic"}
    for item, total in totals.items():
        assert int(total["order"]) == sum(int(row["order"]) for row in lines if row["item"] == item)
        assert total["price_usd"] == "", "no price is known, so no total is"


def test_a_total_of_known_prices_is_their_sum(planned):
    priced = [line.model_copy(update={"unit_price_usd": 10.0}) for line in planned.cabling.bom]
    some = planned.cabling.model_copy(update={"bom": tuple(priced)})
    found = rows(bom_csv(some))
    for total in (row for row in found if row["item"] == "total"):
        assert float(total["price_usd"]) == 10 * int(total["order"])


def test_netbox_gets_exactly_its_columns_and_values(planned):
    found = rows(netbox_csv("t", planned.cables))
    assert tuple(found[0]) == NETBOX
    assert len(NETBOX) == 23
    assert {row["side_a_type"] for row in found} == {row["side_b_type"] for row in found} == {"dcim.interface"}
    assert {row["type"] for row in found} <= set(TYPES.values())
    assert all(row["side_a_name"] and row["side_b_name"] and row["side_a_device"] and row["side_b_device"] for row in found)
    assert {row["length_unit"] for row in found} == {"m"}
    assert {row["color"] for row in found} <= set(RGB.values()), "each colour has its code"
    ends = {frozenset((f"{r['side_a_device']}/{r['side_a_name']}", f"{r['side_b_device']}/{r['side_b_name']}")) for r in found}
    assert ends == {frozenset(pair) for cable in planned.cables for pair in links_of(cable)}


def test_netbox_is_read_back_by_the_audit_once_the_cables_are_connected(planned):
    text = netbox_csv("t", planned.cables).replace(",planned,", ",connected,")
    assert seen("netbox.csv", text) == {frozenset(pair) for cable in planned.cables for pair in links_of(cable)}


def test_a_cable_of_two_links_is_two_rows_in_netbox(twin):
    cables = [cable for cable in twin.cables if cable.kind == "node-leaf"]
    assert len(rows(netbox_csv("t", cables))) == 2 * len(cables)


def test_topo_is_read_back_link_by_link(planned):
    models = {switch.name: switch.model for switch in planned.switches}
    text = topo(planned.cables, models)
    assert text.splitlines()[0].startswith("MQM9700 t-")
    assert seen("plan.topo", text) == fabric_links(planned)


def test_topo_names_switch_links_in_both_blocks(planned):
    models = {switch.name: switch.model for switch in planned.switches}
    text = topo([cable for cable in planned.cables if cable.kind == "leaf-spine"], models)
    assert sum("->" in line for line in text.splitlines()) == 2 * planned.fabric.leaf_spine_cables
    assert "  P33 -4x-100G-> MQM9700 t-spine001 P1" in text.splitlines()


def test_p2p_is_read_back_link_by_link(planned):
    text = p2p_csv(planned.cables)
    assert text.splitlines()[0] == "Rack,U,Name,HCA/Port,Rack,U,Name,Port"
    assert seen("p2p.csv", text) == fabric_links(planned)
    first = text.splitlines()[1].split(",")
    assert [cell[0] for cell in (first[0], first[4])] == ["R", "R"]


def test_ndt_has_a_row_for_each_link_with_ports_as_ufm_spells_them(planned):
    """The brief form of UFM's NDT plugin: no tool here reads it, so this reader is strict."""
    models = {switch.name: switch.model for switch in planned.switches}
    found = list(csv.reader(io.StringIO(ndt_csv(planned.cables, models))))
    assert tuple(found[0]) == NDT
    links = set()
    for a_device, a_port, z_device, z_port, kind in found[1:]:
        assert kind == "Data"
        assert re.fullmatch(r"Port \d+", z_port)
        assert re.fullmatch(r"Port \d+" if a_device in models else r"Port 1", a_port)
        a = f"{a_device}/{a_port.removeprefix('Port ')}" if a_device in models else a_device.replace(" ", "/")
        links.add(frozenset((a, f"{z_device}/{z_port.removeprefix('Port ')}")))
    assert links == fabric_links(planned)


def test_ptm_s_dot_is_read_back_link_by_link(twin):
    text = ptm_dot(twin.cables)
    assert text.startswith('graph G {\n  hostnametype="hostname";\n')
    assert seen("topology.dot", text) == fabric_links(twin)


def test_a_name_that_would_break_out_of_dot_stays_a_name():
    cable = plan(make_site(nodes=1)).cables[0]
    hostile = msgspec.structs.replace(cable, a='x" -- "y\\":"z\n/p1')
    edges = [line for line in ptm_dot([hostile]).splitlines() if "--" in line]
    assert len(edges) == 1
    assert seen("topology.dot", ptm_dot([hostile]))


def test_files_by_transport_and_the_same_bytes_each_time(planned, twin):
    ib, eth = dict(cable_files(planned)), dict(cable_files(twin))
    common = {"cables.csv", "bom-cables.csv", "labels.csv", "labels.pdf", "netbox/cables.csv", "cabling/p2p.csv"}
    assert set(ib) == common | {"cabling/topology.topo", "cabling/ndt.csv"}
    assert set(eth) == common | {"cabling/topology.dot"}
    assert dict(cable_files(planned)) == ib
