"""`iblinkinfo`, also with `--line` -> sightings. Speeds are printed per lane with coding: 25.78125 is EDR's 25 Gb/s of data.

Source: NVIDIA/nccl-tests#71; output of infiniband-diags 44.
"""

import re
from collections import Counter
from typing import NamedTuple

from msgspec.structs import replace

from railyard.model.observed import Kind, Observation, SeenDevice, Sighting
from railyard.read.ibnetdiscover import AGGREGATION
from railyard.read.rates import SIGNAL_RATES, WIDTHS
from railyard.read.text import Notebook, numbered

_HEADER = re.compile(r"(?P<type>Switch|CA|RT):(?:\s+(?P<guid>0x[0-9a-fA-F]+))?\s+(?P<name>.*):\s*$")
_LINK = re.compile(
    r'\s*(?:(?P<guid>0x[0-9a-fA-F]+)\s+)?(?:"\s*(?P<name>.*?)"\s+)?(?P<lid>\d+)\s+(?P<port>\d+)\[\s*\w*\s*\]\s*'
    r"==\(\s*(?:(?P<width>\d+)X\s+(?P<rate>[\d.]+)\s+Gbps(?:\s*\([^)]*\))?)?\s*(?P<state>[\w?]+)\s*/"
    r"\s*(?P<phys>[\w? ]+?)\s*\)==>"
    r"\s*(?:(?P<farguid>0x[0-9a-fA-F]+)\s+)?(?:(?P<farlid>\d+)\s+(?P<farport>\d+))?\[\s*\w*\s*\]"
    r'\s*"(?P<far>.*)"\s*\((?P<note>.*)\)\s*$'
)
_KINDS: dict[str, Kind] = {"Switch": "switch", "CA": "host", "RT": "switch"}
_FORM = 'a header (`Switch: …:`, `CA: …:`) or a line `lid port[ ] ==( 4X 106.25 Gbps Active/ LinkUp)==> lid port[ ] "name" ( )`'


class _Told(NamedTuple):
    key: str
    name: str
    kind: Kind


def read_iblinkinfo(text: str, notebook: Notebook) -> Observation:
    """Links that are up. A port that is down has no far end to tell, so it says nothing that the plan couldn't."""
    devices: dict[str, SeenDevice] = {}
    links: list[Sighting] = []
    header: _Told | None = None
    for number, line in numbered(text, notebook):
        if not line.strip() or line.startswith("#"):
            continue
        if found := _HEADER.match(line):
            header = _record(devices, found["name"], found["guid"] or "", _KINDS[found["type"]], number)
            continue
        link = _LINK.match(line)
        if link is None:
            notebook.unreadable(line, number, len(line) - len(line.lstrip()) + 1, _FORM)
            continue
        local = header
        if link["name"] is not None:
            # `--line`: each line names its own device, and doesn't say what it is.
            local = _record(devices, link["name"], link["guid"] or "", "", number)
        if local is None:
            notebook.unreadable(line, number, 1, "a link below the header of its device", "add the header above it")
        elif link["farport"] is not None:
            _note(links, local, link, number, notebook, line)
    if not links:
        notebook.add("READ-003", "no link that is up", "at least one", "run iblinkinfo again, on a port that is up")
    return Observation(notebook.source, "iblinkinfo", tuple(devices.values()), _with_kinds(devices, links), whole=True)


def _with_kinds(devices: dict[str, SeenDevice], links: list[Sighting]) -> tuple[Sighting, ...]:
    """A far end says its name only; where that is one switch's of this file, it is that switch."""
    names = Counter(device.name for device in devices.values())
    switches = {one.name: one for one in devices.values() if one.kind == "switch" and names[one.name] == 1}
    return tuple(
        replace(one, far_key=known.key, far_kind="switch", far_guid=known.guid)
        if (known := switches.get(one.far_name)) and not one.far_guid
        else one
        for one in links
    )


def _record(devices: dict[str, SeenDevice], name: str, guid: str, kind: Kind, line: int) -> _Told:
    kind = "aggregation" if AGGREGATION in name else kind
    # Without a GUID two adapters of one name can't be told apart: the line number keeps their records apart.
    key = guid.lower() or (name if kind == "switch" else f"{name}@{line}")
    devices.setdefault(key, SeenDevice(key, name, kind, guid.lower(), line))
    return _Told(key, name, kind)


def _note(links: list[Sighting], local: _Told, link: re.Match[str], number: int, notebook: Notebook, text: str) -> None:
    width, rate = link["width"], link["rate"]
    if width is not None and (int(width) not in WIDTHS or rate not in SIGNAL_RATES):
        limit = f"4X and a lane rate of {', '.join(SIGNAL_RATES)} Gbps"
        notebook.unreadable(text, number, link.start("width") + 1, limit)
        return
    lane = SIGNAL_RATES[rate] if rate else None
    lanes = int(width) if width else None
    far_guid = (link["farguid"] or "").lower()
    links.append(
        Sighting(
            key=local.key,
            name=local.name,
            kind=local.kind,
            port=str(int(link["port"])),
            far_key=far_guid or link["far"],
            far_name=link["far"],
            far_kind="aggregation" if AGGREGATION in link["far"] else "",
            far_port=str(int(link["farport"])),
            line=number,
            gbps=None if lane is None or lanes is None else lane * lanes,
            lanes=lanes,
            lane_gbps=lane,
            far_guid=far_guid,
        )
    )
