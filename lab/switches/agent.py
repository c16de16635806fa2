"""What both kinds of switch have: a device, a management port, faults, a configuration that outlives the process."""

import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab import files
from lab.bmc.faults import Fault, Faults
from lab.inventory import SwitchFacts
from lab.switches.device import Device
from lab.switches.door import Door
from lab.switches.intended import Intended, Management

Record = Callable[[dict[str, Any]], None]


class Agent(ABC):
    """One switch. `login` is (user, password); `folder` keeps its configuration; `record` takes a line per request."""

    def __init__(self, facts: SwitchFacts, device: Device, folder: Path, login: tuple[str, str], record: Record) -> None:
        self.facts, self.device, self.folder, self.login, self._record = facts, device, folder, login, record
        self.faults = Faults()
        self.management = Management()
        self.door = Door(facts.host, facts.port, self.serve, lambda peer: self.management.admits(peer))
        self._turn = threading.Lock()

    @abstractmethod
    def serve(self, connection: Any, peer: str) -> None:
        """Handles one connection."""

    @abstractmethod
    def boot(self) -> None:
        """Brings up what was saved, else what the factory delivers."""

    @abstractmethod
    def edit(self, change: Any) -> None:
        """What an administrator changes at the console. Raises RefusedError."""

    def act(self, wanted: Intended) -> None:
        """Makes a configuration effective, the management port last: it may be the end of the connection that asked for it."""
        self.device.apply(wanted)
        with self._turn:
            self.management = wanted.management
        self.follow()

    def follow(self) -> None:
        """Opens or shuts the management port, as configuration and faults want it."""
        with self._turn:
            if self.management.answers(self.facts.host) and not self.faults.has("unreachable"):
                self.door.open()
            else:
                self.door.shut()

    def admitted(self, user: str, password: str) -> bool:
        """True for the right login."""
        return (user, password) == self.login and not self.faults.has("wrong-password")

    def record(self, method: str, path: str, status: int, started: float, hit: list[Fault]) -> None:
        """One line for `logs/switches.jsonl`; never a password."""
        line = {"t": round(started, 4), "name": self.facts.name, "serial": self.facts.serial, "method": method, "path": path}
        kinds = sorted(one.kind for one in hit)
        more = {"faults": kinds} if kinds else {}
        self._record({**line, "status": status, "ms": round((time.time() - started) * 1000, 1), **more})

    # --- what outlives a power cut

    def saved(self) -> Any:
        """The saved configuration; None as delivered."""
        return files.read_json(self.folder / "startup.json")

    def save(self, value: Any) -> None:
        """Keeps a configuration over a reboot."""
        files.write(self.folder / "startup.json", json.dumps(value, indent=1) + "\n")
