"""Cables in the formats that tools of the field read. Sources stand at each form.

topology.topo   NVIDIA Cable Validation Tool and ibdiagnet: a block per switch, a line per link on it
p2p.csv         the tool's point-to-point sheet: rack, U, name and port of both ends
ndt.csv         UFM NDT plugin, brief form
topology.dot    PTM: undirected DOT, for Ethernet
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from railyard.model.plan import Cable
from railyard.plan.fabric import links_of
from railyard.render.cables import place_of
from railyard.render.svg import clean

LANES = {1.0: "1x-1G", 100.0: "4x-25G", 200.0: "4x-50G", 400.0: "4x-100G", 800.0: "4x-200G"}
"""Width and lane speed of a link as ibdiagnet spells them (`-4x-50G->`)."""
NDT = ("#StartDevice", "StartPort", "EndDevice", "EndPort", "LinkType")
P2P = ("Rack", "U", "Name", "HCA/Port", "Rack", "U", "Name", "Port")
FABRIC = frozenset({"node-leaf", "leaf-spine", "spine-core"})


def topo(cables: Iterable[Cable], models: Mapping[str, str]) -> str:
    """The training fabric as `.topo`. `models` gives each switch's model; what is not in it is a host with its HCA's port.

    A link between switches stands in both blocks, as the tool writes it.
    """
    blocks: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for cable in cables:
        if cable.kind not in FABRIC:
            continue
        speed = LANES.get(cable.link_gbps, f"4x-{cable.link_gbps / 4:g}G")
        for a, z in links_of(cable):
            a_device, a_port = _split(a)
            z_device, z_port = _split(z)
            blocks[z_device].append((_number(z_port), f"-{speed}-> {_far(a_device, a_port, models)}"))
            if a_device in models:
                blocks[a_device].append((_number(a_port), f"-{speed}-> {_far(z_device, z_port, models)}"))
    lines: list[str] = []
    for switch in sorted(blocks):
        lines.append(f"{_model(models, switch)} {switch}")
        lines += [f"  P{port} {text}" for port, text in sorted(blocks[switch])]
    return "".join(f"{line}\n" for line in lines)


def _far(device: str, port: str, models: Mapping[str, str]) -> str:
    """`MQM9700 spine-ndr05 P62` for a switch, `HCA_mlx5_3 host-04 mlx5_3/P1` for a host."""
    if device in models:
        return f"{_model(models, device)} {device} P{_number(port)}"
    hca, number = _hca(port)
    return f"HCA_{hca} {device} {hca}/P{number}"


def _hca(port: str) -> tuple[str, int]:
    """Device and port of a NIC port's name: `mlx5_3` is port 1 of it, `mlx5_3p1` port 2, `ib1` port 2 of a manager's HCA."""
    name, mark, plane = port.rpartition("p")
    if mark and plane.isdigit() and name:
        return name, int(plane) + 1
    if port.startswith("ib") and port[2:].isdigit():
        return "mlx5_0", int(port[2:]) + 1
    return port, 1


def _model(models: Mapping[str, str], switch: str) -> str:
    """A switch's model as the tool spells it: `MQM9700`."""
    name = models.get(switch, "switch")
    return f"M{name.upper()}" if name.lower().startswith(("qm", "sn", "q3")) else name


def p2p_csv(cables: Iterable[Cable]) -> str:
    """Point-to-point sheet, one row per link of the training fabric, lower end first; ports as the switch numbers them."""
    rows: list[Sequence[object]] = []
    for cable in cables:
        if cable.kind not in FABRIC:
            continue
        for number, (a, z) in enumerate(links_of(cable)):
            a_rack, a_u, _ = place_of(cable.a_label)
            z_rack, z_u, _ = place_of(cable.z_label if number == 0 or z.startswith(_split(cable.z)[0] + "/") else "")
            rows.append((a_rack, a_u, *_split(a), z_rack, z_u, *_split(z)))
    return _csv(P2P, rows)


def ndt_csv(cables: Iterable[Cable], models: Mapping[str, str]) -> str:
    """UFM NDT, brief form: one row per link of the training fabric, from the switch below or the host.

    A host's device is its node description, `host-04 mlx5_3`, as UFM's own generator writes it (ufm_sdk_3.0, from net_dump).
    """
    return _csv(
        NDT,
        (
            (*_ndt_end(a, models), *_ndt_end(z, models), "Data")
            for cable in cables
            if cable.kind in FABRIC
            for a, z in links_of(cable)
        ),
    )


def _ndt_end(end: str, models: Mapping[str, str]) -> tuple[str, str]:
    """Device and port: `leaf-01` and `Port 21`, or `host-04 mlx5_3` and `Port 1`."""
    device, port = _split(end)
    if device in models:
        return device, f"Port {_number(port)}"
    hca, number = _hca(port)
    return f"{device} {hca}", f"Port {number}"


def ptm_dot(cables: Iterable[Cable], netdevs: Mapping[str, str] | None = None) -> str:
    """PTM's topology.dot: every link by host name and interface name; PTM compares it with LLDP. Sorted.

    `netdevs`: RDMA device of a node -> its interface (`mlx5_0` -> `rail0`), which is what its LLDP agent announces.
    """
    interface = netdevs or {}
    lines = sorted(
        f"  {_quoted(a_device)}:{_quoted(a_port)} -- {_quoted(z_device)}:{_quoted(z_port)};"
        for cable in cables
        if cable.kind in FABRIC
        for a, z in links_of(cable)
        for a_device, port in [_split(a)]
        for a_port in [interface.get(port, port) if cable.kind == "node-leaf" else port]
        for z_device, z_port in [_split(z)]
    )
    head = ["graph G {", '  hostnametype="hostname";', '  LLDP="match_type=ifname";']
    return "".join(f"{line}\n" for line in [*head, *lines, "}"])


def _quoted(text: str) -> str:
    """A DOT string: backslash and quote are escaped, line breaks can't be in a name."""
    return '"' + clean(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ") + '"'


def _split(end: str) -> tuple[str, str]:
    device, _, port = end.partition("/")
    return device, port


def _number(port: str) -> int:
    """Number of a switch's port: `12` or `swp12`; 0 where there is none."""
    digits = port.removeprefix("swp")
    return int(digits) if digits.isdigit() else 0


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """These sheets are read by tools, which know no quoting of formulas: cells are written as they are."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([clean(cell) for cell in row] for row in rows)
    return out.getvalue()
