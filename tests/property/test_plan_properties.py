"""What must hold for every site that the models allow."""

import itertools
import json
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from railyard.model.config import SiteConfig
from railyard.plan import Plan, names, plan, to_json
from railyard.plan.addresses import SERVICE_ADDRESSES
from railyard.plan.shape import size_fabric
from tests.planned_site import make_site

FABRIC = {"node-leaf", "leaf-spine", "spine-core"}
SWITCHES = {"qm9700": ("infiniband", 400, 64), "qm8700": ("infiniband", 200, 40), "sn5600": ("roce", 400, 128)}


@st.composite
def sites(draw: st.DrawFn) -> tuple[Mapping[str, object], list[tuple[int, int]]]:
    """(arguments of make_site without its slots, slots that are filled)."""
    switch = draw(st.sampled_from(sorted(SWITCHES)))
    transport, speed, radix = SWITCHES[switch]
    slots = draw(st.integers(2, radix // 2))
    built = draw(st.integers(1, 3))
    fabric = {
        "transport": transport,
        "switchModel": switch,
        "linkGbps": speed,
        "rails": draw(st.sampled_from([1, 4, 8])),
        "planes": draw(st.sampled_from([1, 1, 2])),
        "nodesPerUnit": slots,
        "scalableUnits": built,
        "plannedScalableUnits": draw(st.integers(built, 12)),
    }
    kind = st.sampled_from(["shared", "dedicated"])
    facility = {
        "nodesPerRack": draw(st.integers(1, 5)),
        "spreadRacks": draw(st.integers(1, 4)),
        "switchRacks": draw(kind),
        "storageRacks": draw(kind),
        "racksPerRow": draw(st.integers(1, 12)),
    }
    filled = draw(st.sets(st.tuples(st.integers(1, built), st.integers(1, slots)), min_size=1, max_size=20))
    return {"fabric": fabric, "facility": facility, "storage_nodes": draw(st.integers(0, 4))}, sorted(filled)


def of_one_site(test: Callable[..., None]) -> Callable[..., None]:
    """A property of one site: all of them get the same sites, twice as many as other properties, each planned once."""
    return seed(1)(settings(max_examples=80)(given(sites())(test)))


def planned(arguments: Mapping[str, object], slots: list[tuple[int, int]]) -> Plan:
    return plan(config(arguments, slots))


@cache
def planned_once(case: str) -> Plan:
    arguments, slots = json.loads(case)
    return planned(arguments, [tuple(slot) for slot in slots])


def config(arguments: Mapping[str, object], slots: list[tuple[int, int]]) -> SiteConfig:
    return make_site(nodes=max(len(slots), 1), slots=slots, **arguments)


def places(found: Plan) -> dict[str, tuple[str, int, int]]:
    return {device.name: (rack.name, device.u, device.u_height) for rack in found.racks for device in rack.devices}


@pytest.mark.requirement("N1", "C5")
@of_one_site
def test_links_are_a_bijection_on_ports(case: tuple[Mapping[str, object], list[tuple[int, int]]]):
    """No end has two cables, and what the switches say is what the cables say, from both sides."""
    found = planned_once(json.dumps(case))
    ends = Counter(itertools.chain.from_iterable((cable.a, cable.z) for cable in found.cables))
    assert max(ends.values()) == 1
    assert len({cable.id for cable in found.cables}) == len(found.cables)
    from_cables = {
        end: far for cable in found.cables if cable.kind in FABRIC for end, far in ((cable.a, cable.z), (cable.z, cable.a))
    }
    from_switches = {f"{switch.name}/{port}": far for switch in found.switches for port, far in switch.ports.items()}
    names = {switch.name for switch in found.switches}
    assert from_switches == {end: far for end, far in from_cables.items() if end.partition("/")[0] in names}


@pytest.mark.requirement("N1", "C5")
@of_one_site
def test_every_end_exists_and_every_port_is_there(case: tuple[Mapping[str, object], list[tuple[int, int]]]):
    found = planned_once(json.dumps(case))
    standing = {device.name for rack in found.racks for device in rack.devices if device.installed}
    pdus = {names.pdu(rack.name, feed.name) for rack in found.racks for feed in rack.feeds}
    assert {end.partition("/")[0] for cable in found.cables for end in (cable.a, cable.z)} <= standing | pdus
    for switch in found.switches:
        assert all(1 <= int(port.removeprefix("swp")) <= switch.port_count for port in switch.ports)
        assert switch.free_ports == switch.port_count - len(switch.ports) >= 0
    assert all(machine.name in standing and machine.rack in {rack.name for rack in found.racks} for machine in found.machines)


@pytest.mark.requirement("N1")
@of_one_site
def test_fabric_is_non_blocking_and_even(case: tuple[Mapping[str, object], list[tuple[int, int]]]):
    found = planned_once(json.dumps(case))
    assert found.fabric.down_to_up == 1
    assert float(found.fabric.links_per_pair).is_integer()
    for switch in found.switches:
        if switch.role == "leaf":
            assert len(set(switch.links_per_peer.values())) == 1
            assert sum(switch.links_per_peer.values()) * found.fabric.link_gbps == switch.up_gbps


@pytest.mark.requirement("C4")
@given(sites(), st.data())
def test_adding_a_node_moves_nothing(case: tuple[Mapping[str, object], list[tuple[int, int]]], data: st.DataObject):
    """Old cables, addresses, ports, places stay; one port more on each leaf of the unit and none on any other switch."""
    arguments, slots = case
    fabric = arguments["fabric"]
    assert isinstance(fabric, dict)
    every = itertools.product(range(1, fabric["scalableUnits"] + 1), range(1, fabric["nodesPerUnit"] + 1))
    free = [pair for pair in every if pair not in slots]
    if not free:
        return
    new = data.draw(st.sampled_from(free))
    old, grown = planned(arguments, slots), planned(arguments, sorted([*slots, new]))
    assert set(old.cables) <= set(grown.cables)
    assert set(old.addresses) <= set(grown.addresses)
    assert places(old).items() <= places(grown).items()
    before = {switch.name: switch for switch in old.switches}
    changed = [switch for switch in grown.switches if switch != before[switch.name]]
    assert len(changed) == fabric["rails"] * fabric["planes"]
    assert all(switch.role == "leaf" and switch.unit == new[0] for switch in changed)
    assert all(len(switch.ports.items() - before[switch.name].ports.items()) == 1 for switch in changed)
    assert grown.site.peak_kw == pytest.approx(old.site.peak_kw + 10.2)
    assert grown.networks == old.networks, "slices count planned slots"


@pytest.mark.requirement("C4")
@given(sites())
def test_building_a_planned_unit_moves_nothing(case: tuple[Mapping[str, object], list[tuple[int, int]]]):
    arguments, slots = case
    fabric = arguments["fabric"]
    assert isinstance(fabric, dict)
    if fabric["scalableUnits"] == fabric["plannedScalableUnits"]:
        return
    more = {**arguments, "fabric": {**fabric, "scalableUnits": fabric["scalableUnits"] + 1}}
    old, grown = planned(arguments, slots), planned(more, slots)
    assert set(old.cables) <= set(grown.cables)
    assert set(old.addresses) <= set(grown.addresses)
    assert places(old).items() <= places(grown).items()


@pytest.mark.requirement("N2")
@of_one_site
def test_an_address_is_given_once_and_never_a_service(case: tuple[Mapping[str, object], list[tuple[int, int]]]):
    found = planned_once(json.dumps(case))
    assert max(Counter(row.address for row in found.addresses).values()) == 1
    for row in found.addresses:
        net = ip_network(f"{row.address}/{row.prefix}", strict=False)
        if net.prefixlen >= 31:
            continue  # a pair or a loopback of a routed fabric: no network of hosts (tests/property/test_routed_properties.py)
        assert net[SERVICE_ADDRESSES] <= ip_address(row.address) < net.broadcast_address


@pytest.mark.requirement("N2")
@of_one_site
def test_other_networks_reach_everything_and_share_nothing(case: tuple[Mapping[str, object], list[tuple[int, int]]]):
    """Each machine's two ports end on the two switches of one pair, each end that stands has its out-of-band port, no
    switch has cables of two networks, and what the switches say is what the cables say.
    """
    found = planned_once(json.dumps(case))
    sides = {switch.name: (switch.network, switch.pair, switch.side) for switch in found.network_switches}
    for prefix in ("storage", "inband"):
        ends = {cable.a: cable.z.partition("/")[0] for cable in found.cables if cable.a.partition("/")[2].startswith(prefix)}
        for end, switch in ends.items():
            network, pair, side = sides[switch]
            assert side == int(end[-1]) % 2
            mate = next(name for name, spot in sides.items() if spot == (network, pair, 1 - (side or 0)))
            assert ends[f"{end[:-1]}{1 - int(end[-1])}"] == mate
    for network in found.networks:
        assert (network.uncovered, network.shares, network.single_homed) == ((), (), ())
        assert all(layer.used <= layer.ports for layer in network.layers)
    kinds: dict[str, set[str]] = {}
    for cable in found.cables:
        kinds.setdefault(cable.z.partition("/")[0], set()).add("compute" if cable.kind in FABRIC else cable.kind)
    assert all(len(kind) == 1 for kind in kinds.values())
    from_switches = {f"{switch.name}/{port}": far for switch in found.network_switches for port, far in switch.ports.items()}
    others = [cable for cable in found.cables if cable.kind not in FABRIC]
    from_cables = {end: far for cable in others for end, far in ((cable.a, cable.z), (cable.z, cable.a))}
    assert from_switches == {
        end: far for end, far in from_cables.items() if end.partition("/")[0] in sides and not end.endswith("/mgmt0")
    }
    for switch in found.network_switches:
        assert all(1 <= int(port.removeprefix("swp")) <= switch.port_count for port in switch.ports)


@pytest.mark.requirement("C3")
@given(sites(), st.data())
def test_removing_a_node_never_raises_peak(case: tuple[Mapping[str, object], list[tuple[int, int]]], data: st.DataObject):
    arguments, slots = case
    gone = data.draw(st.sampled_from(slots))
    old, less = planned(arguments, slots), planned(arguments, [slot for slot in slots if slot != gone])
    peak = {rack.name: rack for rack in old.racks}
    assert less.site.peak_kw <= old.site.peak_kw
    assert less.site.worst_feed_percent <= old.site.worst_feed_percent
    for rack in less.racks:
        assert rack.peak_kw <= peak[rack.name].peak_kw
        assert rack.air_kw <= peak[rack.name].air_kw
        assert rack.weight_kg <= peak[rack.name].weight_kg


@pytest.mark.requirement("C3")
@of_one_site
def test_a_survivor_carries_what_both_feeds_carried(case: tuple[Mapping[str, object], list[tuple[int, int]]]):
    """But for what supplies can't give: three of six of 3.3 kW leave 9.9 of a node's 10.2 kW."""
    found = planned_once(json.dumps(case))
    power = {name: row for row in found.power.racks for name in row.racks}
    for rack in found.racks:
        assert sum(feed.load_kw for feed in rack.feeds) == pytest.approx(rack.peak_kw, abs=1e-5)
        rows = [row for row in power[rack.name].devices if row.installed]
        left = sum(min(row.load_kw, (row.psus or 0) // 2 * row.psu_kw if row.psu_kw else row.load_kw) for row in rows)
        assert [feed.survivor_kw for feed in rack.feeds] == pytest.approx([left] * len(rack.feeds), abs=1e-5)
        assert rack.peak_kw == pytest.approx(sum(device.peak_kw for device in rack.devices if device.installed))


@given(sites(), st.randoms(use_true_random=False))
def test_order_of_the_inventory_is_nothing(case: tuple[Mapping[str, object], list[tuple[int, int]]], random: object):
    found = config(*case)
    machines = list(found.inventory.machines)
    random.shuffle(machines)  # type: ignore[attr-defined]
    shuffled = SiteConfig(
        found.stack,
        found.file,
        found.inventory.model_copy(update={"machines": tuple(machines)}),
        found.inventory_sha256,
        found.catalog,
    )
    assert to_json(plan(found)) == to_json(plan(shuffled))


@of_one_site
def test_json_round_trip_names_outside_names(case: tuple[Mapping[str, object], list[tuple[int, int]]]):
    found = planned_once(json.dumps(case))
    body = json.loads(to_json(found))
    assert (body["schemaVersion"], body["inventorySha256"]) == (1, found.site.inventory_sha256)
    assert len(body["cables"]) == body["site"]["cables"]
    assert list(body) == sorted(body)


@pytest.mark.requirement("N1")
@given(st.sampled_from([8, 16, 32, 40, 64, 128, 144]), st.integers(1, 64), st.integers(1, 8))
def test_closed_form_uses_no_port_twice(radix: int, units: int, rails: int):
    """Links down to spines and to cores fit their ports, and pairs are even, wherever a unit fills half of a leaf."""
    shape = size_fabric(radix // 2, units, rails, radix)
    if not shape.fits:
        return
    assert shape.uplinks % shape.spines_per_pod == 0
    if shape.tiers == 2:
        assert shape.leaves_per_plane * shape.links_per_pair <= radix
    else:
        assert shape.uplinks % shape.cores_per_group == 0
        assert shape.pods * shape.core_links <= radix
        assert shape.spine_core == shape.spines * shape.uplinks
