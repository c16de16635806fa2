"""Tables, LLDP, .topo, PTM dot and `nvidia-smi topo -m`: samples 12 and 13, their traps, and broken ones."""

import json

import pytest

from railyard.read import ReadError, read_fabric, read_nics
from tests.unit.audit_files import DATA, observed, seen

pytestmark = pytest.mark.requirement("N5")


def links(file):
    return [(one.name, one.port, one.far_name, one.far_port) for one in file.links]


def refused(text, name="f"):
    with pytest.raises(ReadError) as error:
        seen(text, name)
    return error.value.problems


def test_p2p_sheet_with_mapping():
    """Duplicate headers count by position; the mapping exchanges 1 and 2; split and non-numeric ports stay what they are."""
    for order in (("p2p_cvt.csv", "hca_mapping.csv"), ("hca_mapping.csv", "p2p_cvt.csv")):
        (file,) = observed(*order)
        assert links(file) == [
            ("host-073", "mlx5_1", "leaf-t4", "sw1p1"),
            ("host-03", "mlx5_1", "leaf-hdr01", "1/3"),
            ("host-04", "mlx5_2", "leaf-hdr01", "1/4"),
        ]


def test_p2p_sheet_without_mapping_keeps_the_numbers():
    (file,) = observed("p2p_cvt.csv")
    assert [one.port for one in file.links] == ["1", "1", "3"]


def test_mapping_maps_port_2_to_the_first_adapter():
    text = "Rack,U,Name,HCA/Port,Rack,U,Name,Port\n1,2,h,2,1,2,leaf,P7\n"
    (file,) = read_fabric([("p", text.encode()), ("m", (DATA / "hca_mapping.csv").read_bytes())])
    assert links(file) == [("h", "mlx5_0", "leaf", "7")]


def test_mapping_that_contradicts_itself():
    with pytest.raises(ReadError) as error:
        read_fabric([("m", b"port,hca-name\n1,mlx5_0\n1,mlx5_1\n"), ("p", (DATA / "p2p_cvt.csv").read_bytes())])
    assert [(p.id, p.where) for p in error.value.problems] == [("READ-005", "m:3:1")]


def test_topo_links_twice_and_once():
    (file,) = observed("ibdiagnet_topo_example.topo")
    assert len(file.links) == 6
    # P40-P62 stands in both directions, P39-P61 only from the spine.
    between = [one for one in links(file) if one[2] != "host-04" and one[2] != "host-05"]
    assert between == [
        ("leaf-hdr01", "40", "spine-ndr05", "62"),
        ("spine-ndr05", "61", "leaf-hdr01", "39"),
        ("spine-ndr05", "62", "leaf-hdr01", "40"),
    ]
    assert links(file)[0] == ("leaf-hdr01", "2", "host-04", "mlx5_0")
    assert {one.gbps for one in file.links} == {200.0}


@pytest.mark.parametrize(
    "line", ["  P2 -4x-50G-> HCA_x host", "  P2 -> ", "just one\n two three four five six", "  P2 -5x-50G-> M s P1"]
)
def test_topo_lines_that_mean_nothing(line):
    problems = refused(f"M8700 leaf\n  P1 -4x-50G-> M9700 spine P1\n{line}\n")
    assert problems[0].id == "READ-002"
    assert problems[0].line in (3, 4)


def test_ptm_dot():
    text = """graph G { # comment
      hostnametype="hostname"
      LLDP="match_type=ifname"
      "leaf1":"swp1" -- "spine1":"swp2" [LLDP="match_hostname=hostname" BFD="upMinTx=150"]
      leaf-2:swp1 -- "spine1":"swp3"; // two
      /* "x":"y" -- "z":"w" */
      "a":"1" -> "b":"2"
      node [shape=box]
    }"""
    (file,) = seen(text)
    assert links(file) == [("leaf1", "swp1", "spine1", "swp2"), ("leaf-2", "swp1", "spine1", "swp3"), ("a", "1", "b", "2")]
    assert [one.line for one in file.links] == [4, 5, 7]


def test_ptm_dot_broken():
    problem, *_ = refused('graph G {\n  "leaf1" -- "spine1":"swp2"\n}')
    assert (problem.where, problem.found) == ("f:2:3", "`leaf1` without a port")
    assert "READ-002" in [p.id for p in refused('graph G {\n "a":"1" -- "b":"2" [LLDP="x"')]
    assert "READ-002" in [p.id for p in refused('graph G {\n "a":"1" -- "b":"2"\n "unclosed')]


NETBOX = (
    "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status,label,color,length,length_unit\n"
    "leaf1,dcim.interface,swp1,spine1,dcim.interface,swp2,mmf-om4,connected,L1,,30,m\n"
    "leaf1,interface,swp2,spine1,interface,swp4,mmf-om4,,L2,,30,m\n"
    "leaf1,dcim.interface,swp3,spine1,dcim.interface,swp6,mmf-om4,planned,L3,,30,m\n"
    "leaf1,dcim.powerport,PSU1,pdu1,dcim.poweroutlet,1,power,connected,P1,,2,m\n"
)


def test_netbox_counts_connected_interfaces_only():
    (file,) = seen(NETBOX)
    assert links(file) == [("leaf1", "swp1", "spine1", "swp2"), ("leaf1", "swp2", "spine1", "swp4")]
    (file,) = seen(NETBOX.replace(",", ";"))
    assert len(file.links) == 2


def test_netbox_broken():
    assert refused(NETBOX.replace("side_a_name,", "", 1))[0].found == "no column side_a_name"
    assert refused(NETBOX.replace("leaf1,interface,swp2", "leaf1,interface,"))[0].where == "f:3:1"
    assert refused(NETBOX + 'x,"y\n')[0].id == "READ-002"
    assert refused(NETBOX.partition("\n")[0])[0].id == "READ-003"


