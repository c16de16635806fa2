"""NetBox's files as they are found: lines and columns, quotes, units, broken text."""

from pathlib import Path

import pytest
import yaml
from ruamel.yaml import YAML

from railyard.model.netbox import End
from railyard.read import ReadError
from railyard.read.netbox import is_trap, read_as, read_netbox_files

pytestmark = pytest.mark.requirement("U5")
SAMPLES = Path(__file__).parents[2] / "data" / "netbox"
TYPE = "manufacturer: A\nmodel: B\nslug: a-b\n"
CABLES = (
    "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,length,length_unit,label\n"
    "n1,dcim.interface,eth0,sw1,dcim.interface,swp1,10,ft,c1\n"
)


def read(name, text):
    return read_netbox_files([(name, text.encode() if isinstance(text, str) else text)])[0]


def problems(name, text):
    with pytest.raises(ReadError) as caught:
        read(name, text)
    return caught.value.problems


def sample(name):
    return read(name, (SAMPLES / name).read_bytes()).device_types[0]


def test_a_device_type_keeps_what_it_says_and_where():
    kind = sample("qm9700.yaml")
    assert (kind.manufacturer, kind.model, kind.slug, kind.u_height, kind.weight_kg) == (
        "Nvidia",
        "QM9700",
        "nvidia-qm9700",
        1,
        14.8,
    )
    assert kind.place("airflow") == "qm9700.yaml:7"
    assert len(kind.of("interface")) == 62
    assert kind.of("interface")[0].at == "qm9700.yaml:19"
    assert kind.part_number is None
    assert {port.maximum_draw_w for port in kind.of("power-port")} == {None}


def test_duplicates_stay_duplicates():
    assert [part.name for part in sample("dgx-a100-miscopied.yaml").of("console-port")].count("Rear VGA") == 2
    assert [bay.name for bay in sample("poweredge-xe9680.yaml").of("module-bay")].count("SXM5") == 8


def test_a_strip_has_24_outlets_named_by_text():
    """Case 45: `08` and `09` stand without quotes and stay what is written."""
    outlets = sample("pdu-vertiv-gi10022l.yaml").of("power-outlet")
    assert [outlet.name for outlet in outlets] == [f"{number:02d}" for number in range(1, 25)]
    assert [outlet.name for outlet in outlets if outlet.plain] == ["08", "09"]
    assert [outlet.name for outlet in outlets if outlet.type == "iec-60320-c19"] == ["01", "07", "13", "19"]


PLAIN = [
    "08", "09", "07", "0777", "on", "yes", "no", "y", "n", "~", "null", "true", "1:30", "0x1F", "0o17", "0b11", "1e3", "1.10",
    "1.0", "10", "-1", "+5", "2027-01-01", "P0.0", ".5", "0", "00", "Rear VGA", "swp1s0", "1e+3", ".inf", "12e03",
]  # fmt: skip


def spelled(value):
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return f"{'integer' if isinstance(value, int) else 'number'} {value}"
    return "text" if isinstance(value, str) else "a date"


@pytest.mark.parametrize("text", PLAIN)
def test_our_reading_of_plain_scalars_is_that_of_both_libraries(text):
    """PyYAML reads YAML 1.1, ruamel 1.2, beside which it has dates and `0b11` of 1.1."""
    old, new = read_as(text)
    assert old == spelled(yaml.safe_load(text))
    if old != "a date" and not text.startswith("0b"):
        assert new == spelled(YAML(typ="safe", pure=True).load(text))
    same = {str(yaml.safe_load(text)), str(YAML(typ="safe", pure=True).load(text))} == {text}
    assert is_trap(text) is (not same or old == "a date")


@pytest.mark.parametrize(("unit", "kg"), [("kg", 10.0), ("lb", 4.535924), ("g", 0.01), ("oz", 0.283495)])
def test_weights_are_converted(unit, kg):
    kind = read("t.yaml", f"{TYPE}weight: 10\nweight_unit: {unit}\n").device_types[0]
    assert kind.weight_kg == pytest.approx(kg, abs=1e-6)
    assert kind.weight_said == f"10 {unit}"


def test_a_number_without_its_unit_is_no_weight():
    (problem,) = problems("t.yaml", f"{TYPE}weight: 32.6\n")
    assert (problem.id, problem.where) == ("READ-002", "t.yaml:4:9")
    assert problem.found == "`weight` 32.6 without a unit"
    assert problems("t.yaml", f"{TYPE}weight: 14.8 kg\nweight_unit: kg\n")[0].fix.startswith("write 14.8 alone")
    assert problems("t.csv", CABLES.replace(",ft,", ",yd,"))[0].where == "t.csv:2:7"
    assert problems("t.csv", CABLES.replace(",ft,", ",,"))[0].found == "`length` 10 without a unit"


