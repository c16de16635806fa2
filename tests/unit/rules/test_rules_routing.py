"""Routed fabrics: numbers, paths, subnets, spread, releases, management."""

from datetime import date

import pytest

from railyard.model.lossless import Bfd
from railyard.model.plan import AddressRow
from railyard.plan import plan
from railyard.rules import check
from railyard.rules.routing import check_rail_networks, check_routed_switch, check_routing
from tests.planned_site import make_site
from tests.unit.rules.routing_factory import ASIC, contract, routed_leaf, routing


def of(findings, rule):
    return [(finding.where.removeprefix("railyard:"), finding.found) for finding in findings if finding.id == rule]


@pytest.mark.parametrize(
    ("changes", "where", "found"),
    [
        ({"leaf_asns": 7}, "fabric", "7 AS numbers for 8 leaves"),
        ({"spine_asns": 2}, "fabric", "2 AS numbers for 1 planes and pods of spines"),
        ({"asn_base": 64512, "asn_last": 74519}, "fabric.asnBase", "64512 to 74519"),
        ({"asn_base": 4_199_999_999}, "fabric.asnBase", "4199999999 to 4200010007"),
        ({"asn_last": 4_294_967_295}, "fabric.asnBase", "4200000000 to 4294967295"),
    ],
)
def test_numbers(changes, where, found):
    findings = check_routing(routing(**changes))
    assert of(findings, "FABRIC-050") == [(where, found)]
    assert {finding.severity for finding in findings} == {"invariant"}


def test_the_last_private_number_may_be_used():
    assert check_routing(routing(asn_last=4_294_967_294)) == []


def test_paths_are_as_many_as_uplinks():
    (finding,) = check_routed_switch(routed_leaf(maximum_paths=31))
    assert (finding.id, finding.found, finding.limit) == ("FABRIC-051", "maximum-paths 31", "32 uplinks")
    assert check_routed_switch(routed_leaf(maximum_paths=64)) == []


def test_the_system_holds_as_many_paths():
    assert check_routing(routing(uplinks=128)) == []
    assert of(check_routing(routing(uplinks=129)), "FABRIC-051") == [("fabric.nos", "129 uplinks of a leaf in each plane")]
    (finding,) = [f for f in check_routing(routing(max_paths_limit=None, asic=None)) if f.id == "FABRIC-051"]
    assert (finding.severity, finding.found) == (
        "undecided",
        "how many paths cumulus holds on an ASIC that nobody knows is unknown",
    )
    (finding,) = [f for f in check_routing(routing(max_paths_limit=None)) if f.id == "FABRIC-051"]
    assert finding.found == "how many paths cumulus holds on spectrum-4 is unknown"


def test_a_leaf_has_a_subnet_and_a_spine_needs_none():
    (finding,) = check_routed_switch(routed_leaf(subnets=()))
    assert (finding.id, finding.severity) == ("FABRIC-052", "invariant")
    spine = routed_leaf(subnets=(), uplinks=0).model_copy(update={"role": "spine"})
    assert check_routed_switch(spine) == []


def test_a_switch_without_a_router_id():
    (finding,) = check_routed_switch(routed_leaf(router_id="0.0.0.0"))
    assert (finding.id, finding.found) == ("FABRIC-064", "no IPv4 loopback")


def row(interface, address, prefix=24, network="rail-0", device="n1"):
    return AddressRow(device, network, interface, address, prefix)


def test_two_rails_in_one_network():
    """Story 1: all eight NICs in one /24."""
    rows = [row(f"mlx5_{rail}", f"10.0.0.{10 + rail}", network=f"rail-{rail}") for rail in range(8)]
    (finding,) = check_rail_networks(rows)
    assert (finding.id, finding.where) == ("FABRIC-052", "n1")
    assert finding.found == "mlx5_0, mlx5_1, mlx5_2 and 5 more are in 10.0.0.0/24"
    assert check_rail_networks(rows[:1]) == []


@pytest.mark.parametrize(
    ("one", "two", "prefix", "same"),
    [
        ("10.0.0.4", "10.0.0.5", 31, True),
        ("10.0.0.3", "10.0.0.4", 31, False),
        ("10.0.0.63", "10.0.0.64", 26, False),
        ("10.0.255.1", "10.0.0.1", 16, True),
        ("1.2.3.4", "200.1.1.1", 0, True),
        ("fd00::1", "fd00::2", 64, True),
        ("fd00:0:0:1::1", "fd00::2", 64, False),
        ("fd00::4", "fd00::6", 127, False),
        ("10.0.0.1", "fd00::1", 24, False),
    ],
)
def test_networks_are_compared_by_value(one, two, prefix, same):
    rows = [row("mlx5_0", one, prefix), row("mlx5_1", two, prefix, "rail-1")]
    assert bool(check_rail_networks(rows)) is same


