"""Power of one kind of rack: racks whose devices stand in the same U, on strips at the same volts, are computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import msgspec

from railyard.model.power import (
    Circuit,
    Cord,
    FeedLetter,
    Legs,
    Outlet,
    PhaseLoad,
    PowerDevice,
    RackFeedPower,
    RackKind,
    WorstCord,
)
from railyard.plan.electrical.dealing import (
    Dealt,
    Plug,
    SingleCord,
    Slot,
    Supplies,
    begins,
    deal_outlets,
    deal_supplies,
    legs_of,
    plugs_of,
)
from railyard.plan.electrical.facts import DeviceFacts
from railyard.plan.electrical.phases import BALANCED, Powers, added, kva, kw, phase_load
from railyard.plan.electrical.strips import CORD_A, CORDS, FeedSpec

StripPowers = dict[str | None, tuple[Powers, ...]]
"""Complex kVA of each strip of a feed, all live (None) and by the feed that is lost."""
Standing = tuple[int, DeviceFacts, Supplies, bool]
_ONLY = "it is the only feed"


class Options(msgspec.Struct, frozen=True):
    """What the stack file says of how racks are wired."""

    single_cord: SingleCord = "feed-a"
    cords: str = "iec"
    stagger_s: float = 0.0


class KindPower(msgspec.Struct, frozen=True):
    """What is known of a kind of rack before it is known which racks are of it. `powers` is by feed."""

    devices: tuple[PowerDevice, ...]
    feeds: tuple[RackFeedPower, ...]
    circuits: tuple[Circuit, ...]
    cords: tuple[Cord, ...]
    worst_cords: tuple[WorstCord, ...]
    plugs_short: dict[str, int]
    single_cord: tuple[str, ...]
    unknown: tuple[str, ...]
    powers: dict[str, StripPowers]
    one_phase: dict[str, str]
    supplies: tuple[Standing, ...]

    def row(self, key: str, count: int) -> RackKind:
        """The kind as rules judge it."""
        return RackKind(
            key=key,
            count=count,
            feeds=self.feeds,
            circuits=self.circuits,
            worst_cords=self.worst_cords,
            plugs_short=self.plugs_short,
            single_cord=self.single_cord,
            unknown=self.unknown,
        )


class _Feed(msgspec.Struct, frozen=True):
    """A feed of the kind while it is computed."""

    spec: FeedSpec
    plugs: list[Plug]
    slots: list[Slot]
    powers: StripPowers


def rack_kind(
    devices: Sequence[tuple[int, DeviceFacts, bool]],
    specs: Sequence[FeedSpec],
    options: Options,
    known: Dealt | None = None,
    turn: int = 0,
    start: int = 0,
) -> KindPower:
    """Power of a rack with these devices: (lowest U, facts, whether it stands). `known` keeps what was dealt before.

    `turn` (0, 1, 2) is the line that its outlets begin with, `start` the index of the feed that pairs of supplies begin with.
    """
    dealt: Dealt = {} if known is None else known
    letters = [spec.letter for spec in specs]
    rows = sorted(devices, key=lambda row: row[0])
    firsts = begins((facts for _, facts, _ in rows), len(specs), options.single_cord, start)
    standing = tuple(
        (u, facts, deal_supplies(facts, letters, options.single_cord, first), here)
        for (u, facts, here), first in zip(rows, firsts, strict=True)
    )
    feeds = [_feed(spec, standing, letters, dealt, turn) for spec in specs]
    cords = [cord for feed in feeds for cord in _cords(feed, options)]
    models = {cord_u: facts.model for cord_u, facts, _, _ in standing}
    short = Counter(
        f"{feed.spec.letter}/{'c19' if plug.inlet == 'c20' else 'c13'}"
        for feed in feeds
        for plug in feed.plugs
        if plug.missing and plug.missing.startswith("a free")
    )
    return KindPower(
        devices=tuple(_device(*row) for row in standing),
        feeds=tuple(_feed_power(feed, options) for feed in feeds),
        circuits=tuple(circuit for feed in feeds for circuit in _circuits(feed)),
        cords=tuple(sorted(cords, key=lambda cord: (cord.u, cord.psu, cord.feed))),
        worst_cords=tuple(_worst_cords(cords, models)),
        plugs_short=dict(sorted(short.items())),
        single_cord=tuple(sorted({facts.model for _, facts, row, _ in standing if _alone(facts, row, letters)})),
        unknown=tuple(sorted(set(_unknown(standing, feeds)))),
        powers={feed.spec.letter: feed.powers for feed in feeds},
        one_phase={feed.spec.letter: feed.spec.reference for feed in feeds if feed.spec.phases == 1},
        supplies=standing,
    )


def _alone(facts: DeviceFacts, supplies: Supplies, letters: Sequence[str]) -> bool:
    """One supply and no transfer switch, where there is a second feed to hang it on."""
    return facts.psus == 1 and supplies.ats is None and len(letters) > 1


def _feed(spec: FeedSpec, standing: Sequence[Standing], letters: Sequence[str], known: Dealt, turn: int) -> _Feed:
    plugs, loose = plugs_of(standing, spec.letter, letters)
    slots = deal_outlets(spec, plugs, known, turn)
    powers: StripPowers = {}
    for lost, rest in loose.items():
        strips: list[Powers] = [{} for _ in range(spec.strips)]
        for plug in plugs:
            if plug.installed:
                added(strips[plug.strip], {legs_of(spec, plug): plug.powers[lost]})
        if rest:
            even = "L1" if spec.phases == 1 else BALANCED
            for strip in strips:
                added(strip, {even: rest / spec.strips})
        powers[lost] = tuple(strips)
    return _Feed(spec, plugs, slots, powers)


def _feed_power(feed: _Feed, options: Options) -> RackFeedPower:
    spec, none = feed.spec, feed.powers[None]
    lost = max(feed.powers, key=lambda case: (round(kva(_together(feed.powers[case])), 6), case is None))
    (load_pdu, load), (worst_pdu, worst) = _fullest(spec, [none]), _fullest(spec, feed.powers.values())
    cords = Counter(plug.strip for plug in feed.plugs)
    return RackFeedPower(
        feed=cast("FeedLetter", spec.letter),
        pdu_model=spec.model.name,
        pdus=spec.strips,
        volts=round(spec.volts, 6),
        voltage_reference=spec.reference,
        phases=3 if spec.phases == 3 else 1,
        breaker_a=spec.breaker_a,
        continuous_rating=spec.rating,
        limit_a=round(spec.limit_a, 6),
        capacity_kva=spec.capacity_kva,
        load_kw=kw(_together(none)),
        load_kva=kva(_together(none)),
        load_a=load,
        survivor_kw=kw(_together(feed.powers[lost])),
        survivor_kva=kva(_together(feed.powers[lost])),
        survivor_a=worst,
        load_pdu=load_pdu,
        survivor_pdu=worst_pdu,
        survivor_when=f"feed {lost} lost" if lost else _ONLY if len(feed.powers) == 1 else "all feeds live",
        up_s=max(max(cords.values(), default=0) - 1, 0) * options.stagger_s,
    )


def _together(strips: Iterable[Powers]) -> Powers:
    found: Powers = {}
    for strip in strips:
        added(found, strip)
    return found


def _fullest(spec: FeedSpec, cases: Iterable[tuple[Powers, ...]]) -> tuple[int, PhaseLoad]:
    """Number (from 1) and load of the strip whose fullest line is fullest in any case."""
    loads = [
        (number, phase_load(strip, spec.volts, spec.reference, spec.phases, neutral=spec.has_neutral))
        for strips in cases
        for number, strip in enumerate(strips, 1)
    ]
    return max(loads, key=lambda row: row[1].worst_a)


def _circuits(feed: _Feed) -> Iterator[Circuit]:
    """Every bank of every strip with what stands on it."""
    for slot in feed.slots:
        bank = (feed.spec.model.banks or ())[slot.index]
        plugs = [plug for plug in feed.plugs if plug.bank == slot.index and plug.strip == slot.strip and plug.installed]
        sums = {lost: abs(sum(plug.powers[lost] for plug in plugs)) * 1000 / slot.volts for lost in feed.powers}
        yield Circuit(
            name=bank.name,
            feed=cast("FeedLetter", feed.spec.letter),
            pdu=slot.strip + 1,
            legs=cast("Legs", slot.legs),
            breaker_a=bank.breaker_a,
            limit_a=None if slot.limit_a is None else round(slot.limit_a, 6),
            load_a=round(sums[None], 6),
            survivor_a=round(max(sums.values()), 6),
            psu_a=round(max((abs(plug.worst) * 1000 / slot.volts for plug in plugs), default=0.0), 6),
            cords=len(plugs),
        )


def _cords(feed: _Feed, options: Options) -> Iterator[Cord]:
    limits = CORD_A[options.cords]
    for plug in feed.plugs:
        legs = legs_of(feed.spec, plug) if plug.bank is not None else None
        volts = feed.spec.volts_at(legs)
        inlet = {"c20": "c19", "c14": "c13"}.get(plug.inlet or "")
        yield Cord(
            u=plug.u,
            psu=plug.psu,
            feed=feed.spec.letter,
            pdu=plug.strip + 1,
            circuit=None if plug.bank is None else (feed.spec.model.banks or ())[plug.bank].name,
            outlet=plug.outlet,
            outlet_type=plug.outlet_type,
            cord=CORDS.get(plug.inlet or ""),
            legs=legs,
            amps=round(abs(plug.worst) * 1000 / volts, 6),
            normal_a=round(abs(plug.powers[None]) * 1000 / volts, 6),
            limit_a=limits[inlet] if inlet else None,
            ats=plug.ats,
            installed=plug.installed,
            missing=plug.missing,
        )


def _worst_cords(cords: Iterable[Cord], models: dict[int, str]) -> Iterator[WorstCord]:
    """The fullest cord by feed and plug: one finding says it for all like it."""
    best: dict[tuple[str, str], Cord] = {}
    for cord in cords:
        kind = {"C13-C14": "c13", "C19-C20": "c19"}.get(cord.cord or "")
        if kind is None or cord.limit_a is None or not cord.installed:
            continue
        known = best.get((cord.feed, kind))
        if known is None or cord.amps > known.amps:
            best[cord.feed, kind] = cord
    for (feed, kind), cord in sorted(best.items()):
        yield WorstCord(
            feed=cast("FeedLetter", feed),
            outlet_type=cast("Outlet", kind),
            u=cord.u,
            psu=cord.psu,
            model=models[cord.u],
            amps=cord.amps,
            limit_a=cord.limit_a or 0.0,
        )


def _device(u: int, facts: DeviceFacts, supplies: Supplies, here: bool) -> PowerDevice:
    return PowerDevice(
        u=u,
        model=facts.model,
        load_kw=facts.load_kw,
        nameplate_kw=facts.nameplate_kw,
        power_factor=facts.power_factor,
        factor_assumed=facts.factor_assumed,
        psus=facts.psus,
        psus_on=dict(supplies.on),
        psus_for_full=facts.psus_for_full,
        psus_to_run=facts.psus_to_run,
        psu_kw=facts.psu_kw,
        inlet=facts.inlet,
        ats=supplies.ats is not None,
        installed=here,
    )


def _unknown(standing: Sequence[Standing], feeds: Sequence[_Feed]) -> Iterator[str]:
    for _, facts, _, _ in standing:
        yield from (f"{name} of {facts.model}" for name in facts.missing)
    for feed in feeds:
        model = feed.spec.model
        if model.banks is None:
            yield f"outlets and breakers of {model.name}"
        elif any(bank.breaker_a is None for bank in model.banks):
            yield f"bank breakers of {model.name}"
