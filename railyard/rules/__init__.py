"""Rules: pure predicates over plan slices and measured evidence. One predicate, three users: program, policy pack, test."""

from railyard.rules.address import check_addresses, check_given, check_services
from railyard.rules.cables import check_cabling, lacks_part
from railyard.rules.check import check, check_problems, check_slots
from railyard.rules.fabric import check_cables, check_site, check_switch
from railyard.rules.fabric_gate import check_fabric
from railyard.rules.failures import check_failures
from railyard.rules.floor import check_floor
from railyard.rules.gates import check_admission, check_facility, check_identity, check_thresholds, missing_machines
from railyard.rules.hardening import check_bmc, check_control_plane, check_kubernetes_provider, check_passphrase
from railyard.rules.hosts import check_hosts, check_nic_topology
from railyard.rules.infiniband import check_infiniband, check_partition_rules
from railyard.rules.platform import check_namespaces, check_queues
from railyard.rules.power import check_rack
from railyard.rules.registry import RULES, Finding, Rule, grouped
from railyard.rules.routing import check_rail_networks, check_routed_switch, check_routing
from railyard.rules.scheduler import check_quotas, check_scheduler, check_slurm_nodes, check_slurm_topology
from railyard.rules.slices import UNKNOWN, judge
from railyard.rules.sonic_config import check_config_db
from railyard.rules.storage import check_file_system, check_replica
from railyard.rules.switch_config import check_frr
from railyard.rules.thresholds import Thresholds
from railyard.rules.waivers import apply_waivers

__all__ = [
    "RULES",
    "UNKNOWN",
    "Finding",
    "Rule",
    "Thresholds",
    "apply_waivers",
    "check",
    "check_addresses",
    "check_admission",
    "check_bmc",
    "check_cables",
    "check_cabling",
    "check_config_db",
    "check_control_plane",
    "check_fabric",
    "check_facility",
    "check_failures",
    "check_file_system",
    "check_floor",
    "check_frr",
    "check_given",
    "check_hosts",
    "check_identity",
    "check_infiniband",
    "check_kubernetes_provider",
    "check_namespaces",
    "check_nic_topology",
    "check_partition_rules",
    "check_passphrase",
    "check_problems",
    "check_queues",
    "check_quotas",
    "check_rack",
    "check_rail_networks",
    "check_replica",
    "check_routed_switch",
    "check_routing",
    "check_scheduler",
    "check_services",
    "check_site",
    "check_slots",
    "check_slurm_nodes",
    "check_slurm_topology",
    "check_switch",
    "check_thresholds",
    "grouped",
    "judge",
    "lacks_part",
    "missing_machines",
]
