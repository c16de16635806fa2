"""Policies of the fabric pack: the training fabric, and what stands at its far ends: the file system and its copy."""

from pulumi_policy import Policy, Severity

from policies.common import policies, slice_topic
from railyard.rules.slices import FILE_SYSTEM, REPLICA, SITE, SWITCH

TOPICS = (
    slice_topic(
        "switch-wiring",
        "No switch blocks, pairs have equal links, NIC r hangs on leaf r, ports end one cable",
        (SWITCH,),
        ("FABRIC-001", "FABRIC-002", "FABRIC-003", "FABRIC-005", "FABRIC-006"),
        Severity.HIGH,
        ("down_to_up_max",),
    ),
    slice_topic(
        "fabric-size",
        "Spines divide uplinks, the tiers hold the nodes, ports are spare for what is planned",
        (SITE,),
        ("FABRIC-002", "FABRIC-004", "FABRIC-006", "FABRIC-007"),
        Severity.HIGH,
        ("spare_leaf_ports_min",),
    ),
    slice_topic(
        "storage-and-replication",
        "Quotas leave the file system room, mirrors are on another server, the copy is as fresh as wanted",
        (FILE_SYSTEM, REPLICA),
        ("REPL-001", "STORAGE-001", "STORAGE-002"),
        Severity.HIGH,
        ("storage_fill_percent_max",),
    ),
)
POLICIES: list[Policy] = [*policies("fabric", TOPICS)]
