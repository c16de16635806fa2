"""Which tool wrote a text: by a line that only that tool writes, never by the file's name."""

import re
from typing import Literal

from railyard.model.observed import Format
from railyard.read.sheets import CABLE_NEEDS, MAPPING_HEAD, NETBOX_NEEDS, P2P_HEAD, heads
from railyard.read.text import Notebook, shown

Signature = Format | Literal["hca-mapping", "nic-topology"]

FORMATS: dict[Format, str] = {
    "ibnetdiscover": "ibnetdiscover, or a netlist of ibsim",
    "iblinkinfo": "iblinkinfo, also with --line",
    "lldp": "lldpcli -f json show neighbors, in a file named after the device",
    "topo": ".topo of ibdiagnet or the Cable Validation Tool",
    "p2p": "p2p sheet (CSV) of the Cable Validation Tool; hca_mapping.csv beside it",
    "ptm-dot": "topology.dot of PTM",
    "netbox-cables": "cable CSV of NetBox",
    "cables": "our cables.csv as it comes back",
}
"""What an audit reads, in words."""

_LINES: tuple[tuple[re.Pattern[str], Signature], ...] = (
    (re.compile(r'(?:Switch|Ca|Hca|Rt)\s+\d+\s+"|(?:vendid|sysimgguid|switchguid|caguid)=|\[\d+\].*"\[\d+\]'), "ibnetdiscover"),
    (re.compile(r"(?:Switch|CA|RT): .*:\s*$|.*==\(.*\)==>"), "iblinkinfo"),
    (re.compile(r"\s*(?:strict\s+)?(?:di)?graph\b", re.I), "ptm-dot"),
    (re.compile(r"\tGPU0\t"), "nic-topology"),
    (re.compile(r"\s+\S+\s+-(?:\d+x-[\d.]+G)?-*>\s"), "topo"),
)
# A port line of ibnetdiscover begins with a bracket, too.
_JSON = re.compile(r"\s*(?:\{|\[\s*[\[{\]])")
_LOOKED_AT = 400
"""Lines that are looked at; comments and warnings may stand before the first that tells."""


def signature(text: str, notebook: Notebook) -> Signature | None:
    """The format of a text. None, with a problem in the notebook, where nothing tells."""
    if _JSON.match(text):
        return "lldp"
    lines = [line for line in text[:200_000].split("\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip()]
    first = lines[0] if lines else ""
    if found := _table(first):
        return found
    for line in lines:
        for pattern, kind in _LINES:
            if pattern.match(line):
                return kind
    limit = f"one of {', '.join(FORMATS)} (or hca_mapping.csv)"
    notebook.add("READ-004", shown(first), limit, "give the tool's output as it is, with its first lines", 1, 1)
    return None


def _table(first: str) -> Signature | None:
    """By the header of a CSV file."""
    delimiter = max(",;\t", key=first.count)
    names = heads([cell.strip().strip('"') for cell in first.split(delimiter)])
    if names[: len(P2P_HEAD)] == P2P_HEAD:
        return "p2p"
    if names[:2] == MAPPING_HEAD:
        return "hca-mapping"
    if sum(name in names for name in NETBOX_NEEDS) >= 2:
        return "netbox-cables"
    return "cables" if sum(name in names for name in CABLE_NEEDS) >= 3 else None
