"""Device types of a plan: what the catalogue knows of each model, with the interfaces that the plan's cables end in."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING

from railyard.model.catalog import Catalog, PduModel, SwitchModel
from railyard.model.netbox import Component, DeviceType
from railyard.model.networks import ManagementSwitchModel
from railyard.plan import names
from railyard.plan.fabric import links_of
from railyard.plan.native import port_numbers
from railyard.plan.netbox import words
from railyard.plan.networks.links import PREFIX

if TYPE_CHECKING:
    from railyard.plan import Plan

INLET = "Inlet"
"""Name of a strip's power port."""
SILENT = "nameplate {watts:g} W, but railyard's catalogue doesn't know its power supplies: NetBox shows 0 W"
"""Comment on a type whose supplies nobody knows; their number is not guessed."""
_OTHERS = tuple(PREFIX.values())
Ports = Mapping[str, tuple[bool, float]]
"""Name of a port -> is it InfiniBand, and its Gb/s."""


def type_names(plan: "Plan", catalog: Catalog) -> dict[str, str]:
    """Device -> name of its device type."""
    counts = {switch.name: switch.port_count for switch in (*plan.switches, *plan.network_switches)}
    found: dict[str, str] = {}
    for rack in plan.racks:
        for device in rack.devices:
            model = catalog.switches.get(device.model)
            count = counts.get(device.name)
            found[device.name] = words.type_model(model, count) if model and count else device.model
    return found


def device_types(plan: "Plan", catalog: Catalog, type_of: Mapping[str, str]) -> tuple[DeviceType, ...]:
    """Every type that stands in the planned racks, strips last, by name."""
    ports = _ports(plan, catalog, type_of)
    fabric = {type_of[switch.name] for switch in plan.switches if switch.name in type_of}
    numbered = tuple(port_numbers(plan))
    models, heights, peaks = dict[str, str](), dict[str, int](), dict[str, float]()
    counts = {switch.name: switch.port_count for switch in (*plan.switches, *plan.network_switches)}
    port_counts: dict[str, int] = {}
    for rack in plan.racks:
        for device in rack.devices:
            name = type_of[device.name]
            models[name], heights[name], peaks[name] = device.model, device.u_height, device.peak_kw
            port_counts[name] = counts.get(device.name, 0)
    made = [
        _device_type(
            catalog,
            name,
            models[name],
            heights[name],
            peaks[name],
            port_counts[name],
            ports.get(name, {}),
            numbered if name in fabric else (),
        )
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
    port_count: int,
    ports: Ports,
    numbered: Sequence[str],
) -> DeviceType:
    item = catalog.nodes.get(model) or catalog.switches.get(model) or catalog.storage.get(model)
    item = item or catalog.management_switches.get(model)
    title = item.title if item else model
    switch = catalog.switches.get(model)
    if switch:
        listed = _switch_ports(switch, port_count, ports, numbered)
    elif model in catalog.management_switches:
        listed = _copper_ports(catalog.management_switches[model], ports)
    else:
        node = catalog.nodes.get(model)
        listed = _used_ports(ports, node.nic_form if node else None, node.storage_nic_form if node else None)
    supplies = tuple(_supplies(item.psus if item else None, item and getattr(item, "psus_for_full", None), item, peak_kw))
    maker = words.maker_of(title)
    return DeviceType(
        manufacturer=maker,
        model=name,
        slug=words.type_slug(maker, name),
        u_height=float(u_height),
        full_depth=True,
        airflow=getattr(item, "airflow", None),
        weight_kg=item.weight_kg if item else None,
        description=title[:200],
        comments="" if supplies else SILENT.format(watts=peak_kw * 1000),
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


def _switch_ports(switch: SwitchModel, port_count: int, ports: Ports, numbered: Sequence[str]) -> Iterator[Component]:
    """All ports at the switch's speed, then what else the plan uses (`mgmt0`). `numbered`: their names, if not counted ones."""
    infiniband = "roce" not in switch.transports
    speed = next((gbps for gbps, count in sorted(switch.ports.items(), reverse=True) if count == port_count), max(switch.ports))
    prefix = names.port_prefix("infiniband" if infiniband else "roce")
    listed = [f"{prefix}{number}" for number in range(1, port_count + 1)] if len(numbered) != port_count else numbered
    kind = words.interface_type(infiniband, speed, switch.cage_form, switch.lane_gbps)
    for number, name in enumerate(listed, 1):
        label = words.port_label(number, port_count, switch.cages)
        yield Component(kind="interface", name=name, type=kind, label=label, description=f"{speed} Gb/s")
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
