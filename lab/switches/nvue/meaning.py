"""What an NVUE tree asks the switch to do. Objects that have no effect here (qos, service …) are stored and given back only."""

import ipaddress
import re
from collections.abc import Iterator
from typing import Any

from lab.switches.intended import (
    MAX_ASN,
    Bgp,
    Intended,
    Management,
    Peer,
    Port,
    RefusedError,
    Rule,
    address_of,
    mtu_of,
    number_of,
    prefix_list,
    route_map,
)
from lab.switches.nvue.tree import TOP, Tree

FAMILIES = {"ipv4-unicast": "ipv4", "ipv6-unicast": "ipv6"}
SWITCH_PORT = re.compile(r"swp(\d+)(?:s(\d+))?")
BREAKOUT = re.compile(r"(\d+)x")


def intended(tree: Tree) -> Intended:
    """The tree as one switch's intent. Raises RefusedError, as `nv config apply` refuses it."""
    unknown = sorted(set(tree) - TOP)
    if unknown:
        raise RefusedError(unknown[0], f"unknown object; there are {', '.join(sorted(TOP))}")
    interfaces = _dict(tree, "interface")
    ports = {name: _port(name, _dict(interfaces, name)) for name in interfaces if SWITCH_PORT.fullmatch(name)}
    eth0 = _port("eth0", _dict(interfaces, "eth0")) if "eth0" in interfaces else None
    loopback = tuple(address_of(one, "interface.lo.ip.address") for one in _at(tree, "interface", "lo", "ip", "address"))
    hostname = str(_at(tree, "system").get("hostname", "cumulus"))
    return Intended(hostname, ports, _front(interfaces), loopback, _bgp(tree), _management(tree, eth0))


def _front(interfaces: Tree) -> dict[str, int]:
    """Port -> its place on the front, counted in parts of cages: a cage that is split into two is two places.

    A cage that isn't named is split as the widest of the others: this box is split alike all over.
    """
    widths: dict[int, int] = {}
    for name in interfaces:
        match = SWITCH_PORT.fullmatch(name)
        split = match and match[2] is None and BREAKOUT.match(next(iter(_at(interfaces, name, "link", "breakout")), ""))
        if match and split:
            widths[int(match[1])] = int(split[1])
    usual = max(widths.values(), default=1)
    found: dict[str, int] = {}
    for name in interfaces:
        match = SWITCH_PORT.fullmatch(name)
        if match and (match[2] is not None or int(match[1]) not in widths):
            before = sum(widths.get(cage, usual) for cage in range(1, int(match[1])))
            found[name] = before + int(match[2] or 0) + 1
    return found


def _port(name: str, settings: Tree) -> Port:
    link = _dict(settings, "link")
    where = f"interface.{name}.link"
    state = link.get("admin-status", link.get("state", "up"))
    if isinstance(state, dict):  # {"up": {}} until 5.10
        state = next(iter(state), "up")
    if state not in {"up", "down"}:
        raise RefusedError(f"{where}.state", f"{state!r} is neither up nor down")
    addresses = tuple(
        address_of(one, f"interface.{name}.ip.address") for one in _at(settings, "ip", "address") if one != "dhcp"
    )
    return Port(mtu_of(link.get("mtu", 9216), f"{where}.mtu"), state == "up", addresses)


def _bgp(tree: Tree) -> Bgp | None:
    common, own = _at(tree, "router", "bgp"), _at(tree, "vrf", "default", "router", "bgp")
    if not _on(own, default=bool(own)) or not _on(common, default=True):
        return None
    asn = own.get("autonomous-system", common.get("autonomous-system"))
    router_id = own.get("router-id", common.get("router-id"))
    if asn is None or asn == "none":
        raise RefusedError("router.bgp.autonomous-system", "BGP requires an autonomous-system")
    if router_id is None:
        raise RefusedError("router.bgp.enable", "BGP requires router-id to be set globally or in the VRF.")
    number = number_of(asn, "router.bgp.autonomous-system", 1, MAX_ASN)
    families = {name: _at(own, "address-family", name) for name in FAMILIES}
    paths = families["ipv4-unicast"]
    return Bgp(
        asn=number,
        router_id=_router_id(router_id),
        peers=tuple(_peer(own, name) for name in sorted(_dict(own, "neighbor"))),
        paths=number_of(_at(paths, "multipaths").get("ebgp", 64), "multipaths.ebgp", 1, 128),
        relax=_at(own, "path-selection", "multipath").get("aspath-ignore", "on") in {"on", "enabled"},
        connected=tuple(
            (FAMILIES[name], str(_at(one, "redistribute", "connected").get("route-map", "")))
            for name, one in families.items()
            if _on(_at(one, "redistribute", "connected"), default=False)
        ),
        aggregates=tuple(
            (FAMILIES[name], prefix) for name, one in families.items() for prefix in _dict(one, "aggregate-route")
        ),
        policy=tuple(_policy(tree)),
        networks=tuple((FAMILIES[name], prefix) for name, one in families.items() for prefix in _dict(one, "network")),
        timers=_timers(own),
    )


def _router_id(value: Any) -> str:
    try:
        return str(ipaddress.IPv4Address(str(value)))
    except ValueError:
        raise RefusedError("router.bgp.router-id", f"{value!r} is not an IPv4 address") from None


