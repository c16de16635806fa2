"""Words of the InfiniBand rules: partitions, GUIDs, subnet managers (FABRIC-070 to FABRIC-079)."""

from railyard.rules.registry import Rule, register

_PARTITIONS = "railyard:infiniband.partitions"

FABRIC_070 = register(
    Rule(
        id="FABRIC-070",
        title="A subnet is managed, and from two leaves",
        severity="limit",
        pack="fabric",
        why="Managers behind one leaf are lost with that leaf, and no port becomes active until it is back.",
        inputs="managerLeaves and ownManagers of each subnet",
        passes="its fabric manager hosts hang on two leaves or more, or the switches have a subnet manager of their own",
        fails="all manager ports are on one leaf; nothing manages a storage network that runs InfiniBand",
        cause="reservedPorts 1, or one for each plane (two are needed in each)",
        manual="`saquery -s` names the subnet managers, `ibtracert` from another host the leaf of each",
        fix="railyard:fabric.reservedPorts 2 for each subnet: the planner takes another leaf for each port",
        source="SuperPOD H100 RA, Table 4 (UFM on four leaves); two leaves: ours",
    )
)
FABRIC_071 = register(
    Rule(
        id="FABRIC-071",
        title="Partition keys are one to a tenant",
        severity="invariant",
        pack="fabric",
        why="Two tenants with one key are one partition: each reaches the other's memory over RDMA.",
        inputs="name and key of each partition",
        passes="all keys differ, and so do all tenants",
        fails="two partitions have one key, or a tenant stands twice",
        cause="a key was set by hand; two names happen to make one key (15 bits); a tenant's ranges were split over two rows",
        manual="`smpquery pkeys LID 1` of a machine of each",
        fix=f"set another `key` (0x0001 to 0x7ffe) on one of them in {_PARTITIONS}, or join the rows",
        source="linux-rdma/opensm doc/partition-config.txt (keys are 15 bits)",
    )
)
FABRIC_072 = register(
    Rule(
        id="FABRIC-072",
        title="A GUID belongs to one device",
        severity="invariant",
        pack="fabric",
        why="Partitions, roots and names go by GUID: with one GUID on two devices the wrong one gets them.",
        inputs="node and port GUIDs of all adapters and switches",
        passes="no GUID is on two devices",
        fails="two adapters, or an adapter and a switch, have one",
        cause="a line copied in the inventory; a card that was moved and is listed at both places",
        manual="`ibstat -p` and `ibnetdiscover` on the machines that are named",
        fix="correct `hcas` or `switchGuids` in the inventory",
        source="InfiniBand Architecture Specification, 4.1 (GUIDs are unique)",
    )
)
FABRIC_073 = register(
    Rule(
        id="FABRIC-073",
        title="Tenants share no machine",
        severity="limit",
        pack="fabric",
        why="A machine in two tenants' partitions joins them: whoever runs there reaches both.",
        inputs="machines of each partition",
        passes="each machine is in one tenant's partition at most; storage servers may be in those that share them",
        fails="ranges of two tenants overlap",
        cause="a range that was widened without narrowing the other one",
        manual="`smpquery pkeys LID 1` of the machine that is named shows two keys beside the default one",
        fix=f"narrow one of the ranges in {_PARTITIONS}",
        source="ours: disjoint unless shared storage is listed",
    )
)
FABRIC_074 = register(
    Rule(
        id="FABRIC-074",
        title="Partitions name tenants and planned slots",
        severity="limit",
        pack="fabric",
        why="A range outside of the plan and a tenant that nobody has do nothing: the fence isn't where it seems to be.",
        inputs="tenants of the platform; ranges of each partition; planned units and slots",
        passes="each partition's tenant is one of the platform's, each range lies within the planned units and slots",
        fails="a unit, a slot or a tenant that isn't planned; a range that ends before it begins",
        cause="a typing error; units that were planned and dropped; a tenant that was renamed",
        manual="compare railyard:infiniband with railyard:platform and railyard:fabric",
        fix=f"correct the row in {_PARTITIONS}, or plan the units (railyard:fabric.plannedScalableUnits)",
        source="ours",
    )
)
FABRIC_075 = register(
    Rule(
        id="FABRIC-075",
        title="Each machine is in a partition, where there are any",
        severity="limit",
        pack="fabric",
        why="With tenants' partitions everybody is a limited member of the default one, and two limited members can't talk: a "
        "job on a machine outside hangs in its first collective.",
        inputs="installed GPU machines, members of all partitions",
        passes="all machines are members, or there are no partitions",
        fails="some aren't",
        cause="a unit was added and no tenant got it",
        manual="`smpquery pkeys LID 1` shows 0x7fff alone",
        fix=f"give them to a tenant in {_PARTITIONS}",
        source="linux-rdma/opensm doc/partition-config.txt (two limited members can't talk)",
    )
)
FABRIC_076 = register(
    Rule(
        id="FABRIC-076",
        title="Partition files keep the subnet manager reachable",
        severity="invariant",
        pack=None,
        why="Without a Default rule all ports are limited members of the default partition, the subnet manager's too: nobody "
        "gets a path, an address for IPoIB, or an answer.",
        inputs="rules of each subnet's partitions file (rendered, or read from a running site)",
        passes="a rule for 0x7fff holds ALL, and SELF and each fabric manager's port as full members",
        fails="no such rule, or a manager that is limited or missing",
        cause="a file that was written by hand; a second fabric manager that was added later",
        manual="`smpquery pkeys LID 1` of the subnet manager's port shows 0xffff",
        fix="begin the file with `Default=0x7fff, ipoib : ALL=limited, SELF=full, <managers>=full;`",
        source="linux-rdma/opensm doc/partition-config.txt; opensm(8) 3.3.23; verified: two limited members have no path",
    )
)
FABRIC_077 = register(
    Rule(
        id="FABRIC-077",
        title="Members of partitions are port GUIDs of the subnet",
        severity="invariant",
        pack=None,
        why="OpenSM takes any number for a member and says nothing: a node GUID in place of a port's leaves the machine out.",
        inputs="rules of each subnet's partitions file; port and node GUIDs of the subnet",
        passes="each member is the port GUID of an adapter of the subnet, and a machine's is in one tenant's rule only",
        fails="a node GUID, a GUID of another subnet or of nothing, or a port in two tenants' rules",
        cause="`ibstat` shows both GUIDs one above the other; a card was exchanged",
        manual="`ibstat -p` on the machine lists port GUIDs",
        fix="correct portGuid in the inventory's `hcas` and render the file again",
        source="opensm(8) (cn, io and partition files hold port GUIDs); verified on OpenSM 3.3.23",
    )
)
FABRIC_078 = register(
    Rule(
        id="FABRIC-078",
        title="Delivered GUIDs belong to planned ports",
        severity="limit",
        pack="fabric",
        why="A GUID under a name that the plan doesn't have is used nowhere: the port that it belongs to keeps its planned "
        "one and stays outside of its partition.",
        inputs="hcas of the machines and switchGuids of the inventory; ports and switches of the plan",
        passes="each name is a port that an InfiniBand cable ends on, or an InfiniBand switch of the plan",
        fails="a name that the plan doesn't have",
        cause="a typing error; an Ethernet port of the same card; a device name of another driver release",
        manual="`ibdev2netdev` and `ibstat -p` on the machine",
        fix="correct the name in the inventory (the plan's are in plan.json, `guids`), or take the row out",
        source="ours",
    )
)
FABRIC_079 = register(
    Rule(
        id="FABRIC-079",
        title="SHARP has an aggregation manager",
        severity="limit",
        pack="fabric",
        why="Switches reduce nothing by themselves: without an aggregation manager NCCL finds no tree and falls back to rings, "
        "or waits for a service that nobody runs.",
        inputs="sharp; managerLeaves of each subnet",
        passes="sharp is off (the default), or each subnet of the training fabric has a fabric manager's host",
        fails="sharp is on and a subnet is managed by its switches alone",
        cause="the key was set, and no ports are reserved for UFM hosts",
        manual="`systemctl status sharp_am` on the subnet manager's host; `sharp_hello` from a node",
        fix="set railyard:fabric.reservedPorts to 2 for each subnet (UFM runs the aggregation manager), or sharp to false",
        source="NVIDIA SHARP documentation, Aggregation Manager (sharp_am runs on the subnet manager's server, or in UFM)",
    )
)
