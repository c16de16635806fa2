"""`ibnetdiscover` (and the netlist of ibsim, which is the same text) -> sightings.

Records are parted by headers, not by blank lines: people cut files. Port 65 of an NDR switch is its SHARP aggregation node.
Source: output of infiniband-diags 44.
"""

import re

from railyard.model.observed import Kind, Observation, SeenDevice, Sighting
from railyard.read.rates import RATE_WORDS, WIDTHS
from railyard.read.text import Notebook, numbered

_HEADER = re.compile(r'(?P<type>Switch|Ca|Hca|Rt)\s+(?P<ports>\d+)\s+"(?P<id>[^"]+)"\s*(?:#\s*(?P<rest>.*))?$')
_NAMED = re.compile(r'"(?P<name>.*)"(?:\s+(?:enhanced|base) port 0 lid \d+ lmc \d+)?\s*$')
_PORT = re.compile(
    r'\[(?P<port>\d+)\](?:\[ext \d+\])?(?:\((?P<guid>[0-9a-fA-Fx]+)\))?\s+"(?P<far>[^"]+)"\[(?P<farport>\d+)\](?:\[ext \d+\])?'
    r"(?:\((?P<farguid>[0-9a-fA-Fx]+)\))?\s*(?:#\s*(?P<rest>.*))?(?P<tail>\S.*)?$"
)
_OF_SWITCH = re.compile(r'"(?P<name>.*)" lid \d+(?: (?P<width>\d+)x(?P<speed>\w+))?\s*$')
_OF_HOST = re.compile(r'lid \d+ lmc \d+ "(?P<name>.*)" lid \d+(?: (?P<width>\d+)x(?P<speed>\w+))?\s*$')
_FACT = re.compile(r"(vendid|devid|sysimgguid|switchguid|caguid|rtguid|hcaguid)=|DDR$|(?:Chassis|Spine|Line) \d+")
_KINDS: dict[str, Kind] = {"Switch": "switch", "Ca": "host", "Hca": "host", "Rt": "switch"}
AGGREGATION = "Aggregation Node"
_FORM = 'a line of ibnetdiscover: a header (`Switch`, `Ca`), a port line (`[1] "H-…"[1] …`), a `key=value` line or a comment'


