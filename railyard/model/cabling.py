"""Cables, optics and cages: what the catalogue knows of them, what a stack file chooses, what the plan says about them.

A *cage* holds one plug and may carry several ports (a twin-port OSFP cage: two). A *cable* joins two cages. A fibre needs an
*optic* in each cage; a copper or active optical assembly has its plugs fixed to it.
"""

from typing import Annotated, Literal

import msgspec
from pydantic import Field

from railyard.model.base import Noun
from railyard.model.entry import Entry

Medium = Literal[
    "passive-copper",
    "active-copper",
    "active-optical",
    "multimode-om3",
    "multimode-om4",
    "single-mode",
    "single-mode-fr4",
    "cat6a",
]
FIBRE: frozenset[str] = frozenset({"multimode-om3", "multimode-om4", "single-mode", "single-mode-fr4"})
"""Media that need an optic in each cage."""
Form = Literal["osfp", "qsfp112", "qsfp56", "qsfp28", "sfp28", "rj45"]
HeatSink = Literal["finned", "flat"]
"""OSFP plugs: `finned` (IHS) for air-cooled switches, `flat` (RHS) for NICs and liquid-cooled switches. None: other forms."""
Metres = Annotated[float, Field(gt=0, le=100_000)]
Millimetres = Annotated[float, Field(gt=0, le=1_000)]
Decibel = Annotated[float, Field(ge=0, le=100)]
Watts = Annotated[float, Field(gt=0, le=200)]
Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]


class CableModel(Entry):
    """One kind of cable, orderable in `lengths_m` (empty: nobody knows a part that can be ordered).

    `shape`: `straight` joins one port to one port, `splitter` has one head and two tails, `twin` carries both ports of a cage
    to both ports of another. `per_link` pieces make one link (two fibres for an 800G link of a twin-port optic). `head_plug` is
    the plug of the upper end of an assembly, `tail_plug` that of the lower end, as `osfp-finned`; None for fibre. `lane_gbps`
    lists the lane generations that it carries. `bend_radius_mm` is the smallest that is allowed after installation.
    """

    part: str | None = None
    medium: Medium
    shape: Literal["straight", "splitter", "twin"]
    transports: Annotated[tuple[Literal["infiniband", "roce"], ...], Field(min_length=1)]
    link_gbps: Annotated[tuple[float, ...], Field(min_length=1)]
    lane_gbps: Annotated[tuple[int, ...], Field(min_length=1)]
    connector: str
    polarity: Literal["type-b", "a-b"] | None = None
    head_plug: str | None = None
    tail_plug: str | None = None
    per_link: Annotated[int, Field(ge=1, le=4)] = 1
    lengths_m: tuple[Metres, ...]
    max_length_m: Metres
    diameter_mm: Millimetres | None = None
    bend_radius_mm: Millimetres | None = None
    loss_db_per_km: Decibel | None = None
    joint_loss_db: Decibel | None = None
    price_usd: Annotated[float, Field(gt=0)] | None = None


class OpticModel(Entry):
    """One transceiver: `ports` optical ports of `port_gbps` each in one plug. `max_length_m` is its reach over straight fibre.

    `fec` names the code of its lane generation; both ends of a link must run the same one.
    """

    part: str
    form: Form
    heat_sink: HeatSink | None = None
    ports: Annotated[int, Field(ge=1, le=4)]
    port_gbps: float
    lane_gbps: int
    transports: Annotated[tuple[Literal["infiniband", "roce"], ...], Field(min_length=1)]
    media: Annotated[tuple[Medium, ...], Field(min_length=1)]
    connector: str
    max_length_m: Metres
    loss_budget_db: Decibel | None = None
    peak_w: Watts | None = None
    fec: str | None = None
    price_usd: Annotated[float, Field(gt=0)] | None = None


