"""From a site's configuration to its plan. Pure functions: same input, same bytes; nothing is read, printed or judged here.

`plan()` is the order of all verbs. Each verb is a module: shape (size), machines (assign seats), placement, nics (name), fabric
and oob (link), switches, racks, power, addresses, storage, queues, replication, nccl, totals; diff compares two plans.
"""

from dataclasses import dataclass, fields

import msgspec

from railyard.model.base import Noun
from railyard.model.config import SiteConfig
from railyard.model.errors import Problem
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
from railyard.model.site import ControlPlane
from railyard.plan.addresses import assign_addresses
from railyard.plan.diff import Change, Move, changes, moves
from railyard.plan.fabric import link_fabric, summarise
from railyard.plan.joined import join_machines, link_bmcs, standing_names
from railyard.plan.machines import assign_seats
from railyard.plan.nccl import plan_nccl
from railyard.plan.nics import name_nics
from railyard.plan.parts import Parts, misfits, pick_parts
from railyard.plan.placement import place_nodes, place_tops, plan_hall
from railyard.plan.problems import PlanError, ordered
from railyard.plan.queues import plan_platform, plan_queues
from railyard.plan.racks import assign_racks
from railyard.plan.replication import plan_replica
from railyard.plan.shape import FabricShape, size_fabric
from railyard.plan.sizing import shape_of, unknown_facts
from railyard.plan.storage import size_file_system
from railyard.plan.switches import assign_switches, standing
from railyard.plan.totals import sum_up

__all__ = ["Change", "FabricShape", "Move", "Parts", "Plan", "PlanError", "changes", "moves", "plan", "size_fabric", "to_json"]

SCHEMA_VERSION = 1
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
    file_system: FileSystemPlan | None
    queues: tuple[QueuePlan, ...]
    replica: ReplicaPlan | None
    control_plane: ControlPlane
    platform: PlatformPlan
    nccl: dict[str, str]
    phases: tuple[str, ...]
    problems: tuple[Problem, ...]


def plan(config: SiteConfig) -> Plan:
    """The plan of a site. Raises PlanError only where none can exist: unknown models, or a fabric that no three tiers hold."""
    file, parts = config.file, pick_parts(config)
    shape, sizing = shape_of(file, parts)
    seats = assign_seats(config, parts)
    hall = plan_hall(file, parts, shape)
    places = place_nodes(file, parts, hall) | place_tops(file, parts, hall, shape)
    nics = name_nics(file.fabric, parts.node)
    wiring = link_fabric(file, shape, nics, seats.gpu, places, hall)
    cables = (*wiring.cables, *link_bmcs(file, shape, seats, places, hall))
    switches = assign_switches(file, shape, nics, wiring, places, parts.switch.name)
    racks = assign_racks(file, parts, hall, places, standing_names(file, shape, seats, switches))
    machines = join_machines(file, parts, seats, places)
    fabric = summarise(file, shape, nics, switches, wiring)
    file_system = size_file_system(file, parts.storage, seats.storage)
    addresses, address_problems = assign_addresses(file, shape, nics, seats, standing(file, shape))
    return Plan(
        site=sum_up(file, shape, racks, machines, fabric, file_system, len(cables), config.inventory_sha256),
        racks=racks,
        switches=switches,
        machines=machines,
        cables=cables,
        addresses=addresses,
        fabric=fabric,
        file_system=file_system,
        queues=plan_queues(file, parts),
        replica=plan_replica(file),
        control_plane=file.platform.control_plane,
        platform=plan_platform(file, parts, seats.gpu),
        nccl=plan_nccl(file, nics),
        phases=PHASES,
        problems=ordered((*sizing, *seats.problems, *address_problems, *unknown_facts(parts), *misfits(file, parts))),
    )


def to_json(plan: Plan) -> bytes:
    """The plan as indented JSON with sorted keys and outside names: same plan, same bytes, whatever the hash seed."""
    body: dict[str, object] = {_camel(item.name): getattr(plan, item.name) for item in fields(plan)}
    body |= {"schemaVersion": SCHEMA_VERSION, "inventorySha256": plan.site.inventory_sha256}
    return msgspec.json.format(msgspec.json.encode(body, enc_hook=_plain, order="sorted"), indent=1) + b"\n"


def _plain(value: object) -> object:
    if isinstance(value, Noun):
        return value.props()
    raise TypeError(type(value).__name__)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
