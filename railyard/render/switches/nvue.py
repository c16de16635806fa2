"""Cumulus Linux as NVUE's tree: what `nv config patch` and the REST API take (the part below `set:`).

`qos roce` brings maps, queues and buffers of its own; what the contract says is written beside it, so that a changed DSCP or
threshold can't get lost. Cable length: NVUE has one per PFC profile, so the longest planned cable of the switch counts. Its
watchdog has a state, an interval and a count of intervals, and no more (Cumulus Linux 5.14, Quality of Service, PFC Watchdog:
it drops, and restores after an interval without pause frames): another action is FABRIC-059's to refuse.
Up to 5.14 features are `enable: on`; from 5.15 on adaptive routing is `state: enabled` (NVUE reference, Adaptive Routing).
"""

from math import ceil
from typing import Any, cast

from railyard.model.lossless import Lossless
from railyard.model.switch_intent import PortIntent, SwitchIntent
from railyard.plan.lossless import mark_percent
from railyard.render.switches.frr import (
    GROUP,
    PREFIX_LIST,
    ROUTE_MAP,
    announced,
    describe,
    name_of,
    of_version,
    versions,
)

Tree = dict[str, Any]
ON = {"enable": "on"}
LOGIN_PORTS = ("22", "161", "8765")
"""SSH, SNMP and NVUE's REST API."""
ACL = "MANAGEMENT"
OTHER_PRIORITY = 0
ROCE_CLASS, CNP_CLASS, OTHER_CLASS = 3, 6, 0
"""Traffic classes of `qos roce`: lossless pool and half of the port, strict, the rest. Priorities are mapped to them."""


def nvue(intent: SwitchIntent) -> Tree:
    """The tree, keys sorted at every level."""
    tree: Tree = {
        "system": {"hostname": intent.hostname, "control-plane": {"acl": {name: {"inbound": {}} for name in _acls(intent)}}},
        "interface": _interfaces(intent),
        "qos": _qos(intent),
        "router": _router(intent),
        "vrf": {"default": {"router": {"bgp": _bgp(intent)}}},
        "service": _services(intent),
        "acl": _acls(intent),
    }
    return _sorted(tree)


def _interfaces(intent: SwitchIntent) -> Tree:
    addresses = intent.management_addresses
    gateways = [text for text in (intent.site.management_gateway, intent.site.management_gateway6) if text]
    eth0: Tree = {"type": "eth", "ip": {"vrf": "mgmt"}}
    if addresses:
        eth0["ip"] |= {"address": {text: {} for text in addresses}}
        eth0["ip"] |= {"gateway": {text: {} for text in gateways}} if gateways else {}
    tree: Tree = {"eth0": eth0, "lo": {"type": "loopback", "ip": {"address": {text: {} for text in intent.loopbacks}}}}
    for port in intent.ports:
        if port.sub is not None:
            lanes = {"lanes-per-port": str(len(port.lanes))}
            tree[f"swp{port.cage}"] = {"type": "swp", "link": {"breakout": {f"{port.breakout}x": lanes}}}
        tree[port.native] = _port(port, intent)
    return tree


def _port(port: PortIntent, intent: SwitchIntent) -> Tree:
    link: Tree = {"mtu": port.mtu, "speed": f"{port.speed_gbps:g}G", "fec": port.fec}
    if port.role == "unused":
        return {"type": "swp", "link": link | {"state": {"down": {}}}}
    tree: Tree = {"type": "swp", "description": describe(port), "link": link | {"state": {"up": {}}}}
    if not port.peer_is_switch:
        tree["ip"] = {"address": {text: {} for text in port.addresses}}
    else:
        tree["ip"] = {"neighbor-discovery": {"router-advertisement": ON}}
    if intent.site.lossless.watchdog.enabled:
        tree["qos"] = {"pfc-watchdog": {"state": "enable"}}
    if _adaptive(intent) and port.peer_is_switch:
        tree["router"] = {"adaptive-routing": _feature(intent)}
    return tree


def _adaptive(intent: SwitchIntent) -> bool:
    return intent.site.lossless.spread == "adaptive-routing"


def _feature(intent: SwitchIntent) -> Tree:
    """How this release switches adaptive routing on."""
    numbers = (intent.site.nos_version or "5.14").split(".")
    release = tuple(int(number) for number in numbers[:2] if number.isdigit())
    return {"state": "enabled"} if release >= (5, 15) else dict(ON)


def _qos(intent: SwitchIntent) -> Tree:
    contract = intent.site.lossless
    priorities: Tree = {str(priority): {} for priority in contract.lossless_priorities}
    longest = max(1, ceil(intent.longest_m))
    tree: Tree = {
        "roce": ON | {"mode": "lossless"},
        "mapping": {
            "default-global": {
                "trust": "both",
                "dscp": {str(point): {"switch-priority": str(priority)} for point, priority in _code_points(contract).items()},
            }
        },
        "pfc": {
            "default-global": {"switch-priority": priorities, "cable-length": longest, "rx": "enable", "tx": "enable"},
        },
    }
    if contract.watchdog.enabled:
        watchdog = contract.watchdog
        robustness = ceil(watchdog.detection_ms / watchdog.poll_ms)
        tree["pfc-watchdog"] = {"polling-interval": watchdog.poll_ms, "robustness": robustness}
    queues = _queues(contract)
    if queues:
        tree["egress-queue-mapping"] = {"default-global": {"switch-priority": queues}}
    # `qos roce` marks by itself: where the receiver drives, that has to be switched off.
    marks: Tree = {"ecn": "disable"}
    if contract.congestion == "ecn":
        marks = {
            "ecn": "enable",
            "min-threshold": contract.kmin_bytes,
            "max-threshold": contract.kmax_bytes,
            "probability": mark_percent(contract),
        }
    tree["congestion-control"] = {"default-global": {"traffic-class": {str(ROCE_CLASS): marks}}}
    return tree


