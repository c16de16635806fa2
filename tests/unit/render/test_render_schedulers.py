"""Scheduler files: what a reader gets back is the plan; formats that nothing here runs are checked against their schema."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

from railyard.model.hostlist import expand
from railyard.plan import plan
from railyard.read.slurm_topology import read_slurm_topology
from railyard.read.text import Notebook
from railyard.render.schedulers import (
    gres_conf,
    hyper_nodes,
    kubernetes_files,
    kueue_objects,
    nodes_conf,
    slurm_files,
    topology_block_conf,
    topology_conf,
    topology_yaml,
)
from railyard.render.schedulers.kubernetes import hyper_name
from railyard.rules.scheduler import check_slurm_topology
from tests.planned_site import make_site
from tests.unit.rules.host_factory import scheduler

pytestmark = pytest.mark.requirement("K3", "K4", "U4")

ROOT = Path(__file__).parents[3]
SCHEMAS = ROOT / "tests/data/schemas"


@pytest.fixture(scope="module")
def made():
    """Three units, the last one half full."""
    shape = {"nodesPerUnit": 8, "scalableUnits": 3, "plannedScalableUnits": 3}
    return plan(make_site(nodes=20, fabric=shape))


def read(text):
    book = Notebook("topology.conf")
    found = read_slurm_topology(text, book)
    assert book.problems == []
    return found


def schema(name):
    return jsonschema.Draft202012Validator(json.loads((SCHEMAS / name).read_text()))


def test_the_tree_comes_back_through_the_reader(made):
    found = read(topology_conf(made.scheduler))
    assert [(row.name, row.switches, row.nodes) for row in found.switches] == [
        (
            switch.name,
            expand(switch.switches) if switch.switches else (),
            expand(switch.nodes) if switch.nodes else (),
        )
        for switch in made.scheduler.switches
    ]
    assert check_slurm_topology(found, made.scheduler) == []


def test_blocks_come_back_through_the_reader(made):
    found = read(topology_block_conf(made.scheduler))
    assert [len(block.nodes) for block in found.blocks] == [8, 8, 4]
    assert found.block_sizes == (4, 8, 16)
    assert min(len(block.nodes) for block in found.blocks) >= found.block_sizes[0]
    assert check_slurm_topology(found, made.scheduler) == []


def test_topology_yaml_has_the_tree_and_the_blocks(made):
    """By schema only: Slurm 22.05 doesn't read it."""
    value = YAML(typ="safe").load(topology_yaml(made.scheduler))
    schema("slurm-topology-yaml.json").validate(value)
    tree, block = value
    switches = {row["switch"]: row for row in tree["tree"]["switches"]}
    assert expand(switches["t-compute"]["children"]) == ("t-su001", "t-su002", "t-su003")
    assert len(expand(switches["t-su003"]["nodes"])) == 4
    assert [row["block"] for row in block["block"]["blocks"]] == ["t-su001", "t-su002", "t-su003"]


@pytest.mark.parametrize(
    "broken",
    [
        [],
        [{"topology": "a", "cluster_default": True}],
        [{"topology": "a", "cluster_default": True, "tree": {"switches": [{"switch": "s", "nodes": "n1", "children": "x"}]}}],
        [{"topology": "a", "cluster_default": True, "block": {"block_sizes": [-1], "blocks": [{"block": "b", "nodes": "n1"}]}}],
        [{"topology": "a", "cluster_default": True, "tree": {"switches": []}}],
        [{"topology": "a", "cluster_default": "yes", "flat": True}],
    ],
)
def test_the_schema_of_topology_yaml_refuses_what_slurm_would(broken):
    assert list(schema("slurm-topology-yaml.json").iter_errors(broken))


def test_node_lines_and_gpus_name_every_node_once(made):
    lines = [line for line in nodes_conf(made.scheduler).splitlines() if line.startswith("NodeName=")]
    names = [name for line in lines for name in expand(line.split()[0].removeprefix("NodeName="))]
    assert sorted(names) == sorted(machine.name for machine in made.machines if machine.role == "gpu")
    assert all(line.endswith("RealMemory=1991680 Gres=gpu:h100:8 State=UNKNOWN") for line in lines)
    gres = [line for line in gres_conf(made.scheduler).splitlines() if line.startswith("NodeName=")]
    assert [line.split()[0] for line in gres] == [line.split()[0] for line in lines]
    assert all("File=/dev/nvidia[0-7]" in line for line in gres), "case 60: a count without files is 0 < 8"