class Cabling(Noun):
    """Choices about cables. Without a tray, its fill is an area and no percentage.

    `slackPercent` is added to the routed length before it is rounded up to one that can be ordered. `sparesPercent` of each
    kind and length, and of each optic, are ordered on top, at least one. `panels` is the number of patch panels in each link
    between racks. Cables of one cage are ordered at most `twinSkewM` apart in length (10 m: 45 ns). Tray sizes are the usable
    inside of one cable tray, `trayLayers` of which lie above each other.
    """

    slack_percent: Annotated[Percent, Field(description="slack on the routed length")] = 10.0
    spares_percent: Annotated[Percent, Field(description="spares of each kind and length, at least one")] = 2.0
    multimode: Annotated[Literal["om3", "om4"], Field(description="multimode fibre that is laid")] = "om4"
    panels: Annotated[int, Field(ge=0, le=8, description="patch panels in each link between racks")] = 0
    trunk_links: Annotated[int, Field(ge=1, le=144, description="links of one trunk between panels")] = 12
    bundle_cables: Annotated[int, Field(ge=1, le=1000, description="cables that are pulled as one bundle")] = 24
    twin_skew_m: Annotated[
        float, Field(ge=0, le=1000, allow_inf_nan=False, description="metres that cables of one cage differ by")
    ] = 10.0
    tray_width_mm: Annotated[Millimetres | None, Field(description="usable width of a tray")] = None
    tray_depth_mm: Annotated[Millimetres | None, Field(description="usable depth of a tray")] = None
    tray_layers: Annotated[int, Field(ge=1, le=20, description="trays above each other")] = 1
    drop_m: Annotated[
        float, Field(ge=0, le=20, allow_inf_nan=False, description="from a device up to the tray, at each end")
    ] = 2.0


class Cage(msgspec.Struct, frozen=True):
    """Where a port is on the front of a device: cage `number` from 1, `subport` from 1 of `ports` in it."""

    number: int
    subport: int
    ports: int = 1

    @property
    def label(self) -> str:
        """As a label prints it: `P4/2`, or `P8` where a cage has one port."""
        return f"P{self.number}/{self.subport}" if self.ports > 1 else f"P{self.number}"


class CableEnd(Noun):
    """What sits in a cage at one end of a class of cables: `ports` of `port_gbps` each; plug or optic of the cable's kind."""

    form: Form | None = None
    heat_sink: HeatSink | None = None
    ports: int
    port_gbps: float
    lane_gbps: int | None = None
    optic: str | None = None
    optic_heat_sink: HeatSink | None = None
    optic_form: Form | None = None
    connector: str
    fec: str | None = None
    assumed: bool = False


class CableClass(Noun):
    """All cables of one kind and one `sku`: what holds for every one of them, and the extremes among them.

    `sku` is empty where the catalogue has no cable for it. `max_length_m` is the longest ordered length, `max_route_m` the
    longest route before rounding. `skew_ns` is the greatest difference in delay of two fibres in one cage (4.5 ns/m), at
    `skew_at`. `loss_db` and `loss_budget_db` are those of the longest cable; None where nothing optical is passive.
    """

    kind: str
    sku: str
    medium: str
    shape: str
    polarity: str | None = None
    segments: int
    links: int
    cables: int
    link_gbps: float
    lane_gbps: int | None = None
    min_route_m: float
    max_route_m: float
    max_length_m: float
    reach_m: float | None = None
    longest: str
    skew_ns: float
    skew_at: str
    loss_db: float | None = None
    loss_budget_db: float | None = None
    a: CableEnd
    z: CableEnd


class BomLine(Noun):
    """One line of the order: `count` in use, `spares` on top. `length_m` is None for what has no length."""

    item: Literal["cable", "optic", "trunk", "patch", "panel"]
    sku: str
    part: str | None = None
    title: str
    length_m: float | None = None
    count: int
    spares: int
    unit_price_usd: float | None = None

    @property
    def total(self) -> int:
        """What to order."""
        return self.count + self.spares


class TrayFill(Noun):
    """Most-filled places of the trays: `segment` is between two racks of a row, or between two rows at a position.

    `area_mm2` is the sum of the cables' circles; `percent` of the tray's cross-section, None where no tray was given.
    `unknown` counts cables whose diameter nobody knows (they are in no area).
    """

    segment: str
    cables: int
    area_mm2: float
    percent: float | None = None
    unknown: int


class CablingPlan(Noun):
    """Everything about the site's cables that is not a row per cable. `mixed_cages` hold plugs of different kinds.

    `twins_apart` counts cables of two links whose lower ports are in two cages: no such plug exists. `twins_split` counts those
    of one plane whose upper ports are in two cages, or on two switches. `ports_per_cage` is that of the training fabric's
    switches. `oob_longest_m` is the longest out-of-band copper, 0 where there is none.
    """

    slack_percent: float
    spares_percent: float
    bundle_cables: int
    ports_per_cage: int
    classes: tuple[CableClass, ...]
    bom: tuple[BomLine, ...]
    trays: tuple[TrayFill, ...]
    mixed_cages: tuple[str, ...]
    mixed_cage_count: int
    twins_apart: int = 0
    twins_split: int = 0
    oob_longest_m: float
    oob_longest: str
