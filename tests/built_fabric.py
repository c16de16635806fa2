"""A fabric as somebody might have built it: the design's links, changed at will, and what tools would print of it."""

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable

from railyard.audit.nouns import Design, End

SPEEDS = {50.0: "EDR", 100.0: "HDR", 200.0: "HDR", 400.0: "NDR", 800.0: "XDR", 25.0: "EDR"}
LANE = {"EDR": 25.0, "HDR": 50.0, "NDR": 100.0, "XDR": 200.0}


class Built:
    """Links as [lower end, upper end, Gb/s], and what each device (or NIC) says of itself."""

    def __init__(self, design: Design, describe: Callable[[str], str] = str) -> None:
        self.design = design
        self.links: list[tuple[End, End, float]] = []
        self.says: dict[str, str] = {}
        self.describe = describe
        free: defaultdict[str, int] = defaultdict(int)
        for link in design.links:
            z = link.z
            if link.any_port:
                free[z.device] += 1
                z = End(z.device, str(free[z.device]))
            self.links.append((link.a, z, link.gbps or 400.0))

    def hosts(self) -> list[int]:
        """Indexes of node links."""
        return [index for index, (a, _, _) in enumerate(self.links) if a.device in self.design.hosts]

    def uplinks(self) -> list[int]:
        """Indexes of links between switches."""
        return [index for index, (a, _, _) in enumerate(self.links) if a.device not in self.design.hosts]

    def exchange(self, one: int, other: int) -> None:
        """Swap the upper plugs of two cables."""
        (a, z, g), (b, y, h) = self.links[one], self.links[other]
        self.links[one], self.links[other] = (a, y, g), (b, z, h)

    def remove(self, gone: Iterable[int]) -> None:
        """Pull cables out."""
        out = set(gone)
        self.links = [link for index, link in enumerate(self.links) if index not in out]

    def slow(self, index: int, share: float = 0.5) -> None:
        """Let a link come up at a share of its speed, by width."""
        a, z, gbps = self.links[index]
        self.links[index] = (a, z, gbps * share)

    def said(self, end: End, host: bool) -> str:
        """The description that a device prints."""
        key = str(end) if host else end.device
        return self.says.get(key) or (f"{end.device} {end.port}" if host else self.describe(end.device))

    def ibnetdiscover(self, radix: int = 144, seed: int = 0) -> str:
        """The text of one sweep, records in an order that has nothing to do with the plan's."""
        ports: defaultdict[str, list[tuple[int, End, float, bool]]] = defaultdict(list)
        switches: set[str] = set(self.design.switches) & {end.device for a, z, _ in self.links for end in (a, z)}
        switches |= {z.device for _, z, _ in self.links}
        hosts: dict[str, tuple[End, End, float]] = {}
        for a, z, gbps in self.links:
            if a.device in switches:
                ports[a.device].append((int(a.port), z, gbps, False))
                ports[z.device].append((int(z.port), a, gbps, False))
            else:
                ports[z.device].append((int(z.port), a, gbps, True))
                hosts[str(a)] = (a, z, gbps)
        lines = ["#", "# Topology file: generated on Mon Jan  6 00:00:00 2025", "#", ""]
        order = sorted(switches)
        random.Random(seed).shuffle(order)
        for name in order:
            lines += self._switch(name, sorted(ports[name]), radix)
        for a, z, gbps in hosts.values():
            lines += self._host(a, z, gbps)
        return "\n".join(lines)

    def _switch(self, name: str, ports: list[tuple[int, End, float, bool]], radix: int) -> list[str]:
        guid = ident(name)
        head = f'Switch\t{radix} "S-{guid}"\t\t# "{self.said(End(name, ""), host=False)}" enhanced port 0 lid 1 lmc 0'
        lines = ["vendid=0x2c9", "devid=0xd2f2", f"sysimgguid=0x{guid}", f"switchguid=0x{guid}({guid})", head]
        for port, far, gbps, host in ports:
            key = ident(str(far) if host else far.device)
            end = f'"H-{key}"[1]({key}) ' if host else f'"S-{key}"[{far.port}]'
            lines.append(f'[{port}]\t{end}\t\t# "{self.said(far, host)}" lid 2 {rate(gbps)}')
        return [*lines, ""]

    def _host(self, a: End, z: End, gbps: float) -> list[str]:
        key, far = ident(str(a)), ident(z.device)
        said = self.said(End(z.device, ""), host=False)
        return [
            f"caguid=0x{key}",
            f'Ca\t1 "H-{key}"\t\t# "{self.said(a, host=True)}"',
            f'[1]({key}) \t"S-{far}"[{z.port}]\t\t# lid 3 lmc 0 "{said}" lid 1 {rate(gbps)}',
            "",
        ]

    def lldp(self, device: str) -> str:
        """`lldpcli -f json show neighbors` on one device."""
        rows = []
        for a, z, _ in self.links:
            for here, far in ((a, z), (z, a)):
                if here.device == device:
                    neighbour = {
                        "via": "LLDP",
                        "chassis": {
                            self.said(End(far.device, ""), host=False): {"id": {"type": "mac", "value": "02:00:00:00:00:01"}}
                        },
                        "port": {"id": {"type": "ifname", "value": far.port}, "descr": far.port, "ttl": "120"},
                    }
                    rows.append({here.port: neighbour})
        body = {"lldp": {"interface": rows[0] if len(rows) == 1 else rows} if rows else {}}
        return json.dumps(body, indent=2)


def ident(name: str) -> str:
    """A GUID made of a name (FNV-1a), 16 digits."""
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def rate(gbps: float) -> str:
    """`4xNDR`; half a link is half its lanes."""
    for width in (4, 2, 1):
        for word, lane in LANE.items():
            if width * lane == gbps:
                return f"{width}x{word}"
    return "4xSDR"
