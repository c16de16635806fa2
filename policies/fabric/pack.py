"""Policies of the fabric pack: the training fabric, and what stands at its far ends: the file system and its copy."""

from pulumi_policy import Policy, Severity

from policies.common import policies, slice_topic
from railyard.rules.slices import FILE_SYSTEM, NETWORK, REPLICA, SITE, SWITCH, SWITCH_CONFIG

TOPICS = (
    slice_topic(
        "switch-wiring",
        "No switch blocks, pairs have equal links, NIC r hangs on leaf r, ports end one cable, cables go one tier up",
        (SWITCH, SWITCH_CONFIG),
        ("FABRIC-001", "FABRIC-002", "FABRIC-003", "FABRIC-005", "FABRIC-006", "FABRIC-009"),
        Severity.HIGH,
        ("down_to_up_max",),
    ),
    slice_topic(
        "fabric-size",
        "Spines divide uplinks, the tiers hold the nodes, ports are spare, rails are joined, subnets are managed, units full",
        (SITE,),
        (
            "FABRIC-002",
            "FABRIC-004",
            "FABRIC-006",
            "FABRIC-007",
            "FABRIC-008",
            "FABRIC-010",
            "FABRIC-011",
            "FABRIC-012",
        ),
        Severity.HIGH,
        ("spare_leaf_ports_min", "rail_only_allowed", "subnet_managers_min", "empty_units_max"),
    ),
    slice_topic(
        "cables",
        "Media reach and match both ends, cages take one plug, trays and loss budgets hold, spares and slack are there",
        (SITE,),
        (
            "FABRIC-020",
            "FABRIC-021",
            "FABRIC-022",
            "FABRIC-023",
            "FABRIC-024",
            "FABRIC-025",
            "FABRIC-026",
            "FABRIC-027",
            "FABRIC-028",
        ),
        Severity.HIGH,
        (
            "splitter_m_max",
            "twin_skew_ns_max",
            "tray_fill_percent_max",
            "cable_spares_percent_min",
            "cable_slack_percent_min",
            "cable_slack_percent_max",
        ),
    ),
    slice_topic(
        "routed-switches",
        "Every uplink carries paths, each leaf has its subnet, PFC headroom has a table and fits the buffer",
        (SWITCH, SWITCH_CONFIG),
        ("FABRIC-051", "FABRIC-052", "FABRIC-053", "FABRIC-054", "FABRIC-056", "FABRIC-064"),
        Severity.HIGH,
        ("headroom_percent_max", "congested_ports"),
    ),
    slice_topic(
        "lossless-fabric",
        "One lossless contract, marking in order, watchdog, MTU, AS numbers, spread flows, pinned releases, management",
        (SITE,),
        (
            "FABRIC-050",
            "FABRIC-051",
            "FABRIC-053",
            "FABRIC-054",
            "FABRIC-055",
            "FABRIC-056",
            "FABRIC-057",
            "FABRIC-059",
            "FABRIC-060",
            "FABRIC-061",
            "FABRIC-062",
            "FABRIC-063",
        ),
        Severity.HIGH,
        ("ecn_kmin_bytes_min", "lossless_classes_max", "host_mtu_min", "header_bytes_min"),
    ),
    slice_topic(
        "other-networks",
        "Storage, in-band and out-of-band networks share nothing undeclared, reach all, keep spare ports, carry the load",
        (NETWORK,),
        tuple(f"FABRIC-{number:03d}" for number in range(40, 50)),
        Severity.HIGH,
        ("network_spare_ports_min", "oob_copper_m_max"),
    ),
    slice_topic(
        "hosts-and-schedulers",
        "NICs are named by slot, rails follow PCI order, NCCL gets the exact list, the scheduler's tree is the fabric's",
        (SITE,),
        ("FABRIC-080", "FABRIC-081", "FABRIC-082", "FABRIC-083", "FABRIC-084", "FABRIC-085"),
        Severity.HIGH,
    ),
    slice_topic(
        "infiniband",
        "Subnet managers on two leaves, one key to a tenant, one device to a GUID, tenants share no machine and fence all",
        (SITE,),
        ("FABRIC-070", "FABRIC-071", "FABRIC-072", "FABRIC-073", "FABRIC-074", "FABRIC-075", "FABRIC-078"),
        Severity.HIGH,
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
