"""NetBox's tables against themselves, and what a feed carries: NETBOX-020 to -025."""

import pytest

from railyard.model.netbox import (
    Component,
    Cord,
    Device,
    DeviceType,
    End,
    Feed,
    Group,
    NetBoxData,
    Panel,
    Rack,
    Reservation,
)
from railyard.rules.netbox.power import Utilisation, check_feeds, check_loads, feed_va, utilisations
from railyard.rules.netbox.site import check_site_tables

pytestmark = pytest.mark.requirement("U5", "C3")


def supply(name="PSU1", **draws):
    return Component(kind="power-port", name=name, **draws)


def powered(count, feed, inlet, **draws):
    """A feed, a strip with `count` outlets whose inlet is `inlet`, and a device with one supply on each outlet."""
    outlets = tuple(Component(kind="power-outlet", name=str(number), power_port="In") for number in range(1, count + 1))
    types = (
        DeviceType("m", "strip", "m-strip", u_height=0, components=(supply("In", maximum_draw_w=inlet), *outlets)),
        DeviceType("m", "box", "m-box", u_height=1, components=(supply(**draws),)),
    )
    devices = [Device("p", device_type="strip", manufacturer="m", at="d.csv:2")]
    devices += [Device(f"n{number}", device_type="box", manufacturer="m") for number in range(1, count + 1)]
    cables = [Cord(End("power-feed", "panel", "f"), End("power-port", "p", "In"))]
    cables += [
        Cord(End("power-outlet", "p", str(number)), End("power-port", f"n{number}", "PSU1")) for number in range(1, count + 1)
    ]
    return NetBoxData(device_types=types, devices=tuple(devices), panels=(Panel("panel"),), feeds=(feed,), cables=tuple(cables))


def feed(**values):
    return Feed("f", "panel", supply="ac", at="f.csv:2", **values)


def test_case_8_the_inlets_maximum_hides_nothing():
    """13 A 240 V feed, inlet 10 A = 2400, 8 x 100 VA: 800 of min(3120, 2400) = 33.3 %."""
    data = powered(8, feed(phase="single-phase", voltage=240, amperage=13, max_utilization=100), 2400, allocated_draw_w=100)
    ((_, load),) = utilisations(data)
    assert (load.used_va, load.available_va) == (800, 2400)
    assert load.percent == pytest.approx(100 / 3)
    assert list(check_loads(data)) == []


def test_case_8_the_feed_limits_where_the_inlet_has_no_maximum():
    data = powered(8, feed(phase="single-phase", voltage=240, amperage=13, max_utilization=100), None, allocated_draw_w=100)
    ((_, load),) = utilisations(data)
    assert load.available_va == 3120


@pytest.mark.parametrize(("load", "percent", "over"), [(400, 27.7777777, False), (1152.6, 80.0416666, True), (1152, 80, False)])
def test_case_9_compared_before_rounding(load, percent, over):
    """120 V 15 A 80 %: 400 of 1440 is 27.78 %, not 28.0; 1152.6 is 80.04 % and over 80, although it rounds to 80."""
    data = powered(1, feed(phase="single-phase", voltage=120, amperage=15, max_utilization=80), None, allocated_draw_w=load)
    ((_, found),) = utilisations(data)
    assert found.available_va == 1440
    assert found.percent == pytest.approx(percent)
    assert found.over(80) is over
    assert [one.found for one in check_loads(data, 80)] == ([f"{load:g} VA = {percent:.2f} % of 1440 VA"] if over else [])


def test_three_phases_are_counted_line_to_line():
    """Case 1: 400 V line-to-line, 32 A, 80 %: 17,736 VA."""
    assert feed_va(feed(phase="three-phase", voltage=400, amperage=32, max_utilization=80)) == pytest.approx(17736.2, abs=0.1)
    assert feed_va(feed(phase="three-phase", voltage=400)) is None


def test_maximum_counts_where_nothing_is_allocated_and_silence_is_said():
    feed_of = feed(phase="single-phase", voltage=230, amperage=1, max_utilization=100)
    (found,) = check_loads(powered(1, feed_of, None, maximum_draw_w=300))
    assert found.found == "300 VA = 130.43 % of 230 VA"
    (found,) = check_loads(powered(2, feed_of, None))
    assert (found.severity, found.found) == ("undecided", "2 supplies without a draw (n2/PSU1, n1/PSU1); the others take 0 VA")


