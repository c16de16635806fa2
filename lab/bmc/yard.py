"""All BMCs and machines of one instance, in one process; and the commands of its control socket."""

import asyncio
import ssl
import time
from pathlib import Path
from typing import Any

from lab import files, hosts, inventory
from lab.bmc.bmc import Bmc, factory_account
from lab.bmc.board import Board
from lab.bmc.faults import Faults, parse
from lab.bmc.server import BmcServer, Load, line
from lab.errors import LabError
from lab.instance import Instance
from lab.inventory import MachineFacts
from lab.machine import Machine


class Log:
    """An append-only .jsonl file; each record is in the file when `add` returns."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._stream = path.open("a", encoding="utf-8", buffering=1)

    def add(self, record: dict[str, Any]) -> None:
        self._stream.write(line(record))

    def close(self) -> None:
        self._stream.close()


class Yard:
    """Everything that has a BMC. Servers are by serial number of the inventory."""

    def __init__(self, instance: Instance, watcher: hosts.Watcher | None = None) -> None:
        self.instance, self.watcher = instance, watcher
        self.servers: dict[str, BmcServer] = {}
        self._names: dict[str, str] = {}
        self._contexts: dict[str, ssl.SSLContext] = {}
        self.load = Load()
        self.requests = Log(instance.logs / "bmc.jsonl")
        self.installs = Log(instance.logs / "installs.jsonl")
        self.factory = factory_account(*instance.credential("bmc-factory"))
        self.trust = ssl.create_default_context(cafile=str(instance.ca))

    async def open(self, machines: list[MachineFacts]) -> None:
        """Makes and opens all BMCs; machines that were on start. Raises OSError."""
        for facts in machines:
            self._add(facts)
        for server in self.servers.values():
            await server.listen()
        for server in self.servers.values():
            server.bmc.board.resume()

    def _add(self, facts: MachineFacts) -> BmcServer:
        folder = self.instance.state / facts.serial
        (folder / hosts.RUNNING).unlink(missing_ok=True)
        faults = Faults()

        def board_of(state: Any) -> Board:
            return Board(facts, state, faults, self.trust, self.instance.timing)

        def record(event: str, generation: int | None = None, **more: Any) -> None:
            self.installs.add(
                {"t": round(time.time(), 4), "serial": facts.serial, "generation": generation, "event": event, **more}
            )

        bmc = Bmc(facts, folder / "bmc.json", self.factory, board_of)
        bmc.board.machine = Machine(folder, bmc.board, self.instance.timing, record, self.watcher)
        server = BmcServer(bmc, faults, self._context(facts.host), self.requests.add, self.load)
        self.servers[facts.serial] = server
        return server

    def _context(self, host: str) -> ssl.SSLContext:
        """The TLS side of a BMC; shared by those on the same certificate."""
        names = files.read_json(self.instance.pki / "bmc.json") if host not in self._names else self._names
        self._names = names or {}
        name = self._names.get(host, "")
        if name not in self._contexts:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            context.load_cert_chain(self.instance.pki / f"{name}.crt", self.instance.pki / f"{name}.key")
            self._contexts[name] = context
        return self._contexts[name]

    async def close(self) -> None:
        """Cuts the mains."""
        for server in self.servers.values():
            server.close()
            server.bmc.board.halt()
        await asyncio.sleep(0)
        self.requests.close()
        self.installs.close()

    async def reload(self) -> dict[str, Any]:
        """Follows the inventory: new machines appear, removed ones vanish (their state stays on disk), changed ones restart."""
        wanted = {one.serial: one for one in inventory.read(self.instance.machines_file)[1]}
        gone = [serial for serial, server in self.servers.items() if wanted.get(serial) != server.bmc.facts]
        for serial in gone:
            server = self.servers.pop(serial)
            server.close()
            server.bmc.board.halt()
        new = [facts for serial, facts in wanted.items() if serial not in self.servers]
        for facts in new:
            server = self._add(facts)
            await server.listen()
            server.bmc.board.resume()
        return {"removed": gone, "added": [one.serial for one in new]}

    def pick(self, who: str) -> list[BmcServer]:
        """The servers that a serial number, a machine's name or "*" means. Raises LabError (LAB-011)."""
        found = [one for serial, one in self.servers.items() if who in {"*", serial, one.bmc.facts.name}]
        if not found:
            known = ", ".join(sorted(self.servers)[:8])
            raise LabError("LAB-011", "SERIAL", who, "a serial or name of the inventory, or '*'", f"one of: {known}")
        return found

    async def command(self, asked: dict[str, Any]) -> dict[str, Any]:
        """One command of the control socket. Raises LabError."""
        name, who = asked.get("command"), str(asked.get("serial", "*"))
        if name == "reload":
            return await self.reload()
        if name == "load":
            return self._counters(zero=bool(asked.get("zero")))
        if name not in {"fault", "clear", "power", "machines", "faults"}:
            raise LabError("LAB-013", "control socket", str(name), "a known command", "see lab/README.md")
        servers = self.pick(who)
        for server in servers:
            if name == "fault":
                server.faults.all.append(parse(asked.get("fault")))
            elif name == "clear":
                server.faults.all.clear()
            elif name == "power":
                self._button(server, str(asked.get("power")))
            await server.apply()
        return {"machines": [_shown(one) for one in servers]}

    def _counters(self, *, zero: bool) -> dict[str, Any]:
        counters = vars(self.load).copy()
        if zero:
            vars(self.load).update(requests=0, most_in_flight=0, most_writes_per_bmc=0)
        return counters

    def _button(self, server: BmcServer, wish: str) -> None:
        """Someone at the rack: off at once, or on."""
        if wish not in {"on", "off"}:
            raise LabError("LAB-013", "power", wish, "on or off", "python -m lab power SERIAL on|off")
        server.bmc.board.reset("On" if wish == "on" else "ForceOff")


def _shown(server: BmcServer) -> dict[str, Any]:
    bmc, machine = server.bmc, server.bmc.board.machine
    return {
        "serial": bmc.facts.serial,
        "name": bmc.facts.name,
        "bmc": f"{bmc.facts.host}:{bmc.facts.port}",
        "power": bmc.board.power,
        "os": machine is not None and machine.os_up,
        "faults": [one.shown() for one in server.faults.all],
    }
