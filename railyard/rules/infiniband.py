"""InfiniBand: subnet managers, partitions, GUIDs. Sources: `rules.infiniband_texts`."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from railyard.model.infiniband import DEFAULT_KEY, InfiniBandPlan, PartitionRule, Subnet, guid_text
from railyard.plan.infiniband import STORAGE
from railyard.plan.names import listed
from railyard.rules.infiniband_texts import (
    FABRIC_070,
    FABRIC_071,
    FABRIC_072,
    FABRIC_073,
    FABRIC_074,
    FABRIC_075,
    FABRIC_076,
    FABRIC_077,
    FABRIC_078,
    FABRIC_079,
)
from railyard.rules.registry import Finding, Predicate, ordered, run
from railyard.rules.thresholds import DEFAULTS, Thresholds

_PARTITIONS = "railyard:infiniband.partitions"


def check_infiniband(plan: InfiniBandPlan, site: str, thresholds: Thresholds = DEFAULTS) -> list[Finding]:
    """Everything that is to say about a site's subnets and partitions."""
    return run(INFINIBAND_PREDICATES, plan, site, thresholds)


def check_partition_rules(subnet: Subnet, rules: Sequence[PartitionRule]) -> list[Finding]:
    """FABRIC-076 and FABRIC-077: a subnet's partitions file, ours or one that was read."""
    return ordered((*_default_rule(subnet, rules), *_members(subnet, rules)))


