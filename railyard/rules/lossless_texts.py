"""What the rules of routed, lossless fabrics are about, for people: flow control, marking, MTU, watchdog."""

from railyard.rules.registry import Rule, register

FABRIC_053 = register(
    Rule(
        id="FABRIC-053",
        title="PFC headroom comes from a table",
        severity="invariant",
        pack="fabric",
        why="A lossless port with too little headroom drops what was under way when it sent the pause: RoCE falls to 0.x GB/s.",
        inputs="headroom, headroomSource and linkGbps of the fabric's routing; headroomUnknown of each switch (ordered "
        "lengths)",
        passes="the ASIC, or fabric.lossless.headroom with a source, has a row at the speed and at the next larger length",
        fails="no row at the speed; a cable longer than the last row; rows in the stack file that nobody vouches for",
        cause="an ASIC that the catalogue doesn't know; a cable that goes to another hall",
        manual="SONiC: pg_profile_lookup.ini of the switch's SKU; Cumulus: `nv show interface swp1 qos buffer`",
        fix="railyard:fabric.lossless.headroom with bytes per speed and length, and railyard:fabric.lossless.source",
        source="sonic-net/sonic-buildimage, pg_profile_lookup.ini of each platform",
    )
)
FABRIC_054 = register(
    Rule(
        id="FABRIC-054",
        title="Headroom fits the shared buffer",
        severity="limit",
        pack="fabric",
        why="Every lossless port reserves its headroom out of one buffer: what is left is what absorbs an incast.",
        inputs="headroomBytes, losslessPorts and sharedBufferBytes of each switch",
        passes="sum of the ports' headroom <= headroomPercentMax (50) of the shared buffer",
        fails="more is reserved; undecided where the depth of the buffer is unknown",
        cause="long cables at 800 Gb/s on all ports; a second lossless class, which doubles the sum",
        manual="ports x (xon + xoff) of their rows; `show buffer configuration` on the switch",
        fix="shorter cables, one lossless class, or the buffer's real size (railyard:fabric.lossless.sharedBufferBytes, "
        "source)",
        source="sonic-net/sonic-buildimage, buffers_defaults of each platform; the share is ours",
    )
)
FABRIC_055 = register(
    Rule(
        id="FABRIC-055",
        title="Congestion marking is in order",
        severity="invariant",
        pack="fabric",
        why="A switch refuses Kmax below Kmin; a probability of 0 marks nothing and leaves all the work to pauses.",
        inputs="lossless.congestion, kminBytes, kmaxBytes and pmaxPercent of the fabric's routing; bytes and percent, nothing "
        "else",
        passes="0 < Kmin < Kmax and 0 < Pmax <= 100, or congestion: receiver-driven",
        fails="the order is wrong, or the probability is no percentage above 0",
        cause="a number copied in another unit: segments, cells, kilobytes, a fraction for percent",
        manual="`show ecn` (SONiC), `nv show qos congestion-control` (Cumulus), compare units",
        fix="railyard:fabric.lossless kminBytes < kmaxBytes, both in bytes, pmaxPercent from 1 to 100",
        source="Cumulus Linux 5.14, RoCE; sonic-buildimage qos.json.j2; that YANG models accept Kmin > Kmax: ours",
    )
)
FABRIC_056 = register(
    Rule(
        id="FABRIC-056",
        title="Marking comes before pausing, and not too early",
        severity="limit",
        pack="fabric",
        why="If the pause comes first, senders are stopped instead of slowed down; if marks come too early, links stay half "
        "empty.",
        inputs="kminBytes, kmaxBytes, linkGbps of the fabric's routing; headroom and shared buffer; longest cable of each "
        "switch",
        passes="Kmin >= ecnKminBytesMin (100,000 at 400 Gb/s, scaled with the speed); Kmax + cable bytes <= a port's share: "
        "(shared buffer - headroom) / (1 + congestedPorts (32)), at alpha 1",
        fails="Kmin is lower, or Kmax is above the share at which a port of so many congested ones pauses",
        cause="thresholds of a switch with another buffer or speed",
        manual="free pool / (1 + congested ports), from `show buffer configuration`",
        fix="another kminBytes or kmaxBytes (railyard:fabric.lossless), or a waiver that says why",
        source="shipped values span 131 kB to 1 MB (sonic-buildimage, Cumulus Linux, Onyx): order and relation, not one number",
    )
)
FABRIC_057 = register(
    Rule(
        id="FABRIC-057",
        title="One lossless contract",
        severity="invariant",
        pack="fabric",
        why="RoCE on a code point that some hop doesn't hold lossless stalls under load; a paused notification can't slow "
        "anybody.",
        inputs="lossless.dscp, priority, pfcPriorities, cnpDscp and cnpClass of the fabric's routing",
        passes="RoCE's priority is lossless; notifications have another code point and a class that isn't; at most "
        "losslessClassesMax (2) lossless classes; none of them on class 0 or DSCP 0, which all unmarked traffic has, and RoCE "
        "not on CS6 or CS7, which is network control",
        fails="RoCE's DSCP ends in a lossy class, notifications share its class or code point, or too many classes are "
        "lossless",
        cause="stock maps (SONiC puts DSCP 26 on class 1); DSCP changed on the hosts only",
        manual="`mlnx_qos -i` on a host, `show qos map` or `nv show qos roce` on every hop: one DSCP, one priority",
        fix="railyard:fabric.lossless: priority inside pfcPriorities, cnpClass outside, cnpDscp unlike dscp",
        source="sonic-buildimage qos_config.j2 (DSCP 26 is lossy); NVIDIA/nccl#2383, #378; openucx/ucx#2934",
    )
)
FABRIC_058 = register(
    Rule(
        id="FABRIC-058",
        title="NCCL marks its traffic as the switches expect it",
        severity="invariant",
        why="NCCL writes the traffic class itself: queue pairs on DSCP 0 ride lossy while everything else looks right.",
        inputs="NCCL_IB_TC of the planned NCCL environment; fabric.lossless.dscp",
        passes="NCCL_IB_TC is dscp * 4 (26 -> 104) on a RoCE fabric",
        fails="it is missing or another number",
        cause="DSCP taken for traffic class (26 for 104); a variable set by hand",
        manual="`env | grep NCCL_IB_TC`; capture: the IP header's DS field is 0x68",
        fix="take the environment from the plan; change railyard:fabric.lossless.dscp and nothing else",
        source="NVIDIA/nccl#2383",
    )
)
FABRIC_059 = register(
    Rule(
        id="FABRIC-059",
        title="The PFC watchdog guards every lossless port",
        severity="limit",
        pack="fabric",
        why="One NIC that pauses for ever stops a whole fabric, hop by hop; the watchdog breaks the chain.",
        inputs="lossless.watchdog of the fabric's routing (milliseconds); nos",
        passes="enabled; detection 100 to 5000, restoration 100 to 60000, poll 100 to 1000; detection and restoration >= poll; "
        "the system can be told the action and the restoration",
        fails="it is off, a time is outside of what the switch takes, or the system has no such setting: Cumulus always drops, "
        "and restores after one poll without pauses; EOS drops or alerts",
        cause="switched off while debugging; seconds for milliseconds",
        manual="`pfcwd show config` (SONiC), `nv show qos pfc-watchdog` (Cumulus)",
        fix="railyard:fabric.lossless.watchdog {detectionMs: 200, pollMs: 200}",
        source="sonic-pfcwd.yang; Cumulus Linux 5.14, Quality of Service, PFC Watchdog",
    )
)
FABRIC_060 = register(
    Rule(
        id="FABRIC-060",
        title="The MTU chain holds",
        severity="invariant",
        pack="fabric",
        why="A host at 1500 silently drops the RoCE MTU to 1024 (5 % loss); a switch below host + headers drops full frames.",
        inputs="lossless.hostMtu and switchMtu of the fabric's routing",
        passes="hostMtu >= hostMtuMin (4200), switchMtu >= hostMtu + headerBytesMin (100), switchMtu <= 9216",
        fails="one of them isn't",
        cause="default MTU on the hosts; hosts at 9216 like the switches",
        manual="`ping -M do -s 8972 -I <rail address> <peer's rail address>` for a host MTU of 9000",
        fix="railyard:fabric.lossless {hostMtu: 9000, switchMtu: 9216}",
        source="NVIDIA/nccl#1524, PR 2135, #1957; NVIDIA/dgx-spark-playbooks#103; sonic-port.yang (mtu <= 9216)",
    )
)
