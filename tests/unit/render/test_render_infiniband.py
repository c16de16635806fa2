"""InfiniBand files as text: stable, hostile names harmless, port GUIDs where port GUIDs belong."""

import json
import re

import msgspec
import pytest

from railyard.model.infiniband import Adapter, PartitionPlan, Subnet, SubnetLink, SubnetSwitch
from railyard.plan import plan
from railyard.plan.infiniband import subnets
from railyard.plan.partitions import rules_of
from railyard.render.artefacts import artefacts
from railyard.render.infiniband import infiniband_files, netlist, node_name_map, partitions_conf, subnet_files, ufm_pkeys
from railyard.render.infiniband.opensm import guid_files, opensm_production, opensm_proof
from tests.planned_site import SiteMaker
from tests.unit.rules.infiniband_factory import infiniband

pytestmark = pytest.mark.requirement("N4", "X1")


def small(host: str = "t-su001-gpu01", leaf: str = "t-su001-leaf-r0") -> Subnet:
    """One host, one storage server, a fabric manager; a leaf and a spine."""
    ends = [(host, "mlx5_0", "compute"), ("t-sto01", "mlx5_0", "storage"), ("t-ufm01", "ib0", "manager")]
    adapters = tuple(
        Adapter(device, port, role, 0x0C42A10300000000 + 16 * at, 0x0C42A10300000008 + 16 * at)
        for at, (device, port, role) in enumerate(ends)
    )
    switches = (SubnetSwitch("t-spine001", "spine", 0xAA, 4), SubnetSwitch(leaf, "leaf", 0xBB, 4))
    links = (*(SubnetLink(row.key, 1, leaf, at + 1) for at, row in enumerate(adapters)), SubnetLink(leaf, 4, "t-spine001", 1))
    return Subnet("compute", 0xFE80 << 48, 400, switches, adapters, links)


TENANT = PartitionPlan(name="research", key=0x123, nodes=("t-su001-gpu01",), storage=("t-sto01",))


def test_the_netlist_is_what_ibnetdiscover_prints():
    assert netlist(small()) == (
        "# compute: 2 switches, 3 adapters, 4 links, as planned.\n"
        "# For ibsim, and for a comparison with what ibnetdiscover prints. Rates are simulated: 4xHDR for 400 Gb/s.\n"
        "switchguid=0xaa(0xaa)\n"
        'Switch\t4 "S-00000000000000aa"\t\t# "t-spine001" enhanced port 0 lid 0 lmc 0\n'
        '[1]\t"S-00000000000000bb"[4]\t\t# "t-su001-leaf-r0" lid 0 4xHDR\n'
        "\n"
        "switchguid=0xbb(0xbb)\n"
        'Switch\t4 "S-00000000000000bb"\t\t# "t-su001-leaf-r0" enhanced port 0 lid 0 lmc 0\n'
        '[1]\t"H-0c42a10300000000"[1](c42a10300000008)\t\t# "t-su001-gpu01 mlx5_0" lid 0 4xHDR\n'
        '[2]\t"H-0c42a10300000010"[1](c42a10300000018)\t\t# "t-sto01 mlx5_0" lid 0 4xHDR\n'
        '[3]\t"H-0c42a10300000020"[1](c42a10300000028)\t\t# "t-ufm01 ib0" lid 0 4xHDR\n'
        '[4]\t"S-00000000000000aa"[1]\t\t# "t-spine001" lid 0 4xHDR\n'
        "\n"
        "caguid=0xc42a10300000000\n"
        'Ca\t1 "H-0c42a10300000000"\t\t# "t-su001-gpu01 mlx5_0"\n'
        '[1](c42a10300000008)\t"S-00000000000000bb"[1]\t\t# "t-su001-leaf-r0" lid 0 4xHDR\n'
        "\n"
        "caguid=0xc42a10300000010\n"
        'Ca\t1 "H-0c42a10300000010"\t\t# "t-sto01 mlx5_0"\n'
        '[1](c42a10300000018)\t"S-00000000000000bb"[2]\t\t# "t-su001-leaf-r0" lid 0 4xHDR\n'
        "\n"
        "caguid=0xc42a10300000020\n"
        'Ca\t1 "H-0c42a10300000020"\t\t# "t-ufm01 ib0"\n'
        '[1](c42a10300000028)\t"S-00000000000000bb"[3]\t\t# "t-su001-leaf-r0" lid 0 4xHDR\n'
        "\n"
    )


