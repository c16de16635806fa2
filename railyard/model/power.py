"""The power path: what a stack file says of it (`railyard:power`), and what the plan says: segments, racks, breakers, cords.

Current follows volt-amperes (VA), not watts (W): kVA = kW / power factor. A voltage always says what it is measured between:
`line-line` or `line-neutral`. Ampere and kVA are of one piece of equipment at the voltage that it stands at.
"""

from typing import Annotated, Literal, Self

import msgspec
from pydantic import AfterValidator, Field, model_validator

from railyard.model.base import ContradictionError, Kw, Name, Noun, one_of

FeedLetter = Literal["a", "b", "c", "d"]
Reference = Literal["line-line", "line-neutral"]
Legs = Literal["L1", "L2", "L3", "L1-L2", "L2-L3", "L3-L1", "L1-L2-L3"]
"""What a breaker or outlet stands between: one line and neutral, two lines, or all three."""
Inlet = Literal["c14", "c20", "hardwired"]
"""A supply's inlet (IEC 60320): C14 takes the C13 end of a cord and plugs into C13, C20 that of C19."""
Outlet = Literal["c13", "c19", "c39"]
"""An outlet of a strip (IEC 60320). C39 takes both plugs, C14 and C20."""
SegmentKind = Literal["supply", "ups", "panel", "busway", "feed"]
ASSUMED_POWER_FACTOR = 0.95
"""Where the catalogue has none. The least that Regulation (EU) 2019/424, annex II, allows a server's supply at half load."""
_KVA_MAX = 200_000.0


def _kilo(value: float) -> float:
    """A rating in thousands of what it should be is the same number without its prefix: 1500000 VA are 1500 kVA."""
    if value > _KVA_MAX:
        raise ValueError(f"at most {_KVA_MAX:g} (the unit is kVA or kW: {value:g} W are {value / 1000:g} kW)")
    return value


VOLTS_MIN, DEVICE_KW_MAX = 48.0, 200.0
"""Less is no distribution voltage (kilovolt written for volt); more is no single device (watt written for kilowatt)."""


def _volts(value: float) -> float:
    if value < VOLTS_MIN:
        hint = f"; {value:g} kV are {value * 1000:g} V" if 0.1 <= value <= 1 else ""
        raise ValueError(f"at least {VOLTS_MIN:g} (the unit is V{hint})")
    return value


EFFICIENCY_MIN = 0.5
"""No UPS or transformer that feeds a hall loses half: less is its loss, written in place of its efficiency."""


def _efficiency(value: float) -> float:
    if value < EFFICIENCY_MIN:
        raise ValueError(f"at least {EFFICIENCY_MIN:g}: kW out / kW in (a loss of {value:g} is an efficiency of {1 - value:g})")
    return value


def _device_kw(value: float) -> float:
    if value > DEVICE_KW_MAX:
        raise ValueError(f"at most {DEVICE_KW_MAX:g} for one device (the unit is kW: {value:g} W are {value / 1000:g} kW)")
    return value


Volts = Annotated[float, Field(gt=0, le=1000, allow_inf_nan=False), AfterValidator(_volts)]
DeviceKw = Annotated[Kw, Field(gt=0), AfterValidator(_device_kw)]
Amps = Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)]
RatedKva = Annotated[float, Field(gt=0, allow_inf_nan=False), AfterValidator(_kilo)]
RowCount = Annotated[int, Field(ge=1, le=100_000)]
Rating = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
Efficiency = Annotated[Rating, AfterValidator(_efficiency)]
SupplyFeeds = Annotated[tuple[FeedLetter, ...], Field(min_length=1, max_length=24)]
Evidence = Annotated[str, Field(min_length=10, max_length=400)]


class Supply(Noun):
    """What the utility or transformer gives. Without its reference a voltage may mean two that are 73 % apart."""

    volts: Volts
    voltage_reference: Reference
    phases: Annotated[Literal[1, 3], one_of("1 or 3")] = 3


