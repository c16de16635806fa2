"""The training fabric: blocking, equal links, rails, ports. Source of the arithmetic: `railyard.plan.shape`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from math import ceil

from railyard.model.plan import Cable, FabricSummary, SiteTotals, SwitchPlan
from railyard.plan.fabric import links_of
from railyard.rules.fabric_texts import (
    FABRIC_001,
    FABRIC_002,
    FABRIC_003,
    FABRIC_004,
    FABRIC_005,
    FABRIC_006,
    FABRIC_007,
    FABRIC_008,
    FABRIC_009,
    FABRIC_010,
    FABRIC_011,
    FABRIC_012,
    FABRIC_013,
)
from railyard.rules.fabric_wires import SiteSlice, all_linked, far_ends, managed, rails_joined, units_filled
from railyard.rules.registry import Finding, Predicate, exceeds, ordered, run
from railyard.rules.thresholds import DEFAULTS, Thresholds

_NIC = re.compile(r"^mlx5_(?P<rail>\d+)(?:p(?P<plane>\d+))?$")
_NUMBER = re.compile(r"\d+$")
_UNIT = re.compile(r"-su(?P<unit>\d+)-")
_SPINES = "railyard:fabric.spines"
_UNITS = "railyard:fabric.scalableUnits"


def check_switch(switch: SwitchPlan, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about one switch of the training fabric."""
    return run(SWITCH_PREDICATES, switch, switch.name, thresholds)


