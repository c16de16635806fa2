"""Device types of a plan: what the catalogue knows of each model, with the interfaces that the plan's cables end in."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from math import ceil
from typing import TYPE_CHECKING

import msgspec

from railyard.model.catalog import Catalog, PduModel, SwitchModel
from railyard.model.lossless import Nos
from railyard.model.netbox import Component, DeviceType
from railyard.model.networks import ManagementSwitchModel
from railyard.plan import names
from railyard.plan.fabric import links_of
from railyard.plan.native import port_numbers, port_table
from railyard.plan.netbox import words
from railyard.plan.networks.links import PREFIX

if TYPE_CHECKING:
    from railyard.plan import Plan

INLET = "Inlet"
"""Name of a strip's power port."""
SILENT = "nameplate {watts:g} W, but railyard's catalogue doesn't know its power supplies: NetBox shows 0 W"
"""Comment on a type whose supplies nobody knows; their number is not guessed."""
COUNTED = "ports are counted at {gbps:g} Gb/s: the plan doesn't know this switch's system; the labels are cage/port"
"""Comment on a type whose split ports have names of no system."""
_OTHERS = tuple(PREFIX.values())
Ports = Mapping[str, tuple[bool, float]]
"""Name of a port -> is it InfiniBand, and its Gb/s."""


class Front(msgspec.Struct, frozen=True):
    """Ports of a switch as its type has them: how many, at which speed in Gb/s.

    `native` are their names under the fabric's system `nos`; where there are none, ports are counted.
    """

    model: SwitchModel
    count: int
    gbps: int
    nos: Nos | None = None
    native: tuple[str, ...] = ()

    @property
    def infiniband(self) -> bool:
        return "roce" not in self.model.transports

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all ports in the order of their numbers."""
        prefix = names.port_prefix("infiniband" if self.infiniband else "roce")
        return self.native or tuple(f"{prefix}{number}" for number in range(1, self.count + 1))

    @property
    def comment(self) -> str:
        """What people must know of the names."""
        split = self.count > (self.model.cages or self.count)
        return COUNTED.format(gbps=self.gbps) if split and not self.infiniband and not self.native else ""


def fronts(plan: "Plan", catalog: Catalog) -> dict[str, Front]:
    """Front of each switch of the fabric, the storage and the in-band network, by its name."""
    native = tuple(port_numbers(plan)) if port_table(plan) else ()
    nos = plan.routing.nos if plan.routing and native else None
    link_gbps = {network.kind: network.link_gbps for network in plan.networks}
    found: dict[str, Front] = {}
    for switch in plan.switches:
        if model := catalog.switches.get(switch.model):
            known = len(native) == switch.port_count
            gbps = _speed(model, switch.port_count, plan.fabric.link_gbps)
            found[switch.name] = Front(model, switch.port_count, gbps, nos if known else None, native if known else ())
    for switch in plan.network_switches:
        if model := catalog.switches.get(switch.model):
            gbps = _speed(model, switch.port_count, link_gbps.get(switch.network, 0))
            found[switch.name] = Front(model, switch.port_count, gbps)
    return found


def _speed(model: SwitchModel, port_count: int, link_gbps: float) -> int:
    """Speed in Gb/s at which a switch has so many ports: its links', where several fit, else the fastest."""
    fits = [gbps for gbps, count in model.ports.items() if count == port_count]
    return next((gbps for gbps in fits if gbps == link_gbps), max(fits or model.ports))


def type_names(plan: "Plan", catalog: Catalog) -> dict[str, str]:
    """Device -> name of its device type."""
    of = {name: words.type_model(front.model, front.gbps, front.nos) for name, front in fronts(plan, catalog).items()}
    return {device.name: of.get(device.name, device.model) for rack in plan.racks for device in rack.devices}


