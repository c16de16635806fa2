"""A plan as the design of an audit: switches, hosts, links, places, and what descriptions of its own devices look like."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import get_args

import msgspec

from railyard.audit.nouns import Design, DesignLink, End, Host, Naming, Place, Switch
from railyard.model.asics import Box
from railyard.model.catalog import Catalog, SwitchModel
from railyard.model.inventory import Inventory
from railyard.model.lossless import Nos
from railyard.model.plan import Cable
from railyard.plan import Plan, names
from railyard.plan.fabric import links_of
from railyard.plan.loss import loss_budgets
from railyard.plan.native import in_native_names, port_numbers
from railyard.plan.netbox.words import port_label
from railyard.plan.ports import counted_name, native_name, place_on

TRAINING = "training"
_LEVELS = {"leaf": 0, "spine": 1, "core": 2}
_HOST_ROLES = frozenset({"gpu", "storage", "management"})


def design_of(plan: Plan, catalog: Catalog, inventory: Inventory | None = None) -> Design:
    """Everything that has a cable in the plan. Ports count exactly: two links to one spine are not interchangeable.

    Switch ports have the names of the switches' system; other ways to write them are read, too (`port_aliases`).
    """
    plan = in_native_names(plan)
    places = {
        device.name: Place(rack.name, device.u, _tag(rack.name, device.u)) for rack in plan.racks for device in rack.devices
    }
    switches = _switches(plan)
    hosts = {machine.name: Host(machine.name, machine.unit, machine.slot) for machine in plan.machines}
    links, nics = tuple(_links(plan.cables)), {port.netdev: port.hca for port in plan.hosts.ports}
    for link in links:
        if link.z.device not in switches:
            switches[link.z.device] = Switch(link.z.device, "switch", 0, link.network)
        if link.a.device not in switches and link.a.device not in hosts:
            hosts[link.a.device] = Host(link.a.device)
    return Design(
        title=plan.site.site,
        switches=switches,
        hosts=hosts,
        links=links,
        places=places,
        naming=naming_of(switches, hosts, port_tables(plan, catalog), places, nics),
        guids=_guids(inventory),
        macs=_macs(plan),
        down_to_up=max(1.0, plan.fabric.down_to_up),
        budgets_db=loss_budgets(plan.cables, plan.cabling),
    )


def _switches(plan: Plan) -> dict[str, Switch]:
    found = {
        switch.name: Switch(
            switch.name, switch.role, _LEVELS.get(switch.role, 0), TRAINING, switch.unit, switch.rail, switch.plane
        )
        for switch in plan.switches
    }
    for rack in plan.racks:
        for device in rack.devices:
            if device.role not in _HOST_ROLES and device.name not in found:
                found[device.name] = Switch(device.name, device.role, 0, "")
    return found


def _links(cables: tuple[Cable, ...]) -> Iterator[DesignLink]:
    for cable in cables:
        network = TRAINING if cable.kind in ("node-leaf", "leaf-spine", "spine-core") else cable.kind
        for index, (a, z) in enumerate(links_of(cable)):
            # A label is one plug's; the second link of a cable is in the same plug.
            yield DesignLink(
                cable.id,
                network,
                _end(a),
                _end(z),
                cable.link_gbps,
                cable.rail,
                cable.plane,
                cable.a_label,
                cable.z_label if index == 0 or cable.z_second else "",
            )


def _end(text: str) -> End:
    device, _, port = text.partition("/")
    return End(device, port)


def _tag(rack: str, u: int) -> str:
    digits = rack.rpartition("-r")[2]
    return names.label(int(digits), u, "") if digits.isdigit() else ""


def _guids(inventory: Inventory | None) -> dict[str, End]:
    """GUIDs as delivered. One that two ports have (the node GUID of a two-port adapter) says the adapter, not the port."""
    found: dict[str, End] = {}
    unsure: set[str] = set()
    if inventory is None:
        return {}
    for machine in inventory.machines:
        for hca in machine.hcas:
            end = End(machine.name, hca.port)
            for guid in {hca.node_guid, hca.port_guid}:
                if found.setdefault(guid, end) != end:
                    unsure.add(guid)
    switches = {guid: End(name, "") for name, guid in inventory.switch_guids.items()}
    switches |= {switch.node_guid: End(switch.name, "") for switch in inventory.switches if switch.node_guid}
    return {guid: end for guid, end in found.items() if guid not in unsure} | switches


def _macs(plan: Plan) -> dict[str, End]:
    """MACs of a machine are listed in rail order, then storage and in-band; only the rails' ports are named in the plan."""
    nics = plan.fabric.node_nics
    return {
        mac.lower(): End(machine.name, nic)
        for machine in plan.machines
        if machine.role == "gpu"
        for mac, nic in zip(machine.macs, nics, strict=False)
    }


