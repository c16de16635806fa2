"""Lossless RoCEv2: headroom, buffer, marking, one contract, watchdog, MTU. Sources: `rules.lossless_texts`."""

from collections.abc import Iterator, Mapping
from math import ceil

from railyard.model.lossless import Lossless
from railyard.model.plan import SwitchPlan
from railyard.model.switch_intent import RoutingPlan
from railyard.plan.lossless import cable_bytes
from railyard.rules.lossless_texts import (
    FABRIC_053,
    FABRIC_054,
    FABRIC_055,
    FABRIC_056,
    FABRIC_057,
    FABRIC_058,
    FABRIC_059,
    FABRIC_060,
)
from railyard.rules.registry import Finding, Predicate, exceeds
from railyard.rules.thresholds import Thresholds

_KEY = "railyard:fabric.lossless"
KMIN_AT_GBPS = 400.0
SONIC_MTU_MAX = 9216
NETWORK_CONTROL = (48, 56)
"""CS6 and CS7 (RFC 4594, section 3.1)."""
WATCHDOG_MS = {"detectionMs": (100, 5000), "restorationMs": (100, 60_000), "pollMs": (100, 1000)}
"""Limits of sonic-pfcwd.yang in milliseconds."""
WATCHDOG_ACTIONS = {"cumulus": ("drop",), "eos": ("drop", "alert")}
"""What a watchdog can be told to do; SONiC takes all three. Cumulus Linux 5.14, PFC Watchdog: it discards, nothing to choose.
Arista EOS, `priority-flow-control pause watchdog action`: drop or notify-only."""


def check_nccl_class(routing: RoutingPlan | None, nccl: Mapping[str, str]) -> list[Finding]:
    """FABRIC-058: the planned NCCL environment writes the class that the switches hold lossless."""
    if routing is None:
        return []
    wanted, found = str(routing.lossless.traffic_class), nccl.get("NCCL_IB_TC")
    if found == wanted:
        return []
    said = "NCCL_IB_TC isn't set" if found is None else f"NCCL_IB_TC={found}"
    return [FABRIC_058.finding("nccl", said, f"NCCL_IB_TC={wanted} (DSCP {routing.lossless.dscp} * 4)")]


