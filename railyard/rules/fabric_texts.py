"""What the fabric rules are about, for people."""

from railyard.rules.registry import Rule, register

FABRIC_001 = register(
    Rule(
        id="FABRIC-001",
        title="No switch blocks",
        severity="limit",
        pack="fabric",
        why="Where more bandwidth goes down than up, collectives that cross the spine run at the ratio's speed.",
        inputs="downGbps, upGbps and linksPerPeer of each leaf, and of each spine below a core",
        passes="downGbps / upGbps <= downToUpMax (1.0)",
        fails="more bandwidth down than up; printed as `32:30 = 1.067:1`",
        cause="uplinksPerLeaf smaller than nodesPerUnit; uplinks given to storage or to a fabric manager",
        manual="count cables down and up of one leaf in cables.csv",
        fix="as many uplinks as node ports (railyard:fabric.uplinksPerLeaf)",
        source="SuperPOD H100 RA; fabric.md FAB-01",
    )
)
FABRIC_002 = register(
    Rule(
        id="FABRIC-002",
        title="Equal links for each leaf-spine pair",
        severity="limit",
        pack="fabric",
        why="Uneven pairs pass a max-flow test and still put two flows on one uplink; OpenSM's ftree refuses them (ERR AB0C).",
        inputs="linksPerPeer of each switch; linksPerPair and spinesPerPlane of the site",
        passes="one number of links for all pairs: the spines divide the uplinks",
        fails="pairs differ, e.g. 32 uplinks over 12 spines: 2 or 3 links",
        cause="spines counted by ceil(uplinks / ports) only: 3 units give 12, right is 16",
        manual="uplinks of a leaf divided by spines of its plane must be a whole number",
        fix="a number of spines that divides the uplinks (railyard:fabric.spines), or leave it to the planner",
        source="fabric.md 1.3 and 2 (verified with OpenSM); FAB-02",
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
        passes="each NIC on a leaf is the leaf's nodeNic and of its unit",
        fails="a NIC of another rail, plane or unit hangs on the leaf",
        cause="two cables exchanged in one node; a port map edited by hand",
        manual="`ibnetdiscover` or LLDP on the leaf: every neighbour must be the same NIC. Its number is not the rail",
        fix="exchange the two cables; both ends are in cables.csv",
        source="fabric.md 2 and FAB-04; users.md cases 16 and 49",
    )
)
FABRIC_004 = register(
    Rule(
        id="FABRIC-004",
        title="Spare ports",
        severity="limit",
        pack="fabric",
        why="Growth must find its spine ports free, or cables move; a site may also want leaf ports for repair.",
        inputs="spareLeafPorts, plannedScalableUnits and spinesPerPlane of the site; rails, linksPerPair, radix of its fabric",
        passes="planned units x rails x links per pair <= ports of a spine, and spareLeafPorts >= spareLeafPortsMin (0)",
        fails="planned units don't fit on the spines, or fewer leaf ports are free than the site wants",
        cause="fabric.spines set for what is built instead of what is planned",
        manual="count free ports of one spine; each planned unit needs rails x links per pair",
        fix="more spines from the first day, fewer planned units, or fewer links on each leaf",
        source="house rule 9; fabric.md 0 (growth) and FAB-05",
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
        source="fabric.md FAB-05 and FAB-06",
    )
)
FABRIC_006 = register(
    Rule(
        id="FABRIC-006",
        title="The tiers hold the nodes",
        severity="invariant",
        pack="fabric",
        why="A switch has the ports that it has: a cable on port 65 of 64 can't be plugged in.",
        inputs="ports and portCount of each switch; units, nodesPerUnit, downToUp, rails, linksPerPair, radix and tiers of "
        "the site",
        passes="node ports + uplinks <= ports of a leaf; units x rails x links per pair <= ports of a spine (two tiers); "
        "leaves of a pod + cores <= ports of a spine, and pods <= ports of a core (three); compute.nodes <= slots built",
        fails="a leaf, spine or core needs more ports, or a higher port number, than it has; more nodes than slots",
        cause="uplinksPerLeaf beyond what nodesPerUnit leaves free; a switch with too few ports for the size of the site",
        manual="count the cables of one leaf and one spine in cables.csv",
        fix="a switch with more ports (railyard:fabric.switchModel), fewer uplinks or units, or more units for the nodes",
        source="fabric.md 0 and 1.3; with D = U = k/2 it is k*k/2 endpoints in two tiers, k*k*k/4 in three",
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
        manual="`railyard plan STACK --against OLD/plan.json` lists cables and devices that move and cables that change length",
        fix="read the list of what moves, plan the maintenance window, then raise railyard:fabric.plannedScalableUnits",
        source="house rule 9; fabric.md 0 (growth), ports counted too",
    )
)
