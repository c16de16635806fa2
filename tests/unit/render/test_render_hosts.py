"""Files of GPU nodes: rules by source address, exact lists, scripts that run, and nothing that no source says."""

import configparser
import json
import subprocess
import xml.etree.ElementTree as ET
from math import ceil
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from railyard.model.lossless import Lossless
from railyard.plan import plan
from railyard.plan.hosts import rail_addresses
from railyard.render.hosts import (
    NODE_FOLDERS_MAX,
    host_files,
    ip_script,
    keyfiles,
    model_files,
    nccl_topology_xml,
    netplan_yaml,
    node_files,
)
from railyard.render.hosts.model import check_script, qos_script, sysctl_conf, udev_rules
from tests.planned_site import make_site

pytestmark = pytest.mark.requirement("N3", "U4")

ROCE = {"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 64}
NODE = "t-su001-gpu03"


@pytest.fixture(scope="module")
def infiniband():
    return plan(make_site())


@pytest.fixture(scope="module")
def roce():
    return plan(make_site(fabric=ROCE, addresses={"ipv6": {"rails": "2001:db8::/40"}}))


def mine(made):
    return rail_addresses(made.hosts, made.addresses)[NODE]


def test_netplan_has_a_table_and_a_rule_for_each_rail(roce):
    value = YAML(typ="safe").load(netplan_yaml(roce.hosts, mine(roce)))["network"]
    assert value["renderer"] == "networkd", "netplan's NetworkManager renderer drops rules by source"
    rails = value["ethernets"]
    assert list(rails) == [f"rail{rail}" for rail in range(8)]
    for number, rail in enumerate(rails.values()):
        tables = {row["table"] for row in (*rail["routes"], *rail["routing-policy"])}
        assert tables == {100 + number}
        assert [row["from"].partition("/")[0] for row in rail["routing-policy"]] == [
            text.partition("/")[0] for text in rail["addresses"]
        ]
        assert [row["to"] for row in rail["routes"]] == ["10.32.0.0/12", "2001:db8::/40"]
        assert rail["mtu"] == 9000
        assert "gateway4" not in rail
        assert not any(row["to"] in ("default", "0.0.0.0/0") for row in rail["routes"]), (
            "the default route is the in-band network's"
        )


def test_ipoib_has_a_mode_and_no_mtu_of_ours(infiniband):
    rail = YAML(typ="safe").load(netplan_yaml(infiniband.hosts, mine(infiniband)))["network"]["ethernets"]["rail0"]
    assert rail["infiniband-mode"] == "datagram"
    assert "mtu" not in rail
    assert rail["routes"] == [{"to": "10.32.0.0/15", "scope": "link", "table": 100}]


def test_keyfiles_say_the_same_as_netplan(roce):
    for netdev, text in keyfiles(roce.hosts, mine(roce)).items():
        file = configparser.ConfigParser()
        file.read_string(text)
        here = [item for item in mine(roce) if f"{item.netdev}.nmconnection" == netdev]
        assert file["connection"]["type"] == "ethernet"
        assert file["ethernet"]["mtu"] == "9000"
        for section, item in zip(("ipv4", "ipv6"), here, strict=True):
            assert file[section]["address1"] == f"{item.address}/{item.prefix}"
            assert file[section]["route1"] == f"{item.networks[0]},{item.gateway}"
            assert file[section]["route1_options"] == f"table={item.table}"
            whole = 32 if section == "ipv4" else 128
            assert file[section]["routing-rule1"] == f"priority {item.priority} from {item.address}/{whole} table {item.table}"
            assert file[section]["never-default"] == "true"


def test_a_family_without_addresses_is_switched_off(infiniband):
    file = configparser.ConfigParser()
    file.read_string(keyfiles(infiniband.hosts, mine(infiniband))["rail0.nmconnection"])
    assert file["ipv6"]["method"] == "disabled"
    assert file["infiniband"]["transport-mode"] == "datagram"


def test_udev_names_by_slot(infiniband):
    rules = [line for line in udev_rules(infiniband.hosts).splitlines() if not line.startswith("#")]
    assert rules[3] == (
        'SUBSYSTEM=="net", ACTION=="add", KERNELS=="0000:5e:00.0", ATTR{type}=="32", '
        'PROGRAM=="/usr/bin/test $attr{ifindex} -eq $attr{iflink}", NAME="rail3"'
    )
    assert len(rules) == 8
    assert "User Guide" in udev_rules(infiniband.hosts), "where the addresses come from"


def test_udev_tells_the_type_of_a_rail(infiniband):
    """A child of a partition has the PCI parent of its rail, and a VLAN none: neither may take the rail's name."""
    roce = infiniband.hosts.model_copy(update={"transport": "roce", "mtu": 9000})
    assert 'ATTR{type}=="1"' in udev_rules(roce)
    assert 'ATTR{type}=="32"' not in udev_rules(roce)
    for rule in udev_rules(infiniband.hosts).splitlines():
        assert rule.startswith("#") or rule.index("PROGRAM==") > rule.index("KERNELS=="), "eight are asked, not all"


def test_what_nobody_knows_is_said_in_the_files():
    hosts = plan(make_site(compute={"nodeModel": "dgx-b200"})).hosts
    files = model_files(hosts)
    assert "no PCI address of rail[0-7] on a dgx-b200" in files["70-railyard-rails.rules"]
    assert "SUBSYSTEM" not in files["70-railyard-rails.rules"]
    assert "Names are assumed" in files["nccl.conf"]
    assert "nccl-topo.xml" not in files
    assert "interfaces are not named by slot" in files["README.md"]
    assert "NCCL topology file" in files["README.md"]
    assert run_check(files["check-nics.sh"], Path("/nonexistent")).returncode == 1, "nothing to compare is no pass"


def test_sysctl_has_every_rail(roce):
    lines = sysctl_conf(roce.hosts).splitlines()
    assert "net.ipv4.conf.rail7.rp_filter = 2" in lines
    assert sum("arp_announce = 2" in line for line in lines) == 8


def run_check(text, sysfs):
    return subprocess.run(
        ["/bin/sh", "-c", text],
        env={"RAILYARD_SYS": str(sysfs), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def fake_sysfs(folder, hosts, swapped=()):
    slots = {port.device: port.pci for port in hosts.ports}
    if swapped:
        one, two = swapped
        slots[one], slots[two] = slots[two], slots[one]
    for port in hosts.ports:
        (folder / "class/net" / port.netdev).mkdir(parents=True)
        device = folder / "devices" / str(slots[port.device])
        device.mkdir(parents=True, exist_ok=True)
        (folder / "class/infiniband" / port.device).mkdir(parents=True)
        (folder / "class/infiniband" / port.device / "device").symlink_to(device)
    return folder


def test_the_nic_check_passes_where_devices_are_in_their_slots(infiniband, tmp_path):
    done = run_check(check_script(infiniband.hosts), fake_sysfs(tmp_path, infiniband.hosts))
    assert (done.returncode, done.stderr) == (0, "")


def test_the_nic_check_names_devices_in_the_wrong_slot(infiniband, tmp_path):
    """NVIDIA/nccl#1277: one node has other numbers."""
    sysfs = fake_sysfs(tmp_path, infiniband.hosts, ("mlx5_3", "mlx5_10"))
    (sysfs / "class/net/rail7").rmdir()
    done = run_check(check_script(infiniband.hosts), sysfs)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "rail1: mlx5_3 is in slot 0000:ce:00.0, not in 0000:40:00.0",
        "rail6: mlx5_10 is in slot 0000:40:00.0, not in 0000:ce:00.0",
        "rail7: no such interface",
    ]


def test_the_nic_check_says_what_is_missing(infiniband, tmp_path):
    done = run_check(check_script(infiniband.hosts), tmp_path)
    assert done.returncode == 1
    assert "rail0: mlx5_0 is in slot none, not in 0000:18:00.0" in done.stderr


def run_qos(folder, hosts, contract, cable_m=0.0):
    """The script with tools that write down how they were called, and the files that it writes."""
    tools = folder / "tools"
    tools.mkdir()
    for name in ("mlnx_qos", "cma_roce_mode", "cma_roce_tos", "ethtool"):
        (tools / name).write_text(f'#!/bin/sh\necho {name} "$@" >> {folder}/calls\n')
        (tools / name).chmod(0o755)
    for port in hosts.ports:
        for path in (
            f"class/infiniband/{port.device}/tc/1",
            *(f"class/net/{port.netdev}/ecn/{side}/enable" for side in ("roce_np", "roce_rp")),
        ):
            (folder / "sys" / path).mkdir(parents=True)
    env = {"RAILYARD_SYS": str(folder / "sys"), "PATH": f"{tools}:/usr/bin:/bin"}
    done = subprocess.run(
        ["/bin/sh", "-c", qos_script(hosts, contract, cable_m)], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return (folder / "calls").read_text().splitlines()


def test_the_qos_script_trusts_dscp_and_pauses_the_lossless_priority(roce, tmp_path):
    calls = run_qos(tmp_path, roce.hosts, Lossless())
    assert "mlnx_qos -i rail0 --trust dscp" in calls
    assert "mlnx_qos -i rail7 --pfc 0,0,0,1,0,0,0,0" in calls
    assert "mlnx_qos -i rail0 --dscp2prio set,26,3" in calls
    assert "cma_roce_tos -d mlx5_11 -t 104" in calls
    assert "ethtool -A rail0 rx off tx off" in calls, "no global pause beside PFC"
    written = tmp_path / "sys/class"
    assert (written / "infiniband/mlx5_3/tc/1/traffic_class").read_text() == "104\n"
    assert (written / "net/rail1/ecn/roce_np/enable/3").read_text() == "1\n"
    assert (written / "net/rail1/ecn/roce_np/cnp_dscp").read_text() == "48\n"


def test_the_qos_script_follows_the_contract(roce, tmp_path):
    contract = Lossless(dscp=24, priority=4, congestion="receiver-driven")
    calls = run_qos(tmp_path, roce.hosts, contract)
    assert "mlnx_qos -i rail0 --pfc 0,0,0,0,1,0,0,0" in calls
    assert "cma_roce_tos -d mlx5_0 -t 96" in calls
    assert (tmp_path / "sys/class/net/rail0/ecn/roce_rp/enable/4").read_text() == "0\n"


def test_the_nic_s_own_headroom_follows_the_longest_cable(roce, tmp_path):
    """The driver takes 7 m unless it is told."""
    assert "cable_len" not in qos_script(roce.hosts, Lossless())
    longest = max(cable.length_m for cable in roce.cables if cable.kind == "node-leaf")
    text = host_files(roce.hosts, roce.machines, roce.addresses, roce.cables)[f"{roce.hosts.model}/qos.sh"]
    assert f'mlnx_qos -i "$1" --cable_len={ceil(longest)} ||' in text
    calls = run_qos(tmp_path, roce.hosts, Lossless(), 12.5)
    assert [call for call in calls if "cable_len" in call] == [f"mlnx_qos -i rail{rail} --cable_len=13" for rail in range(8)]


def test_infiniband_has_no_qos_script(infiniband):
    assert "qos.sh" not in model_files(infiniband.hosts)
    assert "qos.sh" not in model_files(infiniband.hosts)["railyard-rails.service"]


def topology(made):
    text = nccl_topology_xml(made.hosts)
    assert text is not None
    return ET.fromstring(text)


def test_nccl_topology_pairs_each_gpu_with_the_nic_of_its_rail(infiniband):
    """Format of NVIDIA/nccl src/graph/xml.cc; no NCCL reads it here."""
    root = topology(infiniband)
    assert (root.tag, root.attrib) == ("system", {"version": "1"})
    assert [cpu.get("numaid") for cpu in root] == ["0", "1"]
    pairs = {}
    for cpu in root:
        assert cpu.attrib.keys() == {"numaid", "arch", "vendor", "familyid", "modelid"}
        for bridge in cpu:
            gpu, nic = list(bridge)
            assert (bridge.get("class"), gpu.get("class"), nic.get("class")) == ("0x060400", "0x030200", "0x020700")
            net = nic.find("nic/net")
            assert net is not None
            pairs[gpu.get("busid")] = (nic.get("busid"), net.get("name"), net.get("rail"), net.get("plane"), net.get("speed"))
    assert len(pairs) == 8
    assert pairs["0000:1b:00.0"] == ("0000:18:00.0", "mlx5_0", "0", "0", "400000")
    assert pairs["0000:df:00.0"] == ("0000:dc:00.0", "mlx5_11", "7", "0", "400000")
    busids = [pci.get("busid") for pci in root.iter("pci")]
    assert len(set(busids)) == len(busids) == 24


def test_nccl_topology_says_the_transport(roce):
    assert {pci.get("class") for pci in topology(roce).iter("pci")} == {"0x060400", "0x030200", "0x020000"}


def test_half_a_topology_is_none(infiniband):
    ports = infiniband.hosts.ports
    blind = (*ports[:7], ports[7].model_copy(update={"gpu_pci": None}))
    assert nccl_topology_xml(infiniband.hosts.model_copy(update={"ports": blind})) is None
    assert nccl_topology_xml(infiniband.hosts.model_copy(update={"pcie_gts": None})) is None


def test_small_sites_get_a_folder_for_each_node_and_large_ones_a_table():
    small = plan(make_site(nodes=NODE_FOLDERS_MAX))
    files = host_files(small.hosts, small.machines, small.addresses)
    assert "t-su001-gpu32/60-railyard-rails.yaml" in files
    shape = {"nodesPerUnit": 32, "scalableUnits": 2}
    large = plan(make_site(nodes=NODE_FOLDERS_MAX + 1, fabric=shape))
    files = host_files(large.hosts, large.machines, large.addresses)
    assert not any("gpu" in path for path in files)
    table = json.loads(files["su002.json"])["t-su002-gpu01"]
    assert table[0] == {
        "netdev": "rail0", "hca": "mlx5_0", "rail": 0, "plane": 0, "address": "10.32.0.64", "prefix": 15, "gateway": None,
        "networks": ["10.32.0.0/12"], "table": 100, "priority": 1000,
    }  # fmt: skip
    one = node_files(large.hosts, rail_addresses(large.hosts, large.addresses)["t-su002-gpu01"])
    assert set(one) == {"60-railyard-rails.yaml", "rails.sh", *(f"rail{rail}.nmconnection" for rail in range(8))}


def test_ip_lines_say_the_same(roce):
    lines = ip_script(roce.hosts, mine(roce)).splitlines()
    first, six = mine(roce)[:2]
    assert lines[3:5] == ["ip link set rail0 mtu 9000 up", f"ip address replace {first.address}/31 dev rail0"]
    assert f"ip route replace 10.32.0.0/12 via {first.gateway} dev rail0 table 100" in lines
    assert f"ip -4 rule add from {first.address}/32 table 100 priority 1000" in lines
    assert f"ip -6 rule add from {six.address}/128 table 100 priority 1000" in lines


def test_a_node_without_addresses_gets_no_files(infiniband):
    assert node_files(infiniband.hosts, ()) == {}
