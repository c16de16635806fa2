"""Which links an audit can judge: those of networks, planes and devices that the files tell about, in the units asked for."""

from collections.abc import Collection

import msgspec

from railyard.audit.join import Joined
from railyard.audit.nouns import Design, DesignLink


class Scope(msgspec.Struct, frozen=True):
    """Links in scope; switches that must be there; switches, planes and whole networks of which no file tells."""

    links: list[DesignLink]
    switches: frozenset[str]
    untold: tuple[str, ...]
    absent_planes: tuple[str, ...]
    absent_networks: tuple[str, ...]


def scope_of(design: Design, joined: Joined, units: Collection[int] = ()) -> Scope:
    """What can be judged. A file of a whole fabric makes every link of its network due; a device's file its own."""
    switches = design.switches
    # The far end of a leaf's management cable is seen; its network is judged only if it has files of its own.
    networks = joined.whole | {switches[name].network for name in joined.told if name in switches} - {""}
    networks |= joined.networks if not joined.told & switches.keys() else set()
    planes = {(one.network, one.plane) for name in joined.seen if (one := switches.get(name)) and one.plane is not None}
    links: list[DesignLink] = []
    absent: set[str] = set()
    others: set[str] = set()
    for link in design.links:
        if link.network not in networks:
            others.add(link.network)
        elif link.plane is not None and (link.network, link.plane) not in planes:
            absent.add(f"plane {link.plane} of network {link.network}")
        elif _due(joined, link) and (not units or _unit(design, link) in units):
            links.append(link)
    ends = {end.device for link in links for end in (link.a, link.z)}
    due = frozenset(name for name in ends & switches.keys() if _network(design, name) in joined.whole or name in joined.told)
    part = [name for name, one in switches.items() if one.network in networks - joined.whole and name not in joined.told]
    return Scope(links, due, tuple(sorted(part)), tuple(sorted(absent)), tuple(sorted(others)))


def _due(joined: Joined, link: DesignLink) -> bool:
    return link.network in joined.whole or link.a.device in joined.told or link.z.device in joined.told


def _unit(design: Design, link: DesignLink) -> int | None:
    """The unit that a link belongs to: its lower switch's. A spine's uplinks belong to none."""
    lower = design.switches.get(link.a.device) or design.switches.get(link.z.device)
    return lower.unit if lower else None


def _network(design: Design, name: str) -> str:
    return design.switches[name].network
