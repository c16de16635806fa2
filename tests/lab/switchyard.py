"""A small fabric of real switches for tests: two leaves, two spines, two links a pair; needs root, and says so."""

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lab import network
from lab.inventory import SwitchFacts
from lab.pki import Authority
from lab.switches import hardware
from lab.switches.yard import SwitchYard
from tests.lab.emulated import until
from tests.namespaced import need_root

PASSWORD = "canary-Switch-Passw0rd-7d1f"
LOGIN = ("railyard", PASSWORD)
NOS = {"leaf1": "cumulus", "leaf2": "sonic", "spine1": "cumulus", "spine2": "sonic"}
LINKS = [
    (f"leaf{leaf}/swp{2 * spine + lane + 1}", f"spine{spine + 1}/swp{2 * (leaf - 1) + lane + 1}")
    for leaf in (1, 2)
    for spine in (0, 1)
    for lane in (0, 1)
]
ASN = {"leaf1": 4200000001, "leaf2": 4200000002, "spine1": 4200000100, "spine2": 4200000100}
ROUTER = {"leaf1": "10.9.0.1", "leaf2": "10.9.0.2", "spine1": "10.9.1.1", "spine2": "10.9.1.2"}


def native(name: str, number: int) -> str:
    """What the switch calls its n-th port."""
    return f"swp{number}" if NOS[name] == "cumulus" else f"Ethernet{4 * (number - 1)}"


def tree(name: str, *, asn: int | None = None, mtu: int = 9216, remote: str = "external", **ports: Any) -> dict[str, Any]:
    """The wanted configuration of one switch, in the form of its system."""
    make = nvue_tree if NOS[name] == "cumulus" else sonic_tables
    return make(name, ASN[name] if asn is None else asn, mtu, remote)


def nvue_tree(name: str, asn: int, mtu: int, remote: str) -> dict[str, Any]:
    ports = [f"swp{number}" for number in range(1, 5)]
    on = {"enable": "on"}
    family = {"enable": "on", "redistribute": {"connected": on}, "multipaths": {"ebgp": 64}}
    bgp = {
        "enable": "on",
        "address-family": {"ipv4-unicast": family},
        "path-selection": {"multipath": {"aspath-ignore": "on"}},
        "peer-group": {"FABRIC": {"remote-as": remote, "timers": {"keepalive": 1, "hold": 3}}},
        "neighbor": {port: {"type": "unnumbered", "peer-group": "FABRIC"} for port in ports},
    }
    return {
        "system": {"hostname": name},
        "interface": {
            "lo": {"type": "loopback", "ip": {"address": {f"{ROUTER[name]}/32": {}}}},
            **{port: {"type": "swp", "link": {"mtu": mtu, "state": {"up": {}}}} for port in ports},
        },
        "router": {"bgp": {"enable": "on", "autonomous-system": asn, "router-id": ROUTER[name]}},
        "vrf": {"default": {"router": {"bgp": bgp}}},
    }


def sonic_tables(name: str, asn: int, mtu: int, remote: str) -> dict[str, Any]:
    ports = [f"Ethernet{4 * number}" for number in range(4)]
    peer = {"peer_type": remote} if remote in {"external", "internal"} else {"asn": remote}
    lanes = {port: ",".join(str(4 * index + lane) for lane in range(4)) for index, port in enumerate(ports)}
    return {
        "DEVICE_METADATA": {"localhost": {"hostname": name}},
        "PORT": {port: {"lanes": lanes[port], "mtu": str(mtu), "admin_status": "up"} for port in ports},
        "INTERFACE": {port: {"ipv6_use_link_local_only": "enable"} for port in ports},
        "LOOPBACK_INTERFACE": {"Loopback0": {}, f"Loopback0|{ROUTER[name]}/32": {}},
        "BGP_GLOBALS": {
            "default": {"local_asn": str(asn), "router_id": ROUTER[name], "load_balance_mp_relax": "true"},
        },
        "BGP_GLOBALS_AF": {"default|ipv4_unicast": {"max_ebgp_paths": "64"}},
        "ROUTE_REDISTRIBUTE": {"default|connected|bgp|ipv4": {}},
        "ROUTE_MAP_SET": {"ALL": {}},
        "ROUTE_MAP": {"ALL|10": {"route_operation": "permit"}},
        "BGP_PEER_GROUP_AF": {"default|FABRIC|ipv4_unicast": {"route_map_in": ["ALL"], "route_map_out": ["ALL"]}},
        "BGP_PEER_GROUP": {"default|FABRIC": {**peer, "keepalive": "1", "holdtime": "3"}},
        "BGP_NEIGHBOR": {f"default|{port}": {"peer_group_name": "FABRIC"} for port in ports},
    }


