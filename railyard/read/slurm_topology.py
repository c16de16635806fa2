"""Slurm's topology.conf (tree and block) and `scontrol show node` -> nouns.

Source: SchedMD/slurm doc/man/man5/topology.conf.5; NVIDIA/topograph tests/ci. Keys are case-insensitive, `#` begins a
comment, a `\\` at the end of a line joins the next one. `Include` is named and not followed: nothing here reads files.
"""

import re
from collections.abc import Iterator

import msgspec

from railyard.model.hostlist import HostlistError, expand
from railyard.read.text import Notebook, numbered, shown, whole_number

_PAIR = re.compile(r"(?P<key>[A-Za-z_]+)=(?P<value>\"[^\"]*\"|\S+)(?=\s|\Z)")
_SCONTROL = re.compile(r"(?:^|\s)(NodeName|Gres|RealMemory|State)=(\S*)")
_SWITCH_KEYS = frozenset({"switchname", "switches", "nodes", "linkspeed"})
_BLOCK_KEYS = frozenset({"blockname", "nodes"})
_LIMIT = "SwitchName= with Switches= or Nodes=; BlockName= with Nodes=; BlockSizes="


class _Word(msgspec.Struct, frozen=True):
    """A value and the column that it begins in, from 1 (in the joined line)."""

    text: str
    column: int


class SlurmSwitch(msgspec.Struct, frozen=True):
    """One switch line. One of `switches` and `nodes` is empty; `line` counts from 1."""

    name: str
    switches: tuple[str, ...]
    nodes: tuple[str, ...]
    line: int


class SlurmBlock(msgspec.Struct, frozen=True):
    """One block line."""

    name: str
    nodes: tuple[str, ...]
    line: int


class SlurmTopology(msgspec.Struct, frozen=True):
    """A topology.conf: switches of a tree, or blocks with their sizes."""

    source: str
    switches: tuple[SlurmSwitch, ...]
    blocks: tuple[SlurmBlock, ...]
    block_sizes: tuple[int, ...]


class SlurmNodeSeen(msgspec.Struct, frozen=True):
    """A node as slurmctld has it. `gres` is None where it prints `(null)`; `real_memory_mib` None where it isn't printed."""

    name: str
    gres: str | None
    real_memory_mib: int | None
    state: str


def read_slurm_topology(text: str, notebook: Notebook) -> SlurmTopology:
    """Every line; what is none of Slurm's is named with line and column, and so is a file without any switch or block."""
    switches: list[SlurmSwitch] = []
    blocks: list[SlurmBlock] = []
    sizes: tuple[int, ...] = ()
    for number, line in _joined(text, notebook):
        pairs = _pairs(line, number, notebook)
        if "switchname" in pairs:
            switches += _switch(pairs, number, notebook)
        elif "blockname" in pairs:
            blocks += _block(pairs, number, notebook)
        elif "blocksizes" in pairs:
            sizes = _sizes(pairs, number, notebook)
        elif pairs:
            notebook.unreadable(line, number, 1, _LIMIT)
    if not (switches or blocks or notebook.problems):
        notebook.add("READ-003", "no switch and no block", _LIMIT, "give Slurm's topology.conf; an empty one is no topology")
    if switches and blocks:
        both = "switches and blocks in one file"
        notebook.add("READ-002", both, "a tree, or blocks", "delete one of the two; Slurm reads what its TopologyPlugin names")
    return SlurmTopology(notebook.source, tuple(switches), tuple(blocks), sizes)


def _joined(text: str, notebook: Notebook) -> Iterator[tuple[int, str]]:
    """Lines without comments and blanks, continued ones joined; the number is that of the first."""
    begun, held = 0, ""
    for number, line in numbered(text, notebook):
        plain = line.partition("#")[0].rstrip()
        begun = begun if held else number
        held += plain.removesuffix("\\")
        if plain.endswith("\\"):
            held += " "
            continue
        if held.strip():
            yield begun, held.strip()
        held = ""
    if held.strip():
        yield begun, held.strip()


