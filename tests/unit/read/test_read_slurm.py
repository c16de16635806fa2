"""Slurm files and Kueue queues: what they say, and what is wrong with them by line and column."""

from pathlib import Path

import pytest

from railyard.read.kueue import objects_of, read_cluster_queues
from railyard.read.slurm_topology import read_scontrol_nodes, read_slurm_topology
from railyard.read.text import MAX_PROBLEMS, Notebook

pytestmark = pytest.mark.requirement("U5", "K4")

SAMPLE = Path(__file__).parents[2] / "data/sched/slurm_topology_tree.conf"


def read(text):
    book = Notebook("topology.conf")
    return read_slurm_topology(text, book), [(problem.where, problem.found) for problem in book.problems]


def test_sample_22_one_core_six_spines_twelve_leaves():
    found, problems = read(SAMPLE.read_text())
    assert problems == []
    core, spines, leaves = found.switches[0], found.switches[1:7], found.switches[7:]
    assert (core.name, core.switches) == ("switch.3.1", tuple(f"switch.2.{number}" for number in range(1, 7)))
    assert [len(spine.switches) for spine in spines] == [2] * 6
    assert len(leaves) == 12
    assert [len(leaf.nodes) for leaf in leaves] == [8] * 12
    assert len({node for leaf in leaves for node in leaf.nodes}) == 96
    assert leaves[0].line == 16


def test_keys_in_any_case_comments_quotes_and_continued_lines():
    text = 'SWITCHNAME=a  nodes="n[1-2]" # two\n\nswitchname=r \\\n  Switches=a LinkSpeed=100\n'
    found, problems = read(text)
    assert problems == []
    assert [(row.name, row.switches, row.nodes, row.line) for row in found.switches] == [
        ("a", (), ("n1", "n2"), 1),
        ("r", ("a",), (), 3),
    ]


def test_blocks_with_their_sizes():
    found, problems = read("BlockName=b1 Nodes=n[01-04]\nBlockName=b2 Nodes=n[05-08]\nBlockSizes=4,8\n")
    assert problems == []
    assert [len(block.nodes) for block in found.blocks] == [4, 4]
    assert found.block_sizes == (4, 8)


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("", "topology.conf", "no switch and no block"),
        ("# nothing\n", "topology.conf", "no switch and no block"),
        ("SwitchName=a", "topology.conf:1:1", "`a` with neither"),
        ("SwitchName=a Nodes=n1 Switches=b", "topology.conf:1:1", "`a` with both"),
        ("\nSwitchName=a Nodes=n[1-", "topology.conf:2:23", "no closing bracket"),
        ("SwitchName=a Nodes=n1,n[5-1]", "topology.conf:1:23", "range '5-1'"),
        ("SwitchName=a Nodes=n[0-99999999999]", "topology.conf:1:20", "range '0-99999999999'"),
        ("SwitchName=a Nodes=n[٣-٤]", "topology.conf:1:20", "range '٣-٤'"),
        ("SwitchName=ü Nodes=n1", "topology.conf:1:12", "name 'ü'"),
        ("SwitchName=a Nodes=n1 Nodes=n2", "topology.conf:1:23", "`Nodes=n2`"),
        ("SwitchName=a Nodes=n1 Colour=red", "topology.conf:1:1", "key colour"),
        ("BlockName=a Nodes=n1 Switches=b", "topology.conf:1:1", "key switches"),
        ("Include /etc/slurm/more.conf", "topology.conf:1:1", "`Include /etc/slurm/more.conf`"),
        ("NodeName=n1", "topology.conf:1:1", "`NodeName=n1`"),
        ("BlockSizes=-1", "topology.conf:1:12", "`-1`"),
        ("BlockSizes=0,4", "topology.conf:1:12", "`0,4`"),
        ("SwitchName=a Nodes=n1\nBlockName=b Nodes=n1", "topology.conf", "switches and blocks in one file"),
        ("SwitchName=" + "a" * 5000, "topology.conf:1:1", "`SwitchName=aaaa"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text, where, said):
    _, problems = read(text)
    assert problems[0][0] == where
    assert said in problems[0][1]


def test_all_problems_at_once_and_an_end_to_them():
    book = Notebook("t")
    read_slurm_topology("SwitchName=a\n" * 50, book)
    assert len(book.listed()) == MAX_PROBLEMS + 1


def test_scontrol_show_node_one_record_or_one_line_each():
    text = "NodeName=a Arch=x86_64\n   Gres=gpu:h100:8\n   RealMemory=10 State=IDLE \n\nNodeName=b\n   Gres=(null)\n"
    nodes = read_scontrol_nodes(text, Notebook("s"))
    assert [(node.name, node.gres, node.real_memory_mib, node.state) for node in nodes] == [
        ("a", "gpu:h100:8", 10, "IDLE"),
        ("b", None, None, ""),
    ]
    line = read_scontrol_nodes("NodeName=a Gres=gpu:8 CfgTRES=cpu=1 State=IDLE\nNodeName=b State=DOWN*\n", Notebook("s"))
    assert [(node.name, node.gres, node.state) for node in line] == [("a", "gpu:8", "IDLE"), ("b", None, "DOWN*")]


def test_scontrol_without_a_node_is_said():
    book = Notebook("s")
    assert read_scontrol_nodes("No nodes in the system\n", book) == ()
    assert [problem.found for problem in book.problems] == ["no NodeName"]


def queue(**spec):
    return {"kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": spec}


def test_quotas_that_count_things():
    rows = [{"name": "nvidia.com/gpu", "nominalQuota": "8"}, {"name": "memory", "nominalQuota": "8Ti"}]
    rows.append({"name": "cpu", "nominalQuota": 4})
    found = read_cluster_queues([queue(resourceGroups=[{"flavors": [{"name": "f", "resources": rows}]}])], Notebook("q"))
    assert [(quota.queue, quota.flavor, quota.whole) for quota in found] == [("q", "f", {"nvidia.com/gpu": 8, "cpu": 4})]


@pytest.mark.parametrize("broken", [{"spec": []}, {"metadata": {}}, {"spec": {"resourceGroups": [{"flavors": "x"}]}}])
def test_a_broken_queue_is_named_and_the_others_are_read(broken):
    book = Notebook("q")
    objects = [{"kind": "Pod"}, "text", None, queue() | broken, queue(resourceGroups=[{"flavors": [{"name": "f"}]}])]
    found = read_cluster_queues(objects, book)
    assert [quota.flavor for quota in found] == ["f"]
    assert [problem.found.partition(":")[0] for problem in book.problems] == ["document 4"]


def test_a_list_of_kubectl_is_its_items():
    assert objects_of({"kind": "List", "items": [1, 2]}) == [1, 2]
    assert objects_of({"kind": "List", "items": "x"}) == [{"kind": "List", "items": "x"}]
    assert objects_of(None) == [None]