def test_cables_of_csv_yaml_and_json_are_the_same():
    made = read("cables.csv", CABLES).cables[0]
    assert made.a == End("interface", "n1", "eth0")
    assert made.length_m == pytest.approx(3.048)
    assert made.at == "cables.csv:2"
    row = (
        '"side_a_device": "n1", "side_a_type": "dcim.interface", "side_a_name": "eth0", "side_b_device": "sw1", '
        '"side_b_type": "dcim.interface", "side_b_name": "swp1", "length": 10, "length_unit": "ft", "label": "c1"'
    )
    quick = read("c.yaml", f"---\n- {{{row}}}\n").cables[0]
    block = read("c.yaml", "- " + row.replace(", ", "\n  ") + "\n").cables[0]
    as_json = read("c.json", f"[\n {{{row}}}\n]").cables[0]
    assert quick.at == "c.yaml:2"
    assert block.at == "c.yaml:1"
    assert as_json.at == "c.json:2"
    assert {(one.a, one.z, one.length_m, one.label) for one in (made, quick, block, as_json)} == {
        (made.a, made.z, made.length_m, "c1")
    }


def test_the_rest_api_is_read():
    text = """{"count": 1, "results": [
      {"id": 5, "name": "n1", "device_type": {"id": 1, "manufacturer": {"name": "NVIDIA"}, "model": "dgx-h100"},
       "role": {"name": "GPU node"}, "site": {"name": "s"}, "rack": {"name": "r1"}, "position": 3.0,
       "face": {"value": "front", "label": "Front"}, "status": {"value": "active"}, "serial": ""}]}"""
    (device,) = read("devices.json", text).devices
    assert (device.name, device.manufacturer, device.device_type, device.position) == ("n1", "NVIDIA", "dgx-h100", 3)
    assert (device.rack, device.face, device.status) == ("r1", "front", "active")
    ends = """[{"id": 1,
      "a_terminations": [{"object_type": "dcim.powerport", "object": {"name": "PSU1", "device": {"name": "n1"}}}],
      "b_terminations": [{"object_type": "dcim.poweroutlet", "object": {"name": "08", "device": {"name": "p1"}}}],
      "label": "x", "length": 2, "length_unit": {"value": "m"}}]"""
    (cord,) = read("cables.json", ends).cables
    assert (cord.a, cord.z) == (End("power-port", "n1", "PSU1"), End("power-outlet", "p1", "08"))


def test_table_export_headings_are_read():
    head = "ID,Name,Status,Site,Rack,Role,Manufacturer,Type,Position,Serial number\n"
    text = head + "7,n1,Active,s,r1,Leaf,NVIDIA,NVIDIA qm9700,40,X\n"
    (device,) = read("netbox_devices.csv", text).devices
    assert (device.device_type, device.serial, device.status, device.position) == ("qm9700", "X", "active", 40)
    (rack,) = read("netbox_racks.csv", "Name,Site,Height,Status\nr1,s,48U,Active\n").racks
    assert rack.u_height == 48


@pytest.mark.parametrize(
    "name", ["netbox_console_ports.csv", "rack-roles.csv", "device_types.csv", "inventory items.csv", "x.csv"]
)
def test_tables_of_others_are_not_taken_for_ours(name):
    """`device,name,type` is what interfaces have, and console ports, and inventory items."""
    assert problems(name, "device,name,type\nn1,con0,rj-45\n")[0].id == "READ-004"


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("netbox_interfaces.csv", "components"), ("dc1 manufacturers.csv", "manufacturers"),
        ("07-device-roles.csv", "roles"), ("Sites.csv", "sites"),
    ],
)  # fmt: skip
def test_a_files_name_tells_where_columns_do_not(name, field):
    assert len(getattr(read(name, "device,name,type,slug\nn1,a,other,b\n"), field)) == 1


def test_feeds_racks_and_reservations():
    feeds = "power_panel;name;phase;voltage;amperage;max_utilization;supply\np1;f1;Three-phase;400;32;80;AC\n"
    (feed,) = read("x.csv", feeds).feeds
    assert (feed.phase, feed.supply, feed.voltage, feed.max_utilization) == ("three-phase", "ac", 400, 80)
    (held,) = read("reservations.csv", 'site,rack,units,description\ns,r1,"1,2,40-42",why\n').reservations
    assert held.units == (1, 2, 40, 41, 42)
    (kind,) = read(
        "r.yaml", f"{TYPE}u_height: 48\nouter_width: 23.622\nouter_unit: in\nmax_weight: 3000\nweight_unit: lb\n"
    ).rack_types
    assert kind.outer_width_mm == pytest.approx(600, abs=0.01)
    assert kind.max_weight_kg == pytest.approx(1360.777, abs=0.001)


