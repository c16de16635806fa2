"""What the fabric's gate is about, for people. It is measured on the switches, never planned."""

from railyard.rules.registry import Rule, register

GATE_010 = register(
    Rule(
        id="GATE-010",
        title="Every switch of the gate can be read",
        severity="limit",
        why="A switch that nobody can read may be doing anything, or nothing.",
        inputs="each switch of a unit: NVUE over HTTPS, or SONiC over SSH; its serial",
        passes="all switches answer and are the planned ones; where gates.fabricPercent is below 100, one that doesn't answer "
        "counts by its sessions (GATE-011)",
        fails="one doesn't answer, refuses the login or has another serial; or there is no switch to read",
        cause="management network, access list, a replaced switch",
        manual="log in to the switch at its management address",
        fix="see the SWITCH error that is named: docs/reference/errors.md",
        source="house rule 15",
    )
)
GATE_011 = register(
    Rule(
        id="GATE-011",
        title="BGP sessions of the fabric are established",
        severity="limit",
        why="A link without its session carries nothing: the jobs see a slower fabric, nobody sees why.",
        inputs="state of every planned BGP session, from both of its ends; minimum share",
        passes="at least the minimum share is established (all of them by default)",
        fails="fewer are; the others are named as switch/port",
        cause="a cable in the wrong port, a wrong ASN, a port switched off, a dead optic",
        manual="`vtysh -c 'show bgp summary'` on the switch",
        fix="compare port, ASN and cable with the plan; or lower railyard:gates.fabricPercent knowingly",
        source="ours; RFC 7938",
    )
)
GATE_012 = register(
    Rule(
        id="GATE-012",
        title="Traffic between leaves is spread over every uplink",
        severity="limit",
        why="ECMP narrower than the uplinks makes a fabric block that was bought not to.",
        inputs="number of next hops of the routes to all other leaves of the unit and plane",
        passes="as many as the leaf has uplinks in its plane, less those whose session gates.fabricPercent forgives",
        fails="fewer",
        cause="maximum-paths too small, a session down, multipath-relax missing",
        manual="`ip route show` on the leaf, next hops counted",
        fix="raise fabric maximumPaths, bring the sessions up",
        source="ours: 32 next hops of 8 leaves x 4 spines are measured with FRR 8.4 (tests/proof/frr); RFC 7938, 6",
    )
)
GATE_013 = register(
    Rule(
        id="GATE-013",
        title="Fabric ports have the planned MTU",
        severity="limit",
        why="BGP stays up across an MTU mismatch, and large packets vanish: NCCL hangs or crawls.",
        inputs="MTU of every fabric port, bytes",
        passes="equal to the planned one",
        fails="another; the ports are named",
        cause="a port that somebody set by hand",
        manual="`ip link show` on the switch",
        fix="run up: the provider puts it back",
        source="NVIDIA/nccl#1524 and PR 2135, NVIDIA/dgx-spark-playbooks#103; that BGP stays up: tests/proof/frr",
    )
)
GATE_014 = register(
    Rule(
        id="GATE-014",
        title="LLDP shows the planned neighbours",
        severity="limit",
        why="Two swapped cables route perfectly and break every assumption about rails and planes.",
        inputs="LLDP neighbour (device/port) of every fabric port",
        passes="each is the far end of the port's planned cable; nobody at a port whose session gates.fabricPercent forgives",
        fails="another neighbour, several, or none",
        cause="cables swapped; a port without a cable; LLDP off",
        manual="`lldpcli show neighbors` on the switch; `railyard audit` over all of them",
        fix="move the cables as `railyard audit` says, or correct the plan",
        source="IEEE 802.1AB; ours: swapped cables with all sessions up (tests/proof/frr)",
    )
)
