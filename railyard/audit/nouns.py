"""Nouns of the audit: the fabric as it should be, links as found, and what the audit says. Rows and values only."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import msgspec


class End(NamedTuple):
    """A port of a device. A device's name never has meaning here beyond being equal to another."""

    device: str
    port: str

    def __str__(self) -> str:
        return f"{self.device}/{self.port}"


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a device stands, as far as anybody knows. `tag` goes before a port's number on a label: `R004-U12-P`."""

    rack: str
    u: int | None = None
    tag: str = ""


class Switch(msgspec.Struct, frozen=True, gc=False):
    """A switch of the design. `level` counts from 0 at the leaves; `network` parts the training fabric from the others."""

    name: str
    role: str
    level: int
    network: str
    unit: int | None = None
    rail: int | None = None
    plane: int | None = None


class Host(msgspec.Struct, frozen=True, gc=False):
    """A host of the design; unit and slot where it has them."""

    name: str
    unit: int | None = None
    slot: int | None = None


class DesignLink(msgspec.Struct, frozen=True, gc=False):
    """One link as it should be: `a` is the lower end (a host's NIC, or a switch), `z` the upper, always a switch.

    `any_port`: `z.port` is a placeholder, since links between one pair of switches are interchangeable in this design.
    """

    cable: str
    network: str
    a: End
    z: End
    gbps: float | None
    rail: int | None = None
    plane: int | None = None
    a_label: str = ""
    z_label: str = ""
    any_port: bool = False


class Adapters(msgspec.Struct, frozen=True, gc=False):
    """Two rails that are the two ports of one adapter: the second's GUID is the first's plus `offset`."""

    first: int
    second: int
    offset: int


def _unlabelled(_switch: str, _port: str) -> str:
    return ""


class Naming(msgspec.Struct, frozen=True):
    """What descriptions mean. Each function answers None where a text means nothing in this design.

    `switch`: description -> switch. `host`: description -> (host, NIC or None where the text doesn't say which).
    `port`: (switch, port as printed) -> port as designed. `nic`: what a host calls its port -> as designed.
    `label`: (switch, port as designed) -> what is printed at it, empty where nobody knows. `spare`: whether a device that is in
    no design may be on that port.
    """

    switch: Callable[[str], str | None]
    host: Callable[[str], tuple[str, str | None] | None]
    port: Callable[[str, str], str]
    spare: Callable[[End, str], bool]
    place: Callable[[str], Place | None]
    nic: Callable[[str], str] = str
    label: Callable[[str, str], str] = _unlabelled


class Design(msgspec.Struct, frozen=True):
    """The fabric as it should be, from a plan or from a design file. `guids` and `macs` are facts of the inventory.

    `down_to_up` is the ratio of a full leaf (links down over links up); a leaf as built is judged against it, never under 1.
    `budgets_db` is the loss in dB that a cable may have, by its id, where it is known.
    """

    title: str
    switches: dict[str, Switch]
    hosts: dict[str, Host]
    links: tuple[DesignLink, ...]
    places: dict[str, Place]
    naming: Naming
    guids: dict[str, End] = {}
    macs: dict[str, End] = {}
    adapters: tuple[Adapters, ...] = ()
    down_to_up: float = 1.0
    budgets_db: dict[str, float] = {}


class Contradiction(msgspec.Struct, frozen=True, rename="camel"):
    """Two records, or a name and a GUID, that can't both be right."""

    where: str
    one: str
    other: str


class Found(msgspec.Struct, frozen=True, gc=False):
    """A link as found: lower end, upper end, speed, and what the host end calls itself (empty for switches).

    `z_told` is the upper port as the file has it, where `z` is the placeholder of an interchangeable link.
    """

    a: End
    z: End
    gbps: float | None
    lanes: int | None
    says: str
    guid: str
    source: str
    line: int
    z_told: End | None = None