CABLES = "id,kind,a_device,a_port,z_device,z_port,a_second,z_second,serial,test_result\n"


def test_returned_schedule_with_two_links_in_a_cable():
    (file,) = seen(CABLES + "c1,leaf-spine,leaf,33,spine,1,leaf/34,spine/2,S1,pass\nc2,oob,n,bmc,sw,swp1,,,,\n")
    assert links(file) == [("leaf", "33", "spine", "1"), ("leaf", "34", "spine", "2"), ("n", "bmc", "sw", "swp1")]
    assert [(row.cable, row.serial, row.result) for row in file.sheet] == [("c1", "S1", "pass"), ("c2", "", "")]


def test_returned_schedule_undoes_the_guard_against_formulas():
    (file,) = seen(CABLES + "'=c1,oob,'-n,bmc,sw,swp1,,,S,pass\n")
    assert file.sheet[0].cable == "=c1"
    assert links(file) == [("-n", "bmc", "sw", "swp1")]


@pytest.mark.parametrize("name", ["lldp_many.json", "lldp_many_json0.json"])
def test_lldp_of_many_neighbours(name):
    (file,) = seen((DATA / name).read_bytes(), "lldp/t-su001-leaf-r0.json")
    assert links(file) == [
        ("t-su001-leaf-r0", "swp1", "t-spine001", "swp7"),
        ("t-su001-leaf-r0", "swp2", "t-su001-gpu01", "eth3"),
    ]
    assert [bool(one.far_mac) for one in file.links] == [False, True]
    assert not file.whole


def test_lldp_of_one_neighbour_is_an_object():
    (file,) = seen((DATA / "lldp_one.json").read_bytes(), "t-spine001.json")
    assert links(file) == [("t-spine001", "swp7", "t-su001-leaf-r0", "swp1")]


def test_lldp_of_several_devices_in_one_file():
    one, many = (json.loads((DATA / name).read_text()) for name in ("lldp_one.json", "lldp_many.json"))
    (file,) = seen(json.dumps({"s": one, "l": many}), "all.json")
    assert {device.name for device in file.devices} == {"s", "l"}
    assert len(file.links) == 3


def test_lldp_without_neighbours_or_names():
    (file,) = seen('{"lldp": {}}', "leaf.json")
    assert (file.links, [device.name for device in file.devices]) == ((), ["leaf"])
    chassis, port = '{"id":{"type":"mac","value":"aa"},"descr":"x"}', '{"id":{"type":"mac","value":"AA:00"}}'
    (file,) = seen(f'{{"lldp":{{"interface":{{"swp1":{{"chassis":{chassis},"port":{port}}}}}}}}}', "leaf.json")
    assert [(one.far_name, one.far_mac) for one in file.links] == [("", "aa:00")]


def test_lldp_two_neighbours_under_one_key_are_both_told():
    """Python's dict would keep the last one only."""
    port = '{"chassis":{"%s":{"id":{"type":"local","value":"x"}}},"port":{"id":{"type":"ifname","value":"swp9"}}}'
    text = '{"lldp":{"interface":{"swp1":%s,"swp1":%s}}}' % (port % "spine1", port % "spine2")  # noqa: UP031
    (file,) = seen(text, "leaf.json")
    assert [one.far_name for one in file.links] == ["spine1", "spine2"]


@pytest.mark.parametrize(
    "text", ['{"lldp": {"interface": [', "[" * 100_000, '{"a": 1}', "[]", '{"lldp":{"interface":{"swp1":{"chassis":{}}}}}']
)
def test_lldp_broken(text):
    assert {p.id for p in refused(text, "leaf.json")} <= {"READ-002", "READ-003"}


def owned(name):
    return read_nics(name, (DATA / name).read_bytes())


def test_sample_13_gpus_and_their_nics():
    wide = owned("topo_m_h100_12nic.txt")
    assert wide.rails == tuple(f"NIC{n}" for n in (0, 1, 2, 3, 6, 7, 8, 9))
    assert set(wide.nics) - set(wide.rails) == {"NIC4", "NIC5", "NIC10", "NIC11"}
    assert not wide.numa_hidden
    hidden = owned("topo_m_numa_hidden.txt")
    assert hidden.rails == tuple(f"NIC{n}" for n in (0, 1, 2, 5, 6, 7, 8, 11))
    assert hidden.numa_hidden
    few = owned("topo_m_6nic_partial.txt")
    assert few.rails is None
    assert few.own == {
        "GPU0": ("NIC0", "NIC1"), "GPU1": (), "GPU2": (), "GPU3": ("NIC2",),
        "GPU4": ("NIC3", "NIC4"), "GPU5": (), "GPU6": ("NIC5",), "GPU7": (),
    }  # fmt: skip
    assert few.numa["GPU0"] == "0"  # the blank CPU cell before it moved nothing


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda text: text.replace("PIX", "PIZ", 1), "`PIZ` in column NIC0"),
        (lambda text: text.replace("\n", "\t\n").replace("\t", "    "), "no header with GPU0"),
        (lambda text: "\n".join(text.split("\n")[:5]), "no row of GPU3"),
        (lambda text: text + text.split("\n")[2], "GPU0 again"),
    ],
)
def test_topology_matrix_broken(change, found):
    text = (DATA / "topo_m_h100_12nic.txt").read_text()
    with pytest.raises(ReadError) as error:
        read_nics("t", change(text).encode())
    assert found in [p.found for p in error.value.problems]


def test_a_topology_matrix_is_no_file_of_cables():
    problems = refused((DATA / "topo_m_h100_12nic.txt").read_bytes())
    assert problems[0].id == "READ-004"
