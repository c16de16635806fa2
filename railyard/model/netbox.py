"""NetBox's nouns, as far as a site of ours has them. Made by the reader from files, and by the planner from a plan.

`at` is `file:line`, where a value stands; it is no part of what is compared. Units are ours (kg, m, mm, W): the reader
converts. `None` is "the file doesn't say", never 0. Source of the words: NetBox 4.7, netbox/dcim/models and choices.
"""

from typing import Literal

import msgspec

ComponentKind = Literal[
    "console-port", "console-server-port", "power-port", "power-outlet", "interface", "front-port", "rear-port", "module-bay",
    "device-bay", "inventory-item", "cooling-intake", "cooling-outflow",
]  # fmt: skip
EndKind = Literal["interface", "power-port", "power-outlet", "power-feed", "other"]
Phase = Literal["single-phase", "three-phase"]


class Component(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """One component of a device type, or of a device (then `device` is its name). Draws in W; `legs` is NetBox's A, B or C.

    `plain` is the name as it stood without quotes: YAML 1.1 and 1.2 may read it as two different values.
    """

    kind: ComponentKind
    name: str
    type: str | None = None
    device: str = ""
    label: str = ""
    description: str = ""
    position: str = ""
    maximum_draw_w: float | None = None
    allocated_draw_w: float | None = None
    power_port: str | None = None
    feed_leg: str | None = None
    mgmt_only: bool = False
    plain: bool = False
    at: str = ""


class DeviceType(msgspec.Struct, frozen=True, rename="camel"):
    """One device type. `lines` is the place of each of its keys, `unit` the unit that its weight stood in."""

    manufacturer: str
    model: str
    slug: str
    part_number: str | None = None
    u_height: float | None = None
    full_depth: bool | None = None
    airflow: str | None = None
    weight_kg: float | None = None
    description: str = ""
    comments: str = ""
    components: tuple[Component, ...] = ()
    weight_said: str = ""
    lines: dict[str, str] = {}
    at: str = ""

    def of(self, kind: ComponentKind) -> tuple[Component, ...]:
        """Its components of one kind, in the file's order."""
        return tuple(part for part in self.components if part.kind == kind)

    def place(self, key: str) -> str:
        """Where a key stands; where the type begins if it doesn't."""
        return self.lines.get(key, self.at)


class RackType(msgspec.Struct, frozen=True, rename="camel"):
    """One rack type of the device type library."""

    manufacturer: str
    model: str
    slug: str
    u_height: float | None = None
    outer_width_mm: float | None = None
    outer_depth_mm: float | None = None
    weight_kg: float | None = None
    max_weight_kg: float | None = None
    lines: dict[str, str] = {}
    at: str = ""


class Group(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A site, location, manufacturer or role: a name that others refer to. `slug` is NetBox's key in URLs."""

    name: str
    slug: str = ""
    site: str = ""
    parent: str = ""
    status: str = ""
    color: str = ""
    description: str = ""
    at: str = ""


class Rack(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """One rack. `facility_id` is its place in the hall, as `row-position`."""

    name: str
    site: str = ""
    location: str = ""
    facility_id: str = ""
    status: str = ""
    u_height: float | None = None
    outer_width_mm: float | None = None
    outer_depth_mm: float | None = None
    max_weight_kg: float | None = None
    description: str = ""
    at: str = ""


class Reservation(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """U of a rack that are kept free."""

    rack: str
    units: tuple[int, ...]
    site: str = ""
    location: str = ""
    description: str = ""
    at: str = ""


class Device(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """One device. `position` is its lowest U, from 1; None: in no U (a rack strip), or in no rack."""

    name: str
    device_type: str = ""
    role: str = ""
    manufacturer: str = ""
    site: str = ""
    location: str = ""
    rack: str = ""
    position: float | None = None
    face: str = ""
    status: str = ""
    serial: str = ""
    airflow: str = ""
    description: str = ""
    at: str = ""


class Panel(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """One power panel: where feeds come from."""

    name: str
    site: str = ""
    location: str = ""
    description: str = ""
    at: str = ""


class Feed(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """One power feed. NetBox counts a three-phase voltage as line-to-line: available power is V x A x 1.732 x utilisation."""

    name: str
    panel: str
    site: str = ""
    location: str = ""
    rack: str = ""
    status: str = ""
    type: str = ""
    supply: str = ""
    phase: str = ""
    voltage: float | None = None
    amperage: float | None = None
    max_utilization: float | None = None
    description: str = ""
    at: str = ""


class End(msgspec.Struct, frozen=True, rename="camel", gc=False, order=True):
    """One end of a cable: `parent` is a device, or the panel of a feed."""

    kind: EndKind
    parent: str
    name: str

    def __str__(self) -> str:
        return f"{self.parent}/{self.name}"


class Cord(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """One cable of NetBox: between two interfaces, or from feed to strip, or from outlet to supply. Length in metres."""

    a: End
    z: End
    type: str = ""
    status: str = ""
    label: str = ""
    color: str = ""
    length_m: float | None = None
    description: str = ""
    at: str = ""


class NetBoxData(msgspec.Struct, frozen=True, rename="camel"):
    """Everything that some files say, or that a plan would put into NetBox. Each tuple is in the order of its files."""

    manufacturers: tuple[Group, ...] = ()
    roles: tuple[Group, ...] = ()
    sites: tuple[Group, ...] = ()
    locations: tuple[Group, ...] = ()
    device_types: tuple[DeviceType, ...] = ()
    rack_types: tuple[RackType, ...] = ()
    racks: tuple[Rack, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    devices: tuple[Device, ...] = ()
    panels: tuple[Panel, ...] = ()
    feeds: tuple[Feed, ...] = ()
    cables: tuple[Cord, ...] = ()
    components: tuple[Component, ...] = ()
    files: tuple[str, ...] = ()
