"""What a feed of NetBox carries: the supplies behind its strip, against the lesser of the feed and the strip's inlet.

used = sum of allocated_draw (else maximum_draw) of the supplies that hang on the strip's outlets;
available = min(V x A x phases x utilisation, the inlet's maximum_draw), phases 1, or sqrt(3) with a line-to-line voltage.
Both are compared as they are, rounded only for people. Source: netbox-community/netbox issues 3503, 8177 (the inlet's maximum
hides what hangs on it) and 11041 (rounded before it is compared).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import msgspec

from railyard.model.netbox import Component, End, Feed, NetBoxData
from railyard.rules.netbox import site_texts as texts
from railyard.rules.registry import Finding, exceeds

LINE_LINE = (190.0, 500.0)
"""Volts of three phases that exist: 200 V and 208 V to 480 V."""
LINE_NEUTRAL = (220.0, 240.0)
"""Volts between a line and neutral where three phases have 380 to 415 V: on a three-phase feed they are the wrong ones."""
ONE_PHASE = (100.0, 277.0)
_SHOWN = 4
_PERCENT = 100.0


class Utilisation(msgspec.Struct, frozen=True):
    """Load of one feed in VA (NetBox calls them W). `silent` are supplies without a draw, which `used_va` lacks."""

    feed: str
    used_va: float
    available_va: float
    silent: tuple[str, ...] = ()

    @property
    def percent(self) -> float:
        """Used of available, not rounded."""
        return self.used_va / self.available_va * _PERCENT if self.available_va > 0 else float("inf")

    def over(self, limit_percent: float = _PERCENT) -> bool:
        """Whether it is over a limit, compared before rounding."""
        return exceeds(self.used_va * _PERCENT, self.available_va * limit_percent)


def feed_va(feed: Feed) -> float | None:
    """V x A x (sqrt 3 where three phases) x utilisation; None where a part is missing."""
    if feed.voltage is None or feed.amperage is None:
        return None
    share = 1.0 if feed.max_utilization is None else feed.max_utilization / _PERCENT
    return abs(feed.voltage) * feed.amperage * (3**0.5 if feed.phase.startswith("three") else 1.0) * share


class _Wiring:
    """Who hangs on whom."""

    def __init__(self, data: NetBoxData) -> None:
        self.types = {(kind.manufacturer, kind.model): kind for kind in data.device_types}
        self.by_model = {kind.model: kind for kind in data.device_types}
        self.devices = {device.name: device for device in data.devices}
        self.own: defaultdict[str, list[Component]] = defaultdict(list)
        for part in data.components:
            self.own[part.device].append(part)
        self.far: dict[End, End] = {}
        for cord in data.cables:
            self.far[cord.a], self.far[cord.z] = cord.z, cord.a

    def parts(self, device: str) -> list[Component]:
        """Components of a device: its own rows, else its type's."""
        if device in self.own:
            return self.own[device]
        found = self.devices.get(device)
        kind = None if found is None else self.types.get((found.manufacturer, found.device_type))
        kind = kind or (self.by_model.get(found.device_type) if found else None)
        return list(kind.components) if kind else []

    def is_strip(self, device: str) -> bool:
        """Whether a device stands in no U: its inlet's maximum is what it can pass on, not what it takes."""
        found = self.devices.get(device)
        kind = None if found is None else self.by_model.get(found.device_type)
        return kind is not None and kind.u_height == 0

    def port(self, end: End) -> Component | None:
        """The power port of an end."""
        return next((part for part in self.parts(end.parent) if part.kind == "power-port" and part.name == end.name), None)


def utilisations(data: NetBoxData) -> Iterator[tuple[Feed, Utilisation]]:
    """Load of every feed that has a strip and says its voltage and amperage."""
    wiring = _Wiring(data)
    for feed in data.feeds:
        rated = feed_va(feed)
        inlet = wiring.far.get(End("power-feed", feed.panel, feed.name))
        if rated is None or inlet is None:
            continue
        port = wiring.port(inlet)
        most = port.maximum_draw_w if port else None
        used, silent = _behind(wiring, inlet)
        yield feed, Utilisation(f"{feed.panel}/{feed.name}", used, rated if most is None else min(rated, most), tuple(silent))


