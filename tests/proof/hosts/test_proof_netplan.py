"""netplan's own generator takes our files, and what it makes of them says what we meant."""

import configparser
import subprocess
from pathlib import Path

import pytest

from railyard.plan import plan
from railyard.plan.hosts import rail_addresses
from railyard.render.hosts import keyfiles, netplan_yaml
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N3")

ROCE = {"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 64}
SITES = {
    "infiniband": {},
    "roce": {"fabric": ROCE},
    "roce with IPv6": {"fabric": ROCE, "addresses": {"ipv6": {"rails": "2001:db8::/40"}}},
    "two planes": {"fabric": ROCE | {"planes": 2}},
}
GENERATOR = Path("/usr/libexec/netplan/generate")


def generate(folder, text):
    """netplan's generator below a folder; AssertionError where it isn't installed."""
    assert GENERATOR.exists(), "netplan.io is missing: engine/debian-packages.txt names it"
    place = folder / "etc/netplan/60-railyard-rails.yaml"
    place.parent.mkdir(parents=True)
    place.write_text(text)
    place.chmod(0o600)
    return subprocess.run([GENERATOR, "--root-dir", folder], capture_output=True, text=True, check=False)


def networkd(folder, netdev):
    """Sections of a .network file: name -> list of key and value pairs (sections and keys repeat)."""
    found = {}
    rows = None
    for line in (folder / f"run/systemd/network/10-netplan-{netdev}.network").read_text().splitlines():
        if line.startswith("["):
            rows = []
            found.setdefault(line.strip("[]"), []).append(rows)
        elif line:
            rows.append(tuple(line.split("=", 1)))
    return found


@pytest.fixture(params=SITES, scope="module")
def node(request):
    made = plan(make_site(**SITES[request.param]))
    return made.hosts, rail_addresses(made.hosts, made.addresses)["t-su001-gpu03"]


def test_netplan_makes_tables_and_rules_of_our_file(node, tmp_path):
    hosts, addresses = node
    done = generate(tmp_path, netplan_yaml(hosts, addresses))
    assert (done.returncode, done.stderr) == (0, "")
    for port in hosts.ports:
        mine = [item for item in addresses if item.netdev == port.netdev]
        made = networkd(tmp_path, port.netdev)
        assert made["RoutingPolicyRule"] == [
            [
                ("From", f"{item.address}/{32 if item.version == 4 else 128}"),
                ("Table", str(item.table)),
                ("Priority", str(item.priority)),
            ]
            for item in mine
        ]
        assert [dict(route)["Table"] for route in made["Route"]] == [str(item.table) for item in mine]
        assert [dict(route).get("Gateway") for route in made["Route"]] == [item.gateway for item in mine]
        assert [value for key, value in made["Network"][0] if key == "Address"] == [
            f"{item.address}/{item.prefix}" for item in mine
        ]
        assert ("LinkLocalAddressing", "no") in made["Network"][0]
        if hosts.mtu is None:
            assert made["IPoIB"] == [[("Mode", "datagram")]]
        else:
            assert ("MTUBytes", str(hosts.mtu)) in made["Link"][0]


def test_our_keyfiles_are_what_netplan_gives_networkmanager_and_the_rules(node, tmp_path):
    """netplan 0.106 leaves the rules out for NetworkManager, silently: that is why the keyfiles are ours."""
    hosts, addresses = node
    done = generate(tmp_path, netplan_yaml(hosts, addresses).replace("renderer: networkd", "renderer: NetworkManager"))
    assert (done.returncode, done.stderr) == (0, "")
    for port in hosts.ports:
        theirs, ours = configparser.ConfigParser(), configparser.ConfigParser()
        theirs.read(tmp_path / f"run/NetworkManager/system-connections/netplan-{port.netdev}.nmconnection")
        ours.read_string(keyfiles(hosts, addresses)[f"{port.netdev}.nmconnection"])
        for section in ("connection", "ethernet", "infiniband", "ipv4", "ipv6"):
            for key, value in theirs[section].items() if section in theirs else ():
                if key in ("id", "wake-on-lan", "ip6-privacy") or (section, key, value) == ("ipv6", "method", "ignore"):
                    continue
                assert ours[section][key] == value, f"{port.netdev}: {section}.{key}"
        assert not any("rule" in key for section in theirs for key in theirs[section]), "netplan knows rules here now: use them"
        assert "routing-rule1" in ours["ipv4"]


def test_netplan_refuses_what_is_broken(node, tmp_path):
    hosts, addresses = node
    text = netplan_yaml(hosts, addresses)
    done = generate(tmp_path, text.replace(f"{addresses[0].address}/{addresses[0].prefix}", "10.0.0.999/31"))
    assert done.returncode != 0
    assert "10.0.0.999" in done.stderr