class _Reader:
    """State of one file: the record that port lines belong to, and names and kinds by id."""

    def __init__(self, notebook: Notebook) -> None:
        self.notebook = notebook
        self.devices: dict[str, SeenDevice] = {}
        self.rows: list[tuple[str, str, str, str, str, int, int | None, str | None, tuple[str, str]]] = []
        self.names: dict[str, str] = {}
        self.current = ""
        self.of_switch = True
        self.ports = 0

    def line(self, number: int, text: str) -> None:
        if text.startswith("["):
            self._port(number, text)
        elif found := _HEADER.match(text):
            self._header(number, text, found)
        elif not text.strip() or text.startswith("#") or _FACT.match(text):
            return
        else:
            self.notebook.unreadable(text, number, len(text) - len(text.lstrip()) + 1, _FORM)

    def _header(self, number: int, text: str, found: re.Match[str]) -> None:
        key, rest = found["id"], found["rest"]
        name = key
        if rest is not None:
            named = _NAMED.match(rest)
            if named is None:
                self.notebook.unreadable(text, number, found.start("rest") + 1, 'the description in quotes: # "name"')
                self.current = ""
                return
            name = named["name"]
        kind: Kind = "aggregation" if AGGREGATION in name else _KINDS[found["type"]]
        self.current, self.of_switch, self.ports = key, found["type"] in ("Switch", "Rt"), int(found["ports"])
        self.names[key] = name
        self.devices.setdefault(key, SeenDevice(key, name, kind, _guid(key), number))

    def _port(self, number: int, text: str) -> None:
        found = _PORT.match(text)
        if found is None or found["tail"]:
            column = 1 if found is None else found.start("tail") + 1
            self.notebook.unreadable(text, number, column, 'a port line: [1] "H-…"[1](…) # "name" lid 1 4xNDR')
            return
        if not self.current:
            self.notebook.unreadable(text, number, 1, "a port line below the header of its device", "add the header above it")
            return
        port = int(found["port"])
        if not 0 < port <= self.ports:
            limit = f"a port from 1 to {self.ports}, as the header says"
            self.notebook.unreadable(text, number, found.start("port") + 1, limit)
            return
        rest, name, width, speed = found["rest"], "", None, None
        if rest:
            # A netlist of ibsim has one form for both.
            told = _OF_SWITCH.match(rest) if self.of_switch else _OF_HOST.match(rest) or _OF_SWITCH.match(rest)
            if told is None:
                self.notebook.unreadable(text, number, found.start("rest") + 1, "name, lid, width and speed of the far end")
                return
            name, width, speed = told["name"], told["width"], told["speed"]
            if width is not None and (int(width) not in WIDTHS or speed not in RATE_WORDS):
                limit = f"a width of {', '.join(map(str, sorted(WIDTHS)))} lanes and one of {', '.join(RATE_WORDS)}"
                self.notebook.unreadable(text, number, found.start("rest") + told.start("width") + 1, limit)
                return
        lanes = None if width is None else int(width)
        far = found["far"]
        if name:
            self.names.setdefault(far, name)
        guids = _plain(found["guid"] or ""), _plain(found["farguid"] or "")
        self.rows.append((self.current, str(port), far, str(int(found["farport"])), name, number, lanes, speed, guids))

    def links(self) -> tuple[Sighting, ...]:
        """The rows with names and kinds, once every record is known."""
        return tuple(self._sighting(*row) for row in self.rows)

    def _sighting(
        self,
        key: str,
        port: str,
        far: str,
        far_port: str,
        name: str,
        line: int,
        lanes: int | None,
        speed: str | None,
        guids: tuple[str, str],
    ) -> Sighting:
        local = self.devices[key]
        known = self.devices.get(far)
        lane = None if speed is None else RATE_WORDS[speed]
        return Sighting(
            key=key,
            name=local.name,
            kind=local.kind,
            port=port,
            far_key=far,
            far_name=name or self.names.get(far, far),
            far_kind=known.kind if known else _kind(far, name),
            far_port=far_port,
            line=line,
            gbps=None if lane is None or lanes is None else lane * lanes,
            lanes=lanes,
            lane_gbps=lane,
            far_guid=_guid(far),
            port_guid=guids[0],
            far_port_guid=guids[1],
        )


def read_ibnetdiscover(text: str, notebook: Notebook) -> Observation:
    """Switches, hosts and links of one subnet. Without a single switch it is no topology (topograph, example-bad.out)."""
    reader = _Reader(notebook)
    for number, line in numbered(text, notebook):
        reader.line(number, line)
    if not any(device.kind == "switch" for device in reader.devices.values()):
        found = f"no switch records ({len(reader.devices)} other records)"
        fix = "run ibnetdiscover again, on a port that is up; the file may be cut off"
        notebook.add("READ-003", found, "at least one switch", fix)
    return Observation(
        notebook.source, "ibnetdiscover", tuple(reader.devices.values()), reader.links(), whole=True, both_ends=True
    )


def _kind(key: str, name: str) -> Kind:
    if AGGREGATION in name:
        return "aggregation"
    return "switch" if key.startswith(("S-", "R-")) else "host" if key.startswith("H-") else ""


def _guid(key: str) -> str:
    """`S-02aa…` -> `0x02aa…`; empty for a netlist's plain name."""
    return _plain(key[2:]) if key[:2] in ("S-", "H-", "R-") else ""


def _plain(digits: str) -> str:
    try:
        return f"0x{int(digits, 16):016x}" if digits else ""
    except ValueError:
        return ""
