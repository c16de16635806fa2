"""`railyard topology` and `railyard host`: what schedulers and nodes are told, and whether what they say is the plan."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from railyard import load, rules
from railyard import plan as planning
from railyard.cli.console import FOUND, block, guarded, project_root, say, show, stop
from railyard.cli.design import ConfigFile, Root, Stack
from railyard.load.reader import read_yaml
from railyard.model.errors import LoadError
from railyard.model.hostlist import HostlistError, expand
from railyard.model.scheduler import SchedulerPlan
from railyard.plan import Plan
from railyard.plan.hosts import rail_addresses
from railyard.plan.scheduler_topology import known_only
from railyard.read import ReadError, read_nics
from railyard.read.kueue import FlavorQuota, objects_of, read_cluster_queues
from railyard.read.slurm_topology import read_scontrol_nodes, read_slurm_topology
from railyard.read.text import Notebook, decode
from railyard.render.hosts import longest_cable_m, model_files, node_files
from railyard.render.schedulers import topology_block_conf, topology_conf, topology_yaml
from railyard.rules import Finding


class Kind(StrEnum):
    """How Slurm reads it."""

    tree = "tree"
    block = "block"
    yaml = "yaml"


_RENDER = {Kind.tree: topology_conf, Kind.block: topology_block_conf, Kind.yaml: topology_yaml}
Known = Annotated[
    Path | None,
    typer.Option(help="File of the nodes that Slurm knows (`sinfo -hN -o %N`); - is standard input.", show_default=False),
]
Target = Annotated[Path | None, typer.Option("--out", help="File to replace instead of printing.", show_default=False)]
Checked = Annotated[
    list[Path] | None,
    typer.Option(
        "--check",
        help="Compare a topology.conf, `scontrol show node`, `nvidia-smi topo -m` or a ClusterQueue; repeatable.",
        show_default=False,
    ),
]
Node = Annotated[str, typer.Argument(help="Name of a GPU node.", metavar="NODE")]
Folder = Annotated[
    Path | None, typer.Option("--out", help="Folder to write to. Default: out/<STACK>/hosts.", show_default=False)
]


@guarded
def topology(
    stack: Stack,
    kind: Annotated[Kind, typer.Option("--format", help="How Slurm reads it.")] = Kind.tree,
    known: Known = None,
    out_file: Target = None,
    check: Checked = None,
    config_file: ConfigFile = None,
    root: Root = None,
) -> None:
    """Print a stack's topology for Slurm, or compare what a site has with it.

    A topology without nodes is never written: the last good file stays. Exit code: 0; 1 if nothing is left or something
    differs; 2 if the input can't be read.
    """
    _, made = _planned(stack, config_file, root)
    scheduler = known_only(made.scheduler, _names(known)) if known else made.scheduler
    if check:
        found = [finding for path in check for finding in _compare(path, made, scheduler)]
        show(rules.grouped(found))
        if found:
            raise typer.Exit(FOUND)
        say(f"{len(check)} {'file agrees' if len(check) == 1 else 'files agree'} with the plan of {stack}")
        return
    if not scheduler.switches:
        fix = "compare the names of --known with those of the inventory"
        stop(block(str(out_file or stack), "no node is left", "at least one; the last good file stays", fix, "CLI-030"), FOUND)
    text = _RENDER[kind](scheduler)
    if out_file is None:
        say(text.rstrip("\n"))
    else:
        _replace(out_file, text)
        say(f"written: {out_file} ({scheduler.nodes} nodes)")


@guarded
def host(stack: Stack, node: Node, out_folder: Folder = None, config_file: ConfigFile = None, root: Root = None) -> None:
    """Write the files of one GPU node: interfaces, kernel settings, NIC check, QoS, NCCL's configuration."""
    base, made = _planned(stack, config_file, root)
    addresses = rail_addresses(made.hosts, made.addresses)
    if node not in addresses:
        near = get_close_matches(node, addresses, n=1)
        fix = f"did you mean {near[0]}?" if near else "take a name from the inventory"
        stop(block(node, "no GPU node of this name", f"one of the {len(addresses)} nodes of {stack}", fix, "CLI-031"))
    folder = (out_folder or base / "out" / stack / "hosts") / node
    for name, text in {
        **model_files(made.hosts, longest_cable_m(made.cables)),
        **node_files(made.hosts, addresses[node]),
    }.items():
        _replace(folder / name, text)
    say(f"written: {folder} (README.md says where each file goes)")


def _planned(stack: str, config_file: Path | None, root: Path | None) -> tuple[Path, Plan]:
    base = project_root(root)
    config = load.site_config(base, stack, config_file=config_file.resolve() if config_file else None)
    return base, planning.plan(config)


def _names(path: Path) -> set[str]:
    """Node names of a file: names or hostlists between blanks, `#` begins a comment."""
    text = typer.get_text_stream("stdin").read() if str(path) == "-" else path.read_text(encoding="utf-8", errors="replace")
    found: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        for word in line.partition("#")[0].split():
            try:
                found |= set(expand(word))
            except HostlistError as error:
                stop(
                    block(
                        f"{path}:{number}",
                        f"{word[:60]}: {error.found}",
                        error.limit,
                        "give names as `sinfo -hN -o %N` prints them",
                    )
                )
    return found


def _compare(path: Path, made: Plan, scheduler: SchedulerPlan) -> Iterable[Finding]:
    """Findings of one file, by what it is. ReadError with everything that can't be read."""
    data, book = path.read_bytes(), Notebook(str(path))
    text = decode(data, book)
    if text is None:
        raise ReadError(book.listed())
    if "ClusterQueue" in text:
        return rules.check_quotas(_queues(path, text, book), {made.platform.gpu_resource})
    if "\tGPU" in text:
        return rules.check_nic_topology(made.hosts, read_nics(str(path), data), str(path))
    if "NodeName=" in text and "Arch=" in text:
        nodes = read_scontrol_nodes(text, book)
        found = rules.check_slurm_nodes(nodes, scheduler)
    else:
        found = rules.check_slurm_topology(read_slurm_topology(text, book), scheduler)
    if book.problems:
        raise ReadError(book.listed())
    return found


def _queues(path: Path, text: str, book: Notebook) -> tuple[FlavorQuota, ...]:
    """ClusterQueues of a YAML or JSON file: one, or the List that kubectl prints."""
    document = read_yaml(text, str(path))
    if document.problems:
        raise LoadError(document.problems)
    found = read_cluster_queues(objects_of(document.value), book)
    if book.problems:
        raise ReadError(book.listed())
    return found


def _replace(path: Path, text: str) -> None:
    """Write beside the file and rename: whoever reads it meets the old one or the new one, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        # netplan and NetworkManager want their files closed to others; programs must be executable.
        Path(name).chmod(0o755 if path.suffix == ".sh" else 0o600 if path.suffix in (".yaml", ".nmconnection") else 0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