@pytest.mark.parametrize(
    ("name", "text", "found", "where"),
    [
        ("t.yaml", "manufacturer: A\nmodel: [B\n", None, "t.yaml:"),
        ("t.yaml", "manufacturer: A\n\tmodel: B\n", None, "t.yaml:2"),
        ("t.yaml", TYPE + "model: C\n", "the key `model` again", "t.yaml:4:1"),
        ("t.yaml", "manufacturer: A\nmodel: B\n", "no `slug`", "t.yaml:1:1"),
        ("t.yaml", TYPE + "u_height: 1U\n", "`u_height` `1U`", "t.yaml:4:11"),
        ("t.yaml", TYPE + "u_height: [1]\n", "`u_height` that is no text", "t.yaml:4:11"),
        ("t.yaml", TYPE + "is_full_depth: maybe\n", "`is_full_depth` `maybe`", "t.yaml:4:16"),
        ("t.yaml", TYPE + "interfaces: eth0\n", "`interfaces` that is no list", "t.yaml:4:13"),
        ("t.yaml", TYPE + "interfaces:\n  - type: other\n", "a `interfaces` without a name", "t.yaml:5:5"),
        ("t.yaml", TYPE + "power-ports:\n  - name: a\n    maximum_draw: 1kW\n", "`maximum_draw` `1kW`", "t.yaml:6:19"),
        ("t.yaml", "- 1\n- 2\n", "an item that is no mapping", "t.yaml:1:3"),
        ("t.yaml", "just text\n", "a document that is no mapping", "t.yaml:1:1"),
        ("t.yaml", "a: *b\n", "alias `*b`", "t.yaml:1:4"),
        ("t.yaml", "", "an empty file", "t.yaml"),
        ("t.yaml", b"\x00\x01\x02", "bytes that are no text", "t.yaml"),
        ("t.csv", "side_a_name,side_b_name\n\"x", None, "t.csv:2"),
        ("t.csv", CABLES + "a,b\n", "2 cells", "t.csv:3:1"),
        ("t.csv", CABLES.replace("label", "length_unit"), "column `length_unit` again", "t.csv:1:9"),
        ("t.csv", CABLES.replace("swp1", ""), "no `side_b_name`", "t.csv:2:6"),
        ("t.csv", CABLES.replace("n1,", ",", 1), "no `side_a_device`", "t.csv:2:1"),
        ("t.csv", "colour,shape\nred,round\n", "columns colour, shape", "t.csv:1"),
        ("t.json", "[{\"name\": ", None, "t.json:1"),
        ("t.json", "[" * 100_000, "nested too deeply", "t.json"),
        ("reservations.csv", "site,rack,units\ns,r1,7-3\n", "`units` `7-3`", "reservations.csv:2:3"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_with_its_place(name, text, found, where):
    first = problems(name, text)[0]
    assert first.where.startswith(where)
    if found is not None:
        assert first.found == found


def test_all_problems_of_all_files_at_once():
    with pytest.raises(ReadError) as caught:
        read_netbox_files([("a.yaml", b"x: [\n"), ("b.csv", b"colour,shape\n1,2\n"), ("c.yaml", TYPE.encode())])
    assert {problem.where.partition(":")[0] for problem in caught.value.problems} == {"a.yaml", "b.csv"}


def test_a_yaml_bomb_ends_early():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert problems("bomb.yaml", "\n".join(lines))[0].found == "more values than a hall has"
    assert problems("deep.yaml", "a: " + "[" * 40 + "]" * 40)[0].found == "more values than a hall has"
    assert problems("big.yaml", "a: " + "x" * 9_000_000)[0].id == "READ-001"


def test_unicode_crlf_and_byte_order_marks():
    kind = read(
        "t.yaml", ("\ufeff" + TYPE.replace("B", "Bé 機") + "comments: 'x\U0001f525'\n").replace("\n", "\r\n")
    ).device_types[0]
    assert kind.model == "Bé 機"
    assert kind.comments == "x\U0001f525"
    row = read("cables.csv", CABLES.replace("n1", "nœud\u2028x")).cables[0]
    assert row.a.parent == "nœud\u2028x"


def test_unread_keys_are_named():
    _, unread = read_netbox_files([("t.yaml", f"{TYPE}colour: red\n".encode())])
    assert unread == (("t.yaml:4", "colour"),)


def test_a_folder_without_anything_says_so():
    with pytest.raises(ReadError, match="no NetBox object"):
        read_netbox_files([])