@pytest.mark.parametrize("name", ['a"\nSwitch 9 "b', "x#y@z", "line\x00\u2028", "größe"])
def test_a_hostile_name_stays_inside_its_quotation_marks(name: str):
    for text in (netlist(small(leaf=name)), node_name_map(small(leaf=name))):
        assert len(re.findall("^Switch", text, re.MULTILINE)) in (0, 2)
        assert all(line.count('"') % 2 == 0 for line in text.splitlines())


def test_guid_files_hold_switch_guids_and_port_guids():
    assert guid_files(small()) == {
        "root_guids.conf": "0x00000000000000aa\n",
        "cn_guids.conf": "0x0c42a10300000008\n",
        "io_guids.conf": "0x0c42a10300000018\n",
    }


def test_the_proof_file_names_only_files_that_there_are():
    subnet = small()
    text = opensm_proof(subnet, "/x")
    named = set(re.findall(r"/x/(\S+)", text))
    assert named <= set(subnet_files(subnet))
    assert named == {"cn_guids.conf", "io_guids.conf", "node-name-map", "partitions.conf", "root_guids.conf"}
    assert "routing_engine ftree,updn\n" in text
    assert "# On t-ufm01, port ib0: add `guid 0x0c42a10300000028`.\n" in text
    assert "lmc 0\n" in text


def test_the_production_file_says_that_nobody_ran_it():
    text = opensm_production(small(), None)
    assert "NOT RUN" in text
    assert "routing_engine ar_updn\n" in text
    assert "sharp_enabled 0\n" in text, "nothing runs its aggregation manager until the site asks for it"


def test_sharp_says_where_its_aggregation_manager_runs():
    """Switched on, and no host to run it: NCCL would look for trees that nobody makes."""
    text = opensm_production(small(), infiniband(sharp=True))
    assert "sharp_enabled 2\n" in text
    assert "aggregation manager (sharp_am, a plugin of UFM) runs on t-ufm01, beside" in text
    bare = msgspec.structs.replace(small(), adapters=tuple(row for row in small().adapters if row.role != "manager"))
    assert "runs nowhere: no host is planned (FABRIC-079)" in opensm_production(bare, infiniband(sharp=True))
    assert "aggregation" not in opensm_production(small(), infiniband())


def test_with_tenants_all_are_limited_but_managers_and_the_tenants_key_comes_first():
    assert partitions_conf(small(), [TENANT]).splitlines()[1:] == [
        "Default=0x7fff, ipoib, mtu=5 :",
        "  ALL=limited, SELF=full, 0x0c42a10300000028=full;",
        "research=0x0123, indx0, ipoib, mtu=5 :",
        "  0x0c42a10300000008=full, 0x0c42a10300000018=full;",
    ]


def test_without_tenants_all_are_full():
    assert "ALL=full, SELF=full" in partitions_conf(small(), [])
    assert ufm_pkeys(small(), []) == "[]\n"


def test_a_tenant_without_ports_in_the_subnet_has_no_rule():
    elsewhere = PartitionPlan(name="other", key=2, nodes=("t-su009-gpu01",))
    assert [rule.name for rule in rules_of(small(), [elsewhere, TENANT])] == ["Default", "research"]


def test_ufm_gets_port_guids_without_prefix():
    assert json.loads(ufm_pkeys(small(), [TENANT])) == [
        {
            "pkey": "0x123",
            "index0": True,
            "ip_over_ib": True,
            "membership": "full",
            "guids": ["0c42a10300000008", "0c42a10300000018"],
        }
    ]


def test_planned_guids_are_marked_in_every_file_that_holds_them(site: SiteMaker):
    subnet = subnets(plan(site(nodes=2)))[0]
    files = subnet_files(subnet)
    for name in ("fabric.net", "root_guids.conf", "cn_guids.conf", "partitions.conf"):
        assert "28 of 28 GUIDs are planned" in files[name], name


def test_files_are_written_for_infiniband_and_the_same_each_time(site: SiteMaker):
    made = plan(site(nodes=2))
    files = {name for name in artefacts(made, []) if name.startswith("infiniband/")}
    assert {name.split("/")[1] for name in files} == {"compute", "storage"}
    assert infiniband_files(subnets(made)) == infiniband_files(subnets(plan(site(nodes=2))))


def test_ethernet_has_no_infiniband_files(site: SiteMaker):
    made = plan(site(nodes=2, fabric={"transport": "roce", "switchModel": "sn5600", "nodesPerUnit": 16}))
    assert not [name for name in artefacts(made, []) if name.startswith("infiniband/")]
