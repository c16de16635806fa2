"""The lab's switches: what they are sent is what they do. A wrong ASN, MTU or port breaks something that can be seen."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.instance import ROOT
from lab.switches import namespaces
from lab.switches.intended import RefusedError
from lab.switches.wiring import Wiring, WiringError
from tests.lab import switchyard
from tests.lab.switchyard import LINKS, NOS, Bench, native, settled, tree

pytestmark = pytest.mark.requirement("N1")


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with switchyard.running(tmp_path_factory.mktemp("switches"), configured=True) as running:
        yield running


@pytest.fixture(autouse=True)
def mended(bench: Bench):
    """Whatever a test did to a switch is put right before the next."""
    yield
    bench.clear()
    switchyard.configure(bench)


def test_planned_configuration_brings_everything_up(bench: Bench):
    for name in NOS:
        assert bench.sessions(name) == {native(name, number): True for number in range(1, 5)}
    planned = {
        "swp1": ("spine1", "swp1"),
        "swp2": ("spine1", "swp2"),
        "swp3": ("spine2", "Ethernet0"),
        "swp4": ("spine2", "Ethernet4"),
    }
    settled(lambda: bench.yard.wiring.neighbours("leaf1") == planned)
    settled(lambda: len(_hops(bench, "leaf1", "10.9.0.2/32")) == 4)
    settled(lambda: set(_hops(bench, "leaf2", "10.9.0.1/32")) == {native("leaf2", number) for number in range(1, 5)})


def _hops(bench: Bench, name: str, prefix: str) -> list[str]:
    entries = bench.agent(name).device.routes().get(prefix, [])
    return [hop["interfaceName"] for entry in entries if entry["selected"] for hop in entry["nexthops"] if hop.get("fib")]


@pytest.mark.parametrize("name", ["leaf1", "leaf2"])
def test_a_wrong_asn_breaks_its_sessions(bench: Bench, name: str):
    """With the spines' own number no external session comes up; the other leaf doesn't notice."""
    other = "leaf2" if name == "leaf1" else "leaf1"
    bench.set(name, tree(name, asn=4200000100))
    time.sleep(4)
    assert bench.up(name) == 0
    assert bench.up(other) == 4


@pytest.mark.parametrize("name", ["leaf1", "leaf2"])
def test_an_expected_asn_that_the_peer_does_not_have_breaks_the_session(bench: Bench, name: str):
    bench.set(name, tree(name, remote="4200000999"))
    time.sleep(4)
    assert bench.up(name) == 0
    bench.set(name, tree(name, remote="4200000100"))
    settled(lambda: bench.up(name) == 4)


@pytest.mark.parametrize("name", ["leaf1", "leaf2"])
def test_a_small_mtu_loses_large_packets_and_no_session(bench: Bench, name: str):
    """What makes an own MTU check necessary: BGP doesn't see it."""
    wiring, far = bench.yard.wiring, "10.9.0.2" if name == "leaf1" else "10.9.0.1"
    ping = ["ping", "-c", "2", "-i", "0.2", "-W", "1", "-M", "do", "-s", "8972", "-I", switchyard.ROUTER[name], far]
    settled(lambda: len(_hops(bench, name, f"{far}/32")) == 4)
    assert wiring.run(name, ping).returncode == 0
    bench.set(name, tree(name, mtu=1500))
    assert wiring.run(name, ping).returncode != 0
    assert {row["mtu"] for row in bench.agent(name).device.links().values()} == {1500}
    assert bench.up(name) == 4


@pytest.mark.parametrize("name", ["leaf1", "leaf2"])
def test_a_port_switched_off_takes_its_session_and_neighbour(bench: Bench, name: str):
    config, port = tree(name), native(name, 2)
    if NOS[name] == "cumulus":
        config["interface"][port]["link"]["state"] = "down"  # the newer spelling
    else:
        config["PORT"][port]["admin_status"] = "down"
    bench.set(name, config)
    settled(lambda: bench.sessions(name)[port] is False)
    assert bench.up(name) == 3
    settled(lambda: bench.up("spine1") == 3)


