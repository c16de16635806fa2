"""The three networks and the hall together.

They depend on each other: racks have PDUs that need out-of-band ports, out-of-band switches need in-band ports and rack space,
in-band switches need out-of-band ports. So sizes are repeated until nothing changes any more (they only grow; a few rounds).
"""

from math import ceil

import msgspec

from railyard.model.catalog import StorageNodeModel
from railyard.model.errors import Problem
from railyard.model.networks import ManagementSwitchModel
from railyard.model.site import RackKind, StackFile
from railyard.plan import names
from railyard.plan.bodies import Body
from railyard.plan.hall import Hall
from railyard.plan.managers import manager_hosts
from railyard.plan.networks.dual import DualShape, Pick, Wish, size_dual
from railyard.plan.networks.oob import OobShape
from railyard.plan.networks.picks import pick_oob, picks, size_best
from railyard.plan.networks.shapes import OtherNetworks
from railyard.plan.parts import Parts
from railyard.plan.problems import PlanError
from railyard.plan.shape import FabricShape
from railyard.plan.tops import plan_hall, rack_capacity

ROUNDS = 20
"""Far more than sizes ever need; a stack file can't make planning hang."""


def lay_out(file: StackFile, parts: Parts, shape: FabricShape) -> tuple[OtherNetworks, Hall]:
    """Sizes of all networks, and the hall that holds them. Raises PlanError (PLAN-001) with all models that are unknown."""
    model = _checked(file, parts)
    oob = _first(file, parts, shape, model)
    for _ in range(ROUNDS):
        nets = _sized(file, parts, shape, oob)
        hall = plan_hall(file, parts, shape, nets)
        grown = _grown(file, parts, shape, nets, hall)
        if grown == oob:
            return nets, hall
        oob = grown
    nets = _sized(file, parts, shape, oob)
    return nets, plan_hall(file, parts, shape, nets)


def _checked(file: StackFile, parts: Parts) -> ManagementSwitchModel:
    """The out-of-band switch. Raises PlanError with what is unknown in any of the three sections."""
    problems: list[Problem] = []
    sections = [file.networks.storage] if _has_storage(file, parts) else []
    for section in (*sections, *(() if _converged(file, parts) else (file.networks.in_band,))):
        try:
            picks(file, parts, section)
        except PlanError as error:
            problems += error.problems
    try:
        model = pick_oob(file, parts)
    except PlanError as error:
        raise PlanError([*problems, *error.problems]) from None
    uplinks = file.networks.oob.uplinks
    if uplinks > model.uplink_ports:
        limit, fix = (
            f"{model.uplink_ports} uplink ports on {model.name}",
            "fewer uplinks, or a switch with more (oob.switchModel)",
        )
        problems.append(Problem("PLAN-001", "railyard:networks.oob.uplinks", f"{uplinks}", limit, fix))
    if problems:
        raise PlanError(problems)
    return model


def _has_storage(file: StackFile, parts: Parts) -> bool:
    """A storage network is for storage servers of ours; without any there is none."""
    return parts.storage is not None and file.storage.nodes > 0


def _converged(file: StackFile, parts: Parts) -> bool:
    return file.networks.converged and _has_storage(file, parts)


def planned_servers(file: StackFile) -> int:
    """Storage servers that ports are kept for: `plannedServers`, at least those that there are."""
    return max(file.networks.storage.planned_servers or 0, file.storage.nodes)


def _sized(file: StackFile, parts: Parts, shape: FabricShape, oob: OobShape) -> OtherNetworks:
    storage = _storage(file, parts, shape, oob) if _has_storage(file, parts) else None
    in_band = None if _converged(file, parts) else _in_band(file, parts, shape, oob)
    return OtherNetworks(file.site.name, storage, in_band, oob)