def _managers(plan: InfiniBandPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-070. Of the training fabric's subnets, one without any manager is FABRIC-011's."""
    for subnet in plan.subnets:
        if not subnet.manager_leaves and not subnet.own_managers and subnet.name == STORAGE:
            fix = "a storage switch with a subnet manager of its own (catalogue: subnetManagerNodes), or Ethernet"
            found = f"nothing manages subnet {subnet.name}: its switches have no subnet manager, no host is planned"
            yield FABRIC_070.finding("railyard:networks.storage", found, "a subnet manager", fix)
        if len(subnet.manager_leaves) == 1:
            found = f"subnet {subnet.name} has its fabric managers on {subnet.manager_leaves[0]} alone"
            yield FABRIC_070.finding("railyard:fabric.reservedPorts", found, "two leaves")


def _keys(plan: InfiniBandPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-071."""
    tenants: defaultdict[int, list[str]] = defaultdict(list)
    names: defaultdict[str, int] = defaultdict(int)
    for row in plan.partitions:
        tenants[row.key].append(row.name)
        names[row.name] += 1
    for name, count in names.items():
        if count > 1:
            yield FABRIC_071.finding(f"{_PARTITIONS}.{name}", f"{count} rows for tenant {name}", "one row for each tenant")
    for key, owners in tenants.items():
        if len(set(owners)) > 1:
            free = next(number for number in range(1, DEFAULT_KEY) if number not in tenants)
            fix = f"set `key` of one of them in {_PARTITIONS}, for example 0x{free:04x}"
            yield FABRIC_071.finding(_PARTITIONS, f"0x{key:04x} of {listed(sorted(set(owners)))}", "a key for each tenant", fix)


def _guids(plan: InfiniBandPlan, where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-072."""
    for clash in plan.guid_clashes:
        yield FABRIC_072.finding(where, clash, "one device")


def _placed(plan: InfiniBandPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-078."""
    for name in plan.guids_unused:
        what = "InfiniBand cable ends there" if "/" in name else "InfiniBand switch has that name"
        yield FABRIC_078.finding(name, f"a GUID in the inventory, and no {what}", "a port or a switch of the plan")


def _disjoint(plan: InfiniBandPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-073."""
    for row in plan.partitions:
        if row.overlap:
            rest = row.overlap - len(row.also_in)
            found = f"{row.overlap} machines are another tenant's, too: {', '.join(row.also_in)}"
            yield FABRIC_073.finding(f"{_PARTITIONS}.{row.name}", found + (f" and {rest} more" if rest else ""), "none")


def _known(plan: InfiniBandPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-074."""
    for row in plan.partitions:
        where = f"{_PARTITIONS}.{row.name}"
        if not row.known_tenant:
            yield FABRIC_074.finding(where, f"no tenant {row.name}", "a tenant of railyard:platform.tenants")
        if row.unknown:
            yield FABRIC_074.finding(where, f"no planned machines in {listed(list(row.unknown))}", "planned units and slots")


def _aggregated(plan: InfiniBandPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-079. The storage subnet carries no collectives."""
    bare = [subnet.name for subnet in plan.subnets if not subnet.manager_leaves and subnet.name != STORAGE]
    if plan.sharp and bare:
        found = f"on, and no fabric manager's host is planned in subnet {listed(bare)}: nothing runs the aggregation manager"
        yield FABRIC_079.finding("railyard:infiniband.sharp", found, "a host for the aggregation manager in each subnet")


def _covered(plan: InfiniBandPlan, _where: str, _limits: Thresholds) -> Iterator[Finding]:
    """FABRIC-075."""
    if plan.unassigned:
        yield FABRIC_075.finding(_PARTITIONS, f"{plan.unassigned} machines are in no partition", "0")


def _default_rule(subnet: Subnet, rules: Sequence[PartitionRule]) -> Iterator[Finding]:
    where = f"subnet {subnet.name}"
    members = {member: full for rule in rules if rule.key & DEFAULT_KEY == DEFAULT_KEY for member, full in rule.members}
    if not members:
        yield FABRIC_076.finding(where, "no rule for the default partition", "Default=0x7fff : ALL, SELF=full")
        return
    if "ALL" not in members:
        yield FABRIC_076.finding(where, "the default partition doesn't hold ALL", "ALL, SELF=full")
    managers = [guid_text(row.port_guid) for row in subnet.adapters if row.role == "manager"]
    everybody_full = members.get("ALL", False)
    for member in ("SELF", *managers):
        if not members.get(member, everybody_full):
            state = "limited" if member in members or "ALL" in members else "not in it"
            yield FABRIC_076.finding(where, f"{member} is {state} in the default partition", "full member")


def _members(subnet: Subnet, rules: Sequence[PartitionRule]) -> Iterator[Finding]:
    where = f"subnet {subnet.name}"
    ports = {guid_text(row.port_guid): row for row in subnet.adapters}
    nodes = {guid_text(row.node_guid): row.key for row in subnet.adapters}
    nodes |= {guid_text(switch.guid): switch.name for switch in subnet.switches}
    owners: defaultdict[str, list[str]] = defaultdict(list)
    for rule in rules:
        for member, _ in rule.members:
            if not member.startswith("0x"):
                continue
            if member not in ports:
                found = f"{rule.name}: {member}" + (f" is the node GUID of {nodes[member]}" if member in nodes else "")
                yield FABRIC_077.finding(where, found, "a port GUID of the subnet")
            elif rule.key & DEFAULT_KEY != DEFAULT_KEY and ports[member].role == "compute":
                owners[member].append(rule.name)
    for member, names in owners.items():
        if len(set(names)) > 1:
            found = f"{ports[member].key} ({member}) in {listed(sorted(set(names)))}"
            yield FABRIC_077.finding(where, found, "one tenant's rule")


INFINIBAND_PREDICATES: tuple[Predicate[InfiniBandPlan], ...] = (
    Predicate((FABRIC_070,), frozenset({"subnets"}), _managers),
    Predicate((FABRIC_071,), frozenset({"partitions"}), _keys),
    Predicate((FABRIC_072,), frozenset({"guid_clashes"}), _guids),
    Predicate((FABRIC_073,), frozenset({"partitions"}), _disjoint),
    Predicate((FABRIC_074,), frozenset({"partitions"}), _known),
    Predicate((FABRIC_075,), frozenset({"unassigned"}), _covered),
    Predicate((FABRIC_078,), frozenset({"guids_unused"}), _placed),
    Predicate((FABRIC_079,), frozenset({"subnets", "sharp"}), _aggregated),
)