def test_sonic_without_route_maps_has_sessions_and_no_route(bench: Bench):
    """SONiC starts FRR with its traditional defaults, which discard what an external neighbour says without a route map."""
    settled(lambda: len(_hops(bench, "leaf2", "10.9.0.1/32")) == 4)
    bench.agent("leaf2").edit([{"op": "remove", "path": "/BGP_PEER_GROUP_AF"}])
    settled(lambda: bench.up("leaf2") == 4)
    settled(lambda: bench.up("leaf1") == 4 and not _hops(bench, "leaf1", "10.9.0.2/32"))
    assert _hops(bench, "leaf2", "10.9.0.1/32") == []


def test_bgp_on_the_wrong_port_has_no_session(bench: Bench):
    bench.agent("leaf1").revisions.applied["vrf"]["default"]["router"]["bgp"]["neighbor"].pop("swp1")
    bench.set("leaf1", {"vrf": {"default": {"router": {"bgp": {"neighbor": {"swp7": {"peer-group": "FABRIC"}}}}}}})
    settled(lambda: bench.sessions("spine1")["swp1"] is False)
    assert bench.sessions("leaf1")["swp7"] is False
    bench.agent("leaf1").revisions.applied["vrf"]["default"]["router"]["bgp"]["neighbor"].pop("swp7")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"router": {"bgp": {"autonomous-system": "many"}}}, "autonomous-system: 'many' is not a number"),
        ({"router": {"bgp": {"router-id": "10.9.0"}}}, "router-id"),
        ({"interface": {"swp1": {"link": {"mtu": 99999}}}}, "99999 is not in 552 to 9216"),
        ({"interface": {"swp1": {"ip": {"address": {"10.0.0.300/24": {}}}}}}, "10.0.0.300/24"),
        ({"vrf": {"default": {"router": {"bgp": {"neighbor": {"swp1": {"peer-group": "NOBODY"}}}}}}}, "NOBODY is not there"),
        ({"spanning-tree": {}}, "unknown object"),
        ({"interface": {"swp1": {"link": {"state": "sideways"}}}}, "neither up nor down"),
    ],
)
def test_nvue_refuses_what_cannot_be(bench: Bench, change, words):
    before = json.dumps(bench.agent("leaf1").revisions.applied)
    with pytest.raises(RefusedError, match=words.replace("(", r"\(")):
        bench.set("leaf1", change)
    assert json.dumps(bench.agent("leaf1").revisions.applied) == before
    assert bench.up("leaf1") == 4


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ({"op": "add", "path": "/BGP_NEIGHBOR/default|Ethernet999", "value": {"peer_group_name": "FABRIC"}}, "not in PORT"),
        ({"op": "add", "path": "/BGP_NEIGHBOR/default|Ethernet0/peer_group_name", "value": "NOBODY"}, "not in BGP_PEER_GROUP"),
        ({"op": "replace", "path": "/PORT/Ethernet0/mtu", "value": "9999"}, "9999 is not in"),
        ({"op": "replace", "path": "/PORT/Ethernet77/mtu", "value": "9100"}, "'Ethernet77' not found"),
        ({"op": "remove", "path": "/BGP_GLOBALS/default/local_asn"}, "local_asn is missing"),
        ({"op": "explode", "path": "/PORT"}, "explode"),
        ({"op": "add", "path": "/port", "value": {}}, "capitals"),
        ({"op": "test", "path": "/PORT/Ethernet0/mtu", "value": "1"}, "test failed"),
        ({"op": "add", "path": "/INTERFACE/Ethernet0|10.0.0.1", "value": []}, "object of objects"),
    ],
)
def test_sonic_refuses_what_cannot_be(bench: Bench, operation, words):
    before = json.dumps(bench.agent("leaf2").shell.tables)
    with pytest.raises(RefusedError, match=words):
        bench.agent("leaf2").edit([operation])
    assert json.dumps(bench.agent("leaf2").shell.tables) == before
    assert bench.up("leaf2") == 4


