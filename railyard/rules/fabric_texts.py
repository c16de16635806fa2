"""What the fabric rules are about, for people."""

from railyard.rules.registry import Rule, register

FABRIC_001 = register(
    Rule(
        id="FABRIC-001",
        title="No switch blocks",
        severity="limit",
        pack="fabric",
        why="Where more bandwidth goes down than up, collectives that cross the spine run at the ratio's speed.",
        inputs="downGbps, upGbps, wantedDownToUp and linksPerPeer of each leaf, and of each spine below a core",
        passes="downGbps / upGbps <= downToUpMax (1.0), or <= the ratio that fabric.oversubscription asks for",
        fails="more bandwidth down than up; printed as `32:30 = 1.067:1`",
        cause="uplinksPerLeaf smaller than nodesPerUnit; too few fabric.spines, so that uplinks have no port above",
        manual="count cables down and up of one leaf in cables.csv",
        fix="as many uplinks as node ports (railyard:fabric.uplinksPerLeaf)",
        source="NVIDIA DGX SuperPOD H100 RA, Network Fabrics (non-blocking, 32 down and 32 up)",
    )
)
FABRIC_002 = register(
    Rule(
        id="FABRIC-002",
        title="Equal links for each leaf-spine pair",
        severity="limit",
        pack="fabric",
        why="Uneven pairs pass a max-flow test and still put two flows on one uplink; OpenSM's ftree refuses them (ERR AB0C).",
        inputs="linksPerPeer of each switch; uplinksPerLeaf, tiers and spinesPerPlane of the site",
        passes="one number of links for all pairs: the spines divide the uplinks",
        fails="pairs differ, e.g. 32 uplinks over 12 spines: 2 or 3 links",
        cause="spines counted by ceil(uplinks / ports) only: 3 units give 12, right is 16",
        manual="uplinks of a leaf divided by spines of its plane must be a whole number",
        fix="a number of spines that divides the uplinks (railyard:fabric.spines), or leave it to the planner",
        source="SuperPOD H100 RA, Table 4 (3 units: 16 spines, not 12); ours: OpenSM 3.3.23 refuses 12 (ERR AB0C)",
    )
)
FABRIC_003 = register(
    Rule(
        id="FABRIC-003",
        title="NIC r hangs on leaf r",
        severity="limit",
        pack="fabric",
        why="NCCL pairs GPUs by rail: a swapped cable sends a whole rail through the spine.",
        inputs="ports, nodeNic, rail, plane and unit of each leaf; nodeNic is the NIC of that rail by the catalogue (railHcas)",
        passes="each NIC on a leaf is the leaf's nodeNic and of its unit; fat-tree: all NICs of a node hang on one leaf",
        fails="a NIC of another rail, plane or unit hangs on the leaf; fat-tree: some NICs of a node hang elsewhere",
        cause="two cables exchanged in one node; a port map edited by hand",
        manual="`ibnetdiscover` or LLDP on the leaf: every neighbour must be the same NIC. Its number is not the rail",
        fix="exchange the two cables; both ends are in cables.csv",
        source="SuperPOD H100 RA (rail-optimized); NVIDIA/nccl#1755; NVIDIA/topograph, example.out (a swap)",
    )
)
FABRIC_004 = register(
    Rule(
        id="FABRIC-004",
        title="Spare ports",
        severity="limit",
        pack="fabric",
        why="Growth must find its spine ports free, or cables move; a site may also want leaf ports for repair.",
        inputs="spareLeafPorts, plannedScalableUnits and spinesPerPlane of the site; leavesPerUnit, linksPerPair, radix of "
        "its fabric",
        passes="planned units x leaves x links per pair <= ports of a spine, and spareLeafPorts >= spareLeafPortsMin (0)",
        fails="planned units don't fit on the spines, or fewer leaf ports are free than the site wants",
        cause="fabric.spines set for what is built instead of what is planned",
        manual="count free ports of one spine; each planned unit needs its leaves x links per pair",
        fix="more spines from the first day, fewer planned units, or fewer links on each leaf",
        source="house rule 9; ours: 4 units have 16 spines, 5 have 32",
    )
)
FABRIC_005 = register(
    Rule(
        id="FABRIC-005",
        title="A port ends one cable",
        severity="invariant",
        pack="fabric",
        why="Two cables don't fit in one port.",
        inputs="both ends of every cable; ports of each switch",
        passes="each `device/port` is an end once",
        fails="an end occurs twice",
        cause="a port map edited by hand; a reserved port that was given away",
        manual="sort cables.csv by end and look for doubles",
        fix="give one of the cables another port",
        source="ours; githedgehog/docs checks server ports for uniqueness only",
    )
)
FABRIC_006 = register(
    Rule(
        id="FABRIC-006",
        title="The tiers hold the nodes",
        severity="invariant",
        pack="fabric",
        why="A switch has the ports that it has: a cable on port 65 of 64 can't be plugged in.",
        inputs="ports and portCount of each switch; units, nodePortsPerLeaf, uplinksPerLeaf, leavesPerUnit, linksPerPair, "
        "radix and tiers of the site",
        passes="node ports + uplinks <= ports of a leaf; units x leaves x links per pair <= ports of a spine (two tiers); "
        "leaves of a pod + cores <= ports of a spine, and pods <= ports of a core (three); compute.nodes <= slots built",
        fails="a leaf, spine or core needs more ports, or a higher port number, than it has; more nodes than slots",
        cause="uplinksPerLeaf beyond what nodesPerUnit leaves free; a switch with too few ports for the size of the site",
        manual="count the cables of one leaf and one spine in cables.csv",
        fix="a switch with more ports (railyard:fabric.switchModel), fewer uplinks or units, or more units for the nodes",
        source="folded Clos: with D = U = k/2 it is k*k/2 endpoints in two tiers, k*k*k/4 in three; SuperPOD B200 and B300 RA",
    )
)
FABRIC_007 = register(
    Rule(
        id="FABRIC-007",
        title="Growth stays within what was planned",
        severity="limit",
        pack="fabric",
        why="plannedScalableUnits fixed spines and ports on the first day; beyond it cables move on a running fabric.",
        inputs="builtScalableUnits and plannedScalableUnits of the site",
        passes="built <= planned",
        fails="more units are built than were planned",
        cause="a fifth unit where four were planned: 16 spines become 32, and 1,008 of 1,024 leaf-spine cables get another "
        "port (512 of them another spine)",
        manual="`railyard plan STACK --against OLD/plan.json` writes work-order.csv: old and new end of each cable that moves",
        fix="read the list of what moves, plan the maintenance window, then raise railyard:fabric.plannedScalableUnits",
        source="house rule 9; ours, ports counted",
    )
)
FABRIC_008 = register(
    Rule(
        id="FABRIC-008",
        title="Every training NIC has its cable",
        severity="invariant",
        pack="fabric",
        why="A NIC without a cable is a GPU that every collective waits for.",
        inputs="cables and GPU machines of the plan; endpoints, rails, planes and nodes of the site",
        passes="each NIC port of a GPU machine ends one cable: nodes x rails x planes links",
        fails="a NIC ends no cable, or the counts differ",
        cause="a node that is on no planned position; rails that differ from the NICs of the model",
        manual="count the rows of one node in cables.csv: rails x planes",
        fix="correct railyard:fabric.rails, planes or the inventory, and plan again",
        source="ours",
    )
)
FABRIC_009 = register(
    Rule(
        id="FABRIC-009",
        title="A cable goes one tier up, in its plane",
        severity="invariant",
        pack="fabric",
        why="A cable between leaves, a host on a spine or a cable between planes makes ftree refuse the fabric (ERR AB0C, "
        "AB26) or closes a loop.",
        inputs="name, role, plane and ports of each switch",
        passes="leaves hold hosts and spines, spines leaves and cores, cores spines, all of one plane",
        fails="a leaf on a leaf, a host on a spine, both ends on one switch, two planes joined",
        cause="a port map edited by hand; a cable plugged one port too far",
        manual="look at the z_device column of the leaf's rows in cables.csv",
        fix="put the cable where the plan has it",
        source="ours: faults put into ibsim, and what OpenSM 3.3.23 says of them (tests/proof/infiniband)",
    )
)
FABRIC_010 = register(
    Rule(
        id="FABRIC-010",
        title="Rails are joined",
        severity="limit",
        pack="fabric",
        why="In a rail-only fabric traffic between rails must go through a node: some communicators cannot connect at all, and "
        "all-to-all takes 8 to 11 % longer.",
        inputs="layout and separateFabrics of the site's fabric",
        passes="spines join all rails, or the site says that it wants none (railOnlyAllowed)",
        fails="fabric.layout is rail-only",
        cause="the switches and optics of the spines are to be saved",
        manual="`ibnetdiscover` or LLDP from one rail's switch shows no other rail",
        fix="railyard:fabric.layout rail-optimized; or set railOnlyAllowed, and run NCCL with PXN",
        source="arXiv 2307.12169v5 (rail-only networks); NVIDIA/nccl#836",
    )
)
FABRIC_011 = register(
    Rule(
        id="FABRIC-011",
        title="Each InfiniBand subnet has its subnet managers",
        severity="limit",
        pack="fabric",
        why="Without a subnet manager no port of the subnet ever becomes active; with one, nobody takes over when it dies.",
        inputs="transport, subnetManagers, subnetManagerNodes, endpoints and switches of the site's fabric",
        passes="each plane (and each rail of a rail-only fabric) has subnetManagersMin (2), none manages more than it can",
        fails="a subnet has fewer, or a switch's own subnet manager has more than its 2,048 nodes",
        cause="no reserved ports, and switches without a subnet manager of their own (or nobody knows)",
        manual="`sminfo` and `saquery -s` in each subnet",
        fix="set railyard:fabric.reservedPorts to 2 for each subnet and more for spare ones: UFM hosts get their cables",
        source="QM97x0 user manual, Software Management: 2,048 nodes, at most two subnet managers; SuperPOD H100 RA (UFM)",
    )
)
FABRIC_012 = register(
    Rule(
        id="FABRIC-012",
        title="Units are filled one after the other",
        severity="limit",
        pack="fabric",
        why="A unit's leaves, uplinks and spine ports are bought whole: several empty ones cost as much as full ones.",
        inputs="nodes, nodesPerUnit and builtScalableUnits of the site",
        passes="at most emptyUnitsMax (1) units stand ahead of their nodes",
        fails="more units are built than nodes fill",
        cause="scalableUnits raised for what will be delivered later; nodes spread over units",
        manual="count the nodes of each unit in the inventory",
        fix="lower railyard:fabric.scalableUnits, fill units from the first slot, or plan them only (plannedScalableUnits)",
        source="SuperPOD H100 RA (full units)",
    )
)
FABRIC_013 = register(
    Rule(
        id="FABRIC-013",
        title="Keys that are set have an effect",
        severity="limit",
        pack="fabric",
        why="Who sets pods of rails counts on three hops between units, and who fences tenants in counts on the fence: in two "
        "tiers, or on the other transport, nothing of it comes true, without a word.",
        inputs="idleKeys, tiers and transport of the site's fabric",
        passes="podBy and fullPods are set in three tiers only, railyard:infiniband on InfiniBand only, and switch systems, AS "
        "numbers, BFD, the lossless contract and loopbacks on RoCE only",
        fails="one of them is set where nothing reads it",
        cause="a stack file copied from a larger site or from one of the other transport; fewer planned units than there were",
        manual="`railyard plan`: layout says the tiers; railyard:fabric.transport",
        fix="leave the key out, or plan more units (railyard:fabric.plannedScalableUnits) or tiers: 3",
        source="ours",
    )
)