def check_site(totals: SiteTotals, fabric: FabricSummary, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about the fabric as a whole."""
    return run(SITE_PREDICATES, SiteSlice(**totals.model_dump(), fabric=fabric), totals.site, thresholds)


def check_cables(cables: Iterable[Cable]) -> list[Finding]:
    """FABRIC-005 over all cables of a site: no `device/port` ends two of them, or both links of one."""
    ends = Counter(end for cable in cables for link in links_of(cable) for end in link)
    twice = (end for end, count in ends.items() if count > 1)
    return ordered(FABRIC_005.finding(end, f"{ends[end]} cables end here", "one cable for each port") for end in twice)


def _blocking(switch: SwitchPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-001 on leaves, and on spines that have a tier above them; against the ratio that was asked for, if any."""
    links = sum(switch.links_per_peer.values())
    if switch.wanted_down_to_up is None or (switch.role != "leaf" and not links):
        return
    most = max(limits.down_to_up_max, switch.wanted_down_to_up)
    if not links or not switch.up_gbps:
        if switch.down_gbps > 0:
            yield FABRIC_001.finding(where, f"{switch.down_gbps:g} Gb/s down and no uplink", f"{most:g}:1")
        return
    ratio = switch.down_gbps / switch.up_gbps
    if exceeds(ratio, most):
        down = switch.down_gbps * links / switch.up_gbps
        more = ceil(round(down / most, 6)) - links
        fix = f"{more} more uplinks on each {switch.role} (more {_SPINES} or uplinksPerLeaf), or fewer nodesPerUnit"
        yield FABRIC_001.finding(where, f"{down:g}:{links} = {ratio:.3f}:1", f"{most:g}:1", fix)


def _equal_links(switch: SwitchPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-002, from the lower end of each pair."""
    counts = Counter(switch.links_per_peer.values())
    if len(counts) > 1:
        uplinks, peers = sum(switch.links_per_peer.values()), len(switch.links_per_peer)
        spread = ", ".join(f"{links} links to {number} of them" for links, number in sorted(counts.items()))
        found = f"{uplinks} uplinks over {peers} switches above: {spread}"
        yield FABRIC_002.finding(where, found, "one number of links for every pair", _divisor_fix(uplinks, peers))


def _rails(switch: SwitchPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-003, for each node port of a leaf. Ends that are no rail NIC (a switch, a fabric manager) are left alone."""
    if switch.role != "leaf":
        return
    if switch.rail is None:
        yield from _whole_nodes(switch, where)
        return
    for port, end in switch.ports.items():
        device, _, name = end.partition("/")
        nic = _NIC.match(name)
        if nic is None:
            continue
        unit = _UNIT.search(device)
        # A device's number is its rail only where nothing better is known (catalogue: railHcas).
        assumed = int(nic["rail"]) == switch.rail and int(nic["plane"] or 0) == switch.plane
        right = name == switch.node_nic if switch.node_nic else assumed
        if not right or (unit is not None and int(unit["unit"]) != switch.unit):
            known = f" ({switch.node_nic})" if switch.node_nic else ""
            limit = f"rail {switch.rail}{known}, plane {switch.plane}, unit {switch.unit}"
            yield FABRIC_003.finding(f"{where}/{port}", f"{end} hangs here", limit)


def _whole_nodes(switch: SwitchPlan, where: str) -> Iterator[Finding]:
    """FABRIC-003 on a leaf that takes all NICs of its nodes: none hangs elsewhere, none is of another unit."""
    nics: dict[str, list[str]] = {}
    for end in switch.ports.values():
        device, _, name = end.partition("/")
        if _NIC.match(name):
            nics.setdefault(device, []).append(name)
    most = max(map(len, nics.values()), default=0)
    for device, names in sorted(nics.items()):
        unit = _UNIT.search(device)
        if len(names) < most or (unit is not None and int(unit["unit"]) != switch.unit):
            found = f"{len(names)} NICs of {device} hang here: {', '.join(sorted(names))}"
            yield FABRIC_003.finding(f"{where}/{device}", found, f"all {most} NICs of a node, unit {switch.unit}")


def _ports(switch: SwitchPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-005 and FABRIC-006 on one switch: a far end that hangs on two ports; ports that the model doesn't have."""
    ends = Counter(switch.ports.values())
    for end, count in sorted(ends.items()):
        if count > 1:
            yield FABRIC_005.finding(f"{where}/{end}", f"{end} hangs on {count} ports", "one cable for each port")
    # A large site has 98,304 ports: no expression where the name is the number (InfiniBand).
    numbers = (port if port.isdigit() else _number(port) for port in switch.ports)
    highest = max(map(int, numbers), default=0)
    used = max(len(switch.ports), highest)
    if used > switch.port_count:
        found = f"{len(switch.ports)} cables on {switch.model}, the last one on port {highest}"
        yield FABRIC_006.finding(where, found, f"{switch.port_count} ports")


def _number(port: str) -> str:
    """Number at the end of a port's name (`swp65`); 0 where there is none."""
    found = _NUMBER.search(port)
    return found[0] if found else "0"


def _divides(site: SiteSlice, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-002 for the whole fabric: the spines that a leaf sees must divide the uplinks that it is built for (two tiers)."""
    uplinks, spines = site.fabric.uplinks_per_leaf, site.spines_per_plane
    if site.fabric.tiers == 2 and spines and uplinks % spines:
        found = f"{spines} spines do not divide {uplinks} uplinks ({uplinks / spines:.2f} links per pair)"
        yield FABRIC_002.finding(_SPINES, found, "one number of links for every pair", _divisor_fix(uplinks, spines))


def _spare(site: SiteSlice, where: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-004: leaf ports that the site wants free, and spine ports that planned units will need (two tiers)."""
    if site.spare_leaf_ports < limits.spare_leaf_ports_min:
        fix = "fewer railyard:fabric.nodesPerUnit or uplinksPerLeaf, or a switch with more ports"
        yield FABRIC_004.finding(where, f"{site.spare_leaf_ports} free leaf ports", f"{limits.spare_leaf_ports_min}", fix)
    fabric, units = site.fabric, max(site.planned_scalable_units, site.built_scalable_units)
    needed = _spine_ports(fabric, units)
    if fabric.tiers == 2 and needed > fabric.radix:
        found = f"{units} planned units need {needed} ports on each spine"
        fix = _divisor_fix(fabric.uplinks_per_leaf, ceil(site.spines_per_plane * needed / fabric.radix))
        yield FABRIC_004.finding(_SPINES, found, f"{fabric.radix} ports", fix)


def _spine_ports(fabric: FabricSummary, units: int) -> int:
    """Ports that so many units take on each spine of two tiers."""
    return ceil(round(units * fabric.leaves_per_unit * fabric.links_per_pair, 6))


def _holds(site: SiteSlice, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-006: the ports that the wiring (`plan.wiring`) takes on a leaf, a spine and a core against those there are.

    D + U on a leaf. Two tiers: leaves x links per pair on a spine. Three: U leaves and U cores on a spine, one pod for each
    U leaves, and a port of every core for each pod.
    """
    fabric = site.fabric
    down, uplinks = fabric.node_ports_per_leaf, fabric.uplinks_per_leaf
    if down + uplinks > fabric.radix:
        found = f"{down} node ports and {uplinks} uplinks on each leaf"
        yield FABRIC_006.finding("railyard:fabric.uplinksPerLeaf", found, f"{fabric.radix} ports")
    if fabric.tiers == 2:
        # What is planned beyond what is built is FABRIC-004's: no cable of it lies there yet.
        needed = _spine_ports(fabric, site.built_scalable_units)
        if needed > fabric.radix:
            found = f"{site.built_scalable_units} units need {needed} ports on each spine"
            yield FABRIC_006.finding(_UNITS, found, f"{fabric.radix} ports")
    elif fabric.tiers == 3:
        yield from _pods(site)


def _pods(site: SiteSlice) -> Iterator[Finding]:
    """FABRIC-006 of three tiers."""
    fabric, uplinks = site.fabric, site.fabric.uplinks_per_leaf
    if 2 * uplinks > fabric.radix:
        found = f"{uplinks} leaves and {uplinks} cores on each spine"
        yield FABRIC_006.finding("railyard:fabric.uplinksPerLeaf", found, f"{fabric.radix} ports")
    units = max(site.planned_scalable_units, site.built_scalable_units)
    pods = ceil(units * fabric.leaves_per_unit / max(uplinks, 1))
    if pods > fabric.radix:
        yield FABRIC_006.finding(
            _UNITS, f"{units} units make {pods} pods of {uplinks} leaves", f"{fabric.radix} ports of a core"
        )


def _growth(site: SiteSlice, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-007."""
    if site.built_scalable_units > site.planned_scalable_units:
        found = f"{site.built_scalable_units} units built"
        yield FABRIC_007.finding(_UNITS, found, f"{site.planned_scalable_units} units planned")


def _idle(site: SiteSlice, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-013."""
    for key in site.fabric.idle_keys:
        if "." not in key:
            found = f"set, and a {site.fabric.tiers}-tier fabric has no pods"
            yield FABRIC_013.finding(f"railyard:fabric.{key}", found, "three tiers")
            continue
        wanted = "infiniband" if key.startswith("infiniband.") else "roce"
        found, fix = f"set, and a training fabric of transport {site.fabric.transport} doesn't read it", "take it out"
        if key == "infiniband.partitions":
            found += ": nothing keeps tenants apart there"
            fix = "take the rows out, and part tenants by machines or by the hosts' own means; or an InfiniBand fabric"
        yield FABRIC_013.finding(f"railyard:{key}", found, f"transport {wanted}", fix)


def _divisor_fix(uplinks: int, at_least: int) -> str:
    """The next number of spines that divides the uplinks (12 spines hold 3 units of 8 leaves, 16 divide 32 uplinks)."""
    fitting = [number for number in range(at_least, uplinks + 1) if uplinks % number == 0]
    if not fitting:
        return f"two tiers need {at_least} spines and a leaf has {uplinks} uplinks: fewer units, or a switch with more ports"
    return f"set {_SPINES} to {fitting[0]}, a divisor of {uplinks}, or leave it out: the planner then takes the right one"


SWITCH_PREDICATES: tuple[Predicate[SwitchPlan], ...] = (
    Predicate((FABRIC_001,), frozenset({"role", "links_per_peer", "down_gbps", "up_gbps", "wanted_down_to_up"}), _blocking),
    Predicate((FABRIC_002,), frozenset({"links_per_peer"}), _equal_links),
    Predicate((FABRIC_003,), frozenset({"role", "ports", "rail", "plane", "unit", "node_nic"}), _rails),
    Predicate((FABRIC_005, FABRIC_006), frozenset({"ports", "port_count", "model"}), _ports),
    Predicate((FABRIC_009,), frozenset({"name", "role", "plane", "ports"}), far_ends),
)
_SIZES = frozenset({"fabric", "planned_scalable_units", "built_scalable_units"})
SITE_PREDICATES: tuple[Predicate[SiteSlice], ...] = (
    Predicate((FABRIC_002,), frozenset({"fabric", "spines_per_plane"}), _divides),
    Predicate((FABRIC_004,), _SIZES | {"spare_leaf_ports", "spines_per_plane"}, _spare),
    Predicate((FABRIC_006,), _SIZES, _holds),
    Predicate((FABRIC_007,), _SIZES - {"fabric"}, _growth),
    Predicate((FABRIC_008,), frozenset({"fabric", "nodes"}), all_linked),
    Predicate((FABRIC_010,), frozenset({"fabric"}), rails_joined),
    Predicate((FABRIC_011,), frozenset({"fabric"}), managed),
    Predicate((FABRIC_013,), frozenset({"fabric"}), _idle),
    Predicate((FABRIC_012,), frozenset({"nodes", "nodes_per_unit", "built_scalable_units"}), units_filled),
)