def test_a_strip_without_outlets_is_no_load():
    data = powered(0, feed(phase="single-phase", voltage=230, amperage=1, max_utilization=100), 7360)
    (found,) = check_loads(data)
    assert found.severity == "undecided"
    assert "outlets nobody knows" in found.found


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"phase": "three-phase", "voltage": 230, "amperage": 32}, "230 V on three phases: 12.75 kVA in NetBox"),
        ({"phase": "single-phase", "voltage": 400, "amperage": 32}, "400 V, single-phase"),
        ({"phase": "three-phase", "voltage": 120, "amperage": 32}, "120 V, three-phase"),
        ({"phase": "single-phase", "voltage": 0, "amperage": 32}, "0 V"),
        ({"phase": "single-phase", "voltage": 230, "amperage": 0}, "0 A"),
        ({"phase": "single-phase", "voltage": 230, "amperage": 16, "max_utilization": 180}, "max_utilization 180"),
        ({"phase": "three-phase", "voltage": 400}, "no amperage"),
        ({"voltage": 400, "amperage": 32}, "no phase"),
    ],
)
def test_voltages_that_netbox_takes_for_something_else(values, said):
    assert said in [finding.found for finding in check_feeds(NetBoxData(feeds=(feed(**values),)))]


@pytest.mark.parametrize(
    "values",
    [
        ("three-phase", 415), ("three-phase", 208), ("three-phase", 190), ("three-phase", 500), ("three-phase", 219),
        ("three-phase", 241), ("single-phase", 230), ("single-phase", 277), ("single-phase", 100),
    ],
)  # fmt: skip
def test_voltages_that_are_right(values):
    phase, volts = values
    assert list(check_feeds(NetBoxData(feeds=(feed(phase=phase, voltage=volts, amperage=32, max_utilization=80),)))) == []


@pytest.mark.parametrize("volts", [220, 240])
def test_voltages_that_are_just_line_to_neutral(volts):
    (finding,) = check_feeds(NetBoxData(feeds=(feed(phase="three-phase", voltage=volts, amperage=32),)))
    assert "kVA in NetBox" in finding.found


@pytest.mark.parametrize(("percent", "fine"), [(1, True), (100, True), (0, False), (101, False)])
def test_utilisations_that_netbox_takes(percent, fine):
    made = feed(phase="single-phase", voltage=230, amperage=16, max_utilization=percent)
    assert (list(check_feeds(NetBoxData(feeds=(made,)))) == []) is fine


def test_a_feed_of_nothing_is_infinitely_used():
    assert Utilisation("f", 100, 0).percent == float("inf")
    assert Utilisation("f", 100, 0).over()
    assert Utilisation("f", 0, 0).over() is False


def test_a_strip_that_no_table_has_is_silent():
    data = powered(1, feed(phase="single-phase", voltage=230, amperage=16, max_utilization=100), None, allocated_draw_w=100)
    lost = NetBoxData(feeds=data.feeds, cables=data.cables)
    ((_, load),) = utilisations(lost)
    assert (load.used_va, load.silent) == (0, ("p/In",))


def test_the_fix_of_a_line_to_neutral_voltage_names_the_right_one():
    (finding,) = check_feeds(NetBoxData(feeds=(feed(phase="three-phase", voltage=230, amperage=32),)))
    assert finding.fix == "enter 398 V (line-to-line) if 230 V is between line and neutral"
    assert finding.limit.endswith("398 V gives 22.08 kVA")


BOX = DeviceType("m", "box", "m-box", u_height=4, full_depth=True, components=(Component("interface", "eth0"),))
RACK = Rack("r1", u_height=42, at="r.csv:2")


def device(name, **values):
    return Device(name, device_type="box", manufacturer="m", **{"rack": "r1", "face": "front", "at": "d.csv:2", **values})


def said(**tables):
    return [(finding.id, finding.where, finding.found) for finding in check_site_tables(NetBoxData(**tables))]


def test_a_folder_without_contradictions():
    tables = {"device_types": (BOX,), "racks": (RACK,), "devices": (device("a", position=1), device("b", position=5))}
    assert said(**tables) == []


@pytest.mark.parametrize(
    ("position", "found"),
    [
        (0, "U 0 of r1"), (0.5, "U 0.5 of r1"), (-3, "U -3 of r1"), (40, "U 40 to 43 of r1"), (2.5, "U 2.5 of r1"),
    ],
)  # fmt: skip
def test_positions_that_cannot_be(position, found):
    tables = {"device_types": (BOX,), "racks": (RACK,), "devices": (device("a", position=position),)}
    assert said(**tables) == [("NETBOX-021", "a (d.csv:2)", found)]


