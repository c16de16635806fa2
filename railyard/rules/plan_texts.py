"""What the planner's comparisons of choices with hardware are about, for people."""

from railyard.rules.registry import Rule, register

PLAN_011 = register(
    Rule(
        id="PLAN-011",
        title="Every training NIC hangs on one rail",
        severity="invariant",
        why="Rails that no NIC has exist on paper only; a NIC without a rail was bought for nothing and halves the bandwidth.",
        inputs="railyard:fabric.rails and planes; backendNics of the node model",
        passes="rails = backendNics (each NIC has a port in every plane), or rails x planes = backendNics",
        fails="neither holds",
        cause="rails of another node model: 4 or 16 on a node of 8 NICs",
        manual="`ls /sys/class/infiniband` on a node, less the storage adapters",
        fix="set railyard:fabric.rails to the NICs of the node",
        source="SuperPOD H100, B200 and B300 RA: 8 rails, one NIC for each GPU; public `nvidia-smi topo -m` reports",
    )
)
PLAN_012 = register(
    Rule(
        id="PLAN-012",
        title="Links are no faster than the NIC",
        severity="invariant",
        why="A link runs at the speed of its slower end: bisection, copy times and port counts would be promised too high.",
        inputs="railyard:fabric.linkGbps and planes; nicGbps of the node model",
        passes="linkGbps <= nicGbps; where a NIC has a port in every plane, planes x linkGbps <= nicGbps",
        fails="the links of one NIC are faster than the NIC",
        cause="the switch's speed taken for the link's: 800 Gb/s ports and 400 Gb/s NICs",
        manual="`ibstat` or `ethtool`: rate of one NIC",
        fix="set railyard:fabric.linkGbps to what the NIC runs at",
        source="the vendors' data sheets (nicGbps of the catalogue)",
    )
)
PLAN_013 = register(
    Rule(
        id="PLAN-013",
        title="The switch speaks the transport",
        severity="invariant",
        why="An Ethernet switch carries no InfiniBand, and the other way round.",
        inputs="railyard:fabric.transport; transports of the switch model",
        passes="the transport is one of the switch's",
        fails="it is none of them",
        cause="transport: infiniband kept while the switch became a Spectrum",
        manual="look the switch up in railyard/catalog/switches.yaml",
        fix="set railyard:fabric.transport to what the switch speaks, or name another switch",
        source="catalogue: transports of each switch, with source",
    )
)
PLAN_014 = register(
    Rule(
        id="PLAN-014",
        title="The storage server is for the file system",
        severity="invariant",
        why="Targets, RAID and capacity of a server model are laid out for its file system; for another one they are made up.",
        inputs="railyard:storage.backend; backends of the storage model",
        passes="the file system is one of the server's, or there is none",
        fails="it is none of them",
        cause="backend changed without nodeModel",
        manual="look the server up in railyard/catalog/storage.yaml",
        fix="set railyard:storage.backend to what the server is for, or name another server",
        source="catalogue: backends of each server, with source",
    )
)
