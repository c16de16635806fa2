"""From the plan's power path to the failure engine's halls: segments, kinds of racks, spots.

Only what stands is read: cords of planned devices carry nothing. A segment of which neither breaker nor rating is stated can't
be judged; `blind` names those.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from railyard.model.power import Circuit, Cord, PowerDevice, PowerPlan, PowerSegment, RackFeedPower, RackPower
from railyard.plan.electrical.phases import complex_kva, rated_amps, volts_between, volts_to_neutral
from railyard.plan.failures.tree import ALL_LINES, LEGS, Bank, Hall, Kind, Machine, Outlets, Segment, Spot, Strip, Wire

if TYPE_CHECKING:
    from railyard.plan import Plan


def read_hall(plan: "Plan", gpus: Mapping[str, int]) -> Hall:
    """The hall of a plan. `gpus` counts those of each machine model."""
    power = plan.power
    segments = read_segments(power.segments)
    index = {segment.name: at for at, segment in enumerate(segments)}
    kinds = tuple(read_kind(rack, gpus) for rack in power.racks)
    places = {rack.name: (rack.row, (rack.position - 1) % 3) for rack in plan.racks}
    spots: defaultdict[tuple[int, int, tuple[int, ...]], list[str]] = defaultdict(list)
    for number, rack in enumerate(power.racks):
        strips = kinds[number].strips
        turns = any(strip.one_phase for strip in strips)
        for name in rack.racks:
            row, turn = places[name]
            feeds = tuple(index.get(_feed_of(power, strip.feed, row), -1) for strip in strips)
            spots[number, turn if turns else 0, feeds].append(name)
    found = [Spot(kind, feeds, tuple(racks), turn) for (kind, turn, feeds), racks in sorted(spots.items())]
    return Hall(kinds, tuple(found), segments)


def _feed_of(power: PowerPlan, letter: str, row: int) -> str:
    """Name of the lowest segment of a row, empty where the plan doesn't know one."""
    return power.serving(letter, row) or ""


def read_segments(rows: Iterable[PowerSegment]) -> tuple[Segment, ...]:
    """The path above the racks; parents by index."""
    listed = list(rows)
    index = {row.name: at for at, row in enumerate(listed)}
    return tuple(_segment(row, index.get(row.parent or "", -1)) for row in listed)


def _segment(row: PowerSegment, parent: int) -> Segment:
    rated = None if row.rated_kva is None else rated_amps(row.volts, row.voltage_reference, row.phases, row.rated_kva)
    return Segment(
        name=row.name,
        kind=row.kind,
        parent=parent,
        volts=volts_to_neutral(row.volts, row.voltage_reference, row.phases),
        rating_a=_least(row.breaker_a, rated),
        derated_a=_least(row.limit_a, rated),
        rated_kw=row.rated_kw,
        efficiency=row.efficiency or 1.0,
        phases=row.phases,
        rated_kva=row.rated_kva if rated is not None and (row.breaker_a is None or rated <= row.breaker_a) else None,
    )


def _least(*limits: float | None) -> float | None:
    return min((limit for limit in limits if limit is not None), default=None)


def read_kind(rack: RackPower, gpus: Mapping[str, int]) -> Kind:
    """A kind of racks: its strips by feed and number, their banks, its devices and their cords."""
    feeds = {feed.feed: feed for feed in rack.kind.feeds}
    strips = [(feed.feed, pdu) for feed in rack.kind.feeds for pdu in _strips_of(rack, feed)]
    at = {strip: index for index, strip in enumerate(strips)}
    banks = [(circuit.feed, circuit.pdu, circuit.name) for circuit in rack.kind.circuits]
    bank_at = {bank: index for index, bank in enumerate(banks)}
    cords: defaultdict[int, list[Cord]] = defaultdict(list)
    for cord in rack.cords:
        if cord.installed:
            cords[cord.u].append(cord)
    machines: list[Machine] = []
    supplies: list[Outlets] = []
    for device in (one for one in rack.devices if one.installed):
        own = _supplies(len(machines), device, cords[device.u], feeds, at, bank_at)
        machines.append(_machine(device, gpus, range(len(supplies), len(supplies) + len(own))))
        supplies += own
    return Kind(
        key=rack.key,
        machines=tuple(machines),
        supplies=tuple(supplies),
        banks=tuple(_bank(circuit, at[circuit.feed, circuit.pdu], feeds[circuit.feed]) for circuit in rack.kind.circuits),
        strips=tuple(_strip(feeds[feed], pdu) for feed, pdu in strips),
    )