def test_a_split_cage_gives_the_ports_their_names(bench: Bench):
    """Front position 3 of cages split into two is swp2s0: the cable stays where it is, the system calls it otherwise."""
    config = tree("leaf1")
    split = {f"swp{cage}": {"link": {"breakout": {"2x": {}}}} for cage in (1, 2)}
    parts = {f"swp{cage}s{part}": {"link": {"mtu": 9216}} for cage in (1, 2) for part in (0, 1)}
    agent = bench.agent("leaf1")
    before = agent.revisions.applied
    config["interface"] = {"lo": config["interface"]["lo"], "eth0": before["interface"]["eth0"], **split, **parts}
    bgp = config["vrf"]["default"]["router"]["bgp"]
    bgp["neighbor"] = {port: {"peer-group": "FABRIC"} for port in parts}
    agent.revisions.edit(config)
    settled(lambda: bench.sessions("leaf1") == dict.fromkeys(parts, True))
    settled(lambda: bench.yard.wiring.neighbours("leaf1").get("swp2s0") == ("spine2", "Ethernet0"))
    agent.revisions.edit(before)


@pytest.mark.parametrize(
    "end", ["leaf1/swp1", "leaf3/", "/swp1", "leaf3/a-name-that-is-too-long", "le af/swp1", "leaf3/lo", "leaf/../x"]
)
def test_wiring_refuses_bad_ends_before_it_makes_anything(tmp_path: Path, end: str):
    switchyard.need_root()
    with Wiring(tmp_path) as wiring:
        with pytest.raises(WiringError, match="WIRING-001"):
            wiring.build([("leaf1/swp1", "spine1/swp1"), (end, "spine1/swp2")])
        assert namespaces.present(wiring.prefix) == []


def test_wiring_says_which_line_frr_refuses(tmp_path: Path):
    switchyard.need_root()
    with Wiring(tmp_path) as wiring:
        wiring.build([("a/swp1", "b/swp1")])
        with pytest.raises(WiringError, match=r"line 2.*nonsense"):
            wiring.start_router("a", "hostname a\nrouter nonsense 65000\n")


def test_nothing_is_left_after_a_kill(tmp_path: Path):
    """kill -9 of the process that made the namespaces: the guard removes them, FRR and lldpd with them."""
    switchyard.need_root()
    script = (
        "import sys, time; from pathlib import Path; from lab.switches.wiring import Wiring\n"
        "w = Wiring(Path(sys.argv[1])); w.build([('a/swp1', 'b/swp1')])\n"
        "w.start_router('a', 'hostname a\\n'); w.start_lldp('b')\n"
        "print('made', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"made\n"
    prefix = namespaces.prefix(tmp_path)
    assert len(namespaces.present(prefix)) == 2
    # zebra, bgpd, lldpd and its helper
    inside = settled(
        lambda: len(found := [pid for one in namespaces.present(prefix) for pid in namespaces.pids(one)]) > 3 and found
    )
    child.send_signal(signal.SIGKILL)
    child.wait()
    settled(lambda: not namespaces.present(prefix) and not list(namespaces.FRR_RUN.glob(f"{prefix}*")), 5)
    settled(lambda: not any(Path(f"/proc/{pid}").exists() for pid in inside), 5)


def test_two_instances_do_not_meet(tmp_path: Path):
    switchyard.need_root()
    with Wiring(tmp_path / "one") as one, Wiring(tmp_path / "two") as two:
        for wiring in (one, two):
            wiring.build(LINKS)
        one.close()
        assert len(namespaces.present(two.prefix)) == 4
        assert namespaces.present(one.prefix) == []
        one.close()
