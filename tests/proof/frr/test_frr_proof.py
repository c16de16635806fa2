"""The rendered frr.conf of one unit (8 leaves x 4 spines, 256 cables) on real FRR: sessions, paths, text, cables, hosts."""

import json
import re

import pytest

from railyard.read.frr import read_frr
from railyard.render.audit import audit_text
from railyard.rules.switch_config import check_frr
from tests.proof.frr.routed_fabric import RoutedFabric, until

pytestmark = pytest.mark.requirement("N1", "N4")

LEAVES, SPINES, UPLINKS = 8, 4, 32
SESSIONS_S = 90.0
LLDP_S = 60.0
LARGEST_PING = 9000 - 20 - 8
"""Payload of an ICMP packet of 9,000 bytes: less IPv4 and ICMP header."""


def sessions(fabric: RoutedFabric, switch: str) -> list[str]:
    """State of every IPv4 session of a switch."""
    peers = fabric.wiring.show(switch, "show bgp ipv4 unicast summary json").get("peers", {})
    return [peer["state"] for peer in peers.values()]


def test_every_session_is_up(fabric: RoutedFabric):
    wanted = {name: len(intent.fabric_ports()) for name, intent in fabric.intents.items()}
    assert sum(wanted.values()) == 2 * LEAVES * UPLINKS

    def up() -> bool:
        return all(sessions(fabric, name).count("Established") == count for name, count in wanted.items())

    assert until(up, SESSIONS_S), {name: sessions(fabric, name) for name in wanted}


def test_both_address_families_are_up(fabric: RoutedFabric):
    for name, intent in fabric.intents.items():
        peers = fabric.wiring.show(name, "show bgp ipv6 unicast summary json")["peers"]
        assert [peer["state"] for peer in peers.values()] == ["Established"] * len(intent.fabric_ports())


def test_bidirectional_forwarding_detection_watches_every_session(fabric: RoutedFabric):
    leaf = next(iter(fabric.intents))

    def watched() -> bool:
        return [peer["status"] for peer in fabric.wiring.show(leaf, "show bfd peers json")] == ["up"] * UPLINKS

    assert until(watched, 30.0)
    peer = fabric.wiring.show(leaf, "show bfd peers json")[0]
    assert (peer["transmit-interval"], peer["detect-multiplier"]) == (1000, 3)


def test_ecmp_is_as_wide_as_the_uplinks(fabric: RoutedFabric):
    """Next hops in the kernel, not only in BGP: 32 for every subnet of every other leaf, in both families."""
    leaves = [intent for intent in fabric.intents.values() if intent.role == "leaf"]
    assert len(leaves) == LEAVES

    def width(here: str, subnet: str) -> int:
        version = "-6" if ":" in subnet else "-4"
        routes = json.loads(fabric.wiring.run(here, ["ip", version, "-j", "route", "show", subnet]).stdout or "[]")
        # IPv6 routes may come as one route per next hop.
        return sum(len(route.get("nexthops", [route])) for route in routes)

    def widths(here: str) -> dict[str, int]:
        return {subnet: width(here, subnet) for leaf in leaves if leaf.hostname != here for subnet in leaf.subnets}

    for leaf in (leaves[0], leaves[-1]):
        assert until(lambda name=leaf.hostname: set(widths(name).values()) == {UPLINKS}, 30.0), widths(leaf.hostname)


def test_a_leaf_tells_its_subnet_and_not_its_ports(fabric: RoutedFabric):
    spine = next(intent for intent in fabric.intents.values() if intent.role == "spine")
    routes = set(fabric.wiring.show(spine.hostname, "show bgp ipv4 unicast json")["routes"])
    subnets = {text for intent in fabric.intents.values() for text in intent.subnets if ":" not in text}
    loopbacks = {text for intent in fabric.intents.values() for text in intent.loopbacks if ":" not in text}
    # Spines share a number, so they don't take each other's loopbacks back from a leaf: no valley paths.
    own = {text for text in spine.loopbacks if ":" not in text}
    others = {text for i in fabric.intents.values() if i.role == "spine" for text in i.loopbacks if ":" not in text} - own
    assert routes == subnets | loopbacks - others


def test_the_running_configuration_is_the_rendered_file(fabric: RoutedFabric):
    for name, text in fabric.texts.items():
        running = fabric.wiring.run(name, ["vtysh", "-c", "show running-config"]).stdout
        assert read_frr(running).normal() == read_frr(text).normal()
        assert check_frr(running, fabric.intents[name]) == []


