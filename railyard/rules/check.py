"""All rules over one plan: what the program and the command line call."""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import TYPE_CHECKING

from railyard.model.config import SiteConfig
from railyard.model.errors import Problem
from railyard.plan.electrical import hall_power
from railyard.plan.failures import failure_summary
from railyard.plan.infiniband import subnets
from railyard.plan.partitions import rules_of
from railyard.rules.address import check_addresses, check_given, check_services
from railyard.rules.address_texts import ADDR_002, ADDR_004, PLAN_004, PLAN_005, PLAN_007, PLAN_008, PLAN_010
from railyard.rules.cables import check_cabling
from railyard.rules.cooling import check_hall_cooling
from railyard.rules.fabric import check_cables, check_site, check_switch
from railyard.rules.fabric_texts import FABRIC_006
from railyard.rules.fabric_wires import check_endpoints
from railyard.rules.failures import check_failures
from railyard.rules.floor import check_floor
from railyard.rules.gates import check_thresholds
from railyard.rules.hardening import check_bmc, check_control_plane
from railyard.rules.hosts import check_hosts
from railyard.rules.infiniband import check_infiniband, check_partition_rules
from railyard.rules.lossless import check_nccl_class
from railyard.rules.managed import check_managed
from railyard.rules.networks import check_network, check_shared_switches
from railyard.rules.plan_texts import PLAN_011, PLAN_012, PLAN_013, PLAN_014
from railyard.rules.platform import check_namespaces, check_queues
from railyard.rules.power import check_rack
from railyard.rules.registry import Finding, Rule, ordered
from railyard.rules.routing import check_rail_networks, check_routed_switch, check_routing
from railyard.rules.scheduler import check_scheduler
from railyard.rules.storage import check_file_system, check_replica
from railyard.rules.thresholds import DEFAULTS, Thresholds
from railyard.rules.upstream import check_hall_power
from railyard.rules.upstream_texts import POWER_006, POWER_007, POWER_017, POWER_022
from railyard.rules.waivers import apply_waivers, check_waivers

if TYPE_CHECKING:
    from railyard.plan import Plan

# The planner records what it could not plan; here each kind gets the rule that people know it by.
_PROBLEM_RULES: dict[str, Rule] = {
    "PLAN-004": PLAN_004,
    "PLAN-005": PLAN_005,
    "PLAN-006": ADDR_002,
    "PLAN-007": PLAN_007,
    "PLAN-008": PLAN_008,
    "PLAN-009": ADDR_004,
    "PLAN-010": PLAN_010,
    "PLAN-011": PLAN_011,
    "PLAN-012": PLAN_012,
    "PLAN-013": PLAN_013,
    "PLAN-014": PLAN_014,
    "POWER-006": POWER_006,
    "POWER-007": POWER_007,
    "POWER-017": POWER_017,
    "POWER-022": POWER_022,
}


def check(config: SiteConfig, plan: "Plan", today: date, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Every finding of every rule, waivers applied as of `today`, in stable order. Never raises for what it finds."""
    waivers, found = config.file.waivers, list(_findings(config, plan, thresholds))
    return ordered([*apply_waivers(found, waivers, today), *check_waivers(waivers, found, today)])


def check_problems(problems: Iterable[Problem]) -> list[Finding]:
    """What the planner could not plan, as findings. Raises KeyError for a kind of problem that has no rule."""
    return [_of_problem(_PROBLEM_RULES[problem.id], problem) for problem in problems]


def check_slots(nodes: int, units: int, nodes_per_unit: int) -> list[Finding]:
    """FABRIC-006 before anything is planned: nodes against the slots of the units that are built."""
    slots = units * nodes_per_unit
    if nodes <= slots:
        return []
    found = f"{nodes} nodes for {units} units of {nodes_per_unit} slots"
    fix = "raise railyard:fabric.scalableUnits, or lower railyard:compute.nodes"
    return [FABRIC_006.finding("railyard:compute.nodes", found, f"{slots} slots", fix)]


def _findings(config: SiteConfig, plan: "Plan", thresholds: Thresholds) -> Iterator[Finding]:
    file = config.file
    yield from check_problems(plan.problems)
    yield from check_slots(file.compute.nodes, file.fabric.scalable_units, file.fabric.nodes_per_unit)
    yield from check_addresses(file.addresses)
    yield from check_given(plan.addresses, file.addresses)
    yield from check_rail_networks(plan.addresses)
    yield from check_routing(plan.routing, thresholds)
    yield from check_nccl_class(plan.routing, plan.nccl)
    yield from check_services(file, plan.addresses)
    yield from check_cables(plan.cables)
    yield from check_endpoints(plan.cables, plan.machines, plan.fabric.node_nics)
    yield from check_cabling(plan.cabling, plan.site.site, thresholds)
    for rack in plan.racks:
        yield from check_rack(rack, thresholds)
    yield from check_hall_power(hall_power(plan), f"{plan.site.site}-hall", thresholds)
    if plan.floor:
        yield from check_floor(plan.floor.summary, f"{plan.site.site}-hall", thresholds)
    if plan.cooling:
        yield from check_hall_cooling(plan.cooling.hall, thresholds)
    if plan.power.stated:
        yield from check_failures(failure_summary(plan), thresholds)
    for switch in plan.switches:
        yield from check_switch(switch, thresholds)
        yield from check_routed_switch(switch, thresholds)
    yield from check_managed(config.inventory.switches, plan)
    yield from check_site(plan.site, plan.fabric, thresholds)
    for network in plan.networks:
        yield from check_network(network, thresholds)
    yield from check_shared_switches(plan.networks, plan.cables)
    if plan.infiniband:
        yield from check_infiniband(plan.infiniband, plan.site.site, thresholds)
    yield from _partition_files(plan)
    yield from check_hosts(plan.hosts, thresholds)
    yield from check_scheduler(plan.scheduler, [machine.name for machine in plan.machines if machine.role == "gpu"])
    yield from check_control_plane(plan.platform)
    yield from check_bmc(file.bmc)
    yield from check_namespaces(plan.queues)
    yield from check_queues(plan.queues, sum(machine.gpus for machine in plan.machines if machine.lifecycle == "active"))
    probe = file.platform.probe_gpus if plan.queues else None
    yield from check_thresholds(plan.machines, file.gates.minimum_ready, probe, file.gates.storage_minimum_ready)
    if plan.file_system:
        yield from check_file_system(plan.file_system, thresholds)
    if plan.replica:
        yield from check_replica(plan.replica, thresholds)


def _partition_files(plan: "Plan") -> Iterator[Finding]:
    """The files that will be rendered; without tenants' partitions they hold one constant rule."""
    if plan.partitions:
        for subnet in subnets(plan):
            yield from check_partition_rules(subnet, rules_of(subnet, plan.partitions))


def _of_problem(rule: Rule, problem: Problem) -> Finding:
    return rule.finding(problem.where, problem.found, problem.limit, problem.fix)