def test_the_last_u_is_in_the_rack():
    assert said(device_types=(BOX,), racks=(RACK,), devices=(device("a", position=39),)) == []


def test_feeds_of_cables_are_in_their_table():
    table = (Feed("f1", "p1", phase="single-phase", supply="ac", voltage=230, amperage=16),)
    cable = Cord(End("power-feed", "p1", "f1"), End("power-port", "x", "In"), label="c", at="c.csv:2")
    other = Cord(End("power-feed", "p1", "f2"), End("power-port", "y", "In"), label="d", at="c.csv:3")
    found = [text for ident, _, text in said(feeds=table, cables=(cable, other)) if ident == "NETBOX-020"]
    assert found == ["power feed `p1/f2`"]


def test_overlaps_and_reservations():
    held = Reservation("r1", (8,), description="cable entry", at="v.csv:2")
    tables = {"device_types": (BOX,), "racks": (RACK,), "reservations": (held,)}
    assert said(**tables, devices=(device("a", position=1), device("b", position=4, at="d.csv:3"))) == [
        ("NETBOX-021", "b (d.csv:3)", "U 4 to 7 of r1")
    ]
    assert said(**tables, devices=(device("a", position=8),)) == [("NETBOX-021", "a (d.csv:2)", "U 8 to 11 of r1")]


def test_two_half_depth_devices_share_a_u():
    half = DeviceType("m", "box", "m-box", u_height=1, full_depth=False)
    front, rear = device("a", position=3), device("b", position=3, face="rear")
    assert said(device_types=(half,), racks=(RACK,), devices=(front, rear)) == []
    assert len(said(device_types=(half,), racks=(RACK,), devices=(front, device("c", position=3)))) == 1


def test_references_that_lead_nowhere():
    tables = {"device_types": (BOX,), "racks": (RACK,), "roles": (Group("Leaf", "leaf"),), "sites": (Group("s"),)}
    lost = device("a", position=1, rack="r9", role="Spine", site="x")
    assert {found for _, _, found in said(**tables, devices=(lost,))} == {"rack `r9`", "role `Spine`", "site `x`"}
    wire = Cord(End("interface", "a", "eth0"), End("interface", "z", "eth0"), label="c1", at="c.csv:2")
    port = Cord(End("interface", "a", "eth9"), End("interface", "b", "eth0"), label="c2", at="c.csv:3")
    found = said(**tables, devices=(device("a", position=1), device("b", position=5)), cables=(wire, port))
    assert [text for _, _, text in found] == ["device `z`", "interface `a/eth9`"]
    assert found[0][1] == "cable c1 (c.csv:2)"
    feeds = (Feed("f", "p9", rack="r9", phase="single-phase", supply="ac", voltage=230, amperage=16, at="f.csv:2"),)
    assert {text for _, _, text in said(**tables, panels=(Panel("p1"),), feeds=feeds)} == {"power_panel `p9`", "rack `r9`"}


def test_names_twice_or_too_long():
    pair = (device("Node1"), device("node1", at="d.csv:3"))
    assert said(devices=pair) == [("NETBOX-022", "Node1 (d.csv:2)", "device `Node1` 2 times: d.csv:2, d.csv:3")]
    long = said(devices=(device("n" * 65),))
    assert [text for _, _, text in long] == ["a device of 65 characters"]
    assert [text for _, _, text in said(racks=(Rack("r" * 101),))] == ["a rack of 101 characters"]
    assert said(racks=(Rack("r" * 100),)) == []


def test_a_port_with_two_cables():
    first = Cord(End("interface", "a", "eth0"), End("interface", "b", "eth0"), label="c1", at="c.csv:2")
    second = Cord(End("interface", "a", "eth0"), End("interface", "c", "eth0"), label="c2", at="c.csv:3")
    assert said(cables=(first, second)) == [("NETBOX-023", "a/eth0 (c.csv:3)", "a second cable, `c2`")]
    loop = Cord(End("interface", "a", "eth0"), End("interface", "a", "eth0"), at="c.csv:2")
    assert said(cables=(loop,)) == [("NETBOX-023", "a/eth0 (c.csv:2)", "a cable from a port to itself")]
