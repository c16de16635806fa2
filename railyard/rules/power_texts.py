"""What the power, cooling and rack rules are about, for people."""

from railyard.rules.registry import Rule, register

POWER_001 = register(
    Rule(
        id="POWER-001",
        title="The surviving feed carries the rack",
        severity="limit",
        pack="power",
        why="After a feed is lost, its supplies' load moves to the others: a breaker that trips then takes the rack down.",
        inputs="feeds[].survivorKva, survivorA (fullest line of a strip), capacityKw (kVA, derated) and limitA of a rack with "
        "two feeds or more, after the loss that is worst for each",
        passes="survivorKva <= capacityKw x survivorPercentMax / 100 and survivorA <= limitA x the same, for each feed",
        fails="a feed would carry more than its derated capacity, or one of its lines more than its breaker",
        cause="one node too many in the rack, or PDUs chosen for the shared load instead of the whole",
        manual="add peakKw / power factor of everything in the rack; compare with PDUs x phases x volts x breaker A x 0.8 of "
        "one feed (of two feeds; of three, half of it)",
        fix="fewer nodes in the rack (railyard:facility.nodesPerRack) or larger or more PDUs on each feed (facility.feeds)",
        source="2N practice; NEC 210.20(A); NetBox issues 8738, 11041",
    )
)
POWER_002 = register(
    Rule(
        id="POWER-002",
        title="Each breaker carries its share",
        severity="limit",
        pack="power",
        why="With all feeds live the load of each must stay below its derated breaker, or it trips in normal running.",
        inputs="feeds[].loadKva, loadA, capacityKw (kVA, derated) and limitA",
        passes="loadKva <= capacityKw x feedPercentMax / 100 and loadA <= limitA x the same",
        fails="a feed or one of its lines carries more than its derated capacity in normal running",
        cause="a rack with one feed, or far too many nodes",
        manual="read the PDU's meter at full load, or peakKw of the rack divided by the number of feeds",
        fix="fewer nodes in the rack or larger or more PDUs on each feed",
        source="NEC 210.20(A); NetBox issues 8738, 9759, 11041",
    )
)
POWER_003 = register(
    Rule(
        id="POWER-003",
        title="Two feeds",
        severity="limit",
        pack="power",
        why="With one feed, one breaker, one UPS or one maintenance window stops every job that has a rank in the rack.",
        inputs="number of feeds and peakKw of a rack",
        passes="two feeds or more, or nothing that draws power",
        fails="one feed for a rack that draws power",
        cause="a test rack that became production",
        manual="count the feeds in the row's drawing",
        fix="add feed b to railyard:facility.feeds, or waive the rule with a reason",
        source="2N practice",
    )
)
POWER_004 = register(
    Rule(
        id="POWER-004",
        title="Breakers are derated for continuous load",
        severity="limit",
        pack="power",
        why="Training is a continuous load (over three hours): a standard breaker may carry 80 % of its rating for that long.",
        inputs="feeds[].continuousRating",
        passes="continuousRating <= continuousRatingMax (0.8)",
        fails="capacity was computed with more than the derated rating",
        cause="facility.continuousRating raised to make a rack fit",
        manual="look for '100 % rated' on the breaker; only then is more than 0.8 right",
        fix="set railyard:facility.continuousRating to 0.8, or waive the rule where breakers are 100 % rated",
        source="NEC 210.20(A); NetBox issue 8738",
    )
)
POWER_018 = register(
    Rule(
        id="POWER-018",
        title="All supplies together carry the machine",
        severity="limit",
        pack="power",
        why="Figures that can't be true are of another machine: 2 x 1071 W for a server that draws 6.5 kW.",
        inputs="psus, psuKw, peakKw of each model in a rack",
        passes="psus x psuKw >= peakKw",
        fails="the machine would draw more than all of its supplies give",
        cause="a catalogue row that was copied from another device",
        manual="read the supplies' labels",
        fix="correct psus, psuKw or peakKw in railyard/catalog",
        source="netbox-community/devicetype-library, DGC-A100",
    )
)
POWER_005 = register(
    Rule(
        id="POWER-005",
        title="Power supplies on one feed carry the machine",
        severity="limit",
        pack="power",
        why="Two feeds are 2N only if the supplies that are left carry the machine: else it throttles or stops with a feed.",
        inputs="supplies of a rack with two feeds or more: psus, psusLeft (after the worst loss, as they are dealt), psuKw, "
        "psusForFull, peakKw of each model. Not judged: out-of-band switches",
        passes="psusLeft x psuKw >= peakKw, and psusLeft >= psusForFull",
        fails="the supplies that are left give less; undecided where psus, or both other facts, are unknown",
        cause="a DGX H100 wired 3 + 3: it needs 4 supplies of 3.3 kW for 10.2 kW, and 3 give 9.9 kW; psuFeeds with more on "
        "one feed than on the other: the loss of that feed leaves the fewer",
        manual="pull the plugs of one feed under full load: clocks must not drop",
        fix="cap the machine's power to what half of its supplies give, feed it from three feeds (2 + 2 + 2), or waive the "
        "rule with a reason",
        source="NVIDIA DGX H100/H200 User Guide, Power Specifications (by a secondary page)",
    )
)
