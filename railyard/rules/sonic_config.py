"""FABRIC-066: a config_db.json holds together and says what the plan says. Pure predicates on its tables.

SONiC's YANG models see none of: PFC that differs between ports, a lossless group without PFC, lanes twice, a speed that lanes
can't carry, a DSCP map that leaves RoCE lossy (verified with yanglint).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, cast

from railyard.model.switch_intent import SwitchIntent
from railyard.plan.names import listed
from railyard.rules.registry import Finding, ordered
from railyard.rules.routing_texts import FABRIC_066

Tables = Mapping[str, Any]
LANE_GBPS = 200
"""Fastest lane that exists (200G-PAM4), in Gb/s: a port of n lanes can't be faster than n times that."""
_MAPS = {
    "dscp_to_tc_map": "DSCP_TO_TC_MAP",
    "tc_to_queue_map": "TC_TO_QUEUE_MAP",
    "tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP",
    "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
    "pfc_to_pg_map": "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
}
_REFERENCES = (
    *(("PORT_QOS_MAP", field, table) for field, table in _MAPS.items()),
    ("QUEUE", "scheduler", "SCHEDULER"),
    ("QUEUE", "wred_profile", "WRED_PROFILE"),
    ("BUFFER_PG", "profile", "BUFFER_PROFILE"),
    ("BUFFER_QUEUE", "profile", "BUFFER_PROFILE"),
    ("BUFFER_PROFILE", "pool", "BUFFER_POOL"),
)
_BY_PORT = ("PORT_QOS_MAP", "QUEUE", "BUFFER_PG", "BUFFER_QUEUE", "INTERFACE")


def check_config_db(tables: Tables, intent: SwitchIntent) -> list[Finding]:
    """FABRIC-066 over the whole file; `intent` is made for SONiC's port names. A table that is no table is said to be none."""
    where = intent.hostname
    broken = [name for name, rows in tables.items() if not isinstance(rows, Mapping)]
    if broken or not tables:
        found = f"{listed(sorted(broken))} not a table" if broken else "no tables"
        return [FABRIC_066.finding(where, found, "tables of rows")]
    checks = (_pauses, _groups, _lanes, _classes, _references, _ports, _lengths, _routing, _policies)
    return ordered(finding for check in checks for finding in check(tables, intent, where))


def _rows(tables: Tables, name: str) -> dict[str, dict[str, Any]]:
    """Rows of a table; what is no row is empty."""
    rows = cast("Mapping[str, Any]", tables.get(name, {}))
    return {str(key): dict(cast("Mapping[str, Any]", row)) if isinstance(row, Mapping) else {} for key, row in rows.items()}


def _pauses(tables: Tables, intent: SwitchIntent, where: str) -> Iterator[Finding]:
    """The same lossless set on every wired port, in pause and watchdog."""
    wanted = ",".join(map(str, intent.site.lossless.lossless_priorities))
    rows = _rows(tables, "PORT_QOS_MAP")
    guarded = intent.site.lossless.watchdog.enabled
    for field in ("pfc_enable", *(("pfcwd_sw_enable",) if guarded else ())):
        wrong: defaultdict[str, list[str]] = defaultdict(list)
        for port in intent.wired():
            value = str(rows.get(port.native, {}).get(field, "nothing"))
            if value != wanted:
                wrong[value].append(port.native)
        for value, ports in sorted(wrong.items()):
            yield FABRIC_066.finding(where, f"{field} is {value} on {listed(ports)}", f"{wanted} on every port")


