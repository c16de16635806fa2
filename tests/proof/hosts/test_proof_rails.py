"""The kernel runs our addresses, routes, rules and sysctls: two nodes, a leaf for each of two rails, in network namespaces.

What leaves a node with the address of rail 1 leaves by rail 1, with 9,000 bytes and without fragments; without the rules it
leaves by the default route.
"""

import pytest

from lab.switches.wiring import Wiring
from railyard.plan import plan
from railyard.plan.hosts import rail_addresses
from railyard.render.hosts import ip_script
from railyard.render.hosts.model import sysctl_conf
from tests.namespaced import need_root
from tests.planned_site import make_site
from tests.proof.frr.routed_fabric import until

pytestmark = pytest.mark.requirement("N3")

A, B = "t-su001-gpu01", "t-su001-gpu02"
FABRIC = {"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 64, "rails": 2}
IN_BAND = "in-band/swp1"


@pytest.fixture(scope="module")
def made():
    return plan(make_site(nodes=2, fabric=FABRIC, addresses={"ipv6": {"rails": "2001:db8::/40"}}))


@pytest.fixture(scope="module")
def addresses(made):
    return rail_addresses(made.hosts, made.addresses)


@pytest.fixture
def wiring(made, addresses, tmp_path):
    """Nodes and leaves as planned, leaves with their ends of each pair, and an in-band network with the default route."""
    need_root()
    with Wiring(tmp_path) as built:
        netdevs = {port.hca: port.netdev for port in made.hosts.ports}
        links = [(_renamed(cable.a, netdevs), cable.z) for cable in made.cables if cable.kind == "node-leaf"]
        built.build([*links, (f"{A}/bond0", IN_BAND)])
        leaves = {far.partition("/")[0] for _, far in links}
        for row in made.addresses:
            if row.device in leaves and row.network.startswith("rail-"):
                run(built, row.device, "ip", "address", "replace", f"{row.address}/{row.prefix}", "dev", row.interface)
        for leaf in leaves:
            run(built, leaf, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1")
        run(built, A, "ip", "address", "add", "10.99.0.1/24", "dev", "bond0")
        run(built, A, "ip", "route", "add", "default", "via", "10.99.0.2")
        yield built


def _renamed(end, netdevs):
    node, _, hca = end.partition("/")
    return f"{node}/{netdevs[hca]}"


def run(wiring, device, *argv):
    done = wiring.run(device, list(argv))
    assert done.returncode == 0, f"{device}: {' '.join(argv)}: {done.stderr}"
    return done.stdout


def configure(wiring, made, addresses, tmp_path, *, rules=True):
    """Our files on both nodes, in the order in which a node reads them."""
    for node in (A, B):
        settings, script = tmp_path / f"{node}.conf", tmp_path / f"{node}.sh"
        settings.write_text(sysctl_conf(made.hosts))
        lines = ip_script(made.hosts, addresses[node]).splitlines()
        script.write_text("\n".join(line for line in lines if rules or " rule " not in line) + "\n")
        run(wiring, node, "sysctl", "-q", "-p", str(settings))
        run(wiring, node, "sh", str(script))
        run(wiring, node, "sh", str(script))
    # An IPv6 address answers nobody while the kernel looks for a double of it: a second, on a busy machine more.
    devices = [A, B, *{end.partition("/")[0] for end in (cable.z for cable in made.cables if cable.kind == "node-leaf")}]
    assert until(lambda: not any(run(wiring, name, "ip", "-6", "address", "show", "tentative") for name in devices), 20.0)


def packets(wiring, device, netdev):
    return int(run(wiring, device, "cat", f"/sys/class/net/{netdev}/statistics/tx_packets"))


def test_each_rail_leaves_by_its_own_interface(wiring, made, addresses, tmp_path):
    configure(wiring, made, addresses, tmp_path)
    for here, there in zip(addresses[A], addresses[B], strict=True):
        route = run(wiring, A, "ip", "route", "get", there.address, "from", here.address)
        assert f"via {here.gateway} dev {here.netdev} table {here.table}" in route
        before = {netdev: packets(wiring, A, netdev) for netdev in ("rail0", "rail1", "bond0")}
        # 9,000 bytes of IP with DF: 20 or 40 of header and 8 of ICMP.
        size = made.hosts.mtu - (28 if here.version == 4 else 48)
        ping = ["ping", "-c", "2", "-i", "0.05", "-W", "2", "-M", "do", "-s", str(size), "-I", here.address, there.address]
        assert "2 received" in run(wiring, A, *ping)
        sent = {netdev: packets(wiring, A, netdev) - count for netdev, count in before.items()}
        other = "rail1" if here.netdev == "rail0" else "rail0"
        assert sent[here.netdev] >= 2
        assert sent[other] + sent["bond0"] < 2, sent


def test_without_rules_a_rail_s_traffic_leaves_elsewhere(wiring, made, addresses, tmp_path):
    configure(wiring, made, addresses, tmp_path, rules=False)
    here, there = addresses[A][2], addresses[B][2]
    assert here.netdev == "rail1"
    route = run(wiring, A, "ip", "route", "get", there.address, "from", here.address)
    assert "dev bond0" in route
    done = wiring.run(A, ["ping", "-c", "1", "-W", "1", "-I", here.address, there.address])
    assert done.returncode != 0


def test_one_byte_more_than_the_mtu_does_not_pass(wiring, made, addresses, tmp_path):
    configure(wiring, made, addresses, tmp_path)
    here, there = addresses[A][0], addresses[B][0]
    size = str(made.hosts.mtu - 27)
    done = wiring.run(A, ["ping", "-c", "1", "-W", "1", "-M", "do", "-s", size, "-I", here.address, there.address])
    assert done.returncode != 0


def test_a_rail_does_not_answer_for_another(wiring, made, addresses, tmp_path):
    """arp_ignore: rail 0 is not asked for rail 1's address, and would not answer (NVIDIA/nccl#1109)."""
    configure(wiring, made, addresses, tmp_path)
    mine = [item for item in addresses[A] if item.version == 4]
    leaf0 = next(
        end.partition("/")[0] for end in (cable.z for cable in made.cables if cable.rail == 0 and cable.a.startswith(A))
    )
    port = next(cable.z.partition("/")[2] for cable in made.cables if cable.rail == 0 and cable.a.startswith(A))
    for item, answered in ((mine[0], True), (mine[1], False)):
        run(wiring, leaf0, "ip", "route", "replace", f"{item.address}/32", "dev", port)
        run(wiring, leaf0, "ip", "neigh", "flush", "dev", port)
        wiring.run(leaf0, ["ping", "-c", "1", "-W", "1", item.address])
        state = run(wiring, leaf0, "ip", "neigh", "show", item.address, "dev", port)
        assert ("lladdr" in state) is answered, state
