"""YANG modules as far as a config_db.json needs them: where tables stand, what their keys are called."""

from pathlib import Path

import pytest

from railyard.plan import plan
from railyard.plan.switch_intent import switch_intents
from railyard.read.yang import YangError, parse_yang, tables_of, to_xml
from railyard.render.switches import sonic
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N4")

MODELS = Path(__file__).resolve().parents[2] / "data" / "yang"


def models():
    return tables_of(parse_yang(path.read_text(encoding="utf-8")) for path in sorted(MODELS.glob("*.yang")))


def test_tables_and_where_they_stand():
    found = models()
    assert set(found) == {"PORT", "CABLE_LENGTH", "INTERFACE", "SWITCH_HASH"}
    port = found["PORT"]
    assert (port.module, port.container, port.namespace) == ("sonic-port", "sonic-port", "http://example.org/sonic-port")
    assert [(one.argument, one.value("key")) for one in found["INTERFACE"].table.all("list")] == [
        ("INTERFACE_LIST", "name"),
        ("INTERFACE_IPPREFIX_LIST", "name ip-prefix"),
    ]


def test_rows_find_their_list_by_the_parts_of_their_key():
    tables = {
        "INTERFACE": {"Ethernet0": {"ipv6_use_link_local_only": "enable"}, "Ethernet4|10.0.0.0/31": {}},
        "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}},
        "SWITCH_HASH": {"GLOBAL": {"ecmp_hash": ["DST_IP", "SRC_IP"]}},
        "PORT": {"Ethernet0": {"description": "a < b & c"}},
    }
    xml, strange = to_xml(tables, models())
    assert strange == []
    assert (
        "<INTERFACE_LIST><name>Ethernet0</name><ipv6_use_link_local_only>enable</ipv6_use_link_local_only></INTERFACE_LIST>"
        "<INTERFACE_IPPREFIX_LIST><name>Ethernet4</name><ip-prefix>10.0.0.0/31</ip-prefix></INTERFACE_IPPREFIX_LIST>"
    ) in xml
    assert "<CABLE_LENGTH_LIST><name>AZURE</name><CABLE_LENGTH><port>Ethernet0</port><length>40m</length></CABLE_LENGTH>" in xml
    assert "<GLOBAL><ecmp_hash>DST_IP</ecmp_hash><ecmp_hash>SRC_IP</ecmp_hash></GLOBAL>" in xml
    assert "a &lt; b &amp; c" in xml


def test_what_has_no_place_is_said():
    tables = {"PORT": {"Ethernet0|x|y": {}}, "STRANGE": {"a": {}}}
    _, strange = to_xml(tables, models())
    assert strange == [
        "PORT|Ethernet0|x|y: no list of 3 keys and no container of that name",
        "STRANGE: no model has this table",
    ]


def test_a_rendered_file_has_places_for_the_tables_that_the_models_know():
    fabric = {"transport": "roce", "switchModel": "sn5600", "linkGbps": 800, "nodesPerUnit": 4}
    tables = sonic(next(switch_intents(plan(make_site(nodes=2, fabric=fabric)), "sonic")))
    _, strange = to_xml({name: rows for name, rows in tables.items() if name in models()}, models())
    assert strange == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "module x",
        "module x {",
        "module x { leaf y }",
        "module x { } }",
        "module a { } module b { }",
        "container x { }",
        "}",
        "\u0000\ufffd",
        "module x { " + "container c { " * 100 + "} " * 100 + "}",
    ],
)
def test_what_is_no_module_is_refused(text):
    with pytest.raises(YangError):
        parse_yang(text)


def test_a_huge_text_is_refused():
    with pytest.raises(YangError, match="4,000,000"):
        parse_yang("x" * 4_000_001)


def test_comments_and_quotes():
    module = parse_yang('module x { // }\n /* } */ description "a } { \\" b" + \' c\'; container c { container T { } } }')
    assert module.value("description") == 'a } { \\" b c'
    assert list(tables_of([module])) == ["T"]