def _storage(file: StackFile, parts: Parts, shape: FabricShape, oob: OobShape) -> DualShape:
    section, converged = file.networks.storage, _converged(file, parts)
    width = ceil(parts.storage.nics / 2) if parts.storage else 1
    servers = [Wish(names.storage(file.site.name, index + 1), width, "server") for index in range(planned_servers(file))]
    services = _in_band_services(file, shape, oob, width) if converged else servers
    carries = ("storage", "in-band") if converged else ("storage",)
    if converged:
        # What an in-band network of its own would keep for the site's routers is kept here.
        section = section.model_copy(update={"site_uplinks": section.site_uplinks or file.networks.in_band.site_uplinks})

    def size(pick: Pick) -> DualShape:
        return size_dual("storage", carries, section, pick, shape.units, shape.nodes_per_unit, services)

    return size_best(file, parts, section, size)


def _in_band(file: StackFile, parts: Parts, shape: FabricShape, oob: OobShape) -> DualShape:
    section = file.networks.in_band
    services = _in_band_services(file, shape, oob, ceil((_in_band_ports(parts.storage) or 0) / 2))

    def size(pick: Pick) -> DualShape:
        return size_dual("in-band", ("in-band",), section, pick, shape.units, shape.nodes_per_unit, services)

    return size_best(file, parts, section, size)


def _in_band_ports(model: StorageNodeModel | None) -> int | None:
    return model.in_band_ports if model else None


def _in_band_services(file: StackFile, shape: FabricShape, oob: OobShape, server_width: int) -> list[Wish]:
    """What has in-band ports beside the nodes: out-of-band switches, fabric managers, storage servers with their switches."""
    up = ceil(oob.uplinks / 2)
    fixed = [Wish(name, up, "oob") for name in oob.fixed_names()]
    managers = [Wish(name, 1, "manager") for name in manager_hosts(file, shape)]
    tail = [
        Wish(name, up, "oob") if role == "oob" else Wish(name, server_width, "server")
        for role, name, _ in oob.storage_sequence(planned_servers(file))
    ]
    return [wish for wish in (*fixed, *managers, *tail) if wish.width]


def _first(file: StackFile, parts: Parts, shape: FabricShape, model: ManagementSwitchModel) -> OobShape:
    """Without racks and other networks: where the rounds begin."""
    section, pdus = file.networks.oob, sum(feed.pdus_per_rack for feed in file.facility.feeds)
    per_server = 1 + (parts.storage.management_ports or 0) if parts.storage else 1
    usable = max(1, model.copper_ports - section.spare_ports)
    shared = parts.storage is None or file.facility.storage_racks is RackKind.SHARED
    return OobShape(
        site=file.site.name,
        model=model,
        usable=usable,
        uplinks=section.uplinks,
        units=shape.units,
        nodes_per_unit=shape.nodes_per_unit,
        dpus=parts.node.dpus or 0,
        leaves=shape.groups * shape.planes,
        other_leaves=0,
        unit_racks=0,
        pdus_per_rack=pdus,
        upper=shape.spines + shape.cores + len(manager_hosts(file, shape)),
        upper_racks=0,
        per_server=per_server,
        servers_per_rack=0 if shared else _servers_per_rack(file, parts, model, usable, pdus, per_server),
        limit=section.switches_per_unit,
        apart=file.facility.mirrors_apart,
    )


def _servers_per_rack(
    file: StackFile, parts: Parts, model: ManagementSwitchModel, usable: int, pdus: int, per_server: int
) -> int:
    """Storage servers in a rack of their own, beside the out-of-band switches that they and its PDUs need."""
    disk = parts.storage
    if disk is None:
        return 0
    body = Body("storage", disk.name, disk.rack_units, disk.peak_kw, disk.weight_kg, 1.0)
    room = rack_capacity(file.facility, parts, body)
    switches = ceil((pdus + per_server * room) / usable)
    return rack_capacity(file.facility, parts, body, kept_u=switches * model.u_height)


def _grown(file: StackFile, parts: Parts, shape: FabricShape, nets: OtherNetworks, hall: Hall) -> OobShape:
    """The out-of-band network of a hall and of other networks."""
    first = _first(file, parts, shape, nets.oob.model)
    above = sum(1 for _ in nets.spines()) + 2 * sum(1 for _ in nets.upper_pairs())
    return msgspec.structs.replace(
        first,
        other_leaves=2 * sum(1 for _ in nets.unit_pairs(1)),
        unit_racks=hall.per_unit,
        upper=first.upper + above,
        upper_racks=hall.spine_racks,
    )