def device_types(plan: "Plan", catalog: Catalog, type_of: Mapping[str, str]) -> tuple[DeviceType, ...]:
    """Every type of which a device stands, by name; strips last. What is planned for later has no ports yet, and no type."""
    ports = _ports(plan, catalog, type_of)
    by_type = {type_of[name]: front for name, front in fronts(plan, catalog).items() if name in type_of}
    models, heights, peaks = dict[str, str](), dict[str, int](), dict[str, float]()
    for rack in plan.racks:
        for device in (device for device in rack.devices if device.installed):
            name = type_of[device.name]
            models[name], heights[name], peaks[name] = device.model, device.u_height, device.peak_kw
    made = [
        _device_type(catalog, name, models[name], heights[name], peaks[name], by_type.get(name), ports.get(name, {}))
        for name in sorted(models)
    ]
    pdus = sorted({feed.pdu_model for rack in plan.racks for feed in rack.feeds})
    return (*made, *(_strip_type(catalog.pdus[name]) for name in pdus))


def _ports(plan: "Plan", catalog: Catalog, type_of: Mapping[str, str]) -> dict[str, dict[str, tuple[bool, float]]]:
    """Ports by type, of all cables: what one device of a type uses, all of them have."""
    found: defaultdict[str, dict[str, tuple[bool, float]]] = defaultdict(dict)
    models = {device.name: device.model for rack in plan.racks for device in rack.devices}
    infiniband = {name for name, switch in catalog.switches.items() if "roce" not in switch.transports}
    for cable in plan.cables:
        for ends in links_of(cable):
            split = [end.partition("/")[::2] for end in ends]
            fast = cable.kind != "oob" and any(models.get(device) in infiniband for device, _ in split)
            for device, port in split:
                if device in type_of:
                    found[type_of[device]].setdefault(port, (fast, cable.link_gbps))
    return dict(found)


def _device_type(
    catalog: Catalog,
    name: str,
    model: str,
    u_height: int,
    peak_kw: float,
    front: Front | None,
    ports: Ports,
) -> DeviceType:
    item = catalog.nodes.get(model) or catalog.switches.get(model) or catalog.storage.get(model)
    item = item or catalog.management_switches.get(model)
    title = item.title if item else model
    if front:
        listed = _switch_ports(front, ports)
    elif model in catalog.management_switches:
        listed = _copper_ports(catalog.management_switches[model], ports)
    else:
        node = catalog.nodes.get(model)
        listed = _used_ports(ports, node.nic_form if node else None, node.storage_nic_form if node else None)
    supplies = tuple(_supplies(item.psus if item else None, item and getattr(item, "psus_for_full", None), item, peak_kw))
    maker = words.maker_of(title)
    comments = ("" if supplies else SILENT.format(watts=peak_kw * 1000), front.comment if front else "")
    return DeviceType(
        manufacturer=maker,
        model=name,
        slug=words.type_slug(maker, name),
        u_height=float(u_height),
        full_depth=True,
        airflow=getattr(item, "airflow", None),
        weight_kg=item.weight_kg if item else None,
        description=title[:200],
        comments="; ".join(filter(None, comments)),
        components=(*supplies, *listed),
    )


def _supplies(psus: int | None, for_full: int | None, item: object, peak_kw: float) -> Iterator[Component]:
    """One power port for each supply: `allocated` is its share of the nameplate, `maximum` what it may have to carry.

    That is its own rating where the catalogue has it, else its share when the fewest supplies that suffice are left.
    """
    if not psus or peak_kw <= 0:
        return
    rated, inlet = getattr(item, "psu_kw", None), getattr(item, "inlet", None)
    most = rated if rated is not None else peak_kw / (for_full or psus)
    for number in range(1, psus + 1):
        yield Component(
            kind="power-port",
            name=f"PSU{number}",
            type=words.INLETS.get(inlet or ""),
            maximum_draw_w=float(ceil(round(most * 1000, 6))),
            allocated_draw_w=float(ceil(round(peak_kw / psus * 1000, 6))),
        )


