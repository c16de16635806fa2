"""Links per second, beside two programs that engineers use for the same: netlab plans a lab, NetworkX holds a graph.

netlab     32 leaves x 16 spines, 512 links, BGP with an AS number for each switch. Theirs: the transformation that
           `netlab create` does (interface names, addresses, sessions), without reading and writing. Ours: the whole plan of a
           routed Ethernet site with these 512 links (addresses, AS numbers, cables with lengths, racks, three more networks).
NetworkX   the 49,152 links of 2,048 nodes in three tiers. Theirs: a MultiGraph of ready-made ends, ports on the edges. Ours:
           the same links out of six numbers.

netlab's pins aren't ours: it gets a virtual environment of its own in the cache, made by the first run (needs the network).
"""

import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import networkx

from bench.project import BenchError
from bench.rows import Row
from engine.cache import cache_root
from engine.paths import ROOT
from railyard import load
from railyard.model.config import SiteConfig
from railyard.plan import plan
from railyard.plan.links import Link
from railyard.plan.shape import FabricShape, size_fabric
from railyard.plan.wiring import design_links

NETLAB = "networklab==26.10"
LEAVES, SPINES = 32, 16
REPEATS = 5
THREE_TIERS = size_fabric(32, 64, 8, 64)
"""2,048 nodes on 64-port switches."""


def netlab_rows() -> list[Row]:
    """Both sides in CPU seconds of one process each; ours the best of `REPEATS`, theirs of one (it takes many seconds)."""
    theirs, links = netlab_seconds(), LEAVES * SPINES
    config = routed_config()
    fabric = plan(config).fabric
    if (fabric.leaves, fabric.spines, fabric.leaf_spine_links) != (LEAVES, SPINES, links):
        raise BenchError(f"the site has {fabric.leaves} leaves, {fabric.spines} spines, {fabric.leaf_spine_links} links")
    ours = _best(lambda: plan(config))
    title = f"{links} links of {LEAVES} leaves x {SPINES} spines"
    note = f"the whole site's plan; baseline: {NETLAB}, transformation alone"
    return [
        Row(f"{title}: CPU", ours, "s", theirs, limit=1.0, of_ratio=True, note=note),
        Row(f"{title}: planned per second", links / ours, "links/s", links / theirs, note=note),
    ]


def networkx_rows() -> list[Row]:
    """Best of `REPEATS` of both, in turn."""
    links = list(design_links("bench", THREE_TIERS))
    graph = as_graph(links)
    if graph.number_of_edges() != len(links):
        raise BenchError(f"NetworkX has {graph.number_of_edges()} edges of {len(links)} links")
    del graph
    ours, theirs = _best(lambda: list(design_links("bench", THREE_TIERS))), _best(lambda: as_graph(links))
    title, note = (
        f"{len(links):,} links of {nodes_of(THREE_TIERS):,} nodes",
        f"baseline: NetworkX {networkx.__version__}, a graph of them",
    )
    return [
        Row(f"{title}: CPU", ours, "s", theirs, limit=1.0, of_ratio=True, note=note),
        Row(f"{title}: wired per second", len(links) / ours, "links/s", len(links) / theirs, note=note),
    ]


def nodes_of(shape: FabricShape) -> int:
    """Slots of a shape."""
    return shape.units * shape.nodes_per_unit


def as_graph(links: list[Link]) -> "networkx.MultiGraph[str]":
    """The links as people keep them in NetworkX: devices, and edges with the ports of both ends."""
    graph: networkx.MultiGraph[str] = networkx.MultiGraph()
    for link in links:
        graph.add_edge(link.a, link.z, a_port=link.a_port, z_port=link.z_port, kind=link.kind, rail=link.rail, plane=link.plane)
    return graph


def routed_config() -> SiteConfig:
    """The example `roce` with four units of 16 nodes and one link for each pair: 8 rails x 4 units = 32 leaves."""
    text = (ROOT / "stacks" / "Pulumi.roce.yaml").read_text(encoding="utf-8")
    for old, new in {
        "nodesPerUnit: 32": f"nodesPerUnit: {SPINES}",
        "scalableUnits: 1": f"scalableUnits: {LEAVES // 8}\n    spines: {SPINES}",
    }.items():
        if text.count(old) != 1:
            raise BenchError(f"stacks/Pulumi.roce.yaml has no single `{old}`: adapt bench/links_bench.py")
        text = text.replace(old, new)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "Pulumi.roce.yaml"
        path.write_text(text, encoding="utf-8")
        return load.site_config(ROOT, "roce", config_file=path)


def topology() -> str:
    """The same switches and links as netlab's topology file."""
    leaves = [f"leaf{number:03d}" for number in range(1, LEAVES + 1)]
    spines = [f"spine{number:03d}" for number in range(1, SPINES + 1)]
    switches = [*leaves, *spines]
    lines = ["provider: clab", "defaults.device: frr", "module: [bgp]", "nodes:"]
    lines += [f"  {name}: {{bgp.as: {65001 + number}}}" for number, name in enumerate(switches)]
    lines += ["links:", *(f"- {leaf}-{spine}" for leaf in leaves for spine in spines)]
    return "\n".join(lines) + "\n"


def netlab_seconds() -> float:
    """CPU seconds of netlab's transformation. BenchError where it isn't there or has done something else."""
    python = netlab_python()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "topology.yml"
        path.write_text(topology(), encoding="utf-8")
        command = [str(python), str(ROOT / "bench" / "netlab_driver.py"), path.name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        raise BenchError(f"netlab: {(done.stderr or done.stdout).strip()[-300:]}")
    answer = json.loads(done.stdout.splitlines()[-1])
    if (answer["links"], answer["nodes"]) != (LEAVES * SPINES, LEAVES + SPINES):
        raise BenchError(f"netlab made {answer['links']} links of {answer['nodes']} nodes")
    return float(answer["seconds"])


def netlab_python() -> Path:
    """Python of netlab's environment; made where it isn't complete."""
    folder = cache_root() / NETLAB.replace("==", "-")
    python, complete = folder / "bin" / "python", folder / "complete"
    if complete.is_file():
        return python
    print(f"{NETLAB}: making {folder} ...", file=sys.stderr, flush=True)
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", NETLAB],
    ):
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            raise BenchError(f"{NETLAB} can't be installed: {(done.stderr or done.stdout).strip()[-300:]}")
    complete.touch()
    return python


def _best(run: Callable[[], object]) -> float:
    """The least CPU seconds of `REPEATS` runs."""
    best = float("inf")
    for _ in range(REPEATS):
        gc.collect()  # what ran before has left is not this run's time
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best
