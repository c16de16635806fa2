"""Partitions of an InfiniBand site: a key for each tenant with machines of its own, and the rules of each subnet's file.

    key = 1 + SHA-256(tenant) mod 0x7ffe      15 bits, neither 0 nor the default partition's 0x7fff; `key` overrides it

A key follows the tenant's name and nothing else, so that growth moves none: two names with one key (once in 700 sites of ten
tenants) are a finding that asks for a `key`, never a silent next one.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from railyard.model.infiniband import (
    DEFAULT_KEY,
    KEYS,
    PartitionChoice,
    PartitionFacts,
    PartitionPlan,
    PartitionRule,
    Subnet,
    guid_text,
)
from railyard.model.site import StackFile
from railyard.plan.machines import Seat

SHOWN = 5
"""Machines that a list of facts names; the rest is a number."""
_RANGE = re.compile(r"^(?:(?P<site>.+?)-)?su(?:\[(\d+)-(\d+)\]|(\d+))(?:-gpu(?:\[(\d+)-(\d+)\]|(\d+)))?$")
Bounds = tuple[int, int, int, int]
"""First and last unit, first and last slot, all from 1."""


def partition_key(tenant: str) -> int:
    """The 15-bit key of a tenant: formula in the module's docstring."""
    return KEYS.start + int.from_bytes(hashlib.sha256(tenant.encode()).digest()[:8]) % len(KEYS)


def plan_partitions(file: StackFile, gpu: Iterable[Seat], storage: Iterable[Seat]) -> tuple[PartitionPlan, ...]:
    """The partitions that the stack file asks for, by tenant, with the machines that are installed in their ranges."""
    seats, servers = list(gpu), tuple(seat.name for seat in storage)
    plans: list[PartitionPlan] = []
    for choice in sorted(file.infiniband.partitions, key=lambda item: item.tenant):
        within = [bounds for text in choice.nodes if (bounds := _bounds(text, file)) is not None]
        plans.append(
            PartitionPlan(
                name=choice.tenant,
                key=partition_key(choice.tenant) if choice.key is None else choice.key,
                nodes=tuple(seat.name for seat in seats if _inside(seat, within)),
                storage=servers if choice.shared_storage else (),
            )
        )
    return tuple(plans)


def partition_facts(file: StackFile, partitions: Sequence[PartitionPlan]) -> tuple[PartitionFacts, ...]:
    """The same in numbers, with what doesn't fit: ranges without a slot, tenants that nobody knows, machines of two tenants."""
    tenants = {tenant.name for tenant in file.platform.tenants}
    choices = sorted(file.infiniband.partitions, key=lambda item: item.tenant)
    owners = _owners(partitions)
    return tuple(
        _facts(place, plan, choice, owners, tenants, file)
        for place, (plan, choice) in enumerate(zip(partitions, choices, strict=True))
    )


def _facts(
    place: int,
    plan: PartitionPlan,
    choice: PartitionChoice,
    owners: Mapping[str, list[int]],
    tenants: set[str],
    file: StackFile,
) -> PartitionFacts:
    shared = [name for name in plan.nodes if len(owners[name]) > 1]
    others = sorted(file.infiniband.partitions, key=lambda item: item.tenant)
    also = [f"{name} ({', '.join(others[at].tenant for at in owners[name] if at != place)})" for name in shared[:SHOWN]]
    return PartitionFacts(
        name=plan.name,
        key=plan.key,
        nodes=len(plan.nodes),
        known_tenant=plan.name in tenants,
        shared_storage=choice.shared_storage,
        unknown=tuple(text for text in choice.nodes if _bounds(text, file) is None),
        overlap=len(shared),
        also_in=tuple(also),
    )


def _owners(partitions: Sequence[PartitionPlan]) -> dict[str, list[int]]:
    owners: dict[str, list[int]] = {}
    for place, plan in enumerate(partitions):
        for name in plan.nodes:
            owners.setdefault(name, []).append(place)
    return owners


def unassigned(partitions: Sequence[PartitionPlan], gpu: Iterable[Seat]) -> int:
    """Installed GPU machines in no partition; 0 where there are none."""
    owned = {name for plan in partitions for name in plan.nodes}
    return sum(1 for seat in gpu if seat.name not in owned) if partitions else 0


def rules_of(subnet: Subnet, partitions: Sequence[PartitionPlan]) -> tuple[PartitionRule, ...]:
    """The rules of one subnet's file: the default partition, then each tenant that has ports there.

    A file without a Default rule makes everybody a limited member of the default partition, and two limited members can't talk
    (opensm doc/partition-config.txt). So the rule is always there: full for all without tenants, else limited for all but
    subnet managers, which every port must be able to reach. `index0`: NCCL and MPI take the key at index 0 by default, so it
    must be the tenant's.
    """
    managers = sorted(guid_text(row.port_guid) for row in subnet.adapters if row.role == "manager")
    everybody = [("ALL", not partitions), ("SELF", True), *((guid, True) for guid in managers)]
    rules = [PartitionRule("Default", DEFAULT_KEY, tuple(everybody), ipoib=True)]
    for plan, ports in member_ports(subnet, partitions):
        members = tuple((guid_text(port), True) for port in ports)
        rules.append(PartitionRule(plan.name, plan.key, members, index0=True, ipoib=True))
    return tuple(rules)


def member_ports(subnet: Subnet, partitions: Sequence[PartitionPlan]) -> Iterator[tuple[PartitionPlan, list[int]]]:
    """Each partition that has members in a subnet with their port GUIDs, sorted."""
    ports: dict[str, list[int]] = {}
    for adapter in subnet.adapters:
        ports.setdefault(adapter.device, []).append(adapter.port_guid)
    for plan in partitions:
        found = sorted(port for device in (*plan.nodes, *plan.storage) for port in ports.get(device, ()))
        if found:
            yield plan, found


def _inside(seat: Seat, within: Iterable[Bounds]) -> bool:
    return any(low <= seat.unit <= high and first <= seat.slot <= last for low, high, first, last in within)


def _bounds(text: str, file: StackFile) -> Bounds | None:
    """Units and slots of a range; None where it is turned round, another site's, or outside of what is planned."""
    found, fabric = _RANGE.match(text), file.fabric
    if found is None or found["site"] not in (None, file.site.name):
        return None
    units = max(fabric.planned_scalable_units or 0, fabric.scalable_units)
    low, high = int(found[2] or found[4]), int(found[3] or found[4])
    slot = found[5] or found[7]
    first, last = (int(slot), int(found[6] or found[7])) if slot else (1, fabric.nodes_per_unit)
    planned = 1 <= low <= high <= units and 1 <= first <= last <= fabric.nodes_per_unit
    return (low, high, first, last) if planned else None