class LinkRow(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A link for people: both ends with label, rack and U as far as known; `cable` is empty where no plan has it."""

    cable: str
    a: str
    z: str
    a_label: str
    z_label: str
    a_rack: str
    a_u: int | None
    z_rack: str
    z_u: int | None


class Difference(msgspec.Struct, frozen=True, rename="camel"):
    """Cables that hang together wrongly: what is planned and isn't there, what is there and isn't planned.

    missing, unexpected   a cable alone
    moved                 one end of a planned cable is in another port
    swapped               cables exchanged, with effect on rails, units or spines
    crossed               exchanged in a way that bandwidth doesn't feel; every tool that derives position from ports is wrong
    tangled               anything else, as a whole
    """

    kind: Literal["missing", "unexpected", "moved", "swapped", "crossed", "tangled"]
    planned: tuple[LinkRow, ...]
    found: tuple[LinkRow, ...]
    how: str = ""


class PeerGap(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """Links between a switch and one above it: fewer than planned."""

    peer: str
    present: int
    planned: int


class SwitchVerdict(msgspec.Struct, frozen=True, rename="camel"):
    """One switch as built. `down_to_up` is links down over links up (None: none up); `over`: above `_max`, the design's."""

    switch: str
    role: str
    unit: int | None
    rail: int | None
    plane: int | None
    down: int
    down_planned: int
    up: int
    up_planned: int
    down_to_up: float | None
    down_to_up_max: float
    over: bool
    missing: tuple[PeerGap, ...]


class PlacedNic(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A NIC that doesn't say its host's name. `how`: position, elimination (the only one left), or guid."""

    nic: str
    switch: str
    port: str
    says: str
    guid: str
    how: str
    guid_confirms: bool


class NamedByPosition(msgspec.Struct, frozen=True, rename="camel"):
    """A host that is known by where its cables are. `wholly`: it has no name on any rail."""

    host: str
    unit: int | None
    slot: int | None
    wholly: bool
    nics: tuple[PlacedNic, ...]


class ExchangedSwitches(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """Two switches that have most of each other's cables: `moved` of `planned` of the first are on the other."""

    one: str
    other: str
    moved: int
    planned: int


class SlowLink(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A link below the designed speed, in gigabits (and gigabytes) of data per second; percent of the design."""

    a: str
    z: str
    gbps: float
    gb_per_s: float
    planned_gbps: float
    percent: float
    lanes: int | None


class GuidPair(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """Two ports of one adapter that are not on the same port number of their two leaves."""

    first: str
    second: str


class GuidCheck(msgspec.Struct, frozen=True, rename="camel"):
    """What neighbouring GUIDs confirm. `false_partners`: nameless NICs that a match without rail and unit would misname."""

    same_port: int
    other_port: tuple[GuidPair, ...]
    without_partner: int
    false_partners: int


class Totals(msgspec.Struct, frozen=True, rename="camel"):
    """Counts, as found of planned. Uplinks are of the leaves that are there. `correct` links have both ends right."""

    switches: int
    switches_planned: int
    leaves: int
    leaves_planned: int
    spines: int
    spines_planned: int
    cores: int
    cores_planned: int
    endpoints: int
    endpoints_planned: int
    uplinks: int
    uplinks_planned: int
    links_planned: int
    links_correct: int
    other_hosts: int
    aggregation_nodes: int
    channel_adapters: int


class SheetResult(msgspec.Struct, frozen=True, rename="camel"):
    """What came back on the schedule beside a cable: a failed test, nothing, or a serial that stands twice.

    `urgent`: what is written is wrong; otherwise something is missing. `place`: labels of both ends (rack, U, cage).
    """

    cable: str
    problem: str
    urgent: bool = False
    place: str = ""


class WorkStep(msgspec.Struct, frozen=True, rename="camel"):
    """One thing to do, with all ends. `effect`: bandwidth or reachability suffers until it is done."""

    number: int
    action: Literal["connect", "exchange", "move", "remove", "repair", "install", "name", "look"]
    effect: bool
    text: str
    found: tuple[LinkRow, ...] = ()
    planned: tuple[LinkRow, ...] = ()
