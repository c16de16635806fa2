"""The cable table's columns: what the page's script unpacks is every cable of the plan."""

import base64
import json
import zlib

import msgspec
import pytest

from railyard.model.plan import Cable
from railyard.plan import plan
from railyard.plan.pulls import pull_order
from railyard.render.cable_columns import COLUMNS, packed, unpacked
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("U4", "C5")


def label(row, end):
    return "-".join(part for part in (row[f"{end}Rack"], row[f"{end}Place"]) if part)


def test_every_cable_comes_back_with_both_ends():
    made = plan(make_site(8, fabric={"scalableUnits": 2, "planes": 2}))
    pulls = pull_order(made.cables, made.cabling.bundle_cables)
    rows = unpacked(packed(made.cables, made.cabling.bundle_cables))
    assert len(rows) == len(made.cables) > 500
    for row, cable, pull in zip(rows, made.cables, pulls, strict=True):
        assert (row["id"], row["kind"]) == (cable.id, cable.kind)
        assert f"{row['aDevice']}/{row['aPort']}" == cable.a
        assert f"{row['zDevice']}/{row['zPort']}" == cable.z
        assert (label(row, "a"), label(row, "z")) == (cable.a_label, cable.z_label)
        assert (row["rail"], row["plane"]) == tuple("" if n is None else str(n) for n in (cable.rail, cable.plane))
        assert (float(row["length"]), float(row["speed"])) == (cable.length_m, cable.link_gbps)
        assert (row["medium"], row["sku"], row["color"]) == (cable.medium, cable.sku, cable.color)
        assert (row["bundle"], int(row["order"])) == (pull.bundle, pull.order)


def cable(**changes):
    first = Cable("a:1", "node-leaf", "a/1", "b/2", "R001-U02-P3", "R001-PDU-A1", 400.0, 1.5, "dac")
    return msgspec.structs.replace(first, **changes)


def test_second_ends_on_the_same_device_and_on_another():
    rows = unpacked(packed([cable(a_second="a/3", z_second="c/4"), cable()], 24))
    assert [(row["aSecond"], row["zSecond"]) for row in rows] == [("a/3", "c/4"), ("", "")]


def test_names_that_nobody_expects():
    evil = [
        cable(
            id="</script><script>alert(1)</script>", color='"\\u2028', medium="Kupfer für 7 m", a_label="", z_label="no rack"
        ),
        cable(id="", a="", z="/", bundle=""),
    ]
    text = packed(evil, 24)
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
    rows = unpacked(text)
    assert (rows[0]["id"], rows[0]["color"], rows[0]["medium"]) == (evil[0].id, evil[0].color, evil[0].medium)
    assert (label(rows[0], "a"), label(rows[0], "z")) == ("", "no rack")


def test_no_cables_are_no_rows():
    assert unpacked(packed([], 24)) == []


def test_the_same_cables_give_the_same_text():
    cables = plan(make_site()).cables
    assert packed(cables, 24) == packed(list(cables), 24)


def body(**changes):
    good = {"rows": 1, "columns": {name: {"values": ["x"], "codes": [0]} for name in COLUMNS}}
    return base64.b64encode(zlib.compress(json.dumps(good | changes).encode(), wbits=-15)).decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "%%%",
        base64.b64encode(b"not deflated").decode(),
        packed([cable()], 24)[:-8],
        body(columns={}),
        body(rows=2),
        body(columns={name: {"values": ["x"], "codes": [-1]} for name in COLUMNS}),
        body(columns={name: {"values": ["x"], "codes": [7]} for name in COLUMNS}),
        body(columns={name: [] for name in COLUMNS}),
    ],
)
def test_what_is_no_table_is_an_error(text):
    with pytest.raises(ValueError, match=r"not a packed cable table|different lengths|below 0"):
        unpacked(text)


def test_a_readable_table_is_read():
    assert unpacked(body())[0]["kind"] == "x"