def _bank(circuit: Circuit, strip: int, feed: RackFeedPower) -> Bank:
    volts = volts_between(circuit.legs, feed.volts, feed.voltage_reference, feed.phases)
    return Bank(circuit.name, strip, volts, circuit.breaker_a, circuit.limit_a)


def _strip(feed: RackFeedPower, pdu: int) -> Strip:
    """A strip; its name is what follows its rack's: `pdu-a`, `pdu-a2` where the feed has several."""
    return Strip(
        name=f"pdu-{feed.feed}{pdu if feed.pdus > 1 else ''}",
        feed=feed.feed,
        volts=volts_to_neutral(feed.volts, feed.voltage_reference, feed.phases),
        rating_a=feed.breaker_a,
        derated_a=feed.limit_a,
        one_phase=feed.voltage_reference if feed.phases == 1 else None,
        number=pdu - 1,
    )


def _strips_of(rack: RackPower, feed: RackFeedPower) -> list[int]:
    """Numbers of a feed's strips: those that cords and circuits name, and as many as there are."""
    named = {cord.pdu for cord in rack.cords if cord.feed == feed.feed}
    named |= {circuit.pdu for circuit in rack.kind.circuits if circuit.feed == feed.feed}
    first = min(named, default=1)
    return sorted(named | set(range(first, first + feed.pdus)))


def _machine(device: PowerDevice, gpus: Mapping[str, int], supplies: range) -> Machine:
    return Machine(
        u=device.u,
        model=device.model,
        kw=device.load_kw,
        kva_per_kw=complex_kva(1.0, device.power_factor),
        gpus=gpus.get(device.model, 0),
        psus=device.psus,
        psus_for_full=device.psus_for_full,
        psus_to_run=device.psus_to_run,
        psu_kw=device.psu_kw,
        supplies=tuple(supplies),
        nameplate_kw=device.nameplate_kw,
    )


def _supplies(
    machine: int,
    device: PowerDevice,
    cords: Iterable[Cord],
    feeds: Mapping[str, RackFeedPower],
    strips: Mapping[tuple[str, int], int],
    banks: Mapping[tuple[str, int, str], int],
) -> list[Outlets]:
    """The supplies of a device; both cords of a transfer switch are one supply's, the preferred one first.

    Where nobody knows how many there are, the plan deals the load over all strips: psu 0 of each stands for that.
    """
    if device.psus is None:
        rows = [(index, feeds[feed]) for (feed, _), index in strips.items() if feed in device.psus_on]
        return [Outlets(machine, 0, (Wire(index, -1, _leg(None, feed)),)) for index, feed in rows]
    found: list[Outlets] = []
    ats: list[Wire] = []
    for cord in sorted(cords, key=lambda one: one.psu):
        bank = -1 if cord.circuit is None else banks.get((cord.feed, cord.pdu, cord.circuit), -1)
        wire = Wire(strips[cord.feed, cord.pdu], bank, _leg(cord.legs, feeds[cord.feed]))
        if cord.ats:
            ats.append(wire)
        else:
            found.append(Outlets(machine, cord.psu, (wire,)))
    return [*found, *([Outlets(machine, 1, tuple(ats))] if ats else [])]


def _leg(legs: str | None, feed: RackFeedPower) -> int:
    """Where a cord hangs; evenly on three lines where nobody knows the outlet."""
    return 0 if feed.phases == 1 else ALL_LINES if legs is None else LEGS.index(legs)


def blind(hall: Hall) -> tuple[str, ...]:
    """Segments that nobody has rated. The supply is none of them: what stands there isn't in the plan."""
    rows = (segment for segment in hall.segments if segment.kind != "supply")
    return tuple(segment.name for segment in rows if segment.rating_a is None and segment.rated_kw is None)
