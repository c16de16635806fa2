"""What an NVUE switch shows of itself (`rev=operational`): links, BGP neighbours, LLDP, routes, the platform."""

from typing import Any

from lab.inventory import SwitchFacts
from lab.switches.device import Device
from lab.switches.nvue import tree


def show(device: Device, facts: SwitchFacts, applied: tree.Tree, path: list[str]) -> Any:
    """The object at `path` in its operational form; None if there is none."""
    match path:
        case ["platform"]:
            return {"manufacturer": "railyard lab", "product-name": "emulated", "serial-number": facts.serial}
        case ["system"]:
            return {**_get(applied, path), "product-name": "Cumulus Linux", "build": "Cumulus Linux (railyard lab)"}
        case ["interface"]:
            return {name: _interface(applied, name, row) for name, row in sorted(device.links().items())}
        case ["interface", name]:
            row = device.links().get(name)
            return None if row is None else _interface(applied, name, row)
        case ["interface", name, "lldp"] | ["interface", name, "lldp", "neighbor"]:
            found = _neighbours(device).get(name, {})
            return found if path[-1] == "neighbor" else {"neighbor": found}
        case ["service", "lldp", "neighbor"] | ["service", "lldp"]:
            return {port: {"neighbor": found} for port, found in sorted(_neighbours(device).items())}
        case ["vrf", "default", "router", "bgp", "neighbor"]:
            return {name: _peer(row) for name, row in sorted(device.bgp().items())}
        case ["vrf", "default", "router", "rib", "ipv4", "route"]:
            return {prefix: _route(entries) for prefix, entries in sorted(device.routes().items())}
    return _get(applied, path) or None


def _get(applied: tree.Tree, path: list[str]) -> Any:
    try:
        return tree.get(applied, path)
    except tree.NotThere:
        return {}


def _interface(applied: tree.Tree, name: str, row: dict[str, Any]) -> Any:
    link = {"mtu": row["mtu"], "admin-status": "up" if row["admin"] else "down", "oper-status": "up" if row["oper"] else "down"}
    return {"ip": _get(applied, ["interface", name, "ip"]), "link": link, "type": "swp"}


def _neighbours(device: Device) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for table in device.lldp().get("lldp", []):
        for row in table.get("interface", []):
            chassis, port = row["chassis"][0], row["port"][0]
            name = chassis.get("name", [{"value": ""}])[0]["value"]
            age = row.get("age", "")
            found.setdefault(row["name"], {})[name] = {
                "age": age,
                "chassis": {"system-name": name, "chassis-id": chassis["id"][0]["value"]},
                "port": {"name": port["id"][0]["value"], "type": port["id"][0]["type"]},
            }
    return found


def _peer(row: dict[str, Any]) -> Any:
    state = "established" if row.get("state") == "Established" else str(row.get("state", "idle")).lower()
    return {"state": state, "remote-as": row.get("remoteAs", 0), "established-count": row.get("connectionsEstablished", 0)}


def _route(entries: list[dict[str, Any]]) -> Any:
    shown = {}
    for index, entry in enumerate(entries, 1):
        via = {
            f"{hop.get('ip', hop.get('interfaceName', ''))}%{hop.get('interfaceName', '')}": {
                "interface": hop.get("interfaceName", ""),
                "fib": hop.get("fib", False),
            }
            for hop in entry.get("nexthops", [])
        }
        shown[str(index)] = {"protocol": entry.get("protocol", ""), "selected": entry.get("selected", False), "via": via}
    return {"route-entry": shown}
