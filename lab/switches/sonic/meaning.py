"""What a config_db asks the switch to do. Tables that have no effect here (QoS, buffers …) are stored and given back only."""

import ipaddress
from collections import Counter
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

Tables = dict[str, dict[str, Any]]
BFD = (3, 300, 300)  # FRR's own: multiplier, milliseconds


def intended(tables: Tables) -> Intended:
    """The tables as one switch's intent. Raises RefusedError, as the generic configuration updater refuses them."""
    for table, rows in tables.items():
        if table != table.upper() or not isinstance(rows, dict) or not all(isinstance(row, dict) for row in rows.values()):
            raise RefusedError(f"/{table}", "a table is an object of objects, its name in capitals")
    addresses: dict[str, list[str]] = {}
    for table in ("INTERFACE", "LOOPBACK_INTERFACE", "MGMT_INTERFACE"):
        for key in tables.get(table, {}):
            name, bar, text = key.partition("|")
            if bar:
                addresses.setdefault(name, []).append(address_of(text, f"/{table}/{key}"))
    rows = tables.get("PORT", {})
    for name in tables.get("INTERFACE", {}):
        if name.partition("|")[0] not in rows:
            raise RefusedError(f"/INTERFACE/{name}", f"{name.partition('|')[0]} is not in PORT")
    return Intended(
        hostname=str(tables.get("DEVICE_METADATA", {}).get("localhost", {}).get("hostname", "sonic")),
        ports={name: _port(name, row, addresses.get(name, [])) for name, row in rows.items()},
        front={name: index for index, name in enumerate(sorted(rows, key=lambda one: _first_lane(one, rows[one])), 1)},
        loopback=tuple(one for name, found in addresses.items() if name.startswith("Loopback") for one in found),
        bgp=_bgp(tables),
        management=_management(tables, addresses),
    )


def _port(name: str, row: dict[str, Any], addresses: list[str]) -> Port:
    """A port is down until it is switched on."""
    return Port(mtu_of(row.get("mtu", 9100), f"/PORT/{name}/mtu"), row.get("admin_status", "down") == "up", tuple(addresses))


def _first_lane(name: str, row: dict[str, Any]) -> int:
    """The front in lane order. Without lanes, by the number in the name."""
    lanes = str(row.get("lanes", "")).split(",")[0]
    return number_of(lanes or name.removeprefix("Ethernet"), f"/PORT/{name}/lanes", 0, 1_000_000)


def _bgp(tables: Tables) -> Bgp | None:
    """The tables that frrcfgd reads (frr_mgmt_framework_config): BGP_GLOBALS, BGP_GLOBALS_AF, BGP_NEIGHBOR …, VRF default."""
    settings = tables.get("BGP_GLOBALS", {}).get("default")
    if settings is None:
        return None
    if "local_asn" not in settings:
        raise RefusedError("/BGP_GLOBALS/default", "local_asn is missing")
    families = {one: tables.get("BGP_GLOBALS_AF", {}).get(f"default|{one}_unicast", {}) for one in ("ipv4", "ipv6")}
    neighbours = [key.partition("|")[2] for key in tables.get("BGP_NEIGHBOR", {}) if key.startswith("default|")]
    return Bgp(
        asn=number_of(settings["local_asn"], "/BGP_GLOBALS/default/local_asn", 1, MAX_ASN),
        router_id=_router_id(settings.get("router_id")),
        peers=tuple(_peer(tables, name) for name in sorted(neighbours)),
        paths=number_of(families["ipv4"].get("max_ebgp_paths", 1), "/BGP_GLOBALS_AF/max_ebgp_paths", 1, 256),
        relax=settings.get("load_balance_mp_relax", "false") == "true",
        connected=tuple(_connected(tables)),
        aggregates=tuple(_prefixes(tables, "BGP_GLOBALS_AF_AGGREGATE_ADDR")),
        policy=tuple(_policy(tables)),
        networks=tuple(_prefixes(tables, "BGP_GLOBALS_AF_NETWORK")),
        timers=_timers(tables, settings),
        profile="traditional",
    )


def _router_id(value: Any) -> str:
    try:
        return str(ipaddress.IPv4Address(str(value)))
    except ValueError:
        raise RefusedError("/BGP_GLOBALS/default/router_id", f"{value!r} is not an IPv4 address") from None


def _peer(tables: Tables, name: str) -> Peer:
    where = f"/BGP_NEIGHBOR/default|{name}"
    row = tables["BGP_NEIGHBOR"][f"default|{name}"]
    group = row.get("peer_group_name")
    groups = tables.get("BGP_PEER_GROUP", {})
    if group is not None and f"default|{group}" not in groups:
        raise RefusedError(where, f"peer_group_name {group} is not in BGP_PEER_GROUP")
    both = {**groups.get(f"default|{group}", {}), **row}
    if not _is_address(name) and name not in tables.get("PORT", {}):
        raise RefusedError(where, f"{name} is not in PORT")
    bfd, maps = BFD if both.get("bfd") == "true" else None, tuple(_maps(tables, name, group))
    if "asn" in both:
        return Peer(name, str(number_of(both["asn"], f"{where}/asn", 1, MAX_ASN)), bfd, maps)
    if both.get("peer_type") not in {"external", "internal"}:
        raise RefusedError(where, "neither asn nor peer_type")
    return Peer(name, both["peer_type"], bfd, maps)


