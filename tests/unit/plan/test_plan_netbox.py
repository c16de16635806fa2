"""A plan in NetBox's words: what is exported before any file is written."""

from dataclasses import replace

import pytest

from railyard.model.netbox import End
from railyard.plan import plan
from railyard.plan.electrical import cords_of
from railyard.plan.fabric import links_of
from railyard.plan.netbox import netbox_of
from railyard.plan.netbox.words import interface_type, maker_of, netbox_volts, port_label, slug
from railyard.rules.netbox import check_export
from railyard.rules.netbox.power import utilisations
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("U4")
STRIPS = {"feeds": [{"name": name, "pduModel": "raritan-px3-5730-v2", "pdusPerRack": 2} for name in "ab"]}


@pytest.fixture(scope="module")
def made():
    config = make_site(nodes=5, facility=STRIPS)
    planned = plan(config)
    return planned, netbox_of(config, planned)


def test_what_stands_is_a_device_and_the_rest_is_reserved(made):
    planned, data = made
    standing = [device for rack in planned.racks for device in rack.devices if device.installed]
    waiting = [device for rack in planned.racks for device in rack.devices if not device.installed]
    devices = {device.name: device for device in data.devices}
    assert {device.name for device in standing} == {name for name, one in devices.items() if one.position is not None}
    assert all(devices[one.name].position == one.u for one in standing)
    assert waiting
    held = {(one.rack, unit): one.description for one in data.reservations for unit in one.units}
    for rack in planned.racks:
        for device in rack.devices:
            if not device.installed:
                assert held[rack.name, device.u] == f"planned: {device.name}, {device.model}"


def test_every_strip_is_a_device_with_a_feed_and_a_cable(made):
    planned, data = made
    strips = [device for device in data.devices if device.position is None]
    assert len(strips) == len(planned.racks) * 4
    assert strips[0].name == "t-r001-pdu-a1"
    fed = {cord.z.parent: cord.a for cord in data.cables if cord.a.kind == "power-feed"}
    assert set(fed) == {strip.name for strip in strips}
    feeds = {(feed.panel, feed.name): feed for feed in data.feeds}
    assert {(end.parent, end.name) for end in fed.values()} == set(feeds)
    first = feeds[fed["t-r001-pdu-a1"].parent, fed["t-r001-pdu-a1"].name]
    assert (first.phase, first.voltage, first.amperage, first.max_utilization) == ("three-phase", 400, 32, 80)
    assert {feed.type for feed in data.feeds} == {"primary", "redundant"}


def test_every_cord_with_an_outlet_is_a_cable(made):
    planned, data = made
    wanted = {
        (cord.pdu, cord.outlet, cord.device, f"PSU{cord.psu}")
        for rack in planned.racks
        for cord in cords_of(planned, rack)
        if cord.outlet is not None and cord.installed
    }
    there = {(cord.a.parent, cord.a.name, cord.z.parent, cord.z.name) for cord in data.cables if cord.a.kind == "power-outlet"}
    assert there == wanted
    assert len(wanted) > 20


def test_every_cable_ends_in_a_component_of_its_devices_types(made):
    _, data = made
    kinds = {kind.model: {(part.kind, part.name) for part in kind.components} for kind in data.device_types}
    types = {device.name: device.device_type for device in data.devices}
    for cord in data.cables:
        for end in (cord.a, cord.z):
            if end.kind != "power-feed":
                assert (end.kind, end.name) in kinds[types[end.parent]], end


def test_every_link_is_a_cable_and_no_port_has_two(made):
    planned, data = made
    wires = [cord for cord in data.cables if cord.a.kind == "interface"]
    assert len(wires) == sum(1 for cable in planned.cables for _ in links_of(cable))
    ends = [end for cord in data.cables for end in (cord.a, cord.z)]
    assert len(set(ends)) == len(ends)
    # The strips of a feed share a name in the plan; here each has a port of its own.
    assert End("interface", "t-r001-pdu-a2", "net0") in set(ends)


