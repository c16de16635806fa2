"""What is wrong is found, with the right words: faults in the cabling, in the files, in the simulator itself."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from railyard.model.infiniband import Subnet, SubnetLink
from railyard.plan.shape import size_fabric
from railyard.render.infiniband import netlist, partitions_conf, subnet_files
from railyard.render.infiniband.opensm import opensm_proof
from tests.proof.infiniband.designs import Design, design, link_of, rewired, swapped, tenants
from tests.proof.infiniband.differences import Differences, compare, read_discovered
from tests.proof.infiniband.fabric_run import (
    LIDS,
    STRICT,
    TABLES,
    ProofError,
    differences,
    host_of,
    prove,
    route,
)
from tests.proof.infiniband.simulator import Simulator, SimulatorError

pytestmark = pytest.mark.requirement("N1", "N5")

PLAN = design(size_fabric(32, 2, 8, 64))[0]
"""Two units, 512 endpoints, 16 leaves, 8 spines, four links for each pair."""
LEAF, LEAF_B, SPINE = "t-su001-leaf-r3", "t-su002-leaf-r5", "t-spine005"


def missing_uplink(links: list[SubnetLink]) -> None:
    links.remove(link_of(links, LEAF, 40))


def leaf_to_leaf(links: list[SubnetLink]) -> None:
    one, two = link_of(links, LEAF, 40), link_of(links, LEAF_B, 50)
    links.remove(one)
    links.remove(two)
    links.append(SubnetLink(one.a, one.a_port, two.a, two.a_port))


def host_on_spine(links: list[SubnetLink]) -> None:
    host, uplink = link_of(links, "t-su001-gpu09/mlx5_2", 1), link_of(links, LEAF, 40)
    links.remove(host)
    links.remove(uplink)
    links.append(SubnetLink(host.a, host.a_port, uplink.z, uplink.z_port))


def crossed_uplinks(links: list[SubnetLink]) -> None:
    one, two = link_of(links, LEAF, 40), link_of(links, LEAF_B, 50)
    links.remove(one)
    links.remove(two)
    links += [SubnetLink(one.a, 40, two.z, two.z_port), SubnetLink(two.a, 50, one.z, one.z_port)]


@dataclass(frozen=True)
class Fault:
    """A mistake, how many cables differ, the words that name it, and what strict ftree says (None: it doesn't see it)."""

    change: Callable[[list[SubnetLink]], None]
    missing: int
    unexpected: int
    words: str
    strict: tuple[str, ...] | None


TREE = ("ERR AB0B", "ERR AB0C", "ERR AB0D")
FAULTS = {
    "missing-uplink": Fault(missing_uplink, 1, 0, "missing     t-spine008/13 - t-su001-leaf-r3/40", TREE),
    "leaf-to-leaf": Fault(leaf_to_leaf, 2, 1, "two leaf switches on one cable: t-su001-leaf-r3/40 - t-su002-leaf-r5/50", TREE),
    "host-on-a-spine": Fault(
        host_on_spine,
        2,
        1,
        "host on a spine: t-su001-gpu09/mlx5_2/1 hangs on t-spine008/13, belongs on t-su001-leaf-r2/9",
        ("ERR AB26",),
    ),
    "swapped-rails": Fault(
        swapped("t-su001-gpu09/mlx5_2", "t-su001-gpu09/mlx5_3"),
        2,
        2,
        "wrong rail (rail 3 instead of 2): t-su001-gpu09/mlx5_2/1 hangs on t-su001-leaf-r3/9, belongs on t-su001-leaf-r2/9",
        None,
    ),
    "wrong-unit": Fault(
        swapped("t-su001-gpu09/mlx5_4", "t-su002-gpu10/mlx5_4"),
        2,
        2,
        "wrong unit (unit 2 instead of 1): t-su001-gpu09/mlx5_4/1 hangs on t-su002-leaf-r4/10, belongs on t-su001-leaf-r4/9",
        None,
    ),
}


@contextmanager
def built(subnet: Subnet, folder: Path) -> Iterator[Simulator]:
    """The simulator of a subnet as somebody built it."""
    with Simulator(netlist(subnet), folder, host=host_of(subnet)) as simulator:
        yield simulator


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_and_named(name: str, tmp_path: Path):
    fault = FAULTS[name]
    with built(rewired(PLAN.subnet, fault.change), tmp_path) as simulator:
        found = differences(PLAN.subnet, simulator)
        assert (len(found.missing), len(found.unexpected), found.nodes) == (fault.missing, fault.unexpected, ())
        assert fault.words in str(found)
        strict = route(simulator, *STRICT)
    if fault.strict is None:
        # Both ends of a swap are leaves with room: a fat tree like any other. Only the comparison sees it.
        assert (strict.up, strict.engine) == (True, "ftree")
    else:
        assert not strict.up
        assert any(word in line for word in fault.strict for line in strict.complaints)


def test_a_crossed_pair_of_uplinks_is_named_at_both_ends(tmp_path: Path):
    with built(rewired(PLAN.subnet, crossed_uplinks), tmp_path) as simulator:
        found = differences(PLAN.subnet, simulator)
    assert len(found.missing) == len(found.unexpected) == 2
    assert [reason.partition(" hangs")[0] for reason in found.reasons] == [
        "leaf on another spine's port: t-su001-leaf-r3/40",
        "leaf on another spine's port: t-su002-leaf-r5/50",
    ]
    assert all(", belongs on t-spine" in reason for reason in found.reasons)


def test_as_planned_there_is_no_difference(tmp_path: Path):
    with built(PLAN.subnet, tmp_path) as simulator:
        assert not differences(PLAN.subnet, simulator)


def test_with_the_rendered_file_a_dead_cable_leaves_ftree_and_a_host_on_a_spine_falls_back(tmp_path: Path):
    engines = {}
    for name in ("missing-uplink", "host-on-a-spine"):
        folder = tmp_path / name
        (folder / "opensm").mkdir(parents=True)
        for file, text in subnet_files(PLAN.subnet, folder=str(folder / "opensm")).items():
            (folder / "opensm" / file).write_text(text, encoding="utf-8")
        with built(rewired(PLAN.subnet, FAULTS[name].change), folder / "sim") as simulator:
            routed = route(simulator, "-F", str(folder / "opensm" / "opensm-proof.conf"))
        assert routed.up
        engines[name] = routed.engine
    assert engines == {"missing-uplink": "ftree", "host-on-a-spine": "updn"}


def half(links: list[SubnetLink]) -> None:
    """Unit 1 sees spines 1 to 4 only, unit 2 the others: two fabrics that each look whole."""
    low = {f"t-spine{number:03d}" for number in range(1, 5)}
    links[:] = [link for link in links if "spine" not in link.z or (link.z in low) == ("-su001-" in link.a)]


def test_a_fabric_cut_in_two_fails_though_its_subnet_comes_up(tmp_path: Path):
    with built(rewired(PLAN.subnet, half), tmp_path / "seen") as simulator:
        assert route(simulator, *STRICT).up, "OpenSM is content with its half"
        found = differences(PLAN.subnet, simulator)
    assert len(found.nodes) == 8 + 4 + 256
    assert "not found   t-su002-leaf-r0" in found.nodes


def test_a_cut_plan_is_no_proof(tmp_path: Path):
    cut = rewired(PLAN.subnet, half)
    with pytest.raises(ProofError, match=r"found 12 switches, 256 adapters, 384 links; planned 24, 512, 768"):
        prove(Design(cut, PLAN.rings), tmp_path / "run")


SMALL = design(size_fabric(8, 1, 8, 16, reserved_ports=2))[0]


def refused(tmp_path: Path, words: str, **files: str) -> None:
    """The proof of a small fabric with some of its files exchanged fails with these words."""
    others = {name.replace("__", "-").replace("_conf", ".conf"): text for name, text in files.items()}
    with pytest.raises(ProofError, match=words):
        prove(SMALL, tmp_path / "run", partitions=tenants(SMALL.subnet, 2), other_files=others, keys=12)


def test_an_unknown_key_fails_though_opensm_comes_up(tmp_path: Path):
    text = opensm_proof(SMALL.subnet, str(tmp_path / "run" / "opensm")) + "ar_mode 1\n"
    refused(tmp_path, "Unrecognized", opensm__proof_conf=text)


def test_partitions_that_opensm_cant_parse_fail(tmp_path: Path):
    text = partitions_conf(SMALL.subnet, tenants(SMALL.subnet, 2)).replace(" :\n", "\n", 1)
    refused(tmp_path, "PARSE ERROR", partitions_conf=text)


def test_node_guids_in_place_of_port_guids_fail(tmp_path: Path):
    text = partitions_conf(SMALL.subnet, tenants(SMALL.subnet, 2))
    for adapter in SMALL.subnet.adapters:
        text = text.replace(f"0x{adapter.port_guid:016x}", f"0x{adapter.node_guid:016x}")
    refused(tmp_path, r"partition keys 0x7fff, planned 0x8011 0x7fff", partitions_conf=text)


def test_a_tenants_machine_in_anothers_partition_fails(tmp_path: Path):
    one, two = tenants(SMALL.subnet, 2)
    moved = [one.model_copy(update={"nodes": one.nodes[:-1]}), two.model_copy(update={"nodes": (*two.nodes, one.nodes[-1])})]
    refused(tmp_path, r"partition keys 0x9011 0x7fff, planned 0x8011", partitions_conf=partitions_conf(SMALL.subnet, moved))


def test_a_file_without_the_default_rule_fails(tmp_path: Path):
    text = partitions_conf(SMALL.subnet, tenants(SMALL.subnet, 2))
    head, _, tail = text.partition("Default=")
    refused(tmp_path, "partition keys", partitions_conf=head + tail.partition(";\n")[2])


def test_a_missing_file_fails(tmp_path: Path):
    text = opensm_proof(SMALL.subnet, str(tmp_path / "nowhere"))
    refused(tmp_path, "rendered opensm.conf", opensm__proof_conf=text)


def test_ports_of_another_kind_as_roots_fail(tmp_path: Path):
    leaves = "".join(f"0x{switch.guid:016x}\n" for switch in SMALL.subnet.switches if switch.tier == "leaf")
    refused(tmp_path, "rendered opensm.conf: routed by", root_guids_conf=leaves)


def test_a_dead_simulator_ends_the_run_at_once_and_opensm_with_it(tmp_path: Path):
    with built(SMALL.subnet, tmp_path) as simulator:
        threading.Timer(0.5, os.kill, (simulator.pid, signal.SIGKILL)).start()
        began = time.monotonic()
        with pytest.raises(SimulatorError, match="simulator died"):
            # Without -o it would sweep for ever.
            simulator.run("opensm", "-F", "/dev/null", "-f", str(tmp_path / "osm.log"), timeout_s=60)
        assert time.monotonic() - began < 5
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path) in _command(path)]
    assert not left, "no program of this run is left"