def test_nodes_set_aside_are_drained_and_keep_their_gpus(made):
    found = made.scheduler.model_copy(update={"drained": ("t-su001-gpu02", "t-su003-gpu01")})
    text = nodes_conf(found)
    assert "NodeName=t-su001-gpu02,t-su003-gpu01 " in text
    assert text.count("State=DRAIN") == 1
    assert "NodeName=t-su001-gpu[01,03-08] " in text
    assert "NodeName=t-su001-gpu02,t-su003-gpu01 Name=gpu" in gres_conf(found)
    assert "t-su001-gpu[01-08]" in topology_conf(found), "it still hangs on its cables"


def test_an_amd_node_asks_its_driver():
    found = plan(make_site(compute={"nodeModel": "mi300x-platform"})).scheduler
    assert "NodeName=t-su001-gpu[01-04] AutoDetect=rsmi" in gres_conf(found)
    assert "Gres=gpu:mi300x:8" in nodes_conf(found)
    assert "Sockets=" not in nodes_conf(found), "cores are unknown"


def test_nothing_is_written_without_nodes():
    """Case 21: the last good file stays."""
    empty = scheduler(switches=(), nodes=0, block_sizes=())
    assert slurm_files(empty) == {}
    assert kubernetes_files(None, empty, ()) == {}
    for render in (topology_conf, topology_block_conf, topology_yaml, nodes_conf, gres_conf):
        with pytest.raises(ValueError, match="last good file stays"):
            render(empty)


def test_kueue_objects_are_valid_for_the_real_crds(made):
    """Schemas of Kueue 0.17, as the lab's control plane has them."""
    rows = json.loads((ROOT / "lab/controlplane/manifests/kueue-crds.json").read_text())
    crds = {row["spec"]["names"]["kind"]: row["spec"]["versions"][0] for row in rows}
    objects = kueue_objects(made.platform)
    assert [item["kind"] for item in objects] == ["Topology", "ResourceFlavor"]
    for item in objects:
        version = crds[item["kind"]]
        assert item["apiVersion"] == f"kueue.x-k8s.io/{version['name']}"
        check = jsonschema.Draft202012Validator(version["schema"]["openAPIV3Schema"])
        assert list(check.iter_errors(item)) == []
        assert list(check.iter_errors(item | {"spec": {"levels": [], "nodeLabels": {"a": 1}}}))
    assert objects[0]["spec"]["levels"][-1] == {"nodeLabel": "kubernetes.io/hostname"}


def test_hyper_nodes_are_valid_and_name_what_exists(made):
    """By schema only: no Volcano runs here."""
    found = hyper_nodes(made.scheduler)
    check = schema("volcano-hypernode.json")
    for item in found:
        check.validate(item)
    tiers = {item["metadata"]["name"]: item["spec"]["tier"] for item in found}
    assert tiers == {"t-su001": 1, "t-su002": 1, "t-su003": 1, "t-compute": 2}
    members = [
        row["selector"]["exactMatch"]["name"] for item in found for row in item["spec"]["members"] if row["type"] == "Node"
    ]
    assert sorted(members) == sorted(machine.name for machine in made.machines if machine.role == "gpu")
    assert list(check.iter_errors(found[0] | {"spec": {"tier": -1}}))
    assert list(check.iter_errors(found[0] | {"spec": {"tier": 1, "members": []}}))


def test_names_are_kubernetes_names():
    assert hyper_name("Fab_A.unknown") == "fab-a.unknown"


def test_labels_of_every_node_are_written(made):
    files = kubernetes_files(made.platform, made.scheduler, made.machines)
    labels = json.loads(files["node-labels.json"])
    assert len(labels) == 20
    assert labels["t-su003-gpu01"]["railyard.dev/unit"] == "t-su003"


def test_the_same_plan_gives_the_same_bytes(made):
    again = replace(made, scheduler=made.scheduler.model_copy())
    assert slurm_files(again.scheduler) == slurm_files(made.scheduler)