def _groups(tables: Tables, intent: SwitchIntent, where: str) -> Iterator[Finding]:
    """A priority group is lossless exactly where its priority is paused."""
    profiles = _rows(tables, "BUFFER_PROFILE")
    lossless: defaultdict[str, set[str]] = defaultdict(set)
    for key, row in _rows(tables, "BUFFER_PG").items():
        port, _, group = key.partition("|")
        if "xoff" in profiles.get(str(row.get("profile")), {}):
            lossless[port].add(group)
    paused = {
        port: set(str(row.get("pfc_enable", "")).split(",")) - {""} for port, row in _rows(tables, "PORT_QOS_MAP").items()
    }
    tabled = {port.native for port in intent.wired() if port.headroom}
    without = sorted(port for port, groups in lossless.items() if groups - paused.get(port, set()))
    short = sorted(port for port, groups in paused.items() if port in tabled and groups - lossless.get(port, set()))
    if without:
        yield FABRIC_066.finding(where, f"lossless group without PFC on {listed(without)}", "PFC on each lossless group")
    if short:
        yield FABRIC_066.finding(where, f"PFC without a lossless group on {listed(short)}", "headroom for each paused priority")


def _lanes(tables: Tables, _intent: SwitchIntent, where: str) -> Iterator[Finding]:
    """A lane belongs to one port, and lanes carry the speed."""
    owners: defaultdict[str, list[str]] = defaultdict(list)
    for port, row in _rows(tables, "PORT").items():
        lanes = [lane for lane in str(row.get("lanes", "")).split(",") if lane]
        for lane in lanes:
            owners[lane].append(port)
        speed = str(row.get("speed", ""))
        if not speed.isdigit() or int(speed) > len(lanes) * LANE_GBPS * 1000:
            found = f"speed {speed or 'unset'} on {len(lanes)} lanes of {port}"
            yield FABRIC_066.finding(where, found, f"{LANE_GBPS} Gb/s for each lane, in Mb/s")
    for lane, ports in owners.items():
        if len(ports) > 1:
            yield FABRIC_066.finding(where, f"lane {lane} is that of {listed(sorted(ports))}", "one port for each lane")


def _classes(tables: Tables, intent: SwitchIntent, where: str) -> Iterator[Finding]:
    """On every wired port RoCE's and the notifications' code points end where the contract says."""
    contract = intent.site.lossless
    maps, rows = _rows(tables, "DSCP_TO_TC_MAP"), _rows(tables, "PORT_QOS_MAP")
    used = {str(rows.get(port.native, {}).get("dscp_to_tc_map", "")) for port in intent.wired()}
    for name in sorted(used):
        for what, point, wanted in (
            ("RoCE", contract.dscp, contract.priority),
            ("notifications", contract.cnp_dscp, contract.cnp_class),
        ):
            found = maps.get(name, {}).get(str(point))
            if found != str(wanted):
                text = f"map {name or '(none)'} puts DSCP {point} ({what}) on class {found or 'none'}"
                yield FABRIC_066.finding(where, text, f"class {wanted}")


def _references(tables: Tables, _intent: SwitchIntent, where: str) -> Iterator[Finding]:
    """Every name that a row uses is defined."""
    for table, field, target in _REFERENCES:
        known = _rows(tables, target)
        used = {str(row[field]) for row in _rows(tables, table).values() if field in row}
        for name in sorted(used - set(known)):
            yield FABRIC_066.finding(where, f"{table} uses {target} {name}, which isn't there", "names that are defined")
    ports = _rows(tables, "PORT")
    for table in _BY_PORT:
        strange = sorted({key.partition("|")[0] for key in _rows(tables, table)} - set(ports))
        if strange:
            yield FABRIC_066.finding(where, f"{table} names {listed(strange)}", "ports of table PORT")


def _ports(tables: Tables, intent: SwitchIntent, where: str) -> Iterator[Finding]:
    """MTU, speed and state of each wired port; none of them missing."""
    rows = _rows(tables, "PORT")
    missing = [port.native for port in intent.wired() if port.native not in rows]
    if missing:
        yield FABRIC_066.finding(where, f"no port {listed(missing)}", "every wired port of the plan")
    there = [port for port in intent.wired() if port.native in rows]
    wanted = [{"mtu": str(port.mtu), "speed": str(int(port.speed_gbps * 1000)), "admin_status": "up"} for port in there]
    wrong = Counter(
        (field, str(rows[port.native].get(field, "nothing")), value)
        for port, fields in zip(there, wanted, strict=True)
        for field, value in fields.items()
        if rows[port.native].get(field) != value
    )
    for (field, found, value), count in sorted(wrong.items()):
        yield FABRIC_066.finding(where, f"{field} is {found} on {count} ports", value)


