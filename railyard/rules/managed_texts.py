"""The rules about the inventory's switches, for people. Errors of the switches themselves: SWITCH-001, -010 and up."""

from railyard.rules.registry import Rule, register

SWITCH_002 = register(
    Rule(
        id="SWITCH-002",
        title="Switches of the inventory are planned ones",
        severity="invariant",
        why="A switch under a name that the plan doesn't have would never be configured, and nobody would miss it.",
        inputs="name of each switch of the inventory; names of the plan",
        passes="each name is a leaf, spine or core of the plan",
        fails="a name is not in the plan",
        cause="a typing error, or a fabric that became smaller",
        manual="`railyard plan` lists the switches",
        fix="correct the name in the inventory, or take the switch out of it",
        source="house rule 10",
    )
)
SWITCH_003 = register(
    Rule(
        id="SWITCH-003",
        title="A managed switch can be managed, and trusted",
        severity="invariant",
        why="A password must not be sent to a switch that nobody can tell from another one.",
        inputs="managementAddress, caFile, hostKeySha256 of the inventory; railyard:fabric.nos",
        passes="the system is one that railyard speaks, and what it is trusted by is there",
        fails="another system, an InfiniBand fabric, or no certificate authority (NVUE) or host key (SONiC)",
        cause="an inventory for another system",
        manual="`ssh-keyscan HOST | ssh-keygen -lf -` at the switch's console side, not over the network in question",
        fix="add caFile (cumulus) or hostKeySha256 (sonic), or leave managementAddress out: the switch is only planned then",
        source="house rule 15",
    )
)
SWITCH_004 = register(
    Rule(
        id="SWITCH-004",
        title="A switch is managed at its planned address",
        severity="invariant",
        why="The configuration sets the address of the management port: another one cuts the path that it came by.",
        inputs="managementAddress of the inventory; the plan's addresses of the management port (two with addresses.ipv6.oob); "
        "addresses.management",
        passes="one of these addresses, by value, and a management network of its IP version",
        fails="another one, or a name; no network of its IP version may log in",
        cause="the switch still has its delivered address",
        manual="`railyard plan`, addresses of the switch",
        fix="give the switch its planned address once (DHCP by MAC, or its console), and write that into the inventory",
        source="house rule 15; SWITCH-017",
    )
)
