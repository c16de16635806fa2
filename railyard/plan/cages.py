"""Which cage a port is in, and what its label says.

A switch with more ports than cages has the same number of ports in each: port n (from 1) is port (n - 1) % c + 1 of cage
(n - 1) // c + 1, for c ports per cage at the link speed. Source: the front of QM9700 (64 ports in 32 cages) and the breakout
order of SN5600 (SONiC platform.json).
"""

from functools import lru_cache

import msgspec

from railyard.model.cabling import CableEnd, Cage, Form, HeatSink
from railyard.model.catalog import NodeModel, SwitchModel


def ports_per_cage(model: SwitchModel, link_gbps: float | None = None) -> int:
    """Ports in one cage at a link speed in Gb/s (default: the fastest); 1 where the catalogue doesn't know the cages."""
    ports = model.radix(max(model.ports) if link_gbps is None else link_gbps)
    return max(1, -(-ports // model.cages)) if ports and model.cages else 1


def cage_of(model: SwitchModel, port_number: int, link_gbps: float | None = None) -> Cage:
    """Cage of a switch's port (from 1) at a link speed in Gb/s (default: the fastest)."""
    return cage_at(port_number, ports_per_cage(model, link_gbps))


@lru_cache(maxsize=4_096)
def cage_at(port_number: int, ports: int) -> Cage:
    """Cage of a port (from 1) where each cage holds `ports`."""
    cage, inside = divmod(port_number - 1, ports)
    return Cage(cage + 1, inside + 1, ports)


def node_cages(model: NodeModel, nics: int, planes: int) -> tuple[Cage, ...]:
    """Cage of each training port of a node: NIC by NIC (in rail order), in it plane by plane.

    By the catalogue (`railCages`) where it knows them. Otherwise each NIC has a cage of its own, numbered in that order; a NIC
    with a port in every plane carries them all in it. A NIC beyond the known ones gets the next number: a rule names it.
    """
    if planes > 1 and model.backend_nics != nics * planes:
        return tuple(Cage(nic + 1, plane + 1, planes) for nic in range(nics) for plane in range(planes))
    known = [_cage(text) for text in model.rail_cages or ()]
    shared = max((cage.subport for cage in known), default=1)
    own = (Cage(number + 1, 1, shared) for number in range(len(known), nics * planes))
    return (*(Cage(cage.number, cage.subport, shared) for cage in known[: nics * planes]), *own)


def _cage(text: str) -> Cage:
    number, _, subport = text.partition("/")
    return Cage(int(number), int(subport or 1))


def switch_end(model: SwitchModel, link_gbps: float) -> CableEnd:
    """What a cage of a switch takes at a link speed. Form and plug are None where the catalogue doesn't know them."""
    ports = ports_per_cage(model, link_gbps)
    return _end(model.cage_form, model.heat_sink, ports, link_gbps, model.lane_gbps, assumed=model.cage_form is None)


def node_end(model: NodeModel, ports: int, link_gbps: float, lane_gbps: int | None) -> CableEnd:
    """What a cage of a node's training NIC takes. Where the catalogue doesn't know it: a flat-top OSFP for lanes of 100 Gb/s
    and more, a QSFP of the lanes below, and `assumed`. Its lanes are the switch's: a NIC follows the link.
    """
    if model.nic_form is None:
        return nic_end(ports, link_gbps, lane_gbps)
    return _end(model.nic_form, model.nic_heat_sink, ports, link_gbps, lane_gbps)


def storage_end(model: NodeModel, link_gbps: float, lane_gbps: int | None) -> CableEnd:
    """What a cage of a node's storage or in-band adapter takes, one port in each; `nic_end` where nobody knows it.

    A QSFP112 cage takes the plugs of slower lanes as well: QSFP56 at 50 Gb/s, QSFP28 at 25. Source: QSFP-DD/QSFP112 MSA,
    backward compatibility; NVIDIA ConnectX-7 Adapter Cards User Manual.
    """
    form, usual = model.storage_nic_form, nic_end(1, link_gbps, lane_gbps)
    if form is None:
        return usual
    if form == "qsfp112" and (lane_gbps or 0) < 100:
        return usual.model_copy(update={"assumed": False})
    return _end(form, None, 1, link_gbps, lane_gbps)


def nic_end(ports: int, link_gbps: float, lane_gbps: int | None) -> CableEnd:
    """What a cage of a NIC takes of which nothing is known but the link: the usual form of its lane generation."""
    lane = lane_gbps or 0
    form: Form = "osfp" if lane >= 100 else "qsfp56" if lane >= 50 else "qsfp28"
    return _end(form, "flat" if form == "osfp" else None, ports, link_gbps, lane_gbps, assumed=True)


def _end(
    form: Form | None, heat_sink: HeatSink | None, ports: int, link_gbps: float, lane_gbps: int | None, *, assumed: bool = False
) -> CableEnd:
    """An end without a cable yet."""
    return CableEnd(
        form=form,
        heat_sink=heat_sink,
        ports=ports,
        port_gbps=link_gbps,
        lane_gbps=lane_gbps,
        optic=None,
        optic_heat_sink=None,
        optic_form=None,
        connector="",
        fec=None,
        assumed=assumed,
    )


def slower_end(end: CableEnd, link_gbps: float) -> CableEnd:
    """A switch's cage for a slower machine: one QSFP56 port of 200 Gb/s takes a QSFP28 plug, four lanes of 25 Gb/s, as well.

    Source: unverified, the usual backward compatibility of QSFP cages (SN4600: 64 QSFP56 ports at 200 or 100 GbE).
    """
    if (end.form, end.ports) != ("qsfp56", 1) or (end.port_gbps, link_gbps) != (200, 100):
        return end
    return end.model_copy(update={"form": "qsfp28", "port_gbps": link_gbps, "lane_gbps": 25})


def breakout(model: SwitchModel, link_gbps: float) -> str | None:
    """How a cage is split for a link speed, as SONiC and NVUE spell it: `2x400G`; None for a speed that the switch hasn't."""
    return f"{ports_per_cage(model, link_gbps)}x{link_gbps:g}G" if model.radix(link_gbps) else None


class Meeting(msgspec.Struct, frozen=True):
    """What two ports make together: the link's speed in Gb/s and the upper cage's split (None: impossible)."""

    link_gbps: float
    breakout: str | None


def meet(a: CableEnd, z: CableEnd, upper: SwitchModel) -> Meeting:
    """A link runs at the slower of both ends; the upper switch's cage is split for it."""
    speed = min(a.port_gbps, z.port_gbps)
    return Meeting(speed, breakout(upper, speed))