def test_a_line_more_on_one_switch_shows(fabric: RoutedFabric):
    """The comparison above can fail: a line typed on a switch makes it differ, and so does a changed number."""
    name, text = next(iter(fabric.texts.items()))
    fabric.wiring.run(name, ["vtysh", "-c", "configure terminal", "-c", "ip prefix-list LOCAL seq 99 permit 10.99.0.0/16"])
    running = fabric.wiring.run(name, ["vtysh", "-c", "show running-config"]).stdout
    fabric.wiring.run(name, ["vtysh", "-c", "configure terminal", "-c", "no ip prefix-list LOCAL seq 99 permit 10.99.0.0/16"])
    assert read_frr(running).normal() != read_frr(text).normal()
    wrong = text.replace("maximum-paths 32", "maximum-paths 31", 1)
    assert read_frr(wrong).normal() != read_frr(text).normal()


def test_a_host_leaves_by_the_rail_of_its_source(fabric: RoutedFabric):
    """The kernel's decision for each source address, and packets on the right wire."""
    here, there = fabric.nodes[:2]
    for (nic, address, _), (_, target, _) in zip(fabric.rails(here), fabric.rails(there), strict=True):
        done = fabric.wiring.run(here, ["ip", "-j", "route", "get", target, "from", address])
        assert json.loads(done.stdout)[0]["dev"] == nic
    (_, _, _), (nic, address, _) = fabric.rails(here)[:2]
    target = fabric.rails(there)[1][1]
    before = {name: _sent(fabric, here, name) for name, _, _ in fabric.rails(here)}
    assert fabric.wiring.run(here, ["ping", "-c", "20", "-i", "0.01", "-q", "-I", address, target]).returncode == 0
    more = {name: _sent(fabric, here, name) - count for name, count in before.items()}
    assert more[nic] >= 20
    assert all(count < 10 for name, count in more.items() if name != nic), more


def _sent(fabric: RoutedFabric, device: str, nic: str) -> int:
    done = fabric.wiring.run(device, ["ip", "-j", "-s", "link", "show", nic])
    return int(json.loads(done.stdout)[0]["stats64"]["tx"]["packets"])


def test_without_the_rules_the_second_rail_leaves_by_the_first(fabric: RoutedFabric):
    """What the rules are for: take them away on one node and its packets have no way, or the wrong one."""
    here, there = fabric.nodes[2:4]
    (_, first, first_gateway), (nic, second, _) = fabric.rails(here)[:2]
    target = fabric.rails(there)[1][1]
    rails = list(enumerate(fabric.rails(here), 100))
    fabric.wiring.ip(here, [f"rule del from {address} lookup {table}" for table, (_, address, _) in rails])
    fabric.wiring.ip(here, [f"route add default via {first_gateway}"])
    done = fabric.wiring.run(here, ["ip", "-j", "route", "get", target, "from", second])
    wrong = json.loads(done.stdout)[0]["dev"]
    fabric.wiring.ip(here, ["route del default"])
    fabric.wiring.ip(here, [f"rule add from {address} lookup {table}" for table, (_, address, _) in rails])
    assert wrong != nic
    assert first != second


@pytest.mark.parametrize("rails", [(3, 3), (0, 5)], ids=["same rail", "across rails"])
def test_nine_thousand_bytes_in_one_piece_from_host_to_host(fabric: RoutedFabric, rails: tuple[int, int]):
    here, there = fabric.nodes[0], fabric.nodes[-1]
    source, target = fabric.rails(here)[rails[0]][1], fabric.rails(there)[rails[1]][1]
    done = fabric.wiring.run(here, ["ping", "-M", "do", "-s", str(LARGEST_PING), "-c", "3", "-i", "0.05", "-I", source, target])
    assert done.returncode == 0, done.stdout
    assert re.search(r"3 packets transmitted, 3 received", done.stdout)


def test_one_byte_more_than_the_host_mtu_does_not_go(fabric: RoutedFabric):
    here, there = fabric.nodes[0], fabric.nodes[-1]
    source, target = fabric.rails(here)[3][1], fabric.rails(there)[3][1]
    argv = ["ping", "-M", "do", "-s", str(LARGEST_PING + 1), "-c", "1", "-W", "2", "-I", source, target]
    done = fabric.wiring.run(here, argv)
    assert done.returncode != 0
    assert "message too long" in (done.stdout + done.stderr).lower()


