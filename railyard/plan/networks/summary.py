"""Slices of the three networks: sizes and ratios for all planned slots, and what is wrong with the cables that stand."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from railyard.model.networks import NetworkKind, NetworkPlan, NetworkSwitch, NetworkTier, TierRole
from railyard.model.plan import Cable, FileSystemPlan
from railyard.model.site import RackKind, StackFile
from railyard.plan import names
from railyard.plan.cabling import Cabler
from railyard.plan.hall import Hall
from railyard.plan.machines import Seats
from railyard.plan.networks.build import OtherWiring
from railyard.plan.networks.copper import SWITCH_PORT
from railyard.plan.networks.dual import DualShape
from railyard.plan.networks.layout import planned_servers
from railyard.plan.networks.links import NODE_PORTS, PREFIX
from railyard.plan.networks.shapes import OtherNetworks
from railyard.plan.parts import Parts
from railyard.plan.placement import Place

LISTED = 8
"""Names in a slice before the rest is counted: a slice stays small whatever is wrong."""
_MACHINES = frozenset({"gpu", "storage", "management"})


class Scene(msgspec.Struct, frozen=True):
    """What the slices are made from. `compute` are the names of the training fabric's switches, `installed` all that stands."""

    file: StackFile
    parts: Parts
    nets: OtherNetworks
    cabler: Cabler
    hall: Hall
    seats: Seats
    places: Mapping[str, Place]
    installed: Collection[str]
    wiring: OtherWiring
    compute: Collection[str]
    file_system: FileSystemPlan | None


def plan_networks(scene: Scene) -> tuple[NetworkPlan, ...]:
    """Storage, in-band, out-of-band: as far as there are any."""
    ends = network_ends(scene.wiring.cables)
    return (*(_dual(scene, dual, ends) for dual in scene.nets.duals), _oob(scene, ends))


class Ends(msgspec.Struct, frozen=True):
    """Devices at whose ports cables of each kind end, and by kind the switches that each machine reaches."""

    upper: defaultdict[str, set[str]]
    homes: defaultdict[str, dict[str, set[str]]]


def network_ends(cables: Iterable[Cable]) -> Ends:
    """Both from the cables themselves, in one walk: a large site has twenty thousand of these."""
    ends, machines = Ends(defaultdict(set), defaultdict(dict)), tuple(PREFIX.values())
    for cable in cables:
        switch = cable.z.partition("/")[0]
        ends.upper[cable.kind].add(switch)
        device, _, port = cable.a.partition("/")
        if port.startswith(machines):
            ends.homes[cable.kind].setdefault(device, set()).add(switch)
    return ends


def single_homed(homes: Mapping[str, set[str]]) -> list[str]:
    """Machines whose cables of a network end on one switch only, in order."""
    return sorted((name for name, switches in homes.items() if len(switches) < NODE_PORTS), key=names.sort_key)


def _shares(scene: Scene, kind: NetworkKind, carries: Sequence[str], ends: Ends) -> tuple[str, ...]:
    own = {switch.name for switch in scene.wiring.switches if switch.network == kind}
    shared = {other for other, devices in ends.upper.items() if other != kind and own & devices}
    shared |= {"compute"} if own & set(scene.compute) else set()
    return tuple(sorted(shared | (set(carries) - {kind})))


def _dual(scene: Scene, dual: DualShape, ends: Ends) -> NetworkPlan:
    file, node, pick, clos = scene.file, scene.parts.node, dual.pick, dual.clos
    storage = dual.kind == "storage"
    nodes, disk = dual.units * dual.nodes_per_unit, scene.parts.storage
    node_rate = nodes * NODE_PORTS * pick.link_gbps / 8
    server_rate = file.storage.nodes * disk.nics * min(pick.link_gbps, disk.nic_gbps) / 8 if storage and disk else 0.0
    write = scene.file_system.write_gb_per_s if scene.file_system else None
    known = node.storage_nic_ports is not None or node.storage_nics == 0
    services = 2 * sum(service.width for service in dual.services.values())
    return NetworkPlan(
        name=f"{file.site.name}-{dual.kind}",
        kind=dual.kind,
        transport=pick.transport,
        switch_model=pick.model.name,
        link_gbps=pick.link_gbps,
        attach=dual.attach,
        carries=dual.carries,
        shares=_shares(scene, dual.kind, dual.carries, ends),
        declared=tuple(kind for kind in dual.carries if kind != dual.kind) if file.networks.converged else (),
        tiers=clos.tiers if clos else 1,
        layers=tuple(_layers(file.site.name, dual)),
        peer_links=dual.peer_links,
        links_per_pair=round(clos.links_per_pair, 6) if clos else 0.0,
        oversubscription=dual.oversubscription,
        pair_needs=dual.pair_needs,
        pair_slots=dual.pair_slots,
        leaf_ports=2 * nodes + services + (clos.leaves * dual.uplinks if clos else 0),
        node_gb_per_s=round(node_rate, 3),
        server_gb_per_s=round(server_rate, 3),
        node_to_server=round(node_rate / server_rate, 6) if server_rate else None,
        target_gb_per_s=(file.networks.storage.target_gb_per_s or write) if storage else None,
        copies=2 if storage and file.storage.mirrored else 1,
        ports_per_node=node.storage_nics * (node.storage_nic_ports or 0) if known else None,
        ports_needed=NODE_PORTS * len(scene.nets.duals),
        nic_gbps=node.storage_nic_gbps,
        single_homed=_listed(single_homed(ends.homes[dual.kind])),
        same_rack=_listed(_same_rack(scene, dual)),
    )


