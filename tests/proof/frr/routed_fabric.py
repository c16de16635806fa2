"""The roce stack's unit as namespaces: every cable of its plan as a veth pair, its rendered frr.conf on every switch."""

import csv
import io
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab.switches.wiring import Wiring
from railyard import load, read
from railyard.audit import Audit, audit, design_of
from railyard.plan import Plan, plan
from railyard.plan.fabric import links_of
from railyard.plan.switch_intent import switch_intents
from railyard.render import cables_csv
from railyard.render.switches import frr

ROOT = Path(__file__).resolve().parents[3]
KINDS = {"node-leaf", "leaf-spine"}
FIRST_TABLE = 100


class RoutedFabric:
    """A running fabric. `texts` are the rendered files by switch, `intents` what they were rendered from."""

    def __init__(self, wiring: Wiring) -> None:
        self.wiring = wiring
        self.config = load.site_config(ROOT, "roce")
        self.plan: Plan = plan(self.config)
        self.intents = {intent.hostname: intent for intent in switch_intents(self.plan, "frr")}
        self.texts = {name: frr(intent) for name, intent in self.intents.items()}
        self.nodes = [machine.name for machine in self.plan.machines if machine.role == "gpu"]

    def start(self) -> None:
        """Wires everything, starts routers and LLDP, gives the nodes their addresses and rules."""
        cables = [cable for cable in self.plan.cables if cable.kind in KINDS]
        self.wiring.build([ends for cable in cables for ends in links_of(cable)])
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda item: self.wiring.start_router(*item), self.texts.items()))
            list(pool.map(self.wiring.start_lldp, [*self.texts, *self.nodes]))
        for node in self.nodes:
            self._node(node)

    def rails(self, node: str) -> list[tuple[str, str, str]]:
        """(interface, address, gateway) of a node's rails in IPv4, in rail order; the gateway is the other end of the pair."""
        rows = [row for row in self.plan.addresses if row.device == node and row.network.startswith("rail-")]
        ends = {(row.network, row.address): row for row in self.plan.addresses}
        found = []
        for row in rows:
            if ":" not in row.address:
                head, _, last = row.address.rpartition(".")
                gateway = f"{head}.{int(last) - 1}"
                assert (row.network, gateway) in ends, "the leaf's end of the pair is in the plan"
                found.append((row.interface, row.address, gateway))
        return found

    def _node(self, node: str) -> None:
        """MTU, address, and a table and a rule per rail, as the plan has them."""
        assert self.plan.routing is not None
        lines = []
        for rail, (nic, address, gateway) in enumerate(self.rails(node)):
            table = FIRST_TABLE + rail
            lines += [
                f"link set {nic} mtu {self.plan.routing.lossless.host_mtu}",
                f"address add {address}/31 dev {nic}",
                f"route add default via {gateway} dev {nic} table {table}",
                f"rule add from {address} lookup {table}",
            ]
        self.wiring.ip(node, lines)

    def expected_neighbours(self) -> dict[str, dict[str, tuple[str, str]]]:
        """Device -> port -> (far device, far port), out of cables.csv as the crew gets it."""
        found: dict[str, dict[str, tuple[str, str]]] = {}
        for row in csv.DictReader(io.StringIO(cables_csv(self.plan.cables))):
            if row["kind"] in KINDS:
                a, z = (row["a_device"], row["a_port"]), (row["z_device"], row["z_port"])
                found.setdefault(a[0], {})[a[1]] = z
                found.setdefault(z[0], {})[z[1]] = a
        return found

    def audited(self) -> Audit:
        """What `railyard audit roce` says of the LLDP neighbours of every switch, one file each, as lldpcli prints them."""
        files = [(f"{name}.json", self._lldp_json(name)) for name in self.texts]
        design = design_of(self.plan, self.config.catalog, self.config.inventory)
        return audit(design, read.read_fabric(files), speeds=False)

    def _lldp_json(self, device: str) -> bytes:
        argv = ["lldpcli", "-u", self.wiring.lldp_socket(device), "-f", "json", "show", "neighbors"]
        return self.wiring.run(device, argv).stdout.encode()


def until(condition: Callable[[], bool], timeout_s: float) -> bool:
    """Whether a condition came true in time; asked about three times a second."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.3)
    return True
