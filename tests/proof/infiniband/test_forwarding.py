"""The readers and counters of the proof on tables that are small enough to check by hand, right ones and wrong ones."""

from pathlib import Path

import numpy as np
import pytest

from railyard.model.infiniband import Adapter, Subnet, SubnetLink, SubnetSwitch
from tests.proof.infiniband.forwarding import (
    ForwardingError,
    Paths,
    ShiftLoad,
    cycle,
    endpoints_per_uplink,
    read_lids,
    read_tables,
    shift_loads,
    walk,
)

pytestmark = pytest.mark.requirement("N1")

RING = ("a", "b", "c")


def ring() -> Subnet:
    """Three switches in a ring with a host each: host on port 1, the next switch on port 2, the one before on port 3."""
    switches = tuple(SubnetSwitch(name, "leaf", at + 1, 3) for at, name in enumerate(RING))
    adapters = tuple(Adapter(f"h{name}", "mlx5_0", "compute", 16 * (at + 1), 16 * (at + 1) + 1) for at, name in enumerate(RING))
    hosts = (SubnetLink(f"h{name}/mlx5_0", 1, name, 1) for name in RING)
    around = (SubnetLink(RING[at], 2, RING[(at + 1) % 3], 3) for at in range(3))
    return Subnet("ring", 0, 400, switches, adapters, (*hosts, *around))


LIDS = {17: 1, 33: 2, 49: 3}


def dump(folder: Path, rows: dict[str, list[str]]) -> Path:
    """A dump file: out ports to LIDs 1, 2, 3 by switch; empty: no entry."""
    text = []
    for at, name in enumerate(RING):
        text.append(f"Unicast lids [0-3] of switch Lid {at + 10} guid 0x{at + 1:016x} ('{name}'):")
        text += [f"0x{lid:04x} {port} # Channel Adapter portguid 0x1: 'x'" for lid, port in enumerate(rows[name], 1) if port]
        text.append("3 lids dumped ")
    path = folder / "opensm-lfts.dump"
    path.write_text("\n".join(text) + "\n", encoding="ascii")
    return path


CLOCKWISE = {"a": ["001", "002", "002"], "b": ["002", "001", "002"], "c": ["002", "002", "001"]}
SHORTEST = {"a": ["001", "002", "003"], "b": ["003", "001", "002"], "c": ["002", "003", "001"]}


def test_tables_are_read_by_switch_and_lid(tmp_path: Path):
    tables = read_tables(dump(tmp_path, CLOCKWISE))
    assert tables.rows == {1: 0, 2: 1, 3: 2}
    assert tables.ports.tolist() == [[255, 1, 2, 2], [255, 2, 1, 2], [255, 2, 2, 1]]


def test_lids_of_many_digits_and_missing_entries(tmp_path: Path):
    path = tmp_path / "d"
    head = "Unicast lids [0-49150] of switch Lid 1 guid 0x00000000000000aa ('s'):"
    path.write_text(f"{head}\n0xbffe 144 # x\n0x000a --- # y\n1 lids dumped \n", encoding="ascii")
    tables = read_tables(path)
    assert tables.ports[0, 0xBFFE] == 144
    assert tables.ports[0, 0x000A] == 255


@pytest.mark.parametrize("text", ["", "nothing\n", "Unicast lids [x] of nothing\n"])
def test_what_is_no_dump_is_an_error(text: str, tmp_path: Path):
    path = tmp_path / "d"
    path.write_text(text, encoding="ascii")
    with pytest.raises(ForwardingError):
        read_tables(path)


def test_lids_are_read(tmp_path: Path):
    path = tmp_path / "guid2lid"
    path.write_text("0x0000000000000011 0x0001 0x0001\n\n0x0000000000000021 0x0002 0x0002\n", encoding="ascii")
    assert read_lids(path) == {17: 1, 33: 2}


def test_shortest_paths_round_a_ring_have_no_cycle(tmp_path: Path):
    paths = walk(ring(), read_tables(dump(tmp_path, SHORTEST)), LIDS)
    assert cycle(paths) == []
    assert paths.hop_counts([[0, 1, 2]]) == ({1: 3, 2: 6}, {1: 3, 2: 6})


def test_clockwise_paths_round_a_ring_have_one(tmp_path: Path):
    paths = walk(ring(), read_tables(dump(tmp_path, CLOCKWISE)), LIDS)
    assert cycle(paths) == ["a/2", "b/2", "c/2"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"a": ["001", "", "002"]}, "a -> hb/mlx5_0: out of a port without a cable, or no entry"),
        ({"a": ["001", "001", "002"]}, "a -> hb/mlx5_0: at endpoint 0"),
        ({"a": ["001", "002", "002"], "b": ["002", "003", "002"]}, "a -> hb/mlx5_0: still at a after 8 switches"),
    ],
)
def test_a_pair_that_doesnt_arrive_is_named(wrong: dict[str, list[str]], words: str, tmp_path: Path):
    with pytest.raises(ForwardingError, match="don't arrive") as raised:
        walk(ring(), read_tables(dump(tmp_path, CLOCKWISE | wrong)), LIDS)
    assert words in str(raised.value)


def test_a_planned_node_without_table_or_lid_is_named(tmp_path: Path):
    tables = read_tables(dump(tmp_path, CLOCKWISE))
    with pytest.raises(ForwardingError, match="1 planned nodes have no table or LID: hc/mlx5_0"):
        walk(ring(), tables, {17: 1, 33: 2})


def paths_over(*channels: list[list[int]]) -> Paths:
    """Paths of two leaves to two endpoints."""
    return Paths(np.array(channels, dtype=np.int32), np.array([0, 1], dtype=np.int32), 8, ("s0", "s1"))


def test_flows_on_one_link_are_counted_by_rail_and_together():
    # Endpoint 0 sits on leaf 0, endpoint 1 on leaf 1; both leaves send over channel 3.
    paths = paths_over([[1, 3], [3, 2]])
    assert shift_loads(paths, [[0, 1]]) == {1: ShiftLoad(alone=2, together=2)}
    assert shift_loads(paths, [[0, None, 1], [1, None, 0]], [2])[2] == ShiftLoad(alone=1, together=2)
    assert shift_loads(paths, [[0, None]]) == {1: ShiftLoad(0, 0)}


def test_endpoints_on_an_uplink_are_counted_once_whatever_the_number_of_sources(tmp_path: Path):
    subnet = ring()
    tiers = Subnet("x", 0, 400, (SubnetSwitch("a", "leaf", 1, 3), SubnetSwitch("b", "spine", 2, 3)), (), (subnet.links[3],))
    paths = walk(subnet, read_tables(dump(tmp_path, CLOCKWISE)), LIDS)
    # From a clockwise: hb and hc go over a/2.
    assert endpoints_per_uplink(tiers, Paths(paths.channels, paths.leaf_of, 256, paths.switches), "leaf", "spine") == (2, 2)
    assert endpoints_per_uplink(subnet, paths, "spine", "core") == (0, 0)
