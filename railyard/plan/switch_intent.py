"""What each switch of a routed fabric must do, out of a plan: ports, peers, addresses, lengths. Nothing is decided here."""

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from railyard.model.lossless import Headroom, Nos
from railyard.model.plan import SwitchPlan
from railyard.model.switch_intent import PortIntent, PortRole, RoutingPlan, SwitchIntent
from railyard.plan.addresses import SWITCH_INTERFACE
from railyard.plan.fabric import links_of
from railyard.plan.lossless import headroom_of
from railyard.plan.native import Table, in_native_names, port_table
from railyard.plan.ports import counted_name, place_on
from railyard.plan.routed import LOOPBACK

if TYPE_CHECKING:
    from railyard.plan import Plan

_ABOVE = {"leaf": ("spine",), "spine": ("core",), "core": ()}


def switch_intents(plan: "Plan", nos: Nos | None = None) -> Iterator[SwitchIntent]:
    """One intent per switch in the plan's order; nothing for a fabric that isn't routed.

    Ports and their peers have the names of the stack file's system, or of `nos`.
    """
    routing = plan.routing
    if routing is None:
        return
    table, plan = port_table(plan, nos), in_native_names(plan, nos)
    lengths = _lengths(plan)
    interfaces = _interfaces(plan)
    roles = {switch.name: switch.role for switch in plan.switches}
    heads: dict[float, Headroom | None] = {}
    for switch in plan.switches:
        own = switch.routing
        if own is None:
            continue
        mine = interfaces.get(switch.name, {})
        ports = _ports(switch, routing, table, roles, lengths, mine, heads)
        yield SwitchIntent(
            hostname=switch.name,
            role=switch.role,
            model=switch.model,
            unit=switch.unit,
            rail=switch.rail,
            plane=switch.plane,
            asn=own.asn,
            router_id=own.router_id,
            loopbacks=tuple(mine.get(LOOPBACK, ())),
            subnets=own.subnets,
            uplinks=own.uplinks,
            maximum_paths=own.maximum_paths,
            management_addresses=tuple(mine.get(SWITCH_INTERFACE, ())),
            ports=tuple(ports),
            site=routing,
            headroom_bytes=own.headroom_bytes,
            longest_m=own.longest_m,
        )


def _lengths(plan: "Plan") -> dict[str, float]:
    """Ordered length of the cable on each `device/port` of the fabric (m)."""
    kinds = ("node-leaf", "leaf-spine", "spine-core")
    return {end: cable.length_m for cable in plan.cables if cable.kind in kinds for ends in links_of(cable) for end in ends}


def _interfaces(plan: "Plan") -> dict[str, dict[str, list[str]]]:
    """Switch -> interface (or `loopback`) -> its addresses with prefix length, IPv4 first as the plan has them."""
    switches = {switch.name for switch in plan.switches}
    found: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in plan.addresses:
        if row.device in switches:
            key = LOOPBACK if row.network == LOOPBACK else row.interface
            found[row.device][key].append(f"{row.address}/{row.prefix}")
    return {device: dict(interfaces) for device, interfaces in found.items()}


def _ports(
    switch: SwitchPlan,
    routing: RoutingPlan,
    table: Table,
    roles: dict[str, str],
    lengths: dict[str, float],
    addresses: dict[str, list[str]],
    heads: dict[float, Headroom | None],
) -> Iterator[PortIntent]:
    """Every port that the box has at the link speed: one without a cable is there, too, and shut."""
    # A port beyond the box is FABRIC-006's finding; no file can hold it.
    wired = switch.ports
    for number in range(1, switch.port_count + 1):
        counted = counted_name(number)
        name = table.get(counted, counted)
        device, _, port = wired.get(name, "").partition("/")
        metres = lengths.get(f"{switch.name}/{name}", 0.0)
        if metres not in heads:
            heads[metres] = headroom_of(routing.headroom, routing.link_gbps, metres) if metres else None
        place = place_on(number, switch.port_count, routing.box)
        yield PortIntent(
            native=name,
            number=number,
            cage=place.cage,
            sub=place.sub,
            lanes=place.lanes,
            breakout=place.breakout,
            speed_gbps=routing.link_gbps,
            mtu=routing.lossless.switch_mtu,
            role=_role(switch.role, device, roles),
            peer_device=device,
            peer_port=port,
            cable_m=metres,
            addresses=tuple(addresses.get(name, ())),
            headroom=heads[metres],
            peer_is_switch=device in roles,
        )


def _role(own: str, peer: str, roles: dict[str, str]) -> PortRole:
    if not peer:
        return "unused"
    return "up" if roles.get(peer) in _ABOVE[own] else "down"