def _pairs(line: str, number: int, notebook: Notebook) -> dict[str, _Word]:
    """`key=value` pairs by lower-case key; empty, with a note, where the line is something else."""
    found: dict[str, _Word] = {}
    place = 0
    while place < len(line):
        pair = _PAIR.match(line, place)
        if pair is None:
            notebook.unreadable(line, number, place + 1, "key=value pairs")
            return {}
        key = pair["key"].lower()
        if key in found:
            notebook.unreadable(line, number, place + 1, f"{pair['key']} once in a line")
            return {}
        value = pair["value"]
        found[key] = _Word(value.strip('"'), pair.start("value") + 1 + value.startswith('"'))
        place = pair.end() + len(line[pair.end() :]) - len(line[pair.end() :].lstrip())
    return found


def _switch(pairs: dict[str, _Word], number: int, notebook: Notebook) -> Iterator[SlurmSwitch]:
    if not _known(pairs, _SWITCH_KEYS, number, notebook):
        return
    if ("switches" in pairs) == ("nodes" in pairs):
        found = f"{shown(pairs['switchname'].text)} with {'both' if 'nodes' in pairs else 'neither'}"
        notebook.add("READ-002", found, "Switches= or Nodes=", "say what is below the switch", number, 1)
        return
    below = _hosts(pairs["nodes" if "nodes" in pairs else "switches"], number, notebook)
    # Slurm takes a hostlist here too: switches that are alike in all but their names.
    for name in _hosts(pairs["switchname"], number, notebook):
        yield SlurmSwitch(name, below if "switches" in pairs else (), below if "nodes" in pairs else (), number)


def _block(pairs: dict[str, _Word], number: int, notebook: Notebook) -> Iterator[SlurmBlock]:
    if _known(pairs, _BLOCK_KEYS, number, notebook):
        yield SlurmBlock(pairs["blockname"].text, _hosts(pairs["nodes"], number, notebook) if "nodes" in pairs else (), number)


def _sizes(pairs: dict[str, _Word], number: int, notebook: Notebook) -> tuple[int, ...]:
    """BlockSizes; `-1` is what a tool writes that found nothing."""
    found = [whole_number(word) for word in pairs["blocksizes"].text.split(",")]
    sizes = tuple(size for size in found if size)
    if len(sizes) != len(found):
        place = pairs["blocksizes"].column
        notebook.add(
            "READ-002",
            shown(pairs["blocksizes"].text),
            "BlockSizes of whole numbers from 1",
            "list sizes in nodes",
            number,
            place,
        )
    return sizes


def _known(pairs: dict[str, _Word], keys: frozenset[str], number: int, notebook: Notebook) -> bool:
    odd = sorted(set(pairs) - keys)
    if odd:
        notebook.add("READ-002", f"key {odd[0]}", _LIMIT, "delete it, or look the key up in topology.conf(5)", number, 1)
    return not odd


def _hosts(word: _Word, number: int, notebook: Notebook) -> tuple[str, ...]:
    try:
        return expand(word.text)
    except HostlistError as error:
        notebook.add(
            "READ-002",
            f"{shown(word.text)}: {error.found}",
            error.limit,
            "write a hostlist: n[001-064]",
            number,
            word.column + error.column - 1,
        )
        return ()


def read_scontrol_nodes(text: str, notebook: Notebook) -> tuple[SlurmNodeSeen, ...]:
    """`scontrol show node`, also with `-o`: every record that begins with NodeName."""
    records: list[dict[str, str]] = []
    for _, line in numbered(text, notebook):
        for key, value in _SCONTROL.findall(line):
            if key == "NodeName":
                records.append({})
            if records:
                records[-1].setdefault(key, value)
    if not records:
        notebook.add("READ-003", "no NodeName", "the output of `scontrol show node`", "run it on a host with Slurm's commands")
    return tuple(
        SlurmNodeSeen(
            name=record["NodeName"],
            gres=None if record.get("Gres") in (None, "", "(null)") else record["Gres"],
            real_memory_mib=whole_number(record.get("RealMemory", "")),
            state=record.get("State", ""),
        )
        for record in records
    )
