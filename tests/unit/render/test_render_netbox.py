"""Files for NetBox: documented columns only, the same to readers of YAML 1.1 and 1.2, in the order of import."""

import csv
import io
import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from railyard import catalog
from railyard.plan import plan
from railyard.plan.netbox import netbox_of
from railyard.read.netbox import read_netbox_files
from railyard.render.netbox import netbox_files
from railyard.render.netbox.catalogue_rows import catalogue_rows
from railyard.render.netbox.columns import DOCUMENTED, OLDER, TEMPLATES, WRITTEN
from railyard.render.netbox.yaml_text import block, scalar, table
from railyard.rules.netbox import check_import
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("U4", "U5")
STRIPS = {"feeds": [{"name": name, "pduModel": "raritan-px3-5730-v2", "pdusPerRack": 2} for name in "ab"], "nodesPerRack": 2}


@pytest.fixture(scope="module")
def files():
    config = make_site(nodes=3, facility=STRIPS)
    return {path: content.decode() for path, content in netbox_files(netbox_of(config, plan(config))).items()}


def name_of(path):
    """`06-racks.csv` -> `racks`."""
    return re.sub(r"^\d\d-", "", path.rpartition("/")[2]).rpartition(".")[0]


def test_every_column_is_one_of_netboxs(files):
    """NetBox runs nowhere here: what it documents is all that can be compared with."""
    tables = [path for path in files if path.endswith(".csv")]
    assert len(tables) == 14
    for path in tables:
        name = name_of(path)
        header = next(csv.reader(io.StringIO(files[path])))
        assert tuple(header) == WRITTEN[name], path
        assert set(header) <= set(DOCUMENTED["cables" if name == "power-cables" else name]), path


def test_every_key_of_a_device_type_is_one_of_netboxs(files):
    types = [yaml.safe_load(text) for path, text in files.items() if "device-types/" in path]
    assert len(types) == 6
    for kind in types:
        lists = {key: value for key, value in kind.items() if isinstance(value, list)}
        assert set(kind) - set(lists) <= set(DOCUMENTED["device-types"])
        for key, items in lists.items():
            assert {field for item in items for field in item} <= set(TEMPLATES[key])


def test_written_columns_are_documented_and_the_newer_ones_are_named():
    for name, columns in WRITTEN.items():
        assert set(columns) <= set(DOCUMENTED["cables" if name == "power-cables" else name])
    for name, columns in OLDER.items():
        assert set(columns) <= set(WRITTEN[name])


def test_numbers_are_the_order_of_import(files):
    """A table comes after all tables that its rows refer to; panels before feeds, feeds before cables."""
    at = {name_of(path) if "device-types/" not in path else "device-types": path[:2] for path in files if path[0].isdigit()}
    refers = {
        "device-types": ("manufacturers",), "locations": ("sites",), "racks": ("sites", "locations"),
        "rack-reservations": ("racks",), "devices": ("racks", "device-types", "device-roles"), "power-panels": ("sites",),
        "power-feeds": ("power-panels", "racks"), "power-cables": ("power-feeds", "devices"), "cables": ("devices",),
    }  # fmt: skip
    for name, needs in refers.items():
        assert all(at[need] < at[name] for need in needs), name


def test_csv_and_yaml_are_the_same_rows(files):
    for path in [path for path in files if path.endswith(".csv") and path[0].isdigit()]:
        rows = list(csv.DictReader(io.StringIO(files[path])))
        listed = yaml.load(files[path.replace(".csv", ".yaml")], yaml.CSafeLoader)  # the safe one, in C
        made = [{key: _cell(row.get(key)) for key in WRITTEN[name_of(path)]} for row in listed]
        assert made == rows, path