def _code_points(contract: Lossless) -> dict[int, int]:
    """DSCP -> priority. Stock maps eight code points to each priority: those that would come beside RoCE or notifications are
    sent away, as in SONiC's file, or any CS3 or AF31 traffic would be lossless, too.
    """
    taken = {*contract.lossless_priorities, contract.cnp_class}
    away = {point: OTHER_PRIORITY for point in range(64) if point // 8 in taken - {OTHER_PRIORITY}}
    return away | {contract.dscp: contract.priority, contract.cnp_dscp: contract.cnp_class}


def _queues(contract: Lossless) -> Tree:
    """Priority -> class of `qos roce` where the contract differs from its 3 -> 3, 6 -> 6, all others -> 0; else nothing."""
    wanted = dict.fromkeys(range(8), OTHER_CLASS) | {contract.cnp_class: CNP_CLASS}
    wanted |= dict.fromkeys(contract.lossless_priorities, ROCE_CLASS)
    stock = dict.fromkeys(range(8), OTHER_CLASS) | {3: ROCE_CLASS, 6: CNP_CLASS}
    return {
        str(priority): {"traffic-class": str(wanted[priority])} for priority in wanted if wanted[priority] != stock[priority]
    }


def _router(intent: SwitchIntent) -> Tree:
    lists: Tree = {}
    maps: Tree = {}
    for version in versions(intent):
        rules: Tree = {}
        for index, (prefix, longest) in enumerate(announced(intent, version), 1):
            match: Tree = {"max-prefix-len": longest} if longest else {}
            rules[str(10 * index)] = {"action": "permit", "match": {prefix: match}}
        lists[name_of(PREFIX_LIST, version)] = {"type": f"ipv{version}", "rule": rules}
        rule: Tree = {
            "action": {"permit": {}},
            "match": {"type": f"ipv{version}", "ip-prefix-list": name_of(PREFIX_LIST, version)},
        }
        maps[name_of(ROUTE_MAP, version)] = {"rule": {"10": rule}}
    tree: Tree = {
        "bgp": ON | {"autonomous-system": intent.asn, "router-id": intent.router_id},
        "policy": {"prefix-list": lists, "route-map": maps},
    }
    if _adaptive(intent):
        tree["adaptive-routing"] = _feature(intent)
    return tree


def _bgp(intent: SwitchIntent) -> Tree:
    families: Tree = {}
    for version in versions(intent):
        families[f"ipv{version}-unicast"] = ON | {
            "aggregate-route": {text: {"summary-only": "on"} for text in of_version(intent.subnets, version)},
            "multipaths": {"ebgp": intent.maximum_paths},
            "redistribute": {"connected": ON | {"route-map": name_of(ROUTE_MAP, version)}},
        }
    bfd = intent.site.bfd
    times = {"detect-multiplier": bfd.multiplier, "min-rx-interval": bfd.interval_ms, "min-tx-interval": bfd.interval_ms}
    group: Tree = {"remote-as": "external", "address-family": {name: dict(ON) for name in families}}
    if bfd.enabled:
        group["bfd"] = ON | times
    return {
        **ON,
        "address-family": families,
        "path-selection": {"multipath": {"aspath-ignore": "on"}},
        "peer-group": {GROUP: group},
        "neighbor": {port.native: {"type": "unnumbered", "peer-group": GROUP} for port in intent.fabric_ports()},
    }


def _services(intent: SwitchIntent) -> Tree:
    tree: Tree = {"lldp": {}, "ntp": {"mgmt": {"server": {server: {} for server in intent.site.ntp_servers}}}}
    if intent.site.syslog_servers:
        tree["syslog"] = {"mgmt": {"server": {server: {} for server in intent.site.syslog_servers}}}
    return tree


def _acls(intent: SwitchIntent) -> Tree:
    """Log-in ports for the management networks only, one list per IP version; everything else is left alone."""
    tree: Tree = {}
    for version in (4, 6):
        networks = of_version(intent.site.management, version)
        rules = [_rule("permit", port, network) for network in networks for port in LOGIN_PORTS]
        rules += [_rule("deny", port, "ANY") for port in LOGIN_PORTS]
        numbered = {str(10 * index): rule for index, rule in enumerate(rules, 1)}
        tree[name_of(ACL, version)] = {"type": f"ipv{version}", "rule": numbered}
    return tree


def _rule(action: str, port: str, network: str) -> Tree:
    protocol = "udp" if port == "161" else "tcp"
    match: Tree = {"source-ip": network, "protocol": protocol, protocol: {"dest-port": {port: {}}}}
    return {"action": {action: {}}, "match": {"ip": match}}


def _sorted(tree: Tree) -> Tree:
    return {key: _sorted(cast("Tree", tree[key])) if isinstance(tree[key], dict) else tree[key] for key in sorted(tree)}
