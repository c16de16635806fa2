"""SONiC's config_db.json: one whole file per switch, to be validated offline and loaded; never built up by CLI on the switch.

Every value is a string (or a list of strings). Traps that this file answers (sonic-buildimage issues and templates):
- the stock maps put DSCP 26 on class 1, which is lossy: the map here is our own, with all 64 code points;
- neighbours by interface are legal only with `frr_mgmt_framework_config`;
- FRR runs with its traditional defaults there, which discard an eBGP neighbour's routes until a route map lets them in and out;
- CABLE_LENGTH is the length of the headroom table's row, the next one that is not shorter than the ordered cable.
"""

from math import ceil
from typing import Any

from railyard.model.switch_intent import PortIntent, SwitchIntent
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
from railyard.render.switches.sonic_qos import buffers, qos

Tables = dict[str, dict[str, Any]]
ALL = "ALL"
"""The route map between switches: what is announced is chosen where it enters BGP."""
TYPES = {"leaf": "ToRRouter", "spine": "LeafRouter", "core": "SpineRouter"}
ECMP_HASH = ["DST_IP", "IP_PROTOCOL", "L4_DST_PORT", "L4_SRC_PORT", "SRC_IP"]


def sonic(intent: SwitchIntent) -> Tables:
    """All tables, sorted, empty ones left out."""
    tables: Tables = {
        **_identity(intent),
        **_ports(intent),
        **qos(intent),
        **buffers(intent),
        **_interfaces(intent),
        **_bgp(intent),
        **_policy(intent),
        **_management(intent),
        "SWITCH_HASH": {"GLOBAL": {"ecmp_hash": ECMP_HASH}},
    }
    return {name: dict(sorted(rows.items())) for name, rows in sorted(tables.items()) if rows}


def _identity(intent: SwitchIntent) -> Tables:
    box, speed = intent.site.box, int(intent.site.link_gbps)
    row = {
        "hostname": intent.hostname,
        "type": TYPES[intent.role],
        "bgp_asn": str(intent.asn),
        "docker_routing_config_mode": "unified",
        "frr_mgmt_framework_config": "true",
    }
    if box:
        row |= {"platform": box.platform, "hwsku": box.hwsku.get(speed, "")}
    if intent.site.shared_buffer_bytes is None:
        # Without the depth of the buffer no pool can be sized here: SONiC's dynamic model does it on the switch.
        row["buffer_model"] = "dynamic"
    return {"DEVICE_METADATA": {"localhost": {key: value for key, value in row.items() if value}}}


def _ports(intent: SwitchIntent) -> Tables:
    ports: dict[str, Any] = {}
    for port in intent.ports:
        row = {
            "lanes": ",".join(str(lane) for lane in port.lanes),
            "speed": str(int(port.speed_gbps * 1000)),
            "alias": alias(port),
            "index": str(port.cage),
            "mtu": str(port.mtu),
            "fec": port.fec,
            "admin_status": "down" if port.role == "unused" else "up",
        }
        ports[port.native] = row if port.role == "unused" else row | {"description": describe(port)}
    lengths = {port.native: cable_length(port) for port in intent.ports}
    modes = (intent.site.box.breakouts or {}) if intent.site.box else {}
    mode = modes.get(int(intent.site.link_gbps))
    first = {port.cage: port.native for port in reversed(intent.ports)}
    breakouts = {native: {"brkout_mode": mode} for native in first.values()} if mode else {}
    return {"PORT": ports, "CABLE_LENGTH": {"AZURE": lengths}, "BREAKOUT_CFG": breakouts}


def alias(port: PortIntent) -> str:
    """The front panel's name: `etp3`, `etp3a` in a split cage."""
    return f"etp{port.cage}" + ("" if port.sub is None else chr(ord("a") + port.sub))


def cable_length(port: PortIntent) -> str:
    """Length that SONiC looks its headroom up with; `0m` is no cable and no headroom."""
    return f"{ceil(port.headroom.cable_m if port.headroom else port.cable_m)}m"


def _interfaces(intent: SwitchIntent) -> Tables:
    loopbacks: dict[str, Any] = {key: {} for key in ["Loopback0", *(f"Loopback0|{text}" for text in intent.loopbacks)]}
    interfaces: dict[str, Any] = {}
    for port in intent.wired():
        interfaces[port.native] = {"ipv6_use_link_local_only": "enable"} if port.peer_is_switch else {}
        interfaces |= {f"{port.native}|{text}": {} for text in port.addresses}
    return {"LOOPBACK_INTERFACE": loopbacks, "INTERFACE": interfaces}