def _switch_ports(front: Front, ports: Ports) -> Iterator[Component]:
    """All ports at the switch's speed, then what else the plan uses (`mgmt0`)."""
    listed = front.names
    kind = words.interface_type(front.infiniband, front.gbps, front.model.cage_form, front.model.lane_gbps)
    for number, name in enumerate(listed, 1):
        label = words.port_label(number, front.count, front.model.cages)
        yield Component(kind="interface", name=name, type=kind, label=label, description=f"{front.gbps} Gb/s")
    yield from _used_ports({name: value for name, value in ports.items() if name not in set(listed)}, None, None)


def _copper_ports(model: ManagementSwitchModel, ports: Ports) -> Iterator[Component]:
    for number in range(1, model.copper_ports + model.uplink_ports + 1):
        copper = number <= model.copper_ports
        kind = words.interface_type(False, model.copper_gbps if copper else model.uplink_gbps)
        yield Component(kind="interface", name=f"swp{number}", type=kind)
    known = {f"swp{number}" for number in range(1, model.copper_ports + model.uplink_ports + 1)}
    yield from _used_ports({name: value for name, value in ports.items() if name not in known}, None, None)


def _used_ports(ports: Ports, form: str | None, storage_form: str | None) -> Iterator[Component]:
    """Ports as the cables name them, in cages of `form`, of storage and in-band adapters in cages of `storage_form`.

    `bmc` and `mgmt` are for management alone.
    """
    for name in sorted(ports, key=names.sort_key):
        infiniband, gbps = ports[name]
        kind = words.interface_type(infiniband, gbps, storage_form if name.startswith(_OTHERS) else form)
        managed = name.endswith("bmc") or name.startswith("mgmt")
        yield Component(kind="interface", name=name, type=kind, description=f"{gbps:g} Gb/s", mgmt_only=managed)


def _strip_type(pdu: PduModel) -> DeviceType:
    """A rack strip: 0U, one inlet, its outlets as far as the catalogue knows them, and a network port."""
    maker = words.maker_of(pdu.title)
    inlet = Component(kind="power-port", name=INLET, type=_plug(pdu), maximum_draw_w=float(int(inlet_w(pdu))))
    return DeviceType(
        manufacturer=maker,
        model=pdu.name,
        slug=words.type_slug(maker, pdu.name),
        u_height=0.0,
        full_depth=False,
        airflow="passive",
        weight_kg=pdu.weight_kg,
        description=pdu.title[:200],
        components=(inlet, *_outlets(pdu), Component(kind="interface", name="net0", type="1000base-t", mgmt_only=True)),
    )


def inlet_w(pdu: PduModel) -> float:
    """Watts at the inlet, power factor 1: the feed's breaker, or less where the strip itself carries less."""
    watts = pdu.capacity_kw(1.0) * 1000
    if pdu.rated_a is not None:
        watts = min(watts, watts * pdu.rated_a / pdu.breaker_a)
    return min(watts, pdu.rated_kva * 1000) if pdu.rated_kva is not None else watts


def _plug(pdu: PduModel) -> str | None:
    """NetBox's type of the inlet, where the catalogue spells it as NetBox does."""
    return pdu.plug if pdu.plug and pdu.plug.startswith(("iec-", "nema-", "cs8", "hardwired")) else None


def _outlets(pdu: PduModel) -> Iterable[Component]:
    for bank in pdu.banks or ():
        for kind, listed in bank.outlets.items():
            for name in listed:
                breaker = "" if bank.breaker_a is None else f", breaker {bank.breaker_a:g} A"
                yield Component(
                    kind="power-outlet",
                    name=name,
                    type=words.OUTLETS[kind],
                    power_port=INLET,
                    feed_leg=words.LEGS.get(bank.legs) if pdu.phases == 3 else None,
                    description=f"bank {bank.name}, {bank.legs}{breaker}",
                )