def _command(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def test_time_runs_out_with_an_error(tmp_path: Path):
    with built(SMALL.subnet, tmp_path) as simulator, pytest.raises(SimulatorError, match="time is up"):
        simulator.run("opensm", "-F", "/dev/null", "-f", str(tmp_path / "osm.log"), timeout_s=0.5)


def test_a_netlist_that_cant_be_read_is_an_error_of_ibsims_words(tmp_path: Path):
    text = netlist(SMALL.subnet).replace("[1]", "[999]", 1)
    with pytest.raises(SimulatorError, match="ibsim"), Simulator(text, tmp_path, host=host_of(SMALL.subnet)):
        pass


def test_tables_of_an_earlier_run_are_never_walked(tmp_path: Path):
    with built(rewired(PLAN.subnet, missing_uplink), tmp_path) as simulator:
        (tmp_path / TABLES).write_text("of another run")
        (tmp_path / LIDS).write_text("of another run")
        assert not route(simulator, *STRICT).up
    left = [path.read_text() for path in (tmp_path / TABLES, tmp_path / LIDS) if path.exists()]
    assert "of another run" not in left


def test_rings_without_flows_are_no_proof(tmp_path: Path):
    lonely: list[list[int | None]] = [[0, None, None]]
    with pytest.raises(ProofError, match="no same-rail shift has a flow"):
        prove(Design(SMALL.subnet, lonely), tmp_path / "run")


def test_two_simulators_side_by_side_dont_meet(tmp_path: Path):
    other = design(size_fabric(8, 2, 8, 16))[0]
    with built(SMALL.subnet, tmp_path / "a") as one, built(other.subnet, tmp_path / "b") as two:
        for simulator, subnet in ((one, SMALL.subnet), (two, other.subnet)):
            assert route(simulator, *STRICT).up
            assert not differences(subnet, simulator)


def test_the_reader_names_the_line_that_it_cant_read():
    with pytest.raises(ValueError, match="line 1: no link of a node"):
        read_discovered('[1]\t"S-02ade83791eadb80"[33]')


def test_an_empty_discovery_misses_everything():
    found: Differences = compare(SMALL.subnet, read_discovered(""))
    assert len(found.missing) == len(SMALL.subnet.links)
    assert len(found.nodes) == len(SMALL.subnet.switches) + len(SMALL.subnet.adapters)


ORPHAN = """
import sys
from pathlib import Path
from tests.proof.infiniband.fabric_run import host_of
from tests.proof.infiniband.simulator import Simulator
from tests.proof.infiniband.test_faults_proof import SMALL, netlist
simulator = Simulator(netlist(SMALL.subnet), Path(sys.argv[1]), host=host_of(SMALL.subnet)).__enter__()
print(simulator.pid, flush=True)
simulator.run("opensm", "-F", "/dev/null", "-f", sys.argv[1] + "/osm.log")
"""


def test_a_killed_test_run_leaves_nothing_behind(tmp_path: Path):
    root = str(Path(__file__).parents[3])
    run = subprocess.Popen([sys.executable, "-c", ORPHAN, str(tmp_path)], cwd=root, stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    with run:
        server = int(run.stdout.readline())
        run.kill()
        run.wait()
    until = time.monotonic() + 10
    while time.monotonic() < until and _running(server, tmp_path):
        time.sleep(0.05)
    assert not _running(server, tmp_path)


def _running(server: int, folder: Path) -> list[str]:
    """The server, and every program that has the folder in its command line."""
    left = [_command(path) for path in Path("/proc").glob("[0-9]*/cmdline") if str(folder) in _command(path)]
    return left + ([str(server)] if "ibsim" in _command(Path(f"/proc/{server}/cmdline")) else [])
