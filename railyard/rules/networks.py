"""Storage, in-band and out-of-band networks: sharing, coverage, spare ports, bandwidth, attachment (`rules.network_texts`)."""

from collections.abc import Iterable, Iterator

from railyard.model.networks import Attach, NetworkPlan, NetworkTier
from railyard.model.plan import Cable
from railyard.plan.names import listed
from railyard.rules.network_texts import (
    FABRIC_040,
    FABRIC_041,
    FABRIC_042,
    FABRIC_043,
    FABRIC_044,
    FABRIC_045,
    FABRIC_046,
    FABRIC_047,
    FABRIC_048,
    FABRIC_049,
)
from railyard.rules.registry import Finding, Predicate, exceeds, ordered, run
from railyard.rules.thresholds import DEFAULTS, Thresholds

PEER_LINKS_MIN = 2
"""An MLAG whose only peer link fails splits in two."""
SPINES_MIN = 2
"""With one spine, both ports of a machine meet in it."""
_HUNG_ON = frozenset({"pair", "leaf", "service-leaf", "access"})
_COMPUTE = frozenset({"node-leaf", "leaf-spine", "spine-core"})
_KEY = {"storage": "storage", "in-band": "inBand", "oob": "oob"}


def check_network(network: NetworkPlan, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about one network."""
    return run(NETWORK_PREDICATES, network, network.name, thresholds)


def check_shared_switches(networks: Iterable[NetworkPlan], cables: Iterable[Cable]) -> list[Finding]:
    """FABRIC-040 from the cables themselves: which kinds end on each switch, whatever the slices say."""
    declared = {frozenset((network.kind, other)) for network in networks for other in network.declared}
    kinds: dict[str, set[str]] = {}
    for cable in cables:
        kind = "compute" if cable.kind in _COMPUTE else cable.kind
        kinds.setdefault(cable.z.partition("/")[0], set()).add(kind)
    return ordered(
        FABRIC_040.finding(name, f"cables of {' and '.join(sorted(found))} end here", "cables of one network")
        for name, found in kinds.items()
        if len(found) > 1 and frozenset(found) not in declared
    )


def _shared(network: NetworkPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-040 on one network's slice."""
    foreign = sorted(set(network.shares) - set(network.declared))
    if foreign:
        named = f"only {' and '.join(network.declared)} (railyard:networks.converged)"
        allowed = named if network.declared else "switches of its own"
        yield FABRIC_040.finding(where, f"its switches are shared with {', '.join(foreign)}", allowed)


def _covered(network: NetworkPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-041."""
    if network.uncovered:
        wanted = ", ".join(f"{count} {kind}" for kind, count in sorted(network.endpoints.items()))
        yield FABRIC_041.finding(where, f"no cable for {listed(list(network.uncovered), 8)}", f"a port for each of {wanted}")


def _spare(network: NetworkPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-042, where machines and devices hang. Too many ports are FABRIC-047's."""
    for layer in network.layers:
        if layer.role in _HUNG_ON and 0 <= layer.free < limits.network_spare_ports_min:
            found = f"{layer.used} of {layer.ports} ports planned on {_names(layer)}, {layer.free} free"
            least = limits.network_spare_ports_min
            fix = f"railyard:networks.{_KEY[network.kind]}.sparePorts of at least {least}, or a switch with more ports"
            yield FABRIC_042.finding(where, found, f"{least} free", fix)


def _names(layer: NetworkTier) -> str:
    return layer.first if layer.switches == 1 else f"{layer.first} to {layer.last}"


def _bandwidth(network: NetworkPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-043."""
    if network.kind != "storage" or network.target_gb_per_s is None:
        return
    arriving = network.target_gb_per_s * network.copies
    if exceeds(arriving, network.server_gb_per_s):
        ratio = f", node side : server side = {network.node_to_server:.2f}:1" if network.node_to_server else ""
        found = f"{network.server_gb_per_s:g} GB/s into the servers{ratio}"
        times = f" ({network.copies} x {network.target_gb_per_s:g} GB/s, mirrored)" if network.copies > 1 else ""
        yield FABRIC_043.finding(where, found, f"{arriving:g} GB/s{times}")


def _attached(network: NetworkPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-044."""
    key = f"railyard:networks.{_KEY[network.kind]}"
    if network.attach is None:
        return
    if network.transport == "infiniband":
        if network.attach is not Attach.INDEPENDENT:
            found = f"{network.attach.value} on InfiniBand"
            yield FABRIC_044.finding(where, found, "independent", f"{key}.attach: independent")
        if "in-band" in network.carries:
            found = f"in-band traffic on {network.switch_model} (InfiniBand)"
            yield FABRIC_044.finding(where, found, "an Ethernet switch", f"name an Ethernet switch ({key}.switchModel)")
        return
    if network.attach is Attach.INDEPENDENT:
        limit = "mlag, esi or routed"
        yield FABRIC_044.finding(where, "independent ports on Ethernet", limit, f"{key}.attach: {limit}")
        return
    needed = PEER_LINKS_MIN if network.attach is Attach.MLAG else 1 if network.tiers == 1 else 0
    if network.peer_links < needed:
        found = f"{network.attach.value} with {network.peer_links} links between the two switches"
        yield FABRIC_044.finding(where, found, f"{needed}", f"{key}.peerLinks: {max(needed, PEER_LINKS_MIN)}")


def _reach(network: NetworkPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-045."""
    if exceeds(network.longest_copper_m, limits.oob_copper_m_max):
        yield FABRIC_045.finding(where, f"{network.longest_copper_m:g} m of copper", f"{limits.oob_copper_m_max:g} m")


def _apart(network: NetworkPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-046."""
    if network.single_homed:
        found = f"cables of {listed(list(network.single_homed), 8)} end on one switch"
        yield FABRIC_046.finding(where, found, "two switches", "servers and nodes with two ports on this network")
    for layer in network.layers:
        if layer.role == "spine" and layer.switches < SPINES_MIN:
            yield FABRIC_046.finding(where, f"all leaves meet in {layer.first}", f"{SPINES_MIN} spines")
    if network.same_rack:
        found = f"{listed(list(network.same_rack), 8)} stand in one rack"
        yield FABRIC_046.finding(where, found, "two racks, or one with two feeds where there is no other")


def _evenly(network: NetworkPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-047."""
    for layer in network.layers:
        if layer.used > layer.ports:
            yield FABRIC_047.finding(where, f"{layer.used} ports planned on {_names(layer)}", f"{layer.ports} ports")
        if layer.role in ("leaf", "service-leaf", "spine") and layer.up_gbps:
            ratio, limit = layer.down_gbps / layer.up_gbps, network.oversubscription if layer.role != "spine" else 1.0
            if exceeds(ratio, limit):
                yield FABRIC_047.finding(where, f"{_names(layer)}: {ratio:.3f}:1 down to up", f"{limit:g}:1")
    if exceeds(abs(network.links_per_pair - round(network.links_per_pair)), 0):
        found = f"{network.links_per_pair:.2f} links between a leaf and a spine"
        yield FABRIC_047.finding(where, found, "one whole number for every pair")


def _ports(network: NetworkPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-048."""
    if network.kind == "oob":
        return
    if network.ports_per_node is None:
        fix = "enter storageNicPorts of the node model in railyard/catalog/nodes.yaml"
        yield FABRIC_048.undecided(where, "ports of a node's adapters are unknown", f"{network.ports_needed} ports", fix)
    elif network.ports_per_node < network.ports_needed:
        found = f"{network.ports_per_node} ports beside the training NICs of a node"
        yield FABRIC_048.finding(where, found, f"{network.ports_needed} for its networks")
    if network.nic_gbps is not None and exceeds(network.link_gbps, network.nic_gbps):
        key = f"railyard:networks.{_KEY[network.kind]}.linkGbps"
        found = f"{network.link_gbps:g} Gb/s links"
        yield FABRIC_048.finding(where, found, f"{network.nic_gbps:g} Gb/s adapters", f"lower {key}")


def _uplinks(network: NetworkPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-049."""
    if network.kind == "oob" and min(network.uplinks_per_switch, network.uplink_switches) < 2:
        found = f"{network.uplinks_per_switch} uplinks to {network.uplink_switches} switches"
        yield FABRIC_049.finding(where, found, "2 uplinks to 2 switches")


NETWORK_PREDICATES: tuple[Predicate[NetworkPlan], ...] = (
    Predicate((FABRIC_040,), frozenset({"shares", "declared"}), _shared),
    Predicate((FABRIC_041,), frozenset({"uncovered", "endpoints"}), _covered),
    Predicate((FABRIC_042,), frozenset({"kind", "layers"}), _spare),
    Predicate((FABRIC_043,), frozenset({"kind", "target_gb_per_s", "copies", "server_gb_per_s", "node_to_server"}), _bandwidth),
    Predicate(
        (FABRIC_044,),
        frozenset({"kind", "transport", "attach", "carries", "switch_model", "tiers", "peer_links"}),
        _attached,
    ),
    Predicate((FABRIC_045,), frozenset({"longest_copper_m"}), _reach),
    Predicate((FABRIC_046,), frozenset({"single_homed", "same_rack", "layers"}), _apart),
    Predicate((FABRIC_047,), frozenset({"layers", "links_per_pair", "oversubscription"}), _evenly),
    Predicate((FABRIC_048,), frozenset({"kind", "ports_per_node", "ports_needed", "nic_gbps", "link_gbps"}), _ports),
    Predicate((FABRIC_049,), frozenset({"kind", "uplinks_per_switch", "uplink_switches"}), _uplinks),
)
