"""ibnetdiscover and iblinkinfo: real files, the traps in them, and text that is none of theirs."""

import gzip
import time
import zlib

import pytest

from railyard.read import ReadError, read_fabric
from tests.unit.audit_files import DATA, observed, seen

pytestmark = pytest.mark.requirement("N5")

SWITCH = 'Switch\t65 "S-0000000000000001"\t\t# "MF0;leaf-01:MQM9700/U1" enhanced port 0 lid 1 lmc 0\n'
PORT = '[1]\t"H-00000000000000a1"[1](00000000000000a1) \t\t# "host-1 mlx5_0" lid 2 4xNDR\n'


def refused(*files):
    with pytest.raises(ReadError) as error:
        read_fabric(files)
    return error.value.problems


def test_sample_8():
    (file,) = observed("ibnetdiscover_gb_576ep.txt.gz")
    kinds = [device.kind for device in file.devices]
    assert (file.format, kinds.count("switch"), kinds.count("host"), kinds.count("aggregation")) == (
        "ibnetdiscover",
        40,
        542,
        40,
    )
    # 31 leaves' links to spines and to all CAs, each told by both ends.
    assert len(file.links) == 2 * (532 + 582)
    assert {one.gbps for one in file.links} == {400.0}


def test_sample_10_has_no_switch_records():
    (problem,) = refused(("x", (DATA / "ibnetdiscover_truncated.txt").read_bytes()))
    assert (problem.id, problem.found) == ("READ-003", "no switch records (1 other records)")


def test_text_of_ibsim_and_its_netlist():
    (file,) = observed("ibsim_ibnetdiscover.txt")
    assert len(file.links) == 6
    assert {one.gbps for one in file.links} == {8.0}
    netlist = 'Switch 8 "leaf0"\n[1] "n1-mlx5_0"[1]\n[3] "spine"[1]\n\nHca 1 "n1-mlx5_0"\n[1] "leaf0"[1]\n'
    (file,) = seen(netlist)
    assert [(one.name, one.port, one.far_name, one.far_port, one.gbps) for one in file.links] == [
        ("leaf0", "1", "n1-mlx5_0", "1", None),
        ("leaf0", "3", "spine", "1", None),
        ("n1-mlx5_0", "1", "leaf0", "1", None),
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n\n", "\n"),
        lambda text: text + "\n\n\n",
        lambda text: text.replace("\t\t#", " #"),
    ],
    ids=["as is", "CRLF", "BOM", "no blank lines", "blank end", "blanks for tabs"],
)
def test_line_ends_and_marks_change_nothing(change):
    (plain,) = seen(SWITCH + PORT)
    (changed,) = seen(change(SWITCH + PORT))
    assert changed.links == plain.links
    assert changed.devices == plain.devices


def test_gzip_also_in_several_members():
    (plain,) = seen(SWITCH + PORT)
    (packed,) = seen(gzip.compress(SWITCH.encode()) + gzip.compress(PORT.encode()))
    assert packed.links == plain.links