class Loads(Noun):
    """What devices are planned with: their nameplate, or less where somebody shows why.

    `typical` is the catalogue's `typicalKw`, `peak` and `measured` are `kw` by model; all of them plus `marginPercent`. A model
    without such a figure keeps its nameplate.
    """

    basis: Literal["nameplate", "typical", "peak", "measured"] = "nameplate"
    evidence: Evidence | None = None
    margin_percent: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] | None = None
    kw: Annotated[dict[str, DeviceKw], Field(max_length=64)] = Field(default_factory=lambda: dict[str, float]())

    @model_validator(mode="after")
    def _shown(self) -> Self:
        if self.basis != "nameplate" and (self.evidence is None or self.margin_percent is None):
            wanted = f"`evidence` and `marginPercent` beside basis {self.basis}: less than the nameplate must be shown"
            raise ContradictionError(wanted, "basis", "evidence", "marginPercent")
        if self.basis in ("peak", "measured") and not self.kw:
            raise ContradictionError(f"`kw` by model beside basis {self.basis}, like kw: {{dgx-h100: 9.1}}", "basis", "kw")
        if self.basis in ("nameplate", "typical") and self.kw:
            raise ContradictionError(f"no `kw` beside basis {self.basis}: that figure is the catalogue's", "basis", "kw")
        return self


class PathSegment(Noun):
    """One kind of equipment above the racks. `from` names what feeds it (left out: the supply).

    `rowsEach`: one of it for each so many rows of racks (`panel-a-01`, `-02`, ...); `rows: [first, last]` are the rows that it
    serves. Left out, it serves what its parent serves. `feed` is the letter of `facility.feeds`; below it the letter is
    inherited. `volts` are those at its output where it transforms. `continuousRating` 1.0 is a 100 % rated breaker and needs
    its `evidence`. `efficiency` makes what is above it carry its losses.
    """

    name: Name
    kind: Literal["ups", "panel", "busway"]
    feed: FeedLetter | None = None
    parent: Name | None = Field(default=None, alias="from")
    breaker_a: Amps | None = None
    continuous_rating: Rating | None = None
    evidence: Evidence | None = None
    rated_kva: RatedKva | None = None
    rated_kw: RatedKva | None = None
    efficiency: Efficiency | None = None
    rows_each: RowCount | None = None
    rows: tuple[RowCount, RowCount] | None = None
    volts: Volts | None = None
    voltage_reference: Reference | None = None
    phases: Annotated[Literal[1, 3] | None, one_of("1 or 3")] = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.volts is None) != (self.voltage_reference is None):
            wanted = "`volts` and `voltageReference` together: a voltage without its reference may mean two"
            raise ContradictionError(wanted, "volts", "voltageReference")
        if self.rows and self.rows_each:
            raise ContradictionError("`rows` or `rowsEach`, not both", "rows", "rowsEach")
        if self.rows and self.rows[0] > self.rows[1]:
            raise ContradictionError("`rows` as [first, last], like rows: [1, 4]", "rows")
        return self


class PowerSection(Noun):
    """The power path above the racks, and how supplies hang on it.

    `singleCord`: gear with one supply hangs on an automatic transfer switch between two feeds (`ats`), or on feed a.
    `cords`: ratings of outlets and cords, `iec` (IEC 60320: C13 10 A, C19 16 A) or `ul` (UL 498 and CSA: 15 A, 20 A at 80 %).
    `psuFeeds`: feed of each supply by model, where it isn't a, b, a, b, ...: dgx-h100: [a, a, a, a, b, b].
    `staggerS`: seconds between two outlets of a strip that are switched on after an outage.
    """

    supply: Supply
    loads: Loads = Loads()
    stagger_s: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 0.0
    single_cord: Literal["ats", "feed-a"] = "feed-a"
    cords: Literal["iec", "ul"] = "iec"
    psu_feeds: Annotated[dict[str, SupplyFeeds], Field(max_length=64)] = Field(default_factory=lambda: dict[str, SupplyFeeds]())
    paths: Annotated[tuple[PathSegment, ...], Field(max_length=64)] = ()