def _maps(tables: Tables, name: str, group: str | None) -> Iterator[tuple[str, str, str]]:
    """Route maps of a neighbour, its group's where it has none of its own."""
    for family in ("ipv4", "ipv6"):
        row = {
            **tables.get("BGP_PEER_GROUP_AF", {}).get(f"default|{group}|{family}_unicast", {}),
            **tables.get("BGP_NEIGHBOR_AF", {}).get(f"default|{name}|{family}_unicast", {}),
        }
        for way in ("in", "out"):
            for used in _list(row.get(f"route_map_{way}", [])):
                if used not in tables.get("ROUTE_MAP_SET", {}):
                    raise RefusedError(f"/BGP_PEER_GROUP_AF/route_map_{way}", f"{used} is not in ROUTE_MAP_SET")
                yield family, used, way


def _list(value: Any) -> list[str]:
    """A leaf-list; the tables also know it as one text."""
    return [str(one) for one in value] if isinstance(value, list) else [str(value)] if value else []


def _connected(tables: Tables) -> Iterator[tuple[str, str]]:
    rows = tables.get("ROUTE_REDISTRIBUTE", {})
    for family in ("ipv4", "ipv6"):
        row = rows.get(f"default|connected|bgp|{family}")
        if row is not None:
            yield family, next(iter(_list(row.get("route_map"))), "")


def _policy(tables: Tables) -> Iterator[str]:
    """Prefix sets and route maps, as far as they match prefixes."""
    numbers: Counter[str] = Counter()
    for key, row in tables.get("PREFIX", {}).items():
        name, prefix, span = [*key.split("|"), "exact", ""][:3]
        numbers[name] += 10
        longest = span.partition("..")[2]
        yield prefix_list(name, numbers[name], str(row.get("action", "permit")), prefix, longest, f"/PREFIX/{key}")
    sets = tables.get("PREFIX_SET", {})
    for key, row in tables.get("ROUTE_MAP", {}).items():
        name, _, number = key.partition("|")
        # IPv6 has a leaf of its own in sonic-route-map.yang.
        matched = str(row.get("match_prefix_set") or row.get("match_ipv6_prefix_set") or "")
        if matched and matched not in sets:
            raise RefusedError(f"/ROUTE_MAP/{key}", f"match_prefix_set {matched} is not in PREFIX_SET")
        family = "ipv6" if sets.get(matched, {}).get("mode") == "IPv6" else "ipv4"
        entry = number_of(number, f"/ROUTE_MAP/{key}", 1, 65535)
        yield from route_map(name, entry, str(row.get("route_operation", "permit")), family, matched)


def _prefixes(tables: Tables, table: str) -> list[tuple[str, str]]:
    found = []
    for key in tables.get(table, {}):
        vrf, family, prefix = [*key.split("|"), "", ""][:3]
        if vrf == "default":
            found.append((family.removesuffix("_unicast"), prefix))
    return found


def _timers(tables: Tables, settings: dict[str, Any]) -> tuple[int, int] | None:
    """The first timers that are set, of the VRF or a peer group: the lab gives them to every neighbour."""
    for row in (settings, *tables.get("BGP_PEER_GROUP", {}).values()):
        if "keepalive" in row and "holdtime" in row:
            return number_of(row["keepalive"], "keepalive", 1, 65535), number_of(row["holdtime"], "holdtime", 3, 65535)
    return None


def _management(tables: Tables, addresses: dict[str, list[str]]) -> Management:
    port = tables.get("MGMT_PORT", {}).get("eth0", {})
    return Management(
        up=port.get("admin_status", "up") == "up", addresses=tuple(addresses.get("eth0", ())), rules=tuple(_rules(tables))
    )


def _rules(tables: Tables) -> list[Rule]:
    """Rules of the control-plane lists for SSH; the highest priority first."""
    lists = {name for name, row in tables.get("ACL_TABLE", {}).items() if row.get("type") == "CTRLPLANE" and _covers_ssh(row)}
    rows = []
    for key, row in tables.get("ACL_RULE", {}).items():
        if key.partition("|")[0] in lists:
            source = row.get("SRC_IP", row.get("SRC_IPV6", "0.0.0.0/0"))
            _ = address_of(source, f"/ACL_RULE/{key}/SRC_IP")
            priority = number_of(row.get("PRIORITY", 0), f"/ACL_RULE/{key}/PRIORITY", 0, 1_000_000)
            rows.append((priority, source, row.get("PACKET_ACTION") in {"ACCEPT", "FORWARD"}))
    found = [Rule(source, permit) for _, source, permit in sorted(rows, key=lambda one: -one[0])]
    return [*found, Rule("any", permit=False)] if found else []  # caclmgrd drops what no rule of such a list lets in


def _covers_ssh(row: dict[str, Any]) -> bool:
    services = row.get("services", row.get("services@", []))
    listed = services if isinstance(services, list) else str(services).split(",")
    return "SSH" in {str(one).upper() for one in listed}


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