def _behind(wiring: _Wiring, inlet: End) -> tuple[float, list[str]]:
    """VA behind a power port, and supplies that don't say theirs. Strips behind strips are followed once each."""
    used, silent, seen, todo = 0.0, list[str](), set[End](), [inlet]
    while todo:
        end = todo.pop()
        if end in seen:
            continue
        seen.add(end)
        outlets = [
            part for part in wiring.parts(end.parent) if part.kind == "power-outlet" and part.power_port in (None, end.name)
        ]
        below = [far for part in outlets if (far := wiring.far.get(End("power-outlet", end.parent, part.name)))]
        if outlets:
            todo += below
            continue
        port = wiring.port(end)
        if end == inlet and wiring.is_strip(end.parent):
            silent.append(f"{end}, a strip whose outlets nobody knows")
            continue
        draw = None if port is None else port.allocated_draw_w if port.allocated_draw_w is not None else port.maximum_draw_w
        if draw is None:
            silent.append(str(end))
        used += draw or 0.0
    return used, silent


def check_loads(data: NetBoxData, limit_percent: float = _PERCENT) -> Iterator[Finding]:
    """NETBOX-025 for every feed."""
    rule = texts.NETBOX_025
    for feed, load in utilisations(data):
        where = f"{load.feed} ({feed.at})"
        if load.over(limit_percent):
            found = f"{load.used_va:g} VA = {load.percent:.2f} % of {load.available_va:.0f} VA"
            yield rule.finding(where, found, f"{limit_percent:g} % = {load.available_va * limit_percent / _PERCENT:.0f} VA")
        if load.silent:
            names = ", ".join(load.silent[:_SHOWN])
            found = f"{len(load.silent)} supplies without a draw ({names}); the others take {load.used_va:g} VA"
            yield rule.undecided(where, found, "a draw for each", "give their types allocated_draw or maximum_draw")


def check_feeds(data: NetBoxData) -> Iterator[Finding]:
    """NETBOX-024 for every feed."""
    rule = texts.NETBOX_024
    for feed in data.feeds:
        where = f"{feed.panel}/{feed.name} ({feed.at})"
        missing = [key for key, value in _stated(feed).items() if value in (None, "")]
        if missing:
            fix = "fill the columns: NetBox puts its defaults (120 V, 20 A, single-phase) where they are empty"
            yield rule.undecided(where, f"no {', '.join(missing)}", "phase, supply, voltage, amperage", fix)
            continue
        volts, three = feed.voltage or 0.0, feed.phase.startswith("three")
        low, high = LINE_LINE if three else ONE_PHASE
        if (feed.amperage or 0) <= 0:
            yield rule.finding(where, f"{feed.amperage:g} A", "more than 0 A", severity="invariant")
        if feed.supply == "ac" and volts <= 0:
            yield rule.finding(where, f"{volts:g} V", "more than 0 V", severity="invariant")
        elif feed.supply == "ac" and three and LINE_NEUTRAL[0] <= volts <= LINE_NEUTRAL[1]:
            real = volts * 3**0.5
            found = f"{volts:g} V on three phases: {volts * (feed.amperage or 0) * 3**0.5 / 1000:.2f} kVA in NetBox"
            fix = f"enter {real:.0f} V (line-to-line) if {volts:g} V is between line and neutral"
            yield rule.finding(
                where,
                found,
                f"a line-to-line voltage; {real:.0f} V gives {real * (feed.amperage or 0) * 3**0.5 / 1000:.2f} kVA",
                fix,
            )
        elif feed.supply == "ac" and not low <= volts <= high:
            yield rule.finding(where, f"{volts:g} V, {feed.phase}", f"{low:g} to {high:g} V")
        if feed.max_utilization is not None and not 1 <= feed.max_utilization <= _PERCENT:
            yield rule.finding(where, f"max_utilization {feed.max_utilization:g}", "1 to 100 percent", severity="invariant")


def _stated(feed: Feed) -> Mapping[str, object]:
    return {"phase": feed.phase, "supply": feed.supply, "voltage": feed.voltage, "amperage": feed.amperage}
