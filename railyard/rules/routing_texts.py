"""What the rules of routed fabrics are about, for people: numbers, paths, subnets, releases, management."""

from railyard.rules.registry import Rule, register

FABRIC_050 = register(
    Rule(
        id="FABRIC-050",
        title="AS numbers keep routes out of valleys",
        severity="invariant",
        pack="fabric",
        why="A leaf with another's number drops its routes; spines with different numbers in a plane let traffic go "
        "leaf-spine-leaf-"
        "spine.",
        inputs="leafAsns, leaves, spineAsns, spineGroups, asnBase and asnLast of the fabric's routing",
        passes="as many numbers as leaves, one per plane and pod of spines; all within 4200000000 to 4294967294",
        fails="two leaves share a number, spines of one plane don't, or a number isn't a private 4-byte one",
        cause="asnBase too near the end of the range; numbers given by hand",
        manual="`show bgp summary` on a spine: every neighbour another number; on a leaf: all of a plane the same",
        fix="railyard:fabric.asnBase 4200000000, or a base with room for all planes",
        source="RFC 7938 5.2; RFC 6996",
    )
)
FABRIC_051 = register(
    Rule(
        id="FABRIC-051",
        title="ECMP uses every uplink",
        severity="limit",
        pack="fabric",
        why="Fewer paths than uplinks leave cables idle that were paid for; the fabric is then oversubscribed and nothing "
        "says so.",
        inputs="uplinks and maximumPaths of each switch; maxPathsLimit and uplinks of the fabric's routing",
        passes="maximumPaths >= uplinks, and no more than the switch's software holds",
        fails="fewer paths than uplinks, or more than the software takes; undecided where its limit is unknown",
        cause="maximum-paths left at 1 or 64; spines counted instead of links",
        manual="`ip route show <a node's subnet of another leaf>`: next hops = uplinks of the leaf in that plane",
        fix="a network operating system that holds as many paths, or more planes with fewer uplinks each",
        source="RFC 7938 6; ours: 32 next hops measured with FRR 8.4",
    )
)
FABRIC_052 = register(
    Rule(
        id="FABRIC-052",
        title="One subnet for each rail and leaf",
        severity="invariant",
        pack="fabric",
        why="Two NICs of a node in one subnet: one of them answers for both, and a rail is idle.",
        inputs="addresses of every node's rails; subnets of each leaf",
        passes="no two rails of a node are in one network, and each leaf of a routed fabric has its own",
        fails="two rails of a node share a network, or a leaf has no subnet",
        cause="one /24 for all NICs; a rails block that can't be cut",
        manual="`ip -br addr` on a node: another network on each rail",
        fix="a larger railyard:addresses.rails; leave the cutting to the planner",
        source="NVIDIA/nccl#1109, #1269, #1348; ROCm/rccl#1303",
    )
)
FABRIC_061 = register(
    Rule(
        id="FABRIC-061",
        title="Flows are spread",
        severity="limit",
        pack="fabric",
        why="ECMP puts elephant flows on one link even at 1:1; adaptive routing or several queue pairs gave +70 % on GB300.",
        inputs="tiers, lossless.spread, qpsPerConnection, adaptiveRouting, nos of the fabric's routing",
        passes="one tier; or adaptive-routing on an ASIC and system that do it; or qp-spread with more than one queue pair",
        fails="spread: none, one queue pair, or adaptive routing where it isn't; undecided where nobody knows",
        cause="InfiniBand habits: there the subnet manager does it",
        manual="`nv show router adaptive-routing`; NCCL_IB_QPS_PER_CONNECTION in the job's environment",
        fix="railyard:fabric.lossless {spread: qp-spread, qpsPerConnection: 4}, or adaptive-routing on Cumulus",
        source="uccl-project/uccl#153; NVIDIA/cluster-readiness-engine#287",
    )
)
FABRIC_062 = register(
    Rule(
        id="FABRIC-062",
        title="System and release are pinned and not known to be bad",
        severity="limit",
        pack="fabric",
        why="The watchdog drops good packets or flaps on some releases: what was tested must be what runs.",
        inputs="nos, nosNamed, nosVersion, asic and badReleases of the fabric's routing; lossless classes",
        passes="fabric.nos and fabric.nosVersion are set and no known-bad row matches",
        fails="not set, or a row of the catalogue's list matches; undecided where the ASIC is unknown",
        cause="switches delivered with whatever was current",
        manual="`show version`; compare with badReleases in railyard/catalog/asics.yaml",
        fix="railyard:fabric.nos and nosVersion of a release that you tested",
        source="sonic-net/sonic-buildimage#29203, #23444, #8483, #12045, #9313",
    )
)
FABRIC_063 = register(
    Rule(
        id="FABRIC-063",
        title="Switches keep time, send logs and let only managers in",
        severity="limit",
        pack="fabric",
        why="Without one clock and one log a flap on 12 switches can't be put in order; an open log-in is anybody's fabric.",
        inputs="ntpServers, syslogServers, management, management gateway, bfd and nos of the fabric's routing",
        passes="a time server, a log server, management networks that aren't everybody and reach the switches, BFD on with "
        "times that the system can be told and that find a fault before BGP's 9 s",
        fails="one of them is missing; the management networks are together half of an IP version or more (0.0.0.0/0, or "
        "0.0.0.0/1 and 128.0.0.0/1), or of another IP version than the switches' management addresses; BFD times with SONiC "
        "that aren't FRR's 3 x 300 ms",
        cause="left for later",
        manual="`show ntp`, `show syslog`, `show acl rule` on a switch",
        fix="railyard:addresses syslogServers and management; railyard:fabric.bfd.enabled",
        source="SONiC and Cumulus hardening guides; 0.0.0.0/1 and 128.0.0.0/1: ours",
    )
)
FABRIC_064 = register(
    Rule(
        id="FABRIC-064",
        title="Every switch has a router id",
        severity="invariant",
        pack="fabric",
        why="Two routers with one id refuse each other's sessions; without one a router takes any address it finds.",
        inputs="routerId of each switch: its IPv4 loopback",
        passes="an address of its own; doubles are ADDR-005",
        fails="it is 0.0.0.0",
        cause="an IPv6-only loopback block; a rails block that leaves no room for loopbacks",
        manual="`show bgp summary`: BGP router identifier",
        fix="railyard:addresses.loopbacks: an IPv4 block, one address per switch",
        source="RFC 6286",
    )
)
FABRIC_065 = register(
    Rule(
        id="FABRIC-065",
        title="A routing file says what the plan says",
        severity="invariant",
        why="`vtysh -C` accepts undefined peer-groups and route-maps, a second AS number, an address twice and an empty file.",
        inputs="a frr.conf or a `show running-config`; the switch's intent",
        passes="one `router bgp` with the planned number and router id; every neighbour of the plan in a defined group; every "
        "route-"
        "map and prefix-list defined; every planned address once; maximum-paths as planned",
        fails="one of them isn't",
        cause="a file edited by hand; a merge of two switches' files",
        manual="compare with `railyard plan`: switches/frr/<switch>/frr.conf",
        fix="load the planned file again",
        source="ours: files that `vtysh -C` of FRR 8.4 accepts (tests/proof/frr)",
    )
)
FABRIC_066 = register(
    Rule(
        id="FABRIC-066",
        title="A config_db.json holds together",
        severity="invariant",
        why="SONiC's YANG models accept lossless groups without PFC, ports that differ, lanes twice and a lossy RoCE map; "
        "without a route map SONiC's FRR brings a session up and takes no route.",
        inputs="the tables of a config_db.json; the lossless contract",
        passes="one lossless set on all ports, in pfc_enable, watchdog, groups and maps; RoCE's DSCP on it; no lane twice; "
        "speeds "
        "that lanes can carry; cable lengths not below the ordered ones; every name that is referred to is defined; AS number "
        "and host name of the plan in DEVICE_METADATA and BGP_GLOBALS; a route map in and out for each peer group and family",
        fails="one of them isn't",
        cause="`config qos reload`, which brings the stock maps back; a port that was split on the switch",
        manual="compare with `railyard plan`: switches/sonic/<switch>/config_db.json",
        fix="load the planned file again",
        source="ours: what sonic-net/sonic-buildimage's YANG models accept; sonic-buildimage qos_config.j2",
    )
)
FABRIC_067 = register(
    Rule(
        id="FABRIC-067",
        title="The system runs on the switch",
        severity="invariant",
        pack="fabric",
        why="A network operating system is built for an ASIC: files for one that can't be installed configure nothing.",
        inputs="nos, asic and systems of the fabric's routing; systems are the catalogue's (asics.yaml)",
        passes="the system is among those of the ASIC, or the ASIC is unknown (FABRIC-062 says that)",
        fails="it isn't: EOS on an NVIDIA Spectrum-4",
        cause="a stack file copied from a site with another vendor's switches",
        manual="`show version` on a switch; the vendor's list of platforms",
        fix="railyard:fabric.nos of what the switches run, or railyard:fabric.switchModel of what was bought",
        source="SONiC device tree (platforms); Cumulus Linux 5.14 release notes (supported switches); EOS is for Arista boxes",
    )
)