def _layers(site: str, dual: DualShape) -> Iterator[NetworkTier]:
    """Tiers from the machines up. Node pairs, and service pairs behind the spines, have numbers of their own."""
    clos, gbps, ports = dual.clos, dual.pick.link_gbps, dual.pick.radix
    if clos is None:
        down = dual.used()
        yield _tier(dual, site, "pair", (0, 0), (0, 1), down + dual.peer_links, down * gbps, 0.0)
        return
    up = dual.uplinks
    used = dual.nodes_per_leaf + up + dual.peer_links
    yield _tier(dual, site, "leaf", (0, 0), (dual.node_pairs - 1, 1), used, dual.nodes_per_leaf * gbps, up * gbps)
    if dual.service_pairs:
        down = dual.used_by_services()
        ends = (dual.node_pairs, 0), (dual.pairs - 1, 1)
        yield _tier(dual, site, "service-leaf", *ends, down + up + dual.peer_links, down * gbps, up * gbps)
    above: list[tuple[TierRole, int, int, int]] = [("spine", clos.spines, clos.spine_down, up if clos.tiers == 3 else 0)]
    if clos.tiers == 3:
        above.append(("core", clos.cores, clos.pods * up // clos.cores_per_group, 0))
    for role, count, down, more in above:
        upper = "core" if role == "core" else "spine"
        yield NetworkTier(
            role=role,
            switches=count,
            first=dual.upper_name(site, upper, 0),
            last=dual.upper_name(site, upper, count - 1),
            ports=ports,
            used=down + more,
            free=ports - down - more,
            down_gbps=down * gbps,
            up_gbps=more * gbps,
        )


def _tier(
    dual: DualShape, site: str, role: TierRole, first: tuple[int, int], last: tuple[int, int], used: int, down: float, up: float
) -> NetworkTier:
    return NetworkTier(
        role=role,
        switches=2 * (last[0] - first[0]) + 2,
        first=dual.pair_name(site, *first),
        last=dual.pair_name(site, *last),
        ports=dual.pick.radix,
        used=used,
        free=dual.pick.radix - used,
        down_gbps=down,
        up_gbps=up,
    )


def _same_rack(scene: Scene, dual: DualShape) -> list[str]:
    """Pairs whose switches share a rack although the hall has another one for them, or that rack has a single feed."""
    facility, hall = scene.file.facility, scene.hall
    if facility.switch_racks is RackKind.SHARED:
        unit = above = min(facility.spread_racks, hall.compute_per_unit)
    else:
        unit, above = hall.network_per_unit, hall.spine_racks
    found: list[str] = []
    for pair in range(dual.pairs):
        first, second = (dual.pair_name(scene.file.site.name, pair, side) for side in (0, 1))
        racks = above if dual.home(pair) is None else unit
        if scene.places[first].rack == scene.places[second].rack and (racks > 1 or len(facility.feeds) < 2):
            found.append(f"{first} and {second}")
    return found


def _oob(scene: Scene, ends: Ends) -> NetworkPlan:
    file, nets, oob = scene.file, scene.nets, scene.nets.oob
    own = [switch for switch in scene.wiring.switches if switch.network == "oob"]
    tail = [name for role, name, _ in oob.storage_sequence(planned_servers(file) if nets.storage else 0) if role == "oob"]
    planned = [*oob.fixed_names(), *tail]
    fullest = max(oob.unit_ends, oob.core_ends, oob.rack_ends if oob.servers_per_rack else 0)
    used = min(oob.usable, fullest)
    tier = NetworkTier(
        role="access",
        switches=len(planned),
        first=planned[0],
        last=planned[-1],
        ports=oob.model.copper_ports,
        used=used,
        free=oob.model.copper_ports - used,
        down_gbps=used * oob.model.copper_gbps,
        up_gbps=oob.uplinks * oob.model.uplink_gbps,
    )
    return NetworkPlan(
        name=f"{file.site.name}-oob",
        kind="oob",
        transport="ethernet",
        switch_model=oob.model.name,
        link_gbps=oob.model.copper_gbps,
        attach=None,
        carries=("oob",),
        shares=_shares(scene, "oob", ("oob",), ends),
        tiers=1,
        layers=(tier,),
        leaf_ports=sum(_endpoints(scene).values()),
        endpoints=_endpoints(scene),
        uncovered=_listed(_uncovered(scene)),
        longest_copper_m=_longest(scene),
        uplinks_per_switch=oob.uplinks,
        uplink_switches=_uplink_switches(own, nets),
    )


def _endpoints(scene: Scene) -> dict[str, int]:
    """Planned ends by kind."""
    file, nets, oob = scene.file, scene.nets, scene.nets.oob
    nodes, servers = oob.units * oob.nodes_per_unit, planned_servers(file) if scene.nets.storage else 0
    managers = sum(1 for place in scene.places.values() if place.body.role == "management")
    racks = oob.units * oob.unit_racks + oob.upper_racks
    racks += oob.storage_racks(servers)
    others = sum(dual.switches for dual in nets.duals)
    found = {
        "bmc": nodes + servers + managers,
        "dpu-bmc": nodes * oob.dpus,
        "pdu": racks * oob.pdus_per_rack,
        "storage": servers * (oob.per_server - 1),
        "switch": oob.units * oob.leaves + _fabric_uppers(scene) + others,
    }
    return {kind: count for kind, count in found.items() if count}


def _fabric_uppers(scene: Scene) -> int:
    """Planned spines and cores of the training fabric."""
    return sum(1 for place in scene.places.values() if place.body.role in ("spine", "core"))


def _uncovered(scene: Scene) -> list[str]:
    """Ends of what stands that no out-of-band cable reaches, found from the racks and not from the ports that were given."""
    cabled = {cable.a for cable in scene.wiring.cables if cable.kind == "oob"}
    missing = [end for end in _standing_ends(scene) if end not in cabled]
    return sorted(missing, key=names.sort_key)


def _standing_ends(scene: Scene) -> Iterator[str]:
    oob, storage = scene.nets.oob, scene.parts.storage
    racks: set[int] = set()
    for name in scene.installed:
        place = scene.places[name]
        racks.add(place.rack)
        role = place.body.role
        if role in _MACHINES:
            yield f"{name}/bmc"
            if role == "gpu":
                yield from (f"{name}/dpu{dpu}-bmc" for dpu in range(oob.dpus))
            if role == "storage" and storage:
                yield from (f"{name}/mgmt{index}" for index in range(storage.management_ports or 0))
        elif role != "oob":
            yield f"{name}/{SWITCH_PORT}"
    site = scene.file.site.name
    for rack in racks:
        for feed in scene.file.facility.feeds:
            pdu = names.pdu(names.rack(site, rack), feed.name)
            yield from (f"{pdu}/net{strip}" for strip in range(feed.pdus_per_rack))


def _longest(scene: Scene) -> float:
    """Longest copper length in metres between racks of planned ends and their switches, slack included."""
    places, cabler, pairs = scene.places, scene.cabler, set[tuple[int, int]]()
    for end in scene.wiring.ends:
        # With full pods a unit's leaves stand before its nodes have a place.
        if end.plug is not None and (end.rack is not None or end.device in places):
            pairs.add((end.rack if end.rack is not None else places[end.device].rack, places[end.plug[0]].rack))
    return round(max((cabler.route_m(a, z) for a, z in pairs), default=0.0) * cabler.slack, 6)


def _uplink_switches(own: Sequence[NetworkSwitch], nets: OtherNetworks) -> int:
    """The fewest different switches that the uplinks of an out-of-band switch reach."""
    first = nets.oob.model.copper_ports + 1
    uplinks = [f"swp{first + index}" for index in range(nets.oob.uplinks)]
    return min(len({switch.ports.get(port, "").partition("/")[0] for port in uplinks} - {""}) for switch in own)


def _listed(found: Sequence[str]) -> tuple[str, ...]:
    rest = len(found) - LISTED
    return (*found[:LISTED], f"and {rest} more") if rest > 0 else tuple(found)
