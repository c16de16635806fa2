"""`nvidia-smi topo -m` -> which NIC each GPU shares a PCIe switch with.

A tab table of GPUs and NICs; after them CPU and NUMA columns that may be blank, then a legend. Cells: X, NV#, PIX (one PCIe
bridge), PXB, PHB, NODE, SYS. Source: `nvidia-smi topo -m`; public reports of it in tests/data/audit.
"""

import re

import msgspec

from railyard.read.text import Notebook, numbered, shown

_DEVICE = re.compile(r"(?:GPU|NIC)\d+$|mlx5_\w+$")
_CELL = re.compile(r"X|NV\d+|PIX|PXB|PHB|NODE|SYS|N/A")
OWN = "PIX"
"""The connection that makes a NIC a GPU's own: at most one PCIe bridge between them."""


class NicTopology(msgspec.Struct, frozen=True):
    """GPUs and NICs as they are numbered, and `own`: GPU -> NICs behind its PCIe switch, in order. `numa` may lack some."""

    gpus: tuple[str, ...]
    nics: tuple[str, ...]
    own: dict[str, tuple[str, ...]]
    numa: dict[str, str]

    @property
    def rails(self) -> tuple[str, ...] | None:
        """The one own NIC of each GPU in their order; None where a GPU has none or several, or two share one."""
        single = [nics[0] for nics in self.own.values() if len(nics) == 1]
        return tuple(single) if len(single) == len(self.gpus) == len(set(single)) else None

    @property
    def numa_hidden(self) -> bool:
        """More than one GPU, and all on one NUMA node: a policy for one NUMA node means nothing then."""
        return len(self.gpus) > 1 and len(self.numa) == len(self.gpus) and len(set(self.numa.values())) == 1


def read_nic_topology(text: str, notebook: Notebook) -> NicTopology:
    """The matrix; every row and cell that doesn't fit its header is named."""
    header: list[str] = []
    own: dict[str, tuple[str, ...]] = {}
    numa: dict[str, str] = {}
    for number, line in numbered(text, notebook):
        cells = [re.sub("\x1b\\[[0-9;]*m", "", cell).strip() for cell in line.split("\t")]
        if not header:
            if any(_DEVICE.match(cell) for cell in cells[1:]) and not cells[0]:
                header = cells
            continue
        if not _DEVICE.match(cells[0]):
            if line.strip():
                break  # the legend, below an empty line or without one
            continue
        if cells[0].startswith("GPU"):
            _row(header, cells, number, line, own, numa, notebook)
    gpus = tuple(cell for cell in header if cell.startswith("GPU") and _DEVICE.match(cell))
    nics = tuple(cell for cell in header if not cell.startswith("GPU") and _DEVICE.match(cell))
    if not own:
        found = "no row of a GPU" if header else "no header with GPU0"
        notebook.add("READ-003", found, "the table of `nvidia-smi topo -m`", "copy it with its tabs")
    for gpu in gpus if own else ():
        if gpu not in own:
            notebook.add("READ-003", f"no row of {gpu}", "a row for each GPU of the header", "copy the whole table")
    return NicTopology(gpus, nics, own, numa)


def _row(
    header: list[str], cells: list[str], number: int, line: str, own: dict[str, tuple[str, ...]], numa: dict[str, str],
    notebook: Notebook,
) -> None:  # fmt: skip
    near: list[str] = []
    for index, name in enumerate(header):
        if not _DEVICE.match(name):
            continue
        cell = cells[index] if index < len(cells) else ""
        if not _CELL.fullmatch(cell):
            column = sum(len(one) + 1 for one in line.split("\t")[:index]) + 1
            notebook.add("READ-002", f"{shown(cell)} in column {name}", "X, NV#, PIX, PXB, PHB, NODE, SYS",
                         "copy the table with its tabs", number, column)  # fmt: skip
        elif cell == OWN and not name.startswith("GPU"):
            near.append(name)
    if cells[0] in own:
        notebook.add("READ-005", f"{cells[0]} again", "one row for each GPU", "delete one of the two", number, 1)
    own[cells[0]] = tuple(near)
    place = header.index("NUMA Affinity") if "NUMA Affinity" in header else None
    if place is not None and place < len(cells) and cells[place]:
        numa[cells[0]] = cells[place]
