"""What the rules about cables say, for people."""

from railyard.rules.registry import Rule, register

FABRIC_020 = register(
    Rule(
        id="FABRIC-020",
        title="Each cable's medium carries its lanes over its length",
        severity="limit",
        pack="fabric",
        why="A link over too long a cable, or over a cable of another lane generation, never comes up, or drops under load.",
        inputs="cabling.classes of the site: sku, medium, laneGbps, maxLengthM, reachM",
        passes="100G-PAM4: passive copper <= 3 m, active <= 5 m, OM3 <= 30 m, OM4 <= 50 m, single mode <= 500 m, FR4 <= 2 km; "
        "200G-PAM4: active copper <= 5 m, single mode <= 500 m, nothing else; 25 and 50G: copper <= 3 m, active optical "
        "<= 100 m, FR4 <= 2 km; and the catalogue has a cable that fits both cages",
        fails="the catalogue has none, the medium is not one of the lanes', or a cable is longer than medium or optics reach",
        cause="racks too far apart for the optic; NICs whose cages take another plug; a speed that no port can split into",
        manual="longest length of each kind in bom-cables.csv against the table",
        fix="racks closer together, another link speed or switch, or the cable added to the catalogue with its source",
        source="NVIDIA LinkX 100G-PAM4 overview, NDR/400GbE cable requirements, XDR list. Lanes of 25 and 50G: unverified",
    )
)
FABRIC_021 = register(
    Rule(
        id="FABRIC-021",
        title="Splitters stay short",
        severity="limit",
        pack="fabric",
        why="A splitter halves the light: its reach is a tenth of a straight fibre's. FR4 can't be split at all.",
        inputs="cabling.classes of the site: shape, medium, maxLengthM",
        passes="fibre splitters <= splitterMMax (50 m), and none of FR4",
        fails="a longer fibre splitter, or one on FR4",
        cause="200G links on 400G ports over a long row",
        manual="lines of splitters in bom-cables.csv and their lengths",
        fix="put the racks closer together, or run the links at the port's full speed over straight fibre",
        source="NVIDIA NDR/400GbE cable requirements (splitters to 50 m; FR4 shares one fibre)",
    )
)
FABRIC_022 = register(
    Rule(
        id="FABRIC-022",
        title="One plug for each cage, with fibres of one kind and about one length",
        severity="limit",
        pack="fabric",
        why="A cage of two ports holds one plug: copper and fibre, or straight and split fibre, can't share it. Fibres of "
        "unequal length in one optic delay its two links differently.",
        inputs="cabling of the site: mixedCages, mixedCageCount, twinsApart, twinsSplit; skewNs and skewAt of each class",
        passes="no cage needs two plugs; cables of one cage differ by at most twinSkewNsMax (45 ns: 10 m at 4.5 ns/m)",
        fails="a cage whose links need different plugs, or whose cables differ by more; a cable of two links that start in two "
        "cages, or that end in two (a NIC's two planes may: they are meant for two switches)",
        cause="an odd number of node ports on a leaf, so that a node and a spine share a cage; two ports of a cage that go to "
        "racks far from each other; linksPerCable 2 where a leaf has an odd number of links to each spine",
        manual="rows of cables.csv with the same rack, U and cage: part and length must agree",
        fix="an even number of node ports on each leaf; order the longer length for both cables of the cage",
        source="NVIDIA NDR/400GbE cable requirements and MMS4X50-NM: one type, about one length (4.5 ns/m); the 10 m are ours",
    )
)
FABRIC_023 = register(
    Rule(
        id="FABRIC-023",
        title="Both ends of a link match",
        severity="limit",
        pack="fabric",
        why="Form factors at both ends are never equal by themselves: a finned plug doesn't fit a NIC, a flat one overheats "
        "in an air-cooled switch, and ends of different speed or code never link up.",
        inputs="a and z of each class: portGbps, laneGbps, fec, connector, form, heatSink, opticForm, opticHeatSink",
        passes="same port speed, lanes, error correction and (fibre) connector; each optic has its cage's form and heat sink",
        fails="an end differs from the other one, or an optic from its cage",
        cause="400G spine ports to 100G leaf ports; finned optics ordered for both ends",
        manual="the optic at each end in bom-cables.csv: finned (IHS) in air-cooled switches, flat-top (RHS) in NICs",
        fix="run both ends at the speed that both have (breakout mode on the faster one), and choose the optic by the cage",
        source="NVIDIA NDR/400GbE cable requirements (finned and flat plugs); aristanetworks/avd#3118",
    )
)
FABRIC_024 = register(
    Rule(
        id="FABRIC-024",
        title="Trays hold their cables",
        severity="limit",
        pack="fabric",
        why="An overfilled tray crushes the lowest fibres, and nothing can be pulled out of it again.",
        inputs="cabling.trays of the site: percent of the fullest segments (only where railyard:cabling gives a tray)",
        passes="each segment is filled to at most trayFillPercentMax (50 %)",
        fails="a segment is fuller",
        cause="all uplinks of the hall meet in front of the spine racks",
        manual="count the cables over one rack: each 3 mm fibre takes 7 mm2",
        fix="a wider or a second tray (railyard:cabling.trayLayers), spine racks in the middle of the hall, or trunks",
        source="TIA-569: 50 % at most when full (unverified, from memory)",
    )
)
FABRIC_025 = register(
    Rule(
        id="FABRIC-025",
        title="Loss stays in the budget",
        severity="limit",
        pack="fabric",
        why="Each joint and each metre takes light; beyond the budget a link drops packets when it gets warm or dirty.",
        inputs="cabling.classes of the site: lossDb and lossBudgetDb of the longest cable",
        passes="joints x joint loss + length x attenuation <= budget of the weaker optic",
        fails="more loss than the budget",
        cause="more than two patch panels in a link (railyard:cabling.panels)",
        manual="(2 + panels) x 0.35 dB + km x 0.4 dB (single mode) or 3 dB (multimode)",
        fix="fewer panels, or a shorter way",
        source="CAB: reach includes two panels (four joints) of 0.35 dB; budget calculated from it",
    )
)
FABRIC_026 = register(
    Rule(
        id="FABRIC-026",
        title="Polarity crosses once",
        severity="limit",
        pack="fabric",
        why="Each type-B cable crosses send and receive: after an even number of them senders meet senders.",
        inputs="polarity and segments of each class in cabling.classes",
        passes="an odd number of type-B segments between two optics",
        fails="an even number: two cords over one panel",
        cause="an odd number of patch panels (railyard:cabling.panels)",
        manual="count cords and trunks from optic to optic",
        fix="no panel or two panels (cord, trunk, cord)",
        source="CAB: MPO cables are type B (TIA-568)",
    )
)
FABRIC_027 = register(
    Rule(
        id="FABRIC-027",
        title="Spares are ordered",
        severity="limit",
        pack="fabric",
        why="A dead optic without a spare keeps a rail of a node down until one is delivered.",
        inputs="cabling.bom of the site: count and spares of each line",
        passes="spares >= cableSparesPercentMin (2 %) of each line, and at least one",
        fails="a line with fewer",
        cause="railyard:cabling.sparesPercent set too low",
        manual="columns count and spares of bom-cables.csv",
        fix="raise railyard:cabling.sparesPercent",
        source="ours: 2 %",
    )
)
FABRIC_028 = register(
    Rule(
        id="FABRIC-028",
        title="Slack is enough and not too much",
        severity="limit",
        pack="fabric",
        why="Without slack a cable ends before its port; with too much of it the trays are full of loops.",
        inputs="cabling.slackPercent of the site",
        passes="cableSlackPercentMin (10 %) <= slack <= cableSlackPercentMax (25 %)",
        fails="less or more",
        cause="railyard:cabling.slackPercent",
        manual="length_m and route_m of one row in cables.csv",
        fix="set railyard:cabling.slackPercent between the two",
        source="ours: 10 to 25 % of the routed length",
    )
)
