"""The work order: what to do, in the order in which it helps, with both ends of every cable."""

from collections.abc import Iterator

from msgspec.structs import replace

from railyard.audit.absent import MissingHost, MissingSwitch
from railyard.audit.nouns import Difference, ExchangedSwitches, LinkRow, NamedByPosition, SlowLink, WorkStep
from railyard.audit.result import Audit
from railyard.audit.rows import Rows, said

_ORDER = ("look", "install", "exchange", "move", "remove", "connect", "repair", "name")


def work_order(rows: Rows, audit: Audit) -> tuple[WorkStep, ...]:
    """Steps by effect (what costs bandwidth first), then by kind, then by place; numbered from 1."""
    steps = [
        *(_look(one, rows) for one in audit.exchanged_switches),
        *(_install(rows, one) for one in audit.missing_switches),
        *(_host(one, rows) for one in audit.missing_hosts),
        *(_difference(one) for one in audit.differences),
        *(_slow(one) for one in audit.slow),
        *_names(audit.named_by_position, rows),
    ]
    steps.sort(key=lambda step: (not step.effect, _ORDER.index(step.action)))
    return tuple(replace(one, number=number) for number, one in enumerate(steps, 1))


def _install(rows: Rows, one: MissingSwitch) -> WorkStep:
    place = where(rows, one.switch)
    return WorkStep(0, "install", True, f"Power and cable {one.switch}{place}: {one.links} planned links.")


def _host(one: MissingHost, rows: Rows) -> WorkStep:
    text = f"Look for {one.host}{where(rows, one.host)}: nothing answers in {', '.join(one.ports)}."
    return WorkStep(0, "install", True, text)


def _look(one: ExchangedSwitches, rows: Rows) -> WorkStep:
    places = f"{one.one}{where(rows, one.one)} and {one.other}{where(rows, one.other)}"
    text = (
        f"Check names and places of {places} before anything else: each has the other's cables ({one.moved} of {one.planned})."
    )
    return WorkStep(0, "look", True, text)


def where(rows: Rows, device: str) -> str:
    """` (rack, U)` of a device, as far as known."""
    place = rows.place(device)
    return f" ({place.rack}{f' U{place.u}' if place.u is not None else ''})" if place.rack else ""


def _difference(one: Difference) -> WorkStep:
    planned, found = one.planned, one.found
    match one.kind:
        case "missing":
            many = "one cable: " if len(planned) > 1 and len({row.cable for row in planned}) == 1 else ""
            return WorkStep(0, "connect", True, f"Connect {many}{_all(planned)}.", found, planned)
        case "unexpected":
            return WorkStep(0, "remove", True, f"Remove, or enter in the plan: {_all(found)}.", found, planned)
        case "moved":
            return WorkStep(
                0, "move", True, f"Move the plug: found {said(found[0])}, planned {said(planned[0])}.", found, planned
            )
        case "swapped" | "crossed":
            text = f"Exchange {exchange(found, planned)}: found {_all(found)}; planned {_all(planned)}."
            return WorkStep(0, "exchange", one.kind == "swapped", _noted(text, one.how), found, planned)
        case _:
            return WorkStep(0, "move", True, f"Re-cable: found {_all(found)}; planned {_all(planned)}.", found, planned)


def exchange(found: tuple[LinkRow, ...], planned: tuple[LinkRow, ...]) -> str:
    """Which plugs to exchange: those at the one device that all ends of a side have, hosts first."""
    count = "the two plugs" if len(found) == 2 else f"{len(found)} plugs in a ring"
    for ends in ([row.a for row in planned], [row.z for row in planned]):
        devices = {end.partition("/")[0] for end in ends}
        if len(devices) == 1:
            ports = " and ".join(end.partition("/")[2] or end for end in ends)
            return f"{count} at {devices.pop()}, {ports}"
    return count


def _noted(text: str, how: str) -> str:
    return f"{text[:-1]} ({how})." if how else text


def _all(rows: tuple[LinkRow, ...]) -> str:
    return "; ".join(said(row) for row in rows)


def _slow(one: SlowLink) -> WorkStep:
    lanes = f", {one.lanes} lanes" if one.lanes is not None else ""
    text = (
        f"Clean or replace {one.a} to {one.z}: {one.gbps:g} Gb/s ({one.gb_per_s:g} GB/s{lanes}), "
        f"{one.percent:g} % of {one.planned_gbps:g}."
    )
    return WorkStep(0, "repair", True, text)


def _names(named: tuple[NamedByPosition, ...], rows: Rows) -> Iterator[WorkStep]:
    for one in named:
        ports = ", ".join(f"{nic.switch} port {nic.port}" for nic in one.nics)
        text = f"Set the name of {one.host}{where(rows, one.host)}, found by position in {ports}."
        yield WorkStep(0, "name", False, text)
