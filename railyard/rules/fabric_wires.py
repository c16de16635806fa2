"""Fabric rules about single cables and about the whole: ends, rails that are apart, subnet managers, units half empty."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import ceil

from railyard.model.plan import Cable, FabricSummary, MachinePlan, SiteTotals, SwitchPlan
from railyard.plan.fabric import links_of
from railyard.rules.fabric_texts import FABRIC_008, FABRIC_009, FABRIC_010, FABRIC_011, FABRIC_012
from railyard.rules.registry import Finding, ordered
from railyard.rules.thresholds import Thresholds

_TIER = re.compile(r"-(?:(?P<leaf>su\d+-leaf)-|(?P<spine>spine)\d+|(?P<core>core)\d+)")
_PLANE = re.compile(r"-p(?P<plane>\d+)$")
_MAY_JOIN = {"leaf": ("host", "spine"), "spine": ("leaf", "core"), "core": ("spine",)}


class SiteSlice(SiteTotals):
    """What whole-site rules read: totals and the fabric's summary, as the Site resource carries them."""

    fabric: FabricSummary


def check_endpoints(cables: Iterable[Cable], machines: Iterable[MachinePlan], nics: Iterable[str]) -> list[Finding]:
    """FABRIC-008 over a plan: every training NIC of every GPU machine ends a cable."""
    ends = {a for cable in cables if cable.kind == "node-leaf" for a, _ in links_of(cable)}
    ports = tuple(nics)
    loose = (
        f"{machine.name}/{port}"
        for machine in machines
        if machine.role == "gpu"
        for port in ports
        if f"{machine.name}/{port}" not in ends
    )
    return ordered(FABRIC_008.finding(end, "no cable", "one cable for each training NIC") for end in loose)


def all_linked(site: SiteSlice, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-008 by count: links of nodes against their NICs and planes."""
    fabric = site.fabric
    nics = site.nodes * fabric.rails * fabric.planes
    if fabric.endpoints != nics:
        found = f"{fabric.endpoints} links of nodes"
        limit = f"{nics}: {site.nodes} nodes x {fabric.rails} rails x {fabric.planes} planes"
        yield FABRIC_008.finding(where, found, limit)


def far_ends(switch: SwitchPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-009, for each port: what hangs on it is of the next tier and of this plane."""
    may = _MAY_JOIN[switch.role]
    for port, end in switch.ports.items():
        device = end.partition("/")[0]
        tier, plane = _tier_of(device)
        if device == switch.name:
            yield FABRIC_009.finding(f"{where}/{port}", f"{end}: both ends on one switch", "two devices")
        elif tier not in may:
            yield FABRIC_009.finding(f"{where}/{port}", f"{end}: a {tier} on a {switch.role}", f"a {' or a '.join(may)}")
        elif tier != "host" and plane != switch.plane:
            yield FABRIC_009.finding(f"{where}/{port}", f"{end}: plane {plane}", f"plane {switch.plane}")


@lru_cache(maxsize=65_536)
def _tier_of(device: str) -> tuple[str, int]:
    """(leaf, spine, core or host; plane) by a device's name."""
    found, plane = _TIER.search(device), _PLANE.search(device)
    return (found.lastgroup or "host") if found else "host", int(plane["plane"]) if plane else 0


def rails_joined(site: SiteSlice, _where: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-010."""
    fabric = site.fabric
    if fabric.layout == "rail-only" and not limits.rail_only_allowed:
        found = f"rail-only: {fabric.separate_fabrics} separate fabrics, no spine joins them"
        yield FABRIC_010.finding("railyard:fabric.layout", found, "rails that are joined by spines")


def managed(site: SiteSlice, _where: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-011: subnet managers of each InfiniBand subnet, and what a switch's own can manage."""
    fabric = site.fabric
    if fabric.transport != "infiniband":
        return
    for subnet, hosts in sorted(fabric.subnet_managers.items()):
        if len(hosts) < limits.subnet_managers_min:
            count = "1 subnet manager" if len(hosts) == 1 else f"{len(hosts)} subnet managers"
            found = f"{count} in subnet {subnet}" + (f": {', '.join(hosts)}" if hosts else "")
            yield FABRIC_011.finding("railyard:fabric.reservedPorts", found, f"{limits.subnet_managers_min}")
    nodes = ceil((fabric.endpoints + fabric.leaves + fabric.spines + fabric.cores) / max(fabric.separate_fabrics, 1))
    if fabric.subnet_manager_nodes is not None and nodes > fabric.subnet_manager_nodes:
        found = f"{nodes} InfiniBand nodes (NICs and switches) under a switch's own subnet manager"
        yield FABRIC_011.finding("railyard:fabric.reservedPorts", found, f"{fabric.subnet_manager_nodes} nodes")


def units_filled(site: SiteSlice, _where: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-012."""
    needed = ceil(site.nodes / max(site.nodes_per_unit, 1))
    empty = site.built_scalable_units - needed
    if empty > limits.empty_units_max:
        found = f"{site.built_scalable_units} units built for {site.nodes} nodes, {needed} hold them"
        limit = f"{limits.empty_units_max} units ahead of their nodes"
        yield FABRIC_012.finding("railyard:fabric.scalableUnits", found, limit)