def _peer(bgp: Tree, name: str) -> Peer:
    where = f"vrf.default.router.bgp.neighbor.{name}"
    settings = _dict(_dict(bgp, "neighbor"), name)
    group = settings.get("peer-group")
    groups = _dict(bgp, "peer-group")
    if group is not None and group not in groups:
        raise RefusedError(f"{where}.peer-group", f"peer-group {group} is not there")
    inherited = _dict(groups, str(group)) if group is not None else {}
    remote = settings.get("remote-as", inherited.get("remote-as"))
    if remote is None:
        raise RefusedError(f"{where}.remote-as", "a neighbor needs a remote-as, its own or its peer-group's")
    if remote not in {"external", "internal"}:
        remote = number_of(remote, f"{where}.remote-as", 1, MAX_ASN)
    return Peer(name, str(remote), _bfd(_dict(settings, "bfd") or _dict(inherited, "bfd"), f"{where}.bfd"))


def _bfd(settings: Tree, where: str) -> tuple[int, int, int] | None:
    if not _on(settings, default=False):
        return None
    times = (settings.get("detect-multiplier", 3), settings.get("min-rx-interval", 300), settings.get("min-tx-interval", 300))
    multiplier, receive, transmit = (number_of(one, where, 2, 60000) for one in times)
    return multiplier, receive, transmit


def _policy(tree: Tree) -> Iterator[str]:
    """Prefix lists and route maps, as far as they match prefixes."""
    for name, one in sorted(_at(tree, "router", "policy", "prefix-list").items()):
        for number, rule in sorted(_dict(one, "rule").items(), key=lambda item: int(item[0])):
            for prefix, span in _dict(rule, "match").items():
                where = f"router.policy.prefix-list.{name}.rule.{number}"
                yield prefix_list(
                    name, int(number), str(rule.get("action", "permit")), prefix, span.get("max-prefix-len"), where
                )
    for name, one in sorted(_at(tree, "router", "policy", "route-map").items()):
        for number, rule in sorted(_dict(one, "rule").items(), key=lambda item: int(item[0])):
            action = rule.get("action", "permit")
            match = _dict(rule, "match")
            word = next(iter(action), "permit") if isinstance(action, dict) else str(action)
            yield from route_map(name, int(number), word, str(match.get("type", "ipv4")), str(match.get("ip-prefix-list", "")))


def _timers(bgp: Tree) -> tuple[int, int] | None:
    """The first timers that are set, in the VRF or a peer-group: the lab gives them to every neighbour."""
    for settings in (bgp, *_dict(bgp, "peer-group").values()):
        timers = _at(settings, "timers") if isinstance(settings, dict) else {}
        if "keepalive" in timers and "hold" in timers:
            keepalive, hold = number_of(timers["keepalive"], "timers", 1, 65535), number_of(timers["hold"], "timers", 3, 65535)
            return keepalive, hold
    return None


def _management(tree: Tree, eth0: Port | None) -> Management:
    api = _at(tree, "system", "api")
    return Management(
        up=eth0.up if eth0 else True,
        enabled=api.get("state", "enabled") == "enabled",
        addresses=eth0.addresses if eth0 else (),
        rules=tuple(_rules(tree, str(api.get("port", 8765)))),
        listen=tuple(_dict(api, "listening-address")),
    )


def _rules(tree: Tree, port: str) -> list[Rule]:
    """The rules of the inbound control-plane lists that are about the API's port, in order."""
    found = []
    for name in _at(tree, "system", "control-plane", "acl"):
        if _at(tree, "acl", name).get("type") == "ipv6":
            continue  # the API of the lab listens on IPv4
        rules = _at(tree, "acl", name, "rule")
        for number in sorted(rules, key=lambda text: int(text) if str(text).isdigit() else 0):
            rule = rules[number]
            match = _at(rule, "match", "ip")
            protocol = str(match.get("protocol", match.get(".protocol", "tcp")))
            if protocol not in {"tcp", "ANY"}:
                continue
            ports = match.get("dest-port", _dict(match, "tcp").get("dest-port", {}))
            wanted = list(ports) if isinstance(ports, dict) else [str(ports)]
            if not wanted or port in wanted or "ANY" in wanted:
                source = match.get("source-ip", "any")
                permit = rule.get("action") == "permit" or "permit" in _dict(rule, "action")
                found.append(Rule("any" if source == "ANY" else _network(source, name), permit))
    return found


def _network(text: Any, name: str) -> str:
    try:
        return str(ipaddress.ip_network(str(text), strict=False))
    except ValueError:
        raise RefusedError(f"acl.{name}", f"source-ip {text!r} is not an address or network") from None


def _on(settings: Tree, *, default: bool) -> bool:
    """`enable: on` until 5.14, `state: enabled` later."""
    value = settings.get("enable", settings.get("state"))
    return default if value is None else value in {"on", "enabled", True}


def _dict(tree: Tree, key: str) -> Tree:
    value = tree.get(key)
    return value if isinstance(value, dict) else {}


def _at(tree: Tree, *path: str) -> Tree:
    for key in path:
        tree = _dict(tree, key)
    return tree