def test_a_device_type_states_its_power_by_supply(made):
    _, data = made
    kind = next(kind for kind in data.device_types if kind.model == "dgx-h100")
    ports = kind.of("power-port")
    assert len(ports) == 6
    assert {port.maximum_draw_w for port in ports} == {3300}
    assert sum(port.allocated_draw_w for port in ports) == pytest.approx(10_200, abs=6)
    switch = next(kind for kind in data.device_types if kind.model == "qm9700")
    names = [part.name for part in switch.of("interface")]
    assert names[:2] == ["1", "2"]
    assert names[63] == "64"
    assert [part.label for part in switch.of("interface")][:3] == ["1/1", "1/2", "2/1"]
    assert {part.type for part in switch.of("interface") if part.name.isdigit()} == {"infiniband-ndr"}


def test_a_type_whose_supplies_nobody_knows_says_so_and_has_none():
    config = make_site(nodes=1)
    known = config.catalog
    node = known.nodes["dgx-h100"].model_copy(update={"psus": None, "psus_for_full": None, "psu_kw": None})
    changed = replace(config, catalog=known.model_copy(update={"nodes": {**known.nodes, node.name: node}}))
    kind = next(kind for kind in netbox_of(changed, plan(changed)).device_types if kind.model == "dgx-h100")
    assert kind.of("power-port") == ()
    assert kind.comments.startswith("nameplate 10200 W, but")


