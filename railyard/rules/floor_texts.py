"""What the rules of the hall's ground are about, for people."""

from railyard.rules.registry import Rule, register

RACK_009 = register(
    Rule(
        id="RACK-009",
        title="The floor section agrees with itself",
        severity="limit",
        pack="power",
        why="A kept place that doesn't exist keeps nothing, a door beyond the wall's end leads nowhere: what was meant isn't "
        "planned.",
        inputs="floor.misdrawn: kept places, obstacles, doors, place width and hall of railyard:floor",
        passes="kept places are in facility.racksPerRow and floor.rows; obstacles and doors are in the hall; placeM holds the "
        "rack",
        fails="an entry contradicts another one",
        cause="facility.racksPerRow changed after the drawing; metres from another corner",
        manual="draw the entries over the surveyor's plan",
        fix="correct the entry of railyard:floor: metres from the south-west corner, rows and places from 1",
        source="ours",
    )
)
RACK_010 = register(
    Rule(
        id="RACK-010",
        title="Racks stand in the hall, on free ground",
        severity="invariant",
        pack="power",
        why="A rack can't stand in a wall or a column, and a unit that is planned there can't be built later either.",
        inputs="floor.outside, floor.obstructed: footprints of all planned racks against walls and obstacles of railyard:floor",
        passes="each planned rack's footprint is inside the walls and shares no ground with an obstacle",
        fails="a planned rack is beyond a wall, or on a column or another obstacle",
        cause="a column in the middle of a row; more planned units than the hall holds",
        manual="chalk the footprint on the floor",
        fix="keep the place empty (railyard:floor.kept), or move rows, aisles or obstacles to where they are",
        source="ours",
    )
)
RACK_011 = register(
    Rule(
        id="RACK-011",
        title="The hall has rows for all planned racks",
        severity="limit",
        pack="power",
        why="Cables, spines and addresses are planned for units that the hall has no room for.",
        inputs="floor.rows, rowsLimit, plannedRacks, racksPerRow",
        passes="rows <= railyard:floor.rows, where that is given",
        fails="planned racks take more rows than there are",
        cause="plannedScalableUnits raised without looking at the hall",
        manual="count the rows that are marked on the floor",
        fix="fewer planned units (fabric.plannedScalableUnits), longer rows (facility.racksPerRow), or a larger hall",
        source="ours",
    )
)
RACK_012 = register(
    Rule(
        id="RACK-012",
        title="Aisles are wide enough to work in",
        severity="limit",
        pack="power",
        why="A node is put in and drawn out of the cold aisle, on a lift; behind the rack a person works between two open "
        "doors.",
        inputs="floor.coldAisleM, hotAisleM (the narrowest of each kind, walls included), longestDeviceM; only where the hall "
        "is drawn",
        passes="coldAisleM >= coldAisleMMin (1.2) and longestDeviceM + pullOutMMin (0.2); hotAisleM >= hotAisleMMin (0.9)",
        fails="an aisle is narrower",
        cause="rows moved together to get one more in",
        manual="measure between the closed doors of facing racks",
        fix="fewer rows, or wider aisles (railyard:floor.coldAisleM, hotAisleM)",
        source="ANSI/TIA-942, aisles (unverified); drawn-out length is ours",
    )
)
RACK_013 = register(
    Rule(
        id="RACK-013",
        title="Doors are free",
        severity="limit",
        pack="power",
        why="A door that a rack stands before is no way in for racks and none out for people.",
        inputs="floor.blockedDoors: racks and obstacles on the metre of ground inside of each door",
        passes="nothing stands within 1 m of a door, across its width",
        fails="a rack or an obstacle does",
        cause="a row that begins at the wall with the door",
        manual="open the door; walk in with a rack",
        fix="keep the place empty (railyard:floor.kept), or begin the rows elsewhere (floor.xM, yM)",
        source="ours; means of egress are the fire code's",
    )
)
RACK_014 = register(
    Rule(
        id="RACK-014",
        title="Racks get through doors, corridors and lifts",
        severity="limit",
        pack="power",
        why="A 48U rack is 2.27 m high and must not be tilted when filled; a door of 2.1 m stops the delivery on the day.",
        inputs="floor.route[] widthM, heightM, depthM; rackWidthM, rackDepthM, rackHeightM",
        passes="rack + openingGapMMin (0.03) <= the opening: height; the narrower side through a width; both sides into a "
        "cabin",
        fails="a rack doesn't go through; undecided where the rack's size is unknown. Crates and turns in corridors aren't "
        "judged",
        cause="48U racks and standard doors",
        manual="measure every opening from the lorry to the hall, frames and thresholds included",
        fix="lower racks (facility.rackModel), another way in, or a taken-out door frame (railyard:floor.route)",
        source="ours",
    )
)
RACK_015 = register(
    Rule(
        id="RACK-015",
        title="Floors, lifts and castors bear what is rolled in",
        severity="limit",
        pack="power",
        why="A filled rack weighs a ton on four wheels: lifts have a limit, tiles bear far less under a wheel than under a "
        "foot, and "
        "frames hold less while they roll than while they stand.",
        inputs="floor.route[] kg and wheelKg, hallWheelKg; movedKg, wheelKg; contentsKg and rollingLimitKg where racks come "
        "filled",
        passes="movedKg <= kg of each lift and ramp, wheelKg <= wheelKg of each floor, contentsKg <= rollingLimitKg, times "
        "movePercentMax / 100",
        fails="a load is more than what bears it is rated for; undecided where a weight or the number of castors is unknown",
        cause="racks integrated at the factory, a goods lift for 1,000 kg",
        manual="weigh the heaviest rack on its castors; read the plates of lift and floor",
        fix="bring racks in empty (railyard:floor.moved), boards over the tiles, another lift",
        source="CISCA Recommended Test Procedures for Access Floors: rolling load per wheel; frame makers' rolling (dynamic) "
        "load",
    )
)
RACK_016 = register(
    Rule(
        id="RACK-016",
        title="Ramps are flat enough",
        severity="limit",
        pack="power",
        why="On a slope a rack wants to roll and to tip; two people don't hold a ton.",
        inputs="floor.route[].slopeDeg",
        passes="slopeDeg <= slopeDegMax (4.8)",
        fails="a ramp is steeper",
        cause="the ramp onto a raised floor of 0.6 m, built short",
        manual="rise over run: 1:12 is 4.8 degrees",
        fix="a longer ramp, a lift, or racks that come in empty",
        source="ADA Standards for Accessible Design 405.2: 1:12 at most",
    )
)
RACK_017 = register(
    Rule(
        id="RACK-017",
        title="There is room above the racks",
        severity="limit",
        pack="power",
        why="Sprinklers must spray over the racks, and trays and warm air need room.",
        inputs="floor.clearHeightM and rackHeightM",
        passes="rackHeightM + clearAboveMMin (0.46) <= clearHeightM; not judged without railyard:floor.clearHeightM",
        fails="less is left; undecided where the rack's height is unknown",
        cause="48U racks in an office",
        manual="measure from the floor to the lowest tray, duct or sprinkler",
        fix="lower racks (facility.rackModel), or higher trays",
        source="NFPA 13: 18 inches (457 mm) below sprinkler deflectors (unverified)",
    )
)
RACK_020 = register(
    Rule(
        id="RACK-020",
        title="A scalable unit stands together",
        severity="limit",
        pack="power",
        why="Cables between nodes and leaves of a unit are the most and the shortest: torn apart, they need other optics, and "
        "a lost row "
        "takes parts of several units along.",
        inputs="floor.unitReachM (longest cable between any node and any leaf of one unit, slack included), unitRows, "
        "unitRacks",
        passes="unitReachM <= unitReachMMax (50), and a unit stands in at most one row more than its racks need",
        fails="a unit is longer, or torn over more rows",
        cause="short rows, kept places in the middle of a unit, wide aisles",
        manual="walk from the unit's furthest node rack to its leaves, trays up and down included",
        fix="longer rows (facility.racksPerRow), a row for each unit, fewer kept places (railyard:floor.kept)",
        source="reach of OM4 at 100G-PAM4 lanes: 50 m (cable catalogue); what the cables themselves reach is FABRIC-020's",
    )
)
RACK_021 = register(
    Rule(
        id="RACK-021",
        title="One rack doesn't hold the whole top tier",
        severity="limit",
        pack="power",
        why="With the rack of all spines every job that spans two units stops.",
        inputs="floor.topSharePercent (switches of the top tier in one rack), units that are built",
        passes="topSharePercent <= topSharePercentMax (75); sites of one unit aren't judged: its own rack is the failure "
        "domain",
        fails="one rack holds more",
        cause="few spines: they fit into one rack",
        manual="look at the rack elevation in the report",
        fix="spread them (railyard:facility.spineRacks: 2; spreadRacks: 2 where switchRacks is shared), or waive the rule "
        "with a reason",
        source="ours",
    )
)
RACK_022 = register(
    Rule(
        id="RACK-022",
        title="Devices that stand in for each other are in two racks",
        severity="limit",
        pack="power",
        why="A pair protects against the loss of one: a rack that holds both takes provisioning, storage or subnet management "
        "from all "
        "units at once.",
        inputs="floor.lostTogether (pairs of service switches; all subnet managers of a subnet), units that are built",
        passes="none is listed; sites of one unit aren't judged",
        fails="both switches of a service pair, or all subnet managers of a subnet, are in one rack",
        cause="one rack above the units; subnet managers on the first two spines",
        manual="look at the rack elevation in the report",
        fix="spread them (railyard:facility.spineRacks: 2; spreadRacks: 2 where switchRacks is shared), or waive the rule "
        "with a reason",
        source="ours",
    )
)
RACK_023 = register(
    Rule(
        id="RACK-023",
        title="Mirrors are in another rack",
        severity="limit",
        pack="power",
        why="A rack is lost as a whole (both feeds' strips, a leak, a fire): a mirror in it protects nothing.",
        inputs="floor.mirrorsTogether (racks with pairs of storage servers that mirror each other), storageRacks, units that "
        "are built",
        passes="none is listed; sites of one unit with one rack of storage servers aren't judged",
        fails="both servers of a mirror group are in one rack",
        cause="storage servers fill one rack after the other",
        manual="look at the rack elevation in the report; `lfs getstripe --mirror-count`, or `beegfs-ctl --listmirrorgroups`",
        fix="set railyard:facility.mirrorsApart: true (moves storage servers), or waive the rule with a reason",
        source="BeeGFS documentation, Mirroring: buddies in different failure domains (unverified)",
    )
)
RACK_024 = register(
    Rule(
        id="RACK-024",
        title="Planes are in different racks",
        severity="limit",
        pack="power",
        why="A second plane keeps jobs running, at half their bandwidth, when a switch of the first one dies: with both in "
        "one rack, "
        "that rack's loss cuts the unit's nodes off.",
        inputs="floor.planesTogether (racks that hold the leaves of all planes of a rail, or of a group of nodes)",
        passes="none is listed; fabrics of one plane have nothing to spread",
        fails="the leaves of all planes of a rail are in one rack",
        cause="one network rack for each unit, or leaves that were racked rail by rail",
        manual="look at the rack elevation in the report: `-p0` and `-p1` of a rail",
        fix="spread them (railyard:facility.unitNetworkRacks: 2; spreadRacks: 2 where switchRacks is shared), or waive the "
        "rule",
        source="ours",
    )
)
