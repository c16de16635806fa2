"""Components of a type, or of a device: names, draws, and what feeds an outlet."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from railyard.model.netbox import Component, DeviceType
from railyard.plan.names import listed
from railyard.read.netbox.scalars import is_trap, read_as
from railyard.rules.netbox import texts
from railyard.rules.registry import Finding

LEGS = ("A", "B", "C")
LONGEST = 64
"""NetBox's component names (ComponentModel.name)."""
_SUPPLY = re.compile(r"(psu|power[ _-]?supply|pwr)[ _-]?\d", re.IGNORECASE | re.ASCII)
_SHOWN = 8


def supplies(kind: DeviceType) -> list[tuple[str, Component]]:
    """Power supplies of a type, with the key of their list: its power ports; without any, its bays that are named after one."""
    ports = kind.of("power-port")
    if ports:
        return [("power-ports", port) for port in ports]
    return [("module-bays", bay) for bay in kind.of("module-bay") if _SUPPLY.match(bay.name)]


def check_components(parts: Iterable[Component], where: str) -> list[Finding]:
    """Names that stand twice or change with the reader, draws that can't be, outlets that hang in the air. `where`: of whom."""
    listed = list(parts)
    return [*_twice(listed, where), *_traps(listed, where), *_numbers(listed, where), *_outlets(listed, where)]


def _at(where: str, part: Component) -> str:
    return f"{where} ({part.at})"


def _twice(parts: list[Component], where: str) -> Iterator[Finding]:
    by_name: defaultdict[tuple[str, str], list[Component]] = defaultdict(list)
    for part in parts:
        by_name[part.kind, part.name].append(part)
    for (kind, name), same in by_name.items():
        if len(same) > 1:
            lines = listed((part.at.rpartition(":")[2] for part in same), _SHOWN)
            found = f"{kind} `{name}` {len(same)} times (lines {lines})"
            yield texts.NETBOX_005.finding(_at(where, same[0]), found, "once")
        if len(name) > LONGEST:
            found = f"{kind} name of {len(name)} characters: `{name[:20]}…`"
            yield texts.NETBOX_005.finding(_at(where, same[0]), found, f"{LONGEST} characters", "shorten the name")


def _traps(parts: list[Component], where: str) -> Iterator[Finding]:
    """NETBOX-006: all names of a type in one finding; the first few with both readings."""
    bad = [part for part in parts if part.plain and is_trap(part.name)]
    if not bad:
        return
    said = "; ".join(_readings(part) for part in bad[:2])
    names = ", ".join(f"`{part.name}`" for part in bad[:_SHOWN])
    found = f"{len(bad)} names without quotes ({names}): {said}"
    yield texts.NETBOX_006.finding(_at(where, bad[0]), found, "the text that is written, to both")


def _readings(part: Component) -> str:
    old, new = ("the text" if said == "text" else said for said in read_as(part.name))
    return f"line {part.at.rpartition(':')[2]}: YAML 1.1 reads {old}, YAML 1.2 {new}"


def _numbers(parts: list[Component], where: str) -> Iterator[Finding]:
    rule = texts.NETBOX_011
    for part in parts:
        for key, value in (("maximum_draw", part.maximum_draw_w), ("allocated_draw", part.allocated_draw_w)):
            if value is not None and value < 0:
                yield rule.finding(_at(where, part), f"{part.name}: {key} {value:g} W", "0 W or more")
        most, least = part.maximum_draw_w, part.allocated_draw_w
        if most is not None and least is not None and least > most >= 0:
            yield rule.finding(_at(where, part), f"{part.name}: allocated_draw {least:g} W", f"maximum_draw {most:g} W")


def _outlets(parts: list[Component], where: str) -> Iterator[Finding]:
    """NETBOX-013."""
    inlets = {part.name: part for part in parts if part.kind == "power-port"}
    outlets = [part for part in parts if part.kind == "power-outlet"]
    lost = [part for part in outlets if part.power_port is not None and part.power_port not in inlets]
    for part in lost[:_SHOWN]:
        found = f"outlet `{part.name}` on power port `{part.power_port}`"
        yield texts.NETBOX_013.finding(_at(where, part), found, f"one of {', '.join(inlets) or 'none'}")
    for part in outlets:
        if part.feed_leg is not None and part.feed_leg not in LEGS:
            found = f"outlet `{part.name}` on leg `{part.feed_leg}`"
            yield texts.NETBOX_013.finding(_at(where, part), found, "A, B or C")
    bare = [part for part in outlets if part.power_port is None]
    if bare and inlets:
        found = f"{len(bare)} outlets without power_port (first `{bare[0].name}`)"
        yield texts.NETBOX_013.finding(_at(where, bare[0]), found, "the power port that feeds each")
    three = any("3p" in (port.type or "") for port in inlets.values())
    legless = [part for part in outlets if part.feed_leg is None]
    if three and legless:
        found = f"{len(legless)} of {len(outlets)} outlets without feed_leg on a three-phase inlet"
        fix = "set feed_leg: without it loads can't be added up per phase"
        yield texts.NETBOX_013.finding(_at(where, legless[0]), found, "A, B or C for each", fix)