class PhaseLoad(Noun):
    """Ampere in each line (root mean square), and in the neutral; None: no neutral, or it isn't known where outlets hang."""

    l1_a: float
    l2_a: float
    l3_a: float
    neutral_a: float | None = None

    @property
    def worst_a(self) -> float:
        """The fullest line."""
        return max(self.l1_a, self.l2_a, self.l3_a)

    @property
    def worst_line(self) -> str:
        """Its name, the first of those that are alike."""
        return max(("L1", self.l1_a), ("L2", self.l2_a), ("L3", self.l3_a), key=lambda line: line[1])[0]


class PowerSegment(Noun):
    """One piece of the path (or `count` that are alike, in a slice), with what it carries.

    `load_*`: everything live; `worst_*`: after the loss that is worst for it (`worst_when`). `limit_a` = breaker x continuous
    rating, `limit_kva` what that and `rated_kva` allow together; None: not stated. `rows` first to last; `racks` counts those
    below. `starts_together` supplies switch on at the same moment after an outage (one outlet of each strip below).
    """

    name: str
    kind: SegmentKind
    parent: str | None
    feed: FeedLetter | None
    rows: tuple[int, int] | None
    racks: int
    volts: float
    voltage_reference: Reference
    phases: Literal[1, 3]
    breaker_a: float | None
    continuous_rating: float
    evidence: str | None
    rated_kva: float | None
    rated_kw: float | None
    load_kw: float
    load_kva: float
    load_a: PhaseLoad
    worst_kw: float
    worst_kva: float
    worst_a: PhaseLoad
    worst_when: str
    limit_a: float | None
    limit_kva: float | None
    efficiency: float | None = None
    starts_together: int = 0
    count: int = 1
    last: str = ""


class Circuit(Noun):
    """One breaker of a strip (a bank) in a rack, with what hangs on it now and after the worst loss of another feed.

    `psu_a` is the largest single supply on it after that loss; `breaker_a` None: nobody knows it. `count`: in a slice, so many
    banks of the rack carry the same.
    """

    name: str
    feed: FeedLetter
    pdu: int
    legs: Legs
    load_a: float
    survivor_a: float
    psu_a: float
    cords: int
    breaker_a: float | None = None
    limit_a: float | None = None
    count: int = 1


