"""From a site's configuration to its plan. Pure functions: same input, same bytes; nothing is read, printed or judged here.

`plan()` is the order of all verbs. Each verb is a module: shape (size), machines (assign seats), placement, nics (name), fabric
and oob (link), switches, racks, power, addresses, storage, queues, replication, nccl, totals; diff compares two plans.
"""

from dataclasses import dataclass

from railyard.model.cabling import CablingPlan
from railyard.model.config import SiteConfig
from railyard.model.cooling import CoolingPlan
from railyard.model.errors import Problem
from railyard.model.floor import FloorPlan
from railyard.model.hosts import HostPlan
from railyard.model.infiniband import GuidRow, InfiniBandPlan, PartitionPlan
from railyard.model.networks import NetworkPlan, NetworkSwitch
from railyard.model.plan import (
    AddressRow,
    Cable,
    FabricSummary,
    FileSystemPlan,
    MachinePlan,
    PlatformPlan,
    QueuePlan,
    RackPlan,
    ReplicaPlan,
    SiteTotals,
    SwitchPlan,
)
from railyard.model.power import PowerPlan
from railyard.model.scheduler import SchedulerPlan
from railyard.model.site import ControlPlane
from railyard.model.switch_intent import RoutingPlan
from railyard.plan.addresses import assign_addresses
from railyard.plan.as_json import json_parts, to_json
from railyard.plan.cable_facts import sum_cables
from railyard.plan.cabling import Cabler
from railyard.plan.collector import collector_paused
from railyard.plan.cooling import plan_cooling
from railyard.plan.diff import Change, Move, changes, moves
from railyard.plan.electrical import Electrics
from railyard.plan.fabric import link_fabric, summarise
from railyard.plan.floor.build import FloorScene, plan_floor
from railyard.plan.floor.loads import Loads
from railyard.plan.hosts import plan_hosts
from railyard.plan.infiniband import infiniband_guids, plan_infiniband
from railyard.plan.joined import join_machines, standing_names
from railyard.plan.machines import assign_seats
from railyard.plan.networks.build import link_networks
from railyard.plan.networks.layout import lay_out
from railyard.plan.networks.summary import Scene, plan_networks
from railyard.plan.nics import name_nics
from railyard.plan.partitions import plan_partitions
from railyard.plan.parts import Parts, misfits, pick_parts
from railyard.plan.placement import place_nodes, place_tops
from railyard.plan.problems import PlanError, ordered
from railyard.plan.queues import plan_platform, plan_queues
from railyard.plan.racks import assign_racks, fill_racks
from railyard.plan.replication import plan_replica
from railyard.plan.reserved import planned_lengths
from railyard.plan.routing import plan_routing, route_switches
from railyard.plan.scheduler_topology import plan_scheduler
from railyard.plan.shape import FabricShape, size_fabric
from railyard.plan.sizing import shape_of, unknown_facts
from railyard.plan.storage import size_file_system
from railyard.plan.switches import assign_switches, standing
from railyard.plan.totals import sum_up

__all__ = [
    "Change",
    "FabricShape",
    "Move",
    "Parts",
    "Plan",
    "PlanError",
    "changes",
    "json_parts",
    "moves",
    "plan",
    "size_fabric",
    "to_json",
]

UNPOWERED = PowerPlan()
PHASES = ("facility", "platform")
"""Phases that have a gate today, in order; validation and production follow with their gates."""


@dataclass(frozen=True)
class Plan:
    """Everything about a site, as values. `problems` are facts that don't fit; the rules report them as invariants."""

    site: SiteTotals
    racks: tuple[RackPlan, ...]
    switches: tuple[SwitchPlan, ...]
    machines: tuple[MachinePlan, ...]
    cables: tuple[Cable, ...]
    addresses: tuple[AddressRow, ...]
    fabric: FabricSummary
    cabling: CablingPlan
    file_system: FileSystemPlan | None
    queues: tuple[QueuePlan, ...]
    replica: ReplicaPlan | None
    control_plane: ControlPlane
    platform: PlatformPlan
    routing: RoutingPlan | None
    nccl: dict[str, str]
    hosts: HostPlan
    scheduler: SchedulerPlan
    phases: tuple[str, ...]
    problems: tuple[Problem, ...]
    networks: tuple[NetworkPlan, ...] = ()
    network_switches: tuple[NetworkSwitch, ...] = ()
    infiniband: InfiniBandPlan | None = None
    partitions: tuple[PartitionPlan, ...] = ()
    guids: tuple[GuidRow, ...] = ()
    power: PowerPlan = UNPOWERED
    cooling: CoolingPlan | None = None
    floor: FloorPlan | None = None


