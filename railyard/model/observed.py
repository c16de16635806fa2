"""What a file says about a site's cables: sightings of links, told by one of their ends. Rows: a large site has 300,000."""

from typing import Literal

import msgspec

Kind = Literal["switch", "host", "aggregation", ""]
"""What a file says a device is. `aggregation` is a switch's own SHARP node behind its last port; empty: not said."""

Format = Literal["ibnetdiscover", "iblinkinfo", "lldp", "topo", "p2p", "ptm-dot", "netbox-cables", "cables"]


class SeenDevice(msgspec.Struct, frozen=True, gc=False):
    """A device that has a record of its own in a file: all its ports with a neighbour are there.

    `guid` is empty where the file has none. `key` is what sightings call it: the GUID where the file has one, else the name.
    """

    key: str
    name: str
    kind: Kind
    guid: str
    line: int


class Sighting(msgspec.Struct, frozen=True, gc=False):
    """One end of a link telling who is at the other. `key`/`far_key` as in SeenDevice; ports as printed (`17`, `swp5`, `1/3`).

    `gbps` is the data rate of the whole link, `lanes` x `lane_gbps` where the file says so; None is unknown. `far_guid` is a
    node's GUID; a port's is another fact, equal on some adapters and not on others.
    """

    key: str
    name: str
    kind: Kind
    port: str
    far_key: str
    far_name: str
    far_kind: Kind
    far_port: str
    line: int
    gbps: float | None = None
    lanes: int | None = None
    lane_gbps: float | None = None
    far_guid: str = ""
    port_guid: str = ""
    far_port_guid: str = ""
    far_mac: str = ""


class SheetRow(msgspec.Struct, frozen=True, gc=False):
    """One row of a returned cable schedule: what the crew wrote beside a cable. Empty text: nothing written."""

    cable: str
    serial: str
    result: str
    line: int
    loss: str = ""


class Observation(msgspec.Struct, frozen=True):
    """One file, read. `whole`: it claims to list everything of its fabric; otherwise only `devices` tell all their ports.

    `both_ends`: each link is told by both of its ends, so that one that isn't is worth a word.
    """

    source: str
    format: Format
    devices: tuple[SeenDevice, ...]
    links: tuple[Sighting, ...]
    sheet: tuple[SheetRow, ...] = ()
    whole: bool = True
    both_ends: bool = False