class Cord(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """One supply's cord in a rack: from the device at `u`, supply `psu` (from 1), to an outlet.

    `outlet` is None where no outlet of the right type is left or nobody knows the strip's (`missing` says which); `amps` flow
    after the worst loss, `normal_a` with all feeds live. `ats`: the cord of a transfer switch in front of the device; then
    `psu` 1 is its preferred input and 2 the other one.
    """

    u: int
    psu: int
    feed: str
    pdu: int
    circuit: str | None
    outlet: str | None
    outlet_type: str | None
    cord: str | None
    legs: str | None
    amps: float
    normal_a: float
    limit_a: float | None
    ats: bool = False
    installed: bool = True
    missing: str | None = None


class CordRow(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """A cord with the names of both ends: `device`/`PSU1` to `pdu`/`outlet`."""

    rack: str
    device: str
    u: int
    psu: int
    feed: str
    pdu: str
    circuit: str | None
    outlet: str | None
    outlet_type: str | None
    cord: str | None
    legs: str | None
    amps: float
    limit_a: float | None
    ats: bool = False
    installed: bool = True


class PowerDevice(msgspec.Struct, frozen=True, rename="camel", gc=False):
    """What a rack's power plan knows of the device at `u`. `psus_on` counts its supplies by feed (dealt evenly where nobody
    knows how many there are: then `psus` is None).

    `load_kw` is what it is planned with, `power_factor` the catalogue's or (`factor_assumed`) the stated assumption. `ats`: one
    supply behind a transfer switch, whose preferred input is on the first feed of `psus_on`.
    """

    u: int
    model: str
    load_kw: float
    nameplate_kw: float
    power_factor: float
    factor_assumed: bool
    psus: int | None
    psus_on: dict[str, int]
    psus_for_full: int | None = None
    psus_to_run: int | None = None
    psu_kw: float | None = None
    inlet: str | None = None
    ats: bool = False
    installed: bool = True


class RackFeedPower(Noun):
    """One feed of a rack kind, all its strips together: kW, kVA and ampere by line, live and after the worst loss.

    `capacity_kva` is what `limit_a` gives at `volts`. `up_s` is when the last outlet is switched on after an outage. Ampere are
    those of the fullest strip: its number is `load_pdu`, `survivor_pdu` (from 1).
    """

    feed: FeedLetter
    pdu_model: str
    pdus: int
    volts: float
    voltage_reference: Reference
    phases: Literal[1, 3]
    breaker_a: float
    continuous_rating: float
    limit_a: float
    capacity_kva: float
    load_kw: float
    load_kva: float
    load_a: PhaseLoad
    survivor_kw: float
    survivor_kva: float
    survivor_a: PhaseLoad
    survivor_when: str
    up_s: float = 0.0
    load_pdu: int = 1
    survivor_pdu: int = 1


class WorstCord(Noun):
    """The fullest cord of one outlet type on one feed of a rack kind: what it carries after the worst loss, and may carry."""

    feed: FeedLetter
    outlet_type: Outlet
    u: int
    psu: int
    model: str
    amps: float
    limit_a: float


class RackKind(Noun):
    """Power of racks that are alike, as rules judge it: `key` is the first one's name, `count` how many they are.

    `plugs_short` counts by feed and outlet type (`a/c19`) plugs that found no outlet; `single_cord` names models with one
    supply and no transfer switch; `unknown` says which figures are missing, as `figure of model`.
    """

    key: str
    count: int
    feeds: tuple[RackFeedPower, ...]
    circuits: tuple[Circuit, ...] = ()
    worst_cords: tuple[WorstCord, ...] = ()
    plugs_short: dict[str, int] = Field(default_factory=dict)
    single_cord: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


class RackPower(msgspec.Struct, frozen=True, rename="camel"):
    """Power of all racks that are alike: `key` is the first one's name, `racks` are all of them.

    Devices are named by their lowest U, so that one row serves all racks. `cords` are those of the planned devices (growth
    moves none), circuits of `kind` count what stands.
    """

    key: str
    racks: tuple[str, ...]
    devices: tuple[PowerDevice, ...]
    cords: tuple[Cord, ...]
    kind: RackKind


class HallPower(Noun):
    """The slice that hall rules judge: segments that are alike counted, one row for each kind of rack, and what was assumed."""

    stated: bool = False
    segments: tuple[PowerSegment, ...] = ()
    racks: tuple[RackKind, ...] = ()
    unknown: tuple[str, ...] = ()


class PowerPlan(msgspec.Struct, frozen=True, rename="camel"):
    """Power of a hall. `stated`: the stack file says what is above the racks. `assumptions` and `unknown` are for people.

    `feed_of` is, by feed letter, the name of the lowest segment of each row from row 1 on; `serving` looks it up.
    `up_s` is by feed when the last outlet of the fullest strip is switched on after an outage.
    """

    stated: bool = False
    basis: str = "nameplate"
    segments: tuple[PowerSegment, ...] = ()
    racks: tuple[RackPower, ...] = ()
    feed_of: dict[str, tuple[str | None, ...]] = {}
    up_s: dict[str, float] = {}
    assumptions: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def serving(self, letter: str, row: int) -> str | None:
        """Name of the lowest segment that feeds the racks of a row (from 1); None where the stack file says nothing of it."""
        names = self.feed_of.get(letter, ())
        return names[row - 1] if 0 < row <= len(names) else None
