"""Switches that the inventory hands over to railyard: planned, delivered, reachable; what the fabric's gate expects of them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from railyard.model.inventory import Switch
from railyard.model.plan import SwitchPlan
from railyard.model.switch_intent import SwitchIntent
from railyard.plan.switch_intent import switch_intents

if TYPE_CHECKING:
    from railyard.plan import Plan

MANAGED_NOS = ("cumulus", "sonic")
"""Systems that providers/fabric speaks."""


class ManagedSwitch(msgspec.Struct, frozen=True):
    """One switch as planned, as delivered, and what it must do."""

    planned: SwitchPlan
    delivered: Switch
    intent: SwitchIntent

    @property
    def address(self) -> str:
        """Where it is managed, as the inventory says."""
        return self.delivered.management_address or ""


class GateRow(msgspec.Struct, frozen=True):
    """What one switch must show. Port names are the system's own; `reach`: loopbacks of other leaves of its unit and plane.

    `loopback` is the one that others reach it by; empty on switches that nobody is asked to reach.
    """

    switch: ManagedSwitch
    sessions: tuple[str, ...]
    neighbours: Mapping[str, str]
    reach: tuple[str, ...]
    width: int
    mtu: int
    loopback: str = ""


def managed_switches(switches: Sequence[Switch], plan: "Plan") -> list[ManagedSwitch]:
    """In the plan's order. Empty where the fabric isn't routed, its system can't be managed, or the inventory names none."""
    if plan.routing is None or plan.routing.nos not in MANAGED_NOS:
        return []
    delivered = {switch.name: switch for switch in switches if switch.management_address}
    if not delivered:
        return []
    planned = {switch.name: switch for switch in plan.switches}
    return [
        ManagedSwitch(planned[intent.hostname], delivered[intent.hostname], intent)
        for intent in switch_intents(plan)
        if intent.hostname in delivered
    ]


def canaries(managed: Sequence[ManagedSwitch]) -> list[ManagedSwitch]:
    """Switches that a change is tried on before all others, one after the other: the first leaf, spine and core of a plane.

    They are neighbours: what cuts a session shows on the first of them.
    """
    first: dict[str, ManagedSwitch] = {}
    for one in managed:
        if one.intent.plane == managed[0].intent.plane:
            first.setdefault(one.intent.role, one)
    return [first[role] for role in ("leaf", "spine", "core") if role in first]


def gate_groups(site: str, managed: Sequence[ManagedSwitch]) -> dict[str, list[GateRow]]:
    """Name of a gate -> its switches: one per scalable unit, one for the tiers above."""
    groups: defaultdict[str, list[GateRow]] = defaultdict(list)
    for one in managed:
        unit = one.intent.unit
        groups[f"{site}-top-fabric" if unit is None else f"{site}-su{unit:03d}-fabric"].append(_row(one, managed))
    return dict(sorted(groups.items()))


def _row(one: ManagedSwitch, managed: Sequence[ManagedSwitch]) -> GateRow:
    intent = one.intent
    there = {other.intent.hostname for other in managed}
    ports = [port for port in intent.fabric_ports() if port.peer_device in there]
    return GateRow(
        switch=one,
        sessions=tuple(port.native for port in ports),
        neighbours={port.native: f"{port.peer_device}/{port.peer_port}" for port in ports},
        reach=tuple(_others(intent, managed)),
        width=intent.uplinks,
        mtu=ports[0].mtu if ports else intent.site.lossless.switch_mtu,
        loopback=intent.loopbacks[0] if intent.role == "leaf" and intent.loopbacks else "",
    )


def _others(intent: SwitchIntent, managed: Sequence[ManagedSwitch]) -> Iterator[str]:
    """Loopbacks (IPv4) that a leaf reaches over all of its uplinks: those of its unit and plane."""
    if intent.role != "leaf":
        return
    for other in managed:
        peer = other.intent
        same = (peer.role, peer.unit, peer.plane) == (intent.role, intent.unit, intent.plane)
        if same and peer.hostname != intent.hostname and peer.loopbacks:
            yield peer.loopbacks[0]