class Bench:
    """The running switches, their logs and logins."""

    def __init__(self, folder: Path, net: str) -> None:
        self.folder, self.ca = folder, folder / "pki" / "ca.crt"
        self.login_file = folder / "login"
        self.login_file.write_text(f"username: {LOGIN[0]}\npassword: {LOGIN[1]}\n")
        self.login_file.chmod(0o600)
        self.facts = [
            SwitchFacts(name, nos, f"SN-{name}", f"{net}.9.{index}", 8765 if nos == "cumulus" else 2222)
            for index, (name, nos) in enumerate(NOS.items(), 1)
        ]
        self.yard = SwitchYard(folder / "switches", self.facts, LOGIN, Authority(folder / "pki", "railyard lab test"))

    def agent(self, name: str) -> Any:
        return self.yard.agents[name]

    def facts_of(self, name: str) -> SwitchFacts:
        return next(one for one in self.facts if one.name == name)

    def set(self, name: str, config: dict[str, Any]) -> None:
        """Configures a switch as its administrator would, without the provider."""
        agent = self.agent(name)
        if NOS[name] == "cumulus":
            agent.edit(config)
        else:
            agent.edit([{"op": "add", "path": f"/{table}", "value": rows} for table, rows in config.items()])

    def sessions(self, name: str) -> dict[str, bool]:
        return {peer: row["state"] == "Established" for peer, row in self.agent(name).device.bgp().items()}

    def up(self, name: str) -> int:
        return sum(self.sessions(name).values())

    def fault(self, name: str, **fault: Any) -> None:
        self.yard.command({"command": "fault", "serial": name, "fault": fault})

    def clear(self) -> None:
        self.yard.command({"command": "clear"})

    def requests(self, name: str, since: int = 0) -> list[dict[str, Any]]:
        lines = (self.yard.folder / "requests.jsonl").read_text().splitlines()[since:]
        return [row for row in map(json.loads, lines) if row["name"] == name]

    def mark(self) -> int:
        path = self.yard.folder / "requests.jsonl"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def inputs(self, name: str, config: dict[str, Any] | None = None, **change: Any) -> dict[str, Any]:
        """Inputs of fabric:index:SwitchConfig."""
        facts = self.facts_of(name)
        trust = {"caFile": str(self.ca)} if facts.nos == "cumulus" else {"hostKeySha256": hardware.fingerprint(facts.serial)}
        return {
            "name": name,
            "nos": facts.nos,
            "address": f"{facts.host}:{facts.port}",
            "serial": facts.serial,
            "credentialRef": f"file:{self.login_file}",
            **trust,
            "config": tree(name) if config is None else config,
            "confirmS": 15,
            "settleS": 10,
            **change,
        }


@contextlib.contextmanager
def running(folder: Path, *, configured: bool = False) -> Iterator[Bench]:
    """Switches as delivered, or configured with their sessions up."""
    need_root()
    folder.mkdir(parents=True, exist_ok=True)
    net, lock = network.pick(None, folder)
    bench = Bench(folder, net)
    try:
        bench.yard.open(LINKS)
        if configured:
            configure(bench)
        yield bench
    finally:
        bench.yard.close()
        os.close(lock)


def configure(bench: Bench) -> None:
    """Every switch as planned, all sessions up."""
    for name in NOS:
        bench.set(name, tree(name))
    settled(lambda: all(bench.up(name) == 4 for name in NOS), 60)  # on a busy machine sessions with a hold time of 3 s flap


def settled(check: Callable[[], Any], seconds: float = 20.0) -> Any:
    """Waits until BGP or LLDP has done its work."""
    return until(check, seconds)


def changed(name: str, mtu: int = 9000) -> dict[str, Any]:
    """The planned configuration with another MTU on the third port."""
    config, port = tree(name), native(name, 3)
    if NOS[name] == "cumulus":
        config["interface"][port]["link"]["mtu"] = mtu
    else:
        config["PORT"][port]["mtu"] = str(mtu)
    return config


def mtu(bench: Bench, name: str) -> int:
    """The MTU that the kernel has on that port."""
    return bench.agent(name).device.links()[native(name, 3)]["mtu"]


def idle(bench: Bench, name: str) -> bool:
    """No change is under way, and no rollback is armed."""
    agent = bench.agent(name)
    return not agent.shell.timers if NOS[name] == "sonic" else not agent.revisions._turn.locked()