def _lengths(tables: Tables, intent: SwitchIntent, where: str) -> Iterator[Finding]:
    """CABLE_LENGTH covers the ordered cable (a 5 m profile on a 40 m link is short by 52 kB at 400 Gb/s)."""
    lengths = {port: text for row in _rows(tables, "CABLE_LENGTH").values() for port, text in row.items()}
    short = [
        port.native
        for port in intent.wired()
        if not (text := str(lengths.get(port.native, "")).removesuffix("m")).isdigit() or int(text) < port.cable_m
    ]
    if short:
        yield FABRIC_066.finding(where, f"CABLE_LENGTH is below the cable on {listed(short)}", "at least the ordered length")


def _routing(tables: Tables, intent: SwitchIntent, where: str) -> Iterator[Finding]:
    """Own number, neighbours in a group that exists, and the framework that makes neighbours by interface legal."""
    number = _rows(tables, "BGP_GLOBALS").get("default", {}).get("local_asn")
    if number != str(intent.asn):
        yield FABRIC_066.finding(where, f"local_asn {number or 'unset'}", str(intent.asn))
    neighbors = _rows(tables, "BGP_NEIGHBOR")
    groups = {key.partition("|")[2] for key in _rows(tables, "BGP_PEER_GROUP")}
    found = {key.partition("|")[2] for key in neighbors}
    wanted = {port.native for port in intent.fabric_ports()}
    for text, names in (("no neighbour on", wanted - found), ("unplanned neighbour on", found - wanted)):
        if names:
            yield FABRIC_066.finding(where, f"{text} {listed(sorted(names))}", f"{len(wanted)} planned")
    loose = sorted(key for key, row in neighbors.items() if row.get("peer_group_name") not in groups)
    if loose:
        yield FABRIC_066.finding(where, f"peer group of {listed(loose)} isn't defined", "a row of BGP_PEER_GROUP")
    own = _rows(tables, "DEVICE_METADATA").get("localhost", {})
    # SONiC starts BGP with the number of DEVICE_METADATA where there is no BGP_GLOBALS: two numbers are a fault that waits.
    for field, planned in (("bgp_asn", str(intent.asn)), ("hostname", intent.hostname)):
        if str(own.get(field, "")) != planned:
            yield FABRIC_066.finding(where, f"DEVICE_METADATA {field} {own.get(field) or 'unset'}", planned)
    if neighbors and own.get("frr_mgmt_framework_config") != "true":
        yield FABRIC_066.finding(where, "neighbours by interface", "frr_mgmt_framework_config: true")


def _policies(tables: Tables, _intent: SwitchIntent, where: str) -> Iterator[Finding]:
    """A route map each way in each family: SONiC's FRR discards the routes of an eBGP neighbour without (RFC 8212)."""
    rows, maps = _rows(tables, "BGP_PEER_GROUP_AF"), _rows(tables, "ROUTE_MAP_SET")
    groups = [key.partition("|")[2] for key in _rows(tables, "BGP_PEER_GROUP")]
    families = [key.rpartition("|")[2] for key in _rows(tables, "BGP_GLOBALS_AF")]
    for key in sorted(f"default|{group}|{family}" for group in groups for family in families):
        shut = [way for way in ("in", "out") if not _names(rows.get(key, {}).get(f"route_map_{way}")) & maps.keys()]
        if shut:
            found = f"no route map {' and '.join(shut)} in BGP_PEER_GROUP_AF {key}"
            yield FABRIC_066.finding(where, found, "one of ROUTE_MAP_SET each way, else no route is taken")


def _names(value: object) -> set[str]:
    """Of a leaf-list, which a file may have as one text, too."""
    return {str(one) for one in cast("list[object]", value)} if isinstance(value, list) else {str(value)}
