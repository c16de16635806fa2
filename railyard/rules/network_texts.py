"""What the rules of the storage, in-band and out-of-band networks are about, for people."""

from railyard.rules.registry import Rule, register

FABRIC_040 = register(
    Rule(
        id="FABRIC-040",
        title="Networks share no switch that isn't declared shared",
        severity="limit",
        pack="fabric",
        why="Storage or management traffic on a compute switch takes its buffers, and a fault or an upgrade of one network "
        "stops the other; a storage switch in the scheduler's topology puts every node on one leaf.",
        inputs="carries, shares and declared of each network: whose cables end on its switches",
        passes="shares is empty, or names only what the stack file declares (railyard:networks.converged)",
        fails="cables of the training fabric or of another network end on one of its switches",
        cause="a few free ports of a leaf used for storage servers; one pair bought for two networks without saying so",
        manual="sort cables.csv by z_device: each switch has cables of one kind",
        fix="switches of its own for each network, or declare it: railyard:networks.converged (storage and in-band only)",
        source="NVIDIA/topograph#265",
    )
)
FABRIC_041 = register(
    Rule(
        id="FABRIC-041",
        title="Out-of-band ports reach every BMC, PDU and switch",
        severity="limit",
        pack="fabric",
        why="What can't be reached when its own network is down needs a person in the hall.",
        inputs="endpoints, uncovered and layers of the out-of-band network",
        passes="each BMC, DPU BMC, PDU strip, switch and storage management port that stands has a cable",
        fails="an end that stands has none: its switches are full",
        cause="railyard:networks.oob.switchesPerUnit counts BMCs only and forgets PDUs and switches",
        manual="count management ports of one unit: nodes x (1 + DPUs) + leaves + PDU strips; divide by 46",
        fix="leave railyard:networks.oob.switchesPerUnit out: the planner counts ceil(ends / usable ports)",
        source="SuperPOD H100 RA, out-of-band network",
    )
)
FABRIC_042 = register(
    Rule(
        id="FABRIC-042",
        title="Storage, in-band and out-of-band switches keep spare ports",
        severity="limit",
        pack="fabric",
        why="A dead port is replaced by a free one in minutes; without one, by a switch.",
        inputs="ports, used and free of each layer of each network, as planned",
        passes="free >= networkSparePortsMin (2) on the fullest switch of each layer that machines or devices hang on",
        fails="fewer ports are free",
        cause="sparePorts set to 0 or 1; peer links and uplinks on the last free ports",
        manual="ports of the switch less planned ports of its fullest pair",
        fix="railyard:networks.<network>.sparePorts of at least 2, or a switch with more ports",
        source="SuperPOD H100 RA (SN2201, 48 ports); the two spare ones are ours",
    )
)
FABRIC_043 = register(
    Rule(
        id="FABRIC-043",
        title="Storage servers' NICs carry the wanted write rate",
        severity="limit",
        pack="fabric",
        why="Drives that are faster than their NICs are paid for and never seen; a checkpoint stalls training for as long as "
        "the narrowest part takes.",
        inputs="serverGbPerS, nodeGbPerS, nodeToServer, targetGbPerS and copies of the storage network",
        passes="serverGbPerS >= targetGbPerS x copies (mirrored data arrives twice)",
        fails="the servers' ports together are slower; the ratio of node side to server side is printed",
        cause="100 GbE in-band speed used for storage; one port of two connected; a target for more servers than there are",
        manual="servers x ports x Gb/s / 8 against the file system's write rate",
        fix="a faster railyard:networks.storage.linkGbps, more servers, or a lower targetGbPerS",
        source="NVIDIA HGX AI Factory RA (two ports to two switches); SuperPOD H100 RA, storage (GB/s by size)",
    )
)
FABRIC_044 = register(
    Rule(
        id="FABRIC-044",
        title="The attachment exists on this kind of switch",
        severity="limit",
        pack="fabric",
        why="A LAG over two switches that can't form one leaves half of the ports down, or both in one broadcast storm.",
        inputs="transport, attach, peerLinks, tiers and kind of each network",
        passes="InfiniBand: independent. Ethernet: mlag with at least two peer links; esi or routed, with a peer link where "
        "there are no spines. In-band runs on Ethernet",
        fails="a LAG on InfiniBand; independent ports on Ethernet; MLAG without peer links; ESI or routed ports whose two "
        "switches don't see each other; in-band on InfiniBand",
        cause="attach copied from a site with other switches; peerLinks: 0",
        manual="does the switch's operating system have MLAG or EVPN multihoming, and a path between the two switches?",
        fix="railyard:networks.<network>.attach: mlag, esi or routed on Ethernet, independent on InfiniBand; peerLinks: 2",
        source="DGX BasePOD RA (MLAG peer link of two ports); Alibaba HPN, SIGCOMM 2024 (dual ToR without stacking)",
    )
)
FABRIC_045 = register(
    Rule(
        id="FABRIC-045",
        title="Out-of-band copper reaches",
        severity="limit",
        pack="fabric",
        why="1000BASE-T is specified for 100 m; beyond it links come and go, and a BMC is lost when it is needed.",
        inputs="longestCopperM of the out-of-band network: routed length and slack between planned racks",
        passes="longestCopperM <= oobCopperMMax (100)",
        fails="a longer one is planned",
        cause="one row of switches for a whole hall; a drop of many metres to an underfloor tray",
        manual="racks along the row x pitch + rows x 3 m + both drops, and the slack",
        fix="switches nearer to what they serve: a unit's racks in fewer rows (railyard:facility.racksPerRow), network racks "
        "of its own (switchRacks: dedicated)",
        source="IEEE 802.3 (1000BASE-T, 100 m channel)",
    )
)
FABRIC_046 = register(
    Rule(
        id="FABRIC-046",
        title="A machine's two ports end on two switches, in two racks where there are two",
        severity="limit",
        pack="fabric",
        why="Two ports on one switch, or two switches behind one breaker, are lost together.",
        inputs="singleHomed, sameRack and layers of storage and in-band network",
        passes="every machine's cables end on at least two switches; the switches of a pair are in different racks, or the "
        "hall has one for them only and it has two feeds; at least two spines",
        fails="a machine is on one switch; both switches of a pair in one rack although there is another, or on one feed; one "
        "spine above all leaves",
        cause="storage servers with one NIC port; facility.spreadRacks: 1; a rack plan edited by hand",
        manual="follow both cables of a node in cables.csv: z_device differs, and so does the rack in z_label",
        fix="servers with two ports; railyard:facility.spreadRacks of at least 2; two feeds",
        source="NVIDIA HGX AI Factory RA (one port to each of two switches); 2N practice",
    )
)
FABRIC_047 = register(
    Rule(
        id="FABRIC-047",
        title="The other networks' switches hold what is planned, evenly",
        severity="limit",
        pack="fabric",
        why="The rules of the training fabric count here too: a port that isn't there can't be cabled, uneven pairs share "
        "uplinks badly, and oversubscription should be the one that was chosen.",
        inputs="layers, linksPerPair and oversubscription of storage and in-band network",
        passes="used <= ports on every layer; downGbps / upGbps <= oversubscription; linksPerPair is a whole number",
        fails="more ports are planned than a switch has; a leaf blocks more than declared; spines don't divide the uplinks",
        cause="a switch with few ports named for a large site; peer links and spare ports leave no room for uplinks",
        manual="node ports + uplinks + peer links of one leaf; its uplinks divided by the spines",
        fix="a switch with more ports (railyard:networks.<network>.switchModel), or a higher oversubscription",
        source="as FABRIC-001, FABRIC-002 and FABRIC-006",
    )
)
FABRIC_048 = register(
    Rule(
        id="FABRIC-048",
        title="Nodes have the ports that their networks need",
        severity="limit",
        pack="fabric",
        why="Storage and in-band take two ports each; a node with two in all can have one of them, or both converged.",
        inputs="portsPerNode, portsNeeded, nicGbps and linkGbps of storage and in-band network",
        passes="portsPerNode >= portsNeeded, and nicGbps >= linkGbps",
        fails="a node has fewer ports, or slower ones; unknown ports leave the rule undecided",
        cause="storage and in-band planned apart on nodes with one dual-port adapter",
        manual="adapters beside the GPUs' own x ports of each, in the vendor's manual",
        fix="railyard:networks.converged: true, or a node with more ports; enter unknown ones in railyard/catalog/nodes.yaml",
        source="NVIDIA HGX AI Factory RA (2 ports per node on each network)",
    )
)
FABRIC_049 = register(
    Rule(
        id="FABRIC-049",
        title="Out-of-band switches have two ways up",
        severity="limit",
        pack="fabric",
        why="With one uplink, a dead in-band switch takes the management of a whole unit with it.",
        inputs="uplinksPerSwitch and uplinkSwitches of the out-of-band network",
        passes="at least two uplinks, to at least two switches",
        fails="one uplink, or all to one switch",
        cause="railyard:networks.oob.uplinks: 1",
        manual="swp49 and up of an out-of-band switch in cables.csv: two z_devices",
        fix="railyard:networks.oob.uplinks: 2",
        source="SuperPOD H100 RA (uplinks 2 x 100G per SN2201)",
    )
)
