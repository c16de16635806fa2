"""What the power, cooling and rack rules are about, for people."""

from railyard.rules.registry import Rule, register

POWER_001 = register(
    Rule(
        id="POWER-001",
        title="The surviving feed carries the rack",
        severity="limit",
        pack="power",
        why="After feed A or B is lost, all power supplies draw from the other: a breaker that trips then takes the rack down.",
        inputs="feeds[].survivorKw and capacityKw (derated) of a rack with two feeds",
        passes="survivorKw <= capacityKw x survivorPercentMax / 100 for each feed",
        fails="a feed alone would carry more than its derated capacity",
        cause="one node too many in the rack, or PDUs chosen for the shared load instead of the whole",
        manual="add peakKw of everything in the rack; compare with PDUs x phases x volts x breaker A x 0.8 of one feed",
        fix="fewer nodes in the rack (railyard:facility.nodesPerRack) or larger or more PDUs on each feed (facility.feeds)",
        source="users.md cases 1, 2, 4, 9",
    )
)
POWER_002 = register(
    Rule(
        id="POWER-002",
        title="Each breaker carries its share",
        severity="limit",
        pack="power",
        why="With all feeds live the load of each must stay below its derated breaker, or it trips in normal running.",
        inputs="feeds[].loadKw and capacityKw (derated)",
        passes="loadKw <= capacityKw x feedPercentMax / 100",
        fails="a feed carries more than its derated capacity in normal running",
        cause="a rack with one feed, or far too many nodes",
        manual="read the PDU's meter at full load, or peakKw of the rack divided by the number of feeds",
        fix="fewer nodes in the rack or larger or more PDUs on each feed",
        source="NEC 210.20(A); users.md cases 1, 7, 9",
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
        passes="two feeds, or nothing that draws power",
        fails="one feed for a rack that draws power",
        cause="a test rack that became production",
        manual="count the feeds in the row's drawing",
        fix="add feed b to railyard:facility.feeds, or waive the rule with a reason",
        source="2N practice; users.md case 4",
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
        source="NEC 210.20(A); users.md case 1",
    )
)
POWER_005 = register(
    Rule(
        id="POWER-005",
        title="Power supplies on one feed carry the machine",
        severity="limit",
        pack="power",
        why="Two feeds are 2N only if half of a machine's supplies carry it: else it throttles or stops when one feed is lost.",
        inputs="supplies of a rack with two feeds: psus, psuKw, psusForFull, peakKw of each model; supplies split evenly. Not "
        "judged: out-of-band switches",
        passes="floor(psus / feeds) x psuKw >= peakKw, and floor(psus / feeds) >= psusForFull",
        fails="the supplies on the surviving feed give less; undecided where psus, or both other facts, are unknown",
        cause="a DGX H100 wired 3 + 3: it needs 4 supplies of 3.3 kW for 10.2 kW, and 3 give 9.9 kW",
        manual="pull the plugs of one feed under full load: clocks must not drop",
        fix="cap the machine's power to what half of its supplies give, feed it from three feeds (2 + 2 + 2), or waive the "
        "rule with a reason",
        source="users.md case 4",
    )
)
COOL_001 = register(
    Rule(
        id="COOL-001",
        title="Air takes the rack's heat",
        severity="limit",
        pack="power",
        why="Heat that the air can't take throttles the GPUs and, through them, the whole job.",
        inputs="airKw and airLimitKw of a rack",
        passes="airKw <= airLimitKw x airPercentMax / 100",
        fails="more heat goes to air than the hall takes per rack",
        cause="four 10.2 kW nodes in a hall made for 20 kW racks",
        manual="peakKw of everything cooled by air; compare with the hall's figure per rack",
        fix="fewer nodes in the rack, or liquid cooling",
        source="users.md case 11",
    )
)
RACK_001 = register(
    Rule(
        id="RACK-001",
        title="Frame and floor bear the rack",
        severity="limit",
        pack="power",
        why="An overloaded frame or raised floor fails when the rack is filled or moved.",
        inputs="weightKg, weightLimitKg, devices[].weightKg, unweighed and unweighedMaxKg of a rack",
        passes="weightKg <= weightLimitKg x weightPercentMax / 100, each device's weight is known, and strips or a frame of "
        "unknown weight can't exceed the limit either (unweighedMaxKg, an upper bound)",
        fails="the known weights alone are over the limit; undecided where a weight or the limit is unknown",
        cause="eight nodes of 130 kg with PDUs in a frame for 1000 kg; a catalogue entry without a weight",
        manual="add the weights of the data sheets, rails and cables included",
        fix="fewer devices in the rack, or a frame and floor that bear it (railyard:facility.weightLimitKg)",
        source="frame and floor ratings",
    )
)
RACK_002 = register(
    Rule(
        id="RACK-002",
        title="One device for each U",
        severity="invariant",
        pack="power",
        why="Two devices can't stand in the same place.",
        inputs="devices[].u and uHeight",
        passes="no U is filled twice",
        fails="two devices share a U",
        cause="more nodes per rack than fit, or a device entered with the wrong height",
        manual="look at the rack elevation in the report",
        fix="fewer devices in the rack (railyard:facility.nodesPerRack), or correct the height in the catalogue",
        source="users.md 3.1; NetBox rack validation",
    )
)
RACK_003 = register(
    Rule(
        id="RACK-003",
        title="Devices stand inside the rack",
        severity="invariant",
        pack="power",
        why="A device above the frame, below U1 or on a reserved U can't be mounted.",
        inputs="devices[].u and uHeight, uHeight and reservedU of the rack",
        passes="each U that a device fills is in 1..uHeight and not reserved",
        fails="a device is outside the rack or on a reserved U",
        cause="too many devices for the rack model, or reservedU in the middle of a node",
        manual="look at the rack elevation in the report",
        fix="fewer devices in the rack (railyard:facility.nodesPerRack), a higher rack model, or other reservedU",
        source="users.md 3.1",
    )
)
