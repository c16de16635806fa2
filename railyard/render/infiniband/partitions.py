"""Partitions of one subnet: partitions.conf of OpenSM and the same as UFM's REST resource. What is in them: plan.partitions."""

import json
from collections.abc import Sequence

from railyard.model.infiniband import PartitionPlan, PartitionRule, Subnet
from railyard.plan.partitions import member_ports, rules_of
from railyard.render.infiniband.netlist import guid_note

_MTU_4096 = 5
"""Code of 4,096 bytes in a partition rule (4 is 2,048)."""
_PER_LINE = 4


def partitions_conf(subnet: Subnet, partitions: Sequence[PartitionPlan]) -> str:
    """The whole file: one rule for the default partition, one for each tenant that has ports in this subnet."""
    head = (
        f"# Partitions of {subnet.name}: port GUIDs and 15-bit keys. A full member's key shows as 0x8000 + key in its table.\n"
    )
    return head + guid_note(subnet) + "".join(_rule(rule) for rule in rules_of(subnet, partitions))


def ufm_pkeys(subnet: Subnet, partitions: Sequence[PartitionPlan]) -> str:
    """Bodies for `POST /ufmRest/resources/pkeys`, one for each tenant. The default partition is UFM's own."""
    rows = [
        {
            "pkey": f"0x{plan.key:x}",
            "index0": True,
            "ip_over_ib": True,
            "membership": "full",
            "guids": [f"{port:016x}" for port in ports],
        }
        for plan, ports in member_ports(subnet, partitions)
    ]
    return json.dumps(rows, indent=1) + "\n"


def _rule(rule: PartitionRule) -> str:
    """`Name=0xkey, flags : member=full, ...;` with a few members to a line: OpenSM reads rules up to their semicolon."""
    flags = [*(["indx0"] if rule.index0 else []), *(["ipoib", f"mtu={_MTU_4096}"] if rule.ipoib else [])]
    members = [f"{member}={'full' if full else 'limited'}" for member, full in rule.members]
    lines = [", ".join(members[at : at + _PER_LINE]) for at in range(0, len(members), _PER_LINE)]
    return ", ".join([f"{rule.name}=0x{rule.key:04x}", *flags]) + " :\n  " + ",\n  ".join(lines) + ";\n"
