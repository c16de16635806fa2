"""FABRIC-085, 087, 088: the scheduler's tree is the fabric's, its GPUs are there, its NIC quotas aren't 0."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from railyard.model.scheduler import SlurmNode
from railyard.read.kueue import FlavorQuota, read_cluster_queues
from railyard.read.slurm_topology import (
    SlurmBlock,
    SlurmNodeSeen,
    SlurmSwitch,
    SlurmTopology,
    read_scontrol_nodes,
    read_slurm_topology,
)
from railyard.read.text import Notebook
from railyard.render.schedulers import topology_conf
from railyard.rules.scheduler import check_quotas, check_scheduler, check_slurm_nodes, check_slurm_topology
from railyard.rules.slices import SITE
from tests.unit.rules.host_factory import pseudo, scheduler
from tests.unit.rules.test_rules_slices import judged

pytestmark = pytest.mark.requirement("K3", "K4")

NODES = [f"lab-su{unit:03d}-gpu{slot:02d}" for unit in (1, 2) for slot in (1, 2)]
SAMPLES = Path(__file__).parents[2] / "data/sched"
ROOT = pseudo("lab-compute", level=1, switches="lab-su[001-002]", nodes="")
ONE, TWO = pseudo(), pseudo("lab-su002")


def found(findings):
    assert {finding.id for finding in findings} <= {"FABRIC-085", "FABRIC-087", "FABRIC-088"}
    return [finding.found for finding in findings]


def tree(*switches):
    return check_scheduler(scheduler(switches=switches), NODES)


def test_a_good_tree_has_no_finding():
    assert tree(ROOT, ONE, TWO) == []


def test_no_node_at_all_is_said_once():
    assert found(tree()) == ["no node at all"]
    assert found(tree(pseudo("lab-compute", switches="lab-su001", nodes=""))) == ["no node at all"]


def test_a_child_that_does_not_exist():
    root = pseudo("lab-compute", level=1, switches="lab-su[001-003]", nodes="")
    findings = tree(root, ONE, TWO)
    assert [(finding.where, finding.found) for finding in findings] == [
        ("lab-compute", "child lab-su003 is no switch of this tree")
    ]


def test_a_child_with_two_parents():
    other = pseudo("lab-x", level=1, switches="lab-su002", nodes="")
    findings = tree(pseudo("top", level=2, switches="lab-compute,lab-x", nodes=""), ROOT, other, ONE, TWO)
    assert found(findings) == ["child lab-su002 has 2 parents"] * 2


def test_a_switch_that_stands_twice():
    assert "switch lab-su001 stands 2 times" in found(tree(ROOT, ONE, ONE, TWO))


@pytest.mark.parametrize(("length", "said"), [(64, []), (65, ["a name of 65 characters"])])
def test_names_have_64_characters_at_most(length, said):
    name = "u" * length
    root = pseudo("lab-compute", level=1, switches=f"{name},lab-su002", nodes="")
    assert found(tree(root, pseudo(name, nodes="lab-su001-gpu[01-02]"), TWO)) == said


def test_an_unknown_node():
    findings = tree(ROOT, pseudo(nodes="lab-su001-gpu[01-03]"), TWO)
    assert found(findings) == ["lab-su001-gpu03: no GPU node of the plan"]
    assert findings[0].where == "lab-su001"


def test_storage_never_enters():
    root = pseudo("lab-compute", level=1, switches="lab-su[001-002],lab-sto-sw01", nodes="")
    findings = tree(root, ONE, TWO, pseudo("lab-sto-sw01", nodes="lab-sto[01-02]"))
    assert found(findings) == ["lab-sto01, lab-sto02: no GPU node of the plan"]


def test_a_node_on_no_switch():
    findings = tree(ROOT, ONE, pseudo("lab-su002", nodes="lab-su002-gpu01"))
    assert [(finding.found, finding.limit) for finding in findings] == [
        ("lab-su002-gpu02: on no switch", "all nodes of lab-su002")
    ]


def test_a_node_on_two_switches():
    root = pseudo("lab-compute", level=1, switches="lab-su[001-002],leaf", nodes="")
    findings = tree(root, ONE, TWO, pseudo("leaf", nodes="lab-su001-gpu01"))
    assert found(findings) == ["lab-su001-gpu01 is on lab-su001, leaf"]


def test_two_units_on_one_switch_and_one_unit_on_two():
    both = pseudo("lab-compute", level=1, switches="lab-su001", nodes="")
    assert found(tree(both, pseudo(nodes="lab-su001-gpu[01-02],lab-su002-gpu[01-02]"))) == ["nodes of lab-su001, lab-su002"]
    torn = pseudo("lab-compute", level=1, switches="a,b,lab-su002", nodes="")
    halves = (pseudo("a", nodes="lab-su001-gpu01"), pseudo("b", nodes="lab-su001-gpu02"))
    assert found(tree(torn, *halves, TWO)) == ["lab-su001 is spread over a, b"]


def test_one_root_for_each_separate_fabric():
    roots = (pseudo("fa", level=1, switches="lab-su001", nodes=""), pseudo("fb", level=1, switches="lab-su002", nodes=""))
    assert found(tree(*roots, ONE, TWO)) == ["2 roots (fa, fb)"]
    apart = scheduler(switches=(*roots, ONE, TWO), fabrics=("fa", "fb"))
    assert check_scheduler(apart, NODES) == []
    joined = scheduler(fabrics=("fa", "fb"))
    assert found(check_scheduler(joined, NODES)) == ["1 roots (lab-compute)"], "jobs would span two fabrics"


def test_switches_below_themselves_have_no_root():
    ring = pseudo("lab-compute", level=1, switches="lab-su[001-002],lab-compute", nodes="")
    assert "0 roots (none: the switches are their own children)" in found(tree(ring, ONE, TWO))
    below = pseudo("top", level=2, switches="lab-compute", nodes="")
    assert "child lab-compute has 2 parents" in found(tree(below, ring, ONE, TWO))


def test_all_branches_are_equally_deep():
    root = pseudo("lab-compute", level=2, switches="pod,lab-su002", nodes="")
    pod = pseudo("pod", level=1, switches="lab-su001", nodes="")
    assert found(tree(root, pod, ONE, TWO)) == ["nodes 2, 3 levels below a root"]


def test_a_machine_whose_name_is_no_position_stands_alone():
    switches = (pseudo("lab-compute", level=1, switches="odd", nodes=""), pseudo("odd", nodes="spare"))
    assert check_scheduler(scheduler(switches=switches), ["spare"]) == []


def site_with(plan):
    return judged(SITE, {"scheduler": plan.props()}, rules=("FABRIC-085",))


def test_the_pack_reads_it_from_the_site():
    assert site_with(scheduler()) == []
    assert found(site_with(scheduler(nodes=5))) == ["4 nodes in the tree"]
    assert found(site_with(scheduler(switches=(), nodes=4))) == ["no node at all"]
    broken = scheduler(switches=(ROOT, pseudo(nodes="n[1-"), TWO))
    assert found(site_with(broken)) == ["column 4: no closing bracket; brackets in pairs"]
    mixed = scheduler(switches=(pseudo("r", switches="a", nodes=""), pseudo("a", nodes=",".join(NODES))))
    assert found(site_with(mixed)) == ["nodes of lab-su001, lab-su002"]
    assert found(site_with(scheduler(fabrics=()))) == [], "a slice of one fabric may leave its name out"


def slurm(text):
    book = Notebook("topology.conf")
    read = read_slurm_topology(text, book)
    assert not book.problems
    return found(check_slurm_topology(read, scheduler()))


def test_a_file_is_compared_with_the_plan():
    assert slurm(topology_conf(scheduler())) == []
    assert slurm(topology_conf(scheduler()).replace("gpu[01-02]", "gpu01", 1)) == ["lab-su001-gpu02: on no switch"]
    leaves = "".join(f"SwitchName=leaf{rail} Nodes={','.join(NODES)}\n" for rail in range(8))
    assert "lab-su001-gpu01 is on leaf0, leaf1, leaf2 and 5 more" in slurm(f"{leaves}SwitchName=r Switches=leaf[0-7]\n")


def test_the_place_in_the_file_is_named():
    rows = (SlurmSwitch("r", ("a",), (), 3), SlurmSwitch("a", (), ("x",), 4))
    findings = check_slurm_topology(SlurmTopology("t.conf", rows, (), ()), scheduler())
    assert [finding.where for finding in findings if "x" in finding.found] == ["t.conf:4"]


def test_blocks_are_compared_as_well():
    good = tuple(SlurmBlock(f"b{unit}", (NODES[2 * unit], NODES[2 * unit + 1]), unit + 1) for unit in range(2))
    assert check_slurm_topology(SlurmTopology("t", (), good, (2,)), scheduler()) == []
    assert found(check_slurm_topology(SlurmTopology("t", (), good[:1], (2,)), scheduler())) == [
        "lab-su002-gpu01, lab-su002-gpu02: on no switch"
    ]


def seen(**changes):
    fields = {"gres": "gpu:h100:8", "real_memory_mib": 1_991_680, "state": "IDLE"}
    return [SlurmNodeSeen(name=name, **fields | changes) for name in NODES]


def test_slurm_has_all_gpus_of_every_node():
    assert check_slurm_nodes(seen(), scheduler()) == []
    assert check_slurm_nodes(seen(gres="gpu:h100:8(S:0-1)", real_memory_mib=None), scheduler()) == []
    assert found(check_slurm_nodes(seen(gres=None), scheduler())) == ["Gres=(null)"] * 4
    assert found(check_slurm_nodes(seen(gres="gpu:h100:7"), scheduler())) == ["Gres=gpu:h100:7"] * 4
    assert found(check_slurm_nodes(seen()[1:], scheduler())) == ["not in Slurm"]


def test_slurm_promises_no_more_memory_than_planned():
    assert found(check_slurm_nodes(seen(real_memory_mib=1_991_681), scheduler())) == ["RealMemory=1991681"] * 4
    unknown = scheduler(node=SlurmNode(**scheduler().node.model_dump() | {"real_memory_mib": None}))
    assert check_slurm_nodes(seen(real_memory_mib=9_999_999), unknown) == []


def test_sample_23_a_node_without_gres():
    node = read_scontrol_nodes((SAMPLES / "scontrol_show_node_gres_null.txt").read_text(), Notebook("scontrol"))[0]
    one = scheduler(switches=(pseudo("r", switches="a", nodes=""), pseudo("a", nodes="slinky-0")), nodes=1)
    assert (node.gres, node.real_memory_mib) == (None, 1_031_533)
    assert found(check_slurm_nodes([node], one)) == ["Gres=(null)"]


def test_sample_23_a_queue_with_gpus_and_no_nics():
    objects = YAML(typ="safe").load_all((SAMPLES / "kueue_clusterqueue_rdma0.yaml").read_text())
    findings = check_quotas(read_cluster_queues(objects, Notebook("queue")), {"nvidia.com/gpu"})
    assert [(finding.where, finding.limit) for finding in findings] == [
        ("train-cq/default-flavor/rdma/rdma_shared_device_a", "40, one NIC for each GPU")
    ]
    assert findings[0].found.startswith("quota 0 beside 40 GPUs")


@pytest.mark.parametrize(
    ("whole", "count"),
    [
        ({"nvidia.com/gpu": 40, "rdma/a": 40}, 0),
        ({"nvidia.com/gpu": 40, "rdma/a": 39}, 1),
        ({"nvidia.com/gpu": 40, "nvidia.com/hostnic": 0, "example.com/roce": 0}, 2),
        ({"nvidia.com/gpu": 40, "cpu": 0}, 0),
        ({"cpu": 4, "rdma/a": 0}, 0),
        ({"nvidia.com/gpu": 40}, 0),
    ],
)
def test_nic_quotas(whole, count):
    assert len(check_quotas([FlavorQuota("q", "f", whole)], {"nvidia.com/gpu"})) == count
