"""Routing and flow control of a RoCE fabric: AS numbers, ECMP width, subnets, headroom; None and untouched on InfiniBand."""

from collections import defaultdict
from collections.abc import Iterable

from railyard.model.lossless import Headroom, Lossless, Nos
from railyard.model.plan import AddressRow, SwitchPlan
from railyard.model.site import StackFile, Transport
from railyard.model.switch_intent import RoutingPlan, SwitchRouting
from railyard.plan import asn, names
from railyard.plan.blocks import parse_block
from railyard.plan.lossless import asic_of, buffer_of, headroom_of, reserve_bytes, table_of
from railyard.plan.parts import Parts
from railyard.plan.reserved import Lengths
from railyard.plan.routed import LOOPBACK, cut_rails, leaf_of, leaf_subnet
from railyard.plan.shape import FabricShape
from railyard.plan.wiring import leaf_name

DEFAULT_NOS: Nos = "sonic"
FRR_MAX_PATHS = 256
"""What Debian's and SONiC's builds of FRR hold (`maximum-paths (1-256)`, verified in 8.4.4)."""


def plan_routing(file: StackFile, shape: FabricShape, parts: Parts, switches: tuple[SwitchPlan, ...]) -> RoutingPlan | None:
    """What is the same on all switches of the fabric; `switches` have their routing already (`route_switches`)."""
    fabric, addresses = file.fabric, file.addresses
    if fabric.transport is not Transport.ROCE:
        return None
    nos = fabric.nos or DEFAULT_NOS
    asic = asic_of(parts.catalog.asics.values(), fabric.switch_model)
    rows, rows_source = table_of(asic, fabric.lossless)
    buffer, buffer_source = buffer_of(asic, fabric.lossless)
    numbers: defaultdict[str, set[int]] = defaultdict(set)
    for switch in switches:
        if switch.routing:
            numbers[switch.role].add(switch.routing.asn)
    pods = len({asn.pod_of(shape, spine) for spine in range(1, 1 + sum(s.role == "spine" for s in switches) // shape.planes)})
    oob = parse_block(addresses.oob)
    own = (addresses.oob, addresses.in_band, addresses.ipv6.oob, addresses.ipv6.in_band)
    blocks = (addresses.rails, addresses.loopbacks, addresses.ipv6.rails, addresses.ipv6.loopbacks)
    return RoutingPlan(
        nos=nos,
        nos_named=fabric.nos is not None,
        nos_version=fabric.nos_version,
        asic=asic.name if asic else None,
        box=asic.boxes[fabric.switch_model] if asic else None,
        link_gbps=fabric.link_gbps,
        tiers=shape.tiers,
        asn_base=fabric.asn_base,
        asn_last=asn.last_asn(fabric.asn_base, shape),
        leaves=sum(switch.role == "leaf" for switch in switches),
        leaf_asns=len(numbers["leaf"]),
        spine_groups=pods * shape.planes,
        spine_asns=len(numbers["spine"]),
        uplinks=shape.uplinks,
        lossless=fabric.lossless,
        bfd=fabric.bfd,
        headroom=tuple(row for row in rows if row.gbps == fabric.link_gbps),
        headroom_source=rows_source,
        shared_buffer_bytes=buffer,
        shared_buffer_source=buffer_source,
        max_paths_limit=FRR_MAX_PATHS if nos == "frr" else (asic.max_paths or {}).get(nos) if asic else None,
        adaptive_routing=asic.adaptive_routing if asic else None,
        bad_releases=(asic.bad_releases or ()) if asic else (),
        ntp_servers=addresses.ntp_servers,
        syslog_servers=addresses.syslog_servers,
        management=addresses.management or tuple(text for text in own if text),
        management_gateway=oob.address(1),
        management_gateway6=parse_block(addresses.ipv6.oob).address(1) if addresses.ipv6.oob else None,
        rails_v6=any(text and parse_block(text).version == 6 for text in blocks),
        systems=asic.systems if asic else None,
    )


def route_switches(
    file: StackFile,
    shape: FabricShape,
    parts: Parts,
    switches: tuple[SwitchPlan, ...],
    lengths: Lengths,
    rows: Iterable[AddressRow],
) -> tuple[SwitchPlan, ...]:
    """The switches with what routing makes of each of them; `lengths` are those of their planned ports."""
    if file.fabric.transport is not Transport.ROCE:
        return switches
    router_ids = _router_ids(rows)
    subnets = _subnets(file, shape)
    asic = asic_of(parts.catalog.asics.values(), file.fabric.switch_model)
    table, _ = table_of(asic, file.fabric.lossless)
    buffer, _ = buffer_of(asic, file.fabric.lossless)
    spines = {
        names.spine(file.site.name, number, plane, shape.planes): asn.pod_of(shape, number)
        for number in range(1, shape.spines_per_plane + 1)
        for plane in range(shape.planes)
    }
    speed, contract = file.fabric.link_gbps, file.fabric.lossless
    known = {metres: headroom_of(table, speed, metres) for found in lengths.values() for metres in found}
    routed: list[SwitchPlan] = []
    for switch in switches:
        own = lengths.get(switch.name, {})
        bytes_, unknown = _reserves(own, known, contract, speed)
        routing = SwitchRouting.model_construct(
            asn=_asn(file.fabric.asn_base, shape, switch, spines),
            router_id=router_ids.get(switch.name, "0.0.0.0"),  # noqa: S104 - a router id, no socket
            uplinks=shape.uplinks if switch.role == "leaf" or (switch.role == "spine" and shape.tiers == 3) else 0,
            # Rail-only leaves have no uplinks; no system takes 0 paths.
            maximum_paths=max(shape.uplinks, 1),
            subnets=tuple(subnets.get(switch.name, ())) if switch.role == "leaf" else (),
            lossless_ports=sum(own.values()),
            headroom_bytes=bytes_,
            headroom_unknown=unknown,
            longest_m=max(own, default=0.0),
            link_gbps=speed,
            shared_buffer_bytes=buffer,
            kmax_bytes=contract.kmax_bytes if contract.congestion == "ecn" else None,
        )
        routed.append(switch.model_copy(update={"routing": routing}))
    return tuple(routed)


def _asn(base: int, shape: FabricShape, switch: SwitchPlan, pods: dict[str, int]) -> int:
    if switch.role == "leaf":
        return asn.leaf_asn(base, switch.plane, ((switch.unit or 1) - 1) * shape.groups + names.leaf_index(switch.name))
    if switch.role == "spine":
        return asn.spine_asn(base, switch.plane, pods.get(switch.name, 0))
    return asn.core_asn(base, switch.plane)


def _router_ids(rows: Iterable[AddressRow]) -> dict[str, str]:
    """IPv4 loopback of each switch; on an IPv6-only loopback block a router id must be chosen, and a rule says so."""
    return {row.device: row.address for row in rows if row.network == LOOPBACK and ":" not in row.address}


def _subnets(file: StackFile, shape: FabricShape) -> dict[str, list[str]]:
    """Leaf -> its subnets, IPv4 first: one for its rail, or one for each rail where it takes all NICs of its nodes."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    addresses, site, per_leaf = file.addresses, file.site.name, shape.nodes_per_leaf
    first_slots = range(1, shape.nodes_per_unit + 1, per_leaf)
    for rails, loopbacks in ((addresses.rails, addresses.loopbacks), (addresses.ipv6.rails, addresses.ipv6.loopbacks)):
        if not rails:
            continue
        blocks, _ = cut_rails(parse_block(rails), parse_block(loopbacks) if loopbacks else None, shape)
        for index, block in enumerate(blocks):
            rail, plane = divmod(index, shape.planes)
            for unit in range(1, shape.leaf_units(file.fabric.scalable_units) + 1):
                for slot in first_slots:
                    number, leaf, _, _ = leaf_of(shape, unit, slot, rail)
                    found[leaf_name(site, shape, unit, leaf, plane)].append(str(leaf_subnet(block, number, per_leaf)))
    return found


def _reserves(
    lengths: dict[float, int], known: dict[float, Headroom | None], contract: Lossless, speed: float
) -> tuple[int, tuple[str, ...]]:
    """(bytes that the ports reserve, what the table doesn't answer)."""
    total, unknown = 0, list[str]()
    for metres, count in sorted(lengths.items()):
        row = known[metres]
        if row is None:
            unknown.append(f"{speed:g} Gb/s over {metres:g} m")
        else:
            total += count * reserve_bytes(row) * len(contract.lossless_priorities)
    return total, tuple(unknown)