def _cell(value):
    return (
        ""
        if value is None
        else str(value).lower()
        if isinstance(value, bool)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def both(text):
    """What PyYAML (YAML 1.1, as NetBox has it) and ruamel (YAML 1.2) make of a text."""
    return yaml.safe_load(text), YAML(typ="safe", pure=True).load(text)


def test_both_yaml_versions_read_the_same(files):
    for path, text in files.items():
        if path.endswith(".yaml"):
            # Rows of a table are alike, and ruamel reads a thousand lines in a second: the first of each will do.
            old, new = both("".join(text.splitlines(keepends=True)[:40]) if "device-types/" not in path else text)
            assert old == new, path
            assert old


def test_outlet_names_are_texts_to_both(files):
    text = files["02-device-types/raritan-px3-5730-v2.yaml"]
    for kind in both(text):
        assert sorted(outlet["name"] for outlet in kind["power-outlets"]) == sorted(str(number) for number in range(1, 37))
        assert {outlet["feed_leg"] for outlet in kind["power-outlets"]} == {"A", "B", "C"}


@given(st.text(max_size=30).filter(lambda text: not any(0xD800 <= ord(one) <= 0xDFFF for one in text)))
def test_any_text_comes_back_from_both(text):
    row = {"name": text, "x": 1}
    old, new = both(table([row]))
    assert old == new == [{"name": text, "x": 1} if text else {"x": 1}]
    old, new = both(block({"model": text}, {}))
    assert old == new == {"model": text}


@given(
    st.one_of(st.booleans(), st.integers(-(10**9), 10**9), st.floats(-1e6, 1e6).map(lambda value: round(value, 6)), st.none())
)
def test_any_value_comes_back_from_both(value):
    old, new = both(f"x: {scalar(value)}")
    assert type(old["x"]) is type(new["x"])
    assert old == new == {"x": pytest.approx(value) if isinstance(value, float) else value}


@pytest.mark.parametrize(
    "text", ["08", "on", "1e3", "null", "12:30", "=", "2027-01-01", "- x", "a: b", "#", "\u2028", "\U0001f525", "\x85"]
)
def test_traps_come_back_as_texts(text):
    old, new = both(table([{"name": text}]))
    assert old == new == [{"name": text}]


def test_cells_are_no_formulas(files):
    for path, text in files.items():
        if path.endswith(".csv"):
            assert not [cell for row in csv.reader(io.StringIO(text)) for cell in row if cell.startswith(("=", "+", "@"))], path


def test_the_readme_lists_the_order(files):
    steps = re.findall(r"^\d+\. `(.+)`$", files["README.md"], re.M)
    assert steps == sorted({path.partition("/")[0].partition(".")[0] for path in files if path[0].isdigit()})
    assert "no NetBox has read these files" in files["README.md"]


def test_the_same_plan_gives_the_same_bytes(files):
    config = make_site(nodes=3, facility=STRIPS)
    again = netbox_files(netbox_of(config, plan(config)))
    assert {path: content.decode() for path, content in again.items()} == files


ROW = """manufacturer: Acme
model: Box 9
slug: acme-box-9
u_height: 2
weight: 20
weight_unit: lb
power-ports:
  - {name: P1, type: iec-60320-c20, maximum_draw: 3000}
  - {name: P2, type: iec-60320-c20, maximum_draw: 3000}
"""
RACK = """manufacturer: Acme
model: R48
slug: acme-r48
u_height: 48
outer_width: 600
outer_depth: 1200
outer_unit: mm
max_weight: 1600
weight_unit: kg
"""


def rows_of(*texts):
    data, unread = read_netbox_files([(f"{number}.yaml", text.encode()) for number, text in enumerate(texts)])
    types, _ = check_import(data, catalog.load(), unread)
    return catalogue_rows(types, data.rack_types)


def test_catalogue_rows_hold_what_the_file_says_and_nothing_else():
    text = rows_of(ROW)
    (row,) = YAML(typ="safe", pure=True).load(text)["unplaced"].values()
    sources = row.pop("sources")
    assert row == {"title": "Acme Box 9", "uHeight": 2, "weightKg": 9.071847, "psus": 2, "psuKw": 3.0, "inlet": "c20"}
    assert sources["NetBox device type library: 0.yaml:5"] == ["weightKg"]
    assert {fact for facts in sources.values() for fact in facts} == set(row) - {"title"}


def test_a_complete_row_is_one_of_the_catalogue():
    text = rows_of(RACK)
    rows = YAML(typ="safe", pure=True).load(text)["racks"]
    made = type(catalog.load().racks["rack-48u-1200"]).model_validate({"name": "acme-r48", **rows["acme-r48"]})
    assert (made.u_height, made.weight_limit_kg, made.width_m, made.depth_m) == (48, 1600, 0.6, 1.2)
    assert "still needed" not in text


def test_what_a_row_still_needs_is_said():
    strip = "manufacturer: Acme\nmodel: S\nslug: acme-s\nu_height: 0\npower-outlets:\n  - {name: '1'}\n"
    text = rows_of(strip)
    assert "# still needed: breakerA, phases, voltageReference, volts" in text
    assert "  acme-s:\n" in text.partition("pdus:")[2]