def test_other_networks_devices_and_loopback_addresses_are_left_alone():
    assert check_rail_networks([row("bond0", "10.0.0.1", network="in-band"), row("bond1", "10.0.0.2", network="in-band")]) == []
    assert check_rail_networks([row("mlx5_0", "10.0.0.1"), row("mlx5_1", "10.0.0.2", device="n2")]) == []
    assert check_rail_networks([row("mlx5_0", "127.0.0.1"), row("mlx5_1", "127.0.0.2")]) == []
    assert check_rail_networks([row("mlx5_0", "10.0.0.1"), row("mlx5_0", "10.0.0.2")]) == [], "two addresses of one rail"


@pytest.mark.parametrize(
    ("changes", "lossless", "where"),
    [
        ({}, {"spread": "none"}, "fabric.lossless.spread"),
        ({}, {"spread": "qp-spread", "qps_per_connection": 1}, "fabric.lossless.qpsPerConnection"),
        ({"nos": "sonic"}, {"spread": "adaptive-routing"}, "fabric.lossless.spread"),
        ({"adaptive_routing": False}, {"spread": "adaptive-routing"}, "fabric.lossless.spread"),
        ({"nos": "sonic", "asic": None}, {"spread": "adaptive-routing"}, "fabric.lossless.spread"),
        ({"adaptive_routing": None}, {"spread": "adaptive-routing"}, "fabric.lossless.spread"),
        ({"adaptive_routing": True}, {"spread": "adaptive-routing"}, None),
        ({"adaptive_routing": None}, {"spread": "qp-spread"}, None),
        ({"adaptive_routing": False}, {"spread": "qp-spread", "qps_per_connection": 2}, None),
        ({"tiers": 1}, {"spread": "none"}, None),
        ({"tiers": 3}, {"spread": "none"}, "fabric.lossless.spread"),
    ],
)
def test_flows_are_spread(changes, lossless, where):
    findings = check_routing(routing(lossless=contract(**lossless), **changes))
    assert [place for place, _ in of(findings, "FABRIC-061")] == ([where] if where else [])


def test_an_unknown_asic_leaves_adaptive_routing_undecided():
    findings = check_routing(routing(lossless=contract(spread="adaptive-routing"), adaptive_routing=None))
    assert [finding.severity for finding in findings if finding.id == "FABRIC-061"] == ["undecided"]


def test_system_and_release_are_pinned():
    assert of(check_routing(routing(nos_named=False)), "FABRIC-062") == [("fabric.nos", "not set, files are for cumulus")]
    assert of(check_routing(routing(nos_version=None)), "FABRIC-062") == [("fabric.nosVersion", "not set")]
    (finding,) = [f for f in check_routing(routing(asic=None)) if f.id == "FABRIC-062"]
    assert (finding.severity, finding.found) == ("undecided", "the switch's ASIC is unknown")


@pytest.mark.parametrize(
    ("version", "bad"),
    [("5.5", True), ("5.5.1", True), ("5.5-rc1", True), ("5.5_x", True), ("5.14.0", False), ("5.50", False), ("55.5", False)],
)
def test_known_bad_releases_are_compared_part_by_part(version, bad):
    found = of(check_routing(routing(nos_version=version)), "FABRIC-062")
    assert bool(found) is bad
    if bad:
        assert found[0][1] == f"cumulus {version} on spectrum-4: no PFC watchdog before 5.6"


def test_a_fault_of_every_release_and_one_of_several_classes():
    rows = [{"nos": "sonic", "versions": ["*"], "severalClasses": True, "fault": "it flaps", "issue": "an issue"}]
    bad = tuple(type(ASIC.bad_releases[0]).model_validate(row) for row in rows)
    one = routing(nos="sonic", bad_releases=bad)
    assert of(check_routing(one), "FABRIC-062") == []
    two = routing(nos="sonic", bad_releases=bad, lossless=contract(pfc_priorities=(3, 4)))
    assert of(check_routing(two), "FABRIC-062") == [("fabric.nosVersion", "sonic 5.14.0 on spectrum-4: it flaps")]
    unset = routing(nos="sonic", nos_version=None, bad_releases=bad, lossless=contract(pfc_priorities=(3, 4)))
    assert ("fabric.nosVersion", "sonic (any release) on spectrum-4: it flaps") in of(check_routing(unset), "FABRIC-062")
    other = routing(nos="cumulus", bad_releases=bad, lossless=contract(pfc_priorities=(3, 4)))
    assert of(check_routing(other), "FABRIC-062") == []
    named = tuple(type(ASIC.bad_releases[0]).model_validate(row | {"versions": ["5"]}) for row in rows)
    without = routing(nos="sonic", nos_version=None, bad_releases=named, lossless=contract(pfc_priorities=(3, 4)))
    assert of(check_routing(without), "FABRIC-062") == [("fabric.nosVersion", "not set")]


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"ntp_servers": ()}, "addresses.ntpServers"),
        ({"syslog_servers": ()}, "addresses.syslogServers"),
        ({"management": ("10.16.0.0/18", "0.0.0.0/0")}, "addresses.management"),
        ({"management": ("10.16.0.0/18", "::/0")}, "addresses.management"),
        ({"management": ("0.0.0.0/1", "128.0.0.0/1")}, "addresses.management"),
        ({"management": ("10.16.0.0/18", "::/1", "8000::/2", "c000::/2")}, "addresses.management"),
        ({"management": ("128.0.0.0/1",)}, "addresses.management"),
        ({"management": tuple(f"{first}.0.0.0/8" for first in range(128))}, "addresses.management"),
        ({"bfd": Bfd(enabled=False)}, "fabric.bfd.enabled"),
        ({"management": ("fd00:16::/64",)}, "addresses.management"),
        ({"management_gateway": "fd00:16::1"}, "addresses.management"),
        ({"nos": "cumulus", "bfd": Bfd(interval_ms=3000, multiplier=3)}, "fabric.bfd"),
        ({"nos": "sonic", "bfd": Bfd(interval_ms=1000)}, "fabric.bfd"),
        ({"nos": "sonic", "bfd": Bfd(multiplier=5)}, "fabric.bfd"),
    ],
)
def test_clock_log_and_log_in(changes, where):
    assert [place for place, _ in of(check_routing(routing(**changes)), "FABRIC-063")] == [where]