def _table(site: RoutingPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-053 for the fabric: there is a table, somebody vouches for it, and it knows the speed."""
    if site.lossless.headroom and not site.lossless.source:
        yield FABRIC_053.finding(f"{_KEY}.source", "headroom without a source", "where the bytes come from")
    if not site.headroom:
        asic = site.asic or "the switch's ASIC, which the catalogue doesn't know"
        found = f"no headroom table of {asic} at {site.link_gbps:g} Gb/s"
        yield FABRIC_053.finding(f"{_KEY}.headroom", found, "bytes by speed and cable length, with a source")


def _lengths(switch: SwitchPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-053 for one switch: its longest cables have a row."""
    for missing in switch.routing.headroom_unknown if switch.routing else ():
        yield FABRIC_053.finding(where, f"no headroom for {missing}", "a row at that speed that is not shorter")


def _depth(site: RoutingPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-054 can't be judged where nobody knows the buffer; a size needs a source as headroom does."""
    key = f"{_KEY}.sharedBufferBytes"
    if site.shared_buffer_bytes is None:
        found = f"the shared buffer of {site.asic or 'the switch'} is unknown"
        yield FABRIC_054.undecided(key, found, "its size in bytes, with a source", FABRIC_054.fix)
    elif not site.shared_buffer_source:
        yield FABRIC_054.finding(f"{_KEY}.source", f"{site.shared_buffer_bytes:,} bytes without a source", "a source")


def _sum(switch: SwitchPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-054: what the lossless ports of a switch reserve together."""
    own = switch.routing
    if own is None or not own.shared_buffer_bytes:
        return
    percent = 100 * own.headroom_bytes / own.shared_buffer_bytes
    if exceeds(percent, limits.headroom_percent_max):
        found = (
            f"{own.lossless_ports} ports reserve {own.headroom_bytes:,} of {own.shared_buffer_bytes:,} bytes ({percent:.1f} %)"
        )
        yield FABRIC_054.finding(where, found, f"{limits.headroom_percent_max:g} %")


def _order(site: RoutingPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-055: 0 < Kmin < Kmax, 0 < Pmax <= 100."""
    contract = site.lossless
    if contract.congestion != "ecn":
        return
    if not 0 < contract.kmin_bytes < contract.kmax_bytes:
        found = f"Kmin {contract.kmin_bytes:,} bytes, Kmax {contract.kmax_bytes:,} bytes"
        yield FABRIC_055.finding(f"{_KEY}.kminBytes", found, "0 < Kmin < Kmax")
    if not 0 < contract.pmax_percent <= 100:
        yield FABRIC_055.finding(f"{_KEY}.pmaxPercent", f"{contract.pmax_percent:g} %", "above 0, at most 100 %")


def _early(site: RoutingPlan, _where: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-056, the lower end: Kmin against the speed."""
    contract = site.lossless
    least = ceil(limits.ecn_kmin_bytes_min * site.link_gbps / KMIN_AT_GBPS)
    if contract.congestion == "ecn" and 0 < contract.kmin_bytes < least:
        found = f"Kmin {contract.kmin_bytes:,} bytes at {site.link_gbps:g} Gb/s"
        yield FABRIC_056.finding(f"{_KEY}.kminBytes", found, f"at least {least:,} bytes")


def _late(switch: SwitchPlan, where: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-056, the upper end: Kmax and what is on the cable against a port's share of the free pool."""
    own = switch.routing
    if own is None or not own.shared_buffer_bytes or own.kmax_bytes is None:
        return
    pool = own.shared_buffer_bytes - own.headroom_bytes
    congested = min(limits.congested_ports, max(own.lossless_ports, 1))
    share = pool // (1 + congested)
    need = own.kmax_bytes + cable_bytes(own.link_gbps, own.longest_m)
    if need > share:
        found = f"Kmax + cable = {need:,} bytes"
        yield FABRIC_056.finding(where, found, f"{max(share, 0):,} bytes: share of each of {congested} congested ports")


def _contract(site: RoutingPlan, _where: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-057: RoCE rides lossless, notifications don't, few classes are."""
    contract = site.lossless
    classes = contract.lossless_priorities
    shown = ", ".join(map(str, classes)) or "none"
    if contract.priority not in classes:
        found = f"RoCE (DSCP {contract.dscp}) on priority {contract.priority}; lossless: {shown}"
        yield FABRIC_057.finding(f"{_KEY}.priority", found, "a lossless priority")
    if contract.cnp_class in classes or contract.cnp_class == contract.priority:
        found = f"notifications on class {contract.cnp_class}; lossless: {shown}"
        yield FABRIC_057.finding(f"{_KEY}.cnpClass", found, "a class of its own that isn't lossless")
    if contract.cnp_dscp == contract.dscp:
        yield FABRIC_057.finding(f"{_KEY}.cnpDscp", f"DSCP {contract.cnp_dscp} is RoCE's, too", "a code point of its own")
    if len(classes) > limits.lossless_classes_max:
        yield FABRIC_057.finding(f"{_KEY}.pfcPriorities", f"{len(classes)} lossless classes", f"{limits.lossless_classes_max}")
    yield from _everybodys(contract)


def _everybodys(contract: Lossless) -> Iterator[Finding]:
    """FABRIC-057: what nobody marks is DSCP 0 on class 0, and routing protocols mark CS6: neither may be paused or go first."""
    lossless = ", ".join(map(str, contract.lossless_priorities))
    for key, value, text in (
        ("priority", contract.priority, "RoCE on class 0"),
        ("pfcPriorities", min(contract.lossless_priorities, default=1), f"class 0 is lossless (of {lossless})"),
        ("dscp", contract.dscp, "RoCE on DSCP 0"),
        ("cnpClass", contract.cnp_class, "notifications on class 0, which then goes before all others"),
        ("cnpDscp", contract.cnp_dscp, "notifications on DSCP 0"),
    ):
        if value == 0:
            yield FABRIC_057.finding(f"{_KEY}.{key}", text, "not 0: unmarked traffic has it")
    if contract.dscp in NETWORK_CONTROL:
        found = f"RoCE on DSCP {contract.dscp}"
        yield FABRIC_057.finding(f"{_KEY}.dscp", found, "not CS6 or CS7 (48, 56), which routing protocols mark")


def _watchdog(site: RoutingPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-059."""
    watchdog, key = site.lossless.watchdog, f"{_KEY}.watchdog"
    if not watchdog.enabled:
        yield FABRIC_059.finding(f"{key}.enabled", "off", "on for every lossless port")
        return
    yield from _told(site, key)
    times = {"detectionMs": watchdog.detection_ms, "restorationMs": watchdog.restores_ms, "pollMs": watchdog.poll_ms}
    for name, value in times.items():
        low, high = WATCHDOG_MS[name]
        if not low <= value <= high:
            yield FABRIC_059.finding(f"{key}.{name}", f"{value} ms", f"{low} to {high} ms")
    for name, value in (("detectionMs", watchdog.detection_ms), ("restorationMs", watchdog.restores_ms)):
        if value < watchdog.poll_ms:
            found = f"{value} ms, poll {watchdog.poll_ms} ms"
            yield FABRIC_059.finding(f"{key}.{name}", found, "not shorter than a poll")


def _told(site: RoutingPlan, key: str) -> Iterator[Finding]:
    """FABRIC-059: the system can be told what the stack file asks of its watchdog; what no file says, no switch does."""
    watchdog = site.lossless.watchdog
    actions = WATCHDOG_ACTIONS.get(site.nos)
    if actions and watchdog.action not in actions:
        found = f"{watchdog.action}, which {site.nos} has no setting for"
        yield FABRIC_059.finding(f"{key}.action", found, " or ".join(actions), f"set it to {actions[0]}, or leave it out")
    asked = watchdog.restoration_ms
    if site.nos == "cumulus" and asked is not None and asked != watchdog.poll_ms:
        found = f"{asked} ms, and Cumulus restores after one poll without pauses"
        yield FABRIC_059.finding(f"{key}.restorationMs", found, f"{watchdog.poll_ms} ms (pollMs)", "leave restorationMs out")


def _mtu(site: RoutingPlan, _where: str, limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-060: hosts high enough for RoCE's 4096, switches above hosts, nobody above what switches take."""
    host, switch = site.lossless.host_mtu, site.lossless.switch_mtu
    if host < limits.host_mtu_min:
        yield FABRIC_060.finding(f"{_KEY}.hostMtu", f"{host} bytes", f"at least {limits.host_mtu_min}: a RoCE MTU of 4096 fits")
    if switch < host + limits.header_bytes_min:
        limit = f"at least {host + limits.header_bytes_min}: hosts' {host} and headers"
        yield FABRIC_060.finding(f"{_KEY}.switchMtu", f"{switch} bytes", limit)
    if switch > SONIC_MTU_MAX:
        yield FABRIC_060.finding(f"{_KEY}.switchMtu", f"{switch} bytes", f"at most {SONIC_MTU_MAX}")


_CONTRACT = frozenset({"lossless"})
LOSSLESS_SITE: tuple[Predicate[RoutingPlan], ...] = (
    Predicate((FABRIC_053,), _CONTRACT | {"headroom", "asic", "link_gbps"}, _table),
    Predicate((FABRIC_054,), frozenset({"asic", "shared_buffer_bytes", "shared_buffer_source"}), _depth),
    Predicate((FABRIC_055,), _CONTRACT, _order),
    Predicate((FABRIC_056,), _CONTRACT | {"link_gbps"}, _early),
    Predicate((FABRIC_057,), _CONTRACT, _contract),
    Predicate((FABRIC_059,), _CONTRACT | {"nos"}, _watchdog),
    Predicate((FABRIC_060,), _CONTRACT, _mtu),
)
LOSSLESS_SWITCH: tuple[Predicate[SwitchPlan], ...] = (
    Predicate((FABRIC_053,), frozenset({"routing"}), _lengths),
    Predicate((FABRIC_054,), frozenset({"routing"}), _sum),
    Predicate((FABRIC_056,), frozenset({"routing"}), _late),
)