ROCE = {"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 8}
STORAGE = {"storage": {"switchModel": "sn5600", "linkGbps": 400}}


def test_a_switch_at_another_speed_is_another_type():
    config = make_site(nodes=4, fabric={**ROCE, "nos": "cumulus"})
    data = netbox_of(config, plan(config))
    kind = next(kind for kind in data.device_types if kind.model == "sn5600-400g-cumulus")
    assert len([part for part in kind.of("interface") if part.label]) == 128
    assert kind.slug == "nvidia-sn5600-400g-cumulus"


@pytest.mark.parametrize(
    ("nos", "first"),
    [("cumulus", "swp1s0"), ("frr", "swp1s0"), ("sonic", "Ethernet0"), ("eos", "Ethernet1/1")],
)
def test_each_layout_of_ports_is_a_type_of_its_own(nos, first):
    """The fabric's switches have their system's names, storage switches of the same model counted ones: never both in one."""
    config = make_site(nodes=4, fabric={**ROCE, "nos": nos}, networks=STORAGE)
    data = netbox_of(config, plan(config))
    kinds = {kind.model: [part.name for part in kind.of("interface") if part.label] for kind in data.device_types}
    types = {device.role: device.device_type for device in data.devices}
    assert types["Leaf"] == types["Spine"] == f"sn5600-400g-{nos}"
    assert types["Storage switch"] == "sn5600-400g"
    assert (len(kinds[types["Leaf"]]), kinds[types["Leaf"]][0]) == (128, first)
    assert kinds["sn5600-400g"] == [f"swp{number}" for number in range(1, 129)]
    for kind in data.device_types:
        extra = {part.name for part in kind.of("interface") if not part.label} if kind.model.startswith("sn5600") else set()
        assert extra <= {"mgmt0"}, kind.model
    comments = {kind.model: kind.comments for kind in data.device_types}
    assert comments["sn5600-400g"].startswith("ports are counted at 400 Gb/s")
    assert comments[types["Leaf"]] == ""


def test_whole_cages_have_one_name_on_cumulus_and_another_on_sonic():
    """Counted names are those of Cumulus there: one type. On SONiC they aren't."""
    for nos, leaf in (("cumulus", "sn4600c"), ("sonic", "sn4600c-sonic")):
        config = make_site(nodes=4, fabric={**ROCE, "switchModel": "sn4600c", "linkGbps": 100, "nos": nos})
        types = {device.role: device.device_type for device in netbox_of(config, plan(config)).devices}
        assert (types["Leaf"], types["In-band switch"]) == (leaf, "sn4600c")


def test_a_type_is_named_after_the_speed_of_its_links():
    """256 ports of an SN5600 are 200 or 100 Gb/s each: the links say which."""
    for gbps in (100, 200):
        config = make_site(nodes=4, fabric={**ROCE, "linkGbps": gbps, "nos": "sonic"})
        kind = next(kind for kind in netbox_of(config, plan(config)).device_types if kind.model.startswith("sn5600"))
        assert kind.model == f"sn5600-{gbps}g-sonic"
        assert {part.description for part in kind.of("interface") if part.label} == {f"{gbps} Gb/s"}


def test_what_is_planned_for_later_makes_no_type():
    """Leaves of a second unit that nobody has built have no ports yet: a type of theirs would be empty."""
    config = make_site(nodes=4, fabric={**ROCE, "nos": "cumulus", "plannedScalableUnits": 2})
    data = netbox_of(config, plan(config))
    assert {kind.model for kind in data.device_types} == {device.device_type for device in data.devices}


def test_three_phase_voltage_is_line_to_line():
    assert netbox_volts(230, "line-neutral", 3) == 398
    assert netbox_volts(400, "line-line", 3) == 400
    assert netbox_volts(230, "line-neutral", 1) == 230
    feeds = [{"name": "a", "pduModel": "pdu-230v-32a-3ph"}]
    config = make_site(nodes=1, facility={"feeds": feeds})
    data = netbox_of(config, plan(config))
    assert {feed.voltage for feed in data.feeds} == {398}
    assert {feed.description for feed in data.feeds} == {"rated 230 V line-neutral"}


def test_single_phase_strips_have_no_legs():
    config = make_site(nodes=1, facility={"feeds": [{"name": "a", "pduModel": "cyclades-pm20i-32a"}]})
    kind = netbox_of(config, plan(config)).device_types[-1]
    assert {outlet.feed_leg for outlet in kind.of("power-outlet")} == {None}
    assert {outlet.power_port for outlet in kind.of("power-outlet")} == {"Inlet"}


def test_panels_are_the_paths_lowest_equipment_or_say_that_nobody_knows():
    config = make_site(nodes=1)
    (a, b) = netbox_of(config, plan(config)).panels
    assert (a.name, b.name) == ("t-feed-a", "t-feed-b")
    assert "knows nothing" in a.description
    paths = [
        {"name": "panel-a", "kind": "panel", "feed": "a", "breakerA": 800, "rowsEach": 1},
        {"name": "panel-b", "kind": "panel", "feed": "b", "breakerA": 800, "rowsEach": 1},
    ]
    supply = {"volts": 415, "voltageReference": "line-line"}
    stated = make_site(nodes=1, power={"supply": supply, "paths": paths})
    names = [panel.name for panel in netbox_of(stated, plan(stated)).panels]
    assert [name.rpartition("-")[0] for name in names] == ["panel-a", "panel-b"]


def test_words():
    assert [maker_of(title) for title in ("NVIDIA DGX H100", "Vertiv Geist", "Three-phase strip")] == [
        "NVIDIA",
        "Vertiv",
        "Generic",
    ]
    assert slug("NVIDIA DGX A100 (640 GB)") == "nvidia-dgx-a100-640-gb"
    assert [port_label(number, 64, 32) for number in (1, 2, 64)] == ["1/1", "1/2", "32/2"]
    assert port_label(7, 64, 64) == "7"
    assert interface_type(True, 200, lane_gbps=100) == "infiniband-ndr"
    assert interface_type(True, 200) == "infiniband-hdr"
    assert interface_type(False, 7) == "other"


def test_netboxs_sum_of_a_feed_is_the_plans_load():
    """Two ways to the same number: draws along NetBox's cables, and the plan's own power."""
    config = make_site(nodes=5, facility=STRIPS)
    planned = plan(config)
    found: dict[tuple[str, str], float] = {}
    for feed, load in utilisations(netbox_of(config, planned)):
        assert load.silent == ()
        key = (feed.rack, feed.panel[-1])
        found[key] = found.get(key, 0) + load.used_va
    loads = {(rack.name, feed.name): feed.load_kw * 1000 for rack in planned.racks for feed in rack.feeds}
    assert found == {key: pytest.approx(load, abs=30) for key, load in loads.items()}
    assert len(found) == 4


def test_what_netbox_cannot_hold_is_said_before_anything_is_written():
    config = make_site(nodes=1, facility={"continuousRating": 0.875})
    found = check_export(netbox_of(config, plan(config)))
    assert {(finding.id, finding.found) for finding in found} == {("NETBOX-036", "max_utilization 87.5")}
    assert check_export(netbox_of(make_site(nodes=1), plan(make_site(nodes=1)))) == []


def test_names_of_the_longest_site_fit():
    """A site's name has at most 32 characters: devices then stay under NetBox's 64, racks and feeds under 100."""
    config = make_site(nodes=1, fabric={"planes": 1}, site={"name": "s" * 32})
    data = netbox_of(config, plan(config))
    assert check_export(data) == []
    assert max(len(device.name) for device in data.devices) <= 64