def test_bfd_just_below_the_hold_time_of_bgp_is_enough():
    assert of(check_routing(routing(nos="cumulus", bfd=Bfd(interval_ms=2999, multiplier=3))), "FABRIC-063") == []
    off = Bfd(enabled=False, interval_ms=3000, multiplier=3)
    assert [row[0] for row in of(check_routing(routing(nos="cumulus", bfd=off)), "FABRIC-063")] == ["fabric.bfd.enabled"]


def test_bfd_times_are_told_to_systems_that_can_be_told():
    for nos in ("cumulus", "frr"):
        assert of(check_routing(routing(nos=nos, bfd=Bfd(interval_ms=1000))), "FABRIC-063") == []
    assert of(check_routing(routing(nos="sonic", bfd=Bfd())), "FABRIC-063") == []


def test_a_narrow_management_network_is_fine():
    assert check_routing(routing(management=("64.0.0.0/2", "::/2", "10.0.0.0/8"))) == []


def test_everybody_by_halves_is_named():
    (said,) = of(check_routing(routing(management=("10.0.0.0/8", "0.0.0.0/1", "128.0.0.0/1"))), "FABRIC-063")
    assert said[1] == "0.0.0.0/1, 128.0.0.0/1 may log in: half of IPv4 or more"


def test_a_system_that_cannot_be_installed_is_refused():
    (finding,) = check_routing(routing(nos="eos", max_paths_limit=128, lossless=contract(spread="qp-spread")))
    assert (finding.id, finding.severity, finding.where) == ("FABRIC-067", "invariant", "railyard:fabric.nos")
    assert (finding.found, finding.limit) == ("eos on spectrum-4", "one of cumulus, sonic, frr")
    for nos in ("cumulus", "sonic", "frr"):
        assert of(check_routing(routing(nos=nos)), "FABRIC-067") == []
    assert of(check_routing(routing(nos="cumulus", asic="tomahawk-5", systems=("eos", "sonic"))), "FABRIC-067") != []
    assert of(check_routing(routing(nos="eos", asic=None, systems=None)), "FABRIC-067") == [], "nobody knows: FABRIC-062"


def test_eos_on_an_sn5600_stops_the_program():
    fabric = {
        "transport": "roce",
        "switchModel": "sn5600",
        "linkGbps": 400,
        "nodesPerUnit": 4,
        "nos": "eos",
        "nosVersion": "4.33",
    }
    config = make_site(nodes=1, fabric=fabric, addresses={"syslogServers": ["10.2.0.4"]})
    found = [finding for finding in check(config, plan(config), date(2026, 6, 1)) if finding.severity == "invariant"]
    assert [(finding.id, finding.found) for finding in found] == [("FABRIC-067", "eos on spectrum-4")]


def test_the_program_asks_all_of_it():
    """A switch whose ASIC has no table, at a site that set nothing: each family has something to say."""
    fabric = {"transport": "roce", "switchModel": "sn4600", "linkGbps": 200, "nodesPerUnit": 4, "lossless": {"spread": "none"}}
    config = make_site(nodes=1, fabric=fabric, compute={"nodeModel": "dgx-a100"})
    findings = check(config, plan(config), date(2026, 6, 1))
    found = {(finding.id, finding.severity) for finding in findings if "FABRIC-050" <= finding.id <= "FABRIC-066"}
    assert found == {
        ("FABRIC-053", "invariant"),
        ("FABRIC-054", "undecided"),
        ("FABRIC-061", "limit"),
        ("FABRIC-062", "limit"),
        ("FABRIC-063", "limit"),
    }
    refused = {finding.found.partition(" over ")[0] for finding in findings if finding.id == "FABRIC-053"}
    assert refused == {"no headroom for 200 Gb/s", "no headroom table of spectrum-3 at 200 Gb/s"}