@collector_paused()
def plan(config: SiteConfig) -> Plan:
    """The plan of a site. Raises PlanError only where none can exist: unknown models, or a fabric that no three tiers hold."""
    file, parts = config.file, pick_parts(config)
    shape, sizing = shape_of(file, parts)
    seats = assign_seats(config, parts, shape)
    nets, hall = lay_out(file, parts, shape)
    places = place_nodes(file, parts, hall, nets) | place_tops(file, parts, hall, shape, nets)
    nics = name_nics(file.fabric, parts.node)
    cabler = Cabler(file, parts, shape, hall, places)
    wiring = link_fabric(file, shape, nics, seats.gpu, cabler)
    switches = assign_switches(file, shape, nics, wiring, places, parts.switch.name)
    installed = standing_names(file, shape, seats, switches, nets)
    others = link_networks(file, parts, shape, nets, cabler, hall, seats, places, installed)
    cables = (*wiring.cables, *others.cables)
    cabling = sum_cables(cables, cabler)
    electrics, filled, loads = Electrics(file, parts), fill_racks(places), Loads(file, parts, cabler.laid)
    racks = assign_racks(file, parts, hall, filled, installed, loads, electrics)
    racks, cooling = plan_cooling(file, parts, racks)
    power, misfit = electrics.finish(racks), (*unknown_facts(parts), *misfits(file, parts))
    machines = join_machines(file, parts, shape, seats, places)
    fabric = summarise(file, parts, shape, nics, switches, wiring)
    file_system = size_file_system(file, parts.storage, seats.storage)
    addresses, address_problems = assign_addresses(file, shape, nics, seats, standing(file, shape))
    lengths = planned_lengths(file, shape, nics, cabler, wiring.cables, switches)
    switches = route_switches(file, shape, parts, switches, lengths, addresses)
    compute = {switch.name for switch in switches}
    scene = Scene(file, parts, nets, cabler, hall, seats, places, installed, others, compute, file_system)
    ground = FloorScene(file, parts, shape, hall, nets, places, filled, installed, loads, fabric.subnet_managers, file_system)
    hosts = plan_hosts(file, parts, nics, seats.gpu)
    scheduler = plan_scheduler(file, shape, parts, seats.gpu)
    guids = infiniband_guids(config, cables, fabric, switches, others.switches)
    partitions = plan_partitions(file, seats.gpu, seats.storage)
    return Plan(
        site=sum_up(file, shape, racks, machines, fabric, file_system, len(cables), config.inventory_sha256, power),
        racks=racks,
        switches=switches,
        machines=machines,
        cables=cables,
        addresses=addresses,
        fabric=fabric,
        cabling=cabling,
        file_system=file_system,
        queues=plan_queues(file, parts),
        replica=plan_replica(file),
        control_plane=file.platform.control_plane,
        platform=plan_platform(file, parts, seats.gpu, scheduler.levels),
        routing=plan_routing(file, shape, parts, switches),
        nccl=hosts.nccl,
        hosts=hosts,
        scheduler=scheduler,
        phases=PHASES,
        problems=ordered((*misfit, *sizing, *seats.problems, *address_problems, *electrics.problems(racks))),
        networks=plan_networks(scene),
        network_switches=others.switches,
        infiniband=plan_infiniband(config, parts, shape, fabric, seats, others.switches, cables, guids, partitions),
        partitions=partitions,
        guids=guids,
        floor=plan_floor(ground),
        power=power,
        cooling=cooling,
    )
