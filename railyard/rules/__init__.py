"""Rules: pure predicates over plan slices and measured evidence. One predicate, three users: program, policy pack, test."""

from railyard.rules.address import check_addresses, check_given, check_services
from railyard.rules.check import check, check_problems, check_slots
from railyard.rules.fabric import check_cables, check_site, check_switch
from railyard.rules.gates import check_admission, check_facility, check_identity, check_thresholds, missing_machines
from railyard.rules.hardening import check_bmc, check_control_plane, check_kubernetes_provider, check_passphrase
from railyard.rules.platform import check_namespaces, check_queues
from railyard.rules.power import check_rack
from railyard.rules.registry import RULES, Finding, Rule, grouped
from railyard.rules.slices import UNKNOWN, judge
from railyard.rules.storage import check_file_system, check_replica
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
    "check_control_plane",
    "check_facility",
    "check_file_system",
    "check_given",
    "check_identity",
    "check_kubernetes_provider",
    "check_namespaces",
    "check_passphrase",
    "check_problems",
    "check_queues",
    "check_rack",
    "check_replica",
    "check_services",
    "check_site",
    "check_slots",
    "check_switch",
    "check_thresholds",
    "grouped",
    "judge",
    "missing_machines",
]