def test_a_cut_gzip_file_and_a_damaged_one():
    data = (DATA / "ibnetdiscover_gb_576ep.txt.gz").read_bytes()
    (cut,) = refused(("cut.gz", data[: len(data) // 2]))
    assert (cut.id, cut.found) == ("READ-001", "a gzip file that ends early")
    (bad,) = refused(("bad.gz", data[:100] + b"\xff\xff\xff\xff" + data[104:]))
    assert bad.id == "READ-001"


def test_unicode_quotes_and_brackets_in_descriptions():
    name = 'knoten-ä „1“ "x" [2] lid 3 # \u2028 漢字'
    (file,) = seen(SWITCH + PORT.replace("host-1 mlx5_0", name))
    assert file.links[0].far_name == name
    assert file.links[0].gbps == 400.0


def test_bytes_that_are_no_utf8_stay_a_name():
    (file,) = seen((SWITCH + PORT).replace("host-1", "h?st").encode().replace(b"h?st", b"h\xf6st"))
    assert file.links[0].far_name == "h\ufffdst mlx5_0"


@pytest.mark.parametrize(
    ("line", "where", "found"),
    [
        ("ibwarn: [99] mad_rpc failed\n", "f:3:1", "`ibwarn: [99] mad_rpc failed`"),
        ('[2]\t"H-00000000000000a2"[1](000', "f:3:28", "`(000`"),
        ('[66]\t"H-00000000000000a2"[1](00000000000000a2) # "h mlx5_0" lid 3 4xNDR', "f:3:2", '`66]\t"H-'),
        ('[2]\t"H-00000000000000a2"[1](00000000000000a2) # "h mlx5_0" lid 3 4xQXR', "f:3:", "`4xQXR`"),
        ('[2]\t"H-00000000000000a2"[1](00000000000000a2) # "h mlx5_0" lid 3 3xNDR', "f:3:", "`3xNDR`"),
        ('[2]\t"H-00000000000000a2"[1](00000000000000a2) # h mlx5_0 lid 3', "f:3:", "`h mlx5_0 lid 3`"),
        ("x" * 5000, "f:3:1", "`xxx"),
    ],
)
def test_what_cannot_be_read_is_named_with_line_and_column(line, where, found):
    (problem,) = refused(("f", (SWITCH + PORT + line).encode()))
    assert problem.id == "READ-002"
    assert problem.where.startswith(where)
    assert problem.found.startswith(found)


def test_a_port_line_without_its_device():
    problems = refused(("f", PORT.encode()), ("g", (SWITCH + PORT).encode()))
    assert [(p.id, p.where) for p in problems] == [("READ-003", "f"), ("READ-002", "f:1:1")]
    assert problems[1].limit == "a port line below the header of its device"


def test_all_problems_of_all_files_at_once_and_never_endless():
    problems = refused(("a", (SWITCH + "?\n" * 1000).encode()), ("b", b""), ("c", b"\x00\x01\x02"))
    assert [p.found for p in problems if p.where == "a"] == ["980 more problems"]
    assert sum(p.where.startswith("a:") for p in problems) == 20
    assert {(p.where, p.found) for p in problems if p.where in "bc"} == {
        ("b", "an empty file"),
        ("c", "bytes that are no text"),
    }


def test_fdr_and_older_links():
    (file,) = seen(SWITCH + PORT.replace("4xNDR", "4xFDR") + PORT.replace("[1]\t", "[2]\t").replace("4xNDR", "1xHDR"))
    assert [one.gbps for one in file.links] == [54.5625, 50.0]


def test_sample_11_lane_rates_are_data_rates():
    """Case 29: 25.78125 is neither 25 nor 200 Gb/s for a link; four lanes carry 100."""
    (file,) = observed("iblinkinfo_edr_hosts_hdr_switch.txt")
    told = {one.name: (one.lanes, one.lane_gbps, one.gbps) for one in file.links}
    assert told["gpu-node-3 HCA-1"] == (4, 25.0, 100.0)
    assert told["Mellanox Technologies Aggregation Node"] == (4, 50.0, 200.0)
    assert {one.far_name for one in file.links} == {"MF0;ibsw01:MQM8700/U1"}


def test_iblinkinfo_by_device_and_by_line_tell_the_same():
    (blocks,) = observed("ibsim_iblinkinfo.txt")
    (lines,) = observed("ibsim_iblinkinfo_line.txt")
    pairs = [{(one.name, one.port, one.far_name, one.far_port, one.gbps) for one in file.links} for file in (blocks, lines)]
    assert pairs[0] == pairs[1]
    assert len(pairs[0]) == 6


@pytest.mark.parametrize(("rate", "data"), [("106.25", 100.0), ("53.125", 50.0), ("25.78125", 25.0), ("212.5", 200.0)])
def test_iblinkinfo_rates(rate, data):
    line = f'           1    1[  ] ==( 4X   {rate} Gbps Active/  LinkUp)==>       8    1[  ] "n HCA-1" ( )'
    (file,) = seen(f"Switch: 0x0000000000000001 leaf:\n{line}\n")
    assert file.links[0].lane_gbps == data


def test_iblinkinfo_refuses_an_unknown_rate():
    line = '           1    1[  ] ==( 4X   77.7 Gbps Active/  LinkUp)==>       8    1[  ] "n HCA-1" ( )'
    problems = refused(("f", f"Switch: 0x0000000000000001 leaf:\n{line}\n".encode()))
    assert ("READ-002", "f:2:27") in [(p.id, p.where) for p in problems]


def test_unknown_text_is_refused_with_what_can_be_read():
    (problem,) = refused(("f", b"hello\nworld\n"))
    assert problem.id == "READ-004"
    assert "ibnetdiscover" in problem.limit


def test_a_gzip_bomb_is_refused_without_filling_memory():
    packer = zlib.compressobj(1, wbits=-15)
    piece = packer.compress(b"# x\n" * 1024 * 1024) + packer.flush(zlib.Z_FULL_FLUSH)
    (problem,) = refused(("bomb.gz", gzip.compress(b"")[:10] + 140 * piece))  # one stream of 560 MiB, packed piece by piece
    assert problem.id == "READ-001"
    assert "at most" in problem.limit


def test_time_grows_with_the_text_and_no_faster():
    """A file of 13 MB takes at most 1.6 times as long per line as one of 1.3 MB."""
    block = "".join(
        SWITCH.replace("0001", f"{n:04x}", 1) + "".join(PORT.replace("[1]\t", f"[{p}]\t") for p in range(1, 65))
        for n in range(200)
    )
    times = []
    for text in (block, block * 10):
        start = time.process_time()
        seen(text)
        times.append(time.process_time() - start)
    assert times[1] < times[0] * 10 * 1.6
