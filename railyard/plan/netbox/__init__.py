"""A plan in NetBox's words: the same nouns as the reader makes of NetBox's files, so that the two can be compared.

What stands is a device; what is planned for later keeps its U as a reservation. Every strip of a rack is a device with a feed
of its own. Statuses are `planned`: whoever builds sets them. Values that NetBox can't hold are for
railyard.rules.netbox to name.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from railyard.model.catalog import Catalog
from railyard.model.config import SiteConfig
from railyard.model.cooling import Cooling
from railyard.model.netbox import Device, Group, NetBoxData, Rack, Reservation
from railyard.model.plan import RackPlan
from railyard.plan.cooling import face_of
from railyard.plan.native import in_native_names
from railyard.plan.netbox import words
from railyard.plan.netbox.cables import data_cables
from railyard.plan.netbox.power import feeds, panels, power_cables
from railyard.plan.netbox.types import device_types, type_names

if TYPE_CHECKING:
    from railyard.plan import Plan

__all__ = ["netbox_of"]
PLANNED = "planned"


def netbox_of(config: SiteConfig, plan: "Plan") -> NetBoxData:
    """Everything of a plan that NetBox has a place for; `config` is what it was planned from."""
    catalog, plan = config.catalog, in_native_names(plan)
    type_of = type_names(plan, catalog)
    kinds = device_types(plan, catalog, type_of)
    makers = {kind.model: kind.manufacturer for kind in kinds}
    site = plan.site.site
    devices = (*_devices(plan, type_of, makers, config.file.cooling), *_strip_devices(plan, makers))
    roles = sorted({device.role for device in devices})
    return NetBoxData(
        manufacturers=tuple(Group(name=name, slug=words.slug(name)) for name in sorted(set(makers.values()))),
        roles=tuple(Group(name=name, slug=key, color=color) for key, (name, color) in words.ROLES.items() if name in roles),
        sites=(Group(name=site, slug=words.slug(site), status=PLANNED),),
        locations=tuple(_locations(plan)),
        device_types=kinds,
        racks=tuple(_rack(plan, catalog, rack) for rack in plan.racks),
        reservations=tuple(_reservations(plan)),
        devices=devices,
        panels=panels(plan),
        feeds=feeds(plan),
        cables=(*power_cables(plan), *data_cables(plan)),
    )


def _locations(plan: "Plan") -> Iterator[Group]:
    site = plan.site.site
    for row in sorted({rack.row for rack in plan.racks}):
        yield Group(name=words.row_name(row), slug=words.slug(f"{site}-{words.row_name(row)}"), site=site, status=PLANNED)


def _rack(plan: "Plan", catalog: Catalog, rack: RackPlan) -> Rack:
    model = catalog.racks.get(rack.model)
    return Rack(
        name=rack.name,
        site=plan.site.site,
        location=words.row_name(rack.row),
        facility_id=f"{rack.row:02d}-{rack.position:02d}",
        status=PLANNED,
        u_height=float(rack.u_height),
        outer_width_mm=None if model is None or model.width_m is None else round(model.width_m * 1000, 3),
        outer_depth_mm=None if model is None or model.depth_m is None else round(model.depth_m * 1000, 3),
        max_weight_kg=None if rack.weight_limit_kg is None else float(int(rack.weight_limit_kg)),
        description=f"{rack.model}: {rack.peak_kw:g} kW, {rack.weight_kg:g} kg known",
    )


def _reservations(plan: "Plan") -> Iterator[Reservation]:
    """Reserved U of a rack, then one reservation for each device that is planned and doesn't stand yet."""
    for rack in plan.racks:
        where = (plan.site.site, words.row_name(rack.row))
        if rack.reserved_u:
            yield Reservation(rack.name, rack.reserved_u, *where, "reserved by the plan: cable entry or blanking")
        for device in rack.devices:
            if not device.installed:
                units = tuple(range(device.u, device.u + device.u_height))
                yield Reservation(rack.name, units, *where, f"planned: {device.name}, {device.model}")


def _devices(plan: "Plan", type_of: Mapping[str, str], makers: Mapping[str, str], cooling: Cooling | None) -> Iterator[Device]:
    serials = {machine.name: machine.serial for machine in plan.machines}
    for rack in plan.racks:
        for device in rack.devices:
            if not device.installed:
                continue
            kind = type_of[device.name]
            yield Device(
                name=device.name,
                device_type=kind,
                role=words.ROLES[device.role][0],
                manufacturer=makers[kind],
                site=plan.site.site,
                location=words.row_name(rack.row),
                rack=rack.name,
                position=float(device.u),
                face=face_of(device.role, cooling),
                status=PLANNED,
                serial=serials.get(device.name, "")[:50],
            )


def _strip_devices(plan: "Plan", makers: Mapping[str, str]) -> Iterator[Device]:
    for rack in plan.racks:
        for name, feed, _, model, _ in words.strips(rack):
            yield Device(
                name=name,
                device_type=model,
                role=words.ROLES["pdu"][0],
                manufacturer=makers[model],
                site=plan.site.site,
                location=words.row_name(rack.row),
                rack=rack.name,
                status=PLANNED,
                description=f"feed {feed}",
            )
