"""What the rules about a hall's power path are about, for people: from the supply to the supply's cord."""

from railyard.rules.registry import Rule, register

NEC = "NEC 210.20(A), 215.3: 125 % of a continuous load"

POWER_006 = register(
    Rule(
        id="POWER-006",
        title="The power path is a tree that reaches every row",
        severity="invariant",
        pack=None,
        why="What feeds itself, or what nothing feeds, is a drawing error: no load can be added up along it.",
        inputs="railyard:power.paths (name, from, feed, rows, rowsEach) and facility.feeds",
        passes="each path ends at the supply, has one feed letter that the racks have; each feed has one lowest path per row",
        fails="an unknown `from`, a loop, an unknown or second feed, a row with no path or two, a piece across two parents",
        cause="a copied line whose `from` was not changed; rows that were added later",
        manual="draw it on paper from the supply down",
        fix="correct `from`, `feed`, `rows` or `rowsEach` of the path that is named",
        source="single-line diagram practice",
    )
)
POWER_007 = register(
    Rule(
        id="POWER-007",
        title="Strips stand at the voltage and phases that they are made for",
        severity="invariant",
        pack=None,
        why="415 V between lines is 240 V to neutral: read as the other, every current is 73 % wrong.",
        inputs="volts, voltageReference and phases of supply and paths, of the strip's model and of its banks",
        passes="volts within 10 % of the strip's, told the same way, and as many phases",
        fails="a strip of three phases on a feed of one, three phases below one, or volts that are not the strip's",
        cause="400 V line-to-neutral where line-to-line is meant; a North American strip in a European hall",
        manual="read the strip's nameplate and measure between two lines at its plug",
        fix="correct volts, voltageReference or phases, or choose another strip (facility.feeds.pduModel)",
        source="IEC 60038: +-10 %; NetBox issue 8738",
    )
)
POWER_008 = register(
    Rule(
        id="POWER-008",
        title="Panels and busways carry their racks",
        severity="limit",
        pack="power",
        why="Every feed may pass and the panel above them still trip: 63 + 63 + 32 A at 70 % are 110.6 A.",
        inputs="loadA (vector sum by line) and limitA = breakerA x continuousRating of each panel and busway, all feeds live",
        passes="fullest line <= limitA x segmentPercentMax / 100",
        fails="a line carries more; undecided where a panel or busway has no breakerA",
        cause="a panel sized for the average rack; one row too many behind it",
        manual="add ampere by line of what hangs on it, line by line, and compare with breaker x 0.8",
        fix="fewer rows behind it (rowsEach), a larger breaker, or fewer nodes in the racks",
        source=f"{NEC}; NetBox issue 5976",
    )
)
POWER_009 = register(
    Rule(
        id="POWER-009",
        title="Panels and busways carry the failover",
        severity="limit",
        pack="power",
        why="When another feed is lost its load moves here at once. A breaker that then trips takes both halves of 2N down.",
        inputs="worstA (vector sum by line after the worst loss) and limitA of each panel and busway",
        passes="fullest line <= limitA x segmentFailoverPercentMax / 100",
        fails="a line carries more after the loss",
        cause="busways bought for half of the load",
        manual="as POWER-008, with the whole load of the racks instead of this feed's share",
        fix="fewer rows behind it (rowsEach), a larger breaker, or fewer nodes in the racks",
        source=f"2N practice; {NEC}",
    )
)
POWER_010 = register(
    Rule(
        id="POWER-010",
        title="A UPS carries the failover in kVA and in kW",
        severity="limit",
        pack="power",
        why="Beyond either rating it goes to bypass: the hall hangs on the utility, or on nothing.",
        inputs="worstKva, worstKw, worstA (by line), ratedKva, ratedKw of each UPS and of what else has ratings",
        passes="kVA and kW <= their rating x segmentFailoverPercentMax / 100, and of three phases the fullest line <= "
        "ratedKva / (3 x volts to neutral) x the same",
        fails="more kVA, more kW, or more ampere in one line after the worst loss; undecided where a UPS has neither rating",
        cause="a UPS of 1,000 kVA and 900 kW read as 1,000 kW; two UPS each sized for half; uneven lines",
        manual="add kVA (kW / power factor) of all racks behind it for the case that the other UPS is lost",
        fix="a larger UPS or one more, or fewer racks behind it",
        source="IEC 62040-3: rated apparent and active power",
    )
)
POWER_011 = register(
    Rule(
        id="POWER-011",
        title="A strip's own breakers carry what is plugged in",
        severity="limit",
        pack="power",
        why="A 32 A strip has two 16 A breakers: 16 A on one of them trips it, with the other empty and the feed at 63 %.",
        inputs="circuits of each kind of rack: survivorA, limitA = breakerA x continuous rating, name, legs",
        passes="survivorA <= limitA x circuitPercentMax / 100",
        fails="a bank carries more, live or after the worst loss",
        cause="all large plugs in the outlets next to each other",
        manual="add ampere of what hangs on the bank; compare with its breaker x 0.8",
        fix="strips with more banks (facility.feeds.pduModel), more strips, or fewer devices in the rack",
        source="NEC 210.20(A); UL 489; NetBox issue 9759",
    )
)
POWER_012 = register(
    Rule(
        id="POWER-012",
        title="Each supply has an outlet of its kind",
        severity="limit",
        pack="power",
        why="A C20 plug doesn't go into a C13 outlet, and an installer at midnight takes the other feed's.",
        inputs="plugsShort of each kind of rack by feed and type; unknown of the hall",
        passes="no plug is left over",
        fails="fewer C19 or C13 outlets than supplies on a feed; undecided where a strip's outlets or an inlet are unknown",
        cause="a strip with six C19 for nine supplies of a rack",
        manual="count inlets by type behind each device and outlets on the strip",
        fix="a strip with more outlets of that type (facility.feeds.pduModel) or more strips (pdusPerRack)",
        source="IEC 60320",
    )
)
POWER_013 = register(
    Rule(
        id="POWER-013",
        title="Cords and outlets carry their supply",
        severity="limit",
        pack="power",
        why="A cord beyond its rating gets hot at the plug, where nobody looks.",
        inputs="worstCords: ampere of the fullest cord by feed and type after the worst loss, its rating (power.cords)",
        passes="amps <= limitA x cordPercentMax / 100",
        fails="a supply draws more than its cord may carry",
        cause="2 kW switches on C13 cords at 208 V; three of six supplies of a 10 kW server at 208 V",
        manual="kW of the device / live supplies / volts at the outlet / power factor; C13 10 A, C19 16 A",
        fix="a higher voltage, a third feed (2 + 2 + 2), or cap the device's power",
        source="IEC 60320-1; UL 498 with NEC 210.21(B)(2)",
    )
)
POWER_014 = register(
    Rule(
        id="POWER-014",
        title="Lines carry alike",
        severity="limit",
        pack="power",
        why="The fullest line decides: uneven lines waste what the others could carry, and load the neutral.",
        inputs="ampere by line of each three-phase segment and of each kind of rack, all live; limitA",
        passes="fullest line <= mean x (1 + phaseImbalancePercentMax / 100), or below phaseBalanceFromPercent of its limit",
        fails="a line that matters carries far more than the mean",
        cause="strips of one phase all on L1; a few large supplies on three banks",
        manual="read the three ammeters of the panel",
        fix="move strips or plugs to the other lines",
        source="ours; NEMA MG 1 measures it so for volts",
    )
)
POWER_016 = register(
    Rule(
        id="POWER-016",
        title="Gear with one cord hangs on a transfer switch",
        severity="limit",
        pack="power",
        why="It goes down with its feed, whatever the feed beside it still carries.",
        inputs="singleCord of each kind of rack: models with one supply where the racks have two feeds",
        passes="railyard:power.singleCord is `ats`, or no such model stands there",
        fails="a device with one supply on feed a",
        cause="a small switch that nobody looked behind",
        manual="look for devices with one power inlet",
        fix="set railyard:power.singleCord: ats and keep a U for the switch (facility.reservedU), or waive it with a reason",
        source="2N practice",
    )
)
POWER_017 = register(
    Rule(
        id="POWER-017",
        title="Planned loads are loads of that device",
        severity="invariant",
        pack=None,
        why="A figure above the nameplate is a typing error, most often watts where kilowatts are meant.",
        inputs="railyard:power.loads.kw by model, peakKw of the catalogue",
        passes="a model of the catalogue, and no more than its nameplate",
        fails="an unknown model, or more than its nameplate",
        cause="8900 for 8.9 kW",
        manual="compare with the data sheet",
        fix="write kilowatts",
        source="ours",
    )
)
POWER_019 = register(
    Rule(
        id="POWER-019",
        title="No breaker is smaller than one supply",
        severity="limit",
        pack="power",
        why="It trips as soon as the one device behind it works: no arrangement of plugs helps.",
        inputs="circuits of each kind of rack (breakerA, psuA) and breakerA of its feeds",
        passes="breakerA >= the largest supply on it after the worst loss",
        fails="one supply alone draws more than the breaker's full rating",
        cause="10 A written for a feed of 100 A; a bank of 6 A",
        manual="ampere of one supply / breaker",
        fix="correct breakerA (facility.feeds, railyard/catalog/pdus.yaml), or choose another strip",
        source="ours",
    )
)
POWER_020 = register(
    Rule(
        id="POWER-020",
        title="What is above the racks is stated",
        severity="notice",
        pack="power",
        why="Two feeds that meet in one panel are one feed: nobody can see that from the racks.",
        inputs="railyard:power of the stack file",
        passes="the section is there, with paths",
        fails="never; undecided where it is not stated",
        cause="a facility that answers later",
        manual="ask the facility for its single-line diagram",
        fix="add railyard:power with supply and paths (docs/hall.md, Power)",
        source="ours",
    )
)
POWER_021 = register(
    Rule(
        id="POWER-021",
        title="A breaker above 80 % is a 100 % rated one, and somebody says which",
        severity="limit",
        pack="power",
        why="A standard breaker trips in the end above 80 % of its rating; only some are listed for 100 %.",
        inputs="continuousRating and evidence of each segment",
        passes="continuousRating <= continuousRatingMax (0.8), or it has its evidence",
        fails="more without evidence",
        cause="1.0 written to make a panel fit",
        manual="look for '100 % rated' on the breaker",
        fix="set continuousRating to 0.8, or write the breaker's type as `evidence`",
        source=f"UL 489; {NEC}",
    )
)
POWER_022 = register(
    Rule(
        id="POWER-022",
        title="Supplies are dealt to feeds that there are",
        severity="invariant",
        pack=None,
        why="A supply on a feed that the rack lacks is on no feed.",
        inputs="railyard:power.psuFeeds by model, facility.feeds, psus of the catalogue",
        passes="a model of the catalogue, one letter for each of its supplies, letters of facility.feeds",
        fails="another number of letters, an unknown letter or model",
        cause="a third feed that was taken out again",
        manual="count supplies behind the device",
        fix="one letter for each supply, in their order",
        source="ours",
    )
)
