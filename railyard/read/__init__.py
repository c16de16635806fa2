"""Foreign text -> nouns. Readers name what they can't read, with line and column, and guess nothing.

`read_fabric` takes the files of an audit, as bytes with their names, and says what each of them tells about cables.
"""

from collections.abc import Iterable
from pathlib import PurePath

from railyard.model.observed import Format, Observation
from railyard.read.dot import read_dot
from railyard.read.iblinkinfo import read_iblinkinfo
from railyard.read.ibnetdiscover import read_ibnetdiscover
from railyard.read.lldp import read_lldp
from railyard.read.nic_topology import NicTopology, read_nic_topology
from railyard.read.sheets import read_cables, read_mapping, read_netbox, read_p2p
from railyard.read.signature import FORMATS, Signature, signature
from railyard.read.text import Notebook, ReadError, decode
from railyard.read.topo import read_topo

__all__ = ["FORMATS", "NicTopology", "ReadError", "read_fabric", "read_nics"]


def read_fabric(files: Iterable[tuple[str, bytes]]) -> tuple[Observation, ...]:
    """One observation per file, in their order; a mapping file belongs to the p2p sheets. Raises ReadError: all problems."""
    books: list[Notebook] = []
    texts: list[tuple[Signature, str, Notebook]] = []
    for name, data in files:
        book = Notebook(name)
        books.append(book)
        text = decode(data, book)
        kind = None if text is None else signature(text, book)
        if text is not None and kind is not None:
            texts.append((kind, text, book))
    hcas: dict[str, str] = {}
    for kind, text, book in texts:
        if kind == "hca-mapping":
            hcas |= read_mapping(text, book)
    seen = tuple(_read(kind, text, book, hcas) for kind, text, book in texts if kind not in ("hca-mapping", "nic-topology"))
    for kind, _, book in texts:
        if kind == "nic-topology":
            book.add("READ-004", "`nvidia-smi topo -m`", "a file about cables", "leave it out: it tells of one node's inside")
    problems = [problem for book in books for problem in book.listed()]
    if not problems and not seen:
        alone = Notebook(", ".join(book.source for book in books) or "files")
        alone.add("READ-003", "no file about cables", f"at least one of {', '.join(FORMATS)}", "give the tool's output")
        problems = alone.listed()
    if problems:
        raise ReadError(problems)
    return seen


def read_nics(name: str, data: bytes) -> NicTopology:
    """The table of `nvidia-smi topo -m`. Raises ReadError."""
    book = Notebook(name)
    text = decode(data, book)
    found = None if text is None else read_nic_topology(text, book)
    if book.problems or found is None:
        raise ReadError(book.listed())
    return found


def _read(kind: Format, text: str, book: Notebook, hcas: dict[str, str]) -> Observation:
    match kind:
        case "ibnetdiscover":
            return read_ibnetdiscover(text, book)
        case "iblinkinfo":
            return read_iblinkinfo(text, book)
        case "lldp":
            return read_lldp(text, book, device_of(book.source))
        case "topo":
            return read_topo(text, book)
        case "p2p":
            return read_p2p(text, book, hcas)
        case "ptm-dot":
            return read_dot(text, book)
        case "netbox-cables":
            return read_netbox(text, book)
        case "cables":
            return read_cables(text, book)


def device_of(source: str) -> str:
    """The device that a file is named after: `lldp/leaf01.json.gz` -> `leaf01`."""
    name = PurePath(source).name
    for suffix in (".gz", ".json", ".lldp"):
        name = name.removesuffix(suffix)
    return name