class PortTable(msgspec.Struct, frozen=True):
    """Of one kind of switch: other names of its ports (cage labels, other systems', counted ones) -> as designed; labels."""

    aliases: Mapping[str, str]
    labels: Mapping[str, str]


def port_tables(plan: Plan, catalog: Catalog) -> dict[str, PortTable]:
    """Of each fabric switch, what its ports are called elsewhere and what is printed at them."""
    tables: dict[str, PortTable] = {}
    found: dict[str, PortTable] = {}
    known = {number: name for name, number in port_numbers(plan).items()}
    for switch in plan.switches:
        model = catalog.switches.get(switch.model)
        if model is None:
            continue
        if switch.model not in tables:
            count = switch.port_count
            designed = [known.get(number, str(number)) for number in range(1, count + 1)]
            labels = {name: port_label(number, count, model.cages) for number, name in enumerate(designed, 1)}
            lanes = plan.routing.box.lanes_per_cage if plan.routing and plan.routing.box else 8
            tables[switch.model] = PortTable(port_aliases(model, designed, lanes, ethernet=plan.routing is not None), labels)
        found[switch.name] = tables[switch.model]
    return found


def port_aliases(model: SwitchModel, designed: Sequence[str], lanes: int, *, ethernet: bool) -> dict[str, str]:
    """Other names of a switch's ports -> as designed, in the order of `designed`. A name that could mean two ports means none.

    Names as designed mean themselves. Counted names (`swp33`) are those of plan.json and of files of older releases.
    """
    known: dict[str, str] = {}
    unsure: set[str] = set()
    count = len(designed)
    parts = count // model.cages if model.cages and count % model.cages == 0 else 1
    front = Box(cages=count // parts, lanes_per_cage=max(lanes, parts), platform="", hwsku={})
    for number, mine in enumerate(designed, 1):
        cage, part = divmod(number - 1, parts)
        texts = {f"P{cage + 1}/{part + 1}", f"{cage + 1}/{part + 1}", f"P{cage + 1}.{part}"}
        if ethernet:
            place = place_on(number, count, front)
            texts |= {counted_name(number), *(native_name(nos, place, front.lanes_per_cage) for nos in get_args(Nos))}
        for text in texts:
            if known.setdefault(text, mine) != mine:
                unsure.add(text)
    exact = set(designed)
    return {text: port for text, port in known.items() if text not in unsure and text not in exact}


def naming_of(
    switches: Mapping[str, Switch],
    hosts: Mapping[str, Host],
    tables: Mapping[str, PortTable],
    places: Mapping[str, Place],
    nics: Mapping[str, str],
) -> Naming:
    """Names of a plan, as its devices print them: `MF0;name:MQM9700/U1`, `name.domain`, `host mlx5_3`, in any case."""
    lower = {name.lower(): name for name in switches}
    below = {name.lower(): name for name in hosts}

    def switch(text: str) -> str | None:
        return _known(undecorated(text), lower)

    def host(text: str) -> tuple[str, str | None] | None:
        parts = text.split()
        name = _known(parts[0], below) if parts else None
        return None if name is None else (name, parts[1] if len(parts) == 2 else None)

    def port(device: str, text: str) -> str:
        return tables[device].aliases.get(text, text) if device in tables else text

    def nic(text: str) -> str:
        return nics.get(text, text)

    def label(device: str, text: str) -> str:
        return tables[device].labels.get(text, "") if device in tables else ""

    def spare(_end: End, _says: str) -> bool:
        return False

    return Naming(switch, host, port, spare, _nowhere(places), nic, label)


def _nowhere(places: Mapping[str, Place]) -> Callable[[str], Place | None]:
    def place(device: str) -> Place | None:
        return places.get(device)

    return place


def _known(text: str, lower: Mapping[str, str]) -> str | None:
    """By the whole name, or by the name without its domain."""
    text = text.lower()
    return lower.get(text) or lower.get(text.partition(".")[0])


def undecorated(text: str) -> str:
    """`MF0;leaf-1:MQM9700/U1` -> `leaf-1`: what a switch's own description puts around its host name."""
    text = text.strip()
    if text.startswith(("MF0;", "SwitchX")):
        text = text.partition(";")[2]
    return text.rpartition(":")[0] if "/U" in text.rpartition(":")[2] else text
