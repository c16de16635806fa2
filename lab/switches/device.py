"""One switch's data plane: a namespace with ports, FRR and lldpd, brought to what was intended; and what can be seen of it."""

import json
import threading
from collections.abc import Mapping
from typing import Any

from lab.switches.intended import Intended, Port, RefusedError, frr_text
from lab.switches.namespaces import WiringError
from lab.switches.wiring import Wiring

OFF = Port(up=False)


class Device:
    """The namespace `name` of a wiring. Calls from any thread; one change at a time."""

    def __init__(self, wiring: Wiring, name: str) -> None:
        self.wiring, self.name = wiring, name
        self._lock = threading.Lock()
        # The cable is in the n-th port of the front: `swpN` when it was built, what the system calls it once it is configured.
        self._ports = dict.fromkeys(self._links(), OFF)
        self._names = {port: int(port.removeprefix("swp")) for port in self._ports}
        if self._ports:
            wiring.ip(name, [f"link set {port} down" for port in self._ports])  # as it leaves the factory
        wiring.start_lldp(name)
        self._loopback: tuple[str, ...] = ()
        self._frr, self._hostname = "", ""

    def apply(self, wanted: Intended) -> None:
        """Makes it so. Raises RefusedError with the words of `ip` or FRR."""
        with self._lock:
            try:
                renamed = self._rename(wanted.front)
                self._addresses(wanted)
                if renamed or wanted.hostname != self._hostname:
                    self.wiring.refresh_lldp(self.name, wanted.hostname)
                    self._hostname = wanted.hostname
                text = frr_text(wanted)
                if text != self._frr:
                    self._frr = ""
                    self.wiring.start_router(self.name, text)
                    self._frr = text
            except WiringError as error:
                raise RefusedError(error.where, error.found) from error

    def _rename(self, front: Mapping[str, int]) -> bool:
        """Gives each port the name that this configuration has for its place; one without a place keeps its name."""
        places = {number: name for name, number in front.items()}
        lines = []
        for old, number in list(self._names.items()):
            new = places.get(number, old)
            if new != old:
                lines += [f"link set {old} down", f"link set {old} name {new}"]
                lines += [f"link set {new} up"] if self._ports[old].up else []
                self._names[new], self._ports[new] = self._names.pop(old), self._ports.pop(old)
        if lines:
            self.wiring.ip(self.name, lines)
        return bool(lines)

    def _addresses(self, wanted: Intended) -> None:
        lines = _moved("lo", self._loopback, wanted.loopback)
        for port, now in self._ports.items():
            then = wanted.ports.get(port, OFF)
            lines += [f"link set {port} mtu {then.mtu}"] if then.mtu != now.mtu else []
            lines += [f"link set {port} {'up' if then.up else 'down'}"] if then.up != now.up else []
            lines += _moved(port, now.addresses, then.addresses)
        if lines:
            self.wiring.ip(self.name, lines)
        self._loopback = wanted.loopback
        self._ports = {port: wanted.ports.get(port, OFF) for port in self._ports}

    # --- what can be seen

    def links(self) -> dict[str, dict[str, Any]]:
        """port -> {mtu, admin, oper} as the kernel has it."""
        return {
            port: {"mtu": row["mtu"], "admin": "UP" in row["flags"], "oper": row["operstate"] == "UP"}
            for port, row in self._links().items()
        }

    def _links(self) -> Mapping[str, Any]:
        done = self.wiring.run(self.name, ["ip", "-j", "link", "show"])
        return {row["ifname"]: row for row in json.loads(done.stdout) if row["ifname"] != "lo"}

    def bgp(self) -> dict[str, dict[str, Any]]:
        """Neighbour -> its row of `show bgp summary json` (state, remoteAs …), of IPv4 unicast."""
        return self._json("show bgp ipv4 unicast summary json").get("peers", {})

    def routes(self) -> dict[str, list[dict[str, Any]]]:
        """Prefix -> entries of `show ip route json`."""
        return self._json("show ip route json")

    def _json(self, command: str) -> dict[str, Any]:
        """{} while FRR starts anew: it has no session and no route then."""
        try:
            return self.wiring.show(self.name, command)
        except WiringError:
            return {}

    def vtysh(self, command: str) -> tuple[int, str]:
        """(exit code, output) of one vtysh command."""
        done = self.wiring.run(self.name, ["vtysh", "-c", command])
        return done.returncode, done.stdout + done.stderr

    def lldp(self) -> dict[str, Any]:
        """lldpd's own answer, `lldpcli -f json0 show neighbors`."""
        return self.wiring.lldp(self.name)


def _moved(port: str, now: tuple[str, ...], then: tuple[str, ...]) -> list[str]:
    gone = [f"addr del {one} dev {port}" for one in now if one not in then]
    return gone + [f"addr add {one} dev {port}" for one in then if one not in now]