def _bgp(intent: SwitchIntent) -> Tables:
    families = [f"ipv{version}_unicast" for version in versions(intent)]
    group = {"peer_type": "external", "admin_status": "up", "keepalive": "3", "holdtime": "9"}
    if intent.site.bfd.enabled:
        group["bfd"] = "true"
    peers = [port.native for port in intent.fabric_ports()]
    both_ways = {"admin_status": "up", "route_map_in": [ALL], "route_map_out": [ALL]}
    return {
        "BGP_GLOBALS": {
            "default": {
                "local_asn": str(intent.asn),
                "router_id": intent.router_id,
                "load_balance_mp_relax": "true",
                "log_nbr_state_changes": "true",
            }
        },
        "BGP_GLOBALS_AF": {f"default|{family}": {"max_ebgp_paths": str(intent.maximum_paths)} for family in families},
        "BGP_GLOBALS_AF_AGGREGATE_ADDR": {
            f"default|ipv{version}_unicast|{text}": {"summary_only": "true"}
            for version in versions(intent)
            for text in of_version(intent.subnets, version)
        },
        "BGP_PEER_GROUP": {f"default|{GROUP}": group},
        "BGP_PEER_GROUP_AF": {f"default|{GROUP}|{family}": dict(both_ways) for family in families},
        "BGP_NEIGHBOR": {f"default|{peer}": {"peer_group_name": GROUP} for peer in peers},
        "BGP_NEIGHBOR_AF": {f"default|{peer}|{family}": {"admin_status": "up"} for peer in peers for family in families},
    }


def _policy(intent: SwitchIntent) -> Tables:
    tables: Tables = {"PREFIX_SET": {}, "PREFIX": {}, "ROUTE_REDISTRIBUTE": {}}
    tables |= {"ROUTE_MAP_SET": {ALL: {}}, "ROUTE_MAP": {f"{ALL}|10": {"route_operation": "permit"}}}
    for version in versions(intent):
        prefix_list, route_map = name_of(PREFIX_LIST, version), name_of(ROUTE_MAP, version)
        tables["PREFIX_SET"][prefix_list] = {"mode": f"IPv{version}"}
        for prefix, longest in announced(intent, version):
            span = f"{prefix.rpartition('/')[2]}..{longest}" if longest else "exact"
            tables["PREFIX"][f"{prefix_list}|{prefix}|{span}"] = {"action": "permit"}
        tables["ROUTE_MAP_SET"][route_map] = {}
        match = "match_prefix_set" if version == 4 else "match_ipv6_prefix_set"
        tables["ROUTE_MAP"][f"{route_map}|10"] = {"route_operation": "permit", match: prefix_list}
        tables["ROUTE_REDISTRIBUTE"][f"default|connected|bgp|ipv{version}"] = {"route_map": [route_map]}
    return tables


def _management(intent: SwitchIntent) -> Tables:
    site = intent.site
    tables, rules = _control_plane(site.management)
    gateways = {":" in text: text for text in (site.management_gateway6, site.management_gateway) if text}
    rows = {text: gateways.get(":" in text) for text in intent.management_addresses}
    return {
        "MGMT_INTERFACE": {f"eth0|{text}": {"gwaddr": gateway} if gateway else {} for text, gateway in rows.items()},
        "MGMT_PORT": {"eth0": {"alias": "eth0", "admin_status": "up"}},
        "MGMT_VRF_CONFIG": {"vrf_global": {"mgmtVrfEnabled": "true"}},
        "NTP": {"global": {"vrf": "mgmt"}},
        "NTP_SERVER": {server: {} for server in site.ntp_servers},
        # Without it the server is looked for by the default VRF, which has no way out.
        "SYSLOG_SERVER": {server: {"vrf": "mgmt"} for server in site.syslog_servers},
        "ACL_TABLE": tables,
        "ACL_RULE": rules,
    }


def _control_plane(management: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(ACL_TABLE, ACL_RULE): a list per IP version; caclmgrd takes a list's version from its first rule and drops the others.

    Whatever no rule lets in it drops for both versions, so a version without a network needs no list.
    """
    head = {"type": "CTRLPLANE", "policy_desc": "who may log in", "services": ["SSH", "SNMP"], "stage": "ingress"}
    tables: dict[str, Any] = {}
    rules: dict[str, Any] = {}
    for version, source in ((4, "SRC_IP"), (6, "SRC_IPV6")):
        networks = of_version(management, version)
        if networks:
            tables[name_of("MANAGEMENT", version)] = dict(head)
        for index, network in enumerate(networks, 1):
            row = {"PRIORITY": str(10_000 - index), "PACKET_ACTION": "ACCEPT", source: network}
            rules[f"{name_of('MANAGEMENT', version)}|RULE_{index}"] = row
    return tables, rules
