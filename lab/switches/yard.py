"""All switches of one instance: their cables, their agents, and the commands of the control socket."""

import json
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lab.bmc.faults import parse
from lab.errors import LabError
from lab.inventory import SwitchFacts
from lab.pki import Authority
from lab.switches import hardware
from lab.switches.agent import Agent
from lab.switches.device import Device
from lab.switches.intended import RefusedError
from lab.switches.nvue.server import NvueAgent
from lab.switches.sonic.server import SonicAgent
from lab.switches.wiring import Wiring

AT_ONCE = 4
KINDS: dict[str, type[Agent]] = {"cumulus": NvueAgent, "sonic": SonicAgent}


class SwitchYard:
    """Switches with cables between them, and to hosts (`device/port` of which no switch is known). Use `with`, or `close`.

    `folder`: `<name>/startup.json` of each switch, the wiring's files, `requests.jsonl`. `login`: (user, password) of all.
    """

    def __init__(self, folder: Path, facts: Sequence[SwitchFacts], login: tuple[str, str], authority: Authority) -> None:
        self.folder, self.facts, self.login, self.authority = folder, list(facts), login, authority
        self.wiring = Wiring(folder)
        self.agents: dict[str, Agent] = {}
        self._log = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> "SwitchYard":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self, links: Iterable[tuple[str, str]]) -> None:
        """Lays the cables and boots every switch. Raises WiringError, OSError."""
        self.wiring.build(links, devices=[one.name for one in self.facts])
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="boot") as pool:
            made = list(pool.map(self._make, self.facts))
        self.agents = {one.facts.name: one for one in made}
        context = hardware.tls_context(self.authority, self.facts) if self.facts else None
        for agent in made:
            if isinstance(agent, NvueAgent) and context is not None:
                agent.context = context
            elif isinstance(agent, SonicAgent):
                agent.key = hardware.host_key(agent.facts.serial)
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="boot") as pool:
            for _ in pool.map(lambda agent: agent.boot(), made):
                pass

    def _make(self, facts: SwitchFacts) -> Agent:
        device = Device(self.wiring, facts.name)
        return KINDS[facts.nos](facts, device, self.folder / facts.name, self.login, self._record)

    def _record(self, line: dict[str, Any]) -> None:
        with self._log, (self.folder / "requests.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line, separators=(",", ":")) + "\n")

    def close(self) -> None:
        """Shuts every door and removes every namespace. Any number of times."""
        for agent in self.agents.values():
            agent.door.shut()
        self.agents = {}
        self.wiring.close()

    # --- commands

    def command(self, value: dict[str, Any]) -> dict[str, Any]:
        """One command of the control socket: switches, fault, faults, clear, edit. Raises LabError."""
        kind = value.get("command")
        chosen = self._chosen(str(value.get("serial", "*")))
        if kind == "fault":
            for agent in chosen:
                agent.faults.all.append(parse(value.get("fault")))
                agent.follow()
        elif kind == "clear":
            for agent in chosen:
                agent.faults.all.clear()
                agent.follow()
        elif kind == "edit":
            for agent in chosen:
                _edit(agent, value.get("change"))
        elif kind not in {"switches", "faults"}:
            raise LabError("LAB-013", "control socket", str(kind), "switches, fault, faults, clear, edit", "")
        return {"machines": [_shown(agent) for agent in chosen]}

    def _chosen(self, who: str) -> list[Agent]:
        found = [one for one in self.agents.values() if who in {"*", one.facts.name, one.facts.serial}]
        if not found and who != "*":
            raise LabError("LAB-011", "switch", who, ", ".join(sorted(self.agents)) or "no switch", "name one of them")
        return found


def _edit(agent: Agent, change: Any) -> None:
    try:
        agent.edit(change)
    except RefusedError as error:
        raise LabError("LAB-016", f"{agent.facts.name}: {error.where}", error.reason, "what the switch takes", "") from error


def _shown(agent: Agent) -> dict[str, Any]:
    facts = agent.facts
    open_ = agent.management.answers(facts.host) and not agent.faults.has("unreachable")
    faults = [one.shown() for one in agent.faults.all]
    place = {"name": facts.name, "serial": facts.serial, "nos": facts.nos, "address": f"{facts.host}:{facts.port}"}
    return {**place, "reachable": open_, "faults": faults}