def test_a_port_with_a_small_mtu_drops_full_frames_while_sessions_stay(fabric: RoutedFabric):
    """Why MTU has a check of its own: BGP stays up over it."""
    here, there = fabric.nodes[0], fabric.nodes[-1]
    rail = 6
    source, target = fabric.rails(here)[rail][1], fabric.rails(there)[rail][1]
    port = next(i for i in fabric.intents.values() if i.role == "leaf" and i.rail == rail)
    down = next(p.native for p in port.wired() if p.peer_device == there)
    argv = ["ping", "-M", "do", "-s", str(LARGEST_PING), "-c", "1", "-W", "2", "-I", source, target]
    fabric.wiring.ip(port.hostname, [f"link set {down} mtu 1500"])
    small = fabric.wiring.run(here, argv).returncode
    fabric.wiring.ip(port.hostname, [f"link set {down} mtu {port.site.lossless.switch_mtu}"])
    assert small != 0
    assert set(sessions(fabric, port.hostname)) == {"Established"}
    # ping's kernel has learnt the small MTU from the leaf; RoCE would not have been told.
    fabric.wiring.ip(here, ["route flush cache"])
    assert fabric.wiring.run(here, argv).returncode == 0


def differences(fabric: RoutedFabric) -> list[str]:
    """LLDP against cables.csv, in the words of a crew: `leaf/swp33: spine/swp1 wanted, spine/swp2 seen`."""
    found = []
    for device, ports in fabric.expected_neighbours().items():
        seen = fabric.wiring.neighbours(device)
        for port in sorted(set(ports) | set(seen)):
            wanted, real = ports.get(port), seen.get(port)
            if wanted != real:
                found.append(f"{device}/{port}: {_end(wanted)} wanted, {_end(real)} seen")
    return sorted(found)


def _end(end: tuple[str, str] | None) -> str:
    return "nothing" if end is None else "/".join(end)


def test_lldp_is_the_cable_schedule_port_by_port(fabric: RoutedFabric):
    wanted = fabric.expected_neighbours()
    assert sum(map(len, wanted.values())) == 2 * (256 + 8 * len(fabric.nodes))
    assert until(lambda: differences(fabric) == [], LLDP_S), differences(fabric)[:10]
    assert until(lambda: fabric.audited().findings == (), LLDP_S), "and `railyard audit` says the same"


def test_two_swapped_cables_are_named_at_all_four_ends(fabric: RoutedFabric):
    """Uplinks 33 and 34 of a leaf exchanged (as by a crew: the far ends stay): four ends differ, no other one."""
    leaf = next(intent for intent in fabric.intents.values() if intent.role == "leaf").hostname
    swap = ["link set swp33 down", "link set swp34 down", "link set swp33 name swp33x", "link set swp34 name swp33"]
    swap += ["link set swp33x name swp34", "link set swp33 up", "link set swp34 up"]
    assert until(lambda: differences(fabric) == [], LLDP_S)
    fabric.wiring.ip(leaf, swap)
    spines = [fabric.expected_neighbours()[leaf][port] for port in ("swp33", "swp34")]
    wanted = sorted(
        [
            f"{leaf}/swp33: {_end(spines[0])} wanted, {_end(spines[1])} seen",
            f"{leaf}/swp34: {_end(spines[1])} wanted, {_end(spines[0])} seen",
            f"{_end(spines[0])}: {leaf}/swp33 wanted, {leaf}/swp34 seen",
            f"{_end(spines[1])}: {leaf}/swp34 wanted, {leaf}/swp33 seen",
        ]
    )
    found = until(lambda: differences(fabric) == wanted, LLDP_S)
    last = differences(fabric)
    # For some seconds a port remembers its old neighbour, too; the audit calls that a contradiction, and is right.
    until(lambda: fabric.audited().contradictions == (), LLDP_S)
    said = fabric.audited()
    fabric.wiring.ip(leaf, swap)
    assert found, last
    assert until(lambda: differences(fabric) == [], LLDP_S)
    (work,) = said.work
    assert work.action == "exchange"
    text = audit_text(said)
    assert all(f"{end}" in text for end in (f"{leaf}/swp33", f"{leaf}/swp34", *map(_end, spines))), text
    assert until(lambda: fabric.audited().findings == (), LLDP_S)
